// @ts-check
/**
 * Reads the passages of results as they come into view, in their order, and more of a page if the
 * visitor turns to its result. The box and the demo share it, so that both show and rank the same.
 *
 * @import {Excerpt, Kin, KinQuery, SimilarResult, SearchResult} from "./pagekin.js"
 * @import {Pages} from "./site-pages.js"
 */
import { MAX_READ } from "./site-pages.js";

/** Number of pages to read at a time: browsers open six connections to a host without HTTP/2. */
const PARALLEL = 6;
/**
 * The maximum to read of a page to which the visitor turns, or which has so much of a text that it
 * may contain it word for word, and that share of the text.
 */
const MAX_FURTHER = 8 * MAX_READ;
const LIKELY = 0.6;
/**
 * Number of first results of a text whose pages are read before they are shown, and the maximum
 * time for that, in milliseconds.
 */
const CHECKED = 5;
const MAX_WAIT = 1_500;
/** The same for words with a phrase, and for those that may be a line of a message. */
const CHECKED_FOR_WORDS = 10;
const MAX_WAIT_FOR_MESSAGE = 600;
/** Words of this number may be a line that a page contains word for word. */
const MIN_MESSAGE_WORDS = 5;
/** Two or more words in quotation marks. */
const PHRASE = /["“„«»「『]\s*[^\s"”“»«」』]+\s+[^"”“»«」』]+["”“»«」』]/u;
/**
 * Maximum number of characters up to the last marked word of a passage, which a phone shows, and
 * otherwise of a stretch without one.
 */
const MAX_SHOWN = 120;
const MAX_UNMARKED = 60;
/** A passage of a text with this many of its words is enough. */
const ENOUGH = 8;

/** @typedef {SearchResult & Partial<SimilarResult>} Result */

/** Whether the visitor wants to save data. Not every browser reports it. */
export const savesData = () => /** @type {{connection?: {saveData?: boolean}}} */ (navigator).connection?.saveData === true;

/**
 * Fetches early what passages need: the rest of the module, here and in the worker.
 *
 * @param {Kin} kin
 */
export function prepare(kin) {
  for (const page of ["", { html: "" }]) kin.excerpt("a", page).catch(() => {});
}

/** Whether words contain a phrase in quotation marks. @param {string} words */
export const hasPhrase = (words) => PHRASE.test(words);

/** Whether words may be a line of a message. @param {string} words */
export const isMessage = (words) => words.trim().split(/\s+/).length >= MIN_MESSAGE_WORDS;

/**
 * Returns words without those that are parts of others: without `github` if there is `github.com`.
 *
 * @param {string[]} words
 */
export const wholeWords = (words) => words.filter((word) => !words.some((other) => other.length > word.length && other.toLowerCase().split(/[^\p{L}\p{N}]+/u).includes(word.toLowerCase())));

/** The passages of an answer. */
export class Passages {
  #kin;
  #pages;
  #query;
  #signal;
  #show;
  /** By URL. @type {Map<string, {max: number, reading: Promise<Excerpt | undefined>}>} */
  #passages = new Map();
  /** The results on the page, in their order. @type {Map<Element, Result>} */
  #items = new Map();
  /** @type {Set<Element>} */
  #visible = new Set();
  #running = 0;
  #observer = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) this.#visible[isIntersecting ? "add" : "delete"](target);
    this.#next();
  });

  /**
   * @param {{kin: Kin, pages: Pages, query: KinQuery, signal: AbortSignal}} search
   * @param {(result: Result, excerpt: Excerpt | undefined) => void} show is called when the passage of a result is known
   */
  constructor({ kin, pages, query, signal }, show) {
    this.#kin = kin;
    this.#pages = pages;
    this.#query = query;
    this.#signal = signal;
    this.#show = show;
    signal.addEventListener("abort", () => this.#observer.disconnect());
  }

  /**
   * Replaces the results on the page.
   *
   * @param {Map<Element, Result>} items
   */
  watch(items) {
    this.#observer.disconnect();
    this.#visible.clear();
    this.#items = items;
    for (const result of items.values()) this.#passages.get(result.url)?.reading.then((excerpt) => this.#show(result, excerpt));
    if (savesData() || this.#signal.aborted) return;
    for (const item of items.keys()) this.#observer.observe(item);
  }

  #next() {
    while (this.#running < PARALLEL && !this.#signal.aborted) {
      const next = [...this.#items].find(([item, { url }]) => this.#visible.has(item) && !this.#passages.has(url));
      if (!next) return;
      this.#running += 1;
      this.read(next[1]).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /**
   * Reads further in a page whose passage is not good, because the visitor turned to its result.
   *
   * @param {Result} result
   */
  async turnTo(result) {
    const known = this.#passages.get(result.url);
    if ((await known?.reading)?.inSentence || known?.max === MAX_FURTHER) return;
    this.#passages.delete(result.url);
    this.read(result, MAX_FURTHER);
  }

  /**
   * Reads and shows the passage of a result, once.
   *
   * @param {Result} result
   * @param {number} [max] number of bytes of its page
   * @param {number} [words] number of words of a passage that is enough
   */
  read(result, max = (result.coverage ?? 0) >= LIKELY ? MAX_FURTHER : MAX_READ, words = Math.min(result.sharedTerms.length, ENOUGH)) {
    const { url } = result;
    const known = this.#passages.get(url);
    if (known) return known.reading;
    const signal = this.#signal;
    const reading = this.#pages.textOf(this.#query, signal)
      .then((text) => this.#pages.passage(this.#kin, url, text, { words, max, signal }))
      .catch(() => undefined)
      .then((excerpt) => {
        if (signal.aborted) return undefined;
        if (excerpt?.verbatim && result.confidence) result.confidence = "high";
        this.#show(result, excerpt);
        return excerpt;
      });
    this.#passages.set(url, { max, reading });
    return reading;
  }

  /**
   * Returns the results of a text, or of words with a phrase or of a message, in the order in which
   * they are shown: those whose pages contain the text word for word, or the phrase, come first.
   * Pages that are read too late keep their places, so that nothing moves.
   *
   * @template {Result} T
   * @param {T[]} results
   * @param {"text" | "phrase" | "message"} [of]
   * @returns {Promise<T[]>}
   */
  async ordered(results, of = "text") {
    /** @type {Set<T>} */
    const first = new Set();
    if (savesData()) return results;
    const isPhrase = of === "phrase";
    const read = results.slice(0, of === "text" ? CHECKED : CHECKED_FOR_WORDS).map(async (result) => {
      const isVerbatim = (await this.read(result, ...(isPhrase ? [MAX_FURTHER, Infinity] : [])))?.verbatim;
      if (isPhrase) result.hasPhrase = isVerbatim;
      if (isVerbatim) first.add(result);
    });
    await Promise.race([Promise.all(read), new Promise((late) => { setTimeout(late, of === "message" ? MAX_WAIT_FOR_MESSAGE : MAX_WAIT); })]);
    return [true, false].flatMap((is) => results.filter((result) => first.has(result) === is));
  }
}

/**
 * Returns a passage whose marked words are near its start, for the few lines of a result: if they
 * are not, long stretches without one are shortened.
 *
 * @param {string[]} pieces
 */
export function fitted(pieces) {
  if (pieces.slice(0, -1).join("").length <= MAX_SHOWN) return pieces;
  return pieces.map((piece, at) => {
    if (at % 2 || piece.length <= MAX_UNMARKED || at === pieces.length - 1) return piece;
    // From a space on, and up to one, unless there is none nearby.
    const end = piece.slice(-MAX_UNMARKED / 2).replace(/^\S{0,20}\s/, "");
    const start = at ? piece.slice(0, MAX_UNMARKED / 2).replace(/\s\S{0,20}$/, "") : "";
    return `${start}${start ? " … " : "… "}${end}`;
  });
}
