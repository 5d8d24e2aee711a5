// @ts-check
/**
 * What a result and the text share word by word: a badge, and on demand both texts with the passages marked.
 *
 * @import {Comparison, Kin, KinQuery, KinResult, Near} from "./pagekin.js"
 * @import {Pages} from "./demo-pages.js"
 */
import { button, counted, element, sentence, whatOf } from "./demo-draw.js";

/** Of what is not shared, so many characters are shown on either side of a passage. */
const AROUND = 160;

/**
 * @param {string} subject what was looked for, as people call it
 * @returns {Record<Near["kind"], string>}
 */
const badges = (subject) => ({
  copy: "Copy",
  "near-duplicate": "Near-duplicate",
  contains: `Contained in ${subject}`,
  contained: `Contains ${subject}`,
  quotes: "Shares passages",
});

/**
 * Never rounded to all or nothing: that is for what is so.
 *
 * @param {number} part
 */
function percent(part) {
  const rounded = Math.round(part * 100);
  return `${part > 0 && part < 1 ? Math.min(99, Math.max(1, rounded)) : rounded} %`;
}

/**
 * @param {Omit<Near, "kind">} parts
 * @param {string} subject
 */
function partsText({ resemblance, textInPage, pageInText, whole }, subject) {
  const about = whole ? "" : "about ";
  const shares = [
    ...(resemblance === undefined ? [] : [`resemblance ${about}${percent(resemblance)}`]),
    ...(textInPage === undefined ? [] : [`${about}${percent(textInPage)} of ${subject} is on this page`]),
    ...(pageInText === undefined ? [] : [`${about}${percent(pageInText)} of this page is in ${subject}`]),
  ];
  return shares.length > 0 ? `${shares.join(", ")}.` : "Too short to estimate how much.";
}

/**
 * @param {KinResult} result
 * @param {Kin} kin
 * @param {KinQuery} query
 * @param {Pages} pages
 * @returns {HTMLElement[]} nothing if there is nothing to tell
 */
export function nearParts({ url, title, near }, kin, query, pages) {
  if (!near) return [];
  const subject = whatOf(query);
  const shown = element("div", { class: "shared" });
  const badge = element("p", { class: "near" },
    element("strong", { class: "badge" }, badges(subject)[near.kind]), " ", sentence(partsText(near, subject)));
  if (!pages.hrefOf(url)) {
    shown.append(element("p", { class: "note" }, "This page is on another host, so the shared passages cannot be shown here."));
    return [badge, shown];
  }
  const show = button("Show shared passages", async () => {
    show.disabled = true;
    shown.replaceChildren(element("p", { role: "status" }, "Fetching the page …"));
    try {
      const [text, page] = await Promise.all([pages.textOf(query), pages.get(url)]);
      shown.replaceChildren(...sharedParts(await kin.compare(text, page), subject, title || url));
      show.remove();
    } catch (error) {
      shown.replaceChildren(element("p", { role: "alert" }, sentence(error instanceof Error ? error.message : String(error))));
      show.disabled = false;
    }
  });
  show.append(element("span", { class: "visually-hidden" }, ` with ${title || url}`));
  return [badge, show, shown];
}

/**
 * @param {Comparison} found
 * @param {string} subject
 * @param {string} name of the page
 */
function sharedParts({ resemblance, textInPage, pageInText, text, page }, subject, name) {
  const passages = (page.length - 1) / 2;
  const parts = partsText({ resemblance, textInPage, pageInText, whole: true }, subject);
  return [
    element("p", { role: "status" }, passages > 0 ? `${counted(passages, "shared passage")} in this page: ${parts}` : "No run of ten words is shared."),
    element("div", { class: "beside" },
      passagesOf(text, subject[0].toUpperCase() + subject.slice(1)),
      passagesOf(page, name)),
  ];
}

/**
 * @param {string[]} pieces
 * @param {string} name
 */
function passagesOf(pieces, name) {
  const last = pieces.length - 1;
  const shown = pieces.map((piece, at) => (at % 2 === 1 ? element("mark", {}, piece) : shortened(piece, at > 0, at < last)));
  return element("section", { "aria-label": `${name}, with shared passages marked` },
    element("h4", { dir: "auto" }, name),
    element("div", { class: "passages", dir: "auto", tabindex: "0" }, ...shown));
}

/**
 * What stands beside passages.
 *
 * @param {string} piece
 * @param {boolean} behind whether a passage is before it
 * @param {boolean} before whether one comes
 */
function shortened(piece, behind, before) {
  const start = behind || !before ? AROUND : 0;
  const end = before ? AROUND : 0;
  if (piece.length <= start + end + 20) return piece;
  return `${piece.slice(0, start)} … ${end > 0 ? piece.slice(-end) : ""}`;
}
