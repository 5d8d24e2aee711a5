// @ts-check
/** Shingles, supershingles and SimHash of a text and its edited copy. */
import { byId, count, cut, flash, html, inventedWords, pointable, rows, sized, svg, things, two } from "./draw.js";
import { explorable, fill, later, playWith, say } from "./frame.js";

/** Characters of a text that are compared at most. */
const MAX_CHARACTERS = 120_000;
/** Characters of a page whose copy is changed, at most: all its runs are drawn. */
const START = 4_000;
/** Above so many, only after a pause, in milliseconds. */
const LONG = 12_000;
const PAUSE = 300;
/** Runs drawn at most. */
const MAX_RUNS = 800;
/** Number of words by which the changed word moves on. */
const WALK = 12;
/** Words of the text of the first bet. */
const BET_WORDS = 200;
const EDITS = { word: "one word", two: "two words, far apart", swap: "halves swapped", sort: "all words sorted", half: "first half only", twice: "the text twice", none: "no change" };

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
  defaults: { from: "a", edit: "word", w: 10, row: "runs", at: 0 },
  async draw({ core, state, pair: [u, v], set }) {
    const row = ["super", "simhash"].includes(String(state.row)) ? String(state.row) : "runs";
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-row]"))) part.hidden = part.dataset.row !== row;
    later(() => fillBet(core));
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
    const isOther = state.from === "b";
    const isCut = !isOther && original.length > START;
    if (isCut) original = start = original.slice(0, START).replace(/\S+$/, "");
    fill({ what: isOther ? "Another page" : isCut ? "A copy of the beginning of the page" : "A copy of the page" });
    const box = /** @type {HTMLTextAreaElement} */ (byId("copy"));
    const width = [1, 3, 10].includes(Number(state.w)) ? Number(state.w) : 10;
    const at = Math.floor(Number(state.at));
    const words = start.match(/\S+/g)?.length ?? 0;
    const of = `${u} ${v} ${state.from} ${state.edit} ${at}`;
    if (own && own.of !== of) own = undefined;
    const copy = own ? own.text : state.edit === "at" ? changedAt(start, at) : core.edited(start, String(state.edit));
    if (box.value !== copy) box.value = copy;
    const found = core.copies(original, copy, width);
    show(found, width);
    const walk = () => {
      own = undefined;
      const next = state.edit === "at" ? at + WALK : WALK;
      set({ edit: "at", at: next > words ? WALK : next });
      return next > words || next + WALK <= words;
    };
    byId("walk").onclick = walk;
    playWith("play-walk", walk);
    setTimeout(() => mine === latest && drawTable(core, original, width, `${u} ${width} ${isCut}`, own || isOther ? "" : String(state.edit)));

    box.oninput = () => {
      own = { of, text: box.value.slice(0, MAX_CHARACTERS) };
      clearTimeout(pause);
      pause = setTimeout(() => set({}), box.value.length > LONG ? PAUSE : 0);
    };
    const from = /** @type {HTMLSelectElement} */ (document.querySelector('[data-key="from"]'));
    from.onchange = () => set({ edit: from.value === "b" ? "none" : "word" });
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-set*="edit="]'))) {
      button.onclick = () => { own = undefined; };
    }
  },
});

/**
 * A text with one of its words changed.
 *
 * @param {string} text
 * @param {number} at from 1
 */
function changedAt(text, at) {
  let word = 0;
  return text.replace(/\S+/g, (one) => ((word += 1) === at ? "zebra" : one));
}

/** Computes the answer of the first bet. @param {import("./core.js").Core} core */
function fillBet(core) {
  const text = inventedWords(BET_WORDS).join(" ");
  const found = core.copies(text, changedAt(text, BET_WORDS / 2), 10);
  fill({ oneShare: two(found.resemblance), oneRuns: found.ofA, oneBoth: found.both, oneEither: found.ofA + found.ofB - found.both });
}

/**
 * @param {Copies} found
 * @param {number} width
 */
function show(found, width) {
  const { both, ofA, ofB, resemblance, equalSuper, neededSuper, equalBits, neededBits } = found;
  const verdict = (/** @type {boolean} */ isCopy) => (isCopy ? "a copy" : "no copy");
  const [values, groups] = [found.minvalues.length || 84, found.supershingles.length || 6];
  fill({
    width, both: count(both), either: count(ofA + ofB - both), resemblance: share(resemblance),
    equalSuper, allSuper: groups, allValues: values, group: values / groups, neededSuper, neededBits, bChance: two(found.chanceSuper),
    equalBits, allBits: found.bits.length,
  });
  const marked = byId("marked");
  marked.replaceChildren(...found.b.pieces.map((piece, at) => (at % 2 === 1 ? html("mark", {}, piece) : piece.trim() ? html("span", { class: "struck" }, piece) : piece)));
  const [view, changed] = [byId("view"), marked.querySelector(".struck")];
  view.scrollTop = changed ? changed.offsetTop - view.offsetTop - view.clientHeight / 2 : 0;
  drawRuns(found);
  drawMinvalues(found);
  drawBits(found);
  say(`Of ${things(found.b.words, "word")}, ${count(both)} of ${count(ofA + ofB - both)} runs are in both: resemblance ${share(resemblance)}, and ${share(found.bInA)} of the copy is in the original. Supershingles: ${equalSuper} of ${groups} equal, ${verdict(equalSuper >= neededSuper)}. SimHash: ${equalBits} of ${found.bits.length} bits, ${verdict(equalBits >= neededBits)}.`);
}

/** The cells as they were drawn last, by drawing. @type {Map<string, boolean[]>} */
const before = new Map();

/**
 * Cells in lines, as many as fit: those that are equal filled, the others crossed. Cells that have
 * changed flash.
 *
 * @param {string} id
 * @param {boolean[]} equal
 * @param {number} cell their size
 * @param {(at: number) => void} look
 */
function cells(id, equal, cell, look) {
  const drawing = byId(id);
  const columns = Math.max(1, Math.floor(sized(drawing, 10) / cell));
  sized(drawing, Math.ceil(equal.length / columns) * cell + 2);
  const old = before.get(id);
  before.set(id, equal);
  const inner = cell - 2;
  const shape = (/** @type {boolean} */ one, /** @type {number} */ x, /** @type {number} */ y) =>
    (one ? `M${x} ${y}h${inner}v${inner}h${-inner}z` : `M${x + 1} ${y + 1}l${inner - 2} ${inner - 2}m0 ${2 - inner}l${2 - inner} ${inner - 2}`);
  let [filled, crossed] = ["", ""];
  /** @type {Element[]} */
  const changed = [];
  const places = equal.map((one, at) => {
    const [x, y] = [(at % columns) * cell + 1, Math.floor(at / columns) * cell + 1];
    if (old && old[at] !== undefined && old[at] !== one) changed.push(svg("path", { class: one ? "of-both" : "missed", d: shape(one, x, y) }));
    else if (one) filled += shape(one, x, y);
    else crossed += shape(one, x, y);
    return { x: x + inner / 2, y: y + inner / 2 };
  });
  const looked = svg("g");
  drawing.replaceChildren(svg("path", { class: "of-both", d: filled }), svg("path", { class: "missed", d: crossed }), ...changed.map((one) => flash(one)), looked);
  pointable(drawing, places, (at) => {
    looked.replaceChildren(svg("rect", { class: "ring", x: places[at].x - cell / 2 - 1, y: places[at].y - cell / 2 - 1, width: cell + 1, height: cell + 1 }));
    look(at);
  });
}

/** A share, which is only 1 if nothing is missing. @param {number} value */
const share = (value) => (value < 1 && value > 0.994 ? Math.min(value, 0.999).toFixed(3) : two(value));

/** @param {string} words */
const quoted = (words) => `“${cut(words.replace(/\s+/g, " "), 120)}”`;

/** @param {Copies} found */
function drawRuns({ b: { runs } }) {
  const shown = runs.slice(0, MAX_RUNS);
  const more = runs.length - shown.length;
  const note = byId("run-says");
  note.textContent = `Point at a cell, or use the arrow keys, to read it.${more > 0 ? ` The first ${MAX_RUNS} of ${runs.length} runs are drawn.` : ""}`;
  cells("runs", shown.map(({ shared }) => shared), 11, (at) => {
    note.textContent = `${shown[at].shared ? "In both" : "Only in the copy"}: ${quoted(shown[at].words)}`;
  });
}

/** @param {Copies} found */
function drawMinvalues({ minvalues, supershingles, b: { runs } }) {
  const size = minvalues.length / supershingles.length;
  const drawing = byId("minvalues");
  const width = sized(drawing, 44);
  const groups = supershingles.length;
  const inLine = width < 500 ? 2 : 3;
  const [wide, cell] = [width / inLine, Math.min(15, (width / inLine - 12) / size)];
  const high = cell + 34;
  sized(drawing, Math.ceil(groups / inLine) * high + 4);
  const old = before.get("minvalues");
  before.set("minvalues", minvalues.map(({ equal }) => equal));
  /** @type {{x: number, y: number}[]} */
  const places = [];
  const looked = svg("g");
  drawing.replaceChildren(...supershingles.map((equal, group) => {
    const [x, y] = [(group % inLine) * wide, Math.floor(group / inLine) * high];
    const marks = minvalues.slice(group * size, (group + 1) * size).map((one, at) => {
      const [cx, s] = [x + 3 + at * cell, cell - 2];
      places.push({ x: cx + s / 2, y: y + 4 + s / 2 });
      const mark = svg("path", { class: one.equal ? "of-both" : "missed", d: one.equal ? `M${cx} ${y + 4}h${s}v${s}h${-s}z` : `M${cx} ${y + 4}l${s} ${s}m0 ${-s}l${-s} ${s}` });
      return old && old[group * size + at] !== undefined && old[group * size + at] !== one.equal ? flash(mark) : mark;
    });
    return svg("g", {}, ...marks,
      svg("path", { class: equal ? "exact" : "goal", d: `M${x + 3} ${y + cell + 8}h${cell * size - 3}` }),
      svg("text", { class: equal ? "strong" : "quiet", x: x + 3, y: y + cell + 24 }, equal ? "equal" : "different"));
  }), looked);
  pointable(drawing, places, (at) => {
    const run = minvalues[at] && runs[minvalues[at].run];
    looked.replaceChildren(svg("rect", { class: "ring", x: places[at].x - cell / 2, y: places[at].y - cell / 2, width: cell, height: cell }));
    if (run?.words) byId("run-says").textContent = `Value ${at + 1} of ${minvalues.length} comes from the run ${quoted(run.words)}, which is ${minvalues[at].equal ? "the minimum of both texts" : "the minimum of the copy but not of the original"}.`;
  });
}

/** @param {Copies} found */
function drawBits({ bits }) {
  cells("bits", bits, 13, (at) => {
    byId("run-says").textContent = `Bit ${at + 1} of ${bits.length}: ${bits[at] ? "the same in both texts" : "different"}.`;
  });
}

/**
 * @param {import("./core.js").Core} core
 * @param {string} original
 * @param {number} width
 * @param {string} key
 * @param {string} now the edit of the copy
 */
function drawTable(core, original, width, key, now) {
  const edits = Object.entries(EDITS);
  const isCopy = (/** @type {number} */ equal, /** @type {number} */ needed, /** @type {number} */ all) => `${equal < needed ? "no" : "yes"}: ${equal} of ${all}`;
  if (tabled !== key) {
    rows("changes", edits.map(([edit, name]) => {
      const one = core.copies(original, core.edited(original, edit), width);
      return [name, isCopy(one.equalSuper, one.neededSuper, one.supershingles.length), isCopy(one.equalBits, one.neededBits, one.bits.length), share(one.resemblance), share(one.bInA), share(one.aInB)];
    }));
  }
  tabled = key;
  edits.forEach(([edit], at) => byId("changes").children[at].classList.toggle("lit", edit === now));
}
