// @ts-check
/** The engine of an index on several hosts. */
import "./mirrors.js";

export { newEngine, readHtml } from "../engine.js";
