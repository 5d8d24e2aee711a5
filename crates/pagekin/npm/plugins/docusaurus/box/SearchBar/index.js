import { createElement } from "react";
import { Place } from "../../element.js";

/** The box, where Docusaurus has its search. */
export default function SearchBar() {
  return createElement(Place, { which: "box" });
}
