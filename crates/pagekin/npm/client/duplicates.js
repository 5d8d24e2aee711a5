import { load } from "./load.js";

/** @type {typeof import("./duplicates.js").duplicate} */
export async function duplicate({ base, ...options }) {
  const { folder, script } = await load(base, "duplicates.js");
  return script.duplicate({ ...options, base: folder });
}

/** @type {typeof import("./duplicates.js").define} */
export async function define(base) {
  await load(base, "duplicates.js");
}
