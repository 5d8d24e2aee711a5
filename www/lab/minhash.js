// @ts-check
/** MinHash: random orders of what two texts contain, and how often the first row is in both. */
import { appear, byId, calm, cut, flash, html, MOVE, moveTo, pointable, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, later, playWith, say } from "./frame.js";

/** Maximum number of rows of two pages that are drawn. */
const MAX_MARKS = 600;
/** The draws of the longest run. */
const MAX_DRAWS = 400;
const RUNS = 200;
/** Shuffles of the matrix. */
const SHUFFLES = 5;
/** Numbers of draws at which the runs of the fan are drawn. */
const FAN_AFTER = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 60, 80, 100, 130, 160, 200, 250, 300, 350, 400];
/** Rows and orders that show how nearly min-wise independent the functions are. */
const [BIAS_ROWS, BIAS_ORDERS] = [8, 20_000];
/** A row by its name: rare words have none in the index. @param {import("./core.js").Element} row */
const rowName = ({ word, copy }) => `copy ${copy} of ${word ? `“${word}”` : "a word too rare to be named in the index"}`;
const SIDES = ["in both pages", "only in A", "only in B"];

/** Ends of earlier runs of this pair: their seeds. @type {{pair: string, ends: {seed: number, n: number, estimate: number}[]}} */
const past = { pair: "", ends: [] };
/** Runs of the fan, by pair. @type {{pair: string, runs: number[][]}} */
const fanned = { pair: "", runs: [] };
let biased = false;

explorable({
  defaults: { seed: 0, n: 0, pick: "least", p: 0, toy: 1, fan: 0, truth: 0 },
  draw({ core, state, pair: [u, v], truth, set }) {
    const seed = Number(state.seed) || core.ordinaryRun(u, v);
    const n = Math.floor(Math.min(MAX_DRAWS, Number(state.n)));
    const p = Math.floor(Math.min(SHUFFLES, Number(state.p)));
    drawMatrix(core, p, Number(state.toy));
    playWith("play-matrix", () => {
      set({ p: p === SHUFFLES ? 0 : p + 1 });
      return p === SHUFFLES || p + 1 < SHUFFLES;
    });

    const { overlap } = core.beside(u, v);
    const winners = core.race(u, v, seed, MAX_DRAWS);
    const agreed = runningCount(winners.map(({ side }) => side === 0));
    const estimate = n > 0 ? agreed[n - 1] / n : 0;
    const pair = `${u} ${v}`;
    if (past.pair !== pair) Object.assign(past, { pair, ends: [] });
    later(() => {
      drawStrip(n > 0 ? core.order(u, v, seed, n - 1) : core.order(u, v, seed, 0).sort((a, b) => a.side - b.side || (a.word < b.word ? -1 : a.word > b.word ? 1 : a.copy - b.copy)), n);
      drawTrack(core, overlap.similarity, agreed, n, truth);
    });
    later(() => {
      drawFan(core, { u, v, seed, pair, n, isShown: Number(state.fan) === 1 }, overlap.similarity, agreed, truth);
      drawTable(winners, agreed, n);
      fillBias(core);
    });

    const of100 = core.band(overlap.similarity, 100);
    const [at80, at320] = [80, 320].map((m) => core.band(overlap.similarity, m));
    fill({
      both: overlap.both, either: overlap.either, percent: Math.round(100 * overlap.similarity),
      low100: Math.round(100 * of100.low), high100: Math.round(100 * of100.high),
      error80: at80.deviation.toFixed(3), error320: at320.deviation.toFixed(3),
      any: things(core.pickAny(u, v, seed, MAX_DRAWS), "time"),
    });
    const result = truth ? ` The similarity is ${two(overlap.similarity)}: ${overlap.both} of ${overlap.either} rows are in both.` : "";
    if (state.pick === "any") {
      const same = core.pickAny(u, v, seed, Math.max(1, n));
      say(`Each page reported a random row, ${things(Math.max(1, n), "time")}. They reported the same row ${things(same, "time")}.${result}`);
    } else if (n === 0) {
      say(`Nothing is drawn yet. Place your bet, then draw one.${result}`);
    } else {
      const { side } = winners[n - 1];
      say(`Draw ${n}: ${rowName(winners[n - 1])} comes first. It is ${SIDES[side]}: the pages ${side === 0 ? "agree" : "do not agree"}. Agreed so far ${agreed[n - 1]} of ${n}, so the estimate is ${two(estimate)}.${result}`);
    }

    const again = () => {
      if (n > 0) past.ends.push({ seed, n, estimate });
      set({ seed: seed + 1, n: n || 80 });
    };
    byId("again").onclick = again;
    byId("again-too").onclick = again;
    for (const id of ["toy-a", "toy-b"]) byId(id).oninput = () => set({ p: 0 });
  },
});

/** @param {boolean[]} agree */
function runningCount(agree) {
  let sum = 0;
  return agree.map((one) => sum += Number(one));
}

/** @param {import("./core.js").Core} core */
function fillBias(core) {
  if (biased) return;
  biased = true;
  const percent = (/** @type {number} */ count) => `${(100 * count / BIAS_ORDERS).toFixed(1)}%`;
  const plain = core.firstCounts(BIAS_ROWS, false, BIAS_ORDERS);
  const mixed = core.firstCounts(BIAS_ROWS, true, BIAS_ORDERS);
  fill({
    biasOf: BIAS_ROWS, biasLeast: percent(Math.min(...plain)), biasMost: percent(Math.max(...plain)), biasFair: percent(BIAS_ORDERS / BIAS_ROWS),
    mixedLeast: percent(Math.min(...mixed)), mixedMost: percent(Math.max(...mixed)),
  });
}

// The matrix

/** The matrix as it is drawn: its rows by their words. @type {{key: string, p: number, rows: Map<string, {group: Element, y: number}>}} */
const drawn = { key: "", p: -1, rows: new Map() };
const [ROW, HEAD] = [26, 24];

/**
 * @param {import("./core.js").Core} core
 * @param {number} p how many shuffles there were
 * @param {number} seed
 */
function drawMatrix(core, p, seed) {
  const drawing = byId("matrix");
  const [a, b] = ["toy-a", "toy-b"].map((id) => /** @type {HTMLInputElement} */ (byId(id)).value);
  const toy = core.toy(a, b, SHUFFLES, seed);
  const order = p > 0 ? toy.orders[p - 1] : toy.rows.map((_, at) => at);
  const firsts = p > 0 ? toy.firsts[p - 1] : [];
  const width = sized(drawing, 0);
  const isWide = width > 560;
  const below = HEAD + ROW * toy.rows.length + 8;
  sizedHeight(drawing, isWide ? Math.max(below, 150) : below + 92);
  const columns = [150, 200];
  const key = `${a}|${b}|${width}`;
  const isMove = drawn.key === key && drawn.p !== p;
  if (drawn.key !== key) drawn.rows.clear();

  const inOrder = order.map((row, at) => {
    const { word, of } = toy.rows[row];
    const old = drawn.rows.get(word);
    const y = HEAD + ROW * at;
    const cells = columns.map((x, column) => {
      const isFirst = firsts[column] === row;
      return svg("g", {},
        svg("rect", { class: isFirst ? (column ? "cell-b" : "cell-a") : "cell", x: x - 14, y: 2, width: 28, height: ROW - 4, rx: 4 }),
        svg("text", { class: isFirst ? "on" : of[column] ? "" : "quiet", x, y: 18, "text-anchor": "middle" }, of[column] ? "1" : "0"));
    });
    const group = svg("g", {}, svg("text", { class: of[0] && of[1] ? "strong" : "", x: 118, y: 18, "text-anchor": "end" }, cut(word, 14)), ...cells);
    moveTo(group, [0, y], isMove && old ? [0, old.y] : undefined);
    if (isMove) for (const [column, cell] of cells.entries()) if (firsts[column] === row) flash(cell, MOVE);
    drawn.rows.set(word, { group, y });
    return group;
  });
  Object.assign(drawn, { key, p });

  // The signatures, shuffle by shuffle.
  const left = isWide ? 270 : 24;
  const top = isWide ? HEAD : below + 26;
  const wide = (width - left) / SHUFFLES;
  const named = (/** @type {number | undefined} */ row) => (row === undefined || row === null ? "–" : toy.rows[row].word);
  const signature = toy.firsts.slice(0, p).flatMap((first, at) => {
    const isSame = first[0] === first[1] && first[0] !== undefined && first[0] !== null;
    const parts = [
      ...(isSame ? [svg("rect", { class: "of-both", x: left + wide * at + 2, y: top + 4, width: wide - 4, height: 2 * ROW, rx: 4 })] : []),
      ...first.map((row, column) => svg("text", { class: isSame ? "on" : column ? "in-b" : "in-a", x: left + wide * (at + 0.5), y: top + 22 + ROW * column, "text-anchor": "middle" }, cut(named(row), isWide ? 12 : 7))),
    ];
    if (isMove && at === p - 1) parts.forEach((part) => appear(part, MOVE));
    return parts;
  });
  drawing.replaceChildren(
    svg("text", { class: "in-a", x: columns[0], y: 14, "text-anchor": "middle" }, "A"), svg("text", { class: "in-b", x: columns[1], y: 14, "text-anchor": "middle" }, "B"),
    ...inOrder,
    svg("text", { class: "quiet", x: isWide ? left : 0, y: top - 10 }, "Signatures: the first row of each shuffle"),
    svg("text", { class: "in-a", x: left - 10, y: top + 22, "text-anchor": "end" }, "A"), svg("text", { class: "in-b", x: left - 10, y: top + 22 + ROW, "text-anchor": "end" }, "B"),
    svg("path", { class: "axis", d: `M${left} ${top + 4}H${width}V${top + 4 + 2 * ROW}H${left}Z` }),
    ...toy.orders.slice(1).map((_, at) => svg("path", { class: "axis", d: `M${left + wide * (at + 1)} ${top + 4}V${top + 4 + 2 * ROW}` })),
    ...toy.orders.map((_, at) => svg("text", { class: at === p - 1 ? "strong" : "quiet", x: left + wide * (at + 0.5), y: top + 4 + 2 * ROW + 18, "text-anchor": "middle" }, `${at + 1}`)),
    ...signature,
  );

  rows("matrix-rows", order.map((row) => {
    const { word, of } = toy.rows[row];
    return [word, of[0] ? "1" : "0", of[1] ? "1" : "0", ["A", "B"].filter((_, column) => firsts[column] === row).join(" and ") || "–"];
  }));
  const both = toy.rows.filter(({ of }) => of[0] && of[1]).length;
  const same = toy.firsts.slice(0, p).filter(([one, other]) => one === other && one !== undefined && one !== null).length;
  const state = p === 0
    ? `${things(toy.rows.length, "row")}, ${both} of them with two ones: the Jaccard similarity is ${both} of ${toy.rows.length}, or ${two(toy.rows.length > 0 ? both / toy.rows.length : 0)}. Shuffle the rows.`
    : `Shuffle ${p}: the first row of A is “${named(firsts[0])}”, the first row of B is “${named(firsts[1])}”. ${firsts[0] === firsts[1] ? "They agree" : "They do not agree"}. So far ${same} of ${p} agree, so the estimate is ${two(same / p)}.`;
  byId("matrix-says").textContent = state;
}

/**
 * @param {Element} drawing
 * @param {number} height
 */
function sizedHeight(drawing, height) {
  const [, , width] = (drawing.getAttribute("viewBox") ?? "").split(" ");
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

// The rows of two pages

/** Where each mark is drawn, by word and copy. @type {{n: number, places: Map<string, [number, number]>}} */
const strip = { n: 0, places: new Map() };

/**
 * @param {import("./core.js").Element[]} order
 * @param {number} n the draw that it is of; 0 before the first
 */
function drawStrip(order, n) {
  const drawing = byId("strip");
  const marks = order.slice(0, MAX_MARKS);
  const cell = innerWidth < 500 ? 8 : 11;
  const high = cell * 1.15;
  const columns = Math.floor(sized(drawing, 0) / cell);
  sized(drawing, Math.ceil(marks.length / columns) * high + 2);
  const isMove = strip.n !== n && !calm();
  const places = new Map();
  const [w, h] = [cell * 0.6, cell * 0.8];
  const shapes = marks.map(({ side, word, copy }, at) => {
    /** @type {[number, number]} */
    const place = [(at % columns) * cell + cell * 0.2, Math.floor(at / columns) * high + cell * 0.15];
    const mark = svg("path", { class: ["of-both", "of-a", "of-b"][side], d: [`M0 0H${w}V${h}H0Z`, `M0 ${h}L${w} 0`, `M0 0L${w} ${h}`][side] });
    const key = `${word} ${copy} ${side}`;
    moveTo(mark, place, isMove ? strip.places.get(key) ?? place : undefined);
    places.set(key, place);
    return mark;
  });
  Object.assign(strip, { n, places });
  const ring = (/** @type {number} */ at) => svg("rect", { class: "ring", x: (at % columns) * cell - 1, y: Math.floor(at / columns) * high - 1, width: cell + 2, height: high + 2, rx: 2 });
  const first = n > 0 ? ring(0) : undefined;
  if (first && isMove) flash(first, MOVE);
  const looked = svg("g");
  drawing.replaceChildren(...shapes, ...(first ? [first] : []), looked);
  const note = byId("strip-says");
  const shown = marks.length < order.length ? `the first ${marks.length} of ${order.length} rows` : `all ${order.length} rows`;
  note.textContent = n === 0
    ? `What the two pages contain: ${shown}, sorted. Point at a mark to read its word.`
    : `Draw ${n}: ${shown} in a random order, line by line. First, ringed: ${rowName(order[0])}, ${SIDES[order[0].side]}.`;
  pointable(drawing, marks.map((_, at) => ({ x: (at % columns) * cell + cell / 2, y: Math.floor(at / columns) * high + high / 2 })), (at) => {
    looked.replaceChildren(ring(at));
    note.textContent = `Row ${at + 1}: ${rowName(marks[at])}, ${SIDES[marks[at].side]}.`;
  });
}

/**
 * @param {number} width
 * @param {number} most draws
 * @param {number} high
 */
function scales(width, most, high) {
  const right = width - 8;
  const x = (/** @type {number} */ draw) => 28 + (draw / most) * (right - 28);
  const y = (/** @type {number} */ value) => high - 35 - value * (high - 50);
  const ticks = [0, 0.5, 1].flatMap((value) => [
    svg("path", { class: "axis", d: `M28 ${y(value)}H${right}` }), svg("text", { class: "quiet", x: 22, y: y(value) + 4, "text-anchor": "end" }, value === 0.5 ? ".5" : String(value)),
  ]);
  const names = [svg("text", { class: "quiet", x: 28, y: high - 10 }, "estimate after each draw"), svg("text", { class: "quiet", x: right, y: high - 10, "text-anchor": "end" }, `draw ${most}`)];
  return { right, x, y, ticks, names };
}

/**
 * @param {import("./core.js").Core} core
 * @param {number} truth
 * @param {number} most
 * @param {(draw: number) => number} x
 * @param {(value: number) => number} y
 */
function bandPath(core, truth, most, x, y) {
  const steps = Array.from({ length: 60 }, (_, at) => Math.max(1, Math.round(((at + 1) / 60) * most)));
  const bands = steps.map((m) => ({ m, ...core.band(truth, m) }));
  return `M${bands.map(({ m, high }) => `${x(m)} ${y(high)}`).join("L")}L${bands.reverse().map(({ m, low }) => `${x(m)} ${y(low)}`).join("L")}Z`;
}

/**
 * @param {import("./core.js").Core} core
 * @param {number} similarity
 * @param {number[]} agreed
 * @param {number} n
 * @param {boolean} truth whether the similarity is shown
 */
function drawTrack(core, similarity, agreed, n, truth) {
  const most = n <= 20 ? 20 : n <= 80 ? 80 : MAX_DRAWS;
  const { right, x, y, ticks, names } = scales(sized(byId("track"), 220), most, 220);
  const dots = agreed.slice(0, n).map((sum, at) => svg("circle", { class: "dot", cx: x(at + 1), cy: y(sum / (at + 1)), r: most > 80 ? 2.5 : 4 }));
  const ends = past.ends.filter((end) => end.n <= most).map(({ n, estimate }) => svg("circle", { class: "past", cx: x(n), cy: y(estimate), r: 5 }));
  const label = n > 0 ? [svg("text", { x: Math.min(right - 4, x(n) + 8), y: y(agreed[n - 1] / n) + (agreed[n - 1] / n > similarity ? -10 : 20), "text-anchor": x(n) > right - 80 ? "end" : "start" }, two(agreed[n - 1] / n))] : [];
  byId("track").replaceChildren(
    ...(truth ? [svg("path", { class: "band", d: bandPath(core, similarity, most, x, y) })] : []), ...ticks,
    ...(truth ? [svg("path", { class: "exact", d: `M28 ${y(similarity)}H${right}` })] : []),
    ...dots, ...ends, ...label, ...names,
    ...(truth ? [svg("text", { class: "halo", x: 34, y: y(similarity) - 7 }, `true: ${two(similarity)}`)] : []),
  );
}

/**
 * @param {import("./core.js").Core} core
 * @param {{u: number, v: number, seed: number, pair: string, n: number, isShown: boolean}} fan `n`: draws of this run
 * @param {number} similarity
 * @param {number[]} agreed of this run
 * @param {boolean} truth
 */
function drawFan(core, { u, v, seed, pair, n, isShown }, similarity, agreed, truth) {
  const key = `${pair} ${seed}`;
  const isNew = isShown && fanned.pair !== key;
  if (isNew) Object.assign(fanned, { pair: key, runs: core.fan(u, v, seed, RUNS, FAN_AFTER) });
  const drawing = byId("fan");
  const { right, x, y, ticks, names } = scales(sized(drawing, 260), MAX_DRAWS, 260);
  const line = (/** @type {number[]} */ run) => (run.length > 0 ? `M${run.map((sum, at) => `${x(FAN_AFTER[at])} ${y(sum / FAN_AFTER[at])}`).join("L")}` : "");
  // Before the bet, no more than what was drawn: the end of a run is nearly the answer.
  const most = isShown || truth ? MAX_DRAWS : n;
  const runs = isShown ? fanned.runs.map((run, at) => svg("path", { class: "run", d: line(run), "data-run": at })) : [];
  if (isNew) runs.forEach((run, at) => appear(run, at * 4));
  drawing.replaceChildren(
    ...(truth ? [svg("path", { class: "band", d: bandPath(core, similarity, MAX_DRAWS, x, y) })] : []), ...ticks, ...runs,
    ...(truth ? [svg("path", { class: "exact", d: `M28 ${y(similarity)}H${right}` })] : []),
    svg("path", { class: "own-run", d: line(FAN_AFTER.filter((after) => after <= most).map((after) => agreed[after - 1])) }), ...names,
  );
  if (!isShown) {
    byId("fan-says").textContent = most === 0 ? "No run yet: draw in the figure above, or start 200 runs." : `One run of ${things(most, "draw")}. Other runs have other random orders.`;
    rows("fan-runs", []);
    return;
  }
  const at80 = FAN_AFTER.indexOf(80);
  const { low, high } = core.band(similarity, 80);
  const inside = fanned.runs.filter((run) => run[at80] / 80 >= low && run[at80] / 80 <= high).length;
  byId("fan-says").textContent = `${RUNS} runs of ${MAX_DRAWS} draws each. After 80 draws, ${inside} of them are within the band of nine in ten${truth ? `, from ${two(low)} to ${two(high)}` : ""}. The thick line is the run above.`;
  rows("fan-runs", FAN_AFTER.map((after, at) => {
    const sorted = fanned.runs.map((run) => run[at] / after).sort((one, other) => one - other);
    return [after, ...[0, 0.05, 0.5, 0.95, 1].map((part) => two(sorted[Math.round(part * (RUNS - 1))]))];
  }));
}

/**
 * @param {import("./core.js").Element[]} winners
 * @param {number[]} agreed
 * @param {number} n
 */
function drawTable(winners, agreed, n) {
  const latest = winners.slice(Math.max(0, n - 40), n).map((winner, at) => ({ winner, draw: Math.max(0, n - 40) + at + 1 })).reverse();
  rows("draws", latest.map(({ winner, winner: { side }, draw }) =>
    [draw, html("span", {}, rowName(winner)), SIDES[side], side === 0 ? "yes" : "no", two(agreed[draw - 1] / draw)]));
}
