/** The related pages of a page of a static site, in two small requests and without WebAssembly. */

export interface RelatedOptions {
  /** The folder that `pagekin build` wrote, relative to the document; the one this script is in if not given. */
  base?: string | URL;
  /** The page, relative to the document: the document itself if not given. */
  url?: string | URL;
  /** At most this many: 1 or more, 5 by default. There are never more than `pagekin build --related-count` says. */
  limit?: number;
  /** Cancels the fetches, except of what all share. */
  signal?: AbortSignal;
}

/** A page that is like the one that was asked for. */
export interface RelatedPage {
  /** Its address, as `pagekin build` wrote it. */
  url: string;
  title: string;
  /** Jaccard similarity of the two weighted bags of words in thousandths, 0 to 1. */
  similarity: number;
}

/**
 * Why something failed. The message says what was expected, what was found and what to do.
 *
 * - `UnknownAddress`: the index has no page of this address
 * - `Missing`, `NotPagekin`, `Damaged`: a file is not there, something else or broken, and reading the entry again did
 *   not help
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
 * Finds the related pages of a page, most similar first; none if it is like no other. Rejects with a {@link KinError}, or
 * with the signal's reason. Importing this module also defines the element `<pagekin-related base limit heading>`.
 */
export function related(options?: RelatedOptions): Promise<RelatedPage[]>;
