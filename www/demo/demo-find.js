// @ts-check
/**
 * A combobox that finds pages of the site by words while the visitor types.
 *
 * @import {SitePage} from "../client/pagekin.js"
 */
import { counted, element } from "./demo-draw.js";

/** Delay after the last key, in milliseconds. */
const PAUSE = 200;

/** Minimum height of the list, and its distance from the lower edge of the window, in pixels. */
const MIN_HEIGHT = 160;
const GAP = 12;

/** Input that starts or ends like a URL is not searched among titles. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:)?\/|^\S+(?:\/|\.x?html?)$/i;

/** The message if no page is found. */
export const NONE = "No page contains these words.";

/** @param {string} text */
export const looksLikeAddress = (text) => ADDRESS.test(text);

/**
 * @param {HTMLInputElement} box
 * @param {HTMLElement} list empty and hidden
 * @param {HTMLElement} note shows how many there are
 * @param {(words: string, signal: AbortSignal) => Promise<SitePage[]>} find
 * @param {(url: string) => void} choose is called with the chosen page
 * @returns {{close: () => void}} ends the search and hides the list
 */
export function suggestPages(box, list, note, find, choose) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;
  /** @type {AbortController | undefined} */
  let running;
  let active = -1;

  const options = () => /** @type {HTMLElement[]} */ ([...list.children]);
  const isOpen = () => box.ariaExpanded === "true";

  /** @param {number} at -1 for none */
  const activate = (at) => {
    active = at;
    for (const [number, option] of options().entries()) option.ariaSelected = String(number === at);
    const option = options()[at];
    if (option) {
      box.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      box.removeAttribute("aria-activedescendant");
    }
  };

  /** @param {boolean} open */
  const show = (open) => {
    list.hidden = !open;
    // As high as the space below the box, which may stay in place while the page scrolls.
    const room = (visualViewport?.height ?? innerHeight) - box.getBoundingClientRect().bottom - GAP;
    list.style.maxHeight = `${Math.max(MIN_HEIGHT, room)}px`;
    box.ariaExpanded = String(open);
    activate(-1);
  };

  const close = () => {
    clearTimeout(pause);
    running?.abort();
    running = undefined;
    list.replaceChildren();
    note.textContent = "";
    show(false);
  };

  /** @param {HTMLElement} option */
  const chooseOption = (option) => {
    const { url = "" } = option.dataset;
    close();
    choose(url);
  };

  const suggest = async () => {
    const controller = new AbortController();
    running = controller;
    try {
      const pages = await find(box.value, controller.signal);
      if (running !== controller) return;
      list.replaceChildren(...pages.map(({ url, title }, at) =>
        element("li", { role: "option", id: `${list.id}-${at}`, "data-url": url, "aria-selected": "false" },
          element("span", { dir: "auto" }, title || url),
          element("span", { class: "address" }, url))));
      // The number is visible, so only screen readers need it.
      if (pages.length > 0) note.replaceChildren(element("span", { class: "visually-hidden" }, `${counted(pages.length, "page")} found.`));
      else note.textContent = NONE;
      show(pages.length > 0);
    } catch {
      if (running === controller) close(); // submitting reports the error if it persists
    }
  };

  box.addEventListener("input", () => {
    close();
    const words = box.value.trim();
    if (words && !looksLikeAddress(words)) pause = setTimeout(suggest, PAUSE);
  });

  box.addEventListener("keydown", (event) => {
    const { key } = event;
    const { length } = options();
    if (event.isComposing || length === 0) return;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (!isOpen()) show(true);
      // The box itself comes before the first and after the last option.
      const step = key === "ArrowDown" ? 1 : -1;
      activate(((active + 1 + step + length + 1) % (length + 1)) - 1);
    } else if (key === "Escape" && isOpen()) {
      show(false);
    } else if (key === "Enter" && isOpen() && active >= 0) {
      chooseOption(options()[active]);
    } else {
      return;
    }
    event.preventDefault();
  });

  // Keeps the focus in the box.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("li") : null;
    if (option) chooseOption(option);
  });

  box.addEventListener("blur", () => show(false));

  return { close };
}
