// @ts-check
/**
 * What a query costs a visitor: `node query.mjs SITE_DIR PAGEKIN_DIR PAGEFIND_DIR LUNR_PACKAGE
 * WORDS…` asks the two indexes of a site, and one that it makes with lunr, in Chromium, over a host
 * that gzips scripts, and prints as JSON what was sent.
 * `cargo xtask bench query` runs it.
 *
 * Up to 30 pages of the site, spread evenly by address, are asked for: pagekin gets the text of the
 * page as one sees it, Pagefind its rarest words, so many as each of WORDS says, as it finds the
 * pages that have all of them, lunr as many of them as the first of WORDS says, as it finds those
 * that have some, and `related.js` the address. Each is asked in a fresh browser
 * profile, and then for the next page of the 30, with what is there by then. *Best kin* is the
 * first of a page's related pages, where it is like the page at all; another page that is as like
 * does not count.
 *
 * *Rounds* are counted apart, in a few of the queries: all requests are kept waiting until no more
 * come, and let go together.
 *
 * @typedef {{url: string, text: string, words: string[]}} Query `words`: rarest first
 * @typedef {import("./host.mjs").Sent} Sent
 * @typedef {Awaited<ReturnType<typeof openPage>>["page"]} Page
 * @typedef {Awaited<ReturnType<typeof launch>>} Browser
 * @typedef {Parameters<Parameters<Page["route"]>[1]>[0]} Route
 * @typedef {{url: string, similarity?: number}} Found
 *
 * @typedef {object} Program
 * @property {string} name
 * @property {Part[]} parts of what it fetches, the first that fits counts
 * @property {(page: Page) => Promise<(query: Query) => Promise<Found[]>>} open in a page; what it returns asks
 * @property {boolean} [eachPage] a visitor has it on each page, instead of asking again and again on one
 *
 * @typedef {{name: string, files: RegExp, opening: boolean}} Part `opening`: the same for every query
 */
import { copyFile, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ask, launch, openKin, openPage, temporaryFolder } from "../browser/harness.mjs";
import { Host, spread } from "./host.mjs";

const [site, pagekinFolder, pagefindFolder, lunrPackage, ...wordCounts] = process.argv.slice(2);
if (wordCounts.length === 0) throw new Error("expected the folders of a site, of its pagekin index, of its Pagefind index and of the package lunr, and how many words Pagefind gets");
const WORD_COUNTS = wordCounts.map(Number);
const MAX_WORDS = Math.max(...WORD_COUNTS);

const QUERIES = 30;
/** In how many of the queries the rounds are counted: they hardly differ. */
const ROUNDS_COUNTED = 3;
/**
 * After so many milliseconds without a request, no more come before some are answered. Between two
 * rounds, much less passes.
 */
const QUIET = 1_000;
/** From which similarity on a page is kin, as in `cargo xtask bench retrieval`. */
const TRUE_KIN = 0.2;
const TOP = 10;
/** An index of lunr is one file: nobody has one of more pages. */
const MAX_LUNR_PAGES = 5_000;

// The programs

/** @param {string} origin @param {string[]} lunr its versions @returns {Promise<Program[]>} */
async function programs(origin, lunr) {
  const pagekin = `${origin}/pagekin/`;
  const pagefind = `${origin}/pagefind/`;
  const { version } = JSON.parse(await readFile(path.join(pagefindFolder, "pagefind-entry.json"), "utf8"));
  return [
    {
      name: "pagekin, the text",
      parts: [
        { name: "library", files: /\.js$|\.bin$/, opening: true },
        { name: "manifest", files: /^pagekin\.manifest$/, opening: true },
        { name: "lists", files: /\/lists\//, opening: false },
        { name: "tables", files: /\/tables\//, opening: false },
        { name: "pages", files: /\/pages\//, opening: false },
        { name: "sketches", files: /\/sketches\//, opening: false },
      ],
      async open(page) {
        const kin = await openKin(page, pagekin);
        // Pages like the text are the other list where what has it is the first.
        return ({ text }) => kin.evaluate(async (kin, { text, top }) => {
          const { results, otherResults } = await kin.similar(text);
          return [results, otherResults].flatMap((list) => list.slice(0, top));
        }, { text, top: TOP });
      },
    },
    ...WORD_COUNTS.map((count) => ({
      name: `Pagefind ${version}, ${count} words`,
      parts: [
        { name: "library", files: /\.js$|^wasm\.|^pagefind-entry\.json$/, opening: true },
        { name: "meta", files: /\.pf_meta$/, opening: true },
        { name: "index", files: /^index\//, opening: false },
        { name: "fragments", files: /^fragment\//, opening: false },
      ],
      /** @param {Page} page */
      async open(page) {
        const opened = await page.evaluateHandle(async (base) => {
          const pagefind = await import(`${base}pagefind.js`);
          await pagefind.init();
          return pagefind;
        }, pagefind);
        /** @param {Query} query */
        return ({ words }) => page.evaluate(async ({ opened, words, top }) => {
          const { results } = await opened.search(words);
          /** @type {{url: string}[]} */
          const shown = await Promise.all(results.slice(0, top).map((/** @type {any} */ result) => result.data()));
          return shown.map(({ url }) => ({ url }));
        }, { opened, words: words.slice(0, count).join(" "), top: TOP });
      },
    })),
    ...lunr.map((version) => ({
      name: `lunr ${version}, ${WORD_COUNTS[0]} words`,
      parts: [
        { name: "library", files: /\.js$/, opening: true },
        { name: "index", files: /\.json$/, opening: true },
      ],
      /** @param {Page} page */
      async open(page) {
        await page.addScriptTag({ url: `${origin}/lunr/lunr.min.js` });
        const opened = await page.evaluateHandle(async (origin) => {
          const { index, titles } = await (await fetch(`${origin}/lunr/index.json`)).json();
          return { index: /** @type {any} */ (globalThis).lunr.Index.load(index), titles };
        }, origin);
        /** @param {Query} query */
        return ({ words }) => opened.evaluate(({ index }, { words, top }) => {
          const found = index.search(words);
          return found.slice(0, top).map((/** @type {{ref: string}} */ { ref }) => ({ url: ref }));
        }, { words: words.slice(0, WORD_COUNTS[0]).join(" "), top: TOP });
      },
    })),
    {
      name: "pagekin, related pages",
      eachPage: true,
      parts: [
        { name: "library", files: /\.js$/, opening: true },
        { name: "entry", files: /^pagekin\.kin$/, opening: true },
        { name: "related", files: /\/related\//, opening: false },
      ],
      async open(page) {
        const module = await page.evaluateHandle((base) => import(`${base}related.js`), pagekin);
        return ({ url }) => page.evaluate(({ module, url }) => module.related({ url, limit: 5 }), { module, url });
      },
    },
  ];
}

// The queries

/** Draws pages and reads them as a visitor sees them. */
class Drawing {
  #seed = 1;

  /** From 0 to 1, without it; the same in every run. */
  #random() {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  /**
   * @param {Browser} browser
   * @param {string} origin
   * @returns {Promise<{pages: number, queries: Query[]}>} `pages`: of the index
   */
  async draw(browser, origin) {
    const asking = await openPage(browser, `${origin}/`);
    // Sites' own scripts and what they want of other hosts don't matter for what stands on a page.
    const reading = await openPage(browser, "about:blank", { javaScriptEnabled: false, offline: true });
    const base = `${origin}/pagekin/`;
    const kin = await openKin(asking.page, base);
    const { info, sample } = await kin.evaluate(async (kin) => ({ info: kin.info, sample: await kin.pages() }));
    const urls = sample.map(({ url }) => url).sort();
    /** @type {{url: string, text: string}[]} */
    const drawn = [];
    const share = urls.length / Math.min(QUERIES, urls.length);
    for (let from = 0; Math.round(from) < urls.length; from += share) {
      const among = urls.slice(Math.round(from), Math.round(from + share));
      const start = Math.floor(this.#random() * among.length);
      for (const url of [...among.slice(start), ...among.slice(0, start)]) {
        const text = await visibleText(reading.page, await readFile(await fileOf(url), "utf8"));
        if (standingAlone(text).size < MAX_WORDS) continue;
        const { code, message } = await ask(asking.page, base, text, { kin });
        if (code === "EmptyQuery") continue;
        if (code) throw new Error(`expected the kin of ${url}, found ${code}: ${message}`);
        drawn.push({ url, text });
        break;
      }
    }
    await Promise.all([asking.close(), reading.close()]);
    if (drawn.length === 0) throw new Error(`expected pages of ${MAX_WORDS} different words in ${site}, found none; take another site, or fewer --words`);
    const frequencies = await documentFrequencies(new Set(drawn.flatMap(({ text }) => [...standingAlone(text)])));
    /** @param {string} word */
    // a word that only browsers see whole
    const frequency = (word) => frequencies.get(word) ?? Infinity;
    const queries = drawn.map(({ url, text }) => {
      const words = [...standingAlone(text)].sort((a, b) => frequency(a) - frequency(b) || (a < b ? -1 : 1));
      return { url, text, words: words.slice(0, MAX_WORDS) };
    });
    return { pages: info.pages, queries };
  }
}

/**
 * The folder of an index of lunr, with its client: title and text of each page, as one sees it, and
 * the titles to show. Nothing for a site that is too large.
 *
 * @param {Browser} browser
 * @returns {Promise<{version: string, folder: string} | undefined>}
 */
async function indexByLunr(browser) {
  const files = (await htmlFiles()).map((file) => path.relative(site, file));
  if (files.length > MAX_LUNR_PAGES) return undefined;
  const { page, close } = await openPage(browser, "about:blank", { javaScriptEnabled: false, offline: true });
  const { default: lunr } = await import(pathToFileURL(path.join(lunrPackage, "lunr.js")).href);
  const builder = new lunr.Builder();
  builder.pipeline.add(lunr.trimmer, lunr.stopWordFilter, lunr.stemmer);
  builder.searchPipeline.add(lunr.stemmer);
  builder.ref("url");
  builder.field("title");
  builder.field("text");
  /** @type {Record<string, string>} */
  const titles = {};
  for (const file of files) {
    const url = `/${file.split(path.sep).join("/")}`;
    const text = await visibleText(page, await readFile(path.join(site, file), "utf8"));
    titles[url] = await page.title();
    builder.add({ url, title: titles[url], text });
  }
  await close();
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, "index.json"), JSON.stringify({ index: builder.build(), titles }));
  await copyFile(path.join(lunrPackage, "lunr.min.js"), path.join(folder, "lunr.min.js"));
  return { version: lunr.version, folder };
}

async function htmlFiles() {
  const entries = await readdir(site, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && /\.x?html?$/i.test(entry.name));
  return files.map(({ parentPath, name }) => path.join(parentPath, name));
}

/** @param {Page} page without scripts @param {string} html */
async function visibleText(page, html) {
  await page.setContent(html, { waitUntil: "commit" });
  return page.evaluate(() => {
    /** @type {HTMLElement} */
    const main = document.querySelector("main, article, [role=main]") ?? document.body;
    return main.innerText;
  });
}

/**
 * The words that stand between spaces, with at most punctuation around: how `Vec<u8>` is cut into
 * words is each program's own affair.
 *
 * @param {string} text
 */
function standingAlone(text) {
  const words = new Set();
  for (const piece of text.split(/\s+/)) {
    const word = /^[\p{Ps}\p{Pi}"']*(\p{L}{2,})[\p{Pe}\p{Pf}"'.,;:!?]*$/u.exec(piece)?.[1];
    if (word) words.add(word.toLowerCase());
  }
  return words;
}

/**
 * On how many pages of the site each of these words stands. Cuts tags out without a parser: it is
 * for a ranking only.
 *
 * @param {Set<string>} words
 */
async function documentFrequencies(words) {
  /** @type {Map<string, number>} */
  const frequencies = new Map();
  for (const file of await htmlFiles()) {
    const html = await readFile(file, "utf8");
    const text = html.replace(/<(script|style)\b.*?<\/\1\s*>/gis, " ").replace(/<[^>]*>/g, " ");
    for (const word of standingAlone(text)) {
      if (words.has(word)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    }
  }
  return frequencies;
}

/** @param {string} url an address of a page, whose base is `/` */
async function fileOf(url) {
  const file = path.join(site, decodeURIComponent(url));
  if (!url.endsWith("/")) return file;
  const names = await readdir(file);
  return path.join(file, names.includes("index.html") ? "index.html" : "index.htm");
}

// Measuring

/**
 * What was sent for a query, and what it found.
 *
 * @typedef {{sent: Sent[], found: Found[]}} Asked
 */

/**
 * Asks for a page in a fresh profile, and then for the next page.
 *
 * @param {Browser} browser
 * @param {string} origin
 * @param {Program} program
 * @param {[first: Query, next: Query]} queries
 * @param {(context: ReturnType<Page["context"]>, which: "first" | "next", ask: () => Promise<Found[]>) => Promise<void>} measure
 */
async function visit(browser, origin, program, [first, next], measure) {
  const { page, problems, close } = await openPage(browser, `${origin}/`);
  /** @type {(query: Query) => Promise<Found[]>} */
  let asks;
  await measure(page.context(), "first", async () => {
    asks = await program.open(page);
    return asks(first);
  });
  if (program.eachPage) await page.goto(`${origin}/?next`);
  await measure(page.context(), "next", async () => {
    if (program.eachPage) asks = await program.open(page);
    return asks(next);
  });
  await close();
  if (problems.length > 0) throw new Error(`expected ${program.name} to answer for ${first.url} and ${next.url}, found ${problems.join("; ")}`);
}

/**
 * How many times something waits for an answer before it asks for more. Meanwhile the browser's
 * cache is off: `kept` says what it would have had.
 *
 * @param {ReturnType<Page["context"]>} context
 * @param {RegExp} kept
 * @param {() => Promise<unknown>} action
 */
async function roundsOf(context, kept, action) {
  /** @type {Route[]} */
  let waiting = [];
  let rounds = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let quiet;
  /** @param {Route} route */
  const handler = (route) => {
    if (kept.test(new URL(route.request().url()).pathname)) return route.continue();
    waiting.push(route);
    clearTimeout(quiet);
    quiet = setTimeout(async () => {
      rounds += 1;
      const together = waiting;
      waiting = [];
      await Promise.all(together.map((route) => route.continue()));
    }, QUIET);
  };
  await context.route(/^http/, handler);
  await action();
  await context.unroute(/^http/, handler);
  return rounds;
}

/** @param {Asked[]} asked @param {Part[]} parts @param {number[]} rounds */
function report(asked, parts, rounds) {
  for (const { path } of asked.flatMap(({ sent }) => sent)) {
    if (!parts.some(({ files }) => files.test(path))) throw new Error(`expected ${parts.map(({ name }) => name).join(", ")}, found a request for ${path}; say in query.mjs what it is`);
  }
  /** @param {(path: string) => boolean} counts */
  const costs = (counts) => {
    const sent = asked.map(({ sent }) => sent.filter(({ path }) => counts(path)));
    return {
      bytes: spread(sent.map((files) => files.reduce((sum, { bytes }) => sum + bytes, 0))),
      requests: spread(sent.map((files) => files.length)),
    };
  };
  /** @param {string} path */
  const partOf = (path) => parts.find(({ files }) => files.test(path));
  return {
    ...costs(() => true),
    opening: costs((path) => partOf(path)?.opening ?? false),
    parts: Object.fromEntries(parts.map((part) => [part.name, costs((path) => partOf(path) === part)])),
    rounds: spread(rounds),
  };
}

/** @param {string} url */
const plain = (url) => decodeURIComponent(url).replace(/\/index\.html?$/, "/");

/** @param {string} url @param {Found[]} found */
const isAmong = (url, found) => found.some((page) => plain(page.url) === plain(url));

const browser = await launch();
const lunr = await indexByLunr(browser);
const host = new Host({
  pagekin: path.resolve(pagekinFolder),
  pagefind: path.resolve(pagefindFolder),
  ...(lunr && { lunr: lunr.folder }),
});
const origin = await host.start();
try {
  const { pages, queries } = await new Drawing().draw(browser, origin);
  const pairs = queries.map((query, at) => /** @type {[Query, Query]} */ ([query, queries[(at + 1) % queries.length]]));
  const measured = [];
  for (const program of await programs(origin, lunr ? [lunr.version] : [])) {
    console.error(`    ${program.name}: ${queries.length} queries`);
    /** @type {Record<"first" | "next", Asked[]>} */
    const asked = { first: [], next: [] };
    host.sent();
    for (const pair of pairs) {
      await visit(browser, origin, program, pair, async (_, which, ask) => {
        const found = await ask();
        asked[which].push({ found, sent: host.sent() });
      });
      const late = host.sent();
      if (late.length > 0) throw new Error(`expected ${program.name} to ask for nothing after its answer, found requests for ${late.map(({ path }) => path).join(", ")}`);
    }
    const rounds = { first: [0], next: [0] };
    for (const pair of pairs.slice(0, ROUNDS_COUNTED)) {
      await visit(browser, origin, program, pair, async (context, which, ask) => {
        rounds[which].push(await roundsOf(context, which === "next" ? /\.js$/ : /^$/, ask));
      });
    }
    measured.push({ program, asked, rounds });
  }
  // The build has compared each page with those most like it: its best one is the one to find.
  const kin = measured[measured.length - 1].asked.first.map(({ found: [best] }) => ((best?.similarity ?? 0) >= TRUE_KIN ? best.url : ""));
  console.log(JSON.stringify({
    site,
    pages,
    queries: queries.map(({ url, words }) => ({ url, words })),
    with_kin: kin.filter(Boolean).length,
    programs: measured.map(({ program, asked, rounds }) => ({
      program: program.name,
      first: report(asked.first, program.parts, rounds.first.slice(1)),
      next: report(asked.next, program.parts, rounds.next.slice(1)),
      found: {
        results: spread(asked.first.map(({ found }) => found.length)),
        page_itself: asked.first.filter(({ found }, at) => isAmong(queries[at].url, found)).length,
        // The related pages are the measure of this.
        best_kin: program.eachPage ? null : asked.first.filter(({ found }, at) => kin[at] && isAmong(kin[at], found)).length,
      },
    })),
  }));
} finally {
  await browser.close();
  host.stop();
}
