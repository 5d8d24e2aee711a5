// @ts-check
/**
 * Counts how pagekin.js and the engine talk to each other. pagekin.js may be in a site's own
 * bundle, and then the engine, which is with the index, may be of another version. Raise it with
 * every change of the methods, their arguments or their answers that an older side does not bear.
 */
export const PROTOCOL = 1;
