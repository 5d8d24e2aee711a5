// @ts-check
/** What a lookup fetches, round by round. */
import { appear, byId, count, cut, flash, html, MOVE, size, things, two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Squares of a kind that are drawn at most: of more files, only those that were read. */
const MAX_SQUARES = 600;
/** Characters of a page that are looked up at first, at most. */
const START = 400;

/** Words of the text that are shown, and names of files of a round. */
const [MAX_WORDS, MAX_NAMES] = [8, 3];

/** The kinds of files that a lookup reads, and why, at first and again. @type {Record<string, {name: string, why: string, again?: string}>} */
const KINDS = {
  tables: { name: "LSH tables", why: "Which pages have a key of the text?" },
  lists: { name: "lists of words", why: "Which pages have the heaviest of these words?", again: "Which pages have other words of the text?" },
  pages: { name: "blocks of pages", why: "It compares the text with the bags of promising pages.", again: "It compares the text with more bags." },
  sketches: { name: "sketches", why: "Which passages do the best pages share with the text?" },
};

/** Why files of each kind are read if a lookup reads all blocks. @type {Record<string, string>} */
const WHEN_WHOLE = {
  lists: "What do the words of this question mean?",
  pages: "It compares the text with the bags of all pages.",
};

/** What was fetched in this tab, by name. @type {Map<string, Uint8Array>} */
const kept = new Map();
/** Whether the manifest was counted. */
let opened = false;
/** Without results, it is under way. @type {{rounds: import("./core.js").Round[], results?: import("./core.js").Found[], rankedBy: string, opening: number} | undefined} */
let last;
/** The page that the text begins with. */
let started = "";
let running = 0;

explorable({
  defaults: { step: 9, w: 99, d: 0 },
  async draw(shown) {
    const { core, state, pair: [, v], set } = shown;
    byId("no-vectors").hidden = core.hasVectors;
    for (const part of document.querySelectorAll(".with-vectors")) /** @type {HTMLElement} */ (part).hidden = !core.hasVectors;
    if (core.hasVectors) import("./meaning.js").then(({ drawMeaning }) => drawMeaning(shown));
    const box = /** @type {HTMLTextAreaElement} */ (byId("subject"));
    byId("look").onclick = () => look(core, box.value, set);
    byId("forget").onclick = () => {
      kept.clear();
      opened = false;
      last = undefined;
      set({ step: 0 });
      say("The cache is empty: the next lookup fetches everything it needs.");
    };
    const url = core.pages[v].url;
    if (started !== url && (!box.value || last === undefined)) {
      started = url;
      box.value = await core.textOf(v).then(({ text }) => startOf(text), () => byId("spare").textContent ?? "");
    }
    box.oninput = () => {
      running += 1;
      last = undefined;
      show(core, 0);
    };
    show(core, Number(state.step));
  },
});

/**
 * A part of a page as a person might copy it: its first paragraph of sentences, which menus and
 * headings are not, and what follows.
 *
 * @param {string} text
 */
function startOf(text) {
  const from = text.search(/(?<=^|\n\n)(?:[^\n]|\n(?!\n)){80,}?[.!?](?=\s|$)/);
  const part = text.slice(Math.max(0, from), Math.max(0, from) + START);
  const end = part.lastIndexOf(". ");
  return part.slice(0, end > 100 ? end + 1 : START).trim();
}

/**
 * @param {import("./core.js").Core} core
 * @param {string} text
 * @param {(state: Record<string, string | number>) => void} set
 */
async function look(core, text, set) {
  const mine = (running += 1);
  say("Looking it up…");
  try {
    const opening = opened ? 0 : core.opening;
    const found = await core.lookup({ text, lang: "" }, kept, (rounds) => {
      if (mine !== running) return;
      last = { rounds, rankedBy: "", opening };
      show(core, rounds.length);
    });
    if (mine !== running) return;
    last = { ...found, opening };
    opened = true;
    set({ step: 9 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    say(`The lookup failed: ${message}.`);
  }
}

/**
 * @param {import("./core.js").Core} core
 * @param {number} step rounds that are shown
 */
function show(core, step) {
  const rounds = last?.rounds ?? [];
  const shown = rounds.slice(0, step);
  const fresh = shown.flatMap(({ files }) => files).filter((file) => !file.kept);
  const opening = last?.opening ?? 0;
  const bytes = fresh.reduce((sum, file) => sum + file.bytes, opening);
  const waits = shown.filter(({ files }) => files.some((file) => !file.kept)).length + (opening > 0 ? 1 : 0);
  fill({
    bytes: size(bytes), requests: count(fresh.length + (opening > 0 ? 1 : 0)), rounds: waits,
    slow: `${core.seconds(bytes, waits, 400, 300).toFixed(1)} s`, fast: `${core.seconds(bytes, waits, 50_000, 30).toFixed(2)} s`,
    split: last
      ? `At 400 kbit/s with a delay of 300 ms, this lookup takes ${core.seconds(bytes, waits, 400, 300).toFixed(1)} s: ${core.seconds(0, waits, 400, 300).toFixed(1)} s of waiting in ${things(waits, "round")}, and ${core.seconds(bytes, 0, 400, 300).toFixed(1)} s for ${size(bytes)}.`
      : "Look up a text above to see how long the waiting takes, and how long the bytes.",
    how: core.isReadWhole
      ? "This site is small: a lookup reads all of its blocks, and misses nothing."
      : "The heaviest words of the text select files of lists, which name the pages with these words. The best of these pages select the blocks to read.",
  });
  drawParts(core, shown);
  const results = step >= rounds.length ? last?.results : undefined;
  drawRounds(core, shown, { opening, results });
  const names = fresh.length + (opening > 0 ? 1 : 0);
  byId("sent").textContent = last ? `The host has seen ${things(names, "file name")} of this lookup, and no word of the text.` : "The host has seen no word of the text yet. Will it?";
  byId("found").replaceChildren(...(results ?? []).map(({ title, url, similarity, coverage, words, near }) =>
    html("li", {}, `${title || url}: ${last?.rankedBy === "similarity" ? `similarity ${two(similarity)}` : `${Math.round(100 * coverage)}% of the text covered`}${near ? `, ${near.replace("-", " ")}` : ""}. `, html("span", { class: "note" }, words.length > 0 ? `Shared: ${words.join(", ")}` : ""))));
  byId("ranked").hidden = !results?.length || last?.rankedBy === "similarity";
  if (results?.length === 0) byId("found").replaceChildren(html("li", {}, "No page of this site contains enough of these words."));
  if (!last) return say(running > 0 ? "Look it up to see what the host sees." : "Your browser has made words from the text, without asking anyone. Look it up to see what the host sees.");
  if (step === 0) say(`Your browser has made words from the text, without asking anyone.${opening > 0 ? " So far, the host has seen the manifest’s name only." : ""}`);
  else if (!results) {
    const { files } = rounds[step - 1];
    say(`Round ${step + 1} of ${rounds.length + 1}: ${kindsOf(files).map(({ kind, of }) => `${things(of.length, "file")} of ${KINDS[kind]?.name ?? kind}`).join(" and ")}.`);
  } else say(`${things(fresh.length + (opening > 0 ? 1 : 0), "file")}, ${size(bytes)}, in ${things(waits, "round")}: ${things(results.length, "page")} found. ${bytes === 0 ? "Everything was cached." : "Now look it up again."}`);
}

/** @param {import("./core.js").Round["files"]} files */
function kindsOf(files) {
  return [...new Set(files.map(({ kind }) => kind))].map((kind) => ({ kind, of: files.filter((file) => file.kind === kind) }));
}

/**
 * A square for each file; those that were read are filled.
 *
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Round[]} shown
 */
function drawParts(core, shown) {
  const files = shown.flatMap(({ files }) => files);
  const now = new Set(shown.at(-1)?.files.map(({ name }) => name) ?? []);
  byId("parts").replaceChildren(...core.parts().filter(({ kind, shards }) => shards > 0 && kind in KINDS).flatMap(({ kind, shards }) => {
    const read = new Map(files.filter((file) => file.kind === kind).map((file) => [file.number, file]));
    const numbers = shards <= MAX_SQUARES ? Array.from({ length: shards }, (_, at) => at) : [...read.keys()].sort((a, b) => a - b);
    const name = KINDS[kind]?.name ?? kind;
    return [
      html("p", { class: "note" }, `${name}: ${read.size} of ${count(shards)} read${shards > MAX_SQUARES ? "; only those are drawn" : ""}`),
      html("ul", { class: "squares", "aria-hidden": "true" }, ...numbers.map((number) => {
        const file = read.get(number);
        const isNow = file && now.has(file.name);
        const square = html("li", { class: `square${file ? " read" : ""}${isNow ? " now" : ""}` });
        return isNow ? flash(square) : square;
      })),
    ];
  }));
}

/** How many rounds are drawn: what is new appears. */
let drawnRounds = 0;

/**
 * What happens to the text in the browser, and what the host sees, round by round.
 *
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Round[]} shown
 * @param {{opening: number, results: import("./core.js").Found[] | undefined}} of `opening`: bytes of the
 *   manifest, if they were fetched for this lookup
 */
function drawRounds(core, shown, { opening, results }) {
  const text = /** @type {HTMLTextAreaElement} */ (byId("subject")).value;
  const rarest = core.words(text, "", false).terms.sort((a, b) => b.idf - a.idf);
  const words = rarest.slice(0, MAX_WORDS).map(({ word }) => word).join(", ");
  const isAgain = (/** @type {string} */ kind, /** @type {number} */ round) => shown.slice(0, round).some(({ files }) => files.some((file) => file.kind === kind));
  const why = (/** @type {string} */ kind, /** @type {number} */ round) => (core.isReadWhole && WHEN_WHOLE[kind]) || (isAgain(kind, round) && KINDS[kind]?.again) || KINDS[kind]?.why;
  const nothing = () => html("span", { class: "note" }, "nothing");
  const row = (/** @type {string} */ round, /** @type {Node | string} */ here, /** @type {Node | string} */ there) =>
    html("tr", {}, round ? html("th", { scope: "row" }, round) : html("td"), html("td", {}, here), html("td", {}, there));
  const all = [
    row("1", "It opens the index: the words of the site and their weights.", opening > 0 || !last ? seen(() => "the manifest", [{ name: "pagekin.manifest", bytes: core.opening, kept: false }]) : nothing()),
    row("", html("span", {}, "The text becomes words, the rarest first: ", html("b", {}, words || "none"), rarest.length > MAX_WORDS ? ", …" : ""), nothing()),
    ...shown.map(({ files }, at) => row(String(at + 2),
      kindsOf(files).map(({ kind }) => why(kind, at)).join(" "),
      html("div", {}, ...kindsOf(files).map(({ kind, of }) => seen((number) => `${things(number, "file")} of ${KINDS[kind]?.name ?? kind}`, of))))),
    ...(results ? [row("", html("span", {}, "Found: ", results.length > 0 ? html("b", {}, cut(results[0].title || results[0].url, 60)) : "no page", results.length > 1 ? `, and ${results.length - 1} more below` : "", "."), nothing())] : []),
  ];
  byId("rounds").replaceChildren(...all);
  all.slice(Math.max(2, drawnRounds)).forEach((one, at) => appear(one, at * MOVE));
  drawnRounds = all.length;
}

/**
 * What the host sees of some files.
 *
 * @param {(number: number) => string} name of a number of them
 * @param {{name: string, bytes: number, kept: boolean}[]} files
 */
function seen(name, files) {
  const fetched = files.filter(({ kept }) => !kept);
  if (fetched.length === 0) return html("p", { class: "note" }, `nothing: ${name(files.length)} cached`);
  const bytes = fetched.reduce((sum, file) => sum + file.bytes, 0);
  // Their folders have the name of the kind.
  const names = fetched.slice(0, MAX_NAMES).flatMap((file) => [html("code", {}, file.name.split("/").at(-1) ?? ""), " "]);
  const cached = files.length - fetched.length;
  return html("p", {}, `${name(fetched.length)}, ${size(bytes)}: `, ...names, fetched.length > MAX_NAMES ? `and ${fetched.length - MAX_NAMES} more` : "", cached > 0 ? html("span", { class: "note" }, ` (${cached} cached)`) : "");
}
