// @ts-check
/** The worker of a page with embedded files: receives the files first, then runs as usual. */
import "./given.js";
import "../../client/worker.js";
