/**
 * Checks the links within a built site: `node links.js FOLDER BASE`. It reads all pages, including
 * the demo and the lab.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Parser } from "htmlparser2";

const [folder, base] = process.argv.slice(2);
const host = "http://site.invalid";

/** Returns the links and ids of a page. @param {string} file */
function namesOf(file) {
  /** @type {string[]} */
  const links = [];
  const ids = new Set();
  const parser = new Parser({
    onopentag(_, { id, href, src }) {
      if (id) ids.add(id);
      for (const link of [href, src]) if (link !== undefined) links.push(link);
    },
  });
  parser.end(readFileSync(path.join(folder, file), "utf8"));
  return { links, ids };
}

const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
const pages = new Map(files.map((file) => [file.replaceAll(path.sep, "/"), namesOf(file)]));
const broken = [];
let count = 0;
for (const [page, { links }] of pages) {
  // The teaching site is made to be at the root of a host; its lab is not.
  if (/^teaching\/(?!pagekin\/)/.test(page)) continue;
  for (const link of links) {
    const { origin, pathname, hash, protocol } = new URL(link, host + base + page);
    if (origin !== host) {
      if (!["https:", "data:"].includes(protocol)) broken.push(`${page}: expected a URL of the site, or one with https, found ${link}`);
      continue;
    }
    count += 1;
    if (!pathname.startsWith(base)) {
      broken.push(`${page}: ${link} is not below ${base}`);
      continue;
    }
    const name = decodeURIComponent(pathname.slice(base.length)).replace(/(^|\/)$/, "$1index.html");
    const id = decodeURIComponent(hash.slice(1));
    if (!statSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile()) broken.push(`${page}: ${link} leads to ${name}, which does not exist`);
    else if (id && pages.has(name) && !pages.get(name).ids.has(id)) broken.push(`${page}: ${link} leads to an id that ${name} does not contain`);
  }
}
if (!count) broken.push(`expected pages with links in ${folder}, found none`);
for (const one of broken) console.error(one);
console.log(`${count} links within the site, on ${pages.size} pages: ${broken.length} broken`);
process.exitCode = broken.length ? 1 : 0;
