// @ts-check
/** The core of the lab for an index on several hosts. */
import "./mirrors.js";

export * from "../../lab/core.js";
