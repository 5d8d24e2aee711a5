// @ts-check
/**
 * The texts of the box. English is built in. Each other language has a file next to the script,
 * which is fetched if the page is in that language.
 */
import { strings } from "./element.js";
import { texts } from "./related-lists.js";

/** The files in strings/. */
const FILES = "ar bg ca cs da de el es fa fi fr he hi hr hu id it ja ko nl no pl pt ro ru sk sl sv ta th tr uk vi zh zh-hant".split(" ");
/** Languages that use the file of another language. */
const WRITTEN_AS = /** @type {Record<string, string>} */ ({ nb: "no", nn: "no", iw: "he", in: "id" });
/** Chinese in traditional characters. */
const TRADITIONAL = /^zh-(hant|tw|hk|mo)/;

/** Pending and finished fetches, by language. @type {Map<string, Promise<void>>} */
const fetched = new Map();

/**
 * Fetches the texts in the language of an element. If they cannot be read, the element stays in
 * English.
 *
 * @param {Element} element
 * @returns {Promise<void> | undefined} nothing if there is no file
 */
export function fetchTexts(element) {
  const lang = element.closest("[lang]")?.getAttribute("lang")?.toLowerCase() ?? "";
  const [first] = lang.split("-");
  const traditional = TRADITIONAL.test(lang);
  const file = traditional ? "zh-hant" : WRITTEN_AS[first] ?? first;
  if (!FILES.includes(file)) return undefined;
  const name = traditional ? lang : first;
  let reading = fetched.get(name);
  if (!reading) {
    reading = fetch(new URL(`strings/${file}.json`, import.meta.url))
      .then((response) => response.json())
      // Texts that the site set take precedence.
      .then((own) => strings(name, { ...own, ...texts.get(name) }))
      .catch(() => {});
    fetched.set(name, reading);
  }
  return reading;
}

/** @type {Record<string, string>} */
export const ENGLISH = {
  lang: "en",
  "box.label": "Search", "box.placeholder": "Type words or paste a text", "box.file": "Choose a file", "box.clear": "Clear", "box.close": "Close",
  "box.private": "What you enter stays on this device.",
  "box.loading": "Searching…", "box.none": "No results", "box.short": "Enter a few more words", "box.unreadable": "{message}",
  "box.count.one": "{n} result", "box.count.other": "{n} results", "box.more": "Show more",
  "box.corrections": "Showing results for “{terms}”", "box.terms": "Shared words: {terms}", "box.missing": "Missing: {terms}", "box.unmatched": "Nowhere on this site: {terms}",
  "box.copies": "Also at:", "box.folders": "Folders", "box.all": "All",
  "box.recent": "Recent searches", "box.remove": "Remove “{terms}”", "box.move": "select", "box.go": "open",
  "box.containing": "Pages containing your text", "box.similar": "Similar pages", "box.weaker": "Weaker matches",
  "box.topics": "Topics", "box.start": "Start page",
  "near.copy": "copy", "near.near-duplicate": "near-duplicate", "near.passages": "shared passages",
  "near.contains": "your text contains this page", "near.contained": "this page contains your text",
  "error.offline": "The index cannot be reached", "error.retry": "Try again", "error.unsupported": "Search is not available on this page",
};
