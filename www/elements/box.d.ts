/** `<pagekin-box>`: the search box of a site, which also accepts a text or a file. */

import type { SearchResult, SimilarResult } from "./pagekin.js";

/** Words, a text (plain or HTML), or a file. */
export type BoxInput = string | File;

export type BoxState = "idle" | "typing" | "loading" | "ready" | "empty" | "error";

/** A result in events and in `results`. Results of a word search have only a `score`. */
export type BoxResult = Pick<SearchResult, "url" | "title" | "meta" | "score" | "index"> & Partial<Pick<SimilarResult, "similarity" | "coverage" | "confidence">>;

/** `<pagekin-box>`. */
export interface PagekinBoxElement extends HTMLElement {
  /** The text in the box. Setting it starts a search. */
  value: string;
  /** All results; up to 30 for a word search. */
  readonly results: BoxResult[];
  /** For a text: the pages ranked by the other score, if this adds something. The first five are shown. */
  readonly otherResults: BoxResult[];
  readonly state: BoxState;
  /** The chosen values of filters, such as `{ color: ["red"] }`. Setting them searches again. They last until the box is cleared. */
  get chosen(): Record<string, string[]>;
  set chosen(filters: Record<string, string | string[]>);
  /** Whether the dialog of `form="compact"` is open. Always true for other forms. */
  readonly opened: boolean;
  /**
   * Searches for words, a text or a file. Up to eight words in one line are a word search; for more, similar pages are found.
   */
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
