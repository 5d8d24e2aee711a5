/** `<pagekin-box>`: the search box of a site, which takes a text or a file as well. */

import type { SearchResult, SimilarResult } from "./pagekin.js";

/** Words, a text, of HTML too, or a file. */
export type BoxInput = string | File;

export type BoxState = "idle" | "typing" | "loading" | "ready" | "empty" | "error";

/** A result, as events and `results` have it. Those of words have a `score` alone. */
export type BoxResult = Pick<SearchResult, "url" | "title" | "score"> & Partial<Pick<SimilarResult, "similarity" | "coverage" | "confidence">>;

/** `<pagekin-box>`. */
export interface PagekinBoxElement extends HTMLElement {
  /** What stands in the box; setting it looks it up. */
  value: string;
  /** All that were found, up to 30 of words. */
  readonly results: BoxResult[];
  /** Of a text: the pages ranked the other way, where that says more; the first five are shown. */
  readonly otherResults: BoxResult[];
  readonly state: BoxState;
  /** Whether the dialog of `form="compact"` is open; always, without that. */
  readonly opened: boolean;
  /** Looks words, a text or a file up: up to eight words in a line are searched for, of more the pages like them. */
  search(input: BoxInput): Promise<void>;
  clear(): void;
  /** Opens the dialog of `form="compact"`. */
  show(): void;
  hide(): void;
}

export { strings } from "./related.js";

declare global {
  interface HTMLElementTagNameMap {
    "pagekin-box": PagekinBoxElement;
  }
}
