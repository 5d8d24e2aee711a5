// @ts-check
/**
 * The elements `<pagekin-related>` and `<pagekin-duplicates>` on a page, for its visitors and its
 * author.
 *
 * @import {BrowserContextOptions, Page, Route} from "playwright-core"
 */
import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { answerOtherwise, build, complaints, hold, launch, onHost, openPage, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

const FIRST = "/kitchen/bread/sourdough.html";
const SECOND = "/garden/compost/hot-heap.html";
const COPY = "/archive/mirror/sourdough.html";
const KIN = /\.kin$/;
const SHARD = /\/related\/.*\.kin$/;
const BOTH = { scripts: ["related.js", "duplicates.js"] };

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string} */
let folder;
/** @type {Record<string, {url: string, title: string, similarity: number}[]>} */
let truth;

before(async () => {
  folder = await build(TEACHING_SITE, "--related-json", "--components", "related,duplicates");
  truth = JSON.parse(await readFile(path.join(folder, "related.json"), "utf8"));
  browser = await launch();
});

after(() => browser?.close());

/** @param {string} url */
const titles = (url) => truth[url].slice(0, 5).map(({ title }) => title);

/** The titles that the element shows. @param {Page} page */
const shown = (page) => page.locator("pagekin-related a").allTextContents();

/**
 * Waits until the element shows the related pages of a page.
 *
 * @param {Page} page
 * @param {string} url
 */
async function showing(page, url) {
  await page.waitForFunction((titles) => {
    const links = [...document.querySelectorAll("pagekin-related a")].map((link) => link.textContent);
    return JSON.stringify(links) === titles;
  }, JSON.stringify(titles(url))).catch(async () => assert.deepEqual(await shown(page), titles(url), url));
}

/**
 * Waits for a state of an element.
 *
 * @param {Page} page
 * @param {string} state
 * @param {string} [name]
 */
const inState = (page, state, name = "related") => page.locator(`pagekin-${name}[data-state=${state}]`).first().waitFor({ state: "attached" });

/** Warnings on the console. @param {Page} page */
function warnings(page) {
  /** @type {string[]} */
  const messages = [];
  page.on("console", (message) => message.type() === "warning" && messages.push(message.text()));
  return messages;
}

/**
 * Navigates as a router does: a new path, then a new title, with the same element.
 *
 * @param {Page} page @param {string} url
 */
const navigate = (page, url) => page.evaluate((url) => {
  history.pushState({}, "", url);
  document.title = url;
}, url);

/** A page without a style of its own. */
const plain = () => `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width"><title>A page</title>`;

// Single-page sites

for (const api of [true, false]) {
  test(`the list follows the page of a single-page site ${api ? "" : "without the Navigation API "}and back again`, async () => {
    await onHost(folder, {}, async (origin) => {
      const { page, problems, close } = await openPage(browser, "data:text/html,");
      if (!api) await page.addInitScript(() => Object.defineProperty(globalThis, "navigation", { value: undefined }));
      await page.goto(origin + FIRST);
      await showing(page, FIRST);
      await page.evaluate(() => Object.assign(globalThis, { kept: document.querySelector("pagekin-related") }));
      await navigate(page, SECOND);
      await showing(page, SECOND);
      await page.goBack();
      await showing(page, FIRST);
      await page.goForward();
      await showing(page, SECOND);
      assert.ok(await page.evaluate(() => /** @type {any} */ (globalThis).kept === document.querySelector("pagekin-related")));
      // Fragments and queries do not change the page.
      const requested = await answerOtherwise(page.context(), KIN, (route) => route.continue());
      await navigate(page, `${SECOND}?a=b#c`);
      await page.waitForTimeout(100);
      assert.deepEqual(requested.requested, []);
      assert.deepEqual(problems.filter((problem) => !problem.startsWith("request to")), []);
      await close();
    });
  });
}

test("the old list stays until the new one arrives, and an answer for an earlier page is dropped", async () => {
  await onHost(folder, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    await showing(page, FIRST);
    const pages = Object.keys(truth).filter((url) => url !== "base");
    const held = await hold(page.context(), SHARD);
    const requested = new Set(await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => /\/related\/.*kin/.test(name))));
    assert.equal(requested.size, 1);
    // A page of the other shard, whose answer is late, then one of this shard, whose answer is not.
    const events = page.evaluate(() => new Promise((resolve) => {
      /** @type {string[]} */
      const urls = [];
      document.addEventListener("pagekin-load", ({ detail }) => {
        urls.push(new URL(detail.url).pathname);
        resolve(urls);
      });
    }));
    let late = "";
    for (const url of pages) {
      await navigate(page, url);
      // Either its shard is blocked, or its list is shown; some lists are empty.
      do await page.waitForTimeout(20);
      while (!held.requested.length && JSON.stringify(await shown(page)) !== JSON.stringify(titles(url)));
      if (held.requested.length) {
        late = url;
        break;
      }
    }
    assert.ok(late, "a page is in the other shard");
    const before = await shown(page);
    assert.ok(before.length > 0, "the previous list");
    await navigate(page, FIRST);
    await showing(page, FIRST);
    await held.end();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(await shown(page), titles(FIRST));
    assert.ok(!(/** @type {string[]} */ (await events)).includes(late));
    await close();
  });
});

test("an element that a router moves or detaches keeps its list, and requests nothing again", async () => {
  await onHost(folder, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    await showing(page, FIRST);
    const { requested } = await answerOtherwise(page.context(), KIN, (route) => route.continue());
    const counts = await page.evaluate(async () => {
      const element = /** @type {HTMLElement} */ (document.querySelector("pagekin-related"));
      const count = () => element.querySelectorAll("a").length;
      document.body.prepend(element);
      const moved = count();
      element.remove();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const aside = count();
      document.body.append(element);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return [moved, aside, count()];
    });
    assert.deepEqual([counts, requested], [[5, 5, 5], []]);
    await close();
  });
});

// Layout

for (const [kind, options] of /** @type {[string, BrowserContextOptions][]} */ ([
  ["on a desktop", { viewport: { width: 1200, height: 900 } }],
  ["on a phone", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
])) {
  test(`nothing moves when a late answer comes ${kind}`, async () => {
    // The element is in view, and text follows it.
    const element = `<main><h1>A page</h1><pagekin-related></pagekin-related><p>Text that must not move.</p></main>`;
    await onHost(folder, { rewrite: plain, element }, async (origin) => {
      const { page, close } = await openPage(browser, "about:blank", options);
      const held = await hold(page.context(), SHARD);
      await page.addInitScript(() => {
        Object.assign(globalThis, { shift: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) /** @type {any} */ (globalThis).shift += /** @type {any} */ (entry).value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(origin + FIRST);
      await held.waiting(1);
      await page.waitForTimeout(300);
      const before = await page.evaluate(() => ({ shift: /** @type {any} */ (globalThis).shift, top: document.querySelector("p")?.getBoundingClientRect().top }));
      assert.equal(await page.locator("pagekin-related").innerText(), "", "the reserved space is not visible");
      await held.end();
      await inState(page, "ready");
      await page.waitForTimeout(300);
      const after = await page.evaluate(() => ({ shift: /** @type {any} */ (globalThis).shift, top: document.querySelector("p")?.getBoundingClientRect().top }));
      assert.ok(after.shift - before.shift <= 0.01, `${before.shift} then ${after.shift}`);
      assert.equal(after.top, before.top);
      await close();
    });
  });
}

test("nothing is requested before the element is near, or at all if the list came with the page", async () => {
  const far = `<div id="far"></div><pagekin-related></pagekin-related>`;
  await onHost(folder, { element: far }, async (origin) => {
    const { page, close } = await openPage(browser, "about:blank");
    const { requested } = await answerOtherwise(page.context(), KIN, (route) => route.continue());
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => {
      /** @type {HTMLElement} */ (document.getElementById("far")).style.height = "5000px";
    }));
    await page.goto(origin + FIRST, { waitUntil: "networkidle" });
    assert.deepEqual(requested, []);
    // The position depends on the machine's fonts.
    await page.locator("pagekin-related").evaluate((element) => scrollTo(0, element.getBoundingClientRect().top - innerHeight - 400));
    await showing(page, FIRST);
    await close();
  });
  const element = `<pagekin-related prerendered loading="eager"><nav><ul><li><a href="/x">X</a></ul></nav></pagekin-related>`;
  await onHost(folder, { element }, async (origin) => {
    const { page, close } = await openPage(browser, "about:blank");
    const { requested } = await answerOtherwise(page.context(), KIN, (route) => route.continue());
    await page.goto(origin + FIRST, { waitUntil: "networkidle" });
    assert.deepEqual([await shown(page), requested], [["X"], []]);
    await navigate(page, SECOND);
    await showing(page, SECOND);
    await close();
  });
});

// Content

test("the texts are in the language of the element or the page, and a site can add more", async () => {
  await onHost(folder, { element: `<pagekin-related loading="eager" id="page"></pagekin-related><div lang="de-AT"><pagekin-related loading="eager" id="own"></pagekin-related></div>` }, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    const headings = async () => {
      await page.locator("#page h2").waitFor();
      await page.locator("#own h2").waitFor();
      return page.locator("pagekin-related h2").allTextContents();
    };
    assert.deepEqual(await headings(), ["Related pages", "Verwandte Seiten"]);
    const renamed = await page.evaluate(async () => {
      const { strings } = await import(`${location.origin}/pagekin/related.js`);
      strings("fr", { "related.heading": "Pages proches" });
      const [own, page] = ["own", "page"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
      own.lang = "fr-CA";
      page.lang = "xx";
      return [own, page].map((element) => element.querySelector("nav")?.getAttribute("aria-label"));
    });
    assert.deepEqual(renamed, ["Pages proches", "Related pages"]);
    await close();
  });
});

test("attributes, parts and properties control the list, and any rule of the site takes precedence", async () => {
  const element = `<pagekin-related loading="eager" limit="4" heading-level="3" heading="More"></pagekin-related>`;
  await onHost(folder, { element, rewrite: plain }, async (origin) => {
    const { page, problems, close } = await openPage(browser, origin + FIRST);
    await inState(page, "ready");
    const parts = await page.locator("pagekin-related [part]").evaluateAll((nodes) => nodes.map((node) => `${node.localName}.${node.getAttribute("part")}`));
    assert.deepEqual([...new Set(parts)], ["nav.nav", "h3.heading", "ul.list", "li.item", "a.link"]);
    assert.equal((await shown(page)).length, 4);
    const styles = await page.evaluate(() => {
      const element = /** @type {import("../../www/elements/related.js").PagekinRelatedElement} */ (document.querySelector("pagekin-related"));
      const list = /** @type {HTMLElement} */ (element.querySelector("[part~=list]"));
      const style = () => getComputedStyle(list);
      const before = [style().rowGap, style().listStyleType];
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("html { --pagekin-gap: 20px; --pagekin-columns: 2; --pagekin-color: rgb(1, 2, 3) } ul { list-style: square }");
      document.adoptedStyleSheets.unshift(sheet);
      element.limit = 2;
      element.setAttribute("min", "0.001");
      return { before, after: [getComputedStyle(/** @type {Element} */ (element.querySelector("ul"))).rowGap, getComputedStyle(/** @type {Element} */ (element.querySelector("ul"))).listStyleType, getComputedStyle(element).color],
        columns: getComputedStyle(/** @type {Element} */ (element.querySelector("ul"))).gridTemplateColumns.split(" ").length,
        results: element.results.length, links: element.querySelectorAll("a").length };
    });
    assert.equal(styles.before[1], "none");
    assert.deepEqual(styles.after, ["20px", "square", "rgb(1, 2, 3)"]);
    assert.deepEqual([styles.columns, styles.results, styles.links], [2, 2, 2]);
    assert.equal(await page.locator("pagekin-related [style]").count(), 0, "nothing inline");
    assert.deepEqual(problems, []);
    await close();
  });
});

test("titles are shown as text, whatever they contain", async () => {
  const hostile = `<img src=x onerror="document.title='caught'"> \u202e <script>document.title='caught'</script>`;
  await onHost(folder, { ...BOTH, element: `<pagekin-related loading="eager"></pagekin-related><pagekin-duplicates loading="eager"></pagekin-duplicates>` }, async (origin) => {
    const { page, close } = await openPage(browser, "about:blank");
    const name = FIRST.slice(1);
    const shard = { "#copies": { [name]: [0, 1, [["x.html", hostile], ["y.html", hostile]]] }, [name]: [["x.html", hostile, 900]] };
    await answerOtherwise(page.context(), SHARD, (route) => route.fulfill({ body: JSON.stringify(shard) }));
    await page.goto(origin + FIRST);
    await inState(page, "ready", "duplicates");
    await inState(page, "ready");
    assert.deepEqual(await page.locator("[part~=link]").allTextContents(), [hostile, hostile, hostile]);
    assert.equal(await page.locator("pagekin-related img, pagekin-duplicates img, pagekin-related script").count(), 0);
    assert.notEqual(await page.title(), "caught");
    await close();
  });
});

// Failures

test("an index that was built for another base causes one warning with a remedy", async () => {
  await onHost(folder, { below: "/docs", element: `<pagekin-related loading="eager"></pagekin-related>`.repeat(2) }, async (origin) => {
    const { page, problems, close } = await openPage(browser, "about:blank");
    const messages = warnings(page);
    await page.goto(`${origin}/docs${FIRST}`);
    await inState(page, "error");
    await page.waitForLoadState("networkidle");
    assert.deepEqual(messages, [`pagekin-related: expected a page below /, found /docs${FIRST}; rebuild with --base-url /docs/`]);
    assert.deepEqual(await shown(page), []);
    assert.deepEqual(problems.filter((problem) => !problem.startsWith("request to")), []);
    await close();
  });
});

test("without an index the page keeps its links, and its author gets a warning", async () => {
  const element = `<pagekin-related loading="eager"><p>See <a href="/all.html">all pages</a></p></pagekin-related>
    <pagekin-related id="text" loading="eager"><p>A text for pages without a script</p></pagekin-related>`;
  await onHost(folder, { element }, async (origin) => {
    const { page, close } = await openPage(browser, "about:blank");
    const messages = warnings(page);
    await answerOtherwise(page.context(), KIN, (route) => route.fulfill({ status: 404 }));
    await page.addInitScript(() => document.addEventListener("pagekin-error", ({ detail }) => Object.assign(globalThis, { code: detail.code })));
    await page.goto(origin + FIRST);
    await inState(page, "error");
    await page.locator("#text[data-state=error]").waitFor({ state: "attached" });
    assert.equal(await page.locator("pagekin-related").first().innerText(), "See all pages");
    assert.equal(await page.locator("#text").textContent(), "");
    assert.equal(await page.evaluate("code"), "Missing");
    assert.equal(messages.length, 1);
    assert.match(messages[0], /expected a file at http:\S+pagekin\.kin, found HTTP status 404; publish all that `pagekin build` wrote/);
    await close();
  });
});

test("offline, the list of another page disappears, and returns after a refresh", async () => {
  await onHost(folder, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    await showing(page, FIRST);
    const { restore } = await answerOtherwise(page.context(), SHARD, (/** @type {Route} */ route) => route.abort("internetdisconnected"));
    const pages = Object.keys(truth).filter((url) => url !== "base");
    for (const url of pages) {
      await navigate(page, url);
      await page.waitForTimeout(20);
      if (await page.evaluate(() => document.querySelector("pagekin-related")?.state) === "error") break;
    }
    await inState(page, "error");
    assert.deepEqual(await shown(page), []);
    await restore();
    await page.evaluate(() => document.querySelector("pagekin-related")?.refresh());
    await inState(page, "ready");
    assert.deepEqual(await shown(page), titles(new URL(page.url()).pathname));
    await close();
  });
});

// Use

test("links are reached and followed by keyboard, and a script can cancel the event", async () => {
  await onHost(folder, {}, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    await showing(page, FIRST);
    await page.evaluate(() => document.addEventListener("pagekin-select", (event) => {
      Object.assign(globalThis, { selected: event.detail });
      event.preventDefault();
    }));
    const link = page.locator("pagekin-related a").nth(1);
    for (let at = 0; at < 60 && !(await link.evaluate((link) => link === document.activeElement)); at += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const { url, title, similarity } = truth[FIRST][1];
    assert.deepEqual(await page.evaluate("selected"), { url, title, similarity, rank: 2, from: "related" });
    assert.equal(new URL(page.url()).pathname, FIRST);
    await close();
  });
});

test("a page sets its own list, or none", async () => {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  for (const [page, list] of [[FIRST, `${SECOND}, /garden/`], [SECOND, "none"]]) {
    const html = await readFile(path.join(site, page), "utf8");
    await writeFile(path.join(site, page), html.replace("<head>", `<head><meta name="pagekin:related" content="${list}">`));
  }
  const folder = await build(site);
  await onHost(folder, { site }, async (origin) => {
    const { page, close } = await openPage(browser, origin + FIRST);
    await inState(page, "ready");
    assert.deepEqual(await page.locator("pagekin-related a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))), [SECOND, "/garden/"]);
    await page.goto(origin + SECOND);
    await inState(page, "empty");
    await close();
  });
});

test("a copy names its original, and nothing is fetched twice", async () => {
  const element = `<pagekin-duplicates loading="eager"></pagekin-duplicates><pagekin-related loading="eager"></pagekin-related>`;
  await onHost(folder, { ...BOTH, element }, async (origin) => {
    const { page, problems, close } = await openPage(browser, "about:blank");
    /** @type {string[]} */
    const requested = [];
    page.on("request", (request) => KIN.test(request.url()) && requested.push(request.url()));
    await page.goto(origin + COPY);
    await inState(page, "ready", "duplicates");
    await inState(page, "ready");
    const note = page.getByRole("note");
    assert.equal(await note.locator("[part~=text]").innerText(), "This page is a copy of Sourdough loaf.");
    assert.equal(await note.getByRole("link").first().getAttribute("href"), FIRST);
    assert.equal(requested.length, 2, requested.join(" "));
    const answer = await page.evaluate(async () => {
      const { duplicate } = await import(`${location.origin}/pagekin/duplicates.js`);
      return duplicate();
    });
    assert.deepEqual([answer.kind, answer.original], ["copy", { url: FIRST, title: "Sourdough loaf" }]);
    await page.evaluate(() => document.querySelector("pagekin-duplicates")?.setAttribute("lang", "de"));
    assert.equal(await note.locator("[part~=text]").innerText(), "Diese Seite ist eine Kopie von Sourdough loaf.");
    await page.evaluate(() => document.querySelector("pagekin-duplicates")?.setAttribute("kinds", "near-duplicate"));
    await inState(page, "empty", "duplicates");
    assert.equal(await note.count(), 0);
    // The original is not a copy.
    await page.goto(origin + FIRST);
    await inState(page, "empty", "duplicates");
    assert.deepEqual(problems.filter((problem) => !problem.startsWith("request to")), []);
    await close();
  });
});

test("other copies are listed, unless only the original is requested", async () => {
  await onHost(folder, { ...BOTH, element: `<pagekin-duplicates loading="eager"></pagekin-duplicates>` }, async (origin) => {
    const { page, close } = await openPage(browser, "about:blank");
    const name = COPY.slice(1);
    const shard = { "#copies": { [name]: [0, 7, [["x.html", "X"], ["y.html", "Y"], ["z.html", "Z"]]] }, [name]: [] };
    await answerOtherwise(page.context(), SHARD, (route) => route.fulfill({ body: JSON.stringify(shard) }));
    await page.goto(origin + COPY);
    await inState(page, "ready", "duplicates");
    const more = page.locator("pagekin-duplicates details");
    assert.equal(await page.locator("[part~=text]").innerText(), "This page is almost the same as X.");
    assert.equal(await more.locator("summary").innerText(), "7 more copies");
    await more.locator("summary").press("Enter");
    assert.deepEqual(await more.getByRole("link").allTextContents(), ["Y", "Z"]);
    await page.evaluate(() => document.querySelector("pagekin-duplicates")?.setAttribute("canonical-only", ""));
    assert.equal(await more.count(), 0);
    await close();
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing in the elements when it is ${colorScheme}`, async () => {
    const element = `<main><h1>A page</h1><pagekin-duplicates loading="eager"></pagekin-duplicates><pagekin-related loading="eager"></pagekin-related></main>`;
    await onHost(folder, { ...BOTH, rewrite: plain, element }, async (origin) => {
      const { page, close } = await openPage(browser, origin + COPY, { colorScheme, viewport: { width: 360, height: 740 } });
      await inState(page, "ready");
      await inState(page, "ready", "duplicates");
      await page.evaluate(() => {
        // axe assumes a white background if the page sets none.
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("body { background: Canvas; color: CanvasText }");
        document.adoptedStyleSheets.push(sheet);
      });
      assert.deepEqual(await complaints(page), []);
      await close();
    });
  });
}
