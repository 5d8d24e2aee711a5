import type { Kin, OpenOptions } from "./types/pagekin.js";

export type * from "./types/pagekin.js";

/**
 * Opens the index in the folder `base`, relative to the document: `await open("/pagekin/")`. The client itself is imported from
 * that folder. Rejects with a `KinError`, which its `code` tells from others, or with the signal's reason.
 */
export function open(base: string | URL, options?: OpenOptions): Promise<Kin>;
