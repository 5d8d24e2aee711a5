// @ts-check
/**
 * Several indexes: in the API, and in `<pagekin-box>`. They are on several hosts, one of which is
 * down.
 *
 * @import {Browser, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage, rebuild, temporaryFolder } from "./harness.mjs";

/** @type {Browser} */
let browser;
/** @type {{origin: string, close: () => void, requests: string[]}} */
let shop;
/** @type {typeof shop} */
let docs;
/** Its index has a language that needs another module. @type {typeof shop} */
let french;
/** Holds back the answers of a host. */
let held = { origin: "", until: /** @type {Promise<void>} */ (Promise.resolve()) };
/** Where no host answers. */
let lost = "";
/** The element of the page on the shop. */
let element = "";

/** @param {string} folder of a site with its index */
async function host(folder) {
  /** @type {string[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://127.0.0.1");
    requests.push(pathname);
    if (held.origin === `http://${request.headers.host}`) await held.until;
    if (pathname === "/search.html") {
      response.setHeader("content-type", "text/html");
      response.setHeader("content-security-policy", `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' ${docs.origin} ${french.origin} ${lost}`);
      return response.end(`<!doctype html><html lang="en"><title>Search</title><script type="module" src="/pagekin/box.js"></script>${element}`);
    }
    const bytes = await readFile(path.join(folder, pathname)).catch(() => undefined);
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", { ".js": "text/javascript", ".html": "text/html" }[path.extname(pathname)] ?? "application/octet-stream");
    response.writeHead(bytes ? 200 : 404).end(bytes);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { origin: `http://127.0.0.1:${port}`, requests, close: () => { server.closeAllConnections(); server.close(); } };
}

/** @param {string} name @param {string} base @param {string[]} texts @param {string} [lang] */
async function site(name, base, texts, lang = "en") {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, base), { recursive: true });
  for (const [n, text] of texts.entries()) await writeFile(path.join(folder, base, `${n}.html`), `<html lang="${lang}"><title>${name} ${n}</title><main><h1>${name} ${n}</h1><p>${text} <b data-pagekin-filter="place">${name}</b></p></main>`);
  await rebuild(folder, path.join(folder, "pagekin"), "--components", "box");
  return host(folder);
}

before(async () => {
  browser = await launch();
  shop = await site("Shop", "", ["A copper kettle with a spout of brass.", "A steel kettle.", "Cups of clay, and a teapot.", "Descaling tablets for a kettle."]);
  docs = await site("Docs", "docs", ["How to descale a copper kettle: vinegar and water dissolve lime.", "A kettle that whistles.", "Repair a handle of a teapot."]);
  french = await site("Bouilloire", "", ["Une bouilloire de cuivre qui siffle.", "Les bouilloires et les tasses."], "fr");
  const gone = await host("");
  lost = gone.origin;
  gone.close();
});
after(() => {
  shop?.close();
  docs?.close();
  french?.close();
  return browser?.close();
});

/** @param {string} box @param {(page: Page) => Promise<void>} check @param {object} [options] */
async function withPage(box, check, options = {}) {
  element = box;
  const { page, problems, close } = await openPage(browser, `${shop.origin}/search.html`, options);
  await check(page);
  // Requests to other hosts are meant here, and one of them fails.
  assert.deepEqual(problems.filter((problem) => /^exception|Content-Security-Policy/.test(problem)), []);
  await close();
}

/** @param {Page} page @param {(string | object)[]} bases @param {string} method @param {any[]} args */
const ask = (page, bases, method, ...args) => page.evaluate(async ([bases, method, args]) => {
  const script = "/pagekin/pagekin.js";
  const kin = await (await import(script)).open(bases);
  return kin[method](...args).catch((/** @type {Error} */ error) => `${error}`).finally(() => kin.close());
}, /** @type {[any, string, any[]]} */ ([bases.length > 1 ? bases : bases[0], method, args]));

test("answers of several indexes are merged in one order", async () => {
  await withPage("", async (page) => {
    const [one, other] = ["/pagekin/", `${docs.origin}/pagekin/`];
    for (const [method, query] of [["search", "copper kettle"], ["search", "teapot"], ["similar", "descale a copper kettle with vinegar"]]) {
      const singles = [await ask(page, [one], method, query), await ask(page, [other], method, query)];
      const both = await ask(page, [one, other], method, query);
      const names = ["/pagekin/", new URL(docs.origin).host];
      const all = [...both.results, ...(both.otherResults ?? [])];
      for (const [at, single] of singles.entries()) {
        const of = all.filter(({ index }) => index === names[at]).map(({ url }) => new URL(url, shop.origin).pathname);
        assert.deepEqual(of, single.results.map((/** @type {{url: string}} */ { url }) => url), "the results of one index keep their order");
      }
      if (method === "search") assert.equal(both.results[0].score, Math.max(...both.results.map((/** @type {{score: number}} */ { score }) => score)));
      assert.ok(both.results.every((/** @type {{url: string, index: string}} */ { url, index }) => url.startsWith(index === names[0] ? "/" : `${docs.origin}/docs/`)));
      assert.equal(both.cost.requests, singles[0].cost.requests + singles[1].cost.requests);
      assert.deepEqual(both.leftOut, []);
    }
    const weighted = await ask(page, [{ base: one, name: "Shop" }, { base: other, name: "Docs", weight: 10 }], "search", "kettle");
    assert.equal(weighted.results[0].index, "Docs");
    assert.deepEqual((await ask(page, [{ base: one, weight: 10 }, other], "search", "kettle", { limit: 2 })).results.map((/** @type {{index: string}} */ { index }) => index), ["/pagekin/", "/pagekin/"]);
    const filtered = await ask(page, [one, other], "search", "kettle", { filters: { place: "Docs" } });
    assert.deepEqual([filtered.found.total, filtered.found.filters.place.Docs], [2, 2]);
    assert.deepEqual(await ask(page, [one, other], "filters"), { place: { Docs: 3, Shop: 4 } });
    assert.deepEqual((await ask(page, [one, other], "search", "kettle quagga")).unmatched, ["quagga"]);
    assert.match(await ask(page, [one, other], "search", "kettle", { sort: { size: "asc" } }), /TypeError: sort/);
    assert.match(await ask(page, [one, other], "search", "kettle", { filter: {} }), /TypeError: search: unknown option/);
  });
});

test("an index that is down is named and left out", async () => {
  await withPage("", async (page) => {
    const answer = await ask(page, ["/pagekin/", { base: `${lost}/pagekin/`, name: "Lost" }], "search", "kettle");
    assert.equal(answer.results.length, 3);
    assert.deepEqual(answer.leftOut.map((/** @type {{name: string, code: string}} */ { name, code }) => [name, code]), [["Lost", "Offline"]]);
    const none = await page.evaluate(async (lost) => {
      const script = "/pagekin/pagekin.js";
      return (await import(script)).open([`${lost}/a/`, `${lost}/b/`]).then(String, (/** @type {{code: string}} */ { code }) => code);
    }, lost);
    assert.equal(none, "Offline");
  });
});

test("an index with other languages uses its own module", async () => {
  await withPage("", async (page) => {
    const answer = await ask(page, ["/pagekin/", { base: `${french.origin}/pagekin/`, name: "French" }], "search", "bouilloires", { lang: "fr" });
    assert.deepEqual(answer.leftOut, []);
    assert.deepEqual(answer.results.map((/** @type {{index: string}} */ { index }) => index), ["French", "French"], "by the French stem");
  });
});

test("results are shown before a slow index answers", async () => {
  await withPage("", async (page) => {
    const both = await page.evaluateHandle(async (other) => {
      const script = "/pagekin/pagekin.js";
      return (await import(script)).open(["/pagekin/", { base: other, name: "Docs" }]);
    }, `${docs.origin}/pagekin/`);
    let release = () => {};
    held = { origin: docs.origin, until: new Promise((resolve) => { release = () => resolve(undefined); }) };
    const partial = await both.evaluate((kin) => new Promise((shown) => {
      const answer = kin.search("kettle descale", { onPartial: shown });
      Object.assign(globalThis, { answer });
      setTimeout(() => shown({ results: [] }), 10_000); // fails
    }));
    assert.ok(partial.results.length > 0 && partial.results.every((/** @type {{index: string}} */ { index }) => index === "/pagekin/"));
    release();
    held = { origin: "", until: Promise.resolve() };
    const answer = await page.evaluate(() => /** @type {any} */ (globalThis).answer);
    assert.ok(answer.results.some((/** @type {{index: string}} */ { index }) => index === "Docs"));
    // With filters, numbers would be those of some indexes.
    const calls = await both.evaluate(async (kin) => {
      let calls = 0;
      await kin.search("kettle", { filters: { place: "Docs" }, onPartial: () => { calls += 1; } });
      return calls;
    });
    assert.equal(calls, 0);
  });
});

test("the box shows from which index results are, and what is left out", async () => {
  const box = () => `<pagekin-box base="/pagekin/ ${docs.origin}/pagekin/ ${lost}/pagekin/" index-names="Shop, Docs, Lost"></pagekin-box>`;
  for (const options of [{ viewport: { width: 1280, height: 900 } }, { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }]) {
    await withPage(box(), async (page) => {
      await page.locator("pagekin-box [part~=field]").fill("kettle");
      await page.getByRole("radio", { name: /^Docs/ }).waitFor();
      await page.waitForFunction(() => /reached: Lost/.test(document.querySelector("pagekin-box [role=status]")?.textContent ?? ""));
      assert.deepEqual((await page.locator("pagekin-box [part~=folder-name]").allInnerTexts()).slice(0, 3), ["All", "Shop", "Docs"]);
      const links = await page.locator("pagekin-box [part~=title]").evaluateAll((all) => all.map((link) => /** @type {HTMLAnchorElement} */ (link).origin));
      assert.ok(links.includes(docs.origin) && links.includes(shop.origin), `${links}`);
      await page.locator("pagekin-box [part~=excerpt]").first().waitFor();
      await page.getByRole("radio", { name: /^Docs/ }).check();
      assert.ok((await page.locator("pagekin-box [part~=path]").allInnerTexts()).every((text) => text.startsWith("Docs › docs")));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/several-${options.viewport.width}.png` });
    }, options);
  }
});

test("one index does not fetch the script for several", async () => {
  shop.requests.length = 0;
  await withPage("<pagekin-box></pagekin-box>", async (page) => {
    await page.locator("pagekin-box [part~=field]").fill("kettle");
    await page.locator("pagekin-box [part~=title]").first().waitFor();
    assert.ok(!shop.requests.some((name) => name.endsWith("several.js")));
  });
});
