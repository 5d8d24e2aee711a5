import type { Options } from "./options.js";
import type { VitePlugin } from "./vite.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `vite.plugins` in a VitePress configuration: indexes the output of `vitepress build`, lists related pages below the text of each
 * page, and replaces the search of the default theme with the box, unless `themeConfig.search` is set.
 */
export default function pagekin(options?: Options): VitePlugin;
