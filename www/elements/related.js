// @ts-check
/**
 * Finds the related pages of a page by its URL, in two small requests and without WebAssembly.
 *
 *     <script type="module" src="/pagekin/related.js"></script>
 *     <pagekin-related limit="5" heading="Related pages"></pagekin-related>
 *
 * or, in a script of your own:
 *
 *     import { related } from "/pagekin/related.js";
 *     for (const { url, title, similarity } of await related({ limit: 5 })) { … }
 *
 * Types are in related.d.ts. The published file is self-contained, so that it is one request.
 *
 * @import {RelatedPage} from "./related.js"
 */
import { Component } from "./component.js";
import { define, linkTo, make } from "./element.js";
import { relatedOf, lookUp } from "./related-lists.js";

export { strings } from "./element.js";
export { KinError } from "./related-lists.js";

/** @type {typeof import("./related.js").related} */
export async function related({ limit = 5, ...options } = {}) {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit: expected a positive integer, found ${limit}`);
  return (await lookUp(relatedOf, options)).found.slice(0, limit);
}

/** A placeholder for a title: one line, or one and a half if lines are short. */
const LINE = "\u00a0\u200b".repeat(64);

const CSS = ":where(pagekin-related [part~=list]){display:grid;gap:var(--pagekin-gap,.4em);"
  + "grid-template-columns:repeat(var(--pagekin-columns,1),minmax(0,1fr));list-style:none;margin:0;padding:0;overflow-wrap:anywhere}";

/** `<pagekin-related>`: links to the related pages of its page. */
class RelatedElement extends /** @type {typeof Component<RelatedPage[]>} */ (Component) {
  constructor() {
    super(relatedOf, CSS);
  }

  get limit() {
    const limit = Number(this.getAttribute("limit"));
    return Number.isInteger(limit) && limit > 0 ? limit : 5;
  }

  set limit(limit) {
    this.setAttribute("limit", String(limit));
  }

  get results() {
    const min = Number(this.getAttribute("min")) || 0;
    return (this.found ?? []).filter(({ similarity }) => similarity >= min).slice(0, this.limit);
  }

  draw() {
    return this.results.length ? [this.#nav(this.results)] : [];
  }

  blank() {
    const nav = this.#nav(Array(this.limit).fill({ title: LINE }));
    nav.style.visibility = "hidden";
    return [nav];
  }

  /** @param {{url?: string, title: string}[]} pages */
  #nav(pages) {
    const name = this.say("related.heading");
    const heading = this.getAttribute("heading") ?? name;
    const level = this.getAttribute("heading-level") ?? "";
    const nav = make("nav", "nav");
    nav.setAttribute("aria-label", heading || name);
    if (heading) nav.append(make(/^[1-6]$/.test(level) ? `h${level}` : "h2", "heading", heading));
    nav.append(make("ul", "list", ...pages.map((page) => make("li", "item", linkTo(page)))));
    return nav;
  }
}

define("pagekin-related", RelatedElement, {
  en: { "related.heading": "Related pages" },
  de: { "related.heading": "Verwandte Seiten" },
});
