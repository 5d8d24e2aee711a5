import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `integrations` in an Astro configuration: indexes the output of `astro build`, and defines `<pagekin-related>` and
 * `<pagekin-box>` on all pages. Place them in a layout. For Starlight, use `pagekin/starlight`.
 */
export default function pagekin(options?: Options): { name: string; hooks: Record<string, (given: any) => void | Promise<void>> };
