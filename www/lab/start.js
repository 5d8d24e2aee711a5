// @ts-check
/** The start page: two real pages, and a guess how alike they are. */
import { byId, cut } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Characters of each page that are shown. */
const SHOWN = 600;
/** A page is shown from its first paragraph of so many words on: headings say little. */
const SENTENCE = /^(?:\S+\s+){7}\S/;
let latest = 0;

explorable({
  defaults: {},
  async draw({ core, pair: [u, v] }) {
    const mine = (latest += 1);
    const { overlap } = core.beside(u, v);
    fill({
      both: overlap.both, either: overlap.either, percent: Math.round(100 * overlap.similarity),
      sampled: core.pages.length < core.info.pages ? `Of the ${core.info.pages} pages of this site, ${core.pages.length} are shown, drawn by blocks.` : "",
    });
    say("Read a few lines of both, then guess.");
    await Promise.all(["text-a", "text-b"].map(async (id, at) => {
      const text = await core.textOf([u, v][at]).then(({ text }) => text, () => "The text of this page is not at hand here; its words are, in the index.");
      const paragraphs = text.split("\n\n");
      const begin = Math.max(0, paragraphs.findIndex((/** @type {string} */ paragraph) => SENTENCE.test(paragraph)));
      if (mine === latest) byId(id).textContent = cut(paragraphs.slice(begin).join("\n\n"), SHOWN);
    }));
  },
});
