// @ts-check
/**
 * The demo page: takes a text, a file or a page of the site, and shows matching pages.
 *
 * What is looked for is either the page named in the address (`#url=…`, to be shared and gone back to), or
 * the last text or file, which stays in this page's memory.
 *
 * @import {Answer, Kin, KinQuery} from "./pagekin.js"
 * @typedef {{query: KinQuery, name: string, focus?: boolean}} Subject `focus`: go to the answer when it is there, since it was asked for and not just typed
 */
import { costText, counted, element, isOfPage, languageText, nothingFound, resultItem, sentence, siteText, size, troubleCard } from "./demo-draw.js";
import { looksLikeHtml, readTextFile } from "./demo-file.js";
import { looksLikeAddress, NONE, suggestPages } from "./demo-find.js";
import { nearParts } from "./demo-near.js";
import { Pages } from "./demo-pages.js";
import { whereParts } from "./demo-where.js";
import { KinError, open } from "./pagekin.js";

/** After the last key, in milliseconds. */
const PAUSE = 300;

/** Until a query is said to be under way: quick ones should not flicker. */
const PATIENCE = 250;

/** A file above this many characters is looked up, but not shown in the text box. */
const SHOWN = 200_000;

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function find(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`index.html: expected a ${type.name} with id ${id}`);
  return found;
}

const textForm = find("text-form", HTMLFormElement);
const text = find("text", HTMLTextAreaElement);
const textKind = find("text-kind", HTMLElement);
const fileInput = find("file", HTMLInputElement);
const pageForm = find("page-form", HTMLFormElement);
const page = find("page", HTMLInputElement);
const pageNote = find("page-note", HTMLElement);
const subjectLine = find("subject", HTMLElement);
const status = find("status", HTMLElement);
const stop = find("stop", HTMLButtonElement);
const trouble = find("trouble", HTMLElement);
const results = find("results", HTMLOListElement);
const site = find("site", HTMLElement);
const welcome = find("welcome", HTMLElement);

/** @type {Promise<Kin> | undefined} */
let opening;
let firstAnswer = true;

/** The last text or file; nothing when the box is empty. @type {Subject | undefined} */
let written;

/** @type {AbortController | undefined} */
let running;

/** Of the search for a page that was named by words. @type {AbortController | undefined} */
let naming;

/** Of what is fetched for an answer by itself. */
let illustrating = new AbortController();

/** Runs the failed query again. @type {(() => void) | undefined} */
let whenOnline;

/** Titles met so far, by address. @type {Map<string, string>} */
const titles = new Map();

/** @returns {Promise<Kin>} */
function ready() {
  opening ??= open("./").then((kin) => {
    site.textContent = siteText(kin);
    return kin;
  }, (error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

// Looking up

/** @param {Subject} subject */
async function run(subject) {
  running?.abort();
  illustrating.abort();
  const controller = new AbortController();
  running = controller;
  const slow = setTimeout(() => {
    if (running === controller) showUnderWay();
  }, PATIENCE);
  try {
    const kin = await ready();
    const answer = await kin.similar(subject.query, { signal: controller.signal });
    if (running === controller) showAnswer(subject, answer, kin);
  } catch (error) {
    if (running === controller) showTrouble(subject, error, () => run(subject));
  } finally {
    clearTimeout(slow);
    if (running === controller) cancel();
  }
}

function cancel() {
  running?.abort();
  running = undefined;
  stop.hidden = true;
  results.ariaBusy = "false";
}

function showUnderWay() {
  status.textContent = "Searching …";
  results.ariaBusy = "true";
  stop.hidden = false;
}

/** @param {Subject | undefined} subject */
function clearAnswer(subject) {
  illustrating.abort();
  subjectLine.replaceChildren("Results", ...(subject ? [element("span", { class: "of" }, " for "), subject.name] : []));
  welcome.hidden = subject !== undefined;
  results.replaceChildren();
  trouble.replaceChildren();
  status.textContent = "";
  whenOnline = undefined;
}

/**
 * @param {Subject} subject
 * @param {Answer} answer
 * @param {Kin} kin
 */
function showAnswer(subject, answer, kin) {
  const { results: found, rankedBy, cost } = answer;
  clearAnswer(subject);
  const { query } = subject;
  site.textContent = siteText(kin);
  const costs = costText(cost, firstAnswer ? kin.opened : undefined);
  firstAnswer = false;
  const told = isOfPage(query) ? "" : languageText(answer, kin.info);
  const many = found.length === 0 ? "No pages found" : counted(found.length, "page");
  status.textContent = `${many}${found.length > 0 && found.every(({ weak }) => weak) ? ", weak matches only" : ""}: ${costs}${told ? `; text ${told}` : ""}`;
  for (const { url, title } of found) titles.set(url, title);
  const pages = new Pages(kin.info);
  const places = found.map((result) => whereParts(result, kin, query, pages));
  results.replaceChildren(...found.map((result, at) =>
    resultItem(result, rankedBy, query, kin.info, ({ url }) => pick(url, true), places[at].parts, nearParts(result, kin, query, pages))));
  if (found.length === 0) trouble.replaceChildren(nothingFound(isOfPage(query), kin.info));
  if (subject.focus) moveTo(subjectLine);
  illustrating = new AbortController();
  places[0]?.byItself(illustrating.signal);
}

/**
 * @param {Subject | undefined} subject
 * @param {unknown} error
 * @param {() => void} retry
 */
function showTrouble(subject, error, retry) {
  clearAnswer(subject);
  welcome.hidden = true;
  const code = error instanceof KinError ? error.code : "";
  if (code === "EmptyQuery") {
    status.textContent = sentence(/** @type {KinError} */ (error).message);
    return;
  }
  if (code === "Offline") whenOnline = retry;
  trouble.replaceChildren(troubleCard(error, retry, reload));
  if (subject?.focus) moveTo(subjectLine);
}

/** Reloads the page, and takes the text along: not every browser keeps what stands in a box. */
function reload() {
  try {
    history.replaceState({ text: text.value }, "");
  } finally { // some browsers refuse a very long text
    location.reload();
  }
}

/** @param {HTMLElement} heading */
function moveTo(heading) {
  heading.focus({ preventScroll: true });
  const { top } = heading.getBoundingClientRect();
  if (top >= 0 && top < innerHeight / 2) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  heading.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

// A text or a file

/** What the text box holds, as the subject. */
function readBox() {
  const content = text.value;
  const html = looksLikeHtml(content);
  written = content.trim() ? { query: html ? { html: content } : { text: content }, name: "your text" } : undefined;
  sayKind(html ? "Starts with a tag, so it is read as HTML, without menus and footers." : "");
}

/** @param {string} kind */
function sayKind(kind) {
  textKind.textContent = kind;
  textKind.hidden = kind === "";
}

/**
 * Looks up the text or file, or goes back to the start if there is none.
 *
 * @param {boolean} focus
 */
function runWritten(focus) {
  clearTimeout(pause);
  if (location.hash) history.pushState(null, "", location.pathname + location.search);
  leavePageBox("");
  if (written) run({ ...written, focus });
  else showStart();
}

function showStart() {
  cancel();
  clearAnswer(undefined);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

text.addEventListener("input", () => {
  readBox();
  leavePageBox(page.value); // a page that is still looked for would take the answer's place
  clearTimeout(pause);
  pause = setTimeout(() => runWritten(false), PAUSE);
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

/** @param {FileList} files */
async function takeFiles(files) {
  const file = files[0];
  if (!file) return;
  try {
    const { text: content, html } = await readTextFile(file);
    text.value = content.length <= SHOWN ? content : "";
    written = { query: html ? { html: content } : { text: content }, name: file.name };
    const others = files.length > 1 ? `, the first of ${files.length} files` : "";
    sayKind(`${file.name}: ${size(file.size)}${others}, read as ${html ? "HTML, without menus and footers" : "plain text"}.`);
    runWritten(true);
  } catch (error) {
    cancel();
    showTrouble({ query: "", name: file.name }, error, () => fileInput.click());
  }
}

find("choose", HTMLButtonElement).addEventListener("click", () => fileInput.click());

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

/** The page that the address names. */
function pickedUrl() {
  const encoded = location.hash.match(/^#url=(.+)/)?.[1];
  if (!encoded) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * @param {string} url
 * @param {boolean} focus
 */
function pick(url, focus) {
  clearTimeout(pause);
  if (pickedUrl() !== url) history.pushState(null, "", `#url=${encodeURIComponent(url).replaceAll("%2F", "/")}`);
  leavePageBox(url);
  run({ query: { url }, name: titles.get(url) || url, focus });
}

/** Looks up what the address names, or else the last text or file. */
function runAddress() {
  const url = pickedUrl();
  if (url !== undefined) return pick(url, false);
  leavePageBox("");
  if (written) run(written);
  else showStart();
}

/**
 * @param {string} words of a title or a heading
 * @param {AbortSignal} [signal]
 */
async function findPages(words, signal) {
  const kin = await ready();
  const { results: found } = await kin.find(words, { signal });
  for (const { url, title } of found) titles.set(url, title);
  return found;
}

const suggestions = suggestPages(page, find("page-list", HTMLUListElement), pageNote, findPages, (url) => pick(url, true));

/**
 * Looks up the page of an address, or else the first whose title or headings have these words.
 *
 * @param {string} value
 */
async function pickNamed(value) {
  if (looksLikeAddress(value)) return pick(value, true);
  leavePageBox(value);
  pageNote.textContent = "Searching for the page …";
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

/**
 * Ends what the box of pages is about.
 *
 * @param {string} value what stands in it then
 */
function leavePageBox(value) {
  naming?.abort();
  naming = undefined;
  suggestions.close();
  page.value = value;
}

page.addEventListener("input", () => {
  naming?.abort();
  naming = undefined;
});

pageForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const value = page.value.trim();
  if (value) pickNamed(value);
  else page.focus();
});

find("any-page", HTMLButtonElement).addEventListener("click", async () => {
  try {
    const pages = await (await ready()).pages();
    for (const { url, title } of pages) titles.set(url, title);
    pick(pages[Math.floor(Math.random() * pages.length)].url, true);
  } catch (error) {
    showTrouble({ query: "", name: "a page of this site" }, error, () => find("any-page", HTMLButtonElement).click());
  }
});

// The rest

stop.addEventListener("click", () => {
  cancel();
  status.textContent = "Stopped.";
  text.focus();
});

addEventListener("popstate", runAddress);
addEventListener("pagekin:reload", (event) => { // by `pagekin build --serve --watch`
  event.preventDefault();
  reload();
});
addEventListener("online", () => whenOnline?.());

/** Opens the index at once: it is small, and a mistake in publishing shows without a query. */
function start() {
  ready().then(() => { if (!running) showStart(); }, (error) => showTrouble(undefined, error, start));
}

find("asleep", HTMLElement).remove();
text.value ||= history.state?.text ?? "";
history.replaceState(null, ""); // a text that is cleared stays so
readBox(); // what was kept over a reload
start();
if (pickedUrl() !== undefined || written) runAddress();
