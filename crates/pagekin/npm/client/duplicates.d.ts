import type { Duplicate } from "./www/duplicates.js";
import type { RelatedOptions } from "./www/related.js";

export type * from "./www/duplicates.js";

/**
 * Returns the page that a page is a copy or near-copy of, if any. Imports its script from the folder `base`, which contains it if the
 * index was built with `--components duplicates`. Rejects with a `KinError`, whose `code` identifies the error, or with the signal's
 * reason.
 */
export function duplicate(options: Omit<RelatedOptions, "limit"> & { base: string | URL }): Promise<Duplicate | undefined>;

/** Defines the element `<pagekin-duplicates kinds canonical-only>`. It reads the index in the folder `base`. */
export function define(base: string | URL): Promise<void>;
