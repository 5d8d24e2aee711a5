// @ts-check
/**
 * Recent texts, kept on this machine and only if the visitor ticks it: at most 10, none of them
 * long.
 */
import { button, buttonFor, counted, element } from "./demo-draw.js";

const KEY = "pagekin.recent";
const MAX = 10;
/** Of a text, in characters. */
const LONGEST = 20_000;
/** Of a text, so many characters are shown. */
const SHOWN = 70;

/** @returns {string[] | undefined} nothing if texts are not to be kept */
function stored() {
  try {
    const texts = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return Array.isArray(texts) ? texts.filter((text) => typeof text === "string").slice(0, MAX) : undefined;
  } catch {
    // the browser keeps nothing for this page, or it was written by something else
    return undefined;
  }
}

/**
 * @param {string[] | undefined} texts
 * @returns {boolean} whether the browser does so
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
 * @param {(text: string) => void} take a text that is chosen
 * @returns {{keep: (text: string) => void}} keeps a text, if that is wanted
 */
export function recentTexts(place, take) {
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
        button(text.length > SHOWN ? `${begun} …` : begun, () => take(text)),
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
      if (!texts || !text.trim() || text.length > LONGEST) return;
      store([text, ...texts.filter((other) => other !== text)].slice(0, MAX));
      draw();
    },
  };
}
