// @ts-check
/**
 * An index that is spread over several hosts: which of those that have a file is asked for it, and
 * which next.
 *
 * Each request goes to the host with the fewest bytes in flight, then with the fewest asked for
 * before, then to any. If it takes much longer than is usual, another host that has the file is
 * asked as well, and the first answer counts; a host that mostly takes so long comes after the
 * others. One that fails is left alone for a while. The hosts are those of pagekin.mirrors in the
 * folder of the index, and no others: crates/pagekin-index/src/mirrors/list.rs describes it.
 *
 * @typedef {{format: number, hosts: string[], home: boolean, kinds: Record<string, {first: number, bytes: number}>, groups: number[][]}} List
 *
 * @typedef {object} Host
 * @property {URL} base
 * @property {boolean} isHome the folder of the index itself, if it is whole: the last resort
 * @property {number} inFlight bytes
 * @property {number} asked bytes
 * @property {number} any so that not all visitors ask the same one first
 * @property {number} failures in a row
 * @property {number} restsUntil as `performance.now()` says it
 * @property {number[]} took the last answers, in milliseconds
 * @property {boolean} isLate it took long when it was asked last, and was not waited for
 */
import { fetchBy, fetchNamed } from "../fetches.js";
import { KinError, read } from "../request.js";

const LIST = "pagekin.mirrors";
const FORMAT = 1;
/** A file of the index: its kind, its number, and the length of a part. */
const FILE = /^index\/[^/]+\/([a-z]+).*?(\d+)\.[a-z]+(?:#\d+\+(\d+))?$/;
/** How long a host may take before another one is asked, in milliseconds. */
const PATIENCE = 10_000;
/** How long a host that failed is left alone: twice as long after each further failure. */
const REST = 30_000;
const MAX_REST = 10 * 60_000;
/** So many times what is usual is long, and this at least; and this where nothing is known yet. */
const LONG = 3;
const MIN_LONG = 400;
const FIRST_LONG = 2000;
/** How often it is looked how long a host takes. */
const TICK = 50;
/** How many requests tell how long a host takes. */
const MEASURED = 5;

class Mirrors {
  #base;
  /** @type {Promise<List> | undefined} */
  #list;
  /** By their addresses. @type {Map<string, Host>} */
  #hosts = new Map();
  /** Where a file was fetched from, and how many hosts are left for it. @type {Map<string, {host: Host, left: number}>} */
  #from = new Map();
  /** The hosts that sent something else. @type {Map<string, Set<Host>>} */
  #refused = new Map();

  /** @param {URL} base */
  constructor(base) {
    this.#base = base;
    this.#open().catch(() => {}); // who fetches a file awaits it
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
      // Told below.
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
      this.#list = undefined; // asked for anew, as the manifest is
      return fetchNamed(name, this.#base, init);
    }
    const list = await this.#open();
    const [, kind, , length] = file;
    const bytes = Number(length ?? list.kinds[kind]?.bytes ?? 0);
    const left = new Set(this.#hostsOf(file, list));
    for (const host of this.#refused.get(name) ?? []) left.delete(host);
    let failure = new KinError("Missing", `expected a host for ${name} in ${LIST}, found none; publish all that \`pagekin build\` wrote`);
    let tried = 0;
    /** Ends the requests that are not waited for any more. */
    const ended = new AbortController();
    const end = () => ended.abort(init.signal.reason);
    init.signal.addEventListener("abort", end);
    /** @typedef {{host: Host, found?: Uint8Array, error?: any}} Settled */
    /** @type {Map<Host, Promise<Settled>>} */
    const asked = new Map();
    try {
      for (let since = 0; left.size + asked.size > 0;) {
        if (left.size > 0 && (asked.size === 0 || performance.now() - since > this.#long())) {
          const host = this.#next(left);
          left.delete(host);
          since = performance.now();
          asked.set(host, this.#ask(host, name, bytes, left.size === 0, { ...init, signal: ended.signal }).then((found) => ({ host, found }), (error) => ({ host, error })));
        }
        const settled = await Promise.race([...asked.values(), ...(left.size > 0 ? [pause()] : [])]);
        if (!settled) continue;
        const { host, found, error } = settled;
        asked.delete(host);
        if (found) {
          this.#from.set(name, { host, left: left.size + asked.size });
          return found;
        }
        if (init.signal.aborted) throw error;
        // That a file is gone tells more than that a host is: the site may have been published
        // anew.
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
   * What came by a name is not what it should be: whether there is another host that has it.
   *
   * @param {string} name
   */
  refuse(name) {
    const from = this.#from.get(name);
    if (!from) return false;
    this.#from.delete(name);
    leaveAlone(from.host);
    if (from.left === 0) {
      this.#refused.delete(name); // so that all are asked if it is tried once more
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
      host = { base, isHome, inFlight: 0, asked: 0, any: Math.random(), failures: 0, restsUntil: 0, took: [], isLate: false };
      this.#hosts.set(base.href, host);
    }
    return host;
  }

  /** How long is long: many times what the hosts take mostly. */
  #long() {
    const known = [...this.#hosts.values()].map(({ took }) => median(took)).filter((took) => took > 0);
    return known.length > 0 ? Math.max(LONG * median(known), MIN_LONG) : FIRST_LONG;
  }

  /**
   * The host to ask: the least loaded, unless it failed of late or is slow.
   *
   * @param {Iterable<Host>} hosts at least one
   */
  #next(hosts) {
    const now = performance.now();
    const long = this.#long();
    /** @param {Host} host */
    const key = ({ isHome, inFlight, asked, any, restsUntil, took, isLate }) => (restsUntil > now ? [3, restsUntil] : [isHome ? 2 : isLate || median(took) > long ? 1 : 0, inFlight, asked, any]);
    const [best] = [...hosts].map((host) => ({ host, key: key(host) })).sort((a, b) => {
      const at = a.key.findIndex((value, at) => value !== b.key[at]);
      return at < 0 ? 0 : a.key[at] - (b.key[at] ?? 0);
    });
    return best.host;
  }

  /**
   * @param {Host} host
   * @param {string} name
   * @param {number} bytes that are expected
   * @param {boolean} isLast then it may take as long as it takes
   * @param {RequestInit & {signal: AbortSignal}} init
   */
  async #ask(host, name, bytes, isLast, init) {
    const { signal } = init;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = isLast ? undefined : setTimeout(() => controller.abort(), PATIENCE);
    const since = performance.now();
    host.inFlight += bytes;
    host.asked += bytes;
    try {
      /** @type {RequestInit} nothing that tells who asks, and no host but this one */
      const elsewhere = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" };
      const found = await fetchNamed(name, host.base, { ...init, ...(host.isHome ? {} : elsewhere), signal: controller.signal });
      host.failures = 0;
      host.restsUntil = 0;
      const took = performance.now() - since;
      host.isLate &&= took > this.#long();
      host.took = [...host.took.slice(1 - MEASURED), took];
      return found;
    } catch (error) {
      if (!signal.aborted) leaveAlone(host);
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

/** @param {number[]} values the lower one of two in the middle; 0 of none */
const median = (values) => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;

/** @param {Host} host that failed */
function leaveAlone(host) {
  host.restsUntil = performance.now() + Math.min(REST * 2 ** host.failures, MAX_REST);
  host.failures += 1;
}

fetchBy((base) => new Mirrors(base));
