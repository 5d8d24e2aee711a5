import { KinError, open as openBy } from "./www/pagekin.js";

export { KinError };

/** @type {typeof import("./index.js").open} */
export function open(base = "/pagekin/", options) {
  return openBy(base, { client: base, ...options });
}
