// @ts-check
/**
 * How long a visitor with a slow connection waits for the first answer of the demo:
 * `node slow.mjs SITE_DIR PAGEKIN_DIR` opens it in Chromium over a link of 400 kbit/s with 300 ms
 * latency, and prints the time of each step as JSON. `cargo xtask bench query --slow` runs it.
 *
 * The host emulates the link, as the browser's emulation does not slow down the requests of
 * workers: an answer begins after 300 ms, and all transfers share one queue of 50 kB/s. The host
 * compresses texts, like hosts of static sites, or sends all files as they are. The text, three
 * sentences of a page, is entered into the box as soon as it accepts input.
 */
import { createServer } from "node:http";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { launch, openPage } from "../browser/harness.mjs";

const [site, folder] = process.argv.slice(2);
if (!folder) throw new Error("expected the folders of a site and of its pagekin index");

const LATENCY = 300;
const BYTES_A_SECOND = 50_000;
const CHUNK = 1_000;
const VISITS = 3;
const TYPES = new Map([[".html", "text/html"], [".js", "text/javascript"], [".css", "text/css"]]);

/** The link: data is sent after all data before it. */
let free = 0;
/** @param {import("node:http").ServerResponse} response @param {Buffer} body */
async function send(response, body) {
  for (let at = 0; at < body.length; at += CHUNK) {
    const chunk = body.subarray(at, at + CHUNK);
    const now = performance.now();
    free = Math.max(free, now) + (1_000 * chunk.length) / BYTES_A_SECOND;
    await new Promise((resolve) => setTimeout(resolve, free - now));
    response.write(chunk);
  }
  response.end();
}

/** @param {boolean} compresses @returns {Promise<{origin: string, sent: {name: string, bytes: number}[], stop: () => void}>} */
function host(compresses) {
  /** @type {{name: string, bytes: number}[]} */
  const sent = [];
  const server = createServer(async ({ url = "/", headers }, response) => {
    const { pathname } = new URL(url, "http://host/");
    const [, first, ...rest] = decodeURIComponent(pathname).split("/");
    const file = first === "pagekin" ? path.join(folder, ...rest, rest.at(-1) ? "" : "index.html") : path.join(site, first, ...rest);
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "");
    const whole = await readFile(file).catch(() => undefined);
    const type = TYPES.get(path.extname(file));
    const part = range ? whole?.subarray(Number(range[1]), Number(range[2]) + 1) : whole;
    const packed = compresses && type && part;
    const body = packed ? gzipSync(part) : (part ?? Buffer.alloc(0));
    await new Promise((resolve) => setTimeout(resolve, LATENCY));
    sent.push({ name: pathname, bytes: body.length });
    response.writeHead(!whole ? 404 : range ? 206 : 200, {
      "Content-Type": type ?? "application/octet-stream", "Content-Length": body.length, ...(packed ? { "Content-Encoding": "gzip" } : {}),
      ...(range ? { "Content-Range": `bytes ${range[1]}-${range[2]}/${whole?.length}` } : {}),
    });
    await send(response, body);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (!address || typeof address !== "object") throw new Error("expected a port");
    resolve({ origin: `http://127.0.0.1:${address.port}`, sent, stop() { server.close(); server.closeAllConnections(); } });
  }));
}

/** Returns three sentences of a page of the site, the same in every run. */
async function text() {
  const names = (await readdir(site, { recursive: true })).filter((name) => /\.x?html?$/i.test(name)).sort();
  for (const name of names.slice(Math.floor(names.length / 3))) {
    const html = await readFile(path.join(site, name), "utf8");
    const paragraphs = [...html.matchAll(/<p\b[^>]*>(.*?)<\/p>/gis)].map(([, inner]) => inner.replace(/<[^>]*>|&\w+;/g, " ").replace(/\s+/g, " ").trim());
    const found = paragraphs.find((paragraph) => paragraph.split(" ").length > 40);
    if (found) return found.split(" ").slice(0, 60).join(" ");
  }
  throw new Error(`${site} has no page with a paragraph of 40 words. Choose another site`);
}

/** @param {number[]} values */
const median = (values) => Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]);

const browser = await launch();
const asked = await text();
const runs = [];
for (const compresses of [true, false]) {
  /** @type {Record<"painted" | "typed" | "opened" | "answered" | "asked", number[]>} */
  const times = { painted: [], typed: [], opened: [], answered: [], asked: [] };
  /** @type {Record<string, number>} */
  let bytes = {};
  for (let visit = 0; visit < VISITS; visit += 1) {
    const { origin, sent, stop } = await host(compresses);
    const { page, close } = await openPage(browser, "about:blank");
    const started = performance.now();
    await page.goto(`${origin}/pagekin/`, { waitUntil: "commit" });
    // The script of the page removes the note when it starts.
    await page.waitForFunction(() => document.getElementById("text") && !document.getElementById("asleep"));
    await page.fill("#text", asked);
    times.typed.push(performance.now() - started);
    const open = page.waitForFunction(() => document.getElementById("site")?.textContent?.startsWith("This site")).then(() => times.opened.push(performance.now() - started));
    await page.waitForFunction(() => document.querySelector("#results > li"));
    times.answered.push(performance.now() - started);
    await open;
    times.painted.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    bytes = { all: sent.reduce((sum, { bytes }) => sum + bytes, 0), page: sent.filter(({ name }) => /\/$|demo\.(js|css)$|\/pagekin\.js$/.test(name)).reduce((sum, { bytes }) => sum + bytes, 0) };
    await close();
    stop();

    // Repeats the visit, but enters the text once the index is open.
    const again = await host(compresses);
    const second = await openPage(browser, "about:blank");
    await second.page.goto(`${again.origin}/pagekin/`, { waitUntil: "commit" });
    await second.page.waitForFunction(() => document.getElementById("site")?.textContent?.startsWith("This site"));
    const typed = performance.now();
    await second.page.fill("#text", asked);
    await second.page.waitForFunction(() => document.querySelector("#results > li"));
    times.asked.push(performance.now() - typed);
    await second.close();
    again.stop();
  }
  const [painted, typed, opened, answered, afterOpening] = [times.painted, times.typed, times.opened, times.answered, times.asked].map(median);
  runs.push({ compresses, bytes, milliseconds: { painted, typed, opened, answered, after_opening: afterOpening } });
}
await browser.close();
console.log(JSON.stringify({ site, visits: VISITS, runs }));
