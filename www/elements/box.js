// @ts-check
/**
 * The search box of a site. Words find pages while the visitor types; a paragraph or a file finds
 * the pages that contain or resemble it.
 *
 *     <script type="module" src="/pagekin/box.js"></script>
 *     <pagekin-box form="compact" shortcut="mod+k"></pagekin-box>
 *
 * The client, its WebAssembly module and the index are fetched when the box is first used. Types
 * are in box.d.ts.
 *
 * The arrow keys move the focus from the field to the results, which are links. The box does not
 * use `aria-activedescendant`, for three reasons:
 *
 * - A result contains more than its name: its place, a passage, a link to a section, copies. An
 *   option of a list box may contain none of these, and a screen reader would read one long name.
 * - A focused link works with all keys of the browser, such as Ctrl and Enter for a new tab.
 * - The field may have several lines, which a combo box may not.
 *
 * Characters typed while a result has the focus go to the field.
 *
 * @import {BoxInput, BoxResult, BoxState} from "./box.js"
 * @import {Kin, KinQuery, SearchAnswer, SearchResult, SimilarResult} from "../client/pagekin.js"
 */
import { prepare } from "../client/passages.js";
import { looksLikeHtml, readTextFile } from "../client/text-file.js";
import { offer } from "./agents.js";
import { takeColors } from "./box-colors.js";
import { as, button, CLOCK, CROSS, GLASS, icon, matches, shortcuts, shown, spoken } from "./box-draw.js";
import { forget, keep, recent } from "./box-recent.js";
import { Results } from "./box-results.js";
import { CSS } from "./box-style.js";
import { ENGLISH, fetchTexts } from "./box-texts.js";
import { adopt, define, dispatch, make, ON_DISK, onSelect, say, warn } from "./element.js";
import { elements } from "./related-lists.js";

export { strings } from "./element.js";

/** Delay after the last key before a search starts, in milliseconds: for words, and for a text. */
const PAUSE = 120;
const TEXT_PAUSE = 400;
/** Delay before a partial answer is shown, so that a fast connection shows only the whole one. */
const PARTIAL_DELAY = 100;
/** Delay before the loading message is shown. */
const LOADING_DELAY = 500;
/** Maximum time to wait for the texts of another language before the box is drawn in English. */
const MAX_LANGUAGE_DELAY = 300;
/** Input with more words or letters, or with several lines, is a text. */
const MAX_WORDS = 8;
const MAX_LETTERS = 120;
/** Scripts without spaces: two of their characters count as a word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
/** Number of results of a word search, until the visitor wants more. */
const RESULTS = 30;
/**
 * Other attributes than those that are observed, and than properties of any element. Frameworks
 * have some with other characters.
 */
const OTHERS = /^(data-|aria-|(accept|class|excerpts|filters|folder-names|limit|min|param|recent|tabindex|topics)$)|[^a-z-]/;

/** Whether input is a word search. @param {string} text */
function isWords(text) {
  const trimmed = text.trim();
  const words = trimmed.split(/\s+/).length + (trimmed.match(UNSPACED)?.length ?? 0) / 2;
  return words <= MAX_WORDS && trimmed.length <= MAX_LETTERS && !trimmed.includes("\n") && !looksLikeHtml(trimmed);
}

/** `<pagekin-box>`: finds the pages of a site by words, a text or a file. */
class BoxElement extends HTMLElement {
  static observedAttributes = ["base", "base-url", "index-names", "index-weights", "lang", "placeholder", "form", "shortcut"];
  /** @type {Promise<Kin> | undefined} */
  #opening;
  /** The index for which passages are prepared. @type {Kin | undefined} */
  #prepared;
  /** @type {AbortController | undefined} */
  #running;
  /** Whether the words come from a paste, so that they may be private. */
  #pasted = false;
  /** Whether Enter was pressed before the answer arrived. */
  #opensFirst = false;
  #drawn = false;
  /** Whether the page is opened from disk, where browsers do not let it read its index. */
  #unserved = false;
  /** @type {ReturnType<typeof setTimeout>[]} */
  #timers = [];
  #disconnected = new AbortController();
  #field = document.createElement("textarea");
  #status = make("output", "status");
  #results = new Results({
    element: this,
    say: (name, values) => this.#say(name, values),
    after: (milliseconds, action) => this.#after(milliseconds, action),
    show: (text) => { this.#status.textContent = text; },
    again: () => this.search(this.value),
  });
  #clear = button("clear", () => this.clear());
  /** @type {HTMLDialogElement | undefined} */
  #dialog;

  constructor() {
    super();
    const field = this.#field;
    field.setAttribute("part", "field");
    Object.assign(field, { rows: 1, spellcheck: false, autocapitalize: "none", enterKeyHint: "search" });
    field.setAttribute("autocomplete", "off");
    field.addEventListener("input", (event) => {
      const { isComposing, inputType } = /** @type {InputEvent} */ (event);
      this.#pasted = Boolean(field.value) && (this.#pasted || /^insertFrom(Paste|Drop)/.test(inputType));
      if (!isComposing) this.#typed();
    });
    field.addEventListener("compositionend", () => this.#typed());
    field.addEventListener("focus", () => this.#results.activate());
    this.addEventListener("keydown", (event) => {
      this.#key(event);
      // The site may have its own keys, such as arrows that turn pages.
      const held = event.ctrlKey || event.metaKey || event.altKey;
      if (!held && this.#dialog?.contains(/** @type {Node} */ (event.target))) event.stopPropagation();
    });
    // Closes a phone's keyboard, which would cover the list while it is scrolled.
    this.#results.lists.addEventListener("touchmove", () => field.blur(), { passive: true });
    // Opens the index early, when the visitor approaches the box.
    for (const sign of ["focusin", "pointerover", "dragenter"]) this.addEventListener(sign, () => this.#open().catch(() => {}), { once: true });
    this.addEventListener("dragover", (event) => this.#dragged(event));
    this.addEventListener("dragleave", ({ relatedTarget }) => {
      if (!this.contains(/** @type {Node | null} */ (relatedTarget))) delete this.dataset.drop;
    });
    this.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      this.#dragged(event);
      delete this.dataset.drop;
      if (file) this.search(file);
    });
    onSelect(this, (link) => {
      const found = this.#results.of(link);
      // A link to a section or a copy belongs to its result.
      return found && { ...publicResult(found.result), ...(link.matches("[part~=title]") ? {} : { url: link.getAttribute("href") ?? "" }), rank: found.rank };
    });
    this.addEventListener("click", ({ target, metaKey, ctrlKey, shiftKey }) => {
      if (!(/** @type {Element} */ (target).closest("[part~=item] a"))) return;
      if (this.#results.words !== undefined && this.getAttribute("recent") !== "off") keep(this.#base.pathname, this.#results.words);
      if (!metaKey && !ctrlKey && !shiftKey) this.hide();
    });
  }

  /** @returns {BoxState} */
  get state() {
    return /** @type {BoxState} */ (this.dataset.state ?? "idle");
  }

  get value() {
    return this.#field.value;
  }

  set value(text) {
    this.#field.value = text;
    this.#typed();
  }

  get results() {
    return this.#results.found.results.map(publicResult);
  }

  get otherResults() {
    return this.#results.found.otherResults.map(publicResult);
  }

  get chosen() {
    return this.#results.chosen;
  }

  set chosen(filters) {
    this.#results.chosen = filters;
    if (this.value) this.search(this.value);
  }

  /** Whether the compact form is open. */
  get opened() {
    return this.#dialog?.open ?? this.getAttribute("form") !== "compact";
  }

  /** The folder of the first index. */
  get #base() {
    return this.#bases[0]?.base ?? new URL(".", import.meta.url);
  }

  /** The folders of the indexes, with their names and weights. */
  get #bases() {
    const listed = (/** @type {string} */ name, /** @type {RegExp | string} */ between) => (this.getAttribute(name) ?? "").split(between).map((one) => one.trim());
    const [names, weights] = [listed("index-names", ","), listed("index-weights", ",")];
    return listed("base", /\s+/).filter(Boolean).map((base, at) => ({ base: new URL(base, document.baseURI), name: names[at], weight: Number(weights[at]) || 1 }));
  }

  connectedCallback() {
    elements.add(this);
    adopt("pagekin-box", CSS, false);
    this.#disconnected = new AbortController();
    addEventListener("keydown", (event) => this.#shortcut(event), { signal: this.#disconnected.signal });
    offer(() => this.#open(), this.#disconnected.signal);
    if (this.dataset.state) return;
    for (const { name } of this.attributes) {
      if (!(name in HTMLElement.prototype || OTHERS.test(name) || BoxElement.observedAttributes.includes(name))) warn(this, `unknown attribute ${name}`);
    }
    const fallback = /** @type {HTMLInputElement | null} */ (this.querySelector("textarea,input:not([type=hidden])"));
    if (fallback) this.#field.value = fallback.value;
    this.#field.value = this.#named ?? this.#field.value;
    addEventListener("popstate", () => { if (this.#named !== undefined && this.#named !== this.value.trim()) this.value = this.#named; }, { signal: this.#disconnected.signal });
    this.dataset.state = "idle";
    const reading = fetchTexts(this);
    const begin = () => {
      if (!this.#drawn) this.#draw();
    };
    if (reading) {
      reading.then(begin);
      setTimeout(begin, MAX_LANGUAGE_DELAY);
    } else begin();
    // Shows the author of the page that the box cannot work, before anything is typed.
    if (location.protocol === "file:") {
      this.#open().catch((error) => {
        this.#unserved = true;
        this.#fail(error, "");
      });
    }
    if (this.hasAttribute("autofocus")) this.focus();
    if (this.value) this.#typed();
  }

  connectedMoveCallback() {}

  /** The words in the address of the page, if the box is to keep them there. */
  get #named() {
    const param = this.getAttribute("param");
    return param ? new URLSearchParams(location.search).get(param) ?? "" : undefined;
  }

  /** Keeps words in the address of the page. @param {string} words empty for a text, which never goes there */
  #name(words) {
    const param = this.getAttribute("param");
    if (!param || words === this.#named) return;
    const url = new URL(location.href);
    if (words) url.searchParams.set(param, words);
    else url.searchParams.delete(param);
    history.replaceState(history.state, "", url);
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      elements.delete(this);
      this.#disconnected.abort();
      this.#stop();
    });
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (/^(base|index)/.test(name)) this.#opening = undefined;
    if (name === "lang" && this.dataset.state) fetchTexts(this);
    if (this.#drawn) this.#draw();
  }

  /** Redraws after texts or the language changed. */
  redraw() {
    if (this.#drawn) this.#draw();
  }

  /** @param {string} name @param {Record<string, string | number>} [values] */
  #say(name, values = {}) {
    return Object.entries(values).reduce((text, [key, value]) => text.replace(`{${key}}`, () => String(value)), say(this, name));
  }

  #draw() {
    this.#drawn = true;
    const focused = document.activeElement === this.#field;
    const wasOpen = this.#dialog?.open;
    const compact = this.getAttribute("form") === "compact";
    const keys = shortcuts(this.getAttribute("shortcut"));
    const label = make("label", "label", this.#say("box.label"));
    const note = make("span", "note", this.#say("box.private"));
    const file = document.createElement("input");
    Object.assign(file, { type: "file", hidden: true, accept: this.getAttribute("accept") ?? "text/*,.md,.html,.htm,.xhtml,.txt" });
    file.addEventListener("change", () => {
      if (file.files?.[0]) this.search(file.files[0]);
      file.value = ""; // so that the same file can be chosen again
    });
    this.#field.id ||= `pagekin-box-${Math.random().toString(36).slice(2)}`;
    note.id = `${this.#field.id}-note`;
    label.setAttribute("for", this.#field.id);
    this.#field.setAttribute("aria-describedby", note.id);
    this.#field.placeholder = this.getAttribute("placeholder") ?? this.#say("box.placeholder");
    this.#clear.textContent = this.#say("box.clear");
    this.#status.setAttribute("role", "status");
    const bar = make("div", "bar", icon(GLASS), label, this.#field, this.#clear);
    const foot = make("div", "foot", note);
    if (compact) {
      const hint = (/** @type {string} */ key, /** @type {string} */ name) => [make("kbd", "keys", key), ` ${this.#say(name)} \u00a0 `];
      const hints = make("span", "hints", ...hint("↑ ↓", "box.move"), ...hint("↵", "box.go"));
      hints.setAttribute("aria-hidden", "true");
      const close = button("close", () => this.hide(), icon(CROSS));
      close.setAttribute("aria-label", this.#say("box.close"));
      bar.append(close);
      foot.append(hints);
    }
    foot.append(button("file", () => file.click(), this.#say("box.file")), file);
    const form = make("form", "form", bar);
    form.setAttribute("role", "search");
    form.addEventListener("submit", (event) => event.preventDefault());
    const body = make("div", "body", this.#results.folders, this.#results.filters, this.#status, this.#results.lists);
    const templates = this.querySelectorAll(":scope>template"); // for results
    this.#dialog = undefined;
    if (!compact) this.replaceChildren(form, foot, body, ...templates);
    else {
      this.#dialog = /** @type {HTMLDialogElement} */ (make("dialog", "dialog", form, body, foot));
      this.#dialog.setAttribute("aria-label", this.#say("box.label"));
      this.#dialog.addEventListener("pointerdown", ({ target, currentTarget, clientX, clientY }) => {
        const { left, right, top, bottom } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
        if (target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom)) this.hide();
      });
      const open = button("open", () => this.show(), icon(GLASS), this.#say("box.label"));
      open.setAttribute("aria-haspopup", "dialog");
      if (keys.length) {
        open.setAttribute("aria-keyshortcuts", keys.map(spoken).join(" "));
        const seen = make("kbd", "keys", shown(keys[0]));
        seen.setAttribute("aria-hidden", "true");
        open.append(seen);
      }
      this.replaceChildren(open, this.#dialog, ...templates);
      if (wasOpen) this.#openDialog();
    }
    if (focused) this.#field.focus();
    this.#size();
    if (this.state === "ready" || this.state === "empty") this.#results.draw();
    else this.#showRecent();
  }

  /** Opens the dialog of the compact form. */
  show() {
    if (!this.#drawn) this.#draw();
    if (this.#dialog && !this.#dialog.open) {
      this.#openDialog();
      if (!this.value) this.#showRecent();
      this.#field.select();
    }
    this.#field.focus();
  }

  #openDialog() {
    if (!this.#dialog) return;
    this.#dialog.showModal();
    takeColors(this.#dialog);
  }

  /** Closes the dialog. The focus returns to where it was. */
  hide() {
    this.#dialog?.close();
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    if (this.opened) this.#field.focus(options);
    else this.show();
  }

  clear() {
    this.#stop();
    this.#field.value = "";
    this.#empty();
    dispatch(this, "clear");
    this.#field.focus();
  }

  /**
   * Runs an action later, unless the visitor types first.
   *
   * @param {number} milliseconds @param {() => void} action
   */
  #after(milliseconds, action) {
    this.#timers.push(setTimeout(action, milliseconds));
  }

  #typed() {
    this.#stop();
    this.#size();
    const text = this.value.trim();
    // A single ASCII character is too short to search, except with Enter.
    if (/^[\x00-\x7f]?$/.test(text)) return this.#empty();
    this.dataset.state = "typing";
    this.#after(isWords(text) ? PAUSE : TEXT_PAUSE, () => this.search(this.value));
  }

  #stop() {
    this.#timers.splice(0).forEach(clearTimeout);
    this.#running?.abort();
    this.#opensFirst = false;
  }

  /** Fits the height of the field to its text, for browsers without `field-sizing`. */
  #size() {
    this.#clear.hidden = !this.value;
    if (window.CSS.supports("field-sizing", "content")) return;
    const lines = this.value.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / 60), 0);
    this.#field.rows = Math.min(lines, 8);
  }

  /**
   * Returns the language of the page, if the site has it, because a few words do not reveal it.
   *
   * @param {Kin} kin
   */
  #langOf(kin) {
    const lang = this.closest("[lang]")?.getAttribute("lang")?.toLowerCase().split("-")[0] ?? "";
    return kin.info.languages.includes(lang) ? lang : "";
  }

  /** @returns {Promise<Kin>} */
  #open() {
    this.#opening ??= (async () => {
      /** @type {typeof import("../client/pagekin.js")} */
      const { open } = await import(new URL("./pagekin.js", import.meta.url).href);
      const bases = this.#bases;
      return bases.length > 1 ? open(bases) : open(this.#base, { baseUrl: this.getAttribute("base-url") ?? undefined });
    })();
    this.#opening.catch(() => { this.#opening = undefined; });
    return this.#opening;
  }

  /**
   * Searches for words, a text or a file.
   *
   * @param {BoxInput} input
   */
  async search(input) {
    const opensFirst = this.#opensFirst;
    this.#stop();
    this.#opensFirst = opensFirst;
    const running = this.#running = new AbortController();
    const { signal } = running;
    try {
      if (typeof input === "string" && !input.trim()) return this.#empty();
      this.dataset.state = "loading";
      const words = typeof input === "string" && isWords(input) ? input.trim() : undefined;
      this.#after(words ? LOADING_DELAY : 0, () => { this.#status.textContent = this.#say("box.loading"); });
      dispatch(this, "search", { kind: words ? "words" : input instanceof File ? "file" : "text" });
      const started = performance.now();
      const query = typeof input === "string" ? queryOf(input) : queryOf(await readTextFile(input));
      const kin = await this.#open();
      /** @type {unknown} */
      let latest;
      const onPartial = (/** @type {Partial<import("./box-results.js").Found>} */ answer) => {
        latest = answer;
        this.#after(PARTIAL_DELAY, () => {
          if (latest === answer && answer.results?.length) this.#results.show(answer, words, { kin, query, signal, isPartial: true });
        });
      };
      const answering = words ? this.#find(kin, words, RESULTS, { signal, onPartial }) : kin.similar(query, { limit: this.#results.limit, min: Number(this.getAttribute("min")) || 0, signal, onPartial });
      if (this.#prepared !== kin && this.getAttribute("excerpts") !== "0") prepare(kin);
      this.#prepared = kin;
      const answer = await answering;
      if (signal.aborted) return;
      onPartial(answer); // what the pages contain may change the order
      await this.#results.show(answer, words, { kin, query, signal }, () => {
        this.#timers.splice(0).forEach(clearTimeout);
        this.dataset.state = answer.results.length ? "ready" : "empty";
      });
      if (signal.aborted) return;
      this.#name(this.#pasted ? "" : words ?? "");
      dispatch(this, "load", { results: this.results, otherResults: this.otherResults, milliseconds: performance.now() - started });
      if (this.#opensFirst) this.#openFirst();
    } catch (/** @type {any} */ error) {
      if (!signal.aborted) this.#fail(error, input);
    }
  }

  /**
   * Finds pages by words, one more than are shown, so that it is known whether there are more.
   *
   * @param {Kin} kin
   * @param {string} words
   * @param {number} limit
   * @param {{signal: AbortSignal, onPartial?: (answer: any) => void}} options
   * @returns {Promise<Omit<SearchAnswer, "cost"> & {more?: () => void}>}
   */
  async #find(kin, words, limit, { signal, onPartial }) {
    const filters = this.#results.offersFilters(kin) ? { filters: this.#results.chosen } : {};
    const more = async () => {
      try {
        this.#results.extend(await this.#find(kin, words, 2 * limit, { signal }));
      } catch (error) {
        if (!signal.aborted) this.#fail(error, words);
      }
    };
    const read = (/** @type {SearchAnswer} */ answer) => ({ ...answer, results: answer.results.slice(0, limit), more: answer.results.length > limit ? more : undefined });
    return read(await kin.search(words, { phrases: false, limit: limit + 1, lang: this.#langOf(kin), signal, onPartial: onPartial && ((answer) => onPartial(read(answer))), ...filters }));
  }

  #empty() {
    this.#name("");
    this.#results.clear();
    this.#status.textContent = this.#unserved ? ON_DISK : "";
    this.dataset.state = "idle";
    this.#showRecent();
  }

  /** Shows recent searches in an empty dialog. */
  #showRecent() {
    if (this.value || !this.#dialog || this.getAttribute("recent") === "off") return;
    const folder = this.#base.pathname;
    const all = recent(folder);
    if (!all.length) return this.#results.lists.replaceChildren();
    this.#results.lists.replaceChildren(make("div", "heading", this.#say("box.recent")), as("list", "list", ...all.map((words, at) => {
      const again = button("again", () => {
        this.value = words;
        this.#field.focus();
      }, icon(CLOCK), make("bdi", "words", words));
      again.dataset.stop = "";
      const remove = button("remove", () => {
        forget(folder, words);
        this.#showRecent();
        (/** @type {HTMLElement[]} */ ([...this.#results.lists.querySelectorAll("[part~=remove]")])[Math.min(at, all.length - 2)] ?? this.#field).focus();
      }, icon(CROSS));
      remove.setAttribute("aria-label", this.#say("box.remove", { terms: words }));
      return as("listitem", "past", again, remove);
    })));
  }

  /** Opens the first result. @param {MouseEventInit} [held] keys */
  #openFirst(held) {
    this.#results.lists.querySelector("[part~=title]")?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, ...held }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (event.isComposing || event.defaultPrevented) return;
    const target = /** @type {Element} */ (event.target);
    const stops = /** @type {HTMLElement[]} */ ([...this.#results.lists.querySelectorAll("[data-stop]")]);
    const held = ctrlKey || metaKey || altKey;
    const go = (/** @type {HTMLElement} */ to) => {
      event.preventDefault();
      to.focus();
      to.closest("[role=listitem]")?.scrollIntoView({ block: "nearest" });
    };
    if (key === "Escape" && !this.#dialog && this.value) return this.clear();
    if (target === this.#field) {
      const short = isWords(this.value);
      if (key === "Enter" && !shiftKey && !altKey && (short || held)) this.#enter(event, short);
      if (key === "ArrowDown" && !held && !shiftKey && stops[0] && (short || this.#field.selectionEnd === this.value.length)) go(stops[0]);
    } else if (this.#results.lists.contains(target)) {
      const at = stops.indexOf(/** @type {HTMLElement} */ (target.closest("[role=listitem]")?.querySelector("[data-stop]") ?? target));
      if (held) return;
      if (key === "ArrowDown") go(stops[Math.min(at + 1, stops.length - 1)]);
      else if (key === "ArrowUp") go(stops[at - 1] ?? this.#field);
      else if (key === "Home" || key === "End") go(/** @type {HTMLElement} */ (stops.at(key === "Home" ? 0 : -1)));
      // The character is then typed into the field. The space bar presses buttons.
      else if (key === "Backspace" || ([...key].length === 1 && (key !== " " || target.localName === "a"))) this.#field.focus();
    }
  }

  /** @param {KeyboardEvent} event @param {boolean} short */
  #enter(event, short) {
    event.preventDefault();
    this.#pasted = false;
    if (!short) this.search(this.value);
    else if (!this.value.trim()) return;
    // On touch screens, Enter closes the keyboard, so that the results are visible.
    else if (matchMedia("(hover:none)").matches) this.#field.blur();
    else if (this.#results.found.results.length && this.#results.words === this.value.trim()) this.#openFirst({ ctrlKey: event.ctrlKey, metaKey: event.metaKey });
    else {
      this.#opensFirst = true;
      if (this.state !== "loading") this.search(this.value);
    }
  }

  /**
   * @param {any} error
   * @param {BoxInput} input
   */
  #fail(error, input) {
    const { code = "", message } = error;
    const words = typeof input === "string" && isWords(input);
    this.#stop();
    this.#results.clear();
    this.dataset.state = code === "EmptyQuery" && words ? "empty" : "error";
    if (this.#unserved) this.#status.textContent = ON_DISK;
    else if (code === "EmptyQuery") this.#status.textContent = this.#say(words ? "box.none" : "box.short");
    else if (!code) this.#status.textContent = this.#say("box.unreadable", { message }); // a file
    else if (code === "Unsupported") {
      this.#status.textContent = this.#say("error.unsupported");
      warn(this, message);
    }
    else {
      this.#status.replaceChildren(`${this.#say("error.offline")}. `, button("retry", () => this.search(input), this.#say("error.retry")));
      warn(this, message);
    }
    dispatch(this, "error", { code, message });
  }

  /** @param {DragEvent} event */
  #dragged(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dataset.drop = "";
  }

  /** @param {KeyboardEvent} event */
  #shortcut(event) {
    if (event.isComposing || event.defaultPrevented || event.repeat) return;
    if (!shortcuts(this.getAttribute("shortcut")).some((one) => matches(one, event))) return;
    event.preventDefault();
    if (this.#dialog?.open) this.hide();
    else this.focus();
  }
}

/** @param {string | {text: string, html: boolean}} read @returns {KinQuery} */
function queryOf(read) {
  const { text, html } = typeof read === "string" ? { text: read, html: looksLikeHtml(read) } : read;
  return html ? { html: text } : { text };
}

/**
 * Returns the fields of a result that the page may read.
 *
 * @param {SearchResult & Partial<SimilarResult>} result
 * @returns {BoxResult}
 */
const publicResult = ({ sharedTerms, missingTerms, copies, near, ...shown }) => shown;

define("pagekin-box", BoxElement, { en: ENGLISH });
