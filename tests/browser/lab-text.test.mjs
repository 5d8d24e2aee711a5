// @ts-check
/**
 * The text of the lab: a number that is typed into a page is in the list of the glossary, with its
 * source, and the notebook is the pages' Python.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const LAB = new URL("../../www/lab/", import.meta.url);
const pages = (await readdir(LAB)).filter((name) => name.endsWith(".html"));
/** @param {string} name */
const read = (name) => readFile(new URL(name, LAB), "utf8");

/**
 * Returns the numbers of a page that a script does not fill in, except in code, formulas and the
 * years, chapters and sections of papers.
 *
 * @param {string} html
 */
function typedNumbers(html) {
  let text = html.replace(/^.*?<main>|<footer>.*$|<tbody id="sources">.*?<\/tbody>|<cite>.*?<\/cite>/gs, "");
  for (const name of ["pre", "code", "math", "svg", "select", "textarea"]) text = text.replace(new RegExp(`<${name}\\b[^>]*>.*?</${name}>`, "gs"), " ");
  text = text.replace(/<(\w+)\b[^>]*\bdata-v="[^"]*"[^>]*>.*?<\/\1>/gs, " ");
  text = text.replace(/<sup>(\d+)<\/sup>/g, (_, digits) => [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join(""));
  text = text.replace(/<[^>]*>/g, (tag) => (/^<\/?(sub|sup|i|b|em)\b/.test(tag) ? "" : " ")).replace(/&[a-z]+;|&#\d+;/g, " ");
  text = text.replace(/\b(19|20)\d\d\b(?=[^.]*\))|\b(chapter|sections?) \d+( and \d+)?/g, " ");
  return [...new Set(text.match(/\d+(?:[,.]\d+)*[⁰¹²³⁴-⁹]*/g) ?? [])].sort();
}

test("a typed number is found, and a computed one is not one", () => {
  const html = '<main><p>Of <b data-v="n"></b> draws, 17 agree (Broder 1997), 2<sup>32</sup> or 6,400 don’t (see chapter 3).</p><pre>99</pre></main><footer>3</footer>';
  assert.deepEqual(typedNumbers(html), ["17", "2³²", "6,400"]);
});

test("each number that is typed into a page of the lab is listed with its source", async () => {
  const glossary = await read("glossary.html");
  const rows = [...glossary.matchAll(/<tr><th scope="row">([^<]*)<\/th><td>([^<]*)<\/td><td>([^<]+)<\/td><\/tr>/g)];
  assert.ok(rows.length > 10);
  assert.ok(pages.length >= 10);
  for (const page of pages) {
    const listed = rows.filter(([, of]) => of === page).flatMap(([, , numbers]) => numbers.split(" · ")).sort();
    assert.deepEqual(typedNumbers(await read(page)), listed, `${page}: the typed numbers, and those that glossary.html lists`);
  }
  assert.deepEqual([...new Set(rows.map(([, of]) => of))].filter((of) => !pages.includes(of)), []);
});

test("no page of the lab has the words that its style avoids", async () => {
  const avoided = /\b(alike|anew|so many|at hand|whoever|left away|passed over|taken for|told|tells|kin|strangers|beside|for ever|once more|stands? (?:in|on|for)|is none|looked for)\b/gi;
  for (const page of pages) {
    const text = (await read(page)).replace(/<pre.*?<\/pre>|<p id="spare".*?<\/p>/gs, "").replace(/<[^>]*>/g, " ");
    assert.deepEqual(text.match(avoided) ?? [], [], page);
  }
});

test("the notebook has the functions of the pages", async () => {
  const { cells, nbformat } = JSON.parse(await read("lab.ipynb"));
  assert.equal(nbformat, 4);
  const code = cells.filter((/** @type {any} */ { cell_type }) => cell_type === "code").map((/** @type {any} */ { source }) => source.join("")).join("\n");
  for (const name of ["minhash", "lsh", "center", "copies"]) {
    const html = await read(`${name}.html`);
    const python = /<code data-python="[^"]*">(.*?)<\/code>/s.exec(html)?.[1].replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") ?? "";
    const functions = python.split(/^(?=def )/m).filter((one) => one.startsWith("def ")).map((one) => one.replace(/^(?! |def ).*(?:\n|$)(?: .*\n?)*/gm, "").trim());
    assert.ok(functions.length > 1, name);
    for (const one of functions) assert.ok(code.includes(one), `${name}: ${one}`);
  }
});
