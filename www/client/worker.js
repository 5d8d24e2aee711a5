// @ts-check
/**
 * The worker: runs the engine for pagekin.js on a thread of its own.
 *
 * In: `{id, method, args, shows}` calls the engine; `{id, method: "cancel"}` aborts the call with
 * this id.
 * Out: `{ready: PROTOCOL}` once loaded; then, for each call that was not aborted, `{id, value}` or
 * `{id, error: {code, message}}`, and before it `{id, partial}` for partial answers, if it shows
 * them.
 */
import { newEngine, PROTOCOL } from "./engine.js";

const call = newEngine();

/** @type {Map<number, AbortController>} */
const underWay = new Map();

addEventListener("message", async ({ data: { id, method, args, shows } }) => {
  if (method === "cancel") {
    underWay.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  underWay.set(id, controller);
  try {
    const show = (/** @type {any} */ partial) => postMessage({ id, partial });
    postMessage({ id, value: await call(method, args, controller.signal, shows && show) });
  } catch (/** @type {any} */ { code, message }) {
    if (!controller.signal.aborted) postMessage({ id, error: { code, message } });
  } finally {
    underWay.delete(id);
  }
});

postMessage({ ready: PROTOCOL });
