// @ts-check
/**
 * The browser and the command line return identical answers, and read the same bytes in the same
 * requests and rounds, because they run the same core.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build, launch, openPage, PAGEKIN, serve, similar, teachingFolder, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {string[]} */
let urls;

before(async () => {
  browser = await launch();
  const truth = JSON.parse(await readFile(new URL("../truth.json", import.meta.url), "utf8"));
  urls = truth.pages.slice(0, 50);
  assert.equal(urls.length, 50);
});

after(() => browser?.close());

/** @param {string} url */
function fileOf(url) {
  return path.join(TEACHING_SITE, url.endsWith("/") ? `${url}index.html` : url);
}

/**
 * Queries the browser's client. It is reopened for each query, so that its cache is empty, as on
 * the command line.
 *
 * @param {import("playwright-core").Page} page
 * @param {{html?: string, text?: string, url?: string}[]} queries
 * @param {{worker?: boolean, limit?: number, min?: number}} options
 */
async function askBrowser(page, queries, options = {}) {
  const answers = await page.evaluate(async ([queries, { worker = true, ...options }]) => {
    const { open } = await import(new URL("pagekin.js", location.href).href);
    const answers = [];
    for (const query of queries) {
      const kin = await open(new URL(".", location.href).href, { worker });
      const { results, otherResults, unmatched, rankedBy, language, cost } = await kin.similar(query, options);
      kin.close();
      const native = (/** @type {import("../../www/client/pagekin.js").SimilarResult} */ { sharedTerms, missingTerms, ...kin }) => ({ ...kin, shared_terms: sharedTerms, missing_terms: missingTerms });
      answers.push({
        results: results.map(native),
        other_results: otherResults.map(native),
        unmatched,
        ranked_by: rankedBy,
        language: language ?? null,
        cost: { bytes: cost.bytes, requests: cost.requests, rounds: cost.rounds },
      });
    }
    return answers;
  }, /** @type {const} */ ([queries, options]));
  const native = (/** @type {import("../../www/client/pagekin.js").SimilarResult} */ { near, ...kin }) => ({ ...kin, near: nativeNear(near) });
  return answers.map(({ results, other_results, ...rest }) => ({ ...rest, results: results.map(native), other_results: other_results.map(native) }));
}

/**
 * @param {string} folder
 * @param {{html?: string, text?: string, url?: string}[]} queries
 * @param {(query: number) => Promise<unknown>} native
 * @param {{worker?: boolean, limit?: number, min?: number}} [options]
 */
async function check(folder, queries, native, options) {
  const served = await serve(folder);
  const { page, problems, close } = await openPage(browser, served.url);
  try {
    const answers = await askBrowser(page, queries, options);
    for (const [at, answer] of answers.entries()) {
      assert.deepStrictEqual(answer, await native(at), `query ${at}: ${JSON.stringify(queries[at]).slice(0, 200)}`);
    }
    assert.ok(answers.some(({ results }) => results.length > 1), "there was something to compare");
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await served.stop();
  }
}

/**
 * All layouts of an index: read whole, or through lists of many small shards, as files and in
 * packs.
 */
const layouts = /** @type {const} */ ([
  ["read whole", []],
  ["through lists", ["--block-pages", "2"]],
  ["in packs", ["--block-pages", "2", "--layout", "packs"]],
]);

for (const [name, options] of layouts) {
  /** @type {Promise<string> | undefined} */
  let built;
  const laidOut = () => built ??= options.length ? build(TEACHING_SITE, ...options) : teachingFolder();

  test(`50 pages as HTML have the same similar pages at the same cost, ${name}`, async () => {
    const folder = await laidOut();
    const queries = await Promise.all(urls.map(async (url) => ({ html: await readDecoded(fileOf(url)) })));
    await check(folder, queries, (at) => similar(folder, ["--file", fileOf(urls[at]), "--threshold", "0"]), { min: 0 });
  });

  test(`50 pages by URL have the same similar pages at the same cost, ${name}`, async () => {
    const folder = await laidOut();
    await check(folder, urls.map((url) => ({ url })), (at) => similar(folder, ["--url", urls[at]]));
  });
}

test("plain texts have the same similar pages without a worker, and in other languages and scripts", async () => {
  const folder = await teachingFolder();
  const texts = [
    "Feed the starter the evening before baking, and let the dough rise in a basket.",
    "Die Bremsbeläge am Fahrrad prüfen, den Bremszug spannen und das Rad ausbauen.",
    "İstanbul ve ÇAY: naïve café, ΣΊΣΥΦΟΣ bread — 東京都 flour\u0000oven\ud83c\udf5e starter",
    "हिन्दी में रोटी बनाने की विधि oven، كِتَابٌ, ขนมปังและน้ำ, cafe\u0301 Tie\u0302\u0301ng, \u1112\u1161\u11ab starter dough",
    "Закваску кормят мукой и водой",
    `${"oven ".repeat(70_000)} yeast`,
  ];
  await check(folder, texts.map((text) => ({ text })), (at) => similar(folder, ["-", "--limit", "5"], texts[at]), { worker: false, limit: 5 });
});

test("texts of words that nearly all pages contain have the same similar pages", async () => {
  const words = "bread flour water salt oven dough crust loaf knead rise bake proof".split(" ");
  const site = path.join(await temporaryFolder(), "site");
  await mkdir(site);
  // Each page lacks two of the words, and has the others as often as its number decides.
  const pages = Array.from({ length: 30 }, (_, at) => words
    .filter((_, word) => word !== at % 12 && word !== (at * 5 + 3) % 12)
    .flatMap((word, place) => Array(1 + (at >> place % 5) % 3).fill(word)).join(" "));
  await Promise.all(pages.map((text, at) => writeFile(path.join(site, `${at}.html`), `<title>Page</title><main><p>${text}</main>`)));
  const texts = [
    pages[7], words.join(" "), "Knead the dough, let it rise, and bake the bread", "flour, water and salt", "the loaf is in the oven",
    `${"crust ".repeat(40)} proof`,
  ];
  const folder = await build(site);
  const native = await Promise.all(texts.map((text) => similar(folder, ["-", "--limit", "5"], text)));
  for (const [at, answer] of native.entries()) {
    assert.ok(answer.results.length > 0, texts[at]);
  }
  await check(folder, texts.map((text) => ({ text })), async (at) => native[at], { limit: 5 });
});

test("answers contain the fields that pagekin.d.ts declares", async () => {
  const types = await readFile(new URL("../../www/client/pagekin.d.ts", import.meta.url), "utf8");
  const served = await serve(await teachingFolder());
  const { page, close } = await openPage(browser, served.url);
  try {
    const html = await readDecoded(fileOf("/kitchen/bread/sourdough.html"));
    const values = await page.evaluate(async ([html, url]) => {
      const { open } = await import(new URL("pagekin.js", location.href).href);
      const kin = await open(new URL(".", location.href).href);
      const [answer, ofPage, searched] = [await kin.similar({ html }), await kin.similar({ url }), await kin.search("starte")];
      return [
        ["Answer", answer], ["Answer", ofPage], ["SearchAnswer", searched], ["Cost", answer.cost], ["Cost", kin.opened], ["TextLanguage", answer.language], ["IndexInfo", kin.info],
        ...[answer, ofPage].flatMap(({ results, otherResults }) => [...results, ...otherResults]).flatMap((result) => [["SimilarResult", result], ...(result.near ? [["Near", result.near]] : [])]),
        ...searched.results.map((/** @type {object} */ result) => ["SearchResult", result]),
        ["Excerpt", await kin.excerpt({ html }, { html })], ["Comparison", await kin.compare({ html }, { html })],
        ["CommonWords", await kin.commonWords({ html }, { html })], ["Neighborhood", await kin.around({ url })], ["SitePage", (await kin.pages())[0]],
      ].map(([name, value]) => /** @type {const} */ ([name, Object.keys(value).filter((key) => value[key] !== undefined)]));
    }, /** @type {const} */ ([html, urls[1]]));
    for (const [name, keys] of values) {
      const { required, optional } = fieldsOf(types, name);
      assert.deepEqual(required.filter((key) => !keys.includes(key)), [], `${name}: declared, but missing`);
      assert.deepEqual(keys.filter((/** @type {string} */ key) => !required.includes(key) && !optional.includes(key)), [], `${name}: not declared`);
    }
    assert.ok(new Set(values.map(([name]) => name)).size === 13 && values.length > 20, "there was something to compare");
  } finally {
    await close();
    await served.stop();
  }
});

test("invalid HTML is read in the same way by the parsers of the browser and the build", async () => {
  const folder = await teachingFolder();
  const random = generator(2000);
  const soup = ["<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<nav>", "</nav>", "</main>", "<main>", "<a>", "<select>",
    "</select>", "<option>", "<!--", "-->", "<svg>", "</svg>", "<title>", "</title>", "<form>", "<li>", "<h2>", "</body>", "<aside hidden>", "&amp", "&#x65;",
    "<template>", "</template>", "<br/>", "<wbr>", "<img alt='starter dough'>", "<button>", "</button>", "<math>", "</math>", "<textarea>", "</textarea>",
    "<noscript>", "</noscript>", "<frameset>", "</div>", "<div role=navigation>", "<iframe>", "</iframe>", "<ruby>x<rt>", "</ruby>", "<dd>", "<caption>"];
  /** @type {string[]} */
  const pages = [];
  for (let at = 0; at < 60; at += 1) {
    // Standard input is UTF-8, whatever the file was.
    let html = (await readDecoded(fileOf(urls[at % urls.length]))).replace("windows-1252", "utf-8");
    for (let cut = 0; cut < 6; cut += 1) {
      const where = random(html.length);
      html = html.slice(0, where) + soup[random(soup.length)] + html.slice(where + random(30));
    }
    pages.push(html);
  }
  /** @param {number} at */
  const native = async (at) => {
    try {
      return await similar(folder, ["-", "--html", "--threshold", "0"], pages[at]);
    } catch {
      return "no words";
    }
  };
  const served = await serve(folder);
  const { page, close } = await openPage(browser, served.url);
  let compared = 0;
  try {
    for (const [at, html] of pages.entries()) {
      const [answer] = await askBrowser(page, [{ html }], { min: 0 }).catch((error) => {
        assert.match(String(error), /nothing to look for/);
        return ["no words"];
      });
      assert.deepStrictEqual(answer, await native(at), html);
      compared += Number(answer !== "no words");
    }
  } finally {
    await close();
    await served.stop();
  }
  assert.ok(compared > 30, `${compared} pages had words left`);
});

/**
 * Returns the fields of an interface, including inherited ones.
 *
 * @param {string} types declarations
 * @param {string} name
 * @returns {{required: string[], optional: string[]}}
 */
function fieldsOf(types, name) {
  const declared = [...types.matchAll(new RegExp(`^export interface ${name}(?: extends (\\w+))? \\{\\n(.*?)^\\}`, "gms"))];
  assert.equal(declared.length, 1, `one declaration of ${name}`);
  const [, parent, body] = declared[0];
  const fields = [...body.matchAll(/^  (?:readonly )?(\w+)(\??):/gm)];
  const { required, optional } = parent ? fieldsOf(types, parent) : { required: [], optional: [] };
  const named = (/** @type {string} */ mark) => fields.filter((field) => field[2] === mark).map((field) => field[1]);
  return { required: [...required, ...named("")], optional: [...optional, ...named("?")] };
}

/**
 * Returns random pages with the elements that determine main text, other text and excluded text.
 *
 * @param {number} count
 */
function madeUpPages(count) {
  const random = generator(1998);
  const openings = ["<div>", "<p>", "<section>", "<ul><li>", "<b>", "<a href=/x>", "<a href=#a>", "<h1>", "<h2>", "<main>", "<article>", "<nav>",
    "<header>", "<footer>", "<aside>", "<figcaption>", "<details>", "<div id=a hidden>", "<div hidden>",
    "<i aria-hidden=true>", "<div data-pagekin-ignore>", "<div class=entry-content>", "<div class=related-posts>", "<div class=comments>",
    "<div class=modal>", "<div id=content>", "<div id=sidebar>", "<div role=main>", "<div role=tabpanel hidden>", 
    "<h3><a href=/x>Malt</a></h3><p>", "<table><tr><td>", "<button aria-controls=a>", "<img alt=Rye>",
    "<i data-pagekin-index-attrs='title, data-x' title=Barley data-x=Oats>", "<div data-pagefind-index-attrs=TITLE title='Spelt flour'>",
    "<img data-pagefind-index-attrs=alt,title alt=Rye title=Bran>"];
  /** @type {string[]} */
  const pages = [];
  for (let at = 0; at < count; at += 1) {
    let html = random(2) ? "<!doctype html><meta charset=utf-8><meta property=og:title content=Rye><body>" : "<!doctype html><meta charset=utf-8><body>";
    for (let piece = 0; piece < 40; piece += 1) {
      const opening = openings[random(openings.length)];
      html += opening;
      for (let word = random(60); word >= 0; word -= 1) html += ` word${piece}x${word}`;
      if (random(4) === 0) html += " …";
      if (random(3)) html += `</${opening.slice(1).match(/^\w+/)?.[0]}>`;
    }
    pages.push(html);
  }
  return pages;
}

test("pages have the same title, main text and other text natively and in a browser", async () => {
  const pages = [...await Promise.all(urls.map((url) => readDecoded(fileOf(url)))), ...madeUpPages(100)]
    .map((html) => html.replace("windows-1252", "utf-8"));
  /** @param {string} text */
  const blocks = (text) => text.split("\n").map((line) => line.trim().split(/\s+/u).join(" ")).filter(Boolean).join("\n");
  /** @param {string} html */
  const native = async (html) => {
    const running = promisify(execFile)(PAGEKIN, ["read", "--json", "-"], { maxBuffer: 1 << 24 });
    running.child.stdin?.end(html);
    const { title, main, other } = JSON.parse((await running).stdout);
    return { title, main, other };
  };
  const served = await serve(await teachingFolder());
  const { page, close } = await openPage(browser, served.url);
  let withOther = 0;
  try {
    const read = await page.evaluate(async (pages) => {
      const engine = await import(new URL("engine.js", location.href).href);
      const url = new URL("pagekin.wasm.bin", location.href).href;
      const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
      const read = [];
      for (const html of pages) read.push(await engine.readHtml(html, { url, bytes }));
      return read;
    }, pages);
    for (const [at, { title, text, other }] of read.entries()) {
      assert.deepEqual({ title, main: blocks(text), other: blocks(other) }, await native(pages[at]), pages[at]);
      withOther += Number(other.trim() !== "");
    }
  } finally {
    await close();
    await served.stop();
  }
  assert.ok(withOther > 50, `${withOther} pages have other text`);
});

/**
 * What a result shares with the query, as the program reports it.
 *
 * @param {import("../../www/client/pagekin.js").Near | undefined} near
 */
function nativeNear(near) {
  if (!near) return null;
  const { kind, resemblance = null, textInPage: text_in_page = null, pageInText: page_in_text = null, whole } = near;
  return { kind, resemblance, text_in_page, page_in_text, whole };
}

/**
 * Returns the text of a file as a browser decodes it.
 *
 * @param {string} file
 */
async function readDecoded(file) {
  const bytes = await readFile(file);
  const declared = /charset=["']?([\w-]+)/i.exec(bytes.toString("latin1"))?.[1] ?? "utf-8";
  return new TextDecoder(declared).decode(bytes);
}

/**
 * Returns a deterministic stream of numbers below a bound.
 *
 * @param {number} seed
 */
function generator(seed) {
  let state = seed;
  return (/** @type {number} */ bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
