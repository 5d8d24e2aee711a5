// @ts-check
/**
 * What the elements have in common that show something of the page they are on: when they ask, that
 * they ask again when the page becomes another, their states, and that nothing moves when an answer
 * comes.
 *
 * @import {Take} from "./related-lists.js"
 * @import {ComponentState} from "./related.js"
 */
import { adopt, isNew, make, ON_DISK, onSelect, say, tell, warn } from "./element.js";
import { elements, lookUp } from "./related-lists.js";

/** An element asks when it is so near to the viewport. */
const NEAR = "800px";

/**
 * Calls the elements when the path of the page is another. What routers do is seen without them: by
 * the Navigation API, by `popstate`, or by the title that they set. Then the path is the new one,
 * but the rest of the page may be the old one.
 */
function watch() {
  if (!isNew("watch")) return;
  const check = () => elements.forEach((element) => element.look?.());
  /** @type {any} */ (globalThis).navigation?.addEventListener("currententrychange", check);
  addEventListener("popstate", check);
  new MutationObserver(check).observe(document.head, { childList: true, subtree: true, characterData: true });
}

/**
 * An element that shows what the index knows of the page it is on.
 *
 * @template T
 */
export class Component extends HTMLElement {
  static observedAttributes = ["url", "lang", "limit", "min", "heading", "heading-level"];
  /** @type {T | null | undefined} What is known of the page; null if the index does not know it. */
  found;
  /** @type {object | undefined} Stands for the question that is open. */
  #asking;
  #take;
  #css;
  /** The page that was asked about last. */
  #asked = "";
  /** The element has been near to the viewport. */
  #near = false;
  /** What is there takes the room of an answer. */
  #reserved = false;
  /** Tells when the element is needed, and when nobody sees that it shrinks. */
  #observer = new IntersectionObserver((seen) => {
    const near = seen[seen.length - 1].isIntersecting;
    if (!near) this.style.minBlockSize = "";
    this.#near ||= near;
    this.look();
  }, { rootMargin: NEAR });

  /**
   * @param {Take<T>} take what is asked for
   * @param {string} css of the style sheet
   */
  constructor(take, css) {
    super();
    this.#take = take;
    this.#css = css;
    onSelect(this, (_, at) => this.results[at] && { ...this.results[at], rank: at + 1 });
  }

  /** @returns {ComponentState} */
  get state() {
    return /** @type {ComponentState} */ (this.dataset.state ?? "idle");
  }

  /** The page that is asked about: the one that the element is on, if the attribute names none. */
  get url() {
    return new URL(this.getAttribute("url") ?? location.href, document.baseURI).href;
  }

  set url(url) {
    this.setAttribute("url", url);
  }

  /** What is shown, in the order of the links. @returns {{url: string, title: string, similarity?: number}[]} */
  get results() {
    return [];
  }

  /** What shows the results. @returns {Node[]} */
  draw() {
    return [];
  }

  /** What takes the room that an answer will need. @returns {Node[]} */
  blank() {
    return [];
  }

  connectedCallback() {
    elements.add(this);
    adopt(this.localName, this.#css);
    watch();
    if (!this.dataset.state) {
      const prerendered = this.hasAttribute("prerendered");
      if (prerendered) this.#asked = this.url;
      // A text without links is for visitors who have no script.
      else if (!this.querySelector("a")) {
        this.#reserved = true;
        this.replaceChildren(...this.blank());
      }
      this.dataset.state = prerendered ? "ready" : "idle";
    }
    this.#observer.observe(this);
    this.look();
  }

  /**
   * Where it is moved to makes no difference; without this method, it would be told to leave first.
   */
  connectedMoveCallback() {}

  disconnectedCallback() {
    // Routers put elements elsewhere: what is shown stays, and whoever is back at once has not been
    // away.
    queueMicrotask(() => {
      if (this.isConnected) return;
      elements.delete(this);
      this.#observer.disconnect();
    });
  }

  attributeChangedCallback() {
    if (!this.dataset.state) return;
    this.redraw();
    this.look();
  }

  /** Asks, if the page is another than the one that was asked about, and the element is needed. */
  look() {
    queueMicrotask(() => {
      const needed = this.isConnected && (this.#near || this.getAttribute("loading") === "eager");
      if (needed && pageOf(this.#asked) !== pageOf(this.url)) this.refresh();
    });
  }

  /**
   * Asks. What is shown stays until the answer is there; an answer for an earlier page is not
   * shown.
   */
  async refresh() {
    const url = this.url;
    const isOther = this.#asked && pageOf(this.#asked) !== pageOf(url);
    this.#asked = url;
    const asking = this.#asking = {};
    this.dataset.state = "loading";
    const base = this.getAttribute("base") ?? undefined;
    /** @type {any} */
    const answer = await lookUp(this.#take, { base, url }).catch((error) => error);
    if (this.#asking !== asking) return;
    // The page may have become another without a sign as yet.
    if (pageOf(this.url) !== pageOf(url)) return this.look();
    const { code, message, outside, found = null } = answer;
    // On disk no page has the address that the index knows it by.
    const unserved = location.protocol === "file:";
    if (answer instanceof Error && (unserved || code !== "UnknownUrl")) {
      // What the page came with stays, and what it is known to have; what was shown of another page
      // must not.
      if (isOther || this.#reserved) {
        this.found = undefined;
        this.#show(unserved ? [make("p", "failure", ON_DISK)] : []);
      }
      this.dataset.state = "error";
      warn(this, message);
      tell(this, "error", { code: code ?? answer.name, message });
      return;
    }
    if (outside) warn(this, outside);
    this.found = found;
    this.redraw();
    tell(this, "load", { url, results: this.results });
  }

  /** Shows what is known, if it is. */
  redraw() {
    if (this.found === undefined) return;
    const nodes = this.draw();
    this.#show(nodes);
    this.dataset.state = nodes.length ? "ready" : "empty";
  }

  /**
   * Shows something else. Where that is seen it takes no less room than what was there, so that
   * nothing moves.
   *
   * @param {Node[]} nodes
   */
  #show(nodes) {
    this.#reserved = false;
    const { top, bottom, height } = this.getBoundingClientRect();
    this.replaceChildren(...nodes);
    this.style.minBlockSize = top < innerHeight && bottom > 0 ? `${height}px` : "";
  }

  /** @param {string} name of a text in the language of the element */
  say(name) {
    return say(this, name);
  }
}

/** An address without what does not make it another page. @param {string} url */
const pageOf = (url) => url.replace(/[?#].*/, "");
