// @ts-check
/** Limits of the core. A test of crates/pagekin-wasm compares them. */

/** Maximum number of bytes of a text; the rest is ignored. */
export const MAX_TEXT = 2 ** 20;

/** Maximum number of bytes of any file of an index or of the client. */
export const MAX_FILE = 2 ** 21;
