// @ts-check
/**
 * Filters and sorting: in the API, where answers equal those of the command line, and in
 * `<pagekin-box>`.
 *
 * @import {Browser, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build, launch, onHost, openPage, PAGEKIN, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const PAGES = 40;
const COLORS = ["red", "green", "blue"];

/** @type {Browser} */
let browser;
/** @type {string} */
let site;
/** @type {string} */
let folder;

before(async () => {
  site = await temporaryFolder();
  for (let n = 0; n < PAGES; n += 1) {
    const values = `<b data-pagefind-filter="color">${COLORS[n % 3]}</b> <i data-pagekin-filter="kind:${n % 2 ? "cup" : "pot"}"></i>`;
    const size = n % 4 ? `<time data-pagefind-sort="size">${(n * 7) % PAGES}</time>` : "";
    await writeFile(path.join(site, `${n}.html`), `<html lang="en"><title>Kettle ${n}</title><main><h1>Kettle ${n}</h1><p>A walnut kettle number ${n} of ${values} clay ${"glaze ".repeat(n % 5)}${size}</p></main>`);
  }
  folder = await build(site, "--components", "box");
  browser = await launch();
});
after(() => browser?.close());

/** @param {(page: Page, requests: string[]) => Promise<void>} check @param {object} [options] */
async function withPage(check, options = { viewport: { width: 1280, height: 900 } }, host = { site, index: folder }) {
  /** @type {string[]} */
  const requests = [];
  await onHost(host.index, { site: host.site, element: "<pagekin-box></pagekin-box>", scripts: ["box.js"], wasm: true }, async (origin) => {
    const { page, problems, close } = await openPage(browser, origin + (host.site === site ? "/1.html" : "/workshop/bicycle/chain.html"), options);
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await check(page, requests);
    assert.deepEqual(problems, []);
    await close();
  });
}

/** @param {Page} page @param {string} method @param {any[]} args */
const call = (page, method, ...args) => page.evaluate(async ([method, args]) => {
  const script = "/pagekin/pagekin.js";
  const kin = await (await import(script)).open("/pagekin/");
  return kin[method](...args).catch((/** @type {Error} */ error) => `${error}`).finally(() => kin.close());
}, /** @type {[string, any[]]} */ ([method, args]));

/** The answer of the command line. @param {string[]} args */
async function native(...args) {
  const { stdout } = await promisify(execFile)(PAGEKIN, ["search", folder, "--json", "--limit", "50", ...args]);
  return JSON.parse(stdout);
}

/** @param {{results: {url: string}[]}} answer */
const urls = ({ results }) => results.map(({ url }) => url);

test("filters and sorting are those of the command line", async () => {
  await withPage(async (page) => {
    for (const [filters, sort, ...args] of /** @type {[any, any, ...string[]][]} */ ([
      [{ color: "red" }, undefined, "--filter", "color=red"],
      [{ color: "red", kind: ["cup"] }, { size: "desc" }, "--filter", "color=red", "--filter", "kind=cup", "--sort", "size:desc"],
      [{}, { size: "asc" }, "--sort", "size"],
      [{ color: "none" }, undefined, "--filter", "color=none"],
    ])) {
      for (const words of ["kettle", null]) {
        const answer = await call(page, "search", words, { limit: 50, filters, ...(sort && { sort }) });
        const expected = await native(...args, ...(words ? [words] : []));
        assert.deepEqual(urls(answer), urls(expected));
        assert.deepEqual(answer.found, expected.found);
      }
    }
  });
});

test("results do not wait for the numbers of values", async () => {
  await withPage(async (page, requests) => {
    const { partial, answer } = await page.evaluate(async () => {
      const script = "/pagekin/pagekin.js";
      const kin = await (await import(script)).open("/pagekin/");
      /** @type {any[]} */
      const partial = [];
      const answer = await kin.search("kettle", { filters: {}, onPartial: (/** @type {any} */ one) => partial.push(one) });
      kin.close();
      return { partial, answer };
    });
    assert.deepEqual(partial.map(({ found }) => found), [{ total: PAGES, exact: true }]);
    assert.deepEqual(urls(partial[0]), urls(answer));
    assert.deepEqual(answer.found, { total: PAGES, exact: true, filters: { color: { blue: 13, green: 13, red: 14 }, kind: { cup: 20, pot: 20 } } });
    assert.ok(partial[0].cost.bytes < answer.cost.bytes);
    assert.ok(requests.some((name) => /filters\//.test(name)));
    requests.length = 0;
    const uncounted = await call(page, "search", "kettle", { filters: {}, counts: false });
    assert.deepEqual(uncounted.found, { total: PAGES, exact: true });
    assert.ok(requests.length > 0);
    assert.deepEqual(requests.filter((name) => /filters\//.test(name)), []);
  });
});

test("filters combine as in Pagefind", async () => {
  await withPage(async (page) => {
    const count = async (/** @type {any} */ filters) => (await call(page, "search", null, { filters })).found.total;
    const of = (/** @type {(n: number) => boolean} */ keeps) => [...Array(PAGES).keys()].filter(keeps).length;
    assert.equal(await count({ color: { any: ["red", "blue"] } }), of((n) => n % 3 !== 1));
    assert.equal(await count({ any: { color: "red", kind: "cup" } }), of((n) => n % 3 === 0 || n % 2 === 1));
    assert.equal(await count({ not: { color: "red", kind: "cup" } }), of((n) => !(n % 3 === 0 && n % 2 === 1)));
    assert.equal(await count({ none: [{ color: "red" }, { kind: "cup" }] }), of((n) => n % 3 !== 0 && n % 2 === 0));
    assert.equal(await count({ color: { none: ["red", "green"] }, kind: [] }), of((n) => n % 3 === 2));
    assert.equal(await count({ color: ["red", "blue"] }), 0);
    assert.deepEqual(await call(page, "filters"), { color: { blue: 13, green: 13, red: 14 }, kind: { cup: 20, pot: 20 } });
    assert.deepEqual(urls(await call(page, "search", "kettle", { filters: {} })), urls(await call(page, "search", "kettle")));
    assert.match(await call(page, "search", "kettle", { filter: {} }), /TypeError: search: unknown option "filter"/);
    assert.match(await call(page, "search", "kettle", { filters: { color: 3 } }), /TypeError: filters\.color/);
    assert.match(await call(page, "search", "kettle", { sort: { size: "up" } }), /TypeError: sort/);
    assert.match(await call(page, "similar", "kettle", { sorted: 1 }), /TypeError: similar: unknown option/);
    const similar = await call(page, "similar", { url: "/3.html" }, { limit: 50, filters: { kind: "cup" } });
    assert.ok(similar.results.length > 3 && urls(similar).every((url) => Number(/\d+/.exec(url)) % 2 === 1));
  });
});

test("the box offers filters, by keyboard and on a phone", async () => {
  for (const options of [{ viewport: { width: 1280, height: 900 } }, { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }]) {
    await withPage(async (page) => {
      await page.locator("pagekin-box [part~=field]").fill("kettle");
      const red = page.getByRole("checkbox", { name: /^red/ });
      await red.waitFor();
      assert.match(await page.getByRole("group", { name: "color" }).innerText(), /red\s*14[^+]*green/);
      await red.focus();
      await page.keyboard.press("Space");
      await page.waitForFunction(() => document.querySelectorAll("pagekin-box [part~=values] input:checked").length === 1 && /14/.test(document.querySelector("pagekin-box [part~=status]")?.textContent ?? ""));
      assert.ok(await page.evaluate(() => document.activeElement instanceof HTMLInputElement && document.activeElement.value === "red"));
      assert.equal(await page.getByRole("checkbox", { name: /^green/ }).count(), 0, "no result is green as well");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/filters-${options.viewport.width}.png` });
      await red.uncheck();
      await page.getByRole("checkbox", { name: /^green/ }).waitFor();
    }, options);
  }
});

test("a script chooses values of filters", async () => {
  await withPage(async (page) => {
    const choose = (/** @type {Record<string, string | string[]>} */ values) => page.evaluate((values) => { /** @type {any} */ (document.querySelector("pagekin-box")).chosen = values; }, values);
    await choose({ color: "red" });
    await page.locator("pagekin-box [part~=field]").fill("kettle");
    const total = (/** @type {string} */ number) => page.waitForFunction((number) => document.querySelector("pagekin-box [part~=status]")?.textContent?.startsWith(number), number);
    await total("14 ");
    assert.ok(await page.getByRole("checkbox", { name: /^red/ }).isChecked());
    await choose({ color: ["red"], kind: ["cup"] });
    await total("7 ");
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (document.querySelector("pagekin-box")).chosen), { color: ["red"], kind: ["cup"] });
    await choose({});
    await total("40 ");
  });
});

test("a site without filters fetches nothing for them", async () => {
  const plain = { site: TEACHING_SITE, index: await build(TEACHING_SITE, "--components", "box") };
  await withPage(async (page, requests) => {
    await page.locator("pagekin-box [part~=field]").fill("sourdough");
    await page.locator("pagekin-box [part~=title]").first().waitFor();
    assert.equal(await page.locator("pagekin-box [part~=values]").count(), 0);
    assert.deepEqual(requests.filter((name) => /filters/.test(name)), []);
    assert.deepEqual(await call(page, "filters"), {});
  }, undefined, plain);
});
