// @ts-check
/**
 * Chooses hosts for an index that is spread over several hosts.
 *
 * Each request goes to the host with the fewest bytes in flight, then to the one with the fewest
 * bytes requested before, then to a random one. If a request takes much longer than usual, another
 * host with the file is tried as well, and the first answer is used. Hosts that are usually slow
 * are tried after the others. A host that fails is not used for a while. Only the hosts in
 * pagekin.mirrors, in the folder of the index, are used. crates/pagekin-index/src/mirrors/list.rs
 * describes this file.
 *
 * @typedef {{format: number, hosts: string[], home: boolean, kinds: Record<string, {first: number, bytes: number}>, groups: number[][]}} List
 *
 * @typedef {object} Host
 * @property {URL} base
 * @property {boolean} isHome the folder of the index itself, if it is complete: the last resort
 * @property {number} inFlight bytes
 * @property {number} used bytes requested before
 * @property {number} tie a random number, so that not all visitors start with the same host
 * @property {number} failures in a row
 * @property {number} restsUntil in the time of `performance.now()`
 * @property {number[]} took durations of the last requests, in milliseconds
 * @property {boolean} isLate whether the last request took too long and was aborted
 */
import { fetchBy, fetchNamed } from "../fetches.js";
import { KinError, read } from "../request.js";

const LIST = "pagekin.mirrors";
const FORMAT = 1;
/** The name of an index file: its kind, its number, and the length of a part. */
const FILE = /^index\/[^/]+\/([a-z]+).*?(\d+)\.[a-z]+(?:#\d+\+(\d+))?$/;
/** How long a host may take before it counts as failed, in milliseconds. */
const PATIENCE = 10_000;
/** How long a failed host is not used, in milliseconds. Each further failure doubles it. */
const REST = 30_000;
const MAX_REST = 10 * 60_000;
/**
 * A request is slow if it takes more than LONG times the usual time and at least MIN_LONG
 * milliseconds, or more than FIRST_LONG milliseconds if nothing is known yet.
 */
const LONG = 3;
const MIN_LONG = 400;
const FIRST_LONG = 2000;
/** Interval at which slow requests are checked, in milliseconds. */
const TICK = 50;
/** Number of requests that determine the usual duration of a host. */
const MEASURED = 5;

class Mirrors {
  #base;
  /** @type {Promise<List> | undefined} */
  #list;
  /** By URL. @type {Map<string, Host>} */
  #hosts = new Map();
  /**
   * The host that a file was fetched from, and the number of hosts left to try.
   *
   * @type {Map<string, {host: Host, left: number}>}
   */
  #from = new Map();
  /**
   * Hosts that sent wrong content for a file.
   *
   * @type {Map<string, Set<Host>>}
   */
  #refused = new Map();

  /** @param {URL} base */
  constructor(base) {
    this.#base = base;
    this.#open().catch(() => {}); // the next request awaits it again
  }

  #open() {
    this.#list ??= this.#readList().catch((error) => {
      this.#list = undefined;
      throw error;
    });
    return this.#list;
  }

  /** @returns {Promise<List>} */
  async #readList() {
    const url = new URL(LIST, this.#base);
    const bytes = await read(url, { cache: "no-cache" });
    /** @type {List | undefined} */
    let list;
    try {
      list = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      // Reported below.
    }
    if (list?.format !== FORMAT) throw new KinError("Damaged", `expected a list of mirrors of format ${FORMAT} at ${url.href}, found ${list ? `format ${list.format}` : "something else"}; publish all that \`pagekin build\` wrote, and reload the page`);
    return list;
  }

  /**
   * @param {string} name
   * @param {RequestInit & {signal: AbortSignal}} init
   * @returns {Promise<Uint8Array>}
   */
  async fetch(name, init) {
    const file = FILE.exec(name);
    if (!file) {
      this.#list = undefined; // refetched, like the manifest
      return fetchNamed(name, this.#base, init);
    }
    const list = await this.#open();
    const [, kind, , length] = file;
    const bytes = Number(length ?? list.kinds[kind]?.bytes ?? 0);
    const left = new Set(this.#hostsOf(file, list));
    for (const host of this.#refused.get(name) ?? []) left.delete(host);
    let failure = new KinError("Missing", `no host in ${LIST} has ${name}; publish all that \`pagekin build\` wrote`);
    let tried = 0;
    /** Aborts the requests that are no longer needed. */
    const ended = new AbortController();
    const end = () => ended.abort(init.signal.reason);
    init.signal.addEventListener("abort", end);
    /** @typedef {{host: Host, found?: Uint8Array, error?: any}} Settled */
    /** @type {Map<Host, Promise<Settled>>} */
    const pending = new Map();
    try {
      for (let since = 0; left.size + pending.size > 0;) {
        if (left.size > 0 && (pending.size === 0 || performance.now() - since > this.#long())) {
          const host = this.#next(left);
          left.delete(host);
          since = performance.now();
          pending.set(host, this.#request(host, name, bytes, left.size === 0, { ...init, signal: ended.signal }).then((found) => ({ host, found }), (error) => ({ host, error })));
        }
        const settled = await Promise.race([...pending.values(), ...(left.size > 0 ? [pause()] : [])]);
        if (!settled) continue;
        const { host, found, error } = settled;
        pending.delete(host);
        if (found) {
          this.#from.set(name, { host, left: left.size + pending.size });
          return found;
        }
        if (init.signal.aborted) throw error;
        // A missing file is a better diagnosis than an unreachable host: the site may have been
        // updated.
        if (tried === 0 || failure.code === "Offline") failure = error;
        tried += 1;
      }
    } finally {
      init.signal.removeEventListener("abort", end);
      ended.abort();
    }
    throw tried > 1 ? new KinError(failure.code, `${failure.message} (${tried} hosts tried)`) : failure;
  }

  /**
   * Reports that a fetched file is not what was expected. Returns whether another host has it.
   *
   * @param {string} name
   */
  refuse(name) {
    const from = this.#from.get(name);
    if (!from) return false;
    this.#from.delete(name);
    suspend(from.host);
    if (from.left === 0) {
      this.#refused.delete(name); // so that a retry tries all hosts again
      return false;
    }
    this.#refused.set(name, (this.#refused.get(name) ?? new Set()).add(from.host));
    return true;
  }

  /**
   * @param {RegExpExecArray} file
   * @param {List} list
   */
  #hostsOf([, kind, number], list) {
    const { kinds, groups, home } = list;
    const of = kinds[kind] ? groups[(kinds[kind].first + Number(number)) % groups.length] : [];
    const hosts = of.map((at) => this.#host(new URL(list.hosts[at], this.#base), false));
    return home || hosts.length === 0 ? [...hosts, this.#host(this.#base, true)] : hosts;
  }

  /**
   * @param {URL} base
   * @param {boolean} isHome
   */
  #host(base, isHome) {
    let host = this.#hosts.get(base.href);
    if (!host) {
      host = { base, isHome, inFlight: 0, used: 0, tie: Math.random(), failures: 0, restsUntil: 0, took: [], isLate: false };
      this.#hosts.set(base.href, host);
    }
    return host;
  }

  /** Returns how long a slow request takes: a multiple of the usual duration. */
  #long() {
    const known = [...this.#hosts.values()].map(({ took }) => median(took)).filter((took) => took > 0);
    return known.length > 0 ? Math.max(LONG * median(known), MIN_LONG) : FIRST_LONG;
  }

  /**
   * Returns the host to use next: the least loaded, unless it failed recently or is slow.
   *
   * @param {Iterable<Host>} hosts at least one
   */
  #next(hosts) {
    const now = performance.now();
    const long = this.#long();
    /** @param {Host} host */
    const key = ({ isHome, inFlight, used, tie, restsUntil, took, isLate }) => (restsUntil > now ? [3, restsUntil] : [isHome ? 2 : isLate || median(took) > long ? 1 : 0, inFlight, used, tie]);
    const [best] = [...hosts].map((host) => ({ host, key: key(host) })).sort((a, b) => {
      const at = a.key.findIndex((value, at) => value !== b.key[at]);
      return at < 0 ? 0 : a.key[at] - (b.key[at] ?? 0);
    });
    return best.host;
  }

  /**
   * @param {Host} host
   * @param {string} name
   * @param {number} bytes expected
   * @param {boolean} isLast whether there is no other host, so that there is no time limit
   * @param {RequestInit & {signal: AbortSignal}} init
   */
  async #request(host, name, bytes, isLast, init) {
    const { signal } = init;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = isLast ? undefined : setTimeout(() => controller.abort(), PATIENCE);
    const since = performance.now();
    host.inFlight += bytes;
    host.used += bytes;
    try {
      /** @type {RequestInit} sends nothing that identifies the visitor, and follows no redirect */
      const elsewhere = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" };
      const found = await fetchNamed(name, host.base, { ...init, ...(host.isHome ? {} : elsewhere), signal: controller.signal });
      host.failures = 0;
      host.restsUntil = 0;
      const took = performance.now() - since;
      host.isLate &&= took > this.#long();
      host.took = [...host.took.slice(1 - MEASURED), took];
      return found;
    } catch (error) {
      if (!signal.aborted) suspend(host);
      else if (performance.now() - since > this.#long()) host.isLate = true;
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      host.inFlight -= bytes;
    }
  }
}

/** @returns {Promise<undefined>} */
const pause = () => new Promise((resolve) => setTimeout(resolve, TICK));

/** @param {number[]} values for an even count, the lower of the two in the middle; 0 if empty */
const median = (values) => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;

/** @param {Host} host that failed */
function suspend(host) {
  host.restsUntil = performance.now() + Math.min(REST * 2 ** host.failures, MAX_REST);
  host.failures += 1;
}

fetchBy((base) => new Mirrors(base));
