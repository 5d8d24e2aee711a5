// @ts-check
/**
 * Looks up a page of the index by its URL, in two small requests and without WebAssembly. Each
 * script that a page can import alone is published with a copy of this file. The copies share what
 * they have read.
 *
 * @import {RelatedErrorCode, RelatedPage} from "./related.js"
 * @import {Duplicate} from "./duplicates.js"
 * @typedef {{generation: string, base: string, place?: string, shards: number, revised: Record<string, number[]>}} Entry
 * @typedef {Record<string, unknown>} Shard
 *
 * @typedef {object} Place of a page in the index
 * @property {unknown} value its entry in the shard
 * @property {Shard} shard
 * @property {string} name of the page in the shard
 * @property {string} base prefix of URLs
 * @property {URL} at URL of the shard
 */
import { hrefOf, movedBase } from "../client/link.js";

/**
 * Reads a page's entry, and throws if it is invalid.
 *
 * @template T
 * @typedef {(place: Place) => T} Take
 */

/**
 * `outside` is a warning with a remedy if the page is outside the base of the index.
 *
 * @template T
 * @typedef {{found: T, outside?: string}} Known
 */

/** The entry file, the only file that changes. */
const ENTRY = "pagekin.kin";
const FORMAT = 1;
/** Maximum size of an inflated shard. */
const MAX_BYTES = 16 * 2 ** 20;
const GENERATION = /^[0-9a-f]{16}$/;
/** A base URL: its host, if any, and its path. Empty if URLs are absolute, of many hosts. */
const BASE = /^((https?:\/\/[^/]+)?(\/.*))?$/;
const WHOLE = /^https?:\/\//;

/** The remedy if files are missing. */
const PUBLISH = "publish all that `pagekin build` wrote";

/** An error. Its `code` identifies what failed; related.d.ts lists the codes. */
export class KinError extends Error {
  /**
   * @param {RelatedErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "KinError";
    this.code = code;
  }
}

/**
 * State that all scripts of pagekin on a page share:
 *
 * - the entry file of each folder, read once per page load
 * - the shards that were read last, because two elements, or two pages of a folder, often need the
 *   same one
 * - the elements in the document
 * - the texts of elements by name, for each language
 * - what happens only once: style sheets, warnings, watching
 *
 * @type {[Map<string, Promise<Entry>>, Map<string, Promise<Shard>>, Set<{redraw: () => void, look?: () => void}>, Map<string, Record<string, string>>, Set<string>]}
 */
export const [entries, shards, elements, texts, done] = /** @type {any} */ (globalThis)[Symbol.for(`pagekin ${FORMAT}`)]
  ??= [new Map(), new Map(), new Set(), new Map(), new Set()];

/**
 * @template T
 * @param {Take<T>} take
 * @param {{base?: string | URL, url?: string | URL, signal?: AbortSignal}} options `base` is the script's folder by default, and
 *   `url` the document's URL
 * @returns {Promise<Known<T>>}
 */
export async function lookUp(take, { base, url = location.href, signal }) {
  signal?.throwIfAborted();
  const folder = new URL(base ?? ".", base === undefined ? import.meta.url : document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const aborted = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  return Promise.race([find(take, folder, new URL(url, document.baseURI)), /** @type {Promise<never>} */ (aborted)]);
}

/**
 * Finds a page. An invalid file may belong to a site that was updated; then the entry is read
 * again.
 *
 * @template T
 * @param {Take<T>} take
 * @param {URL} folder
 * @param {URL} url
 * @returns {Promise<Known<T>>}
 */
async function find(take, folder, url) {
  /** @type {Promise<Entry> | undefined} */
  let opened;
  /** @type {RequestInit | undefined} */
  let init;
  for (;;) {
    opened = open(folder, opened);
    const entry = await opened;
    try {
      return await findIn(take, folder, entry, url, init);
    } catch (/** @type {any} */ error) {
      const { code, message } = error;
      if (!["Missing", "NotPagekin", "Damaged"].includes(code)) throw error;
      if (init) throw new KinError(code, `${message} (reloading ${ENTRY} did not help: ${folder} is at generation ${entry.generation})`);
      init = { cache: "reload" };
    }
  }
}

/**
 * @template T
 * @param {Take<T>} take
 * @param {URL} folder
 * @param {Entry} entry
 * @param {URL} url
 * @param {RequestInit} [init]
 * @returns {Promise<Known<T>>}
 */
async function findIn(take, folder, entry, url, init) {
  const { base } = entry;
  const site = movedBase(base, entry.place ?? "", folder);
  if (site !== base && url.pathname.startsWith(site)) url = new URL(base + url.pathname.slice(site.length), url);
  const path = url.pathname;
  const root = base && new URL(base, url).pathname;
  // The deepest folder that contains both the page and the index.
  let above = folder.pathname;
  while (!path.startsWith(above)) above = above.replace(/[^/]*\/$/, "");
  const other = `expected a page below ${base}, found ${path}; rebuild with --base-url ${base.slice(0, base.length - root.length)}${above}`;
  const place = await findAt(folder, entry, url, init);
  const isOutside = !path.startsWith(root);
  if (place) return { found: take({ ...place, base: site }), outside: isOutside ? other : undefined };
  // If the site is published below a path that the base lacks, the index contains its pages under
  // URLs without it.
  const moved = new URL(root + path.slice(above.length), url);
  if (isOutside || base && above !== root && await findAt(folder, entry, moved, init)) throw new KinError("OtherBase", other);
  throw new KinError("UnknownUrl", `expected a page of ${base || "any host"}, found ${url}; rebuild the index if the page is new`);
}

/**
 * @param {URL} folder
 * @param {Entry} entry
 * @param {URL} url
 * @param {RequestInit} [init]
 * @returns {Promise<Place | undefined>}
 */
async function findAt(folder, entry, url, init) {
  for (const { key, names } of addresses(url, entry.base)) {
    const at = shardUrl(folder, entry, fnv1a(key) % entry.shards);
    const shard = await openShard(at, init);
    const name = names.map((name) => name.slice(entry.base.length)).find((name) => Object.hasOwn(shard, name));
    if (name !== undefined) return { value: shard[name], shard, name, base: entry.base, at };
  }
}

/**
 * Returns the URLs that a page may have in the index, most likely first: the key, which determines
 * the shard, and the names by which hosts serve the same file. A preview of the site may lack the
 * base path, and pages of a crawl of many hosts may have a query. `pagekin_core::address` contains
 * the same rules.
 *
 * @param {URL} url
 * @param {string} base
 * @returns {{key: string, names: string[]}[]}
 */
function addresses({ origin, pathname, search }, base) {
  const path = pathname.replace(/\/index\.html?$/, "/");
  if (base === "") return [...new Set([search, ""])].map((query) => named(origin + path, query, base));
  const below = base.slice(0, -1);
  const host = below.replace(/^(https?:\/\/[^/]+)?.*/, "$1");
  return [...new Set([host + path, below + path])].map((address) => named(address, "", base)).filter(({ names }) => names.length);
}

/**
 * @param {string} address a URL without `index.html`
 * @param {string} query
 * @param {string} base
 */
function named(address, query, base) {
  const escaped = asWritten(address);
  const stem = escaped.replace(/(\/index\.html?|\.html|\/)+$/, "");
  const names = [address, escaped, stem, `${stem}.html`, `${stem}/`].map((name) => name + query);
  return { key: stem + query, names: names.filter((name) => name.startsWith(base)) };
}

/**
 * Returns a URL with the escapes that `pagekin build` writes. Links and browsers escape more or
 * fewer characters.
 *
 * @param {string} address
 */
function asWritten(address) {
  return address.replace(/%[0-9a-f]{2}|[^\w./~!$&'()*+,:;=@-]/gi, (found) => {
    if (!found[1]) return encodeURIComponent(found);
    const plain = String.fromCharCode(parseInt(found.slice(1), 16));
    return /[\w.~!$&'()*+,:;=@-]/.test(plain) ? plain : found.toUpperCase();
  });
}

/**
 * Returns the 32-bit FNV-1a hash of a text as UTF-8.
 *
 * @param {string} text
 */
function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Reads the related pages of a page. @type {Take<RelatedPage[]>} */
export function relatedOf({ value, base, at }) {
  const isRow = (/** @type {any} */ row) => isPage(row, base) && row[2] >= 0 && row[2] <= 1000;
  if (!Array.isArray(value) || !value.every(isRow)) throw damaged(at, "the URL, title and similarity of related pages");
  return value.map(([name, title, thousandths]) => ({ url: base + name, title, similarity: thousandths / 1000 }));
}

/** Reads which page a page is a copy of. @type {Take<Duplicate | undefined>} */
export function copiesOf({ shard, name, base, at }) {
  /** @type {any} */
  const copies = Object(shard["#copies"]);
  if (!Object.hasOwn(copies, name)) return;
  const row = copies[name];
  if (!Array.isArray(row) || !(row[1] >= 0) || !row[2]?.length || !row[2].every((/** @type {any} */ page) => isPage(page, base))) {
    throw damaged(at, "the kind, number, URL and title of copies");
  }
  const [whole, count, pages] = row;
  const [original, ...others] = pages.map((/** @type {any} */ [name, title]) => ({ url: base + name, title }));
  return { kind: whole ? "copy" : "near-duplicate", original, others, count };
}

/**
 * Whether an array starts with a valid URL and title of a page of the site.
 *
 * @param {any} row
 * @param {string} base
 */
const isPage = (row, base) => typeof row?.[0] === "string" && (base || WHOLE.test(row[0])) && hrefOf(base + row[0], base) && typeof row[1] === "string";

// Files

const MAX_SHARDS = 4;

/**
 * @param {URL} folder
 * @param {Promise<Entry>} [stale] an entry that must be read again
 * @returns {Promise<Entry>}
 */
function open(folder, stale) {
  const known = entries.get(folder.href);
  if (known && known !== stale) return known;
  return cached(entries, folder.href, readEntry(new URL(ENTRY, folder), stale ? "reload" : "no-cache"));
}

/**
 * @param {URL} url
 * @param {RequestInit} [init] to read it again
 * @returns {Promise<Shard>}
 */
function openShard(url, init) {
  const known = init ? undefined : shards.get(url.href);
  if (known) return known;
  if (shards.size >= MAX_SHARDS) shards.clear();
  return cached(shards, url.href, read(url, init));
}

/**
 * Caches a pending read, unless it fails.
 *
 * @template T
 * @param {Map<string, Promise<T>>} map
 * @param {string} name
 * @param {Promise<T>} reading
 */
function cached(map, name, reading) {
  map.set(name, reading);
  reading.catch(() => {
    if (map.get(name) === reading) map.delete(name);
  });
  return reading;
}

/**
 * @param {URL} url
 * @param {RequestCache} cache
 * @returns {Promise<Entry>}
 */
async function readEntry(url, cache) {
  const entry = await read(url, { cache });
  const { format, generation, base, shards } = entry;
  const revised = Object(entry.revised);
  if (format > FORMAT) {
    throw new KinError("VersionTooNew", `${url} has format ${format}: expected ${FORMAT}; reload the page`);
  }
  const isMap = Object.entries(revised).every(([of, numbers]) => GENERATION.test(of) && Array.isArray(numbers));
  if (!(format >= 1) || !GENERATION.test(generation) || !BASE.test(base) || !(shards > 0) || shards % 1 || !isMap) {
    throw damaged(url, "the format, generation, base URL and number of shards");
  }
  return { ...entry, revised };
}

/**
 * @param {URL} folder
 * @param {Entry} entry
 * @param {number} number
 */
function shardUrl(folder, { generation, revised }, number) {
  const padded = (/** @type {number} */ n, /** @type {number} */ digits) => String(n).padStart(digits, "0");
  const of = Object.keys(revised).find((of) => revised[of].includes(number)) ?? generation;
  return new URL(`index/${of}/related/${padded(Math.floor(number / 500), 2)}/${padded(number, 4)}.kin`, folder);
}

/**
 * Reads a JSON object, which may be compressed. If the host declares the compression, the browser
 * has already undone it.
 *
 * @param {URL} url
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function read(url, init) {
  const broken = () => {
    throw new KinError("Offline", `cannot fetch ${url}; check the connection`);
  };
  const response = await fetch(url, init).catch(broken);
  const { status } = response;
  if (!response.ok) {
    const isMissing = status === 404 || status === 410;
    const remedy = isMissing ? `${PUBLISH}, without --related-count 0` : "try again later";
    throw new KinError(isMissing ? "Missing" : "Server", `expected a file at ${url}, found HTTP status ${status}; ${remedy}`);
  }
  const bytes = new Uint8Array(await bounded(url, response.body, broken));
  const text = new TextDecoder().decode(bytes[0] === 0x1f ? await inflate(url, bytes) : bytes);
  if (!text.startsWith("{")) {
    throw new KinError("NotPagekin", `expected a pagekin file at ${url}, found ${JSON.stringify(text.slice(0, 20))}; ${PUBLISH}, and serve no page for missing files`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(url, "JSON");
  }
}

/**
 * @param {URL} url
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function inflate(url, bytes) {
  if (!globalThis.DecompressionStream) {
    throw new KinError("Unsupported", "this browser does not support DecompressionStream; use a current one");
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return bounded(url, stream, () => {
    throw damaged(url, "a whole gzip file");
  });
}

/**
 * Reads a stream, but no more than the maximum size of an index file.
 *
 * @param {URL} url
 * @param {ReadableStream<any> | null} stream
 * @param {() => never} broken throws the error for a stream that ends early
 */
function bounded(url, stream, broken) {
  let length = 0;
  const bound = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BYTES) controller.error();
      else controller.enqueue(chunk);
    },
  });
  return new Response(stream?.pipeThrough(bound)).arrayBuffer().catch(() => {
    if (length > MAX_BYTES) throw damaged(url, "at most 16 MiB");
    return broken();
  });
}

/**
 * @param {URL} url
 * @param {string} expected
 */
function damaged(url, expected) {
  return new KinError("Damaged", `expected ${expected} in ${url}, found something else; publish it again`);
}
