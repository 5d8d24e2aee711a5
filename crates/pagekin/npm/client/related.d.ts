import type { RelatedOptions, RelatedPage } from "./www/related.js";

export type * from "./www/related.js";

/**
 * Finds the related pages of a page, most similar first; an empty list if no page is similar. Imports its script from the folder
 * `base`, which also defines the element. Rejects with a `KinError`, whose `code` identifies the error, or with the signal's reason.
 */
export function related(options: RelatedOptions & { base: string | URL }): Promise<RelatedPage[]>;

/** Defines the element `<pagekin-related limit heading>`. It reads the index in the folder `base`. */
export function define(base: string | URL): Promise<void>;
