// @ts-check
/**
 * Failures between a host and an answer. Each has its code and a message with a remedy, and none
 * loses the text that was pasted.
 *
 * @import {BrowserContext, Page, Route} from "playwright-core"
 * @import {Outcome, Served} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  answerOtherwise, ask, build, copied, Demo, hold, launch, openKin, openPage, rebuild, serve, similar, temporaryFolder, TEACHING_SITE,
} from "./harness.mjs";

/** The page whose text is queried. */
const SOUGHT = "/kitchen/preserves/plum-jam.html";

/** The demo's name for a text in the box. */
const YOUR_TEXT = "your text";

/** Options for many small files, so that one of several files fails. */
const SMALL = ["--block-pages", "2"];

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Served} */
let served;
/** @type {string} */
let folder;

before(async () => {
  folder = await build(TEACHING_SITE, ...SMALL);
  served = await serve(folder, { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/**
 * Runs a check on a page of the site, and checks that it raised no uncaught error.
 *
 * @param {Served} served
 * @param {(page: Page, text: string, problems: string[]) => Promise<void>} check `text`: of the page that is sought
 */
async function onPage({ origin }, check) {
  const { page, problems, close } = await openPage(browser, `${origin}/garden/`);
  try {
    await check(page, await copied(page, SOUGHT), problems);
    assert.deepEqual(problems.filter((problem) => problem.startsWith("exception")), []);
  } finally {
    await close();
  }
}

// Ways to answer

/** @param {number} status */
const withStatus = (status) => (/** @type {Route} */ route) => route.fulfill({ status, body: "" });

/** @param {Route} route the answer of some hosts for a missing file */
const withPage = (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<!doctype html><title>Not here</title>" });

/** @param {(bytes: Buffer) => Buffer} change */
const changed = (change) => async (/** @type {Route} */ route) => {
  const response = await route.fetch();
  const { "content-length": _, ...headers } = response.headers();
  await route.fulfill({ status: response.status(), headers, body: change(await response.body()) });
};

/** @param {(version: number) => number} version in the header, at offset 4 */
const ofFormat = (version) => changed((bytes) => {
  const other = Buffer.from(bytes);
  other.writeUInt16LE(version(bytes.readUInt16LE(4)), 4);
  return other;
});

const ofNewerFormat = ofFormat((version) => version + 1);

const cutShort = changed((bytes) => bytes.subarray(0, bytes.length - 1));

/** The answer of a host that tries to exhaust the memory of its clients. */
const withMuch = changed((bytes) => Buffer.concat([bytes, Buffer.alloc(3 << 20)]));

const withFlippedByte = changed((bytes) => {
  const other = Buffer.from(bytes);
  other[other.length - 1] ^= 1;
  return other;
});

/**
 * Changes only the first of these files that is requested; the others stay as they are.
 *
 * @param {(route: Route) => unknown} answer
 */
function oneOf(answer) {
  /** @type {string | undefined} */
  let first;
  return (/** @type {Route} */ route) => {
    first ??= route.request().url();
    return first === route.request().url() ? answer(route) : route.continue();
  };
}

// Each failure, in the client and in the demo

const MANIFEST = /\/pagekin\.manifest$/;
const MODULE = /\/pagekin\.wasm\.bin$/;
/** The second part of the module, which the lookup of a text does not need. */
const MODULE_REST = /\/pagekin-rest\.wasm\.bin$/;
const LIST = /\/lists\/.*\.shard$/;
const BLOCK = /\/pages\/.*\.shard$/;
const NOT_HELPED = /reloading the manifest did not help: http:\S+\/pagekin\/ is at generation [0-9a-f]{16}/;

/**
 * @typedef {object} Failure
 * @property {string} name
 * @property {RegExp} files that fail
 * @property {() => (route: Route) => unknown} answer
 * @property {string} code
 * @property {RegExp[]} says parts of the message
 * @property {string} title in the demo
 * @property {string} [again] the demo's button for a retry
 * @property {{file: number, manifest: number}} [requests] how often a query requests the failing file and the manifest
 */

/** @type {Failure[]} While the index is opened. */
const whileOpening = [
  {
    name: "a manifest that does not exist is missing",
    files: MANIFEST, answer: () => withStatus(404), code: "Missing", title: "An index file is missing", again: "Try again",
    says: [/expected a file at http:\S+\/pagekin\/pagekin\.manifest/, /found HTTP status 404/, /check that the whole output folder of `pagekin build` is published/],
  },
  {
    name: "a web page instead of the manifest, with status 200, is not an index",
    files: MANIFEST, answer: () => withPage, code: "NotPagekin", title: "This is not an index file", again: "Try again",
    says: [/expected it to start with "PGKN"/, /found "<!doctype html>/, /Check that the whole folder was uploaded/],
  },
  {
    name: "a truncated manifest is detected",
    files: MANIFEST, answer: () => cutShort, code: "Truncated", title: "An index file has the wrong size", again: "Try again",
    says: [/pagekin\.manifest has the wrong size: expected \d+ bytes/, /found \d+\./, /Upload or rebuild the index/],
  },
  {
    name: "a manifest of a newer format requires a newer client",
    files: MANIFEST, answer: () => ofNewerFormat, code: "VersionTooNew", title: "The index is newer than this page", again: "Reload the page",
    says: [/expected at most \d+/, /pagekin\.manifest has format \d+/, /Use a newer pagekin, or rebuild the index with this one/],
  },
  {
    name: "a manifest of an older format requires a rebuild",
    files: MANIFEST, answer: () => ofFormat(() => 0), code: "VersionTooOld", title: "The index is older than this page",
    says: [/expected at least \d+/, /pagekin\.manifest has format 0/, /Rebuild the index with this pagekin/],
  },
  {
    name: "a server error is not reported as a missing index",
    files: MANIFEST, answer: () => withStatus(500), code: "Server", title: "Server error", again: "Try again",
    says: [/expected the file http:\S+\/pagekin\.manifest/, /found HTTP status 500/, /try again later, or check the server's log/],
  },
  {
    name: "a WebAssembly module that does not exist is missing",
    files: MODULE, answer: () => withStatus(404), code: "Missing", title: "An index file is missing", again: "Try again",
    says: [/expected a file at http:\S+\/pagekin\.wasm\.bin/, /found HTTP status 404/, /check that the whole output folder/],
  },
  {
    name: "a web page instead of the WebAssembly module is not a module",
    files: MODULE, answer: () => withPage, code: "Damaged", title: "An index file is damaged", again: "Try again",
    says: [/expected a WebAssembly module at http:\S+\/pagekin\.wasm\.bin/, /found something else/, /publish the folder again/],
  },
];

/** @type {Failure[]} While a query is answered, on an index that was opened. */
const whileAsking = [
  {
    name: "a missing file makes the client read the manifest again, once, and then report it",
    files: LIST, answer: () => oneOf(withStatus(404)), code: "Missing", title: "An index file is missing", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/expected a file at http:\S+\.shard/, /found HTTP status 404/, /check that the whole output folder/, NOT_HELPED],
  },
  {
    name: "a web page instead of a file, with status 200, counts as missing",
    files: LIST, answer: () => oneOf(withPage), code: "NotPagekin", title: "This is not an index file", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/expected it to start with "PGKN"/, /found "<!doctype html>/, /Check that the whole folder was uploaded/, NOT_HELPED],
  },
  {
    name: "a truncated file is fetched again",
    files: BLOCK, answer: () => oneOf(cutShort), code: "Truncated", title: "An index file has the wrong size", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/\.shard has the wrong size: expected \d+ bytes/, /found \d+\./, /Upload or rebuild the index/, NOT_HELPED],
  },
  {
    name: "a file that is too large for an index is not read to its end",
    files: BLOCK, answer: () => oneOf(withMuch), code: "Damaged", title: "An index file is damaged", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/expected at most 2 MiB in http:\S+\.shard, found more/, /publish the folder again/, NOT_HELPED],
  },
  {
    name: "a file with one wrong byte is fetched again",
    files: BLOCK, answer: () => oneOf(withFlippedByte), code: "Checksum", title: "An index file is damaged", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/\.shard is damaged: expected checksum [0-9a-f]{8}/, /found [0-9a-f]{8}\./, /Upload or rebuild the index/, NOT_HELPED],
  },
  {
    name: "a persistent file of another build is reported with both generations",
    files: BLOCK, answer: () => oneOf(ofAnotherBuild), code: "WrongGeneration",
    title: "The index has changed", again: "Try again", requests: { file: 2, manifest: 1 },
    says: [/is from another build: expected generation [0-9a-f]{16}/, /found [0-9a-f]{16}\./, /upload the whole folder of one build/, NOT_HELPED],
  },
  {
    name: "a server error on one file of many fails the query immediately",
    files: BLOCK, answer: () => oneOf(withStatus(503)), code: "Server", title: "Server error", again: "Try again", requests: { file: 1, manifest: 0 },
    says: [/expected the file http:\S+\.shard/, /found HTTP status 503/, /try again later/],
  },
  {
    name: "a lost connection is distinguished from an offline device",
    files: LIST, answer: () => oneOf((route) => route.abort("connectionreset")), code: "Offline", title: "No connection", again: "Try again", requests: { file: 1, manifest: 0 },
    says: [/[Cc]annot fetch http:\S+\.shard/, /127\.0\.0\.1:\d+ could not be reached/, /check the connection and try again/],
  },
];

/** @type {Promise<string> | undefined} */
let another;

/** @param {Route} route */
async function ofAnotherBuild(route) {
  another ??= build(TEACHING_SITE, ...SMALL, "--base-url", "/x/");
  const name = /\/pagekin\/(index\/.*)$/.exec(route.request().url())?.[1] ?? "";
  const generation = generationOf(await readFile(path.join(await another, "pagekin.manifest")));
  await route.fulfill({ path: path.join(await another, name.replace(/^index\/[0-9a-f]{16}/, `index/${generation}`)) });
}

/** @param {Buffer} manifest */
const generationOf = (manifest) => manifest.readBigUInt64LE(8).toString(16).padStart(16, "0");

/**
 * @param {Failure} failure
 * @param {string} message
 */
function checkMessage({ says }, message) {
  for (const part of says) assert.match(message, part);
}

/**
 * The client on the page's own thread. The demo uses a worker, and shows the client's messages.
 *
 * @param {Page} page
 * @param {string} text
 * @param {Failure} failure
 * @param {{opened: boolean}} options `opened`: the failure comes after the index was opened
 */
async function checkClient(page, text, failure, { opened }) {
  const worker = false;
  const kin = opened ? await openKin(page, served.url, { worker }) : undefined;
  const manifest = await answerOtherwise(page.context(), MANIFEST, (route) => route.fallback());
  const broken = await answerOtherwise(page.context(), failure.files, failure.answer());

  const { code, message } = await ask(page, served.url, text, { kin, worker });
  assert.equal(code, failure.code, message);
  checkMessage(failure, message);
  if (failure.requests) {
    const failing = broken.requested.filter((url) => url === broken.requested[0]);
    assert.deepEqual({ file: failing.length, manifest: manifest.requested.length }, failure.requests);
  }

  await broken.restore();
  await manifest.restore();
  const restored = await ask(page, served.url, text, { kin, worker });
  assert.equal(restored.results[0]?.url, SOUGHT, `once fixed: ${restored.code} ${restored.message}`);
}

/**
 * @param {Page} page
 * @param {string} text
 * @param {Failure} failure
 * @param {{opened: boolean}} options
 */
async function checkDemo(page, text, failure, { opened }) {
  const demo = new Demo(page);
  if (opened) {
    await page.goto(served.url);
    await demo.ready();
  }
  const broken = await answerOtherwise(page.context(), failure.files, failure.answer());
  if (!opened) {
    await page.goto(served.url);
    await demo.failure(failure.title); // without a query, too
  }
  await demo.text.fill(text);
  await demo.failure(failure.title, YOUR_TEXT);
  const alert = page.getByRole("alert");
  checkMessage(failure, (await alert.innerText()).replace(/^Expected/m, "expected"));
  assert.equal(await demo.text.inputValue(), text, "the text stays in the box");
  assert.deepEqual(await alert.getByRole("button").allTextContents(), failure.again ? [failure.again] : []);

  await broken.restore();
  const again = failure.again ? alert.getByRole("button") : page.getByRole("button", { name: "Find pages", exact: true });
  await again.click();
  const [first] = await demo.answerFor(YOUR_TEXT);
  assert.equal(first?.url, SOUGHT);
  assert.equal(await demo.text.inputValue(), text, "the text stays in the box");
  assert.equal(await alert.innerText(), "");
}

for (const [failures, opened] of /** @type {const} */ ([[whileOpening, false], [whileAsking, true]])) {
  for (const failure of failures) {
    test(`${failure.name}; a retry works once it is fixed`, () => onPage(served, async (page, text) => {
      await checkClient(page, text, failure, { opened });
      await checkDemo(page, text, failure, { opened });
    }));
  }
}

// Offline

for (const worker of [true, false]) {
  test(`an offline client reports it, and answers when it is online again, ${worker ? "in a worker" : "on the page's thread"}`, () => onPage(served, async (page, text) => {
    const kin = await openKin(page, served.url, { worker });
    await page.context().setOffline(true);
    const { code, message } = await ask(page, served.url, text, { kin });
    await page.context().setOffline(false);
    assert.equal(code, "Offline", message);
    assert.match(message, /[Cc]annot fetch http:\S+\.shard: this device is offline; check the connection and try again/);
    // In Chromium, a worker goes online a moment later than the page.
    let answer = await ask(page, served.url, text, { kin });
    for (let tries = 0; answer.code === "Offline" && tries < 100; tries += 1) {
      await page.waitForTimeout(50);
      answer = await ask(page, served.url, text, { kin });
    }
    assert.equal(answer.results?.[0]?.url, SOUGHT, answer.message);
  }));
}

test("a demo that went offline keeps the text, and answers automatically when it is online again", () => onPage(served, async (page, text) => {
  const demo = new Demo(page);
  await page.goto(served.url);
  await demo.ready();
  await page.context().setOffline(true);
  await demo.text.fill(text);
  await demo.failure("No connection", YOUR_TEXT);
  assert.match(await demo.trouble.innerText(), /this device is offline; check the connection/);
  assert.equal(await demo.text.inputValue(), text);

  await page.context().setOffline(false);
  const [first] = await demo.answerFor(YOUR_TEXT);
  assert.equal(first?.url, SOUGHT);
}));

// An updated site

const NEW_PAGE = "/kitchen/preserves/plum-butter.html";

/**
 * A separate site that is served, and a change of it.
 *
 * @param {string[]} options of `pagekin build`
 */
async function ownSite(...options) {
  const site = path.join(await temporaryFolder(), "site");
  await cp(TEACHING_SITE, site, { recursive: true });
  const folder = await build(site, ...options);
  return {
    folder,
    served: await serve(folder, { site }),
    /** Adds a page that is similar to the queried one, and builds the index again. */
    async publish() {
      const page = await readFile(path.join(site, SOUGHT), "utf8");
      await writeFile(path.join(site, NEW_PAGE), page.replaceAll("Plum jam", "Plum butter"));
      await rebuild(site, folder, ...options);
      return generationOf(await readFile(path.join(folder, "pagekin.manifest")));
    },
  };
}

/** @type {[string, ((context: BrowserContext) => Promise<unknown>) | undefined][]} */
const hosts = [
  ["reports the old files as gone", undefined],
  ["answers for the old files with a page and status 200", (context) => answerOtherwise(context, /\.shard$/, async (route) => {
    const response = await route.fetch();
    await (response.status() === 404 ? withPage(route) : route.fulfill({ response }));
  })],
];

for (const [host, arrange] of hosts) {
  test(`a site updated after the index was opened is queried with its new index, on a host that ${host}`, async () => {
    const { folder, served, publish } = await ownSite(...SMALL);
    try {
      await onPage(served, async (page, text) => {
        await arrange?.(page.context());
        const kins = [await openKin(page, served.url, { worker: true }), await openKin(page, served.url, { worker: false })];
        const { page: demoPage, close } = await openPage(browser, served.url);
        try {
          await arrange?.(demoPage.context());
          const demo = new Demo(demoPage);
          await demo.ready();

          const generation = await publish();
          const native = await similar(folder, ["-"], text);
          assert.ok(native.results.some(({ url, copies }) => [url, ...copies].includes(NEW_PAGE)), "the new page is found");
          for (const kin of kins) {
            const { results, code, message } = await ask(page, served.url, text, { kin });
            assert.equal(code, "", message);
            assert.deepEqual(results.map(({ url, similarity }) => [url, similarity]), native.results.map(({ url, similarity }) => [url, similarity]));
            assert.equal(await kin.evaluate(({ info }) => info.generation), generation, "the client reports which index answered");
          }

          await demo.text.fill(text);
          const shown = await demo.answerFor(YOUR_TEXT);
          assert.deepEqual(shown.map(({ url }) => url), native.results.map(({ url }) => url));
          assert.match((await demoPage.locator("#cost").textContent()) ?? "", new RegExp(generation));
        } finally {
          await close();
        }
      });
    } finally {
      await served.stop();
    }
  });
}

test("a site updated during several queries is queried with its new index, whose manifest is read once", async () => {
  const { folder, served, publish } = await ownSite(...SMALL);
  try {
    await onPage(served, async (page, text) => {
      const texts = [text, await copied(page, "/garden/compost/worm-bin.html"), await copied(page, "/de/brot/hefezopf.html")];
      const kin = await openKin(page, served.url);
      const blocks = await hold(page.context(), BLOCK);
      const manifest = await answerOtherwise(page.context(), MANIFEST, (route) => route.continue());
      const answers = Promise.all(texts.map((text) => ask(page, served.url, text, { kin })));
      await blocks.waiting(3);
      await publish();
      await blocks.end();

      for (const [at, { results, code, message }] of (await answers).entries()) {
        assert.equal(code, "", message);
        const native = await similar(folder, ["-"], texts[at]);
        assert.ok(native.results.length > 0);
        assert.deepEqual(results.map(({ url, similarity }) => [url, similarity]), native.results.map(({ url, similarity }) => [url, similarity]));
      }
      assert.equal(manifest.requested.length, 1);
    });
  } finally {
    await served.stop();
  }
});

test("an index of a newer format, published while the demo is open, asks for a reload, which keeps the text", async () => {
  const { served, publish } = await ownSite();
  try {
    await onPage(served, async (page, text) => {
      await page.goto(served.url);
      const demo = new Demo(page);
      await demo.ready();
      await publish();
      const newer = await answerOtherwise(page.context(), MANIFEST, ofNewerFormat);
      await demo.text.fill(text);
      await demo.failure("The index is newer than this page", YOUR_TEXT);
      await newer.restore();
      await demo.trouble.getByRole("button", { name: "Reload the page" }).click();
      const [first] = await demo.answerFor(YOUR_TEXT);
      assert.equal(first?.url, SOUGHT);
      assert.equal(await demo.text.inputValue(), text);
    });
  } finally {
    await served.stop();
  }
});

test("a damaged file in the browser's cache is not used again once it is fixed", async () => {
  const { folder, served } = await ownSite();
  try {
    await onPage(served, async (page, text) => {
      const generation = generationOf(await readFile(path.join(folder, "pagekin.manifest")));
      const file = path.join(folder, "index", generation, "pages/00/0000.shard");
      const whole = await readFile(file);
      const kin = await openKin(page, served.url);
      await writeFile(file, whole.subarray(0, 100));
      assert.equal((await ask(page, served.url, text, { kin })).code, "Truncated");
      await writeFile(file, whole);
      // The host allowed the browser to cache it for a year.
      const kept = await page.evaluate(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength, `${served.url}index/${generation}/pages/00/0000.shard`);
      assert.equal(kept, 100, "the browser caches the damaged file");
      for (const opened of [kin, await openKin(page, served.url)]) {
        const { results, message } = await ask(page, served.url, text, { kin: opened });
        assert.equal(results[0]?.url, SOUGHT, message);
      }
    });
  } finally {
    await served.stop();
  }
});

// Hosts and policies

/** @type {Promise<Outcome> | undefined} */
let usual;

/**
 * Returns the client's answer on a host without problems.
 *
 * @param {Page} page
 * @param {string} text always the same
 */
async function usualAnswer(page, text) {
  usual ??= ask(page, served.url, text);
  const { results, message } = await usual;
  assert.equal(results[0]?.url, SOUGHT, message);
  return usual;
}

/**
 * A module as the browser provides it: of any type, and already decompressed if the host declared
 * the compression.
 *
 * @type {[string, (bytes: Buffer) => Buffer, string][]}
 */
const modules = [
  ["of its own type", (bytes) => bytes, "application/wasm"],
  ["of no type of its own", (bytes) => bytes, "text/plain"],
  ["decompressed in transit", gunzipSync, "application/octet-stream"],
];

for (const [how, change, type] of modules) {
  test(`a WebAssembly module that arrives ${how} works`, () => onPage(served, async (page, text, problems) => {
    const usual = await usualAnswer(page, text);
    const odd = await answerOtherwise(page.context(), MODULE, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ contentType: type, body: change(await response.body()) });
    });
    await page.reload(); // so that the module is loaded again
    for (const worker of [true, false]) assert.deepEqual(await ask(page, served.url, text, { worker }), usual);
    assert.equal(odd.requested.length, 2, "the worker's and the page's");
    assert.deepEqual(problems, []);
  }));
}

test("a browser without DecompressionStream gets an error, unless nothing is compressed", () => onPage(served, async (page, text) => {
  const usual = await usualAnswer(page, text);
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "DecompressionStream"));
  await page.reload();
  const { code, message } = await ask(page, served.url, text, { worker: false });
  assert.equal(code, "Unsupported");
  assert.match(message, /this browser does not support DecompressionStream; use a current browser/);
  await answerOtherwise(page.context(), MODULE, changed(gunzipSync));
  assert.deepEqual(await ask(page, served.url, text, { worker: false }), usual);
}));

test("a truncated compressed module is damaged", () => onPage(served, async (page, text) => {
  await answerOtherwise(page.context(), MODULE, changed((bytes) => bytes.subarray(0, 1_000)));
  const { code, message } = await ask(page, served.url, text);
  assert.equal(code, "Damaged");
  assert.match(message, /expected a WebAssembly module at http:\S+\/pagekin\.wasm\.bin, found something else/);
}));

test("a module without a stemmer for the site's language does not open the index, and a reload fetches the right one", () => onPage(served, async (page, text) => {
  const englishSite = path.join(await temporaryFolder(), "site");
  await cp(path.join(TEACHING_SITE, "garden"), englishSite, { recursive: true });
  const english = await readFile(path.join(await build(englishSite), "pagekin.wasm.bin"));
  assert.ok(english.length < (await readFile(path.join(folder, "pagekin.wasm.bin"))).length, "a module of English only is smaller");
  const earlier = await answerOtherwise(page.context(), MODULE, (route) => route.fulfill({ body: english }));
  const { code, message } = await ask(page, served.url, text);
  assert.equal(code, "NoStemmer");
  assert.match(message, /the index has pages in language de: expected a wasm with its stemmer, found one with only English's/);

  await page.goto(served.url);
  const demo = new Demo(page);
  await demo.text.fill(text);
  await demo.failure("The site has a new language", YOUR_TEXT);
  await earlier.restore();
  await demo.trouble.getByRole("button", { name: "Reload the page" }).click();
  assert.equal((await demo.answerFor(YOUR_TEXT))[0]?.url, SOUGHT);
}));

test("a module of another version than its script asks for a reload", () => onPage(served, async (page, text) => {
  // A module that imports a function that the script does not provide.
  const from = "./pagekin_wasm_bg.js";
  const other = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, from.length + 6, 1, from.length, ...Buffer.from(from), 1, 0x62, 0, 0]);
  await answerOtherwise(page.context(), MODULE, (route) => route.fulfill({ body: other }));
  for (const worker of [true, false]) {
    const { code, message } = await ask(page, served.url, text, { worker });
    assert.equal(code, "VersionTooNew", message);
    assert.match(message, /of the same pagekin version as the script, found another .*reload the page/);
  }
}));

test("a text is searched without the second part of the module while that is missing or of another build", () => onPage(served, async (page, text) => {
  const englishSite = path.join(await temporaryFolder(), "site");
  await cp(path.join(TEACHING_SITE, "garden"), englishSite, { recursive: true });
  const english = await readFile(path.join(await build(englishSite), "pagekin-rest.wasm.bin"));
  const html = { html: `<p>${text}` };
  for (const worker of [true, false]) {
    const gone = await answerOtherwise(page.context(), MODULE_REST, withStatus(404));
    assert.equal((await ask(page, served.url, text, { worker })).results[0]?.url, SOUGHT);
    assert.deepEqual(gone.requested, []);
    assert.equal((await ask(page, served.url, html, { worker })).code, "Missing");
    await gone.restore();
    const other = await answerOtherwise(page.context(), MODULE_REST, (route) => route.fulfill({ body: english }));
    const { code, message } = await ask(page, served.url, html, { worker });
    assert.equal(code, "VersionTooNew", message);
    assert.match(message, /of the same pagekin version as the script, found another .*reload the page/);
    await other.restore();
    assert.equal((await ask(page, served.url, html, { worker })).results[0]?.url, SOUGHT);
    await page.reload();
  }
}));

test("a server error for the engine script of the page's thread can be retried", () => onPage(served, async (page, text) => {
  const usual = await usualAnswer(page, text);
  const broken = await answerOtherwise(page.context(), /\/engine\.js$/, withStatus(500));
  for (const query of [text, { html: `<p>${text}` }]) {
    const { code, message } = await ask(page, served.url, query, { worker: typeof query !== "string" });
    assert.equal(code, "Server", message);
    assert.match(message, /expected the file http:\S+\/engine\.js, found HTTP status 500; try again later/);
  }
  await broken.restore();
  assert.deepEqual(await ask(page, served.url, text, { worker: false }), usual);
  assert.equal((await ask(page, served.url, { html: `<p>${text}` })).results[0]?.url, SOUGHT);
}));

test("a policy without 'wasm-unsafe-eval' is named as the cause", () => onPage(served, async (page, text) => {
  const strict = await answerOtherwise(page.context(), /\/pagekin\/([^/]*\.js)?$/, async (route) => {
    const response = await route.fetch();
    const policy = response.headers()["content-security-policy"];
    assert.match(policy, /'wasm-unsafe-eval'/);
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy.replace(" 'wasm-unsafe-eval'", "") } });
  });
  await page.goto(served.url);
  for (const worker of [true, false]) {
    const { code, message } = await ask(page, served.url, text, { worker });
    assert.equal(code, "Unsupported", message);
    assert.match(message, /the content security policy does not allow WebAssembly; add 'wasm-unsafe-eval' to script-src/);
  }
  const demo = new Demo(page);
  await demo.text.fill(text);
  await demo.failure("Not supported here", YOUR_TEXT);
  assert.match(await demo.trouble.innerText(), /content security policy does not allow WebAssembly; add 'wasm-unsafe-eval' to script-src/);
  assert.equal(await demo.trouble.getByRole("button").count(), 0, "a retry would fail in the same way");
  assert.equal(await demo.text.inputValue(), text);

  await strict.restore();
  await page.reload();
  assert.equal((await demo.paste(text))[0]?.url, SOUGHT);
}));

test("a browser without WebAssembly gets an error", () => onPage(served, async (page, text) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "WebAssembly"));
  await page.reload();
  const { code, message } = await ask(page, served.url, text, { worker: false });
  assert.equal(code, "Unsupported");
  assert.match(message, /this browser does not support WebAssembly; use a current browser/);
}));

/** @type {[string, (page: Page) => Promise<unknown>][]} */
const workerless = [
  ["its script is missing", (page) => answerOtherwise(page.context(), /\/worker\.js$/, withStatus(404))],
  ["a web page replaces its script", (page) => answerOtherwise(page.context(), /\/worker\.js$/, withPage)],
  ["its script breaks", (page) => answerOtherwise(page.context(), /\/worker\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: "throw new Error('broken')" }))],
  ["the browser does not support it", (page) => page.addInitScript(() => Reflect.deleteProperty(globalThis, "Worker"))],
  ["the policy forbids it", (page) => answerOtherwise(page.context(), /\/(pagekin|garden)\/$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; img-src 'self' data:" } });
  })],
];

for (const [why, arrange] of workerless) {
  test(`without a worker, because ${why}, the page's thread gives the same answer`, () => onPage(served, async (page, text) => {
    const usual = await usualAnswer(page, text);
    await arrange(page);
    await page.reload();
    assert.deepEqual(await ask(page, served.url, text), usual);
    assert.deepEqual(page.workers(), []);

    await page.goto(served.url);
    const shown = await new Demo(page).paste(text);
    assert.deepEqual(shown.map(({ url }) => url), usual.results.map(({ url }) => url));
    assert.deepEqual(page.workers(), []);
  }));
}
