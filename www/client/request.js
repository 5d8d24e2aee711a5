// @ts-check
/**
 * Requests a file: returns its bytes, or throws an error with a remedy.
 *
 * @import {KinErrorCode} from "./pagekin.js"
 * @import {} from "./carried.js"
 */
import { MAX_FILE } from "./limits.js";

/** An error. Its `code` identifies what failed; pagekin.d.ts lists the codes. */
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
 * Returns the bytes of a file. Ignores the type and the length that the host declares, because both
 * are often wrong.
 *
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function read(url, init) {
  return carried(url) ?? bodyOf(await request(url, init), url, init);
}

/**
 * Returns a file that is embedded in the page, or nothing if files are fetched.
 *
 * @param {URL} url
 */
function carried(url) {
  const { pagekinCarried } = globalThis;
  if (!pagekinCarried) return undefined;
  const bytes = pagekinCarried.bytes(url);
  if (!bytes) throw new KinError("Missing", `this file does not contain ${url.pathname.slice(1)}; build it again`);
  return bytes;
}

/**
 * Returns `length` bytes of a file, starting at `offset`.
 *
 * @param {URL} url
 * @param {number} offset
 * @param {number} length at least 1
 * @param {RequestInit} init
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readRange(url, offset, length, init) {
  const whole = carried(url);
  if (whole) return whole.slice(offset, offset + length);
  const last = offset + length - 1;
  /** @param {string} found */
  const refusal = (found) => new KinError("NoRanges", `expected HTTP status 206 with bytes ${offset} to ${last} of ${url.href}, found ${found}; this host does not support range requests: publish on another one, or build an index that needs none with \`pagekin build --layout files\``);
  const response = await send(url, { ...init, headers: { Range: `bytes=${offset}-${last}` } });
  /** @param {string} found */
  const refuse = (found) => {
    response.body?.cancel().catch(() => {}); // it may be the whole file
    throw refusal(found);
  };
  if (response.status === 416 || (response.ok && response.status !== 206)) refuse(`HTTP status ${response.status}`);
  expectFile(response, url);
  // some hosts of other origins do not expose it
  const range = response.headers.get("content-range");
  if (range && !range.startsWith(`bytes ${offset}-${last}/`)) refuse(`"Content-Range: ${range}"`);
  const bytes = await bodyOf(response, url, init);
  if (bytes.length !== length) throw refusal(`${bytes.length} bytes`);
  return bytes;
}

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 */
export async function request(url, init) {
  const response = await send(url, init);
  expectFile(response, url);
  return response;
}

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Response>} of any status
 */
function send(url, init) {
  return fetch(url, init).catch((error) => { throw unanswered(url, init, error); });
}

/**
 * @param {Response} response
 * @param {URL} url
 */
function expectFile(response, url) {
  if (response.ok) return;
  const found = `found HTTP status ${response.status}`;
  if (response.status === 404 || response.status === 410) {
    throw new KinError("Missing", `expected a file at ${url.href}, ${found} (not found); check that the whole output folder of \`pagekin build\` is published`);
  }
  throw new KinError("Server", `expected the file ${url.href}, ${found}; try again later, or check the server's log`);
}

/**
 * @param {Response} response
 * @param {URL} url
 * @param {RequestInit} init
 */
async function bodyOf(response, url, init) {
  let length = 0;
  const bounded = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_FILE) controller.error();
      else controller.enqueue(chunk);
    },
  });
  const body = new Response(response.body?.pipeThrough(bounded));
  return new Uint8Array(await body.arrayBuffer().catch((error) => {
    if (length <= MAX_FILE) throw unanswered(url, init, error);
    throw new KinError("Damaged", `expected at most 2 MiB in ${url.href}, found more; publish the folder again`);
  }));
}

/**
 * Returns what a failed fetch rejects with: `error` itself if the fetch was aborted.
 *
 * @param {URL} url
 * @param {RequestInit} init
 * @param {any} error
 * @returns {any}
 */
function unanswered(url, init, error) {
  if (init.signal?.aborted) return error;
  const found = navigator.onLine ? `${url.host} could not be reached` : "this device is offline";
  return new KinError("Offline", `cannot fetch ${url.href}: ${found}; check the connection and try again`);
}
