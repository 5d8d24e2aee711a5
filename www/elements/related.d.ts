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
  /** Gives up: rejects with its reason. What is being fetched is kept for the next call. */
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
 * - `UnknownUrl`: the index has no page of this URL
 * - `OtherBase`: nor can it have, as it was built for another base URL
 * - `Missing`, `NotPagekin`, `Damaged`: a file is missing, something else or damaged, and reloading the entry did not
 *   help
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
 * Finds the related pages of a page, most similar first, or those that the page itself names; none if no page is similar.
 * Rejects with a {@link KinError}, or with the signal's reason. Importing this module also defines the element
 * `<pagekin-related>`.
 */
export function related(options?: RelatedOptions): Promise<RelatedPage[]>;

/**
 * Sets texts of the elements in a language, such as `strings("fr", { "related.heading": "Pages proches" })`. Those that are not
 * set are in English.
 */
export function strings(lang: string, texts: Record<string, string>): void;

/** What an element of pagekin is doing: it waits until it is needed, asks, shows something or nothing, or has failed. */
export type ComponentState = "idle" | "loading" | "ready" | "empty" | "error";

/** What the elements of pagekin have in common. */
export interface PagekinElement extends HTMLElement {
  readonly state: ComponentState;
  /** The page that is asked about; by default the one that the element is on. */
  url: string;
  /** Asks again. */
  refresh(): void;
}

/** `<pagekin-related>`. */
export interface PagekinRelatedElement extends PagekinElement {
  /** What is shown. */
  readonly results: RelatedPage[];
  limit: number;
}

/** The events of the elements; all bubble. `pagekin-select` can be cancelled: then the link is not followed. */
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
