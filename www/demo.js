// @ts-check
/**
 * The demo page: takes a text, a file or a page of the site, and shows its kin.
 *
 * What is looked for is either the page named in the address (`#url=…`, to be shared and gone back to), or
 * the last text or file, which stays in this page's memory.
 *
 * @import {Answer, Kin, KinQuery} from "./pagekin.js"
 * @typedef {{query: KinQuery, name: string, focus?: boolean}} Subject `focus`: go to the answer when it is there, since it was asked for and not just typed
 */
import { costText, counted, element, nothingFound, resultItem, sentence, siteText, size, troubleCard } from "./demo-draw.js";
import { looksLikeHtml, readTextFile } from "./demo-file.js";
import { nearParts } from "./demo-near.js";
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

/** Runs the failed query again. @type {(() => void) | undefined} */
let whenOnline;

/** Titles met so far, by address. @type {Map<string, string>} */
const titles = new Map();

/** @type {Promise<void> | undefined} */
let picking;

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
  status.textContent = "Looking for kin …";
  results.ariaBusy = "true";
  stop.hidden = false;
}

/** @param {Subject | undefined} subject */
function clearAnswer(subject) {
  subjectLine.replaceChildren("Kin", ...(subject ? [element("span", { class: "of" }, " of "), subject.name] : []));
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
function showAnswer(subject, { results: found, cost }, kin) {
  clearAnswer(subject);
  site.textContent = siteText(kin);
  const costs = costText(cost, firstAnswer ? kin.opened : undefined);
  firstAnswer = false;
  status.textContent = `${found.length === 0 ? "No kin found" : counted(found.length, "page")}: ${costs}`;
  for (const { url, title } of found) titles.set(url, title);
  results.replaceChildren(...found.map((result) => resultItem(result, kin.info, ({ url }) => pick(url, true), nearParts(result, kin, subject))));
  if (found.length === 0) trouble.replaceChildren(nothingFound(isOfPage(subject), kin.info));
  if (subject.focus) moveTo(subjectLine);
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

/** @param {Subject} subject */
const isOfPage = ({ query }) => typeof query === "object" && "url" in query;

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
  sayKind(html ? "Begins with a tag, so it is read as HTML: its menus and footers are left out." : "");
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
  page.value = "";
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
    sayKind(`${file.name}: ${size(file.size)}${others}, read as ${html ? "HTML: its menus and footers are left out" : "plain text"}.`);
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
  page.value = url;
  run({ query: { url }, name: titles.get(url) || url, focus });
}

/** Looks up what the address names, or else the last text or file. */
function runAddress() {
  const url = pickedUrl();
  if (url !== undefined) return pick(url, false);
  page.value = "";
  if (written) run(written);
  else showStart();
}

/** Fetches the pages to pick from, once they are asked for. */
function fillPages() {
  picking ??= ready().then((kin) => kin.pages()).then((pages) => {
    for (const { url, title } of pages) titles.set(url, title);
    find("pages", HTMLDataListElement).replaceChildren(...pages.map(({ url, title }) => element("option", { value: url, label: title })));
  }).catch((error) => {
    picking = undefined;
    throw error;
  });
  return picking;
}

/** The address, if `value` is the title of a page. @param {string} value */
function addressOf(value) {
  for (const [url, title] of titles) if (title === value) return url;
  return value;
}

page.addEventListener("focus", () => {
  fillPages().catch(() => {}); // typing an address works without them
});

page.addEventListener("input", (event) => {
  const chosen = !(event instanceof InputEvent) || event.inputType === "insertReplacementText";
  if (chosen && titles.has(page.value)) pick(page.value, false);
});

pageForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const value = page.value.trim();
  if (value) pick(addressOf(value), true);
  else page.focus();
});

find("any-page", HTMLButtonElement).addEventListener("click", async () => {
  try {
    await fillPages();
    const urls = [...titles.keys()];
    pick(urls[Math.floor(Math.random() * urls.length)], true);
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
