import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `plugins` in a Docusaurus configuration, as `["pagekin/docusaurus", options]`: indexes the output of `docusaurus build`, lists
 * related pages at the end of each document, and replaces the search with the box, unless the site uses Algolia.
 */
export default function pagekin(context: any, options?: Options & { id?: string }): { name: string; [hook: string]: unknown };
