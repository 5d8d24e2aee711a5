// @ts-check
/**
 * pagekin's own site, as a static host serves it below a path: its box finds pages, related pages
 * exist, it is legible in light and dark on any screen, and it respects its own policy. `cargo
 * xtask site --check` builds it.
 *
 * @typedef {import("../harness.mjs").Opened} Opened
 */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { complaints, launch, openPage, servePlainly, temporaryFolder } from "../harness.mjs";

const { SITE = "", BASE = "" } = process.env;

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Awaited<ReturnType<typeof servePlainly>>} */
let host;
before(async () => {
  const root = await temporaryFolder();
  const name = BASE.replaceAll("/", "");
  if (name) await symlink(path.resolve(SITE), path.join(root, name), "junction");
  host = await servePlainly(name ? root : SITE);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await host?.stop();
});

/**
 * Opens a page of the site. Anything that the browser complains about fails the test.
 *
 * @param {string} address below the site
 * @param {Parameters<typeof openPage>[2]} options
 * @param {(page: Opened["page"]) => Promise<void>} check
 */
async function onPage(address, options, check) {
  const { page, problems, close } = await openPage(browser, host.origin + BASE + address, options);
  try {
    await check(page);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

test("the box in the header finds a document, by keyboard alone", async () => {
  await onPage("docs/lab/", {}, async (page) => {
    const box = page.locator("pagekin-box.search");
    await page.waitForFunction(() => customElements.get("pagekin-box"));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("the host must support range requests");
    const link = box.locator(`a[href*="/docs/site-owners/"]`).first();
    await link.waitFor();
    await link.press("Enter");
    await page.waitForURL("**/docs/site-owners/**");
    assert.match(await page.locator("h1").innerText(), /site owners/);
  });
});

test("each example of the start page finds pages, including one with the passage", async () => {
  await onPage("", {}, async (page) => {
    const box = page.locator("pagekin-box.large");
    const examples = page.locator("[data-example]");
    assert.ok(await examples.count() >= 2);
    for (const example of await examples.all()) {
      const text = await example.getAttribute("data-example");
      await example.click();
      await page.waitForFunction(
        (text) => document.querySelector("pagekin-box.large")?.matches("[data-state=ready]") && document.querySelector("pagekin-box.large textarea")?.matches(":focus") && /** @type {HTMLTextAreaElement} */ (document.querySelector("pagekin-box.large textarea")).value === text,
        text,
      );
      assert.ok(await box.locator("[part~=mark]").first().innerText());
      const first = await box.locator("[part~=link]").first().getAttribute("href");
      assert.ok(first?.includes("/docs/"), `expected a document first, found ${first}`);
    }
  });
});

test("related pages are part of the page, link to others, and need no script", async () => {
  await onPage("docs/mirrors/", { javaScriptEnabled: false }, async (page) => {
    const links = await page.locator("pagekin-related a").all();
    assert.ok(links.length >= 3, `expected three links or more, found ${links.length}`);
    for (const link of links) {
      const href = await link.evaluate((link) => /** @type {HTMLAnchorElement} */ (link).href);
      assert.ok(new URL(href).pathname.startsWith(BASE) && href !== page.url(), href);
      const response = await page.request.get(href);
      assert.equal(response.status(), 200, href);
      assert.ok((await response.text()).includes(await link.innerText()), href);
    }
  });
});

test("links lead to sections, the demo and the lab", async () => {
  await onPage("", {}, async (page) => {
    await page.locator("main a[href*='#what-a-query-costs']").first().click();
    await page.waitForURL("**/docs/benchmarks/#what-a-query-costs");
    await page.waitForFunction(() => Math.abs((document.getElementById("what-a-query-costs")?.getBoundingClientRect().top ?? 1e6) - 80) < 60);
    await page.getByRole("link", { name: "Try it" }).click();
    await page.locator("#text").fill("pages that are almost the same, and a gate for continuous integration");
    await page.getByRole("button", { name: "Find pages" }).click();
    await page.locator(`a[href*="/docs/near-duplicates/"]`).first().waitFor();
  });
  await onPage("docs/", {}, async (page) => {
    await page.getByRole("link", { name: "Lab", exact: true }).click();
    await page.getByRole("link", { name: "Open the lab" }).click();
    await page.locator(".lab[data-state=ready]").waitFor();
    // On the teaching site, with the texts of its pages.
    await page.locator("#text-a").filter({ hasText: /\w+ \w+ \w+/ }).waitFor();
  });
  await onPage("lab/", {}, async (page) => {
    assert.deepEqual(await complaints(page), []);
    await page.getByRole("link", { name: /on the S-curve/ }).click();
    await page.locator(".lab[data-state=ready] .shown #curve").waitFor();
  });
  // The index of its lab has lists and vectors.
  await onPage("teaching/pagekin/lab/lookup.html?figure=meaning", {}, async (page) => {
    await page.locator(".shown #meaning .worse").first().waitFor();
  });
});

test("on a phone a button opens the list of documents, which marks the current one", async () => {
  await onPage("docs/benchmarks/", { viewport: { width: 390, height: 780 } }, async (page) => {
    const contents = page.getByRole("navigation", { name: "Documentation" });
    assert.equal(await contents.isVisible(), false);
    await page.getByRole("button", { name: "Contents" }).click();
    const current = contents.locator("[aria-current=page]");
    assert.equal(await current.innerText(), "Benchmarks");
    await page.waitForFunction(() => {
      const { top, bottom } = document.querySelector("#contents [aria-current]")?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
      return top >= 0 && bottom <= innerHeight;
    });
    await page.keyboard.press("Escape");
    await contents.waitFor({ state: "hidden" });
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const viewport of [{ width: 1400, height: 900 }, { width: 390, height: 780 }]) {
    test(`three pages are accessible, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      for (const address of ["", "docs/install/", "docs/components/"]) {
        await onPage(address, { colorScheme, viewport, reducedMotion: "reduce" }, async (page) => {
          await page.waitForFunction(() => customElements.get("pagekin-box"));
          assert.deepEqual(await complaints(page), []);
          const { whole, window } = await page.evaluate(() => ({ whole: document.documentElement.scrollWidth, window: innerWidth }));
          assert.ok(whole <= window, `${address}: ${whole} pixels in ${window}`);
        });
      }
    });
  }
}
