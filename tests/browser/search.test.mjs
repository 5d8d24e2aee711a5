// @ts-check
/**
 * `<pagekin-box>` as the search box of a site: typing, the keyboard, folders, recent searches,
 * colors and languages. Pasted texts are tested in box.test.mjs.
 *
 * @import {Browser, BrowserContextOptions, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { answerOtherwise, build, complaints, copied, launch, onHost, openPage, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** The page that contains the box. */
const SHOWN = "/workshop/bicycle/chain.html";
const TITLE = "<title>Chain care - Shed Door Notes</title>";
const COMPACT = '<pagekin-box form="compact" shortcut="mod+k /"></pagekin-box>';
const DESKTOP = { viewport: { width: 1200, height: 900 } };
const PHONE = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
const STRINGS = fileURLToPath(new URL("../../www/elements/strings", import.meta.url));

/** @type {Browser} */
let browser;
/** @type {string} */
let folder;

before(async () => {
  folder = await build(TEACHING_SITE, "--components", "box");
  browser = await launch();
});
after(() => browser?.close());

/**
 * A page with a box at its end.
 *
 * @param {string} element
 * @param {(page: Page, problems: string[]) => Promise<void>} check
 * @param {{options?: BrowserContextOptions, rewrite?: (html: string) => string, site?: string, index?: string, count?: (pathname: string, bytes: number) => void}} [host]
 */
async function withBox(element, check, { options = DESKTOP, rewrite, site = TEACHING_SITE, index = folder, count } = {}) {
  await onHost(index, { site, element, scripts: ["box.js"], wasm: true, ...(rewrite && { rewrite }), ...(count && { count }) }, async (origin) => {
    const { page, problems, close } = await openPage(browser, origin + SHOWN, options);
    await check(page, problems);
    await close();
  });
}

/** @param {Page} page @param {string[]} states */
const reaches = (page, ...states) => page.waitForFunction((states) => states.includes(document.querySelector("pagekin-box")?.getAttribute("data-state") ?? ""), states);

/** Types words, and waits for the answer. @param {Page} page @param {string} words */
async function type(page, words) {
  await page.keyboard.type(words, { delay: 20 });
  await reaches(page, "ready", "empty");
}

/** @param {Page} page */
const shown = (page) => page.locator("pagekin-box [part~=title]").evaluateAll((links) => links.map((link) => link.getAttribute("href")?.replace(/#.*/, "") ?? ""));

/** The URLs of all results. @param {Page} page @returns {Promise<string[]>} */
const results = (page) => page.evaluate(() => /** @type {any} */ (document.querySelector("pagekin-box")).results.map((/** @type {{url: string}} */ { url }) => url));

/** The name of the focused element. @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("href")?.replace(/#.*/, "") ?? document.activeElement?.localName ?? "");

/** @param {Page} page */
const opened = (page) => page.evaluate(() => document.querySelector("dialog")?.open ?? false);

test("words find pages as they are typed, with place, passage, section and copies", async () => {
  for (const options of [DESKTOP, PHONE]) {
    await withBox(COMPACT, async (page, problems) => {
      await page.getByRole("button", { name: "Search" }).click();
      await type(page, "sourdough loa");
      const first = page.locator("pagekin-box [part~=item]").first();
      assert.equal((await shown(page))[0], "/kitchen/bread/sourdough.html");
      assert.match(await first.locator("[part~=crumbs]").innerText(), /^kitchen › bread › sourdough/);
      await first.locator("[part~=excerpt] mark").first().waitFor();
      assert.match(await first.locator("[part~=copies]").innerText(), /^Also at: .*\/archive\/mirror\/sourdough\.html/);
      const count = (await results(page)).length;
      await page.waitForFunction((count) => document.querySelector("pagekin-box [role=status]")?.textContent?.startsWith(`${count} results`), count);
      assert.deepEqual(await complaints(page, "pagekin-box"), []);
      const { dialog, buttons, sideways } = await page.evaluate(() => {
        const size = (/** @type {Element | null} */ element) => element?.getBoundingClientRect().toJSON();
        return {
          dialog: size(document.querySelector("dialog")),
          buttons: [...document.querySelectorAll("pagekin-box button, pagekin-box input[type=radio], pagekin-box textarea")].map(size).filter(({ width }) => width),
          sideways: document.querySelector("dialog [part~=body]")?.scrollWidth !== document.querySelector("dialog [part~=body]")?.clientWidth,
        };
      });
      for (const { width, height } of buttons) assert.ok(width >= 44 && height >= 44, `${width} x ${height}`);
      if (options === PHONE) assert.deepEqual([dialog.width, dialog.height], [390, 800]);
      assert.equal(sideways, false);
      assert.deepEqual(problems, []);
    }, { options });
  }
});

test("a corrected typo is announced, and so is a word that no page contains", async () => {
  await withBox(COMPACT, async (page) => {
    const says = (/** @type {string} */ part) => page.waitForFunction((part) => document.querySelector("pagekin-box [role=status]")?.textContent?.includes(part), part);
    await page.keyboard.press("Control+k");
    await type(page, "sourdouhg loaf");
    await says("Showing results for “sourdough loaf”");
    const first = page.locator("pagekin-box [part~=item]").first();
    assert.equal((await shown(page))[0], "/kitchen/bread/sourdough.html");
    await first.locator("[part~=excerpt] mark", { hasText: /sourdough/i }).first().waitFor();
    await page.locator("pagekin-box textarea").fill("sourdough qwxyzzyq");
    await says("Nowhere on this site: qwxyzzyq");
    await page.locator("pagekin-box textarea").fill("qwxyzzyq");
    await reaches(page, "empty");
    await says("No results");
    assert.deepEqual(await shown(page), []);
  });
});

test("all results in view get their passages, their links lead there, and further ones when they are scrolled to", async () => {
  for (const options of [DESKTOP, PHONE]) {
    await withBox(COMPACT, async (page, problems) => {
      await page.getByRole("button", { name: "Search" }).click();
      await type(page, "water");
      const items = page.locator("pagekin-box [part~=item]");
      assert.ok((await items.count()) > 6);
      const inView = () => page.evaluate(() => {
        const { top, bottom } = /** @type {Element} */ (document.querySelector("dialog [part~=body]")).getBoundingClientRect();
        return [...document.querySelectorAll("pagekin-box [part~=item]")].map((item, at) => ({ at, box: item.getBoundingClientRect(), has: item.querySelector("mark[part~=mark]") !== null }))
          .filter(({ box }) => box.top < bottom && box.bottom > top).map(({ at, has }) => ({ at, has }));
      });
      await page.waitForFunction(() => document.querySelectorAll("pagekin-box mark[part~=mark]").length > 4);
      const first = await inView();
      assert.ok(first.length > 3 && first.length < (await items.count()));
      for (const { at } of first) await items.nth(at).locator("[part~=excerpt] mark").first().waitFor();
      const last = (await items.count()) - 1;
      assert.equal(await items.nth(last).locator("[part~=excerpt]").count(), 0, "its page is not fetched yet");
      const height = () => page.locator("dialog [part~=body]").evaluate((body) => body.scrollHeight);
      const before = await height();
      await items.nth(last).scrollIntoViewIfNeeded();
      await items.nth(last).locator("[part~=excerpt] mark").first().waitFor();
      assert.equal(await height(), before, "nothing moves");
      for (const link of await page.locator("pagekin-box [part~=title][href*='#']").all()) assert.match((await link.getAttribute("href")) ?? "", /^\/[^#]*#[^:]*:~:text=/);
      const section = page.locator("pagekin-box [part~=section]").first();
      if (await section.count()) assert.match((await section.getAttribute("href")) ?? "", /\.html#/);
      assert.deepEqual(problems, []);
    }, { options });
  }
});

test("no more of a page is read than its passage needs, and only up to a limit", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const filler = (/** @type {number} */ n) => Array.from({ length: n }, (_, at) => `<p>Paragraph ${at} is about gardens, kitchens and whatever else there is to write about.</p>`).join("\n");
  const pageOf = (/** @type {string} */ title, /** @type {number} */ before) => `<!doctype html><html lang=en><title>${title}</title><main><h1>${title}</h1>${filler(before)}<p>In this paragraph the quokka meets the wombat.</p>${filler(9_000)}</main>`;
  await writeFile(path.join(site, "early.html"), pageOf("Early", 10));
  await writeFile(path.join(site, "late.html"), pageOf("Late", 2_500));
  const index = await build(site, "--components", "box");
  /** @type {Map<string, number>} */
  const sent = new Map();
  const count = (/** @type {string} */ pathname, /** @type {number} */ bytes) => sent.set(pathname, (sent.get(pathname) ?? 0) + bytes);
  await withBox(COMPACT, async (page) => {
    await page.keyboard.press("Control+k");
    await type(page, "quokka wombat");
    const early = page.locator("pagekin-box [part~=item]", { has: page.locator("a[href^='/early.html']") });
    const late = page.locator("pagekin-box [part~=item]", { has: page.locator("a[href^='/late.html']") });
    await early.locator("mark", { hasText: "quokka" }).waitFor();
    await late.locator("[part~=passage]", { hasText: "Shared words: quokka, wombat" }).waitFor();
    assert.ok(/** @type {number} */ (sent.get("/early.html")) < 500_000, `${sent.get("/early.html")} bytes`);
    assert.ok(/** @type {number} */ (sent.get("/late.html")) < 500_000, `${sent.get("/late.html")} bytes`);
    // A visitor who turns to the result gets its passage.
    await late.hover();
    await late.locator("mark", { hasText: "quokka" }).waitFor();
  }, { site, index, count });
});

test("arrow keys move through the results and back, typing goes to the field, and Enter opens the first", async () => {
  await withBox(COMPACT, async (page, problems) => {
    await page.keyboard.press("/");
    assert.equal(await focused(page), "textarea");
    await type(page, "sourdough");
    const [first, second, ...others] = await shown(page);
    const active = () => page.locator("[data-active] [part~=title]").evaluate((link) => link.getAttribute("href")?.replace(/#.*/, ""));
    assert.equal(await active(), first);
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), first);
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), second);
    assert.equal(await active(), second);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(page), "textarea");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    assert.ok(others.length === 0 || [...others, "button"].includes(await focused(page)));
    await type(page, " loaf");
    assert.equal(await focused(page), "textarea");
    assert.equal(await page.locator("pagekin-box textarea").inputValue(), "sourdough loaf");
    const [best] = await shown(page);
    // In another tab, as links do.
    const another = page.context().waitForEvent("page");
    await page.keyboard.press("Control+Enter");
    await (await another).waitForURL((url) => url.pathname === best);
    assert.equal(await opened(page), true);
    await Promise.all([page.waitForURL((url) => url.pathname === best), page.keyboard.press("Enter")]);
    assert.deepEqual(problems, []);
  });
});

test("Enter before the answer opens the first result when it arrives", async () => {
  await withBox(COMPACT, async (page) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sourdough loaf");
    await Promise.all([page.waitForURL((url) => url.pathname === "/kitchen/bread/sourdough.html"), page.keyboard.press("Enter")]);
  });
});

test("pages with a phrase in quotation marks come first, and those with its words apart are weaker matches", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const page = (/** @type {string} */ title, /** @type {string} */ text) => `<!doctype html><html lang=en><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
  await writeFile(path.join(site, "apart.html"), page("Wombats about", "About many marsupials there is more to tell than about wombats. Wombats tell little. ".repeat(3)));
  await writeFile(path.join(site, "phrase.html"), page("Animals", `${"A long introduction to meadows and fences. ".repeat(40)}There is not much to tell about wombats.`));
  const index = await build(site, "--components", "box");
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    const field = page.getByRole("textbox", { name: "Search" });
    await field.focus();
    await type(page, "tell about wombats");
    assert.equal((await shown(page))[0], "/apart.html", "without quotation marks");
    await field.fill("");
    await type(page, '"tell about wombats"');
    await page.locator("pagekin-box [part~=heading]", { hasText: "Weaker matches" }).waitFor();
    assert.deepEqual((await shown(page)).slice(0, 2), ["/phrase.html", "/apart.html"]);
    const found = await page.evaluate(async () => {
      const { open } = await import(/** @type {any} */ (new URL("/pagekin/pagekin.js", location.href).href));
      const [one, several] = [await open("/pagekin/"), await open(["/pagekin/"])];
      const first = async (/** @type {any} */ kin, /** @type {any} */ options = {}) => (await kin.search('"tell about wombats"', options)).results.slice(0, 2).map((/** @type {any} */ result) => [result.url, result.hasPhrase]);
      return [await first(one), await first(several), await first(one, { phrases: false })];
    });
    const [phrase, apart] = ["/phrase.html", "/apart.html"];
    assert.deepEqual(found.slice(0, 2), [1, 2].map(() => [[phrase, true], [apart, false]]));
    assert.deepEqual(found[2].map((/** @type {any[]} */ one) => one[0]), [apart, phrase]);
  }, { site, index });
});

test("results can be filtered by folder, also by keyboard, as long as the folder contains some", async () => {
  await withBox(COMPACT, async (page) => {
    await page.keyboard.press("Control+k");
    await type(page, "water");
    const all = await results(page);
    const choices = page.getByRole("radiogroup", { name: "Folders" }).getByRole("radio");
    assert.ok((await choices.count()) > 2);
    const kitchen = all.filter((url) => url.startsWith("/kitchen/"));
    assert.ok(kitchen.length > 0 && kitchen.length < all.length);
    const choice = page.getByRole("radio", { name: `kitchen ${kitchen.length}` });
    await page.getByRole("radio", { name: `All ${all.length}` }).focus();
    for (let at = 0; at < 9 && !(await choice.isChecked()); at += 1) await page.keyboard.press("ArrowRight");
    assert.equal(await choice.evaluate((radio) => radio === document.activeElement), true);
    assert.deepEqual(await shown(page), kitchen.slice(0, 10));
    // It belongs to these words.
    await page.locator("pagekin-box textarea").focus();
    await type(page, " flour");
    await page.waitForFunction(() => document.querySelector("pagekin-box [part~=typed]")?.textContent || true);
    assert.equal(await page.getByRole("radio", { name: /^All/ }).isChecked(), true);
    // Pages in no folder are counted, too, and names can be given.
    await page.evaluate(() => document.querySelector("pagekin-box")?.setAttribute("folder-names", "kitchen=In the kitchen, workshop=Tools"));
    await page.locator("pagekin-box textarea").fill("water");
    await page.getByRole("radio", { name: `In the kitchen ${kitchen.length}` }).waitFor();
    const amounts = await page.locator("pagekin-box [part~=amount]").allInnerTexts();
    assert.equal(amounts.slice(1).reduce((sum, amount) => sum + parseInt(amount, 10), 0), all.length, amounts.join(" "));
    // If all are in one folder, there is nothing to choose.
    await page.getByRole("button", { name: "Clear" }).click();
    assert.equal(await choices.count(), 0);
  });
});

test("the count says that there are more results, and more are found until there are none", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  for (let at = 0; at < 45; at += 1) await writeFile(path.join(site, `quokka-${at}.html`), `<!doctype html><html lang=en><title>Quokka ${at}</title><main><h1>Quokka ${at}</h1><p>This is what the quokka number ${at} does all day.</p></main>`);
  const index = await build(site, "--components", "box");
  await withBox(COMPACT, async (page) => {
    await page.keyboard.press("Control+k");
    await type(page, "quokka");
    const says = (/** @type {string} */ text) => page.waitForFunction((text) => document.querySelector("pagekin-box [role=status]")?.textContent === text, text);
    await says("30+ results");
    const more = page.getByRole("button", { name: "Show more" });
    await more.click();
    assert.equal((await shown(page)).length, 30);
    await more.click();
    await says("45 results");
    assert.equal((await shown(page)).length, 45);
    assert.equal(await focused(page), (await shown(page))[30]);
    assert.equal(await more.count(), 0);
  }, { site, index });
});

test("a page of results keeps typed words in its address, so that Back, a reload and a link show them again, but never a paste", async () => {
  const words = () => new URLSearchParams({ q: "sourdough loaf" }).toString();
  await withBox('<pagekin-box param="q"></pagekin-box>', async (page, problems) => {
    const search = () => new URL(page.url()).search;
    await page.locator("pagekin-box textarea").focus();
    await type(page, "sourdough loaf");
    await page.waitForFunction(() => location.search);
    assert.equal(search(), `?${words()}`);
    const [best] = await shown(page);
    await Promise.all([page.waitForURL((url) => url.pathname === best), page.keyboard.press("Enter")]);
    await page.goBack();
    await reaches(page, "ready");
    assert.deepEqual([await page.locator("pagekin-box textarea").inputValue(), (await shown(page))[0]], ["sourdough loaf", best]);
    await page.reload();
    await reaches(page, "ready");
    assert.equal((await shown(page))[0], best);
    // A link to other words on the same page.
    await page.evaluate(() => history.pushState(null, "", "?q=compost"));
    await page.evaluate(() => history.pushState(null, "", "?q=worms"));
    await page.goBack();
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector("pagekin-box")).value === "compost");
    await reaches(page, "ready");
    // A pasted text, even a short one, only goes there on Enter.
    const paste = (/** @type {string} */ text) => page.evaluate((text) => {
      const field = /** @type {HTMLTextAreaElement} */ (document.querySelector("pagekin-box textarea"));
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste", bubbles: true }));
    }, text);
    await paste("plum jam");
    await page.waitForFunction(() => document.querySelector("pagekin-box [part~=typed]")?.textContent?.toLowerCase() === "plum");
    assert.equal(search(), "");
    await paste("a long text about plum jam and sourdough that nobody else should see");
    await page.locator("pagekin-box [role=heading]").first().waitFor();
    assert.equal(search(), "");
    assert.deepEqual(problems, []);
  });
});

test("words that are mostly unknown are named first, with few results, and no result leads to the start page", async () => {
  await withBox('<pagekin-box topics="/pagekin/browse.html"></pagekin-box>', async (page) => {
    const says = (/** @type {RegExp} */ text) => page.waitForFunction((text) => new RegExp(text).test(document.querySelector("pagekin-box [role=status]")?.textContent ?? ""), text.source);
    await page.locator("pagekin-box textarea").fill("qwxyzzyq water zzyxqwzz");
    await reaches(page, "ready");
    await says(/^Nowhere on this site: (qwxyzzyq, zzyxqwzz|zzyxqwzz, qwxyzzyq) · \d+/);
    assert.equal((await shown(page)).length, 3);
    await page.getByRole("button", { name: "Show more" }).click();
    assert.ok((await shown(page)).length > 3);
    await page.locator("pagekin-box textarea").fill("qwxyzzyq");
    await reaches(page, "empty");
    assert.equal(await page.getByRole("link", { name: "Start page" }).getAttribute("href"), "/");
    assert.equal(await page.getByRole("link", { name: "Topics" }).getAttribute("href"), "/pagekin/browse.html");
    assert.deepEqual(await complaints(page, "pagekin-box"), []);
  });
});

test("a policy that forbids WebAssembly is not reported as a lost connection", async () => {
  await onHost(folder, { element: "<pagekin-box></pagekin-box>", scripts: ["box.js"] }, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    await page.locator("pagekin-box textarea").fill("sourdough");
    await reaches(page, "error");
    assert.equal(await page.locator("pagekin-box [role=status]").innerText(), "Search is not available on this page");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    await close();
  });
});

test("more results than the limit are shown on demand", async () => {
  await withBox('<pagekin-box limit="3"></pagekin-box>', async (page) => {
    await page.locator("pagekin-box textarea").focus();
    await type(page, "water");
    assert.equal((await shown(page)).length, 3);
    for (let at = 0; at < 4; at += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const urls = await shown(page);
    assert.ok(urls.length > 3);
    assert.equal(await focused(page), urls[3]);
    assert.deepEqual(await complaints(page, "pagekin-box"), []);
    // Escape clears a box without a dialog.
    await page.keyboard.press("Escape");
    assert.deepEqual([await focused(page), await page.locator("pagekin-box textarea").inputValue(), await shown(page)], ["textarea", "", []]);
  });
});

test("searches that led to a page are stored on the device, pasted texts are not, and all can be removed", async () => {
  await withBox(COMPACT, async (page) => {
    const follow = async () => {
      await page.evaluate(() => document.addEventListener("pagekin-select", (event) => event.preventDefault(), { once: true }));
      await page.locator("pagekin-box [part~=title]").first().click();
      assert.equal(await opened(page), false);
    };
    const kept = () => page.evaluate(() => Object.entries(localStorage));
    const text = (await copied(page, "/kitchen/bread/sourdough.html")).trim().split(/\s+/).slice(10, 40).join(" ");
    await page.keyboard.press("Control+k");
    await page.locator("pagekin-box textarea").fill(text);
    await reaches(page, "ready");
    await follow();
    assert.deepEqual(await kept(), []);
    for (const words of ["sourdough", "compost heap", ...Array.from({ length: 7 }, (_, at) => `water ${at}`)]) {
      await page.keyboard.press("Control+k");
      await page.locator("pagekin-box textarea").fill(words);
      await reaches(page, "ready");
      await follow();
    }
    assert.deepEqual((await kept()).map(([key]) => key), ["pagekin.searches /pagekin/"]);
    assert.ok(!JSON.stringify(await kept()).includes("sourdough"), "only the last eight");
    await page.reload();
    await page.keyboard.press("Control+k");
    const again = page.locator("pagekin-box [part~=again]");
    assert.deepEqual(await again.allInnerTexts(), [...Array.from({ length: 7 }, (_, at) => `water ${6 - at}`), "compost heap"]);
    assert.deepEqual(await complaints(page, "pagekin-box"), []);
    await page.getByRole("button", { name: "Remove “water 6”" }).click();
    assert.equal(await page.getByRole("button", { name: "Remove “water 5”" }).evaluate((button) => button === document.activeElement), true);
    await page.locator("pagekin-box textarea").focus();
    for (let at = 0; at < 7; at += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("pagekin-box textarea").inputValue(), "compost heap");
    await reaches(page, "ready");
    await page.evaluate(() => document.querySelector("pagekin-box")?.setAttribute("recent", "off"));
    await page.getByRole("button", { name: "Clear" }).click();
    assert.equal(await again.count(), 0);
  });
});

test("Escape closes the dialog and returns the focus, and Close follows the field", async () => {
  await withBox(COMPACT, async (page, problems) => {
    const open = page.getByRole("button", { name: "Search" });
    assert.equal(await open.getAttribute("aria-keyshortcuts"), "Control+K /");
    await open.focus();
    await page.keyboard.press("Enter");
    await type(page, "sourdough");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    assert.equal(await opened(page), false);
    assert.equal(await open.evaluate((button) => button === document.activeElement), true);
    // The typed text is still there, and selected.
    await page.keyboard.press("Control+k");
    await type(page, "compost");
    assert.equal(await page.locator("pagekin-box textarea").inputValue(), "compost");
    const close = page.getByRole("button", { name: "Close" });
    const [behind, corner] = await close.evaluate((button) => {
      const field = /** @type {Element} */ (document.querySelector("pagekin-box textarea"));
      const [{ right, top }, dialog] = [button, /** @type {Element} */ (document.querySelector("dialog"))].map((element) => element.getBoundingClientRect());
      return [Boolean(field.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING), dialog.right - right < 32 && top - dialog.top < 32];
    });
    assert.deepEqual([behind, corner], [true, true]);
    await close.click();
    assert.equal(await opened(page), false);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+k");
    assert.equal(await opened(page), false);
    // The shortcut key is typed as text in a text field.
    await page.evaluate(() => document.body.prepend(document.createElement("input")));
    await page.locator("body > input").focus();
    await page.keyboard.type("a/b");
    assert.deepEqual([await page.locator("body > input").inputValue(), await opened(page)], ["a/b", false]);
    assert.deepEqual(problems, []);
  });
});

test("the dialog has the colors of the page, and its text is legible", async () => {
  const sites = {
    light: "body { background: #fff; color: #222 } a { color: #05a }",
    "dark by a class, without color-scheme": "html { background: #15181e; color: #d7dae0 } a { color: #8ab4f8 }",
    "dark by what is within the body": "main { background: oklch(20% 0.02 260); color: #e6e6e6 } a { color: #7dd3fc }",
    "dark by a picture": "body { background-image: linear-gradient(#111, #223); color: #eee } a { color: #9cf }",
    "links for the header only": "body { background: #111; color: #ddd } a { color: #223 }",
    "a background of its own": "pagekin-box { --pagekin-background: #fdf6e3 } body { background: #111; color: #ddd } a { color: #9cf }",
    "what sites reset": "* { margin: 0; padding: 0; border: 0 } div, span, p, a { font-size: 100% } body { background: #fff; color: #000 }",
  };
  for (const [name, css] of Object.entries(sites)) {
    await withBox(COMPACT, async (page) => {
      await page.evaluate((css) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        // Its background includes that of the box, as for all links of a page.
        document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
      }, css);
      await page.keyboard.press("Control+k");
      await type(page, "sourdough");
      await page.locator("pagekin-box [part~=excerpt]").first().waitFor();
      assert.deepEqual(await complaints(page, "pagekin-box dialog"), [], name);
      const item = await page.locator("pagekin-box [part~=item]").first().evaluate((element) => parseFloat(getComputedStyle(element).paddingInlineStart));
      assert.ok(item > 5, name);
      assert.equal(await page.locator("pagekin-box [style]").count(), 0, "nothing inline");
    }, { rewrite: (html) => (html.includes(TITLE) ? `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A page</title><main><h1>A page</h1><a href="/">A link</a>` : html) });
  }
});

test("the texts are in the language of the page, from a file that only such pages fetch", async () => {
  for (const [lang, label, status] of [["fr", "Rechercher", /^\d+ résultats?/], ["nb", "Søk", /^\d+ treff/], ["zh-TW", "搜尋", /^\d+ 個結果/], ["ar", "بحث", /نتائج|نتيجة/]]) {
    await withBox(`<pagekin-box form="compact" lang="${lang}"></pagekin-box>`, async (page, problems) => {
      await page.getByRole("button", { name: /** @type {string} */ (label) }).click();
      await type(page, "sourdough");
      await page.waitForFunction((status) => new RegExp(status).test(document.querySelector("pagekin-box [role=status]")?.textContent ?? ""), /** @type {RegExp} */ (status).source);
      const requested = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((name) => name.includes("/strings/")));
      assert.equal(requested.length, 1, requested.join(" "));
      assert.deepEqual(problems, []);
    });
  }
  await withBox(`<pagekin-box lang="en-GB"></pagekin-box><pagekin-box id="other" lang="de"></pagekin-box>`, async (page, problems) => {
    await page.getByRole("textbox", { name: "Suche" }).waitFor();
    await page.evaluate(async () => {
      const { strings } = await import(new URL("/pagekin/box.js", location.href).href);
      strings("de", { "box.label": "Finden" });
    });
    await page.getByRole("textbox", { name: "Finden" }).waitFor();
    // A language without a file is shown in English, without a request.
    const { requested } = await answerOtherwise(page.context(), /\/strings\//, (route) => route.continue());
    await page.evaluate(() => document.getElementById("other")?.setAttribute("lang", "xx"));
    await page.waitForFunction(() => document.querySelectorAll('pagekin-box [placeholder^="Type"]').length === 2);
    assert.deepEqual(requested, []);
    assert.deepEqual(problems, []);
  });
});

test("texts that arrive while the visitor types keep the input and the open dialog", async () => {
  await withBox(COMPACT, async (page) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sour");
    await page.evaluate(() => document.querySelector("pagekin-box")?.setAttribute("lang", "fr"));
    await page.getByRole("button", { name: "Fermer" }).waitFor();
    await type(page, "dough");
    assert.deepEqual([await page.locator("pagekin-box textarea").inputValue(), await opened(page)], ["sourdough", true]);
  });
});

test("a language whose file cannot be read falls back to English, and texts of the site take precedence", async () => {
  await onHost(folder, { element: "", wasm: true }, async (origin) => {
    const { page, close } = await openPage(browser, origin + SHOWN);
    await answerOtherwise(page.context(), /\/strings\//, (route) => route.fulfill({ status: 404, body: "<html>" }));
    await page.evaluate(async () => {
      const { strings } = await import(new URL("/pagekin/box.js", location.href).href);
      strings("it", { "box.clear": "Via" });
      document.body.insertAdjacentHTML("beforeend", '<pagekin-box lang="it"></pagekin-box>');
    });
    await page.getByRole("textbox", { name: "Search" }).fill("sourdough");
    await page.getByRole("button", { name: "Via" }).waitFor();
    await close();
  });
});

test("all languages have all texts, the same placeholders, and their plural forms", async () => {
  const source = await readFile(new URL("../../www/elements/box-texts.js", import.meta.url), "utf8");
  const files = await readdir(STRINGS);
  assert.deepEqual(files.map((name) => name.replace(".json", "")).sort(), /FILES = "([^"]+)"/.exec(source)?.[1].split(" ").sort());
  const english = Object.fromEntries([...source.matchAll(/"([a-z]+\.[a-z.-]+)": "([^"]*)"/g)].map(([, name, text]) => [name, text]));
  const names = Object.keys(english).filter((name) => !name.startsWith("box.count."));
  assert.ok(names.length > 30);
  const values = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).join();
  for (const file of files) {
    const own = JSON.parse(await readFile(`${STRINGS}/${file}`, "utf8"));
    assert.equal(own.lang.toLowerCase(), file.replace(".json", ""));
    assert.deepEqual(Object.keys(own).filter((name) => !name.startsWith("box.count.") && name !== "lang").sort(), [...names].sort(), file);
    for (const name of names) if (name !== "box.unreadable") assert.equal(values(own[name]), values(english[name]), `${file} ${name}`);
    const { pluralCategories } = new Intl.PluralRules(own.lang).resolvedOptions();
    // In these languages, "many" applies only to millions; smaller numbers use other forms.
    const needed = pluralCategories.filter((form) => form !== "many" || new Intl.PluralRules(own.lang).select(11) === "many" || new Intl.PluralRules(own.lang).select(5) === "many");
    for (const form of needed) assert.ok(own[`box.count.${form}`], `${file} ${form}`);
  }
});
