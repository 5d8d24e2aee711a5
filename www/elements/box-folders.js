// @ts-check
/** Where results are: the folders in their addresses. */

/** What an address ends in that says nothing. */
const ENDING = /(^|\/)(index)?(\.x?html?)?$|\.x?html?$/i;
/** Beyond so many folders the smallest are not offered. */
const MAX_FOLDERS = 6;

/** The names in the path of an address. @param {string} url */
function namesOf(url) {
  return new URL(url, document.baseURI).pathname.replace(ENDING, "").split("/").filter(Boolean).map((name) => {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // no UTF-8
    }
  });
}

/**
 * The path of a page below that of the site, for people.
 *
 * @param {string} url
 * @param {string} base address of the site
 */
export function crumbs(url, base) {
  const names = namesOf(url);
  const above = base ? namesOf(base) : [];
  return (above.every((name, at) => names[at] === name) ? names.slice(above.length) : names).join(" › ");
}

/**
 * The folders in which pages are, with the most first: the first below that which all have in
 * common. Pages that lie in none of several are in no folder.
 *
 * @param {string[]} urls
 * @returns {Map<string, Set<string>>} the pages by folder; empty if there are not two
 */
export function foldersOf(urls) {
  const paths = urls.map((url) => ({ url, names: namesOf(url) }));
  for (let depth = 0, within = paths; ; depth += 1) {
    /** @type {Map<string, Set<string>>} */
    const found = new Map();
    for (const { url, names } of within) {
      if (names.length > depth + 1) found.set(names[depth], (found.get(names[depth]) ?? new Set()).add(url));
    }
    // The page of a folder itself, such as its contents.
    for (const { url, names } of within) if (names.length === depth + 1) found.get(names[depth])?.add(url);
    const folders = [...found].sort(([, one], [, other]) => other.size - one.size);
    if (folders.length === 0) return new Map();
    if (folders.length > 1) return new Map(folders.slice(0, MAX_FOLDERS));
    within = within.filter(({ url }) => folders[0][1].has(url));
  }
}
