// @ts-check
/** The teacher's page: the numbers of its answers, for two pages of the site. */
import { two } from "./draw.js";
import { explorable, fill, say } from "./frame.js";

explorable({
  defaults: {},
  draw({ core, pair: [u, v] }) {
    const { overlap } = core.beside(u, v);
    const { similarity } = overlap;
    const of20 = core.band(similarity, 20);
    fill({
      both: overlap.both, ofA: overlap.ofA, ofB: overlap.ofB, similarity: two(similarity), percent: Math.round(100 * similarity),
      low20: two(of20.low), high20: two(of20.high),
      error80: core.band(33 / 80, 80).deviation.toFixed(3), error320: core.band(0.42, 320).deviation.toFixed(2),
      chances: [...core.chances(2, 20, [0.1, 0.2, 0.3, 0.5])].map((chance) => chance.toFixed(chance > 0.99 ? 3 : 2)).join(", "),
      half: core.half(2, 20).toFixed(3),
    });
    say(`A and B are ${two(similarity)} alike: ${overlap.both} of ${overlap.either} copies are in both.`);
  },
});
