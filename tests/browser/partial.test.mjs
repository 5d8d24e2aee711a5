// @ts-check
/**
 * Questions are looked up in several rounds. The box shows what it has, and keeps in place what the
 * visitor points at while the rest arrives.
 *
 * @import {Browser, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build, hold, launch, onHost, openPage, PATIENCE, serve, TEACHING_SITE } from "./harness.mjs";

const QUESTION = "what do I need to repair a flat tire on the road";
const SHARDS = /\/index\/.*\.shard$/;

/** @type {Browser} */
let browser;
/** @type {string} */
let folder;

before(async () => {
  folder = await build(TEACHING_SITE, "--components", "box", "--block-pages", "2");
  browser = await launch();
});
after(() => browser?.close());

const titles = (/** @type {Page} */ page) => page.locator("pagekin-box [part~=title]");
const urlsOf = async (/** @type {Page} */ page) => (await titles(page).evaluateAll((links) => links.map((link) => link.getAttribute("href")?.replace(/#.*/, "") ?? "")));

/**
 * Asks the question, and calls `point` while the shards of the last rounds are held back. Returns
 * the results at that time, which depend on how many rounds are over, and the final ones.
 *
 * @param {(page: Page) => Promise<void>} point
 */
async function asked(point) {
  /** @type {string[][]} */
  let [partial, final] = [[], []];
  await onHost(folder, { element: "<pagekin-box></pagekin-box>", scripts: ["box.js"], wasm: true }, async (origin) => {
    const { page, problems, close } = await openPage(browser, `${origin}/workshop/bicycle/chain.html`);
    const shards = await hold(page.context(), SHARDS);
    const loaded = page.evaluate(() => new Promise((done) => { document.querySelector("pagekin-box")?.addEventListener("pagekin-load", () => done(true), { once: true }); }));
    await page.getByRole("textbox", { name: "Search" }).fill(QUESTION);
    while (!(await titles(page).count())) {
      await shards.waiting(1);
      await shards.release();
      await page.waitForTimeout(300);
    }
    await shards.waiting(1);
    partial = await urlsOf(page);
    await point(page);
    await shards.end();
    await Promise.race([loaded, new Promise((_, fail) => { setTimeout(() => fail(new Error("no final answer")), PATIENCE); })]);
    final = await urlsOf(page);
    assert.deepEqual(problems, []);
    await close();
  });
  return { partial, final };
}

test("the box shows a partial answer, and what the visitor points at or has focused stays in its place", async () => {
  const { partial, final } = await asked(async () => {});
  // The first result that the last rounds replace.
  const at = partial.findIndex((url, at) => url !== final[at]);
  assert.ok(at >= 0, "the last rounds change the order");
  const withFocus = await asked(async (page) => { await titles(page).nth(at).focus(); });
  const withPointer = await asked(async (page) => {
    // Passages that arrive above a result move it away from the pointer.
    const isBelowPointer = () => titles(page).nth(at).evaluate((title) => title.matches(":hover"));
    do {
      await titles(page).nth(at).hover();
      await page.waitForTimeout(1_000);
    } while (!(await isBelowPointer()));
  });
  for (const { partial, final: kept } of [withFocus, withPointer]) {
    assert.deepEqual(kept.slice(0, at + 1), partial.slice(0, at + 1));
    const after = kept.slice(at + 1);
    assert.deepEqual(after.filter((url) => final.includes(url)), final.filter((url) => after.includes(url)), "the others follow in the order of the answer");
  }
});

test("partial answers are the same from a worker and from the page's thread, and cost less than the answer", async () => {
  const served = await serve(folder);
  const { page, problems, close } = await openPage(browser, served.url);
  const both = await page.evaluate(async (question) => {
    const { open } = await import(new URL("pagekin.js", location.href).href);
    const answers = [];
    for (const worker of [true, false]) {
      const kin = await open(new URL(".", location.href).href, { worker });
      /** @type {import("../../www/client/pagekin.js").Answer[]} */
      const partial = [];
      const answer = await kin.similar(question, { onPartial: (/** @type {import("../../www/client/pagekin.js").Answer} */ part) => partial.push(part) });
      kin.close();
      answers.push([...partial, answer].map(({ results, cost }) => ({ results, bytes: cost.bytes, rounds: cost.rounds })));
    }
    return answers;
  }, QUESTION);
  assert.deepEqual(both[0], both[1]);
  assert.ok(both[0].length > 1, "the question is read on");
  for (const [at, { bytes, rounds, results }] of both[0].entries()) {
    assert.ok(results.length > 0);
    assert.ok(at === 0 || (bytes > both[0][at - 1].bytes && rounds > both[0][at - 1].rounds));
  }
  assert.deepEqual(problems, []);
  await close();
  await served.stop();
});
