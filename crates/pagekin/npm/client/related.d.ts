import type { RelatedOptions, RelatedPage } from "./www/related.js";

export type * from "./www/related.js";

/**
 * Finds the related pages of a page, most similar first; none if it is like no other. The script that does it is imported from the
 * folder `base`, which also defines the element. Rejects with a `KinError`, which its `code` tells from others, or with the
 * signal's reason.
 */
export function related(options: RelatedOptions & { base: string | URL }): Promise<RelatedPage[]>;

/** Defines the element `<pagekin-related limit heading>`, which reads the index in the folder `base`. */
export function define(base: string | URL): Promise<void>;
