// @ts-check
/** A program that is older than its sources is not tested. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { stale } from "./freshness.mjs";

test("a program is used as long as its sources are not newer", async (t) => {
  const place = await mkdtemp(path.join(tmpdir(), "pagekin-"));
  t.after(() => rm(place, { recursive: true }));
  /** @param {string} name @param {number} second */
  const write = async (name, second) => {
    const file = path.join(place, name);
    await writeFile(file, "");
    await utimes(file, 1_000_000 + second, 1_000_000 + second);
    return file;
  };
  await mkdir(path.join(place, "lab"));
  const program = await write("pagekin", 5);
  const sources = [await write("main.rs", 1), await write("with space.rs", 5), path.join(place, "lab")];
  await write("lab/a.js", 2);
  await utimes(sources[2], 1_000_002, 1_000_002);
  assert.equal(stale(program), undefined, "its sources are unknown");
  await writeFile(`${program}.d`, `${program}: ${sources.map((name) => name.replaceAll(" ", "\\ ")).join(" ")}\n`);
  assert.equal(stale(program), undefined);
  for (const [name, named] of [["main.rs", "main.rs"], ["with space.rs", "with space.rs"], ["lab/a.js", "lab"]]) {
    await write(name, 6);
    assert.match(stale(program) ?? "", new RegExp(`older than its sources: .*${named} was changed.*0 others; run .cargo xtask test`));
    await write(name, 5);
  }
  await rm(sources[1]);
  assert.match(stale(program) ?? "", /with space\.rs was changed or removed/);
});
