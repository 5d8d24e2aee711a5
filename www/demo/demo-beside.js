// @ts-check
/**
 * Shows a result next to the query, with the shared parts of both texts marked. A click or Enter on
 * a mark leads to its counterpart in the other text, arrow keys move between marks, and Escape
 * closes the dialog and returns the focus.
 *
 * Passages that occur in both word for word are marked. If there are none, shared words are.
 *
 * @import {Kin, KinQuery, SitePage} from "../client/pagekin.js"
 * @import {Pages} from "../client/site-pages.js"
 */
import { button, counted, element, isOfPage, sentence, titleOf, whatOf } from "./demo-draw.js";
import { partsText } from "./demo-near.js";

/**
 * Number of unshared characters to show on either side of a mark, so that a text of any length can
 * be drawn.
 */
const AROUND = 4_000;

/** Maximum number of marks to draw in each text. */
const MAX_MARKS = 2_000;

/**
 * @param {SitePage} result
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 * @param {() => void} closed
 */
export function openBeside(result, kin, query, pages, closed) {
  const subject = whatOf(query);
  const controller = new AbortController();
  const summary = element("p", { class: "note", role: "status" }, "Fetching the page…");
  const heading = titleOf(result, kin.info);
  heading.id = "beside-title";
  const sides = element("div", { class: "sides" });
  const dialog = element("dialog", { class: "beside", "aria-labelledby": heading.id },
    element("header", {}, element("div", {}, heading, summary), button("Close", () => dialog.close())), sides);
  dialog.addEventListener("close", () => {
    controller.abort();
    dialog.remove();
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();

  const show = async () => {
    const { signal } = controller;
    try {
      const [text, page] = await Promise.all([pages.textOf(query, signal), pages.get(result.url, signal)]);
      const passages = await kin.compare(text, page, { signal });
      const count = passages.pageTwins.length;
      const found = count > 0 ? passages : await kin.commonWords(text, page, { signal });
      summary.textContent = count > 0
        ? `${counted(count, "shared passage")}: ${partsText({ ...passages, whole: true }, subject)}`
        : found.pageTwins.length > 0 ? "No run of ten words is shared. Shared words are marked." : "They share only very common words.";
      const names = [subject[0].toUpperCase() + subject.slice(1), "The page"];
      const ofText = isOfPage(query) ? found.text.map(unwrapped) : found.text;
      const [one, other] = [sideOf(ofText, found.textTwins, names[0]), sideOf(found.page.map(unwrapped), found.pageTwins, names[1])];
      sides.replaceChildren(one.part, other.part);
      link(one, other);
      link(other, one);
      (other.marks[found.textTwins[0]] ?? other.marks[0])?.scrollIntoView({ block: "center" });
    } catch (error) {
      if (signal.aborted) return;
      summary.textContent = "";
      sides.replaceChildren(element("div", { role: "alert" },
        element("p", {}, sentence(error instanceof Error ? error.message : String(error))), button("Try again", show)));
    }
  };
  return show();
}

/**
 * Joins the lines of a piece of a page, whose line breaks are those of its source. Empty lines
 * stay.
 *
 * @param {string} piece
 */
const unwrapped = (piece) => piece.replace(/\s+/g, (space) => (/\n\s*\n/.test(space) ? "\n\n" : " "));

/** @typedef {{part: HTMLElement, marks: HTMLElement[], twins: number[]}} Side */

/**
 * @param {string[]} pieces
 * @param {number[]} twins
 * @param {string} name
 * @returns {Side}
 */
function sideOf(pieces, twins, name) {
  /** @type {HTMLElement[]} */
  const marks = [];
  const last = pieces.length - 1;
  const shown = pieces.map((piece, at) => {
    if (at % 2 === 0) return shortened(piece, at > 0, at < last);
    if (marks.length >= MAX_MARKS) return piece;
    const mark = element("mark", { role: "button", tabindex: marks.length === 0 ? "0" : "-1" }, piece);
    marks.push(mark);
    return mark;
  });
  return {
    marks,
    twins,
    part: element("section", { "aria-label": `${name}, with shared parts marked` },
      element("h4", {}, name),
      element("div", { class: "passages", dir: "auto", ...(marks.length === 0 ? { tabindex: "0" } : {}) }, ...shown)),
  };
}

/**
 * Makes the marks of one side lead to those of the other.
 *
 * @param {Side} from
 * @param {Side} to
 */
function link(from, to) {
  const here = from.part.parentElement ?? document;
  /** @param {HTMLElement | undefined} mark @param {Side} side */
  const enter = (mark, side) => {
    if (!mark) return;
    for (const one of side.marks) one.tabIndex = one === mark ? 0 : -1;
    mark.focus({ preventScroll: true });
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    mark.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  };
  /** @param {Event} event */
  const markOf = ({ target }) => from.marks.indexOf(/** @type {HTMLElement} */ (target));
  /** @param {number} at */
  const follow = (at) => {
    const twin = to.marks[from.twins[at]];
    for (const mark of here.querySelectorAll("mark.twin")) mark.classList.remove("twin");
    from.marks[at].classList.add("twin");
    twin?.classList.add("twin");
    enter(twin, to);
  };
  from.part.addEventListener("click", (event) => {
    const at = markOf(event);
    if (at >= 0) follow(at);
  });
  from.part.addEventListener("keydown", (event) => {
    const at = markOf(event);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at < 0) return;
    if (step) enter(from.marks[at + step], from);
    else if (event.key === "Enter" || event.key === " ") follow(at);
    else return;
    event.preventDefault();
  });
}

/**
 * Shortens the text between marks.
 *
 * @param {string} piece
 * @param {boolean} afterMark whether a mark precedes it
 * @param {boolean} beforeMark whether a mark follows it
 */
function shortened(piece, afterMark, beforeMark) {
  const start = afterMark || !beforeMark ? AROUND : 0;
  const end = beforeMark ? AROUND : 0;
  if (piece.length <= start + end + 20) return piece;
  return `${piece.slice(0, start)} … ${end > 0 ? piece.slice(-end) : ""}`;
}
