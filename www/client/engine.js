// @ts-check
/**
 * The engine: an open index. The WebAssembly module names the files that it needs, and the engine
 * fetches them and passes it the bytes, until the answer is complete. The engine runs in the worker
 * or on the page's own thread. Only the module interprets queries.
 *
 * The module and the first manifest come from pagekin.js, which requests them before the engine is
 * loaded.
 *
 * @import {Answer, CommonWords, Comparison, Cost, Excerpt, FilterCounts, Found, IndexInfo, Near, Neighborhood, SearchAnswer, SimilarResult, SitePage} from "./pagekin.js"
 * @typedef {import("../pkg/pagekin_wasm.js").Index} Index
 * @typedef {import("../pkg/pagekin_wasm.js").Query} Query
 * @typedef {import("./module.js").ModuleFile} ModuleFile
 * @typedef {import("./filters.js").Refinement} Refinement
 * @typedef {import("../pkg/pagekin_wasm.js").InitOutput} Exports
 * @typedef {{url: string} | {title: string, lang: string, text: string, sections?: Section[], other?: string}} Page `other`: text that is not its main text
 * @typedef {[kind: Near["kind"], resemblance: number | undefined, textInPage: number | undefined, pageInText: number | undefined, whole: boolean]} RawNear
 * @typedef {[url: string, title: string, numbers: [score: number, similarity: number, coverage: number], confidence: SimilarResult["confidence"], terms: [shared: string[], missing: string[]], copies: string[], near: RawNear | undefined, meta: string]} RawResult
 * @typedef {[results: RawResult[], rankedBy: Answer["rankedBy"], cost: [bytes: number, requests: number, rounds: number], language: [code: string, by: "given" | "guessed" | "assumed"] | undefined, otherResults: RawResult[], unmatched: string[], corrections: [from: string, to: string[]][]]} RawAnswer
 * @typedef {[total: number, exact: boolean, filters: RawFilters | undefined]} RawFound
 * @typedef {[name: string, values: [value: string, pages: number][]][]} RawFilters
 * @typedef {[pieces: string[], start: string, end: string, at: number | undefined, verbatim: boolean, terms: number, inSentence: boolean]} RawExcerpt `at`: in the main text
 * @typedef {[at: number, id: string, heading: string]} Section `at`: in the text's UTF-8
 * @typedef {[pages: [url: string, title: string, cluster: number | undefined][], links: [number, number, number][], clusters: [url: string, title: string, pages: number][]]} RawNeighborhood
 */
import startGlue, * as glue from "../pkg/pagekin_wasm.js";
import { Fetches, mirrored } from "./fetches.js";
import { compile } from "./module.js";
import { quiet } from "./quiet.js";
import { KinError, read } from "./request.js";

/**
 * An answer, with the index that it comes from.
 *
 * @template T
 * @typedef {Omit<T, "cost"> & {cost: Omit<Cost, "milliseconds">, info: IndexInfo}} FromEngine
 */

export { PROTOCOL } from "./protocol.js";

/** Names of the module's errors. */
const MODULE_CODES = new Set([
  "NotPagekin", "Truncated", "Checksum", "Damaged", "VersionTooNew", "VersionTooOld", "WrongGeneration",
  "NoStemmer", "UnknownUrl", "EmptyQuery",
]);

/**
 * Errors that may only mean that the site was updated in the meantime (some hosts answer with a web
 * page if a file is missing), or that the browser's cache contains a damaged file. They are worth
 * one fresh start.
 */
const STALE_CODES = new Set(["Missing", "NotPagekin", "WrongGeneration", "Truncated", "Checksum", "Damaged"]);

/**
 * @param {any} error
 * @returns {boolean}
 */
const isStale = (error) => error instanceof KinError && STALE_CODES.has(error.code);

/**
 * Converts what the module throws to a `KinError`. Other errors (`KinError`, `AbortError`) stay as
 * they are.
 *
 * @param {any} error
 * @returns {any}
 */
function typed(error) {
  if (error instanceof KinError || error instanceof DOMException) return error;
  if (MODULE_CODES.has(error?.name)) return new KinError(error.name, error.message);
  return new KinError("Crashed", `pagekin stopped unexpectedly (${error}); reload the page, and report a bug if it happens again`);
}

/** Maximum number of sections of a page whose headings are searched, and to return. */
const MAX_SECTIONS = 200;
const MAX_OTHERS = 2;

/** @type {Promise<Exports> | undefined} */
let starting;

/** @type {Promise<unknown> | undefined} */
let completing;

/**
 * Starts the WebAssembly module, once per thread.
 *
 * @param {ModuleFile} file
 * @returns {Promise<Exports>}
 */
function startWasm(file) {
  starting ??= compile(file)
    .then((module) => startGlue({ module_or_path: module }))
    .catch((error) => {
      starting = undefined;
      throw ofOneVersion(error, file.url);
    });
  return starting;
}

/**
 * Adds the second part of the WebAssembly module, once per thread. A lookup of a text does not need
 * it. Calls to it trap before it is loaded.
 *
 * @param {ModuleFile} file
 * @returns {Promise<unknown>}
 */
function completeWasm(file) {
  const url = new URL("pagekin-rest.wasm.bin", file.url);
  completing ??= Promise.all([startWasm(file), read(url, { cache: "no-cache" }).then((bytes) => compile({ url: url.href, bytes }))])
    .then(([primary, module]) => WebAssembly.instantiate(module, { primary: { ...primary } }))
    .catch((error) => {
      completing = undefined;
      throw ofOneVersion(error, url.href);
    });
  return completing;
}

/**
 * @param {any} error
 * @param {string} url of a module
 */
function ofOneVersion(error, url) {
  if (error instanceof KinError || !(error instanceof WebAssembly.LinkError)) return error;
  return new KinError("VersionTooNew", `expected the module at ${url} of the same pagekin version as the script, found another (${error.message}); reload the page`);
}

/**
 * Reads HTML as the build reads a page. Works only on a page's thread, because workers have no HTML
 * parser.
 *
 * @param {string} html
 * @param {ModuleFile} file
 * @returns {Promise<{title: string, lang: string, text: string, sections: Section[], other: string}>}
 */
export async function readHtml(html, file) {
  await completeWasm(file);
  const [title, lang, text, sections, other] = glue.readHtml(quiet(html));
  return { title, lang, text, sections, other };
}

/**
 * Returns the engine as a function of messages, for the worker or for a page's thread without one.
 * The first message is `open`, followed by `similar`, `search`, `around`, `pages`, `filters`,
 * `excerpt`, `compare` and `commonWords`. `similar` and `search` pass partial answers to `show`.
 *
 * @returns {(method: string, args: any[], signal: AbortSignal, show?: (partial: any) => void) => Promise<any>}
 */
export function newEngine() {
  /** @type {Engine} */
  let engine;
  /** @type {ModuleFile} */
  let file;
  return async (method, args, signal, show) => {
    try {
      const isPlain = method === "open" || (method === "search" && !args[3]) || (method === "similar" && "text" in args[0] && !args[1].refinement);
      if (!isPlain) await completeWasm(file);
      signal.throwIfAborted();
      if (method === "similar") return await engine.similar(args[0], args[1], signal, show);
      if (method === "search") return await engine.search(args[0], args[1], args[2], args[3], signal, show);
      if (method === "around") return await engine.around(args[0], args[1], signal);
      if (method === "commonWords") return engine.commonWords(args[0], args[1], args[2]);
      if (method === "filters") return await engine.filters(signal);
      if (method === "pages") return await engine.pages(signal);
      if (method === "excerpt") return engine.excerpt(args[0], args[1], args[2]);
      if (method === "compare") return compare(args[0], args[1]);
      const [base, module, manifest] = args;
      file = module;
      await startWasm(file);
      engine = await Engine.open(base, manifest, () => completeWasm(module), signal);
      return { info: engine.info, opened: engine.opened, mirrored };
    } catch (error) {
      throw typed(error);
    }
  };
}

class Engine {
  #base;
  #fetches;
  #complete;
  /** @type {Index} */
  #index;
  /** @type {Promise<Index> | undefined} */
  #reopening;
  /** @type {{index: Index, pages: SitePage[]} | undefined} */
  #sample;

  /**
   * @param {string} base absolute URL of the folder, with a trailing slash
   * @param {Uint8Array} manifest as currently published
   * @param {() => Promise<unknown>} complete loads the rest of the module
   * @param {AbortSignal} signal
   * @returns {Promise<Engine>}
   */
  static async open(base, manifest, complete, signal) {
    const fetches = new Fetches(new URL(base));
    const opened = { bytes: 0, requests: 0, rounds: 0 };
    let index;
    try {
      index = openIndex(manifest, opened);
    } catch (error) {
      if (!isStale(error)) throw error;
      index = await openAgain(fetches, opened, signal);
    }
    return new Engine(base, fetches, index, complete, opened);
  }

  /**
   * @param {string} base
   * @param {Fetches} fetches
   * @param {Index} index
   * @param {() => Promise<unknown>} complete
   * @param {Omit<Cost, "milliseconds">} opened
   * @private
   */
  constructor(base, fetches, index, complete, opened) {
    this.#complete = complete;
    this.#base = base;
    this.#fetches = fetches;
    this.#index = index;
    this.opened = opened;
  }

  get info() {
    return infoOf(this.#index);
  }

  /**
   * @param {Page} page
   * @param {{limit: number, min: number, copies: boolean, refinement?: Refinement}} options
   * @param {AbortSignal} signal
   * @param {(partial: FromEngine<Answer>) => void} [show]
   * @returns {Promise<FromEngine<Answer>>}
   */
  similar(page, { limit, min, copies, refinement }, signal, show) {
    return this.#run(signal, answerOf, (index) => refined("url" in page ? index.similarToUrl(page.url, limit, min, copies) : index.similarToText(page.text, page.lang, limit, min, copies), refinement), refinement, show);
  }

  /**
   * @param {string} words
   * @param {string} lang
   * @param {number} limit
   * @param {Refinement | undefined} refinement
   * @param {AbortSignal} signal
   * @param {(partial: FromEngine<SearchAnswer>) => void} [show]
   * @returns {Promise<FromEngine<SearchAnswer>>}
   */
  search(words, lang, limit, refinement, signal, show) {
    const isList = refinement && !words.trim() && (refinement.steps.length > 0 || refinement.sort);
    return this.#run(signal, searchAnswerOf, (index) => (isList ? index.listed(refinement.steps, refinement.sort, refinement.descending, refinement.counts, limit) : refined(index.search(words, lang, limit), refinement)), refinement, show);
  }

  /**
   * @param {Page} page
   * @param {{limit: number, cluster: boolean}} options
   * @param {AbortSignal} signal
   * @returns {Promise<FromEngine<Neighborhood>>}
   */
  around(page, { limit, cluster }, signal) {
    return this.#run(signal, neighborhoodOf, (index) => ("url" in page ? index.aroundUrl(page.url, limit, cluster) : index.aroundText(page.text, page.lang, limit)));
  }

  /**
   * @template T
   * @param {AbortSignal} signal
   * @param {(answer: RawAnswer, query: Query) => T} read converts the answer of a finished query
   * @param {(index: Index) => Query} begin
   * @param {Refinement} [refinement]
   * @param {(partial: any) => void} [show]
   * @returns {Promise<T & {found?: Found, cost: Omit<Cost, "milliseconds">, info: IndexInfo}>}
   */
  #run(signal, read, begin, refinement, show) {
    return this.#withFreshStart(signal, async (index, cache) => {
      if (index.hasTables()) await this.#complete();
      const query = begin(index);
      const typed = (/** @type {RawAnswer} */ answer) => {
        const [bytes, requests, rounds] = answer[2];
        return { ...read(answer, query), ...(refinement && { found: foundOf(query.found()) }), cost: { bytes, requests, rounds }, info: infoOf(index) };
      };
      try {
        await feed(query, this.#fetches, cache, signal, () => {
          const partial = show && query.answer();
          if (partial) show(typed(partial));
        });
        return typed(query.answer());
      } finally {
        query.free();
      }
    });
  }

  /**
   * @param {string} text
   * @param {string} lang
   * @param {{text: string, sections?: Section[], other?: string}} page
   * @returns {Excerpt | undefined}
   */
  excerpt(text, lang, { text: main, sections = [], other = "" }) {
    /** @type {RawExcerpt | undefined} */
    const found = this.#index.excerpt(text, lang, main, other);
    if (!found) return undefined;
    const [pieces, start, end, at, verbatim, terms, inSentence] = found;
    const sectionOf = (/** @type {Section | undefined} */ [, id, heading] = [0, "", ""]) => (id && heading ? { heading, fragment: `#${encodeURIComponent(id)}` } : undefined);
    const section = sectionOf((at === undefined ? [] : sections.filter((section) => section[0] <= at)).at(-1));
    const others = sections.slice(0, MAX_SECTIONS).flatMap((of) => {
      const other = sectionOf(of);
      /** @type {RawExcerpt | undefined} */
      const within = other && other.fragment !== section?.fragment ? this.#index.excerpt(text, lang, of[2], "") : undefined;
      return other && within ? [{ ...other, terms: within[5] }] : [];
    });
    return {
      pieces,
      verbatim,
      terms,
      inSentence: inSentence && at !== undefined,
      sections: others.sort((a, b) => b.terms - a.terms).slice(0, MAX_OTHERS).map(({ heading, fragment }) => ({ heading, fragment })),
      fragment: `${section?.fragment ?? "#"}:~:text=${[start, end].filter(Boolean).map(directive).join(",")}`,
      ...(section && { section }),
    };
  }

  /**
   * @param {string} text
   * @param {string} lang
   * @param {string} page its text
   * @returns {CommonWords}
   */
  commonWords(text, lang, page) {
    const [ofText, ofPage, textTwins, pageTwins] = this.#index.commonWords(text, lang, page);
    return { text: ofText, page: ofPage, textTwins, pageTwins };
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<SitePage[]>}
   */
  pages(signal) {
    return this.#withFreshStart(signal, async (index, cache) => {
      if (this.#sample?.index === index) return this.#sample.pages;
      /** @type {[url: string, title: string][]} */
      const sample = await this.#fetches.read(index.sampleName(), cache, signal, (bytes) => index.sample(bytes));
      const pages = sample.map(([url, title]) => ({ url, title }));
      this.#sample = { index, pages };
      return pages;
    });
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<FilterCounts>}
   */
  filters(signal) {
    return this.#withFreshStart(signal, async (index, cache) => {
      const name = index.filtersName();
      return name ? this.#fetches.read(name, cache, signal, (bytes) => filtersOf(index.filters(bytes))) : {};
    });
  }

  /**
   * Runs `attempt`. If the index files seem to have changed, runs it again with the manifest as
   * currently published.
   *
   * @template T
   * @param {AbortSignal} signal
   * @param {(index: Index, cache: RequestCache) => Promise<T>} attempt
   * @returns {Promise<T>}
   */
  async #withFreshStart(signal, attempt) {
    const index = this.#index;
    const first = await attempt(index, "default").catch(typed);
    if (!(first instanceof Error)) return first;
    if (!isStale(first)) throw first;
    const fresh = await this.#reopen(index);
    signal.throwIfAborted();
    return attempt(fresh, fresh === index ? "reload" : "default").catch((error) => {
      const again = typed(error);
      if (!isStale(again)) throw again;
      throw new KinError(again.code, `${again.message} (reloading the manifest did not help: ${this.#base} is at generation ${infoOf(fresh).generation})`);
    });
  }

  /**
   * Returns the index as currently published, or `stale` itself, with its cached contents, if
   * nothing was published since.
   *
   * @param {Index} stale
   * @returns {Promise<Index>}
   */
  #reopen(stale) {
    if (this.#index !== stale) return Promise.resolve(this.#index);
    this.#reopening ??= openAgain(this.#fetches, { bytes: 0, requests: 0, rounds: 0 })
      .then((fresh) => {
        if (infoOf(fresh).generation !== infoOf(stale).generation) this.#index = fresh;
        return this.#index;
      })
      .finally(() => {
        this.#reopening = undefined;
      });
    return this.#reopening;
  }
}

/**
 * Filters and sorts a query, if that was requested.
 *
 * @param {Query} query
 * @param {Refinement | undefined} refinement
 */
function refined(query, refinement) {
  if (refinement) query.refine(refinement.steps, refinement.sort, refinement.descending, refinement.counts);
  return query;
}

/** @param {RawFilters} raw @returns {FilterCounts} */
const filtersOf = (raw) => Object.fromEntries(raw.map(([name, values]) => [name, Object.fromEntries(values)]));

/** @param {RawFound} raw @returns {Found} */
const foundOf = ([total, exact, filters]) => ({ total, exact, ...(filters && { filters: filtersOf(filters) }) });

/** @param {RawAnswer} raw */
function answerOf([results, rankedBy, , language, otherResults, unmatched]) {
  return {
    results: results.map(resultOf),
    rankedBy,
    otherResults: otherResults.map(resultOf),
    unmatched,
    language: language && { code: language[0], by: language[1] },
  };
}

/** @param {RawAnswer} raw */
function searchAnswerOf([results, , , , , unmatched, corrections]) {
  return {
    results: results.map(([url, title, [score], , [sharedTerms, missingTerms], copies, , meta]) => ({ url, title, meta: metaOf(meta), score, sharedTerms, missingTerms, copies })),
    corrections: corrections.map(([from, to]) => ({ from, to })),
    unmatched,
  };
}

/** @param {string} lines keys, each followed by its value @returns {Record<string, string>} */
const metaOf = (lines) => Object.fromEntries((lines ? lines.split("\n") : []).flatMap((key, at, all) => (at % 2 ? [] : [[key, all[at + 1]]])));

/**
 * @param {RawResult} raw
 * @returns {SimilarResult}
 */
const resultOf = ([url, title, [score, similarity, coverage], confidence, [sharedTerms, missingTerms], copies, near, meta]) =>
  ({ url, title, meta: metaOf(meta), score, similarity, coverage, confidence, sharedTerms, missingTerms, copies, near: near && nearOf(near) });

/**
 * @param {RawAnswer} _
 * @param {Query} query that is finished
 */
function neighborhoodOf(_, query) {
  /** @type {RawNeighborhood} */
  const [pages, links, clusters] = query.neighborhood();
  return {
    pages: pages.map(([url, title, cluster]) => ({ url, title, cluster })),
    links: links.map(([a, b, similarity]) => ({ a, b, similarity })),
    clusters: clusters.map(([url, title, pages]) => ({ url, title, pages })),
  };
}

/**
 * @param {RawNear} raw
 * @returns {Near}
 */
function nearOf([kind, resemblance, textInPage, pageInText, whole]) {
  return { kind, resemblance, textInPage, pageInText, whole };
}

/**
 * Encodes words for a text directive, where `-`, `,` and `&` have special meanings.
 *
 * @param {string} words
 */
const directive = (words) => encodeURIComponent(words).replaceAll("-", "%2D");

/**
 * @param {string} ofText
 * @param {string} ofPage
 * @returns {Comparison}
 */
function compare(ofText, ofPage) {
  const [resemblance, textInPage, pageInText, text, page, textTwins, pageTwins] = glue.compare(ofText, ofPage);
  return { resemblance, textInPage, pageInText, text, page, textTwins, pageTwins };
}

/**
 * @param {Index} index
 * @returns {IndexInfo & {place: string}} `place`: path of the index below the site
 */
function infoOf(index) {
  const [pages, terms, generation, format, preset, languages, baseUrl, place, hasFilters] = index.info();
  return { pages, terms, generation, format, preset, languages, baseUrl, place, hasFilters };
}

/**
 * @param {Uint8Array} manifest
 * @param {Omit<Cost, "milliseconds">} cost is increased
 * @returns {Index}
 */
function openIndex(manifest, cost) {
  cost.bytes += manifest.length;
  cost.requests += 1;
  cost.rounds += 1;
  try {
    return glue.Index.open(manifest);
  } catch (error) {
    throw typed(error);
  }
}

/**
 * Opens the index as currently published, without using the browser's cache.
 *
 * @param {Fetches} fetches
 * @param {Omit<Cost, "milliseconds">} cost is increased
 * @param {AbortSignal} [signal]
 * @returns {Promise<Index>}
 */
async function openAgain(fetches, cost, signal) {
  return openIndex(await fetches.get(glue.manifestName(), "reload", signal), cost);
}

/**
 * Feeds `query` until it needs no more files. The files of a round are fetched in parallel, and
 * passed on as they arrive.
 *
 * @param {Query} query
 * @param {Fetches} fetches
 * @param {RequestCache} cache
 * @param {AbortSignal} signal
 * @param {() => void} eachRound is called before the files of a round are fetched
 */
async function feed(query, fetches, cache, signal, eachRound) {
  let failed = false;
  /** @param {string} name */
  const fetchOne = async (name) => {
    await fetches.read(name, cache, signal, (bytes) => {
      if (!failed) query.supply(name, bytes); // otherwise it has been freed
    });
  };
  try {
    for (let wanted = query.wanted(); wanted.length > 0; wanted = query.wanted()) {
      eachRound();
      await Promise.all(wanted.map(fetchOne));
    }
  } catch (error) {
    failed = true;
    throw error;
  }
}
