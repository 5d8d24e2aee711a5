// @ts-check
/** The list of documents shows the entry of this page, wherever in the list it is. */
const contents = document.getElementById("contents");
const current = /** @type {HTMLElement | null | undefined} */ (contents?.querySelector("[aria-current]"));

function show() {
  if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 3;
}
show();
contents?.addEventListener("toggle", show);
