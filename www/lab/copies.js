// @ts-check
/** Shingles, supershingles and projections of a text and its edited copy. */
import { byId, count, cut, html, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Characters of a text that are compared at most. */
const MAX_CHARACTERS = 120_000;
/** Above so many, only after a pause, in milliseconds. */
const LONG = 12_000;
const PAUSE = 300;
/** Runs drawn at most. */
const MAX_RUNS = 600;
/** Minvalues of a supershingle. */
const GROUP = 14;
const EDITS = { none: "none", word: "a word", two: "two words, far apart", swap: "halves swapped", sort: "all words sorted", half: "the first half only", twice: "the text twice" };

/** @typedef {import("./core.js").Copies} Copies */

/** Texts by page. @type {Map<number, Promise<string>>} */
const texts = new Map();
/** Written by hand; until another edit or page is chosen. @type {{of: string, text: string} | undefined} */
let own;
let latest = 0;
/** Which table is drawn. */
let tabled = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

explorable({
  defaults: { from: "a", edit: "none", w: 10 },
  async draw({ core, state, pair: [u, v], set }) {
    const mine = (latest += 1);
    const textOf = (/** @type {number} */ page) => {
      if (!texts.has(page)) texts.set(page, core.textOf(page).then(({ text }) => text.trim().slice(0, MAX_CHARACTERS)));
      return /** @type {Promise<string>} */ (texts.get(page));
    };
    let [original, start] = ["", ""];
    try {
      [original, start] = await Promise.all([textOf(u), textOf(state.from === "b" ? v : u)]);
    } catch (error) {
      texts.clear();
      if (mine !== latest) return;
      // The lab goes on with a text of its own.
      original = start = byId("spare").textContent?.trim() ?? "";
      byId("spare-note").hidden = false;
    }
    if (mine !== latest) return;
    const box = /** @type {HTMLTextAreaElement} */ (byId("copy"));
    const width = [1, 3, 10].includes(Number(state.w)) ? Number(state.w) : 10;
    const of = `${u} ${v} ${state.from} ${state.edit}`;
    if (own && own.of !== of) own = undefined;
    const copy = own ? own.text : core.edited(start, String(state.edit));
    if (box.value !== copy) box.value = copy;
    const found = core.copies(original, copy, width);
    show(found, width);
    drawTable(core, original, width, `${u} ${width}`);

    box.oninput = () => {
      own = { of, text: box.value.slice(0, MAX_CHARACTERS) };
      clearTimeout(pause);
      pause = setTimeout(() => set({}), box.value.length > LONG ? PAUSE : 0);
    };
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-set*="edit="]'))) {
      button.onclick = () => { own = undefined; };
    }
  },
});

/**
 * @param {Copies} found
 * @param {number} width
 */
function show(found, width) {
  const { both, ofA, ofB, resemblance, equalSuper, neededSuper, equalBits, neededBits } = found;
  const isB = equalSuper >= neededSuper;
  const isC = equalBits >= neededBits;
  fill({
    width, both: count(both), either: count(ofA + ofB - both), resemblance: two(resemblance), aInB: two(found.aInB), bInA: two(found.bInA),
    equalSuper, bSays: isB ? `a copy (${neededSuper} are needed)` : `no copy (${neededSuper} are needed)`, bFound: isB ? "yes" : "no", bChance: two(found.chanceSuper),
    equalBits, allBits: found.bits.length, cSays: isC ? `a copy (${neededBits} are needed)` : `no copy (${neededBits} are needed)`, cFound: isC ? "yes" : "no",
  });
  byId("marked").replaceChildren(...found.b.pieces.map((piece, at) => (at % 2 === 1 ? html("mark", {}, piece) : piece)));
  drawRuns(found);
  drawMinvalues(found);
  drawBits(found);
  say(`Of ${things(found.b.words, "word")}, ${count(both)} of ${count(ofA + ofB - both)} runs are in both: resemblance ${two(resemblance)}, and ${two(found.bInA)} of the copy stands in the original. Supershingles: ${equalSuper} of 6 equal, ${isB ? "found" : "not found"}. Projections: ${equalBits} of ${found.bits.length} bits, ${isC ? "found" : "not found"}.`);
}

/**
 * Cells in lines, as many as fit: those that are equal filled, the others crossed.
 *
 * @param {string} id
 * @param {boolean[]} equal
 * @param {number} cell their size
 * @param {(at: number) => number} gap before a cell, of its line
 * @returns {number} how many are in a line
 */
function cells(id, equal, cell, gap = () => 0) {
  const drawing = byId(id);
  const width = sized(drawing, 10);
  const columns = Math.max(1, Math.floor((width - gap(1e4)) / cell));
  sized(drawing, Math.ceil(equal.length / columns) * cell + 2);
  let [filled, crossed] = ["", ""];
  equal.forEach((one, at) => {
    const [x, y] = [(at % columns) * cell + 1, Math.floor(at / columns) * cell + 1];
    const inner = cell - 2;
    if (one) filled += `M${x} ${y}h${inner}v${inner}h${-inner}z`;
    else crossed += `M${x + 1} ${y + 1}l${inner - 2} ${inner - 2}m0 ${2 - inner}l${2 - inner} ${inner - 2}`;
  });
  drawing.replaceChildren(svg("path", { class: "of-both", d: filled }), svg("path", { class: "missed", d: crossed }));
  return columns;
}

/** @param {Copies} found */
function drawRuns({ b: { runs } }) {
  const shown = runs.slice(0, MAX_RUNS);
  const cell = 9;
  const columns = cells("runs", shown.map(({ shared }) => shared), cell);
  const more = runs.length - shown.length;
  const note = byId("run-says");
  note.textContent = `Click or tap a cell to read its run.${more > 0 ? ` The first ${MAX_RUNS} of ${runs.length} runs are drawn.` : ""}`;
  byId("runs").onclick = (/** @type {MouseEvent} */ event) => {
    const box = byId("runs").getBoundingClientRect();
    const run = shown[Math.floor((event.clientY - box.top) / cell) * columns + Math.floor((event.clientX - box.left) / cell)];
    if (run) note.textContent = `${run.shared ? "In both" : "In the copy alone"}: “${cut(run.words.replace(/\s+/g, " "), 120)}”`;
  };
}

/** @param {Copies} found */
function drawMinvalues({ minvalues, supershingles, b: { runs } }) {
  const drawing = byId("minvalues");
  const width = sized(drawing, 44);
  const groups = supershingles.length;
  const inLine = width < 500 ? 2 : groups;
  const [wide, high, cell] = [width / inLine, 40, Math.min(11, (width / inLine - 12) / GROUP)];
  sized(drawing, Math.ceil(groups / inLine) * high + 4);
  drawing.replaceChildren(...supershingles.map((equal, group) => {
    const [x, y] = [(group % inLine) * wide, Math.floor(group / inLine) * high];
    let [filled, crossed] = ["", ""];
    minvalues.slice(group * GROUP, (group + 1) * GROUP).forEach((one, at) => {
      const [cx, s] = [x + 3 + at * cell, cell - 2];
      if (one.equal) filled += `M${cx} ${y + 4}h${s}v${s}h${-s}z`;
      else crossed += `M${cx} ${y + 4}l${s} ${s}m0 ${-s}l${-s} ${s}`;
    });
    return svg("g", {}, svg("path", { class: "of-both", d: filled }), svg("path", { class: "missed", d: crossed }),
      svg("path", { class: equal ? "exact" : "goal", d: `M${x + 3} ${y + cell + 8}h${cell * GROUP - 3}` }),
      svg("text", { class: "quiet", x: x + 3, y: y + cell + 24 }, equal ? "equal" : "differs"));
  }));
  drawing.onclick = (/** @type {MouseEvent} */ event) => {
    const box = drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const group = Math.floor(y / high) * inLine + Math.floor(x / wide);
    const at = group * GROUP + Math.max(0, Math.min(GROUP - 1, Math.floor(((x % wide) - 3) / cell)));
    const run = minvalues[at] && runs[minvalues[at].run];
    if (run?.words) byId("run-says").textContent = `Number ${at + 1} of 84 comes from the run “${cut(run.words.replace(/\s+/g, " "), 120)}”: ${minvalues[at].equal ? "the least in both texts" : "the least of the copy, not of the original"}.`;
  };
}

/** @param {Copies} found */
function drawBits({ bits }) {
  cells("bits", bits, 9);
}

/**
 * @param {import("./core.js").Core} core
 * @param {string} original
 * @param {number} width
 * @param {string} key
 */
function drawTable(core, original, width, key) {
  if (tabled === key) return;
  tabled = key;
  rows("changes", Object.entries(EDITS).map(([edit, name]) => {
    const one = core.copies(original, core.edited(original, edit), width);
    return [name, two(one.resemblance), two(one.bInA), two(one.aInB), `${one.equalSuper} of 6`, `${one.equalBits} of ${one.bits.length}`];
  }));
}
