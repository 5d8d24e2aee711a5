import React, { useEffect, useRef } from "react";
import { useHistory } from "@docusaurus/router";
import Footer from "@theme-original/DocItem/Footer";

export default function FooterWithRelated(props) {
  const history = useHistory();
  const related = useRef(null);
  useEffect(() => {
    const element = related.current;
    const follow = (event) => {
      event.preventDefault();
      history.push(event.detail.url);
    };
    element.addEventListener("pagekin-select", follow);
    return () => element.removeEventListener("pagekin-select", follow);
  }, [history]);
  return (
    <>
      <Footer {...props} />
      <pagekin-related ref={related} limit="5" dangerouslySetInnerHTML={{ __html: "" }} suppressHydrationWarning />
    </>
  );
}
