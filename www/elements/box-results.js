// @ts-check
/**
 * What the box has found: lists of pages, narrowed to a folder, with passages.
 *
 * @import {Answer, Kin, KinQuery, SearchAnswer, SearchResult, SimilarResult} from "../client/pagekin.js"
 */
import { Pages } from "../client/site-pages.js";
import { as, button, choice } from "./box-draw.js";
import { crumbs, foldersOf } from "./box-folders.js";
import { linkTo, make, say } from "./element.js";

/** Until passages of what words found are fetched, in milliseconds. */
const CALM = 300;
/** Until the number of results is said: typing goes on. */
const POLITE = 500;
/** Words that a result shares with the text, at most. */
const TERMS = 8;
/** Of two lists, so many results of each are shown, and of a result so many copies. */
const SHORT = 5;
/** Of pages whose passages were shown, so many are kept to show others. */
const MAX_PAGES = 40;

/** Between words. */
const WORD = /([\p{L}\p{M}\p{N}]+)/u;

/**
 * @typedef {Pick<Answer, "otherResults" | "unmatched" | "rankedBy"> & {results: (SearchResult | SimilarResult)[], corrections: SearchAnswer["corrections"]}} Found
 * @typedef {{kin: Kin, query: KinQuery, signal: AbortSignal}} Asked
 */

/**
 * What the results are in. `after` does something unless something else is typed before, `tell`
 * shows and says a text.
 *
 * @typedef {object} Box
 * @property {HTMLElement} element
 * @property {(name: string, values?: Record<string, string | number>) => string} say
 * @property {(milliseconds: number, action: () => void) => void} after
 * @property {(text: string) => void} tell
 */

/** @type {Found} */
const NOTHING = { results: [], otherResults: [], unmatched: [], rankedBy: "coverage", corrections: [] };

export class Results {
  folders = make("div", "filter");
  lists = make("div", "lists");
  found = NOTHING;
  /** Words that were searched for; nothing if it was a text. @type {string | undefined} */
  words;
  #box;
  /** What the results are of, to show passages. @type {Asked | undefined} */
  #asked;
  /** The words that were searched for and what they were taken for. @type {string[]} */
  #sought = [];
  /** The folder that is chosen of those of the results. */
  #folder = "";
  /** More results than these are shown when that is asked for. */
  #most = 0;
  /** @type {Map<Element, {result: SearchResult | SimilarResult, rank: number}>} */
  #items = new Map();
  /** By address. Those of earlier words stay until there are new ones. @type {Map<string, {section: (Node | string)[], passage: Node, exact: boolean}>} */
  #passages = new Map();
  /** Addresses of pages whose passages are of the words that are there now. @type {Set<string>} */
  #fresh = new Set();
  /** @type {{of: Kin, pages: Pages, urls: Set<string>} | undefined} */
  #pages;

  /** @param {Box} box */
  constructor(box) {
    this.#box = box;
    this.lists.addEventListener("focusin", ({ target }) => {
      const item = /** @type {Element} */ (target).closest("[part~=item]");
      this.activate(item);
      if (item) box.after(CALM, () => { if (item.hasAttribute("data-active")) this.#illustrate(item); });
    });
  }

  /**
   * Shows an answer.
   *
   * @param {Partial<Found>} answer
   * @param {string | undefined} words
   * @param {Asked} asked
   */
  take(answer, words, asked) {
    this.found = { ...NOTHING, ...answer };
    const query = words === undefined ? asked.query : mended(words, this.found.corrections, TERMS);
    this.#asked = { ...asked, query };
    this.#sought = words === undefined ? [] : `${words} ${query}`.toLowerCase().split(WORD).filter((word, at) => at % 2 && word.length > 1);
    if (words === undefined) this.#passages.clear();
    this.#fresh.clear();
    this.words = words;
    this.lists.toggleAttribute("data-words", words !== undefined);
    this.#most = this.limit;
    this.draw();
  }

  clear() {
    this.found = NOTHING;
    this.#asked = this.words = undefined;
    this.#folder = "";
    this.#passages.clear();
    this.#items.clear();
    this.folders.replaceChildren();
    this.lists.replaceChildren();
  }

  /** The result of a link. @param {Element} link */
  of(link) {
    return this.#items.get(/** @type {Element} */ (link.closest("[part~=item]")));
  }

  get limit() {
    return Number(this.#box.element.getAttribute("limit")) || 10;
  }

  /** For how many of the first results passages are shown by themselves. */
  get #excerpts() {
    return Number(this.#box.element.getAttribute("excerpts") ?? 3) || 0;
  }

  draw() {
    const { results, otherResults, rankedBy } = this.found;
    const folders = this.words === undefined ? new Map() : foldersOf(results.map(({ url }) => url));
    if (!folders.has(this.#folder)) this.#folder = "";
    const within = this.#folder ? results.filter(({ url }) => folders.get(this.#folder).has(url)) : results;
    // The focus stays on the choice that was made.
    if (!this.folders.contains(document.activeElement)) {
      this.folders.replaceChildren(...(folders.size ? [choice(this.#box.say("box.folders"), [["", this.#box.say("box.all"), results.length], ...[...folders].map(([name, urls]) => /** @type {[string, string, number]} */ ([name, name, urls.size]))], this.#folder, (name) => {
        this.#folder = name;
        this.#most = this.limit;
        this.draw();
      })] : []));
    }
    this.#items.clear();
    const list = (/** @type {(SearchResult | SimilarResult)[]} */ these, first = 0) => as("list", "list", ...these.map((result, at) => this.#item(result, first + at)));
    const heading = (/** @type {boolean} */ first) => make("div", "heading", this.#box.say(first === (rankedBy === "coverage") ? "box.containing" : "box.similar"));
    const lists = [list(within.slice(0, this.#most))];
    if (otherResults.length) lists.splice(0, 1, heading(true), lists[0], heading(false), list(otherResults.slice(0, SHORT), results.length));
    if (within.length > this.#most) {
      const more = button("show", () => {
        const before = this.#most;
        this.#most = within.length;
        this.draw();
        /** @type {HTMLElement[]} */ ([...this.lists.querySelectorAll("[data-stop]")])[before]?.focus();
      }, this.#box.say("box.more"));
      more.dataset.stop = "";
      lists.push(more);
    }
    this.lists.replaceChildren(...lists);
    this.activate();
    this.#box.after(POLITE, () => { this.#box.tell(this.#summary(within.length)); });
    this.#box.after(this.words === undefined ? 0 : CALM, () => [...this.#items.keys()].slice(0, this.#excerpts).forEach((item) => this.#illustrate(item)));
  }

  /** How many results there are, and what was made of the words. @param {number} n */
  #summary(n) {
    const { unmatched, corrections } = this.found;
    const lang = say(this.#box.element, "lang");
    const plural = `box.count.${new Intl.PluralRules(lang).select(n)}`;
    const count = this.#box.say(say(this.#box.element, plural) === plural ? "box.count.other" : plural, { n: n.toLocaleString(lang) });
    const told = [n ? count : this.#box.say("box.none")];
    // Of a beginning that was completed, everyone sees what became of it.
    const misspelt = corrections.filter(({ from, to: [first] }) => first && !first.startsWith(from.toLowerCase()));
    if (misspelt.length && n) told.push(this.#box.say("box.corrections", { terms: mended(this.words ?? "", misspelt, 1) }));
    if (unmatched.length) told.push(this.#box.say("box.unmatched", { terms: unmatched.join(", ") }));
    return told.join(" · ");
  }

  /** @param {SearchResult | SimilarResult} result @param {number} rank */
  #item(result, rank) {
    const { url, title, copies, sharedTerms, missingTerms } = result;
    const link = linkTo({ url, title });
    link.setAttribute("part", "link title");
    link.dataset.stop = "";
    if (this.words !== undefined && title) link.replaceChildren(...title.split(WORD).map((piece, at) => (at % 2 && this.#begin(piece) ? make("mark", "typed", piece) : piece)));
    const line = (/** @type {string} */ part, /** @type {(Node | string)[]} */ ...children) => make("div", part, ...children);
    const words = (/** @type {string} */ part, /** @type {string[]} */ terms) => (terms.length ? [line(part, this.#box.say(`box.${part}`, { terms: terms.slice(0, TERMS).join(", ") }))] : []);
    const item = as("listitem", "item", link);
    if ("confidence" in result && this.words === undefined) {
      item.append(this.#confidence(result.confidence));
      // To a visitor a text with other numbers is nearly equal.
      const kind = result.near?.kind === "same-but-numbers" ? "near-duplicate" : result.near?.kind;
      if (kind) item.append(make("span", "near", this.#box.say(`near.${kind}`)));
    }
    const place = line("crumbs", make("bdi", "path", crumbs(url, this.#asked?.kin.info.baseUrl ?? "")), make("bdi", "place"));
    const passage = line("passage");
    if (rank < this.#excerpts) passage.dataset.awaited = "";
    item.append(place, passage, ...(this.words === undefined ? words("terms", sharedTerms) : []), ...words("missing", missingTerms));
    if (copies.length) item.append(line("copies", this.#box.say("box.copies"), " ", ...copies.slice(0, SHORT).flatMap((url, at) => [at ? ", " : "", linkTo({ url, title: url })])));
    this.#items.set(item, { result, rank: rank + 1 });
    this.#place(item, url);
    return item;
  }

  /** How good a match is. @param {SimilarResult["confidence"]} confidence */
  #confidence(confidence) {
    return make("span", `confidence ${confidence}`, this.#box.say(`confidence.${confidence}`));
  }

  /** Whether a word begins as one that was looked for. @param {string} word */
  #begin(word) {
    return this.#sought.some((begin) => word.toLowerCase().startsWith(begin));
  }

  /** Puts what is known of a page's passage where its result is. @param {Element} item @param {string} url */
  #place(item, url) {
    const known = this.#passages.get(url);
    if (!known) return;
    const { section, passage, exact } = known;
    if (exact) item.querySelector("[part~=confidence]")?.replaceWith(this.#confidence("high"));
    item.querySelector("[part~=place]")?.replaceChildren(...section);
    item.querySelector("[part~=passage]")?.replaceChildren(passage);
  }

  /**
   * Shows the passage of a result, from the page itself.
   *
   * @param {Element} item
   */
  async #illustrate(item) {
    const { url, title } = this.#items.get(item)?.result ?? { url: "", title: "" };
    if (!this.#asked || !url || !this.#excerpts || this.#fresh.has(url)) return;
    const { kin, query, signal } = this.#asked;
    if (this.#pages?.of !== kin || this.#pages.urls.size > MAX_PAGES) this.#pages = { of: kin, pages: new Pages(kin), urls: new Set() };
    const { pages, urls } = this.#pages;
    const href = pages.hrefOf(url);
    if (!href) return;
    urls.add(url);
    this.#fresh.add(url);
    const text = await pages.textOf(query);
    const excerpt = await pages.get(url).then((page) => kin.excerpt(text, page, { signal })).catch(() => undefined);
    if (signal.aborted) return;
    // What was drawn since has other elements.
    const now = [...this.#items].filter(([, { result }]) => result.url === url).map(([item]) => item);
    if (!excerpt) return now.forEach((item) => item.querySelector("[part~=passage]")?.removeAttribute("data-awaited"));
    const { heading } = excerpt.section ?? {};
    const section = heading && heading !== title ? [" › ", Object.assign(make("a", "link section", heading), { href: href + excerpt.fragment })] : [];
    const passage = make("div", "excerpt", ...excerpt.pieces.map((piece, number) => (number % 2 ? make("mark", "mark", piece) : piece)));
    passage.dir = "auto";
    this.#passages.set(url, { section, passage, exact: excerpt.verbatim });
    now.forEach((item) => this.#place(item, url));
  }

  /** Shows which result Enter opens: that with the focus, or the first that words have found. @param {Element | null} [item] */
  activate(item = this.words === undefined ? null : this.lists.querySelector("[part~=item]")) {
    this.lists.querySelector("[data-active]")?.removeAttribute("data-active");
    item?.setAttribute("data-active", "");
  }
}

/**
 * What was typed, with the words of the site that it was taken for.
 *
 * @param {string} words
 * @param {SearchAnswer["corrections"]} corrections
 * @param {number} most words for each
 */
function mended(words, corrections, most) {
  return corrections.reduce((text, { from, to }) => {
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${from.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "iu");
    return text.replace(whole, () => to.slice(0, most).join(" "));
  }, words);
}
