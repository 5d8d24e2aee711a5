import { load } from "./load.js";

/** @type {typeof import("./index.js").open} */
export async function open(base, options) {
  const { folder, script } = await load(base, "pagekin.js");
  return script.open(folder, options);
}
