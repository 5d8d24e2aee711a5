// @ts-check
/**
 * Tools for an agent in the browser, if it supports `document.modelContext` (WebMCP, a proposal) or
 * `navigator.modelContext`, its former name. Nothing is fetched before a tool is called.
 *
 * @import {Kin} from "../client/pagekin.js"
 */
import { Pages } from "../client/site-pages.js";

/** @typedef {Record<string, string>} Arguments */

/**
 * Registers `similar` and `excerpt` until the signal aborts. Tools that already exist under these
 * names stay.
 *
 * @param {() => Promise<Kin>} open
 * @param {AbortSignal} signal
 */
export function offer(open, signal) {
  const context = /** @type {any} */ (document).modelContext ?? /** @type {any} */ (navigator).modelContext;
  if (!context?.registerTool) return;
  /** URLs of pages that were found; only these are fetched. @type {Set<string>} */
  const known = new Set();
  /** @param {string} name @param {string} description @param {string[]} required @param {(input: Arguments) => Promise<object>} execute */
  const tool = async (name, description, required, execute) => {
    const properties = Object.fromEntries(required.map((key) => [key, { type: "string" }]));
    try {
      await context.registerTool({ name, description, inputSchema: { type: "object", properties, required }, annotations: { readOnlyHint: true }, execute }, { signal });
    } catch {
      // Another box, or the page, already registered it.
    }
  };
  tool("similar", "Finds pages of this site that contain or resemble a text, such as a whole error message. Results with confidence low may be irrelevant. unmatched lists words that no page contains.", ["text"], async ({ text }) => {
    const { results, otherResults, unmatched, rankedBy } = await (await open()).similar(`${text}`, { limit: 5 });
    for (const { url } of [...results, ...otherResults]) known.add(url);
    return { results, otherResults, unmatched, rankedBy };
  });
  tool("excerpt", "Quotes the passage of a page that best matches the text. Expects a url that similar returned.", ["url", "text"], async ({ url, text }) => {
    if (!known.has(url)) throw new Error("expected a url that similar returned");
    const kin = await open();
    const { pieces, fragment } = (await kin.excerpt(`${text}`, await new Pages(kin).get(url))) ?? { pieces: [], fragment: "" };
    return { passage: pieces.join(""), link: url + fragment };
  });
}
