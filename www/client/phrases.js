// @ts-check
/**
 * Puts the pages with the phrases in quotation marks first. The index knows which words a page has,
 * but not their order, so the first pages are read. pagekin.js fetches this script when words have
 * quotation marks.
 *
 * @import {Kin, SearchAnswer} from "./pagekin.js"
 */
import { hasPhrase, Passages } from "./passages.js";
import { Pages } from "./site-pages.js";

/**
 * Returns an answer with the pages first that contain the phrases.
 *
 * @param {Kin} kin
 * @param {{text: string, lang: string}} query
 * @param {SearchAnswer} answer
 * @param {AbortSignal} [signal]
 * @returns {Promise<SearchAnswer>}
 */
export async function phrasesFirst(kin, query, answer, signal = new AbortController().signal) {
  if (!hasPhrase(query.text)) return answer;
  const passages = new Passages({ kin, pages: new Pages(kin), query, signal }, () => {});
  const results = await passages.ordered(answer.results, "phrase");
  signal.throwIfAborted();
  return { ...answer, results };
}
