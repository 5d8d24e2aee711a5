// @ts-check
/** The glossary: text alone, so it does not wait for the core. */
import { readable } from "./frame.js";

readable();
