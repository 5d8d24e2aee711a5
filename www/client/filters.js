// @ts-check
/**
 * Reads the options `filters`, `sort`, and `counts` of a query. pagekin.js fetches this script when
 * they are used.
 *
 * @import {Filters, SortOrder} from "./pagekin.js"
 * @typedef {{steps: string[], sort: string, descending: boolean, counts: boolean}} Refinement
 */

/**
 * The names that combine filters: whether all or any must hold, and whether the result is negated.
 */
const COMBINED = new Map([["all", ["all", false]], ["any", ["any", false]], ["not", ["all", true]], ["none", ["any", true]]]);

/**
 * @param {Filters | undefined} filters
 * @param {SortOrder | undefined} sort
 * @param {boolean | undefined} counts
 * @returns {Refinement}
 */
export function refinementOf(filters = {}, sort = {}, counts = true) {
  if (!isObject(filters)) throw new TypeError("filters: expected an object such as {color: \"red\"}");
  const keys = isObject(sort) ? Object.entries(sort) : [];
  if (!isObject(sort) || keys.length > 1 || keys.some(([, order]) => order !== "asc" && order !== "desc")) {
    throw new TypeError('sort: expected an object with one key and "asc" or "desc", such as {date: "desc"}');
  }
  const [key, order] = keys[0] ?? ["", ""];
  return { steps: ofObject(filters, "all"), sort: key, descending: order === "desc", counts: Boolean(counts) };
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Combines the filters that are not empty.
 *
 * @param {string[][]} filters
 * @param {unknown} how
 * @param {unknown} [negated]
 */
function combined(filters, how, negated) {
  const given = filters.filter(({ length }) => length > 0);
  if (given.length === 0) return [];
  const steps = given.length === 1 ? given[0] : [...given.flat(), String(how), String(given.length)];
  return negated ? [...steps, "not"] : steps;
}

/**
 * @param {Record<string, any>} filters by name, or combined
 * @param {unknown} how
 * @param {unknown} [negated]
 * @returns {string[]}
 */
function ofObject(filters, how, negated) {
  const each = Object.entries(filters).map(([name, value]) => {
    const [inner, not] = COMBINED.get(name) ?? [];
    if (!inner || typeof value === "string") return ofValue(name, value, "all");
    if (isObject(value)) return ofObject(value, inner, not);
    if (!Array.isArray(value)) throw wrong(name, value);
    const list = value.map((one) => {
      if (!isObject(one)) throw wrong(name, one);
      return ofObject(one, "all");
    });
    return combined(list, inner, not);
  });
  return combined(each, how, negated);
}

/**
 * @param {string} name of a filter
 * @param {unknown} value a value, a list of them, or combined
 * @param {unknown} how
 * @param {unknown} [negated]
 * @returns {string[]}
 */
function ofValue(name, value, how, negated) {
  if (typeof value === "string") return combined([["=", name, value]], how, negated);
  if (Array.isArray(value)) return combined(value.map((one) => ofValue(name, one, "all")), how, negated);
  if (!isObject(value)) throw wrong(name, value);
  const each = Object.entries(value).map(([key, one]) => {
    const [inner, not] = COMBINED.get(key) ?? [];
    if (!inner) throw new TypeError(`filters.${name}: expected any, all, not or none, found ${JSON.stringify(key)}`);
    // An object of combinations is combined by what contains it.
    return ofValue(name, one, inner, not);
  });
  return combined(each, how, negated);
}

/** @param {string} name @param {unknown} value */
const wrong = (name, value) => new TypeError(`filters.${name}: expected texts, lists and objects, found ${JSON.stringify(value)}`);
