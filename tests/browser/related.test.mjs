// @ts-check
/**
 * Related pages on a page of the site: the element and the function, under a policy that does not
 * allow WebAssembly, on hosts with various habits, and their cost.
 *
 * @import {Page, Request, Route} from "playwright-core"
 * @import {RelatedOptions, RelatedPage} from "../../www/elements/related.js"
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { answerOtherwise, build, launch, onHost, openPage, PAGEKIN, rebuild, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const SHOWN = "/kitchen/bread/sourdough.html";
const ENTRY = /\/pagekin\.kin$/;
const SHARD = /\/related\/.*\.kin$/;

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string} */
let folder;
/** @type {Record<string, RelatedPage[]>} */
let truth;

before(async () => {
  folder = await build(TEACHING_SITE, "--related-json");
  truth = await truthOf(folder);
  browser = await launch();
});

after(() => browser?.close());

/**
 * @param {string} folder
 * @returns {Promise<Record<string, RelatedPage[]>>}
 */
async function truthOf(folder) {
  const { base: _, ...pages } = JSON.parse(await readFile(path.join(folder, "related.json"), "utf8"));
  for (const kin of Object.values(pages).flat()) delete kin.path;
  return pages;
}

// The page

/**
 * Returns the links that the element shows, once it does.
 *
 * @param {Page} page
 */
async function shown(page) {
  const links = page.getByRole("navigation", { name: "Related pages" }).getByRole("listitem").getByRole("link");
  await links.first().waitFor();
  return links.evaluateAll((links) => links.map((link) => ({ url: link.getAttribute("href"), title: link.textContent })));
}

/** @param {RelatedPage[]} kin */
const asLinks = (kin) => kin.map(({ url, title }) => ({ url, title }));

/**
 * Calls the function.
 *
 * @param {Page} page
 * @param {RelatedOptions} [options]
 * @returns {Promise<{kin: RelatedPage[], code: string, message: string}>}
 */
function ask(page, options = {}) {
  return page.evaluate(async (options) => {
    /** @type {typeof import("../../www/elements/related.js")} */
    const { related, KinError } = await import(`${location.origin}/pagekin/related.js`);
    try {
      return { kin: await related(options), code: "", message: "" };
    } catch (/** @type {any} */ error) {
      return { kin: [], code: error instanceof KinError ? error.code : error.name, message: error.message };
    }
  }, options);
}

test("the element links to the related pages of its page in two small requests, without WebAssembly", async () => {
  await onHost(folder, {}, async (origin) => {
    const { page, problems, close } = await openPage(browser, "data:text/html,");
    /** @type {Request[]} */
    const requested = [];
    page.on("requestfinished", (request) => requested.push(request));
    await page.goto(origin + SHOWN);
    assert.deepEqual(await shown(page), asLinks(truth[SHOWN].slice(0, 5)));
    const ours = requested.filter((request) => request.url().includes("/pagekin/"));
    const data = ours.filter((request) => !request.url().endsWith("/related.js"));
    assert.deepEqual(data.map((request) => [ENTRY, SHARD].map((name) => name.test(request.url()))), [[true, false], [false, true]]);
    assert.equal(ours.length, data.length + 1, `the script is one request: ${ours.map((request) => request.url())}`);
    let bytes = 0;
    for (const request of data) bytes += (await request.sizes()).responseBodySize;
    assert.ok(bytes > 0 && bytes <= 15_000, `${bytes} bytes`);
    assert.deepEqual(problems.filter((problem) => !problem.startsWith("request to")), []);
    await close();
  });
});

test("the element reads its folder, limit and heading from attributes, and stays empty if there are no related pages", async () => {
  const element = `<pagekin-related base="/pagekin" limit="2" heading="Verwandtes" loading="eager"></pagekin-related>`;
  await onHost(folder, { element }, async (origin) => {
    const { page, problems, close } = await openPage(browser, origin + SHOWN);
    const links = page.getByRole("navigation", { name: "Verwandtes" }).getByRole("link");
    await links.first().waitFor();
    assert.equal(await links.count(), 2);
    assert.equal(await page.getByRole("heading", { name: "Verwandtes" }).count(), 1);
    // It is shown once after leaving and returning.
    await page.locator("pagekin-related").evaluate((element) => document.body.append(element));
    await links.first().waitFor();
    assert.equal(await page.locator("pagekin-related nav").count(), 1);

    // A page that is not in the index, and one in the index without related pages.
    const showsNothing = async (/** @type {string} */ url) => {
      const shard = page.waitForResponse(SHARD);
      await page.goto(origin + url, { waitUntil: "commit" });
      await shard;
      await page.waitForLoadState("networkidle");
      assert.equal(await page.locator("pagekin-related *").count(), 0, url);
    };
    await showsNothing("/garden/vegetables/sowing-diary.html");
    await answerOtherwise(page.context(), SHARD, (route) => route.fulfill({ body: JSON.stringify({ [SHOWN.slice(1)]: [] }) }));
    await showsNothing(SHOWN);
    assert.deepEqual(problems, []);
    await close();
  });
});

test("the function returns the pages in related.json for every page, whether or not the host declares the compression", async () => {
  for (const encoded of [false, true]) {
    await onHost(folder, { element: "", encoded }, async (origin) => {
      const { page, problems, close } = await openPage(browser, `${origin}/garden/`);
      const urls = Object.keys(truth);
      const answers = await page.evaluate(async (urls) => {
        const { related } = await import(`${location.origin}/pagekin/related.js`);
        return Promise.all(urls.map((url) => related({ base: "/pagekin/", url, limit: 6 })));
      }, urls);
      assert.deepEqual(Object.fromEntries(urls.map((url, at) => [url, answers[at]])), truth);
      assert.deepEqual(problems, []);
      await close();
    });
  }
});

test("a page is found by the URLs that hosts and people use, on the site's host or another", async () => {
  const bases = ["/", "/docs/", "https://example.org/docs/"];
  for (const base of bases) {
    const folder = await build(TEACHING_SITE, "--related-json", "--base-url", base);
    const truth = await truthOf(folder);
    await onHost(folder, { element: "" }, async (origin) => {
      const { page, problems, close } = await openPage(browser, `${origin}/garden/`);
      const root = new URL(base, origin).pathname;
      for (const [name, url] of [
        [SHOWN, SHOWN], [`${SHOWN}?a=b#c`, SHOWN], [SHOWN.replace(".html", ""), SHOWN], [SHOWN.replace(".html", "/"), SHOWN],
        [SHOWN.replace("d", "%64"), SHOWN], [`https://elsewhere.example${SHOWN}`, SHOWN],
        ["/garden/", "/garden/"], ["/garden/index.html", "/garden/"], ["/garden", "/garden/"], ["/", "/"],
      ]) {
        const expected = truth[base.replace(/\/$/, "") + url].slice(0, 5);
        for (const requested of new Set([name, name.startsWith("/") ? root + name.slice(1) : name])) {
          const before = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/related/")).length);
          assert.deepEqual(await ask(page, { url: requested }), { kin: expected, code: "", message: "" }, `${requested} below ${base}`);
          const now = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/related/")).length);
          assert.ok(now - before <= 1, `${now - before} shards for ${requested}`);
        }
      }
      const { code, message } = await ask(page, { url: "/none.html" });
      assert.equal(code, base === "/" ? "UnknownUrl" : "OtherBase");
      assert.match(message, base === "/"
        ? /expected a page of \S+, found http:\S+\/none\.html; rebuild the index if the page is new/
        : /expected a page below \S*\/docs\/, found \/none\.html; rebuild with --base-url \S*\//);
      assert.deepEqual(problems, []);
      await close();
    });
  }
});

test("a page in the table of names is found by each name, whether or not the index has clean URLs", async () => {
  /** @type {{pages: {file: string, url: string, clean: string, names: string[]}[], unknown: string[]}} */
  const table = JSON.parse(await readFile(new URL("../addresses.json", import.meta.url), "utf8"));
  const site = path.join(await temporaryFolder(), "site");
  for (const { file } of table.pages) {
    await mkdir(path.dirname(path.join(site, file)), { recursive: true });
    await cp(path.join(TEACHING_SITE, SHOWN), path.join(site, file));
  }
  for (const clean of [false, true]) {
    for (const base of ["/", "/docs/", "https://example.org/docs/"]) {
      const folder = await build(site, "--base-url", base, ...(clean ? ["--clean-urls"] : []));
      const { generation, shards } = JSON.parse(await readFile(path.join(folder, "pagekin.kin"), "utf8"));
      assert.equal(shards, 1);
      // So that an answer shows which page was requested.
      const named = table.pages.map((page) => {
        const own = (clean ? page.clean : page.url).slice(1);
        return [own, [[own, page.file, 1000]]];
      });
      await writeFile(path.join(folder, `index/${generation}/related/00/0000.kin`), JSON.stringify(Object.fromEntries(named)));
      await onHost(folder, { element: "" }, async (origin) => {
        const { page, problems, close } = await openPage(browser, origin + SHOWN);
        const root = new URL(base, origin).pathname;
        for (const { file, names } of table.pages) {
          for (const url of names.flatMap((name) => [name, root + name.slice(1), `https://elsewhere.example${name}`])) {
            const { kin, code } = await ask(page, { url });
            assert.deepEqual([code, kin.map(({ title }) => title)], ["", [file]], `${url} below ${base}`);
          }
        }
        for (const url of table.unknown) assert.equal((await ask(page, { url })).code, base === "/" ? "UnknownUrl" : "OtherBase", url);
        assert.deepEqual(problems, []);
        await close();
      });
    }
  }
});

// Failures

/** @param {Route} route the answer of some hosts for a missing file */
const withPage = (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<!doctype html><title>Not here</title>" });

/** @param {number} status */
const withStatus = (status) => (/** @type {Route} */ route) => route.fulfill({ status, body: "" });

/** @param {string | Buffer} body */
const withBody = (body) => (/** @type {Route} */ route) => route.fulfill({ body });

test("a shard of an updated site is found after reading the entry again", async () => {
  const folder = await build(TEACHING_SITE, "--related-json");
  await onHost(folder, { element: "" }, async (origin) => {
    const { page, close } = await openPage(browser, `${origin}/garden/`);
    const old = await truthOf(folder);
    assert.deepEqual((await ask(page, { url: "/garden/" })).kin, old["/garden/"].slice(0, 5));
    await rebuild(TEACHING_SITE, folder, "--related-json", "--related-count", "3");
    const { requested, restore } = await answerOtherwise(page.context(), /\.kin$/, (route) => route.continue());
    // Another page, whose shard is not in the browser's cache.
    assert.deepEqual(await ask(page, { url: SHOWN }), { kin: old[SHOWN].slice(0, 3), code: "", message: "" });
    assert.deepEqual(requested.map((url) => ENTRY.test(url)), [false, true, false]);
    await restore();
    await close();
  });
});

test("shards that a later build revised are found in its folder", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const folder = await build(site, "--related-json");
  const before = await truthOf(folder);
  await cp(path.join(site, "garden/vegetables/index.html"), path.join(site, SHOWN));
  await rebuild(site, folder, "--related-json", "--previous", folder);
  const after = await truthOf(folder);
  assert.notDeepEqual(after[SHOWN], before[SHOWN]);
  assert.notDeepEqual(JSON.parse(await readFile(path.join(folder, "pagekin.kin"), "utf8")).revised, {});
  await onHost(folder, { element: "" }, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    for (const url of Object.keys(after).slice(0, 30)) {
      assert.deepEqual((await ask(page, { url })).kin, after[url].slice(0, 5), url);
    }
    assert.deepEqual((await ask(page)).kin, after[SHOWN].slice(0, 5));
    await close();
  });
});

const NOT_HELPED = /reloading pagekin\.kin did not help: http:\S+\/pagekin\/ is at generation [0-9a-f]{16}/;

test("each failure has its code and a remedy", async () => {
  const entry = { format: 1, generation: "0123456789abcdef", base: "/", shards: 2, revised: {} };
  /** @type {[name: string, files: RegExp, answer: (route: Route) => unknown, code: string, says: RegExp[]][]} */
  const cases = [
    ["no entry", ENTRY, withStatus(404), "Missing", [/found HTTP status 404/, /--related-count 0/]],
    ["a page for the entry", ENTRY, withPage, "NotPagekin", [/found "<!doctype html>/, /publish all/]],
    ["a truncated entry", ENTRY, withBody("{\"format\":1"), "Damaged", [/expected JSON/, /publish it again/]],
    ["an entry of a newer format", ENTRY, withBody(JSON.stringify({ ...entry, format: 4 })), "VersionTooNew", [/has format 4: expected 1/]],
    ["an entry without shards", ENTRY, withBody(JSON.stringify({ ...entry, shards: 0 })), "Damaged", [/number of shards/]],
    ["an entry that leads elsewhere", ENTRY, withBody(JSON.stringify({ ...entry, generation: "../../elsewhere" })), "Damaged", [/generation/]],
    ["an entry with shards that no build revised", ENTRY, withBody(JSON.stringify({ ...entry, revised: { "../elsewhere": [0] } })), "Damaged", [/generation/]],
    ["an entry with a script URL", ENTRY, withBody(JSON.stringify({ ...entry, base: "javascript:x/" })), "Damaged", [/base URL/]],
    ["a busy host", ENTRY, withStatus(503), "Server", [/found HTTP status 503/, /try again later/]],
    ["no answer", ENTRY, (route) => route.abort("connectionrefused"), "Offline", [/cannot fetch/]],
    ["no shard", SHARD, withStatus(404), "Missing", [/found HTTP status 404/, NOT_HELPED]],
    ["a page for a shard", SHARD, withPage, "NotPagekin", [/found "<!doctype html>/, NOT_HELPED]],
    ["an empty shard", SHARD, withBody(""), "NotPagekin", [/found ""/, NOT_HELPED]],
    ["a broken gzip file", SHARD, withBody(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])), "Damaged", [/a whole gzip file/, NOT_HELPED]],
    ["a file without end", ENTRY, withBody(Buffer.alloc(17 << 20, 32)), "Damaged", [/at most 16 MiB/]],
    ["a small file that inflates without end", SHARD, withBody(gzipSync(Buffer.alloc(17 << 20, 32))), "Damaged", [/at most 16 MiB/, NOT_HELPED]],
    ["other JSON", SHARD, withBody(JSON.stringify({ [SHOWN.slice(1)]: [["a.html", "A", "much"]] })), "Damaged", [/similarity/, NOT_HELPED]],
    ["related pages that are not a list", SHARD, withBody(JSON.stringify({ [SHOWN.slice(1)]: null })), "Damaged", [/similarity/, NOT_HELPED]],
    ["a busy host for shards", SHARD, withStatus(500), "Server", [/found HTTP status 500/]],
  ];
  await onHost(folder, { element: "" }, async (origin) => {
    for (const [name, files, answer, code, says] of cases) {
      const { page, close } = await openPage(browser, origin + SHOWN);
      const { restore } = await answerOtherwise(page.context(), files, answer);
      const outcome = await ask(page);
      assert.equal(outcome.code, code, `${name}: ${JSON.stringify(outcome)}`);
      for (const part of says) assert.match(outcome.message, part, name);
      await restore();
      assert.deepEqual(await ask(page), { kin: truth[SHOWN].slice(0, 5), code: "", message: "" }, `${name}: restored`);
      await close();
    }
  });
});

test("a canceled call ends immediately, and the entry is still shared", async () => {
  await onHost(folder, { element: "" }, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    const found = await page.evaluate(async () => {
      const { related } = await import(`${location.origin}/pagekin/related.js`);
      const controller = new AbortController();
      const given = related({ signal: controller.signal }).catch((/** @type {any} */ error) => error);
      const kept = related();
      controller.abort("enough");
      const wrong = [0, 1.5].map((limit) => related({ limit }).catch((/** @type {any} */ error) => error.message));
      const entries = async () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/pagekin.kin")).length;
      return { given: await given, kept: (await kept).length, wrong: await Promise.all(wrong), entries: await entries() };
    });
    assert.deepEqual(found, {
      given: "enough",
      kept: 5,
      wrong: ["limit: expected a positive integer, found 0", "limit: expected a positive integer, found 1.5"],
      entries: 1,
    });
    await close();
  });
});

/**
 * Clusters pages as a crawl and builds its index.
 *
 * @param {{url: string, title: string, text: string}[]} pages
 * @returns {Promise<string>} its folder
 */
async function crawled(pages) {
  const place = await temporaryFolder();
  const [lines, crawl, index] = ["crawl.jsonl", "crawl", "index"].map((name) => path.join(place, name));
  const run = (/** @type {string[]} */ ...options) => promisify(execFile)(PAGEKIN, options);
  await writeFile(lines, pages.map((page) => JSON.stringify(page)).join("\n"));
  await run("crawl", "cluster", lines, "-o", crawl, "--bags", "content", "--quiet");
  await run("build", "--from", crawl, "-o", index, "--quiet");
  return index;
}

test("an index of a crawl finds related pages for URLs on many hosts", async () => {
  const index = await crawled([
    { url: "https://shop.example/oven", title: "Oven", text: "enamel oven for sourdough rye bread" },
    { url: "http://market.example/bread/", title: "Bread", text: "sourdough rye bread, wheat bread" },
    { url: "https://shop.example/tent.html", title: "Tent", text: "canvas tent with poles, pegs and rope" },
  ]);
  await onHost(index, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    const kinOf = async (/** @type {string} */ url) => {
      const { kin, code } = await ask(page, { url });
      return code || kin.map(({ url }) => url);
    };
    assert.deepEqual(await kinOf("https://shop.example/oven"), ["http://market.example/bread/"]);
    assert.deepEqual(await kinOf("http://market.example/bread/index.html#top"), ["https://shop.example/oven"]);
    assert.deepEqual(await kinOf("https://shop.example/tent.html"), []);
    assert.equal(await kinOf("http://shop.example/oven"), "UnknownUrl");
    assert.equal(await kinOf(origin + SHOWN), "UnknownUrl");
    await close();
  });
});

test("an index of a crawl of one host finds related pages for URLs without an extension", async () => {
  const texts = ["enamel oven for sourdough rye bread", "sourdough rye bread, wheat bread"];
  const pages = texts.map((text, number) => ({ url: `https://shop.example/${number}`, title: "", text }));
  const index = await crawled(pages);
  await onHost(index, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    const { kin } = await ask(page, { url: "https://shop.example/0" });
    assert.deepEqual(kin.map(({ url }) => url), ["https://shop.example/1"]);
    await close();
  });
});
