// @ts-check
/**
 * A complete visit to the demo: what leaves the device, the cost until it is visible, what moves,
 * and what is stored; and the map, clusters, examples, links and files.
 *
 * @import {BrowserContextOptions, Page} from "playwright-core"
 * @import {Opened, Served} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { answerOtherwise, build, complaints, copied, Demo, hold, launch, openKin, openPage, serve, TEACHING_SITE } from "./harness.mjs";

const JAM = "/kitchen/preserves/plum-jam.html";
const LETTER = "/archive/letters/slow-oven.html";

/** First paint, by network traffic. */
const MAX_BYTES = 30_000;
const MAX_SHIFT = 0.02;

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Served} */
let served;

before(async () => {
  const folder = await build(TEACHING_SITE, "--block-pages", "2");
  served = await serve(folder, { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/**
 * @param {(demo: Demo, page: Page, opened: Opened) => Promise<unknown>} check
 * @param {BrowserContextOptions & {hash?: string}} [options]
 */
async function onDemo(check, { hash = "", ...options } = {}) {
  const opened = await openPage(browser, served.url + hash, options);
  try {
    const demo = new Demo(opened.page);
    await demo.ready();
    await check(demo, opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

/** @param {Page} page */
const openMap = async (page) => {
  await page.getByRole("button", { name: "Map" }).click();
  await page.locator("#map svg a").first().waitFor();
};

/**
 * Drops a file on the page.
 *
 * @param {Page} page
 * @param {string} name
 * @param {number[] | string} content
 */
async function drop(page, name, content) {
  const dataTransfer = await page.evaluateHandle(([name, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
    return data;
  }, /** @type {const} */ ([name, content]));
  await page.locator("body").dispatchEvent("drop", { dataTransfer });
}

/**
 * Pastes into the box as a visitor does.
 *
 * @param {Page} page
 * @param {string} content
 */
const paste = (page, content) => page.evaluate((content) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", content);
  const box = /** @type {HTMLTextAreaElement} */ (document.getElementById("text"));
  if (!box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))) return;
  box.value = content;
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}, content);

test("in a whole visit no request contains a word of the text, in its URL, headers or body", async () => {
  const rare = ["zygomorphquine", "brumblefathom", "quoxilandry", "velmurtrosk", "xanthidripple", "ungelmirth"];
  const { page, problems, close } = await openPage(browser, "about:blank");
  /** @type {string[]} */
  const sent = [];
  page.context().on("request", (request) => {
    sent.push([request.method(), decodeURIComponent(request.url()), JSON.stringify(request.headers()), request.postData() ?? ""].join("\n"));
  });
  page.on("websocket", (socket) => sent.push(`socket ${socket.url()}`));
  await page.goto(served.url);
  const demo = new Demo(page);
  await demo.ready();
  await page.getByText("Recent texts", { exact: true }).click();
  await page.getByLabel("Keep my recent texts on this device").check();

  // Typed, pasted, and as a file; as a text and as HTML.
  const jam = await copied(page, JAM);
  const typed = `${rare[0]} simmer the plums ${rare[1]} and fill the jars ${rare[2]}`;
  await demo.text.pressSequentially(typed);
  await demo.answerFor("your text");
  await demo.excerpt();
  await paste(page, `${typed}. ${jam}`);
  await demo.answerFor("your text");
  await page.getByRole("button", { name: "Find pages", exact: true }).click();
  // The new answer, not the previous one, whose map would disappear.
  await page.waitForFunction(() => document.activeElement?.id === "subject");
  await demo.answer();
  await openMap(page);
  await page.keyboard.press("Tab");
  await demo.results.first().getByRole("button", { name: /^Side by side/ }).click();
  await page.locator("dialog mark").first().click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText(/never contain your text/).waitFor();
  assert.ok(!page.url().includes(rare[0]));
  await drop(page, `${rare[3]}.html`, `<title>${rare[4]}</title><p>${rare[5]} ${jam}`);
  await demo.answerFor(`${rare[3]}.html`);
  await demo.excerpt();
  await demo.results.first().getByRole("button", { name: /^Similar pages/ }).click();
  await demo.answerFor("Plum jam");
  await page.goBack();
  await demo.answerFor(`${rare[3]}.html`);
  await page.reload();
  await demo.ready();

  assert.ok(sent.length > 10 && sent.some((request) => request.includes(JAM)), "requests are seen, workers' too");
  assert.ok(sent.some((request) => request.includes(".shard")));
  const leaks = sent.filter((request) => rare.some((word) => request.toLowerCase().includes(word)) || !/^GET/.test(request));
  assert.deepEqual(leaks, []);
  assert.deepEqual(problems.filter((problem) => !problem.startsWith("request to")), []);
  await close();
});

test("until the page is usable, only the intended files are fetched, and the index and the engine come later", async () => {
  const { page, close } = await openPage(browser, "about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  /** @type {Map<string, {name: string, bytes: number}>} */
  const requests = new Map();
  session.on("Network.responseReceived", ({ requestId, response }) => requests.set(requestId, { name: path.basename(new URL(response.url).pathname) || "index.html", bytes: 0 }));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) request.bytes = encodedDataLength;
  });
  await page.goto(served.url);
  await new Demo(page).ready();
  // Opening needs these, and nothing else is loaded before. Other files follow later.
  const opening = ["pagekin.manifest", "pagekin.wasm.bin", "worker.js"];
  const all = [...requests.values()];
  const ofPage = ["demo.css", "demo.js", "pagekin", "pagekin.js"];
  const until = all.findLastIndex(({ name }) => [...opening, ...ofPage].includes(name));
  const early = all.slice(0, until + 1).filter(({ name }) => !opening.includes(name));
  assert.deepEqual(early.map(({ name }) => name).sort(), ofPage);
  // They are requested before the script that uses them is loaded, and not again after that.
  for (const requested of ["pagekin.manifest", "pagekin.wasm.bin"]) {
    assert.equal([...requests.values()].filter(({ name }) => name === requested).length, 1, requested);
  }
  // Hosts compress texts; `pagekin serve` does not.
  const packed = await Promise.all(["", "demo.css", "demo.js", "pagekin.js"].map(async (name) => gzipSync(Buffer.from(await (await fetch(served.url + name)).arrayBuffer())).length));
  const bytes = packed.reduce((sum, bytes) => sum + bytes, 0);
  console.log(`until it can be used: ${early.map(({ name, bytes }) => `${name} ${bytes}`).join(", ")}; compressed ${bytes} bytes, ${packed}`);
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
  await close();
});

test("the first paint needs only the page and its style, not a script or module, and these are small uncompressed", async () => {
  const { page, close } = await openPage(browser, "about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  const scripts = await hold(page.context(), /\.(js|bin)$/);
  await page.goto(served.url, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  await scripts.waiting(2);
  console.log(`first paint: ${bytes} bytes, not compressed`);
  assert.ok(bytes > 0 && bytes <= MAX_BYTES, `${bytes} bytes`);
  await scripts.end();
  await new Demo(page).ready();
  await close();
});

for (const [width, height, isMobile] of /** @type {const} */ ([[1280, 900, false], [390, 844, true]])) {
  test(`almost nothing moves, from opening to an answer, on a screen ${width} wide`, async () => {
    const { page, close } = await openPage(browser, "about:blank", { viewport: { width, height }, isMobile, hasTouch: isMobile });
    await page.addInitScript(() => {
      /** @type {any} */ (globalThis).shifts = [];
      new PerformanceObserver((list) => {
        for (const entry of /** @type {any[]} */ (list.getEntries())) {
          if (!entry.hadRecentInput) {
            /** @type {any} */ (globalThis).shifts.push({ value: entry.value, what: entry.sources.map((/** @type {any} */ source) => `${source.node?.nodeName}#${source.node?.id}.${source.node?.className}`) });
          }
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    // A slow network, on which files arrive one by one.
    await answerOtherwise(page.context(), /\.(js|bin|shard|manifest|html)$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await route.continue();
    });
    await page.goto(served.url);
    const demo = new Demo(page);
    await demo.ready();
    await page.locator("#examples button").first().waitFor();
    await demo.text.fill(await copied(page, LETTER));
    await demo.answer();
    await demo.excerpt();
    await page.waitForTimeout(300);
    const shifts = await page.evaluate(() => /** @type {{value: number, what: string[]}[]} */ (/** @type {any} */ (globalThis).shifts));
    const sum = shifts.reduce((sum, { value }) => sum + value, 0);
    console.log(`moved, ${width} wide: ${sum.toFixed(4)}`);
    assert.ok(sum <= MAX_SHIFT, JSON.stringify(shifts));
    await close();
  });
}

// Large texts and other files

test("a text of 10 MB is searched but not shown, and another query does not wait for it", () => onDemo(async (demo, page) => {
  const jam = await copied(page, JAM);
  const large = jam.repeat(Math.ceil(10e6 / jam.length));
  await paste(page, large);
  await demo.text.fill("Simmer the plums, add the sugar, boil the jam and fill the jars.");
  const [first] = await demo.answerFor("your text");
  assert.equal(first?.url, JAM);
  await paste(page, large);
  await page.getByText(/^Pasted text: [\d,]+ characters, too long to show, read as plain text\. Only the first million characters are used\.$/).waitFor();
  assert.equal((await demo.answerFor("your text"))[0]?.url, JAM);
  assert.equal(await demo.text.inputValue(), "");
}));

for (const worker of [true, false]) {
  test(`only the beginning of a text of 10 MB is used ${worker ? "in a worker" : "without a worker"}`, async () => {
    const { page, problems, close } = await openPage(browser, served.url);
    const kin = await openKin(page, served.url, { worker });
    const jam = `${await copied(page, JAM)} `;
    const { same, times } = await kin.evaluate(async (kin, jam) => {
      const large = jam.repeat(Math.ceil(10e6 / jam.length));
      const started = performance.now();
      const [whole, html] = [await kin.similar(large), await kin.similar({ html: `<p>${large}` })];
      const begun = await kin.similar(large.slice(0, 2 ** 20));
      const controller = new AbortController();
      const ended = kin.similar(large, { signal: controller.signal }).catch(({ name }) => name);
      controller.abort();
      const second = performance.now();
      const next = await kin.similar("plum jam");
      return {
        same: [JSON.stringify(whole.results) === JSON.stringify(begun.results), html.results[0].url, await ended, next.results[0].url],
        times: [second - started, performance.now() - second],
      };
    }, jam);
    console.log(`10 MB: four lookups ${Math.round(times[0])} ms, a second query after an aborted one ${Math.round(times[1])} ms`);
    assert.deepEqual(same, [true, JAM, "AbortError", JAM]);
    assert.deepEqual(problems, []);
    await close();
  });
}

test("a file that is not text is refused by its content, whatever its name, with a remedy", () => onDemo(async (demo, page) => {
  const bytes = (/** @type {string} */ text) => [...Buffer.from(text, "latin1")];
  /** @type {[string, number[], string][]} */
  const files = [
    ["report.txt", bytes("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), "a PDF file"],
    ["before.txt", bytes("junk\n%PDF-1.4\n\0\0"), "a PDF file"],
    ["letter.docx", bytes("PK\x03\x04\x14\0\x06\0"), "a Word, OpenDocument, EPUB or ZIP file"],
    ["old.doc", bytes("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Word, Excel or PowerPoint file"],
    ["rich.rtf", bytes("{\\rtf1\\ansi Plum jam}"), "an RTF file"],
    ["photo.html", bytes("\x89PNG\r\n\x1a\n"), "a picture"],
    ["page.html.gz", bytes("\x1f\x8b\x08\0"), "a compressed file"],
  ];
  for (const [name, content, kind] of files) {
    await drop(page, name, content);
    await demo.trouble.getByText(`${name}: expected a text, Markdown or HTML file, found ${kind}, which cannot be read here. Open it, copy the text and paste it.`).waitFor();
  }
  await drop(page, "about.txt", "A text that speaks of %PDF-1.7 and plum jam is read.");
  await demo.answerFor("about.txt");
}));

// Stored data

test("texts are stored only if the visitor allows it, can be searched again and removed, and are deleted when it is disallowed", () => onDemo(async (demo, page) => {
  const kept = () => page.evaluate(() => localStorage.getItem("pagekin.recent"));
  const items = page.locator("#recent li");
  const ask = async (/** @type {string} */ text) => {
    await demo.text.fill(text);
    await demo.text.press("Control+Enter");
    await page.waitForFunction(() => document.activeElement?.id === "subject");
    await demo.answer();
  };
  await ask("plum jam with sugar");
  assert.equal(await kept(), null);
  await page.getByText("Recent texts", { exact: true }).click();
  const tick = page.getByLabel("Keep my recent texts on this device");
  assert.equal(await tick.isChecked(), false);
  await tick.check();
  assert.equal(await kept(), "[]");
  for (let at = 0; at < 12; at += 1) await ask(`plum jam number ${at}`);
  await ask("plum jam number 5");
  await ask(`plum jam ${"and sugar ".repeat(2_000)}`); // too long
  assert.deepEqual(JSON.parse((await kept()) ?? "").slice(0, 3), ["plum jam number 5", "plum jam number 11", "plum jam number 10"]);
  assert.equal(await items.count(), 10);

  await page.reload();
  await demo.ready();
  await page.getByText("Recent texts", { exact: true }).click();
  await items.first().getByRole("button").first().click();
  await demo.answerFor("your text");
  assert.equal(await demo.text.inputValue(), "plum jam number 5");
  await items.first().getByRole("button", { name: /^Remove/ }).click();
  assert.equal(await items.count(), 9);
  assert.ok(!(await kept())?.includes("number 5"));
  await page.getByRole("button", { name: "Remove all" }).click();
  assert.equal(await kept(), "[]");
  await tick.uncheck();
  assert.equal(await kept(), null);
}));

test("results of a page can be judged, and judgments are stored on the device and saved as a file", () => onDemo(async (demo, page) => {
  const kept = () => page.evaluate(() => localStorage.getItem("pagekin.judgments"));
  const judge = page.locator("#judge");
  await demo.paste("Simmer the plums, add the sugar");
  assert.ok(await judge.isHidden(), "a text is not a page");
  await page.goto(`${served.url}#url=${JAM}`);
  await demo.answer();
  await judge.getByText("Judge these results").click();
  const questions = page.getByRole("group", { name: /^Similar to the selected page\?/ });
  await questions.first().waitFor(); // the browser reports the toggle later
  assert.equal(await questions.count(), await page.locator("#results > li").count());
  assert.equal(await kept(), null);
  const [first, second] = [questions.nth(0), questions.nth(1)];
  await first.getByRole("button", { name: "Yes" }).click();
  await second.getByRole("button", { name: "No" }).click();
  const judgments = JSON.parse((await kept()) ?? "");
  assert.deepEqual(judgments.map((/** @type {string[]} */ [url, , similar]) => [url, similar]), [[JAM, "yes"], [JAM, "no"]]);
  assert.equal(await first.getByRole("button", { name: "Yes" }).getAttribute("aria-pressed"), "true");
  assert.deepEqual(await complaints(page), []);
  // The other page has the same judgment.
  await page.goto(`${served.url}#url=${judgments[0][1]}`);
  await demo.answer();
  const back = page.getByRole("group", { name: /Plum jam$/ });
  assert.equal(await back.getByRole("button", { name: "Yes" }).getAttribute("aria-pressed"), "true");
  await back.getByRole("button", { name: "No" }).click();
  await back.getByRole("button", { name: "No" }).click(); // undoes it
  await judge.getByText("1 judgment stored only in this browser.").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), judge.getByRole("button", { name: "Save as CSV" }).click()]);
  assert.equal(download.suggestedFilename(), "judgments.csv");
  assert.equal(await readFile(await download.path(), "utf8"), `url,other_url,similar\n${judgments[1].join(",")}\n`);
  await judge.getByRole("button", { name: "Remove all" }).click();
  assert.equal(await kept(), null);
}));

test("a copied link opens the answer for a page or a cluster, and contains nothing of a text", () => onDemo(async (demo, page) => {
  const copy = async () => {
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.locator("#share-note").getByText(/^Link copied/).waitFor();
    return [await page.evaluate(() => navigator.clipboard.readText()), await page.locator("#share-note").innerText()];
  };
  await demo.paste("Simmer the plums, add the sugar");
  assert.deepEqual(await copy(), [served.url, "Link copied. It opens this page. Links never contain your text."]);
  await demo.results.first().getByRole("button", { name: /^Similar pages/ }).click();
  await demo.answerFor("Plum jam");
  assert.deepEqual(await copy(), [`${served.url}#url=${JAM}`, "Link copied. It opens this answer."]);
}, { permissions: ["clipboard-read", "clipboard-write"] }));

// The start

test("examples are titles of the site, the same at each visit, and a click searches for them", () => onDemo(async (demo, page) => {
  const examples = page.getByRole("list", { name: "Examples from this site" }).getByRole("button");
  await examples.first().waitFor();
  const titles = await examples.allInnerTexts();
  assert.ok(titles.length >= 3 && titles.length <= 4 && new Set(titles).size === titles.length, titles.join());
  await page.reload();
  await examples.first().waitFor();
  assert.deepEqual(await examples.allInnerTexts(), titles);
  await examples.nth(1).click();
  const found = await demo.answerFor("your text");
  assert.equal(await demo.text.inputValue(), titles[1]);
  assert.ok(found.some(({ title }) => title === titles[1]), JSON.stringify(found));
}));

// The map and the clusters

test("the map shows the results and pages similar to them, works by keyboard, equals its list, and fetches nothing", () => onDemo(async (demo, page) => {
  const found = await demo.paste(await copied(page, JAM));
  await demo.excerpt();
  const { requested } = await answerOtherwise(page.context(), /./, (route) => route.continue());
  await openMap(page);
  assert.deepEqual(requested.map((url) => path.basename(url)), ["demo-map.js"]);
  const nodes = page.locator("#map svg a");
  const names = await nodes.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label") ?? ""));
  assert.ok(names.length >= found.length && names.length <= 20, names.join());
  for (const { title } of found) assert.ok(names.some((name) => name.includes(title)), `${title} in ${names}`);
  assert.ok((await page.locator("#map .line").count()) > 0);
  const listed = await page.locator("#map .map-list li a").allInnerTexts();
  assert.deepEqual(listed.sort(), names.map((name) => name.replace(/^\d+: /, "").replace(/, similar to a result$/, "")).sort());

  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), names[0], "one stop for all nodes");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), names[1]);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), names[0]);
  await page.setViewportSize({ width: 400, height: 700 });
  await page.waitForFunction(() => document.querySelector("#map svg")?.clientWidth ?? 999 < 400);
  assert.equal(await focused(), names[0], "it is redrawn, and the focus stays");
  await page.keyboard.press("Enter");
  await demo.answerFor(names[0].replace(/^\d+: /, ""));
  assert.match(page.url(), /#url=/);
}));

test("a page names its cluster, whose page lists its pages and links to others", () => onDemo(async (demo, page) => {
  await demo.answerFor("Plum jam");
  const line = page.locator("#cluster");
  const [, count, center] = (await line.innerText()).match(/^One of (\d+) pages around (.+)$/) ?? [];
  assert.ok(Number(count) > 1, await line.innerText());
  await line.getByRole("link").click();
  await page.getByRole("heading", { name: new RegExp(`^\\d+ pages around ${center}$`) }).waitFor();
  assert.match(page.url(), /#cluster=\/.+\.html$/);
  await demo.status.getByText("All are similar to the first.").waitFor();
  const titles = await demo.results.locator("h3").allInnerTexts();
  assert.equal(titles[0], center);
  assert.ok(titles.includes("Plum jam"), titles.join());
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), `${titles.length} pages around ${center}`);
  await openMap(page);
  assert.equal(await page.locator("#map svg a").count(), Math.min(19, titles.length - 1));
  const other = page.locator("#beside-clusters a").first();
  const name = await other.innerText();
  await other.click();
  await page.getByRole("heading", { name }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: new RegExp(`pages around ${center}$`) }).waitFor();
}, { hash: `#url=${JAM}` }));

// Accessibility

test("axe finds nothing in any state, on any screen, in light and dark", async () => {
  for (const [width, colorScheme] of /** @type {const} */ ([[1280, "light"], [390, "dark"]])) {
    await onDemo(async (demo, page) => {
      /** @param {string} state */
      const check = async (state) => assert.deepEqual(await complaints(page), [], `${state}, ${width} wide, ${colorScheme}`);
      await page.locator("#examples button").first().waitFor();
      await page.getByText("Recent texts", { exact: true }).click();
      await check("at the start");
      await demo.paste(await readFile(path.join(TEACHING_SITE, LETTER), "utf8"));
      await demo.excerpt();
      await openMap(page);
      await page.getByText("Cost of this answer").click();
      await check("with an answer and a map");
      await demo.results.first().getByRole("button", { name: /^Side by side/ }).click();
      await page.locator("dialog mark").first().waitFor();
      await check("side by side");
      await page.keyboard.press("Escape");
      await page.goto(`${served.url}#cluster=${JAM}`);
      await page.getByRole("heading", { level: 2, name: /pages around/ }).waitFor();
      await check("on a cluster");
    }, { viewport: { width, height: 800 }, colorScheme });
  }
});
