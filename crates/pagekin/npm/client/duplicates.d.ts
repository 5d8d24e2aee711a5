import type { Duplicate } from "./www/duplicates.js";
import type { RelatedOptions } from "./www/related.js";

export type * from "./www/duplicates.js";

/**
 * Tells which page a page is a copy or near-copy of; nothing if of none. The script that does it is imported from the folder
 * `base`, where `pagekin build --components duplicates` wrote it. Rejects with a `KinError`, which its `code` tells from others,
 * or with the signal's reason.
 */
export function duplicate(options: Omit<RelatedOptions, "limit"> & { base: string | URL }): Promise<Duplicate | undefined>;

/** Defines the element `<pagekin-duplicates kinds canonical-only>`, which reads the index in the folder `base`. */
export function define(base: string | URL): Promise<void>;
