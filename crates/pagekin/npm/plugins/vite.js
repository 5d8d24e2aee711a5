// @ts-check
/** The Vite plugin: indexes a site of HTML pages. @import {Settings} from "./core.js" */
import path from "node:path";
import { index, scripts, serve, settle } from "./core.js";

/** @type {typeof import("./vite.js").default} */
export default function pagekin(options) {
  const settings = settle(options);
  /** @type {any} */
  let config;
  return {
    name: "pagekin",
    configResolved(resolved) {
      config = resolved;
    },
    configureServer(server) {
      server.middlewares.use(serve(settings, out(config), config.base));
    },
    transformIndexHtml() {
      return scripts(settings, config.base).map((src) => ({ tag: "script", attrs: { type: "module", src }, injectTo: "head" }));
    },
    closeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        if (config.command === "build" && !config.build.ssr) await index(settings, out(config), config.base);
      },
    },
  };
}

/** @param {any} config */
const out = (config) => path.resolve(config.root, config.build.outDir);
