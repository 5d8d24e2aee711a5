// @ts-check
/** What a text shares with the pages found: the badge, and the comparison. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { answerOtherwise, copied, Demo, launch, openKin, openPage, serve, teachingFolder, TEACHING_SITE } from "./harness.mjs";

const SOURDOUGH = "/kitchen/bread/sourdough.html";
const MIRROR = "/archive/mirror/sourdough.html";
const RYE = "/kitchen/bread/rye-loaf.html";
/** Quotes about half of the page about rye, and adds as much other text. */
const LETTER = "/archive/letters/slow-oven.html";

const SHOW = /^Side by side/;

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
 * Runs a check on the demo, and checks that nothing else went wrong: no request goes elsewhere, and
 * no policy is violated.
 *
 * @param {(demo: Demo, page: import("playwright-core").Page) => Promise<unknown>} check
 */
async function onDemo(check) {
  const { page, problems, close } = await openPage(browser, served.url);
  try {
    await check(new Demo(page), page);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

/**
 * Returns the result with a URL.
 *
 * @param {Demo} demo
 * @param {string} url
 */
const result = (demo, url) => demo.results.filter({ has: demo.page.getByText(url, { exact: true }) });

/** @param {string} url */
const read = (url) => readFile(path.join(TEACHING_SITE, url), "utf8");

test("a pasted page is called a copy and shown once, with its mirror, and no other page is called one", () => onDemo(async (demo, page) => {
  await demo.paste(await read(SOURDOUGH));
  assert.match(await result(demo, SOURDOUGH).locator(".near").innerText(), /^Copy /);
  assert.equal(await page.locator(".near").count(), 1);
  assert.deepEqual(await result(demo, SOURDOUGH).locator(".copies a").allInnerTexts(), [MIRROR], "its mirror is not a separate result");
}));

test("the text of a page is called a near-duplicate or a copy", () => onDemo(async (demo, page) => {
  await demo.paste(await copied(page, SOURDOUGH));
  assert.match(await result(demo, SOURDOUGH).locator(".near").innerText(), /^(Copy|Near-duplicate) [^]*\d+% of your text is on this page/);
}));

test("a text that quotes half of a page is labeled so, and the passages are marked in both and linked to each other", () => onDemo(async (demo, page) => {
  await demo.paste(await read(LETTER));
  const rye = result(demo, RYE);
  assert.match(await rye.locator(".near").innerText(), /^Shares passages Resemblance [^]*\d+% of this page is in your text\.$/);
  await rye.getByRole("button", { name: SHOW }).click();
  const dialog = page.getByRole("dialog");
  const [text, theirs] = [dialog.getByRole("region", { name: /^Your text/ }), dialog.getByRole("region", { name: /^The page/ })];
  await text.waitFor();
  const marked = await Promise.all([text, theirs].map((side) => side.locator("mark").allInnerTexts()));
  assert.ok(marked.every((passages) => passages.length > 0 && passages.every((passage) => passage.split(/\s+/).length >= 10)), JSON.stringify(marked));
  const words = (/** @type {string[]} */ passages) => passages.join(" ").toLowerCase().split(/\W+/).filter(Boolean).length;
  assert.ok(Math.abs(words(marked[0]) - words(marked[1])) <= 0.1 * words(marked[1]), JSON.stringify(marked));
  assert.match(await dialog.getByRole("status").innerText(), /^\d+ shared passages?: resemblance \d+%/);

  // From the last mark of one text to its counterpart with the same words, and back.
  const wordsOf = (/** @type {import("playwright-core").Locator} */ mark) => mark.innerText().then((words) => words.toLowerCase().split(/\W+/).slice(0, 8));
  const last = text.locator("mark").last();
  const begun = await wordsOf(last);
  await last.click();
  assert.deepEqual(await wordsOf(theirs.locator("mark:focus")), begun);
  await page.keyboard.press("Enter");
  assert.deepEqual(await wordsOf(text.locator("mark:focus")), begun);
  const count = await text.locator("mark").count();
  for (let mark = 1; mark < count; mark += 1) await page.keyboard.press("ArrowLeft");
  assert.deepEqual(await wordsOf(text.locator("mark:focus")), await wordsOf(text.locator("mark").first()));
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /^Side by side: /, "the focus is back");
}));

test("if no passage is shared, shared words are marked in both and linked to each other", () => onDemo(async (demo, page) => {
  await demo.paste("How wet may the worms in the bin be?");
  await demo.results.first().getByRole("button", { name: SHOW }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("No run of ten words is shared. Shared words are marked.").waitFor();
  const [text, theirs] = [dialog.getByRole("region", { name: /^Your text/ }), dialog.getByRole("region", { name: /^The page/ })];
  assert.ok((await text.locator("mark").allInnerTexts()).includes("worms"));
  await text.locator("mark", { hasText: "worms" }).click();
  assert.match(await theirs.locator("mark:focus").innerText(), /^worms?$/i);
  await page.keyboard.press("Enter");
  assert.equal(await text.locator("mark:focus").innerText(), "worms");
}));

for (const [width, height, sideBySide] of /** @type {const} */ ([[1280, 800, true], [390, 844, false]])) {
  test(`the two are ${sideBySide ? "next to each other" : "stacked"} on a screen ${width} wide`, () => onDemo(async (demo, page) => {
    await page.setViewportSize({ width, height });
    await demo.paste(await read(LETTER));
    await result(demo, RYE).getByRole("button", { name: SHOW }).click();
    await page.locator("dialog mark").first().waitFor();
    const [one, other] = await page.locator("dialog section").evaluateAll((sections) => sections.map((section) => section.getBoundingClientRect().toJSON()));
    assert.equal(other.left >= one.right, sideBySide);
    assert.equal(other.top >= one.bottom, !sideBySide);
    assert.ok(other.bottom <= height && other.right <= width);
  }));
}

test("the copy of a page of the site is shown next to it", () => onDemo(async (demo, page) => {
  await page.goto(`${served.url}#url=${LETTER}`);
  await demo.answer();
  const rye = result(demo, RYE);
  assert.match(await rye.locator(".near").innerText(), /^Shares passages /);
  await rye.getByRole("button", { name: SHOW }).click();
  await page.getByRole("dialog").getByRole("region", { name: /^The selected page/ }).locator("mark").first().waitFor();
}));

test("a page that cannot be fetched is reported, and can be retried", async () => {
  const { page, close } = await openPage(browser, served.url);
  const demo = new Demo(page);
  // Before the text is pasted, because the pages of results in view are fetched.
  const { restore } = await answerOtherwise(page.context(), /rye-loaf/, (route) => route.fulfill({ status: 404, body: "" }));
  await demo.paste(await read(LETTER));
  const show = result(demo, RYE).getByRole("button", { name: SHOW });
  await show.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Expected the page at .*rye-loaf\.html, found HTTP status 404; /).waitFor();
  await restore();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.locator("mark").first().waitFor();
  await close();
});

test("HTML with event handlers, styles and a base is read correctly, and the console stays silent", async () => {
  const { page, problems, close } = await openPage(browser, served.url);
  const kin = await openKin(page, served.url, { worker: true });
  const found = await kin.evaluate((kin) => {
    const passage = "set on = 3 and style = bold to feed the starter at night";
    const html = `<!DOCTYPE html><head><base href="/x/"><style>p { color: red }</style></head><body onload="go()"><base-note>Kept.</base-note>
      <p style="color: red" class="a" onclick = 'go()'>${passage}.<svg onload="go()"><style>a {}</style></svg><img src="/none.png" onerror="go()"></p>`;
    return kin.compare(passage, { html });
  });
  assert.deepEqual(found.text, ["", "set on = 3 and style = bold to feed the starter at night", ""]);
  assert.deepEqual(found.page.map((piece) => piece.trim()), ["Kept.", "set on = 3 and style = bold to feed the starter at night", "."]);
  assert.deepEqual(problems, []);
  await close();
});

for (const worker of [true, false]) {
  test(`two texts are compared exactly ${worker ? "in a worker" : "without a worker"}`, async () => {
    const { page, problems, close } = await openPage(browser, served.url);
    const kin = await openKin(page, served.url, { worker });
    const passage = "feed the starter the evening before baking and let the dough rise";
    const found = await kin.evaluate((kin, passage) => kin.compare(`Mine, ‘${passage}’.`, { html: `<nav>Menu</nav><main>${passage}.</main>` }), passage);
    assert.deepEqual(found.text, ["Mine, ‘", passage, "’."]);
    assert.deepEqual(found.page.map((piece) => piece.trim()), ["", passage, "."]);
    assert.deepEqual([found.resemblance, found.textInPage, found.pageInText], [0.75, 0.75, 1]);
    const refused = await kin.evaluate((kin) => kin.compare("one", /** @type {any} */ ({ url: "/a" })).catch(String));
    assert.match(String(refused), /^TypeError: compare: expected texts/);
    assert.deepEqual(problems, []);
    await close();
  });
}
