// @ts-check
/**
 * The report of `pagekin duplicates --format html`, opened as a file and from a host: its groups,
 * their order, its marks, and that nothing goes wrong or is requested elsewhere.
 *
 * @import {BrowserContextOptions, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, openPage, PAGEKIN, servePlainly, teachingFolder, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** The folder of the report of the teaching site, and the report. */
let folder = "";
let file = "";

before(async () => {
  folder = await temporaryFolder();
  file = path.join(folder, "report.html");
  await report(TEACHING_SITE, file, "--threshold", "0.25");
  browser = await launch();
});

after(() => browser?.close());

/**
 * @param {string} site
 * @param {string} file
 * @param {string[]} options
 */
async function report(site, file, ...options) {
  await promisify(execFile)(PAGEKIN, ["duplicates", site, "--format", "html", "-o", file, "--quiet", ...options]);
}

/**
 * Opens a report, and checks at the end that nothing went wrong.
 *
 * @param {string} address
 * @param {(page: Page) => Promise<void>} check
 * @param {BrowserContextOptions} [options]
 */
async function opened(address, check, options) {
  const { page, problems, close } = await openPage(browser, address, options);
  await page.waitForFunction(() => document.getElementById("status")?.textContent);
  await check(page);
  assert.deepEqual(problems, []);
  await close();
}

/** @param {string} [fragment] */
const asFile = (fragment = "") => `${pathToFileURL(file)}${fragment}`;

/** The URLs of the listed originals. @param {Page} page */
const originals = (page) => page.locator("#list > li > .group .address").allTextContents();

/** @param {Page} page */
const status = (page) => page.locator("#status").textContent();

/**
 * The texts of the open pair, with their marked parts.
 *
 * @param {Page} page
 */
async function sides(page) {
  await page.locator("dialog .side .text").first().waitFor();
  return page.locator("dialog .side .text").evaluateAll((panes) =>
    panes.map((pane) => ({ text: pane.textContent ?? "", marks: [...pane.querySelectorAll("mark")].map((mark) => mark.textContent ?? "") })),
  );
}

/** The runs of ten words of a text, of letters only, as the tokens of English are. @param {string} text */
function runs(text) {
  const words = text.toLowerCase().match(/\p{Alphabetic}+/gu)?.filter((word) => word.length > 1) ?? [];
  return words.slice(9).map((_, at) => words.slice(at, at + 10).join(" "));
}

test("all groups are listed, sorted and filtered as selected, and the URL preserves this", async () => {
  await opened(asFile(), async (page) => {
    assert.equal(await status(page), "12 groups with 12 pages besides the originals");
    assert.match((await page.locator("#summary").textContent()) ?? "", /^\d+ pages: 4 exact copies and 8 near-duplicate pairs at 25% or more, in 12 groups\.$/);

    await page.getByLabel("Sort by").selectOption("address");
    const byAddress = await originals(page);
    assert.deepEqual(byAddress, byAddress.toSorted());
    await page.getByRole("button", { name: "A to Z" }).click();
    assert.deepEqual(await originals(page), byAddress.toReversed());
    assert.match(page.url(), /#sort=address&order=reversed$/);

    await page.getByLabel("Sort by").selectOption("words");
    const words = (await page.locator(".group .numbers").allTextContents()).map((text) => Number(/([\d,]+) words/.exec(text)?.[1].replace(",", "")));
    assert.equal(words.length, 12);
    assert.deepEqual(words, words.toSorted((a, b) => b - a));

    await page.getByLabel("Sort by").selectOption("resemblance");
    await page.getByLabel("Pages", { exact: true }).selectOption("near");
    assert.match((await status(page)) ?? "", /^8 groups/);
    const least = (await page.locator(".group .numbers").allTextContents()).map((text) => Number(/minimum resemblance ([\d.]+)%/.exec(text)?.[1]));
    assert.deepEqual(least, least.toSorted((a, b) => b - a));
    await page.getByLabel("Minimum resemblance, %").fill("60");
    assert.deepEqual((await originals(page)).toSorted(), ["/outdoors/walking/boots.html", "/workshop/woodwork/dovetails.html"]);
    await page.getByLabel("URL or title contains").fill("DOVE work");
    assert.deepEqual(await originals(page), ["/workshop/woodwork/dovetails.html"]);

    // The URL alone restores the view, and Back returns to it.
    await page.reload();
    assert.deepEqual(await originals(page), ["/workshop/woodwork/dovetails.html"]);
    assert.equal(await page.getByLabel("URL or title contains").inputValue(), "DOVE work");
    await page.getByLabel("URL or title contains").fill("no page has this");
    assert.equal(await status(page), "No group matches. Relax the filters above.");
  });
});

test("a pair is shown side by side, with shared runs of ten words marked", async () => {
  await opened(asFile("#q=tomatoes"), async (page) => {
    const group = page.locator("#list > li").first();
    await group.getByRole("button", { expanded: false }).click();
    assert.match((await group.locator(".why").textContent()) ?? "", /^Probably the original: /);
    await page.getByRole("button", { name: "Compare /archive/2017/tomatoes.html with the original" }).click();
    const dialog = page.getByRole("dialog", { name: /^Resemblance \d/ });
    const [first, second] = await sides(page);
    for (const [own, other] of [[first, second], [second, first]]) {
      const others = new Set(runs(other.text));
      const shared = runs(own.text).filter((run) => others.has(run));
      assert.ok(own.marks.length > 1, "an edited copy has several passages");
      const marked = own.marks.flatMap(runs);
      for (const run of shared) assert.ok(marked.includes(run), `marked: ${run}`);
      assert.ok(shared.length > 0 && marked.length >= shared.length);
      // The first and the last words of a passage are within a shared run.
      for (const mark of own.marks) {
        const within = runs(mark);
        assert.ok(others.has(within[0]) && others.has(within[within.length - 1]), mark);
      }
    }

    const on = page.getByRole("button", { name: "Next passage" });
    await on.press("Enter");
    assert.equal(await dialog.locator("#passage").textContent(), `Passage 1 of ${first.marks.length}`);
    await on.press("Enter");
    const now = await dialog.locator("mark.now").allTextContents();
    assert.equal(now[0], first.marks[1]);
    assert.equal(now.length, 2, "one on each side");
    assert.ok(now[1].includes(now[0].slice(0, 20)), `expected ${now[0]} in ${now[1]}`);
    await dialog.locator(".side").nth(1).locator("mark").first().click();
    assert.equal(await dialog.locator(".side").nth(1).locator("mark.now").textContent(), second.marks[0]);

    // It can be shared, and closed by a key, which returns the focus.
    const address = page.url();
    assert.match(address, /#q=tomatoes&group=\d+&member=1$/);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !location.hash.includes("member"));
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Compare");
    await page.goBack();
    await dialog.waitFor();
    assert.equal((await sides(page)).length, 2);
  });
});

test("an exact copy shows its text once", async () => {
  await opened(asFile("#q=sourdough"), async (page) => {
    await page.locator("#list .toggle").first().click();
    await page.getByRole("button", { name: "Compare /archive/mirror/sourdough.html with the original" }).click();
    await page.getByRole("dialog", { name: "Exact copy" }).waitFor();
    const [text, ...others] = await sides(page);
    assert.deepEqual(others, []);
    assert.match(text.text, /starter/i);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });
});

test("shared passages are separate groups, with their share of each page", async () => {
  const byDefault = path.join(await temporaryFolder(), "report.html");
  await report(TEACHING_SITE, byDefault);
  await opened(`${pathToFileURL(byDefault)}#kind=passages`, async (page) => {
    assert.match((await page.locator("#summary").textContent()) ?? "", /: 4 exact copies, 0 near-duplicate pairs at 80% or more and 8 pairs that share passages, in 12 groups\.$/);
    assert.match((await status(page)) ?? "", /^8 groups/);
    assert.deepEqual(new Set(await page.locator(".group .badge").allTextContents()), new Set(["shared passages"]));
    await page.getByLabel("URL or title contains").fill("slow-oven");
    assert.match((await page.locator(".group .numbers").textContent()) ?? "", /up to 45\.\d% of a page/);
    await page.locator("#list .toggle").click();
    await page.getByRole("button", { name: /^Compare/ }).click();
    await page.getByRole("dialog", { name: "Shared passages: 45.4% of a page" }).waitFor();
    const [first, second] = await sides(page);
    assert.ok(first.marks.length > 0 && second.marks.length > 0);
    assert.match((await page.locator("#pair-numbers").textContent()) ?? "", /^Resemblance 29\.1%\. B-similarity \d of 6/);
  });
});

test("with only an index, everything is marked as an estimate, and no text is offered", async () => {
  const estimated = path.join(await temporaryFolder(), "report.html");
  await report(await teachingFolder(), estimated, "--threshold", "0.6");
  await opened(pathToFileURL(estimated).href, async (page) => {
    assert.match((await page.locator("#summary").textContent()) ?? "", /^68 pages: .* All numbers are estimated from the sketches of an index\.$/);
    await page.getByLabel("URL or title contains").fill("boots");
    assert.match((await page.locator(".group .numbers").textContent()) ?? "", /minimum resemblance about \d/);
    await page.locator("#list .toggle").click();
    assert.match((await page.locator(".members .numbers").textContent()) ?? "", /^about .*% of it is in the original(?!.*B \d)/);
    await page.getByRole("button", { name: /^Compare/ }).click();
    await page.getByRole("dialog", { name: /^Resemblance about \d/ }).waitFor();
    assert.match((await page.locator("dialog .text").first().textContent()) ?? "", /pass the folder of its pages with --site/);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByLabel("URL or title contains").fill("sourdough");
    await page.locator("#list .toggle").click();
    assert.deepEqual(await page.locator(".members .badge").allTextContents(), ["probable copy"]);
  });
});

test("opened as a file, links lead to the files of the site", async () => {
  await opened(asFile("#q=sourdough"), async (page) => {
    const href = await page.locator("#list .address a").first().getAttribute("href");
    assert.equal(href, `${pathToFileURL(TEACHING_SITE)}/kitchen/bread/sourdough.html`);
  });
});

test("on a host and on a narrow screen it works the same, and nothing is wider than the screen", async () => {
  const served = await servePlainly(folder);
  try {
    await opened(`${served.url}report.html#q=boots`, async (page) => {
      await page.locator("#list .toggle").first().click();
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(await wide(), false);
      assert.equal(await page.locator("#list .address a").first().getAttribute("href"), "/outdoors/walking/boots.html");
      await page.getByRole("button", { name: /^Compare/ }).click();
      await sides(page);
      assert.equal(await wide(), false);
      const [first, second] = await page.locator("dialog .side").evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect().toJSON()));
      assert.ok(second.top >= first.bottom, "one under the other");
      assert.ok(second.bottom <= 800, "both are seen");
    }, { viewport: { width: 360, height: 800 }, colorScheme: "dark", reducedMotion: "reduce" });
  } finally {
    await served.stop();
  }
});

test("a pair without its text links to both pages", async () => {
  const without = path.join(await temporaryFolder(), "report.html");
  await report(TEACHING_SITE, without, "--threshold", "0.25", "--texts", "0", "--base-url", "https://example.org/docs/");
  await opened(`${pathToFileURL(without)}#group=1&member=1`, async (page) => {
    const links = await page.locator("dialog .side header a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.equal(links.length, 2);
    assert.ok(links.every((link) => link?.startsWith("https://example.org/docs/")), `${links}`);
    assert.match((await page.locator("dialog .text").first().textContent()) ?? "", /not in this file/);
  });
});

test("many groups are drawn in steps, and a hostile title is only text", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await mkdir(site);
  const word = (/** @type {number} */ n) => [...`${n}`].map((digit) => "bcdfghjklm"[Number(digit)] + "a").join("");
  for (let group = 0; group < 120; group++) {
    const words = Array.from({ length: 40 }, (_, at) => word(1000 + 40 * group + at));
    const title = group === 0 ? "&lt;/script>&lt;script>window.broken=1&lt;/script>" : `Group ${group}`;
    const page = (/** @type {string} */ text) => `<!doctype html><title>${title}</title><main>${text}</main>`;
    await writeFile(path.join(site, `${group}.html`), page(words.join(" ")));
    await writeFile(path.join(site, `${group}-b.html`), page(`${words.join(" ")} ending`));
    // One has a copy of its own, with a long URL.
    if (group === 0) await writeFile(path.join(site, `0-b-${"long-".repeat(20)}.html`), page(`${words.join(" ")} ending`));
  }
  const many = path.join(await temporaryFolder(), "report.html");
  await report(site, many);
  await opened(`${pathToFileURL(many)}`, async (page) => {
    assert.match((await status(page)) ?? "", /^120 groups with 121 pages besides the originals; showing groups 1 to 50$/);
    assert.equal(await page.locator("#list > li").count(), 50);
    assert.equal(await page.locator(".toggle").first().textContent(), "</script><script>window.broken=1</script>");
    assert.equal(await page.evaluate(() => "broken" in window), false);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.locator(".toggle").first().click();
    assert.deepEqual(await page.locator(".members .badge").allTextContents(), ["exact copy of /0-b.html"]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    const next = page.getByRole("button", { name: "Next", exact: true });
    await next.click();
    await next.click();
    assert.match((await status(page)) ?? "", /groups 101 to 120$/);
    assert.equal(await page.locator("#list > li").count(), 20);
    assert.equal(await next.isDisabled(), true);
    await page.goBack();
    await page.waitForFunction(() => document.getElementById("where")?.textContent === "Page 2 of 3");
  });
});

test("pages whose pairs are in the baseline are marked, and can be hidden", async () => {
  const [baseline, gated] = [path.join(folder, "known.json"), path.join(folder, "gated.html")];
  const copies = { version: 1, groups: [{ kind: "copy", pages: ["/a.html", "/b.html"] }] };
  const site = path.join(folder, "baseline-site");
  await mkdir(site);
  const words = Array.from({ length: 60 }, (_, at) => `w${"abcdefgh"[at % 8]}${"ijklmnop"[Math.floor(at / 8)]}`).join(" ");
  for (const name of ["a", "b", "c"]) await writeFile(path.join(site, `${name}.html`), `<title>${name}</title><main>${words}</main>`);
  await writeFile(baseline, JSON.stringify(copies));
  await report(site, gated, "--baseline", baseline);
  await opened(`${pathToFileURL(gated)}`, async (page) => {
    assert.match((await page.locator("#summary").textContent()) ?? "", / 1 page known from the baseline\.$/);
    assert.match((await page.locator(".group .numbers").textContent()) ?? "", /1 not in the baseline/);
    await page.getByLabel("Pages", { exact: true }).selectOption("new");
    assert.equal(await status(page), "1 group with 1 page besides the originals");
    await page.getByLabel("Pages", { exact: true }).selectOption("");
    await page.locator("#list > li").first().getByRole("button", { expanded: false }).click();
    const members = await page.locator(".members > li").allTextContents();
    assert.deepEqual(members.map((text) => text.includes("in the baseline")), [true, false]);
  });
});
