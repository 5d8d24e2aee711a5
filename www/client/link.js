// @ts-check
/**
 * Where links and requests may lead. An index may be of another host, or lie on mirrors: whoever
 * sends it chooses its addresses, and must run no script with them, nor leave the site. So whatever
 * makes a link or a request of an address in an index asks this function.
 *
 * @import {IndexInfo} from "./pagekin.js"
 */

/** The index and pages that are embedded in this page, if it was built as one file. */
export const carried = () => /** @type {import("./carried.js").CarriedPage | undefined} */ (globalThis.pagekinCarried);

/**
 * The link to a page of the index; nothing if it would run a script or leave the site.
 *
 * @param {string} url as in the index
 * @param {IndexInfo} info
 */
export const linkTo = (url, info) => (carried() ? carried()?.link(url) : hrefOf(url, info.baseUrl));

/**
 * The URL of a page; nothing if it is of another scheme than `http` or `https`, such as
 * `javascript`, or not below the base address.
 *
 * @param {string} url as the index has it
 * @param {string} [base] address of the site; empty if those of its pages are whole, of many hosts
 * @param {string} [own] a scheme that is allowed too, with its colon
 */
export function hrefOf(url, base = "", own) {
  try {
    const root = new URL(base.replace(/\/*$/, "/"), document.baseURI).href;
    const { protocol, href } = new URL(url, root);
    return (/^https?:$/.test(protocol) || protocol === own) && (!base || href.startsWith(root)) ? href : undefined;
  } catch {
    return undefined; // no URL at all
  }
}
