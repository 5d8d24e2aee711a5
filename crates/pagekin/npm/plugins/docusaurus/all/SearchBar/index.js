export { default } from "../../box/SearchBar/index.js";
