import Footer from "@theme-init/DocItem/Footer";
import { createElement, Fragment } from "react";
import { Place } from "../../../element.js";

/** The footer of a document with related pages below it. */
export default function FooterWithRelated(props) {
  return createElement(Fragment, null, createElement(Footer, props), createElement(Place, { which: "related" }));
}
