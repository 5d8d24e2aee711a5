// @ts-check
/**
 * The colors of the dialog: those of the page, whatever tells it that it is dark. A site may be so
 * by a class alone, without `color-scheme`; then the browser's own colors would be light ones
 * below the site's light links.
 */

/** Of texts, by WCAG 2.2, level AA; and that of a text which can be weakened. */
const ENOUGH = 4.5;
const AMPLE = 7;

/** How much of the text's color is behind the result that Enter opens. */
export const ACTIVE = 0.09;
/** How much of a link's color is left where that cannot be read. */
const SHARES = [1, 0.8, 0.6, 0.4, 0.2, 0];

/** Of marked words, and how much of it is behind them. */
const GOLD = [1, 0.843, 0, 1];
const GOLDS = [0.28, 0.22, 0.16, 0.1];

/** @typedef {number[]} Color red, green, blue and alpha, 0 to 1 */

/** @type {Color} */
const LIGHT = [1, 1, 1, 1];
/** @type {Color} */
const DARK = [0.1, 0.1, 0.11, 1];

/** Added to the document when it is first needed. @type {CSSStyleSheet | undefined} */
let sheet;

/**
 * Gives an open dialog the colors of the page. A color that the site has set by a custom property
 * counts; of the others those are taken that can be read.
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
    // What is behind the text is a picture: the text knows whether it is dark.
    if (contrast(own, page) < ENOUGH) page = luminance(own) > 0.5 ? DARK : LIGHT;
  }
  const set = (/** @type {string} */ rules) => sheet?.replaceSync(`@layer pagekin{pagekin-box{${rules}}}`);
  const pageRule = `--pagekin-page:${css(page)};`;
  set(pageRule);
  const plain = color(probe, getComputedStyle(dialog).backgroundColor);
  const dark = luminance(plain) < 0.18;
  const ink = contrast(own, plain) < ENOUGH ? (dark ? LIGHT : DARK) : own;
  const behind = mix(ink, plain, ACTIVE);
  const quiet = contrast(ink, behind) < AMPLE ? "--pagekin-quiet:100%;" : "";
  const gold = GOLDS.find((share) => contrast(ink, mix(GOLD, behind, share)) >= ENOUGH) ?? 0;
  const link = color(probe, getComputedStyle(probe).color);
  const legible = SHARES.map((share) => mix(link, ink, share)).find((one) => contrast(one, behind) >= ENOUGH) ?? ink;
  // Only `!important` outweighs a rule of the site from within a layer.
  const links = contrast(link, behind) < ENOUGH ? `dialog a{color:var(--pagekin-link,${css(legible)})!important}` : "";
  probe.remove();
  set(`${pageRule}--pagekin-ink:${css(ink)};--pagekin-gold:${gold * 100}%;${quiet}dialog{color-scheme:${dark ? "dark" : "light"}}${links}`);
}

/**
 * What is behind an element: the background of the nearest one around it that hides what is below.
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
 * A color in any notation of CSS as numbers: browsers compute a mix in sRGB in one notation.
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

/** Relative luminance by WCAG 2.2. @param {Color} color */
function luminance(color) {
  const [red, green, blue] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {Color} one @param {Color} other */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
