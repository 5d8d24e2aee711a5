// @ts-check
/**
 * The script of a file that contains a whole index, with the demo and the lab.
 * `pagekin build --offline-bundle` writes it. It is opened from disk, where nothing can be fetched.
 * The query of its URL selects the page to show.
 *
 * The file contains, in inert elements, the pages as `template`s, and the files of the index and
 * the texts of the site's pages in Base64.
 */
import { hrefOf } from "../../client/link.js";
import { inflate } from "../../client/module.js";

/** Properties of the site, from the build. @typedef {{baseUrl: string, cleanUrls: boolean}} Site */

const FOLDER = new URL("carried:/");

/** The pages, by published path. @type {Record<string, () => Promise<unknown>>} */
const PAGES = {
  "": () => import("../../demo/demo.js"),
  "lab/": () => import("../../lab/start.js"),
  "lab/bag.html": () => import("../../lab/bag.js"),
  "lab/minhash.html": () => import("../../lab/minhash.js"),
  "lab/lsh.html": () => import("../../lab/lsh.js"),
  "lab/center.html": () => import("../../lab/center.js"),
  "lab/copies.html": () => import("../../lab/copies.js"),
  "lab/lookup.html": () => import("../../lab/lookup.js"),
  "lab/teach.html": () => import("../../lab/teach.js"),
  "lab/answers.html": () => import("../../lab/teach.js"),
  "lab/glossary.html": () => import("../../lab/glossary.js"),
};

// Files

/** Embedded files by name. @type {Map<string, Element>} */
const elements = new Map([...document.querySelectorAll("script[data-file]")].map((one) => [one.getAttribute("data-file") ?? "", one]));

/** Decoded files by name. @type {Map<string, Uint8Array<ArrayBuffer>>} */
const files = new Map();

/** @param {string} name */
function file(name) {
  const known = files.get(name);
  if (known) return known;
  const element = elements.get(name);
  if (!element) return undefined;
  const text = atob(element.textContent ?? "");
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  files.set(name, bytes);
  return bytes;
}

/**
 * @param {string} name
 * @returns {Promise<any>}
 */
async function json(name) {
  const bytes = file(name);
  if (!bytes) throw new Error(`this file does not contain ${name}; build it again`);
  return JSON.parse(new TextDecoder().decode(await inflate(bytes)));
}

/** Returns all files but the texts, for the worker. */
function indexFiles() {
  for (const name of elements.keys()) if (!name.startsWith("texts/") && name !== "worker.js") file(name);
  return new Map([...files].filter(([name]) => !name.startsWith("texts/") && name !== "worker.js"));
}

// The site

/** @type {Site} */
const site = JSON.parse(new TextDecoder().decode(file("site.json")));

/**
 * Returns the link to a page of the site: its URL if that has a host, otherwise a file next to this
 * one.
 *
 * @param {string} url
 */
function link(url) {
  const base = site.baseUrl;
  if (/^https?:/i.test(base)) return hrefOf(url, base);
  const root = base.replace(/\/+$/, "");
  const below = url.startsWith(`${root}/`) ? url.slice(root.length) : url;
  const path = below.replace(/^[/\\]+/, "");
  // A disk does not serve index files and needs file extensions.
  const name = path === "" || path.endsWith("/") ? `${path}index.html` : site.cleanUrls && !/\.x?html?$/i.test(path) ? `${path}.html` : path;
  return hrefOf(`./${name}`, "./", "file:");
}

/**
 * The block that contains the text of each page.
 *
 * @type {Promise<Record<string, number>> | undefined}
 */
let places;
/** @type {Map<number, Promise<Record<string, [title: string, lang: string, text: string]>>>} */
const blocks = new Map();

/** @param {string} url */
async function text(url) {
  const place = (await (places ??= json("texts/places")))[url];
  if (place === undefined) throw new Error(`this file does not contain the text of ${url}; open the page itself`);
  const block = blocks.get(place) ?? json(`texts/${place}`);
  blocks.set(place, block);
  const [title, lang, content] = (await block)[url];
  return { title, lang, text: content };
}

globalThis.pagekinCarried = {
  folder: FOLDER,
  bytes: (url) => (url.href.startsWith(FOLDER.href) ? file(decodeURI(url.href.slice(FOLDER.href.length))) : undefined),
  worker() {
    const address = URL.createObjectURL(new Blob([file("worker.js") ?? ""], { type: "text/javascript" }));
    const worker = new Worker(address, { name: "pagekin" });
    worker.postMessage({ carried: indexFiles() });
    return worker;
  },
  engine: () => import("../../client/engine.js"),
  link,
  text,
};

// Pages

// The name of a figure, and its state, can follow.
const requested = decodeURIComponent(location.search.slice(1).split("&")[0]).replace(/index\.html$/, "");
const here = Object.hasOwn(PAGES, requested) ? requested : "";

/** Rewrites links between the pages, which are all in this file. @param {Element} root */
function settleLinks(root) {
  for (const a of [root, ...root.querySelectorAll("a[href]")]) {
    const href = a.getAttribute("href") ?? "";
    if (!(a instanceof HTMLAnchorElement) || href === "" || /^(?:[a-z][a-z0-9+.-]*:|[?#])/i.test(href)) continue;
    const { pathname, hash } = new URL(href, `page:/${here}`);
    const page = pathname.slice(1).replace(/index\.html$/, "");
    if (Object.hasOwn(PAGES, page)) a.setAttribute("href", `?${page}${hash}`);
  }
}

new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    for (const node of [target, ...addedNodes]) if (node instanceof Element) settleLinks(node);
  }
}).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["href"] });

const template = document.querySelector(`template[data-page="${here}"]`);
if (template instanceof HTMLTemplateElement) {
  document.title = template.dataset.title ?? "";
  document.documentElement.dataset.page = here;
  document.body.className = template.dataset.class ?? "";
  if (template.dataset.state) document.body.dataset.state = template.dataset.state;
  for (const style of document.querySelectorAll("style[data-of]")) {
    if (style instanceof HTMLStyleElement) style.media = here.startsWith(style.dataset.of ?? "") ? "all" : "not all";
  }
  document.body.prepend(template.content);
  PAGES[here]();
}
