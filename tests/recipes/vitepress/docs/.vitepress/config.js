const base = process.env.BASE ?? "/";

export default {
  base,
  title: "Style rules",
  description: "Rules for style sheets",
  head: [["script", { type: "module", src: `${base}pagekin/related.js` }]],
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("pagekin-") } } },
  themeConfig: {
    nav: [{ text: "Rules", link: "/user-guide/rules/list" }],
    sidebar: [{ text: "Guide", items: [{ text: "Configure", link: "/user-guide/configure" }, { text: "Rules", link: "/user-guide/rules/list" }] }],
  },
};
