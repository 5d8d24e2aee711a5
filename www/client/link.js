// @ts-check
/**
 * Checks where links and requests may lead. An index may come from another host or from mirrors,
 * which then choose its URLs. These URLs must neither run a script nor leave the site. So all code
 * that makes a link or a request from a URL of an index must use this function.
 *
 * @import {IndexInfo} from "./pagekin.js"
 */

/** The index and pages that are embedded in this page, if it was built as one file. */
export const carried = () => /** @type {import("./carried.js").CarriedPage | undefined} */ (globalThis.pagekinCarried);

/**
 * Returns the link to a page of the index, or nothing if it would run a script or leave the site.
 *
 * @param {string} url as in the index
 * @param {IndexInfo} info
 */
export const linkTo = (url, info) => (carried() ? carried()?.link(url) : hrefOf(url, info.baseUrl));

/**
 * Returns the URL of a page, or nothing if its scheme is not `http` or `https` (such as
 * `javascript`), or if it is not below the base URL.
 *
 * @param {string} url as in the index
 * @param {string} [base] URL of the site; empty if page URLs are absolute, on many hosts
 * @param {string} [own] another allowed scheme, with its colon
 */
export function hrefOf(url, base = "", own) {
  try {
    const root = new URL(base.replace(/\/*$/, "/"), document.baseURI).href;
    const { protocol, href } = new URL(url, root);
    return (/^https?:$/.test(protocol) || protocol === own) && (!base || href.startsWith(root)) ? href : undefined;
  } catch {
    return undefined; // not a URL
  }
}

/**
 * Returns the URL of an image in the metadata of a page, or nothing if its scheme is not `http` or
 * `https`. It may be on another host than the page, as in the page itself.
 *
 * @param {string} image relative to the page
 * @param {string} page its URL as in the index
 */
export function imageOf(image, page) {
  const from = hrefOf(page);
  return from && URL.canParse(image, from) ? hrefOf(new URL(image, from).href) : undefined;
}

/**
 * Returns the base URL of the site that contains the index. The site may be below another folder
 * than when it was built, such as a project page or a preview, if the index knows its own place in
 * it.
 *
 * @param {string} base of the index
 * @param {string} place path of the index below the site; empty if unknown
 * @param {URL} folder of the index
 */
export function movedBase(base, place, { origin, pathname }) {
  const is = place && base.startsWith("/") && origin === location.origin && pathname.endsWith(`/${place}`);
  return is ? pathname.slice(0, -place.length) : base;
}
