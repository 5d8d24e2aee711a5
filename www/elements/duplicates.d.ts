/** Reports whether a page of a static site is a copy of another, in two small requests and without WebAssembly. */
import type { PagekinElement, RelatedOptions } from "./related.js";

export { KinError, strings } from "./related.js";

/** A page. */
export interface DuplicatePage {
  /** Its URL, as `pagekin build` wrote it. */
  url: string;
  title: string;
}

/** The original that a page is a copy of. */
export interface Duplicate {
  /** Whether the words equal those of the original, or nearly so. */
  kind: "copy" | "near-duplicate";
  /** The page that is probably the original: the one with the most links to it, then the one with the shortest URL. */
  original: DuplicatePage;
  /** Other copies of the original, at most 4. */
  others: DuplicatePage[];
  /** Total number of other copies. */
  count: number;
}

/**
 * Returns the page that a page is a copy or near-copy of. Returns nothing if there is none, or if the page is the original.
 * Rejects with a {@link KinError}, or with the signal's reason. Importing this module also defines the element
 * `<pagekin-duplicates>`.
 */
export function duplicate(options?: Omit<RelatedOptions, "limit">): Promise<Duplicate | undefined>;

/** `<pagekin-duplicates>`. */
export interface PagekinDuplicatesElement extends PagekinElement {
  /** The shown notice, if any. */
  readonly result: Duplicate | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    "pagekin-duplicates": PagekinDuplicatesElement;
  }
}
