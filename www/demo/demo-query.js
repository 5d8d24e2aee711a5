// @ts-check
/**
 * Runs the queries of the demo, one at a time: a new query cancels the previous one.
 *
 * @import {Kin} from "../client/pagekin.js"
 * @import {Subject} from "./demo-results.js"
 */
import { isOfPage } from "./demo-draw.js";
import { clearAnswer, showAnswer, showCluster, shown, showProgress, showSite, showTrouble } from "./demo-results.js";
import { open } from "./pagekin.js";

/** Delay before a running query is shown, in milliseconds, so that fast queries do not flicker. */
const PATIENCE = 250;

/** @type {Promise<Kin> | undefined} */
let opening;

/** @type {AbortController | undefined} */
export let running;

/** Opens the index, once. @returns {Promise<Kin>} */
export function ready() {
  opening ??= open("./").then((kin) => {
    showSite(kin);
    return kin;
  }, (error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** @param {Subject} subject */
export async function run(subject) {
  running?.abort();
  shown.loading.abort();
  const controller = new AbortController();
  running = controller;
  const slow = setTimeout(() => {
    if (running === controller) showProgress(true);
  }, PATIENCE);
  try {
    const kin = await ready();
    const { signal } = controller;
    if (subject.cluster) {
      const around = await kin.around(subject.query, { cluster: true, signal });
      if (running === controller) showCluster(subject, around, kin);
      return;
    }
    const answer = await kin.similar(subject.query, { signal });
    // This reads nothing more.
    const around = isOfPage(subject.query) ? await kin.around(subject.query, { signal }) : undefined;
    if (running === controller) await showAnswer(subject, answer, kin, around, signal);
  } catch (error) {
    if (running === controller) showTrouble(subject, error, () => run(subject));
  } finally {
    clearTimeout(slow);
    if (running === controller) cancel();
  }
}

export function cancel() {
  running?.abort();
  running = undefined;
  showProgress(false);
}

export function showStart() {
  cancel();
  clearAnswer();
}
