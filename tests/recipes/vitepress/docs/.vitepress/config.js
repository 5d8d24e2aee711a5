import pagekin from "pagekin/vitepress";

export default {
  base: process.env.BASE ?? "/",
  title: "Style rules",
  description: "Rules for style sheets",
  vite: { plugins: [pagekin()] },
  themeConfig: {
    nav: [{ text: "Rules", link: "/user-guide/rules/list" }],
    sidebar: [{ text: "Guide", items: [{ text: "Configure", link: "/user-guide/configure" }, { text: "Rules", link: "/user-guide/rules/list" }] }],
  },
};
