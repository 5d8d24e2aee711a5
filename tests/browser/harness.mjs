// @ts-check
/**
 * What every browser test needs: a built folder, `pagekin serve` over it, Chromium, and the demo as
 * a person uses it.
 *
 * `cargo xtask test --only browser` sets PAGEKIN (the program) and CHROMIUM (the browser). Folders
 * and processes made here are gone when the test file's process ends.
 *
 * @import {Browser, BrowserContextOptions, Page} from "playwright-core"
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

/** How long anything on this machine may take, in milliseconds. Generous: CI has two busy cores. */
const PATIENCE = 30_000;

/** The teaching site: what it is and which of its pages are kin is in `tests/truth.json`. */
export const TEACHING_SITE = fileURLToPath(new URL("../site", import.meta.url));

/** @param {string} name */
function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with \`cargo xtask test --only browser\``);
  return value;
}

/** The path of the `pagekin` program under test. */
export const PAGEKIN = needed("PAGEKIN");

// Folders

/** Makes a temporary folder that is removed when this process ends. */
export async function temporaryFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), "pagekin-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
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
  await promisify(execFile)(PAGEKIN, ["build", site, "-o", folder, "--quiet", ...options]);
  return folder;
}

/** @type {Promise<string> | undefined} */
let teaching;

/** The folder built from the teaching site; built once, so leave it as it is. */
export function teachingFolder() {
  teaching ??= build(TEACHING_SITE);
  return teaching;
}

/**
 * The answer of `pagekin similar --json`.
 *
 * @param {string} folder
 * @param {string[]} options
 * @param {string} [input] what its standard input says
 * @returns {Promise<{results: {url: string, title: string, similarity: number, shared_terms: string[]}[], cost: {bytes: number, requests: number, rounds: number}}>}
 */
export async function similar(folder, options, input = "") {
  const running = promisify(execFile)(PAGEKIN, ["similar", folder, "--json", ...options]);
  // A program that reads no standard input may have ended before it is written.
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input);
  return JSON.parse((await running).stdout);
}

// The server

/**
 * A running `pagekin serve`.
 *
 * @typedef {object} Served
 * @property {string} url of the demo, ending in `/`
 * @property {string} origin
 * @property {() => Promise<void>} stop
 */

/**
 * Starts `pagekin serve` on a free port.
 *
 * @param {string} folder
 * @param {{site?: string}} [options] `site`: also serves that folder's pages
 * @returns {Promise<Served>}
 */
export async function serve(folder, { site } = {}) {
  const child = spawn(PAGEKIN, ["serve", folder, "--port", "0", ...(site ? ["--site", site] : [])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const kill = () => child.kill();
  process.on("exit", kill);
  let errors = "";
  child.stderr.on("data", (data) => errors += data);

  const line = await Promise.race([
    once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(PATIENCE) }).then(([line]) => line),
    ended.then(([code]) => {
      throw new Error(`pagekin serve ended with ${code}: ${errors}`);
    }),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(line)?.[0];
  if (!url) {
    child.kill();
    throw new Error(`expected an address in the first line of pagekin serve, found: ${line}`);
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

/** Starts Chromium without a window, and without errands of its own. */
export function launch() {
  return chromium.launch({
    executablePath: needed("CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/**
 * A page in a fresh browser profile, and what went wrong in it so far.
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
    if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => problems.push(`exception: ${error.error().stack}`));
  context.on("request", (request) => {
    const target = new URL(request.url());
    if (/^(http|ws)/.test(target.protocol) && target.origin !== origin) problems.push(`request to ${target.origin}: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  context.on("requestfailed", (request) => {
    // A later query cancels an earlier one's requests: that is meant.
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
  return { page, problems, close: () => context.close() };
}

// The demo

/**
 * One result as the demo shows it.
 *
 * @typedef {{url: string, title: string, percent: string, words: string[]}} ShownResult
 */

/** The demo page, as a person uses it. */
export class Demo {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.text = page.getByLabel("Your text");
    this.status = page.locator("#status");
    this.trouble = page.locator("#trouble");
    this.results = page.locator("#results > li");
  }

  /**
   * Pastes a text into the empty box and waits for its kin.
   *
   * @param {string} text
   */
  async paste(text) {
    await this.clear();
    await this.text.fill(text);
    return this.answer();
  }

  /** Goes back to the state before the first question. */
  async clear() {
    await this.page.getByRole("button", { name: "Clear", exact: true }).click();
    await this.page.locator("#welcome").waitFor();
  }

  /**
   * Waits until an answer is shown, and reads it.
   *
   * @returns {Promise<ShownResult[]>}
   */
  async answer() {
    await this.status.filter({ hasText: /\d+ ms|\d s/ }).or(this.trouble.filter({ hasText: /\S/ })).first().waitFor();
    return this.results.evaluateAll((items) =>
      items.map((item) => ({
        url: item.querySelector(".address")?.textContent ?? "",
        title: item.querySelector("h3")?.textContent ?? "",
        percent: item.querySelector(".percent")?.firstChild?.textContent ?? "",
        words: [...item.querySelectorAll(".words li")].map((word) => word.textContent ?? ""),
      })),
    );
  }
}
