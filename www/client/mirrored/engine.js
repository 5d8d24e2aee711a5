// @ts-check
/** The engine of an index on several hosts. */
import "./mirrors.js";

export { newEngine, PROTOCOL, readHtml } from "../engine.js";
