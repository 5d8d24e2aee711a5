// @ts-check
/**
 * Metadata of pages in results: in the API, where it equals that of the command line, and in
 * `<pagekin-box>`, as thumbnails and in a template.
 *
 * @import {Browser, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build, complaints, launch, onHost, openPage, PAGEKIN, similar, temporaryFolder } from "./harness.mjs";

const PRODUCTS = 60;
const KINDS = ["teapot", "kettle", "bowl", "jug"];
const GLAZES = ["celadon", "walnut", "ochre", "cobalt", "ash"];
const TEMPLATE = `<pagekin-box><template><b data-meta="price"></b> <span>by <i data-meta="maker"></i></span></template></pagekin-box>`;
/** A value that is HTML, and one that is no image. */
const HOSTILE = `<img src=x onerror="document.title='run'"> & more`;

/** @type {Browser} */
let browser;
/** @type {string} */
let site;
/** @type {string} */
let folder;

/** @param {number} n @param {string} kind @param {string} glaze */
function product(n, kind, glaze) {
  const other = { 8: `<i data-pagefind-meta="image:javascript:alert(1)"></i>`, 9: "" }[n];
  const image = other ?? `<img data-pagefind-meta="image[src], image_alt[alt]" src="../img/${n % 12}.svg" alt="A ${kind} in ${glaze}" width="300" height="300">`;
  const maker = n % 3 ? `<p>Made by <span data-pagefind-meta="maker">Potter ${n % 7}</span>.</p>` : "";
  const price = n === 7 ? `<meta data-pagekin-meta="price[content]" content="${HOSTILE.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">` : `<b data-pagekin-meta="price">${12 + n} €</b>`;
  return `<html lang="en"><title>${glaze} ${kind} no. ${n}</title><meta name="viewport" content="width=device-width"><main><h1>${glaze} ${kind} no. ${n}</h1>${image}
    <p>This stoneware ${kind} is thrown by hand and glazed in ${glaze}. It holds ${n + 3} cups, and keeps tea warm.</p>${maker}<p>${price}</p></main>`;
}

/** @param {number} n */
const picture = (n) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><rect width="40" height="30" fill="hsl(${30 * n} 45% 80%)"/><circle cx="20" cy="17" r="9" fill="hsl(${30 * n} 50% 40%)"/></svg>`;

before(async () => {
  site = await temporaryFolder();
  await Promise.all(["img", "shop"].map((name) => mkdir(path.join(site, name))));
  for (let n = 0; n < 12; n += 1) await writeFile(path.join(site, "img", `${n}.svg`), picture(n));
  for (let n = 0; n < PRODUCTS; n += 1) await writeFile(path.join(site, "shop", `${n}.html`), product(n, KINDS[n % 4], GLAZES[n % 5]));
  folder = await build(site, "--components", "box");
  browser = await launch();
});
after(() => browser?.close());

/**
 * @param {(page: Page, requests: string[]) => Promise<void>} check
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function withBox(check, options = { viewport: { width: 1280, height: 900 } }) {
  await onHost(folder, { site, element: TEMPLATE, scripts: ["box.js"], wasm: true }, async (origin) => {
    const { page, problems, close } = await openPage(browser, `${origin}/shop/1.html`, options);
    /** @type {string[]} */
    const requests = [];
    page.on("request", (request) => { if (request.resourceType() === "image") requests.push(new URL(request.url()).pathname); });
    await check(page, requests);
    assert.deepEqual(problems, []);
    await close();
  });
}

/** Searches in the box, and waits for the results. @param {Page} page @param {string} words */
async function search(page, words) {
  await page.locator("pagekin-box [part~=field]").fill(words);
  await page.locator("pagekin-box [part~=thumbnail]").first().waitFor();
}

/** The result that is a product. @param {Page} page @param {number} n */
const itemOf = (page, n) => page.locator(`pagekin-box [part~=item]:has(> [href^="/shop/${n}.html"])`);

/** @param {string} command @param {string[]} args */
async function native(command, ...args) {
  const { stdout } = await promisify(execFile)(PAGEKIN, [command, folder, "--json", ...args]);
  return JSON.parse(stdout);
}

/** @param {{results: {url: string, meta: object}[]}} answer */
const metas = ({ results }) => results.map(({ url, meta }) => [url, meta]);

test("results of the API have the metadata of the command line", async () => {
  await withBox(async (page) => {
    const [words, text, listed] = await page.evaluate(async () => {
      const script = "/pagekin/pagekin.js";
      const kin = await (await import(script)).open("/pagekin/");
      const answers = [await kin.search("stoneware teapot"), await kin.similar("thrown by hand and glazed in celadon"), await kin.search(null, { filters: { not: { color: "red" } }, limit: 256 })];
      kin.close();
      return answers;
    });
    assert.deepEqual(metas(words), metas(await native("search", "stoneware", "teapot")));
    assert.deepEqual(metas(text), metas(await similar(folder, ["-"], "thrown by hand and glazed in celadon")));
    const [, meta] = metas(listed).find(([url]) => url === "/shop/13.html") ?? [];
    assert.deepEqual(meta, { image: "../img/1.svg", image_alt: "A kettle in cobalt", maker: "Potter 6", price: "25 €" });
    assert.equal(listed.results.find((/** @type {{url: string}} */ { url }) => url === "/shop/7.html")?.meta.price, HOSTILE);
  });
});

test("the box shows thumbnails and a filled template, in light and dark, at two widths", async () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    for (const options of [{ viewport: { width: 1280, height: 900 } }, { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }]) {
      await withBox(async (page) => {
        await page.evaluate(() => { document.documentElement.style.cssText = "color-scheme:light dark;background:Canvas;font-family:sans-serif"; });
        await search(page, "ash teapot");
        const item = itemOf(page, 4);
        const image = item.locator("img");
        await page.locator("pagekin-box [part~=excerpt]").first().waitFor();
        assert.equal(await image.getAttribute("alt"), "A teapot in ash");
        assert.equal(await image.getAttribute("loading"), "lazy");
        assert.equal(new URL(await image.evaluate((/** @type {HTMLImageElement} */ img) => img.src)).pathname, "/img/4.svg");
        assert.equal((await item.locator("[part~=meta]").innerText()).trim(), "16 € by Potter 4");
        assert.equal((await itemOf(page, 24).locator("[part~=meta]").innerText()).trim(), "36 €", "without the maker");
        const [wide, high] = await image.evaluate((img) => [img.clientWidth, img.clientHeight]);
        assert.ok(wide === high && wide >= 48, `${wide} by ${high}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await complaints(page, "pagekin-box"), []);
        if (process.env.SCREENSHOTS) await page.locator("pagekin-box").screenshot({ path: `${process.env.SCREENSHOTS}/thumbnails-${options.viewport.width}-${colorScheme}.png` });
      }, { ...options, colorScheme });
    }
  }
});

test("an event hands over each drawn result", async () => {
  await withBox(async (page) => {
    await page.evaluate(() => addEventListener("pagekin-result", (event) => {
      const { element, url, meta } = /** @type {CustomEvent} */ (event).detail;
      element.querySelector("[part~=title]").append(` (${url}, ${meta.price})`);
    }));
    await search(page, "ash teapot");
    assert.equal(await itemOf(page, 4).locator("[part~=title]").innerText(), "ash teapot no. 4 (/shop/4.html, 16 €)");
    const titles = await page.locator("pagekin-box [part~=title]").allInnerTexts();
    assert.ok(titles.every((title) => /\(\/shop\/\d+\.html, .+\)$/s.test(title)), `${titles}`);
  });
});

test("nothing moves when thumbnails arrive, and those out of view are not fetched", async () => {
  await withBox(async (page, requests) => {
    // Without passages, which have tests of their own.
    await page.evaluate(() => document.querySelector("pagekin-box")?.setAttribute("excerpts", "0"));
    /** @type {(value?: undefined) => void} */
    let go = () => {};
    const delay = new Promise((resolve) => { go = resolve; });
    await page.route("**/img/*", async (route) => {
      await delay;
      await route.continue();
    });
    await search(page, "stoneware");
    const places = () => page.locator("pagekin-box [part~=item]").evaluateAll((items) => items.map((item) => [item.clientHeight, item.querySelector("[part~=thumbnail]")?.clientHeight]));
    const before = await places();
    go();
    await page.waitForFunction(() => [...document.querySelectorAll("pagekin-box img")].some((img) => /** @type {HTMLImageElement} */ (img).complete));
    assert.deepEqual(await places(), before);
    assert.ok(requests.every((name) => name.startsWith("/img/")), `${requests}`);
  });
});

test("values are never HTML, and an image is never a script", async () => {
  await withBox(async (page) => {
    await search(page, "no. 7 jug");
    const seven = itemOf(page, 7);
    assert.equal(await seven.locator("[data-meta=price]").textContent(), HOSTILE);
    assert.equal(await seven.locator("[part~=meta] img").count(), 0);
    await page.locator("pagekin-box [part~=field]").fill("cobalt teapot no. 8");
    const eight = itemOf(page, 8);
    await eight.waitFor();
    assert.equal(await eight.locator("img").count(), 0);
    assert.notEqual(await page.title(), "run");
    // A template without any value is not shown, and the template stays in the box.
    assert.equal(await page.locator("pagekin-box > template").count(), 1);
  });
});
