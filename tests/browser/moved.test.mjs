// @ts-check
/**
 * A site that is copied below other folders, such as a project page or the preview of a pull
 * request: links of results lead to its pages there, although the index was built for the root.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, onHost, openKin, openPage, rebuild, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const BELOW = "/previews/repo";
const BREAD = "/kitchen/bread/sourdough.html";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string} */
let site;

before(async () => {
  site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  await rebuild(site, path.join(site, "pagekin"), "--pages", "demo", "--components", "box,related");
  browser = await launch();
});
after(() => browser?.close());

/** @param {string} element @param {string} script @param {(page: import("playwright-core").Page, origin: string) => Promise<void>} check */
async function onCopy(element, script, check) {
  await onHost(path.join(site, "pagekin"), { site, below: BELOW, element, scripts: [script], wasm: true }, async (origin) => {
    const { page, problems, close } = await openPage(browser, `${origin}${BELOW}/workshop/bicycle/chain.html`, { viewport: { width: 1200, height: 900 } });
    await check(page, origin);
    assert.deepEqual(problems, []);
    await close();
  });
}

test("a result of the box is found, shown and opened where the site is now", () => onCopy("<pagekin-box form=compact shortcut=mod+k></pagekin-box>", "box.js", async (page) => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("sourdough loaf");
  const first = page.locator("pagekin-box [part~=item]").first();
  await first.locator("[part~=excerpt] mark").first().waitFor();
  assert.match((await first.locator("[part~=title]").getAttribute("href")) ?? "", new RegExp(`^${BELOW}${BREAD}#`));
  assert.match(await first.locator("[part~=crumbs]").innerText(), /^kitchen › bread › sourdough/);
  assert.match((await first.locator("[part~=copies] a").first().getAttribute("href")) ?? "", new RegExp(`^${BELOW}/archive/`));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === BELOW + BREAD);
  assert.match(await page.title(), /sourdough/i);
}));

test("related pages are found and linked where the site is now", () => onCopy("<pagekin-related loading=eager></pagekin-related>", "related.js", async (page) => {
  const links = page.locator("pagekin-related a");
  await links.first().waitFor();
  for (const link of await links.all()) assert.match((await link.getAttribute("href")) ?? "", new RegExp(`^${BELOW}/`));
  await links.first().click();
  await page.waitForURL((url) => url.pathname.startsWith(`${BELOW}/`) && !url.pathname.endsWith("chain.html"));
  assert.notEqual(await page.title(), "");
}));

test("the client returns and accepts URLs where the site is now, and those for which it was built", () => onCopy("", "box.js", async (page, origin) => {
  const kin = await openKin(page, `${origin}${BELOW}/pagekin/`);
  const found = await kin.evaluate(async (kin, [below, bread, origin]) => {
    const answers = await Promise.all([below + bread, bread, origin + below + bread].map((url) => kin.similar({ url })));
    const { results } = await kin.search("sourdough");
    return { lists: answers.map(({ results }) => results.map(({ url }) => url)), base: kin.info.baseUrl, searched: results[0].url, pages: (await kin.pages()).map(({ url }) => url), around: (await kin.around({ url: below + bread })).pages.map(({ url }) => url) };
  }, [BELOW, BREAD, origin]);
  assert.ok(found.lists[0].length > 2);
  assert.deepEqual(found.lists[1], found.lists[0]);
  assert.deepEqual(found.lists[2], found.lists[0]);
  assert.equal(found.base, `${BELOW}/`);
  for (const url of [...found.lists[0], found.searched, ...found.pages, ...found.around]) assert.ok(url.startsWith(`${BELOW}/`), url);
}));

test("a page may say where the pages are", () => onCopy(`<pagekin-box base="${BELOW}/pagekin/" base-url="/mirror" excerpts="0"></pagekin-box>`, "box.js", async (page, origin) => {
  const found = await page.evaluate(async (folder) => {
    const { open } = await import(`${folder}pagekin.js`);
    const kin = await open(folder, { baseUrl: "/mirror" });
    const [{ results: [first] }, similar] = await Promise.all([kin.search("sourdough"), kin.similar({ url: "/mirror/kitchen/bread/sourdough.html" })]);
    const refused = await open(folder, { base: "/" }).catch((/** @type {Error} */ error) => String(error));
    return { url: first.url, kin: similar.results.length, refused };
  }, `${origin}${BELOW}/pagekin/`);
  assert.equal(found.url, `/mirror${BREAD}`);
  assert.ok(found.kin > 2);
  assert.match(found.refused, /TypeError: open: unknown option "base"/);
  await page.locator("pagekin-box [part~=field]").fill("sourdough loaf");
  const link = page.locator("pagekin-box [part~=title]").first();
  assert.ok((await link.getAttribute("href"))?.startsWith(`/mirror${BREAD}`));
}));
