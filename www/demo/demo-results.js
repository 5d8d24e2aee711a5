// @ts-check
/**
 * Shows the answer to a query: results, clusters, costs, errors and the map.
 *
 * @import {Answer, Excerpt, Kin, KinQuery, SimilarResult, Neighborhood, SitePage} from "../client/pagekin.js"
 * @typedef {{query: KinQuery, name: string, focus?: boolean, cluster?: boolean, keep?: boolean}} Subject
 *   `focus`: move the focus to the answer, because the visitor requested it and did not just type;
 *   `cluster`: show the pages around the queried one; `keep`: may be stored among recent texts
 * @typedef {[page: string, found: SimilarResult[], items: Element[]]} Judged
 */
import {
  button, buttonFor, clusterName, costText, counted, element, find, foundText, hashOf, isOfPage, languageText, LISTS, nothingFound, unmatchedText, openedText, resultItem, sentence, siteText, titleOf, troubleCard,
} from "./demo-draw.js";
import { nearParts } from "./demo-near.js";
import { Passages, prepare } from "../client/passages.js";
import { Pages } from "../client/site-pages.js";
import { whereParts } from "./demo-where.js";
import { KinError } from "./pagekin.js";

/** Number of results of each of two lists to show at first. */
const SHORT = 5;

const subjectLine = find("subject");
const status = find("status");
const stop = find("stop");
const trouble = find("trouble");
const resultsName = find("results-name");
const results = find("results");
const otherResults = find("others");
const site = find("site");
const welcome = find("welcome");
const tools = find("tools");
const clusterLine = find("cluster");
const mapButton = find("map-button");
const map = find("map");
const shareNote = find("share-note");
const otherClusters = find("beside-clusters");
const cost = find("cost");

/** Titles of pages seen so far, by URL. @type {Map<string, string>} */
export const titles = new Map();

/** Whether the next answer is the first one, whose cost includes opening the index. */
let isFirst = true;

/**
 * State of the answer on the page. Each answer starts with a new one.
 *
 * @typedef {object} Shown
 * @property {AbortController} loading aborts what is fetched for the answer automatically
 * @property {{subject: Subject, kin: Kin, found: number}} [mapped] the subject of the map
 * @property {Judged} [judged] results that can be judged
 * @property {() => void} [retry] runs the failed query again, when the device is online
 */

/** @type {Shown} */
export let shown = { loading: new AbortController() };

/**
 * Actions of the page. `pick`: finds pages similar to one; `retry`: runs the query again; `reload`:
 * reloads the page; `answered`: called when an answer is shown.
 *
 * @type {{pick: (url: string, focus: boolean) => void, retry: () => void, reload: () => void, answered: (subject: Subject) => void}}
 */
let page;

/** @param {typeof page} actions */
export function connect(actions) {
  page = actions;
}

/** @param {Kin} kin */
export function showSite(kin) {
  site.textContent = siteText(kin);
}

/** @param {boolean} isRunning whether a query is running */
export function showProgress(isRunning) {
  if (isRunning) status.textContent = "Searching…";
  results.ariaBusy = String(isRunning);
  stop.hidden = !isRunning;
}

/** @param {Subject} [subject] */
export function clearAnswer(subject) {
  shown.loading.abort();
  shown = { loading: new AbortController() };
  if (subject?.cluster) subjectLine.replaceChildren(subject.name);
  else subjectLine.replaceChildren("Results", ...(subject ? [element("span", { class: "of" }, " for "), subject.name] : []));
  welcome.hidden = subject !== undefined;
  for (const part of [resultsName, results, otherResults, trouble, otherClusters, map, shareNote, status]) part.replaceChildren();
  for (const part of [map, tools, cost, find("judge")]) part.hidden = true;
  results.classList.remove("short");
  mapButton.ariaExpanded = "false";
}

/**
 * Shows what an answer cost, collapsed.
 *
 * @param {Kin} kin
 * @param {Answer["cost"]} spent
 * @param {string} language
 */
function showCost(kin, spent, language) {
  const lines = [costText(spent, isFirst ? kin.opened : undefined), openedText(kin), ...(language ? [language] : [])];
  isFirst = false;
  cost.lastElementChild?.replaceChildren(...lines.map((line) => element("li", {}, line)));
  cost.hidden = false;
}

/**
 * Shows an answer. Before, reads the pages of its first results, because one that contains the text
 * word for word comes first.
 *
 * @param {Subject} subject
 * @param {Answer} answer
 * @param {Kin} kin
 * @param {Neighborhood | undefined} around
 * @param {AbortSignal} signal
 */
export async function showAnswer(subject, answer, kin, around, signal) {
  const { results, rankedBy } = answer;
  const { query } = subject;
  const loading = new AbortController();
  const stop = () => loading.abort();
  signal.addEventListener("abort", stop);
  const pages = new Pages(kin);
  /** @type {Map<string, (excerpt: Excerpt | undefined) => void>} */
  const places = new Map();
  const passages = new Passages({ kin, pages, query, signal: loading.signal }, ({ url }, excerpt) => places.get(url)?.(excerpt));
  prepare(kin);
  const ordered = rankedBy === "coverage" && !isOfPage(query) ? await passages.ordered(results) : results;
  if (signal.aborted) return;
  signal.removeEventListener("abort", stop);
  draw(subject, { ...answer, results: ordered }, kin, around, { loading, pages, passages, places });
}

/**
 * @param {Subject} subject
 * @param {Answer} answer
 * @param {Kin} kin
 * @param {Neighborhood | undefined} around
 * @param {{loading: AbortController, pages: Pages, passages: Passages, places: Map<string, (excerpt: Excerpt | undefined) => void>}} reading
 */
function draw(subject, answer, kin, around, { loading, pages, passages, places }) {
  const { results: found, rankedBy, otherResults: others, language } = answer;
  if (around) subject = { ...subject, name: around.pages[0].title || subject.name };
  clearAnswer(subject);
  shown.loading = loading;
  const { query } = subject;
  showSite(kin);
  const languageNote = isOfPage(query) ? "" : languageText(answer, kin.info);
  showCost(kin, answer.cost, languageNote);
  const isSure = language && language.by !== "assumed";
  // The grades are based on the index, until a page itself is read.
  const showStatus = () => {
    status.textContent = [`${foundText(found)}.`, unmatchedText(answer), isSure ? "" : languageNote].filter(Boolean).join(" ");
  };
  showStatus();
  tools.hidden = found.length === 0;
  shown.mapped = { subject, kin, found: found.length };
  showClusterOf(around);
  for (const { url, title } of [...found, ...others]) titles.set(url, title);
  /** @type {Map<Element, SimilarResult>} */
  const items = new Map();
  /** @param {SimilarResult} result @param {Answer["rankedBy"]} by */
  const itemOf = (result, by) => {
    const { parts, show } = whereParts(result, kin, query, pages);
    const before = places.get(result.url);
    places.set(result.url, (excerpt) => {
      before?.(excerpt);
      show(excerpt);
      if (excerpt?.verbatim) showStatus();
    });
    const item = resultItem(result, by, query, kin.info, { where: parts, near: nearParts(result, query), actions: actionsOf(result, kin, query, pages) });
    items.set(item, result);
    return item;
  };
  results.replaceChildren(...found.map((result) => itemOf(result, rankedBy)));
  if (others.length > 0) showOthers(others, rankedBy, itemOf);
  passages.watch(items);
  shown.judged = around && [around.pages[0].url, found, [...results.children]];
  page.answered(subject);
  if (found.length === 0) trouble.replaceChildren(nothingFound(isOfPage(query), kin.info));
  if (subject.focus) moveTo(subjectLine);
}

/**
 * Shows the list ranked by the other score, below the first results.
 *
 * @param {SimilarResult[]} others
 * @param {Answer["rankedBy"]} first
 * @param {(result: SimilarResult, by: Answer["rankedBy"]) => Element} itemOf
 */
function showOthers(others, first, itemOf) {
  const second = first === "coverage" ? "similarity" : "coverage";
  const heading = element("h3", { id: "others-name", class: "list-name" }, LISTS[second]);
  const list = element("ol", { class: "results", role: "list", "aria-labelledby": heading.id }, ...others.slice(0, SHORT).map((result) => itemOf(result, second)));
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
  const compare = buttonFor("Side by side", `: ${name}`, async () => {
    try {
      const { openBeside } = await import("./demo-beside.js");
      await openBeside(result, kin, query, pages, () => compare.focus());
    } catch (error) {
      showTrouble(undefined, error, page.retry);
    }
  });
  return [similar, compare];
}

/** @param {SitePage} result */
const similarButton = ({ url, title }) => buttonFor("Similar pages", `: ${title || url}`, () => page.pick(url, true));

/**
 * Shows which cluster contains the queried page.
 *
 * @param {Neighborhood} [around]
 */
function showClusterOf(around) {
  const at = around?.pages[0]?.cluster;
  const cluster = at === undefined ? undefined : around?.clusters[at];
  clusterLine.hidden = !cluster;
  if (!cluster) return;
  const { url, title, pages } = cluster;
  clusterLine.replaceChildren(`One of ${counted(pages, "page")} around `, element("a", { href: hashOf("cluster", url) }, title || url));
}

/**
 * Shows the cluster of a page: its pages, and neighboring clusters.
 *
 * @param {Subject} subject
 * @param {Neighborhood} around
 * @param {Kin} kin
 */
export function showCluster(subject, around, kin) {
  const { pages, clusters } = around;
  const isCluster = pages.length > 1;
  clearAnswer({ ...subject, name: isCluster ? clusterName(clusters[0]) : pages[0].title || pages[0].url });
  showSite(kin);
  showCost(kin, around.cost, "");
  for (const { url, title } of pages) titles.set(url, title);
  status.textContent = isCluster ? "All are similar to the first." : "No nearby page is similar to it.";
  tools.hidden = false;
  clusterLine.hidden = true;
  shown.mapped = { subject, kin, found: pages.length - 1 };
  results.replaceChildren(...pages.map((page) => element("li", { class: "result plain" },
    element("div", { class: "details" }, titleOf(page, kin.info), element("p", { class: "address" }, element("span", {}, page.url))), similarButton(page))));
  const others = clusters.slice(isCluster ? 1 : 0);
  if (others.length > 0) {
    otherClusters.replaceChildren(
      element("h3", {}, "Other clusters"),
      element("ul", { class: "clusters", role: "list" }, ...others.map((cluster) =>
        element("li", {}, element("a", { href: hashOf("cluster", cluster.url) }, clusterName(cluster))))));
  }
  if (subject.focus) moveTo(subjectLine);
}

mapButton.addEventListener("click", async () => {
  map.hidden = !map.hidden;
  mapButton.ariaExpanded = String(!map.hidden);
  if (map.hidden || !shown.mapped || map.childElementCount > 0) return;
  const { mapped: { subject, kin, found }, loading: { signal } } = shown;
  try {
    const ofPage = isOfPage(subject.query);
    const [around, { drawMap }] = await Promise.all([kin.around(subject.query, { cluster: subject.cluster, signal }), import("./demo-map.js")]);
    if (signal.aborted) return;
    map.replaceChildren(drawMap(around, { middle: subject.cluster ? around.pages[0].title : subject.name, ofPage, results: found, info: kin.info }));
  } catch (error) {
    if (!signal.aborted) map.replaceChildren(element("p", { role: "alert" }, sentence(error instanceof Error ? error.message : String(error))));
  }
});

/**
 * @param {Subject | undefined} subject
 * @param {unknown} error
 * @param {() => void} retry
 */
export function showTrouble(subject, error, retry) {
  clearAnswer(subject);
  welcome.hidden = true;
  const code = error instanceof KinError ? error.code : "";
  if (code === "EmptyQuery") {
    status.textContent = sentence(/** @type {KinError} */ (error).message);
    return;
  }
  if (code === "Offline") shown.retry = retry;
  trouble.replaceChildren(troubleCard(error, retry, page.reload));
  if (subject?.focus) moveTo(subjectLine);
}

/** @param {HTMLElement} heading */
function moveTo(heading) {
  heading.focus({ preventScroll: true });
  const { top } = heading.getBoundingClientRect();
  if (top >= 0 && top < innerHeight / 2) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  heading.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}
