// @ts-check
/** The Starlight plugin: adds related pages above the pagination, and replaces the search. */
import pagekin from "./astro.js";
import { settle } from "./core.js";

/** @type {typeof import("./starlight.js").default} */
export default function starlight(options) {
  return {
    name: "pagekin",
    hooks: {
      "config:setup"({ config, updateConfig, addIntegration, logger }) {
        const { related, box } = settle(options, config.pagefind !== false);
        /** @type {Record<string, string>} */
        const components = {};
        if (related) components.Pagination = "pagekin/starlight/Pagination.astro";
        if (box) components.Search = "pagekin/starlight/Search.astro";
        for (const name of Object.keys(components)) {
          if (!config.components?.[name]) continue;
          logger.warn(`the site overrides the component ${name}. Add ${name === "Search" ? "<pagekin-box>" : "<pagekin-related>"} to it`);
          delete components[name];
        }
        const pagefind = components.Search ? { pagefind: false } : {};
        updateConfig({ components: { ...config.components, ...components }, ...pagefind });
        addIntegration(pagekin({ ...options, box: box ?? false }));
      },
    },
  };
}
