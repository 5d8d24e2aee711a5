const baseUrl = process.env.BASE ?? "/";

export default {
  title: "Style rules",
  url: "https://example.org",
  baseUrl,
  trailingSlash: true,
  onBrokenLinks: "warn",
  markdown: { format: "detect", hooks: { onBrokenMarkdownLinks: "warn" } },
  scripts: [{ src: `${baseUrl}pagekin/related.js`, type: "module" }],
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false, theme: { customCss: "./related.css" } }]],
};
