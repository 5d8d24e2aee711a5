// @ts-check
/**
 * The input of the demo: a text, a file, or a page of the site.
 *
 * The query is one of two: what the URL names, which can be shared and revisited (a page,
 * `#url=…`, or the cluster around one, `#cluster=…`); or the last text or file, which stays in the
 * memory of this page.
 *
 * @import {Subject} from "./demo-results.js"
 */
import { counted, find, hashOf, size } from "./demo-draw.js";
import { looksLikeAddress, NONE, suggestPages } from "./demo-find.js";
import { cancel, ready, run, showStart } from "./demo-query.js";
import { showTrouble, titles } from "./demo-results.js";
import { MAX_TEXT } from "../client/limits.js";
import { looksLikeHtml, readTextFile } from "../client/text-file.js";
import { KinError } from "./pagekin.js";

/** Delay after the last key, in milliseconds. */
const PAUSE = 300;

/**
 * Maximum number of characters to show in the text box. Longer texts are searched but not shown,
 * because typing in the box would become too slow.
 */
const MAX_SHOWN = 200_000;

const textForm = find("text-form", HTMLFormElement);
export const text = find("text", HTMLTextAreaElement);
const textKind = find("text-kind");
const fileInput = find("file", HTMLInputElement);
const page = find("page", HTMLInputElement);
const pageNote = find("page-note");

/** The last text or file, or nothing if the box is empty. @type {Subject | undefined} */
export let written;

/** Whether the query is the content of the text box, and whether it was pasted. */
let fromBox = false;
let pasted = false;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

/** Aborts the search for a page that was named by words. @type {AbortController | undefined} */
let naming;

// A text or a file

/** Reads the text box as the query. */
export function readBox() {
  const content = text.value;
  const html = looksLikeHtml(content);
  fromBox = true;
  written = content.trim() ? { query: html ? { html: content } : { text: content }, name: "your text" } : undefined;
  showKind((html ? "Starts with a tag, so it is read as HTML without menus and footers." : "") + cutNote(content.length));
}

/** @param {number} length of a text */
const cutNote = (length) => (length > MAX_TEXT ? " Only the first million characters are used." : "");

/** @param {string} kind */
function showKind(kind) {
  textKind.textContent = kind.trim();
  textKind.hidden = kind === "";
}

/**
 * Searches for the text or file, or returns to the start if there is none.
 *
 * @param {boolean} focus
 */
function runWritten(focus) {
  clearTimeout(pause);
  if (location.hash) history.pushState(null, "", location.pathname + location.search);
  leavePageBox("");
  if (written) run({ ...written, focus, keep: fromBox && (focus || pasted) });
  else showStart();
  pasted = false;
}

/** Searches for a text, as if it had been typed and submitted. @param {string} content */
export function submitText(content) {
  text.value = content;
  readBox();
  runWritten(true);
}

text.addEventListener("input", () => {
  readBox();
  leavePageBox(page.value); // a pending search for a page would replace the answer
  clearTimeout(pause);
  pause = setTimeout(() => runWritten(false), PAUSE);
});

text.addEventListener("paste", (event) => {
  pasted = true;
  const content = event.clipboardData?.getData("text/plain") ?? "";
  if (content.length <= MAX_SHOWN) return;
  event.preventDefault();
  takeText(content, "your text", looksLikeHtml(content), `Pasted text: ${counted(content.length, "character")}, too long to show,`);
});

text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) textForm.requestSubmit();
});

textForm.addEventListener("submit", (event) => {
  event.preventDefault();
  if (written) runWritten(true);
  else text.focus();
});

textForm.addEventListener("reset", () => {
  setTimeout(() => { // the box is emptied after this event
    readBox();
    runWritten(false);
    text.focus();
  });
});

/**
 * Searches for a text that was not typed.
 *
 * @param {string} content
 * @param {string} name
 * @param {boolean} html
 * @param {string} kind the start of its description
 */
function takeText(content, name, html, kind) {
  text.value = content.length <= MAX_SHOWN ? content : "";
  fromBox = false;
  written = { query: html ? { html: content } : { text: content }, name };
  showKind(`${kind} read as ${html ? "HTML without menus and footers" : "plain text"}.${cutNote(content.length)}`);
  runWritten(true);
}

/** @param {FileList} files */
async function takeFiles(files) {
  const file = files[0];
  if (!file) return;
  try {
    const { text: content, html } = await readTextFile(file);
    const others = files.length > 1 ? `, the first of ${files.length} files` : "";
    takeText(content, file.name, html, `${file.name}: ${size(file.size)}${others},`);
  } catch (error) {
    cancel();
    showTrouble({ query: "", name: file.name }, error, () => fileInput.click());
  }
}

find("choose").addEventListener("click", () => fileInput.click());

fileInput.addEventListener("change", async () => {
  if (fileInput.files) await takeFiles(fileInput.files);
  fileInput.value = ""; // so that the same file can be chosen again
});

/** @param {DragEvent} event */
const bringsFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

addEventListener("dragover", (event) => {
  if (!bringsFiles(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});

addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});

addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!bringsFiles(event) || !event.dataTransfer) return;
  event.preventDefault();
  takeFiles(event.dataTransfer.files);
});

// A page of the site

/**
 * Returns what the URL names: a page, or the cluster around it.
 *
 * @returns {{kind: "url" | "cluster", url: string} | undefined}
 */
export function target() {
  const [, kind, encoded] = location.hash.match(/^#(url|cluster)=(.+)/) ?? [];
  if (!encoded || (kind !== "url" && kind !== "cluster")) return undefined;
  try {
    return { kind, url: decodeURIComponent(encoded) };
  } catch {
    return { kind, url: encoded };
  }
}

/**
 * Finds the pages similar to a page, or its cluster.
 *
 * @param {string} url
 * @param {boolean} focus
 * @param {"url" | "cluster"} [kind]
 */
export function pick(url, focus, kind = "url") {
  clearTimeout(pause);
  const now = target();
  if (now?.url !== url || now.kind !== kind) history.pushState(null, "", hashOf(kind, url));
  leavePageBox(kind === "url" ? url : "");
  run({ query: { url }, name: titles.get(url) || url, focus, cluster: kind === "cluster" });
}

/**
 * @param {string} words typed words
 * @param {AbortSignal} [signal]
 */
async function findPages(words, signal) {
  const kin = await ready();
  const { results: found } = await kin.search(words, { signal });
  for (const { url, title } of found) titles.set(url, title);
  return found;
}

const suggestions = suggestPages(page, find("page-list"), pageNote, findPages, (url) => pick(url, true));

/**
 * Picks the page with a URL, or the first page that words find.
 *
 * @param {string} value
 */
async function pickNamed(value) {
  if (looksLikeAddress(value)) return pick(value, true);
  leavePageBox(value);
  pageNote.textContent = "Searching for the page…";
  const controller = new AbortController();
  naming = controller;
  try {
    const [first] = await findPages(value, controller.signal).catch((error) => {
      if (error instanceof KinError && error.code === "EmptyQuery") return [];
      throw error;
    });
    if (naming !== controller) return;
    if (first) pick(first.url, true);
    else pageNote.textContent = NONE;
  } catch (error) {
    if (naming !== controller) return;
    pageNote.textContent = "";
    showTrouble({ query: "", name: value, focus: true }, error, () => pickNamed(value));
  }
}

function stopNaming() {
  naming?.abort();
  naming = undefined;
}

/**
 * Ends the search for a page, and sets the content of its box.
 *
 * @param {string} value
 */
export function leavePageBox(value) {
  stopNaming();
  suggestions.close();
  page.value = value;
}

page.addEventListener("input", stopNaming);

find("page-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = page.value.trim();
  if (value) pickNamed(value);
  else page.focus();
});

find("any-page").addEventListener("click", async () => {
  try {
    const pages = await (await ready()).pages();
    for (const { url, title } of pages) titles.set(url, title);
    pick(pages[Math.floor(Math.random() * pages.length)].url, true);
  } catch (error) {
    showTrouble({ query: "", name: "a page of this site" }, error, () => find("any-page").click());
  }
});
