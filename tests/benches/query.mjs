// @ts-check
/**
 * The cost of a query for a visitor: `node query.mjs SITE_DIR PAGEKIN_DIR PAGEFIND_DIR
 * LUNR_PACKAGE WORDS…` queries the two indexes of a site, and one that it builds with lunr, in
 * Chromium, from a host that gzips scripts, and prints the transferred bytes as JSON.
 * `cargo xtask bench query` runs it.
 *
 * The queries are for up to 30 pages of the site, spread evenly by URL. pagekin gets the visible
 * text of the page. Pagefind, which finds the pages that contain all words of a query, gets the
 * rarest words of the page, once for each number in WORDS. lunr, which finds pages that contain
 * some of the words, gets as many as the first of WORDS. `related.js` gets the URL. Each query
 * runs in a fresh browser profile, followed there by the query for the next of the 30 pages. *Best
 * kin* counts how often the first of a page's related pages is found, if it is similar enough;
 * another, equally similar page does not count.
 *
 * *Rounds* are counted separately, for some of the queries: all requests are held until no more
 * follow, and then released together.
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
 * @property {Part[]} parts of the requests; the first that matches counts
 * @property {(page: Page) => Promise<(query: Query) => Promise<Found[]>>} open in a page; the result queries
 * @property {boolean} [eachPage] whether each page loads it, instead of one that queries repeatedly
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
/** Number of queries whose rounds are counted. They hardly differ. */
const ROUNDS_COUNTED = 3;
/**
 * After this number of milliseconds without a request, none follows until some are answered.
 * Within a round, the pauses are much shorter.
 */
const QUIET = 1_000;
/** Minimum similarity of a page to count, as in `cargo xtask bench retrieval`. */
const TRUE_KIN = 0.2;
const TOP = 10;
/** Maximum number of pages for lunr, whose index is a single file. */
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
        // Similar pages are in the other list if the pages that contain the text come first.
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

  /** Returns a number from 0 to 1, excluding 1; the sequence is the same in every run. */
  #random() {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  /**
   * @param {Browser} browser
   * @param {string} origin
   * @returns {Promise<{pages: number, queries: Query[]}>} `pages`: number of pages in the index
   */
  async draw(browser, origin) {
    const asking = await openPage(browser, `${origin}/`);
    // Scripts of the site and requests to other hosts don't matter for the text of a page.
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
        if (code) throw new Error(`cannot find pages similar to ${url}: ${code}: ${message}`);
        drawn.push({ url, text });
        break;
      }
    }
    await Promise.all([asking.close(), reading.close()]);
    if (drawn.length === 0) throw new Error(`${site} has no pages of ${MAX_WORDS} different words. Choose another site, or fewer --words`);
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
 * Builds a lunr index of each page's title and visible text, in a folder with the lunr script and
 * the titles to show. Returns nothing for a site that is too large.
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
 * Returns the words between spaces, with only punctuation around them: programs differ in how they
 * split `Vec<u8>` into words.
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
 * Returns the number of pages of the site that contain each of these words. Removes tags without
 * a parser, which is precise enough for a ranking.
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

/** @param {string} url of a page, with the base `/` */
async function fileOf(url) {
  const file = path.join(site, decodeURIComponent(url));
  if (!url.endsWith("/")) return file;
  const names = await readdir(file);
  return path.join(file, names.includes("index.html") ? "index.html" : "index.htm");
}

// Measuring

/**
 * The transfers of a query, and its results.
 *
 * @typedef {{sent: Sent[], found: Found[]}} Asked
 */

/**
 * Queries a page in a fresh profile, and then the next page.
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
 * Counts how often a program waits for answers before it sends more requests. The browser's cache
 * is off meanwhile; `kept` matches the files that it would contain.
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
    if (!parts.some(({ files }) => files.test(path))) throw new Error(`expected ${parts.map(({ name }) => name).join(", ")}, found a request for ${path}. Add it to the parts in query.mjs`);
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
      if (late.length > 0) throw new Error(`expected no requests of ${program.name} after its answer, found requests for ${late.map(({ path }) => path).join(", ")}`);
    }
    const rounds = { first: [0], next: [0] };
    for (const pair of pairs.slice(0, ROUNDS_COUNTED)) {
      await visit(browser, origin, program, pair, async (context, which, ask) => {
        rounds[which].push(await roundsOf(context, which === "next" ? /\.js$/ : /^$/, ask));
      });
    }
    measured.push({ program, asked, rounds });
  }
  // The build compared each page with those most similar to it. The best of these should be found.
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
        // The related pages define this measure.
        best_kin: program.eachPage ? null : asked.first.filter(({ found }, at) => kin[at] && isAmong(kin[at], found)).length,
      },
    })),
  }));
} finally {
  await browser.close();
  host.stop();
}
