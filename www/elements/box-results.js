// @ts-check
/**
 * Shows the results of the box: lists of pages with passages, filtered by folder.
 *
 * @import {Answer, Excerpt, Kin, KinQuery, SearchAnswer, SearchResult, SimilarResult} from "../client/pagekin.js"
 */
import { fitted, hasPhrase, isMessage, Passages, wholeWords } from "../client/passages.js";
import { Pages } from "../client/site-pages.js";
import { as, button, checks, choice, filled, thumbnail } from "./box-draw.js";
import { crumbs, foldersOf } from "./box-folders.js";
import { dispatch, linkTo, make, say } from "./element.js";

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
/** Number of results to show if most of the words are nowhere on the site. */
const FEW = 3;
/** Maximum number of values of a filter to offer, those of most results first. */
const MAX_VALUES = 12;
/** Number of answers whose pages are kept in memory for their passages. */
const MAX_ANSWERS = 8;

/** Number of passages drawn so far, for their ids. */
let passages = 0;

/** A word, or a number with dots. */
const WORD = /([\p{L}\p{M}\p{N}]+(?:\.\p{N}+)*)/u;

/**
 * @typedef {Pick<Answer, "otherResults" | "unmatched" | "rankedBy"> & {results: (SearchResult | SimilarResult)[], corrections: SearchAnswer["corrections"], found?: SearchAnswer["found"], leftOut?: SearchAnswer["leftOut"], more?: () => void}} Found `more` finds more results, if there may be some
 * @typedef {{kin: Kin, query: KinQuery, signal: AbortSignal, isPartial?: boolean}} Search `isPartial`: another answer follows
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
 * @property {() => void} again searches again, with other filters
 */

/** @type {Found} */
const NOTHING = { results: [], otherResults: [], unmatched: [], rankedBy: "coverage", corrections: [] };

export class Results {
  folders = make("div", "filter");
  filters = make("div", "filter");
  /** The chosen values, by filter. @type {Map<string, Set<string>>} */
  #chosen = new Map();
  /** All filters of an index. @type {{of: Kin, filters: import("../client/pagekin.js").FilterCounts} | undefined} */
  #offered;
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
   * @type {Map<string, Excerpt>}
   */
  #excerpts = new Map();
  /** Reads the passages of this answer. @type {Passages | undefined} */
  #passages;
  /** @type {{of: Kin, pages: Pages, answers: number} | undefined} */
  #pages;

  /** @param {Box} box */
  constructor(box) {
    this.#box = box;
    /** @param {Event} event */
    const turned = ({ target }) => {
      const item = /** @type {Element} */ (target).closest("[part~=item]");
      const result = item && this.#items.get(item)?.result;
      if (result) box.after(PASSAGE_DELAY, () => { if (item.matches("[data-active],:hover")) this.#passages?.turnTo(result); });
      return item;
    };
    this.lists.addEventListener("focusin", (event) => this.activate(turned(event)));
    this.lists.addEventListener("pointerover", turned);
  }

  /**
   * Shows an answer. If it follows a partial one, what the visitor points at stays in its place.
   *
   * @param {Partial<Found>} answer
   * @param {string | undefined} words
   * @param {Search} search
   * @param {() => void} [ready] is called when the answer is drawn, unless the search was canceled
   */
  async show(answer, words, search, ready) {
    const found = { ...NOTHING, ...answer };
    const query = words === undefined ? search.query : corrected(words, found.corrections, MAX_TERMS);
    const passages = new Passages({ ...search, query, pages: this.#pagesOf(search) }, (result, excerpt) => this.#known(result, excerpt));
    const isPhrase = words !== undefined && hasPhrase(words);
    const kind = words === undefined ? "text" : isPhrase ? "phrase" : isMessage(words) ? "message" : undefined;
    if (kind && this.#limit && !search.isPartial) {
      if (kind === "text") this.#excerpts.clear();
      if (found.rankedBy === "coverage") found.results = await passages.ordered(found.results, kind);
      if (search.signal.aborted) return;
    }
    ready?.();
    if (this.#search?.isPartial && this.#search.signal === search.signal) this.#keepPlaces(found);
    // A folder belongs to the words for which it was chosen.
    if (words !== this.words) this.#folder = "";
    this.found = found;
    this.#search = { ...search, query };
    this.#passages = passages;
    this.#marked = words === undefined ? [] : `${words} ${query}`.toLowerCase().split(WORD).filter((word, at) => at % 2 && word.length > 1);
    this.words = words;
    this.lists.toggleAttribute("data-words", words !== undefined);
    this.#shown = this.#isPoor ? FEW : this.limit;
    this.draw();
  }

  /**
   * Keeps the shown results up to the one that the visitor points at or has focused, and those that
   * the new answer adds follow.
   *
   * @param {Found} found is changed
   */
  #keepPlaces(found) {
    const shown = [...this.#items];
    const at = shown.findIndex(([item]) => item.matches(":hover,:focus-within"));
    if (at < 0) return;
    const kept = shown.slice(0, at + 1).map(([, { result }]) => result);
    const urls = new Set(kept.map(({ url }) => url));
    const after = (/** @type {(SearchResult | SimilarResult)[]} */ results) => results.filter(({ url }) => !urls.has(url));
    const others = new Set(this.found.otherResults);
    found.results = kept.some((result) => others.has(/** @type {SimilarResult} */ (result))) ? this.found.results : [...kept, ...after(found.results)];
    found.otherResults = /** @type {SimilarResult[]} */ ([...kept.filter((result) => others.has(/** @type {SimilarResult} */ (result))), ...after(found.otherResults)]);
  }

  /**
   * Adds results to a shown answer.
   *
   * @param {Partial<Found>} answer
   */
  extend(answer) {
    this.found = { ...this.found, ...answer };
    this.#showMore();
  }

  clear() {
    this.found = NOTHING;
    this.#search = this.words = this.#passages = undefined;
    this.#folder = "";
    this.#excerpts.clear();
    this.#items.clear();
    this.#chosen.clear();
    this.folders.replaceChildren();
    this.#fillFilters();
    this.lists.replaceChildren();
  }

  /** The pages of the site, some of which may be in memory. @param {Search} search */
  #pagesOf({ kin, isPartial }) {
    if (this.#pages?.of !== kin || this.#pages.answers >= MAX_ANSWERS) this.#pages = { of: kin, pages: new Pages(kin), answers: 0 };
    this.#pages.answers += isPartial ? 0 : 1;
    return this.#pages.pages;
  }

  /** The chosen filters, for a search. @returns {Record<string, string | string[]>} */
  get chosen() {
    return Object.fromEntries([...this.#chosen].map(([name, values]) => [name, [...values]]));
  }

  set chosen(filters) {
    this.#chosen = new Map(Object.entries(filters).map(([name, values]) => [name, new Set([values].flat())]));
  }

  /** Whether an index has filters to offer. Their names arrive during the first search. @param {Kin} kin */
  offersFilters(kin) {
    const offers = kin.info.hasFilters && this.#box.element.getAttribute("filters") !== "off";
    if (offers && this.#offered?.of !== kin) {
      const offered = { of: kin, filters: {} };
      this.#offered = offered;
      kin.filters().then((filters) => { offered.filters = filters; }, () => {});
    }
    return offers;
  }

  /** Draws the filters of an answer. Results do not wait for numbers, nor move when they come. */
  #drawFilters() {
    const { found } = this.found;
    const isCounting = Boolean(this.#search?.isPartial && found && !found.filters);
    this.filters.toggleAttribute("data-counting", isCounting);
    if (!isCounting) this.#fillFilters(found?.filters, found?.exact ? "" : "+");
    else if (!this.filters.childElementCount) {
      this.#fillFilters(this.#offered?.filters);
      this.filters.style.minBlockSize = `${this.filters.offsetHeight}px`;
    }
  }

  /**
   * Draws filters, and keeps the focus.
   *
   * @param {import("../client/pagekin.js").FilterCounts} [found]
   * @param {string} more a sign after numbers
   */
  #fillFilters(found, more = "") {
    const counts = new Map(Object.entries(found ?? {}));
    if (!counts.size) this.filters.style.minBlockSize = "";
    const wanted = this.#box.element.getAttribute("filters");
    const names = wanted ? wanted.split(",").map((name) => name.trim()) : [...counts.keys()];
    const focused = this.filters.contains(document.activeElement) && /** @type {HTMLInputElement} */ (document.activeElement);
    this.filters.replaceChildren(...names.flatMap((name) => {
      const chosen = this.#chosen.get(name) ?? new Set();
      const values = Object.entries(counts.get(name) ?? {}).filter(([value, amount]) => amount > 0 || chosen.has(value));
      // Chosen values stay where the visitor can reach them.
      values.sort(([a, m], [b, n]) => Number(chosen.has(b)) - Number(chosen.has(a)) || n - m);
      if (!values.length) return [];
      return [checks(name, values.slice(0, Math.max(MAX_VALUES, chosen.size)), chosen, (value, is) => {
        if (is) this.#chosen.set(name, new Set([...chosen, value]));
        else if (chosen.delete(value) && !chosen.size) this.#chosen.delete(name);
        this.#box.again();
      }, more)];
    }));
    if (focused) [...this.filters.querySelectorAll("input")].find(({ name, value }) => name === focused.name && value === focused.value)?.focus();
  }

  /** Returns the result of a link. @param {Element} link */
  of(link) {
    return this.#items.get(/** @type {Element} */ (link.closest("[part~=item]")));
  }

  get limit() {
    return Number(this.#box.element.getAttribute("limit")) || 10;
  }

  /** Maximum number of results whose passages are shown. */
  get #limit() {
    return Number(this.#box.element.getAttribute("excerpts") ?? Infinity) || 0;
  }

  /** Whether most of the words are nowhere on the site. */
  get #isPoor() {
    return this.words !== undefined && this.found.unmatched.length > this.words.split(/\s+/).length / 2;
  }

  draw() {
    const { results, otherResults, rankedBy } = this.found;
    const folders = this.words === undefined ? new Map() : foldersOf(results);
    if (!folders.has(this.#folder)) this.#folder = "";
    const within = this.#folder ? results.filter(({ url }) => folders.get(this.#folder).has(url)) : results;
    const focused = this.lists.contains(document.activeElement) && this.of(/** @type {Element} */ (document.activeElement))?.result.url;
    // Keeps the focus on the selected radio button.
    if (!this.folders.contains(document.activeElement)) this.folders.replaceChildren(...this.#choices(folders));
    this.#drawFilters();
    this.#items.clear();
    const list = (/** @type {(SearchResult | SimilarResult)[]} */ these, /** @type {number} */ first, /** @type {string} */ name) => {
      const drawn = as("list", "list", ...these.map((result, at) => this.#item(result, first + at)));
      if (name) drawn.setAttribute("aria-label", name);
      return drawn;
    };
    const heading = (/** @type {string} */ name) => {
      const drawn = as("heading", "heading", this.#box.say(name));
      drawn.ariaLevel = "2";
      return drawn;
    };
    /** Draws a list, in two parts if it ends in weaker matches. @param {(SearchResult | SimilarResult)[]} these @param {number} first @param {string} [name] */
    const parts = (these, first, name) => {
      const somePhrase = these.some(({ hasPhrase }) => hasPhrase);
      const weak = these.findIndex((result) => (somePhrase ? !result.hasPhrase : "confidence" in result && result.confidence === "low"));
      const end = weak < 0 ? these.length : weak;
      return [
        ...(name ? [heading(name)] : []),
        ...(end ? [list(these.slice(0, end), first, name ? this.#box.say(name) : "")] : []),
        ...(weak < 0 ? [] : [heading("box.weaker"), list(these.slice(end), first + end, this.#box.say("box.weaker"))]),
      ];
    };
    const names = ["box.containing", "box.similar"];
    if (rankedBy === "similarity") names.reverse();
    const shown = within.slice(0, this.#shown);
    const lists = otherResults.length ? [...parts(shown, 0, names[0]), ...parts(otherResults.slice(0, MAX_SECOND), results.length, names[1])] : parts(shown, 0);
    if (within.length > this.#shown || (this.found.more && !this.#folder)) {
      const more = button("show", () => (within.length > this.#shown ? this.#showMore() : this.found.more?.()), this.#box.say("box.more"));
      more.dataset.stop = "";
      lists.push(more);
    }
    if (!results.length && this.words !== undefined) lists.push(...this.#remedies());
    this.lists.replaceChildren(...lists);
    this.activate();
    if (focused) /** @type {HTMLElement | null | undefined} */ ([...this.#items].find(([, { result }]) => result.url === focused)?.[0].querySelector("[part~=title]"))?.focus({ preventScroll: true });
    if (!this.#search?.isPartial) this.#box.after(ANNOUNCE_DELAY, () => { this.#box.show(this.#summary(within.length)); });
    const items = new Map([...this.#items].filter(([, { rank }]) => rank <= this.#limit).map(([item, { result }]) => [item, result]));
    this.#box.after(this.words === undefined && !this.#search?.isPartial ? 0 : PASSAGE_DELAY, () => this.#passages?.watch(items));
  }

  /** Shows more results, and moves the focus to the first of them. */
  #showMore() {
    const stops = () => /** @type {HTMLElement[]} */ ([...this.lists.querySelectorAll("[data-stop]")]);
    const before = stops().length - 1; // without the button
    this.#shown = Infinity;
    this.draw();
    stops()[before]?.focus();
  }

  /** Draws the choice of folders, if there are some. @param {Map<string, Set<string>>} folders */
  #choices(folders) {
    if (!folders.size) return [];
    const names = new Map((this.#box.element.getAttribute("folder-names") ?? "").split(",").map((pair) => /** @type {[string, string]} */ (pair.split("=").map((part) => part.trim()))));
    /** @type {[string, string, number][]} */
    const all = [["", this.#box.say("box.all"), this.found.results.length], ...[...folders].map(([name, urls]) => /** @type {[string, string, number]} */ ([name, names.get(name) || name, urls.size]))];
    return [choice(this.#box.say("box.folders"), all, this.#folder, (name) => {
      this.#folder = name;
      this.#shown = this.limit;
      this.draw();
    }, this.found.more ? "+" : "")];
  }

  /** Draws where to go if nothing is found: corrected words, the topics, the start page. */
  #remedies() {
    const { element, say } = this.#box;
    const base = this.#search?.kin.info.baseUrl;
    const words = corrected(this.words ?? "", this.found.corrections, 1);
    const line = (/** @type {Node} */ child) => as("listitem", "remedy", child);
    const topics = element.getAttribute("topics");
    const links = [...(topics ? [{ url: topics, title: say("box.topics") }] : []), ...(base ? [{ url: base, title: say("box.start") }] : [])].map((page) => {
      const link = linkTo(page);
      link.dataset.stop = "";
      return line(link);
    });
    const again = words === this.words ? [] : [line(button("again", () => { /** @type {any} */ (element).value = words; }, words))];
    return again.length + links.length ? [as("list", "remedies", ...again, ...links)] : [];
  }

  /** Returns the number of results and what was corrected. @param {number} n */
  #summary(n) {
    const { unmatched, corrections, found, results } = this.found;
    const lang = say(this.#box.element, "lang");
    const plural = `box.count.${new Intl.PluralRules(lang).select(n)}`;
    // Lists tell of pages that were not read, and count copies.
    const read = results.reduce((sum, { copies }) => sum + 1 + copies.length, 0);
    const isMore = (this.found.more || (found?.total ?? 0) > read) && !this.#folder;
    const all = isMore && found?.exact && found.total > n ? found.total.toLocaleString(lang) : n.toLocaleString(lang) + (isMore ? "+" : "");
    const count = this.#box.say(say(this.#box.element, plural) === plural ? "box.count.other" : plural, { n: all });
    const away = this.found.leftOut?.map(({ name }) => name).join(", ");
    const parts = [n ? count : this.#box.say("box.none"), ...(away ? [`${this.#box.say("error.offline")}: ${away}`] : [])];
    if (this.#isPoor && n) return [this.#box.say("box.unmatched", { terms: unmatched.join(", ") }), ...parts].join(" · ");
    // Completed prefixes are not mentioned, because the visitor sees the completion.
    const misspelled = corrections.filter(({ from, to: [first] }) => first && !first.startsWith(from.toLowerCase()));
    if (misspelled.length && n) parts.push(this.#box.say("box.corrections", { terms: corrected(this.words ?? "", misspelled, 1) }));
    if (unmatched.length) parts.push(this.#box.say("box.unmatched", { terms: unmatched.join(", ") }));
    return parts.join(" · ");
  }

  /** @param {SearchResult | SimilarResult} result @param {number} rank */
  #item(result, rank) {
    const { url, title, meta = {}, copies, sharedTerms, missingTerms } = result;
    const link = linkTo({ url, title });
    link.setAttribute("part", "link title");
    link.dataset.stop = "";
    if (this.words !== undefined && title) link.replaceChildren(...title.split(WORD).map((piece, at) => (at % 2 && this.#begin(piece) ? make("mark", "typed", piece) : piece)));
    const line = (/** @type {string} */ part, /** @type {(Node | string)[]} */ ...children) => make("div", part, ...children);
    const words = (/** @type {string} */ part, /** @type {string[]} */ terms) => (terms.length ? [line(part, this.#box.say(`box.${part}`, { terms: wholeWords(terms).slice(0, MAX_TERMS).join(", ") }))] : []);
    const item = as("listitem", "item", ...thumbnail(meta, url), link);
    const near = "near" in result ? result.near?.kind : undefined;
    // To visitors, a text with other numbers is a near-duplicate.
    if (near) item.append(this.#near(near === "same-but-numbers" ? "near-duplicate" : near));
    const place = line("crumbs", make("bdi", "path", [...(result.index ? [result.index] : []), crumbs(url, this.#search?.kin.info.baseUrl ?? "")].join(" › ")), make("bdi", "place"));
    const passage = line("passage");
    passage.id = `pagekin-passage-${(passages += 1)}`;
    link.setAttribute("aria-describedby", passage.id);
    // The place of the passage stays, so that nothing moves.
    if (rank < this.#limit && this.#pages?.pages.hrefOf(url)) passage.dataset.awaited = "";
    else passage.append(...words("terms", this.words === undefined ? sharedTerms : []));
    item.append(place, ...filled(this.#box.element.querySelector(":scope>template"), meta), passage, ...words("missing", missingTerms));
    if (copies.length) item.append(line("copies", this.#box.say("box.copies"), " ", ...copies.slice(0, MAX_SECOND).flatMap((url, at) => [at ? ", " : "", linkTo({ url, title: url })])));
    this.#items.set(item, { result, rank: rank + 1 });
    this.#place(item, result);
    dispatch(this.#box.element, "result", { url, title, meta, element: item });
    return item;
  }

  /** @param {string} kind what is shared word for word */
  #near(kind) {
    return make("span", "near", this.#box.say(`near.${kind}`));
  }

  /** Whether a word starts with a searched word. @param {string} word */
  #begin(word) {
    return this.#marked.some((begin) => word.toLowerCase().startsWith(begin));
  }

  /**
   * Shows the passage of a result, wherever it is: the list may have been redrawn.
   *
   * @param {SearchResult | SimilarResult} result
   * @param {Excerpt | undefined} excerpt
   */
  #known(result, excerpt) {
    if (excerpt) this.#excerpts.set(result.url, excerpt);
    for (const [item, shown] of this.#items) {
      if (shown.result.url !== result.url) continue;
      this.#place(item, shown.result);
      const passage = item.querySelector("[part~=passage]");
      // What the page and the query share is better than an empty place.
      if (!passage?.hasChildNodes() && result.sharedTerms.length) passage?.append(this.#box.say("box.terms", { terms: wholeWords(result.sharedTerms).slice(0, MAX_TERMS).join(", ") }));
    }
  }

  /**
   * Inserts the known passage of a page into its result, and leads its links there.
   *
   * @param {Element} item
   * @param {SearchResult & Partial<SimilarResult>} result
   */
  #place(item, { url, title, near }) {
    const excerpt = this.#excerpts.get(url);
    const href = excerpt && this.#pages?.pages.hrefOf(url);
    if (!href) return;
    const sections = [...(excerpt.section ? [{ ...excerpt.section, fragment: excerpt.fragment }] : []), ...(excerpt.sections ?? [])].filter(({ heading }) => heading !== title);
    const links = sections.flatMap(({ heading, fragment }, at) => [at ? " · " : " › ", Object.assign(make("a", "link section", heading), { href: href + fragment })]);
    item.querySelector("[part~=title]")?.setAttribute("href", url + excerpt.fragment);
    item.querySelector("[part~=place]")?.replaceChildren(...links);
    const passage = make("div", "excerpt", ...fitted(excerpt.pieces).map((piece, number) => (number % 2 ? make("mark", "mark", piece) : piece)));
    passage.dir = "auto";
    item.querySelector("[part~=passage]")?.replaceChildren(passage);
    if (!excerpt.verbatim || this.words !== undefined || (near && near.kind !== "passages")) return;
    item.querySelector("[part~=near]")?.remove();
    item.querySelector("[part~=title]")?.after(this.#near("contained"));
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
