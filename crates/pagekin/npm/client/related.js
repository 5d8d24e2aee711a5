import { load } from "./load.js";

/** @type {typeof import("./related.js").related} */
export async function related({ base, ...options }) {
  const { folder, script } = await load(base, "related.js");
  return script.related({ ...options, base: folder });
}

/** @type {typeof import("./related.js").define} */
export async function define(base) {
  await load(base, "related.js");
}
