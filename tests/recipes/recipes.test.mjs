// @ts-check
/**
 * Related pages and the box on sites of generators, at the root of a host and below a path: links
 * are shown, lead to pages, can be read in light and dark, and follow the navigation of sites that
 * load no documents. `cargo xtask recipes` makes the sites.
 *
 * @typedef {import("../browser/harness.mjs").Opened["page"]} Page
 * @typedef {import("./box.mjs").Site} Site
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { complaints, launch, openPage, servePlainly } from "../browser/harness.mjs";
import { openByButton, type } from "./box.mjs";

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
 * What axe finds in the list, but for the color of links if it is that of the theme's own.
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
    const colors = [own, element.querySelector("a")].map((link) => link && getComputedStyle(link).color);
    own.remove();
    return colors[0] === colors[1];
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
async function leadToPages(page, links, site) {
  assert.ok(links.length >= 3, `expected three links or more, found ${JSON.stringify(links)}`);
  assert.equal(new Set(links.map(({ href }) => href)).size, links.length);
  for (const { title, href } of links) {
    assert.notEqual(new URL(href).pathname, new URL(page.url()).pathname);
    await leadsTo(page, { title, href }, site);
  }
}

/**
 * @param {Page} page
 * @param {{title: string, href: string}} link
 * @param {Site} site
 */
async function leadsTo(page, { title, href }, { base }) {
  assert.ok(new URL(href).pathname.startsWith(base), `expected a page below ${base}, found ${href}`);
  const response = await page.request.get(href);
  assert.equal(response.status(), 200, href);
  assert.ok((await response.text()).includes(title), `expected ${title} at ${href}`);
}

/**
 * What of the box looks as its theme has it and not as the box has: themes reset buttons, fields
 * and marks.
 *
 * @param {Page} page
 */
function looksOwn(page) {
  return page.evaluate(() => {
    const style = (/** @type {string} */ part) => getComputedStyle(/** @type {Element} */ (document.querySelector(`pagekin-box dialog ${part}`)));
    const expected = /** @type {[boolean, string][]} */ ([
      [style("[part~=bar]").display === "flex", "the bar is none"],
      [parseFloat(style("[part~=bar]").borderTopWidth) > 0, "the bar has no border"],
      [style("[part~=field]").borderTopStyle === "none" || parseFloat(style("[part~=field]").borderTopWidth) === 0, "the field has a border"],
      [parseFloat(style("[part~=close]").minHeight) === 44, "the button that closes is small"],
      [parseFloat(style("[part~=field]").fontSize) >= 16, "a phone zooms in on the field"],
      [parseFloat(style("[part~=item]").paddingTop) > 4, "results touch"],
      [parseFloat(style("[part~=dialog], [part~=body]").fontSize) >= 16, "the text is small"],
    ]);
    return expected.filter(([holds]) => !holds).map(([, complaint]) => complaint);
  });
}

for (const site of sites) {
  const where = site.script ? "pagekin-related" : "nav[aria-labelledby$=related]";
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
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      test(`${place}: the box can be read, ${colorScheme}, on a desktop and a phone`, async () => {
        for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 780 }]) {
          await onSite(site, { colorScheme, viewport, reducedMotion: "reduce" }, async (page, problems) => {
            await openByButton(page, site);
            await type(page, "named colors");
            const { right, width } = await page.locator("pagekin-box dialog").evaluate((element) => ({ right: element.getBoundingClientRect().right, width: innerWidth }));
            assert.ok(right <= width + 1, `expected the dialog within ${width} pixels, found ${right}`);
            await page.locator("pagekin-box [part~=excerpt] mark").first().waitFor();
            assert.deepEqual(await complaints(page, "pagekin-box dialog"), []);
            assert.deepEqual(await looksOwn(page), []);
            assert.deepEqual(problems, []);
          });
        }
      });
    }

    test(`${place}: the box opens by Ctrl K, and Enter leads to the page that two words find`, async () => {
      await onSite(site, {}, async (page, problems) => {
        await page.waitForFunction(() => document.querySelector("pagekin-box dialog"));
        const start = page.url();
        await page.keyboard.press("Control+k");
        await type(page, "selector specificity");
        const [{ url, title }] = await page.evaluate(() => /** @type {any} */ (document.querySelector("pagekin-box")).results);
        assert.match(title, /specificity/);
        // Some themes turn pages by arrows.
        for (const key of ["ArrowDown", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
        assert.equal(page.url(), start);
        await page.keyboard.press("Enter");
        await page.waitForURL((now) => now.href !== start);
        assert.equal(page.url(), new URL(url, start).href);
        await leadsTo(page, { title, href: page.url() }, site);
        await page.getByRole("heading", { name: title, level: 1 }).waitFor();
        assert.equal(await page.locator("pagekin-box dialog[open]").count(), 0, "the box is still open");
        assert.deepEqual(problems, []);
      });
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
        assert.equal(await page.evaluate(() => "stayed" in window), true, "the document was reloaded");
        await page.goBack();
        await becomes(page, where, first, true);
        assert.deepEqual(problems, []);
      });
    });
  }
}
