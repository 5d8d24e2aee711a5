// @ts-check
/**
 * Parts of files, as `www/client/fetches.js` requests them, from hosts with and without correct
 * answers.
 *
 * @import {IncomingMessage, Server, ServerResponse} from "node:http"
 * @import {AddressInfo} from "node:net"
 * @import {Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, openPage } from "./harness.mjs";

/** Bytes that depend on their position. */
const FILE = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 31) % 251));

const PART = "index/pages-000.pack#8192+4096";

/** @typedef {(response: ServerResponse, first: number, last: number) => void} Answer */

/** @type {Answer} */
const honestly = (response, first, last) => {
  response.writeHead(206, { "Content-Range": `bytes ${first}-${last}/${FILE.length}` }).end(FILE.subarray(first, last + 1));
};

/** @param {number} status @returns {Answer} */
const withStatus = (status) => (response) => response.writeHead(status).end();

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Server} */
let server;
/** @type {string} */
let origin;

/**
 * The host's answer for a file with ranges, and the requested ranges.
 *
 * @type {{answer: Answer, ranges: string[]}}
 */
const host = { answer: honestly, ranges: [] };

before(async () => {
  server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

/**
 * The client's sources, an empty page, and the file.
 *
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function serve({ url = "", headers }, response) {
  const script = /^\/www\/((?:[\w-]+\/)*[\w-]+\.js)$/.exec(url)?.[1];
  if (script) {
    const source = await readFile(fileURLToPath(new URL(`../../www/${script}`, import.meta.url)));
    response.writeHead(200, { "Content-Type": "text/javascript" }).end(source);
  } else if (url === "/index/pages-000.pack") {
    host.ranges.push(headers.range ?? "");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (first) host.answer(response, Number(first), Number(last));
    else response.writeHead(200).end(FILE);
  } else {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Nothing</title>");
  }
}

/**
 * Runs a check on an empty page, with this answer of the host.
 *
 * @param {Answer} answer
 * @param {(page: Page) => Promise<void>} check
 */
async function onHost(answer, check) {
  Object.assign(host, { answer, ranges: [] });
  const { page, close } = await openPage(browser, `${origin}/`);
  try {
    await check(page);
  } finally {
    await close();
  }
}

/**
 * Returns the result of one `Fetches` for names that are requested in parallel.
 *
 * @param {Page} page
 * @param {string[]} names
 * @returns {Promise<{bytes: number[], code: string, message: string}[]>}
 */
function fetchAll(page, names) {
  return page.evaluate(async (names) => {
    // A variable, because tsc would search for a literal path on disk.
    const source = "/www/client/fetches.js";
    /** @type {typeof import("../../www/client/fetches.js")} */
    const { Fetches } = await import(source);
    const fetches = new Fetches(new URL("/", location.href));
    return Promise.all(names.map((name) => fetches.get(name, "no-store").then(
      (bytes) => ({ bytes: [...bytes], code: "", message: "" }),
      ({ code, message }) => ({ bytes: [], code, message }),
    )));
  }, names);
}

test("parts of one file are requested in parallel, each once, and the whole file too", () => onHost(honestly, async (page) => {
  const other = "index/pages-000.pack#0+1";
  const [part, again, first, whole] = await fetchAll(page, [PART, PART, other, "index/pages-000.pack"]);
  assert.deepEqual(part, { bytes: [...FILE.subarray(8192, 12_288)], code: "", message: "" });
  assert.deepEqual(again, part);
  assert.deepEqual(first.bytes, [...FILE.subarray(0, 1)]);
  assert.deepEqual(whole.bytes, [...FILE]);
  assert.deepEqual(host.ranges.sort(), ["", "bytes=0-0", "bytes=8192-12287"]);
}));

test("a host need not declare which part it sends", () => onHost((response, first, last) => response.writeHead(206).end(FILE.subarray(first, last + 1)), async (page) => {
  const [part] = await fetchAll(page, [PART]);
  assert.deepEqual(part.bytes, [...FILE.subarray(8192, 12_288)]);
}));

/** @type {[string, Answer, RegExp][]} */
const wrong = [
  ["answers with the whole file", (response) => response.writeHead(200).end(FILE), /found HTTP status 200;/],
  ["sends fewer bytes", (response, first, last) => response.writeHead(206).end(FILE.subarray(first, last)), /found 4095 bytes;/],
  ["sends more bytes", (response, first, last) => response.writeHead(206).end(FILE.subarray(first, last + 2)), /found 4097 bytes;/],
  ["sends another part", (response, first, last) => honestly(response, first + 1, last + 1), /found "Content-Range: bytes 8193-12288\/20000";/],
  ["reports that the part does not exist", withStatus(416), /found HTTP status 416;/],
];

for (const [how, answer, found] of wrong) {
  test(`a host that ${how} is reported as one without range requests`, () => onHost(answer, async (page) => {
    const [{ code, message }] = await fetchAll(page, [PART]);
    assert.equal(code, "NoRanges", message);
    assert.match(message, /^expected HTTP status 206 with bytes 8192 to 12287 of http:\S+\/index\/pages-000\.pack, found /);
    assert.match(message, found);
    assert.match(message, /this host does not support range requests: .*`pagekin build --layout files`$/);
  }));
}

test("the rest of a long answer is not awaited", async () => {
  const closed = new EventTarget();
  /** @type {Answer} Never ends. */
  const endlessly = (response) => {
    response.on("close", () => closed.dispatchEvent(new Event("closed")));
    response.writeHead(200);
    response.write(FILE);
  };
  await onHost(endlessly, async (page) => {
    const [[{ code }]] = await Promise.all([fetchAll(page, [PART]), once(closed, "closed")]);
    assert.equal(code, "NoRanges");
  });
});

for (const [status, expected] of /** @type {const} */ ([[404, "Missing"], [410, "Missing"], [503, "Server"]])) {
  test(`status ${status} for a part means the same as for a file`, () => onHost(withStatus(status), async (page) => {
    const [{ code, message }] = await fetchAll(page, [PART]);
    assert.equal(code, expected, message);
  }));
}

test("canceling a part aborts its request", async () => {
  const closed = new EventTarget();
  const requested = new EventTarget();
  /** @type {Answer} Never comes. */
  const never = (response) => {
    response.on("close", () => closed.dispatchEvent(new Event("closed")));
    requested.dispatchEvent(new Event("requested"));
  };
  await onHost(never, async (page) => {
    const begun = once(requested, "requested");
    const query = await page.evaluateHandle(async (name) => {
      const source = "/www/client/fetches.js";
      /** @type {typeof import("../../www/client/fetches.js")} */
      const { Fetches } = await import(source);
      const controller = new AbortController();
      const reason = new Fetches(new URL("/", location.href)).get(name, "no-store", controller.signal).then(() => "", (reason) => reason);
      return { controller, reason };
    }, PART);
    await begun;
    const ended = once(closed, "closed");
    assert.equal(await query.evaluate(({ controller, reason }) => {
      controller.abort("enough");
      return reason;
    }), "enough");
    await ended;
  });
});
