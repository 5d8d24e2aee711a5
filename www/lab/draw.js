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

/** Widths of the places of drawings. @type {Map<Element, number>} */
let places = new Map();

/**
 * Measures the places of all drawings at once: a browser lays out the page again for each one that
 * is measured after a change.
 */
export function measure() {
  places = new Map([...document.querySelectorAll(".figure svg[id]")].map((one) => [one, one.parentElement?.clientWidth ?? 0]));
}

/**
 * Makes a drawing as wide as its place, so that its words are as large as those around it.
 *
 * @param {SVGSVGElement} drawing
 * @param {number} height
 * @returns {number} the width
 */
export function sized(drawing, height) {
  const width = Math.max(100, Math.round(places.get(drawing) || (drawing.parentElement?.clientWidth ?? 720)) - 2 * EDGE);
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
 * Different words without a meaning. They have no digits, which would be words of their own.
 *
 * @param {number} n
 */
export const inventedWords = (n) => Array.from({ length: n }, (_, at) => `w${[...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`);

/**
 * Bytes.
 *
 * @param {number} bytes
 */
export const size = (bytes) => (bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`);

/**
 * Returns a text of at most `most` characters.
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

/** How long a movement takes, in milliseconds. */
export const MOVE = 300;

/** Whether things must not move. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Moves an element of a drawing to its place, from where it was.
 *
 * @param {Element} element
 * @param {[number, number]} to
 * @param {[number, number]} [from]
 * @param {number} [delay] in milliseconds
 */
export function moveTo(element, to, from, delay = 0) {
  const translate = (/** @type {[number, number]} */ [x, y]) => `translate(${x}px, ${y}px)`;
  element.setAttribute("transform", `translate(${to[0]} ${to[1]})`);
  if (!from || calm() || (from[0] === to[0] && from[1] === to[1])) return;
  element.animate([{ transform: translate(from) }, { transform: translate(to) }], { duration: MOVE, delay, fill: "backwards", easing: "ease-in-out" });
}

/**
 * Lets an element appear, after others have moved.
 *
 * @param {Element} element
 * @param {number} [delay] in milliseconds
 */
export function appear(element, delay = 0) {
  if (!calm()) element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MOVE, delay, fill: "backwards" });
  return element;
}

/**
 * Lets an element flash.
 *
 * @param {Element} element
 * @param {number} [delay] in milliseconds
 */
export function flash(element, delay = 0) {
  if (!calm()) element.animate([{ opacity: 1 }, { opacity: 0.15 }, { opacity: 1 }], { duration: 2 * MOVE, delay });
  return element;
}

/**
 * Makes the marks of a drawing answer: to a pointer above the nearest, to a tap, and to the arrow
 * keys, which go from mark to mark in their order.
 *
 * @param {any} drawing has the keyboard's focus
 * @param {{x: number, y: number}[]} marks in units of the drawing
 * @param {(at: number, isChosen: boolean) => void} look `isChosen` by click, tap or Enter
 */
export function pointable(drawing, marks, look) {
  const nearest = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const box = drawing.getBoundingClientRect();
    const [, , width, height] = (drawing.getAttribute("viewBox") ?? "").split(" ").map(Number);
    const [x, y] = [((clientX - box.left) * width) / box.width, ((clientY - box.top) * height) / box.height];
    let [best, least] = [-1, Infinity];
    marks.forEach((mark, at) => {
      const far = Math.hypot(mark.x - x, mark.y - y);
      if (far < least) [best, least] = [at, far];
    });
    return best;
  };
  drawing.setAttribute("tabindex", "0");
  const last = () => Math.min(Number(drawing.dataset.at ?? -1), marks.length - 1);
  const show = (/** @type {number} */ at, /** @type {boolean} */ isChosen) => {
    if (at < 0 || at >= marks.length) return;
    drawing.dataset.at = String(at);
    look(at, isChosen);
  };
  let shown = -1;
  drawing.onpointermove = (/** @type {PointerEvent} */ event) => {
    if (event.pointerType !== "mouse") return;
    const at = nearest(event);
    if (at !== shown) show((shown = at), false);
  };
  drawing.onclick = (/** @type {MouseEvent} */ event) => show(nearest(event), true);
  drawing.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const to = { ArrowRight: last() + 1, ArrowDown: last() + 1, ArrowLeft: Math.max(0, last() - 1), ArrowUp: Math.max(0, last() - 1), Home: 0, End: marks.length - 1 }[event.key];
    if (event.key === "Enter") show(last(), true);
    else if (to !== undefined) show(Math.min(to, marks.length - 1), false);
    else return;
    event.preventDefault();
  };
}
