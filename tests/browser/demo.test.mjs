// @ts-check
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { copied, Demo, launch, openPage, serve, teachingFolder, TEACHING_SITE } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Awaited<ReturnType<typeof serve>>} */
let served;

before(async () => {
  served = await serve(await teachingFolder(), { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

test("a pasted page finds itself first, without errors or requests to other hosts", async () => {
  const { page, problems, close } = await openPage(browser, served.url);
  const demo = new Demo(page);
  for (const url of ["/outdoors/birds/nest-box.html", "/kitchen/soup/lentil.html", "/de/fahrrad/bremsen.html"]) {
    const results = await demo.paste(await copied(page, url));
    assert.equal(results[0]?.url, url, `the kin of ${url}: ${JSON.stringify(results)}`);
    assert.ok(results[0].words.length > 0, "the shared words are shown");
  }
  assert.deepEqual(problems, []);
  await close();
});

test("a result links to the page of the site that it names", async () => {
  const { page, problems, close } = await openPage(browser, served.url);
  const demo = new Demo(page);
  await demo.paste(await copied(page, "/garden/compost/worm-bin.html"));
  await demo.results.first().getByRole("link").click();
  // The URL may lead on to the passage.
  await page.waitForURL(({ origin, pathname }) => origin === served.origin && pathname === "/garden/compost/worm-bin.html");
  assert.deepEqual(problems, []);
  await close();
});
