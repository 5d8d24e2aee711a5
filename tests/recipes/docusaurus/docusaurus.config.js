export default {
  title: "Style rules",
  url: "https://example.org",
  baseUrl: process.env.BASE ?? "/",
  trailingSlash: true,
  onBrokenLinks: "warn",
  markdown: { format: "detect", hooks: { onBrokenMarkdownLinks: "warn" } },
  plugins: ["pagekin/docusaurus"],
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
