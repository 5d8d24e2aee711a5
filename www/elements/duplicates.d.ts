/** Tells whether a page of a static site is a copy of another, in two small requests and without WebAssembly. */
import type { PagekinElement, RelatedOptions } from "./related.js";

export { KinError, strings } from "./related.js";

/** A page. */
export interface DuplicatePage {
  /** Its URL, as `pagekin build` wrote it. */
  url: string;
  title: string;
}

/** What a page is a copy of. */
export interface Duplicate {
  /** Whether its words are those of the original, or nearly. */
  kind: "copy" | "near-duplicate";
  /** The page that looks like the original: the one most linked to, then the one with the shortest address. */
  original: DuplicatePage;
  /** Some of the other copies of the original, at most 4. */
  others: DuplicatePage[];
  /** How many of these there are. */
  count: number;
}

/**
 * Tells which page a page is a copy or near-copy of; nothing if of none, or if it is the original itself. Rejects with a
 * {@link KinError}, or with the signal's reason. Importing this module also defines the element `<pagekin-duplicates>`.
 */
export function duplicate(options?: Omit<RelatedOptions, "limit">): Promise<Duplicate | undefined>;

/** `<pagekin-duplicates>`. */
export interface PagekinDuplicatesElement extends PagekinElement {
  /** What is shown. */
  readonly result: Duplicate | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    "pagekin-duplicates": PagekinDuplicatesElement;
  }
}
