// @ts-check
/** A sentence as the sum of the vectors of its words. It is fetched if the index has vectors. */
import { appear, byId, cut, moveTo, pointable, rows, sized, svg, things, two } from "./draw.js";
import { nameOf, playWith } from "./frame.js";

/** Directions of a vector, and how many pairs of them can be shown. */
const DIMENSIONS = 32;
/** Pages that are named, on a screen and on a phone. */
const [NAMED, NAMED_ON_PHONE] = [4, 2];
const HEIGHT = 340;
const EDGE = 34;
/** Width of a letter, about, and height of a line. */
const [LETTER, LINE] = [7, 15];

/** What was drawn last, to move from there. @type {{text: string, w: number}} */
const drawn = { text: "", w: 0 };
let latest = 0;

/**
 * @param {import("./frame.js").Shown} shown
 */
export async function drawMeaning({ core, state, pair: [, v], set }) {
  const mine = (latest += 1);
  const box = /** @type {HTMLInputElement} */ (byId("sentence"));
  // A title is a short sentence that the site has words for.
  if (!box.dataset.begun) box.value = core.pages[v].title;
  box.dataset.begun = "yes";
  box.oninput = () => set({ w: 99 });
  const { words, sum, whole, near } = await core.meaning(box.value, Math.floor(Number(state.w)));
  if (mine !== latest) return;
  const w = Math.min(words.length, Math.floor(Number(state.w)));
  const plane = Math.floor(Number(state.d)) % (DIMENSIONS / 2);
  byId("next-word").onclick = () => set({ w: w >= words.length ? 0 : w + 1 });
  playWith("play-words", () => {
    set({ w: w >= words.length ? 0 : w + 1 });
    return w >= words.length || w + 1 < words.length;
  });
  draw(core, { words, sum, whole, near }, w, plane, box.value);
  const found = near[0];
  const without = words.filter(({ elements }) => elements.length === 0).map(({ word }) => `“${word}”`);
  byId("meaning-says").textContent = [
    words.length === 0 ? "Write some words, not only stop words." : w === 0 ? `${things(words.length, "word")} to add, without stop words.` : `${things(w, "word")} of ${words.length} added: ${words.slice(0, w).map(({ word }) => word).join(" + ")}.`,
    w > 0 && found && found.cosine > 0 ? `The nearest page is “${nameOf(core, found.page, 50)}”, with a cosine of ${two(found.cosine)}.` : "",
    without.length > 0 ? `No vector: ${without.join(", ")}.` : "",
  ].filter(Boolean).join(" ");
  rows("near-pages", near.slice(0, 10).map(({ page, cosine }) => [nameOf(core, page, 60), two(cosine)]));
}

/**
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Meaning} meaning
 * @param {number} w words that are added
 * @param {number} plane which two dimensions
 * @param {string} text
 */
function draw(core, { words, sum, whole, near }, w, plane, text) {
  const drawing = byId("meaning");
  const width = sized(drawing, HEIGHT);
  const flat = (/** @type {number[]} */ elements, factor = 1) => /** @type {[number, number]} */ ([(elements[2 * plane] ?? 0) * factor, (elements[2 * plane + 1] ?? 0) * factor]);
  const length = (/** @type {number[]} */ elements) => Math.hypot(...elements);
  // Only directions count: each page is as long as the whole sentence.
  const goal = length(whole) || 1;
  const pages = near.map(({ page, cosine, elements }) => ({ page, cosine, place: flat(elements, goal / (length(elements) || 1)) }));
  /** Tips of the words, from the origin. @type {[number, number][]} */
  const tips = [[0, 0]];
  for (const { weight, elements } of words) {
    const [dx, dy] = flat(elements, weight);
    const [x, y] = tips[tips.length - 1];
    tips.push([x + dx, y + dy]);
  }
  const all = [...tips, ...pages.map(({ place }) => place)];
  const [low, high] = [0, 1].map((axis) => all.map((point) => point[axis])).reduce((found, values) => [[...found[0], Math.min(...values)], [...found[1], Math.max(...values)]], /** @type {number[][]} */ ([[], []]));
  const scale = Math.min((width - 2 * EDGE) / (high[0] - low[0] || 1), (HEIGHT - 2 * EDGE) / (high[1] - low[1] || 1));
  const at = (/** @type {[number, number]} */ [x, y]) => /** @type {[number, number]} */ ([width / 2 + (x - (low[0] + high[0]) / 2) * scale, HEIGHT / 2 - (y - (low[1] + high[1]) / 2) * scale]);

  const isNew = drawn.text === text && w === drawn.w + 1;
  Object.assign(drawn, { text, w });
  const arrow = (/** @type {string} */ name, /** @type {[number, number]} */ from, /** @type {[number, number]} */ to) => {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const far = Math.hypot(dx, dy);
    if (far < 1) return svg("circle", { class: name, r: 2 });
    const [ux, uy] = [(dx / far) * 8, (dy / far) * 8];
    return svg("path", { class: name, d: `M0 0L${dx} ${dy}m${-ux - uy / 2} ${-uy + ux / 2}L${dx} ${dy}l${-ux + uy / 2} ${-uy - ux / 2}` });
  };
  // The words in a column next to the arrows, each with a line to its own: arrows may be short.
  const corners = tips.map(at);
  const [leftmost, rightmost] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
  const isLeft = leftmost > 14 * LETTER;
  const side = isLeft ? leftmost - 14 : rightmost + 14;
  const middles = words.map((_, place) => (corners[place][1] + corners[place + 1][1]) / 2);
  const lines = column(middles, words.map((_, place) => place).filter((place) => words[place].elements.length > 0));
  const arrows = words.slice(0, w).map(({ word, elements }, place) => {
    if (elements.length === 0) return svg("g");
    const [from, to] = [corners[place], corners[place + 1]];
    const [x, y] = [side - from[0], lines[place] - from[1]];
    const group = svg("g", {}, arrow("worse", from, to),
      svg("path", { class: "link-b", d: `M${(to[0] - from[0]) / 2} ${(to[1] - from[1]) / 2}L${x} ${y}` }),
      svg("text", { class: "in-b halo", x: x + (isLeft ? -4 : 4), y: y + 4, "text-anchor": isLeft ? "end" : "start" }, cut(word, 14)));
    // From the origin, where each word begins, to the tip of the ones before.
    moveTo(group, from, isNew && place === w - 1 ? at([0, 0]) : undefined);
    return group;
  });
  const total = svg("g", {}, arrow("exact", at([0, 0]), at(tips[w])));
  moveTo(total, at([0, 0]));
  // Copies of a page have one title.
  const isFirst = (/** @type {{page: number}} */ { page }, /** @type {number} */ rank) => pages.findIndex((one) => core.pages[one.page].title === core.pages[page].title) === rank;
  const nearest = sum.some((one) => one !== 0) ? pages.filter(isFirst).slice(0, width < 500 ? NAMED_ON_PHONE : NAMED) : [];
  const dots = pages.map(({ page, place }) => {
    const [cx, cy] = at(place);
    return svg("circle", { class: nearest.some((one) => one.page === page) ? "found" : "extra", cx, cy, r: nearest.some((one) => one.page === page) ? 6 : 4 }, svg("title", {}, nameOf(core, page, 60)));
  });
  // Outwards from the middle; the nearest page last, on top.
  const names = nearest.map(({ page, place }, rank) => {
    const [x, y] = at(place);
    const name = cut(core.pages[page].title || core.pages[page].url, width < 500 ? 18 : 32);
    const fits = (/** @type {number} */ edge) => Math.abs(edge - x) > name.length * LETTER + 12;
    const isLeft = x < width / 2 ? fits(0) : !fits(width);
    return svg("text", { class: rank === 0 ? "strong halo" : "halo", x: x + (isLeft ? -10 : 10), y: y + 4, "text-anchor": isLeft ? "end" : "start" }, name);
  }).reverse();
  if (isNew) [total, ...names].forEach((part) => appear(part, 300));
  const [ox, oy] = at([0, 0]);
  const looked = svg("g");
  drawing.replaceChildren(
    svg("path", { class: "axis", d: `M0 ${oy}H${width}M${ox} 0V${HEIGHT}` }),
    svg("text", { class: "quiet", x: width, y: oy - 6, "text-anchor": "end" }, `dimension ${2 * plane + 1}`),
    svg("text", { class: "quiet", x: ox + 6, y: 12 }, `dimension ${2 * plane + 2}`),
    ...dots, ...arrows, total, ...names, looked,
  );
  const note = byId("near-says");
  note.textContent = "Point at a page, or use the arrow keys, to read its title.";
  pointable(drawing, pages.map(({ place }) => { const [x, y] = at(place); return { x, y }; }), (chosen) => {
    const { page, cosine, place } = pages[chosen];
    const [cx, cy] = at(place);
    looked.replaceChildren(svg("circle", { class: "picked", cx, cy, r: 9 }));
    note.textContent = `“${nameOf(core, page, 60)}”: cosine ${two(cosine)} with the sum.`;
  });
}

/**
 * Where the lines of a column are drawn: near where they should be, and not over each other.
 *
 * @param {number[]} wanted
 * @param {number[]} which of them are drawn
 */
function column(wanted, which) {
  const lines = [...wanted];
  const sorted = [...which].sort((one, other) => wanted[one] - wanted[other]);
  sorted.forEach((place, at) => { lines[place] = Math.max(wanted[place], at > 0 ? lines[sorted[at - 1]] + LINE : -Infinity); });
  const shift = which.reduce((sum, place) => sum + lines[place] - wanted[place], 0) / (which.length || 1);
  return lines.map((line) => line - shift);
}
