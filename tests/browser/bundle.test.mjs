// @ts-check
/**
 * The file of `pagekin build --offline-bundle`, opened from disk with the network off: its answers,
 * its pages, its links, and that it requests nothing.
 *
 * @import {BrowserContextOptions, Page} from "playwright-core"
 * @import {Opened} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build, copied, launch, openPage, serve, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const PAGES = ["lab/", ...["bag", "minhash", "lsh", "center", "copies", "lookup", "teach", "answers", "glossary"].map((name) => `lab/${name}.html`)];
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TEXT = "Feed a sourdough starter with rye flour in the evening, and bake in the morning.";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string} */
let folder;
/** @type {string} */
let file;

before(async () => {
  file = path.join(await temporaryFolder(), "stick.html");
  folder = await build(TEACHING_SITE, "--offline-bundle", file);
  browser = await launch();
});

after(() => browser?.close());

/**
 * Runs a check on the file with the network off, and checks that nothing went wrong and nothing was
 * requested.
 *
 * @param {string} behind the name of the file
 * @param {(page: Page, opened: Opened) => Promise<unknown>} check
 * @param {BrowserContextOptions & {at?: string}} [options]
 */
async function onFile(behind, check, { at = file, ...options } = {}) {
  const opened = await openPage(browser, `${pathToFileURL(at)}${behind}`, { offline: true, ...options });
  /** @type {string[]} */
  const requested = [];
  opened.page.context().on("request", (request) => requested.push(request.url()));
  try {
    await check(opened.page, opened);
    assert.deepEqual(requested.filter((url) => !/^(?:file|blob|data):/.test(url)), []);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

/** The content of the results. @param {Page} page */
const shown = (page) => page.locator("#results > li").evaluateAll((items) => items.map((item) => ({
  title: item.querySelector("h3")?.textContent,
  address: item.querySelector(".address span")?.textContent,
  score: item.querySelector(".score")?.textContent,
  words: item.querySelector(".words")?.textContent,
})));

/** @param {Page} page @param {string} text */
async function look(page, text) {
  await page.fill("#text", "");
  await page.waitForFunction(() => document.querySelector("#results li") === null);
  await page.fill("#text", text);
  await page.waitForSelector("#results .excerpt");
}

/** Returns what axe finds on a page. @param {Page} page */
async function complaints(page) {
  // Through the debugger, because the page's policy forbids it as a script.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ node) => node.target).join(" ")}`);
  });
}

/** @param {Page} page */
const ready = (page) => page.waitForFunction(() => {
  const said = document.getElementById("said"); // A page without figures has none.
  return document.body?.dataset.state === "ready" && (!said || said.textContent);
});

test("answers like the served demo", async () => {
  const served = await serve(folder, { site: TEACHING_SITE });
  const opened = await openPage(browser, served.url);
  try {
    const long = await copied(opened.page, "kitchen/bread/sourdough.html");
    for (const text of [TEXT, long, "Wie lange ruht der Teig?", "<main><p>rye flour and <b>water</b></p></main>"]) {
      await look(opened.page, text);
      const expected = [await shown(opened.page), await opened.page.textContent("#results .excerpt"), await opened.page.locator("#results .near").allTextContents()];
      assert.ok(expected[0] && expected[0].length > 0);
      await onFile("", async (page) => {
        await look(page, text);
        const found = [await shown(page), await page.textContent("#results .excerpt"), await page.locator("#results .near").allTextContents()];
        assert.deepEqual(found, expected);
      });
    }
  } finally {
    await opened.close();
    await served.stop();
  }
});

test("numbers equal those over HTTP exactly", async () => {
  const served = await serve(folder, { site: TEACHING_SITE });
  const opened = await openPage(browser, served.url);
  /** @param {Page} page what the engine's worker answered */
  const answers = async (page) => {
    await page.addInitScript(() => {
      const { Worker } = globalThis;
      const received = /** @type {any} */ (globalThis);
      received.received = [];
      globalThis.Worker = class extends Worker {
        /** @param {string | URL} url @param {WorkerOptions} [options] */
        constructor(url, options) {
          super(url, options);
          this.addEventListener("message", ({ data }) => { if (data.value?.results) received.received.push(data.value); });
        }
      };
    });
    await page.reload();
    await look(page, TEXT);
    return page.evaluate(() => JSON.stringify(/** @type {any} */ (globalThis).received.at(-1), (_, value) => (typeof value === "number" ? `${new Uint8Array(new Float64Array([value]).buffer)}` : value)));
  };
  try {
    const expected = await answers(opened.page);
    assert.ok(expected.length > 100);
    await onFile("", async (page) => assert.equal(await answers(page), expected));
  } finally {
    await opened.close();
    await served.stop();
  }
});

test("every page of the lab works, and links to the others", async () => {
  for (const options of [{}, PHONE]) {
    for (const name of PAGES) {
      await onFile(`?${name}`, async (page) => {
        await ready(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`);
      }, options);
    }
  }
  await onFile("", async (page) => {
    await page.click("footer a");
    await ready(page);
    await page.click("#steps a >> nth=1");
    await ready(page);
    assert.match(page.url(), /stick\.html\?lab\/minhash\.html/);
    assert.equal(await page.getAttribute("#steps [aria-current]", "href").then((href) => href?.split("#")[0]), "?lab/minhash.html");
    await page.selectOption("select[data-page=a]", { index: 3 });
    assert.match(page.url(), /#a=/);
    await page.click("#steps a >> nth=2");
    await ready(page);
    assert.match(page.url(), /\?lab\/lsh\.html#a=/, "the selected pages are preserved");
    await page.goBack();
    await ready(page);
    assert.match(page.url(), /minhash/);
    await page.click("footer a >> text=Find pages");
    await page.waitForSelector("#text");
  });
  await onFile("?lab/lookup.html", async (page) => {
    await ready(page);
    await page.click("#look");
    await page.waitForSelector("#found li");
  });
});

test("a page of slides shows a figure alone, from a file", async () => {
  const slides = path.join(path.dirname(file), "slides.html");
  await writeFile(slides, '<!doctype html><title>Slides</title><iframe width="800" height="600" src="stick.html?lab/lsh.html&amp;figure=curve#k=3&amp;l=125"></iframe>');
  await onFile("", async (page) => {
    const figure = page.frameLocator("iframe");
    await figure.locator("body[data-state=ready] .shown #curve").waitFor();
    assert.match((await figure.locator("#said").textContent()) ?? "", /^With k 3 and l 125, /);
    assert.equal(await figure.locator("h1:visible, header:visible, footer:visible").count(), 0);
  }, { at: slides });
  await onFile("?lab/minhash.html#n=10", async (page) => {
    await ready(page);
    const figure = page.locator('[data-figure="draws"]');
    await figure.getByText("Use this figure").click();
    assert.match((await figure.getByRole("link", { name: "This figure alone" }).getAttribute("href")) ?? "", /stick\.html\?lab\/minhash\.html&figure=draws#n=10$/);
  });
});

test("is accessible", async () => {
  for (const options of [{}, PHONE, { colorScheme: /** @type {const} */ ("dark") }]) {
    await onFile("", async (page) => {
      await look(page, TEXT);
      assert.deepEqual(await complaints(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }, options);
    await onFile("?lab/lsh.html", async (page) => {
      await ready(page);
      assert.deepEqual(await complaints(page), []);
    }, options);
  }
});

test("links lead to the site next to the file, or to its host", async () => {
  await onFile("", async (page) => {
    await look(page, TEXT);
    const { href } = new URL("kitchen/bread/sourdough.html", pathToFileURL(file));
    assert.ok((await page.locator("#results h3 a").evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""))).some((one) => one.startsWith(href)));
    await page.goto(`${pathToFileURL(file)}#url=/kitchen/bread/`);
    await page.waitForSelector("#results li");
  });
  const other = path.join(await temporaryFolder(), "site", "find.html");
  await build(TEACHING_SITE, "--offline-bundle", other, "--base-url", "https://example.org/docs/", "--clean-urls");
  await onFile("", async (page) => {
    await look(page, TEXT);
    assert.match((await page.getAttribute("#results h3 a", "href")) ?? "", /^https:\/\/example\.org\/docs\/(?!.*html)/);
  }, { at: other });
});

test("hostile pages are shown as text", async () => {
  const site = await temporaryFolder();
  const title = "</script><script>globalThis.bad = 1</script><img src=x onerror=bad=1>";
  const escaped = title.replaceAll("<", "&lt;");
  await mkdir(path.join(site, "a"));
  for (let number = 0; number < 5; number += 1) {
    await writeFile(path.join(site, "a", `</script><b>${number}'"&.html`.replaceAll("/", "∕")), `<!doctype html><title>${escaped} ${number}</title><main><p>kestrel meadow ${escaped} --> <!-- &lt;!--files--> ${"hover".repeat(number + 1)}</p></main>`);
  }
  const at = path.join(site, "find.html");
  await build(site, "--offline-bundle", at);
  await onFile("", async (page) => {
    await look(page, "kestrel meadow");
    assert.equal(await page.locator("#results li.result").count(), 5);
    assert.ok((await page.textContent("#results h3"))?.startsWith("</script><script>"));
    assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).bad), undefined);
    assert.equal(await page.locator("#results img, #results b").count(), 0);
  }, { at });
  // The file in the site's folder is not a page of it.
  await build(site, "--offline-bundle", at);
  await onFile("", async (page) => {
    await page.waitForFunction(() => document.getElementById("site")?.textContent?.includes("5 pages"));
  }, { at });
});

test("works with an index in packs, and without a worker", async () => {
  const at = path.join(await temporaryFolder(), "packs.html");
  await build(TEACHING_SITE, "--offline-bundle", at, "--layout", "packs");
  await onFile("", async (page) => {
    await look(page, TEXT);
    assert.ok((await shown(page)).length > 3);
    await page.addInitScript(() => { globalThis.Worker = /** @type {any} */ (undefined); });
    await page.reload();
    await look(page, TEXT);
    assert.ok((await shown(page)).length > 3);
  }, { at });
});
