// @ts-check
/**
 * The guide for plain HTML: the code that it shows, pasted into pages, and a default build, with a
 * web server, opened from disk, and without JavaScript.
 *
 * @import {Browser, BrowserContextOptions, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, onHost, openPage, PAGEKIN, serve, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const GUIDE = fileURLToPath(new URL("../../crates/pagekin/docs/generators/html.md", import.meta.url));
const PAGE = "kitchen/bread/sourdough.html";
/** The texts that the guide's code shows without JavaScript. */
const OF_BOX = "Search needs JavaScript and a web server, such as pagekin serve.";
const OF_LIST = "Related pages need JavaScript and a web server, such as pagekin serve.";
/** The text that an element shows if its script runs on a page from disk. */
const ON_DISK = "This needs a web server. To try it on this computer, run pagekin serve.";

/** @type {Browser} */
let browser;
/** A copy of the teaching site with the code of the guide. @type {string} */
let site;
/** The HTML of the guide. @type {string} */
let lines;

/** A piece of the guide by its language. @param {string} guide @param {string} language */
const piece = (guide, language) => guide.split(`\`\`\`${language}\n`)[1].split("```")[0];

before(async () => {
  browser = await launch();
  const guide = await readFile(GUIDE, "utf8");
  lines = piece(guide, "html");
  site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const files = (await readdir(site, { recursive: true })).filter((file) => file.endsWith(".html"));
  for (const name of files) {
    const file = path.join(site, name);
    await writeFile(file, `${await readFile(file, "utf8")}<link rel="stylesheet" href="/style.css">${lines}`);
  }
  await writeFile(path.join(site, "style.css"), piece(guide, "css"));
  const [command, argument] = piece(guide, "sh").trim().split(" ").slice(1);
  assert.deepEqual([command, argument], ["build", "site"]);
  const { stderr } = await promisify(execFile)(PAGEKIN, [command, site]);
  assert.ok(!stderr.includes("warning"), stderr);
});
after(() => browser?.close());

/** Code with relative URLs, because from disk, root-relative URLs lead elsewhere. */
const relative = () => lines.replaceAll('"/pagekin/', '"pagekin/');

/** Writes a page next to the index and opens it from disk. @param {Browser} browser @param {string} html @param {BrowserContextOptions} [options] */
async function fromDisk(browser, html, options) {
  const folder = path.join(await temporaryFolder(), "disk");
  await mkdir(folder);
  await cp(path.join(site, "pagekin"), path.join(folder, "pagekin"), { recursive: true });
  await cp(path.join(site, "style.css"), path.join(folder, "style.css"));
  const file = path.join(folder, "page.html");
  await writeFile(file, `<!doctype html><html lang="en"><title>Rye</title><link rel="stylesheet" href="style.css"><main>Rye bread.</main>${html}`);
  return openPage(browser, pathToFileURL(file).href, options);
}

/** @param {Page} page @param {string} text */
const isSeen = (page, text) => page.getByText(text, { exact: true }).first().waitFor();

/** Saves a screenshot if requested. @param {Page} page @param {string} name */
async function picture(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${name}.png`) });
}

test("the code of the guide works with a default build", async () => {
  const served = await serve(path.join(site, "pagekin"), { site });
  try {
    const { page, problems, close } = await openPage(browser, `${served.origin}/${PAGE}`);
    await page.locator("pagekin-related a").first().waitFor();
    assert.equal(await page.locator("pagekin-related a").count(), 5);
    assert.equal(await page.getByText("pagekin serve").count(), 0, "the texts are gone");
    await page.getByRole("textbox", { name: "Search" }).fill("compost");
    await page.locator("pagekin-box [part~=item]").first().waitFor();
    assert.deepEqual(problems, []);
    await close();
  } finally {
    await served.stop();
  }
});

test("a page fetches only the scripts that it names", async () => {
  for (const script of ["box.js", "related.js"]) {
    const element = `<pagekin-${path.basename(script, ".js")}></pagekin-${path.basename(script, ".js")}>`;
    await onHost(path.join(site, "pagekin"), { scripts: [script], element, wasm: true }, async (origin) => {
      const { page, close } = await openPage(browser, "data:text/html,");
      /** @type {string[]} */
      const fetched = [];
      page.on("request", (request) => { if (request.url().includes("/pagekin/")) fetched.push(path.basename(request.url())); });
      await page.goto(`${origin}/${PAGE}`, { waitUntil: "networkidle" });
      assert.deepEqual(fetched.filter((name) => name.endsWith(".js")), [script]);
      assert.ok(!fetched.some((name) => name.endsWith(".json")), "no texts on an English page");
      await close();
    });
  }
});

test("a page that is opened from disk says that it needs a web server", async () => {
  // From disk, root-relative URLs lead nowhere, and the browser refuses the targets of relative
  // ones.
  for (const [name, html] of [["root", lines], ["relative", relative()]]) {
    const { page, close } = await fromDisk(browser, html);
    assert.equal(await page.locator("pagekin-box p").evaluate((text) => getComputedStyle(text).visibility), "hidden", "not yet");
    await isSeen(page, OF_BOX);
    await isSeen(page, OF_LIST);
    assert.equal(await page.evaluate(() => customElements.get("pagekin-box")), undefined, "the script is not run");
    await picture(page, `disk-${name}`);
    await close();
  }
});

test("visitors without JavaScript see the texts too", async () => {
  const served = await serve(path.join(site, "pagekin"), { site });
  try {
    const { page, close } = await openPage(browser, `${served.origin}/${PAGE}`, { javaScriptEnabled: false });
    await isSeen(page, OF_BOX);
    await isSeen(page, OF_LIST);
    await picture(page, "without-javascript");
    await close();
  } finally {
    await served.stop();
  }
});

test("elements whose scripts run on a page from disk show a remedy", async () => {
  // As in a bundle, or if the visitor's settings allow it.
  const allowing = await launch("--allow-file-access-from-files");
  try {
    for (const html of [relative(), relative().replaceAll(/<p>.*?<\/p>/g, "")]) {
      const { page, close } = await fromDisk(allowing, html);
      const [box, list] = ["box", "related"].map((name) => page.locator(`pagekin-${name}[data-state=error]`).getByText(ON_DISK, { exact: true }));
      await box.waitFor();
      await list.waitFor();
      await page.getByRole("textbox", { name: "Search" }).fill("compost");
      await page.waitForFunction(() => document.querySelector("pagekin-box")?.getAttribute("data-state") === "error");
      await box.waitFor();
      await picture(page, "disk-with-scripts");
      await close();
    }
    const { page, close } = await fromDisk(allowing, relative().replace("<p>Related", '<a href="all.html">All pages</a><p>Related'));
    await page.locator("pagekin-related[data-state=error]").getByRole("link", { name: "All pages" }).waitFor();
    await close();
  } finally {
    await allowing.close();
  }
});
