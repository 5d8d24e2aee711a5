import Footer from "@theme-init/DocItem/Footer";
import { createElement, Fragment } from "react";
import { Place } from "../../../element.js";

/** Adds related pages below the footer of a document. */
export default function FooterWithRelated(props) {
  return createElement(Fragment, null, createElement(Footer, props), createElement(Place, { which: "related" }));
}
