/** Builds the site from the documents of the repository; `cargo xtask site` runs it. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { HtmlBasePlugin } from "@11ty/eleventy";
import { CONTENTS, documents, partsOfStart, read, REPOSITORY, ROOT, START, targetOf } from "./documents.js";
import { markdown, plainTextOf, tokensOf } from "./markdown.js";

/** The folder of the index, its client, the demo and the lab. */
// GitHub Pages serves the site below a folder with this name, which Eleventy mistakes for the site
// itself. So links to the folder name index.html.
const INDEX = "/pagekin/";
/** The related pages that `pagekin build` found, after it has run. */
const RELATED = process.env.RELATED ?? "";
const DEPTH = { h2: 2, h3: 3 };

/** @param {import("@11ty/eleventy/UserConfig").default} eleventy */
export default function (eleventy) {
  /** Images next to documents, by URL path. */
  const shown = new Map();

  const resolve = (/** @type {string} */ source, /** @type {string} */ link) => {
    const target = targetOf(source, link);
    if (!target) return link;
    const { file, anchor, isFolder } = target;
    const hash = anchor && `#${anchor}`;
    const page = documents.byFile.get(isFolder ? path.posix.join(file, "README.md") : file);
    if (page) return page.file === source && hash ? hash : page.url + hash;
    if (/\.(png|svg)$/.test(file)) {
      const address = `/images/${path.basename(file)}`;
      if (shown.has(address) && shown.get(address) !== file) throw new Error(`${file} and ${shown.get(address)} would both be at ${address}`);
      shown.set(address, file);
      return address;
    }
    return `${REPOSITORY}/${isFolder ? "tree" : "blob"}/main/${file}${hash}`;
  };
  const it = markdown(resolve);

  eleventy.addPlugin(HtmlBasePlugin);
  eleventy.setLibrary("md", it);
  eleventy.addPassthroughCopy({ assets: "assets" });

  documents.inOrder.concat(documents.byFile.get(CONTENTS)).forEach((document, at) => {
    const { file, url, title } = document;
    const text = read(file);
    eleventy.addTemplate(`${url.slice(1)}page.md`, text, {
      layout: "document.njk",
      permalink: `${url}index.html`,
      source: file,
      title,
      description: descriptionOf(text),
      headings: headingsOf(it, text, file),
      previous: documents.inOrder[at - 1],
      next: documents.inOrder[at + 1],
    });
  });

  eleventy.addGlobalData("index", INDEX);
  eleventy.addGlobalData("repository", REPOSITORY);
  eleventy.addGlobalData("sections", documents.sections);
  eleventy.addGlobalData("start", () => {
    const { lead, sections } = partsOfStart();
    const env = { source: START };
    return {
      lead: it.renderInline(lead, env),
      description: descriptionOf(lead),
      sections: sections.map(({ name, text }) => ({ name, html: it.render(text, { ...env }) })),
    };
  });
  eleventy.addGlobalData("related", () => (RELATED && existsSync(RELATED) ? JSON.parse(readFileSync(RELATED, "utf8")) : {}));
  /** The URL of an asset. It changes with the content, because browsers cache files for minutes. */
  eleventy.addFilter("asset", (name) => `/assets/${name}?${hashOf(name)}`);
  eleventy.addFilter("isWithin", (entry, url) => entry.url === url || entry.below.some((one) => one.url === url));
  eleventy.on("eleventy.after", async ({ directories }) => {
    const { copyFile, mkdir } = await import("node:fs/promises");
    for (const [address, file] of shown) {
      const to = path.join(directories.output, address);
      await mkdir(path.dirname(to), { recursive: true });
      await copyFile(path.join(ROOT, file), to);
    }
  });

  return {
    dir: { input: "pages", includes: "../layouts", output: process.env.OUTPUT },
    pathPrefix: process.env.BASE,
    markdownTemplateEngine: false,
  };
}

/** @param {string} name */
function hashOf(name) {
  return createHash("sha256").update(readFileSync(new URL(`assets/${name}`, import.meta.url))).digest("hex").slice(0, 8);
}

/** Returns the first paragraph of a document without markup. @param {string} text */
function descriptionOf(text) {
  const tokens = tokensOf(text);
  const at = tokens.findIndex(({ type }) => type === "paragraph_open");
  return plainTextOf(tokens[at + 1]).replace(/\s+/g, " ").replace(/:$/, ".");
}

/** Returns the headings to list for a page. */
function headingsOf(it, text, source) {
  const tokens = it.parse(text, { source });
  return tokens.flatMap((token, at) => {
    if (token.type !== "heading_open" || !DEPTH[token.tag]) return [];
    return [{ id: token.attrGet("id"), depth: DEPTH[token.tag], text: plainTextOf(tokensOf(tokens[at + 1].content)[1]) }];
  });
}
