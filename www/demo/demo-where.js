// @ts-check
/**
 * Shows where a page contains the text: the passage with its words marked, and a link to it. For
 * the first result this happens automatically, for the others on demand.
 *
 * @import {Excerpt, Kin, KinQuery, SimilarResult} from "../client/pagekin.js"
 * @import {Pages} from "../client/site-pages.js"
 */
import { buttonFor, element, isOfPage, marked, sentence, confidenceOf, VERBATIM, whatOf } from "./demo-draw.js";

/** Whether the visitor wants to save data. Not every browser reports it. */
const savesData = () => /** @type {{connection?: {saveData?: boolean}}} */ (navigator).connection?.saveData === true;

/**
 * Returns the part of a result that shows the passage.
 *
 * @param {SimilarResult} result
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 * @param {() => void} onVerbatim is called if the page contains the text word for word
 * @returns {{parts: HTMLElement[], byItself: (signal: AbortSignal) => Promise<void>}} no parts if the page is on another host;
 *   `byItself` shows the passage immediately; if that fails, the button remains
 */
export function whereParts({ url, title }, kin, query, pages, onVerbatim) {
  const href = pages.hrefOf(url);
  if (!href) return { parts: [], byItself: async () => {} };
  const shown = element("div", { class: "where" });

  /** @param {AbortSignal} [signal] */
  const find = async (signal) => {
    const [text, page] = await Promise.all([pages.textOf(query, signal), pages.get(url, signal)]);
    return kin.excerpt(text, page, { signal });
  };
  /** @param {Excerpt} excerpt */
  const put = (excerpt) => {
    const link = shown.closest("li")?.querySelector("h3 a");
    // URLs of a page in a single file already contain a `#`.
    const isWithin = href.includes("#");
    if (link instanceof HTMLAnchorElement) link.href = href + (isWithin ? excerpt.fragment.replace(/^[^:]*/, "") : excerpt.fragment);
    const { heading, fragment } = (!isWithin && excerpt.section) || {};
    const section = heading && heading !== title ? [element("p", { class: "section" }, "in ", element("a", { href: href + fragment }, heading))] : [];
    const passage = element("p", { class: "excerpt", dir: "auto", tabindex: "-1" }, ...marked(excerpt.pieces));
    const focused = document.activeElement === show;
    shown.replaceChildren(...section, passage);
    if (focused) passage.focus();
    if (!excerpt.verbatim || isOfPage(query)) return;
    shown.closest("li")?.querySelector(".confidence")?.replaceWith(confidenceOf("high", VERBATIM));
    onVerbatim();
  };

  const show = buttonFor("Show where", ` ${whatOf(query)} is found in ${title || url}`, async () => {
    show.ariaDisabled = "true";
    note.textContent = "Fetching the page…";
    try {
      const excerpt = await find();
      if (excerpt) put(excerpt);
      else note.textContent = `The current page contains no words of ${whatOf(query)}.`;
    } catch (error) {
      note.textContent = sentence(error instanceof Error ? error.message : String(error));
      show.ariaDisabled = null;
    }
  });
  const note = element("p", { class: "note", role: "status" });
  shown.append(show, note);

  return {
    parts: [shown],
    async byItself(signal) {
      if (savesData()) return;
      show.hidden = true;
      shown.classList.add("coming"); // reserves its space, so that nothing moves
      try {
        const excerpt = await find(signal);
        if (excerpt && !signal.aborted) put(excerpt);
      } catch {
        // The link to the page stays, and the button reports the error.
      }
      show.hidden = false;
    },
  };
}
