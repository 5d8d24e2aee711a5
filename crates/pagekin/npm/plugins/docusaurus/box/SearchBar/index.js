import { createElement } from "react";
import { Place } from "../../element.js";

/** Replaces the search of Docusaurus with the box. */
export default function SearchBar() {
  return createElement(Place, { which: "box" });
}
