// @ts-check
/** The worker of an index on several hosts. */
import "./mirrors.js";
import "../worker.js";
