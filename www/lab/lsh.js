// @ts-check
/** LSH: keys of k values, l of them, and which pairs of pages meet. */
import { appear, byId, count, cut, flash, html, MOVE, moveTo, pointable, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, later, nameOf, playWith, say, sayValue } from "./frame.js";

/** Maximum number of marks: the most similar pairs. */
const MAX_MARKS = 900;
/** Draws of a mean, and how many are made before the page may do something else. */
const DRAWS = 100;
const SLICE = 5;
const HEIGHT = 330;
const [TOP, BOTTOM, LEFT] = [50, 262, 28];
/** The cells of the heat map. */
const [KS, LS] = [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 5, 10, 20, 50, 125, 200]];
/** Maximum number of pages drawn in a bucket. */
const MAX_IN_BUCKET = 60;

/** A similarity, so exact that one below a threshold does not look like the threshold. @param {number} value */
const three = (value) => value.toFixed(3);

/** Means made so far, by k, l and seed. @type {Map<string, Uint32Array | number[]>} */
const means = new Map();
/** The puzzle's tries. @type {(string | number)[][]} */
const tries = [];
/** Under way. */
let running = 0;

/** @type {import("./core.js").Pair[] | undefined} */
let pairs;
/** The first draw. */
let ordinary = 0;
/** Which key is drawn. */
let falling = "";
/** Recall and cost, by the number of wanted pairs. @type {Map<number, ReturnType<import("./core.js").Core["expected"]>>} */
const heats = new Map();

explorable({
  defaults: { k: 2, l: 20, seed: 0, s: 0.2, mean: 0, mark: "", t: 0 },
  draw(shown) {
    const { core, state } = shown;
    later(() => { pairs ??= core.pairs(); });
    later(() => { ordinary ||= core.ordinaryDraw(countFrom(Number(state.s)), 2, 20); });
    later(() => drawAll(shown));
  },
});

/** How many pairs have at least this similarity. @param {number} s */
const countFrom = (s) => (pairs ?? []).filter((one) => one.similarity >= s).length;

/** @param {import("./frame.js").Shown} shown */
function drawAll({ core, state, pair, set }) {
  const all = pairs ?? [];
  const [k, l] = [Math.floor(Math.min(8, Math.max(1, Number(state.k)))), Math.floor(Math.min(200, Math.max(1, Number(state.l))))];
  const s = Number(state.s);
  const wanted = countFrom(s);
  const seed = Number(state.seed) + ordinary;
  const key = `${k} ${l} ${seed}`;
  const mean = state.mean ? means.get(key) : undefined;

  const table = Math.floor(Math.min(l - 1, Number(state.t)));
  drawBuckets(core, pair, { k, l, seed, table }, (t) => set({ t }));
  byId("next-key").onclick = () => set({ t: (table + 1) % l });
  playWith("play-keys", () => {
    set({ t: (table + 1) % l });
    return table + 1 >= l || table + 2 < l;
  });

  later(() => {
    const met = core.meetings(k, l, seed);
    fillNumbers(core, { k, l, s, wanted }, met, mean);
    later(() => {
      drawCurve(core, { k, l, s, wanted }, met, mean, String(state.mark), (mark) => set({ mark }));
      drawPair(core, String(state.mark), { k, l, seed });
    });
    later(() => drawTables(core, { k, l }, met, (mark) => set({ mark })));
  });
  later(() => drawHeat(core, { k, l, s, wanted }, set));

  const run = async () => {
    const mine = (running += 1);
    if (!means.has(key)) {
      const times = new Array(all.length).fill(0);
      for (let done = 0; done < DRAWS; done += SLICE) {
        core.timesMet(k, l, seed + done, SLICE).forEach((one, at) => times[at] += one);
        byId("said").textContent = `${done + SLICE} of ${DRAWS} draws…`;
        await new Promise((resolve) => setTimeout(resolve));
        if (mine !== running) return;
      }
      means.set(key, times);
      const ofWanted = sum(times, wanted) / DRAWS;
      tries.unshift([`${k}, ${l}`, `${ofWanted.toFixed(1)} of ${wanted}`, (sum(times, times.length) / DRAWS).toFixed(1), ofWanted >= wanted - 1 ? "yes" : "no"]);
      rows("tries", tries);
    }
    set({ mean: 1 });
  };
  byId("mean").onclick = run;
  byId("mean-too").onclick = run;
  if (state.mean && !mean) run();
}

/**
 * The numbers in sentences.
 *
 * @param {import("./core.js").Core} core
 * @param {{k: number, l: number, s: number, wanted: number}} rules
 * @param {Uint16Array} met
 * @param {ArrayLike<number> | undefined} mean
 */
function fillNumbers(core, { k, l, s, wanted }, met, mean) {
  const all = met.length;
  const compared = met.filter((tables) => tables > 0).length;
  const found = met.slice(0, wanted).filter((tables) => tables > 0).length;
  const [meanFound, meanCompared] = mean ? [sum(mean, wanted) / DRAWS, sum(mean, mean.length) / DRAWS] : [found, compared];
  const one = (/** @type {number} */ value) => (mean ? value.toFixed(1) : count(value));
  const at = (/** @type {number} */ k, /** @type {number} */ l, isTextbook = false) => two(core.chances(k, l, [0.2], isTextbook)[0]);
  fill({
    mode: mean ? `mean of ${DRAWS} draws` : "this draw", found: one(meanFound), wanted, missed: one(wanted - meanFound), extra: one(meanCompared - meanFound),
    compared: one(meanCompared), all: count(all), l, half: two(core.half(k, l)), textbookHalf: two(core.half(k, l, true)), kl: `k = ${k} and l = ${l}`,
    exactHere: at(k, l), textbookHere: at(k, l, true), paperChance: at(3, 125), paperTextbook: at(3, 125, true), chance2: at(2, 20), chance3: at(3, 20),
  });
  const chance = two(core.chances(k, l, [s])[0]);
  sayValue("k", `k ${k}: a pair at ${two(s)} meets with a probability of ${chance}`);
  sayValue("l", `l ${l}: a pair at ${two(s)} meets with a probability of ${chance}`);
  sayValue("s", `at least ${two(s)}: ${things(wanted, "pair")}`);
  say(mean
    ? `Mean of ${DRAWS} draws with k ${k} and l ${l}: ${one(meanFound)} of ${wanted} similar pairs found, ${one(meanCompared)} of ${count(all)} compared.`
    : `With k ${k} and l ${l}, this draw found ${found} of the ${wanted} pairs with a similarity of at least ${two(s)}, missed ${wanted - found}, and compares ${count(compared)} of ${count(all)} pairs.`);
}

/**
 * @param {ArrayLike<number>} of
 * @param {number} n of the first
 */
function sum(of, n) {
  let all = 0;
  for (let at = 0; at < n; at += 1) all += of[at];
  return all;
}

/**
 * Two signatures as strips: equal values are filled.
 *
 * @param {import("./core.js").Strips} strips
 * @param {number} width
 * @returns {{cell: number, x: (at: number) => number, drawn: Element[]}}
 */
function stripsOf({ values: [a, b] }, width) {
  const cell = (width - 20) / Math.max(1, a.length);
  const x = (/** @type {number} */ at) => 20 + at * cell;
  let [equal, ofA, ofB] = ["", "", ""];
  const w = cell * 0.78;
  a.forEach((value, at) => {
    if (value === b[at]) equal += `M${x(at)} 2h${w}v14h${-w}zM${x(at)} 24h${w}v14h${-w}z`;
    else {
      ofA += `M${x(at)} 16l${w} -14`;
      ofB += `M${x(at)} 24l${w} 14`;
    }
  });
  return {
    cell, x,
    drawn: [
      svg("text", { class: "in-a", x: 0, y: 14 }, "A"), svg("text", { class: "in-b", x: 0, y: 36 }, "B"),
      svg("path", { class: "of-both", d: equal }), svg("path", { class: "of-a slim", d: ofA }), svg("path", { class: "of-b slim", d: ofB }),
    ],
  };
}

/**
 * The keys as squares: equal ones are filled.
 *
 * @param {import("./core.js").Strips} strips
 * @param {number} width
 * @param {number} top
 * @param {number} now the key to ring, -1 for none
 */
function keysOf({ tables }, width, top, now) {
  const cell = Math.min(14, Math.max(5, Math.floor((2 * width) / Math.max(1, tables.length))));
  const columns = Math.floor(width / cell);
  const place = (/** @type {number} */ at) => [(at % columns) * cell, top + Math.floor(at / columns) * cell];
  let [equal, differ] = ["", ""];
  tables.forEach((table, at) => {
    const [x, y] = place(at);
    const one = `M${x + 1} ${y + 1}h${cell - 2}v${cell - 2}h${2 - cell}z`;
    if (table.equal) equal += one;
    else differ += one;
  });
  const [x, y] = place(Math.max(0, now));
  return {
    cell, columns, height: Math.ceil(tables.length / columns) * cell,
    drawn: [svg("path", { class: "of-both", d: equal }), svg("path", { class: "axis", d: differ }), ...(now < 0 ? [] : [svg("rect", { class: "ring", x, y, width: cell, height: cell })])],
  };
}

/**
 * @param {import("./core.js").Core} core
 * @param {[number, number]} pair
 * @param {{k: number, l: number, seed: number, table: number}} rules
 * @param {(table: number) => void} onTable
 */
function drawBuckets(core, [u, v], { k, l, seed, table }, onTable) {
  const drawing = byId("buckets");
  const width = sized(drawing, 10);
  const strips = core.strips(u, v, k, l, seed);
  const { indices, equal } = strips.tables[table] ?? { indices: [], equal: false };
  const { cell, x, drawn } = stripsOf(strips, width);
  const isNew = falling !== `${u} ${v} ${k} ${seed} ${table}`;
  falling = `${u} ${v} ${k} ${seed} ${table}`;

  // The values of the key, glued together, fall into a bucket.
  const [box, boxTop] = [Math.min(46, (width / 2 - 30) / k), 84];
  const bucketTop = 150;
  const digits = box < 22 ? 1 : box < 32 ? 2 : 3;
  const keyTop = (/** @type {number} */ page) => (equal && page === 0 ? bucketTop - 56 : bucketTop - 28);
  const middles = equal ? [width / 2, width / 2] : [width * 0.27, width * 0.73];
  const keys = [0, 1].map((page) => {
    const start = middles[page] - (box * k) / 2;
    const y = keyTop(page);
    const cells = indices.map((index, at) => {
      const value = strips.values[page][index];
      const part = svg("g", {},
        svg("rect", { class: page ? "cell-b" : "cell-a", width: box - 3, height: 24, rx: 3 }),
        svg("text", { class: "on", x: (box - 3) / 2, y: 17, "text-anchor": "middle" }, String(value % 10 ** digits).padStart(digits, "0")));
      moveTo(part, [start + at * box, y], isNew ? [x(index), page ? 24 : 2] : undefined);
      return part;
    });
    return svg("g", {}, ...cells);
  });
  const bucket = (/** @type {number} */ middle, /** @type {number} */ half) => {
    const top = boxTop - 8;
    return svg("path", { class: equal ? "exact" : "goal", d: `M${middle - half} ${top}V${bucketTop}H${middle + half}V${top}` });
  };
  const half = (box * k) / 2 + 8;
  const beds = equal ? [bucket(middles[0], half)] : middles.map((middle) => bucket(middle, half));
  if (isNew && equal) beds.forEach((bed) => flash(bed, MOVE));
  const links = indices.flatMap((index, at) => [0, 1].map((page) =>
    svg("path", { class: page ? "link-b" : "link-a", d: `M${x(index) + cell / 2} ${page ? 40 : 18}L${middles[page] - (box * k) / 2 + (at + 0.5) * box} ${keyTop(page)}` })));
  if (isNew) links.forEach((link) => appear(link, MOVE));
  const rings = indices.flatMap((index) => [0, 22].map((y) => svg("rect", { class: "ring", x: x(index) - 1, y, width: cell + 1, height: 18 })));

  // All pages of the site in the buckets of this key.
  const found = core.buckets(k, l, seed, table);
  const top = bucketTop + 44;
  const dot = width < 500 ? 9 : 11;
  let [left, line] = [0, top];
  const boxes = found.slice(0, 60).flatMap((pages) => {
    const shown = pages.slice(0, MAX_IN_BUCKET);
    const columns = Math.max(2, Math.ceil(Math.sqrt(shown.length)));
    const [wide, high] = [columns * dot + 6, Math.ceil(shown.length / columns) * dot + 6];
    if (left + wide > width) [left, line] = [0, line + tallest + 6];
    tallest = left === 0 ? high : Math.max(tallest, high);
    const [bx, by] = [left, line];
    left += wide + 6;
    lowest = Math.max(lowest, by + high);
    return [
      svg("rect", { class: pages.includes(u) && pages.includes(v) ? "ring" : "axis", x: bx, y: by, width: wide, height: high, rx: 3 }),
      ...shown.map((page, at) => {
        const circle = svg("circle", { class: page === u ? "cell-a" : page === v ? "cell-b" : "found", cx: bx + 3 + ((at % columns) + 0.5) * dot, cy: by + 3 + (Math.floor(at / columns) + 0.5) * dot, r: dot * 0.38 }, svg("title", {}, nameOf(core, page, 60)));
        return isNew ? appear(circle, MOVE) : circle;
      }),
    ];
  });
  const together = found.reduce((sum, pages) => sum + pages.length, 0);
  const squares = keysOf(strips, width, Math.max(lowest, top) + 40, table);
  drawing.setAttribute("viewBox", `0 0 ${width} ${Math.max(lowest, top) + 46 + squares.height}`);
  drawing.replaceChildren(
    ...drawn, ...links, ...rings, ...beds, ...keys,
    svg("text", { class: equal ? "strong" : "quiet", x: width / 2, y: bucketTop + 18, "text-anchor": "middle" }, equal ? "the same bucket: A and B meet" : "two buckets: A and B do not meet"),
    svg("text", { class: "quiet", x: 0, y: top - 6 }, `Buckets of key ${table + 1} with more than one page:`),
    ...boxes,
    ...(found.length === 0 ? [svg("text", { class: "quiet", x: 0, y: top + 14 }, "none: each page is alone in its bucket")] : []),
    svg("text", { class: "quiet", x: 0, y: Math.max(lowest, top) + 32 }, `All ${things(l, "key")}, equal ones filled:`),
    ...squares.drawn,
  );
  drawing.onclick = (/** @type {MouseEvent} */ event) => {
    const area = drawing.getBoundingClientRect();
    const scale = width / area.width;
    const [px, py] = [(event.clientX - area.left) * scale, (event.clientY - area.top) * scale - (Math.max(lowest, top) + 40)];
    const at = Math.floor(py / squares.cell) * squares.columns + Math.floor(px / squares.cell);
    if (py >= 0 && at < l) onTable(at);
  };
  const many = strips.tables.filter((one) => one.equal).length;
  const inPairs = found.reduce((sum, pages) => sum + (pages.length * (pages.length - 1)) / 2, 0);
  byId("buckets-say").textContent = `Key ${table + 1} of ${l} glues ${things(k, "value")}. ${equal ? "A and B have the same key, so they meet" : "The keys of A and B differ"}. In this key’s buckets, ${together} of ${core.pages.length} pages meet another, which makes ${things(inPairs, "candidate pair")}. A and B have ${things(many, "key")} in common.`;
  rows("bucket-rows", found.map((pages, at) => [at + 1, pages.length, cut(pages.map((page) => nameOf(core, page, 40)).join(" · "), 240)]));
  [lowest, tallest] = [0, 0];
}
/** While boxes are laid out in lines. */
let [lowest, tallest] = [0, 0];

/**
 * @param {import("./core.js").Core} core
 * @param {{k: number, l: number, s: number, wanted: number}} rules
 * @param {Uint16Array} met
 * @param {ArrayLike<number> | undefined} mean
 * @param {string} mark the pair that is looked at
 * @param {(mark: string) => void} onMark
 */
function drawCurve(core, { k, l, s, wanted }, met, mean, mark, onMark) {
  if (!pairs) return;
  const drawing = byId("curve");
  const width = sized(drawing, HEIGHT);
  const right = width - 10;
  const x = (/** @type {number} */ similarity) => LEFT + similarity * (right - LEFT);
  const y = (/** @type {number} */ chance) => BOTTOM - chance * (BOTTOM - TOP);
  const points = Array.from({ length: 101 }, (_, at) => at / 100);
  const [exact, textbook] = [core.chances(k, l, points), core.chances(k, l, points, true)];
  const line = (/** @type {ArrayLike<number>} */ chances, /** @type {number} */ from, /** @type {number} */ to) => points.map((point, at) => ({ point, at })).filter(({ point }) => point >= from && point <= to).map(({ point, at }) => `${x(point)} ${y(chances[at])}`).join("L");
  const marks = pairs.slice(0, MAX_MARKS).filter(({ both }) => both > 0).map((pair, at) => {
    const jitter = ((at * 7) % 11) * 2.6;
    const height = mean ? y(mean[at] / DRAWS) : met[at] > 0 ? TOP - 10 - jitter : BOTTOM + 12 + jitter;
    return { pair, at, x: x(pair.similarity), y: height, hit: mean ? mean[at] > 0 : met[at] > 0 };
  });
  const named = (/** @type {{u: number, v: number}} */ { u, v }) => `${u}-${v}`;
  const cross = (/** @type {number} */ px, /** @type {number} */ py) => `M${px - 4} ${py - 4}l8 8m0 -8l-8 8`;
  // One path for each kind: hundreds of elements would take longer to lay out.
  const kindOf = (/** @type {typeof marks[number]} */ { at, hit }) => (hit ? (at < wanted ? "found" : "false") : at < wanted ? "missed" : "extra");
  const round = (/** @type {number} */ px, /** @type {number} */ py, /** @type {number} */ r) => `M${px - r} ${py}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  const drawn = { extra: "", false: "", missed: "", found: "" };
  for (const one of marks) {
    const kind = kindOf(one);
    drawn[kind] += kind === "missed" ? cross(one.x, one.y) : round(one.x, one.y, one.hit ? 4.5 : 2);
  }
  const looked = marks.find(({ pair }) => named(pair) === mark);
  const picked = svg("g");
  const ring = (/** @type {{x: number, y: number}} */ { x, y }) => svg("circle", { class: "picked", cx: x, cy: y, r: 9 });
  if (looked) picked.replaceChildren(ring(looked));
  drawing.replaceChildren(
    svg("path", { class: "false-area", d: `M${x(0)} ${BOTTOM}L${line(exact, 0, s)}L${x(s)} ${BOTTOM}Z` }),
    svg("path", { class: "missed-area", d: `M${x(s)} ${TOP}L${line(exact, s, 1)}L${x(1)} ${TOP}Z` }),
    ...[0, 0.5, 1].flatMap((value) => [svg("path", { class: "axis", d: `M${LEFT} ${y(value)}H${right}` }), svg("text", { class: "quiet", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value === 0.5 ? ".5" : String(value))]),
    ...(width < 500 ? [0, 0.5, 1] : [0, 0.2, 0.4, 0.6, 0.8, 1]).map((value) => svg("text", { class: "quiet", x: x(value), y: HEIGHT - 4, "text-anchor": value === 1 ? "end" : "middle" }, value === 0 ? "0" : value === 1 ? "similarity 1" : value.toFixed(1))),
    svg("path", { class: "goal", d: `M${x(s)} ${TOP - 44}V${BOTTOM + 44}` }), svg("text", { class: "quiet halo", x: x(s) + 5, y: BOTTOM - 8 }, "similar →"),
    ...Object.entries(drawn).map(([kind, d]) => svg("path", { class: kind, d })),
    svg("path", { class: "goal", d: `M${line(textbook, 0, 1)}` }),
    svg("path", { class: "chance", d: `M${line(exact, 0, 1)}` }),
    picked,
  );
  const note = byId("pair-says");
  const left = pairs.length - marks.length;
  const start = `Point at a mark, or use the arrow keys, to see the pair in its buckets.${left > 0 ? ` ${things(left, "pair")} that share little or nothing are not drawn.` : ""}`;
  note.textContent = looked ? sentence(core, looked.pair, met[looked.at], { k, l }) : start;
  pointable(drawing, marks, (at, isChosen) => {
    picked.replaceChildren(ring(marks[at]));
    note.textContent = sentence(core, marks[at].pair, met[marks[at].at], { k, l });
    if (isChosen) onMark(named(marks[at].pair));
    else onHover(core, marks[at].pair);
  });
}

/** The rules that the curve is drawn with, for pairs that are pointed at. */
let hovered = { k: 2, l: 20, seed: 1 };

/**
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Pair} pair
 */
const onHover = (core, { u, v }) => drawPair(core, `${u}-${v}`, hovered);

/**
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Pair} pair
 * @param {number} tables in which they met
 * @param {{k: number, l: number}} rules
 */
function sentence(core, { u, v, both, either, similarity }, tables, { k, l }) {
  const [a, b] = [u, v].map((page) => `“${nameOf(core, page, 60)}”`);
  return `${a} and ${b}: similarity ${three(similarity)} (${both} of ${either}). They meet with a probability of ${two(core.chances(k, l, [similarity])[0])}. In this draw they have ${things(tables, "key")} of ${l} in common.`;
}

/**
 * The signatures and keys of a pair of the curve.
 *
 * @param {import("./core.js").Core} core
 * @param {string} mark
 * @param {{k: number, l: number, seed: number}} rules
 */
function drawPair(core, mark, rules) {
  hovered = rules;
  const drawing = byId("pair-strips");
  const [u, v] = mark.split("-").map(Number);
  const isPair = mark.includes("-") && core.pages[u] && core.pages[v];
  const strips = isPair ? core.strips(u, v, rules.k, rules.l, rules.seed) : undefined;
  if (!strips || strips.tables.length === 0) {
    sized(drawing, 4);
    drawing.replaceChildren();
    return;
  }
  const width = sized(drawing, 10);
  const squares = keysOf(strips, width, 48, -1);
  sized(drawing, 52 + squares.height);
  drawing.replaceChildren(...stripsOf(strips, width).drawn, ...squares.drawn);
}

/**
 * @param {import("./core.js").Core} core
 * @param {{k: number, l: number}} rules
 * @param {Uint16Array} met
 * @param {(mark: string) => void} onMark
 */
function drawTables(core, { k, l }, met, onMark) {
  const all = pairs ?? [];
  const limits = [[0.8, 1], [0.4, 0.8], [0.2, 0.4], [0.1, 0.2], [0.05, 0.1], [0, 0.05]];
  rows("bands", limits.map(([from, to]) => {
    const places = all.map((_, at) => at).filter((at) => all[at].similarity >= from && (all[at].similarity < to || to === 1));
    return [`${two(from)} to ${two(to)}`, count(places.length), two(core.chances(k, l, [(from + to) / 2])[0]), count(places.filter((at) => met[at] > 0).length)];
  }));
  rows("likest", all.slice(0, 20).map(({ u, v, similarity }, at) => {
    const button = html("button", { type: "button" }, `${nameOf(core, u, 40)} · ${nameOf(core, v, 40)}`);
    button.addEventListener("click", () => onMark(`${u}-${v}`));
    return [button, three(similarity), two(core.chances(k, l, [similarity])[0]), two(core.chances(k, l, [similarity], true)[0]), `${met[at]} of ${l}`];
  }));
}

/**
 * @param {import("./core.js").Core} core
 * @param {{k: number, l: number, s: number, wanted: number}} rules
 * @param {(changes: import("./frame.js").State) => void} set
 */
function drawHeat(core, { k, l, s, wanted }, set) {
  const cells = heats.get(wanted) ?? core.expected(wanted, KS, LS);
  heats.set(wanted, cells);
  const drawing = byId("heat");
  const width = sized(drawing, 10);
  const isWide = width > 560;
  const wide = ((isWide ? width / 2 - 20 : width) - 34) / KS.length;
  const high = 28;
  const panel = LS.length * high + 54;
  sized(drawing, isWide ? panel : 2 * panel);
  const highest = Math.log(1 + Math.max(...cells.map(({ compared }) => compared)));
  /** @type {{x: number, y: number, cell: typeof cells[number]}[]} */
  const marks = [];
  const draw = (/** @type {number} */ left, /** @type {number} */ top, /** @type {string} */ name, /** @type {boolean} */ isCost) => {
    const parts = [svg("text", { class: "strong", x: left, y: top + 14 }, name)];
    for (const cell of cells) {
      const [column, line] = [KS.indexOf(cell.k), LS.length - 1 - LS.indexOf(cell.l)];
      const [cx, cy] = [left + 30 + column * wide, top + 24 + line * high];
      const share = isCost ? Math.log(1 + cell.compared) / highest : wanted > 0 ? cell.found / wanted : 0;
      const label = isCost ? (cell.compared < 9.95 ? cell.compared.toFixed(1) : count(Math.round(cell.compared))) : share.toFixed(2).replace(/^0/, "");
      parts.push(
        svg("rect", { class: isCost ? "heat-cost" : "heat-recall", "fill-opacity": (0.08 + 0.92 * share).toFixed(3), x: cx + 1, y: cy + 1, width: wide - 2, height: high - 2 }),
        svg("text", { class: share > 0.72 ? "on" : "", x: cx + wide / 2, y: cy + 18, "text-anchor": "middle" }, label));
      if (cell.k === k && cell.l === l) parts.push(svg("rect", { class: "ring", x: cx, y: cy, width: wide, height: high }));
      marks.push({ x: cx + wide / 2, y: cy + high / 2, cell });
    }
    LS.forEach((l, at) => parts.push(svg("text", { class: "quiet", x: left + 26, y: top + 24 + (LS.length - 1 - at) * high + 18, "text-anchor": "end" }, String(l))));
    KS.forEach((k, at) => parts.push(svg("text", { class: "quiet", x: left + 30 + (at + 0.5) * wide, y: top + panel - 12, "text-anchor": "middle" }, at === 0 ? "k = 1" : String(k))));
    return parts;
  };
  const looked = svg("g");
  drawing.replaceChildren(...draw(0, 0, "Recall: share of similar pairs found", false), ...draw(isWide ? width / 2 + 10 : 0, isWide ? 0 : panel, "Cost: pairs compared", true), looked);
  const tell = (/** @type {typeof cells[number] | undefined} */ cell) => {
    byId("heat-says").textContent = cell
      ? `k ${cell.k}, l ${cell.l}, mean over all draws: ${cell.found.toFixed(1)} of ${things(wanted, "pair")} with at least ${two(s)} found, ${(wanted - cell.found).toFixed(1)} false negatives, ${(cell.compared - cell.found).toFixed(1)} false positives, ${cell.compared.toFixed(1)} pairs compared.`
      : `The rows are values of l, the columns values of k. Choose a cell to set both.`;
  };
  tell(cells.find((cell) => cell.k === k && cell.l === l));
  pointable(drawing, marks, (at, isChosen) => {
    const { x, y, cell } = marks[at];
    looked.replaceChildren(svg("rect", { class: "picked", x: x - wide / 2, y: y - high / 2, width: wide, height: high }));
    tell(cell);
    if (isChosen) set({ k: cell.k, l: cell.l });
  });
  rows("heat-rows", cells.map(({ k, l, found, compared }) => [String(k), String(l), found.toFixed(1), (wanted - found).toFixed(1), (compared - found).toFixed(1), compared.toFixed(1)]));
}
