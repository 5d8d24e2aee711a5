import type { Kin, OpenOptions } from "./www/pagekin.js";

export type * from "./www/pagekin.js";
export { KinError } from "./www/pagekin.js";

/**
 * Opens the index in the folder `base`, relative to the document: `/pagekin/` by default. Fetches the worker and the WebAssembly from
 * that folder, as `pagekin build` wrote them. Rejects with a `KinError`, whose `code` identifies the error (`VersionTooNew` or
 * `VersionTooOld` if the folder has an incompatible version), or with the signal's reason.
 */
export function open(base?: string | URL, options?: OpenOptions): Promise<Kin>;
