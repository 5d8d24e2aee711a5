// @ts-check
/**
 * The engine: an open index. The wasm module says which files it wants, the engine fetches them and
 * hands it the bytes, until the answer is there. It runs in the worker, or on the page's own thread;
 * what a query means is known to the module alone.
 *
 * @import {Cost, IndexInfo, SitePage} from "./pagekin.js"
 * @typedef {typeof import("./pagekin_wasm.js")} Wasm
 * @typedef {import("./pagekin_wasm.js").Index} Index
 * @typedef {import("./pagekin_wasm.js").Query} Query
 * @typedef {{url: string} | {title: string, lang: string, text: string}} Page
 * @typedef {{url: string, title: string, similarity: number, shared_terms: string[]}} Found
 * @typedef {{results: Found[], cost: Omit<Cost, "milliseconds">}} RawAnswer
 * @typedef {RawAnswer & {info: IndexInfo}} EngineAnswer `info`: of the index that answered
 */
import { Fetches, KinError, request, unanswered } from "./fetches.js";

export { KinError };

/** The entry file. The module knows its name too, but fetching should not wait for the module. */
const MANIFEST = "pagekin.manifest";

/** Errors of the module, by `name`. */
const MODULE_CODES = new Set([
  "NotPagekin", "Truncated", "Checksum", "Damaged", "VersionTooNew", "VersionTooOld", "WrongGeneration",
  "UnknownAddress", "EmptyQuery",
]);

/**
 * Failures that may only mean that the site was published anew meanwhile (some hosts answer with a web
 * page where a file is gone), or that a broken file sits in the browser's cache: worth one fresh start.
 */
const STALE_CODES = new Set(["Missing", "NotPagekin", "WrongGeneration", "Truncated", "Checksum", "Damaged"]);

/**
 * @param {any} error
 * @returns {boolean}
 */
const isStale = (error) => error instanceof KinError && STALE_CODES.has(error.code);

/**
 * What the module throws, as a `KinError`; everything else (`KinError`, `AbortError`) as it is.
 *
 * @param {any} error
 * @returns {any}
 */
function typed(error) {
  if (error instanceof KinError || error instanceof DOMException) return error;
  if (MODULE_CODES.has(error?.name)) return new KinError(error.name, error.message);
  return new KinError("Crashed", `pagekin stopped unexpectedly (${error}); reload the page, and report it if it comes again`);
}

/** @type {Promise<Wasm> | undefined} */
let loading;

/**
 * The wasm module, started; loaded once a thread.
 *
 * @returns {Promise<Wasm>}
 */
export function loadWasm() {
  loading ??= startWasm().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function startWasm() {
  if (typeof WebAssembly !== "object") {
    throw new KinError("Unsupported", "expected a browser with WebAssembly, found one without; use a current browser, or switch WebAssembly on");
  }
  const url = new URL("./pagekin_wasm_bg.wasm", import.meta.url);
  const [glue, module] = await Promise.all([importGlue(), request(url, {}).then((response) => compile(response, url))]);
  await glue.default({ module_or_path: module });
  if (glue.manifestName() !== MANIFEST) {
    throw new KinError("VersionTooNew", `expected a module that opens ${MANIFEST}, found one that opens ${glue.manifestName()}; reload the page`);
  }
  return glue;
}

/** @returns {Promise<Wasm>} */
async function importGlue() {
  try {
    return await import("./pagekin_wasm.js");
  } catch {
    const url = new URL("./pagekin_wasm.js", import.meta.url);
    await request(url, {}); // says whether it is missing or out of reach, which the failed import does not
    // It is there now. But failed imports stay failed, by address: another fragment makes it another address.
    url.hash = String(performance.now());
    return import(url.href).catch((error) => {
      throw new KinError("Damaged", `expected a script at ${url.href}, but it does not start (${error}); publish the folder again`);
    });
  }
}

/**
 * @param {Response} response
 * @param {URL} url
 */
async function compile(response, url) {
  // Only this exact type may be compiled while it arrives. Any other is fine too, once it is all there.
  const streams = response.headers.get("content-type") === "application/wasm";
  try {
    return await (streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw unanswered(url, {}, error);
    try {
      new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])); // the smallest there is
    } catch {
      throw new KinError("Unsupported", "expected to be allowed to run WebAssembly, but the content security policy forbids it; add 'wasm-unsafe-eval' to its script-src");
    }
    throw new KinError("Damaged", `expected a WebAssembly module at ${url.href}, found something else (${error.message}); publish the folder again`);
  }
}

/**
 * The engine as a function of messages, for the worker and for a page's thread that does without one:
 * first `open`, then `similar` and `pages`.
 *
 * @returns {(method: string, args: any[], signal: AbortSignal) => Promise<any>}
 */
export function newEngine() {
  /** @type {Engine} */
  let engine;
  return async (method, args, signal) => {
    try {
      if (method === "similar") return await engine.similar(args[0], args[1], signal);
      if (method === "pages") return await engine.pages(signal);
      engine = await Engine.open(args[0], signal);
      return { info: engine.info, opened: engine.opened };
    } catch (error) {
      throw typed(error);
    }
  };
}

class Engine {
  #base;
  #fetches;
  /** @type {Index} */
  #index;
  /** @type {Promise<Index> | undefined} */
  #reopening;
  /** @type {{index: Index, pages: SitePage[]} | undefined} */
  #sample;

  /**
   * @param {string} base address of the folder, absolute, ending in a slash
   * @param {AbortSignal} signal
   * @returns {Promise<Engine>}
   */
  static async open(base, signal) {
    const fetches = new Fetches(new URL(base));
    const opened = { bytes: 0, requests: 0, rounds: 0 };
    const index = await openIndex(fetches, "no-cache", opened, signal).catch((error) => {
      if (!isStale(error)) throw error;
      return openIndex(fetches, "reload", opened, signal);
    });
    return new Engine(base, fetches, index, opened);
  }

  /**
   * @param {string} base
   * @param {Fetches} fetches
   * @param {Index} index
   * @param {Omit<Cost, "milliseconds">} opened
   * @private
   */
  constructor(base, fetches, index, opened) {
    this.#base = base;
    this.#fetches = fetches;
    this.#index = index;
    this.opened = opened;
  }

  /** @returns {IndexInfo} */
  get info() {
    return this.#index.info();
  }

  /**
   * @param {Page} page
   * @param {{limit: number, min: number}} options
   * @param {AbortSignal} signal
   * @returns {Promise<EngineAnswer>}
   */
  similar(page, options, signal) {
    return this.#withFreshStart(signal, async (index, cache) => {
      const query = "url" in page ? index.similarToUrl(page.url, options) : index.similarToPage(page, options);
      try {
        await feed(query, this.#fetches, cache, signal);
        return { .../** @type {RawAnswer} */ (query.answer()), info: index.info() };
      } finally {
        query.free();
      }
    });
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<SitePage[]>}
   */
  pages(signal) {
    return this.#withFreshStart(signal, async (index, cache) => {
      if (this.#sample?.index === index) return this.#sample.pages;
      const pages = index.sample(await this.#fetches.get(index.sampleName(), cache, signal));
      this.#sample = { index, pages };
      return pages;
    });
  }

  /**
   * Runs `ask`, and once more on the manifest as the host has it now if it looks as if the files had changed.
   *
   * @template T
   * @param {AbortSignal} signal
   * @param {(index: Index, cache: RequestCache) => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async #withFreshStart(signal, ask) {
    const index = this.#index;
    const first = await ask(index, "default").catch(typed);
    if (!(first instanceof Error)) return first;
    if (!isStale(first)) throw first;
    const fresh = await this.#reopen(index);
    signal.throwIfAborted();
    return ask(fresh, fresh === index ? "reload" : "default").catch((error) => {
      const again = typed(error);
      if (!isStale(again)) throw again;
      throw new KinError(again.code, `${again.message} (the manifest was read again and did not help: ${this.#base} is at generation ${fresh.info().generation})`);
    });
  }

  /**
   * The index as published now; `stale` itself, with what it holds, when nothing was published since.
   *
   * @param {Index} stale
   * @returns {Promise<Index>}
   */
  #reopen(stale) {
    if (this.#index !== stale) return Promise.resolve(this.#index);
    this.#reopening ??= openIndex(this.#fetches, "reload", { bytes: 0, requests: 0, rounds: 0 })
      .then((fresh) => {
        if (fresh.info().generation !== stale.info().generation) this.#index = fresh;
        return this.#index;
      })
      .finally(() => {
        this.#reopening = undefined;
      });
    return this.#reopening;
  }
}

/**
 * @param {Fetches} fetches
 * @param {RequestCache} cache for the manifest
 * @param {Omit<Cost, "milliseconds">} cost counted up
 * @param {AbortSignal} [signal]
 * @returns {Promise<Index>}
 */
async function openIndex(fetches, cache, cost, signal) {
  const [wasm, manifest] = await Promise.all([loadWasm(), fetches.get(MANIFEST, cache, signal)]);
  cost.bytes += manifest.length;
  cost.requests += 1;
  cost.rounds += 1;
  try {
    return wasm.Index.open(manifest);
  } catch (error) {
    throw typed(error);
  }
}

/**
 * Feeds `query` until it wants nothing more. The files of a round are fetched side by side, and handed over as they come.
 *
 * @param {Query} query
 * @param {Fetches} fetches
 * @param {RequestCache} cache
 * @param {AbortSignal} [signal]
 */
async function feed(query, fetches, cache, signal) {
  let failed = false;
  /** @param {string} name */
  const fetchOne = async (name) => {
    const bytes = await fetches.get(name, cache, signal);
    if (!failed) query.supply(name, bytes); // otherwise it is gone already
  };
  try {
    for (let wanted = query.wanted(); wanted.length > 0; wanted = query.wanted()) await Promise.all(wanted.map(fetchOne));
  } catch (error) {
    failed = true;
    throw error;
  }
}
