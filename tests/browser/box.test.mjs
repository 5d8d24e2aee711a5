// @ts-check
/**
 * `<pagekin-box>` on a page of the site: pasted texts, files, events, failures, hostile texts, and
 * that nothing is fetched before it is used. Typed words are tested in search.test.mjs.
 *
 * @import {Browser, Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { wholeWords } from "../../www/client/passages.js";
import { answerOtherwise, build, complaints, copied, launch, onHost, openPage, similar, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** The page that contains the box. */
const SHOWN = "/workshop/bicycle/chain.html";
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

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
 * @param {{options?: import("playwright-core").BrowserContextOptions, site?: string, index?: string}} [host]
 */
async function withBox(element, check, { options = {}, site = TEACHING_SITE, index = folder } = {}) {
  await onHost(index, { site, element, scripts: ["box.js"], wasm: true }, async (origin) => {
    const { page, problems, close } = await openPage(browser, origin + SHOWN, options);
    await check(page, problems);
    await close();
  });
}

const field = (/** @type {Page} */ page) => page.getByRole("textbox", { name: "Search" });

/** @param {Page} page @param {string} state */
const reaches = (page, state) => page.waitForFunction((state) => document.querySelector("pagekin-box")?.getAttribute("data-state") === state, state);

/** @param {Page} page */
const shown = (page) => page.locator("pagekin-box [part~=item]").evaluateAll((items) => items.map((item) => ({
  url: item.querySelector("a")?.getAttribute("href")?.replace(/#.*/, "") ?? "",
  near: item.querySelector("[part~=near]")?.textContent ?? "",
})));

test("unknown attributes are reported on the console", async () => {
  /** @type {string[]} */
  const warnings = [];
  const attributes = 'placehodler="Find" limit="5" class="x" id="y" aria-label="z" data-z="1" style="color:red" tabindex="0" index-names="A" base-url="/" _ngcontent-1="" onload=""';
  await withBox("", async (page) => {
    page.on("console", (message) => { if (message.type() === "warning") warnings.push(message.text()); });
    await page.evaluate((attributes) => { document.body.insertAdjacentHTML("beforeend", `<pagekin-box ${attributes} show-images></pagekin-box>`); }, attributes);
    await field(page).waitFor();
    await page.waitForTimeout(100);
  });
  assert.deepEqual(warnings, ["placehodler", "show-images"].map((name) => `pagekin-box: unknown attribute ${name}`));
});

test("a pasted text finds the same pages as the command line, on a desktop and a phone, in light and dark", async () => {
  for (const options of [{ viewport: { width: 1200, height: 900 } }, { ...PHONE, colorScheme: /** @type {const} */ ("dark"), reducedMotion: /** @type {const} */ ("reduce") }]) {
    await withBox("<pagekin-box limit=5></pagekin-box>", async (page, problems) => {
      const text = (await copied(page, "/kitchen/bread/sourdough.html")).trim().split(/\s+/).slice(10, 60).join(" ");
      await field(page).fill(text);
      await reaches(page, "ready");
      const expected = await similar(folder, ["--limit", "5", "-"], text);
      assert.ok(expected.other_results.length > 0, "there are two lists");
      assert.deepEqual((await shown(page)).map(({ url }) => url), [...expected.results, ...expected.other_results].map(({ url }) => url));
      const headings = await page.getByRole("heading", { level: 2 }).allInnerTexts();
      assert.deepEqual(headings.filter((name) => name !== "Weaker matches"), ["Pages containing your text", "Similar pages"]);
      assert.ok(headings.includes("Weaker matches"));
      await page.locator("pagekin-box [part~=excerpt] mark").first().waitFor();
      assert.equal((await shown(page)).find(({ url }) => url === "/kitchen/bread/sourdough.html")?.near, "this page contains your text");
      await page.waitForFunction((n) => document.querySelector("pagekin-box [role=status]")?.textContent === `${n} results`, expected.results.length);
      // axe assumes a white background if the page sets none.
      await page.evaluate(() => { document.documentElement.style.background = "Canvas"; });
      assert.deepEqual(await complaints(page, "pagekin-box"), []);
      const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(width[0] <= width[1], `expected no sideways scrolling, found ${width}`);
      assert.deepEqual(problems, []);
    }, { options });
  }
});

test("words that are parts of a listed name are not listed again", () => {
  assert.deepEqual(wholeWords(["github.com", "GitHub", "com", "SQLITE_BUSY", "busy", "form", "format"]), ["github.com", "SQLITE_BUSY", "form", "format"]);
});

test("a page that contains a text word for word comes first, before a page that has its words more often", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const message = "fatal: the quokka refused to push some marsupials to the wombat";
  const page = (/** @type {string} */ title, /** @type {string} */ text) => `<!doctype html><html lang=en><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
  const words = "The wombat refused. Marsupials push the quokka, and the fatal quokka refused to push marsupials. ";
  await writeFile(path.join(site, "often.html"), page("Fatal quokka: marsupials push the wombat, refused", words.repeat(3)));
  await writeFile(path.join(site, "exact.html"), page("Troubles", `${"A long introduction about other things that happen in gardens and kitchens. ".repeat(30)}It prints ${message}. ${words}`));
  const index = await build(site, "--components", "box");
  const native = await similar(index, ["-"], message);
  assert.deepEqual(native.results.slice(0, 2).map(({ url }) => url), ["/often.html", "/exact.html"], "by the index alone");
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    await field(page).fill(message);
    await reaches(page, "ready");
    const [first, second] = await shown(page);
    assert.deepEqual([first.url, second.url, first.near], ["/exact.html", "/often.html", "this page contains your text"]);
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (document.querySelector("pagekin-box")).results.slice(0, 2).map((/** @type {any} */ { url, confidence }) => [url, confidence])), [["/exact.html", "high"], ["/often.html", native.results[0].confidence]]);
  }, { site, index });
});

test("only the script is fetched until the box is used, and no request contains a word of the text", async () => {
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    /** @type {string[]} */
    const requested = [];
    page.context().on("request", (request) => requested.push(`${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`));
    await page.waitForTimeout(300);
    assert.equal(requested.length, 0, requested.join("\n"));
    const words = ["zyzzyva", "quixotry", "levain"];
    await field(page).fill(`The ${words.join(" and ")} of my grandmother rise for ten hours`);
    await page.waitForFunction(() => ["ready", "empty"].includes(/** @type {HTMLElement} */ (document.querySelector("pagekin-box")).dataset.state ?? ""));
    assert.ok(requested.some((line) => line.includes("pagekin.manifest")));
    for (const word of [...words, "grandmother"]) assert.deepEqual(requested.filter((line) => line.toLowerCase().includes(word)), []);
  });
});

test("a text file is read, and another kind of file is refused with a remedy", async () => {
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    const choose = page.locator("pagekin-box input[type=file]");
    await choose.setInputFiles({ name: "bread.txt", mimeType: "text/plain", buffer: Buffer.from("A sourdough starter of rye flour and water, fed every day") });
    await reaches(page, "ready");
    await choose.setInputFiles({ name: "bread.txt", mimeType: "text/plain", buffer: Buffer.from("%PDF-1.7\n...") });
    await reaches(page, "error");
    assert.match((await page.locator("pagekin-box [role=status]").textContent()) ?? "", /found a PDF file, .* copy the text and paste it/i);
    assert.deepEqual(await shown(page), []);
  });
});

test("events report what happened but never the text, and a selection can be canceled", async () => {
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    await page.evaluate(() => {
      const events = /** @type {any[]} */ ([]);
      Object.assign(window, { events });
      for (const what of ["search", "load", "select", "clear"]) {
        document.addEventListener(`pagekin-${what}`, (event) => {
          events.push([what, /** @type {CustomEvent} */ (event).detail]);
          if (what === "select") event.preventDefault();
        });
      }
    });
    await field(page).fill("a sourdough starter of rye flour and water that is fed every day");
    await reaches(page, "ready");
    const address = page.url();
    await page.locator("pagekin-box [part~=link]").first().click();
    await page.getByRole("button", { name: "Clear" }).click();
    assert.equal(page.url(), address);
    const events = await page.evaluate(() => /** @type {any} */ (window).events);
    assert.deepEqual(events.map((/** @type {any[]} */ [what]) => what), ["search", "load", "select", "clear"]);
    assert.deepEqual(events[0][1], { kind: "text" });
    assert.equal(events[2][1].rank, 1);
    assert.equal(events[2][1].from, "box");
    assert.ok(!JSON.stringify(events).includes("starter of rye"));
    assert.equal(await field(page).inputValue(), "");
    assert.deepEqual(await shown(page), []);
  });
});

test("an unreachable index is reported, and can be retried", async () => {
  await withBox("<pagekin-box></pagekin-box>", async (page) => {
    const otherwise = await answerOtherwise(page.context(), /pagekin\.manifest$/, (route) => route.abort());
    await field(page).fill("a sourdough starter of rye flour");
    await reaches(page, "error");
    assert.match((await page.locator("pagekin-box [role=status]").textContent()) ?? "", /cannot be reached/);
    await otherwise.restore();
    await page.getByRole("button", { name: "Try again" }).click();
    await reaches(page, "ready");
  });
});

test("hostile titles and texts are shown as text", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const evil = "&lt;img src=x onerror=alert(1)&gt; sourdough starter";
  await writeFile(path.join(site, "evil.html"), `<!doctype html><html lang=en><title>${evil}</title><main><h1>${evil}</h1><p>xyzzyish plughful ${"sourdough starter bubbles ".repeat(9)}&lt;script&gt;alert(2)&lt;/script&gt;</p></main>`);
  const index = await build(site, "--components", "box");
  await withBox("<pagekin-box></pagekin-box>", async (page, problems) => {
    page.on("dialog", () => problems.push("a script ran"));
    await field(page).fill("xyzzyish plughful <img src=x onerror=alert(3)> sourdough starter bubbles");
    await reaches(page, "ready");
    await page.locator("pagekin-box [part~=item]").first().scrollIntoViewIfNeeded();
    await page.locator("pagekin-box [part~=excerpt]").first().waitFor();
    assert.equal(await page.locator("pagekin-box img, pagekin-box script").count(), 0);
    assert.ok((await shown(page)).some(({ url }) => url === "/evil.html"));
    assert.deepEqual(problems, []);
  }, { site, index });
});

test("if the browser supports WebMCP, an agent can run the same queries, registered once, and read only found pages", async () => {
  await withBox("<pagekin-box></pagekin-box>", async (page, problems) => {
    const answers = await page.evaluate(async () => {
      /** @type {Map<string, any>} */
      const tools = new Map();
      const registerTool = async (/** @type {any} */ tool, /** @type {{signal: AbortSignal}} */ { signal }) => {
        if (tools.has(tool.name)) throw new Error("it is there");
        tools.set(tool.name, tool);
        signal.addEventListener("abort", () => tools.delete(tool.name));
      };
      Object.defineProperty(document, "modelContext", { value: { registerTool } });
      const boxes = [1, 2].map(() => document.createElement("pagekin-box"));
      document.body.append(...boxes);
      await new Promise((done) => setTimeout(done));
      const names = [...tools.keys()];
      const [similar, excerpt] = names.map((name) => tools.get(name).execute);
      const text = "the starter has to be fed the evening before";
      const refused = await excerpt({ url: "/kitchen/bread/sourdough.html", text }).catch(String);
      const { results } = await similar({ text });
      const { passage, link } = await excerpt({ url: results[0].url, text });
      for (const box of boxes) box.remove();
      await new Promise((done) => setTimeout(done));
      return { names, refused, url: results[0].url, passage, link, left: tools.size };
    });
    assert.deepEqual(answers.names, ["similar", "excerpt"]);
    assert.match(answers.refused, /expected a url that similar returned/);
    assert.equal(answers.url, "/kitchen/bread/sourdough.html");
    assert.match(answers.passage, /spoonful of starter/);
    assert.match(answers.link, /^\/kitchen\/bread\/sourdough\.html#:~:text=/);
    assert.equal(answers.left, 0);
    assert.deepEqual(problems, []);
  });
});
