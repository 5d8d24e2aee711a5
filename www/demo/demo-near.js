// @ts-check
/**
 * Describes what a result and the text share word for word: a badge with a sentence.
 *
 * @import {KinQuery, SimilarResult, Near} from "../client/pagekin.js"
 */
import { element, sentence, whatOf } from "./demo-draw.js";

/**
 * @param {string} subject the name of the query
 * @returns {Record<Near["kind"], string>}
 */
const badges = (subject) => ({
  copy: "Copy",
  "same-but-numbers": "Same but for numbers",
  "near-duplicate": "Near-duplicate",
  contains: `Contained in ${subject}`,
  contained: `Contains ${subject}`,
  passages: "Shares passages",
});

/**
 * Formats a share. Only a share of 0 or 1 is shown as 0% or 100%.
 *
 * @param {number} part
 */
function percent(part) {
  const rounded = Math.round(part * 100);
  return `${part > 0 && part < 1 ? Math.min(99, Math.max(1, rounded)) : rounded}%`;
}

/**
 * @param {Omit<Near, "kind">} parts
 * @param {string} subject
 */
export function partsText({ resemblance, textInPage, pageInText, whole }, subject) {
  const about = whole ? "" : "about ";
  const shares = [
    ...(resemblance === undefined ? [] : [`resemblance ${about}${percent(resemblance)}`]),
    ...(textInPage === undefined ? [] : [`${about}${percent(textInPage)} of ${subject} is on this page`]),
    ...(pageInText === undefined ? [] : [`${about}${percent(pageInText)} of this page is in ${subject}`]),
  ];
  return shares.length > 0 ? `${shares.join(", ")}.` : "Too short to estimate how much.";
}

/**
 * @param {SimilarResult} result
 * @param {KinQuery} query
 * @returns {HTMLElement[]} empty if there is nothing to report
 */
export function nearParts({ near }, query) {
  if (!near) return [];
  const subject = whatOf(query);
  return [element("p", { class: "near" },
    element("strong", { class: "badge" }, badges(subject)[near.kind]), " ", sentence(partsText(near, subject)))];
}
