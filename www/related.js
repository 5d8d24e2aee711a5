// @ts-check
/**
 * Related pages: the kin of a page of the site by its address, in two small requests and without WebAssembly.
 *
 *     <script type="module" src="/pagekin/related.js"></script>
 *     <pagekin-related limit="5" heading="Related pages"></pagekin-related>
 *
 * or, in a script of your own:
 *
 *     import { related } from "/pagekin/related.js";
 *     for (const { url, title, similarity } of await related({ limit: 5 })) { … }
 *
 * Types are in related.d.ts. This file stands alone, so that it is one request.
 *
 * @import {RelatedErrorCode, RelatedPage} from "./related.js"
 * @typedef {{generation: string, base: string, shards: number, revised: Record<string, number[]>}} Entry
 * @typedef {Record<string, unknown>} Shard
 */

/** The entry: the only one of the files that changes. */
const ENTRY = "pagekin.kin";
const FORMAT = 2;
/** No shard is larger when inflated. */
const MOST_BYTES = 16 * 2 ** 20;
const GENERATION = /^[0-9a-f]{16}$/;
/** A base address: its host, if it has one, and its path; or nothing, if addresses are whole, of many hosts. */
const BASE = /^((https?:\/\/[^/]+)?(\/.*))?$/;
const WHOLE = /^https?:\/\//;

/** An error whose `code` says what failed; related.d.ts lists the codes. */
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

/** @type {typeof import("./related.js").related} */
export async function related({ base, url = location.href, limit = 5, signal } = {}) {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit: expected a positive integer, found ${limit}`);
  const folder = base === undefined ? new URL(".", import.meta.url) : new URL(base, document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return unlessAborted(signal, async () => (await find(folder, new URL(url, document.baseURI), signal)).slice(0, limit));
}

/**
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
function unlessAborted(signal, task) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    task().then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

/**
 * A file that is not what it should be may be of a site that was published anew: then the entry is read once more.
 *
 * @param {URL} folder
 * @param {URL} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<RelatedPage[]>}
 */
async function find(folder, url, signal) {
  const opened = open(folder);
  const entry = await opened;
  try {
    return await findIn(folder, entry, url, { signal });
  } catch (/** @type {any} */ error) {
    if (!isStale(error)) throw error;
  }
  const fresh = await open(folder, opened);
  try {
    return await findIn(folder, fresh, url, { signal, cache: "reload" });
  } catch (/** @type {any} */ error) {
    if (!isStale(error)) throw error;
    throw new KinError(error.code, `${error.message} (reloading ${ENTRY} did not help: ${folder.href} is at generation ${fresh.generation})`);
  }
}

/** @param {any} error */
const isStale = ({ code }) => ["Missing", "NotPagekin", "Damaged"].includes(code);

/**
 * @param {URL} folder
 * @param {Entry} entry
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<RelatedPage[]>}
 */
async function findIn(folder, entry, url, init) {
  for (const { key, names } of addresses(url, entry.base)) {
    const at = shardUrl(folder, entry, fnv1a(key) % entry.shards);
    const shard = await readShard(at, init);
    const name = names.map((name) => name.slice(entry.base.length)).find((name) => Object.hasOwn(shard, name));
    if (name !== undefined) return kinOf(shard[name], entry.base, at);
  }
  throw new KinError("UnknownAddress", `expected a page of the site at ${entry.base || "any host"}, found ${url.href}, which is not in the index; rebuild it if the page is new`);
}

/**
 * The addresses that the page at a URL may have, likeliest first: the key that says in which shard it is, and the names that
 * hosts serve one file by. The site may be previewed without its base; pages of a crawl of many hosts may have a query.
 * `pagekin_core::address` has the same rules.
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
 * @param {string} address without `index.html`
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
 * An address with the escapes that `pagekin build` writes; links and browsers escape more or fewer characters.
 *
 * @param {string} address
 */
function asWritten(address) {
  return address.replace(/%([0-9a-f]{2})|[^\w./~!$&'()*+,:;=@-]/gi, (found, /** @type {string | undefined} */ hex) => {
    const code = hex ? parseInt(hex, 16) : found.charCodeAt(0);
    const plain = String.fromCharCode(code);
    return /[\w.~!$&'()*+,:;=@-]/.test(plain) ? plain : `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/**
 * FNV-1a, 32 bits, of a text as UTF-8.
 *
 * @param {string} text
 */
function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/**
 * @param {unknown} kin as a shard has them
 * @param {string} base
 * @param {URL} url of the shard
 * @returns {RelatedPage[]}
 */
function kinOf(kin, base, url) {
  const isRow = (/** @type {any} */ row) => Array.isArray(row) && row.length === 3
    && typeof row[0] === "string" && (base !== "" || WHOLE.test(row[0])) && typeof row[1] === "string" && Number.isInteger(row[2]) && row[2] >= 0 && row[2] <= 1000;
  if (!Array.isArray(kin) || !kin.every(isRow)) throw damaged(url, "the address, the title and the similarity of each related page", "something else");
  return kin.map(([name, title, thousandths]) => ({ url: base + name, title, similarity: thousandths / 1000 }));
}

// Files

/** @type {Map<string, Promise<Entry>>} The entry of each folder, read once a page load. */
const entries = new Map();

/**
 * @param {URL} folder
 * @param {Promise<Entry>} [stale] which did not help
 * @returns {Promise<Entry>}
 */
function open(folder, stale) {
  const known = entries.get(folder.href);
  if (known && known !== stale) return known;
  const entry = readEntry(new URL(ENTRY, folder), stale ? "reload" : "no-cache");
  entries.set(folder.href, entry);
  entry.catch(() => {
    if (entries.get(folder.href) === entry) entries.delete(folder.href);
  });
  return entry;
}

/**
 * @param {URL} url
 * @param {RequestCache} cache
 * @returns {Promise<Entry>}
 */
async function readEntry(url, cache) {
  const entry = parse(url, await read(url, { cache }));
  const { format, generation, base, shards, revised } = entry;
  if (Number.isInteger(format) && format > FORMAT) {
    throw new KinError("VersionTooNew", `${url.href} has format ${format}: expected ${FORMAT}; publish the related.js built with it, or reload the page`);
  }
  const isNumber = Number.isInteger(shards) && shards > 0;
  const isMap = typeof revised === "object" && revised !== null && Object.entries(revised).every(([of, numbers]) => GENERATION.test(of) && Array.isArray(numbers));
  if (format !== FORMAT || !GENERATION.test(generation) || !BASE.test(base) || !isNumber || !isMap) {
    throw damaged(url, "the format, the generation, the base URL and the number of shards", "something else");
  }
  return { generation, base, shards, revised };
}

/**
 * @param {URL} folder
 * @param {Entry} entry
 * @param {number} number
 */
function shardUrl(folder, { generation, revised }, number) {
  const [group, name] = [[Math.floor(number / 500), 2], [number, 4]].map(([n, digits]) => String(n).padStart(digits, "0"));
  const of = Object.keys(revised).find((of) => revised[of].includes(number)) ?? generation;
  return new URL(`index/${of}/related/${group}/${name}.kin`, folder);
}

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Shard>}
 */
async function readShard(url, init) {
  const bytes = await read(url, init);
  // Some hosts name the compression, and then the browser has undone it.
  return parse(url, bytes[0] === 0x1f && bytes[1] === 0x8b ? await inflate(url, bytes) : bytes);
}

/**
 * @param {URL} url
 * @param {Uint8Array<ArrayBuffer>} bytes of a JSON object
 * @returns {any}
 */
function parse(url, bytes) {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith("{")) {
    throw new KinError("NotPagekin", `expected a pagekin file at ${url.href}, found ${JSON.stringify(text.slice(0, 20))}; check that the whole output folder of \`pagekin build\` is published and that the host does not serve a page for missing files`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(url, "JSON", "something else");
  }
}

/**
 * @param {URL} url
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function inflate(url, bytes) {
  if (typeof DecompressionStream === "undefined") {
    throw new KinError("Unsupported", "expected a browser with DecompressionStream, found one without; use a current browser");
  }
  const chunks = [];
  let length = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
      chunks.push(value);
      length += value.length;
      if (length > MOST_BYTES) throw new RangeError("too much");
    }
  } catch {
    throw damaged(url, `a whole gzip file of at most ${MOST_BYTES} bytes`, "something else");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * @param {URL} url
 * @param {RequestInit} init
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function read(url, init) {
  const broken = (/** @type {any} */ error) => {
    if (init.signal?.aborted) throw error;
    throw new KinError("Offline", `expected an answer from ${url.href}, but it could not be reached; check the connection and try again`);
  };
  const response = await fetch(url, init).catch(broken);
  if (response.ok) return new Uint8Array(await response.arrayBuffer().catch(broken));
  const found = `found HTTP status ${response.status}`;
  if (response.status === 404 || response.status === 410) {
    throw new KinError("Missing", `expected a file at ${url.href}, ${found} (not found); check that the whole output folder of \`pagekin build\` is published, and that it was not built with --related-count 0`);
  }
  throw new KinError("Server", `expected the file ${url.href}, ${found}; try again later, or check the server's log`);
}

/**
 * @param {URL} url
 * @param {string} expected
 * @param {string} found
 */
function damaged(url, expected, found) {
  return new KinError("Damaged", `expected ${expected} in ${url.href}, found ${found}; publish the folder again`);
}

// The element

/** `<pagekin-related>`: links to the related pages of the page it is on, and nothing where there are none. */
class RelatedElement extends HTMLElement {
  #shown = new AbortController();

  connectedCallback() {
    this.#shown = new AbortController();
    this.#show(this.#shown.signal).catch((error) => {
      // A page that is not in the index has no kin; anything else is of interest to the site's author only.
      if (!this.#shown.signal.aborted && error.code !== "UnknownAddress") console.warn("pagekin-related:", error);
    });
  }

  disconnectedCallback() {
    this.#shown.abort();
    this.replaceChildren();
  }

  /** @param {AbortSignal} signal */
  async #show(signal) {
    const base = this.getAttribute("base") ?? undefined;
    const kin = await related({ base, limit: Number(this.getAttribute("limit") ?? 5), signal });
    if (kin.length === 0) return;
    const [nav, heading, list] = ["nav", "h2", "ul"].map((name) => document.createElement(name));
    heading.textContent = this.getAttribute("heading") ?? "Related pages";
    nav.ariaLabel = heading.textContent;
    list.append(...kin.map(({ url, title }) => {
      const link = document.createElement("a");
      link.href = url;
      link.textContent = title || url;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    nav.append(heading, list);
    this.replaceChildren(nav);
  }
}

if (!customElements.get("pagekin-related")) customElements.define("pagekin-related", RelatedElement);
