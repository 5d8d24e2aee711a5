// @ts-check
/**
 * The demo page: takes a text, a file or a page of the site, and shows matching pages.
 *
 * What is looked for is either what the address names, to be shared and gone back to: a page
 * (`#url=…`) or the cluster around one (`#cluster=…`); or the last text or file, which stays in
 * this page's memory.
 *
 * What is not needed for an answer comes when it is: the map, a result side by side with the text,
 * recent texts, judgments.
 *
 * @import {Answer, Kin, KinQuery, SimilarResult, Neighborhood, SitePage} from "../client/pagekin.js"
 * @typedef {{query: KinQuery, name: string, focus?: boolean, cluster?: boolean, keep?: boolean}} Subject
 *   `focus`: go to the answer when it is there, since it was asked for and not just typed;
 *   `cluster`: the pages around it are wanted; `keep`: worth keeping among recent texts
 */
import {
  button, buttonFor, clusterName, costText, counted, element, foundText, hashOf, isOfPage, languageText, LISTS, nothingFound, unmatchedText, openedText, resultItem, sentence, siteText, size, titleOf, troubleCard,
} from "./demo-draw.js";
import { MAX_TEXT } from "../client/limits.js";
import { looksLikeHtml, readTextFile } from "../client/text-file.js";
import { looksLikeAddress, NONE, suggestPages } from "./demo-find.js";
import { nearParts } from "./demo-near.js";
import { Pages } from "../client/site-pages.js";
import { whereParts } from "./demo-where.js";
import { KinError, open } from "./pagekin.js";

/** After the last key, in milliseconds. */
const PAUSE = 300;

/** Until a query is said to be under way: quick ones should not flicker. */
const PATIENCE = 250;

/**
 * A text above this many characters is looked up, but not shown in the text box, in which one could
 * not type any more.
 */
const SHOWN = 200_000;

/** Of two lists, so many results of each are shown at once. */
const SHORT = 5;

/** So many examples, of so many words. */
const EXAMPLES = 4;
const MIN_WORDS = 3;
const MAX_WORDS = 9;

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
const resultsName = find("results-name", HTMLHeadingElement);
const results = find("results", HTMLOListElement);
const otherResults = find("others", HTMLElement);
const site = find("site", HTMLElement);
const welcome = find("welcome", HTMLElement);
const examples = find("examples", HTMLUListElement);
const tools = find("tools", HTMLElement);
const clusterLine = find("cluster", HTMLElement);
const mapButton = find("map-button", HTMLButtonElement);
const map = find("map", HTMLElement);
const shareNote = find("share-note", HTMLElement);
const besideClusters = find("beside-clusters", HTMLElement);
const cost = find("cost", HTMLDetailsElement);
const recent = find("recent", HTMLDetailsElement);
const judge = find("judge", HTMLDetailsElement);

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

/** What the map is of: the last answer. @type {{subject: Subject, kin: Kin, found: number} | undefined} */
let answered;

/** Of texts that are kept, once that is there. @type {{keep: (text: string) => void} | undefined} */
let recents;

/** What is said of results, once that is there. @type {ReturnType<typeof import("./demo-judge.js").judging> | undefined} */
let judges;

/** Of the last answer. @type {Parameters<NonNullable<typeof judges>["show"]> | undefined} */
let judged;

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
    const { signal } = controller;
    if (subject.cluster) {
      const around = await kin.around(subject.query, { cluster: true, signal });
      if (running === controller) showCluster(subject, around, kin);
      return;
    }
    const answer = await kin.similar(subject.query, { signal });
    // Nothing more is read for it.
    const around = isOfPage(subject.query) ? await kin.around(subject.query, { signal }) : undefined;
    if (running === controller) showAnswer(subject, answer, kin, around);
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
  status.textContent = "Searching…";
  results.ariaBusy = "true";
  stop.hidden = false;
}

/** @param {Subject | undefined} subject */
function clearAnswer(subject) {
  illustrating.abort();
  illustrating = new AbortController();
  if (subject?.cluster) subjectLine.replaceChildren(subject.name);
  else subjectLine.replaceChildren("Results", ...(subject ? [element("span", { class: "of" }, " for "), subject.name] : []));
  welcome.hidden = subject !== undefined;
  for (const part of [resultsName, results, otherResults, trouble]) part.replaceChildren();
  results.classList.remove("short");
  besideClusters.replaceChildren();
  map.replaceChildren();
  map.hidden = true;
  mapButton.ariaExpanded = "false";
  tools.hidden = true;
  cost.hidden = true;
  judge.hidden = true;
  shareNote.textContent = "";
  status.textContent = "";
  answered = undefined;
  judged = undefined;
  whenOnline = undefined;
}

/**
 * What an answer cost, on demand.
 *
 * @param {Kin} kin
 * @param {Answer["cost"]} spent
 * @param {string} language
 */
function showCost(kin, spent, language) {
  const lines = [costText(spent, firstAnswer ? kin.opened : undefined), openedText(kin), ...(language ? [language] : [])];
  firstAnswer = false;
  cost.lastElementChild?.replaceChildren(...lines.map((line) => element("li", {}, line)));
  cost.hidden = false;
}

/**
 * @param {Subject} subject
 * @param {Answer} answer
 * @param {Kin} kin
 * @param {Neighborhood} [around]
 */
function showAnswer(subject, answer, kin, around) {
  const { results: found, rankedBy, otherResults: others, language } = answer;
  if (around) subject = { ...subject, name: around.pages[0].title || subject.name };
  clearAnswer(subject);
  const { query } = subject;
  site.textContent = siteText(kin);
  const told = isOfPage(query) ? "" : languageText(answer, kin.info);
  showCost(kin, answer.cost, told);
  const isSure = language && language.by !== "assumed";
  // Confidences are of what an index knows, until a page itself is read.
  const tell = () => {
    status.textContent = [`${foundText(found)}.`, unmatchedText(answer), isSure ? "" : told].filter(Boolean).join(" ");
  };
  tell();
  tools.hidden = found.length === 0;
  answered = { subject, kin, found: found.length };
  tellCluster(around);
  if (subject.keep && typeof query === "object" && "text" in query) recents?.keep(query.text);
  for (const { url, title } of [...found, ...others]) titles.set(url, title);
  const pages = new Pages(kin);
  const places = found.map((result) => whereParts(result, kin, query, pages, () => {
    result.confidence = "high";
    tell();
  }));
  results.replaceChildren(...found.map((result, at) =>
    resultItem(result, rankedBy, query, kin.info, { where: places[at].parts, near: nearParts(result, query), actions: actionsOf(result, kin, query, pages) })));
  if (others.length > 0) showOthers(others, rankedBy, kin, query, pages);
  judged = around && [around.pages[0].url, found, [...results.children]];
  if (judged) judges?.show(...judged);
  if (found.length === 0) trouble.replaceChildren(nothingFound(isOfPage(query), kin.info));
  if (subject.focus) moveTo(subjectLine);
  places[0]?.byItself(illustrating.signal);
}

/**
 * The list by the other score, below the beginning of the first.
 *
 * @param {SimilarResult[]} others
 * @param {Answer["rankedBy"]} first
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 */
function showOthers(others, first, kin, query, pages) {
  const second = first === "coverage" ? "similarity" : "coverage";
  const heading = element("h3", { id: "others-name", class: "list-name" }, LISTS[second]);
  const list = element("ol", { class: "results", role: "list", "aria-labelledby": heading.id }, ...others.slice(0, SHORT).map((result) =>
    resultItem(result, second, query, kin.info, { where: [], near: nearParts(result, query), actions: actionsOf(result, kin, query, pages) })));
  const more = button("Show more", () => {
    results.classList.remove("short");
    const next = results.children[SHORT].querySelector("a");
    more.remove();
    next?.focus();
  });
  resultsName.textContent = LISTS[first];
  results.classList.add("short");
  otherResults.replaceChildren(...(results.childElementCount > SHORT ? [more] : []), heading, list);
}

/**
 * @param {SimilarResult} result
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 */
function actionsOf(result, kin, query, pages) {
  const name = result.title || result.url;
  const similar = similarButton(result);
  if (!pages.hrefOf(result.url)) return [similar];
  const beside = buttonFor("Side by side", `: ${name}`, async () => {
    try {
      const { openBeside } = await import("./demo-beside.js");
      await openBeside(result, kin, query, pages, () => beside.focus());
    } catch (error) {
      showTrouble(undefined, error, runAddress);
    }
  });
  return [similar, beside];
}

/** @param {SitePage} page */
const similarButton = ({ url, title }) => buttonFor("Similar pages", `: ${title || url}`, () => pick(url, true));

/**
 * Says which cluster the page that was asked for is in.
 *
 * @param {Neighborhood | undefined} around
 */
function tellCluster(around) {
  const at = around?.pages[0]?.cluster;
  const cluster = at === undefined ? undefined : around?.clusters[at];
  clusterLine.hidden = !cluster;
  if (!cluster) return;
  const { url, title, pages } = cluster;
  clusterLine.replaceChildren(`One of ${counted(pages, "page")} around `, element("a", { href: hashOf("cluster", url) }, title || url));
}

/**
 * The cluster of a page: its pages, and other clusters beside it.
 *
 * @param {Subject} subject
 * @param {Neighborhood} around
 * @param {Kin} kin
 */
function showCluster(subject, around, kin) {
  const { pages, clusters } = around;
  const isCluster = pages.length > 1;
  clearAnswer({ ...subject, name: isCluster ? clusterName(clusters[0]) : pages[0].title || pages[0].url });
  site.textContent = siteText(kin);
  showCost(kin, around.cost, "");
  for (const { url, title } of pages) titles.set(url, title);
  status.textContent = isCluster ? "All are similar to the first." : "No nearby page is similar to it.";
  tools.hidden = false;
  clusterLine.hidden = true;
  answered = { subject, kin, found: pages.length - 1 };
  results.replaceChildren(...pages.map((page) => element("li", { class: "result plain" },
    element("div", { class: "details" }, titleOf(page, kin.info), element("p", { class: "address" }, element("span", {}, page.url))), similarButton(page))));
  const others = clusters.slice(isCluster ? 1 : 0);
  if (others.length > 0) {
    besideClusters.replaceChildren(
      element("h3", {}, "Other clusters"),
      element("ul", { class: "clusters", role: "list" }, ...others.map((cluster) =>
        element("li", {}, element("a", { href: hashOf("cluster", cluster.url) }, clusterName(cluster))))));
  }
  if (subject.focus) moveTo(subjectLine);
}

mapButton.addEventListener("click", async () => {
  map.hidden = !map.hidden;
  mapButton.ariaExpanded = String(!map.hidden);
  if (map.hidden || !answered || map.childElementCount > 0) return;
  const { subject, kin, found } = answered;
  const { signal } = illustrating;
  try {
    const ofPage = isOfPage(subject.query);
    const [around, { drawMap }] = await Promise.all([kin.around(subject.query, { cluster: subject.cluster, signal }), import("./demo-map.js")]);
    if (signal.aborted) return;
    map.replaceChildren(drawMap(around, { middle: subject.cluster ? around.pages[0].title : subject.name, ofPage, results: found, info: kin.info }));
  } catch (error) {
    if (!signal.aborted) map.replaceChildren(element("p", { role: "alert" }, sentence(error instanceof Error ? error.message : String(error))));
  }
});

find("share", HTMLButtonElement).addEventListener("click", async () => {
  const named = target() !== undefined;
  const leads = named ? "It opens this answer." : "It opens this page. Links never contain your text.";
  try {
    await navigator.clipboard.writeText(location.href);
    shareNote.textContent = `Link copied. ${leads}`;
  } catch {
    shareNote.replaceChildren("Copy this link: ", element("code", {}, location.href), `. ${leads}`);
  }
});

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
  fromBox = true;
  written = content.trim() ? { query: html ? { html: content } : { text: content }, name: "your text" } : undefined;
  sayKind((html ? "Starts with a tag, so it is read as HTML without menus and footers." : "") + cutNote(content.length));
}

/** @param {number} length of a text */
const cutNote = (length) => (length > MAX_TEXT ? " Only the first million characters are used." : "");

/** @param {string} kind */
function sayKind(kind) {
  textKind.textContent = kind.trim();
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
  if (written) run({ ...written, focus, keep: fromBox && (focus || pasted) });
  else showStart();
  pasted = false;
}

function showStart() {
  cancel();
  clearAnswer(undefined);
}

/** Whether what is looked for stands in the box, and whether it was pasted there. */
let fromBox = false;
let pasted = false;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

text.addEventListener("input", () => {
  readBox();
  leavePageBox(page.value); // a page that is still looked for would take the answer's place
  clearTimeout(pause);
  pause = setTimeout(() => runWritten(false), PAUSE);
});

text.addEventListener("paste", (event) => {
  pasted = true;
  const content = event.clipboardData?.getData("text/plain") ?? "";
  if (content.length <= SHOWN) return;
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
 * Looks up a text that was not typed.
 *
 * @param {string} content
 * @param {string} name
 * @param {boolean} html
 * @param {string} kind what is said of it
 */
function takeText(content, name, html, kind) {
  text.value = content.length <= SHOWN ? content : "";
  fromBox = false;
  written = { query: html ? { html: content } : { text: content }, name };
  sayKind(`${kind} read as ${html ? "HTML without menus and footers" : "plain text"}.${cutNote(content.length)}`);
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

/**
 * What the address names: a page, or the cluster around it.
 *
 * @returns {{kind: "url" | "cluster", url: string} | undefined}
 */
function target() {
  const [, kind, encoded] = location.hash.match(/^#(url|cluster)=(.+)/) ?? [];
  if (!encoded || (kind !== "url" && kind !== "cluster")) return undefined;
  try {
    return { kind, url: decodeURIComponent(encoded) };
  } catch {
    return { kind, url: encoded };
  }
}

/**
 * @param {string} url
 * @param {boolean} focus
 * @param {"url" | "cluster"} [kind]
 */
function pick(url, focus, kind = "url") {
  clearTimeout(pause);
  const now = target();
  if (now?.url !== url || now.kind !== kind) history.pushState(null, "", hashOf(kind, url));
  leavePageBox(kind === "url" ? url : "");
  run({ query: { url }, name: titles.get(url) || url, focus, cluster: kind === "cluster" });
}

/** Looks up what the address names, or else the last text or file. */
function runAddress() {
  const named = target();
  if (named) return pick(named.url, followed, named.kind);
  leavePageBox("");
  if (written) run(written);
  else showStart();
}

/**
 * @param {string} words as one types them
 * @param {AbortSignal} [signal]
 */
async function findPages(words, signal) {
  const kin = await ready();
  const { results: found } = await kin.search(words, { signal });
  for (const { url, title } of found) titles.set(url, title);
  return found;
}

const suggestions = suggestPages(page, find("page-list", HTMLUListElement), pageNote, findPages, (url) => pick(url, true));

/**
 * Looks up the page of an address, or else the first that these words are meant for.
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

/** Whether a link within the page was followed: then the answer is gone to. */
let followed = false;

document.addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest("a") : null;
  followed = link?.getAttribute("href")?.startsWith("#") ?? false;
});

addEventListener("popstate", () => {
  runAddress();
  followed = false;
});
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
if (target() || written) runAddress();
welcome.hidden = Boolean(target() || written);

/** What can wait until the page stands and the index is open. */
async function later() {
  const [{ recentTexts }, { judging }] = await Promise.all([import("./demo-recent.js"), import("./demo-judge.js")]);
  recents = recentTexts(recent, (kept) => {
    text.value = kept;
    readBox();
    runWritten(true);
  });
  judges = judging(judge);
  // An answer may have come before.
  if (judged) judges.show(...judged);
}

/**
 * Examples from the site itself: titles of a few words, of pages spread over it, the same at each
 * visit.
 *
 * @param {Kin} kin
 */
async function showExamples(kin) {
  const pages = await kin.pages();
  const fit = [...new Set(pages.map(({ title }) => title))].filter((title) => {
    const words = title.split(/\s+/).length;
    return words >= MIN_WORDS && words <= MAX_WORDS;
  });
  const step = Math.max(1, fit.length / EXAMPLES);
  const chosen = Array.from({ length: Math.min(EXAMPLES, fit.length) }, (_, at) => fit[Math.floor((at + 0.5) * step)]);
  examples.replaceChildren(...chosen.map((title) => element("li", { dir: "auto" }, button(title, () => {
    text.value = title;
    readBox();
    runWritten(true);
  }))));
}

ready().then((kin) => {
  const idle = window.requestIdleCallback ?? setTimeout;
  idle(() => {
    later().catch(() => { recent.hidden = true; });
    // the index's own trouble is told when it is asked
    if (!welcome.hidden) showExamples(kin).catch(() => {});
  });
}, () => {});
