// @ts-check
/**
 * The core in the lab: opens an index and its wasm module, and gives names to what the module
 * answers. It computes next to nothing.
 *
 * @import {IndexInfo} from "../client/pagekin.js"
 * @typedef {{url: string, title: string, terms: number, copies: number}} LabPage
 * @typedef {"stop" | "common" | "lone" | "light" | "rounded" | "bag"} Fate what becomes of a word: a stop word; on too many
 *   pages; on no other page; no room in the bag; its share rounded to 0; in the bag
 * @typedef {{word: string, stem: string, tf: number, counted: number, idf: number, weight: number, copies: number, fate: Fate,
 *   product: number}} Term `counted`: the frequency that the weight uses; `idf`: also of words
 *   too common for bags; `product`: frequency times rarity
 * @typedef {{language: string, pieces: {before: string, word: string, term: number}[], behind: string, terms: Term[],
 *   counts: {words: number, kept: number, distinct: number, weighty: number, inBag: number},
 *   copies: number, total: number, sum: number}} Words `term`: the place in `terms`, -1 of a stop
 *   word; `total`: the sum of the products that the bag has room for; `sum`: the size of a bag
 *   before its copies are rounded
 * @typedef {{both: number, either: number, ofA: number, ofB: number, similarity: number}} Overlap in copies
 * @typedef {{overlap: Overlap, rows: {word: string, a: number, b: number}[]}} Beside
 * @typedef {{word: string, copy: number, side: 0 | 1 | 2}} Element a copy of a word, from 1, in both bags, A's or B's alone
 * @typedef {{u: number, v: number, both: number, either: number, similarity: number}} Pair
 * @typedef {"founded" | "founded-alone" | "joined" | "taken" | "member"} StepKind
 * @typedef {{clusters: number, largest: number, alone: number, within: number, below: number}} Judged
 * @typedef {{pages: number[], steps: {u: number, v: number, kind: StepKind, merged: boolean, similarity: number}[],
 *   centers: number[], components: number[], center: Judged, component: Judged, singles: number[]}} Walk by the numbers of the
 *   pages; `centers`: -1 of a page that belongs to none yet; `singles`: centers without members
 * @typedef {{rows: {word: string, of: [boolean, boolean]}[], orders: number[][], firsts: [number?, number?][]}} Toy a matrix
 *   of words and two texts, its rows in each order, and the first row of each text there
 * @typedef {{values: [number[], number[]], tables: {indices: number[], equal: boolean}[]}} Strips two signatures and their keys
 * @typedef {{words: number, runs: {words: string, shared: boolean}[], pieces: string[]}} Runs every second piece is shared
 * @typedef {{b: Runs, both: number, ofA: number, ofB: number, resemblance: number, aInB: number, bInA: number,
 *   minvalues: {equal: boolean, run: number}[], supershingles: boolean[], equalSuper: number, neededSuper: number,
 *   chanceSuper: number, bits: boolean[], equalBits: number, neededBits: number}} Copies
 * @typedef {{words: {word: string, weight: number, elements: number[]}[], sum: number[], whole: number[],
 *   near: {page: number, cosine: number, elements: number[]}[]}} Meaning words without vectors
 *   have no elements; `sum` of the first; `whole`: the sum of all; `near`: nearest first
 * @typedef {{kind: string, number: number, name: string}} ShardName
 * @typedef {{files: {kind: string, number: number, name: string, bytes: number, kept: boolean}[]}} Round
 * @typedef {{url: string, title: string, similarity: number, coverage: number, words: string[], near: string}} Found
 */
import startGlue, * as glue from "../pkg/pagekin_lab_wasm.js";
import { Pages } from "../client/site-pages.js";
import { Fetches, mirrored } from "../client/fetches.js";
import { compile } from "../client/module.js";
import { quiet } from "../client/quiet.js";
import { read } from "../client/request.js";

const MODULE = new URL("./lab.wasm.bin", import.meta.url);
/** Above this number, about as many pages are shown, because all pairs of them are compared. */
const MAX_PAGES = 240;
/** Of the sample of a large site. */
const SAMPLE_SEED = 1;
/** A page that says what its body is, has no menu in it: see the build. */
const MARKED = /<(main|article)\b|\brole="?main\b|\bdata-page(?:kin|find)-body\b/i;
/** Number of other pages that are compared. What two of them share is a menu. */
const COMPARED = 3;

/** @type {Promise<unknown> | undefined} */
let starting;

function start() {
  starting ??= read(MODULE, { cache: "no-cache" })
    .then((bytes) => compile({ url: MODULE.href, bytes }))
    .then((module) => startGlue({ module_or_path: module }));
  return starting;
}

// At once, next to the manifest. Pages with figures preload the module; others show their text
// first.
start().catch(() => {});

/**
 * @param {URL} folder of an index
 * @returns {Promise<Core>}
 */
export async function openCore(folder) {
  const [manifest] = await Promise.all([read(new URL("pagekin.manifest", folder), { cache: "no-cache" }), start()]);
  const core = new Core(folder, manifest);
  await core.load();
  return core;
}

/** An index as the lab sees it. */
export class Core {
  #index;
  #lab;
  #fetches;
  #texts;
  #manifest;
  /** @type {Promise<Set<string>> | undefined} */
  #menu;

  /**
   * @param {URL} folder
   * @param {Uint8Array} manifest
   */
  constructor(folder, manifest) {
    this.#manifest = manifest;
    this.#index = glue.Index.open(manifest);
    this.#lab = new glue.Lab(this.#index);
    this.#fetches = new Fetches(folder);
    const [pages, terms, generation, format, preset, languages, baseUrl, , hasFilters] = this.#index.info();
    /** @type {IndexInfo} */
    this.info = { pages, terms, generation, format, preset, languages, baseUrl, hasFilters };
    this.#texts = new Pages({ info: this.info, ownHost: !mirrored });
    /** @type {LabPage[]} */
    this.pages = [];
    /** The pages to begin with, by their places. @type {[number, number] | undefined} */
    this.pair = undefined;
  }

  /** Reads the pages. */
  async load() {
    const names = this.#lab.blocks(MAX_PAGES, SAMPLE_SEED);
    const [words, ...blocks] = await Promise.all([this.#lab.wordsName(), ...names].map((name) => this.#fetches.get(name, "default")));
    this.#lab.supplyWords(words);
    for (const [at, bytes] of blocks.entries()) this.#lab.supply(MAX_PAGES, SAMPLE_SEED, at, bytes);
    this.#lab.compare();
    /** @type {[string, string, number, number][]} */
    const pages = this.#lab.pages();
    this.pages = pages.map(([url, title, terms, copies]) => ({ url, title, terms, copies }));
    const [u, v] = this.#lab.tellingPair();
    if (v !== undefined) this.pair = [u, v];
  }

  /**
   * The text of a page, fetched from the site. What a build leaves out as repeated is left out
   * too, as far as a few pages tell.
   *
   * @param {number} page
   * @returns {Promise<{text: string, lang: string}>}
   */
  async textOf(page) {
    const { text, lang, isMarked } = await this.#read(page);
    if (isMarked) return { text, lang };
    const menu = await (this.#menu ??= this.#commonParagraphs());
    const own = text.split("\n\n").filter((/** @type {string} */ paragraph) => !menu.has(paragraph));
    return { text: own.join("\n\n") || text, lang };
  }

  /** @param {number} page */
  async #read(page) {
    const found = await this.#texts.get(this.pages[page].url);
    if (typeof found === "string") return { text: found, lang: "", isMarked: true };
    const [, lang, text] = "html" in found ? glue.readHtml(quiet(String(found.html))) : ["", found.lang ?? "", found.text];
    // As it is shown: white space of the source says nothing.
    const shown = text.trim().replace(/\s*\n\s*\n\s*/g, "\n\n").replace(/[^\S\n]+/g, " ");
    return { text: shown, lang, isMarked: !("html" in found) || MARKED.test(String(found.html)) };
  }

  /** What more than one of a few pages has, from all over the site. @returns {Promise<Set<string>>} */
  async #commonParagraphs() {
    const some = Array.from({ length: COMPARED }, (_, at) => Math.floor((this.pages.length * (2 * at + 1)) / (2 * COMPARED)));
    const texts = await Promise.all([...new Set(some)].map((page) => this.#read(page).catch(() => ({ text: "" }))));
    const [met, common] = [new Set(), new Set()];
    for (const paragraph of texts.flatMap(({ text }) => [...new Set(text.split("\n\n"))])) (met.has(paragraph) ? common : met).add(paragraph);
    return common;
  }

  // From page to bag

  /**
   * @param {string} text
   * @param {string} lang
   * @param {boolean} paper by the paper's rule
   * @returns {Words}
   */
  words(text, lang, paper) {
    const [language, pieces, behind, terms, [words, kept, distinct, weighty, inBag], copies, total, sum] = this.#lab.words(text, lang, paper);
    return {
      language,
      pieces: pieces.map((/** @type {[string, string, number]} */ [before, word, term]) => ({ before, word, term })),
      behind,
      terms: terms.map((/** @type {[string, string, number, number, number, Fate, number]} */ [word, stem, tf, idf, copies, fate, product]) => ({
        word, stem, tf, idf, copies, product, weight: product && idf,
        // The product is the root of the frequency times the rarity.
        counted: paper || !product ? tf : Math.round((product / idf) ** 2),
        fate: fate === "light" && sum * product < total ? "rounded" : fate,
      })),
      counts: { words, kept, distinct, weighty, inBag },
      copies,
      total,
      sum,
    };
  }

  /**
   * The last text of `words` beside a page.
   *
   * @param {number} page
   * @param {boolean} paper
   */
  textBeside(page, paper) {
    return besideOf(this.#lab.textBeside(page, paper));
  }

  /**
   * @param {number} u
   * @param {number} v
   */
  beside(u, v) {
    return besideOf(this.#lab.pagesBeside(u, v));
  }

  // MinHash

  /**
   * All elements of two pages in the order of a function.
   *
   * @param {number} u
   * @param {number} v
   * @param {number} seed
   * @param {number} i from 0
   */
  order(u, v, seed, i) {
    return elementsOf(this.#lab.order(u, v, seed, i));
  }

  /**
   * The first element of each of `m` orders.
   *
   * @param {number} u
   * @param {number} v
   * @param {number} seed
   * @param {number} m
   */
  race(u, v, seed, m) {
    return elementsOf(this.#lab.race(u, v, seed, m));
  }

  /**
   * @param {number} u
   * @param {number} v
   * @param {number} seed
   * @param {number} n
   */
  pickAny(u, v, seed, n) {
    return this.#lab.pickAny(u, v, seed, n);
  }

  /**
   * The agreements of `runs` runs after each number of draws.
   *
   * @param {number} u
   * @param {number} v
   * @param {number} seed
   * @param {number} runs
   * @param {number[]} after
   * @returns {number[][]}
   */
  fan(u, v, seed, runs, after) {
    return this.#lab.fan(u, v, seed, runs, new Uint16Array(after));
  }

  /**
   * A seed whose first run is near the similarity.
   *
   * @param {number} u
   * @param {number} v
   */
  ordinaryRun(u, v) {
    return this.#lab.ordinaryRun(u, v);
  }

  /**
   * @param {string} a
   * @param {string} b
   * @param {number} m
   * @param {number} seed
   * @returns {Toy}
   */
  toy(a, b, m, seed) {
    const [rows, orders, firsts] = glue.toyOf(a, b, m, seed);
    return { rows: rows.map((/** @type {[string, [boolean, boolean]]} */ [word, of]) => ({ word, of })), orders, firsts };
  }

  /**
   * How often each of the numbers 1 to n comes first.
   *
   * @param {number} n
   * @param {boolean} isMixed
   * @param {number} draws
   */
  firstCounts(n, isMixed, draws) {
    return [...glue.firstCounts(n, isMixed, draws)];
  }

  /**
   * @param {number} similarity
   * @param {number} m
   */
  band(similarity, m) {
    const [low, high, deviation] = glue.band(similarity, m);
    return { low, high, deviation };
  }

  // LSH

  /** @returns {Pair[]} the likest first */
  pairs() {
    return this.#lab.pairs().map((/** @type {number[]} */ [u, v, both, either, similarity]) => ({ u, v, both, either, similarity }));
  }

  /**
   * In how many tables each of `pairs` meets.
   *
   * @param {number} k
   * @param {number} l
   * @param {number} seed
   */
  meetings(k, l, seed) {
    return this.#lab.meetings(k, l, seed);
  }

  /**
   * @param {number} k
   * @param {number} l
   * @param {number} seed
   * @param {number} draws
   */
  timesMet(k, l, seed, draws) {
    return this.#lab.timesMet(k, l, seed, draws);
  }

  /**
   * The probability to meet: the exact one, or the textbook's, which takes keys as independent.
   *
   * @param {number} k
   * @param {number} l
   * @param {number[]} similarities
   * @param {boolean} [isTextbook]
   */
  chances(k, l, similarities, isTextbook = false) {
    return glue.chances(k, l, new Float64Array(similarities), isTextbook);
  }

  /**
   * The expected numbers of pairs, over all seeds, for each `l` of each `k`.
   *
   * @param {number} wanted
   * @param {number[]} ks
   * @param {number[]} ls
   * @returns {{k: number, l: number, found: number, compared: number}[]}
   */
  expected(wanted, ks, ls) {
    const flat = this.#lab.expected(wanted, new Uint8Array(ks), new Uint16Array(ls));
    return ks.flatMap((k) => ls.map((l) => ({ k, l }))).map(({ k, l }, at) => ({ k, l, found: flat[2 * at], compared: flat[2 * at + 1] }));
  }

  /**
   * A seed whose draw finds about the expected number of wanted pairs.
   *
   * @param {number} wanted
   * @param {number} k
   * @param {number} l
   */
  ordinaryDraw(wanted, k, l) {
    return this.#lab.ordinaryDraw(wanted, k, l);
  }

  /**
   * @param {number} u
   * @param {number} v
   * @param {number} k
   * @param {number} l
   * @param {number} seed
   * @returns {Strips}
   */
  strips(u, v, k, l, seed) {
    const [values, tables] = this.#lab.strips(u, v, k, l, seed);
    return { values, tables: tables.map((/** @type {[number[], boolean]} */ [indices, equal]) => ({ indices, equal })) };
  }

  /**
   * The buckets of a table with more than one page, largest first.
   *
   * @param {number} k
   * @param {number} l
   * @param {number} seed
   * @param {number} table
   * @returns {number[][]}
   */
  buckets(k, l, seed, table) {
    return this.#lab.buckets(k, l, seed, table);
  }

  /**
   * @param {number} k
   * @param {number} l
   * @param {boolean} [isTextbook]
   */
  half(k, l, isTextbook = false) {
    return glue.half(k, l, isTextbook);
  }

  // CENTER

  /**
   * @param {number} page
   * @param {number} threshold
   * @param {number} most
   */
  neighborhood(page, threshold, most) {
    return [...this.#lab.neighborhood(page, threshold, most)];
  }

  /**
   * The similarity from which on a page reaches `least` pages.
   *
   * @param {number} page
   * @param {number} least
   */
  thresholdFor(page, least) {
    return this.#lab.thresholdFor(page, least);
  }

  /**
   * @param {number[]} shown
   * @param {number} threshold
   * @param {number} numbering
   * @param {number} upto
   * @returns {Walk}
   */
  walk(shown, threshold, numbering, upto) {
    return walkOf(this.#lab.walk(new Uint32Array(shown), threshold, numbering, upto));
  }

  /**
   * The same on a small graph: a bridge, a chain or a star.
   *
   * @param {string} name
   * @param {number} numbering
   * @param {number} upto
   */
  walkCase(name, numbering, upto) {
    return walkOf(glue.walkOfCase(name, numbering, upto));
  }

  /**
   * Returns a page and a threshold at which CENTER divides the group of the page, which has
   * `least` to `most` pages.
   *
   * @param {number} least
   * @param {number} most
   * @returns {{page: number, threshold: number} | undefined}
   */
  startOfCenter(least, most) {
    const [page, threshold] = this.#lab.startOfCenter(least, most);
    return page === undefined ? undefined : { page, threshold };
  }

  /**
   * All pages at each threshold.
   *
   * @param {number[]} thresholds
   * @returns {{threshold: number, pairs: number, center: Judged, component: Judged}[]}
   */
  sweep(thresholds) {
    return this.#lab.sweep(new Float64Array(thresholds)).map((/** @type {[number, number, [number[], number[]]]} */ [threshold, pairs, [center, component]]) =>
      ({ threshold, pairs, center: judgedOf(center), component: judgedOf(component) }));
  }

  // Copies

  /**
   * @param {string} a
   * @param {string} b
   * @param {number} width
   * @returns {Copies}
   */
  copies(a, b, width) {
    const [ofB, [[both, runsA, runsB], [resemblance, aInB, bInA]], minvalues, supershingles, [equalSuper, neededSuper, chanceSuper], bits, [equalBits, neededBits]] = glue.copiesOf(a, b, width);
    return {
      b: runsOf(ofB), both, ofA: runsA, ofB: runsB, resemblance, aInB, bInA,
      minvalues: minvalues.map((/** @type {[boolean, number]} */ [equal, run]) => ({ equal, run })),
      supershingles, equalSuper, neededSuper, chanceSuper, bits, equalBits, neededBits,
    };
  }

  /**
   * @param {string} text
   * @param {string} edit
   */
  edited(text, edit) {
    return glue.edited(text, edit);
  }

  // Meaning

  /** Whether the index has vectors of pages and words. */
  get hasVectors() {
    return this.#lab.hasVectors();
  }

  /**
   * Adds up the vectors of the first words of a text.
   *
   * @param {string} text
   * @param {number} upto words that are added
   * @returns {Promise<Meaning>}
   */
  async meaning(text, upto) {
    const shards = await Promise.all(this.#lab.vectorNames(text).map((name) => this.#fetches.get(name, "default")));
    const [words, sum, whole, near] = this.#lab.meaning(text, upto, shards);
    return {
      words: words.map((/** @type {[string, number, number[]]} */ [word, weight, elements]) => ({ word, weight, elements })),
      sum, whole,
      near: near.map((/** @type {[number, number, number[]]} */ [page, cosine, elements]) => ({ page, cosine, elements })),
    };
  }

  // What a lookup fetches

  /** The bytes of the manifest, which is read before the first lookup. */
  get opening() {
    return this.#manifest.length;
  }

  /** @returns {{kind: string, shards: number}[]} */
  parts() {
    return glue.partsOf(this.#index).map((/** @type {[string, number]} */ [kind, shards]) => ({ kind, shards }));
  }

  /** Whether a lookup reads all blocks. */
  get isReadWhole() {
    return glue.isReadWhole(this.#index);
  }

  /**
   * Runs a lookup that has only the manifest, and the files in `kept`.
   *
   * @param {{text: string, lang: string}} subject
   * @param {Map<string, Uint8Array>} kept what was fetched before; more is added
   * @param {(rounds: Round[]) => void} onRound called after each
   * @returns {Promise<{rounds: Round[], results: Found[], rankedBy: string}>}
   */
  async lookup(subject, kept, onRound) {
    const index = glue.Index.open(this.#manifest);
    const query = index.similarToText(subject.text, subject.lang, 6, 0, false);
    try {
      /** @type {Round[]} */
      const rounds = [];
      for (let wanted = query.wanted(); wanted.length > 0; wanted = query.wanted()) {
        /** @type {[string, number, string][]} */
        const named = glue.roundOf(index, query);
        const known = new Set(kept.keys());
        const bytes = await Promise.all(wanted.map(async (name) => kept.get(name) ?? this.#fetches.get(name, "default")));
        const files = wanted.map((name, at) => {
          const [kind, number] = named.find((one) => one[2] === name) ?? ["", 0];
          kept.set(name, bytes[at]);
          query.supply(name, bytes[at]);
          return { kind, number, name, bytes: bytes[at].length, kept: known.has(name) };
        });
        rounds.push({ files });
        onRound(rounds);
      }
      const [results, rankedBy] = query.answer();
      return {
        rounds,
        results: results.map((/** @type {[string, string, [number, number, number], string, [string[], string[]], string[], [string] | undefined]} */ [url, title, [, similarity, coverage], , [words], , near]) =>
          ({ url, title, similarity, coverage, words, near: near?.[0] ?? "" })),
        rankedBy,
      };
    } finally {
      query.free();
      index.free();
    }
  }

  /**
   * @param {number} bytes
   * @param {number} rounds
   * @param {number} kilobits a second
   * @param {number} delay of a round, in milliseconds
   */
  seconds(bytes, rounds, kilobits, delay) {
    return glue.secondsOf(bytes, rounds, kilobits, delay);
  }
}

/**
 * @param {any} raw
 * @returns {Walk}
 */
function walkOf([pages, steps, centers, components, [center, component], singles]) {
  return {
    pages,
    steps: steps.map((/** @type {[number, number, StepKind, boolean, number]} */ [u, v, kind, merged, similarity]) => ({ u, v, kind, merged, similarity })),
    centers,
    components,
    center: judgedOf(center),
    component: judgedOf(component),
    singles,
  };
}

/**
 * @param {[[number, number, number, number, number], [string, number, number][]]} raw
 * @returns {Beside}
 */
function besideOf([[both, either, ofA, ofB, similarity], rows]) {
  return { overlap: { both, either, ofA, ofB, similarity }, rows: rows.map(([word, a, b]) => ({ word, a, b })) };
}

/**
 * @param {[string, number, 0 | 1 | 2][]} raw
 * @returns {Element[]}
 */
const elementsOf = (raw) => raw.map(([word, copy, side]) => ({ word, copy, side }));

/**
 * @param {number[]} raw
 * @returns {Judged}
 */
const judgedOf = ([clusters, largest, alone, within, below]) => ({ clusters, largest, alone, within, below });

/**
 * @param {[number, [string, boolean][], string[]]} raw
 * @returns {Runs}
 */
const runsOf = ([words, runs, pieces]) => ({ words, runs: runs.map(([words, shared]) => ({ words, shared })), pieces });
