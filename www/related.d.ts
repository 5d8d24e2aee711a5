/** Finds the related pages of a page of a static site, in two small requests and without WebAssembly. */

export interface RelatedOptions {
  /** The output folder of `pagekin build`, relative to the document; by default the folder of this script. */
  base?: string | URL;
  /**
   * The page, relative to the document; by default the document itself. With or without `.html`, `index.html`, slash, query and
   * fragment, as hosts serve it.
   */
  url?: string | URL;
  /** Maximum number of pages: 1 or more, 5 by default, and never more than `pagekin build --related-count`. */
  limit?: number;
  /** Cancels the fetches that no other call needs. */
  signal?: AbortSignal;
}

/** A related page. */
export interface RelatedPage {
  /** Its URL, as `pagekin build` wrote it. */
  url: string;
  title: string;
  /** Jaccard similarity of the two weighted bags of words, 0 to 1, rounded to thousandths. */
  similarity: number;
}

/**
 * Why something failed. The message says what was expected, what was found and what to do.
 *
 * - `UnknownAddress`: the index has no page of this URL
 * - `Missing`, `NotPagekin`, `Damaged`: a file is missing, something else or damaged, and reloading the entry did not
 *   help
 * - `VersionTooNew`: the files are newer than this script
 * - `Server`: the host answered with an error
 * - `Offline`: the host did not answer
 * - `Unsupported`: this browser has no DecompressionStream
 */
export type RelatedErrorCode =
  | "UnknownAddress" | "Missing" | "NotPagekin" | "Damaged" | "VersionTooNew" | "Server" | "Offline" | "Unsupported";

export class KinError extends Error {
  constructor(code: RelatedErrorCode, message: string);
  readonly code: RelatedErrorCode;
}

/**
 * Finds the related pages of a page, most similar first; none if no page is similar. Rejects with a {@link KinError}, or
 * with the signal's reason. Importing this module also defines the element `<pagekin-related base limit heading>`.
 */
export function related(options?: RelatedOptions): Promise<RelatedPage[]>;
