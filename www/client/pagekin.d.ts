/** Finds the pages of a static site that contain or resemble a text or another page, in the visitor's browser. */

/** A query: a text of any length, a page of HTML, or a page of the site by its URL. A plain string is a text. */
export type KinQuery = TextQuery | { url: string };

/** A text, or a page of HTML. Only the first 2^20 characters of a text are used. */
export type TextQuery =
  | string
  | { text: string; title?: string; lang?: string }
  | { html: string; lang?: string };

export interface OpenOptions {
  /** Run lookups in a worker (default) or on the main thread, which is also used if no worker can run. */
  worker?: boolean;
  /**
   * The folder that contains `worker.js`, `engine.js` and the WebAssembly module. The default is the folder of this script. The
   * client of the npm package is part of a bundle, so it loads them from the folder of the index.
   */
  client?: string | URL;
  /**
   * The folder that contains the WebAssembly module, if it is not `client`. It must be of the same version. The module of an index
   * supports the languages of that index, so several indexes use their own if necessary.
   */
  module?: string | URL;
  /**
   * Where the pages are, such as `/docs/`, if they are neither where the index was built for nor where its folder says. Only for an
   * index with a `baseUrl`.
   */
  baseUrl?: string;
  /** Cancels opening the index. */
  signal?: AbortSignal;
}

export interface SimilarOptions {
  /** Maximum number of results, and of {@link Answer.otherResults}: 1 or more, 10 by default. */
  limit?: number;
  /** Minimum score: 0 (default, all results) to 1. */
  min?: number;
  /** Return copies and variants of a page as separate results. By default they are listed in {@link SearchResult.copies}. */
  copies?: boolean;
  /** Which pages to find, by their filters. */
  filters?: Filters;
  /** Sorts the pages that were found. */
  sort?: SortOrder;
  /** Whether to count the results with each value, by the pages of all filters. By default, they are counted if `filters` or `sort` is given. */
  counts?: boolean;
  /** Cancels the query, and its fetches unless another query needs them. */
  signal?: AbortSignal;
  /**
   * Called with the answer by what has been read, when more is read that may change it, so that visitors see results early. Its
   * results are not compared word for word: {@link SimilarResult.near} is missing. Of several indexes, it is also called when some
   * have answered and others have not. With `filters` or `sort` of one index, it is called with the results as soon as they are
   * known, before those with each value are counted.
   */
  onPartial?: (answer: Answer) => void;
}

/**
 * The values that pages must have, by the names of their filters: one value, or a list of which a page has all. `any`, `all`,
 * `not` (not all) and `none` combine values of one filter, or filters, and may be nested. Empty lists and objects change nothing.
 */
export interface Filters {
  [name: string]: FilterCondition | Filters[];
}

export type FilterCondition = string | FilterCondition[] | { [name: string]: FilterCondition };

/** A sort key of the pages, and the order: `{ date: "desc" }`. Pages without the key are left out. */
export type SortOrder = Record<string, "asc" | "desc">;

/** Numbers of pages, by the names and values of filters. */
export type FilterCounts = Record<string, Record<string, number>>;

/** How many pages were found. */
export interface Found {
  /**
   * The number of results before they are limited. On a large site, lists tell the number of pages with some words, whether they
   * were read or not. Copies count there, and `results` may have fewer.
   */
  total: number;
  /** Whether the numbers are exact. Otherwise there are at least as many pages. */
  exact: boolean;
  /**
   * The number of results with each value. Missing in partial answers, with `counts: false`, and if the filters of the site are too
   * large to be counted.
   */
  filters?: FilterCounts;
}

export interface AroundOptions {
  /** Maximum number of results to start from: 1 or more, 10 by default. */
  limit?: number;
  /** Return the cluster whose center is the queried page, instead of the neighborhood of its results. */
  cluster?: boolean;
  /** Cancels the query, and its fetches unless another query needs them. */
  signal?: AbortSignal;
}

/** A page that contains words. */
export interface SearchResult extends SitePage {
  /** The metadata of the page, such as `author` or `image`, as it is written there. URLs are relative to the page. */
  meta: Record<string, string>;
  /** The score that ranks the results, 0 to 1. */
  score: number;
  /** The words that are both in the query and on the page, heaviest first. */
  sharedTerms: string[];
  /** The heaviest words of the query that the page does not contain. */
  missingTerms: string[];
  /** URLs of copies and variants (versions, languages) of the page that also match. They are not separate results. */
  copies: string[];
  /** Whether it has the phrases in quotation marks. Missing if there are none, or if the page was not read: {@link SearchOptions.phrases}. */
  hasPhrase?: boolean;
  /** The name of the index that it comes from, if several are open. */
  index?: string;
}

/**
 * A page that contains or resembles a text or a page. `score` is its similarity, or how well it matches the words of the text
 * ({@link Answer.rankedBy}). If the query is a page, `missingTerms` is empty.
 */
export interface SimilarResult extends SearchResult {
  /** Jaccard similarity of the two weighted bags of words, 0 to 1. */
  similarity: number;
  /** Share of the text's weight that is on the page, 0 to 1. Rare words weigh more. */
  coverage: number;
  /**
   * Grade of the match, based on the score that ranks it ({@link Answer.rankedBy}).
   *
   * Ranked by `coverage`, only the first result is graded; all others are `low`:
   *
   * - `high`: its coverage is at least 0.8, and the next page scores less than 0.8 times as much
   * - `medium`: the next page scores less than 0.8 times as much, or its coverage is at least 0.6 and its score at least 0.4
   * - `low`: the page may be irrelevant
   *
   * Ranked by `similarity`, the grade depends on how far it exceeds the similarity of two arbitrary pages of the site: by at
   * least 0.2, by at least 0.05, or by less.
   */
  confidence: "high" | "medium" | "low";
  /** What the page and the text share word for word, if this was compared and there is something to report. */
  near?: Near;
}

/**
 * What a text (or the queried page) and a page share, measured by their runs of ten words. Shares are from 0 to 1, and missing
 * if they cannot be estimated, for example for a short text on a long page.
 */
export interface Near {
  /**
   * - `copy`: the same words and numbers in the same order
   * - `same-but-numbers`: the same words in the same order, with other numbers
   * - `near-duplicate`: a resemblance of 0.8 or more
   * - `contains`: 0.8 or more of the page is in the text
   * - `contained`: 0.8 or more of the text is on the page
   * - `passages`: a tenth or more of one is in the other, or they share passages
   */
  kind: "copy" | "same-but-numbers" | "near-duplicate" | "contains" | "contained" | "passages";
  /** Share of the runs of either that occur in both. */
  resemblance?: number;
  /** Share of the text that is on the page. */
  textInPage?: number;
  /** Share of the page that is in the text. */
  pageInText?: number;
  /**
   * Whether all runs of both were compared. If not, the shares are estimates from a sample, with a standard error of at most
   * 1/8 and usually 1/16 or less. Only 24 bits of each run are compared, so two different runs may match: about one pair of
   * texts of 64 runs in 2,000 shares one run too many. `compare()` is exact.
   */
  whole: boolean;
}

/** What two whole texts share. Shares are exact, from 0 to 1. */
export interface Comparison {
  resemblance: number;
  textInPage: number;
  pageInText: number;
  /** The text in pieces: every second piece, starting with the second, is a shared passage. */
  text: string[];
  /** The page in pieces, likewise. */
  page: string[];
  /** For each shared passage of the text, in order: the index of the page's passage that contains its beginning. */
  textTwins: number[];
  /** For each shared passage of the page: the index of the text's passage. */
  pageTwins: number[];
}

/** Words that a text and a page have in common: the 24 heaviest of both, without very common words. */
export interface CommonWords {
  /** The text in pieces: every second piece, starting with the second, is a word of the page. */
  text: string[];
  /** The page in pieces, likewise. */
  page: string[];
  /**
   * For each such word of the text, in order: the index of the same word of the page, at the place that contains most of the
   * text.
   */
  textTwins: number[];
  /** For each such word of the page: the index of its first occurrence in the text. */
  pageTwins: number[];
}

/** The pages around the results of a query, or the cluster of a page, as far as the results required reading them. */
export interface Neighborhood {
  /**
   * The queried page, if it is one of the site; the results; and the pages most similar to these: at most 20. For a cluster:
   * its center and up to 199 members, most similar first. `cluster` is the index in `clusters`, if the page is in one.
   */
  pages: (SitePage & { cluster?: number })[];
  /** Pairs of similar pages among the first 20, `a` before `b`: at most a few for each page, to those most similar to it. */
  links: { a: number; b: number; similarity: number }[];
  /**
   * The clusters of these pages, by their centers, with the number of their known pages. All pages of a cluster have a
   * similarity of at least 0.1 with its center. For a cluster: itself first, then neighboring clusters.
   */
  clusters: (SitePage & { pages: number })[];
  cost: Cost;
}

/** What was fetched. The first query includes the cost of `open`. All values are 0 if everything was cached. */
export interface Cost {
  bytes: number;
  requests: number;
  /** Sequential round trips; the fetches of a round run in parallel. */
  rounds: number;
  milliseconds: number;
}

/** The language of a text. */
export interface TextLanguage {
  /** As in {@link IndexInfo.languages}. */
  code: string;
  /**
   * - `given`: set by `lang`
   * - `guessed`: the only language of the site in the text's script, or the one of these with the most very common words in the
   *   text
   * - `assumed`: the most common language of the site in this script, because there was no evidence
   */
  by: "given" | "guessed" | "assumed";
}

export interface Answer {
  /** The matching pages, best first. */
  results: SimilarResult[];
  /**
   * The score that ranks `results`: `coverage` (how much of the text a page contains, and how well) for a passage, `similarity`
   * for a whole page. `otherResults` are ranked by the other score.
   */
  rankedBy: "coverage" | "similarity";
  /**
   * The pages ranked by the other score: similar pages if `results` contain the text, pages that contain the text if `results`
   * are similar. Empty if this ranking adds nothing, for fewer than 24 different words, and for a page of the site.
   */
  otherResults: SimilarResult[];
  /** Words of the text that no page of the site contains, as far as known. */
  unmatched: string[];
  /**
   * The language of the site that was used to read the text. It determines endings and very common words. Missing for a page of
   * the site, and if no language of the site uses the text's script.
   */
  language?: TextLanguage;
  /** The number of `results`, if `filters` or `sort` was given. */
  found?: Found;
  /** The indexes that did not answer, if several are open. */
  leftOut?: LeftOut[];
  cost: Cost;
}

/** An index that did not answer, and why. */
export interface LeftOut {
  name: string;
  code: KinErrorCode;
  message: string;
}

export interface SearchOptions {
  /** Maximum number of pages: 1 or more, 10 by default. */
  limit?: number;
  /** The language of the words, such as `en`. By default, it is guessed from the languages of the site. */
  lang?: string;
  /** Which pages to find, by their filters. Without words, they are listed, 256 at most. */
  filters?: Filters;
  /** Sorts the pages that were found. */
  sort?: SortOrder;
  /**
   * Whether phrases in quotation marks count, such as `"read the manual"`: true by default. The index does not know the order of
   * words, so the first ten pages are fetched, for 1.5 seconds at most, and those with all phrases come first. Pages on other
   * hosts cannot be read, and nothing is read for visitors who save data.
   */
  phrases?: boolean;
  /** Whether to count the results with each value, by the pages of all filters. By default, they are counted if `filters` or `sort` is given. */
  counts?: boolean;
  /** Cancels the search, and its fetches unless something else needs them. */
  signal?: AbortSignal;
  /** As for {@link SimilarOptions.onPartial}. */
  onPartial?: (answer: SearchAnswer) => void;
}

export interface SearchAnswer {
  /** Best first. */
  results: SearchResult[];
  /**
   * The typed words that were completed or corrected, each with the words of the site that were searched instead, most likely
   * first, in lower case. The last word may be a prefix. Any word that the site does not contain may have one typo: a letter
   * added, missing, replaced, or swapped with the next.
   */
  corrections: { from: string; to: string[] }[];
  /** Words that no page of the site contains, as far as known. */
  unmatched: string[];
  /** The number of results, if `filters` or `sort` was given. */
  found?: Found;
  /** The indexes that did not answer, if several are open. */
  leftOut?: LeftOut[];
  cost: Cost;
}

/** The passage of a page that best matches a text. */
export interface Excerpt {
  /** The passage in pieces: every second piece, starting with the second, is a word of the text. At most about 40 words. */
  pieces: string[];
  /** Append this to the page's URL to make a browser scroll to the passage, or to its section: `#section:~:text=…`, encoded. */
  fragment: string;
  /** Whether the page contains the text word for word, except for a few words. Only for texts of four words or more. */
  verbatim: boolean;
  /** Number of different words of the text in the passage. */
  terms: number;
  /** Whether these words are in sentences of the main text, and not in a heading, a list or a table of contents. */
  inSentence: boolean;
  /** The section that contains the passage, if it has a heading with an id and the page was passed as HTML. */
  section?: { heading: string; fragment: string };
  /** Up to two other sections whose headings contain words of the text, those with most of them first. */
  sections: { heading: string; fragment: string }[];
}

export interface IndexInfo {
  pages: number;
  terms: number;
  /** Changes whenever the index does. */
  generation: string;
  format: number;
  preset: string;
  /** Language codes of the site's pages. */
  languages: string[];
  /**
   * The value of `pagekin build --base-url`, or where the site is now, if the index is in the folder of the site and both were
   * copied elsewhere. Empty if page URLs are absolute because the pages are on several hosts.
   */
  baseUrl: string;
  /** Whether pages have filters or sort keys. */
  hasFilters: boolean;
}

/** A page of the site. */
export interface SitePage {
  url: string;
  title: string;
}

/**
 * Why something failed. The message gives the problem and the remedy.
 *
 * - `NotPagekin`: the host served something else, often a web page
 * - `Truncated`, `Checksum`, `Damaged`: a file is damaged
 * - `VersionTooNew`, `VersionTooOld`: the index and this client don't match, or the script of the page and that of the index
 * - `NoStemmer`: the site has a new language that this client does not support; reload the page to fetch one that does
 * - `WrongGeneration`, `Missing`: the index changed or lacks a file, and reloading the manifest did not fix it
 * - `Server`: the host answered with an error
 * - `NoRanges`: the host does not support range requests, and the index needs them
 * - `Offline`: the host did not answer
 * - `UnknownUrl`: the index contains no page with this URL
 * - `EmptyQuery`: the text contains no words to search for
 * - `Unsupported`: this browser or the page's content security policy does not allow what pagekin needs
 * - `Crashed`: a bug in pagekin
 */
export type KinErrorCode =
  | "NotPagekin" | "Truncated" | "Checksum" | "Damaged" | "VersionTooNew" | "VersionTooOld" | "WrongGeneration"
  | "NoStemmer" | "Missing" | "Server" | "NoRanges" | "Offline" | "UnknownUrl" | "EmptyQuery" | "Unsupported" | "Crashed";

export class KinError extends Error {
  constructor(code: KinErrorCode, message: string);
  readonly code: KinErrorCode;
}

/** An open index. Queries may run concurrently. */
export interface Kin {
  readonly info: IndexInfo;
  /**
   * Whether the whole index comes from the page's own host. If not (mirrors, or another host), do not send cookies with
   * requests for pages that the index names.
   */
  readonly ownHost: boolean;
  /** The cost of opening the index. */
  readonly opened: Cost;
  /** Finds the pages that contain or resemble `query`. Rejects with a {@link KinError}, or with the signal's reason. */
  similar(query: KinQuery, options?: SimilarOptions): Promise<Answer>;
  /**
   * Finds pages by a few words while the visitor types. The last word may be a prefix, and each may have a typo. Only the first
   * 512 bytes are used. For a sentence or a paragraph, call {@link similar}.
   */
  search(words: string | null, options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Finds the passage of a page that best matches a text, or `undefined` if the page contains none of its words. HTML is read
   * as `pagekin build` reads it. The page is passed in, not fetched.
   */
  excerpt(query: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Excerpt | undefined>;
  /** Compares a text and a page exactly, and returns the shared passages. HTML is read as `pagekin build` reads it. */
  compare(text: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Comparison>;
  /** Returns the words that a text and a page have in common. HTML is read as `pagekin build` reads it. */
  commonWords(text: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<CommonWords>;
  /**
   * Returns the pages around the results of a query, or a cluster. Reads nothing more if called after `similar` with the same
   * query.
   */
  around(query: KinQuery, options?: AroundOptions): Promise<Neighborhood>;
  /** Returns up to 500 pages, spread evenly over the site. */
  pages(): Promise<SitePage[]>;
  /** Returns all filters, with the number of pages that have each value. */
  filters(): Promise<FilterCounts>;
  /** Ends the worker. Pending calls reject with an `AbortError`. */
  close(): void;
}

/**
 * Opens the index in the folder `base`, relative to the document: `await open("/pagekin/")`.
 * Rejects with a {@link KinError}, or with the signal's reason.
 */
export function open(base?: string | URL, options?: OpenOptions): Promise<Kin>;

/** One of several indexes. */
export interface IndexSource {
  /** Its folder. */
  base: string | URL;
  /** What results call it. By default, its host if that is another one, and otherwise its path. */
  name?: string;
  /** A factor of the scores of its results: 1 by default, above 0 and up to 10. */
  weight?: number;
  /** As in {@link OpenOptions.baseUrl}. */
  baseUrl?: string;
}

/**
 * Opens several indexes, whose answers are merged: `await open(["/pagekin/", "https://docs.example/pagekin/"])`. An index that
 * cannot be opened is left out of answers, and named there, until it can. Rejects if none can be opened.
 *
 * Results are ordered by their scores times the weights of their indexes, and those of a text first by their `confidence`.
 * Those of one index stay in their order. `sort` and {@link Kin.around} need a single index. `excerpt`, `compare` and
 * `commonWords` use the words of the first index.
 */
export function open(bases: (string | URL | IndexSource)[], options?: OpenOptions): Promise<Kin>;
