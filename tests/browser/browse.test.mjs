// @ts-check
/**
 * The page of `pagekin build --pages browse`: topics open by mouse and keyboard, have URLs, and are
 * found by words.
 *
 * @import {Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { writeFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { answerOtherwise, build, complaints, launch, openPage, serve, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {{origin: string, stop: () => Promise<unknown>}} */
let served;
before(async () => {
  browser = await launch();
  served = await serve(await build(TEACHING_SITE, "--pages", "browse"), { site: TEACHING_SITE });
});
after(async () => {
  await browser?.close();
  await served?.stop();
});

const ready = (/** @type {Page} */ page) => page.waitForSelector("body[data-state=ready]");

/**
 * @param {(page: Page) => Promise<unknown>} check
 * @param {{hash?: string, options?: object, origin?: string}} [how]
 */
async function onPage(check, { hash = "", options = {}, origin = served.origin } = {}) {
  const opened = await openPage(browser, `${origin}/pagekin/browse.html${hash}`, options);
  try {
    await ready(opened.page);
    await check(opened.page);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

test("the demo links to it, and topics link to pages of the site", async () => {
  const opened = await openPage(browser, `${served.origin}/pagekin/`);
  const { page } = opened;
  await page.getByRole("link", { name: "Browse this site by topic" }).click();
  await ready(page);
  const bread = page.locator("#tree summary", { hasText: "sourdough" }).first();
  await bread.click();
  assert.match(decodeURIComponent(new URL(page.url()).hash), /sourdough/);
  await page.getByRole("link", { name: "Sourdough loaf" }).first().click();
  await page.waitForURL(/sourdough/);
  assert.match(await page.title(), /Sourdough/);
  assert.deepEqual(opened.problems, []);
  await opened.close();
});

test("works by keyboard alone", () => onPage(async (page) => {
  await page.focus("#words");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement?.localName);
  assert.equal(await focused(), "summary");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#tree details[open] li");
  await page.keyboard.press("Tab");
  assert.ok(["a", "summary"].includes((await focused()) ?? ""));
}));

test("a URL opens its topic, and a missing topic is reported", async () => {
  let hash = "";
  await onPage(async (page) => {
    await page.locator("#tree summary").nth(1).click();
    hash = new URL(page.url()).hash;
    await page.locator("#tree summary").nth(1).click();
    assert.equal(new URL(page.url()).hash, "", "closed again");
  });
  await onPage(async (page) => {
    assert.equal(await page.locator("#tree details[open]").count(), 1);
    assert.equal(await page.evaluate(() => document.activeElement?.parentElement?.hasAttribute("open")), true);
  }, { hash });
  await onPage(async (page) => {
    assert.match(await page.locator("#trouble").innerText(), /no longer exists/);
  }, { hash: "#nothing/at/all" });
});

test("words find topics and pages", () => onPage(async (page) => {
  await page.fill("#words", "sourdough");
  assert.match(await page.locator("#status").innerText(), /topics? and \d+ pages? found$/);
  assert.equal(await page.locator("#tree").isVisible(), false);
  assert.ok(await page.locator("#found a", { hasText: "Sourdough loaf" }).count() > 0);
  await page.locator("#found a[href^='#']").first().click();
  await page.waitForSelector("#tree details[open]");
  assert.equal(await page.inputValue("#words"), "");
  await page.fill("#words", "xylophone");
  assert.match(await page.locator("#status").innerText(), /^0 topics and 0 pages found/);
}));

test("is accessible, in light and dark, and fits on a phone", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await onPage(async (page) => {
      await page.locator("#tree summary").first().click();
      await page.waitForSelector("#tree details[open] li");
      assert.deepEqual(await complaints(page), []);
      await page.fill("#words", "rye");
      assert.deepEqual(await complaints(page), []);
      const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= seen, `${wide} of ${seen}`);
    }, { options: { colorScheme, viewport: { width: 360, height: 740 } } });
  }
});

test("topics of a large site are fetched when they are opened", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await mkdir(site);
  const word = (/** @type {number} */ n) => String(n).replace(/\d/g, (digit) => ["ba", "do", "fi", "gu", "lo", "me", "na", "pi", "ro", "tu"][Number(digit)]);
  await Promise.all(Array.from({ length: 420 }, (_, n) => writeFile(path.join(site, `p${n}.html`),
    `<!doctype html><title>Page ${n}</title><main>${Array.from({ length: 8 }, (_, more) => word(100 + n + more)).join(" ")}</main>`)));
  const large = await serve(await build(site, "--pages", "browse"), { site });
  try {
    const opened = await openPage(browser, `${large.origin}/pagekin/browse.html`);
    const { page } = opened;
    await ready(page);
    const { requested, restore } = await answerOtherwise(page.context(), /\/browse\/[0-9a-f]{8}\.json$/, (route) => route.abort());
    const first = page.locator("#tree summary").first();
    await first.click();
    await page.waitForSelector("#trouble p");
    assert.match(await page.locator("#trouble").innerText(), /browse\/[0-9a-f]{8}\.json, but the host does not answer/);
    assert.equal(requested.length, 1);
    await restore();
    await first.click();
    await page.waitForSelector("#tree details[open] li");
    await page.fill("#words", "page");
    assert.match(await page.locator("#status").innerText(), /in the titles of \d+ of 420 pages/);
    await page.getByRole("button", { name: /^Search all pages/ }).click();
    await page.waitForFunction(() => /420 pages found, showing the first 100$/.test(document.getElementById("status")?.textContent ?? ""));
    await opened.close();
  } finally {
    await large.stop();
  }
});
