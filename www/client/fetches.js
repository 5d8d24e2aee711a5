// @ts-check
/**
 * Fetches the files of an index: one fetch for all callers that wait for the same bytes.
 *
 * @typedef {{bytes: Promise<Uint8Array>, waiting: number, controller: AbortController}} UnderWay
 */
import { read, readRange } from "./request.js";

/**
 * Fetches files for an index.
 *
 * @typedef {object} Source
 * @property {(name: string, init: RequestInit & {signal: AbortSignal}) => Promise<Uint8Array>} fetch
 * @property {(name: string) => boolean} refuse reports that a fetched file is not what was expected; returns whether it can
 *   be fetched from another host
 *
 * @typedef {(base: URL) => Source} Open
 */

/** The name of a part of a file: its path, offset and length. */
const PART = /^(.*)#(\d+)\+(\d+)$/;

/**
 * @param {string} name a path, or one with `#offset+length`
 * @param {URL} base
 * @param {RequestInit} init
 */
export function fetchNamed(name, base, init) {
  const part = PART.exec(name);
  if (!part) return read(new URL(name, base), init);
  const [, path, offset, length] = part;
  return readRange(new URL(path, base), Number(offset), Number(length), init);
}

/** @type {Open} from the folder of the index; mirrored/mirrors.js replaces it */
let source = (base) => ({ fetch: (name, init) => fetchNamed(name, base, init), refuse: () => false });

/** Whether files are also fetched from hosts other than that of the index. */
export let mirrored = false;

/** @param {Open} other */
export function fetchBy(other) {
  source = other;
  mirrored = true;
}

/**
 * Pending fetches. Queries that wait for the same name share one fetch, which is aborted early only
 * if none of them waits any longer.
 */
export class Fetches {
  /** @type {Map<string, UnderWay>} */
  #underWay = new Map();
  #source;

  /** @param {URL} base */
  constructor(base) {
    this.#source = source(base);
  }

  /**
   * Fetches a file and reads it with `use`. If `use` throws, the file is fetched from other hosts,
   * as long as there are any.
   *
   * @template T
   * @param {string} name
   * @param {RequestCache} cache
   * @param {AbortSignal | undefined} signal
   * @param {(bytes: Uint8Array) => T} use
   * @returns {Promise<T>}
   */
  async read(name, cache, signal, use) {
    for (;;) {
      const bytes = await this.get(name, cache, signal);
      try {
        return use(bytes);
      } catch (error) {
        if (!this.#source.refuse(name)) throw error;
      }
    }
  }

  /**
   * @param {string} name path below the base, or `path#offset+length` (in bytes) for a part of a file
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
      const bytes = this.#source.fetch(name, { cache, signal: controller.signal });
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
      // Removed from the map first, so that a caller that rejects the file fetches it again.
      file.bytes.finally(() => {
        signal?.removeEventListener("abort", leave);
        forget();
      }).then(resolve, reject);
    });
  }
}
