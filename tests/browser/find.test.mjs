// @ts-check
/**
 * Finding pages of the site by words of their titles or headings: the box, its list, and the
 * client.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answerOtherwise, Demo, hold, launch, openKin, openPage, serve, teachingFolder, TEACHING_SITE } from "./harness.mjs";

const JAM = "/kitchen/preserves/plum-jam.html";
const TITLE = "Plum jam";
const PAGE = "Or a page of this site";
const SHARD = /\.shard$/;

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

/**
 * Runs a check on the demo, and checks that nothing else went wrong.
 *
 * @param {(demo: Demo, box: import("playwright-core").Locator, page: import("playwright-core").Page) => Promise<unknown>} check
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function onDemo(check, options) {
  const { page, problems, close } = await openPage(browser, served.url, options);
  try {
    const demo = new Demo(page);
    await demo.ready();
    await check(demo, page.getByRole("combobox", { name: PAGE }), page);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

/**
 * The state of the box for screen readers.
 *
 * @param {import("playwright-core").Locator} box
 */
const stateOf = (box) => box.evaluate((box) => ({
  expanded: box.ariaExpanded,
  active: document.getElementById(box.getAttribute("aria-activedescendant") ?? "")?.firstChild?.textContent,
  selected: [...document.querySelectorAll("[role=option][aria-selected=true]")].map((option) => option.firstChild?.textContent),
}));

test("pages are suggested while the visitor types, and chosen by keyboard", () => onDemo(async (demo, box, page) => {
  assert.deepEqual(await stateOf(box), { expanded: "false", active: undefined, selected: [] });
  await box.pressSequentially("plum jam");
  const list = page.getByRole("listbox", { name: "Pages of this site" });
  await list.getByRole("option", { name: TITLE }).waitFor();
  assert.deepEqual(await stateOf(box), { expanded: "true", active: undefined, selected: [] }, "nothing is selected at first");
  assert.match((await page.locator("#page-note").textContent()) ?? "", /^\d+ pages? found\.$/);

  await box.press("ArrowDown");
  assert.deepEqual(await stateOf(box), { expanded: "true", active: TITLE, selected: [TITLE] });
  await box.press("ArrowUp");
  assert.deepEqual(await stateOf(box), { expanded: "true", active: undefined, selected: [] });
  await box.press("ArrowUp");
  await box.press("Escape");
  assert.deepEqual(await stateOf(box), { expanded: "false", active: undefined, selected: [] });
  assert.equal(await box.inputValue(), "plum jam");
  await box.press("ArrowDown");
  await box.press("Enter");
  await demo.answerFor(TITLE);
  assert.equal(page.url(), `${served.url}#url=${JAM}`);
  assert.equal((await stateOf(box)).expanded, "false");
}));

for (const hasTouch of [false, true]) {
  test(`a suggestion is chosen ${hasTouch ? "with a finger" : "with a mouse"}`, () => onDemo(async (demo, box, page) => {
    await box.fill("jam plum");
    const option = page.getByRole("option", { name: TITLE });
    await (hasTouch ? option.tap() : option.click());
    await demo.answerFor(TITLE);
    assert.equal(await page.getByRole("listbox").count(), 0);
  }, hasTouch ? { hasTouch, isMobile: true, viewport: { width: 360, height: 640 } } : {}));
}

test("the whole list is visible", () => onDemo(async (_, box, page) => {
  for (const [width, height] of [[1280, 800], [1280, 640], [360, 640]]) {
    await page.setViewportSize({ width, height });
    await box.fill("soup");
    await page.getByRole("option").nth(2).waitFor({ state: "attached" });
    await box.press("ArrowUp");
    const last = await page.getByRole("option", { selected: true }).boundingBox();
    assert.ok(last && last.y >= 0 && last.y + last.height <= height + 1, `${width} x ${height}: ${JSON.stringify(last)}`);
    await box.fill("");
  }
}));

test("the list closes when the focus leaves, and no page is suggested for a URL", () => onDemo(async (_, box, page) => {
  await box.fill("jam");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal((await stateOf(box)).expanded, "false");
  const { requested } = await answerOtherwise(page.context(), SHARD, (route) => route.continue());
  for (const address of ["/kitchen/", "https://example.org/jam", "kitchen/preserves/plum-jam.html"]) {
    await box.fill(address);
    await page.waitForTimeout(400); // longer than its delay after the last key
    assert.equal((await stateOf(box)).expanded, "false", address);
  }
  assert.deepEqual(requested, []);
}));

test("words that no title contains get a note, and nothing else happens", () => onDemo(async (demo, box, page) => {
  await box.fill("quantum chromodynamics");
  await page.getByText("No page contains these words.").waitFor();
  assert.equal((await stateOf(box)).expanded, "false");
  await box.press("Enter");
  await page.getByText("No page contains these words.").waitFor();
  assert.equal(await demo.trouble.innerText(), "");
  assert.equal(page.url(), served.url);
}));

test("a pending search for a page is canceled by a text", () => onDemo(async (demo, box, page) => {
  const shards = await hold(page.context(), SHARD);
  await box.fill("plum jam");
  await box.press("Enter");
  await page.getByText("Searching for the page…").waitFor();
  await shards.waiting(1);
  await demo.text.fill("Feed the sourdough starter the evening before baking.");
  await shards.end();
  await demo.answerFor("your text");
  assert.equal(await box.inputValue(), "");
  assert.equal(await page.locator("#page-note").innerText(), "");
  assert.equal(page.url(), served.url);
}));

test("an error in a search for a page is shown, and can be retried", async () => {
  const { page, close } = await openPage(browser, served.url);
  const demo = new Demo(page);
  await demo.ready();
  const { restore } = await answerOtherwise(page.context(), SHARD, (route) => route.fulfill({ status: 503, body: "" }));
  const box = page.getByRole("combobox", { name: PAGE });
  await box.fill("plum jam");
  await box.press("Enter");
  await demo.failure("Server error", "plum jam");
  await restore();
  await demo.trouble.getByRole("button", { name: "Try again" }).click();
  await demo.answerFor(TITLE);
  await close();
});

for (const worker of [true, false]) {
  test(`the client finds pages by typed words, ${worker ? "in a worker" : "without a worker"}, and can be aborted`, async () => {
    const { page, problems, close } = await openPage(browser, served.url);
    const kin = await openKin(page, served.url, { worker });
    const shards = await hold(page.context(), SHARD);
    const outcome = await kin.evaluateHandle((kin) => {
      const controller = new AbortController();
      const ended = kin.search("plum jam", { signal: controller.signal }).then(() => "found", ({ name }) => name);
      return { ended, abort: () => controller.abort() };
    });
    await shards.waiting(1);
    const aborted = await outcome.evaluate((outcome) => {
      outcome.abort();
      return outcome.ended;
    });
    assert.equal(aborted, "AbortError");
    await shards.end();
    const found = await kin.evaluate(async (kin) => {
      const { results, cost } = await kin.search("plum jam", { limit: 2 });
      return { results, cost, none: (await kin.search("chromodynamics")).results, refused: await kin.search("jam", { limit: 0 }).catch(String) };
    });
    assert.deepEqual([found.results[0].url, found.results[0].title], [JAM, TITLE]);
    assert.ok(found.results.length <= 2);
    assert.ok(found.cost.bytes > 0 && found.cost.requests > 0 && found.cost.milliseconds > 0);
    assert.deepEqual(found.none, []);
    assert.match(String(found.refused), /^RangeError: limit/);
    assert.deepEqual(problems, []);
    await close();
  });
}
