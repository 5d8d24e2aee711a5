// @ts-check
/** Pages that `pagekin build --serve --watch` serves reload when the site changes. */
import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { launch, openPage, PAGEKIN, startServer, TEACHING_SITE, temporaryFolder } from "./harness.mjs";

test("open pages reload when the site changes, and the demo keeps its text", async () => {
  const place = await temporaryFolder();
  const site = path.join(place, "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const served = await startServer(PAGEKIN, ["build", site, "-o", path.join(place, "out"), "--quiet", "--serve", "--watch"]);
  const browser = await launch();
  const file = path.join(site, "kitchen/bread/sourdough.html");
  const shown = await openPage(browser, `${served.origin}/kitchen/bread/sourdough.html`);
  const demo = await openPage(browser, served.url);
  try {
    await demo.page.fill("#text", "a sourdough loaf");
    await demo.page.waitForSelector("#results li");
    await demo.page.evaluate(() => { /** @type {any} */ (globalThis).earlier = true; });
    const html = await readFile(file, "utf8");
    await new Promise((resolve) => setTimeout(resolve, 1000)); // until it watches the folder
    await writeFile(file, html.replace(/<h1>[^<]*/, "<h1>A changed loaf"));
    await shown.page.getByRole("heading", { name: "A changed loaf" }).waitFor();
    await demo.page.waitForFunction(() => !(/** @type {any} */ (globalThis).earlier));
    await demo.page.waitForSelector("#results li");
    assert.equal(await demo.page.inputValue("#text"), "a sourdough loaf");
    assert.deepEqual([...shown.problems, ...demo.problems], []);
  } finally {
    await shown.close();
    await demo.close();
    await browser.close();
    await served.stop();
  }
});
