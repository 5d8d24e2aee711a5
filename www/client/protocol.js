// @ts-check
/**
 * The version of the protocol between pagekin.js and the engine. pagekin.js may be part of a site's
 * own bundle, so the engine, which is published with the index, may be of another version. Increase
 * it with every change of the methods, their arguments or their results that an older side cannot
 * handle.
 */
export const PROTOCOL = 1;
