// @ts-check
/**
 * The worker: runs the engine for pagekin.js on a thread of its own.
 *
 * In: `{id, method, args}` calls the engine; `{id, method: "cancel"}` aborts the call with this id.
 * Out: `{ready: PROTOCOL}` once loaded; then `{id, value}` or `{id, error: {code, message}}` for
 * each call that was not aborted.
 */
import { newEngine, PROTOCOL } from "./engine.js";

const call = newEngine();

/** @type {Map<number, AbortController>} */
const underWay = new Map();

addEventListener("message", async ({ data: { id, method, args } }) => {
  if (method === "cancel") {
    underWay.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  underWay.set(id, controller);
  try {
    postMessage({ id, value: await call(method, args, controller.signal) });
  } catch (/** @type {any} */ { code, message }) {
    if (!controller.signal.aborted) postMessage({ id, error: { code, message } });
  } finally {
    underWay.delete(id);
  }
});

postMessage({ ready: PROTOCOL });
