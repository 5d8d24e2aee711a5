import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import pagekin from "pagekin/starlight";

export default defineConfig({
  base: process.env.BASE,
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Style rules",
      pagefind: false,
      plugins: [pagekin()],
      sidebar: [{ label: "Rules", items: [{ autogenerate: { directory: "rules" } }] }],
    }),
  ],
});
