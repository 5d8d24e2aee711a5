// @ts-check
/**
 * Draws the neighborhood of an answer as a map, with the query in the middle, the pages around it,
 * and lines between similar pages; and as a list, by clusters. The core computes the neighborhood.
 *
 * @import {IndexInfo, Neighborhood} from "../client/pagekin.js"
 * @typedef {{x: number, y: number}} Point
 */
import { clusterName, element, hashOf, titleOf } from "./demo-draw.js";

/** Size of a node's target in pixels, large enough for a finger. */
const ROOM = 46;
/** Half of the map's inner width if names are next to the nodes, and the minimum width for that. */
const INNER = 105;
const WIDE = 560;
/** Approximate width of a letter of a name. */
const LETTER = 7;
/** Number of colors for clusters. */
const COLORS = 6;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * @param {Neighborhood} around
 * @param {{middle: string, ofPage: boolean, results: number, info: IndexInfo}} options `middle`: the name of the query;
 *   `ofPage`: whether it is the first of the pages; `results`: the number of pages that are its
 *   results
 * @returns {HTMLElement}
 */
export function drawMap({ pages, links, clusters }, { middle, ofPage, results, info }) {
  const first = ofPage ? 1 : 0;
  const shown = pages.slice(0, 20);
  const ring = inOrder(shown, first);
  const figure = element("div", { class: "map-figure" });
  const caption = element("p", { class: "note", "aria-hidden": "true" });
  /** Index of the node with the focus. It stays when the width changes. */
  let at = 0;
  let drawn = 0;
  const draw = () => {
    const width = Math.max(280, Math.floor(figure.clientWidth));
    if (width === drawn) return;
    drawn = width;
    const { places, height } = layout(ring.length, width);
    const center = { x: width / 2, y: height / 2 };
    /** @param {number} page */
    const placeOf = (page) => (page < first ? center : places[ring.indexOf(page)]);
    const spokes = ring.filter((page) => page < first + results).map((page) => line(center, placeOf(page), "spoke"));
    const lines = links.filter(({ a }) => a >= first).map(({ a, b, similarity }) => bent(placeOf(a), placeOf(b), center, similarity));
    /** @type {SVGElement[]} */
    const names = [];
    const nodes = ring.map((page, place) => {
      const point = places[place];
      const { url, title, cluster } = shown[page];
      const name = title || url;
      const number = page - first + 1;
      const found = page < first + results;
      const isLeft = point.x < center.x;
      if (width >= WIDE) names.push(svg("text", { x: point.x + (isLeft ? -24 : 24), y: point.y + 5, class: "name", "text-anchor": isLeft ? "end" : "start" },
        short(name, ((isLeft ? point.x : width - point.x) - 28) / LETTER)));
      const [from, to] = width < WIDE ? [point.x - ROOM / 2, point.x + ROOM / 2] : isLeft ? [0, point.x + ROOM / 2] : [point.x - ROOM / 2, width];
      const node = svg("a", { href: hashOf("url", url), class: `node ${found ? "found" : "similar"} ${color(cluster)}`, tabindex: place === at ? 0 : -1,
        "aria-label": `${number}: ${name}${found ? "" : ", similar to a result"}` },
      svg("rect", { x: from, y: point.y - ROOM / 2, width: to - from, height: ROOM, class: "hit" }),
      svg("circle", { cx: point.x, cy: point.y, r: found ? 15 : 12 }),
      svg("text", { x: point.x, y: point.y + 5, "text-anchor": "middle" }, String(number)));
      const showName = () => { caption.textContent = `${number}: ${name}`; };
      node.addEventListener("focus", () => { at = place; showName(); });
      node.addEventListener("pointerenter", showName);
      return node;
    });
    const map = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Map. Arrow keys move between pages, Enter opens similar pages." },
      svg("g", { "aria-hidden": "true" }, ...lines, ...spokes,
        svg("circle", { cx: center.x, cy: center.y, r: 9, class: "middle" }),
        svg("text", { x: center.x, y: center.y - 16, class: "name middle", "text-anchor": "middle" }, short(middle, (width < WIDE ? width - 150 : 2 * INNER - 60) / LETTER)), ...names),
      ...nodes);
    map.addEventListener("keydown", (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
      const to = step ? (at + step + nodes.length) % nodes.length : { Home: 0, End: nodes.length - 1 }[key];
      if (to === undefined) return;
      event.preventDefault();
      nodes[at].setAttribute("tabindex", "-1");
      nodes[to].setAttribute("tabindex", "0");
      /** @type {SVGElement} */ (nodes[to]).focus();
    });
    const focused = figure.contains(document.activeElement);
    figure.replaceChildren(map);
    if (focused) /** @type {SVGElement} */ (nodes[at]).focus();
  };
  new ResizeObserver(draw).observe(figure);
  return element("div", { class: "map" }, figure, caption, listOf(shown, ring, clusters, first, results, info));
}

/**
 * Orders the pages around the middle, so that pages of a cluster are adjacent.
 *
 * @param {Neighborhood["pages"]} pages
 * @param {number} first
 */
function inOrder(pages, first) {
  const ring = pages.map((_, at) => at).slice(first);
  const begun = ring.map((page) => ({ page, at: pages[page].cluster === undefined ? pages.length : ring.findIndex((one) => pages[one].cluster === pages[page].cluster) + first }));
  return begun.sort((a, b) => a.at - b.at || a.page - b.page).map(({ page }) => page);
}

/**
 * Computes positions on two arcs, clockwise, starting at the top right. Each node has its own row,
 * with its name next to it.
 *
 * @param {number} count
 * @param {number} width
 */
function layout(count, width) {
  const rows = Math.max(3, Math.ceil(count / 2));
  const height = rows * ROOM;
  const half = width < WIDE ? width / 2 - ROOM / 2 - 2 : INNER;
  const right = Math.ceil(count / 2);
  const places = Array.from({ length: count }, (_, at) => {
    const isRight = at < right;
    const of = isRight ? right : count - right;
    const row = (rows - of) / 2 + (isRight ? at : count - 1 - at);
    const y = (row + 0.5) * ROOM;
    const lift = (y - height / 2) / (height / 2 + ROOM / 2);
    const x = half * Math.sqrt(1 - lift * lift);
    return { x: width / 2 + (isRight ? x : -x), y };
  });
  return { places, height };
}

/** @param {Point} from @param {Point} to @param {string} name */
const line = (from, to, name) => svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: name });

/**
 * Draws a line between two pages, bent towards the middle. It is thicker for more similar pages.
 *
 * @param {Point} from
 * @param {Point} to
 * @param {Point} center
 * @param {number} similarity
 */
function bent(from, to, center, similarity) {
  const [x, y] = [(from.x + to.x + center.x) / 3, (from.y + to.y + center.y) / 3];
  return svg("path", { d: `M${from.x} ${from.y}Q${x} ${y} ${to.x} ${to.y}`, class: "line", "stroke-width": (1 + 4 * similarity).toFixed(1) });
}

/** @param {number | undefined} cluster */
const color = (cluster) => (cluster === undefined ? "alone" : `c${cluster % COLORS}`);

/** @param {string} name @param {number} letters */
const short = (name, letters) => (name.length <= letters ? name : `${name.slice(0, Math.max(1, Math.floor(letters) - 1)).trimEnd()}…`);

/**
 * Draws the same as a list, for screen readers and for looking up names.
 *
 * @param {Neighborhood["pages"]} pages
 * @param {number[]} ring
 * @param {Neighborhood["clusters"]} clusters
 * @param {number} first
 * @param {number} results
 * @param {IndexInfo} info
 */
function listOf(pages, ring, clusters, first, results, info) {
  /** @type {HTMLElement[]} */
  const groups = [];
  let last = -2;
  for (const page of ring) {
    const { cluster = -1 } = pages[page];
    if (cluster !== last) {
      const of = clusters[cluster];
      const heading = of ? [element("a", { href: hashOf("cluster", of.url) }, clusterName(of))] : ["Others"];
      groups.push(element("section", { class: color(of ? cluster : undefined) }, element("h3", { dir: "auto" }, ...heading), element("ul", { role: "list" })));
      last = cluster;
    }
    const title = titleOf(pages[page], info);
    groups.at(-1)?.lastElementChild?.append(element("li", { dir: "auto" },
      element("span", { class: "number" }, String(page - first + 1)), " ", ...title.childNodes,
      ...(page < first + results ? [] : [element("span", { class: "note" }, " similar to a result")])));
  }
  return element("div", { class: "map-list" }, ...groups);
}
