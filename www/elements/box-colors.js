// @ts-check
/**
 * Gives the dialog the colors of the page, however the page sets its dark scheme. A site may use
 * only a class, without `color-scheme`; then the browser's own colors would put a light background
 * behind the site's light links.
 */

/** Minimum contrast of text (WCAG 2.2, level AA), and of text that may be faded. */
const MIN_CONTRAST = 4.5;
const MIN_FADED_CONTRAST = 7;

/** Share of the text color in the background of the result that Enter opens. */
export const ACTIVE = 0.09;
/** Shares of the link color to try where links cannot be read. */
const SHARES = [1, 0.8, 0.6, 0.4, 0.2, 0];

/** The color of marked words, and its shares in their background to try. */
const GOLD = [1, 0.843, 0, 1];
const GOLDS = [0.28, 0.22, 0.16, 0.1];

/** @typedef {number[]} Color red, green, blue and alpha, 0 to 1 */

/** @type {Color} */
const LIGHT = [1, 1, 1, 1];
/** @type {Color} */
const DARK = [0.1, 0.1, 0.11, 1];

/** Added to the document on first use. @type {CSSStyleSheet | undefined} */
let sheet;

/**
 * Gives an open dialog the colors of the page. Colors that the site sets with custom properties
 * take precedence. The other colors are chosen to be readable.
 *
 * @param {HTMLElement} dialog
 */
export function takeColors(dialog) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync("");
  const probe = document.createElement("a");
  probe.setAttribute("part", "link");
  probe.href = "#";
  dialog.append(probe);
  const main = document.querySelector("main,[role=main],article") ?? document.body;
  const own = color(probe, getComputedStyle(main).color);
  let page = background(probe, main);
  if (!page) {
    page = color(probe, "Canvas");
    // There is a picture behind the text. The color of the text shows whether the picture is dark.
    if (contrast(own, page) < MIN_CONTRAST) page = luminance(own) > 0.5 ? DARK : LIGHT;
  }
  const set = (/** @type {string} */ rules) => sheet?.replaceSync(`@layer pagekin{pagekin-box{${rules}}}`);
  const pageRule = `--pagekin-page:${css(page)};`;
  set(pageRule);
  const plain = color(probe, getComputedStyle(dialog).backgroundColor);
  const dark = luminance(plain) < 0.18;
  const ink = contrast(own, plain) < MIN_CONTRAST ? (dark ? LIGHT : DARK) : own;
  const behind = mix(ink, plain, ACTIVE);
  const quiet = contrast(ink, behind) < MIN_FADED_CONTRAST ? "--pagekin-quiet:100%;" : "";
  const gold = GOLDS.find((share) => contrast(ink, mix(GOLD, behind, share)) >= MIN_CONTRAST) ?? 0;
  const link = color(probe, getComputedStyle(probe).color);
  const legible = SHARES.map((share) => mix(link, ink, share)).find((one) => contrast(one, behind) >= MIN_CONTRAST) ?? ink;
  // Within a layer, only `!important` overrides a rule of the site.
  const links = contrast(link, behind) < MIN_CONTRAST ? `dialog a{color:var(--pagekin-link,${css(legible)})!important}` : "";
  probe.remove();
  set(`${pageRule}--pagekin-ink:${css(ink)};--pagekin-gold:${gold * 100}%;${quiet}dialog{color-scheme:${dark ? "dark" : "light"}}${links}`);
}

/**
 * Returns the background behind an element: that of the nearest opaque ancestor.
 *
 * @param {HTMLElement} probe
 * @param {Element} of
 */
function background(probe, of) {
  for (let at = /** @type {Element | null} */ (of); at; at = at.parentElement) {
    const found = color(probe, getComputedStyle(at).backgroundColor);
    if (found[3] > 0.99) return found;
  }
  return undefined;
}

/**
 * Converts a CSS color in any notation to numbers. Browsers compute a mix in sRGB in one notation.
 *
 * @param {HTMLElement} probe in the document
 * @param {string} of
 * @returns {Color}
 */
function color(probe, of) {
  probe.style.color = `color-mix(in srgb,${of},${of})`;
  const [red = 0, green = 0, blue = 0, alpha = 1] = (getComputedStyle(probe).color.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
  probe.removeAttribute("style");
  return [red, green, blue, alpha];
}

/** @param {Color} one @param {Color} other @param {number} share of the one */
const mix = (one, other, share) => one.map((part, at) => share * part + (1 - share) * other[at]);

/** @param {Color} color */
const css = ([red, green, blue]) => `color(srgb ${red} ${green} ${blue})`;

/** Returns the relative luminance (WCAG 2.2). @param {Color} color */
function luminance(color) {
  const [red, green, blue] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {Color} one @param {Color} other */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
