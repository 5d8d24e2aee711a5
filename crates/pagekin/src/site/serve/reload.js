// Added by `pagekin build --serve --watch` to the pages it serves, and to no file: loads the page
// again when the site was indexed anew. A page can do so itself: then it cancels the event.
(async (script) => {
  const changes = new URL("changes", script.src);
  for (let seen = script.dataset.seen; ;) {
    try {
      const response = await fetch(`${changes}?${seen}`, { cache: "no-store" });
      if (!response.ok) throw new Error();
      const now = await response.text();
      const other = now !== seen;
      seen = now;
      if (other && dispatchEvent(new CustomEvent("pagekin:reload", { cancelable: true }))) return location.reload();
    } catch {
      // the server has gone, and may come back
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
})(document.currentScript);
