export default {
  title: "Style rules",
  url: "https://example.org",
  baseUrl: process.env.BASE ?? "/",
  trailingSlash: true,
  onBrokenLinks: "warn",
  markdown: { format: "detect", hooks: { onBrokenMarkdownLinks: "warn" } },
  plugins: ["pagekin/docusaurus"],
  themeConfig: { colorMode: { respectPrefersColorScheme: true } },
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
