// @ts-check
/** The Docusaurus plugin: adds related pages below documents, and the box instead of the search. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { index, NO_INDEX, properties, scripts, settle } from "./core.js";

/** @type {typeof import("./docusaurus.js").default} */
export default function pagekin({ siteConfig, outDir }, { id: _, ...options } = {}) {
  const settings = settle(options, Boolean(siteConfig.themeConfig?.algolia));
  const folder = path.join(outDir, settings.folder);
  const isMissing = process.env.NODE_ENV === "development" && !existsSync(folder);
  const theme = settings.related && settings.box ? "all" : settings.related ? "related" : "box";
  return {
    name: "pagekin",
    getThemePath: () => (settings.related || settings.box ? fileURLToPath(new URL(`./docusaurus/${theme}`, import.meta.url)) : undefined),
    getClientModules: () => [fileURLToPath(new URL("./docusaurus/style.css", import.meta.url))],
    contentLoaded({ actions }) {
      actions.setGlobalData({ related: settings.related && properties(settings.related), box: settings.box && properties(settings.box) });
    },
    injectHtmlTags() {
      if (isMissing) return { headTags: [`<script>console.info(${JSON.stringify(NO_INDEX)})</script>`] };
      const tags = scripts(settings, siteConfig.baseUrl).map((src) => ({ tagName: "script", attributes: { type: "module", src } }));
      return { headTags: tags };
    },
    configureWebpack() {
      const publicPath = `${siteConfig.baseUrl}${settings.folder}/`;
      return isMissing ? {} : { devServer: { static: [{ directory: folder, publicPath, watch: false }] } };
    },
    async postBuild({ outDir, siteConfig: { trailingSlash, baseUrl } }) {
      const clean = trailingSlash === false ? { cleanUrls: true } : {};
      await index({ ...settings, build: { ...clean, ...settings.build } }, outDir, baseUrl);
    },
  };
}
