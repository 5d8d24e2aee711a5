// @ts-check
/** The start page: two real pages, and guesses how similar they are. */
import { byId, cut, html, rows, things } from "./draw.js";
import { explorable, fill, guessBar, say } from "./frame.js";

/** Characters of each page that are shown. */
const SHOWN = 600;
/** A page is shown from its first paragraph of at least eight words: headings say little. */
const SENTENCE = /^(?:\S+\s+){7}\S/;
/** A guess at the end of a line, after a name or not. */
const GUESS = /^(.*?)\s*[,:;]?\s*(\d{1,3})\s*%?\s*$/;
let latest = 0;

explorable({
  defaults: { truth: 0 },
  async draw({ core, pair: [u, v], truth, set }) {
    const mine = (latest += 1);
    const { overlap } = core.beside(u, v);
    const percent = Math.round(100 * overlap.similarity);
    fill({
      both: overlap.both, either: overlap.either, percent,
      sampled: core.pages.length < core.info.pages ? `Of the ${core.info.pages} pages of this site, ${core.pages.length} are shown, chosen by blocks.` : "",
    });
    drawClass(truth ? percent : undefined);
    byId("guesses").oninput = () => set({});
    say("Read a few lines of both, then guess.");
    const texts = await Promise.all([u, v].map((page) => core.textOf(page).then(({ text }) => text.split("\n\n"), () => undefined)));
    if (mine !== latest) return;
    const [a, b] = texts.map((text, at) => own(text, texts[1 - at]));
    byId("text-a").textContent = a;
    byId("text-b").textContent = b;
  },
});

/**
 * The beginning of a text that the other one does not have.
 *
 * @param {string[] | undefined} paragraphs
 * @param {string[] | undefined} other
 */
function own(paragraphs, other) {
  if (!paragraphs) return "The text of this page is not available here. Its words are, in the index.";
  const common = new Set(other);
  const start = (/** @type {(paragraph: string) => boolean} */ fits) => paragraphs.findIndex((paragraph) => SENTENCE.test(paragraph) && fits(paragraph));
  const [different, any] = [start((paragraph) => !common.has(paragraph)), start(() => true)];
  return cut(paragraphs.slice(Math.max(0, different >= 0 ? different : any)).join("\n\n"), SHOWN);
}

/** @param {number | undefined} truth */
function drawClass(truth) {
  const lines = /** @type {HTMLTextAreaElement} */ (byId("guesses")).value.split("\n");
  const guesses = lines.flatMap((line) => {
    const [, name, number] = GUESS.exec(line.trim()) ?? [];
    return number === undefined || Number(number) > 100 ? [] : [{ name, guess: Number(number) }];
  });
  const sentence = guesses.length === 0 ? "No guesses yet." : `${things(guesses.length, "guess", "guesses")}, from ${Math.min(...guesses.map(({ guess }) => guess))} to ${Math.max(...guesses.map(({ guess }) => guess))}.`;
  byId("class-says").textContent = sentence + (truth === undefined || guesses.length === 0 ? "" : ` The answer is ${truth}.`);
  const bar = guessBar(guesses.map(({ guess }) => guess), truth, sentence, true);
  bar.setAttribute("id", "class-bar");
  byId("histogram").replaceChildren(bar);
  if (guesses.length > 0) rows("guess-rows", guesses.map(({ name, guess }, at) => [html("span", {}, name || String(at + 1)), String(guess)]));
}
