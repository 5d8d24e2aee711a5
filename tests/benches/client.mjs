// @ts-check
/**
 * The CPU cost of a query in the browser: `node client.mjs INDEX_DIR QUERIES.json` runs queries in
 * the WebAssembly module of `www/pkg` and prints, as JSON, the milliseconds spent in it: for
 * opening the index, for the first query, and the median, the 90th percentile and the maximum of
 * the later queries. Reading files is not counted.
 *
 * @typedef {{wanted(): string[], supply(name: string, bytes: Uint8Array): void}} Asker
 */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

const pkg = new URL("../../www/pkg/", import.meta.url);
const { default: start, Index, manifestName } = await import(new URL("pagekin_wasm.js", pkg).href);
const [folder, queriesFile] = process.argv.slice(2);
if (!queriesFile) throw new Error("expected an index folder and a file of queries");
/** @type {{title: string, lang: string, text: string}[]} */
const queries = JSON.parse(await readFile(queriesFile, "utf8"));
const { memory } = await start({ module_or_path: await readFile(new URL("all-languages.wasm", pkg)) });

/**
 * Reads the bytes of a name: a file, or, for `path#offset+length`, a part of a file.
 *
 * @param {string} name
 * @returns {Promise<Uint8Array>}
 */
async function read(name) {
  const [path, range] = name.split("#");
  if (range === undefined) return readFile(join(folder, path));
  const [offset, length] = range.split("+").map(Number);
  const file = await open(join(folder, path));
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
    if (bytesRead !== length) throw new Error(`expected ${length} bytes at ${name}, found ${bytesRead}`);
    return buffer;
  } finally {
    await file.close();
  }
}

/** Sums up the time of calls. */
class Clock {
  milliseconds = 0;

  /**
   * @template T
   * @param {() => T} call
   * @returns {T}
   */
  time(call) {
    const from = performance.now();
    try {
      return call();
    } finally {
      this.milliseconds += performance.now() - from;
    }
  }
}

/**
 * @param {Asker} asker
 * @param {Clock} clock
 */
async function feed(asker, clock) {
  for (let wanted = clock.time(() => asker.wanted()); wanted.length > 0; wanted = clock.time(() => asker.wanted())) {
    for (const name of wanted) {
      const bytes = await read(name);
      clock.time(() => asker.supply(name, bytes));
    }
  }
}

const opening = new Clock();
const manifest = await read(manifestName());
const index = opening.time(() => Index.open(manifest));

const times = [];
for (const page of queries) {
  const clock = new Clock();
  const query = clock.time(() => index.similarToText(page.text, page.lang, 10, 0));
  await feed(query, clock);
  clock.time(() => query.answer());
  query.free();
  times.push(clock.milliseconds);
}
const [first = 0, ...later] = times;
later.sort((a, b) => a - b);
/** @param {number} part */
const at = (part) => later[Math.min(Math.floor(later.length * part), later.length - 1)] ?? 0;
/** @param {number} milliseconds */
const rounded = (milliseconds) => Math.round(milliseconds * 100) / 100;
console.log(JSON.stringify({
  opening: rounded(opening.milliseconds),
  first: rounded(first),
  median: rounded(at(0.5)),
  p90: rounded(at(0.9)),
  max: rounded(at(1)),
  memory_bytes: memory.buffer.byteLength,
}));
