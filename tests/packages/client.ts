// Uses the npm package with an index in ./index, in just enough of a browser for the client's scripts to load. The scripts cannot
// read an index from disk; their own error message shows that they were imported and called. `open` is bundled, and the elements
// are those of the index.
import { open, type KinErrorCode, type SimilarResult } from "pagekin";
import { define as defineBox } from "pagekin/box";
import { define as defineDuplicates, duplicate } from "pagekin/duplicates";
import { define, related, type RelatedPage } from "pagekin/related";

const here = new URL("./", import.meta.url);
const elements = new Map<string, unknown>();
Object.assign(globalThis, {
  document: { baseURI: here.href },
  HTMLElement: class {},
  customElements: { get: (name: string) => elements.get(name), define: (name: string, element: unknown) => elements.set(name, element) },
});

/** Never called: how a page would use it. */
export async function use(): Promise<[SimilarResult[], RelatedPage[]]> {
  const kin = await open("/pagekin/", { worker: false });
  const { results } = await kin.similar("a pasted text", { limit: 5 });
  return [results, await related({ base: "/pagekin/", url: results[0].url, limit: 3 })];
}

async function rejects(promise: Promise<unknown>, code: KinErrorCode, part: string) {
  const error = await promise.then(() => undefined, (error) => error);
  if (error?.name !== "KinError" || error.code !== code || !error.message.includes(part)) {
    throw new Error(`expected a KinError ${code} with ${part}, found ${error?.name} ${error?.code}: ${error?.message}`);
  }
}

await define("index");
if (!elements.has("pagekin-related")) throw new Error("expected that the script of the index defines its element, found none");
await defineDuplicates("index");
if (!elements.has("pagekin-duplicates")) throw new Error("expected that the script of the index defines its element, found none");
await defineBox("index");
if (!elements.has("pagekin-box")) throw new Error("expected that the script of the index defines its element, found none");
await rejects(open("index"), "Unsupported", "pagekin serve");
await rejects(define("elsewhere"), "Missing", "elsewhere/related.js");
await rejects(related({ base: "index", url: "/a.html" }), "Offline", "pagekin.kin");
await rejects(duplicate({ base: "index", url: "/a.html" }), "Offline", "pagekin.kin");
