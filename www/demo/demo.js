// @ts-check
/**
 * The demo page: finds the pages of the site that contain or resemble a text, a file or a page.
 *
 * demo-input.js reads the query, demo-query.js runs it, and demo-results.js shows the answer. What
 * an answer does not need is loaded later: the map, the comparison of a result with the text,
 * recent texts and judgments.
 *
 * @import {Kin} from "../client/pagekin.js"
 */
import { button, element, find } from "./demo-draw.js";
import { leavePageBox, pick, readBox, submitText, target, text, written } from "./demo-input.js";
import { cancel, ready, run, running, showStart } from "./demo-query.js";
import { connect, shown, showTrouble } from "./demo-results.js";

/** Number of examples, and the range of their number of words. */
const EXAMPLES = 4;
const MIN_WORDS = 3;
const MAX_WORDS = 9;

const shareNote = find("share-note");
const welcome = find("welcome");
const recent = find("recent");

/** Recent texts, once loaded. @type {ReturnType<typeof import("./demo-recent.js").recentTexts> | undefined} */
let recents;

/** Judgments, once loaded. @type {ReturnType<typeof import("./demo-judge.js").judging> | undefined} */
let judges;

connect({
  pick,
  retry: runAddress,
  reload,
  answered({ query, keep }) {
    if (keep && typeof query === "object" && "text" in query) recents?.keep(query.text);
    if (shown.judged) judges?.show(...shown.judged);
  },
});

/** Runs the query that the URL names, or else the last text or file. */
function runAddress() {
  const named = target();
  if (named) return pick(named.url, followed, named.kind);
  leavePageBox("");
  if (written) run(written);
  else showStart();
}

/**
 * Reloads the page and preserves the text, because not every browser restores the content of a box.
 */
function reload() {
  try {
    history.replaceState({ text: text.value }, "");
  } finally { // some browsers refuse a very long text
    location.reload();
  }
}

find("share").addEventListener("click", async () => {
  const leads = target() ? "It opens this answer." : "It opens this page. Links never contain your text.";
  try {
    await navigator.clipboard.writeText(location.href);
    shareNote.textContent = `Link copied. ${leads}`;
  } catch {
    shareNote.replaceChildren("Copy this link: ", element("code", {}, location.href), `. ${leads}`);
  }
});

find("stop").addEventListener("click", () => {
  cancel();
  find("status").textContent = "Stopped.";
  text.focus();
});

/** Whether a link within the page was followed. Then the focus moves to the answer. */
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
addEventListener("online", () => shown.retry?.());

/** Opens the index immediately: it is small, and publishing errors show without a query. */
function start() {
  ready().then(() => { if (!running) showStart(); }, (error) => showTrouble(undefined, error, start));
}

find("asleep").remove();
text.value ||= history.state?.text ?? "";
history.replaceState(null, ""); // so that a cleared text stays cleared
readBox(); // the text may have survived a reload
start();
if (target() || written) runAddress();
welcome.hidden = Boolean(target() || written);

/** Loads what can wait until the page is shown and the index is open. */
async function later() {
  const [{ recentTexts }, { judging }] = await Promise.all([import("./demo-recent.js"), import("./demo-judge.js")]);
  recents = recentTexts(recent, submitText);
  judges = judging(find("judge", HTMLDetailsElement));
  // An answer may already be shown.
  if (shown.judged) judges.show(...shown.judged);
}

/**
 * Shows examples from the site itself: titles of a few words, spread evenly over the site, the same
 * at each visit.
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
  find("examples").replaceChildren(...chosen.map((title) => element("li", { dir: "auto" }, button(title, () => submitText(title)))));
}

ready().then((kin) => {
  const idle = window.requestIdleCallback ?? setTimeout;
  idle(() => {
    later().catch(() => { recent.hidden = true; });
    // Errors of the index are shown when it is queried.
    if (!welcome.hidden) showExamples(kin).catch(() => {});
  });
}, () => {});
