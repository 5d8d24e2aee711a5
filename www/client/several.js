// @ts-check
/**
 * Asks several indexes side by side and merges their answers. pagekin.js fetches this script when
 * several indexes are named.
 *
 * # Order
 *
 * A score is the share that a page has of the best possible match, from 0 to 1, whatever the index.
 * So results are ordered by their score times the weight of their index, highest first. Results of
 * a text are first ordered by their `confidence`, as the box shows them. The results of one index
 * stay in their order, which considers more than the score: a result ranks at most as high as those
 * before it. Of equal ones, those of the index that is named first come first. If two indexes have
 * a page, that of the first counts.
 *
 * @import {Answer, FilterCounts, Found, IndexSource, Kin, KinErrorCode, OpenOptions, SearchResult, SimilarResult} from "./pagekin.js"
 * @typedef {{name: string, weight: number, folder: URL, baseUrl?: string, opening?: Promise<Kin>, kin?: Kin}} Source
 */
import { hrefOf } from "./link.js";

/**
 * The time that an index may take longer than the first one to answer, in milliseconds. After that,
 * it is left out of the answer.
 */
const PATIENCE = 3_000;

/** Errors of a query, rather than of an index. */
const OF_QUERY = ["EmptyQuery", "UnknownUrl"];

/** What the grades of results add to their scores, which are at most 10 with their weights. */
const GRADES = { high: 22, medium: 11, low: 0 };

/**
 * Opens several indexes. Fails if none can be opened. Those that cannot are tried again with each
 * query.
 *
 * @param {(string | URL | IndexSource)[]} named
 * @param {OpenOptions} options
 * @param {(base: URL, options: OpenOptions) => Promise<Kin>} open
 * @param {typeof import("./phrases.js").phrasesFirst} phrasesFirst
 * @returns {Promise<Kin>}
 */
export async function openSeveral(named, { signal, baseUrl: _, ...options }, open, phrasesFirst) {
  const sources = named.map((one) => {
    const { base, name, weight = 1, baseUrl } = typeof one === "string" || one instanceof URL ? { base: one } : one;
    if (!(weight > 0 && weight <= 10)) throw new RangeError(`weight: expected a number above 0 and up to 10, found ${weight}`);
    const folder = new URL(base, document.baseURI);
    return { name: name || (folder.origin === location.origin ? folder.pathname : folder.host), weight, folder, baseUrl };
  });
  const several = new SeveralKin(sources, ({ folder, baseUrl }) => open(folder, { ...options, baseUrl }).catch((error) => {
    if (error.code !== "NoStemmer") throw error;
    // The module of this script has only the stemmers that its own index needs.
    return open(folder, { ...options, baseUrl, module: folder });
  }), phrasesFirst);
  await several.ask(async () => ({}), signal);
  return several;
}

/** @implements {Kin} */
class SeveralKin {
  #sources;
  #open;
  #phrasesFirst;

  /** @param {Source[]} sources @param {(source: Source) => Promise<Kin>} open @param {Parameters<typeof openSeveral>[3]} phrasesFirst */
  constructor(sources, open, phrasesFirst) {
    this.#sources = sources;
    this.#open = open;
    this.#phrasesFirst = phrasesFirst;
  }

  /**
   * Asks all indexes. Fails if none answers.
   *
   * @template T
   * @param {(kin: Kin, show?: (answer: T) => void) => Promise<T>} query
   * @param {AbortSignal} [signal]
   * @param {(answers: {source: Source, kin: Kin, answer: T}[]) => void} [onPartial] is called with what is known of each index, until all have answered
   */
  async ask(query, signal, onPartial) {
    /** @type {Map<Source, {source: Source, kin: Kin, answer: T}>} */
    const known = new Map();
    let waiting = this.#sources.length;
    const asked = this.#sources.map(async (source) => {
      const kin = await this.#kinOf(source);
      const show = onPartial && ((/** @type {T} */ answer) => {
        known.set(source, { source, kin, answer });
        if (waiting && !signal?.aborted) onPartial(this.#sources.flatMap((one) => known.get(one) ?? []));
      });
      const answer = await query(kin, show);
      waiting = Math.max(0, waiting - 1);
      show?.(answer);
      return { source, kin, answer };
    });
    /** @type {Promise<never>} */
    const ended = new Promise((_, reject) => {
      const late = () => reject(Object.assign(new Error("it did not answer in time"), { code: "Offline" }));
      Promise.any(asked).then(() => setTimeout(late, PATIENCE), () => {});
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const all = await Promise.allSettled(asked.map((one) => Promise.race([one, ended])));
    waiting = 0;
    signal?.throwIfAborted();
    const answers = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    /** @type {{name: string, error: any}[]} */
    const failed = all.flatMap((one, at) => (one.status === "rejected" ? [{ name: this.#sources[at].name, error: one.reason }] : []));
    const ofQuery = ({ error } = failed[0]) => OF_QUERY.includes(error.code);
    if (!answers.length) throw (failed.find(ofQuery) ?? failed[0]).error;
    const leftOut = failed.filter((one) => !ofQuery(one)).map(({ name, error: { code, message } }) => ({ name, code: /** @type {KinErrorCode} */ (code), message: String(message) }));
    return { answers, leftOut };
  }

  /** Opens an index, again if that failed before. @param {Source} source @returns {Promise<Kin>} */
  #kinOf(source) {
    const opening = source.opening ??= this.#open(source).then((kin) => (source.kin = kin));
    opening.catch(() => { source.opening = undefined; });
    return opening;
  }

  get #kins() {
    return this.#sources.flatMap(({ kin }) => kin ?? []);
  }

  /** @returns {Kin["info"]} */
  get info() {
    const all = this.#kins.map(({ info }) => info);
    const sum = (/** @type {"pages" | "terms"} */ of) => all.reduce((sum, info) => sum + info[of], 0);
    return {
      ...all[0],
      pages: sum("pages"),
      terms: sum("terms"),
      generation: all.map(({ generation }) => generation).join(" "),
      languages: [...new Set(all.flatMap(({ languages }) => languages))],
      baseUrl: "",
      hasFilters: all.some(({ hasFilters }) => hasFilters),
    };
  }

  get ownHost() {
    return this.#kins.every(({ ownHost }) => ownHost);
  }

  get opened() {
    return costOf(this.#kins.map(({ opened }) => opened));
  }

  /** @type {Kin["similar"]} */
  similar(query, { limit = 10, onPartial, ...options } = {}) {
    const rank = (/** @type {SimilarResult} */ { confidence, score }, /** @type {Source} */ { weight }) => GRADES[confidence] + score * weight;
    return this.#merge(options, onPartial, (kin, show) => kin.similar(query, { limit, ...options, onPartial: show }), (answers) => {
      const best = (/** @type {typeof answers[0]} */ { answer, source }) => (answer.results[0] ? rank(answer.results[0], source) : -1);
      const { rankedBy, language } = answers.reduce((one, other) => (best(other) > best(one) ? other : one)).answer;
      const lists = [true, false].map((is) => merged(answers, ({ answer }) => ((answer.rankedBy === rankedBy) === is ? answer.results : answer.otherResults), rank).slice(0, limit));
      // As of one index: the second list adds something only if there is enough of a text.
      const [results, otherResults] = answers.some(({ answer }) => answer.otherResults.length) ? lists : [lists[0].concat(lists[1]).slice(0, limit), []];
      return { results, otherResults, rankedBy, language };
    });
  }

  /** @type {Kin["search"]} */
  async search(words, { limit = 10, lang = "", phrases = true, onPartial, ...options } = {}) {
    const answer = await this.#merge(options, onPartial, (kin, show) => kin.search(words, { limit, lang: kin.info.languages.includes(lang) ? lang : "", phrases: false, ...options, onPartial: show }), (answers) => {
      const results = merged(answers, ({ answer }) => answer.results, ({ score }, { weight }) => score * weight).slice(0, limit);
      const first = answers.find(({ source }) => source.name === results[0]?.index) ?? answers[0];
      return { results, corrections: first.answer.corrections };
    });
    return phrases ? this.#phrasesFirst(this, { text: String(words ?? ""), lang }, answer, options.signal) : answer;
  }

  /**
   * Asks all indexes, and merges their answers. With filters there are no partial answers, as of
   * one index.
   *
   * @template {Pick<Answer, "unmatched" | "found" | "cost">} T
   * @template {object} M
   * @param {import("./pagekin.js").SearchOptions} options
   * @param {((answer: any) => void) | undefined} onPartial
   * @param {(kin: Kin, show?: (answer: T) => void) => Promise<T>} query
   * @param {(answers: {source: Source, kin: Kin, answer: T}[]) => M} merge
   */
  async #merge({ filters, sort, signal }, onPartial, query, merge) {
    // Values by which pages are sorted are not in answers.
    if (sort) throw new TypeError("sort: expected one index, found several");
    const read = (/** @type {Parameters<typeof merge>[0]} */ answers) => ({ ...merge(answers), ...common(answers) });
    const { answers, leftOut } = await this.ask(query, signal, onPartial && !filters ? (some) => onPartial(read(some)) : undefined);
    return { ...read(answers), leftOut };
  }

  /** @type {Kin["excerpt"]} */
  async excerpt(...args) {
    return (await this.#any()).excerpt(...args);
  }

  /** @type {Kin["compare"]} */
  async compare(...args) {
    return (await this.#any()).compare(...args);
  }

  /** @type {Kin["commonWords"]} */
  async commonWords(...args) {
    return (await this.#any()).commonWords(...args);
  }

  /** The first index that is open. */
  async #any() {
    return this.#kins[0] ?? Promise.any(this.#sources.map((source) => this.#kinOf(source)));
  }

  /** @type {Kin["around"]} */
  async around() {
    throw new TypeError("around: expected one index, found several");
  }

  /** @type {Kin["pages"]} */
  async pages() {
    const { answers } = await this.ask((kin) => kin.pages());
    return answers.flatMap(({ source, kin, answer }) => answer.flatMap(({ url, title }) => [urlOf(url, source, kin)].filter((url) => url !== undefined).map((url) => ({ url, title }))));
  }

  /** @type {Kin["filters"]} */
  async filters() {
    const { answers } = await this.ask((kin) => kin.filters());
    return added(answers.map(({ answer }) => answer));
  }

  /** @type {Kin["close"]} */
  close() {
    for (const { opening } of this.#sources) opening?.then((kin) => kin.close(), () => {});
  }
}

/**
 * Merges lists of results.
 *
 * @template {{source: Source, kin: Kin}} A
 * @template {SearchResult} R
 * @param {A[]} answers
 * @param {(answer: A) => R[]} listOf
 * @param {(result: R, source: Source) => number} rank
 */
function merged(answers, listOf, rank) {
  const seen = new Set();
  const ranked = answers.flatMap((answer) => {
    const { source, kin } = answer;
    let least = Infinity;
    return listOf(answer).flatMap((result) => {
      least = Math.min(least, rank(result, source));
      const url = urlOf(result.url, source, kin);
      if (!url || seen.has(url)) return [];
      seen.add(url);
      const copies = result.copies.flatMap((copy) => urlOf(copy, source, kin) ?? []);
      return [{ least, result: { ...result, url, copies, index: source.name } }];
    });
  });
  return ranked.sort((one, other) => other.least - one.least).map(({ result }) => result);
}

/**
 * Returns the URL of a page of an index, whole if it is on another host. Returns nothing if it is
 * not below the base URL of the index.
 *
 * @param {string} url as in the index
 * @param {Source} source
 * @param {Kin} kin
 */
function urlOf(url, { folder }, { info: { baseUrl } }) {
  if (!URL.canParse(url, folder)) return undefined;
  const href = hrefOf(new URL(url, folder).href, baseUrl && new URL(baseUrl, folder).href);
  return href && (folder.origin === location.origin ? url : href);
}

/**
 * Returns what answers have in common: words that no page of any index has, the numbers of results,
 * and the cost.
 *
 * @param {{answer: Pick<Answer, "unmatched" | "found" | "cost">}[]} answers
 */
function common(answers) {
  const [{ answer: first }, ...others] = answers;
  const found = answers.flatMap(({ answer }) => answer.found ?? []);
  return {
    unmatched: first.unmatched.filter((word) => others.every(({ answer }) => answer.unmatched.includes(word))),
    ...(found.length > 0 && { found: foundIn(found) }),
    cost: costOf(answers.map(({ answer }) => answer.cost)),
  };
}

/** @param {Found[]} all @returns {Found} */
function foundIn(all) {
  const filters = all.flatMap(({ filters }) => filters ?? []);
  return {
    total: all.reduce((sum, { total }) => sum + total, 0),
    exact: all.every(({ exact }) => exact),
    ...(filters.length === all.length && { filters: added(filters) }),
  };
}

/** Adds up the numbers of pages with each value. @param {FilterCounts[]} all @returns {FilterCounts} */
function added(all) {
  /** @type {FilterCounts} */
  const sums = Object.create(null);
  for (const [name, values] of all.flatMap((counts) => Object.entries(counts))) {
    const sum = sums[name] ??= Object.create(null);
    for (const [value, n] of Object.entries(values)) sum[value] = (sum[value] ?? 0) + n;
  }
  return sums;
}

/** Adds up costs that were incurred side by side. @param {import("./pagekin.js").Cost[]} all */
function costOf(all) {
  return all.reduce((one, other) => ({
    bytes: one.bytes + other.bytes,
    requests: one.requests + other.requests,
    rounds: Math.max(one.rounds, other.rounds),
    milliseconds: Math.max(one.milliseconds, other.milliseconds),
  }));
}
