// @ts-check
/**
 * Checks whether a program is up to date with its sources, by the rule of `src/freshness.rs`, for
 * the browser tests.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Returns what is wrong with a program that is older than its sources, which cargo lists next to
 * it. Returns nothing if there is no list.
 *
 * @param {string} program
 */
export function stale(program) {
  const list = program.replace(/(\.exe)?$/, ".d");
  if (!existsSync(list)) return undefined;
  const [rule] = readFileSync(list, "utf8").split("\n", 1);
  const sources = rule.slice(rule.indexOf(": ") + 2).split(/(?<!\\) /).map((name) => name.replaceAll("\\ ", " "));
  const made = statSync(program).mtimeMs;
  const newer = sources.filter((source) => !existsSync(source) || changed(source) > made);
  if (!newer.length) return undefined;
  return `${program} is older than its sources: ${newer[0]} was changed or removed after it was built, and so were ${newer.length - 1} others; `
    + "run `cargo xtask test NAME`, which builds what a test needs";
}

/**
 * Returns when a file, or the newest file in a folder, was last changed.
 *
 * @param {string} source @returns {number}
 */
function changed(source) {
  const stat = statSync(source);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(source).map((name) => changed(path.join(source, name))));
}
