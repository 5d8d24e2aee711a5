export type * from "./www/box.js";

/**
 * Defines the element `<pagekin-box limit form>`, which reads the index in the folder `base`, where `pagekin build --components box`
 * wrote its script.
 */
export function define(base: string | URL): Promise<void>;
