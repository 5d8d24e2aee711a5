import { HtmlBasePlugin, InputPathToUrlTransformPlugin } from "@11ty/eleventy";
import pagekin from "pagekin/eleventy";

export default function (eleventy) {
  eleventy.addPlugin(pagekin);
  eleventy.addPlugin(HtmlBasePlugin);
  eleventy.addPlugin(InputPathToUrlTransformPlugin);
  eleventy.addPassthroughCopy({ "style.css": "style.css" });
  eleventy.addGlobalData("layout", "page.njk");
  return {
    dir: { input: "content", includes: "../_includes" },
    pathPrefix: process.env.BASE,
    markdownTemplateEngine: false,
  };
}
