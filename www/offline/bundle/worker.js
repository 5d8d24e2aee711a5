// @ts-check
/** The worker of a page that carries its files: gets them first, then is as any. */
import "./given.js";
import "../../client/worker.js";
