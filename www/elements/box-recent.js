// @ts-check
/** Stores searches that led to a page on this device, most recent first. */

const MAX_SEARCHES = 8;
/** Maximum length of a search in characters. */
const MAX_LENGTH = 100;

/** @param {string} folder of the index, because several sites may share a host @returns {string} */
const keyOf = (folder) => `pagekin.searches ${folder}`;

/** @param {string} folder @returns {string[]} */
export function recent(folder) {
  try {
    const words = JSON.parse(localStorage.getItem(keyOf(folder)) ?? "[]");
    return Array.isArray(words) ? words.filter((one) => typeof one === "string" && one.length <= MAX_LENGTH).slice(0, MAX_SEARCHES) : [];
  } catch {
    // The page may not store data, or another script wrote the value.
    return [];
  }
}

/** @param {string} folder @param {string[]} words */
function store(folder, words) {
  try {
    localStorage.setItem(keyOf(folder), JSON.stringify(words.slice(0, MAX_SEARCHES)));
  } catch {
    // The page may not store data.
  }
}

/** @param {string} folder @param {string} words */
export function keep(folder, words) {
  const kept = words.trim();
  if (kept && kept.length <= MAX_LENGTH) store(folder, [kept, ...recent(folder).filter((other) => other !== kept)]);
}

/** @param {string} folder @param {string} words */
export function forget(folder, words) {
  store(folder, recent(folder).filter((other) => other !== words));
}
