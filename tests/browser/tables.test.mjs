// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { place, slowTable, within, wordsTables } from "../benches/tables.mjs";

test("a page has the place of the result that names it or a copy of it", () => {
  const found = [["a.html"], ["b.html", "old/b.html"], ["topics/"]];
  assert.equal(place(found, ["c.html"]), null);
  assert.equal(place(found, ["c.html", "b.html"]), 2);
  assert.equal(place(found, ["old/b.html"]), 2);
  assert.equal(place(found, ["topics/index.html"]), 3);
  assert.equal(place(found, ["topics/myindex.html"]), null);
});

test("benches count the queries of each kind up to a place", () => {
  const queries = [["typo", 1], ["typo", 4], ["topic", 3], ["topic", null]].map(([kind, place], at) =>
    ({ query: `q${at}`, kind: String(kind), place: /** @type {number | null} */ (place), first: null }));
  assert.deepEqual([1, 3, 10].map((last) => within(queries, last)), [1, 2, 3]);
  const tables = wordsTables([{ site: "/a/b/html", pages: 9, programs: [{ program: "pagekin", queries, typos: queries.slice(1, 3), names: queries.slice(0, 2) }] }], { quality: true, misses: true });
  assert.match(tables, /\| b\/html, 9 pages \| pagekin \| 0.25 0.50 0.75 \| 1 of 2 \| 1 of 2 \| 1 of 2 \| 0.50 0.50 1.00 \(2\) \|/);
  assert.match(tables, /q1 \(typo\): at 4; first nothing\n {2}q3 \(topic\): not found/);
});

test("benches refuse numbers that were not measured", () => {
  assert.throws(() => slowTable([{ site: "html", runs: [{ compresses: true, bytes: {} }] }]), /expected a number at bytes.page/);
});
