// @ts-check
/** From page to bag: what becomes of each word of a text, and how similar two bags are. */
import { appear, byId, calm, html, MOVE, rows, svg, things, two } from "./draw.js";
import { explorable, fill, playWith, say, sayValue } from "./frame.js";

/** Words of a text that are shown at most. */
const MAX_WORDS = 1_500;
/** Rows that are drawn at most. */
const MAX_ROWS = 80;

const STEPS = ["the text as it is", "stop words struck out", "words as stems", "only words that count", "the bag, heaviest first", "compared with the bag of B"];

/** @type {Record<import("./core.js").Fate, string>} */
const FATES = {
  stop: "is a stop word, which says little about a page",
  common: "is on too many pages of this site to link two of them",
  lone: "is on no other page of this site, so it can’t make two pages similar",
  light: "has a weight, but the bag is full",
  rounded: "has a weight, but its share of the copies is rounded to none",
  bag: "is in the bag",
};

/** What happens to a word, in a table. @type {Record<import("./core.js").Fate, string>} */
const NAMED = { stop: "stop word", common: "on too many pages", lone: "on no other page", light: "no room", rounded: "rounded to 0", bag: "in the bag" };

/** What each step strikes out. @type {import("./core.js").Fate[][]} */
const GONE = [[], ["stop"], ["stop"], ["stop", "common", "lone"], ["stop", "common", "lone", "light", "rounded"], ["stop", "common", "lone", "light", "rounded"]];

/** Texts by page. @type {Map<number, Promise<{text: string, lang: string}>>} */
const texts = new Map();
/** Written here in place of A. @type {string | undefined} */
let own;
let latest = 0;
let looked = -1;
let isPaper = false;
/** The step that is drawn. */
let drawnStep = 0;
/** The words that the bet is about. @type {import("./core.js").Term[]} */
let betOn = [];

explorable({
  defaults: { step: 0, rule: "index" },
  async draw({ core, state, pair: [u, v], set }) {
    const mine = (latest += 1);
    const box = /** @type {HTMLTextAreaElement} */ (byId("own"));
    let text = { text: own ?? "", lang: "" };
    if (own === undefined) {
      if (!texts.has(u)) texts.set(u, core.textOf(u));
      try {
        text = await /** @type {Promise<{text: string, lang: string}>} */ (texts.get(u));
      } catch (error) {
        texts.delete(u);
        if (mine !== latest) return;
        say(`The text of this page is not available (${error instanceof Error ? error.message : error}). Write your own below.`);
        byId("text").textContent = "";
        return;
      }
      if (mine !== latest) return;
      box.value = text.text.trim();
    }
    const paper = state.rule === "paper";
    isPaper = paper;
    const step = Math.floor(Math.min(5, Number(state.step)));
    const words = core.words(text.text, text.lang, paper);
    const beside = core.textBeside(v, paper);

    fill({ ...words.counts, copies: words.copies, both: beside.overlap.both, either: beside.overlap.either, similarity: two(beside.overlap.similarity) });
    fillBet(words.terms);
    byId("step-name").textContent = `Step ${step} of 5: ${STEPS[step]}`;
    sayValue("step", STEPS[step]);
    playWith("play", () => {
      set({ step: step === 5 ? 0 : step + 1 });
      return step === 5 || step + 1 < 5;
    });
    drawText(words, step);
    drawRows(words, beside, step);
    if (step !== drawnStep && !calm()) showStep(step);
    drawnStep = step;
    drawTable(words);
    say(sentence(words, beside, step));

    box.oninput = () => {
      own = box.value;
      set({});
    };
    byId("page-again").onclick = () => {
      own = undefined;
      set({});
    };
    const word = /** @type {HTMLSelectElement} */ (byId("word"));
    word.onchange = () => {
      looked = Number(word.value);
      showFate(words);
    };
  },
});

/** Shows what a step has changed, one after the other. @param {number} step */
function showStep(step) {
  const changed = step >= 4 ? document.querySelectorAll("#rows li") : document.querySelectorAll("#text .gone");
  [...changed].slice(0, 200).forEach((one, at) => appear(one, Math.min(at * 8, 2 * MOVE)));
  for (const bar of step === 4 ? document.querySelectorAll("#rows svg") : []) {
    bar.animate([{ transform: "scaleX(0)", transformOrigin: "left" }, { transform: "scaleX(1)", transformOrigin: "left" }], { duration: MOVE });
  }
}

/** @param {string} language */
function languageName(language) {
  return language ? new Intl.DisplayNames("en", { type: "language" }).of(language) : "no language of the site";
}

/**
 * @param {import("./core.js").Words} words
 * @param {import("./core.js").Beside} beside
 * @param {number} step
 */
function sentence({ counts, copies, language, terms }, { overlap }, step) {
  if (counts.words === 0) return "Nothing of this text is left: it has no words.";
  return [
    `The text has ${things(counts.words, "word")}, read as ${languageName(language)}.`,
    `${counts.words - counts.kept} of ${things(counts.words, "word")} are stop words. ${counts.kept} stay.`,
    `The ${things(counts.kept, "word")} are ${things(counts.distinct, "different stem")}.`,
    `${counts.distinct - counts.weighty} stems are on too many pages${terms.some(({ fate }) => fate === "lone") ? ", or on no other" : ""}. ${counts.weighty} stay.`,
    `The ${things(counts.inBag, "heaviest stem", "heaviest stems")} make the bag, in ${copies} copies.`,
    `${overlap.both} copies are in both bags, ${overlap.either} in either: so the similarity is ${two(overlap.similarity)}.`,
  ][step];
}

/** The words that the bet is about: the most frequent of the bag, and a rarer one with as many copies or more. @param {import("./core.js").Term[]} terms */
function fillBet(terms) {
  const inBag = terms.filter(({ copies }) => copies > 0);
  if (inBag.length < 2) return;
  const often = inBag.reduce((best, one) => (one.tf > best.tf ? one : best));
  const others = inBag.filter((one) => one !== often && one.tf < often.tf);
  const rare = (others.length > 0 ? others : inBag.filter((one) => one !== often)).reduce((best, one) => (one.copies > best.copies || (one.copies === best.copies && one.tf < best.tf) ? one : best));
  betOn = [often, rare];
  fill({
    often: often.word, oftenTimes: things(often.tf, "time"), oftenCopies: things(often.copies, "copy", "copies"), oftenWeight: often.weight,
    rare: rare.word, rareTimes: things(rare.tf, "time"), rareCopies: things(rare.copies, "copy", "copies"), rareWeight: rare.weight,
  });
}

/**
 * @param {import("./core.js").Words} words
 * @param {number} step
 */
function drawText(words, step) {
  const { pieces, terms, behind } = words;
  const shown = pieces.slice(0, MAX_WORDS);
  const gone = new Set(GONE[step]);
  const place = byId("text");
  place.replaceChildren(...shown.flatMap(({ before, word, term }, at) => {
    const fate = term < 0 ? "stop" : terms[term].fate;
    const current = step >= 2 && term >= 0 ? terms[term].stem : word;
    const kind = gone.has(fate) ? "gone" : step >= 4 ? "kept" : "";
    const made = html("span", { class: kind, ...(term >= 0 ? { "data-term": String(term) } : { "data-term": "-1" }) }, kind === "gone" ? word : current);
    return [at === 0 ? before.trimStart() : before.replace(/\n\s*\n\s*/g, "\n\n"), made];
  }), shown.length < pieces.length ? `… and ${things(pieces.length - shown.length, "word")} more` : behind.trimEnd());
  place.onclick = (/** @type {MouseEvent} */ { target }) => {
    if (!(target instanceof HTMLElement) || !target.dataset.term) return;
    looked = Number(target.dataset.term);
    showFate(words, target.textContent ?? "");
  };
  const word = /** @type {HTMLSelectElement} */ (byId("word"));
  const named = terms.map((term, at) => ({ word: term.word, at })).sort((a, b) => (a.word < b.word ? -1 : 1));
  word.replaceChildren(html("option", { value: "-2" }, "choose, or click one in the text"), ...named.map(({ word, at }) => html("option", { value: String(at) }, word)));
  showFate(words);
}

/**
 * @param {import("./core.js").Words} words
 * @param {string} [stop] a stop word that was clicked
 */
function showFate(words, stop) {
  const { terms } = words;
  const term = terms[looked];
  for (const word of document.querySelectorAll("#text span, #rows li")) word.classList.toggle("lit", looked >= 0 && /** @type {HTMLElement} */ (word).dataset.term === String(looked));
  if (term) {
    const copies = term.copies > 0 ? `, with ${things(term.copies, "copy", "copies")}` : "";
    byId("fate").textContent = `“${term.word}” (stem “${term.stem}”) occurs here ${things(term.tf, "time")}${term.weight > 0 ? `, has a rarity of ${term.weight}` : ""}, and ${FATES[term.fate]}${copies}.`;
    /** @type {HTMLSelectElement} */ (byId("word")).value = String(looked);
  } else {
    byId("fate").textContent = stop ? `“${stop}” ${FATES.stop}.` : "";
  }
  drawFormula(words);
}

const MATH = "http://www.w3.org/1998/Math/MathML";

/**
 * An element of MathML.
 *
 * @param {string} name
 * @param {(Node | string)[]} children
 */
function math(name, ...children) {
  const made = document.createElementNS(MATH, name);
  made.append(...children);
  return made;
}

/**
 * The weight of the word that is looked at, or else of the heaviest that no bet is about: in
 * letters and in its numbers.
 *
 * @param {import("./core.js").Words} words
 */
function drawFormula({ terms, total, sum }) {
  const term = terms[looked]?.product > 0 ? terms[looked] : terms.find((one) => one.product > 0 && !betOn.includes(one));
  if (!term) {
    byId("formula").replaceChildren();
    return;
  }
  const share = (sum * term.product) / total;
  const number = (/** @type {number} */ value) => math("mn", String(value));
  const root = (/** @type {Node} */ of) => (isPaper ? of : math("msqrt", of));
  const line = (/** @type {Node[]} */ ...parts) => {
    const whole = math("math", ...parts);
    whole.setAttribute("display", "block");
    return whole;
  };
  const is = () => math("mo", "=");
  byId("formula").replaceChildren(
    html("p", { class: "note" }, `The weight of “${term.word}” is ${isPaper ? "its frequency" : "the square root of its frequency"}, multiplied by its rarity.${term.counted === term.tf ? "" : ` The index stores frequencies in a few sizes, to save space: ${term.tf} counts as ${term.counted}.`} ${term.fate === "light" ? "The bag is full of words that weigh as much or more." : `Its share of the weights of all words that the bag has room for, multiplied by the size n of a bag and rounded ${term.copies > share ? "up" : "down"}, is its number of copies:`}`),
    line(math("mi", "w"), is(), root(math("mi", "tf")), math("mo", "·"), math("mi", "idf"), is(), root(number(term.counted)), math("mo", "·"), number(term.weight), math("mo", "≈"), number(Number(term.product.toFixed(1)))),
    ...(term.fate === "light" ? [] : [line(math("mi", "share"), math("mo", "="), math("mi", "n"), math("mo", "·"), math("mfrac", math("mi", "w"), math("mrow", math("mo", "∑"), math("mi", "w"))), is(), number(sum), math("mo", "·"), math("mfrac", number(Number(term.product.toFixed(1))), number(Number(total.toFixed(1)))), math("mo", "≈"), number(Number(share.toFixed(2))), math("mo", "→"), number(term.copies))]),
  );
}

/**
 * @param {import("./core.js").Words} words
 * @param {import("./core.js").Beside} beside
 * @param {number} step
 */
function drawRows(words, { rows: both }, step) {
  const list = byId("rows");
  byId("rows-name").replaceChildren("The bag of ", html("span", { class: "a" }, "A"), ...(step === 5 ? [" and that of ", html("span", { class: "b" }, "B")] : []));
  if (step < 4) {
    list.replaceChildren(html("li", { class: "note" }, "Empty so far: it is filled in step 4."));
    return;
  }
  const drawn = step === 5
    ? both.map(({ word, a, b }) => ({ word: word || "a rare word", a, b, term: words.terms.findIndex((term) => term.word === word) }))
    : words.terms.filter(({ copies }) => copies > 0).map(({ word, copies }, term) => ({ word, a: copies, b: 0, term }));
  const most = Math.max(1, ...drawn.map(({ a, b }) => Math.max(a, b)));
  list.replaceChildren(...drawn.slice(0, MAX_ROWS).map(({ word, a, b, term }) => {
    const bar = svg("svg", { viewBox: `0 0 ${most * 10} 16`, preserveAspectRatio: "none", height: 16, "aria-hidden": "true", class: "bar-drawing" });
    let [filled, ofA, ofB] = ["", "", ""];
    for (let copy = 0; copy < Math.max(a, b); copy += 1) {
      const x = copy * 10;
      if (copy < a && (copy < b || step === 4)) filled += `M${x + 1} 2h7v12h-7z`;
      else if (copy < a) ofA += `M${x + 1} 14l7-12`;
      else ofB += `M${x + 1} 2l7 12`;
    }
    bar.append(svg("path", { class: step === 4 ? "area-a" : "of-both", d: filled }), svg("path", { class: "of-a", d: ofA }), svg("path", { class: "of-b", d: ofB }));
    return html("li", term >= 0 ? { "data-term": String(term) } : {}, html("span", { class: "word" }, word), bar, html("span", {}, step === 5 ? `${a} and ${b}` : things(a, "copy", "copies")));
  }), ...(drawn.length > MAX_ROWS ? [html("li", { class: "note" }, `and ${things(drawn.length - MAX_ROWS, "word")} more`)] : []));
}

/** @param {import("./core.js").Words} words */
function drawTable(words) {
  rows("terms", words.terms.slice(0, 300).map((term) => [term.word, term.stem, term.counted === term.tf ? term.tf : `${term.tf}, as ${term.counted}`, term.weight, term.product.toFixed(1), term.copies, NAMED[term.fate]]));
}
