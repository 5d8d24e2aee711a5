// @ts-check
/**
 * Tables of the measurements of `query.mjs`, `slow.mjs` and `words.mjs`: `node tables.mjs
 * query|slow|words [--quality] [--misses]` reads a JSON list with the output for each site, and
 * prints Markdown. `cargo xtask bench` runs it.
 */
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The ranks up to which right pages are counted. */
const PLACES = [1, 3, 10];
/** Below this rank, a right page is a miss. */
const LAST = 3;

/**
 * A column: its heading, the field that it shows, and its unit.
 *
 * @typedef {[heading: string, field: string, shown?: (value: number) => string]} Column
 * @typedef {{query: string, kind: string, place: number | null, first: string | null}} Judgment
 */

/** @param {number} value */
const count = (value) => String(Math.round(value));
/** @param {number} value */
const seconds = (value) => (value / 1e3).toFixed(1);
/** @param {number} value */
const kilobytes = (value) => (value / 1e3).toFixed(value > 0 && value < 10_000 ? 1 : 0);

/** @type {Column[]} */
const QUERY = [
  ["opening kB", "first.opening.bytes.median", kilobytes],
  ["first query kB", "first.bytes.median", kilobytes],
  ["90%", "first.bytes.p90", kilobytes],
  ["requests", "first.requests.median"],
  ["rounds", "first.rounds.median"],
  ["next query kB", "next.bytes.median", kilobytes],
  ["90%", "next.bytes.p90", kilobytes],
  ["requests", "next.requests.median"],
  ["rounds", "next.rounds.median"],
];
/** @type {Column[]} */
const SLOW = [
  ["page kB", "bytes.page", kilobytes],
  ["all kB", "bytes.all", kilobytes],
  ["painted s", "milliseconds.painted", seconds],
  ["text typed s", "milliseconds.typed", seconds],
  ["index open s", "milliseconds.opened", seconds],
  ["first answer s", "milliseconds.answered", seconds],
  ["answer, once open s", "milliseconds.after_opening", seconds],
];
/** @type {Column[]} */
const WORDS = [
  ["opening kB", "costs.opening.bytes.median", kilobytes],
  ["first query kB", "costs.first.bytes.median", kilobytes],
  ["90%", "costs.first.bytes.p90", kilobytes],
  ["requests", "costs.first.requests.median"],
  ["query kB", "costs.query.bytes.median", kilobytes],
  ["90%", "costs.query.bytes.p90", kilobytes],
  ["of it pages kB", "costs.results.bytes.median", kilobytes],
  ["requests", "costs.query.requests.median"],
  ["90%", "costs.query.requests.p90"],
  ["first answer s", "slow.milliseconds.first.median", seconds],
  ["later s", "slow.milliseconds.later.median", seconds],
  ["typed kB", "slow.typed.bytes.median", kilobytes],
  ["90%", "slow.typed.bytes.p90", kilobytes],
  ["requests", "slow.typed.requests.median"],
  ["after the last key s", "slow.milliseconds.last_key.median", seconds],
];

/** The last two parts of a path: sites are often in folders named `html` or `public`. @param {string} site */
const shortName = (site) => site.split(path.sep).slice(-2).join("/");

/** @param {any} value @param {Column[]} columns */
const cells = (value, columns) => columns.map(([, field, shown = count]) => {
  const found = field.split(".").reduce((inner, name) => inner?.[name], value);
  if (typeof found !== "number") throw new Error(`expected a number at ${field}, found ${found}`);
  return shown(found);
});

/** The first `texts` columns are aligned left. @param {number} texts @param {string[]} headings @param {string[][]} rows @param {string} note */
const table = (texts, headings, rows, note) => [
  headings,
  headings.map((_, at) => (at < texts ? "---" : "---:")),
  ...rows,
].map((row) => `| ${row.join(" | ")} |`).join("\n") + `\n\n${note}`;

/** @param {Column[]} columns */
const headings = (columns) => columns.map(([heading]) => heading);

/** @param {any[]} sites */
export function queryTable(sites) {
  const rows = sites.flatMap(({ site, pages, with_kin, programs }) => programs.map((/** @type {any} */ program) => {
    const best = program.found.best_kin;
    return [`${shortName(site)}, ${pages} pages`, program.program, ...cells(program, QUERY), best === null ? "" : `${best} of ${with_kin}`];
  }));
  return table(2, ["site", "asked", ...headings(QUERY), "best similar page found"], rows, "Medians and 90th percentiles of up to 30 queries for each site");
}

/** @param {any[]} sites */
export function slowTable(sites) {
  const rows = sites.flatMap(({ site, runs }) => runs.map((/** @type {any} */ run) =>
    [shortName(site), run.compresses ? "compresses texts" : "as it is", ...cells(run, SLOW)]));
  return table(2, ["site", "host", ...headings(SLOW)], rows, "At 400 kbit/s with 300 ms latency; medians of 3 visits, from the URL on");
}

/**
 * Returns the rank, from 1, of the first result that is a wanted page or a copy of one, or null.
 *
 * @param {string[][]} found the paths of the page of each result and of its copies
 * @param {string[]} wanted
 */
export function place(found, wanted) {
  const folders = wanted.map((page) => page.replace(/(^|\/)index\.html$/, "$1"));
  const at = found.findIndex((pages) => pages.some((page) => folders.includes(page)));
  return at < 0 ? null : at + 1;
}

/** Counts the queries with a right page up to a rank. @param {Judgment[]} judgments @param {number} last */
export const within = (judgments, last) => judgments.filter(({ place }) => place !== null && place <= last).length;

/** @param {any[]} sites @param {{quality: boolean, misses: boolean}} parts */
export function wordsTables(sites, { quality, misses }) {
  /** @type {{label: string, program: any, queries: Judgment[]}[]} */
  const all = sites.flatMap(({ site, pages, programs }) =>
    programs.map((/** @type {any} */ program) => ({ label: `${shortName(site)}, ${pages} pages`, program, queries: program.queries })));
  const kinds = [...new Set(all.flatMap(({ queries }) => queries.map(({ kind }) => kind)))];
  const found = all.map(({ label, program, queries }) => {
    const shares = (/** @type {Judgment[]} */ some) => PLACES.map((last) => (within(some, last) / Math.max(some.length, 1)).toFixed(2)).join(" ");
    const ofKinds = kinds.map((kind) => queries.filter((query) => query.kind === kind));
    return [label, program.program, shares(queries), ...[...ofKinds, program.typos].map((some) => `${within(some, LAST)} of ${some.length}`), `${shares(program.names)} (${program.names.length})`];
  });
  const note = `Top: the shares of queries with a right page among the first results. For each kind: among the first ${LAST}. Then all with a typo in their longest word, and pages' names of one word`;
  const parts = [table(2, ["site", "asked", `top ${PLACES.join(", ")}`, ...kinds, "all with a typo", `names of pages, top ${PLACES.join(", ")}`], found, note)];
  if (!quality) {
    const rows = all.filter(({ program }) => program.costs).map(({ label, program }) => [label, program.program, ...cells(program, WORDS)]);
    parts.push(table(2, ["site", "asked", ...headings(WORDS)], rows, "Medians and 90th percentiles, behind a host that gzips scripts. Seconds and typed kB: 20 of the queries at 1.6 Mbit/s with 150 ms latency, 150 ms between keys"));
  }
  if (misses) {
    parts.push(all.flatMap(({ label, program, queries }) => [`${label}, ${program.program}:`, ...queries
      .filter(({ place }) => place === null || place > LAST)
      .map(({ query, kind, place, first }) => `  ${query} (${kind}): ${place === null ? "not found" : `at ${place}`}; first ${first ?? "nothing"}`)]).join("\n"));
  }
  return parts.join("\n\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kind, ...options] = process.argv.slice(2);
  const sites = JSON.parse(await text(process.stdin));
  const parts = { quality: options.includes("--quality"), misses: options.includes("--misses") };
  console.log(kind === "query" ? queryTable(sites) : kind === "slow" ? slowTable(sites) : wordsTables(sites, parts));
}
