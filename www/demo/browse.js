// @ts-check
/**
 * The browse page, which `pagekin build --pages browse` writes: nested topics that contain pages.
 * The contents of a topic are drawn when it is opened. On a site of more than 400 pages, they are
 * also fetched then. `#bread/rye-sourdough` opens a topic by the labels of its path.
 *
 * @typedef {{topics: Topic[], items: [url: string, title: string][]}} Below
 * @typedef {{label: string[], title: string, pages: number, rest?: boolean, file?: string} & Partial<Below>} Topic
 * @typedef {{base: string, pages: number, bytes: number, tree: Topic}} First
 */
import { hrefOf } from "../client/link.js";
import { element } from "./demo-draw.js";

/** Maximum number of search results, and number of a topic's pages to show at a time. */
const SHOWN = 100;
const FOLDER = new URL("browse/", document.baseURI);

const tree = /** @type {HTMLUListElement} */ (document.getElementById("tree"));
const found = /** @type {HTMLUListElement} */ (document.getElementById("found"));
const words = /** @type {HTMLInputElement} */ (document.getElementById("words"));
const all = /** @type {HTMLButtonElement} */ (document.getElementById("all"));
const status = /** @type {HTMLElement} */ (document.getElementById("status"));
const trouble = /** @type {HTMLElement} */ (document.getElementById("trouble"));

/** @type {First} */
let first;
/** Contents of topics that were requested. @type {Map<Topic, Promise<Below>>} */
const fetched = new Map();
/** Contents of topics that have been fetched. @type {Map<Topic, Below>} */
const loaded = new Map();
/** Elements of the topics that are drawn, by path. @type {Map<string, HTMLDetailsElement>} */
const drawn = new Map();

const counted = (/** @type {number} */ n) => `${n.toLocaleString("en")} page${n === 1 ? "" : "s"}`;
const nameOf = (/** @type {Topic} */ topic) => (topic.rest ? "Other pages" : topic.label.join(", ") || topic.title || "Pages");
const partOf = (/** @type {Topic} */ topic) => encodeURIComponent(topic.rest ? "-" : topic.label.join("-") || topic.title);
const below = (/** @type {string} */ path, /** @type {Topic} */ topic) => (path ? `${path}/` : "") + partOf(topic);

/**
 * @param {string} name of a file
 * @returns {Promise<any>}
 */
async function read(name) {
  const expected = `Expected ${FOLDER.pathname}${name}`;
  // The names of all other files change with their content.
  const response = await fetch(hrefOf(name, FOLDER.href) ?? "", { cache: name === "tree.json" ? "no-cache" : "default" }).catch(() => undefined);
  if (!response) throw new Error(`${expected}, but the host does not answer. Check the connection and try again.`);
  if (!response.ok) throw new Error(`${expected}, found HTTP status ${response.status}. The site may have been updated: reload this page.`);
  return response.json().catch(() => { throw new Error(`${expected} to be JSON, found something else. Publish the folder again.`); });
}

/**
 * Returns the contents of a topic, one level deep.
 *
 * @param {Topic} topic
 * @returns {Promise<Below>}
 */
function inside(topic) {
  if (topic.topics && topic.items) return Promise.resolve(/** @type {Below} */ (topic));
  let reading = fetched.get(topic);
  if (!reading) {
    reading = read(topic.file ?? "").then((/** @type {Below} */ read) => { loaded.set(topic, read); return read; });
    reading.catch(() => fetched.delete(topic)); // so that it can be retried
    fetched.set(topic, reading);
  }
  return reading;
}

/** @param {unknown} error */
function showError(error) {
  trouble.replaceChildren(element("p", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
}

/**
 * Returns a link to a page of the site.
 *
 * @param {[url: string, title: string]} item @param {string} [context]
 */
function pageLink([url, title], context) {
  const href = hrefOf(first.base + url, first.base);
  const name = title || url;
  const more = context ? [element("span", { class: "of" }, context)] : [];
  const shown = href ? element("a", { href }, name, ...more) : element("span", {}, name, ...more);
  return element("li", {}, shown);
}

/**
 * Draws the contents of a topic, once.
 *
 * @param {HTMLElement} list
 * @param {Topic} topic
 * @param {string} path
 */
async function fill(list, topic, path) {
  const { topics, items } = await inside(topic);
  if (list.childElementCount > 0) return;
  list.append(...topics.map((topic) => element("li", {}, drawTopic(topic, below(path, topic)))));
  const more = (/** @type {number} */ from) => {
    const links = items.slice(from, from + SHOWN).map((item) => pageLink(item));
    list.append(...links);
    const next = from + SHOWN;
    if (from > 0) links[0]?.querySelector("a")?.focus();
    if (next >= items.length) return;
    const button = element("button", { type: "button" }, `Show more of ${counted(items.length)}`);
    const entry = element("li", {}, button);
    button.addEventListener("click", () => { entry.remove(); more(next); });
    list.append(entry);
  };
  more(0);
}

/** @param {Topic} topic @param {string} path */
function drawTopic(topic, path) {
  const name = nameOf(topic);
  const such = topic.title && topic.title !== name ? `, such as ${topic.title}` : "";
  const summary = element("summary", {}, element("span", { class: "topic" }, name), element("span", { class: "of" }, counted(topic.pages) + such));
  const list = element("ul", { role: "list", "aria-label": name });
  const details = element("details", {}, summary, list);
  details.addEventListener("toggle", () => {
    if (details.open) fill(list, topic, path).then(() => trouble.replaceChildren(), (error) => { details.open = false; showError(error); });
  });
  summary.addEventListener("click", () => {
    // This runs before the element is toggled.
    const to = details.open ? path.slice(0, Math.max(path.lastIndexOf("/"), 0)) : path;
    history.replaceState(null, "", to ? `#${to}` : location.pathname + location.search);
  });
  drawn.set(path, details);
  return details;
}

/** Opens the topic that the URL names. */
async function openNamed() {
  const parts = location.hash.slice(1).split("/").filter(Boolean);
  if (parts.length === 0) return;
  let at = first.tree, path = "", list = tree;
  for (const part of parts) {
    await fill(list, at, path);
    const next = (await inside(at)).topics.find((topic) => partOf(topic) === part);
    const details = next && drawn.get(below(path, next));
    if (!next || !details) {
      showError(new Error("This topic no longer exists. The nearest topic above it is shown."));
      break;
    }
    path = below(path, next);
    list = /** @type {HTMLUListElement} */ (details.querySelector("ul"));
    await fill(list, next, path);
    details.open = true;
    at = next;
  }
  const summary = drawn.get(path)?.querySelector("summary");
  summary?.focus({ preventScroll: true });
  summary?.scrollIntoView({ block: "start" });
}

/**
 * Visits all topics and pages that have been fetched. Returns the number of pages visited.
 *
 * @param {Topic} topic
 * @param {string} path
 * @param {(entry: {topic: Topic, path: string, item?: [string, string]}) => void} each
 * @returns {number}
 */
function walk(topic, path, each) {
  const known = topic.items ? /** @type {Below} */ (topic) : loaded.get(topic);
  if (!known) return 0;
  let pages = known.items.length;
  for (const child of known.topics) {
    const at = below(path, child);
    each({ topic: child, path: at });
    pages += walk(child, at, each);
  }
  for (const item of known.items) each({ topic, path, item });
  return pages;
}

/** Shows the topics and pages whose titles contain all words. */
function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  found.hidden = wanted.length === 0;
  tree.hidden = wanted.length > 0;
  all.hidden = true;
  if (wanted.length === 0) {
    status.textContent = `${counted(first.pages)}`;
    return;
  }
  const matches = (/** @type {string} */ text) => wanted.every((word) => text.toLowerCase().includes(word));
  /** @type {HTMLElement[]} */
  const topics = [];
  /** @type {HTMLElement[]} */
  const pages = [];
  const searched = walk(first.tree, "", ({ topic, path, item }) => {
    const name = nameOf(topic);
    if (item) {
      if (matches(`${item[1]} ${item[0]}`)) pages.push(pageLink(item, topic === first.tree ? "" : `in ${name}`));
    } else if (matches(`${name} ${topic.title}`)) {
      const link = element("a", { href: `#${path}` }, element("span", { class: "topic" }, name), element("span", { class: "of" }, counted(topic.pages)));
      link.addEventListener("click", () => { words.value = ""; filter(); });
      topics.push(element("li", {}, link));
    }
  });
  const both = [...topics, ...pages];
  found.append(...both.slice(0, SHOWN));
  const cut = both.length > SHOWN ? `, showing the first ${SHOWN}` : "";
  const part = searched < first.pages ? `, in the titles of ${searched.toLocaleString("en")} of ${counted(first.pages)}` : "";
  status.textContent = `${topics.length.toLocaleString("en")} topic${topics.length === 1 ? "" : "s"} and ${counted(pages.length)} found${part}${cut}`;
  all.hidden = searched >= first.pages;
  all.textContent = `Search all pages (up to ${(first.bytes / 1e6).toFixed(1)} MB)`;
}

/** Fetches all contents that are missing. @param {Topic} topic @returns {Promise<void>} */
async function fetchAll(topic) {
  const { topics } = await inside(topic);
  for (const child of topics) await fetchAll(child);
}

all.addEventListener("click", async () => {
  all.disabled = true;
  status.textContent = "Fetching the titles of all pages…";
  await fetchAll(first.tree).catch(showError);
  all.disabled = false;
  filter();
  words.focus();
});
words.addEventListener("input", () => { if (first) filter(); });
document.getElementById("filter")?.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", () => { if (first) openNamed().catch(showError); });

try {
  first = await read("tree.json");
  await fill(tree, first.tree, "");
  filter();
  document.body.dataset.state = "ready";
  await openNamed();
} catch (error) {
  showError(error);
}
