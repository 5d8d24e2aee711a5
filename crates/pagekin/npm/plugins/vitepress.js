// @ts-check
/**
 * The VitePress plugin, a plugin of its Vite. It wraps two components of the default theme whose
 * names VitePress documents for overrides, so that it also works in themes that extend this one.
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { index, properties, scripts, serve, settle } from "./core.js";

const COMPONENTS = /theme-default[/\\]components[/\\][^/\\]+\.vue(\?|$)/;
const OWN = "\0pagekin:";

/** Configured sites. The configuration of a build is resolved again for the server bundle. */
const done = new WeakSet();

/** @type {typeof import("./vitepress.js").default} */
export default function pagekin(options) {
  /** @type {any} */
  let site;
  /** @type {import("./core.js").Settings} */
  let settings;
  return {
    name: "pagekin",
    enforce: "pre",
    configResolved(config) {
      site = config.vitepress;
      if (!site) throw new Error("pagekin/vitepress: this is not a VitePress site. For other Vite sites, use pagekin/vite");
      settings = settle(options, Boolean(site.site.themeConfig?.search ?? site.site.themeConfig?.algolia));
      if (done.has(site)) return;
      done.add(site);
      site.site.head.push(...scripts(settings, site.site.base).map((src) => ["script", { type: "module", src }]));
      const { buildEnd } = site;
      site.buildEnd = async (/** @type {any} */ built) => {
        await buildEnd?.(built);
        const clean = built.cleanUrls ? { cleanUrls: true } : {};
        await index({ ...settings, build: { ...clean, ...settings.build } }, built.outDir, built.site.base);
      };
    },
    configureServer(server) {
      server.middlewares.use(serve(settings, site.outDir, site.site.base));
    },
    resolveId(source, importer) {
      if (!importer || importer.startsWith(OWN) || !COMPONENTS.test(importer)) return undefined;
      const file = path.posix.basename(source);
      const isOurs = (file === "VPDoc.vue" && settings.related) || (file === "VPNavBarSearch.vue" && settings.box);
      return isOurs ? `${OWN}${path.resolve(path.dirname(importer), source)}.js` : undefined;
    },
    load(id) {
      if (!id.startsWith(OWN)) return undefined;
      const file = id.slice(OWN.length, -".js".length);
      const style = fileURLToPath(new URL("./vitepress.css", import.meta.url));
      const start = `import { h } from "vue";\nimport ${JSON.stringify(style)};\n`;
      if (file.endsWith("VPNavBarSearch.vue")) {
        return `${start}export default () => h("div", { class: "pagekin-search" }, h("pagekin-box", ${JSON.stringify(properties(settings.box ?? {}))}));\n`;
      }
      return `${start}import VPDoc from ${JSON.stringify(file)};
export default (_, { slots }) => h(VPDoc, null, {
  ...slots,
  "doc-after": () => [slots["doc-after"]?.(), h("pagekin-related", ${JSON.stringify(properties(settings.related ?? {}))})],
});\n`;
    },
  };
}
