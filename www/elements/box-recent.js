// @ts-check
/** Words that were searched for on this device and led to a page, last first. */

const MAX = 8;
/** Of words, in characters. */
const LONGEST = 100;

/** @param {string} folder of the index: sites that share a host keep their own @returns {string} */
const keyOf = (folder) => `pagekin.searches ${folder}`;

/** @param {string} folder @returns {string[]} */
export function recent(folder) {
  try {
    const words = JSON.parse(localStorage.getItem(keyOf(folder)) ?? "[]");
    return Array.isArray(words) ? words.filter((one) => typeof one === "string" && one.length <= LONGEST).slice(0, MAX) : [];
  } catch {
    // The browser keeps nothing for this page, or it was written by something else.
    return [];
  }
}

/** @param {string} folder @param {string[]} words */
function store(folder, words) {
  try {
    localStorage.setItem(keyOf(folder), JSON.stringify(words.slice(0, MAX)));
  } catch {
    // Likewise: nothing is kept.
  }
}

/** @param {string} folder @param {string} words */
export function keep(folder, words) {
  const kept = words.trim();
  if (kept && kept.length <= LONGEST) store(folder, [kept, ...recent(folder).filter((other) => other !== kept)]);
}

/** @param {string} folder @param {string} words */
export function forget(folder, words) {
  store(folder, recent(folder).filter((other) => other !== words));
}
