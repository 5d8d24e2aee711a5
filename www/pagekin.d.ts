/** Find the pages of a static site that have a text, or are like it or like one of its pages, in the visitor's browser. */

/** What to look for: a text of any length, a page of HTML, or a page of the site by its address. A plain string is a text. */
export type KinQuery = TextQuery | { url: string };

/** A text, or a page of HTML. */
export type TextQuery =
  | string
  | { text: string; title?: string; lang?: string }
  | { html: string; lang?: string };

export interface OpenOptions {
  /** Look up in a worker (default), or on the page's own thread. Where no worker can run, the page's thread does it. */
  worker?: boolean;
  /** Gives up waiting for the index. */
  signal?: AbortSignal;
}

export interface SimilarOptions {
  /** At most this many results: 1 or more, 10 by default. */
  limit?: number;
  /** Only pages with at least this much of the number that ranks: 0 (all that were found, by default) to 1. */
  min?: number;
  /** Cancels the query and those of its fetches that no other query waits for. */
  signal?: AbortSignal;
}

/** A page that has what was asked for, or is like it. */
export interface KinResult {
  /** Its address, as `pagekin build` wrote it. */
  url: string;
  title: string;
  /** Jaccard similarity of the two weighted bags of words, 0 to 1. */
  similarity: number;
  /** The part of the text's weight that is on the page, 0 to 1: rare words weigh more. */
  found: number;
  /** Whether it is hardly more than what any page of the site would have. */
  weak: boolean;
  /** The words that both have, heaviest first. */
  sharedTerms: string[];
  /** What the page and the text share word by word, if that was looked at and is worth telling. */
  near?: Near;
}

/**
 * How a text, or the page that was asked for, is like a page, by their runs of ten words. The parts are from 0 to 1, and
 * missing where too little of the page is known to tell, as of a short text in a long page.
 */
export interface Near {
  /**
   * - `copy`: the same runs
   * - `near-duplicate`: a resemblance of 0.8 or more
   * - `contains`: the text has 0.8 or more of the page
   * - `contained`: the page has 0.8 or more of the text
   * - `quotes`: one has a tenth or more of the other, or they share passages
   */
  kind: "copy" | "near-duplicate" | "contains" | "contained" | "quotes";
  /** The part of the runs of either that both have. */
  resemblance?: number;
  /** How much of the text stands in the page. */
  textInPage?: number;
  /** How much of the page stands in the text. */
  pageInText?: number;
  /** Whether the parts are exact; otherwise they are estimates, with standard errors of at most 1/8, mostly 1/16 or less. */
  exact: boolean;
}

/** What two whole texts share. The parts are from 0 to 1, and exact. */
export interface Comparison {
  resemblance: number;
  textInPage: number;
  pageInText: number;
  /** The text in pieces: what only it has and what both have in turns, so that every second piece, from the second on, is a shared passage. */
  text: string[];
  /** The page, likewise. */
  page: string[];
}

/** What was read from the site. The first query is charged with what `open` read. All 0: everything was at hand. */
export interface Cost {
  bytes: number;
  requests: number;
  /** Dependent round trips: the fetches of one round run side by side. */
  rounds: number;
  milliseconds: number;
}

export interface Answer {
  /** Best first, by what `rankedBy` says. */
  results: KinResult[];
  /** What ranks: of a text shorter than a page how much of it is found, of a page how similar it is. */
  rankedBy: "found" | "similarity";
  cost: Cost;
}

export interface FindOptions {
  /** At most this many pages: 1 or more, 10 by default. */
  limit?: number;
  /** Cancels the search and those of its fetches that nothing else waits for. */
  signal?: AbortSignal;
}

/** The passage of a page that has most of a text. */
export interface Excerpt {
  /** The passage in pieces: every second one, from the second on, is a word that the text has too. At most about 40 words. */
  pieces: string[];
  /** To be put behind the page's address, so that a browser scrolls to the passage: `#:~:text=…`, encoded. */
  fragment: string;
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
  /** What `pagekin build --base-url` was given; empty if addresses are whole, of many hosts. */
  base_url: string;
}

/** A page to pick from. */
export interface SitePage {
  url: string;
  title: string;
}

/**
 * Why something failed. The message says what was expected, what was found and what to do.
 *
 * - `NotPagekin`: the host answered with something else, often a web page
 * - `Truncated`, `Checksum`, `Damaged`: a file arrived broken
 * - `VersionTooNew`, `VersionTooOld`: the index and this client don't belong together
 * - `NoStemmer`: the site has got a language that this client was not made for; a reload brings one that was
 * - `WrongGeneration`, `Missing`: the index changed or lacks a file, and reading the manifest again did not help
 * - `Server`: the host answered with an error
 * - `NoRanges`: the host does not answer requests for parts of files as it should, and the index needs them
 * - `Offline`: the host did not answer
 * - `UnknownAddress`: the index has no page of this address
 * - `EmptyQuery`: the text has no word to look for
 * - `Unsupported`: this browser, or the page's content security policy, doesn't run what pagekin needs
 * - `Crashed`: a bug in pagekin
 */
export type KinErrorCode =
  | "NotPagekin" | "Truncated" | "Checksum" | "Damaged" | "VersionTooNew" | "VersionTooOld" | "WrongGeneration"
  | "NoStemmer" | "Missing" | "Server" | "NoRanges" | "Offline" | "UnknownAddress" | "EmptyQuery" | "Unsupported" | "Crashed";

export class KinError extends Error {
  constructor(code: KinErrorCode, message: string);
  readonly code: KinErrorCode;
}

/** An open index. Queries may run side by side. */
export interface Kin {
  readonly info: IndexInfo;
  /** What opening read. */
  readonly opened: Cost;
  /** Finds the pages that have `query`, or are like it. Rejects with a {@link KinError}, or with the signal's reason. */
  similar(query: KinQuery, options?: SimilarOptions): Promise<Answer>;
  /** Finds pages by words of their titles and headings; on a site so small that it is read whole, of their titles alone. */
  find(words: string, options?: FindOptions): Promise<{ results: SitePage[]; cost: Cost }>;
  /**
   * Where in a page a text is found; nothing if the page has none of its words. Of HTML counts what `pagekin build` would
   * take of it. Nothing is fetched: the page is given.
   */
  excerpt(query: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Excerpt | undefined>;
  /** What a text and a page share, exactly, with the passages. Of HTML counts what `pagekin build` would take of it. */
  compare(text: TextQuery, page: TextQuery, options?: { signal?: AbortSignal }): Promise<Comparison>;
  /** Up to 500 pages spread evenly over the site, to pick from. */
  pages(): Promise<SitePage[]>;
  /** Ends the worker. What is still under way rejects with an `AbortError`. */
  close(): void;
}

/**
 * Opens the index in the folder `base`, relative to the document: `await open("/pagekin/")`.
 * Rejects with a {@link KinError}, or with the signal's reason.
 */
export function open(base?: string | URL, options?: OpenOptions): Promise<Kin>;
