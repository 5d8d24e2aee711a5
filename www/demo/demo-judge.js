// @ts-check
/**
 * Judgments of visitors: whether the results of a page are similar to it. They are stored on this
 * device, and can be saved as the file that `pagekin crawl feedback` reads.
 *
 * @import {SimilarResult} from "../client/pagekin.js"
 * @typedef {[url: string, other: string, similar: "yes" | "no"]} Judgment
 */
import { button, counted, element } from "./demo-draw.js";

const KEY = "pagekin.judgments";
const MAX_JUDGMENTS = 5_000;

/** @param {unknown} value @returns {value is Judgment} */
const isJudgment = (value) =>
  Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "string") && /^(yes|no)$/.test(value[2]);

/** @returns {Judgment[]} */
function stored() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isJudgment).slice(-MAX_JUDGMENTS) : [];
  } catch {
    return []; // the page may not store data, or another script wrote the value
  }
}

/**
 * @param {Judgment[]} judgments
 * @returns {boolean} whether they are stored
 */
function store(judgments) {
  try {
    if (judgments.length > 0) localStorage.setItem(KEY, JSON.stringify(judgments.slice(-MAX_JUDGMENTS)));
    else localStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} text in CSV */
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {Judgment[]} judgments */
const csvOf = (judgments) => ["url,other_url,similar", ...judgments.map((of) => of.map(quoted).join(","))].join("\n") + "\n";

/**
 * @param {HTMLDetailsElement} place shown for the results of a page; open while they are judged
 * @returns {{show: (page: string, found: SimilarResult[], items: Element[]) => void}} shows the questions for results
 */
export function judging(place) {
  const note = element("p", { class: "note", role: "status" });
  /**
   * The page, its results, and the elements that show them.
   *
   * @type {{page: string, found: SimilarResult[], items: Element[]}}
   */
  let now = { page: "", found: [], items: [] };
  const save = button("Save as CSV", () => {
    const link = element("a", { download: "judgments.csv" });
    link.href = URL.createObjectURL(new Blob([csvOf(stored())], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
  const clear = button("Remove all", () => {
    store([]);
    draw();
    place.querySelector("summary")?.focus();
  });
  const showCount = () => {
    const { length } = stored();
    save.hidden = clear.hidden = length === 0;
    note.textContent = length > 0 ? `${counted(length, "judgment")} stored only in this browser.` : "";
  };

  /** @param {SimilarResult} result */
  const question = (result) => {
    const name = result.title || result.url;
    const about = (/** @type {Judgment} */ [url, other]) =>
      (url === now.page && other === result.url) || (other === now.page && url === result.url);
    const answer = (/** @type {"yes" | "no"} */ similar, /** @type {string} */ label) => {
      const made = button(label, () => {
        const kept = stored();
        const others = kept.filter((judgment) => !about(judgment));
        const isUndone = kept.some((judgment) => about(judgment) && judgment[2] === similar);
        const isKept = store(isUndone ? others : [...others, [now.page, result.url, similar]]);
        press();
        showCount();
        if (!isKept) note.textContent = "This browser does not allow this page to store data.";
      });
      return /** @type {const} */ ([similar, made]);
    };
    const answers = [answer("yes", "Yes"), answer("no", "No")];
    const press = () => {
      const judgment = stored().find(about)?.[2];
      for (const [similar, made] of answers) made.ariaPressed = String(similar === judgment);
    };
    press();
    return element("div", { class: "actions judge", role: "group", "aria-label": `Similar to the selected page? ${name}` },
      element("span", {}, "Similar?"), ...answers.map(([, made]) => made));
  };

  const draw = () => {
    place.hidden = now.found.length === 0;
    for (const item of now.items) item.querySelector(".judge")?.remove();
    if (place.open) now.items.forEach((item, at) => item.querySelector(".details")?.append(question(now.found[at])));
    showCount();
  };
  place.append(
    element("p", { class: "note" }, "Mark whether each result is similar to the selected page. Site owners can use the saved file with pagekin crawl feedback."),
    element("div", { class: "actions" }, save, clear), note);
  place.addEventListener("toggle", draw);
  draw();
  return {
    show(page, found, items) {
      now = { page, found, items };
      draw();
    },
  };
}
