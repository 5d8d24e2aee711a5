// @ts-check
/**
 * What all pages of the lab share: the core, two pages of the site to look at, a state that the
 * address keeps, buttons and sliders that change it, bets, numbers in sentences, and one sentence
 * that is read aloud.
 *
 * In a page:
 * - `data-key="k"` on a slider, a box or a choice: shows and sets `k` of the state;
 * - `data-set="k=3&l=125"` on a button: sets these; `data-add="n=1"` adds, within `data-most`;
 * - `data-page="a"` on a `select`: the page of the site that is A;
 * - `data-v="both"`: filled with the value of that name; `data-carry` on a link: takes A and B
 *   along;
 * - `data-bet`: a question; its `details` opens when it is answered.
 *
 * @import {Core} from "./core.js"
 * @typedef {Record<string, string | number>} State
 * @typedef {{core: Core, state: State, pair: [number, number], set: (changes: State) => void}} Shown
 */
import { openCore } from "./core.js";
import { byId, cut, html } from "./draw.js";

/** The pages of the lab, in the order in which they teach. */
const STEPS = [
  ["bag.html", "Bag"],
  ["minhash.html", "MinHash"],
  ["lsh.html", "LSH"],
  ["center.html", "Clusters"],
  ["copies.html", "Copies"],
  ["lookup.html", "Lookup"],
];

/** After the last change, until it is read aloud, in milliseconds. */
const PAUSE = 500;

/** The folder of the index: `?index=…` on this host, else the one that the lab lies in. */
function folderOfIndex() {
  if (globalThis.pagekinCarried) return globalThis.pagekinCarried.folder;
  const asked = new URLSearchParams(location.search).get("index");
  const folder = new URL(asked ?? "../", document.baseURI);
  if (folder.origin !== location.origin) throw new Error(`expected an index on this host, found one at ${folder.origin}; open the lab there`);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

/**
 * The state that the address has, of the kinds of the defaults.
 *
 * @param {State} defaults
 * @returns {State}
 */
function readAddress(defaults) {
  const given = new URLSearchParams(location.hash.slice(1));
  /** @type {State} */
  const state = { a: given.get("a") ?? "", b: given.get("b") ?? "" };
  for (const [key, value] of Object.entries(defaults)) {
    const said = given.get(key);
    const number = Number(said);
    if (said === null) state[key] = value;
    else if (typeof value === "string") state[key] = said;
    else state[key] = said !== "" && Number.isFinite(number) && number >= 0 ? number : value;
  }
  return state;
}

/**
 * @param {State} state
 * @param {State} defaults
 */
function writeAddress(state, defaults) {
  const said = Object.entries(state).filter(([key, value]) => value !== "" && value !== defaults[key]);
  const hash = said.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&");
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

/**
 * Fills numbers into sentences.
 *
 * @param {Record<string, string | number>} values by name
 */
export function fill(values) {
  for (const [name, value] of Object.entries(values)) {
    for (const place of document.querySelectorAll(`[data-v="${name}"]`)) place.textContent = String(value);
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

/**
 * Says what there is to see now: below the figure at once, and aloud when nothing changed for a
 * while.
 *
 * @param {string} sentence
 */
export function say(sentence) {
  byId("said").textContent = sentence;
  clearTimeout(pause);
  pause = setTimeout(() => { byId("aloud").textContent = sentence; }, PAUSE);
}

/**
 * What a slider's value means, for those who do not see it.
 *
 * @param {string} key
 * @param {string} meaning
 */
export function sayValue(key, meaning) {
  for (const slider of document.querySelectorAll(`input[type="range"][data-key="${key}"]`)) slider.setAttribute("aria-valuetext", meaning);
}

/** The line of all pages, with this one on it. */
function drawSteps() {
  const here = (document.documentElement.dataset.page ?? location.pathname).split("/").at(-1);
  byId("steps").replaceChildren(html("ol", {}, ...STEPS.map(([href, name]) =>
    html("li", {}, html("a", { href, "data-carry": "", ...(href === here ? { "aria-current": "page" } : {}) }, name)))));
}

/** @param {State} state */
function carry(state) {
  const hash = ["a", "b"].filter((key) => state[key]).map((key) => `${key}=${encodeURIComponent(state[key]).replaceAll("%2F", "/")}`).join("&");
  for (const link of document.querySelectorAll("a[data-carry]")) {
    const [path] = (link.getAttribute("href") ?? "").split("#");
    link.setAttribute("href", `${path}${path.includes("?") ? "" : location.search}${hash ? `#${hash}` : ""}`);
  }
}

/** @param {unknown} error */
function showTrouble(error) {
  const message = error instanceof Error ? error.message : String(error);
  byId("trouble").replaceChildren(html("h2", {}, "The lab can’t show this"), html("p", {}, `${message[0].toUpperCase()}${message.slice(1)}.`));
  document.body.dataset.state = "failed";
}

/** Questions: an answer opens what is true. */
function startBets() {
  for (const bet of document.querySelectorAll("[data-bet]")) {
    const truth = bet.querySelector("details");
    const you = bet.querySelector(".you");
    if (!truth || !you) continue;
    bet.addEventListener("change", ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      const choice = target.type === "range" ? target.value : target.closest("label")?.textContent?.trim();
      you.textContent = `You said: ${choice}. `;
      truth.open = true;
    });
    bet.addEventListener("input", ({ target }) => {
      const shown = bet.querySelector("output");
      if (shown && target instanceof HTMLInputElement) shown.value = target.value;
    });
  }
}

/**
 * Starts a page of the lab.
 *
 * @param {{defaults: State, draw: (shown: Shown) => unknown}} page `draw` is called after every change
 */
export async function explorable({ defaults, draw }) {
  drawSteps();
  startBets();
  let state = readAddress(defaults);
  carry(state);
  try {
    const core = await openCore(folderOfIndex());
    if (!core.pair) throw new Error(`expected two pages of the site that share a word, found none among ${core.pages.length}; build an index of more pages`);
    const place = (/** @type {string | number} */ url) => core.pages.findIndex((page) => page.url === url);
    const selects = /** @type {NodeListOf<HTMLSelectElement>} */ (document.querySelectorAll("select[data-page]"));
    for (const select of selects) {
      select.replaceChildren(...core.pages.map(({ url, title }) => html("option", { value: url }, cut(title || url, 60))));
    }
    const redraw = () => {
      const [first, second] = /** @type {[number, number]} */ (core.pair);
      const known = [place(state.a), place(state.b)];
      /** @type {[number, number]} */
      const pair = [known[0] < 0 ? first : known[0], known[1] < 0 ? second : known[1]];
      if (known[0] < 0 && known[1] === first) pair[0] = second;
      fill({ titleA: cut(core.pages[pair[0]].title, 60), titleB: cut(core.pages[pair[1]].title, 60), pages: core.pages.length });
      for (const select of selects) select.value = core.pages[pair[select.dataset.page === "a" ? 0 : 1]].url;
      for (const control of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-key]"))) {
        const value = state[control.dataset.key];
        if (control.type === "radio" || control.type === "checkbox") control.checked = control.value === String(value);
        else if (document.activeElement !== control || control.type === "range") control.value = String(value);
      }
      for (const shown of /** @type {NodeListOf<HTMLOutputElement>} */ (document.querySelectorAll("output[data-of]"))) shown.value = String(state[shown.dataset.of ?? ""]);
      draw({ core, state, pair, set });
    };
    const set = (/** @type {State} */ changes) => {
      state = { ...state, ...changes };
      writeAddress(state, defaults);
      carry(state);
      redraw();
    };
    document.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null;
      if (!button) return;
      /** @type {State} */
      const changes = {};
      for (const [key, value] of new URLSearchParams(button.dataset.set ?? "")) changes[key] = typeof defaults[key] === "number" ? Number(value) : value;
      for (const [key, value] of new URLSearchParams(button.dataset.add ?? "")) changes[key] = Math.max(0, Math.min(Number(button.dataset.most ?? 1e6), Number(state[key]) + Number(value)));
      if (Object.keys(changes).length > 0) set(changes);
    });
    document.addEventListener("input", ({ target }) => {
      if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
      const { key, page } = target.dataset;
      if (page) return set({ [page]: target.value });
      if (!key) return;
      const value = target.type === "checkbox" && target instanceof HTMLInputElement && !target.checked ? defaults[key] : target.value;
      set({ [key]: typeof defaults[key] === "number" ? Number(value) : value });
    });
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth === width) return; // phones hide their bars while one scrolls
      width = innerWidth;
      redraw();
    });
    addEventListener("hashchange", () => {
      state = readAddress(defaults);
      carry(state);
      redraw();
    });
    redraw();
    document.body.dataset.state = "ready";
  } catch (error) {
    showTrouble(error);
    throw error;
  }
}
