// @ts-check
/**
 * A box for a text or a file, and the pages of the site that are like it.
 *
 *     <script type="module" src="/pagekin/box.js"></script>
 *     <pagekin-box limit="5"></pagekin-box>
 *
 * The client, its wasm and the index are fetched when the box is first used. Types are in box.d.ts.
 *
 * @import {BoxInput, BoxState} from "./box.js"
 * @import {Answer, Kin, KinQuery, KinResult} from "../client/pagekin.js"
 */
import { offer } from "./agents.js";
import { adopt, define, linkTo, make, onSelect, say, tell, warn } from "./element.js";
import { looksLikeHtml, readTextFile } from "../demo/demo-file.js";
import { Pages } from "../demo/demo-pages.js";
import { elements } from "./related-lists.js";

export { strings } from "./element.js";

/** After the last key, in milliseconds. */
const PAUSE = 400;
/** Until the number of results is said: typing goes on. */
const POLITE = 500;
/** A text of fewer words finds anything. */
const LEAST_WORDS = 2;
/** Words that a result shares with the text, at most. */
const WORDS = 8;
/** Of two lists, so many results of each are shown. */
const SHORT = 5;

/** @typedef {Pick<Answer, "results" | "also" | "nowhere" | "rankedBy">} Lists */
/** @type {Lists} */
const NOTHING = { results: [], also: [], nowhere: [], rankedBy: "found" };

const CSS = `:where(pagekin-box) [part~=form]{display:grid;gap:var(--pagekin-gap,.4em)}
:where(pagekin-box) [part~=field]{box-sizing:border-box;inline-size:100%;padding:.6em;font:inherit;color:inherit;resize:vertical;background:var(--pagekin-background,Canvas);border:1px solid var(--pagekin-border,color-mix(in srgb,currentColor 55%,transparent));border-radius:var(--pagekin-radius,6px)}
:where(pagekin-box[data-drop]) [part~=field]{outline:2px dashed currentColor;outline-offset:2px}
:where(pagekin-box) [part~=actions]{display:flex;flex-wrap:wrap;gap:.5em;align-items:center}
:where(pagekin-box) [part~=button]{min-block-size:44px;padding:.4em 1em;font:inherit;color:inherit;background:var(--pagekin-background,Canvas);border:1px solid var(--pagekin-border,color-mix(in srgb,currentColor 55%,transparent));border-radius:var(--pagekin-radius,6px);cursor:pointer}
:where(pagekin-box) [part~=note],:where(pagekin-box) [part~=terms],:where(pagekin-box) [part~=missing],:where(pagekin-box) [part~=copies],:where(pagekin-box) [part~=section],:where(pagekin-box) [part~=excerpt]{margin:.2em 0;color:var(--pagekin-muted,color-mix(in srgb,currentColor 80%,transparent))}
:where(pagekin-box) [part~=status]{display:block;min-block-size:1.5em;margin:.5em 0}
:where(pagekin-box) [part~=list]{display:grid;gap:1em;margin:0;padding-inline-start:1.5em;overflow-wrap:anywhere}
:where(pagekin-box) [part~=heading]{margin:1em 0 .5em;font-weight:bold}
:where(pagekin-box) [part~=strength],:where(pagekin-box) [part~=near]{margin-inline-start:.5em;font-size:.85em}
:where(pagekin-box) [part~=mark]{color:inherit;background:var(--pagekin-mark,color-mix(in srgb,gold 45%,transparent))}
:where(pagekin-box) [part~=dialog]{box-sizing:border-box;inline-size:min(44rem,100% - 2rem);max-block-size:calc(100% - 4rem);padding:1rem;color:CanvasText;background:var(--pagekin-background,Canvas);border:1px solid;border-radius:var(--pagekin-radius,6px)}
:where(pagekin-box) :focus-visible{outline:var(--pagekin-focus,2px solid currentColor);outline-offset:2px}`;

/** `<pagekin-box>`: finds the pages of a site that are like a text or a file. */
class BoxElement extends HTMLElement {
  static observedAttributes = ["base", "lang", "placeholder", "form"];
  /** @type {Promise<Kin> | undefined} */
  #opening;
  /** @type {AbortController | undefined} */
  #running;
  /** @type {Lists} */
  #found = NOTHING;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #polite;
  #leaving = new AbortController();
  #field = document.createElement("textarea");
  #status = make("output", "status");
  #list = make("ol", "list");
  #lists = make("div", "lists", this.#list);
  /** @type {HTMLDialogElement | undefined} */
  #dialog;

  constructor() {
    super();
    this.#field.setAttribute("part", "field");
    this.#field.rows = 5;
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.search(this.value);
      const atEnd = this.#field.selectionStart === this.value.length;
      const first = this.#list.querySelector("a");
      if (event.key !== "ArrowDown" || !atEnd || !first) return;
      event.preventDefault();
      first.focus();
    });
    // Who comes near will ask.
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
    onSelect(this, () => [...this.results, ...this.also]);
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
    return this.#found.results.map(told);
  }

  get also() {
    return this.#found.also.map(told);
  }

  /** Whether the compact form is open. */
  get opened() {
    return this.#dialog?.open ?? true;
  }

  connectedCallback() {
    elements.add(this);
    adopt("pagekin-box", CSS);
    this.#leaving = new AbortController();
    addEventListener("keydown", (event) => this.#shortcut(event), { signal: this.#leaving.signal });
    offer(() => this.#open(), this.#leaving.signal);
    if (this.dataset.state) return;
    const fallback = this.querySelector("textarea");
    if (fallback) this.#field.value = fallback.value;
    this.dataset.state = "idle";
    this.#draw();
    if (this.hasAttribute("autofocus")) this.focus();
    if (this.value) this.#typed();
  }

  connectedMoveCallback() {}

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      elements.delete(this);
      this.#leaving.abort();
      this.#running?.abort();
    });
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (name === "base") this.#opening = undefined;
    if (this.dataset.state) this.#draw();
  }

  /** Texts may be in another language now. */
  redraw() {
    this.#draw();
  }

  /** @param {string} name @param {Record<string, string | number>} [values] */
  #say(name, values = {}) {
    return Object.entries(values).reduce((text, [key, value]) => text.replace(`{${key}}`, () => String(value)), say(this, name));
  }

  #draw() {
    const button = (/** @type {string} */ part, /** @type {string} */ name, /** @type {() => void} */ action) => {
      const made = make("button", `button ${part}`, this.#say(name));
      made.setAttribute("type", "button");
      made.addEventListener("click", action);
      return made;
    };
    const label = make("label", "label", this.#say("box.label"));
    const file = document.createElement("input");
    Object.assign(file, { type: "file", hidden: true, accept: this.getAttribute("accept") ?? "text/*,.md,.html,.htm,.xhtml,.txt" });
    file.addEventListener("change", () => { if (file.files?.[0]) this.search(file.files[0]); });
    this.#field.id ||= `pagekin-box-${Math.random().toString(36).slice(2)}`;
    label.setAttribute("for", this.#field.id);
    this.#field.placeholder = this.getAttribute("placeholder") ?? this.#say("box.placeholder");
    this.#status.setAttribute("role", "status");
    const form = make("form", "form", label, this.#field, make("p", "note", this.#say("box.private")), make("div", "actions",
      button("submit", "box.submit", () => this.search(this.value)), button("file", "box.file", () => file.click()), button("clear", "box.clear", () => this.clear()), file));
    form.setAttribute("role", "search");
    form.addEventListener("submit", (event) => event.preventDefault());
    const all = [form, this.#status, this.#lists];
    if (this.getAttribute("form") !== "compact") {
      this.#dialog = undefined;
      this.replaceChildren(...all);
    } else {
      this.#dialog = /** @type {HTMLDialogElement} */ (make("dialog", "dialog", button("close", "box.close", () => this.hide()), ...all));
      this.#dialog.setAttribute("aria-label", this.#say("box.label"));
      const open = button("open", "box.label", () => this.show());
      open.setAttribute("aria-haspopup", "dialog");
      const shortcut = this.getAttribute("shortcut");
      if (shortcut) open.setAttribute("aria-keyshortcuts", shortcut.replace(/(^|\+)\w/g, (letter) => letter.toUpperCase()));
      this.replaceChildren(open, this.#dialog);
    }
    if (this.state === "ready" || this.state === "empty") this.#show();
  }

  /** Opens the compact form. */
  show() {
    if (!this.#dialog?.open) this.#dialog?.showModal();
    this.#field.focus();
  }

  /** Closes it; the focus goes back to its button. */
  hide() {
    this.#dialog?.close();
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    if (this.#dialog && !this.#dialog.open) this.show();
    else this.#field.focus(options);
  }

  clear() {
    this.#stop();
    this.#field.value = "";
    this.#empty();
    this.#status.textContent = "";
    this.dataset.state = "idle";
    tell(this, "clear");
    this.#field.focus();
  }

  #typed() {
    this.#stop();
    this.dataset.state = "typing";
    this.#pause = setTimeout(() => this.search(this.value), PAUSE);
  }

  #stop() {
    clearTimeout(this.#pause);
    clearTimeout(this.#polite);
    this.#running?.abort();
  }

  /** @returns {Promise<Kin>} */
  #open() {
    this.#opening ??= (async () => {
      const base = this.getAttribute("base");
      const folder = base === null ? new URL(".", import.meta.url) : new URL(base, document.baseURI);
      /** @type {typeof import("../client/pagekin.js")} */
      const { open } = await import(new URL("./pagekin.js", import.meta.url).href);
      return open(folder);
    })();
    this.#opening.catch(() => { this.#opening = undefined; });
    return this.#opening;
  }

  /**
   * Looks a text or a file up.
   *
   * @param {BoxInput} input
   */
  async search(input) {
    this.#stop();
    const running = this.#running = new AbortController();
    /** @type {KinQuery} */
    let query;
    try {
      if (input instanceof File) {
        const { text, html } = await readTextFile(input);
        query = html ? { html: text } : { text };
      } else {
        const words = input.trim().split(/\s+/).filter(Boolean).length;
        if (words < LEAST_WORDS) {
          this.#empty();
          this.#status.textContent = words ? this.#say("box.short") : "";
          this.dataset.state = "idle";
          return;
        }
        query = looksLikeHtml(input) ? { html: input } : { text: input };
      }
      this.dataset.state = "loading";
      this.#status.textContent = this.#say("box.loading");
      tell(this, "search", { kind: input instanceof File ? "file" : "text" });
      const started = performance.now();
      const kin = await this.#open();
      const limit = Number(this.getAttribute("limit")) || 10;
      const answer = await kin.similar(query, { limit, min: Number(this.getAttribute("min")) || 0, signal: running.signal });
      if (running.signal.aborted) return;
      this.#found = answer;
      this.dataset.state = answer.results.length ? "ready" : "empty";
      this.#show();
      tell(this, "load", { results: this.results, also: this.also, milliseconds: performance.now() - started });
      await this.#illustrate(kin, query, running.signal);
    } catch (/** @type {any} */ error) {
      if (running.signal.aborted) return;
      this.#fail(error, input);
    }
  }

  #empty() {
    this.#found = NOTHING;
    this.#list.replaceChildren();
    this.#lists.replaceChildren(this.#list);
  }

  #show() {
    const { results, also, nowhere, rankedBy } = this.#found;
    const plural = new Intl.PluralRules(say(this, "lang")).select(results.length) === "one" ? "one" : "other";
    const count = results.length ? this.#say(`box.count.${plural}`, { n: results.length }) : this.#say("box.none");
    const text = nowhere.length ? `${count} ${this.#say("box.nowhere", { terms: nowhere.join(", ") })}` : count;
    this.#status.textContent = "";
    this.#polite = setTimeout(() => { this.#status.textContent = text; }, POLITE);
    const items = (/** @type {KinResult[]} */ list) => list.map(({ url, title, strength, sharedTerms, missingTerms, copies, near }) => {
      const item = make("li", "item", linkTo({ url, title }), make("span", `strength ${strength}`, this.#say(`strength.${strength}`)));
      if (near) item.append(make("span", "near", this.#say(`near.${near.kind}`)));
      if (sharedTerms.length) item.append(make("p", "terms", this.#say("box.terms", { terms: sharedTerms.slice(0, WORDS).join(", ") })));
      if (missingTerms.length) item.append(make("p", "missing", this.#say("box.missing", { terms: missingTerms.slice(0, WORDS).join(", ") })));
      if (copies.length) item.append(make("p", "copies", this.#say("box.copies"), " ", ...copies.flatMap((url, at) => [at ? ", " : "", linkTo({ url, title: url })])));
      return item;
    });
    const heading = (/** @type {boolean} */ first) => make("p", "heading", this.#say(first === (rankedBy === "found") ? "box.found" : "box.alike"));
    this.#list.replaceChildren(...items(results));
    this.#lists.replaceChildren(...(also.length ? [heading(true), this.#list, heading(false), make("ol", "list", ...items(also.slice(0, SHORT)))] : [this.#list]));
  }

  /**
   * Shows the passages of the first results, each when its page is there.
   *
   * @param {Kin} kin
   * @param {KinQuery} query
   * @param {AbortSignal} signal
   */
  async #illustrate(kin, query, signal) {
    const many = Number(this.getAttribute("excerpts") ?? 1) || 0;
    const pages = new Pages(kin.info);
    const items = [...this.#list.children];
    await Promise.all(this.#found.results.slice(0, many).map(async ({ url, title }, at) => {
      const href = pages.hrefOf(url);
      if (!href) return;
      const text = await pages.textOf(query, signal);
      const excerpt = await pages.get(url, signal).then((page) => kin.excerpt(text, page, { signal })).catch(() => undefined);
      if (!excerpt || signal.aborted) return;
      const { heading, fragment } = excerpt.section ?? {};
      const section = heading && heading !== title ? [make("p", "section", Object.assign(make("a", "link", heading), { href: href + fragment }))] : [];
      items[at].querySelector("[part~=terms]")?.before(...section, make("p", "excerpt", ...excerpt.pieces.map((piece, number) => (number % 2 ? make("mark", "mark", piece) : piece))));
    }));
  }

  /**
   * @param {any} error
   * @param {BoxInput} input
   */
  #fail(error, input) {
    const { code = "", message } = error;
    this.#empty();
    this.dataset.state = "error";
    if (code === "EmptyQuery") this.#status.textContent = this.#say("box.short");
    else if (!code) this.#status.textContent = this.#say("box.unreadable", { message }); // a file
    else {
      const retry = make("button", "button retry", this.#say("error.retry"));
      retry.addEventListener("click", () => this.search(input));
      this.#status.replaceChildren(`${this.#say("error.offline")}. `, retry);
      warn(this, message);
    }
    tell(this, "error", { code, message });
  }

  /** @param {DragEvent} event */
  #dragged(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dataset.drop = "";
  }

  /** @param {KeyboardEvent} event */
  #shortcut(event) {
    const wanted = this.getAttribute("shortcut")?.toLowerCase().split("+");
    if (!wanted || event.isComposing || event.defaultPrevented || event.repeat) return;
    const key = wanted.at(-1) ?? "";
    const code = /^\d$/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
    const held = [["ctrl", event.ctrlKey], ["alt", event.altKey], ["shift", event.shiftKey], ["meta", event.metaKey]].filter(([, is]) => is).map(([name]) => name);
    const expected = wanted.slice(0, -1).map((name) => (name === "mod" ? (/Mac|iP/.test(navigator.platform) ? "meta" : "ctrl") : name));
    // A letter alone is what people type (WCAG 2.1.4).
    if (event.code !== code || expected.length === 0 || String(held.sort()) !== String(expected.sort())) return;
    event.preventDefault();
    this.focus();
  }
}

/**
 * A result as scripts of the page are told it.
 *
 * @param {KinResult} result
 */
const told = ({ url, title, similarity, found, strength }) => ({ url, title, similarity, found, strength });

define("pagekin-box", BoxElement, {
  en: {
    lang: "en",
    "box.label": "Find pages like a text", "box.submit": "Find similar pages", "box.file": "Choose a file", "box.clear": "Clear", "box.close": "Close",
    "box.placeholder": "Paste or type a text, or drop a file", "box.private": "The text stays on this device.",
    "box.loading": "Searching …", "box.none": "No similar page found", "box.short": "A few more words are needed", "box.unreadable": "{message}",
    "box.count.one": "{n} similar page", "box.count.other": "{n} similar pages", "box.terms": "Shared words: {terms}", "box.missing": "Not on this page: {terms}", "box.nowhere": "Nowhere on this site: {terms}",
    "box.copies": "Also at:",
    "box.found": "Pages that have your text", "box.alike": "Pages like your text",
    "strength.strong": "strong match", "strength.some": "some match", "strength.weak": "perhaps",
    "near.copy": "copy", "near.near-duplicate": "near-duplicate", "near.quotes": "shared passages",
    "near.contains": "your text contains this page", "near.contained": "this page contains your text",
    "error.offline": "The index cannot be reached", "error.retry": "Try again",
  },
  de: {
    lang: "de",
    "box.label": "Seiten zu einem Text finden", "box.submit": "Ähnliche Seiten finden", "box.file": "Datei wählen", "box.clear": "Leeren", "box.close": "Schließen",
    "box.placeholder": "Text einfügen, eintippen oder Datei hierher ziehen", "box.private": "Der Text bleibt auf diesem Gerät.",
    "box.loading": "Suche läuft …", "box.none": "Keine ähnliche Seite gefunden", "box.short": "Bitte einige Wörter mehr",
    "box.unreadable": "Diese Datei lässt sich hier nicht lesen. Bitte den Text kopieren und einfügen.",
    "box.count.one": "{n} ähnliche Seite", "box.count.other": "{n} ähnliche Seiten", "box.terms": "Gemeinsame Wörter: {terms}", "box.missing": "Nicht auf dieser Seite: {terms}", "box.nowhere": "Nirgends auf dieser Website: {terms}",
    "box.copies": "Auch hier:",
    "box.found": "Seiten, die Ihren Text enthalten", "box.alike": "Seiten, die Ihrem Text ähneln",
    "strength.strong": "starke Übereinstimmung", "strength.some": "mittlere Übereinstimmung", "strength.weak": "vielleicht",
    "near.copy": "Kopie", "near.near-duplicate": "fast identisch", "near.quotes": "gemeinsame Passagen",
    "near.contains": "Ihr Text enthält diese Seite", "near.contained": "diese Seite enthält Ihren Text",
    "error.offline": "Der Index ist nicht erreichbar", "error.retry": "Erneut versuchen",
  },
});
