import { defineConfig, passthroughImageService } from "astro/config";
import pagekin from "pagekin/astro";

export default defineConfig({
  base: process.env.BASE,
  image: { service: passthroughImageService() },
  integrations: [pagekin()],
});
