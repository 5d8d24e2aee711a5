import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `eleventyConfig.addPlugin(pagekin, options)`: indexes what a build wrote, puts `<pagekin-related>` at the end of the `<main>`
 * of each page that has none, gives `<pagekin-box></pagekin-box>` in a template its attributes, and adds the scripts that a page needs.
 */
export default function pagekin(eleventyConfig: any, options?: Options): void;
