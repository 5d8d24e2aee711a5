// @ts-check
/** Groups results by the folders in their URLs. */

/** The end of a URL that carries no information. */
const ENDING = /(^|\/)(index)?(\.x?html?)?$|\.x?html?$/i;
/** The name of the folder of pages that are in no other. */
const ROOT = "/";
/** Maximum number of folders to offer; the smallest are dropped. */
const MAX_FOLDERS = 6;

/** Returns the names in the path of a URL. @param {string} url */
function namesOf(url) {
  return new URL(url, document.baseURI).pathname.replace(ENDING, "").split("/").filter(Boolean).map((name) => {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // not UTF-8
    }
  });
}

/**
 * Returns the path of a page below the site's base, for display.
 *
 * @param {string} url
 * @param {string} base URL of the site
 */
export function crumbs(url, base) {
  const names = namesOf(url);
  const above = base ? namesOf(base) : [];
  return (above.every((name, at) => names[at] === name) ? names.slice(above.length) : names).join(" › ");
}

/**
 * Returns the folders of pages, largest first: the folders directly below the deepest folder that
 * contains all pages. Pages that are in none of them are the last group. Pages of several indexes
 * are in one folder for each.
 *
 * @param {{url: string, index?: string}[]} pages
 * @returns {Map<string, Set<string>>} the pages by folder; empty if there are not two
 */
export function foldersOf(pages) {
  const paths = pages.map(({ url, index }) => ({ url, names: index ? [index, ""] : namesOf(url) }));
  for (let depth = 0, within = paths; ; depth += 1) {
    /** @type {Map<string, Set<string>>} */
    const found = new Map();
    for (const { url, names } of within) {
      if (names.length > depth + 1) found.set(names[depth], (found.get(names[depth]) ?? new Set()).add(url));
    }
    // The page of the folder itself, such as its table of contents.
    const apart = within.filter(({ url, names }) => names.length <= depth + 1 && !found.get(names[depth])?.add(url)).map(({ url }) => url);
    const folders = [...found].sort(([, one], [, other]) => other.size - one.size);
    if (folders.length === 0) return new Map();
    if (folders.length > 1 || apart.length) return new Map([...folders.slice(0, MAX_FOLDERS), ...(apart.length ? [/** @type {[string, Set<string>]} */ ([ROOT, new Set(apart)])] : [])]);
    within = within.filter(({ url }) => folders[0][1].has(url));
  }
}
