// @ts-check
/** What a lookup fetches, round by round. */
import { byId, count, flash, html, rows, size, things, two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Squares of a kind that are drawn at most: of more files, only those that were read. */
const MAX_SQUARES = 400;
/** Characters of a page that are looked up at first, at most. */
const START = 600;

/** What each kind of file holds, and why it is requested. @type {Record<string, {name: string, why: string}>} */
const KINDS = {
  tables: { name: "LSH tables", why: "the keys of the text: which pages share one?" },
  lists: { name: "lists of words", why: "the heaviest words of the text: which pages have them?" },
  pages: { name: "blocks of pages", why: "the bags of promising pages, to compare exactly" },
  addresses: { name: "addresses", why: "which page has an address" },
  sample: { name: "a sample of pages", why: "pages to choose from" },
  sketches: { name: "sketches", why: "what is in the best pages, word by word" },
};

/** What was fetched in this tab, by name. @type {Map<string, Uint8Array>} */
const kept = new Map();
/** Whether the manifest was counted. */
let opened = false;
/** @type {{rounds: import("./core.js").Round[], results: import("./core.js").Found[], rankedBy: string, opening: number} | undefined} */
let last;
/** The page that the text begins with. */
let started = "";
let running = 0;

explorable({
  defaults: { step: 9, w: 99, d: 0 },
  async draw(shown) {
    const { core, state, pair: [, v], set } = shown;
    byId("no-vectors").hidden = core.hasVectors;
    byId("with-vectors").hidden = !core.hasVectors;
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
    show(core, Number(state.step));
    if (!last && running === 0) say("Press “Look it up”. The text above becomes terms, and terms become names of files.");
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
      last = { rounds, results: [], rankedBy: "", opening };
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
  const isWhole = core.parts().every(({ kind, shards }) => !["lists", "tables"].includes(kind) || shards === 0);
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
    how: isWhole
      ? "This site is small: a lookup reads all of its blocks, and misses nothing."
      : "The heaviest terms select a few files of lists, which contain the pages with these terms. The best of these pages select the blocks to read.",
  });
  drawParts(core, shown);
  drawRounds(shown, opening, core.opening);
  const names = [...(opening > 0 ? ["pagekin.manifest"] : []), ...fresh.map(({ name }) => name)];
  byId("sent").replaceChildren(names.length === 0 ? "Nothing yet." : `${things(names.length, "file name")}, and no word of the text: `, ...names.slice(0, 24).flatMap((name) => [html("code", {}, name), " "]), names.length > 24 ? "…" : "");
  const done = last && step >= rounds.length;
  byId("found").replaceChildren(...(done ? last?.results ?? [] : []).map(({ title, url, similarity, coverage, words, near }) =>
    html("li", {}, `${title || url}: ${last?.rankedBy === "similarity" ? `similarity ${two(similarity)}` : `${Math.round(100 * coverage)}% of the text covered`}${near ? `, ${near.replace("-", " ")}` : ""}. `, html("span", { class: "note" }, words.length > 0 ? `Shared: ${words.join(", ")}` : ""))));
  if (done && last?.results.length === 0) byId("found").replaceChildren(html("li", {}, "No page of this site contains enough of these words."));
  rows("files", [...(opening > 0 ? [["opening", "manifest", "1", size(opening), "0"]] : []), ...shown.flatMap(({ files }, at) => kindsOf(files).map(({ kind, of }) =>
    [String(at + 1), KINDS[kind]?.name ?? kind, String(of.length), size(of.reduce((sum, file) => sum + file.bytes, 0)), String(of.filter((file) => file.kept).length)]))]);
  if (!last) return;
  if (step === 0) say("Your browser has made terms and a bag from the text. Nothing but the manifest has been requested yet.");
  else if (!done) {
    const { files } = rounds[step - 1];
    say(`Round ${step} of ${rounds.length}: ${kindsOf(files).map(({ kind, of }) => `${things(of.length, "file")} of ${KINDS[kind]?.name ?? kind}, for ${KINDS[kind]?.why ?? kind}`).join("; ")}.`);
  } else say(`${things(fresh.length + (opening > 0 ? 1 : 0), "file")}, ${size(bytes)}, in ${things(waits, "round")}: ${things(last.results.length, "page")} found. ${bytes === 0 ? "Everything was cached." : "Now look it up again."}`);
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
  byId("parts").replaceChildren(...core.parts().filter(({ shards }) => shards > 0).flatMap(({ kind, shards }) => {
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

/**
 * @param {import("./core.js").Round[]} shown
 * @param {number} opening bytes of the manifest, if they were fetched for this lookup
 * @param {number} manifest its bytes
 */
function drawRounds(shown, opening, manifest) {
  const box = (/** @type {string} */ name, /** @type {string[]} */ lines) =>
    html("div", { class: "round" }, html("h3", {}, name), ...lines.map((line) => html("p", {}, line)));
  const boxes = last ? [box("Before the first lookup", [opening > 0 ? `The manifest, ${size(manifest)}: words of the site and their weights.` : `The manifest, ${size(manifest)}, is cached.`])] : [];
  byId("rounds").replaceChildren(...boxes, ...shown.map(({ files }, at) => box(`Round ${at + 1}`, kindsOf(files).map(({ kind, of }) => {
    const here = of.filter((file) => file.kept).length;
    const bytes = of.filter((file) => !file.kept).reduce((sum, file) => sum + file.bytes, 0);
    return `${things(of.length, "file")} of ${KINDS[kind]?.name ?? kind}, ${here === of.length ? "all cached" : size(bytes)}: ${KINDS[kind]?.why ?? ""}.`;
  }))));
}
