export type * from "./www/box.js";

/**
 * Defines the element `<pagekin-box limit form>`. It reads the index in the folder `base`, which contains its script if the index
 * was built with `--components box`.
 */
export function define(base: string | URL): Promise<void>;
