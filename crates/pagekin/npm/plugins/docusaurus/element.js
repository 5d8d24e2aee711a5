import { useHistory } from "@docusaurus/router";
import { usePluginData } from "@docusaurus/useGlobalData";
import { createElement, useEffect, useRef } from "react";

/**
 * Places an element of pagekin in a container. React manages only the container, not the content of
 * the element.
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
    // Navigates on the client; otherwise links load a new document.
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
