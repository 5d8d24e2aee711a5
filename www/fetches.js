// @ts-check
/**
 * Fetching: errors that say what to do, and one fetch for all who wait for the same file.
 *
 * @import {KinErrorCode} from "./pagekin.js"
 * @typedef {{bytes: Promise<Uint8Array>, waiting: number, controller: AbortController}} UnderWay
 */

/** An error whose `code` says what failed; pagekin.d.ts lists the codes. */
export class KinError extends Error {
  /**
   * @param {KinErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "KinError";
    this.code = code;
  }
}

/**
 * Asks for a file. Neither the type nor the length that the host announces is relied on: both are wrong often enough.
 *
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 */
export async function request(url, init) {
  const response = await fetch(url, init).catch((error) => { throw unanswered(url, init, error); });
  if (response.ok) return response;
  const found = `found HTTP status ${response.status}`;
  if (response.status === 404 || response.status === 410) {
    throw new KinError("Missing", `expected a file at ${url.href}, ${found} (not there); check that the whole folder that \`pagekin build\` wrote is published`);
  }
  throw new KinError("Server", `expected the file ${url.href}, ${found}; try again later, or look into the server's log`);
}

/**
 * What a fetch that broke off rejects with: `error` itself if it was aborted.
 *
 * @param {URL} url
 * @param {RequestInit} init
 * @param {any} error
 * @returns {any}
 */
export function unanswered(url, init, error) {
  if (init.signal?.aborted) return error;
  const found = navigator.onLine ? `${url.host} could not be reached` : "this device is offline";
  return new KinError("Offline", `expected an answer from ${url.href}, but ${found}; check the connection and try again`);
}

/** The name of a part of a file: its path, where the part begins, and how long it is. */
const PART = /^(.*)#(\d+)\+(\d+)$/;

/**
 * @param {string} name a path, or one with `#offset+length`
 * @param {URL} base
 * @param {RequestInit} init
 * @returns {Promise<Uint8Array>}
 */
async function read(name, base, init) {
  const part = PART.exec(name);
  if (part) return readRange(new URL(part[1], base), Number(part[2]), Number(part[3]), init);
  const url = new URL(name, base);
  return bodyOf(await request(url, init), url, init);
}

/**
 * The `length` bytes of a file from `offset` on. What a host answers is looked at each time: one that sends the whole
 * file is left before it has.
 *
 * @param {URL} url
 * @param {number} offset
 * @param {number} length at least 1
 * @param {RequestInit} init
 */
async function readRange(url, offset, length, init) {
  const last = offset + length - 1;
  /** @param {string} found */
  const refusal = (found) => new KinError("NoRanges", `expected HTTP status 206 with bytes ${offset} to ${last} of ${url.href}, found ${found}; this host does not answer byte ranges as it should: publish on another, or build an index that needs none with \`pagekin build --layout files\``);
  const response = await request(url, { ...init, headers: { Range: `bytes=${offset}-${last}` } });
  if (response.status !== 206) {
    response.body?.cancel().catch(() => {});
    throw refusal(`HTTP status ${response.status}`);
  }
  const bytes = await bodyOf(response, url, init);
  if (bytes.length !== length) throw refusal(`${bytes.length} bytes`);
  return bytes;
}

/**
 * @param {Response} response
 * @param {URL} url
 * @param {RequestInit} init
 */
async function bodyOf(response, url, init) {
  return new Uint8Array(await response.arrayBuffer().catch((error) => { throw unanswered(url, init, error); }));
}

/** Files under way: queries that wait for the same file share one fetch, which ends early only when none waits any more. */
export class Fetches {
  /** @type {Map<string, UnderWay>} */
  #underWay = new Map();
  #base;

  /** @param {URL} base */
  constructor(base) {
    this.#base = base;
  }

  /**
   * @param {string} name path below the base; of a part of a file `path#offset+length`, in bytes
   * @param {RequestCache} cache
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   */
  get(name, cache, signal) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const key = `${cache} ${name}`;
    let file = this.#underWay.get(key);
    if (!file) {
      const controller = new AbortController();
      const bytes = read(name, this.#base, { cache, signal: controller.signal });
      file = { bytes, waiting: 0, controller };
      this.#underWay.set(key, file);
    }
    return this.#join(key, file, signal);
  }

  /**
   * @param {string} key
   * @param {UnderWay} file
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   */
  #join(key, file, signal) {
    file.waiting += 1;
    const forget = () => {
      if (this.#underWay.get(key) === file) this.#underWay.delete(key);
    };
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal?.reason);
        file.waiting -= 1;
        if (file.waiting > 0) return;
        forget();
        file.controller.abort();
      };
      signal?.addEventListener("abort", leave, { once: true });
      file.bytes.then(resolve, reject).finally(() => {
        signal?.removeEventListener("abort", leave);
        forget();
      });
    });
  }
}
