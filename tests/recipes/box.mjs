// @ts-check
/**
 * The box on a site of a generator, as visitors use it.
 *
 * @typedef {import("../browser/harness.mjs").Opened["page"]} Page
 * @typedef {object} Site as printed by `cargo xtask recipes`
 * @property {string} name
 * @property {string} base
 * @property {string} folder to be served as the root of a host
 * @property {string} page
 * @property {number} port
 * @property {boolean} script related pages are shown by a script
 * @property {boolean} single_page
 * @property {boolean} box
 * @property {string} menu what has to be pressed on a phone to see the button of the box
 */

/**
 * @param {Page} page
 * @param {Pick<Site, "menu">} site
 */
export async function openByButton(page, { menu }) {
  const button = page.locator("pagekin-box [part~=open]").first();
  await button.waitFor({ state: "attached" });
  if (menu && !(await button.isVisible() && await isWithin(button))) await page.locator(menu).first().click();
  await button.click();
  await page.locator("pagekin-box dialog[open]").waitFor();
}

/**
 * Types words into the open box, and waits for what they find.
 *
 * @param {Page} page
 * @param {string} words
 */
export async function type(page, words) {
  await page.keyboard.type(words);
  // What the first letters have found may be there already.
  await page.waitForFunction((words) => {
    const box = /** @type {any} */ (document.querySelector("pagekin-box"));
    return box.value === words && box.state === "ready";
  }, words);
}

/** Whether some of an element is on the screen. @param {ReturnType<Page["locator"]>} element */
const isWithin = (element) => element.evaluate((element) => {
  const { left, right } = element.getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
});
