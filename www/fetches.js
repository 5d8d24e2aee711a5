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

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Uint8Array>}
 */
async function read(url, init) {
  const response = await request(url, init);
  const bytes = await response.arrayBuffer().catch((error) => { throw unanswered(url, init, error); });
  return new Uint8Array(bytes);
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
   * @param {string} name path below the base
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
      const bytes = read(new URL(name, this.#base), { cache, signal: controller.signal });
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
