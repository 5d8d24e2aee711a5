import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `plugins` of a Docusaurus configuration, as `["pagekin/docusaurus", options]`: indexes what `docusaurus build` wrote, lists
 * related pages at the end of each document, and puts the box in the place of the search, unless the site has Algolia's.
 */
export default function pagekin(context: any, options?: Options & { id?: string }): { name: string; [hook: string]: unknown };
