// @ts-check
/** The shared parts of all elements: their texts, style sheets and events. */
import { hrefOf } from "../client/link.js";
import { done, elements, texts } from "./related-lists.js";

/**
 * Sets texts of the elements in a language. Texts that are not set are in English.
 *
 * @param {string} lang
 * @param {Record<string, string>} own texts by name
 */
export function strings(lang, own) {
  lang = lang.toLowerCase();
  texts.set(lang, { ...texts.get(lang), ...own });
  for (const element of elements) element.redraw();
}

/**
 * Defines an element, once.
 *
 * @param {string} name
 * @param {CustomElementConstructor} element
 * @param {Record<string, Record<string, string>>} own texts by language
 */
export function define(name, element, own) {
  if (customElements.get(name)) return;
  for (const lang in own) strings(lang, { ...own[lang], ...texts.get(lang) });
  customElements.define(name, element);
}

/**
 * The text of an element on a page that is opened from disk. Only the author of the page sees it,
 * never visitors, so it is only in English.
 */
export const ON_DISK = "This needs a web server. To try it on this computer, run pagekin serve.";

/** Whether something happens for the first time. @param {string} what */
export const isNew = (what) => !done.has(what) && done.add(what);

/**
 * Adds a style sheet to the document, in a layer: any rule of the site outside layers overrides it.
 *
 * @param {string} name of the element
 * @param {string} css
 * @param {boolean} [layered] whether all of it is in the layer
 */
export function adopt(name, css, layered = true) {
  if (!isNew(name)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@layer pagekin{:where(${name}:not([hidden])){display:block;font:var(--pagekin-font,inherit);color:var(--pagekin-color,inherit)}
:where(${name}:not([data-state=empty],[data-state=error])){min-block-size:var(--pagekin-reserve,auto)}
${layered ? css : ""}}
${layered ? "" : css}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/**
 * Returns a text in the language of an element.
 *
 * @param {Element} element
 * @param {string} name
 */
export function say(element, name) {
  const lang = element.closest("[lang]")?.getAttribute("lang")?.toLowerCase() ?? "";
  return [lang, lang.split("-")[0], "en"].map((lang) => texts.get(lang)?.[name]).find((text) => text) ?? name;
}

/**
 * Dispatches an event.
 *
 * @param {Element} element
 * @param {string} what
 * @param {unknown} [detail]
 * @returns {boolean} whether no listener prevented the default action
 */
export function dispatch(element, what, detail) {
  return element.dispatchEvent(new CustomEvent(`pagekin-${what}`, { detail, bubbles: true, cancelable: what === "select" }));
}

/**
 * @param {Element} element
 * @param {string} message for the site's author
 */
export function warn(element, message) {
  if (isNew(message)) console.warn(`${element.localName}: ${message}`);
}

/**
 * Dispatches an event when a result is opened in this tab.
 *
 * @param {Element} element
 * @param {(link: HTMLAnchorElement, at: number) => {url: string, title: string, rank: number} | undefined} find the result of a link
 */
export function onSelect(element, find) {
  element.addEventListener("click", (event) => {
    const { metaKey, ctrlKey, shiftKey, altKey } = /** @type {MouseEvent} */ (event);
    const link = /** @type {Element} */ (event.target).closest("a");
    if (!link || metaKey || ctrlKey || shiftKey || altKey) return;
    const at = [...element.querySelectorAll("a")].indexOf(link);
    const result = find(link, at) ?? { url: link.href, title: link.textContent, rank: at + 1 };
    if (!dispatch(element, "select", { ...result, from: element.localName.slice(8) })) event.preventDefault();
  });
}

/**
 * Returns an element with a part name and children.
 *
 * @param {string} name
 * @param {string} part
 * @param {...(Node | string)} children
 */
export function make(name, part, ...children) {
  const element = document.createElement(name);
  element.setAttribute("part", part);
  element.append(...children);
  return element;
}

/**
 * Returns a link to a page, or only its title if a link to its URL is not allowed.
 *
 * @param {{url?: string, title: string}} page
 */
export function linkTo({ url, title }) {
  const link = make("a", "link", title || url || "");
  if (url && hrefOf(url)) link.setAttribute("href", url);
  link.dir = "auto";
  return link;
}
