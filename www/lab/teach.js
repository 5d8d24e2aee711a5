// @ts-check
/** The pages for teachers and the glossary: the numbers of their answers. */
import { inventedWords, two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

/** Words of the text of the worksheet, and which of them are changed. */
const WORDS = 100;
const CHANGED = [10, 30, 50, 70, 90];
const SIMILARITIES = [0.1, 0.2, 0.3, 0.5];

explorable({
  defaults: {},
  draw({ core, pair: [u, v] }) {
    const { overlap } = core.beside(u, v);
    const { similarity } = overlap;
    const of20 = core.band(similarity, 20);
    const words = inventedWords(WORDS);
    const five = core.copies(words.join(" "), words.map((word, at) => (CHANGED.includes(at) ? `x${word}` : word)).join(" "), 10);
    const listed = (/** @type {Iterable<number>} */ chances) => [...chances].map((chance) => chance.toFixed(chance > 0.99 ? 3 : 2)).join(", ");
    fill({
      both: overlap.both, ofA: overlap.ofA, ofB: overlap.ofB, similarity: two(similarity),
      low20: two(of20.low), high20: two(of20.high), share33: two(33 / 80),
      error80: core.band(33 / 80, 80).deviation.toFixed(3), error320: core.band(0.42, 320).deviation.toFixed(2),
      chances: listed(core.chances(2, 20, SIMILARITIES, true)), exactChances: listed(core.chances(2, 20, SIMILARITIES)),
      half: core.half(2, 20, true).toFixed(3), thumb: two((1 / 20) ** (1 / 2)),
      fiveRuns: five.ofA, fiveBoth: five.both, fiveShare: two(five.resemblance),
    });
    say(`A has ${overlap.ofA} copies, B has ${overlap.ofB}, and ${overlap.both} are in both.`);
  },
});
