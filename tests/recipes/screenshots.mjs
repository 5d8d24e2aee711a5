// @ts-check
/**
 * Pictures of the box and of related pages on the sites of generators, for people to look at:
 * `cargo xtask recipes --screenshots FOLDER`.
 *
 * @typedef {import("./box.mjs").Site} Site
 */
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { launch, openPage, servePlainly } from "../browser/harness.mjs";
import { openByButton, type } from "./box.mjs";

const VIEWS = /** @type {const} */ ([
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 780 } },
]);

const folder = process.env.SCREENSHOTS ?? "screenshots";
/** @type {Site[]} */
const sites = JSON.parse(await readFile(process.env.RECIPES ?? "", "utf8"));
await mkdir(folder, { recursive: true });
const browser = await launch();
// One place of each is enough: they look the same below a path.
for (const site of sites.filter(({ base }) => base === "/")) {
  const host = await servePlainly(site.folder, site.port);
  for (const { name, ...view } of VIEWS) {
    const { page, close } = await openPage(browser, host.origin + site.page, { ...view, reducedMotion: "reduce" });
    const keep = (/** @type {string} */ what) => page.screenshot({ path: path.join(folder, `${site.name}-${what}-${name}.png`) });
    const list = page.locator(site.script ? "pagekin-related" : "nav[aria-labelledby$=related]").first();
    await list.scrollIntoViewIfNeeded();
    await list.locator("a").first().waitFor();
    await list.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    await keep("related");
    if (site.box) {
      await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
      await keep("page");
      await openByButton(page, site);
      await type(page, "named colors");
      await page.locator("pagekin-box [part~=excerpt] mark").nth(1).waitFor();
      await keep("box");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await keep("focus");
    }
    await close();
  }
  await host.stop();
}
await browser.close();
