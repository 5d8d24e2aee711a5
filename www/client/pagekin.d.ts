/** Finds the pages of a static site that contain or resemble a text or another page, in the visitor's browser. */

/** What to look for: a text of any length, a page of HTML, or a page of the site by its URL. A plain string is a text. */
export type KinQuery = TextQuery | { url: string };

/** A text, or a page of HTML. Only the first 2^20 characters of a text are used. */
export type TextQuery =
  | string
  | { text: string; title?: string; lang?: string }
  | { html: string; lang?: string };

export interface OpenOptions {
  /** Run lookups in a worker (default) or on the main thread, which is also used where no worker can run. */
  worker?: boolean;
  /**
   * The folder with `worker.js`, `engine.js` and the wasm: by default that of this script. The client of the npm package is
   * in a bundle, and takes them from the folder of the index.
   */
  client?: string | URL;
  /** Cancels opening the index. */
  signal?: AbortSignal;
}

export interface SimilarOptions {
  /** Maximum number of results, and of {@link Answer.otherResults}: 1 or more, 10 by default. */
  limit?: number;
  /** Minimum score: 0 (default, all results) to 1. */
  min?: number;
  /** Return copies and variants of a page as results of their own; by default they are in {@link SearchResult.copies}. */
  copies?: boolean;
  /** Cancels the query, and its fetches unless another query needs them. */
  signal?: AbortSignal;
}

export interface AroundOptions {
  /** Maximum number of results that it is around: 1 or more, 10 by default. */
  limit?: number;
  /** Instead of the results, the cluster of which the page that is asked for is the center. */
  cluster?: boolean;
  /** Cancels the query, and its fetches unless another query needs them. */
  signal?: AbortSignal;
}

/** A page that contains words. */
export interface SearchResult extends SitePage {
  /** The score that ranks the results, 0 to 1. */
  score: number;
  /** The words that are both in the query and on the page, heaviest first. */
  sharedTerms: string[];
  /** The heaviest words of the query that the page does not contain. */
  missingTerms: string[];
  /** The URLs of copies and variants (versions, languages) of the page that match too. They are not results of their own. */
  copies: string[];
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
   * How good the match is, by the score that ranks it ({@link Answer.rankedBy}).
   *
   * Ranked by `coverage`, only the first result is graded; all others are `low`:
   *
   * - `high`: its coverage is 0.8 or more, and the score of the next page is below 0.8 of its own
   * - `medium`: the score of the next page is below 0.8 of its own, or its coverage is 0.6 or more and its score 0.4 or more
   * - `low`: the page may be irrelevant
   *
   * Ranked by `similarity`, by how far it is above the similarity of any two pages of the site: 0.2 or more, 0.05 or more, less.
   */
  confidence: "high" | "medium" | "low";
  /** What the page and the text share word for word, if that was examined and is notable. */
  near?: Near;
}

/**
 * What a text, or the page of the query, and a page share, by their runs of ten words. The parts are from 0 to 1, and
 * missing where they cannot be estimated, such as for a short text on a long page.
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
  /** The share of all runs of either that both have. */
  resemblance?: number;
  /** The part of the text that is on the page. */
  textInPage?: number;
  /** The part of the page that is in the text. */
  pageInText?: number;
  /**
   * Whether all runs of both were compared; if not, the parts are estimates by a sample, with standard errors of at most 1/8,
   * mostly 1/16 or less. Of each run 24 bits are compared, so two that differ may agree: one pair of texts of 64 runs in 2,000
   * shares a run too many. `compare()` is exact.
   */
  whole: boolean;
}

/** What two whole texts share. The parts are exact, from 0 to 1. */
export interface Comparison {
  resemblance: number;
  textInPage: number;
  pageInText: number;
  /** The text in pieces: every second piece, starting with the second, is a shared passage. */
  text: string[];
  /** The page in pieces, likewise. */
  page: string[];
  /** Of each shared passage of the text, in order, the number of that of the page which has its beginning. */
  textTwins: number[];
  /** Of each shared passage of the page that of the text. */
  pageTwins: number[];
}

/** The words that a text and a page have in common: in both the 24 heaviest, without very common ones. */
export interface CommonWords {
  /** The text in pieces: every second piece, starting with the second, is a word of the page. */
  text: string[];
  /** The page in pieces, likewise. */
  page: string[];
  /** Of each such word of the text, in order, the number of the same word of the page, where that has most of the text. */
  textTwins: number[];
  /** Of each such word of the page the number of the first of the text. */
  pageTwins: number[];
}

/** What is around the results of a query, or the cluster of a page: as far as it was read for the results. */
export interface Neighborhood {
  /**
   * The page that is asked for, if it is one of the site; the results; and the pages most like these: at most 20. Of a cluster
   * its center and up to 199 members, most alike first. `cluster`: its place in `clusters`, if it is in one.
   */
  pages: (SitePage & { cluster?: number })[];
  /** Which of the first 20 of these are alike, `a` before `b`: at most a few lines from each, to those most like it. */
  links: { a: number; b: number; similarity: number }[];
  /**
   * The clusters that they are in, by their centers, and how many of their pages are known. All pages of a cluster have a
   * similarity of 0.1 or more with its center. Of a cluster itself first, then others beside it.
   */
  clusters: (SitePage & { pages: number })[];
  cost: Cost;
}

/** What was fetched. The first query includes what `open` fetched. All 0 if everything was cached. */
export interface Cost {
  bytes: number;
  requests: number;
  /** Sequential round trips: the fetches of one round run in parallel. */
  rounds: number;
  milliseconds: number;
}

/** The language of a text. */
export interface TextLanguage {
  /** As in {@link IndexInfo.languages}. */
  code: string;
  /**
   * - `given`: by `lang`
   * - `guessed`: the only one of the site's in the text's script, or of these the one whose very common words it has most of
   * - `assumed`: the site's most common one in this script, since nothing tells
   */
  by: "given" | "guessed" | "assumed";
}

export interface Answer {
  /** The matching pages, best first. */
  results: SimilarResult[];
  /**
   * The score that ranks `results`: `coverage` (how much of the text a page contains, and how well) for a passage, `similarity`
   * for a whole page. The other one of the two ranks `otherResults`.
   */
  rankedBy: "coverage" | "similarity";
  /**
   * The pages ranked by the other score: those similar to the text if `results` contain it, those that contain it if `results`
   * are similar. Empty if this ranking adds nothing, for fewer than 24 different words, and for a page of the site.
   */
  otherResults: SimilarResult[];
  /** Words of the text that no page of the site contains, as far as that is known. */
  unmatched: string[];
  /**
   * The language that the text was read in, one of the site's, which decides about endings and very common words; missing for
   * a page of the site, and if no language of the site is written in the text's script.
   */
  language?: TextLanguage;
  cost: Cost;
}

export interface SearchOptions {
  /** Maximum number of pages: 1 or more, 10 by default. */
  limit?: number;
  /** The language of the words, such as `en`; otherwise it is guessed among those of the site. */
  lang?: string;
  /** Cancels the search, and its fetches unless something else needs them. */
  signal?: AbortSignal;
}

export interface SearchAnswer {
  /** Best first. */
  results: SearchResult[];
  /**
   * The typed words that were completed or corrected, each with the words of the site that are searched instead, likeliest
   * first, in lower case. The last word may be the beginning of a word. Any word that the site does not contain may have one
   * typo: a letter added, missing, replaced, or swapped with the next.
   */
  corrections: { from: string; to: string[] }[];
  /** Words that no page of the site contains, as far as that is known. */
  unmatched: string[];
  cost: Cost;
}

/** The passage of a page that has most of a text. */
export interface Excerpt {
  /** The passage in pieces: every second piece, starting with the second, is a word of the text. At most about 40 words. */
  pieces: string[];
  /** To be appended to the page's URL, so that a browser scrolls to the passage, or to its section: `#section:~:text=…`, encoded. */
  fragment: string;
  /** The page has the text word for word, but for a few words; of texts of four words or more. */
  verbatim: boolean;
  /** The section with the passage, if it has a heading with an id and the page was given as HTML. */
  section?: { heading: string; fragment: string };
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
  /** The value of `pagekin build --base-url`; empty if URLs are absolute, of several hosts. */
  baseUrl: string;
}

/** A page of the site. */
export interface SitePage {
  url: string;
  title: string;
}

/**
 * Why something failed. The message says what was expected, what was found and what to do.
 *
 * - `NotPagekin`: the host served something else, often a web page
 * - `Truncated`, `Checksum`, `Damaged`: a file is damaged
 * - `VersionTooNew`, `VersionTooOld`: the index and this client don't match, or the script of the page and that of the index
 * - `NoStemmer`: the site has a new language that this client does not support; a reload fetches one that does
 * - `WrongGeneration`, `Missing`: the index changed or lacks a file, and reloading the manifest did not help
 * - `Server`: the host answered with an error
 * - `NoRanges`: the host does not support range requests, and the index needs them
 * - `Offline`: the host did not answer
 * - `UnknownUrl`: the index has no page of this URL
 * - `EmptyQuery`: the text has no words to look for
 * - `Unsupported`: this browser or the page's content security policy doesn't allow what pagekin needs
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
   * Whether the page's own host sends all of the index. Otherwise, on mirrors or another host, send no cookies with requests
   * for pages that it names.
   */
  readonly ownHost: boolean;
  /** What opening fetched. */
  readonly opened: Cost;
  /** Finds the pages that contain or resemble `query`. Rejects with a {@link KinError}, or with the signal's reason. */
  similar(query: KinQuery, options?: SimilarOptions): Promise<Answer>;
  /**
   * Finds pages by a few words as one types them: the last may be the beginning of a word, and each may have a typo. Of more
   * than 512 bytes the first are looked for; a sentence or a paragraph is for {@link similar}.
   */
  search(words: string, options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Finds the passage of a page that has most of a text; `undefined` if the page has none of its words. HTML is read as
   * `pagekin build` reads it. The page is passed in, not fetched.
   */
  excerpt(query: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Excerpt | undefined>;
  /** Compares a text and a page exactly, and returns the shared passages. HTML is read as `pagekin build` reads it. */
  compare(text: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Comparison>;
  /** The words that a text and a page have in common. HTML is read as `pagekin build` reads it. */
  commonWords(text: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<CommonWords>;
  /** What is around the results of a query, or a cluster. After `similar` of the same query it reads nothing more. */
  around(query: KinQuery, options?: AroundOptions): Promise<Neighborhood>;
  /** Up to 500 pages, spread evenly over the site. */
  pages(): Promise<SitePage[]>;
  /** Ends the worker. Pending calls reject with an `AbortError`. */
  close(): void;
}

/**
 * Opens the index in the folder `base`, relative to the document: `await open("/pagekin/")`.
 * Rejects with a {@link KinError}, or with the signal's reason.
 */
export function open(base?: string | URL, options?: OpenOptions): Promise<Kin>;
