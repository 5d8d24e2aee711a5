// @ts-check
/**
 * An index that is spread over two hosts: answers equal those of an index on one host, even if one
 * of the hosts is unreachable or sends wrong files.
 *
 * @import {IncomingMessage, Server, ServerResponse} from "node:http"
 * @import {AddressInfo} from "node:net"
 * @import {Page} from "playwright-core"
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { ask, build, copied, Demo, launch, openKin, openPage, serve, temporaryFolder, TEACHING_SITE } from "./harness.mjs";

/** Pages whose texts are queried. */
const SOUGHT = ["/kitchen/preserves/plum-jam.html", "/kitchen/bread/sourdough.html", "/garden/compost/worm-bin.html"];

/**
 * A file host. It represents one of another domain, so it allows any page to read its files.
 *
 * @typedef {object} Host
 * @property {string} folder what it serves: nothing before it exists
 * @property {string} origin
 * @property {IncomingMessage[]} requested
 * @property {((response: ServerResponse) => void) | undefined} answer for all files, if set
 * @property {number} delay of each answer, in milliseconds
 * @property {number} answered number of completed answers
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} stop
 */

/** @param {Record<string, string>} headers @returns {Host} */
function newHost(headers) {
  /** @type {Server} */
  let server;
  let port = 0;
  /** @type {Host} */
  const host = {
    folder: "",
    origin: "",
    requested: [],
    answer: undefined,
    delay: 0,
    answered: 0,
    async start() {
      server = createServer(serveFile).listen(port, "127.0.0.1");
      await once(server, "listening");
      ({ port } = /** @type {AddressInfo} */ (server.address()));
      host.origin = `http://127.0.0.1:${port}`;
    },
    async stop() {
      if (!server?.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async function serveFile(request, response) {
    host.requested.push(request);
    arrived.set(request, performance.now());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (host.answer) return host.answer(response);
    if (host.delay > 0) await new Promise((resolve) => setTimeout(resolve, host.delay));
    if (response.destroyed) return;
    host.answered += 1;
    const { pathname } = new URL(request.url ?? "", host.origin);
    const bytes = await readFile(path.join(host.folder, pathname.endsWith("/") ? "index.html" : pathname)).catch(() => undefined);
    if (!bytes) return response.writeHead(404).end();
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (pathname.endsWith(".html") || pathname.endsWith("/")) response.setHeader("content-type", "text/html");
    if (pathname.endsWith(".js")) response.setHeader("content-type", "text/javascript");
    if (first === undefined) return response.end(bytes);
    response.writeHead(206, { "content-range": `bytes ${first}-${last}/${bytes.length}` }).end(bytes.subarray(Number(first), Number(last) + 1));
  }
  return host;
}

/** The time of a request. @type {WeakMap<IncomingMessage, number>} */
const arrived = new WeakMap();

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** The mirrors, and the host of the site. @type {Host[]} */
let mirrors;
/** @type {Host} */
let home;
/** @type {string[]} */
let texts;

before(async () => {
  browser = await launch();
  mirrors = [newHost({ "access-control-allow-origin": "*" }), newHost({ "access-control-allow-origin": "*" })];
  for (const mirror of mirrors) await mirror.start();
  const hosts = mirrors.map(({ origin }) => origin).join(" ");
  home = newHost({ "content-security-policy": `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; worker-src 'self'; connect-src 'self' ${hosts}` });
  await home.start();
});

after(async () => {
  await browser?.close();
  for (const host of [...mirrors ?? [], home]) await host?.stop();
});

/**
 * Builds the teaching site for the mirrors and publishes it there.
 *
 * @param {string[]} options of `pagekin build`
 * @param {string} [settings] of the file of mirrors
 */
async function publish(options = [], settings = "") {
  const file = path.join(await temporaryFolder(), "mirrors.toml");
  await writeFile(file, settings + mirrors.map(({ origin }) => `[[host]]\nurl = "${origin}/"\n`).join(""));
  const folder = await build(TEACHING_SITE, "--mirrors", file, "--block-pages", "2", ...options);
  home.folder = folder;
  for (const [at, mirror] of mirrors.entries()) {
    await mirror.stop();
    await mirror.start();
    Object.assign(mirror, { folder: path.join(folder, `mirrors/${at + 1}`), requested: [], answer: undefined, delay: 0, answered: 0 });
  }
  home.requested = [];
  return folder;
}

/** @type {Map<string, ReturnType<typeof askAll>>} */
const answered = new Map();

/** The answers of an index on one host, built with the same options. @param {string[]} options */
function expected(...options) {
  const key = options.join(" ");
  const answers = answered.get(key) ?? answersOfOne(options);
  answered.set(key, answers);
  return answers;
}

/** @param {string[]} options */
async function answersOfOne(options) {
  const served = await serve(await build(TEACHING_SITE, "--block-pages", "2", ...options));
  const { page, close } = await openPage(browser, served.url);
  try {
    texts ??= await Promise.all(SOUGHT.map((url) => copied(page, url)));
    assert.equal(await ownHost(page, served.url), true);
    return await askAll(page, served.url);
  } finally {
    await close();
    await served.stop();
  }
}

/**
 * @param {Page} page
 * @param {string} folder
 * @param {Parameters<typeof ask>[3]} [options]
 */
async function askAll(page, folder, options) {
  const answers = [];
  for (const text of texts) {
    const { results, code, message } = await ask(page, folder, text, options);
    answers.push({ results, code, message });
  }
  return answers;
}

/** @param {(page: Page, folder: string, problems: string[]) => Promise<void>} check */
async function onHome(check) {
  const { page, problems, close } = await openPage(browser, `${home.origin}/lab/`);
  try {
    await check(page, `${home.origin}/`, problems);
    assert.deepEqual(problems.filter((problem) => /^exception|Content-Security-Policy/.test(problem)), []);
  } finally {
    await close();
  }
}

/** @param {Page} page @param {string} folder */
const ownHost = async (page, folder) => (await openKin(page, folder)).evaluate((kin) => kin.ownHost);

/** The requests for files of the index. @param {Host} host */
const shards = ({ requested }) => requested.filter(({ url }) => /^\/index\/.*\.(shard|pack)$/.test(url ?? ""));

for (const worker of [true, false]) {
  test(`two mirrors return exactly the answers of one host, ${worker ? "in a worker" : "on the page's thread"}`, async () => {
    const wanted = await expected();
    await publish();
    await onHome(async (page, folder) => {
      assert.deepEqual(await askAll(page, folder, { worker }), wanted);
      assert.equal(await ownHost(page, folder), false, "pages that mirrors name are fetched without cookies");
    });
    const counts = mirrors.map((mirror) => shards(mirror).length);
    const all = counts[0] + counts[1];
    assert.ok(all > 20, `${all} requests`);
    assert.ok(counts.every((count) => count >= all / 4), `expected about half of the requests on each host, found ${counts}`);
    assert.deepEqual(shards(home), []);
    for (const { headers } of mirrors.flatMap(shards)) assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
  });
}

test("an unreachable mirror is replaced by the other, for an open index and for a new one", async () => {
  const wanted = await expected();
  await publish();
  await onHome(async (page, folder) => {
    const kin = await openKin(page, folder);
    const { results } = await ask(page, folder, texts[0], { kin });
    assert.deepEqual(results, wanted[0].results);
    await mirrors[0].stop();
    mirrors[1].requested = [];
    assert.deepEqual(await askAll(page, folder, { kin }), wanted);
    assert.deepEqual(await askAll(page, folder), wanted);
    assert.ok(shards(mirrors[1]).length > 0);
  });
});

for (const [what, answer] of /** @type {[string, (response: ServerResponse) => void][]} */ ([
  ["lacks the files", (response) => response.writeHead(404).end()],
  ["sends a web page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<title>Welcome</title>")],
  ["redirects elsewhere", (response) => response.writeHead(302, { location: `${home.origin}/pagekin.manifest` }).end()],
])) {
  test(`a mirror that ${what} is replaced by the other`, async () => {
    const wanted = await expected();
    await publish();
    mirrors[1].answer = answer;
    await onHome(async (page, folder) => {
      assert.deepEqual(await askAll(page, folder), wanted);
    });
    // It is avoided after that, until it has had time to recover.
    const requested = mirrors[1].requested.length;
    assert.ok(requested > 0 && requested < shards(mirrors[0]).length, `${requested} requests`);
  });
}

test("a mirror with an older index is replaced by the other, and answers stay the same", async () => {
  const wanted = await expected();
  const earlier = await publish(["--base-url", "/x/"]);
  await publish();
  const { requested } = mirrors[0];
  mirrors[0].folder = path.join(earlier, "mirrors/1");
  await onHome(async (page, folder) => {
    assert.deepEqual(await askAll(page, folder), wanted);
  });
  assert.ok(requested.length > 0);
});

test("a mirror that does not answer is abandoned after a while", async () => {
  const [wanted] = await expected();
  await publish();
  mirrors[0].answer = () => {};
  await onHome(async (page, folder) => {
    const { results } = await ask(page, folder, texts[0]);
    assert.deepEqual(results, wanted.results);
  });
  assert.ok(mirrors[0].requested.length > 0);
});

test("a slow mirror is not awaited, and avoided from then on", async () => {
  const wanted = await expected();
  await publish();
  const [slow, other] = mirrors;
  slow.delay = 8_000;
  await onHome(async (page, folder) => {
    const kin = await openKin(page, folder);
    assert.deepEqual((await ask(page, folder, texts[0], { kin })).results, wanted[0].results);
    assert.ok(slow.requested.length > 0);
    for (const mirror of mirrors) mirror.requested = [];
    assert.deepEqual(await askAll(page, folder, { kin }), wanted);
    assert.equal(slow.answered, 0);
    // On a busy machine, the other host may be slow for some requests: then after it, not before.
    for (const request of slow.requested) {
      const before = other.requested.find(({ url }) => url === request.url);
      assert.ok(before && Number(arrived.get(request)) > Number(arrived.get(before)), `${request.url} was sent to the slow one first`);
    }
    // Nothing is missing when the other one is unreachable, either.
    slow.delay = 0;
    await other.stop();
    assert.deepEqual(await askAll(page, folder, { kin }), wanted);
  });
});

test("a slow mirror that is the only one with a part is awaited", async () => {
  const wanted = await expected();
  await publish([], "copies = 1\n");
  for (const mirror of mirrors) mirror.delay = 1_000;
  await onHome(async (page, folder) => {
    assert.deepEqual((await ask(page, folder, texts[0])).results, wanted[0].results);
  });
  assert.ok(mirrors.every(({ answered }) => answered > 0));
});

test("without any mirror the home host answers if it is complete, otherwise an error is reported", async () => {
  const wanted = await expected();
  await publish([], "home = true\n");
  for (const mirror of mirrors) await mirror.stop();
  await onHome(async (page, folder) => {
    assert.deepEqual(await askAll(page, folder), wanted);
  });
  assert.ok(shards(home).length > 0);
  await publish();
  for (const mirror of mirrors) await mirror.stop();
  await onHome(async (page, folder) => {
    const { code, message } = await ask(page, folder, texts[0]);
    assert.equal(code, "Offline");
    assert.match(message, /could not be reached; .* \(2 hosts tried\)$/);
  });
});

test("an aborted query leaves no pending request", async () => {
  await expected();
  await publish();
  let closed = 0;
  for (const mirror of mirrors) mirror.answer = (response) => response.on("close", () => closed += 1);
  await onHome(async (page, folder) => {
    const name = await page.evaluate(async ([folder, text]) => {
      /** @type {typeof import("../../www/client/pagekin.js")} */
      const { open } = await import(`${folder}pagekin.js`);
      const kin = await open(folder);
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 300);
      return kin.similar(text, { signal: controller.signal }).then(() => "answered", (/** @type {any} */ error) => error.name);
      // Only a few words, so that no request is queued in the browser, which sends queued requests
      // as soon as others are aborted.
    }, /** @type {const} */ ([folder, texts[0].split(/\s+/).slice(0, 12).join(" ")]));
    assert.equal(name, "AbortError");
    const all = () => mirrors.flatMap((mirror) => mirror.requested).length;
    // Requests that were under way may arrive later, and are closed; others would not be.
    let requested = -1;
    while (requested !== all() || closed < requested) {
      requested = all();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    assert.ok(requested > 0);
    assert.equal(all(), requested);
  });
});

test("packs on mirrors are read with range requests", async () => {
  const wanted = await expected("--layout", "packs");
  await publish(["--layout", "packs"]);
  await onHome(async (page, folder) => {
    assert.deepEqual(await askAll(page, folder), wanted);
    await mirrors[0].stop();
    assert.deepEqual(await askAll(page, folder), wanted);
  });
});

test("a preview requests nothing from the mirrors, and uses their local folders", async () => {
  await expected();
  const folder = await publish();
  const served = await serve(folder, { site: TEACHING_SITE });
  const { page, problems, close } = await openPage(browser, served.url);
  try {
    const demo = new Demo(page);
    await demo.paste(texts[0]);
    assert.deepEqual(problems, []);
    const { page: lab, problems: ofLab, close: closeLab } = await openPage(browser, `${served.url}lab/lookup.html`);
    await lab.locator("text=lists").first().waitFor();
    assert.deepEqual(ofLab, []);
    await closeLab();
  } finally {
    await close();
    await served.stop();
  }
  assert.deepEqual(mirrors.flatMap(({ requested }) => requested), []);
});
