// @ts-check
/**
 * Draws results, costs and errors.
 *
 * @import {Answer, Cost, Kin, KinQuery, IndexInfo, SimilarResult, SitePage} from "../client/pagekin.js"
 */
import { linkTo } from "../client/link.js";
import { wholeWords } from "../client/passages.js";
import { KinError } from "./pagekin.js";

/** Maximum number of words to show for a page. */
const MAX_WORDS = 12;
/** Number of copies of a page to show before the others are expanded. */
const MAX_COPIES = 3;

/**
 * Returns an element of the page by its id.
 *
 * @type {{(id: string): HTMLElement, <T extends HTMLElement>(id: string, type: new () => T): T}}
 */
export const find = (/** @type {string} */ id, type = HTMLElement) => {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`index.html: expected a ${type.name} with id ${id}`);
  return /** @type {any} */ (found);
};

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * @param {string} label
 * @param {() => void} action
 */
export function button(label, action) {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", action);
  return made;
}

/** @param {number} count */
const number = (count) => count.toLocaleString("en");

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

/** @param {number} milliseconds */
const duration = (milliseconds) => (milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`);

/**
 * Formats a share. Only a share of 1 is shown as 100%.
 *
 * @param {number} part
 */
const percent = (part) => (part < 0.01 ? "< 1%" : `${part < 1 ? Math.min(99, Math.round(part * 100)) : 100}%`);

/** @param {KinQuery} query */
export const isOfPage = (query) => typeof query === "object" && "url" in query;

/**
 * Returns the fragment of this page's URL that names a page of the site, or the cluster around it.
 *
 * @param {"url" | "cluster"} kind
 * @param {string} url
 */
export const hashOf = (kind, url) => `#${kind}=${encodeURIComponent(url).replaceAll("%2F", "/")}`;

/** @param {SitePage & {pages: number}} cluster by its center */
export const clusterName = ({ title, url, pages }) => `${counted(pages, "page")} around ${title || url}`;

/**
 * Headings of the lists, by the score that ranks them.
 *
 * @type {Record<Answer["rankedBy"], string>}
 */
export const LISTS = { coverage: "Pages containing your text", similarity: "Similar pages" };

/** Names of the grades. @type {Record<SimilarResult["confidence"], string>} */
export const CONFIDENCES = { high: "Strong match", medium: "Possible match", low: "Weak match" };
/** The grade of a page that contains the text word for word. */
export const VERBATIM = "Contains your text";

/**
 * Returns the name of the query within a sentence.
 *
 * @param {KinQuery} query
 */
export const whatOf = (query) => (isOfPage(query) ? "the selected page" : "your text");

/**
 * @param {Cost} cost
 * @param {Cost} [opened] the cost of opening, if this is the first query; a stopped query may already have paid it
 */
export function costText({ bytes, requests, rounds, milliseconds }, opened) {
  if (requests === 0) return `This answer: all from the cache, ${duration(milliseconds)}.`;
  const included = opened && bytes >= opened.bytes ? ` (including ${size(opened.bytes)} to open it)` : "";
  return `This answer: ${size(bytes)} of the index read in ${counted(requests, "request")}, ${counted(rounds, "round")}, ${duration(milliseconds)}${included}.`;
}

/** @param {Kin} kin */
export function siteText({ info }) {
  const shown = languageNames(info);
  return [`This site: ${counted(info.pages, "page")}`, ...(shown ? [shown] : [])].join(" · ");
}

/**
 * Describes the cost of opening and the index.
 *
 * @param {Kin} kin
 */
export function openedText({ info, opened }) {
  return `Opening: ${size(opened.bytes)} in ${counted(opened.requests, "request")}. Index ${info.generation}, preset ${info.preset}, format ${info.format}.`;
}

/**
 * Describes the number of pages found, and their grades.
 *
 * @param {SimilarResult[]} found
 */
export function foundText(found) {
  if (found.length === 0) return "No pages found";
  const [high, low] = ["high", "low"].map((word) => found.filter(({ confidence }) => confidence === word).length);
  const many = `${counted(found.length, "page")} found`;
  if (low === found.length) return `${many}, no clear match`;
  if (high === found.length) return found.length === 1 ? `${many}, a strong match` : `${many}, all strong matches`;
  return high > 0 ? `${many}, ${high === 1 ? "one of them a strong match" : `${number(high)} of them strong matches`}` : `${many}, no strong match`;
}

/**
 * Lists the words of a text that no page contains.
 *
 * @param {Answer} answer
 */
export const unmatchedText = ({ unmatched }) => (unmatched.length ? `Nowhere on this site: ${unmatched.join(", ")}.` : "");

/**
 * Describes the language of a text, if the site has several languages or none that fits.
 *
 * @param {Answer} answer
 * @param {IndexInfo} info
 */
export function languageText({ language }, info) {
  if (!language) return "None of the site’s languages uses this script.";
  if (info.languages.length < 2) return "";
  const name = languageNames({ languages: [language.code] });
  return {
    given: `Language: ${name}.`,
    guessed: `Detected language: ${name}.`,
    assumed: `Language unclear; assuming ${name}.`,
  }[language.by];
}

/** @param {Pick<IndexInfo, "languages">} info */
export function languageNames({ languages }) {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "code" });
  return languages.map((code) => {
    try {
      return names.of(code);
    } catch {
      return code;
    }
  }).join(", ");
}

/**
 * Draws the grade of a result as a word and as bars.
 *
 * @param {SimilarResult["confidence"]} confidence
 * @param {string} [word]
 */
export function confidenceOf(confidence, word = CONFIDENCES[confidence]) {
  const bars = element("span", { class: "bars", "aria-hidden": "true" }, element("i"), element("i"), element("i"));
  return element("p", { class: `confidence ${confidence}` }, bars, word);
}

/**
 * Draws pieces of a text, of which every second one is marked.
 *
 * @param {string[]} pieces
 */
export const marked = (pieces) => pieces.map((piece, at) => (at % 2 === 1 ? element("mark", {}, piece) : piece));

/**
 * Draws the scores of a result, the ranking one first, collapsed.
 *
 * @param {SimilarResult} result
 * @param {Answer["rankedBy"]} rankedBy
 * @param {string} what the name of the query
 * @param {Element[]} words
 */
function numbersOf({ score, similarity, coverage }, rankedBy, what, words) {
  const numbers = [`score ${percent(score)}`, `${percent(coverage)} of ${what} found`, `similarity ${percent(similarity)}`];
  if (rankedBy === "similarity") numbers.reverse().pop();
  return element("details", { class: "numbers" }, element("summary", {}, "Numbers"), element("p", {}, `${numbers.join(", ")}.`), ...words);
}

/**
 * Draws a title as a link to its page.
 *
 * @param {SitePage} page
 * @param {IndexInfo} info
 */
export function titleOf({ url, title }, info) {
  const href = linkTo(url, info);
  return element("h3", { dir: "auto" }, href ? element("a", { href }, title || url) : title || url);
}

/**
 * Returns a button with more text for screen readers, which do not see its context.
 *
 * @param {string} label
 * @param {string} more
 * @param {() => void} action
 */
export function buttonFor(label, more, action) {
  const made = button(label, action);
  made.append(element("span", { class: "visually-hidden" }, more));
  return made;
}

/**
 * @param {SimilarResult} result
 * @param {Answer["rankedBy"]} rankedBy
 * @param {KinQuery} query
 * @param {IndexInfo} info
 * @param {{where: HTMLElement[], near: HTMLElement[], actions: HTMLElement[]}} parts `where`: the passage;
 *   `near`: what is shared word for word; `actions`: buttons
 */
export function resultItem(result, rankedBy, query, info, { where, near, actions }) {
  // A passage shows the words itself.
  const shared = wordList("shared", "Shared words: ", result.sharedTerms);
  return element("li", { class: "result" },
    confidenceOf(result.confidence),
    element("div", { class: "details" },
      titleOf(result, info),
      element("p", { class: "address" }, element("span", {}, result.url)),
      ...where,
      ...near,
      ...(where.length ? [] : shared),
      ...wordList("missing", "Missing: ", result.missingTerms),
      ...copiesOf(result, info),
      element("div", { class: "actions" }, ...actions, numbersOf(result, rankedBy, whatOf(query), where.length ? shared : []))));
}

/**
 * Lists the copies, other versions and other languages of a result.
 *
 * @param {SimilarResult} result
 * @param {IndexInfo} info
 */
function copiesOf({ copies }, info) {
  if (copies.length === 0) return [];
  const links = copies.map((url) => {
    const href = linkTo(url, info);
    return element("li", {}, href ? element("a", { href }, url) : url);
  });
  // A manual in ten languages contains nine of each page.
  const more = links.splice(MAX_COPIES);
  const rest = element("details", {}, element("summary", {}, `${more.length} more`), element("ul", {}, ...more));
  return [element("div", { class: "words copies" }, "Also at: ", element("ul", {}, ...links), ...(more.length ? [rest] : []))];
}

/**
 * @param {string} name of its class
 * @param {string} label
 * @param {string[]} words
 */
function wordList(name, label, words) {
  if (words.length === 0) return [];
  const shown = wholeWords(words).slice(0, MAX_WORDS).map((word) => element("li", { dir: "auto" }, word));
  return [element("div", { class: `words ${name}` }, label, element("ul", {}, ...shown))];
}

/**
 * @param {boolean} ofPage whether the query was a page of the site
 * @param {IndexInfo} info
 */
export function nothingFound(ofPage, info) {
  const languages = languageNames(info);
  const advice = ofPage
    ? ["It may be the only page on its topic, or very short."]
    : [
        "The site may use other words for it, or spell them differently.",
        ...(languages ? [`The text should be in one of the site’s languages: ${languages}.`] : []),
        "The site may not cover this topic.",
      ];
  const problem = ofPage ? "No other page on this site shares words with it" : "No page on this site shares words with your text";
  return element("div", { class: "hint" },
    element("p", {}, `${problem}, except very common words.`),
    element("ul", {}, ...advice.map((line) => element("li", {}, line))));
}

/**
 * Formats a message as a sentence. A message that starts with the name of a file keeps it
 * unchanged.
 *
 * @param {string} message
 */
export function sentence(message) {
  const begun = message.replace(/^[a-z]+(?=[\s,:;])/, (word) => word[0].toUpperCase() + word.slice(1));
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** @type {Partial<Record<string, string>>} */
const TROUBLE_TITLES = {
  Offline: "No connection",
  Server: "Server error",
  NoRanges: "This host cannot serve the index",
  Missing: "An index file is missing",
  NotPagekin: "This is not an index file",
  Truncated: "An index file has the wrong size",
  Checksum: "An index file is damaged",
  Damaged: "An index file is damaged",
  WrongGeneration: "The index has changed",
  VersionTooNew: "The index is newer than this page",
  VersionTooOld: "The index is older than this page",
  NoStemmer: "The site has a new language",
  UnknownUrl: "Page not in the index",
  Unsupported: "Not supported here",
  Crashed: "Internal error",
};

/** Errors that fresh scripts may fix. */
const RELOADED = new Set(["VersionTooNew", "NoStemmer", "Crashed"]);

/** Errors that a retry cannot fix. */
const FINAL = new Set(["UnknownUrl", "VersionTooOld", "NoRanges", "Unsupported"]);

/**
 * @param {unknown} error
 * @param {() => void} retry
 * @param {() => void} reload the page
 */
export function troubleCard(error, retry, reload) {
  const code = error instanceof KinError ? error.code : "";
  const title = TROUBLE_TITLES[code] ?? "Something went wrong";
  const message = error instanceof Error ? error.message : String(error);
  const actions = [];
  if (RELOADED.has(code)) actions.push(button("Reload the page", reload));
  else if (!FINAL.has(code)) actions.push(button("Try again", retry));
  return element("div", { class: "trouble" },
    element("h3", {}, title),
    element("p", {}, sentence(message)),
    ...(code === "Offline" ? [element("p", {}, "pagekin tries again when you are back online.")] : []),
    ...actions);
}
