// @ts-check
/** The Astro integration: indexes the site and adds the scripts of the elements to its pages. */
import { fileURLToPath } from "node:url";
import { index, properties, serve, settle } from "./core.js";

const SETTINGS = "virtual:pagekin/settings";

/** @type {typeof import("./astro.js").default} */
export default function pagekin(options) {
  const settings = settle(options);
  let base = "/";
  /** @type {string} */
  let out;
  return {
    name: "pagekin",
    hooks: {
      "astro:config:setup"({ injectScript, updateConfig }) {
        // The components for Starlight import this module.
        const given = `export const related = ${JSON.stringify(settings.related && properties(settings.related))};\nexport const box = ${JSON.stringify(settings.box && properties(settings.box))};\n`;
        const plugin = {
          name: "pagekin",
          resolveId: (/** @type {string} */ id) => (id === SETTINGS ? `\0${SETTINGS}` : undefined),
          load: (/** @type {string} */ id) => (id === `\0${SETTINGS}` ? given : undefined),
        };
        updateConfig({ vite: { plugins: [plugin], ssr: { noExternal: ["pagekin"] } } });
        injectScript("page", pageScript(settings));
      },
      "astro:config:done"({ config }) {
        base = config.base.replace(/\/?$/, "/");
        out = fileURLToPath(config.outDir);
      },
      "astro:server:setup"({ server }) {
        server.middlewares.use(serve(settings, out, base));
      },
      async "astro:build:done"({ dir }) {
        await index(settings, fileURLToPath(dir), base);
      },
    },
  };
}

/**
 * @param {import("./core.js").Settings} settings
 */
function pageScript({ related, box, folder }) {
  const lines = [`const folder = import.meta.env.BASE_URL.replace(/\\/?$/, "/") + ${JSON.stringify(`${folder}/`)};`];
  for (const [name, wanted] of Object.entries({ related, box })) {
    if (!wanted) continue;
    const client = fileURLToPath(new URL(`../client/${name}.js`, import.meta.url));
    lines.unshift(`import { define as ${name} } from ${JSON.stringify(client)};`);
    lines.push(`${name}(folder).catch(({ message }) => console.warn(message));`);
  }
  return lines.join("\n");
}
