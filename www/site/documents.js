/**
 * Lists the documents of the site, their order and their URLs: the links of
 * crates/pagekin/docs/README.md by section, followed by the links of README.md under "More". No
 * document is listed twice.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addressOf, plainTextOf, tokensOf } from "./markdown.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CONTENTS = "crates/pagekin/docs/README.md";
export const START = "README.md";
/** The heading of README.md whose links are not in the contents. */
const MORE = "More";

/** The URL of the repository. */
export const REPOSITORY = /^repository = "(.+)"$/m.exec(read("Cargo.toml"))?.[1];
if (!REPOSITORY) throw new Error("expected the URL of the repository in Cargo.toml, as repository = \"…\"");

/** @param {string} file a path in the repository */
export function read(file) {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/**
 * Resolves a link of a document.
 *
 * @param {string} source the document, as a path in the repository
 * @param {string} link
 * @returns {{file: string, anchor: string, isFolder: boolean} | undefined} nothing for other sites
 */
export function targetOf(source, link) {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [name, anchor = ""] = link.split("#");
  const file = name ? path.posix.join(path.posix.dirname(source), name) : source;
  const place = path.join(ROOT, file);
  if (file.startsWith("..") || !existsSync(place)) throw new Error(`${source}: the link ${link} leads to ${file}, which does not exist`);
  return { file, anchor, isFolder: statSync(place).isDirectory() };
}

/**
 * Returns the path of a document on the site. `crates/pagekin/docs/a/b.md` is at `/docs/a/b/`;
 * other documents are named after their files or folders.
 *
 * @param {string} file
 */
function placeOf(file) {
  if (file === START) return "/";
  const below = path.posix.relative(path.posix.dirname(CONTENTS), file);
  if (!below.startsWith("..")) return addressOf(`/docs/${below.replace(/(^|\/)README\.md$/, "$1").replace(/\.md$/, "/")}`);
  const { name } = path.posix.parse(file);
  const folders = path.posix.dirname(file).split("/").filter((folder) => folder !== "src");
  return addressOf(`/docs/${(name === "README" ? folders.at(-1) : name).toLowerCase()}/`);
}

/**
 * @typedef {object} Entry of the navigation
 * @property {string} file
 * @property {string} url
 * @property {string} label the text of links to it
 * @property {string} title its first heading
 * @property {Entry[]} below linked documents of the same folder
 */

/**
 * Whether a label starts with a name, such as pagekin or mdBook, whose case must stay.
 *
 * @param {string} label
 */
function isName(label) {
  return /^(pagekin|\w+[A-Z])/.test(label);
}

/** @returns {{sections: {name: string, entries: Entry[]}[], byFile: Map<string, Entry>, inOrder: Entry[]}} */
function order() {
  /** @type {Map<string, Entry>} */
  const byFile = new Map();
  const add = (/** @type {string} */ file, /** @type {string} */ label) => {
    const title = plainTextOf(tokensOf(read(file)).find((token, at, all) => all[at - 1]?.type === "heading_open" && all[at - 1].tag === "h1"));
    const url = placeOf(file);
    const taken = [...byFile.values()].find((entry) => entry.url === url);
    if (taken) throw new Error(`${file} and ${taken.file} would both be at ${url}`);
    const entry = { file, url, label: isName(label) ? label : label.charAt(0).toUpperCase() + label.slice(1), title, below: [] };
    byFile.set(file, entry);
    return entry;
  };
  add(START, "pagekin");
  add(CONTENTS, "Documentation");
  const sections = [...sectionsOf(CONTENTS), { name: "Project", links: sectionsOf(START).find(({ name }) => name === MORE)?.links ?? [] }];
  const made = sections.map(({ name, links }) => {
    /** @type {Entry[]} */
    const entries = [];
    for (const { file, text } of links) {
      if (byFile.has(file) || !file.endsWith(".md")) continue;
      const entry = add(file, text);
      const parent = entries.findLast((one) => one.file.endsWith("/README.md") && path.posix.dirname(one.file) === path.posix.dirname(file));
      (parent?.below ?? entries).push(entry);
    }
    return { name, entries };
  });
  const inOrder = made.flatMap(({ entries }) => entries).flatMap((entry) => [entry, ...entry.below]);
  return { sections: made.filter(({ entries }) => entries.length), byFile, inOrder };
}

/** Lists the links under each second-level heading. @param {string} source */
function sectionsOf(source) {
  /** @type {{name: string, links: {file: string, text: string}[]}[]} */
  const sections = [];
  const tokens = tokensOf(read(source));
  tokens.forEach((token, at) => {
    if (token.type === "heading_open" && token.tag === "h2") sections.push({ name: plainTextOf(tokens[at + 1]), links: [] });
    const links = sections.at(-1)?.links;
    if (token.type !== "inline" || !links) return;
    token.children.forEach((child, from) => {
      const target = child.type === "link_open" && targetOf(source, child.attrGet("href"));
      if (!target) return;
      const inner = token.children.slice(from + 1, token.children.findIndex((end, to) => to > from && end.type === "link_close"));
      links.push({ file: target.file, text: plainTextOf({ children: inner }) });
    });
  });
  return sections;
}

export const documents = order();

/** Splits README.md into its lead and its sections. */
export function partsOfStart() {
  const [top, ...sections] = read(START).split(/^(?=## )/m);
  const lead = top.split("\n\n").find((block) => !block.startsWith("#") && !block.startsWith("!["));
  if (!lead || !sections.length) throw new Error(`${START}: expected a paragraph under the title, and sections`);
  return {
    lead,
    sections: sections.map((text) => ({ name: /^## (.+)/.exec(text)[1], text })).filter(({ name }) => name !== MORE),
  };
}
