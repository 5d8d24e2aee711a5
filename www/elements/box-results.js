// @ts-check
/**
 * Shows the results of the box: lists of pages with passages, filtered by folder.
 *
 * @import {Answer, Kin, KinQuery, SearchAnswer, SearchResult, SimilarResult} from "../client/pagekin.js"
 */
import { Pages } from "../client/site-pages.js";
import { as, button, choice } from "./box-draw.js";
import { crumbs, foldersOf } from "./box-folders.js";
import { linkTo, make, say } from "./element.js";

/** Delay before passages for a search are fetched, in milliseconds. */
const PASSAGE_DELAY = 300;
/**
 * Delay before the number of results is announced, because the visitor may still be typing, in
 * milliseconds.
 */
const ANNOUNCE_DELAY = 500;
/** Maximum number of words to show for a result. */
const MAX_TERMS = 8;
/** Maximum number of results in the second list, and of copies of a result. */
const MAX_SECOND = 5;
/** Maximum number of fetched pages to keep in memory for their passages. */
const MAX_PAGES = 40;

/** A word. */
const WORD = /([\p{L}\p{M}\p{N}]+)/u;

/**
 * @typedef {Pick<Answer, "otherResults" | "unmatched" | "rankedBy"> & {results: (SearchResult | SimilarResult)[], corrections: SearchAnswer["corrections"]}} Found
 * @typedef {{kin: Kin, query: KinQuery, signal: AbortSignal}} Search
 */

/**
 * The box around the results. `after` runs an action unless the visitor types first. `show` shows a
 * text in the live region.
 *
 * @typedef {object} Box
 * @property {HTMLElement} element
 * @property {(name: string, values?: Record<string, string | number>) => string} say
 * @property {(milliseconds: number, action: () => void) => void} after
 * @property {(text: string) => void} show
 */

/** @type {Found} */
const NOTHING = { results: [], otherResults: [], unmatched: [], rankedBy: "coverage", corrections: [] };

export class Results {
  folders = make("div", "filter");
  lists = make("div", "lists");
  found = NOTHING;
  /** The searched words, or nothing if the query was a text. @type {string | undefined} */
  words;
  #box;
  /** The query, to show passages. @type {Search | undefined} */
  #search;
  /** The searched words and their corrections. @type {string[]} */
  #marked = [];
  /** The selected folder. */
  #folder = "";
  /** Maximum number of results to show until the visitor wants more. */
  #shown = 0;
  /** @type {Map<Element, {result: SearchResult | SimilarResult, rank: number}>} */
  #items = new Map();
  /**
   * By URL. Passages of earlier words stay until there are new ones.
   *
   * @type {Map<string, {section: (Node | string)[], passage: Node, exact: boolean}>}
   */
  #passages = new Map();
  /** URLs of pages whose passages are up to date. @type {Set<string>} */
  #fresh = new Set();
  /** @type {{of: Kin, pages: Pages, urls: Set<string>} | undefined} */
  #pages;

  /** @param {Box} box */
  constructor(box) {
    this.#box = box;
    this.lists.addEventListener("focusin", ({ target }) => {
      const item = /** @type {Element} */ (target).closest("[part~=item]");
      this.activate(item);
      if (item) box.after(PASSAGE_DELAY, () => { if (item.hasAttribute("data-active")) this.#illustrate(item); });
    });
  }

  /**
   * Shows an answer.
   *
   * @param {Partial<Found>} answer
   * @param {string | undefined} words
   * @param {Search} search
   */
  show(answer, words, search) {
    this.found = { ...NOTHING, ...answer };
    const query = words === undefined ? search.query : corrected(words, this.found.corrections, MAX_TERMS);
    this.#search = { ...search, query };
    this.#marked = words === undefined ? [] : `${words} ${query}`.toLowerCase().split(WORD).filter((word, at) => at % 2 && word.length > 1);
    if (words === undefined) this.#passages.clear();
    this.#fresh.clear();
    this.words = words;
    this.lists.toggleAttribute("data-words", words !== undefined);
    this.#shown = this.limit;
    this.draw();
  }

  clear() {
    this.found = NOTHING;
    this.#search = this.words = undefined;
    this.#folder = "";
    this.#passages.clear();
    this.#items.clear();
    this.folders.replaceChildren();
    this.lists.replaceChildren();
  }

  /** Returns the result of a link. @param {Element} link */
  of(link) {
    return this.#items.get(/** @type {Element} */ (link.closest("[part~=item]")));
  }

  get limit() {
    return Number(this.#box.element.getAttribute("limit")) || 10;
  }

  /** Number of first results whose passages are shown automatically. */
  get #excerpts() {
    return Number(this.#box.element.getAttribute("excerpts") ?? 3) || 0;
  }

  draw() {
    const { results, otherResults, rankedBy } = this.found;
    const folders = this.words === undefined ? new Map() : foldersOf(results.map(({ url }) => url));
    if (!folders.has(this.#folder)) this.#folder = "";
    const within = this.#folder ? results.filter(({ url }) => folders.get(this.#folder).has(url)) : results;
    // Keeps the focus on the selected radio button.
    if (!this.folders.contains(document.activeElement)) {
      this.folders.replaceChildren(...(folders.size ? [choice(this.#box.say("box.folders"), [["", this.#box.say("box.all"), results.length], ...[...folders].map(([name, urls]) => /** @type {[string, string, number]} */ ([name, name, urls.size]))], this.#folder, (name) => {
        this.#folder = name;
        this.#shown = this.limit;
        this.draw();
      })] : []));
    }
    this.#items.clear();
    const list = (/** @type {(SearchResult | SimilarResult)[]} */ these, first = 0) => as("list", "list", ...these.map((result, at) => this.#item(result, first + at)));
    const heading = (/** @type {boolean} */ first) => make("div", "heading", this.#box.say(first === (rankedBy === "coverage") ? "box.containing" : "box.similar"));
    const lists = [list(within.slice(0, this.#shown))];
    if (otherResults.length) lists.splice(0, 1, heading(true), lists[0], heading(false), list(otherResults.slice(0, MAX_SECOND), results.length));
    if (within.length > this.#shown) {
      const more = button("show", () => {
        const before = this.#shown;
        this.#shown = within.length;
        this.draw();
        /** @type {HTMLElement[]} */ ([...this.lists.querySelectorAll("[data-stop]")])[before]?.focus();
      }, this.#box.say("box.more"));
      more.dataset.stop = "";
      lists.push(more);
    }
    this.lists.replaceChildren(...lists);
    this.activate();
    this.#box.after(ANNOUNCE_DELAY, () => { this.#box.show(this.#summary(within.length)); });
    this.#box.after(this.words === undefined ? 0 : PASSAGE_DELAY, () => [...this.#items.keys()].slice(0, this.#excerpts).forEach((item) => this.#illustrate(item)));
  }

  /** Returns the number of results and what was corrected. @param {number} n */
  #summary(n) {
    const { unmatched, corrections } = this.found;
    const lang = say(this.#box.element, "lang");
    const plural = `box.count.${new Intl.PluralRules(lang).select(n)}`;
    const count = this.#box.say(say(this.#box.element, plural) === plural ? "box.count.other" : plural, { n: n.toLocaleString(lang) });
    const parts = [n ? count : this.#box.say("box.none")];
    // Completed prefixes are not mentioned, because the visitor sees the completion.
    const misspelled = corrections.filter(({ from, to: [first] }) => first && !first.startsWith(from.toLowerCase()));
    if (misspelled.length && n) parts.push(this.#box.say("box.corrections", { terms: corrected(this.words ?? "", misspelled, 1) }));
    if (unmatched.length) parts.push(this.#box.say("box.unmatched", { terms: unmatched.join(", ") }));
    return parts.join(" · ");
  }

  /** @param {SearchResult | SimilarResult} result @param {number} rank */
  #item(result, rank) {
    const { url, title, copies, sharedTerms, missingTerms } = result;
    const link = linkTo({ url, title });
    link.setAttribute("part", "link title");
    link.dataset.stop = "";
    if (this.words !== undefined && title) link.replaceChildren(...title.split(WORD).map((piece, at) => (at % 2 && this.#begin(piece) ? make("mark", "typed", piece) : piece)));
    const line = (/** @type {string} */ part, /** @type {(Node | string)[]} */ ...children) => make("div", part, ...children);
    const words = (/** @type {string} */ part, /** @type {string[]} */ terms) => (terms.length ? [line(part, this.#box.say(`box.${part}`, { terms: terms.slice(0, MAX_TERMS).join(", ") }))] : []);
    const item = as("listitem", "item", link);
    if ("confidence" in result && this.words === undefined) {
      item.append(this.#confidence(result.confidence));
      // To visitors, a text with other numbers is a near-duplicate.
      const kind = result.near?.kind === "same-but-numbers" ? "near-duplicate" : result.near?.kind;
      if (kind) item.append(make("span", "near", this.#box.say(`near.${kind}`)));
    }
    const place = line("crumbs", make("bdi", "path", crumbs(url, this.#search?.kin.info.baseUrl ?? "")), make("bdi", "place"));
    const passage = line("passage");
    if (rank < this.#excerpts) passage.dataset.awaited = "";
    item.append(place, passage, ...(this.words === undefined ? words("terms", sharedTerms) : []), ...words("missing", missingTerms));
    if (copies.length) item.append(line("copies", this.#box.say("box.copies"), " ", ...copies.slice(0, MAX_SECOND).flatMap((url, at) => [at ? ", " : "", linkTo({ url, title: url })])));
    this.#items.set(item, { result, rank: rank + 1 });
    this.#place(item, url);
    return item;
  }

  /** @param {SimilarResult["confidence"]} confidence */
  #confidence(confidence) {
    return make("span", `confidence ${confidence}`, this.#box.say(`confidence.${confidence}`));
  }

  /** Whether a word starts with a searched word. @param {string} word */
  #begin(word) {
    return this.#marked.some((begin) => word.toLowerCase().startsWith(begin));
  }

  /**
   * Inserts the known passage of a page into its result.
   *
   * @param {Element} item @param {string} url
   */
  #place(item, url) {
    const known = this.#passages.get(url);
    if (!known) return;
    const { section, passage, exact } = known;
    if (exact) item.querySelector("[part~=confidence]")?.replaceWith(this.#confidence("high"));
    item.querySelector("[part~=place]")?.replaceChildren(...section);
    item.querySelector("[part~=passage]")?.replaceChildren(passage);
  }

  /**
   * Shows the passage of a result, taken from the page itself.
   *
   * @param {Element} item
   */
  async #illustrate(item) {
    const { url, title } = this.#items.get(item)?.result ?? { url: "", title: "" };
    if (!this.#search || !url || !this.#excerpts || this.#fresh.has(url)) return;
    const { kin, query, signal } = this.#search;
    if (this.#pages?.of !== kin || this.#pages.urls.size > MAX_PAGES) this.#pages = { of: kin, pages: new Pages(kin), urls: new Set() };
    const { pages, urls } = this.#pages;
    const href = pages.hrefOf(url);
    if (!href) return;
    urls.add(url);
    this.#fresh.add(url);
    const text = await pages.textOf(query);
    const excerpt = await pages.get(url).then((page) => kin.excerpt(text, page, { signal })).catch(() => undefined);
    if (signal.aborted) return;
    // The list may have been redrawn with new elements.
    const now = [...this.#items].filter(([, { result }]) => result.url === url).map(([item]) => item);
    if (!excerpt) return now.forEach((item) => item.querySelector("[part~=passage]")?.removeAttribute("data-awaited"));
    const { heading } = excerpt.section ?? {};
    const section = heading && heading !== title ? [" › ", Object.assign(make("a", "link section", heading), { href: href + excerpt.fragment })] : [];
    const passage = make("div", "excerpt", ...excerpt.pieces.map((piece, number) => (number % 2 ? make("mark", "mark", piece) : piece)));
    passage.dir = "auto";
    this.#passages.set(url, { section, passage, exact: excerpt.verbatim });
    now.forEach((item) => this.#place(item, url));
  }

  /**
   * Marks the result that Enter opens: the one with the focus, or the first one of a search.
   *
   * @param {Element | null} [item]
   */
  activate(item = this.words === undefined ? null : this.lists.querySelector("[part~=item]")) {
    this.lists.querySelector("[data-active]")?.removeAttribute("data-active");
    item?.setAttribute("data-active", "");
  }
}

/**
 * Returns the typed words with corrections applied.
 *
 * @param {string} words
 * @param {SearchAnswer["corrections"]} corrections
 * @param {number} max number of words for each correction
 */
function corrected(words, corrections, max) {
  return corrections.reduce((text, { from, to }) => {
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${from.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "iu");
    return text.replace(whole, () => to.slice(0, max).join(" "));
  }, words);
}
