// @ts-check
/** The passage of a page that contains a text, with its words marked, and the link to it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { answerOtherwise, copied, Demo, hold, launch, openKin, openPage, readExcerpt, serve, teachingFolder, TEACHING_SITE } from "./harness.mjs";

const JAM = "/kitchen/preserves/plum-jam.html";
const WORMS = "/garden/compost/worm-bin.html";
const PAGES = /\/(kitchen|garden|outdoors|de|archive)\/.*\.html$/;

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
 * The last long sentence of a page of the teaching site.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} url
 */
async function sentenceOf(page, url) {
  const sentences = (await copied(page, url)).trim().replace(/\s+/g, " ").split(/(?<=\.) /);
  const long = sentences.filter((sentence) => sentence.split(" ").length > 11);
  assert.ok(long.length > 0);
  return long[long.length - 1];
}

test("the passages of results in view are shown, with the words of the text marked, and no other page is fetched", () => onDemo(async (demo, page) => {
  const { requested } = await answerOtherwise(page.context(), PAGES, (route) => route.continue());
  const sentence = await sentenceOf(page, JAM);
  const [first] = await demo.paste(sentence);
  assert.equal(first?.url, JAM);
  const { text, marked, href } = await demo.excerpt();
  assert.ok(text.includes(sentence), `${text} has ${sentence}`);
  assert.ok(text.split(" ").length < 60, text);
  assert.ok(marked.length > 5 && marked.every((word) => sentence.toLowerCase().includes(word.toLowerCase().slice(0, 4))), JSON.stringify(marked));
  assert.ok(href.startsWith(`${served.origin}${JAM}#:~:text=`), href);
  const second = demo.results.nth(1).locator(".excerpt");
  await second.locator("mark").first().waitFor();
  const shown = (await demo.shown()).map(({ url }) => served.origin + url);
  assert.equal(requested[0], `${served.origin}${JAM}`);
  assert.ok(requested.length < shown.length && requested.every((url) => shown.includes(url)), requested.join());
}));

test("the link leads to the passage, which is visible", () => onDemo(async (demo, page) => {
  await page.setViewportSize({ width: 500, height: 300 });
  const sentence = await sentenceOf(page, JAM);
  await demo.paste(sentence);
  await demo.excerpt();
  await demo.results.first().getByRole("link").click();
  await page.waitForURL((url) => url.pathname === JAM);
  await page.waitForFunction(() => scrollY > 0);
  const seen = await page.evaluate((words) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = /** @type {Text} */ (walker.currentNode);
      if (!data.replace(/\s+/g, " ").includes(words)) continue;
      const { top, bottom } = /** @type {Element} */ (parentElement).getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    }
    return undefined;
  }, sentence.split(" ").slice(0, 4).join(" "));
  assert.equal(seen, true);
}));

test("if the visitor saves data, passages are shown on demand, and the focus goes to them", () => onDemo(async (demo, page) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
  await page.reload();
  const { requested } = await answerOtherwise(page.context(), PAGES, (route) => route.continue());
  await demo.paste(await copied(page, JAM));
  assert.deepEqual(requested, []);
  const second = demo.results.nth(1);
  const show = second.getByRole("button", { name: /^Show where your text is found in / });
  await show.press("Enter");
  await second.locator(".excerpt").waitFor();
  const { marked, href } = await readExcerpt(second);
  assert.ok(marked.length > 0);
  assert.match(href, /#:~:text=[^-&]+$/);
  assert.equal(await page.evaluate(() => document.activeElement?.className), "excerpt");
  assert.equal(await show.count(), 0);
}));

test("for a page of the site, the passage of a similar page with its words is shown", () => onDemo(async (demo, page) => {
  await page.goto(`${served.url}#url=${JAM}`);
  await demo.answer();
  const { marked } = await demo.excerpt();
  assert.ok(marked.length > 0);
}));

test("a page that cannot be fetched keeps its plain link, and the button reports why", async () => {
  const { page, problems, close } = await openPage(browser, served.url);
  const demo = new Demo(page);
  const { restore } = await answerOtherwise(page.context(), /plum-jam/, (route) => route.fulfill({ status: 404, body: "" }));
  await demo.paste(await copied(page, JAM));
  const first = demo.results.first();
  const show = first.getByRole("button", { name: /^Show where/ });
  await show.waitFor();
  assert.equal(await first.getByRole("link").getAttribute("href"), `${served.origin}${JAM}`);
  assert.equal(await demo.trouble.innerText(), "");
  await show.click();
  await first.getByText(/^Expected the page at .*plum-jam\.html, found HTTP status 404; /).waitFor();
  await restore();
  await show.click();
  await first.locator(".excerpt").waitFor();
  assert.ok(problems.every((problem) => problem.includes("404")), problems.join());
  await close();
});

test("a new query aborts fetches for the earlier one", () => onDemo(async (demo, page) => {
  const [jam, worms] = [await copied(page, JAM), await copied(page, WORMS)];
  const held = await hold(page.context(), /plum-jam/);
  await demo.paste(jam);
  await held.waiting(1);
  await Promise.all([
    page.context().waitForEvent("requestfailed", (request) => /plum-jam/.test(request.url())),
    demo.text.fill(worms),
  ]);
  await held.end();
  await page.waitForFunction((url) => document.querySelector(".address > span")?.textContent === url, WORMS);
  const { href } = await demo.excerpt();
  assert.ok(href.startsWith(`${served.origin}${WORMS}#:~:text=`), href);
}));

test("a page is fetched once for everything that is shown of it", () => onDemo(async (demo, page) => {
  const { requested } = await answerOtherwise(page.context(), PAGES, (route) => route.continue());
  await demo.paste(await copied(page, JAM));
  await demo.excerpt();
  const first = demo.results.first();
  await first.getByRole("button", { name: /^Side by side/ }).click();
  await page.locator("dialog mark").first().waitFor();
  assert.deepEqual(requested.filter((url) => url.endsWith(JAM)), [`${served.origin}${JAM}`]);
}));

for (const worker of [true, false]) {
  test(`the client returns the passage, ${worker ? "in a worker" : "without a worker"}, and fetches nothing of the index for it`, async () => {
    // Not in the demo, which fetches pages itself.
    const { page, problems, close } = await openPage(browser, `${served.origin}/garden/`);
    const kin = await openKin(page, served.url, { worker });
    const { requested } = await answerOtherwise(page.context(), /./, (route) => route.continue());
    const html = await readFile(path.join(TEACHING_SITE, JAM), "utf8");
    const found = await kin.evaluate(async (kin, html) => ({
      text: await kin.excerpt("well-known jam, with plums & sugar", "Nothing.\n\nBoil plums - the well-known, \"blue\" & sweet.\n\nNothing."),
      page: await kin.excerpt("plum jam", { html }),
      verbatim: await kin.excerpt("error: no such jar: 'x'", "It may say\nError: no such jar: 'y', or nothing."),
      section: await kin.excerpt("plum", { html: "<h2 id=rye>Bread</h2><p>Rye.</p><section id='a b'><h2>Jam</h2><p>Boil plums with sugar.</p></section><h2 id=c>Plums in winter</h2><p>None.</p>" }),
      none: await kin.excerpt("quantum chromodynamics", { html }),
      url: await kin.excerpt("one", /** @type {any} */ ({ url: "/a" })).catch(String),
      aborted: await kin.excerpt("plum", "plum", { signal: AbortSignal.abort() }).catch(({ name }) => name),
    }), html);
    assert.deepEqual(found.text, {
      pieces: ["Boil ", "plums", " - the ", "well", "-", "known", ', "blue" & sweet. Nothing.'],
      verbatim: false,
      terms: 3,
      inSentence: true,
      sections: [],
      fragment: "#:~:text=Boil%20plums%20%2D%20the%20well%2Dknown%2C%20%22blue%22%20%26%20sweet.",
    });
    assert.match(found.page?.fragment ?? "", /^#:~:text=/);
    assert.equal(found.verbatim?.verbatim, true);
    assert.deepEqual(found.section?.section, { heading: "Jam", fragment: "#a%20b" });
    assert.match(found.section?.fragment ?? "", /^#a%20b:~:text=/);
    assert.deepEqual(found.section?.sections, [{ heading: "Plums in winter", fragment: "#c" }]);
    assert.equal(found.none, undefined);
    assert.match(String(found.url), /^TypeError: excerpt: expected texts/);
    assert.equal(found.aborted, "AbortError");
    assert.deepEqual(requested.filter((url) => !/\/(engine\.js|pagekin(-rest)?\.wasm\.bin)$/.test(url)), [], "HTML is read on the page's thread");
    assert.deepEqual(problems, []);
    await close();
  });
}
