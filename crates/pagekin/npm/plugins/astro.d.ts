import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * For `integrations` of an Astro configuration: indexes what `astro build` wrote, and defines `<pagekin-related>` and `<pagekin-box>`
 * on all pages; where they are is said in a layout. Starlight has a plugin of its own, `pagekin/starlight`.
 */
export default function pagekin(options?: Options): { name: string; hooks: Record<string, (given: any) => void | Promise<void>> };
