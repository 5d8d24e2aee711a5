// @ts-check
/**
 * The lab in Chromium: on desktops and phones, in dark mode, with reduced motion, with a keyboard,
 * and opened by URLs of its states. Its numbers must equal those of the native core
 * (`snapshots/lab.json`, written by `tests/site/lab.rs`).
 *
 * @import {BrowserContextOptions, Page} from "playwright-core"
 * @import {Opened, Served} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build, complaints, launch, LONG, openPage, serve, servePlainly, similar, teachingFolder, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const PAGES = ["", "bag.html", "minhash.html", "lsh.html", "center.html", "copies.html", "lookup.html", "teach.html", "answers.html", "glossary.html"];
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const EXPECTED = JSON.parse(await readFile(new URL("../snapshots/lab.json", import.meta.url), "utf8"));

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Served} */
let served;

before(async () => {
  served = await serve(await teachingFolder(), { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/** @param {Page} page */
const ready = (page) => page.waitForFunction(() => document.body?.dataset.state === "ready" && document.getElementById("said")?.textContent !== "");

/**
 * Runs a check on a page of the lab, and sees to it that nothing else went wrong: no error, no
 * violation of the policy, no request to anywhere else.
 *
 * @param {string} name with what stands behind it in the address
 * @param {(page: Page, opened: Opened) => Promise<unknown>} check
 * @param {BrowserContextOptions & {url?: string}} [options]
 */
async function onLab(name, check, { url = served.url, ...options } = {}) {
  const opened = await openPage(browser, `${url}lab/${name}`, options);
  try {
    await ready(opened.page);
    await check(opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

/** What stands below the figure. @param {Page} page */
const said = (page) => page.locator("#said").textContent();

/**
 * Waits until the sentence below the figure is as expected.
 *
 * @param {Page} page
 * @param {RegExp} pattern
 */
async function saying(page, pattern) {
  await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("said")?.textContent ?? ""), pattern.source)
    .catch(async () => assert.match((await said(page)) ?? "", pattern));
  return said(page);
}

/** A filled-in number. @param {Page} page @param {string} name */
const value = async (page, name) => (await page.locator(`[data-v="${name}"]`).first().textContent()) ?? "";

/**
 * Goes on with the Tab key until an element has the focus.
 *
 * @param {Page} page
 * @param {string} selector
 */
async function tabTo(page, selector) {
  for (let at = 0; at < 80; at += 1) {
    await page.keyboard.press("Tab");
    const there = await page.evaluate((selector) => document.activeElement?.matches(selector) && getComputedStyle(document.activeElement).outlineStyle !== "none", selector);
    if (there) return;
  }
  assert.fail(`${selector} is not reached by the Tab key, or does not show that it has the focus`);
}

// Every page

/** The page that a phone is always tried with. */
const ON_PHONE = "lsh.html";
const SIZES = /** @satisfies {Record<string, BrowserContextOptions>} */ ({
  "on a desktop": { viewport: { width: 1200, height: 900 } },
  "on a phone": PHONE,
  "dark, without motion": { colorScheme: "dark", reducedMotion: "reduce", viewport: { width: 1200, height: 900 } },
});

/**
 * That a page of the lab is no wider than the window, has all its numbers, and nothing for axe to
 * complain of.
 *
 * @param {string} name
 * @param {BrowserContextOptions} options
 */
const works = (name, options) => onLab(name, async (page) => {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  await page.waitForTimeout(100);
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide[0] <= wide[1], `${name} is ${wide[0]} wide on ${wide[1]}`);
  const empty = await page.locator("[data-v]").evaluateAll((places) => places.filter((place) => !place.textContent && place.getAttribute("data-v") !== "sampled").map((place) => place.getAttribute("data-v")));
  assert.deepEqual(empty, [], `${name} has numbers that are not filled in`);
  assert.deepEqual(await complaints(page), [], name);
}, options);

for (const [kind, options] of /** @type {[string, BrowserContextOptions][]} */ (Object.entries(SIZES))) {
  test(`every page of the lab works ${kind}, and axe finds nothing`, kind === "on a desktop" ? {} : LONG, async () => {
    for (const name of PAGES) await works(name, options);
  });
}

test("a page of the lab works on a phone, and axe finds nothing", () => works(ON_PHONE, PHONE));

test("the demo links to the lab, and the lab to all its pages, which preserve the selected pages", async () => {
  const { page, problems, close } = await openPage(browser, served.url);
  await page.getByRole("link", { name: /the lab/i }).click();
  await ready(page);
  const chosen = "/garden/compost/worm-bin.html";
  await page.locator('select[data-page="a"]').selectOption(chosen);
  for (const name of PAGES.slice(1, 7)) {
    await page.locator(`#steps a[href^="${name}"]`).click();
    await page.waitForURL(new RegExp(`/${name}#.*a=${chosen}`));
    await ready(page);
    assert.equal(await page.locator(`#steps a[aria-current="page"]`).getAttribute("href"), `${name}#a=${chosen}`);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("a page of the lab needs few bytes, and only files of the lab, the index and the site are requested", async () => {
  for (const name of PAGES) {
    const { page, problems, close } = await openPage(browser, `${served.origin}/garden/`);
    /** @type {Map<string, import("playwright-core").Response>} */
    const files = new Map();
    page.on("response", (response) => files.set(new URL(response.url()).pathname, response));
    await page.goto(`${served.url}lab/${name}`);
    await ready(page);
    let packed = 0;
    for (const [file, response] of [...files]) {
      assert.match(file, /^\/pagekin\/(lab\/|index\/|demo\.css$|pagekin\.manifest$)|^\/[a-z/-]+\.html$|^\/favicon\.ico$/);
      if (/\/pagekin\/.*(\.html|\.css|\.js|\/)$/.test(file)) packed += gzipSync(await response.body()).length;
    }
    assert.ok(packed > 5_000 && packed <= 36_000, `${name || "index.html"}: ${packed} bytes, packed, of ${[...files.keys()]}`);
    assert.deepEqual(problems, []);
    await close();
  }
});

// By keyboard, and by address

/** What is done on each page with the keyboard alone, and what it says then. @type {[string, (page: Page) => Promise<unknown>, RegExp][]} */
const BY_KEYBOARD = [
  ["bag.html", async (page) => {
    await tabTo(page, '[data-key="step"]');
    await page.keyboard.press("End");
  }, /^\d+ copies are in both bags, \d+ in either/],
  ["minhash.html", async (page) => {
    await tabTo(page, '[data-add="n=10"]');
    await page.keyboard.press("Enter");
  }, /^Draw 10: .* Agreed so far \d of 10/],
  ["lsh.html", async (page) => {
    await tabTo(page, '[data-key="k"]');
    await page.keyboard.press("ArrowRight");
  }, /^With k 3 and l 20, this draw found \d+ of the \d+ pairs/],
  ["center.html", async (page) => {
    await saying(page, /No page is in a group yet/);
    await tabTo(page, "#next");
    await page.keyboard.press("Enter");
  }, /^Step 1 of \d+: .* becomes a center/],
  ["copies.html", async (page) => {
    await tabTo(page, '[data-set="edit=two"]');
    await page.keyboard.press("Space");
  }, /^Of \d+ words, \d+ of \d+ runs are in both: resemblance 0\.\d\d/],
];

test("every figure works by keyboard alone, and its URL restores its state", async () => {
  for (const [name, act, pattern] of BY_KEYBOARD) {
    await onLab(name, async (page) => {
      await act(page);
      const sentence = await saying(page, pattern);
      // Aloud it is said once things are still.
      await page.waitForFunction((sentence) => document.getElementById("aloud")?.textContent === sentence, sentence);
      assert.match(page.url(), /#/);
      await onLab(`${name}${new URL(page.url()).hash}`, async (again) => assert.equal(await saying(again, pattern), sentence));
    }, { reducedMotion: "reduce" });
  }
});

test("a bet is answered by keyboard, and shows the guess next to the truth", async () => {
  await onLab("minhash.html", async (page) => {
    await tabTo(page, ".bet input[type=range]");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const truth = page.locator(".bet details").first();
    assert.equal(await truth.getAttribute("open"), "");
    const { both, either } = EXPECTED.overlap;
    assert.match((await truth.textContent()) ?? "", new RegExp(`You said: 1\\. In about ${Math.round((100 * both) / either)}: ${both} of the ${either} rows`));
    assert.equal(await page.locator(".guess").first().getAttribute("aria-label"), `You said 1; it is ${Math.round((100 * both) / either)}.`);
  });
  await onLab("lsh.html", async (page) => {
    await page.getByLabel("a little more than half").check();
    const { exact, textbook } = EXPECTED.lsh.find((/** @type {any} */ { k, l }) => k === 3 && l === 125);
    const answer = (await page.locator(".bet details").first().textContent()) ?? "";
    assert.match(answer, new RegExp(`You said: a little more than half\\. .* half: ${exact}\\. .* gives ${textbook},`));
    assert.deepEqual([exact, textbook], ["0.56", "0.63"]);
  });
});

test("an invalid URL shows the start", async () => {
  const nonsense = "#k=-1&l=many&seed=x&a=/gone.html&n=1e99&step=99999&t=nan&w=7&edit=none-such&from=z&rule=%";
  for (const name of PAGES.slice(1, 7)) await onLab(`${name}${nonsense}`, (page) => saying(page, /./));
});

// Numbers

test("the pages show what the core computes natively", async () => {
  const { a, b, overlap, bag } = EXPECTED;
  await onLab("bag.html#step=5", async (page) => {
    assert.equal(await page.locator('select[data-page="a"]').inputValue(), a);
    assert.equal(await page.locator('select[data-page="b"]').inputValue(), b);
    for (const [name, number] of Object.entries(bag)) assert.equal(await value(page, name), String(number), name);
    await saying(page, new RegExp(`^${overlap.both} copies are in both bags, ${overlap.either} in either: so the similarity is ${(overlap.both / overlap.either).toFixed(2)}`));
  });
  await onLab("minhash.html", async (page) => {
    for (const { n, agreed } of EXPECTED.race) {
      await page.evaluate((n) => { location.hash = `n=${n}`; }, n);
      await saying(page, new RegExp(`^Draw ${n}: .* Agreed so far ${agreed} of ${n},`));
    }
  });
  await onLab("lsh.html", async (page) => {
    for (const { k, l, found, compared, exact, textbook, meanFound } of EXPECTED.lsh) {
      await page.evaluate(([k, l]) => { location.hash = `k=${k}&l=${l}`; }, [k, l]);
      await saying(page, new RegExp(`k ${k} and l ${l}, this draw found ${found} of the ${EXPECTED.wanted} .* compares ${compared} of 2,278`));
      assert.deepEqual([await value(page, "exactHere"), await value(page, "textbookHere")], [exact, textbook]);
      const row = page.locator("#heat-rows tr").filter({ has: page.locator("th", { hasText: `${k}` }) }).filter({ has: page.locator("td", { hasText: new RegExp(`^${l}$`) }) });
      assert.equal(await row.locator("td").nth(1).textContent(), Number(meanFound).toFixed(1));
    }
    assert.equal((await value(page, "all")).replace(",", ""), String(EXPECTED.pairs));
  });
  await onLab("center.html", async (page) => {
    assert.equal(await page.locator('select[data-page="a"]').inputValue(), EXPECTED.centerStart.page);
    assert.equal(await page.locator('output[data-of="t"]').first().textContent(), EXPECTED.centerStart.threshold);
  });
  await onLab(`center.html#step=0&t=0.15&a=${a}`, async (page) => {
    assert.match((await said(page)) ?? "", new RegExp(`^${EXPECTED.neighbors} pages, ${EXPECTED.steps / 2} pairs?, each read in both directions: ${EXPECTED.steps} steps`));
    const row = page.locator("#thresholds tr").filter({ has: page.locator("th", { hasText: /^0\.10$/ }) });
    const { center, components } = EXPECTED;
    assert.deepEqual(await row.locator("td").allTextContents(), [center.largest, components.largest, `${center.below} of ${center.within}`, `${components.below} of ${components.within}`].map(String));
  });
  await onLab("copies.html", async (page) => {
    for (const { edit, both, either, supershingles, bits } of EXPECTED.edits) {
      await page.locator(`.figure button[data-set="edit=${edit}"]`).click();
      await saying(page, new RegExp(`${both} of ${either} runs .* Supershingles: ${supershingles} of 6 equal, .* SimHash: ${bits} of 384`));
    }
    await page.getByText("Write the copy yourself").click();
    await page.locator('[data-key="from"]').selectOption("b");
    await page.locator('.figure button[data-set="edit=none"]').click();
    await saying(page, new RegExp(`, ${EXPECTED.quoted.both} of .* SimHash: ${EXPECTED.quoted.bits} of 384`));
  });
});

test("the answers about invented texts are those of the number of words in the question", async () => {
  // Of n words, n − 9 runs of 10; a changed word breaks 10 of them.
  const broken = (/** @type {number} */ n, /** @type {number} */ changed) => [n - 9, n - 9 - 10 * changed, n - 9 + 10 * changed];
  await onLab("answers.html", async (page) => {
    const [runs, both, either] = broken(100, 5);
    assert.deepEqual([await value(page, "fiveRuns"), await value(page, "fiveBoth"), await value(page, "fiveShare")], [`${runs}`, `${both}`, (both / either).toFixed(2)]);
  });
  await onLab("copies.html", async (page) => {
    const [runs, both, either] = broken(200, 1);
    const names = ["oneRuns", "oneBoth", "oneEither", "oneShare"];
    assert.deepEqual(await Promise.all(names.map((name) => value(page, name))), [`${runs}`, `${both}`, `${either}`, (both / either).toFixed(2)]);
  });
});

test("CENTER runs step by step to the end, and a shuffle gives other numbers", async () => {
  await onLab(`center.html#step=0&t=0.15&a=${EXPECTED.a}`, async (page) => {
    for (let step = 1; step <= EXPECTED.steps; step += 1) {
      await page.locator("#next").click();
      await saying(page, new RegExp(`^Step ${step} of ${EXPECTED.steps}: .* CENTER: .* Components: `));
    }
    await page.locator("#next").click();
    await saying(page, /No page is in a group yet/);
    const names = () => page.locator("#nodes th").allTextContents();
    const before = await names();
    for (let tries = 0; tries < 5 && String(await names()) === String(before); tries += 1) await page.locator('.figure [data-add="order=1"]').click();
    assert.notDeepEqual(await names(), before);
  });
});

test("the LSH puzzle uses means of 100 draws", async () => {
  await onLab("lsh.html#k=2&l=32", async (page) => {
    await page.locator("#mean").click();
    await saying(page, /^Mean of 100 draws with k 2 and l 32: 1\d\.\d of \d+ similar pairs found/);
    assert.equal(await page.locator("#tries tr").count(), 1);
    await page.locator('[data-figure="curve"] [data-set^="k=3"]').click();
    await saying(page, /^With k 3 and l 125, this draw found/);
    assert.equal(await page.locator("#tries tr").count(), 1, "a choice of the figure is not a try");
    await page.locator("#likest button").first().evaluate((button) => /** @type {HTMLElement} */ (button).click());
    assert.match((await page.locator("#pair-says").textContent()) ?? "", /similarity 1\.00/);
  });
});

// Texts that are written here

test("a typed text stays in the tab, and the figures follow it", async () => {
  await onLab("bag.html", async (page) => {
    await page.getByText("Write your own text in place of A").click();
    await page.locator("#own").fill("rye rye flour and the treacle <img src=x onerror=alert(1)>");
    await page.locator('[data-add="step=1"]').click();
    await saying(page, /stop words/);
    assert.doesNotMatch(page.url(), /rye|treacle/);
    assert.equal(await page.locator("#text img").count(), 0);
    await page.locator("#own").fill("");
    await saying(page, /^Nothing of this text is left/);
    await page.locator("#page-again").click();
    await saying(page, /stop words/);
  });
  await onLab("copies.html", async (page) => {
    await page.getByText("Write the copy yourself").click();
    await page.locator("#copy").fill("only a few words");
    await saying(page, /^Of \d words, 0 of/);
    assert.doesNotMatch(page.url(), /words/);
  });
});

test("a lookup names files and nothing of the text, finds the same as the program, and fetches nothing twice", async () => {
  const text = "Rye flour has hardly any useful gluten, so a rye loaf is never kneaded or folded the way wheat dough is.";
  const expected = await similar(await teachingFolder(), ["-", "--limit", "6"], text);
  await onLab("lookup.html", async (page) => {
    /** @type {string[]} */
    const requested = [];
    page.on("request", (request) => requested.push(request.url() + (request.postData() ?? "")));
    await page.locator("#subject").fill(text);
    await page.locator("#look").click();
    const costs = await saying(page, /^\d+ files, .* in \d rounds: \d pages found/);
    assert.match(costs ?? "", new RegExp(`^${expected.cost.requests} files, ${(expected.cost.bytes / 1000).toFixed(1)} kB, in ${expected.cost.rounds} rounds`));
    const titles = await page.locator("#found > li").allTextContents();
    assert.deepEqual(titles.map((title) => title.split(":")[0]), expected.results.map(({ title }) => title.split(":")[0]));
    assert.ok(!requested.some((request) => /rye|gluten/i.test(request)), requested.join(" "));
    await page.locator("#look").click();
    await saying(page, /^0 files, 0 bytes, in 0 rounds/);
    await page.locator("#forget").click();
    await page.locator("#look").click();
    await saying(page, new RegExp(`^${expected.cost.requests} files`));
    await page.locator("#subject").fill("the of and");
    await page.locator("#look").click();
    await saying(page, /^The lookup failed: /);
  });
});

// Any index

test("the lab works on an index with lists, without the site's pages, and reports what is missing", async () => {
  const folder = await build(TEACHING_SITE, "--block-pages", "2");
  const bare = await serve(folder);
  try {
    for (const name of PAGES) {
      const opened = await openPage(browser, `${bare.url}lab/${name}`);
      await ready(opened.page);
      if (name === "lookup.html") {
        await opened.page.locator("#look").click();
        await saying(opened.page, /^\d+ files, .* in 3 rounds: \d pages found/);
        assert.match((await opened.page.locator("#rounds").textContent()) ?? "", /lists of words/);
        // With some files cached, the rounds name as many as the host has seen.
        await opened.page.locator("#subject").fill("Rye flour has hardly any useful gluten, so a rye loaf is never kneaded or folded the way wheat dough is.");
        await opened.page.locator("#look").click();
        await opened.page.locator("#sent").filter({ hasText: /^The host has seen \d+ file names of/ }).waitFor();
        await saying(opened.page, /^\d+ files, .* pages found/);
        const [rounds, sent] = [await opened.page.locator("#rounds").textContent(), await opened.page.locator("#sent").textContent()];
        const named = [...(rounds ?? "").matchAll(/(\d+) files? of [a-z ]+, [\d.]+ (?:kB|bytes)/g)].reduce((sum, [, files]) => sum + Number(files), 0);
        assert.match(rounds ?? "", /\(\d+ cached\)/);
        assert.match(sent ?? "", new RegExp(`^The host has seen ${named} file names`));
      }
      // The pages themselves are not there: that is all that may be missing.
      assert.deepEqual(opened.problems.filter((problem) => !/404|\.html|Failed to load resource/.test(problem)), [], name);
      await opened.close();
    }
  } finally {
    await bare.stop();
  }
});

test("menus of a site without marked bodies are excluded, and the lab does not start with a table of contents", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await mkdir(site);
  const words = (await readFile(path.join(TEACHING_SITE, "kitchen/preserves/plum-jam.html"), "utf8")).replace(/<[^>]*>/g, " ").match(/[a-z]{4,}/g) ?? [];
  for (let page = 0; page < 12; page += 1) {
    const own = Array.from({ length: 60 }, (_, at) => words[(page * 17 + at * 7) % words.length]).join(" ");
    const body = page % 3 ? `<p>Page ${page} says: ${own}.</p>` : `<p>Contents of chapter ${page}</p>`;
    await writeFile(path.join(site, `${page}.html`), `<title>Page ${page}</title><p>Previous page</p><p>Start of the manual</p>${body}`);
  }
  const menus = await serve(await build(site, "--block-pages", "2"), { site });
  try {
    await onLab("", async (page) => {
      for (const id of ["text-a", "text-b"]) await page.locator(`#${id}`).filter({ hasText: /^Page \d+ says: / }).waitFor();
    }, { url: menus.url });
  } finally {
    await menus.stop();
  }
});

test("a site with more pages than are shown is sampled, and the lab reports it", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await mkdir(site);
  const pages = (await readdir(path.join(TEACHING_SITE, "kitchen"), { recursive: true })).filter((name) => name.endsWith(".html"));
  for (let copy = 0; copy < 24; copy += 1) {
    for (const name of pages) await cp(path.join(TEACHING_SITE, "kitchen", name), path.join(site, `${copy}`, name));
  }
  const large = await serve(await build(site), { site });
  try {
    await onLab("", async (page) => {
      assert.match(await value(page, "sampled"), /^Of the \d+ pages of this site, \d+ are shown/);
      assert.match((await page.locator("footer").textContent()) ?? "", /The results for \d+ of the \d+ pages of this site/);
    }, { url: large.url });
  } finally {
    await large.stop();
  }
});

// Figures

/** The figures of each page, with the button that changes each, if it is not the first one. @type {[string, string, string?][]} */
const FIGURES = [
  ["", "guess", "input[type=range]"], ["", "class", "[data-key=truth]"], ["bag.html", "bag"], ["minhash.html", "matrix"], ["minhash.html", "draws"],
  ["minhash.html", "fan"], ["lsh.html", "buckets"], ["lsh.html", "curve"], ["lsh.html", "heat"], ["center.html", "center"],
  ["center.html", "threshold", ".acts input[type=range]"], ["copies.html", "copies"], ["lookup.html", "lookup"],
];

test("the address shows a figure alone, and a button saves its drawing and its data", async () => {
  for (const [name, figure] of FIGURES) {
    await onLab(`${name}?figure=${figure}`, async (page) => {
      assert.deepEqual(await page.locator("[data-figure]:visible").evaluateAll((all) => all.map((one) => /** @type {HTMLElement} */ (one).dataset.figure)), [figure]);
      assert.equal(await page.locator("header:visible, h1:visible, footer:visible, .take:visible").count(), 0);
    });
  }
  await onLab("lsh.html#k=3&l=125", async (page) => {
    const figure = page.locator('[data-figure="heat"]');
    await figure.getByText("Use this figure").click();
    const address = await figure.getByRole("link", { name: "This figure alone" }).getAttribute("href");
    assert.match(address ?? "", /lsh\.html\?figure=heat#k=3&l=125$/);
    assert.equal(await figure.getByLabel("HTML that shows").inputValue(), `<iframe src="${address}" width="800" height="600" title="heat"></iframe>`);
    const saved = async (/** @type {string} */ kind) => {
      const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: kind, exact: true }).click()]);
      assert.equal(download.suggestedFilename(), `heat.${kind.toLowerCase()}`);
      return readFile(await download.path());
    };
    assert.match((await saved("CSV")).toString(), /^k,l,Found,False negatives,False positives,Compared\r\n1,1,/);
    const svg = (await saved("SVG")).toString();
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*Recall/s);
    assert.doesNotMatch(svg, /class=|style=/);
    assert.equal((await saved("PNG")).subarray(1, 4).toString(), "PNG");
  });
});

test("a page of slides on a static host shows a figure", async () => {
  const root = await temporaryFolder();
  await symlink(path.resolve(await teachingFolder()), path.join(root, "pagekin"), "junction");
  await writeFile(path.join(root, "slides.html"), '<!doctype html><title>Slides</title><iframe width="800" height="600" src="pagekin/lab/center.html?figure=center#case=star&amp;step=3"></iframe>');
  const host = await servePlainly(root);
  const { page, problems, close } = await openPage(browser, `${host.origin}/slides.html`);
  const figure = page.frameLocator("iframe");
  await figure.locator("body[data-state=ready] .shown #centers rect").first().waitFor();
  assert.match((await figure.locator("#said").textContent()) ?? "", /^Step 3 of 10: /);
  assert.deepEqual(problems, []);
  await close();
  await host.stop();
});

test("slides on disk and on another host show a figure of a static host, of a preview, and of a file", async () => {
  const root = await temporaryFolder();
  await symlink(path.resolve(await teachingFolder()), path.join(root, "pagekin"), "junction");
  const file = path.join(root, "find.html");
  await build(TEACHING_SITE, "--offline-bundle", file);
  const [host, other] = [await servePlainly(root), await servePlainly(root)];
  const figure = "lab/center.html?figure=center#case=star&amp;step=3";
  const of = { host: `${host.origin}/pagekin/${figure}`, preview: `${served.url}${figure}`, file: "find.html?lab/center.html&amp;figure=center#case=star&amp;step=3" };
  const write = (/** @type {string} */ name) => writeFile(path.join(root, `${name}.html`), `<!doctype html><title>Slides</title><iframe width="800" height="600" src="${of[/** @type {keyof typeof of} */ (name)]}"></iframe>`);
  for (const name of ["host", "preview", "file"]) {
    await write(name);
    for (const slides of [pathToFileURL(path.join(root, `${name}.html`)).href, `${other.origin}/${name}.html`]) {
      const { page, problems, close } = await openPage(browser, slides);
      const frame = page.frameLocator("iframe");
      await frame.locator("body[data-state=ready] .shown #centers rect").first().waitFor();
      assert.match((await frame.locator("#said").textContent()) ?? "", /^Step 3 of 10: /);
      const others = problems.filter((problem) => !/^request to/.test(problem));
      assert.deepEqual(others, [], slides);
      await close();
    }
  }
  await host.stop();
  await other.stop();
});

test("a sentence is a sum of arrows, if the index has vectors", async () => {
  // Only English words have vectors.
  const { url, stop } = await serve(await build(TEACHING_SITE, "--lang", "de", "--force-lang"), { site: TEACHING_SITE });
  try {
    await onLab("lookup.html", async (page) => {
      assert.ok(await page.getByText("This index has no vectors").isVisible());
      assert.equal(await page.locator("#meaning").isVisible(), false);
    }, { url });
  } finally {
    await stop();
  }
  await onLab("lookup.html", async (page) => {
    const says = page.locator("#meaning-says");
    await says.filter({ hasText: /^3 words of 3 added: pruning \+ apple \+ trees\. The nearest page is “/ }).waitFor();
    assert.deepEqual(await complaints(page), []);
    // In other words than those of the title.
    await page.locator("#sentence").fill("How do I cut back fruit trees?");
    await says.filter({ hasText: /^4 words of 4 added: cut \+ back \+ fruit \+ trees\./ }).waitFor();
    assert.match((await page.locator("#near-pages").textContent()) ?? "", /Pruning apple trees/);
    assert.equal(await page.locator("#meaning .worse").count(), 4);
    await page.locator("#next-word").click();
    await says.filter({ hasText: /^4 words to add/ }).waitFor();
    await page.locator("#next-word").click();
    await page.waitForFunction(() => document.getAnimations().length > 0);
    await says.filter({ hasText: /^1 word of 4 added: cut\./ }).waitFor();
    assert.doesNotMatch(page.url(), /fruit/);
    await page.locator("#meaning").focus();
    await page.keyboard.press("ArrowRight");
    assert.match((await page.locator("#near-says").textContent()) ?? "", /^“.+”: cosine -?\d\.\d\d with the sum\.$/);
  }, { viewport: { width: 390, height: 844 } });
});

/** What sets each figure in motion. @type {[string, string, string][]} */
const MOVING = [
  ["bag.html", "bag", '[data-figure="bag"] [data-add="step=1"]'], ["minhash.html", "matrix", '[data-add="p=1"]'],
  ["minhash.html", "draws", '[data-figure="draws"] [data-add="n=1"]'], ["minhash.html", "fan", '[data-figure="fan"] [data-set="fan=1"]'],
  ["lsh.html", "buckets", "#next-key"], ["center.html", "center", "#next"], ["copies.html", "copies", "#walk"],
];

test("figures move when a step changes them, and not with reduced motion", async () => {
  for (const isCalm of [false, true]) {
    for (const [name, , button] of MOVING) {
      await onLab(name, async (page) => {
        await page.waitForFunction(() => document.getAnimations().length === 0);
        await page.locator(button).first().click();
        // A page that waits for a text draws later.
        if (!isCalm) await page.waitForFunction(() => document.getAnimations().length > 0);
        else assert.equal(await page.evaluate(async () => (await new Promise(requestAnimationFrame), document.getAnimations().length)), 0, name);
      }, isCalm ? { reducedMotion: "reduce" } : {});
    }
  }
});

test("on a phone, a figure and the button that changes it are on one screen", async () => {
  for (const [name, figure, control = ".main-action"] of FIGURES) {
    await onLab(name, async (page) => {
      const seen = await page.evaluate(({ figure, control }) => {
        const section = /** @type {HTMLElement} */ (document.querySelector(`[data-figure="${figure}"]`));
        const drawing = /** @type {HTMLElement} */ ([...section.querySelectorAll("svg[id], #text, #parts, .marked")].find((one) => one.getClientRects().length > 0));
        drawing.scrollIntoView();
        const [box, button] = [drawing, /** @type {HTMLElement} */ (section.querySelector(control))].map((one) => one.getBoundingClientRect());
        return { top: box.top, bottom: Math.min(box.bottom, box.top + 500), button: [button.top, button.bottom], high: innerHeight };
      }, { figure, control });
      assert.ok(seen.button[0] >= 0 && seen.button[1] <= seen.high + 1 && seen.top >= -1, `${name} ${figure}: ${JSON.stringify(seen)}`);
    }, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  }
});

test("marks of drawings are read by keyboard, and pairs of the curve by touch", async () => {
  await onLab("minhash.html", async (page) => {
    await page.locator("#strip").focus();
    await page.keyboard.press("ArrowRight");
    assert.match((await page.locator("#strip-says").textContent()) ?? "", /^Row 1: copy 1 of “.+”, in both pages\.$/);
  });
  await onLab("center.html", async (page) => {
    await page.locator("#centers").focus();
    await page.keyboard.press("End");
    assert.match((await page.locator("#node-says").textContent()) ?? "", /^4: .+ In no group yet\.$/);
  });
  await onLab("lsh.html", async (page) => {
    const [x, y] = await page.locator("#curve .found").evaluate((marks) => (/M([\d.]+) ([\d.]+)/.exec(marks.getAttribute("d") ?? "") ?? []).slice(1).map(Number));
    await page.locator("#curve").tap({ position: { x, y } });
    await page.waitForFunction(() => /mark=/.test(location.hash));
    assert.match((await page.locator("#pair-says").textContent()) ?? "", /similarity \d\.\d{3} .* keys? of 20 in common\.$/);
    assert.ok(await page.locator("#pair-strips path").count() > 3);
  }, PHONE);
});

test("the result is not shown before the bet", async () => {
  const { both, either } = EXPECTED.overlap;
  for (const name of ["", "bag.html", "minhash.html#n=10"]) {
    await onLab(name, async (page) => {
      const text = await page.locator("main").innerText();
      for (const result of [`${both} of`, (both / either).toFixed(2)]) assert.ok(!text.includes(result), `${name} shows ${result}`);
      if (name.startsWith("minhash")) assert.equal(await page.locator("#fan-says").textContent(), "One run of 10 draws. Other runs have other random orders.");
    });
  }
});

test("the cases of CENTER differ by the two rules, and single centers are named", async () => {
  for (const [name, note] of /** @type {[string, RegExp][]} */ ([
    ["bridge", /^\d groups? of two or more\./], ["chain", /^3 groups of two or more\. All 3 pairs inside are similar\.$/],
    ["star", /^1 group of two or more\. The only pair inside is similar\. 4 single centers: 1 \(Page b\), 3 \(Page d\)/],
  ])) {
    await onLab(`center.html#case=${name}&step=99`, async (page) => {
      assert.match((await page.locator("#centers-say").textContent()) ?? "", note);
      assert.match((await page.locator("#components-say").textContent()) ?? "", /^1 group of two or more\. Of \d+ pairs inside, \d+ are not similar\.$/);
    });
  }
});

test("the guesses of a class are a histogram, and the answer is shown on demand", async () => {
  await onLab("", async (page) => {
    await page.locator("#guesses").fill("Ada 40\nBen: 65 %\n30\nnonsense\n900");
    assert.equal(await page.locator("#class-says").textContent(), "3 guesses, from 30 to 65.");
    assert.deepEqual(await page.locator("#guess-rows tr").allTextContents(), ["Ada40", "Ben65", "330"]);
    const box = page.getByLabel("show the answer");
    await box.check();
    assert.match((await page.locator("#class-says").textContent()) ?? "", / The answer is \d+\.$/);
    await box.uncheck();
    assert.doesNotMatch((await page.locator("#class-says").textContent()) ?? "", /The answer/);
    await page.getByText("Answer", { exact: true }).click();
    await page.locator("#class-says").filter({ hasText: / The answer is \d+\.$/ }).waitFor();
    assert.ok(await box.isChecked(), "the box shows that the answer is shown");
    assert.doesNotMatch(page.url(), /Ada/);
  });
});

// Failures

test("without JavaScript the text and the answers can be read", async () => {
  const { page, close } = await openPage(browser, `${served.url}lab/minhash.html`, { javaScriptEnabled: false });
  assert.ok(await page.getByRole("heading", { name: "Can eighty numbers represent a page?" }).isVisible());
  assert.match(await page.locator("noscript").innerText(), /^The figures need JavaScript/);
  assert.equal(await page.locator("select:visible, .figure:visible").count(), 0, "what would not work");
  await page.getByText("Answer").last().click();
  assert.ok(await page.getByText("320 draws, four times as many").isVisible());
  await close();
});

test("missing files are named, with a remedy", async () => {
  for (const [file, message] of /** @type {[RegExp, RegExp][]} */ ([
    [/lab\.wasm\.bin$/, /Expected a file at .*lab\.wasm\.bin, found HTTP status 404 .*check that the whole output folder/],
    [/pagekin\.manifest$/, /Expected a file at .*pagekin\.manifest, found HTTP status 404/],
    [/0000\.shard$/, /Expected a file at .*0000\.shard, found HTTP status 404/],
  ])) {
    const { page, close } = await openPage(browser, `${served.origin}/garden/`);
    await page.context().route(file, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${served.url}lab/lsh.html`);
    await page.waitForFunction(() => document.body?.dataset.state === "failed");
    assert.match((await page.getByRole("alert").textContent()) ?? "", message);
    await close();
  }
  const { page, close } = await openPage(browser, `${served.url}lab/lsh.html?index=https://example.org/pagekin/`);
  await page.waitForFunction(() => document.body?.dataset.state === "failed");
  assert.match((await page.getByRole("alert").textContent()) ?? "", /Expected an index on this host, found one at https:\/\/example\.org/);
  await close();
});
