// @ts-check
/**
 * Fetching what an index names: one fetch for all who wait for the same bytes.
 *
 * @typedef {{bytes: Promise<Uint8Array>, waiting: number, controller: AbortController}} UnderWay
 */
import { read, readRange } from "./request.js";

/** A name of a part of a file: its path, where the part begins, and how long it is. */
const PART = /^(.*)#(\d+)\+(\d+)$/;

/**
 * @param {string} name a path, or one with `#offset+length`
 * @param {URL} base
 * @param {RequestInit} init
 */
function fetchNamed(name, base, init) {
  const part = PART.exec(name);
  if (!part) return read(new URL(name, base), init);
  const [, path, offset, length] = part;
  return readRange(new URL(path, base), Number(offset), Number(length), init);
}

/** Fetches under way: queries that wait for the same name share one, which ends early only when none waits any more. */
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
      const bytes = fetchNamed(name, this.#base, { cache, signal: controller.signal });
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
