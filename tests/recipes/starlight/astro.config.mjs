import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";

export default defineConfig({
  base: process.env.BASE,
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Style rules",
      pagefind: false,
      sidebar: [{ label: "Rules", autogenerate: { directory: "rules" } }],
      components: { Pagination: "./src/components/Pagination.astro" },
    }),
  ],
});
