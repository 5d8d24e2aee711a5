import { load } from "./load.js";

/** @type {typeof import("./box.js").define} */
export async function define(base) {
  await load(base, "box.js");
}
