import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "./related.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-after": () => h("pagekin-related", { limit: 5 }) }),
};
