/**
 * The files embedded in a page that cannot fetch any, such as one opened from disk. Only bundle/page.js and bundle/worker.js
 * set it. All code that reads files checks it first.
 */
import type { TextQuery } from "./pagekin.js";

export interface Carried {
  /** The folder of its files, as a URL without a host. */
  folder: URL;
  /** A file, or nothing if it is not embedded. */
  bytes(url: URL): Uint8Array<ArrayBuffer> | undefined;
}

/** In a page, not in a worker. */
export interface CarriedPage extends Carried {
  /** A worker with the same files. */
  worker(): Worker;
  engine(): Promise<typeof import("./engine.js")>;
  /** The link to a page of the site. */
  link(url: string): string | undefined;
  /** The text of a page of the site. */
  text(url: string): Promise<TextQuery>;
}

declare global {
  var pagekinCarried: Carried | CarriedPage | undefined;
}
