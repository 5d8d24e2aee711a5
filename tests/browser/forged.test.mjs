// @ts-check
/**
 * Forged URLs in an index, in all code that makes links or requests from them: none runs a script,
 * leads out of the site or requests anything but its pages.
 *
 * @import {Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { answerOtherwise, build, Demo, launch, onHost, openPage, serve, temporaryFolder } from "./harness.mjs";

/** URLs to try as that of a page, for a site at `/`. */
const FORGED = [
  "javascript:ran()", " javascript:ran()", "\u0001\tjavascript:ran()", "java\nscript:ran()", "JaVaScRiPt:ran()", "javascript://x/%0aran()",
  "data:text/html,<script>ran()</script>", "vbscript:ran()", "blob:http://127.0.0.1/x", "file:///etc/passwd",
  "//evil.example/", "\\\\evil.example/", "/\t/evil.example/", "/\\evil.example/", "http://user@evil.example/", "https://evil.example/",
];
/** Characters for the URL of a page with a name of that length. */
const NAME = `/${"a".repeat(60)}.html`;
const WORDS = "sourdough starter flour";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string} */
let site;
/** @type {string} */
let folder;

before(async () => {
  site = await temporaryFolder();
  const html = (/** @type {string} */ title) => `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>Feed the ${WORDS} and water, ${title}.</main>`;
  await writeFile(path.join(site, NAME), html("Bread"));
  for (const at of [1, 2, 3]) await writeFile(path.join(site, `other-${at}.html`), html(`Other ${at}`));
  folder = await build(site, "--components", "box,related,duplicates", "--pages", "browse", "--block-pages", "1");
  browser = await launch();
});

after(() => browser?.close());

const MASK = (1n << 64n) - 1n;
const [P1, P2, P3, P4, P5] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];

/** Returns XXH64 with seed 0, as in FORMAT.md. @param {Buffer} bytes */
function xxh64(bytes) {
  const left = (/** @type {bigint} */ value, /** @type {bigint} */ by) => ((value << by) | (value >> (64n - by))) & MASK;
  const lane = (/** @type {bigint} */ sum, /** @type {bigint} */ value) => (left((sum + value * P2) & MASK, 31n) * P1) & MASK;
  let at = 0;
  let sum = P5;
  if (bytes.length >= 32) {
    const lanes = [(P1 + P2) & MASK, P2, 0n, (MASK + 1n - P1) & MASK];
    for (; at + 32 <= bytes.length; at += 32) for (let n = 0; n < 4; n += 1) lanes[n] = lane(lanes[n], bytes.readBigUInt64LE(at + 8 * n));
    sum = (left(lanes[0], 1n) + left(lanes[1], 7n) + left(lanes[2], 12n) + left(lanes[3], 18n)) & MASK;
    for (const value of lanes) sum = ((sum ^ lane(0n, value)) * P1 + P4) & MASK;
  }
  sum = (sum + BigInt(bytes.length)) & MASK;
  for (; at + 8 <= bytes.length; at += 8) sum = (left(sum ^ lane(0n, bytes.readBigUInt64LE(at)), 27n) * P1 + P4) & MASK;
  for (; at + 4 <= bytes.length; at += 4) sum = (left(sum ^ (BigInt(bytes.readUInt32LE(at)) * P1 & MASK), 23n) * P2 + P3) & MASK;
  for (; at < bytes.length; at += 1) sum = (left(sum ^ (BigInt(bytes[at]) * P5 & MASK), 11n) * P1) & MASK;
  for (const [by, times] of /** @type {[bigint, bigint][]} */ ([[33n, P2], [29n, P3], [32n, 1n]])) sum = ((sum ^ (sum >> by)) * times) & MASK;
  return sum;
}

/**
 * Copies the index, with another URL of the same length for the page in one block, and with valid
 * checksums.
 *
 * @param {string} url
 */
async function forged(url) {
  const out = path.join(await temporaryFolder(), "pagekin");
  await cp(folder, out, { recursive: true });
  const address = Buffer.from(url.padEnd(NAME.length, "/"));
  let changed = 0;
  for (const name of await readdir(path.join(out, "index"), { recursive: true })) {
    if (!/\bpages\b.*\.shard$/.test(name)) continue;
    const file = path.join(out, "index", name);
    const bytes = await readFile(file);
    let payload = bytes.subarray(24);
    if (bytes[7] === 2) {
      // The head is deflated: it is stored here, between its lengths and the rest.
      const rest = 8 + payload.readUInt32LE(4);
      const head = inflateRawSync(payload.subarray(8, rest));
      const stored = deflateRawSync(head, { level: 0 });
      payload = Buffer.concat([payload.subarray(0, 8), stored, payload.subarray(rest)]);
      payload.writeUInt32LE(stored.length, 4);
    }
    const at = payload.indexOf(NAME);
    if (at < 0) continue;
    address.copy(payload, at);
    const header = bytes.subarray(0, 20);
    header.writeUInt32LE(payload.length, 16);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(Number(xxh64(Buffer.concat([header, payload])) & 0xffffffffn));
    await writeFile(file, Buffer.concat([header, sum, payload]));
    changed += 1;
  }
  assert.equal(changed, 1, "one block contains the page");
  return out;
}

/**
 * Returns where links on the page lead, except the demo's own, and checks that no script ran.
 *
 * @param {Page} page
 */
async function checkLinks(page) {
  const leads = await page.evaluate(() => [...document.querySelectorAll("a[href]")].map((link) => /** @type {HTMLAnchorElement} */ (link).href));
  const wrong = leads.filter((href) => !/^https?:/.test(href));
  assert.deepEqual(wrong, []);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).hasRun), undefined);
  return leads;
}

/** @param {Page} page */
const watchScript = (page) => page.addInitScript(() => Object.assign(globalThis, { ran: () => Object.assign(globalThis, { hasRun: true }) }));

const reaches = (/** @type {Page} */ page, /** @type {string} */ element, /** @type {string} */ state) =>
  page.waitForFunction(([element, state]) => document.querySelector(element)?.getAttribute("data-state") === state, [element, state]);

test("a forged block is reported as damaged by the box and the demo, and not shown", async () => {
  for (const url of ["javascript:ran()//", "//evil.example/"]) {
    const index = await forged(url);
    await onHost(index, { site, element: "<pagekin-box></pagekin-box>", scripts: ["box.js"], wasm: true }, async (origin) => {
      const { page, close } = await openPage(browser, `${origin}/other-1.html`);
      await page.getByRole("textbox", { name: "Search" }).fill(WORDS);
      await reaches(page, "pagekin-box", "error");
      assert.equal(await page.locator("pagekin-box a").count(), 0);
      await close();
    });
    const served = await serve(index);
    const { page, close } = await openPage(browser, served.url);
    const demo = new Demo(page);
    await demo.paste(`Feed the ${WORDS} and water`);
    assert.match((await demo.trouble.textContent()) ?? "", /addresses below the base address/);
    assert.equal(await demo.results.count(), 0);
    await close();
    await served.stop();
  }
});

/** A client that returns these URLs, all of which the core would reject. */
const forgedClient = (/** @type {string[]} */ urls, /** @type {boolean} */ ownHost) => `
  export class KinError extends Error {}
  const pages = ${JSON.stringify(urls)}.map((url) => ({ url, title: "Forged", score: 1, similarity: 1, coverage: 1, confidence: "high", sharedTerms: [],
    missingTerms: [], copies: [url] }));
  const cost = { bytes: 1, requests: 1, rounds: 1, milliseconds: 1 };
  const answer = async () => ({ results: pages, otherResults: [], unmatched: [], corrections: [], rankedBy: "coverage", cost });
  export const open = async () => ({ info: { pages: 1, terms: 1, generation: "0", format: 8, preset: "web", languages: ["en"], baseUrl: "/" }, opened: cost, ownHost: ${ownHost},
    similar: answer, search: answer, pages: async () => pages, around: async () => ({ pages: [], links: [], clusters: [], cost }), excerpt: async () => undefined, close() {} });`;

test("the box and the demo make no link that runs script, whatever the client answers", async () => {
  await onHost(folder, { site, element: "<pagekin-box limit=20></pagekin-box>", scripts: ["box.js"], wasm: true }, async (origin) => {
    for (const at of ["other-1.html", "pagekin/index.html"]) {
      const { page, close } = await openPage(browser, "data:text/html,");
      await watchScript(page);
      await answerOtherwise(page.context(), /\/pagekin\/pagekin\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: forgedClient(FORGED, true) }));
      /** @type {string[]} */
      const requested = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto(`${origin}/${at}`);
      const box = at.startsWith("other");
      if (box) {
        await page.getByRole("textbox", { name: "Search" }).fill(WORDS);
        await reaches(page, "pagekin-box", "ready");
        assert.equal(await page.locator("pagekin-box [part~=title]").count(), FORGED.length);
        for (const link of await page.locator("pagekin-box [part~=title]:not([href])").all()) await link.dispatchEvent("click");
        await page.getByRole("textbox", { name: "Search" }).press("Enter");
      } else {
        const demo = new Demo(page);
        await demo.text.fill(`Feed the ${WORDS} and water`);
        await demo.answer();
        assert.equal(await demo.results.count(), FORGED.length);
      }
      const leads = await checkLinks(page);
      if (!box) assert.deepEqual(leads.filter((href) => new URL(href).origin !== origin && new URL(href).hostname === "evil.example"), [], "the demo knows the base");
      await page.waitForTimeout(500);
      assert.deepEqual(requested.filter((url) => /evil|passwd/.test(url)), []);
      await close();
    }
  });
});

test("pages are fetched with cookies only if the index comes from the page's own host", async () => {
  await onHost(folder, { site, element: "<pagekin-box></pagekin-box>", scripts: ["box.js"], wasm: true }, async (origin) => {
    for (const ownHost of [true, false]) {
      const { page, close } = await openPage(browser, "data:text/html,");
      const urls = ["/other-2.html", "/docs/../other-3.html", "//evil.example/other-1.html"];
      await page.context().addCookies([{ name: "session", value: "secret", url: origin }]);
      await answerOtherwise(page.context(), /\/pagekin\/pagekin\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: forgedClient(urls, ownHost) }));
      await page.goto(`${origin}/other-1.html`);
      const requested = page.waitForRequest(`${origin}/other-2.html`);
      await page.getByRole("textbox", { name: "Search" }).fill(WORDS);
      const { cookie } = await (await requested).allHeaders();
      assert.equal(cookie, ownHost ? "session=secret" : undefined);
      await close();
    }
  });
});

test("forged related pages and copies are reported as damaged", async () => {
  const element = `<pagekin-related loading="eager"></pagekin-related><pagekin-duplicates loading="eager"></pagekin-duplicates>`;
  await onHost(folder, { site, element, scripts: ["related.js", "duplicates.js"] }, async (origin) => {
    // URLs start with the base: `/`, or nothing.
    for (const base of ["/", ""]) {
      const forgedOnes = FORGED.filter((url) => (base ? url.startsWith("//") || /^[\\/]/.test(url) : !/^https?:\/\//.test(url)));
      for (const url of base ? [...forgedOnes.map((url) => url.slice(1)), "\t/evil.example/"] : forgedOnes) {
        const { page, close } = await openPage(browser, "data:text/html,");
        await watchScript(page);
        const own = base ? "other-1.html" : `${origin}/other-1.html`;
        const shard = gzipSync(JSON.stringify({ "#copies": { [own]: [1, 0, [[url, "Forged"]]] }, [own]: [[url, "Forged", 900]] }));
        const entry = JSON.stringify({ format: 1, generation: "0123456789abcdef", base, shards: 1, revised: {} });
        await answerOtherwise(page.context(), /\/pagekin\.kin$/, (route) => route.fulfill({ body: entry }));
        await answerOtherwise(page.context(), /\/related\/.*\.kin$/, (route) => route.fulfill({ body: shard }));
        await page.goto(`${origin}/other-1.html`);
        await reaches(page, "pagekin-related", "error");
        await reaches(page, "pagekin-duplicates", "error");
        assert.deepEqual(await checkLinks(page), [], `${base}${url}`);
        await close();
      }
    }
  });
});

test("a forged tree of topics leads nowhere", async () => {
  const served = await serve(folder, { site });
  for (const base of ["", "/"]) {
    const { page, close } = await openPage(browser, "data:text/html,");
    await watchScript(page);
    const items = FORGED.map((url) => [base ? url.slice(1) : url, `Forged ${url}`]);
    const topics = [{ label: ["elsewhere"], title: "", pages: 1, file: "//evil.example/topic.json" }];
    await answerOtherwise(page.context(), /\/browse\/tree\.json$/, (route) => route.fulfill({ json: { base, pages: 9, bytes: 1, tree: { label: [], title: "", pages: 9, topics, items } } }));
    /** @type {string[]} */
    const requested = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto(`${served.url}browse.html`);
    await page.waitForSelector("body[data-state=ready]");
    await page.locator("#tree summary").first().click();
    await page.locator("#trouble p").waitFor();
    const leads = await checkLinks(page);
    if (base) assert.deepEqual(leads.filter((href) => href.includes("evil.example") && new URL(href).hostname === "evil.example"), []);
    assert.deepEqual(requested.filter((url) => new URL(url).hostname === "evil.example"), []);
    await close();
  }
  await served.stop();
});

test("a file with an embedded index links to files next to it, or to the site", async () => {
  for (const [base, isLocal] of /** @type {const} */ ([["/", true], ["https://site.example/docs/", false]])) {
    const file = path.join(await temporaryFolder(), "stick.html");
    await build(site, "--offline-bundle", file, "--base-url", base);
    const { page, close } = await openPage(browser, pathToFileURL(file).href, { offline: true });
    const links = await page.evaluate((urls) => {
      const { pagekinCarried } = /** @type {any} */ (globalThis);
      return urls.map((/** @type {string} */ url) => pagekinCarried.link(url));
    }, [...FORGED, `${base}a.html`]);
    const root = isLocal ? new URL("./", pathToFileURL(file)).href : base;
    assert.equal(links.pop(), `${root}a.html`);
    for (const [at, link] of links.entries()) assert.ok(link === undefined || link === null || link.startsWith(root), `${FORGED[at]}: ${link}`);
    await close();
  }
});
