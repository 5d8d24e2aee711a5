// Reloads the page after the site was rebuilt. `pagekin build --serve --watch` adds this script to
// served pages, not to files. A page that updates itself can cancel the event.
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
      // The server is not reachable; try again.
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
})(document.currentScript);
