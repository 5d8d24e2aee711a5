// @ts-check
/** The worker for an index on several hosts. */
import "./mirrors.js";
import "../worker.js";
