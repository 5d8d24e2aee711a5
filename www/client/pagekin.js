// @ts-check
/**
 * The client: finds the pages of a static site that contain or resemble a text, in the visitor's
 * browser.
 *
 *     import { open } from "/pagekin/pagekin.js";
 *     const kin = await open("/pagekin/");
 *     const { results, rankedBy, cost } = await kin.similar("a sentence or a whole page");
 *
 * The text never leaves the device: the client fetches parts of the index and compares them here.
 * Types and error codes are in pagekin.d.ts.
 *
 * @import {Cost, Kin, KinQuery, IndexInfo, TextQuery} from "./pagekin.js"
 * @import {ModuleFile, Page} from "./engine.js"
 * @typedef {typeof import("./engine.js")} EngineScript
 * @typedef {Parameters<typeof import("./phrases.js").phrasesFirst>} PhraseArgs
 * @typedef {{call(method: string, args: any[], signal: AbortSignal, show?: (partial: any) => void): Promise<any>, close(): void}} Thread where the engine runs
 */
import { MAX_TEXT } from "./limits.js";
import { carried, movedBase } from "./link.js";
import { PROTOCOL } from "./protocol.js";
import { KinError, read, request } from "./request.js";

export { KinError };

/**
 * Maximum length of HTML in characters; the rest is ignored, so that parsing does not block the
 * page.
 */
const MAX_HTML = 4 * MAX_TEXT;

const MANIFEST = "pagekin.manifest";

/** What may begin a phrase. */
const QUOTATION = /["“„«»「『]/u;

/**
 * The engine script for this thread and for a worker. It is not a static import, because a page
 * whose engine runs in a worker does not need it here, and because bundlers must not resolve it: it
 * is published with the index.
 */
const ENGINE = "engine.js";
const WORKER = "worker.js";

/** Reads the options `filters`, `sort`, and `counts`. */
const FILTERS = "filters.js";

/** Merges the answers of several indexes. */
const SEVERAL = "several.js";

/** Puts the pages with phrases first. */
const PHRASES = "phrases.js";

/** The compressed WebAssembly module. */
const MODULE = "pagekin.wasm.bin";

/**
 * @param {string | URL | (string | URL | import("./pagekin.js").IndexSource)[]} [base]
 * @param {import("./pagekin.js").OpenOptions} [options]
 * @returns {Promise<Kin>}
 */
export async function open(base = "./", options = {}) {
  const { worker = true, client, module, baseUrl, signal, ...unknown } = options;
  refuse("open", unknown, "worker, client, module, baseUrl and signal");
  const parts = client ? folderAt(client) : new URL(import.meta.url);
  if (Array.isArray(base)) return (await ownScript(SEVERAL, parts)).openSeveral(base, options, open, (/** @type {PhraseArgs} */ ...args) => phrasesFirst(parts, ...args));
  const started = performance.now();
  const folder = carried()?.folder ?? folderAt(base);
  if (folder.protocol === "file:") {
    throw new KinError("Unsupported", "browsers do not let a page opened from disk read its index; open it through a web server such as `pagekin serve`");
  }
  return cancellable([signal], async (inner) => {
    // Requested in parallel with the script that uses them.
    const early = Promise.all([fetchModule(module ? folderAt(module) : parts), read(new URL(MANIFEST, folder), { cache: "no-cache", signal: inner })]);
    early.catch(() => {}); // awaited below
    const thread = (worker && (await startWorker(parts))) || (await pageThread(parts));
    try {
      const [file, manifest] = await early;
      inner.throwIfAborted();
      const { info, opened, mirrored } = await thread.call("open", [folder.href, file, manifest], inner);
      inner.throwIfAborted();
      // Older engines do not report whether there are mirrors.
      const ownHost = folder.origin === location.origin && mirrored === false;
      return new OpenKin(thread, parts, folder, baseUrl, info, ownHost, { ...opened, milliseconds: performance.now() - started });
    } catch (error) {
      thread.close();
      throw error;
    }
  });
}

/** @implements {Kin} */
class OpenKin {
  #thread;
  #parts;
  #folder;
  /** The base URL for which the index was built. */
  #base = "";
  /** The base URL that the page gives. */
  #given;
  #closing = new AbortController();

  /**
   * @param {Thread} thread
   * @param {URL} parts
   * @param {URL} folder
   * @param {string | undefined} given
   * @param {IndexInfo} info
   * @param {boolean} ownHost
   * @param {Cost} opened
   */
  constructor(thread, parts, folder, given, info, ownHost, opened) {
    this.#thread = thread;
    this.#parts = parts;
    this.#folder = folder;
    this.#given = given;
    this.info = this.#move(info);
    this.ownHost = ownHost;
    this.opened = opened;
  }

  /**
   * Takes over the base URL and the place of an index, and returns its properties where it is now.
   *
   * @param {IndexInfo & {place?: string}} info
   * @returns {IndexInfo}
   */
  #move({ place = "", ...info }) {
    this.#base = withSlash(info.baseUrl);
    return { ...info, baseUrl: carried() ? info.baseUrl : (this.#base && this.#given) || movedBase(info.baseUrl, place, this.#folder) };
  }

  /**
   * Returns the URL of a page where the site is now.
   *
   * @param {string} url as in the index
   */
  #now(url) {
    const now = withSlash(this.info.baseUrl);
    return now !== this.#base && url.startsWith(this.#base) ? now + url.slice(this.#base.length) : url;
  }

  /**
   * Returns the URL of a page as in the index, if it is below where the site is now.
   *
   * @param {string} url
   */
  #before(url) {
    const now = withSlash(this.info.baseUrl);
    const path = url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url;
    return now !== this.#base && path.startsWith(now) ? this.#base + path.slice(now.length) : url;
  }

  /**
   * @template {{url: string, copies?: string[]}} T
   * @param {T[]} [pages]
   * @returns {T[]}
   */
  #moved(pages = []) {
    return pages.map((page) => ({ ...page, url: this.#now(page.url), ...(page.copies && { copies: page.copies.map((url) => this.#now(url)) }) }));
  }

  /** @type {Kin["similar"]} */
  async similar(query, { limit = 10, min = 0, copies = false, filters, sort, counts, signal, onPartial, ...unknown } = {}) {
    checkLimit(limit);
    refuse("similar", unknown, "limit, min, copies, filters, sort, counts, signal and onPartial");
    if (!(min >= 0 && min <= 1)) throw new RangeError(`min: expected a number from 0 to 1, found ${min}`);
    return this.#answer("similar", signal, async () => [await this.#read(query), { limit, min, copies, refinement: await this.#refinement(filters, sort, counts) }], onPartial);
  }

  /** @type {Kin["search"]} */
  async search(words, { limit = 10, lang = "", filters, sort, counts, phrases = true, signal, onPartial, ...unknown } = {}) {
    checkLimit(limit);
    refuse("search", unknown, "limit, lang, filters, sort, counts, phrases, signal and onPartial");
    const text = String(words ?? "");
    const answer = await this.#answer("search", signal, async () => [text, lang, limit, await this.#refinement(filters, sort, counts)], onPartial);
    // An order by a value stays.
    return phrases && !sort ? phrasesFirst(this.#parts, this, { text, lang }, answer, signal) : answer;
  }

  /**
   * @param {import("./pagekin.js").Filters} [filters]
   * @param {import("./pagekin.js").SortOrder} [sort]
   * @param {boolean} [counts]
   * @returns {Promise<import("./filters.js").Refinement | undefined>}
   */
  async #refinement(filters, sort, counts) {
    if (!filters && !sort) return undefined;
    return (await ownScript(FILTERS, this.#parts)).refinementOf(filters, sort, counts);
  }

  /** @type {Kin["around"]} */
  async around(query, { limit = 10, cluster = false, signal } = {}) {
    checkLimit(limit);
    return this.#answer("around", signal, async () => [await this.#read(query), { limit, cluster }]);
  }

  /** @param {KinQuery} query */
  async #read(query) {
    const page = await readQuery(query, this.#parts);
    return "url" in page ? { url: this.#before(page.url) } : page;
  }

  /**
   * Runs a query in the engine, and adds the elapsed time to the cost of the answer.
   *
   * @param {string} method
   * @param {AbortSignal | undefined} signal
   * @param {() => any[] | Promise<any[]>} args
   * @param {(partial: any) => void} [onPartial]
   */
  async #answer(method, signal, args, onPartial) {
    const started = performance.now();
    const read = (/** @type {any} */ { info, cost, ...answer }) => {
      this.info = this.#move(info);
      for (const list of LISTS) if (answer[list]) answer[list] = this.#moved(answer[list]);
      return { ...answer, cost: { ...cost, milliseconds: performance.now() - started } };
    };
    return read(await cancellable([signal, this.#closing.signal], async (inner) => {
      const given = await args();
      inner.throwIfAborted();
      return this.#thread.call(method, given, inner, onPartial && ((partial) => { if (!inner.aborted) onPartial(read(partial)); }));
    }));
  }

  /** @type {Kin["excerpt"]} */
  excerpt(query, page, { signal } = {}) {
    return cancellable([signal, this.#closing.signal], async (inner) => {
      const [{ text, lang }, ofPage] = [await readText(query, this.#parts, "excerpt"), await readText(page, this.#parts, "excerpt")];
      inner.throwIfAborted();
      return this.#thread.call("excerpt", [text, lang, ofPage], inner);
    });
  }

  /** @type {Kin["compare"]} */
  compare(text, page, { signal } = {}) {
    return cancellable([signal, this.#closing.signal], async (inner) => {
      const [one, other] = [await readText(text, this.#parts, "compare"), await readText(page, this.#parts, "compare")];
      inner.throwIfAborted();
      return this.#thread.call("compare", [one.text, other.text], inner);
    });
  }

  /** @type {Kin["commonWords"]} */
  commonWords(text, page, { signal } = {}) {
    return cancellable([signal, this.#closing.signal], async (inner) => {
      const [one, other] = [await readText(text, this.#parts, "commonWords"), await readText(page, this.#parts, "commonWords")];
      inner.throwIfAborted();
      return this.#thread.call("commonWords", [one.text, one.lang, other.text], inner);
    });
  }

  /** @type {Kin["pages"]} */
  pages() {
    return cancellable([this.#closing.signal], async (inner) => this.#moved(await this.#thread.call("pages", [], inner)));
  }

  /** @type {Kin["filters"]} */
  filters() {
    return cancellable([this.#closing.signal], (inner) => this.#thread.call("filters", [], inner));
  }

  /** @type {Kin["close"]} */
  close() {
    this.#closing.abort(new DOMException("the index was closed", "AbortError"));
    this.#thread.close();
  }
}

/** The parts of answers that are lists of pages. */
const LISTS = ["results", "otherResults", "pages", "clusters"];

/** Returns a base URL with one slash at its end; an empty one stays. @param {string} base */
const withSlash = (base) => base && base.replace(/\/*$/, "/");

/**
 * Returns the URL of a folder, with a trailing slash.
 *
 * @param {string | URL} base
 */
function folderAt(base) {
  const folder = new URL(base, document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

/**
 * @param {KinQuery} query
 * @param {URL} parts the folder of the engine, or a file in it
 * @returns {Promise<Page>}
 */
async function readQuery(query, parts) {
  if (typeof query === "string") return { title: "", lang: "", text: query.slice(0, MAX_TEXT) };
  if ("url" in query) return { url: String(query.url) };
  if ("html" in query) {
    const page = await readHtml(String(query.html).slice(0, MAX_HTML), parts);
    return { title: page.title, lang: query.lang || page.lang, text: page.text.slice(0, MAX_TEXT), sections: page.sections, other: page.other.slice(0, MAX_TEXT) };
  }
  if ("text" in query) return { title: query.title ?? "", lang: query.lang ?? "", text: String(query.text).slice(0, MAX_TEXT) };
  throw new TypeError("query: expected a text, {text}, {html} or {url}");
}

/**
 * @param {TextQuery} query
 * @param {URL} parts
 * @param {string} method that takes it
 */
async function readText(query, parts, method) {
  const page = await readQuery(query, parts);
  if ("url" in page) throw new TypeError(`${method}: expected texts, {text} or {html}, found {url}; fetch the page first`);
  return page;
}

/**
 * Puts the pages with the phrases of a search first, if it has some.
 *
 * @param {URL} parts
 * @param {PhraseArgs} args
 * @returns {Promise<import("./pagekin.js").SearchAnswer>}
 */
async function phrasesFirst(parts, ...args) {
  const [, { text }, answer] = args;
  return QUOTATION.test(text) ? (await ownScript(PHRASES, parts)).phrasesFirst(...args) : answer;
}

/**
 * Refuses options that a method does not know, rather than ignoring what was meant.
 *
 * @param {string} method
 * @param {Record<string, unknown>} unknown
 * @param {string} known
 */
function refuse(method, unknown, known) {
  for (const name of Object.keys(unknown)) throw new TypeError(`${method}: unknown option ${JSON.stringify(name)}; known are ${known}`);
}

/** @param {number} limit */
function checkLimit(limit) {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit: expected a positive integer, found ${limit}`);
}

/**
 * Runs `task` with a signal that aborts when one of `signals` does. Then it rejects immediately,
 * with the reason of that signal.
 *
 * @template T
 * @param {(AbortSignal | undefined)[]} signals
 * @param {(inner: AbortSignal) => Promise<T>} task
 * @returns {Promise<T>}
 */
function cancellable(signals, task) {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const done = new AbortController();
    for (const signal of signals) {
      const abort = () => {
        reject(signal?.reason);
        inner.abort(signal?.reason);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true, signal: done.signal });
    }
    task(inner.signal).then(resolve, reject).finally(() => done.abort());
  });
}

/**
 * By the URL of the engine's folder.
 *
 * @type {Map<string, Promise<[EngineScript, ModuleFile]>>}
 */
const htmlReaders = new Map();

/**
 * Reads HTML on this thread, because workers have no HTML parser.
 *
 * @param {string} html
 * @param {URL} parts
 */
async function readHtml(html, parts) {
  const reader = htmlReaders.get(parts.href) ?? Promise.all([importEngine(parts), fetchModule(parts)]);
  htmlReaders.set(parts.href, reader);
  try {
    const [engine, module] = await reader;
    return await engine.readHtml(html, module);
  } catch (error) {
    htmlReaders.delete(parts.href);
    throw toOwnError(error);
  }
}

/**
 * Fetches the WebAssembly module. Like the manifest, it is revalidated, without an extra round
 * trip: the languages that it supports depend on those of the site.
 *
 * @param {URL} parts
 * @returns {Promise<ModuleFile>}
 */
async function fetchModule(parts) {
  const url = new URL(MODULE, parts);
  return { url: url.href, bytes: await read(url, { cache: "no-cache" }) };
}

/**
 * @param {URL} parts
 * @returns {Promise<EngineScript>}
 */
async function importEngine(parts) {
  const page = carried();
  if (page) return page.engine();
  const url = new URL(ENGINE, parts);
  const engine = await importFrom(url).catch(async () => {
    // a failed import does not reveal whether the file is missing or unreachable
    await request(url, {});
    // It can be fetched now. But browsers cache failed imports by URL, so a fragment makes the URL
    // different.
    return importFrom(new URL(`#${performance.now()}`, url)).catch((error) => {
      throw new KinError("Damaged", `expected a script at ${url.href}, but it does not start (${error}); publish the folder again`);
    });
  });
  checkProtocol(engine.PROTOCOL, url);
  return engine;
}

/**
 * Imports a script that is published with the engine.
 *
 * @param {string} name
 * @param {URL} parts the folder of the engine, or a file in it
 */
function ownScript(name, parts) {
  const url = new URL(name, parts);
  return importFrom(url).catch((error) => {
    throw new KinError("Missing", `expected a script at ${url}, but it does not start (${error}); publish the folder again`);
  });
}

/**
 * Imports a script that bundlers must not resolve.
 *
 * @param {URL} url
 * @returns {Promise<any>}
 */
function importFrom({ href }) {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ href);
}

/**
 * Checks that the engine fits this script. They may differ in version: this script may be part of a
 * bundle that was built with another version than the index, or the page may have been opened
 * before the site was updated.
 *
 * @param {unknown} found
 * @param {URL} url of the script that reported it
 */
function checkProtocol(found, { href }) {
  if (found === PROTOCOL) return;
  const [code, other] = Number(found) > PROTOCOL ? [/** @type {const} */ ("VersionTooNew"), "a newer"] : [/** @type {const} */ ("VersionTooOld"), "an older"];
  throw new KinError(code, `expected ${href} of the same pagekin version as the page's script, found that of ${other} one; reload the page, and if that does not help, build the index and the page with one version of pagekin`);
}

/**
 * Converts an error of the engine to the `KinError` of this script.
 *
 * @param {any} error
 */
const toOwnError = (error) => (error?.name === "KinError" ? new KinError(error.code, error.message) : error);

/**
 * @param {URL} parts
 * @returns {Promise<Thread>}
 */
async function pageThread(parts) {
  const call = (await importEngine(parts)).newEngine();
  return {
    call: (method, args, signal, show) => call(method, args, signal, show).catch((error) => { throw toOwnError(error); }),
    close() {},
  };
}

/**
 * Starts a worker. Returns nothing if no worker can run: in old browsers, if the client is of
 * another origin, or if a policy forbids it.
 *
 * @param {URL} parts
 * @returns {Promise<Thread | undefined>}
 */
async function startWorker(parts) {
  const url = new URL(WORKER, parts);
  /** @type {Worker} */
  let worker;
  try {
    worker = carried()?.worker() ?? new Worker(/* webpackIgnore: true */ url, { type: "module", name: "pagekin" });
  } catch {
    return undefined;
  }
  const ready = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data.ready);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(undefined);
    };
  });
  if (ready === PROTOCOL) return workerThread(worker);
  worker.terminate();
  if (ready !== undefined) checkProtocol(ready, url);
  return undefined;
}

/**
 * @param {Worker} worker
 * @returns {Thread}
 */
function workerThread(worker) {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: any) => void, show?: (partial: any) => void}>} */
  const calls = new Map();
  let last = 0;
  worker.onmessage = ({ data: { id, value, error, partial } }) => {
    const call = calls.get(id);
    if (partial) return call?.show?.(partial);
    calls.delete(id);
    if (error) call?.reject(new KinError(error.code, error.message));
    else call?.resolve(value);
  };
  worker.onerror = ({ message }) => {
    const error = new KinError("Crashed", `pagekin's worker stopped unexpectedly (${message}); reload the page`);
    for (const call of calls.values()) call.reject(error);
    calls.clear();
  };
  return {
    call: (method, args, signal, show) => new Promise((resolve, reject) => {
      const id = (last += 1);
      calls.set(id, { resolve, reject, show });
      signal.addEventListener("abort", () => {
        calls.delete(id);
        worker.postMessage({ id, method: "cancel" });
        reject(signal.reason);
      });
      worker.postMessage({ id, method, args, shows: Boolean(show) });
    }),
    close: () => worker.terminate(),
  };
}
