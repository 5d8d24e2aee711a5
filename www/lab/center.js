// @ts-check
/** CENTER and connected components: the same pairs, one after the other. */
import { appear, byId, calm, count, cut, flash, MOVE, pointable, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, later, nameOf, playWith, say, sayValue } from "./frame.js";

/** Maximum number of pages of a drawing. */
const MAX_NODES = 10;
/** Pages that the first drawing should have: fewer have no chain. */
const START_NODES = 5;
const HEIGHT = 290;
const PHONE_HEIGHT = 130;
/** Of the whole site. */
const THRESHOLDS = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** The colors of groups in the style sheet. */
const COLORS = 6;

/** @typedef {import("./core.js").Walk} Walk */

/** @type {ReturnType<import("./core.js").Core["sweep"]> | undefined} */
let sweep;
/** @type {ReturnType<import("./core.js").Core["startOfCenter"]> | null} */
let start = null;
/** The step that is drawn. */
let drawnStep = -1;

explorable({
  // 0: as low as the page needs.
  defaults: { t: 0, order: 0, step: 0, case: "" },
  draw({ core, state, pair: [chosen], set }) {
    if (start === null) start = core.startOfCenter(START_NODES, MAX_NODES);
    const page = state.a || !start ? chosen : start.page;
    /** @type {HTMLSelectElement} */ (document.querySelector('select[data-page="a"]')).value = core.pages[page].url;
    const sliders = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[data-key="t"]'));
    const lowest = !state.a && start ? start.threshold : core.thresholdFor(page, START_NODES);
    const threshold = Math.min(Math.max(Number(state.t) || lowest, Number(sliders[0].min)), Number(sliders[0].max));
    for (const slider of sliders) slider.value = String(threshold);
    for (const output of /** @type {NodeListOf<HTMLOutputElement>} */ (document.querySelectorAll('output[data-of="t"]'))) output.value = two(threshold);

    const isCase = ["bridge", "chain", "star"].includes(String(state.case));
    byId("of-site").hidden = isCase;
    const shown = isCase ? [] : core.neighborhood(page, threshold, MAX_NODES).sort((u, v) => u - v);
    const walkTo = (/** @type {number} */ step) => (isCase ? core.walkCase(String(state.case), Number(state.order), step) : core.walk(shown, threshold, Number(state.order), step));
    const whole = walkTo(1e6);
    const last = whole.steps.length;
    const step = Math.floor(Math.min(Number(state.step), last));
    const walk = walkTo(step);
    const titles = walk.pages.map((at) => (isCase ? `Page ${LETTERS[at]}` : nameOf(core, at, 70)));

    sayValue("t", `similar at ${two(threshold)}: ${things(walk.pages.length, "page")} in this neighborhood`);
    const [here] = core.sweep([threshold]);
    const are = (/** @type {number} */ number) => `${count(number)} ${number === 1 ? "is" : "are"}`;
    fill({
      t: two(threshold), cWithin: things(here.center.within, "pair"), cBelow: are(here.center.below),
      kWithin: things(here.component.within, "pair"), kBelow: are(here.component.below),
    });

    const isNext = step === drawnStep + 1;
    drawnStep = step;
    drawGraph("centers", walk, step, (number) => walk.centers[number], { isCenter: true, isNext, titles });
    drawGraph("components", walk, step, (number) => walk.components[number], { isCenter: false, isNext, titles });
    const judged = (/** @type {import("./core.js").Judged} */ { clusters, within, below }) =>
      `${things(clusters, "group")} of two or more. ${within === 0 ? "" : below === 0 ? (within === 1 ? "The only pair inside is similar." : `All ${things(within, "pair")} inside are similar.`) : `Of ${things(within, "pair")} inside, ${are(below)} not similar.`}`;
    const singles = walk.singles.length === 0 ? "" : ` ${things(walk.singles.length, "single center")}: ${walk.singles.map((number) => `${number} (${cut(titles[number], 40)})`).join(", ")}.`;
    byId("centers-say").textContent = judged(walk.center) + singles;
    byId("components-say").textContent = judged(walk.component);
    rows("nodes", titles.map((title, number) => {
      const center = walk.centers[number];
      const role = walk.singles.includes(number) ? "is a single center" : center < 0 ? "none yet" : center === number ? "is a center" : String(center);
      return [`${number}: ${title}`, role, String(walk.components[number])];
    }));
    later(() => {
      sweep ??= core.sweep(THRESHOLDS);
      // The present threshold has its own step, so the figures agree.
      drawSweep(threshold, [...sweep.filter((one) => one.threshold !== threshold), here].sort((one, other) => one.threshold - other.threshold));
    });
    say(sentence(walk, step, walk.pages.length, threshold));

    byId("next").onclick = () => set({ step: step >= last ? 0 : step + 1 });
    byId("next").textContent = step >= last && step > 0 ? "Again" : "Next pair";
    byId("last").onclick = () => set({ step: last });
    playWith("play", () => {
      set({ step: step >= last ? 0 : step + 1 });
      return step + 1 < last || step >= last;
    });
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
  if (walk.steps.length === 0) return `No page is similar to this one at ${two(threshold)}. Lower the threshold, or choose another page.`;
  if (step === 0) return `${things(n, "page")}, ${things(walk.steps.length / 2, "pair")}, each read in both directions: ${things(walk.steps.length, "step")}. No page is in a group yet.`;
  const { u, v, kind, merged } = walk.steps[step - 1];
  const did = {
    founded: `${u} is free and becomes a center; ${v} becomes its member`,
    "founded-alone": `${u} is free and becomes a center; ${v} is already in another group`,
    joined: `${u} is a center and ${v} is free: ${v} becomes its member`,
    taken: `${v} is already in a group, so nothing happens`,
    member: `${u} is only a member, so nothing happens`,
  }[kind];
  const chain = merged ? `the groups of ${u} and ${v} become one` : `${u} and ${v} are already in one group`;
  return `Step ${step} of ${walk.steps.length}: ${u} and ${v}. CENTER: ${did}. Components: ${chain}.`;
}

/**
 * The pages in a ring, by their numbers. A group has one color.
 *
 * @param {string} id
 * @param {Walk} walk
 * @param {number} step
 * @param {(number: number) => number} groupOf -1 of none
 * @param {{isCenter: boolean, isNext: boolean, titles: string[]}} drawn
 */
function drawGraph(id, walk, step, groupOf, { isCenter, isNext, titles }) {
  const drawing = byId(id);
  const height = innerWidth < 500 ? PHONE_HEIGHT : HEIGHT;
  const width = sized(drawing, height);
  const n = walk.pages.length;
  // On a phone, both drawings are on one screen.
  const scale = width < 250 ? 0.6 : 1;
  const radius = Math.min(width, height) / 2 - 30 * scale;
  const place = (/** @type {number} */ number) => {
    const turn = (2 * Math.PI * number) / n - Math.PI / 2;
    return [width / 2 + radius * Math.cos(turn), height / 2 + radius * Math.sin(turn)];
  };
  const line = (/** @type {number} */ u, /** @type {number} */ v) => `M${place(u).join(" ")}L${place(v).join(" ")}`;
  const isJoin = (/** @type {Walk["steps"][number]} */ { kind, merged }) => (isCenter ? kind === "founded" || kind === "joined" : merged);
  const joined = walk.steps.slice(0, step).filter(isJoin);
  const now = walk.steps[step - 1];
  const sizes = new Map();
  for (let number = 0; number < n; number += 1) sizes.set(groupOf(number), (sizes.get(groupOf(number)) ?? 0) + 1);
  const groups = [...new Set(walk.pages.map((_, number) => groupOf(number)))].filter((group) => group >= 0 && (isCenter || sizes.get(group) > 1)).sort((one, other) => one - other);
  const colorOf = (/** @type {number} */ number) => (groups.includes(groupOf(number)) ? `group-${groups.indexOf(groupOf(number)) % COLORS}` : "free");
  const nodes = walk.pages.map((_, number) => {
    const [x, y] = place(number);
    const isMiddle = isCenter && groupOf(number) === number;
    const color = colorOf(number);
    const shape = isMiddle ? svg("rect", { class: color, x: x - 20 * scale, y: y - 20 * scale, width: 40 * scale, height: 40 * scale, rx: 5 }) : svg("circle", { class: color, cx: x, cy: y, r: 14 * scale });
    if (isNext && now && (number === now.u || number === now.v) && !(color === "free")) flash(shape, MOVE / 2);
    return svg("g", {}, shape, svg("text", { class: color === "free" ? "" : "on", x, y: y + 5, "text-anchor": "middle" }, String(number)), svg("title", {}, `${number}: ${titles[number]}`));
  });
  const newest = now && isJoin(now) ? svg("path", { class: "exact", d: line(now.u, now.v) }) : undefined;
  if (newest && isNext) appear(newest);
  const current = now ? svg("path", { class: "picked thin", d: line(now.u, now.v) }) : undefined;
  if (current && isNext && !calm()) {
    const long = Math.hypot(place(now.u)[0] - place(now.v)[0], place(now.u)[1] - place(now.v)[1]);
    current.animate([{ strokeDasharray: `0 ${long}` }, { strokeDasharray: `${long} 0` }], { duration: MOVE });
  }
  const looked = svg("g");
  drawing.replaceChildren(
    ...walk.steps.filter(({ u, v }) => u < v).map(({ u, v }) => svg("path", { class: "goal", d: line(u, v) })),
    ...joined.filter((one) => one !== now).map(({ u, v }) => svg("path", { class: "exact", d: line(u, v) })),
    ...(newest ? [newest] : []), ...(current ? [current] : []), ...nodes, looked,
  );
  pointable(drawing, walk.pages.map((_, number) => ({ x: place(number)[0], y: place(number)[1] })), (number) => {
    const [x, y] = place(number);
    looked.replaceChildren(svg("circle", { class: "ring", cx: x, cy: y, r: 25 * scale }));
    const group = groupOf(number);
    byId("node-says").textContent = `${number}: ${titles[number]}. ${group < 0 ? "In no group yet." : isCenter ? (group === number ? "A center." : `Its center is ${group}.`) : `In the component of ${group}.`}`;
  });
}

/**
 * The largest group by threshold, in steps.
 *
 * @param {number} threshold
 * @param {ReturnType<import("./core.js").Core["sweep"]>} sweep
 */
function drawSweep(threshold, sweep) {
  const drawing = byId("sweep");
  const width = sized(drawing, 260);
  const most = Math.max(2, ...sweep.map(({ component }) => component.largest));
  const x = (/** @type {number} */ t) => 34 + ((t - 0.05) / 0.45) * (width - 60);
  const y = (/** @type {number} */ largest) => 215 - (largest / most) * 190;
  const line = (/** @type {"center" | "component"} */ which) => `M${x(sweep[0].threshold)} ${y(sweep[0][which].largest)}${sweep.map((one) => `H${x(one.threshold)}V${y(one[which].largest)}`).join("")}`;
  drawing.replaceChildren(
    svg("path", { class: "axis", d: `M34 ${y(0)}H${width - 16}` }),
    svg("text", { class: "quiet", x: 28, y: y(0) + 4, "text-anchor": "end" }, "0"), svg("text", { class: "quiet", x: 28, y: y(most) + 4, "text-anchor": "end" }, String(most)),
    svg("path", { class: "goal", d: `M${x(threshold)} 15V${y(0)}` }),
    svg("path", { class: "chance", d: line("center") }), svg("path", { class: "worse", d: line("component") }),
    svg("text", { class: "quiet halo", x: width - 16, y: 28, "text-anchor": "end" }, "pages in the largest group"),
    ...[0.05, 0.1, 0.2, 0.3, 0.4, 0.5].map((t) => svg("text", { class: "quiet", x: x(t), y: y(0) + 18, "text-anchor": "middle" }, String(t))),
    svg("text", { class: "quiet", x: width - 16, y: 252, "text-anchor": "end" }, "similar at"),
  );
  rows("thresholds", sweep.map(({ threshold, center, component }) => [two(threshold), center.largest, component.largest, `${center.below} of ${center.within}`, `${component.below} of ${component.within}`]));
}
