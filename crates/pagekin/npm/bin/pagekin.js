#!/usr/bin/env node
// Starts the pagekin program.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findProgram } from "../plugins/program.js";

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}

function program() {
  try {
    return findProgram();
  } catch (/** @type {any} */ { message }) {
    return fail(message);
  }
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot start ${path}: ${error.message}`));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    // The terminal sends Ctrl-C to the program too. A second one would make it exit immediately.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code ?? 1));
