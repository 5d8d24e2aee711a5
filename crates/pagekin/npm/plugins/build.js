// @ts-check
/**
 * Builds an index from pages of a program, without files in between: `pagekin build -`. With the
 * folder of a site, from both.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram } from "./program.js";

/** @import {BuildSummary, PageRecord} from "./build.js" */

/** @type {typeof import("./build.js").IndexBuilder} */
export class IndexBuilder {
  #program;
  /** Its exit, with what it printed. @type {Promise<[code: number | null, output: string, problem: string]>} */
  #done;

  /** @param {string} output @param {readonly string[]} [options] of `pagekin build` @param {string} [site] folder of more pages */
  constructor(output, options = [], site) {
    const input = site === undefined ? ["-"] : [site, "--records", "-"];
    const program = this.#program = spawn(findProgram(), ["build", ...input, "--output", output, "--json", ...options], { stdio: ["pipe", "pipe", "pipe"] });
    const printed = { out: "", err: "" };
    program.stdout.setEncoding("utf8").on("data", (text) => { printed.out += text; });
    program.stderr.setEncoding("utf8").on("data", (text) => { printed.err += text; });
    // If the program ends before it has read everything, its exit has the reason.
    program.stdin.on("error", () => {});
    this.#done = new Promise((resolve, reject) => {
      program.once("error", reject);
      program.once("close", (code) => resolve([code, printed.out, printed.err]));
    });
    this.#done.catch(() => {}); // `write` rejects
  }

  /** @param {PageRecord} record */
  async addRecord(record) {
    const { stdin } = this.#program;
    if (!stdin.destroyed && !stdin.write(`${JSON.stringify(record)}\n`)) await Promise.race([once(stdin, "drain").catch(() => {}), this.#done]);
  }

  /** @param {string} url @param {string} html */
  addFile(url, html) {
    return this.addRecord({ url, html });
  }

  /** @returns {Promise<BuildSummary>} */
  async write() {
    this.#program.stdin.end();
    const [code, output, problem] = await this.#done;
    if (code !== 0) throw new Error(problem.trim() || `pagekin build ended with exit code ${code}`);
    if (problem) console.warn(problem.trim());
    return JSON.parse(output);
  }
}
