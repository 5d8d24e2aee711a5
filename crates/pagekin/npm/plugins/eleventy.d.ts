import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `eleventyConfig.addPlugin(pagekin, options)`: indexes the output of a build, adds `<pagekin-related>` at the end of the `<main>`
 * of each page without one, sets the attributes of `<pagekin-box></pagekin-box>` in templates, and adds the scripts that a page needs.
 */
export default function pagekin(eleventyConfig: any, options?: Options): void;
