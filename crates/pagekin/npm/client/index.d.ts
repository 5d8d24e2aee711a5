import type { Kin, OpenOptions } from "./www/pagekin.js";

export type * from "./www/pagekin.js";
export { KinError } from "./www/pagekin.js";

/**
 * Opens the index in the folder `base`, relative to the document: `/pagekin/` by default. The worker and the wasm are taken from
 * that folder when it is called, as `pagekin build` wrote them. Rejects with a `KinError`, which its `code` tells from others
 * (`VersionTooNew` or `VersionTooOld` if that folder is of another version than this package), or with the signal's reason.
 */
export function open(base?: string | URL, options?: OpenOptions): Promise<Kin>;
