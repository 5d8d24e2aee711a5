import type { Options } from "./options.js";
import type { VitePlugin } from "./vite.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `vite.plugins` of a VitePress configuration: indexes what `vitepress build` wrote, lists related pages below the text of each
 * page, and puts the box where the default theme has its search, unless `themeConfig.search` is set.
 */
export default function pagekin(options?: Options): VitePlugin;
