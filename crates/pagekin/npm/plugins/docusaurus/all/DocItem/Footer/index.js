export { default } from "../../../related/DocItem/Footer/index.js";
