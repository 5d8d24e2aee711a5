// @ts-check
/**
 * A notice on pages that are copies or near-copies of another page of the site.
 *
 *     <script type="module" src="/pagekin/duplicates.js"></script>
 *     <pagekin-duplicates></pagekin-duplicates>
 *
 * or, in a script of your own:
 *
 *     import { duplicate } from "/pagekin/duplicates.js";
 *     const found = await duplicate(); // { kind, original, others, count }, or undefined
 *
 * Types are in duplicates.d.ts. The published file is self-contained. What related.js has read on
 * the same page is not read again.
 *
 * @import {Duplicate} from "./duplicates.js"
 */
import { Component } from "./component.js";
import { define, linkTo, make } from "./element.js";
import { copiesOf, lookUp } from "./related-lists.js";

export { strings } from "./element.js";
export { KinError } from "./related-lists.js";

/** @type {typeof import("./duplicates.js").duplicate} */
export async function duplicate(options = {}) {
  return (await lookUp(copiesOf, options)).found;
}

const CSS = ":where(pagekin-duplicates [part~=note]){padding:.6em .9em;overflow-wrap:anywhere;"
  + "border:1px solid var(--pagekin-border,color-mix(in srgb,currentColor 30%,transparent));border-inline-start-width:4px;"
  + "border-radius:var(--pagekin-radius,6px);background:var(--pagekin-background,color-mix(in srgb,currentColor 6%,transparent))}"
  + ":where(pagekin-duplicates [part~=more]){font-size:.9em;color:var(--pagekin-muted,inherit)}";

/** `<pagekin-duplicates>`: a notice if its page is a copy of another page. */
class DuplicatesElement extends /** @type {typeof Component<Duplicate | undefined>} */ (Component) {
  static observedAttributes = [...Component.observedAttributes, "kinds", "canonical-only"];

  constructor() {
    super(copiesOf, CSS);
  }

  /** What is shown, if anything. */
  get result() {
    const kinds = (this.getAttribute("kinds") ?? "copy near-duplicate").split(/\s+/);
    return this.found && kinds.includes(this.found.kind) ? this.found : undefined;
  }

  get results() {
    const { result } = this;
    return result ? [result.original, ...(this.hasAttribute("canonical-only") ? [] : result.others)] : [];
  }

  draw() {
    const { result } = this;
    if (!result) return [];
    const [before, after = ""] = this.say(`duplicates.${result.kind}`).split("{link}");
    const [original, ...others] = this.results;
    const note = make("aside", "note", make("div", "text", before, linkTo(original), after));
    note.setAttribute("role", "note");
    if (others.length) {
      const { count } = result;
      const more = this.say(`duplicates.more.${count === 1 ? "one" : "other"}`).replace("{n}", String(count));
      const list = make("ul", "list", ...others.map((page) => make("li", "item", linkTo(page))));
      note.append(make("details", "more", make("summary", "summary", more), list));
    }
    return [note];
  }
}

define("pagekin-duplicates", DuplicatesElement, {
  en: {
    "duplicates.copy": "This page is a copy of {link}.",
    "duplicates.near-duplicate": "This page is almost the same as {link}.",
    "duplicates.more.one": "{n} more copy",
    "duplicates.more.other": "{n} more copies",
  },
  de: {
    "duplicates.copy": "Diese Seite ist eine Kopie von {link}.",
    "duplicates.near-duplicate": "Diese Seite ist fast identisch mit {link}.",
    "duplicates.more.one": "{n} weitere Kopie",
    "duplicates.more.other": "{n} weitere Kopien",
  },
});
