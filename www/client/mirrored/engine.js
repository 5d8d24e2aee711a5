// @ts-check
/** The engine for an index on several hosts. */
import "./mirrors.js";

export { newEngine, PROTOCOL, readHtml } from "../engine.js";
