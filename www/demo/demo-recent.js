// @ts-check
/**
 * Recent texts, which are stored on this device only if the visitor allows it: at most 10, without
 * long ones.
 */
import { button, buttonFor, counted, element } from "./demo-draw.js";

const KEY = "pagekin.recent";
const MAX_TEXTS = 10;
/** Maximum length of a stored text in characters. */
const MAX_LENGTH = 20_000;
/** Maximum number of characters to show of a text. */
const SHOWN = 70;

/** @returns {string[] | undefined} nothing if texts may not be stored */
function stored() {
  try {
    const texts = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return Array.isArray(texts) ? texts.filter((text) => typeof text === "string").slice(0, MAX_TEXTS) : undefined;
  } catch {
    // The page may not store data, or another script wrote the value.
    return undefined;
  }
}

/**
 * @param {string[] | undefined} texts
 * @returns {boolean} whether they are stored
 */
function store(texts) {
  try {
    if (texts) localStorage.setItem(KEY, JSON.stringify(texts));
    else localStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {HTMLElement} place
 * @param {(text: string) => void} choose is called with the chosen text
 * @returns {{keep: (text: string) => void}} stores a text, if the visitor allows it
 */
export function recentTexts(place, choose) {
  const box = element("input", { type: "checkbox", id: "keep" });
  const list = element("ul", { role: "list" });
  const note = element("p", { class: "note", role: "status" });
  const clear = button("Remove all", () => {
    store([]);
    draw();
    box.focus();
  });
  const draw = () => {
    const texts = stored();
    box.checked = texts !== undefined;
    clear.hidden = !texts?.length;
    list.replaceChildren(...(texts ?? []).map((text, at) => {
      const begun = text.trim().slice(0, SHOWN).replace(/\s+/g, " ");
      return element("li", {},
        button(text.length > SHOWN ? `${begun} …` : begun, () => choose(text)),
        buttonFor("Remove", `: ${begun}`, () => {
          store(texts?.filter((_, other) => other !== at));
          draw();
          (list.querySelectorAll("button")[2 * Math.min(at, (texts?.length ?? 0) - 2)] ?? box).focus();
        }));
    }));
    note.textContent = texts?.length ? `${counted(texts.length, "text")} stored only in this browser.` : "";
  };
  box.addEventListener("change", () => {
    const done = store(box.checked ? [] : undefined);
    draw();
    if (!done) note.textContent = "This browser does not allow this page to store data.";
  });
  place.append(
    element("label", { for: "keep", class: "tick" }, box, "Keep my recent texts on this device"),
    list, element("div", { class: "actions" }, clear), note);
  draw();
  return {
    keep(text) {
      const texts = stored();
      if (!texts || !text.trim() || text.length > MAX_LENGTH) return;
      store([text, ...texts.filter((other) => other !== text)].slice(0, MAX_TEXTS));
      draw();
    },
  };
}
