/** `<pagekin-box>`: a box for a text or a file, and the pages of the site that are like it. */

import type { KinResult } from "./pagekin.js";

/** A text, of HTML too, or a file. */
export type BoxInput = string | File;

export type BoxState = "idle" | "typing" | "loading" | "ready" | "empty" | "error";

/** A result, as events and `results` have it. */
export type BoxResult = Pick<KinResult, "url" | "title" | "similarity" | "found" | "strength">;

/** `<pagekin-box>`. */
export interface PagekinBoxElement extends HTMLElement {
  /** What stands in the box; setting it looks it up. */
  value: string;
  readonly results: BoxResult[];
  /** The pages ranked the other way, where that says more; the first five are shown. */
  readonly also: BoxResult[];
  readonly state: BoxState;
  /** Whether the dialog of `form="compact"` is open; always, without that. */
  readonly opened: boolean;
  /** Looks a text or a file up. */
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
