import { readFile } from "node:fs/promises";
import { HtmlBasePlugin, InputPathToUrlTransformPlugin } from "@11ty/eleventy";

export default function (eleventy) {
  eleventy.addPlugin(HtmlBasePlugin);
  eleventy.addPlugin(InputPathToUrlTransformPlugin);
  eleventy.addPassthroughCopy({ "style.css": "style.css" });
  eleventy.addGlobalData("layout", "page.njk");
  eleventy.addGlobalData("related", async () => JSON.parse(await readFile("related.json", "utf8").catch(() => "{}")));
  return {
    dir: { input: "content", includes: "../_includes" },
    pathPrefix: process.env.BASE,
    markdownTemplateEngine: false,
  };
}
