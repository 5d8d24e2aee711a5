import { useHistory } from "@docusaurus/router";
import { usePluginData } from "@docusaurus/useGlobalData";
import { createElement, useEffect, useRef } from "react";

/**
 * An element of pagekin, in a place that React knows and no more of it: what is in the element is
 * none of React's.
 *
 * @param {"related" | "box"} which
 */
export function Place({ which }) {
  const attributes = usePluginData("pagekin")[which];
  const history = useHistory();
  const place = useRef(null);
  useEffect(() => {
    const element = document.createElement(`pagekin-${which}`);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    // Without it a link loads a document.
    element.addEventListener("pagekin-select", (event) => {
      event.preventDefault();
      const { pathname, search, hash } = new URL(event.detail.url, location.href);
      element.hide?.();
      history.push(pathname + search + hash);
    });
    place.current.append(element);
    return () => element.remove();
  }, [which, attributes, history]);
  return createElement("div", { ref: place, className: `pagekin-${which}-place` });
}
