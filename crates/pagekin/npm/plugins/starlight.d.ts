import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `plugins` of Starlight: indexes the output of `astro build`, lists related pages at the end of each page, and replaces the
 * search with the box if `pagefind` is `false` or `box` is set.
 */
export default function pagekin(options?: Options): { name: string; hooks: { "config:setup"(given: any): void } };
