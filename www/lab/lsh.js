// @ts-check
/** LSH: keys of k numbers, l of them, and which pairs of pages meet. */
import { byId, count, cut, html, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, say, sayValue } from "./frame.js";

/** Marks drawn at most: the likest pairs. */
const MAX_MARKS = 900;
/** Draws of a mean, and how many are made before the page may do something else. */
const DRAWS = 100;
const SLICE = 5;
const HEIGHT = 360;
const [TOP, BOTTOM, LEFT] = [50, 290, 28];

/** Means made so far, by k, l and seed. @type {Map<string, Uint32Array | number[]>} */
const means = new Map();
/** The puzzle's tries. @type {(string | number)[][]} */
const tries = [];
/** Under way. */
let running = 0;

/** @type {import("./core.js").Pair[] | undefined} */
let pairs;

explorable({
  defaults: { k: 2, l: 20, seed: 1, s: 0.2, mean: 0, mark: "" },
  draw({ core, state, set }) {
    pairs ??= core.pairs();
    const all = pairs;
    const [k, l] = [Math.min(8, Math.max(1, Number(state.k))), Math.min(200, Math.max(1, Number(state.l)))];
    const [seed, s] = [Number(state.seed), Number(state.s)];
    const met = core.meetings(k, l, seed);
    const wanted = all.filter((pair) => pair.similarity >= s).length;
    const compared = met.filter((tables) => tables > 0).length;
    const found = met.slice(0, wanted).filter((tables) => tables > 0).length;
    const key = `${k} ${l} ${seed}`;
    const mean = state.mean ? means.get(key) : undefined;

    const at = (/** @type {number} */ k, /** @type {number} */ l) => two(core.chances(k, l, [0.2])[0]);
    fill({
      found, wanted, compared: count(compared), all: count(all.length), extra: count(compared - found), l,
      half: two(core.half(k, l)), paperChance: at(3, 125), chance2: at(2, 20), chance3: at(3, 20),
    });
    sayValue("k", `k ${k}: a pair at ${two(s)} meets with a chance of ${two(core.chances(k, l, [s])[0])}`);
    sayValue("l", `l ${l}: a pair at ${two(s)} meets with a chance of ${two(core.chances(k, l, [s])[0])}`);
    sayValue("s", `from ${two(s)} on: ${things(wanted, "pair")}`);

    drawCurve(core, { k, l, s, wanted }, met, mean, String(state.mark), (mark) => set({ mark }));
    drawTables(core, { k, l }, met, (mark) => set({ mark }));
    if (mean) {
      const [ofWanted, ofAll] = [sum(mean, wanted) / DRAWS, sum(mean, mean.length) / DRAWS];
      say(`Mean of ${DRAWS} draws with k ${k} and l ${l}: ${ofWanted.toFixed(1)} of ${wanted} wanted pairs found, ${ofAll.toFixed(1)} of ${count(all.length)} compared.`);
    } else {
      say(`With k ${k} and l ${l}, this draw found ${found} of the ${wanted} pairs from ${two(s)} on, missed ${wanted - found}, and compares ${count(compared)} of ${count(all.length)} pairs.`);
    }

    const run = async () => {
      const mine = (running += 1);
      if (!means.has(key)) {
        const times = new Array(all.length).fill(0);
        for (let done = 0; done < DRAWS; done += SLICE) {
          core.timesMet(k, l, seed + done, SLICE).forEach((one, at) => times[at] += one);
          byId("said").textContent = `${done + SLICE} of ${DRAWS} draws …`;
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
  },
});

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
  const chances = core.chances(k, l, points);
  const line = `M${points.map((point, at) => `${x(point)} ${y(chances[at])}`).join("L")}`;
  const marks = pairs.slice(0, MAX_MARKS).filter(({ both }) => both > 0).map((pair, at) => {
    const jitter = ((at * 7) % 11) * 2.6;
    const height = mean ? y(mean[at] / DRAWS) : met[at] > 0 ? TOP - 10 - jitter : BOTTOM + 12 + jitter;
    return { pair, at, px: x(pair.similarity), py: height, hit: mean ? mean[at] > 0 : met[at] > 0 };
  });
  const named = (/** @type {{u: number, v: number}} */ { u, v }) => `${u}-${v}`;
  const cross = (/** @type {number} */ px, /** @type {number} */ py) => `M${px - 4} ${py - 4}l8 8m0 -8l-8 8`;
  const looked = marks.find(({ pair }) => named(pair) === mark);
  drawing.replaceChildren(
    ...[0, 0.5, 1].flatMap((value) => [svg("path", { class: "axis", d: `M${LEFT} ${y(value)}H${right}` }), svg("text", { class: "quiet", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value === 0.5 ? ".5" : String(value))]),
    ...(width < 500 ? [0, 0.5, 1] : [0, 0.2, 0.4, 0.6, 0.8, 1]).map((value) => svg("text", { class: "quiet", x: x(value), y: HEIGHT - 4, "text-anchor": value === 1 ? "end" : "middle" }, value === 0 ? "0" : value === 1 ? "alike: 1" : value.toFixed(1))),
    svg("path", { class: "goal", d: `M${x(s)} ${TOP - 44}V${BOTTOM + 44}` }), svg("text", { class: "quiet", x: x(s) + 5, y: BOTTOM - 8 }, "wanted →"),
    svg("path", { class: "missed", d: marks.filter(({ at, hit }) => at < wanted && !hit).map(({ px, py }) => cross(px, py)).join("") }),
    ...marks.filter(({ at, hit }) => hit || at >= wanted).map(({ px, py, hit }) => svg("circle", { class: hit ? "found" : "extra", cx: px, cy: py, r: hit ? 4.5 : 2.5 })),
    svg("path", { class: "chance", d: line }),
    ...(looked ? [svg("circle", { class: "picked", cx: looked.px, cy: looked.py, r: 9 })] : []),
  );
  drawing.onclick = (/** @type {MouseEvent} */ event) => {
    const box = drawing.getBoundingClientRect();
    const [mx, my] = [(event.clientX - box.left) * (width / box.width), (event.clientY - box.top) * (HEIGHT / box.height)];
    const nearest = marks.reduce((best, one) => (Math.hypot(one.px - mx, one.py - my) < Math.hypot(best.px - mx, best.py - my) ? one : best));
    onMark(named(nearest.pair));
  };
  const left = pairs.length - marks.length;
  const note = byId("pair-says");
  if (looked) {
    const { pair, at } = looked;
    const [a, b] = [core.pages[pair.u], core.pages[pair.v]].map(({ title, url }) => `“${title || url}”`);
    note.textContent = `${a} and ${b}: ${two(pair.similarity)} alike (${pair.both} of ${pair.either}). Chance to meet ${two(core.chances(k, l, [pair.similarity])[0])}; in this draw they share ${things(met[at], "key")} of ${l}.`;
  } else {
    note.textContent = `Click or tap a mark to see which pages it is. ${left > 0 ? `${things(left, "pair")} that share the least or nothing are not drawn.` : ""}`;
  }
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
    const button = html("button", { type: "button" }, `${cut(core.pages[u].title, 40)} · ${cut(core.pages[v].title, 40)}`);
    button.addEventListener("click", () => onMark(`${u}-${v}`));
    return [button, two(similarity), two(core.chances(k, l, [similarity])[0]), `${met[at]} of ${l}`];
  }));
}
