// @ts-check
/**
 * The demo with a mouse, a keyboard, a phone or a screen reader, and the client's use of the
 * network.
 *
 * @import {BrowserContextOptions, Page} from "playwright-core"
 * @import {Opened, Served} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import {
  answerOtherwise, ask, build, copied, Demo, hold, launch, openKin, openPage, serve, servePlainly, similar, temporaryFolder, TEACHING_SITE,
} from "./harness.mjs";

const JAM = "/kitchen/preserves/plum-jam.html";
const WORMS = "/garden/compost/worm-bin.html";

/** The demo's name for a text in the box. */
const YOUR_TEXT = "your text";

const LIST = /\/lists\/.*\.shard$/;
const BLOCK = /\/pages\/.*\.shard$/;
const SKETCHES = /\/sketches\/.*\.shard$/;
const SHARD = /\.shard$/;

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Served} */
let served;
/** @type {string} */
let folder;

before(async () => {
  // so that a query takes several rounds of several files
  folder = await build(TEACHING_SITE, "--block-pages", "2");
  served = await serve(folder, { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/**
 * Runs a check on the demo, and checks that nothing else went wrong.
 *
 * @param {(demo: Demo, page: Page, opened: Opened) => Promise<unknown>} check
 * @param {BrowserContextOptions & {url?: string}} [options]
 */
async function onDemo(check, { url = served.url, ...options } = {}) {
  const opened = await openPage(browser, url, options);
  try {
    const demo = new Demo(opened.page);
    await demo.ready();
    await check(demo, opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

/**
 * Runs a check on a page of the site that contains the client, with and without a worker.
 *
 * @param {(page: Page, text: string, worker: boolean) => Promise<unknown>} check `text`: of a page of the site
 */
async function withClient(check) {
  const { page, problems, close } = await openPage(browser, `${served.origin}/garden/`);
  try {
    const text = await copied(page, JAM);
    for (const worker of [true, false]) await check(page, text, worker);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

// The network

test("the fetches of a round run in parallel", () => withClient(async (page, text, worker) => {
  const { requested, restore } = await answerOtherwise(page.context(), SHARD, (route) => route.continue());
  const usual = await ask(page, served.url, text, { worker });
  await restore();
  const [lists, blocks, sketches] = [LIST, BLOCK, SKETCHES].map((kind) => requested.filter((url) => kind.test(url)).length);
  assert.ok(lists > 1 && blocks > 1 && sketches > 0, `rounds of ${lists}, and of ${blocks} and ${sketches} files`);
  assert.equal(usual.cost.requests, requested.length + 1, "the manifest and these");

  // No file of a round arrives before all are requested.
  const held = await hold(page.context(), SHARD);
  const answer = ask(page, served.url, text, { worker });
  for (const round of [lists, blocks + sketches]) {
    await held.waiting(round);
    await held.release();
  }
  assert.deepEqual(await answer, usual);
  await held.end();
}));

test("opening requests everything at once, in parallel with the engine", () => withClient(async (page, _, worker) => {
  const engine = worker ? "worker.js" : "engine.js";
  await page.reload(); // so that no script is there yet
  const held = await hold(page.context(), /\/(worker\.js|engine\.js|pagekin\.wasm\.bin|pagekin\.manifest)$/);
  const kin = openKin(page, served.url, { worker });
  await held.waiting(3);
  assert.deepEqual(held.requested.map((url) => path.basename(url)).sort(), [engine, "pagekin.manifest", "pagekin.wasm.bin"].sort());
  await held.end();
  await (await kin).evaluate((kin) => kin.close());
}));

test("an aborted query rejects immediately with AbortError, and another query for the same files is answered", () => withClient(async (page, text, worker) => {
  const usual = await ask(page, served.url, text, { worker });
  const kin = await openKin(page, served.url, { worker });
  const lists = await hold(page.context(), LIST);
  const queries = await page.evaluateHandle(([kin, text]) => {
    const controller = new AbortController();
    const name = (/** @type {unknown} */ error) => (error instanceof DOMException ? error.name : String(error));
    return {
      aborted: kin.similar(text, { signal: controller.signal }).then(() => "answered", name),
      other: kin.similar(text),
      abort: () => controller.abort(),
    };
  }, /** @type {const} */ ([kin, text]));
  await lists.waiting(2);

  const outcome = await queries.evaluate((queries) => {
    queries.abort();
    return queries.aborted;
  });
  assert.equal(outcome, "AbortError", "while the files are still on their way");
  await lists.end();
  const other = await queries.evaluate(async ({ other }) => (await other).results);
  assert.deepEqual(other, usual.results);
  assert.deepEqual(lists.requested, [...new Set(lists.requested)], "no file was requested twice");
}));

test("an aborted query aborts its fetches, and the next query fetches again", () => withClient(async (page, text, worker) => {
  const kin = await openKin(page, served.url, { worker });
  const lists = await hold(page.context(), LIST);
  const query = await page.evaluateHandle(([kin, text]) => {
    const controller = new AbortController();
    kin.similar(text, { signal: controller.signal }).catch(() => {});
    return controller;
  }, /** @type {const} */ ([kin, text]));
  await lists.waiting(1);
  const [ended] = await Promise.all([
    page.context().waitForEvent("requestfailed", (request) => LIST.test(request.url())),
    query.evaluate((controller) => controller.abort()),
  ]);
  assert.equal(ended.failure()?.errorText, "net::ERR_ABORTED");
  await lists.end();
  assert.equal((await ask(page, served.url, text, { kin })).results[0]?.url, JAM);
}));

test("a query that is aborted before it starts fetches nothing", () => withClient(async (page, text, worker) => {
  const kin = await openKin(page, served.url, { worker });
  const { requested, restore } = await answerOtherwise(page.context(), SHARD, (route) => route.continue());
  const reason = await kin.evaluate((kin, text) => kin.similar(text, { signal: AbortSignal.abort("changed my mind") }).catch((reason) => reason), text);
  assert.equal(reason, "changed my mind");
  assert.ok((await kin.evaluate((kin) => kin.pages())).length > 50); // queried after it
  assert.deepEqual(requested.map((url) => path.basename(path.dirname(path.dirname(url)))), ["sample"]);
  await restore();
}));

test("the same query again reads nothing", () => withClient(async (page, text, worker) => {
  const kin = await openKin(page, served.url, { worker });
  const first = await ask(page, served.url, text, { kin });
  assert.ok(first.cost.bytes > 0 && first.cost.requests > 0);
  const { requested, restore } = await answerOtherwise(page.context(), /./, (route) => route.continue());
  const second = await ask(page, served.url, text, { kin });
  await restore();
  assert.deepEqual(second, { ...first, cost: { bytes: 0, requests: 0, rounds: 0 } });
  assert.deepEqual(requested, []);
}));

test("the cost of an answer is shown on demand, and repeating a query reads only the cache", () => onDemo(async (demo, page) => {
  const text = await copied(page, JAM);
  await demo.paste(text);
  await demo.excerpt(); // which shows that the first contains the text
  const first = await demo.shown();
  assert.match(await demo.status.innerText(), /^\d+ pages found, (one of them a strong match|\d+ of them strong matches)\.$/);
  const cost = page.locator("#cost li");
  assert.equal(await cost.first().isVisible(), false);
  await page.getByText("Cost of this answer").click();
  const [answer, opening, language] = await cost.allInnerTexts();
  assert.match(answer, /^This answer: [\d.]+ kB of the index read in \d+ requests, \d rounds, .* \(including [\d.]+ kB to open it\)\.$/);
  assert.match(opening, /^Opening: [\d.]+ kB in 1 request\. Index [0-9a-f]{16}, preset \w+, format \d+\.$/);
  assert.equal(language, "Detected language: English.");
  await demo.paste(text);
  await demo.excerpt();
  assert.deepEqual(await demo.shown(), first);
  assert.match(await cost.first().innerText(), /^This answer: all from the cache, \d+ ms\.$/);
}));

test("a later query cancels an earlier one, whose results are never shown", () => onDemo(async (demo, page) => {
  const [earlier, later, last] = await Promise.all([JAM, WORMS, "/de/brot/hefezopf.html"].map((url) => copied(page, url)));
  const shown = await page.evaluateHandle(() => {
    /** @type {(string | null | undefined)[]} */
    const shown = [];
    const results = /** @type {HTMLElement} */ (document.getElementById("results"));
    new MutationObserver(() => shown.push(results.querySelector(".address > span")?.textContent)).observe(results, { childList: true });
    return shown;
  });
  const lists = await hold(page.context(), LIST);
  await demo.text.fill(earlier);
  await lists.waiting(1);
  await demo.status.filter({ hasText: "Searching…" }).waitFor();
  await Promise.all([
    page.context().waitForEvent("requestfailed", (request) => LIST.test(request.url())),
    demo.text.fill(later),
  ]);
  await lists.end();
  const [first] = await demo.answer();
  assert.equal(first?.url, WORMS);
  await demo.paste(last); // a late answer would have arrived before this
  const firsts = (await shown.jsonValue()).filter((url) => url);
  assert.deepEqual(firsts, [WORMS, "/de/brot/hefezopf.html"]);
}));

test("a query can be stopped and repeated", () => onDemo(async (demo, page) => {
  const text = await copied(page, JAM);
  const lists = await hold(page.context(), LIST);
  await demo.text.fill(text);
  await Promise.all([
    page.context().waitForEvent("requestfailed", (request) => LIST.test(request.url())),
    page.getByRole("button", { name: "Stop" }).click(),
  ]);
  assert.equal(await demo.status.innerText(), "Stopped.");
  assert.equal(await demo.text.inputValue(), text);
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await lists.end();
  await page.getByRole("button", { name: "Find pages", exact: true }).click();
  const [first] = await demo.answer();
  assert.equal(first?.url, JAM);
}));

// Texts and files

/**
 * Drops files on the page.
 *
 * @param {Page} page
 * @param {{name: string, content: string | number[]}[]} files
 */
async function drop(page, files) {
  const dataTransfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, content } of files) data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
    return data;
  }, files);
  const body = page.locator("body");
  await body.dispatchEvent("dragover", { dataTransfer });
  const hint = page.getByText("Drop the file to find matching pages");
  await hint.waitFor();
  await body.dispatchEvent("drop", { dataTransfer });
  await hint.waitFor({ state: "hidden" });
}

/** @param {Page} page */
const kind = (page) => page.locator("#text-kind").innerText();

/**
 * The first half of a page, which contains it, while other pages are more similar to it.
 *
 * @param {Page} page
 */
async function mixed(page) {
  const words = (await copied(page, JAM)).split(/\s+/);
  return words.slice(0, words.length / 3).join(" ");
}

/** @param {string} url */
const fileOf = (url) => path.join(TEACHING_SITE, url);

test("a dropped file is searched, named and shown", () => onDemo(async (demo, page) => {
  const text = await copied(page, JAM);
  await drop(page, [{ name: "plums.txt", content: text }]);
  const [first] = await demo.answerFor("plums.txt");
  assert.equal(first?.url, JAM);
  assert.match(await kind(page), /^plums\.txt: [\d.]+ kB, read as plain text\.$/);
  assert.equal(await demo.text.inputValue(), text);

  await drop(page, [{ name: "worms.md", content: await copied(page, WORMS) }, { name: "plums.txt", content: text }]);
  const [other] = await demo.answerFor("worms.md");
  assert.equal(other?.url, WORMS);
  assert.match(await kind(page), /the first of 2 files/);
}));

test("text, Markdown and HTML files can be chosen", () => onDemo(async (demo, page) => {
  const text = await copied(page, JAM);
  const choices = [
    { name: "plums.txt", buffer: Buffer.from(text), read: "read as plain text" },
    { name: "plums.md", buffer: Buffer.from(`# Jam\n\n${text}`), read: "read as plain text" },
    { name: "plums.html", buffer: await readFile(fileOf(JAM)), read: "read as HTML without menus and footers" },
  ];
  for (const { name, buffer, read } of choices) {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose a file" }).click()]);
    const accepted = await chooser.element().getAttribute("accept");
    assert.ok(accepted?.split(",").includes(path.extname(name)), `${name} is offered by the dialogue`);
    await chooser.setFiles({ name, mimeType: "", buffer });
    const [first] = await demo.answerFor(name);
    assert.equal(first?.url, JAM);
    assert.ok((await kind(page)).endsWith(`${read}.`), await kind(page));
  }
}));

test("a file is read in its declared or detected encoding", () => onDemo(async (demo, page) => {
  const german = "Die Bremsbeläge prüfen";
  const files = [
    { name: "utf-8.txt", content: [...Buffer.from(german)] },
    { name: "windows-1252.txt", content: [...Buffer.from(german, "latin1")] },
    { name: "utf-16.txt", content: [0xff, 0xfe, ...Buffer.from(german, "utf16le")] },
    { name: "declared.html", content: [...Buffer.from(`<meta charset="iso-8859-1">${german}`, "latin1")] },
  ];
  for (const file of files) {
    await drop(page, [file]);
    await demo.answerFor(file.name);
    assert.ok((await demo.text.inputValue()).endsWith(german), file.name);
  }
}));

test("a file that is not text is refused with an explanation, and the text in the box stays", () => onDemo(async (demo, page) => {
  await demo.paste("Feed the sourdough starter.");
  await drop(page, [{ name: "plums.zip", content: [0x50, 0x4b, 3, 4, 0, 0, 0, 8] }]);
  await demo.trouble.getByText("plums.zip: expected a text, Markdown or HTML file, found a Word, OpenDocument, EPUB or ZIP file, which cannot be read here. Open it, copy the text and paste it.").waitFor();
  assert.equal(await demo.text.inputValue(), "Feed the sourdough starter.");
}));

test("pasted HTML is recognized, announced, and read by the rules of the build", () => onDemo(async (demo, page) => {
  const shown = await demo.paste(await readFile(fileOf(JAM), "utf8"));
  assert.match(await kind(page), /Starts with a tag, so it is read as HTML/);
  const native = await similar(folder, ["--file", fileOf(JAM)]);
  assert.deepEqual(shown.map(({ url, words }) => [url, words]), native.results.map(({ url, shared_terms }) => [url, shared_terms]));
  await demo.excerpt();
  assert.equal((await demo.shown())[0].confidence, "Contains your text", "after the page is read");
  assert.match(await demo.status.innerText(), / strong match/);
  assert.match(shown[0].numbers, /^similarity 100%, /, "the page's menus and footers are not its text");

  await demo.paste("if a < b, then plums > apples");
  assert.equal(await page.locator("#text-kind").isVisible(), false, "a less-than sign is not HTML");
}));

test("a text without words gets a note, not an error", () => onDemo(async (demo) => {
  await demo.text.fill("and the of");
  await demo.status.filter({ hasText: "Nothing to look for: expected words other than stop words" }).waitFor();
  assert.equal(await demo.trouble.innerText(), "");
}));

test("a text without similar pages gets a note with advice", () => onDemo(async (demo) => {
  await demo.paste("Quantum chromodynamics");
  assert.match(await demo.status.innerText(), /^No pages found\. Nowhere on this site: quantum, chromodynamics\. Language unclear; assuming English\.$/);
  assert.match(await demo.trouble.innerText(), /No page on this site shares words with your text, except very common words\.[^]*English, German/);
}));

/** A share as the demo shows it. @param {number} part */
const percent = (part) => (part < 0.01 ? "< 1%" : `${part < 1 ? Math.min(99, Math.round(part * 100)) : 100}%`);

test("the grade of a match is shown as a word, and as numbers on demand, with the ranking one first", () => onDemo(async (demo, page) => {
  const sentence = "Simmer the plums, add the sugar, boil the jam and fill the jars.";
  /** @type {[string[], string, () => Promise<unknown>, string][]} */
  const ways = [
    [["-"], "your text", () => demo.paste(sentence), sentence],
    [["--url", JAM], "the selected page", async () => {
      await page.evaluate((url) => location.hash = `url=${url}`, JAM);
      await demo.answerFor("Plum jam");
    }, ""],
  ];
  for (const [options, what, ask, input] of ways) {
    const native = await similar(folder, options, input);
    await ask();
    await demo.excerpt();
    const words = { high: "Strong match", medium: "Possible match", low: "Weak match" };
    const expected = native.results.map(({ score, coverage, similarity, confidence }) => {
      const [both, first] = [[`${percent(coverage)} of ${what} found`, `similarity ${percent(similarity)}`], `score ${percent(score)}`];
      return [words[/** @type {"high"} */ (confidence)], `${(native.ranked_by === "coverage" ? [first, ...both] : both.reverse()).join(", ")}.`];
    });
    assert.ok(expected.length > 1);
    assert.deepEqual((await demo.shown()).map(({ confidence, numbers }) => [confidence, numbers]), expected, what);
    assert.equal(await page.locator(".numbers p").first().isVisible(), false);
    await demo.results.first().getByText("Numbers").click();
    assert.equal(await page.locator(".numbers p").first().isVisible(), true);
  }
}));

test("a text contained in some pages and similar to others gets two short lists, and the rest of the first on demand", () => onDemo(async (demo, page) => {
  const text = await mixed(page);
  const native = await similar(folder, ["-"], text);
  assert.ok(native.results.length > 5 && native.other_results.length > 0, JSON.stringify(native.other_results));
  const names = { coverage: "Pages containing your text", similarity: "Similar pages" };
  const first = /** @type {"coverage"} */ (native.ranked_by);
  const shown = await demo.paste(text);
  assert.deepEqual(shown.map(({ url }) => url), native.results.map(({ url }) => url));
  assert.deepEqual(await page.locator(".list-name").allInnerTexts(), [names[first], names[first === "coverage" ? "similarity" : "coverage"]]);
  assert.deepEqual(await page.locator("#others .address > span").allInnerTexts(), native.other_results.slice(0, 5).map(({ url }) => url));
  const visible = page.locator("#results > li:visible");
  assert.equal(await visible.count(), 5);
  await page.getByRole("button", { name: "Show more" }).click();
  assert.equal(await visible.count(), native.results.length);
  assert.equal(await page.evaluate(() => document.activeElement?.closest("li")?.previousElementSibling?.matches("li:nth-child(5)")), true);

  for (const one of ["Feed the sourdough starter.", ""]) {
    if (one) await demo.paste(one);
    else await demo.clear();
    assert.deepEqual(await page.locator(".list-name:visible, #others li").count(), 0, one);
  }
}));

// Pages of the site

const PAGE = "Or a page of this site";

test("a page of the site is found by its title and by its URL", () => onDemo(async (demo, page) => {
  const box = page.getByLabel(PAGE);
  const native = await similar(folder, ["--url", JAM]);
  const expected = native.results.map(({ url }) => url);
  assert.ok(expected.length > 0 && !expected.includes(JAM));

  const title = "Plum jam";
  const elsewhere = `https://example.org${JAM}?print#top`;
  for (const typed of [title, "jam plum", JAM, elsewhere]) {
    await demo.clear();
    await box.fill(typed);
    await box.press("Enter");
    assert.deepEqual((await demo.answerFor(title)).map(({ url }) => url), expected, typed);
  }
}));

test("a URL outside the site is reported without an offer to retry", () => onDemo(async (demo, page) => {
  await page.getByLabel(PAGE).fill("/not/here.html");
  await page.getByLabel(PAGE).press("Enter");
  await demo.failure("Page not in the index", "/not/here.html");
  const alert = page.getByRole("alert");
  assert.match(await alert.innerText(), /the index has no page \/not\/here\.html: expected the URL of a page under \//i);
  assert.equal(await alert.getByRole("button").count(), 0);
  assert.equal((await demo.paste(await copied(page, JAM)))[0]?.url, JAM);
}));

test("a visitor without a text can try a page of the site", () => onDemo(async (demo, page) => {
  // Not the first page, because its URL is only a slash, which would not show that it was drawn.
  await page.evaluate(() => { Math.random = () => 0.5; });
  await page.getByRole("button", { name: "Try a page from this site" }).click();
  // within the page, so no load event follows
  await page.waitForURL(/#url=\/./, { waitUntil: "commit" });
  await demo.answer();
  assert.equal(await page.getByRole("alert").getByRole("heading").count(), 0);
  assert.match(await demo.status.innerText(), /pages? found/);
}));

test("a URL with #url= leads to the pages similar to that page", () => onDemo(async (demo) => {
  const shown = await demo.answerFor("Plum jam");
  assert.deepEqual(shown.map(({ url }) => url), (await similar(folder, ["--url", JAM])).results.map(({ url }) => url));
}, { url: `${served.url}#url=${JAM}` }));

test("the pages similar to a result are one click away, and Back and Forward work", () => onDemo(async (demo, page) => {
  const [{ title, url }] = await demo.paste(await copied(page, JAM));
  assert.equal(url, JAM);
  await page.getByRole("button", { name: /^Similar pages.*Plum jam/ }).click();
  const [kin] = await demo.answerFor(title);
  assert.notEqual(kin?.url, JAM, "a page is not similar to itself");
  assert.equal(page.url(), `${served.url}#url=${JAM}`);

  await demo.results.first().getByRole("button", { name: /^Similar pages/ }).click();
  await demo.answerFor(kin.title);
  await page.goBack();
  await demo.answerFor(title);
  await page.goBack();
  assert.equal((await demo.answerFor(YOUR_TEXT))[0]?.url, JAM);
  assert.equal(page.url(), served.url, "the text is not in the URL");
  await page.goForward();
  await demo.answerFor(title);
}));

// Keyboard and screen reader

test("everything works by keyboard, from the first key to the page of a result, and the focus is always visible", () => onDemo(async (demo, page) => {
  const focused = () => page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return { what: element.id || element.textContent?.trim(), seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
  });
  const examples = page.locator("#examples button");
  await examples.first().waitFor();
  const stops = [];
  const expected = ["text", "Find pages", "choose", "Clear", "Recent texts", "page", "Find similar pages", ...await examples.allInnerTexts(), "any-page"];
  for (const _ of expected) {
    await page.keyboard.press("Tab");
    stops.push(await focused());
  }
  assert.deepEqual(stops, expected.map((what) => ({ what, seen: true })));

  for (const _ of expected.slice(1)) await page.keyboard.press("Shift+Tab");
  await page.keyboard.type("Simmer the plums, add the sugar, boil the jam and fill the jars.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "subject");
  const [first] = await demo.answer();
  for (const what of ["map-button", "share", first.title]) {
    await page.keyboard.press("Tab");
    assert.deepEqual(await focused(), { what, seen: true });
  }
  await page.keyboard.press("Tab");
  assert.deepEqual(await focused(), { what: `Similar pages: ${first.title}`, seen: true });
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  // The URL leads to the passage once it is found.
  await page.waitForURL(({ origin, pathname }) => origin === served.origin && pathname === first.url);
}));

test("Ctrl+Enter in the box searches immediately, and further typing keeps the focus in place", () => onDemo(async (demo, page) => {
  const inFocus = () => page.evaluate(() => document.activeElement?.id);
  await demo.text.pressSequentially("plum jam and sugar");
  await demo.answerFor(YOUR_TEXT);
  assert.equal(await inFocus(), "text");
  await demo.text.press("Control+Enter");
  await page.waitForFunction(() => document.activeElement?.id === "subject");
}));

/**
 * The states of the demo, and how to reach them.
 *
 * @type {[string, (demo: Demo, page: Page) => Promise<unknown>][]}
 */
const states = [
  ["at the start", (demo) => demo.ready()],
  ["with results", async (demo, page) => {
    await demo.paste(`<p>${await copied(page, JAM)}`);
    assert.ok((await demo.results.count()) > 3);
    await demo.excerpt();
    await page.getByText("read as HTML").waitFor();
  }],
  ["with two lists", async (demo, page) => {
    await demo.paste(await mixed(page));
    await page.locator("#others li").first().waitFor();
  }],
  ["with a map", async (_, page) => {
    await page.getByRole("button", { name: "Map" }).click();
    await page.locator("#map a").first().waitFor();
  }],
  ["with the numbers, the cost and recent texts", async (demo, page) => {
    await demo.results.first().getByText("Numbers").click();
    await page.getByText("Cost of this answer").click();
    await page.getByText("Recent texts", { exact: true }).click();
  }],
  ["with nothing found", async (demo) => {
    await demo.paste("Quantum chromodynamics");
    await demo.trouble.getByText("No page on this site shares words").waitFor();
  }],
  ["with an error", async (demo, page) => {
    const broken = await answerOtherwise(page.context(), BLOCK, (route) => route.fulfill({ status: 200, body: "Gone with the winds".repeat(9) }));
    await demo.paste(await copied(page, "/outdoors/birds/nest-box.html"));
    await demo.trouble.getByRole("button", { name: "Try again" }).waitFor();
    await broken.restore();
  }],
  ["with a file of a long name", async (demo, page) => {
    const name = `${"pflaumenmusrezeptsammlung".repeat(8)}.txt`;
    await drop(page, [{ name, content: await copied(page, JAM) }]);
    await demo.answerFor(name);
  }],
  ["with pages found by title", async (_, page) => {
    await page.getByLabel(PAGE).fill("jam");
    await page.getByRole("option").first().waitFor();
    await page.getByLabel(PAGE).press("ArrowDown");
  }],
];

/**
 * @typedef {{role?: {value: string}, name?: {value: string}, ignored: boolean, properties?: {name: string, value: {value?: unknown}}[]}} Accessible
 * @param {Page} page
 * @returns {Promise<Accessible[]>} what a screen reader meets
 */
async function accessibleNodes(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return /** @type {Accessible[]} */ (nodes.filter(({ ignored }) => !ignored));
}

const CONTROLS = new Set(["button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio"]);

test("every control has an accessible name in every state", () => onDemo(async (demo, page) => {
  for (const [state, reach] of states) {
    await reach(demo, page);
    const met = async () => (await accessibleNodes(page)).filter(({ role }) => CONTROLS.has(role?.value ?? ""));
    const count = () => page.locator("button:visible, a:visible, input:visible, textarea:visible, [role=listbox]:visible").count();
    let [controls, visible] = [await met(), await count()];
    // Examples appear when they are loaded, possibly between the two.
    for (let tries = 0; tries < 20 && controls.length !== visible; tries += 1) [controls, visible] = [await met(), await count()];
    assert.equal(controls.length, visible, `all controls are met ${state}`);
    assert.deepEqual(controls.filter(({ name }) => !name?.value.trim()), [], state);
  }
  // A placeholder disappears when something is typed.
  const labels = await page.locator("input:visible, textarea:visible").evaluateAll((fields) =>
    fields.map((field) => /** @type {HTMLInputElement} */ (field).labels?.[0]?.textContent));
  assert.deepEqual(labels, ["Your text", "Keep my recent texts on this device", PAGE]);
}));

test("answers and failures are announced in live regions that exist from the start", () => onDemo(async (demo, page) => {
  const live = async () => (await accessibleNodes(page))
    .filter(({ role }) => role?.value === "status" || role?.value === "alert")
    .map(({ role, properties = [] }) => [role?.value, properties.find(({ name }) => name === "live")?.value.value]);
  assert.deepEqual((await live()).sort(), [["alert", "assertive"], ["status", "polite"], ["status", "polite"]], "of pages found by title, and of answers");
  const [status, alert] = [await demo.status.elementHandle(), await demo.trouble.elementHandle()];

  await demo.paste(await copied(page, JAM));
  assert.match((await status?.innerText()) ?? "", /^\d+ pages found/);
  await page.getByLabel(PAGE).fill("/not/here.html");
  await page.getByLabel(PAGE).press("Enter");
  await demo.failure("Page not in the index", "/not/here.html");
  assert.match((await alert?.innerText()) ?? "", /Page not in the index/);
  assert.equal(await status?.innerText(), "");
}));

// Screens and contrast

test("screens 320 and 360 pixels wide need no horizontal scrolling, and every control is large enough for a finger", () => onDemo(async (demo, page) => {
  for (const [state, reach] of states) {
    await reach(demo, page);
    for (const width of [320, 360]) {
      await page.setViewportSize({ width, height: 640 });
      // The map is redrawn after a frame with the new width.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const { widths, small } = await page.evaluate(() => ({
        widths: [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth],
        small: [...document.querySelectorAll("a, button, input:not([type=checkbox]), label:has(input), textarea, select, summary")]
          .map((control) => ({ control: control.id || control.textContent, ...control.getBoundingClientRect().toJSON() }))
          .filter(({ width, height }) => width > 0 && (width < 44 || height < 44))
          .map(({ control, width, height }) => `${control}: ${width} x ${height}`),
      }));
      assert.deepEqual(widths, [width, width, width], state);
      assert.deepEqual(small, [], `${state}, ${width} wide`);
    }
  }
}, { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }));

/**
 * Returns the texts on the page with a contrast below 4.5, by the formula of WCAG 2, and the number
 * of texts examined, placeholders included.
 *
 * @param {Page} page
 */
function faintTexts(page) {
  return page.evaluate(() => {
    /** @typedef {[red: number, green: number, blue: number, alpha: number]} Color */
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    if (!canvas) throw new Error("no canvas");
    /** @param {string} css @returns {Color} */
    const parse = (css) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    /** @param {Color} above @param {Color} below @returns {Color} */
    const over = ([red, green, blue, alpha], below) => [
      red * alpha + below[0] * (1 - alpha), green * alpha + below[1] * (1 - alpha), blue * alpha + below[2] * (1 - alpha), 1,
    ];
    /** @param {Color} color */
    const luminance = ([red, green, blue]) => {
      const [r, g, b] = [red, green, blue].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    /** @param {Element | null} element @returns {Color} */
    const groundOf = (element) => {
      if (!element) return parse("Canvas");
      const color = parse(getComputedStyle(element).backgroundColor);
      return color[3] === 1 ? color : over(color, groundOf(element.parentElement));
    };
    /** @param {Element | null} element @returns {number} */
    const opacityOf = (element) => (element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1);
    /** @param {Element} element @param {string} [pseudo] */
    const contrast = (element, pseudo) => {
      const { color, opacity } = getComputedStyle(element, pseudo);
      const ground = groundOf(element);
      const [red, green, blue, alpha] = parse(color);
      const text = over([red, green, blue, alpha * opacityOf(element) * (pseudo ? Number(opacity) : 1)], ground);
      const [dark, light] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };

    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = /** @type {Text} */ (walker.currentNode);
      if (data.trim() && parentElement?.checkVisibility({ visibilityProperty: true })) texts.push({ text: data.trim(), contrast: contrast(parentElement) });
    }
    for (const field of document.querySelectorAll("textarea, input[type=text]")) {
      texts.push({ text: `${field.id}'s own`, contrast: contrast(field) }, { text: `${field.id}'s placeholder`, contrast: contrast(field, "::placeholder") });
    }
    return { count: texts.length, faint: texts.filter(({ contrast }) => !(contrast >= 4.5)) };
  });
}

test("every text has enough contrast, in the light and the dark scheme", () => onDemo(async (demo, page) => {
  /** @param {string} state */
  const check = async (state) => {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      // the results fade in
      await page.waitForFunction(() => document.getAnimations().length === 0);
      const { count, faint } = await faintTexts(page);
      assert.ok(count > 15, `${count} texts ${state}`);
      assert.deepEqual(faint, [], `${state}, ${colorScheme}`);
    }
  };
  for (const [state, reach] of states) {
    await reach(demo, page);
    await check(state);
  }
  for (const name of ["Find pages", "Choose a file"]) {
    await page.getByRole("button", { name, exact: true }).hover();
    await check(`with the pointer on ${name}`);
  }
}));

test("the dark scheme is used if and only if the person prefers it", async () => {
  /** @type {Record<string, number[]>} */
  const lightness = {};
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await onDemo(async (_, page) => {
      lightness[colorScheme] = await page.evaluate(() => {
        const of = (/** @type {string} */ css) => Math.max(...(css.match(/\d+/g) ?? []).slice(0, 3).map(Number));
        const [body, ask, text] = ["body", ".ask", "#text"].map((selector) => getComputedStyle(/** @type {Element} */ (document.querySelector(selector))));
        return [body.backgroundColor, ask.backgroundColor, text.backgroundColor, body.color, text.color].map(of);
      });
    }, { colorScheme });
  }
  const { light, dark } = lightness;
  const isLight = (/** @type {number} */ value) => value > 127;
  assert.deepEqual(light.map(isLight), [true, true, true, false, false]);
  assert.deepEqual(dark.map(isLight), [false, false, false, true, true]);
});

for (const reducedMotion of /** @type {const} */ (["reduce", "no-preference"])) {
  const calm = reducedMotion === "reduce";
  test(calm ? "nothing moves if the visitor prefers reduced motion" : "motion is present otherwise", () => onDemo(async (demo, page) => {
    await page.evaluate(() => {
      const scroll = Element.prototype.scrollIntoView;
      Element.prototype.scrollIntoView = function (options) {
        document.documentElement.dataset.scrolled = typeof options === "object" ? options.behavior : "auto";
        scroll.call(this, options);
      };
    });
    await demo.text.fill(await copied(page, JAM));
    await page.getByRole("button", { name: "Find pages", exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.id === "subject");
    const { moving, scrolled } = await page.evaluate(() => ({
      moving: [...document.querySelectorAll("*")].filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return /[1-9]/.test(transitionDuration + animationDuration);
      }).map(({ id, className }) => id || className),
      scrolled: document.documentElement.dataset.scrolled,
    }));
    assert.deepEqual(moving, calm ? [] : ["results"]);
    assert.equal(scrolled, calm ? "auto" : "smooth", "the answer is below the first screen");
  }, { reducedMotion, viewport: { width: 360, height: 640 } }));
}

// Hosting

test("without JavaScript the page says that it needs it, and why, and shows nothing that does not work", async () => {
  const { page, close } = await openPage(browser, served.url, { javaScriptEnabled: false });
  try {
    assert.match(await page.locator("noscript").innerText(), /^This page needs JavaScript, because your text is compared with the site in your browser/);
    assert.equal(await page.locator("button:visible, textarea:visible, input:visible").count(), 0);
    const late = await page.locator("#asleep").evaluate((note) => getComputedStyle(note).display);
    assert.equal(late, "none", "nor the note that it has not started, which would come later");
  } finally {
    await close();
  }
});

test("its content security policy allows nothing inline, and everything that the demo does", () => onDemo(async (demo, page, { problems }) => {
  const response = await page.reload();
  const policy = response?.headers()["content-security-policy"] ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
  assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'|'unsafe-hashes'|\*/);
  assert.doesNotMatch((await response?.text()) ?? "", /\sstyle=|\son[a-z]+=|<style|<script(?! type="module" src=)/);

  await demo.ready();
  await demo.paste(await readFile(fileOf(JAM), "utf8"));
  await drop(page, [{ name: "worms.txt", content: await copied(page, WORMS) }]);
  const [{ title }] = await demo.answerFor("worms.txt");
  await demo.results.first().getByRole("button", { name: "Similar pages" }).click();
  await demo.answerFor(title);
  assert.deepEqual(problems, []);

  // Policy violations are detected.
  await Promise.all([page.waitForEvent("console"), page.evaluate(() => document.body.setAttribute("style", "color: red"))]);
  assert.match(problems.splice(0).join(), /style-src/);
}));

test("a built folder works in any folder of any static server, and requests nothing outside it but pages whose passages are shown", async () => {
  const root = await temporaryFolder();
  await cp(TEACHING_SITE, root, { recursive: true });
  await cp(folder, path.join(root, "deep/er/kin"), { recursive: true });
  const plain = await servePlainly(root);
  try {
    await onDemo(async (demo, page) => {
      /** @type {string[]} */
      const paths = [];
      page.context().on("request", (request) => paths.push(new URL(request.url()).pathname));
      await page.reload();
      await demo.ready();
      const shown = await demo.paste(await readFile(fileOf(JAM), "utf8"));
      assert.equal(shown[0]?.url, JAM);
      assert.equal(page.workers().length, 1);
      await demo.excerpt();
      await page.getByLabel(PAGE).fill("jam");
      await page.getByRole("option", { name: JAM }).waitFor();
      assert.ok(paths.some((path) => LIST.test(path)) && paths.some((path) => BLOCK.test(path)));
      const outside = paths.filter((path) => !path.startsWith("/deep/er/kin/"));
      assert.ok(outside.includes(JAM) && outside.every((path) => shown.some(({ url }) => url === path)), outside.join());
    }, { url: `${plain.url}deep/er/kin/` });
  } finally {
    await plain.stop();
  }
});
