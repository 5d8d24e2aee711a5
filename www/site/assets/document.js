// @ts-check
/** Scrolls the list of documents to the entry of this page. */
const contents = document.getElementById("contents");
const current = /** @type {HTMLElement | null | undefined} */ (contents?.querySelector("[aria-current]"));

function show() {
  if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 3;
}
show();
contents?.addEventListener("toggle", show);
