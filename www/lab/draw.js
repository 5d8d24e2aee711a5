// @ts-check
/** Drawing: elements of SVG and HTML, and numbers as people read them. */

const SVG = "http://www.w3.org/2000/svg";
/** What is around drawings in their frame, about. */
const EDGE = 16;

/**
 * An element of SVG. No attribute `style`: strict policies forbid it.
 *
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/**
 * An element of HTML.
 *
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
export function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Makes a drawing as wide as its place, so that its words are as large as those around it.
 *
 * @param {SVGSVGElement} drawing
 * @param {number} height
 * @returns {number} the width
 */
export function sized(drawing, height) {
  const width = Math.max(280, Math.round(drawing.parentElement?.clientWidth ?? 720) - 2 * EDGE);
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return width;
}

/**
 * The element of an id that a page of the lab has.
 *
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`expected an element with id ${id} in ${location.pathname}`);
  return found;
}

/**
 * A similarity or a share.
 *
 * @param {number} value
 */
export const two = (value) => value.toFixed(2);

/**
 * A whole number.
 *
 * @param {number} value
 */
export const count = (value) => value.toLocaleString("en");

/**
 * A number of things in words.
 *
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export const things = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/**
 * Bytes.
 *
 * @param {number} bytes
 */
export const size = (bytes) => (bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`);

/**
 * A text that is not longer than so many characters.
 *
 * @param {string} text
 * @param {number} most
 */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

/**
 * The rows of a table's body: the first cell of each is its head.
 *
 * @param {string} id of the body
 * @param {(string | number | Node)[][]} rows
 */
export function rows(id, rows) {
  byId(id).replaceChildren(...rows.map(([head, ...cells]) => html("tr", {},
    html("th", { scope: "row" }, typeof head === "number" ? String(head) : head),
    ...cells.map((cell) => html("td", {}, typeof cell === "number" ? String(cell) : cell)))));
}

/** Whether things may move. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
