// @ts-check
/**
 * The service worker of `pagekin build --pages offline`: nothing is stored until requested. Then
 * queries work without the network, an update is stored completely or not at all, and everything
 * can be removed.
 *
 * @import {Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { cp, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { build, launch, openPage, rebuild, serve, teachingFolder, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const TEXT = "Feed a sourdough starter with rye flour in the evening, and bake in the morning.";
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;

before(async () => { browser = await launch(); });
after(() => browser?.close());

/**
 * A proxy between the browser and the host, because browsers that are set offline still let a
 * service worker send requests.
 *
 * @typedef {{down: boolean, indexFiles: number}} Network `indexFiles`: number of index files to answer before it fails
 */

/**
 * Runs a check on the demo of a copy of the teaching site.
 *
 * @param {(page: Page, network: Network, made: {folder: string, site: string, problems: string[]}) => Promise<unknown>} check
 * @param {string[]} options of the build
 */
async function onDemo(check, ...options) {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const folder = await build(site, "--pages", "offline", ...options);
  const served = await serve(folder, { site });
  /** @type {Network} */
  const network = { down: false, indexFiles: Infinity };
  const between = http.createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (url.startsWith("/pagekin/index/")) network.indexFiles -= 1;
    if (network.down || network.indexFiles < 0) return request.socket.destroy();
    http.get(`${served.origin}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).on("error", () => request.socket.destroy());
  });
  await new Promise((resolve) => between.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (between.address());
  const opened = await openPage(browser, `http://127.0.0.1:${port}/pagekin/`);
  try {
    await check(opened.page, network, { folder, site, problems: opened.problems });
  } finally {
    await opened.close();
    between.closeAllConnections();
    between.close();
    await served.stop();
  }
}

const keepButton = (/** @type {Page} */ page) => page.getByRole("button", { name: /^Keep this site offline/ });
const removeButton = (/** @type {Page} */ page) => page.getByRole("button", { name: "Remove offline copy" });

/** @param {Page} page */
async function keep(page) {
  await keepButton(page).click();
  await removeButton(page).waitFor();
}

/** @param {Page} page @param {string} text */
async function look(page, text) {
  await page.fill("#text", "");
  await page.waitForFunction(() => document.querySelector("#results li") === null);
  await page.fill("#text", text);
  await page.waitForSelector("#results li");
  return page.locator("#results h3").allTextContents();
}

/** The caches, with their number of files. @param {Page} page */
const caches = (page) => page.evaluate(async () => {
  /** @type {Record<string, number>} */
  const found = {};
  for (const name of await globalThis.caches.keys()) found[name.split(" ").at(-1) ?? ""] = (await (await globalThis.caches.open(name)).keys()).length;
  return found;
});

test("is not offered by other builds", async () => {
  const served = await serve(await teachingFolder());
  const opened = await openPage(browser, served.url);
  try {
    await look(opened.page, TEXT);
    assert.equal(await keepButton(opened.page).count(), 0);
    assert.equal((await opened.page.request.get(`${served.url}offline.js`)).status(), 404);
  } finally {
    await opened.close();
    await served.stop();
  }
});

test("stores nothing until requested, then answers without the network, until the copy is removed", async () => {
  await onDemo(async (page, network, { folder, problems }) => {
    await keepButton(page).waitFor();
    assert.match((await keepButton(page).textContent()) ?? "", /\(\d+ kB\)$/, "its size is shown before");
    assert.deepEqual(await caches(page), {});
    assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)), 0);
    const online = await look(page, TEXT);
    await keep(page);
    await page.evaluate(AXE);
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).axe.run(document).then((/** @type {any} */ found) => found.violations.map((/** @type {any} */ one) => one.id))), []);
    const { files } = JSON.parse(await readFile(path.join(folder, "offline.json"), "utf8"));
    assert.deepEqual(Object.values(await caches(page)), [files.length + 3], "all files, two folders and the list");
    // A page is previewed, so it is stored too.
    await page.reload();
    await look(page, TEXT);
    await page.waitForSelector("#results .excerpt");
    const excerpt = await page.textContent("#results .excerpt");
    assert.deepEqual(problems, []);

    network.down = true;
    await page.reload();
    assert.deepEqual(await look(page, TEXT), online);
    await page.waitForSelector("#results .excerpt");
    assert.equal(await page.textContent("#results .excerpt"), excerpt);
    await page.click("footer a");
    await page.waitForFunction(() => document.body?.dataset.state === "ready");
    await page.goBack();
    await removeButton(page).waitFor();

    network.down = false;
    await removeButton(page).click();
    await keepButton(page).waitFor();
    assert.deepEqual(await caches(page), {});
    assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)), 0);
  });
});

test("does not affect the rest of the site", async () => {
  await onDemo(async (page, network) => {
    await keep(page);
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/kitchen/bread/sourdough.html`);
    assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
    network.down = true;
    await assert.rejects(page.goto(`${origin}/kitchen/bread/`));
  });
});

test("an update replaces the copy only when it is complete", async () => {
  await onDemo(async (page, network, { folder, site }) => {
    await keep(page);
    const [before] = Object.keys(await caches(page));
    const text = "a bicycle chain in the sourdough oven beside the soup and the tulips";
    await writeFile(path.join(site, "new.html"), `<!doctype html><html lang=en><title>Marsupials</title><main><p>${`${text} `.repeat(9)}</p></main>`);
    // Hosts report modification times in seconds, so two builds within one second look identical.
    const manifest = path.join(folder, "pagekin.manifest");
    const { atime, mtime } = await stat(manifest);
    await rebuild(site, folder, "--pages", "offline");
    await utimes(manifest, atime, mtime);
    // It is interrupted in the middle.
    network.indexFiles = 2;
    await page.reload();
    await page.getByText("The earlier copy is still available").waitFor();
    const between = await caches(page);
    assert.ok(Object.keys(between).includes(before) && Object.keys(between).length === 2, JSON.stringify(between));
    network.indexFiles = Infinity;
    network.down = true;
    await page.reload();
    assert.ok((await look(page, TEXT)).length > 3, "the earlier generation answers");
    assert.ok(!(await look(page, text)).includes("Marsupials"));

    network.down = false;
    await page.reload();
    await page.getByText("Available offline: an index of 69 pages").waitFor();
    assert.ok(!Object.keys(await caches(page)).includes(before));
    network.down = true;
    await page.reload();
    assert.deepEqual((await look(page, text))[0], "Marsupials");
  });
});

test("a stopped download resumes", async () => {
  await onDemo(async (page, network) => {
    const url = page.url();
    network.indexFiles = 1;
    await keepButton(page).click();
    await page.getByText("The connection was lost").waitFor();
    network.down = true;
    assert.ok(await page.evaluate(() => fetch("./", { cache: "no-store" }).then(() => false, () => true)), "a partial index is not used");
    network.down = false;
    network.indexFiles = Infinity;
    await page.goto(url);
    await keep(page);
    network.down = true;
    await page.reload();
    assert.ok((await look(page, TEXT)).length > 3);
  });
});

test("too little space is reported, and partial files are removed", async () => {
  await onDemo(async (page) => {
    const { origin } = new URL(page.url());
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 100_000 });
    await keepButton(page).click();
    await page.getByText("There is not enough space").waitFor();
    assert.deepEqual(await caches(page), {});
    // Too little space is noticed late, during a write.
    await page.evaluate(() => { navigator.storage.estimate = async () => ({ quota: 1e9, usage: 0 }); });
    // The start may be visible only for a moment.
    const began = page.evaluate(() => new Promise((resolve) => {
      const look = () => document.body.textContent?.includes("Downloading the index") && resolve(undefined);
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    }));
    await keepButton(page).click();
    await began;
    await page.getByText("There is not enough space").waitFor();
    assert.deepEqual(await caches(page), {});
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    await keep(page);
  });
});

test("works with an index in packs", async () => {
  await onDemo(async (page, network) => {
    await keep(page);
    network.down = true;
    await page.reload();
    assert.ok((await look(page, TEXT)).length > 3);
  }, "--layout", "packs");
});
