/** Finds the related pages of a page of a static site, in two small requests and without WebAssembly. */

export interface RelatedOptions {
  /** The output folder of `pagekin build`, relative to the document; by default the folder of this script. */
  base?: string | URL;
  /**
   * The page, relative to the document; by default the document itself. It may be written with or without `.html`,
   * `index.html`, trailing slash, query and fragment.
   */
  url?: string | URL;
  /** Maximum number of pages: 1 or more, 5 by default, and never more than `pagekin build --related-count`. */
  limit?: number;
  /** Cancels the call, which rejects with its reason. Files being fetched are kept for the next call. */
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
 * Why something failed. The message gives the problem and the remedy.
 *
 * - `UnknownUrl`: the index contains no page with this URL
 * - `OtherBase`: the index was built for another base URL and cannot contain this page
 * - `Missing`, `NotPagekin`, `Damaged`: a file is missing, of another kind or damaged, and reloading the entry did not
 *   fix it
 * - `VersionTooNew`: the files are newer than this script
 * - `Server`: the host answered with an error
 * - `Offline`: the host did not answer
 * - `Unsupported`: this browser has no DecompressionStream
 */
export type RelatedErrorCode =
  | "UnknownUrl" | "OtherBase" | "Missing" | "NotPagekin" | "Damaged" | "VersionTooNew" | "Server" | "Offline" | "Unsupported";

export class KinError extends Error {
  constructor(code: RelatedErrorCode, message: string);
  readonly code: RelatedErrorCode;
}

/**
 * Returns the related pages of a page, most similar first, or those that the page itself names. Returns an empty list if no
 * page is similar. Rejects with a {@link KinError}, or with the signal's reason. Importing this module also defines the element
 * `<pagekin-related>`.
 */
export function related(options?: RelatedOptions): Promise<RelatedPage[]>;

/**
 * Sets texts of the elements in a language, such as `strings("fr", { "related.heading": "Pages proches" })`. Texts that are not
 * set are in English.
 */
export function strings(lang: string, texts: Record<string, string>): void;

/** The state of an element: waiting until it is needed, loading, showing something, having nothing to show, or failed. */
export type ComponentState = "idle" | "loading" | "ready" | "empty" | "error";

/** The common interface of pagekin's elements. */
export interface PagekinElement extends HTMLElement {
  readonly state: ComponentState;
  /** The page to query; by default the one that contains the element. */
  url: string;
  /** Queries the index again. */
  refresh(): void;
}

/** `<pagekin-related>`. */
export interface PagekinRelatedElement extends PagekinElement {
  /** The shown pages. */
  readonly results: RelatedPage[];
  limit: number;
}

/** The events of the elements. All bubble. If `pagekin-select` is canceled, the link is not followed. */
export interface PagekinEventMap {
  "pagekin-load": CustomEvent<{ url: string; results: { url: string; title: string }[] }>;
  "pagekin-select": CustomEvent<{ url: string; title: string; similarity?: number; rank: number; from: string }>;
  "pagekin-error": CustomEvent<{ code: RelatedErrorCode; message: string }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "pagekin-related": PagekinRelatedElement;
  }
  interface HTMLElementEventMap extends PagekinEventMap {}
  interface DocumentEventMap extends PagekinEventMap {}
}
