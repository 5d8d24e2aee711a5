import type { Options } from "./options.js";

export type { Attributes, Options } from "./options.js";

/**
 * Indexes the HTML pages of a Vite build, and adds the scripts of the elements to them. Place the elements yourself. The development
 * server uses the index of the last build.
 */
export default function pagekin(options?: Options): VitePlugin;

/** A Vite plugin, independent of the installed version. */
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
