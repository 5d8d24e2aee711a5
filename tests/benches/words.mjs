// @ts-check
/**
 * The quality and the cost of words typed into a search box: `node words.mjs [--quality] SITE_DIR
 * QUERIES PAGEKIN_DIR [PAGEFIND_DIR]` queries the indexes of a site in Chromium, judges the
 * answers, and prints results and transfers as JSON. `cargo xtask bench words` runs it. QUERIES is
 * a file, or a folder of files: the first whose pages the site contains is used.
 *
 * - *Found*: the first ten pages of each query, one query after the other, of each with a typo in
 *   its longest word, and of pages' names of one word. `--quality` measures only this.
 * - *Costs*: each query in a fresh browser profile, from a host that gzips scripts. Pagefind's
 *   pages include their excerpts, as it has no titles otherwise.
 * - *Slow*: some queries over a slow link: first in a fresh profile, later with the files that the
 *   first one fetched, and typed key by key in an open index. Each key queries the current content
 *   of the box and cancels the previous query; Pagefind has a function for that, which loads at
 *   each key and queries after a pause.
 *
 * @typedef {{query: string, kind: string, wanted: string[]}} Query `kind`: `topic`, `name`,
 *   `beginning` (of a name), number of `words`, `typo`; of a message: `error`, `code`, `version`.
 *   `wanted`: the paths of right pages
 * @typedef {import("./host.mjs").Sent} Sent
 * @typedef {Awaited<ReturnType<typeof openPage>>["page"]} Page
 * @typedef {Awaited<ReturnType<typeof launch>>} Browser
 *
 * @typedef {{pages: string[][], milliseconds: number}} Found the URLs of each result and of its
 *   copies; the time until the first result
 *
 * @typedef {object} Asker in a page
 * @property {(words: string) => Promise<Found>} ask
 * @property {(words: string) => Promise<Found | undefined>} key queries, and cancels the previous
 *   query, which then finds nothing
 *
 * @typedef {object} Program
 * @property {string} name
 * @property {Part[]} parts of the requests; the first that matches counts
 * @property {(page: Page, base: string) => Promise<import("../browser/harness.mjs").Handle<Asker>>} open
 * @property {string} folder
 *
 * @typedef {"opening" | "finding" | "results"} What the same for every query; the search for pages;
 *   the pages themselves
 * @typedef {[what: What, files: RegExp]} Part
 */
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { access, readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { launch, openKin, openPage, temporaryFolder } from "../browser/harness.mjs";
import { Host, spread } from "./host.mjs";
import { place } from "./tables.mjs";

const { values: { quality }, positionals } = parseArgs({ options: { quality: { type: "boolean" } }, allowPositionals: true });
const [site, queriesFile, pagekinFolder, pagefindFolder] = positionals;
if (!pagekinFolder) throw new Error("expected the folder of a site, a file of queries, and the folders of the site's pagekin index and, to compare, Pagefind index");

const TOP = 10;
/** Minimum number of letters of a word that gets a typo. */
const TYPO_LETTERS = 6;
/** Maximum number of names of pages. */
const NAMES = 150;
/** Number of queries that run over the slow link. */
const SLOW = 20;
/** Milliseconds between two keys. */
const BETWEEN_KEYS = 150;
/** 1.6 Mbit/s, and 150 ms until the answer to a request begins. */
const LINK = { latency: 150, bytesPerSecond: 200_000 };

// The programs

/** @type {Part[]} */
const PAGEKIN = [
  ["opening", /\.js$|\.bin$|^pagekin\.manifest$/],
  ["results", /\/pages\//],
  ["finding", /^index\//],
];
/** @type {Part[]} */
const PAGEFIND = [
  ["opening", /\.js$|^wasm\.|^pagefind-entry\.json$|\.pf_meta$/],
  ["finding", /^index\//],
  ["results", /^fragment\//],
];

/**
 * Queries with a method of an open index that takes words.
 *
 * @param {"search" | "similar"} method
 * @returns {Program}
 */
const pagekin = (method) => ({
  name: `pagekin, ${method}`,
  folder: "pagekin",
  parts: PAGEKIN,
  open: (page, base) => page.evaluateHandle(async ([base, method, top]) => {
    const { open, KinError } = await import(`${base}pagekin.js`);
    const kin = await open(base);
    /** @param {string} words @param {AbortSignal} [signal] */
    const ask = async (words, signal) => {
      const from = performance.now();
      try {
        const { results } = await kin[method](words, { limit: top, signal });
        const pages = results.map((/** @type {{url: string, copies?: string[]}} */ { url, copies = [] }) => [url, ...copies]);
        return { pages, milliseconds: performance.now() - from };
      } catch (/** @type {any} */ error) {
        if (error instanceof KinError && error.code === "EmptyQuery") return { pages: [], milliseconds: performance.now() - from };
        throw error;
      }
    };
    let latest = new AbortController();
    return /** @type {Asker} */ ({
      ask,
      async key(words) {
        latest.abort();
        const { signal } = (latest = new AbortController());
        return ask(words, signal).catch((error) => {
          if (!signal.aborted) throw error;
          return undefined;
        });
      },
    });
  }, /** @type {const} */ ([base, method, TOP])),
});

/** @param {string} folder of its index @returns {Promise<Program>} */
const pagefind = async (folder) => ({
  name: `Pagefind ${JSON.parse(await readFile(path.join(folder, "pagefind-entry.json"), "utf8")).version}`,
  folder: "pagefind",
  parts: PAGEFIND,
  open: (page, base) => page.evaluateHandle(async ([base, top]) => {
    const pagefind = await import(`${base}pagefind.js`);
    await pagefind.init();
    /** @param {number} from @param {{data(): Promise<{url: string}>}[]} results */
    const shown = async (from, results) => {
      const data = results.slice(0, top).map((result) => result.data());
      await data[0];
      const milliseconds = performance.now() - from;
      return { pages: (await Promise.all(data)).map(({ url }) => [url]), milliseconds };
    };
    return /** @type {Asker} */ ({
      async ask(words) {
        const from = performance.now();
        return shown(from, (await pagefind.search(words)).results);
      },
      async key(words) {
        const from = performance.now();
        const found = await pagefind.debouncedSearch(words);
        return found ? shown(from, found.results) : undefined;
      },
    });
  }, /** @type {const} */ ([base, TOP])),
});

/** @param {Browser} browser @param {string} origin */
async function programs(browser, origin) {
  const { page, close } = await openPage(browser, `${origin}/`);
  const kin = await openKin(page, `${origin}/pagekin/`);
  const pages = await kin.evaluate((kin) => kin.info.pages);
  const titles = await kin.evaluate((kin) => kin.pages());
  await close();
  const others = pagefindFolder ? [await pagefind(pagefindFolder)] : [];
  const boxes = [pagekin("search"), ...others];
  // `similar` is for texts: it shows what the search adds, but a box would not call it.
  return { pages, names: oneWordNames(titles), all: [...boxes, pagekin("similar")], boxes };
}

// Measuring

/**
 * Measures a program in a fresh browser profile.
 *
 * @param {Browser} browser
 * @param {string} origin
 * @param {Program} program
 * @param {string} what the query, for error messages
 * @param {(open: () => ReturnType<Program["open"]>) => Promise<void>} measure
 */
async function visit(browser, origin, program, what, measure) {
  const { page, problems, close } = await openPage(browser, `${origin}/`);
  await measure(() => program.open(page, `${origin}/${program.folder}/`));
  await close();
  if (problems.length > 0) throw new Error(`expected ${program.name} to answer for ${what}, found ${problems.join("; ")}`);
}

/** @param {Awaited<ReturnType<Program["open"]>>} asker @param {string} words */
const ask = (asker, words) => asker.evaluate((asker, words) => asker.ask(words), words);

/**
 * Types words key by key, and waits for the last answer.
 *
 * @param {Awaited<ReturnType<Program["open"]>>} asker
 * @param {string} words
 */
function type(asker, words) {
  return asker.evaluate(async (asker, [words, between]) => {
    /** @type {ReturnType<Asker["key"]>[]} */
    const keys = [];
    for (const [at] of [...words].entries()) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, between));
      const standing = words.slice(0, at + 1);
      // A trailing space does not change the query.
      if (standing.trim() === standing) keys.push(asker.key(standing));
    }
    const found = (await Promise.all(keys)).at(-1);
    if (!found) throw new Error("expected an answer to the last key");
    return found;
  }, /** @type {const} */ ([words, BETWEEN_KEYS]));
}

/** Returns the path of a page of the site. @param {string} url */
const plain = (url) => decodeURIComponent(url).replace(/^\//, "").replace(/(^|\/)index\.html?$/, "$1");

/** @param {Program} program @param {Sent[]} sent */
function byParts(program, sent) {
  /** @type {Record<What, Sent[]>} */
  const parts = { opening: [], finding: [], results: [] };
  for (const one of sent) {
    const part = program.parts.find(([, files]) => files.test(one.path));
    if (!part) throw new Error(`${program.name} requested ${one.path}, which is of no known kind. Add it to the parts in words.mjs`);
    parts[part[0]].push(one);
  }
  return parts;
}

/** @param {Sent[]} sent */
const bytes = (sent) => sent.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * @param {Browser} browser
 * @param {Host} host
 * @param {string} origin
 * @param {Program} program
 * @param {Query[]} queries
 */
async function costs(browser, host, origin, program, queries) {
  /** @type {Record<What, Sent[]>[]} */
  const asked = [];
  host.sent();
  for (const { query } of queries) {
    await visit(browser, origin, program, query, async (open) => {
      await ask(await open(), query);
      asked.push(byParts(program, host.sent()));
    });
  }
  /** @param {(parts: Record<What, Sent[]>) => Sent[]} counts */
  const both = (counts) => ({ bytes: spread(asked.map(counts).map(bytes)), requests: spread(asked.map(counts).map((sent) => sent.length)) });
  return {
    opening: both(({ opening }) => opening),
    first: both(({ opening, finding, results }) => [...opening, ...finding, ...results]),
    query: both(({ finding, results }) => [...finding, ...results]),
    results: both(({ results }) => results),
  };
}

/**
 * @param {Browser} browser
 * @param {Host} host
 * @param {string} origin
 * @param {Program} program
 * @param {Query[]} queries
 */
async function slow(browser, host, origin, program, queries) {
  /** @type {Record<"first" | "later" | "lastKey" | "typed" | "requests", number[]>} */
  const values = { first: [], later: [], lastKey: [], typed: [], requests: [] };
  for (const [at, { query }] of queries.entries()) {
    await visit(browser, origin, program, query, async (open) => {
      const from = performance.now();
      const asker = await open();
      const opened = performance.now() - from;
      values.first.push(opened + (await ask(asker, query)).milliseconds);
      values.later.push((await ask(asker, queries[(at + 1) % queries.length].query)).milliseconds);
    });
    await visit(browser, origin, program, query, async (open) => {
      const asker = await open();
      host.sent();
      values.lastKey.push((await type(asker, query)).milliseconds);
      const { finding, results } = byParts(program, host.sent());
      values.typed.push(bytes([...finding, ...results]));
      values.requests.push(finding.length + results.length);
    });
  }
  return {
    milliseconds: { first: spread(values.first), later: spread(values.later), last_key: spread(values.lastKey) },
    typed: { bytes: spread(values.typed), requests: spread(values.requests) },
  };
}

/**
 * Returns a key and a certificate for a local host, and the argument that makes Chromium accept
 * them fully. If it only ignored certificate errors, it would not cache any files.
 */
async function certified() {
  const folder = await temporaryFolder();
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  try {
    execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "pipe" });
  } catch (error) {
    throw new Error("cannot make a certificate with `openssl`. The slow link is measured over HTTP/2, which browsers support only over TLS. Install `openssl`, or pass --quality", { cause: error });
  }
  const [keyText, certText] = await Promise.all([key, cert].map((file) => readFile(file, "utf8")));
  const spki = new X509Certificate(certText).publicKey.export({ type: "spki", format: "der" });
  const hash = createHash("sha256").update(spki).digest("base64");
  return { key: keyText, cert: certText, argument: `--ignore-certificate-errors-spki-list=${hash}` };
}

/**
 * Returns the queries with a typo in their longest word, by turns a letter left out, doubled,
 * replaced by the next of the alphabet, or swapped with the next.
 *
 * @param {Query[]} queries
 */
function withTypos(queries) {
  const whole = queries.filter(({ kind }) => kind !== "typo" && kind !== "beginning");
  return whole.flatMap((one, turn) => {
    const [word = ""] = (one.query.match(/[a-z]+/gi) ?? []).sort((a, b) => b.length - a.length);
    if (word.length < TYPO_LETTERS) return [];
    const at = 1 + ((turn * 7) % (word.length - 2));
    const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
    const other = String.fromCharCode(letter === "z" ? 97 : letter.charCodeAt(0) + 1);
    const letters = ["", letter + letter, other, ""][turn % 4];
    const typo = turn % 4 === 3 && letter !== next ? before + next + letter + after : before + letters + next + after;
    return [{ ...one, query: one.query.replace(word, typo) }];
  });
}

/**
 * Returns queries for the pages whose title is a word, or begins with one and a dash or a colon, at
 * most `NAMES`, evenly spread. All pages of a name are right.
 *
 * @param {{url: string, title: string}[]} pages
 * @returns {Query[]}
 */
function oneWordNames(pages) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const { url, title } of pages) {
    const name = title.replace(/^[A-Z]?[\d.]+ /, "").split(/ [—–-] |: /)[0].toLowerCase();
    if (/^[\p{L}\p{N}_.-]{3,}$/u.test(name) && /\p{L}/u.test(name)) byName.set(name, [...(byName.get(name) ?? []), plain(url)]);
  }
  const all = [...byName].map(([query, wanted]) => ({ query, kind: "name of a page", wanted }));
  return all.filter((_, at) => Math.floor((at * NAMES) / all.length) !== Math.floor(((at - 1) * NAMES) / all.length) || all.length <= NAMES);
}

/** Reads the first file of queries whose pages the site contains. @returns {Promise<Query[]>} */
async function readQueries() {
  const isFolder = (await stat(queriesFile)).isDirectory();
  const files = isFolder ? (await readdir(queriesFile)).sort().map((name) => path.join(queriesFile, name)) : [queriesFile];
  /** @type {string[]} */
  const missing = [];
  for (const file of files) {
    /** @type {Query[]} */
    const queries = JSON.parse(await readFile(file, "utf8"));
    const pages = queries.flatMap(({ query, wanted }) => {
      if (wanted.length === 0) throw new Error(`expected a wanted page for "${query}" in ${file}`);
      return wanted;
    });
    const exist = await Promise.all(pages.map((page) => access(path.join(site, page)).then(() => true, () => false)));
    if (exist.every(Boolean)) return queries;
    missing.push(`${file} wants ${pages[exist.indexOf(false)]}`);
  }
  throw new Error(`${site} does not contain the pages of these queries: ${missing.join("; ")}. Name a file with --queries`);
}

const queries = await readQueries();
const sample = queries.filter((_, at) => Math.floor((at * SLOW) / queries.length) !== Math.floor(((at - 1) * SLOW) / queries.length));
/** @type {Record<string, string>} */
const folders = { pagekin: path.resolve(pagekinFolder), ...(pagefindFolder ? { pagefind: path.resolve(pagefindFolder) } : {}) };
const certificate = quality ? undefined : await certified();
const host = new Host(folders);
const origin = await host.start();
const browser = await launch(...(certificate ? [certificate.argument] : []));
try {
  const { pages, names, all, boxes } = await programs(browser, origin);
  const measured = [];
  for (const program of all) {
    console.error(`    ${program.name}: ${queries.length} queries`);
    /** @type {{program: string, queries: import("./tables.mjs").Judgment[], typos: import("./tables.mjs").Judgment[], names: import("./tables.mjs").Judgment[], costs?: object, slow?: object}} */
    const one = { program: program.name, queries: [], typos: [], names: [] };
    await visit(browser, origin, program, "these queries", async (open) => {
      const asker = await open();
      for (const [given, judged] of /** @type {const} */ ([[queries, one.queries], [withTypos(queries), one.typos], [names, one.names]])) {
        for (const { query, kind, wanted } of given) {
          const found = (await ask(asker, query)).pages.map((page) => page.map(plain));
          judged.push({ query, kind, place: place(found, wanted), first: found[0]?.[0] ?? null });
        }
      }
    });
    if (certificate && boxes.some(({ name }) => name === program.name)) {
      one.costs = await costs(browser, host, origin, program, queries);
      console.error(`    ${program.name}: ${sample.length} queries over a slow link`);
      const far = new Host(folders, { ...LINK, ...certificate });
      one.slow = await slow(browser, far, await far.start(), program, sample);
      far.stop();
    }
    measured.push(one);
  }
  console.log(JSON.stringify({ site, pages, programs: measured }));
} finally {
  await browser.close();
  host.stop();
}
