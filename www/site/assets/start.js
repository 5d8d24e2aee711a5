// @ts-check
/** Puts an example of the start page into the box, as if it were pasted. */
const box = /** @type {import("../../elements/box.js").PagekinBoxElement | null} */ (document.querySelector("pagekin-box.large"));

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-example]"))) {
  button.addEventListener("click", async () => {
    await customElements.whenDefined("pagekin-box");
    if (!box) return;
    box.value = button.dataset.example ?? "";
    box.focus({ preventScroll: true });
  });
}
