// @ts-check
/**
 * What a result and the text share word by word: a badge, and on demand both texts with the passages marked.
 *
 * @import {Comparison, IndexInfo, Kin, KinQuery, KinResult, Near, TextQuery} from "./pagekin.js"
 */
import { button, counted, element, linkTo, sentence } from "./demo-draw.js";
import { readTextFile } from "./demo-file.js";

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
function partsText({ resemblance, textInPage, pageInText, exact }, subject) {
  const about = exact ? "" : "about ";
  const told = [
    ...(resemblance === undefined ? [] : [`resemblance ${about}${percent(resemblance)}`]),
    ...(textInPage === undefined ? [] : [`${about}${percent(textInPage)} of ${subject} stands in this page`]),
    ...(pageInText === undefined ? [] : [`${about}${percent(pageInText)} of this page stands in ${subject}`]),
  ];
  return told.length > 0 ? `${told.join(", ")}.` : "Too short to tell how much.";
}

/**
 * @param {KinResult} result
 * @param {Kin} kin
 * @param {{query: KinQuery, name: string}} subject
 * @returns {HTMLElement[]} nothing if there is nothing to tell
 */
export function nearParts({ url, title, near }, kin, { query }) {
  if (!near) return [];
  const subject = typeof query === "object" && "url" in query ? "the page asked for" : "your text";
  const shown = element("div", { class: "shared" });
  const href = linkTo(url, kin.info);
  const badge = element("p", { class: "near" },
    element("strong", { class: "badge" }, badges(subject)[near.kind]), " ", sentence(partsText(near, subject)));
  if (!href || new URL(href).origin !== location.origin) {
    shown.append(element("p", { class: "note" }, "This page is on another host, so what is shared cannot be shown here."));
    return [badge, shown];
  }
  const show = button("Show what is shared", async () => {
    show.disabled = true;
    shown.replaceChildren(element("p", { role: "status" }, "Fetching the page …"));
    try {
      const [text, page] = await Promise.all([textOf(query, kin.info), fetchPage(href)]);
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
 * What was looked for as a text; a page is fetched.
 *
 * @param {KinQuery} query
 * @param {IndexInfo} info
 * @returns {Promise<TextQuery>}
 */
async function textOf(query, info) {
  if (typeof query === "string" || !("url" in query)) return query;
  const href = linkTo(query.url, info);
  if (!href || new URL(href).origin !== location.origin) throw new Error("expected the page that was asked for on this host, found it on another; paste its text instead");
  return fetchPage(href);
}

/**
 * @param {string} href of this origin
 * @returns {Promise<TextQuery>}
 */
async function fetchPage(href) {
  const expected = `expected the page at ${href}`;
  const response = await fetch(href).catch(() => {
    throw new Error(`${expected}, but the host did not answer; check the connection and try again`);
  });
  if (!response.ok) throw new Error(`${expected}, found HTTP status ${response.status}; it may have moved, or this host has the index without the site`);
  // The name says that it is HTML: its encoding may be declared in it.
  const { text } = await readTextFile(new File([await response.blob()], "page.html"));
  return { html: text };
}

/**
 * @param {Comparison} found
 * @param {string} subject
 * @param {string} name of the page
 */
function sharedParts({ resemblance, textInPage, pageInText, text, page }, subject, name) {
  const passages = (page.length - 1) / 2;
  const parts = partsText({ resemblance, textInPage, pageInText, exact: true }, subject);
  return [
    element("p", { role: "status" }, passages > 0 ? `${counted(passages, "shared passage")} in this page: ${parts}` : "They share no run of ten words."),
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
  return element("section", { "aria-label": `${name}, with what is shared` },
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
