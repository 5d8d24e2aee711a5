// @ts-check
/** MinHash: random orders of what two pages have, and how often the first is in both. */
import { byId, calm, html, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Marks drawn at most. */
const MAX_MARKS = 600;
/** The draws of the longest run. */
const MAX_DRAWS = 400;
const SIDES = ["both", "A alone", "B alone"];

/** Ends of earlier runs of this pair: their seeds. @type {{pair: string, ends: {seed: number, n: number, estimate: number}[]}} */
const past = { pair: "", ends: [] };

explorable({
  defaults: { seed: 204, n: 0, pick: "least" },
  draw({ core, state, pair: [u, v], set }) {
    const seed = Number(state.seed);
    const n = Math.min(MAX_DRAWS, Number(state.n));
    const { overlap } = core.beside(u, v);
    const winners = core.race(u, v, seed, MAX_DRAWS);
    const agreed = runningCount(winners.map(({ side }) => side === 0));
    const estimate = n > 0 ? agreed[n - 1] / n : 0;
    const pair = `${u} ${v}`;
    if (past.pair !== pair) Object.assign(past, { pair, ends: [] });

    const of100 = core.band(overlap.similarity, 100);
    const [at80, at320] = [80, 320].map((m) => core.band(overlap.similarity, m));
    fill({
      both: overlap.both, either: overlap.either, similarity: two(overlap.similarity), percent: Math.round(100 * overlap.similarity),
      low100: Math.round(100 * of100.low), high100: Math.round(100 * of100.high),
      error80: at80.deviation.toFixed(3), error320: at320.deviation.toFixed(3),
      any: things(core.pickAny(u, v, seed, MAX_DRAWS), "time"),
    });

    drawStrip(core.order(u, v, seed, Math.max(0, n - 1)), n);
    drawTrack(core, overlap.similarity, agreed, n);
    drawTable(winners, agreed, n);

    const truth = `the pages are ${two(overlap.similarity)} alike: ${overlap.both} of ${overlap.either} marks are in both`;
    if (state.pick === "any") {
      const same = core.pickAny(u, v, seed, Math.max(1, n));
      say(`Each page named any of its marks, ${things(Math.max(1, n), "time")}: they named the same ${things(same, "time")}. But ${truth}.`);
    } else if (n === 0) {
      say("Nothing is drawn yet. Bet below how often the first mark is in both pages, then draw one.");
    } else {
      const { word, copy, side } = winners[n - 1];
      say(`Draw ${n}: “${word || "a rare word"}”, copy ${copy}, comes first. It is in ${SIDES[side]}: ${side === 0 ? "the pages agree" : "they do not agree"}. Agreed so far ${agreed[n - 1]} of ${n}, so the estimate is ${two(estimate)}; ${truth}.`);
    }

    const again = () => {
      if (n > 0) past.ends.push({ seed, n, estimate });
      set({ seed: seed + 1, n: n || 80 });
    };
    byId("again").onclick = again;
    byId("again-too").onclick = again;
  },
});

/** @param {boolean[]} agree */
function runningCount(agree) {
  let sum = 0;
  return agree.map((one) => sum += Number(one));
}

/**
 * @param {import("./core.js").Element[]} order
 * @param {number} n the draw that it is of; 0 before the first
 */
function drawStrip(order, n) {
  const strip = byId("strip");
  const marks = order.slice(0, MAX_MARKS);
  const cell = innerWidth < 500 ? 8 : 11;
  const columns = Math.floor(sized(strip, 0) / cell);
  sized(strip, Math.ceil(marks.length / columns) * cell * 1.15 + 2);
  /** @type {[string, string, string]} */
  const paths = ["", "", ""];
  marks.forEach(({ side }, at) => {
    const [x, y] = [(at % columns) * cell, Math.floor(at / columns) * cell * 1.15];
    const [l, r, t, b] = [x + cell * 0.2, x + cell * 0.8, y + cell * 0.15, y + cell * 0.95];
    if (side === 0) paths[0] += `M${l} ${t}H${r}V${b}H${l}Z`;
    else if (side === 1) paths[1] += `M${l} ${b}L${r} ${t}`;
    else paths[2] += `M${l} ${t}L${r} ${b}`;
  });
  strip.replaceChildren(
    svg("path", { class: "of-both", d: paths[0] }), svg("path", { class: "of-a", d: paths[1] }), svg("path", { class: "of-b", d: paths[2] }),
    ...(n > 0 ? [svg("rect", { class: "ring", x: 0, y: 0, width: cell, height: cell * 1.1, rx: 2 })] : []),
  );
  if (n > 0 && !calm()) strip.animate([{ opacity: 0.2 }, { opacity: 1 }], { duration: 250 });
  const shown = marks.length < order.length ? `the first ${marks.length} of ${order.length} marks` : `all ${order.length} marks`;
  const first = order[0];
  byId("strip-says").textContent = n === 0
    ? `All that the two pages have: ${shown}, in some order.`
    : `Draw ${n}: ${shown} in a random order, line by line. First, ringed: “${first.word || "a rare word"}”, in ${SIDES[first.side]}.`;
}

/**
 * @param {import("./core.js").Core} core
 * @param {number} truth
 * @param {number[]} agreed
 * @param {number} n
 */
function drawTrack(core, truth, agreed, n) {
  const width = sized(byId("track"), 250);
  const right = width - 8;
  const most = n <= 20 ? 20 : n <= 80 ? 80 : MAX_DRAWS;
  const x = (/** @type {number} */ draw) => 28 + (draw / most) * (right - 28);
  const y = (/** @type {number} */ value) => 215 - value * 200;
  const steps = Array.from({ length: 60 }, (_, at) => Math.max(1, Math.round(((at + 1) / 60) * most)));
  const bands = steps.map((m) => ({ m, ...core.band(truth, m) }));
  const band = `M${bands.map(({ m, high }) => `${x(m)} ${y(high)}`).join("L")}L${bands.reverse().map(({ m, low }) => `${x(m)} ${y(low)}`).join("L")}Z`;
  const ticks = [0, 0.5, 1].flatMap((value) => [
    svg("path", { class: "axis", d: `M28 ${y(value)}H${right}` }), svg("text", { class: "quiet", x: 22, y: y(value) + 4, "text-anchor": "end" }, value === 0.5 ? ".5" : String(value)),
  ]);
  const dots = agreed.slice(0, n).map((sum, at) => svg("circle", { class: "dot", cx: x(at + 1), cy: y(sum / (at + 1)), r: most > 80 ? 2.5 : 4 }));
  const ends = past.ends.filter((end) => end.n <= most).map(({ n, estimate }) => svg("circle", { class: "past", cx: x(n), cy: y(estimate), r: 5 }));
  byId("track").replaceChildren(
    ...(n > 0 ? [svg("path", { class: "band", d: band })] : []), ...ticks,
    ...(n > 0 ? [svg("path", { class: "exact", d: `M28 ${y(truth)}H${right}` }), svg("text", { x: right, y: y(truth) - 6, "text-anchor": "end" }, `true: ${two(truth)}`)] : []),
    ...dots, ...ends,
    svg("text", { class: "quiet", x: 28, y: 240 }, "estimate after each draw"), svg("text", { class: "quiet", x: right, y: 240, "text-anchor": "end" }, `draw ${most}`),
  );
}

/**
 * @param {import("./core.js").Element[]} winners
 * @param {number[]} agreed
 * @param {number} n
 */
function drawTable(winners, agreed, n) {
  const latest = winners.slice(Math.max(0, n - 40), n).map((winner, at) => ({ winner, draw: Math.max(0, n - 40) + at + 1 })).reverse();
  rows("draws", latest.map(({ winner: { word, copy, side }, draw }) =>
    [draw, html("span", {}, `${word || "a rare word"}, copy ${copy}`), SIDES[side], side === 0 ? "yes" : "no", two(agreed[draw - 1] / draw)]));
}
