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
 * - `data-bet`: a question; its `details` opens when it is answered. A guess of 0 to 100 is drawn
 *   next to the number in its `data-truth`;
 * - `data-figure="fan"` on a section: a figure that `?figure=fan` shows alone, for slides, and that
 *   can be saved; `data-csv="draws"` is the id of its table's body.
 *
 * @import {Core} from "./core.js"
 * @typedef {Record<string, string | number>} State
 * @typedef {{core: Core, state: State, pair: [number, number], truth: boolean, set: (changes: State) => void}} Shown `truth`:
 *   whether the result is shown, which the answer of the first bet turns on
 */
import { byId, calm, count, cut, html, measure, svg, things } from "./draw.js";

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
/** Between two steps that are played, in milliseconds. */
const STEP = 900;
const STEP_WITHOUT_MOVEMENT = 1_500;

/** The figure that is shown alone. */
const alone = new URLSearchParams(location.search).get("figure") ?? "";

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
  const given = new URLSearchParams(location.search);
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) given.set(key, value);
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
  const query = new URLSearchParams(location.search);
  const said = Object.entries(state).filter(([key, value]) => (value !== "" && value !== defaults[key]) || (key in defaults && query.has(key)));
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

/**
 * The title of a page, with its folder if another page has the same.
 *
 * @param {Core} core
 * @param {number} page
 * @param {number} most characters
 */
export function nameOf(core, page, most) {
  const { title, url } = core.pages[page];
  if (!title) return cut(url, most);
  const isAlone = core.pages.filter((one) => one.title === title).length < 2;
  return isAlone ? cut(title, most) : `${cut(title, most)} (${url.split("/").slice(0, -1).join("/") || "/"})`;
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
      drawGuesses();
    });
    bet.addEventListener("input", ({ target }) => {
      const shown = bet.querySelector("output");
      if (shown && target instanceof HTMLInputElement) shown.value = target.value;
    });
  }
}

/** Draws each guess of 0 to 100 and what is true on one bar. */
function drawGuesses() {
  for (const bet of document.querySelectorAll("[data-bet]")) {
    const [slider, place, you] = [bet.querySelector("input[type=range]"), bet.querySelector("[data-truth]"), bet.querySelector(".you")];
    if (!(slider instanceof HTMLInputElement) || !place || !you?.textContent) continue;
    const truth = Number(place.textContent);
    bet.querySelector(".guess")?.remove();
    bet.querySelector("details")?.append(guessBar([Number(slider.value)], truth, `You said ${slider.value}; it is ${truth}.`));
  }
}

/**
 * A bar from 0 to 100 with guesses above, as a histogram, and what is true below.
 *
 * @param {number[]} guesses
 * @param {number | undefined} truth
 * @param {string} name
 * @param {boolean} [isClass] whether these are the guesses of several people
 */
export function guessBar(guesses, truth, name, isClass = false) {
  const [width, bins] = [420, 21];
  const x = (/** @type {number} */ value) => 12 + (value / 100) * (width - 24);
  const heights = new Array(bins).fill(0);
  for (const guess of guesses) heights[Math.round(Math.min(100, Math.max(0, guess)) / 5)] += 1;
  const high = Math.max(1, ...heights);
  const line = 26 + Math.min(high, 8) * 12;
  const [only] = guesses;
  const bars = !isClass
    ? [svg("path", { class: "area-b", d: `M${x(only)} ${line - 2}l-7 -13h14z` }), svg("text", { x: Math.min(Math.max(x(only), 40), width - 40), y: line - 20, "text-anchor": "middle" }, `you: ${only}`)]
    : heights.map((count, bin) => svg("rect", { class: "area-b", x: x(bin * 5) - 7, y: line - 2 - (count / high) * (line - 18), width: 14, height: (count / high) * (line - 18) }));
  return svg("svg", { class: "guess", viewBox: `0 0 ${width} ${line + 44}`, role: "img", "aria-label": name },
    svg("path", { class: "axis", d: `M${x(0)} ${line}H${x(100)}` }),
    ...bars,
    ...(truth === undefined ? [] : [svg("path", { class: "area-a", d: `M${x(truth)} ${line + 2}l-7 13h14z` }), svg("text", { x: Math.min(Math.max(x(truth), 40), width - 40), y: line + 30, "text-anchor": "middle" }, `true: ${truth}`)]),
    svg("text", { class: "quiet", x: x(0), y: line + 30, "text-anchor": "middle" }, truth !== undefined && truth < 15 ? "" : "0"),
    svg("text", { class: "quiet", x: x(100), y: line + 30, "text-anchor": "middle" }, truth !== undefined && truth > 85 ? "" : "100"));
}

/** What is played, by the id of its button. @type {Map<string, {tick: () => boolean, timer?: ReturnType<typeof setInterval>}>} */
const played = new Map();

/**
 * Lets a button play steps, until `tick` returns false. A page calls this after every change.
 *
 * @param {string} id of the button
 * @param {() => boolean} tick takes a step
 */
export function playWith(id, tick) {
  const button = byId(id);
  const one = played.get(id) ?? { tick };
  one.tick = tick;
  played.set(id, one);
  const stop = () => {
    clearInterval(one.timer);
    one.timer = undefined;
    button.textContent = "Play";
  };
  const step = () => one.tick() || stop();
  button.onclick = () => {
    if (one.timer) return stop();
    one.timer = setInterval(step, calm() ? STEP_WITHOUT_MOVEMENT : STEP);
    button.textContent = "Pause";
    step();
  };
}

/** What the first draw puts off. @type {(() => unknown)[]} */
const putOff = [];

/**
 * Draws what is farther down. The first figure does not wait for it when the page opens.
 *
 * @param {() => unknown} draw
 */
export function later(draw) {
  if (document.body.dataset.state === "ready") draw();
  else putOff.push(draw);
}

// Figures

/** The address of a figure alone, in its present state. @param {string} name */
function addressOf(name) {
  const search = location.search.replace(/([?&])figure=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return `${location.href.split(/[?#]/)[0]}${search}${search ? "&" : "?"}figure=${name}${location.hash}`;
}

/** Lets figures be saved and put into slides, and shows one alone if the address says so. */
function startFigures() {
  // A file that contains the lab does not contain its notebook.
  if (globalThis.pagekinCarried) for (const link of document.querySelectorAll("a[data-file]")) link.replaceWith(...link.childNodes);
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-figure]"))) {
    const name = figure.dataset.figure ?? "";
    const field = html("input", { type: "text", readonly: "", "aria-label": "HTML that shows this figure on another page" });
    const link = html("a", { href: addressOf(name), target: "_blank", rel: "noopener" }, "This figure alone");
    const button = (/** @type {string} */ label, /** @type {() => unknown} */ act) => {
      const made = html("button", { type: "button" }, label);
      made.addEventListener("click", act);
      return made;
    };
    const take = (/** @type {"svg" | "png" | "csv"} */ kind) => () => import("./take.js").then(({ save }) => save(figure, kind));
    const drawn = [button("SVG", take("svg")), button("PNG", take("png"))];
    const tools = html("details", { class: "take" }, html("summary", {}, "Use this figure"),
      html("div", { class: "controls" }, ...drawn, ...(figure.dataset.csv ? [button("CSV", take("csv"))] : []), link),
      html("label", {}, "In a page of slides:"), field);
    tools.addEventListener("toggle", () => {
      link.setAttribute("href", addressOf(name));
      for (const one of drawn) one.hidden = !figure.querySelector("svg[id]");
      /** @type {HTMLInputElement} */ (field).value = `<iframe src="${addressOf(name)}" width="800" height="600" title="${name}"></iframe>`;
    });
    figure.append(tools);
    if (name === alone) {
      figure.classList.add("shown");
      document.body.dataset.alone = "";
    }
  }
}

/** Starts a page of the lab without figures. */
export function readable() {
  drawSteps();
  carry(readAddress({}));
  document.body.dataset.state = "ready";
}

/**
 * Starts a page of the lab.
 *
 * @param {{defaults: State, draw: (shown: Shown) => unknown}} page `draw` is called after every change
 */
export async function explorable({ defaults, draw }) {
  drawSteps();
  startBets();
  startFigures();
  let state = readAddress(defaults);
  carry(state);
  try {
    const { openCore } = await import("./core.js");
    const core = await openCore(folderOfIndex());
    if (!core.pair) throw new Error(`expected two pages of the site that share a word, found none among ${core.pages.length}; build an index of more pages`);
    const place = (/** @type {string | number} */ url) => core.pages.findIndex((page) => page.url === url);
    const names = core.pages.map((_, at) => nameOf(core, at, 60));
    const selects = /** @type {NodeListOf<HTMLSelectElement>} */ (document.querySelectorAll("select[data-page]"));
    for (const select of selects) {
      select.replaceChildren(...core.pages.map(({ url }, at) => html("option", { value: url }, names[at])));
    }
    const redraw = () => {
      const [first, second] = /** @type {[number, number]} */ (core.pair);
      const known = [place(state.a), place(state.b)];
      /** @type {[number, number]} */
      const pair = [known[0] < 0 ? first : known[0], known[1] < 0 ? second : known[1]];
      if (known[0] < 0 && known[1] === first) pair[0] = second;
      const [shown, all] = [core.pages.length, core.info.pages];
      fill({ titleA: names[pair[0]], titleB: names[pair[1]], pages: shown < all ? `${count(shown)} of the ${count(all)} pages` : `the ${things(all, "page")}` });
      for (const select of selects) select.value = core.pages[pair[select.dataset.page === "a" ? 0 : 1]].url;
      for (const control of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-key]"))) {
        const value = state[control.dataset.key];
        if (control.type === "radio" || control.type === "checkbox") control.checked = control.value === String(value);
        else if (document.activeElement !== control || control.type === "range") control.value = String(value);
      }
      for (const shown of /** @type {NodeListOf<HTMLOutputElement>} */ (document.querySelectorAll("output[data-of]"))) shown.value = String(state[shown.dataset.of ?? ""]);
      measure();
      draw({ core, state, pair, truth: Number(state.truth) === 1, set });
      drawGuesses();
    };
    const set = (/** @type {State} */ changes) => {
      state = { ...state, ...changes };
      writeAddress(state, defaults);
      carry(state);
      redraw();
    };
    const answer = /** @type {HTMLDetailsElement | null} */ (document.querySelector("[data-bet] details"));
    answer?.addEventListener("toggle", () => answer.open && "truth" in defaults && set({ truth: 1 }));
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
    // In tasks of their own: a phone answers to touch between them.
    putOff.unshift(redraw);
    for (let draw = putOff.shift(); draw; draw = putOff.shift()) {
      await new Promise((resolve) => setTimeout(resolve));
      draw();
    }
    document.body.dataset.state = "ready";
  } catch (error) {
    showTrouble(error);
    throw error;
  }
}
