/**
 * What a page carries itself where nothing can be fetched, as one opened from disk: set by bundle/page.js and
 * bundle/worker.js, and by nothing else. Whoever reads files asks it first.
 */
import type { TextQuery } from "./pagekin.js";

export interface Carried {
  /** The folder that its files are in, by an address of no host. */
  folder: URL;
  /** A file; nothing if it is not carried. */
  bytes(url: URL): Uint8Array<ArrayBuffer> | undefined;
}

/** In a page, not in a worker. */
export interface CarriedPage extends Carried {
  /** A worker that carries the same files. */
  worker(): Worker;
  engine(): Promise<typeof import("./engine.js")>;
  /** Where a page of the site is. */
  link(url: string): string | undefined;
  /** The text of a page of the site. */
  text(url: string): Promise<TextQuery>;
}

declare global {
  var pagekinCarried: Carried | CarriedPage | undefined;
}
