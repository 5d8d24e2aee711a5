// @ts-check
/**
 * Whether a program is made of the sources as they are: the rule of `src/freshness.rs`, for the
 * browser tests.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/**
 * What is wrong with a program that was made before the last change of what it was made of, which
 * cargo lists beside it; of one without a list, nothing is known.
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

/** When something was last changed; the last of all in a folder. @param {string} source @returns {number} */
function changed(source) {
  const stat = statSync(source);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(source).map((name) => changed(path.join(source, name))));
}
