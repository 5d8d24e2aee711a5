// Lets the plugin for Vite index a folder, as Vite calls it at the end of a build: with the program
// of the package of this platform.
import pagekin from "pagekin/vite";
import { access } from "node:fs/promises";

const plugin = pagekin({ build: { quiet: true, components: "duplicates" } });
plugin.configResolved({ root: process.cwd(), base: "/docs/", command: "build", build: { outDir: "site" } });
const sources = plugin.transformIndexHtml().map(({ attrs }) => attrs.src);
if (String(sources) !== "/docs/pagekin/related.js,/docs/pagekin/box.js") throw new Error(`expected the scripts of two elements, found ${sources}`);
await plugin.closeBundle.handler();
for (const file of ["pagekin.manifest", "related.js", "box.js", "duplicates.js"]) await access(`site/pagekin/${file}`);
