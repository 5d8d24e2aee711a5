import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `plugins` of Starlight: indexes what `astro build` wrote, lists related pages at the end of each page, and puts the box in the
 * place of the search if `pagefind` is `false` or `box` is given.
 */
export default function pagekin(options?: Options): { name: string; hooks: { "config:setup"(given: any): void } };
