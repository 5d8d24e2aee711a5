// @ts-check
/**
 * The host for benches in a browser. It gzips scripts and pages, like hosts of static sites, sends
 * files of other types as they are, and records what it sent.
 *
 * @typedef {{path: string, bytes: number}} Sent
 * @typedef {{latency: number, bytesPerSecond: number, key: string, cert: string}} Link
 */
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const TYPES = new Map([[".html", "text/html"], [".js", "text/javascript"], [".json", "application/json"], [".css", "text/css"]]);
/**
 * Long ago: without other headers, browsers cache a file for a tenth of its age, which then covers
 * the whole bench.
 */
const PUBLISHED = "Wed, 01 Jan 2025 00:00:00 GMT";
/** The page that runs the queries. It has an icon, so that browsers request none. */
const ASKING = '<!doctype html><html><head><title>A page</title><link rel="icon" href="data:,"></head><body></body></html>';
/** Maximum number of bytes of a chunk on the link. */
const CHUNK = 1_000;

export class Host {
  /** @type {Sent[]} */
  #sent = [];
  /** By path. @type {Map<string, Buffer>} */
  #gzipped = new Map();
  #folders;
  #link;
  #server;
  /** When the link will have sent all data that it received so far. */
  #free = 0;

  /**
   * @param {Record<string, string>} folders by the first part of the path
   * @param {Link} [link] Between the host and the browser: an answer begins after its latency in
   *   milliseconds, and all transfers share one queue. (The emulation in the browser does not slow
   *   down the requests of workers.) It speaks HTTP/2, like hosts of static sites, with a key and a
   *   certificate.
   */
  constructor(folders, link) {
    this.#folders = folders;
    this.#link = link;
    const answer = this.#answer.bind(this);
    this.#server = link ? createSecureServer({ key: link.key, cert: link.cert }, answer) : createServer(answer);
  }

  /**
   * @param {import("node:http").IncomingMessage | import("node:http2").Http2ServerRequest} request
   * @param {import("node:http").ServerResponse | import("node:http2").Http2ServerResponse} response
   */
  async #answer({ url = "/", headers }, response) {
    const { pathname } = new URL(url, "http://host/");
    const [, first, ...rest] = decodeURIComponent(pathname).split("/");
    const folder = this.#folders[first];
    const file = folder && path.join(folder, ...rest);
    const known = first === "" || file?.startsWith(folder + path.sep);
    const bytes = !known ? undefined : file ? await readFile(file).catch(() => undefined) : Buffer.from(ASKING);
    const status = !bytes ? 404 : file && headers["if-modified-since"] === PUBLISHED ? 304 : 200;
    const compresses = file !== undefined && TYPES.has(path.extname(file));
    const body = status !== 200 || !bytes ? Buffer.alloc(0) : compresses ? this.#gzip(file, bytes) : bytes;
    const type = TYPES.get(path.extname(file ?? "a.html")) ?? "application/octet-stream";
    const length = status === 304 ? {} : { "Content-Length": body.length };
    const coding = compresses ? { "Content-Encoding": "gzip" } : {};
    const sent = { path: rest.join("/"), bytes: 0 };
    if (file) this.#sent.push(sent);
    if (this.#link) await sleep(this.#link.latency);
    // A later query has cancelled the request meanwhile.
    if (this.#link && response.destroyed) return;
    /** @type {import("node:http").ServerResponse} the interface that both kinds of responses share */
    const answer = /** @type {any} */ (response);
    answer.writeHead(status, { "Content-Type": type, "Last-Modified": PUBLISHED, ...length, ...coding });
    for (const chunk of this.#link ? chunks(body) : [body]) {
      await this.#turn(chunk.length);
      if (response.destroyed) return;
      answer.write(chunk);
      sent.bytes += chunk.length;
    }
    answer.end();
  }

  /** Waits until the link has sent a number of bytes. @param {number} bytes */
  async #turn(bytes) {
    if (!this.#link) return;
    const now = performance.now();
    this.#free = Math.max(this.#free, now) + (1_000 * bytes) / this.#link.bytesPerSecond;
    await sleep(this.#free - now);
  }

  /** @param {string} file @param {Buffer} bytes */
  #gzip(file, bytes) {
    const gzipped = this.#gzipped.get(file) ?? gzipSync(bytes);
    this.#gzipped.set(file, gzipped);
    return gzipped;
  }

  /** @returns {Promise<string>} its origin */
  start() {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        if (address && typeof address === "object") resolve(`${this.#link ? "https" : "http"}://127.0.0.1:${address.port}`);
      });
    });
  }

  stop() {
    this.#server.close();
    if ("closeAllConnections" in this.#server) this.#server.closeAllConnections();
  }

  /** Returns what was sent since the last call. */
  sent() {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }
}

/** @param {Buffer} body */
function* chunks(body) {
  for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK);
}

/**
 * Returns the median, the 90th percentile and the maximum.
 *
 * @param {number[]} values
 */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  /** @param {number} part */
  const at = (part) => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)];
  return { median: at(0.5), p90: at(0.9), max: at(1) };
}
