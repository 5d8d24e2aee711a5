// @ts-check
/** The core of the lab, of an index on several hosts. */
import "./mirrors.js";

export * from "../../lab/core.js";
