// @ts-check
/** CENTER beside connected components: the same pairs, one after the other. */
import { byId, count, cut, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, say, sayValue } from "./frame.js";

/** Pages of a drawing at most. */
const MAX_NODES = 10;
/** Pages that the first drawing should have: in fewer there is no chain. */
const START_NODES = 7;
const HEIGHT = 300;
/** Of the whole site. */
const THRESHOLDS = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5];

/** @typedef {import("./core.js").Walk} Walk */

/** @type {ReturnType<import("./core.js").Core["sweep"]> | undefined} */
let sweep;

explorable({
  // 0: as low as the page needs.
  defaults: { t: 0, order: 0, step: 1e6 },
  draw({ core, state, pair: [page], set }) {
    const slider = /** @type {HTMLInputElement} */ (document.querySelector('input[data-key="t"]'));
    const threshold = Number(state.t) || Math.min(Math.max(core.thresholdFor(page, START_NODES), Number(slider.min)), Number(slider.max));
    slider.value = String(threshold);
    /** @type {HTMLOutputElement} */ (document.querySelector('output[data-of="t"]')).value = two(threshold);
    const shown = core.neighborhood(page, threshold, MAX_NODES);
    shown.sort((u, v) => u - v);
    const whole = core.walk(shown, threshold, Number(state.order), 1e6);
    const step = Math.min(Number(state.step), whole.steps.length);
    const walk = core.walk(shown, threshold, Number(state.order), step);
    const titles = walk.pages.map((at) => core.pages[at].title || core.pages[at].url);

    sayValue("t", `similar from ${two(threshold)} on: ${things(shown.length, "page")} in this neighborhood`);
    sweep ??= core.sweep(THRESHOLDS);
    const [here] = core.sweep([threshold]);
    fill({
      t: two(threshold), cWithin: things(here.center.within, "pair"), cBelow: count(here.center.below),
      kWithin: things(here.component.within, "pair"), kBelow: count(here.component.below),
    });

    drawGraph("centers", walk, step, (number) => walk.centers[number], true);
    drawGraph("components", walk, step, (number) => walk.components[number], false);
    const judged = (/** @type {import("./core.js").Judged} */ { clusters, within, below }) => `${things(clusters, "group")}; of ${things(within, "pair")} in one group ${below} ${below === 1 ? "is" : "are"} not similar.`;
    byId("centers-say").textContent = judged(walk.center);
    byId("components-say").textContent = judged(walk.component);
    rows("nodes", titles.map((title, number) => {
      const center = walk.centers[number];
      return [`${number}: ${cut(title, 50)}`, center < 0 ? "none yet" : center === number ? "is a center" : String(center), String(walk.components[number])];
    }));
    drawSweep(threshold);
    say(sentence(walk, step, shown.length, threshold));

    byId("next").onclick = () => set({ step: step >= walk.steps.length ? 0 : step + 1 });
    byId("next").textContent = step >= walk.steps.length && step > 0 ? "Again" : "Next pair";
    byId("last").onclick = () => set({ step: 1e6 });
    const back = /** @type {HTMLButtonElement} */ (document.querySelector('[data-add="step=-1"]'));
    back.onclick = (event) => {
      event.stopPropagation();
      set({ step: Math.max(0, step - 1) });
    };
  },
});

/**
 * What the last pair did, and why.
 *
 * @param {Walk} walk
 * @param {number} step
 * @param {number} n
 * @param {number} threshold
 */
function sentence(walk, step, n, threshold) {
  if (walk.steps.length === 0) return `No page is similar to this one from ${two(threshold)} on. Lower the threshold, or choose another page.`;
  if (step === 0) return `${things(n, "page")}, ${things(walk.steps.length, "pair")} to read, each both ways. Nobody belongs to a group yet.`;
  const { u, v, kind, merged, similarity } = walk.steps[step - 1];
  const did = {
    founded: `${u} is free and becomes a center; ${v} becomes its member`,
    "founded-alone": `${u} is free and becomes a center; ${v} belongs to a group already`,
    joined: `${u} is a center, ${v} is free: ${v} becomes its member`,
    taken: `${v} belongs to a group already: nothing happens`,
    member: `${u} is a member, and members take nobody: nothing happens`,
  }[kind];
  const chain = merged ? `the groups of ${u} and ${v} become one` : `${u} and ${v} are in one group already`;
  return `Pair ${step} of ${walk.steps.length}: ${u} and ${v}, ${two(similarity)} alike. CENTER: ${did}. Chain: ${chain}.`;
}

/**
 * The pages in a ring, by their numbers.
 *
 * @param {string} id
 * @param {Walk} walk
 * @param {number} step
 * @param {(number: number) => number} groupOf -1 of none
 * @param {boolean} centers whether a group is named by its center
 */
function drawGraph(id, walk, step, groupOf, centers) {
  const drawing = byId(id);
  const width = sized(drawing, HEIGHT);
  const n = walk.pages.length;
  const radius = Math.min(width, HEIGHT) / 2 - 34;
  const place = (/** @type {number} */ number) => {
    const turn = (2 * Math.PI * number) / n - Math.PI / 2;
    return [width / 2 + radius * Math.cos(turn), HEIGHT / 2 + radius * Math.sin(turn)];
  };
  const line = (/** @type {number} */ u, /** @type {number} */ v) => `M${place(u).join(" ")}L${place(v).join(" ")}`;
  const done = walk.steps.slice(0, step);
  const joined = done.filter(({ kind, merged }) => (centers ? kind === "founded" || kind === "joined" : merged));
  const now = walk.steps[step - 1];
  const sizes = new Map();
  for (let number = 0; number < n; number += 1) sizes.set(groupOf(number), (sizes.get(groupOf(number)) ?? 0) + 1);
  const nodes = walk.pages.map((_, number) => {
    const [x, y] = place(number);
    const group = groupOf(number);
    const isCenter = centers && group === number;
    const isIn = group >= 0 && (centers || sizes.get(group) > 1);
    const shape = isCenter
      ? svg("rect", { class: "area-a", x: x - 15, y: y - 15, width: 30, height: 30, rx: 3 })
      : svg("g", {}, svg("circle", { class: "area-ground", cx: x, cy: y, r: 15 }), svg("circle", { class: isIn ? "of-a" : "extra", cx: x, cy: y, r: 15 }));
    const outer = (/** @type {number} */ at, /** @type {number} */ middle) => middle + (at - middle) * ((radius + 27) / radius);
    return svg("g", {}, shape,
      svg("text", { class: isCenter ? "on" : "", x, y: y + 5, "text-anchor": "middle" }, String(number)),
      ...(isIn && !isCenter ? [svg("text", { class: "quiet", x: outer(x, width / 2), y: outer(y, HEIGHT / 2) + 5, "text-anchor": "middle" }, `→${group}`)] : []));
  });
  drawing.replaceChildren(
    ...walk.steps.filter(({ u, v }) => u < v).map(({ u, v }) => svg("path", { class: "goal", d: line(u, v) })),
    ...joined.map(({ u, v }) => svg("path", { class: "exact", d: line(u, v) })),
    ...(now ? [svg("path", { class: "picked thin", d: line(now.u, now.v) })] : []),
    ...nodes,
  );
}

/** @param {number} threshold */
function drawSweep(threshold) {
  if (!sweep) return;
  const drawing = byId("sweep");
  const width = sized(drawing, 260);
  const most = Math.max(2, ...sweep.map(({ component }) => component.largest));
  const x = (/** @type {number} */ t) => 34 + (1 - (t - 0.05) / 0.45) * (width - 50);
  const y = (/** @type {number} */ largest) => 215 - (largest / most) * 190;
  const line = (/** @type {"center" | "component"} */ which) => `M${sweep?.map((one) => `${x(one.threshold)} ${y(one[which].largest)}`).join("L")}`;
  drawing.replaceChildren(
    svg("path", { class: "axis", d: `M34 ${y(0)}H${width - 16}` }),
    svg("text", { class: "quiet", x: 28, y: y(0) + 4, "text-anchor": "end" }, "0"), svg("text", { class: "quiet", x: 28, y: y(most) + 4, "text-anchor": "end" }, String(most)),
    svg("path", { class: "goal", d: `M${x(threshold)} 15V${y(0)}` }),
    svg("path", { class: "chance", d: line("center") }), svg("path", { class: "worse", d: line("component") }),
    svg("text", { x: x(0.05), y: y(sweep[0].center.largest) - 8, "text-anchor": "end" }, "CENTER"),
    svg("text", { x: x(0.05) - 8, y: y(sweep[0].component.largest) - 8, "text-anchor": "end" }, "chain"),
    svg("text", { class: "quiet", x: 34, y: 240 }, "similar from 0.5 on"), svg("text", { class: "quiet", x: width - 16, y: 240, "text-anchor": "end" }, "from 0.05 on"),
  );
  rows("thresholds", sweep.map(({ threshold, center, component }) => [two(threshold), center.largest, component.largest, `${center.below} of ${center.within}`, `${component.below} of ${component.within}`]));
}
