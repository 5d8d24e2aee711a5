// @ts-check
/** Parts of the box's user interface. */
import { imageOf } from "../client/link.js";
import { make } from "./element.js";

const SVG = "http://www.w3.org/2000/svg";
/** Icons are SVG paths, because a policy for images may forbid those of a style sheet. */
export const GLASS = "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M21 21l-5-5";
export const CROSS = "M6 6l12 12M18 6L6 18";
export const CLOCK = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v4l3 2";

/** Draws a decorative icon, which screen readers ignore. @param {string} path */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/**
 * @param {string} part
 * @param {() => void} action
 * @param {...(Node | string)} children
 */
export function button(part, action, ...children) {
  const made = make("button", `button ${part}`, ...children);
  made.setAttribute("type", "button");
  made.addEventListener("click", action);
  return made;
}

/**
 * Returns an element with another role than its tag name implies, so that rules of the site do not
 * match it.
 *
 * @param {string} role
 * @param {string} part
 * @param {...(Node | string)} children
 */
export function as(role, part, ...children) {
  const made = make("div", part, ...children);
  made.setAttribute("role", role);
  return made;
}

/**
 * Returns a group of radio buttons. They are the browser's own, so that the keyboard works as
 * usual.
 *
 * @param {string} name of the group
 * @param {[value: string, name: string, amount: number][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} choose
 * @param {string} more a sign after amounts
 */
export function choice(name, choices, chosen, choose, more) {
  const group = as("radiogroup", "folders");
  group.setAttribute("aria-label", name);
  const id = `pagekin-${Math.random().toString(36).slice(2)}`;
  group.append(...choices.map(([value, name, amount]) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: id, value, checked: value === chosen });
    input.addEventListener("change", () => choose(value));
    return make("label", "folder", input, make("bdi", "folder-name", name), make("span", "amount", amount + more));
  }));
  return group;
}

/**
 * Returns a group of checkboxes for the values of a filter. They are the browser's own.
 *
 * @param {string} name of the filter
 * @param {[value: string, amount: number][]} values
 * @param {Set<string>} chosen
 * @param {(value: string, is: boolean) => void} choose
 * @param {string} more a sign after amounts
 */
export function checks(name, values, chosen, choose, more) {
  const group = as("group", "folders values", make("bdi", "filter-name", name));
  group.setAttribute("aria-label", name);
  group.append(...values.map(([value, amount]) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "checkbox", name, value, checked: chosen.has(value) });
    input.addEventListener("change", () => choose(value, input.checked));
    return make("label", "folder", input, make("bdi", "folder-name", value), make("span", "amount", amount + more));
  }));
  return group;
}

/** Width and height of a thumbnail, in pixels, until the style sheet applies. */
const THUMBNAIL = 64;

/**
 * Returns the thumbnail of a page, if it has an image.
 *
 * @param {Record<string, string>} meta
 * @param {string} url of the page
 */
export function thumbnail({ image, image_alt: alt = "" }, url) {
  const src = image && imageOf(image, url);
  // An image that is lazy from the start is fetched only if it is seen.
  return src ? [Object.assign(/** @type {HTMLImageElement} */ (make("img", "thumbnail")), { loading: "lazy", decoding: "async", width: THUMBNAIL, height: THUMBNAIL, alt, src })] : [];
}

/**
 * Fills a template with the metadata of a page. Values are text, never HTML. An element without a
 * value is removed, with the elements around it that show no other. Nothing is shown if all are.
 *
 * @param {HTMLTemplateElement | null} template
 * @param {Record<string, string>} meta
 */
export function filled(template, meta) {
  const copy = template?.content.cloneNode(true);
  const places = /** @type {HTMLElement[]} */ (copy ? [.../** @type {DocumentFragment} */ (copy).querySelectorAll("[data-meta]")] : []);
  const known = places.filter((place) => {
    const value = meta[place.dataset.meta ?? ""];
    if (value) place.textContent = value;
    else {
      let gone = place;
      while (gone.parentElement?.querySelectorAll("[data-meta]").length === 1) gone = gone.parentElement;
      gone.remove();
    }
    return value;
  });
  return copy && known.length ? [make("div", "meta", copy)] : [];
}

/** Whether this is an Apple device, whose shortcuts use another key. */
const isApple = () => /Mac|iP/.test(navigator.platform);

/** @typedef {{key: string, held: string[]}} Shortcut */

/**
 * Parses the shortcuts of an attribute, such as `mod+k /`.
 *
 * @param {string | null} written
 * @returns {Shortcut[]}
 */
export function shortcuts(written) {
  return (written ?? "").toLowerCase().split(/\s+/).filter(Boolean).map((one) => {
    const held = one.split("+");
    const key = held.pop() ?? "";
    return { key, held: held.map((name) => (name === "mod" ? (isApple() ? "meta" : "ctrl") : name)).sort() };
  });
}

/** Formats a shortcut for `aria-keyshortcuts`. @param {Shortcut} shortcut */
export const spoken = ({ key, held }) => [...held.map((name) => (name === "ctrl" ? "Control" : capital(name))), capital(key)].join("+");

/** Formats a shortcut for display. @param {Shortcut} shortcut */
export const shown = ({ key, held }) => (isApple()
  ? held.map((name) => ({ ctrl: "⌃", alt: "⌥", shift: "⇧", meta: "⌘" })[name] ?? name).join("") + capital(key)
  : [...held, key].map(capital).join(" "));

/** @param {string} word */
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Whether a keyboard event matches a shortcut. Letters and digits match by value, or by position on
 * a keyboard of another script. A shortcut without a modifier key collides with typing (WCAG
 * 2.1.4), so only `/` works, and not while the visitor types in a field.
 *
 * @param {Shortcut} shortcut
 * @param {KeyboardEvent} event
 */
export function matches({ key, held }, event) {
  const found = [["alt", event.altKey], ["ctrl", event.ctrlKey], ["meta", event.metaKey], ["shift", event.shiftKey]].filter(([, is]) => is).map(([name]) => name);
  const typed = event.key.toLowerCase();
  if (!held.length) {
    const writing = /** @type {Element} */ (event.composedPath()[0]).closest?.("input,textarea,select,[contenteditable]");
    return key === "/" && typed === "/" && !event.altKey && !event.ctrlKey && !event.metaKey && !writing;
  }
  const code = /^\d$/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
  return String(held) === String(found) && (typed === key || (event.code === code && !/^[a-z\d]$/.test(typed)));
}
