#!/usr/bin/env node
// Starts the pagekin program, which lies in a package of its own for each platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const require = createRequire(import.meta.url);

function program() {
  if (process.env.PAGEKIN_BINARY) return process.env.PAGEKIN_BINARY;
  const name = `@pagekin/${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "pagekin.exe" : "pagekin";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    return fail(`${reason(name)} Other ways to install it are \`pip install pagekin\` and \`cargo install pagekin\`; PAGEKIN_BINARY may name a program that is there.`);
  }
}

/** @param {string} name */
function reason(name) {
  const { optionalDependencies } = require("../package.json");
  if (!(name in optionalDependencies)) {
    const platforms = Object.keys(optionalDependencies).map((built) => built.replace("@pagekin/", ""));
    return `expected one of the platforms that pagekin is built for (${platforms.join(", ")}), found ${process.platform}-${process.arch}.`;
  }
  return `expected the package ${name}, which has the program for this platform, but it is not installed. Install without \`--omit=optional\` (\`--no-optional\`); if the lock file or node_modules comes from another system, delete node_modules and install again.`;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot start ${path}: ${error.message}`));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    // Ctrl-C reaches the program from the terminal as well, and a second one means: at once.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code ?? 1));
