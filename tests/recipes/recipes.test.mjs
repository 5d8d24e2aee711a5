// @ts-check
/**
 * Related pages on sites of generators, at the root of a host and below a path: the links are
 * shown, lead to pages, can be read in light and dark, and follow the navigation of sites that load
 * no documents. `cargo xtask recipes` makes the sites.
 *
 * @typedef {import("../browser/harness.mjs").Opened["page"]} Page
 * @typedef {{name: string, base: string, folder: string, page: string, port: number, script: boolean, single_page: boolean, box: boolean}} Site
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { complaints, launch, openPage, servePlainly } from "../browser/harness.mjs";

/** @type {Site[]} */
const sites = JSON.parse(await readFile(process.env.RECIPES ?? "", "utf8"));

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/**
 * @param {Site} site
 * @param {Parameters<typeof openPage>[2]} options
 * @param {(page: Page, problems: string[]) => Promise<void>} check
 */
async function onSite({ folder, page: start, port }, options, check) {
  const host = await servePlainly(folder, port);
  try {
    const { page, problems, close } = await openPage(browser, host.origin + start, options);
    await check(page, problems);
    await close();
  } finally {
    await host.stop();
  }
}

/**
 * The links, as they are shown.
 *
 * @param {Page} page
 * @param {string} where a selector
 */
async function linksIn(page, where) {
  await page.locator(where).first().scrollIntoViewIfNeeded();
  const links = page.locator(`${where} a`);
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((link) => ({ title: link.textContent ?? "", href: /** @type {HTMLAnchorElement} */ (link).href })));
}

/**
 * What axe finds in the list, but for the colour of links if it is that of the theme's own.
 *
 * @param {Page} page
 * @param {string} where
 */
async function complaintsOf(page, where) {
  const isOwn = await page.locator(where).first().evaluate((element) => {
    const own = document.createElement("a");
    own.href = "#";
    own.textContent = "a link";
    element.before(own);
    const colours = [own, element.querySelector("a")].map((link) => link && getComputedStyle(link).color);
    own.remove();
    return colours[0] === colours[1];
  });
  return (await complaints(page, where)).filter((complaint) => !(isOwn && complaint.startsWith("color-contrast: ")));
}

/**
 * Waits until the list is that of another page, or of the first again. It may be another element,
 * which wants to be seen.
 *
 * @param {Page} page
 * @param {string} where
 * @param {{href: string}[]} first its links
 * @param {boolean} again
 */
async function becomes(page, where, first, again) {
  await page.waitForFunction(([where, first, again]) => {
    document.querySelector(where)?.scrollIntoView();
    const shown = [...document.querySelectorAll(`${where} a`)].map((link) => /** @type {HTMLAnchorElement} */ (link).href);
    return shown.length > 0 && (String(shown) === first) === again && !shown.includes(location.href);
  }, /** @type {const} */ ([where, String(first.map(({ href }) => href)), again]));
}

/**
 * @param {Page} page
 * @param {{title: string, href: string}[]} links
 * @param {Site} site
 */
async function leadToPages(page, links, { base }) {
  assert.ok(links.length >= 3, `expected three links or more, found ${JSON.stringify(links)}`);
  assert.equal(new Set(links.map(({ href }) => href)).size, links.length);
  for (const { title, href } of links) {
    assert.ok(new URL(href).pathname.startsWith(base), `expected a page below ${base}, found ${href}`);
    assert.notEqual(new URL(href).pathname, new URL(page.url()).pathname);
    const response = await page.request.get(href);
    assert.equal(response.status(), 200, href);
    assert.ok((await response.text()).includes(title), `expected ${title} at ${href}`);
  }
}

for (const site of sites) {
  const where = site.script ? "pagekin-related" : "nav[aria-labelledby=related]";
  const place = `${site.name}, at ${site.base}`;

  test(`${place}: a page has related ones`, async () => {
    await onSite(site, { javaScriptEnabled: site.script }, async (page, problems) => {
      await leadToPages(page, await linksIn(page, where), site);
      assert.deepEqual(problems, []);
    });
  });

  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    test(`${place}: the links are readable, ${colorScheme}, on a desktop and a phone`, async () => {
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 780 }]) {
        await onSite(site, { colorScheme, viewport, reducedMotion: "reduce" }, async (page) => {
          await linksIn(page, where);
          assert.deepEqual(await complaintsOf(page, where), []);
          const { right, width } = await page.locator(where).first().evaluate((element) => ({ right: element.getBoundingClientRect().right, width: innerWidth }));
          assert.ok(right <= width + 1, `expected the list within ${width} pixels, found ${right}`);
        });
      }
    });
  }

  if (site.box) {
    test(`${place}: the box finds pages`, async () => {
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 780 }]) {
        await onSite(site, { viewport }, async (page, problems) => {
          const box = page.locator("pagekin-box").first();
          await box.locator("button").first().click();
          await page.keyboard.type("names of colors are not allowed");
          await page.waitForFunction(() => /** @type {any} */ (document.querySelector("pagekin-box")).results.length > 0);
          const { right, width } = await box.locator("dialog").first().evaluate((element) => ({ right: element.getBoundingClientRect().right, width: innerWidth }));
          assert.ok(right <= width + 1, `expected the dialog within ${width} pixels, found ${right}`);
          assert.deepEqual(problems, []);
        });
      }
    });
  }

  if (site.single_page) {
    test(`${place}: the list follows a navigation without a load`, async () => {
      await onSite(site, {}, async (page, problems) => {
        const first = await linksIn(page, where);
        await page.evaluate(() => Object.assign(window, { stayed: true }));
        await page.locator(`${where} a`).first().click();
        await page.waitForURL(first[0].href);
        await becomes(page, where, first, false);
        assert.equal(await page.evaluate(() => "stayed" in window), true, "the document was loaded anew");
        await page.goBack();
        await becomes(page, where, first, true);
        assert.deepEqual(problems, []);
      });
    });
  }
}
