// @ts-check
/**
 * Shows where a page contains the text: the passage with its words marked, and a link to it.
 *
 * @import {Excerpt, Kin, KinQuery, SimilarResult} from "../client/pagekin.js"
 * @import {Pages} from "../client/site-pages.js"
 */
import { fitted, savesData } from "../client/passages.js";
import { buttonFor, element, isOfPage, marked, sentence, confidenceOf, VERBATIM, whatOf } from "./demo-draw.js";

/**
 * Returns the part of a result that shows the passage. It is shown when the page was read, which
 * happens automatically for results in view, unless the visitor saves data or it fails; then there
 * is a button.
 *
 * @param {SimilarResult} result
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 * @returns {{parts: HTMLElement[], show: (excerpt: Excerpt | undefined) => void}} no parts if the page is on another host
 */
export function whereParts({ url, title }, kin, query, pages) {
  const href = pages.hrefOf(url);
  if (!href) return { parts: [], show() {} };
  const shown = element("div", { class: "where" });

  const find = async () => {
    const [text, page] = await Promise.all([pages.textOf(query), pages.get(url)]);
    return kin.excerpt(text, page);
  };
  /** @param {Excerpt} excerpt */
  const put = (excerpt) => {
    const link = shown.closest("li")?.querySelector("h3 a");
    // URLs of a page in a single file already contain a `#`.
    const isWithin = href.includes("#");
    if (link instanceof HTMLAnchorElement) link.href = href + (isWithin ? excerpt.fragment.replace(/^[^:]*/, "") : excerpt.fragment);
    const { heading, fragment } = (!isWithin && excerpt.section) || {};
    const section = heading && heading !== title ? [element("p", { class: "section" }, "in ", element("a", { href: href + fragment }, heading))] : [];
    const passage = element("p", { class: "excerpt", dir: "auto", tabindex: "-1" }, ...marked(fitted(excerpt.pieces)));
    const focused = document.activeElement === button;
    shown.replaceChildren(...section, passage);
    if (focused) passage.focus();
    if (excerpt.verbatim && !isOfPage(query)) shown.closest("li")?.querySelector(".confidence")?.replaceWith(confidenceOf("high", VERBATIM));
  };

  const button = buttonFor("Show where", ` ${whatOf(query)} is found in ${title || url}`, async () => {
    button.ariaDisabled = "true";
    note.textContent = "Fetching the page…";
    try {
      const excerpt = await find();
      if (excerpt) put(excerpt);
      else note.textContent = `The current page contains no words of ${whatOf(query)}.`;
    } catch (error) {
      note.textContent = sentence(error instanceof Error ? error.message : String(error));
      button.ariaDisabled = null;
    }
  });
  const note = element("p", { class: "note", role: "status" });
  button.hidden = !savesData();
  shown.append(button, note);

  return {
    parts: [shown],
    show(excerpt) {
      if (excerpt) put(excerpt);
      else button.hidden = false; // it reports the error
    },
  };
}
