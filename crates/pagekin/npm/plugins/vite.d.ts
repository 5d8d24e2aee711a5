import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * Indexes the pages of HTML that a Vite build writes, and adds the scripts of the elements to them; the elements are yours to place.
 * In the server the index is that of the last build.
 */
export default function pagekin(options?: Options): VitePlugin;

/** As Vite has it, whichever version is installed. */
export interface VitePlugin {
  name: string;
  enforce?: "pre";
  configResolved(config: any): void;
  configureServer(server: any): void;
  transformIndexHtml?(): { tag: string; attrs: Record<string, string>; injectTo: "head" }[];
  resolveId?(source: string, importer: string | undefined): string | undefined;
  load?(id: string): string | undefined;
  closeBundle?: { order: "post"; sequential: true; handler(): Promise<void> };
}
