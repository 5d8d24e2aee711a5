// @ts-check
/**
 * Shared parts of the browser tests: a built folder, `pagekin serve` for it, Chromium, and the demo
 * as a visitor uses it.
 *
 * `cargo xtask test --only browser` sets PAGEKIN (the program) and CHROMIUM (the browser). Folders
 * and processes created here are removed when the test file's process ends.
 *
 * @import {Browser, BrowserContext, BrowserContextOptions, JSHandle, Page, Route} from "playwright-core"
 * @import {Cost, Kin, KinQuery, SimilarResult} from "../../www/client/pagekin.js"
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { stale } from "./freshness.mjs";

/**
 * Maximum time that anything on this machine may take, in milliseconds. It is generous, because CI
 * has two busy cores.
 */
export const PATIENCE = 30_000;

/** The teaching site. `tests/truth.json` describes it and its similar pages. */
export const TEACHING_SITE = fileURLToPath(new URL("../site", import.meta.url));

/** @param {string} name */
function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with \`cargo xtask test --only browser\``);
  return value;
}

/** The path of the `pagekin` program under test. */
export const PAGEKIN = needed("PAGEKIN");
const outdated = stale(PAGEKIN);
if (outdated) throw new Error(outdated);

/** Skips a slow test that rarely finds anything, with a note, unless all tests are requested. */
export const LONG = { skip: process.env.PAGEKIN_ALL === "1" ? false : "long: run by `cargo xtask test --all`, which sets PAGEKIN_ALL=1" };

// Folders

/** @type {string[]} */
const temporary = [];
process.on("exit", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** Makes a temporary folder that is removed when this process ends. */
export async function temporaryFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), "pagekin-"));
  temporary.push(folder);
  return folder;
}

/**
 * Runs `pagekin build` on a site and returns the folder it wrote.
 *
 * @param {string} site
 * @param {string[]} options of `pagekin build`
 */
export async function build(site, ...options) {
  const folder = path.join(await temporaryFolder(), "pagekin");
  await rebuild(site, folder, ...options);
  return folder;
}

/**
 * Builds a site again into the folder of an earlier build, as its owner does after a change.
 *
 * @param {string} site
 * @param {string} folder
 * @param {string[]} options of `pagekin build`
 */
export async function rebuild(site, folder, ...options) {
  await promisify(execFile)(PAGEKIN, ["build", site, "-o", folder, "--quiet", "--pages", "lab", ...options]);
}

/** @type {Promise<string> | undefined} */
let teaching;

/** The folder built from the teaching site. It is built once, so tests must not change it. */
export function teachingFolder() {
  teaching ??= build(TEACHING_SITE);
  return teaching;
}

/**
 * The text of a page of the teaching site, as a person would copy it.
 *
 * @param {Page} page any page: its browser reads the HTML
 * @param {string} url
 */
export async function copied(page, url) {
  const html = await readFile(path.join(TEACHING_SITE, url), "utf8");
  return page.evaluate((html) => {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    return (body.querySelector("main, article, [role=main]") ?? body).textContent ?? "";
  }, html);
}

/** @typedef {{url: string, title: string, meta: Record<string, string>, similarity: number, coverage: number, confidence: string, shared_terms: string[], missing_terms: string[], copies: string[], score: number, near: {kind: string, resemblance: number | null, text_in_page: number | null, page_in_text: number | null, whole: boolean} | null}} NativeResult */

/**
 * The answer of `pagekin similar --json`.
 *
 * @param {string} folder
 * @param {string[]} options
 * @param {string} [input] its standard input
 * @returns {Promise<{ranked_by: string, language: {code: string, by: string} | null, results: NativeResult[], other_results: NativeResult[], unmatched: string[], cost: {bytes: number, requests: number, rounds: number}}>}
 */
export async function similar(folder, options, input = "") {
  const running = promisify(execFile)(PAGEKIN, ["similar", folder, "--json", ...options]);
  // A program that reads no standard input may have ended before it is written.
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input);
  const answer = JSON.parse((await running).stdout);
  // The browser reads passages by another call.
  const withoutExcerpts = (/** @type {any[]} */ results) => results.map(({ excerpt: _, ...result }) => result);
  return { ...answer, results: withoutExcerpts(answer.results), other_results: withoutExcerpts(answer.other_results) };
}

// The server

/**
 * A running server.
 *
 * @typedef {object} Served
 * @property {string} url the URL that it prints (of the demo for `pagekin serve`), with a trailing slash
 * @property {string} origin
 * @property {() => Promise<void>} stop
 */

/** Number of bytes of a page that are sent at a time, and the delay after them, in milliseconds. */
const PIECE = 8_000;
const PIECE_DELAY = 50;

/** The policy of a site of plain pages and scripts: no WebAssembly, no workers, nothing inline. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/**
 * Serves a site as any host does, each page with an element at its end, and an index below
 * `/pagekin/`.
 *
 * @param {string} folder of the index
 * @param {object} options
 * @param {string} [options.site] its folder, by default that of the teaching site
 * @param {string} [options.below] the path below which both are, such as `/docs`
 * @param {string} [options.element]
 * @param {string[]} [options.scripts] of the index, for the element
 * @param {boolean} [options.encoded] the host declares the compression of files
 * @param {boolean} [options.wasm] its policy allows WebAssembly and workers
 * @param {(pathname: string, bytes: number) => void} [options.count] is called with the bytes that the browser takes of a page
 * @param {(html: string) => string} [options.rewrite] what a page becomes before the element is added
 * @param {(origin: string) => Promise<void>} check
 */
export async function onHost(folder, options, check) {
  const { site = TEACHING_SITE, below: root = "", scripts = ["related.js"], encoded = false, wasm = false, count, rewrite = (html) => html } = options;
  const { element = `<pagekin-related loading="eager"></pagekin-related>` } = options;
  const added = scripts.map((name) => `<script type="module" src="${root}/pagekin/${name}"></script>`).join("") + element;
  const server = createServer(async (request, response) => {
    const { pathname: whole } = new URL(request.url ?? "", "http://127.0.0.1");
    if (!whole.startsWith(`${root}/`)) return response.writeHead(404).end();
    const pathname = whole.slice(root.length);
    const below = pathname.startsWith("/pagekin/") ? pathname.slice("/pagekin".length) : undefined;
    let file = path.join(below === undefined ? site : folder, below ?? pathname);
    if (file.endsWith("/")) file += "index.html";
    let bytes = await readFile(file).catch(() => readFile(`${file}.html`)).catch(() => undefined);
    if (!bytes) return response.writeHead(404).end();
    const html = path.extname(file) === ".html" || !path.extname(file);
    if (html) bytes = Buffer.from(rewrite(bytes.toString()) + added);
    response.setHeader("content-type", html ? TYPES[".html"] : TYPES[/** @type {keyof typeof TYPES} */ (path.extname(file))] ?? "application/octet-stream");
    response.setHeader("content-security-policy", wasm ? `${POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")}; worker-src 'self'` : POLICY);
    if (encoded && /\/related\/.*\.kin$/.test(pathname)) response.setHeader("content-encoding", "gzip");
    if (!count || !html) return response.end(bytes);
    // In pieces, so that a browser that stops reading does not get the rest.
    for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      count(pathname, piece.length);
      if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
      await new Promise((next) => { setTimeout(next, PIECE_DELAY); });
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  try {
    await check(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

/**
 * Starts `pagekin serve` on a free port.
 *
 * @param {string} folder
 * @param {{site?: string}} [options] `site`: also serves that folder's pages
 * @returns {Promise<Served>}
 */
export function serve(folder, { site } = {}) {
  return startServer(PAGEKIN, ["serve", folder, "--port", "0", ...(site ? ["--site", site] : [])]);
}

/**
 * Starts a server that is independent of pagekin.
 *
 * @param {string} folder
 * @param {number} [port] without, a free one
 * @returns {Promise<Served>}
 */
export function servePlainly(folder, port = 0) {
  return startServer("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, String(port)]);
}

/**
 * @param {string} program prints its URL in its first line
 * @param {string[]} parameters
 * @returns {Promise<Served>}
 */
export async function startServer(program, parameters) {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const kill = () => child.kill();
  process.on("exit", kill);
  let errors = "";
  child.stderr.on("data", (data) => errors += data);

  const line = await Promise.race([
    once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(PATIENCE) }).then(([line]) => line),
    ended.then(([code]) => {
      throw new Error(`${program} ended with ${code}: ${errors}`);
    }),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+\/[^\s)]*/.exec(line)?.[0];
  if (!url) {
    child.kill();
    throw new Error(`expected a URL in the first line of ${program}, found: ${line}`);
  }
  return {
    url,
    origin: new URL(url).origin,
    async stop() {
      process.off("exit", kill);
      child.kill();
      await ended;
    },
  };
}

// The browser

/**
 * Starts Chromium without a window and without background requests.
 *
 * @param {string[]} more of its arguments
 */
export function launch(...more) {
  return chromium.launch({
    executablePath: needed("CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...more],
  });
}

/**
 * A page in a fresh browser profile, with its problems so far.
 *
 * @typedef {object} Opened
 * @property {Page} page
 * @property {string[]} problems errors on the console (a worker's too), exceptions, violations of the
 *   Content-Security-Policy, failed or refused requests, and requests to any other origin
 * @property {() => Promise<void>} close
 */

/**
 * @param {Browser} browser
 * @param {string} url
 * @param {BrowserContextOptions} [options] such as `viewport` or `isMobile`
 * @returns {Promise<Opened>}
 */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  /** @type {string[]} */
  const problems = [];
  const { origin } = new URL(url);
  context.on("console", (message) => {
    // Browsers request a site's icon by themselves.
    const { pathname } = new URL(message.location().url || url);
    if (message.type() === "error" && pathname !== "/favicon.ico") problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => problems.push(`exception: ${error.error().stack}`));
  context.on("request", (request) => {
    const target = new URL(request.url());
    if (/^(http|ws)/.test(target.protocol) && target.origin !== origin) problems.push(`request to ${target.origin}: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400 && !response.url().endsWith("/favicon.ico")) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  context.on("requestfailed", (request) => {
    // A later query aborts an earlier one's requests, as intended.
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") problems.push(`failed request: ${request.url()}: ${reason}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      console.error(`Content-Security-Policy: ${violatedDirective} forbids ${blockedURI}`);
    });
  });
  const page = await context.newPage();
  await page.goto(url);
  return {
    page,
    problems,
    async close() {
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    },
  };
}

/** @type {Promise<string> | undefined} */
let axe;

/**
 * Returns what axe finds wrong in a page.
 *
 * @param {Page} page
 * @param {string} [within] a selector: only there
 * @returns {Promise<string[]>}
 */
export async function complaints(page, within) {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Through the debugger, because the page's policy forbids it as a script.
  await page.evaluate(await axe);
  return page.evaluate(async (within) => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run(within ?? document, { resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
  }, within);
}

/**
 * Answers requests for some files in another way, including those of workers, until `restore`.
 * Meanwhile the browser's cache is not used.
 *
 * @param {BrowserContext} context
 * @param {RegExp} files by URL
 * @param {(route: Route) => unknown} answer
 * @returns {Promise<{requested: string[], restore: () => Promise<void>}>} `requested`: the requested URLs, in order
 */
export async function answerOtherwise(context, files, answer) {
  /** @type {string[]} */
  const requested = [];
  let restored = false;
  /** @param {Route} route */
  const handler = async (route) => {
    requested.push(route.request().url());
    try {
      await answer(route);
    } catch (error) {
      if (!restored) throw error; // otherwise the file has meanwhile been answered as usual
    }
  };
  await context.route(files, handler);
  return {
    requested,
    async restore() {
      restored = true;
      await context.unroute(files, handler);
    },
  };
}

/**
 * Blocks requests for some files until `release`.
 *
 * @param {BrowserContext} context
 * @param {RegExp} files
 */
export async function hold(context, files) {
  /** @type {Route[]} */
  let held = [];
  let ended = false;
  const counted = new EventTarget();
  const { requested, restore } = await answerOtherwise(context, files, (route) => {
    // A request may arrive while all are released.
    if (ended) return route.continue();
    held.push(route);
    counted.dispatchEvent(new Event("one more"));
  });
  return {
    requested,
    /**
     * Waits until this number of requests is blocked.
     *
     * @param {number} count
     */
    async waiting(count) {
      const signal = AbortSignal.timeout(PATIENCE);
      while (held.length < count) {
        await once(counted, "one more", { signal }).catch(() => {
          throw new Error(`expected ${count} requests at the same time, found ${held.length}: ${requested.join(" ")}`);
        });
      }
    },
    /** Continues the blocked requests; later ones are blocked again. */
    async release() {
      const released = held;
      held = [];
      // A request that was canceled meanwhile cannot continue.
      await Promise.all(released.map((route) => route.continue().catch(() => {})));
    },
    /** Continues all requests. */
    async end() {
      ended = true;
      await restore();
      await this.release();
    },
  };
}

// The client

/** @typedef {typeof import("../../www/client/pagekin.js")} Client */
/**
 * A handle of a value in a page.
 *
 * @template T
 * @typedef {JSHandle<T>} Handle
 */

/**
 * Opens the client in a page.
 *
 * @param {Page} page
 * @param {string} folder URL of the built folder
 * @param {{worker?: boolean}} [options]
 * @returns {Promise<JSHandle<Kin>>}
 */
export function openKin(page, folder, options = {}) {
  return page.evaluateHandle(async ([folder, options]) => {
    /** @type {Client} */
    const { open } = await import(`${folder}pagekin.js`);
    return open(folder, options);
  }, /** @type {const} */ ([folder, options]));
}

/**
 * The client's answer, with an empty `code`; or its error, without results.
 *
 * @typedef {{results: SimilarResult[], cost: Omit<Cost, "milliseconds">, code: string, message: string}} Outcome
 */

/**
 * Queries a client.
 *
 * @param {Page} page
 * @param {string} folder URL of the built folder
 * @param {KinQuery} query
 * @param {{kin?: JSHandle<Kin>, worker?: boolean}} [options] `kin`: an open client; without it, one is opened for this query
 * @returns {Promise<Outcome>}
 */
export function ask(page, folder, query, { kin, worker } = {}) {
  return page.evaluate(async ([folder, query, kin, worker]) => {
    /** @type {Client} */
    const { open, KinError } = await import(`${folder}pagekin.js`);
    const cost = { bytes: 0, requests: 0, rounds: 0 };
    try {
      const opened = kin ?? (await open(folder, { worker }));
      const answer = await opened.similar(query);
      for (const part of /** @type {(keyof typeof cost)[]} */ (Object.keys(cost))) cost[part] = answer.cost[part];
      if (!kin) opened.close();
      return { results: answer.results, cost, code: "", message: "" };
    } catch (/** @type {any} */ error) {
      return { results: [], cost, code: error instanceof KinError ? error.code : error.name, message: error.message };
    }
  }, /** @type {const} */ ([folder, query, kin, worker]));
}

// The demo

/**
 * One result as the demo shows it.
 *
 * @typedef {{url: string, title: string, confidence: string, numbers: string, words: string[]}} ShownResult
 */

/**
 * The passage of a result.
 *
 * @param {import("playwright-core").Locator} result
 */
export const readExcerpt = (result) => result.evaluate((item) => ({
  text: item.querySelector(".excerpt")?.textContent ?? "",
  marked: [...item.querySelectorAll(".excerpt mark")].map((mark) => mark.textContent ?? ""),
  href: item.querySelector("h3 a")?.getAttribute("href") ?? "",
}));

/** The status of a finished answer. */
const ANSWERED = /pages? found|similar to/;

/**
 * The demo page, as a visitor uses it. Playwright's locators check for changes only twice a second,
 * so frequent waits use functions, which notice changes immediately.
 */
export class Demo {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.text = page.getByRole("textbox", { name: "Your text" });
    this.status = page.locator("#status");
    this.trouble = page.locator("#trouble");
    this.results = page.locator("#results > li");
  }

  /**
   * Pastes a text into the empty box and waits for its results.
   *
   * @param {string} text
   */
  async paste(text) {
    await this.clear();
    await this.text.fill(text);
    return this.answer();
  }

  /** Waits until the index is open. */
  async ready() {
    await this.page.waitForFunction(() => document.getElementById("site")?.textContent?.startsWith("This site"));
  }

  /** Returns to the state before the first query. */
  async clear() {
    await this.page.getByRole("button", { name: "Clear", exact: true }).click();
    await this.page.locator("#welcome").waitFor();
  }

  /**
   * Waits until an answer or a failure is shown, and reads the results.
   *
   * @returns {Promise<ShownResult[]>}
   */
  async answer() {
    await this.page.waitForFunction((answered) => {
      const [status, trouble] = ["status", "trouble"].map((id) => document.getElementById(id)?.textContent ?? "");
      return new RegExp(answered, "i").test(status) || trouble.trim();
    }, ANSWERED.source);
    return this.shown();
  }

  /**
   * Waits until the answer for a subject of this name is shown, and reads the results.
   *
   * @param {string} name
   * @returns {Promise<ShownResult[]>}
   */
  async answerFor(name) {
    await this.page.waitForFunction(([name, answered]) => {
      const [subject, status] = ["subject", "status"].map((id) => document.getElementById(id)?.textContent ?? "");
      return subject === `Results for ${name}` && new RegExp(answered, "i").test(status);
    }, [name, ANSWERED.source]);
    return this.shown();
  }

  /**
   * Waits until a failure of this title is shown.
   *
   * @param {string} title
   * @param {string} [name] of the subject; without, no subject
   */
  async failure(title, name) {
    await this.page.waitForFunction(([title, subject]) => {
      return document.getElementById("subject")?.textContent === subject && document.querySelector("#trouble h3")?.textContent === title;
    }, [title, name ? `Results for ${name}` : "Results"]);
  }

  /**
   * Waits for the passage of the first result, which appears automatically.
   *
   * @returns {Promise<{text: string, marked: string[], href: string}>} `href`: of the link to the page
   */
  async excerpt() {
    const first = this.results.first();
    await first.locator(".excerpt").waitFor();
    return readExcerpt(first);
  }

  /** @returns {Promise<ShownResult[]>} */
  shown() {
    return this.results.evaluateAll((items) =>
      items.map((item) => ({
        url: item.querySelector(".address > span")?.textContent ?? "",
        title: item.querySelector("h3")?.textContent ?? "",
        confidence: item.querySelector(".confidence")?.textContent ?? "",
        numbers: item.querySelector(".numbers p")?.textContent ?? "",
        words: [...item.querySelectorAll(".words.shared li")].map((word) => word.textContent ?? ""),
      })),
    );
  }
}
