// @ts-check
/** The Eleventy plugin: adds related pages at the end of `<main>`, and the box of a template. */
import { existsSync } from "node:fs";
import path from "node:path";
import { element, index, NO_INDEX, scripts, settle } from "./core.js";

/** @type {typeof import("./eleventy.js").default} */
export default function pagekin(eleventy, options) {
  // The template decides where the box is, so it is always enabled.
  const settings = settle({ box: true, ...options });
  const isServed = () => process.env.ELEVENTY_RUN_MODE !== "build";
  eleventy.addTransform("pagekin", function (/** @type {string} */ content) {
    if (!this.page.outputPath || !/\.html?$/.test(this.page.outputPath)) return content;
    let html = content;
    if (settings.related && !html.includes("<pagekin-related")) {
      html = html.replace(/<\/main>(?![\s\S]*<\/main>)/i, (end) => `${element("pagekin-related", settings.related ?? {})}\n${end}`);
    }
    if (settings.box) {
      html = html.replace(/<pagekin-box\s*><\/pagekin-box>/gi, element("pagekin-box", settings.box));
    }
    const has = { related: html.includes("<pagekin-related"), box: html.includes("<pagekin-box") };
    const needed = { ...settings, related: has.related ? settings.related ?? {} : undefined, box: has.box ? settings.box ?? {} : undefined };
    const folder = path.join(eleventy.directories.output, settings.folder);
    const tags = isServed() && !existsSync(folder)
      ? [`<script>console.info(${JSON.stringify(NO_INDEX)})</script>`]
      : scripts(needed, eleventy.getFilter("url")("/")).map((src) => `<script type="module" src="${src}"></script>`);
    return html.replace(/<\/head>/i, (end) => `${tags.join("\n")}\n${end}`);
  });
  eleventy.on("eleventy.after", async (/** @type {any} */ { directories, runMode, outputMode }) => {
    if (runMode !== "build" || outputMode !== "fs") return;
    await index(settings, directories.output, eleventy.getFilter("url")("/"));
  });
}
