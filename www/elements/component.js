// @ts-check
/**
 * The base class of elements that show information on their page: when they query the index, that
 * they follow the page of a single-page site, their states, and that an answer moves nothing.
 *
 * @import {Take} from "./related-lists.js"
 * @import {ComponentState} from "./related.js"
 */
import { adopt, dispatch, isNew, make, ON_DISK, onSelect, say, warn } from "./element.js";
import { elements, lookUp } from "./related-lists.js";

/** Distance from the viewport at which an element queries the index. */
const NEAR = "800px";

/**
 * Notifies the elements when the path of the page changes. Navigation by routers is detected
 * without their help: by the Navigation API, by `popstate`, or by the title that they set. At that
 * moment the path is new, but the rest of the page may still be old.
 */
function watch() {
  if (!isNew("watch")) return;
  const check = () => elements.forEach((element) => element.look?.());
  /** @type {any} */ (globalThis).navigation?.addEventListener("currententrychange", check);
  addEventListener("popstate", check);
  new MutationObserver(check).observe(document.head, { childList: true, subtree: true, characterData: true });
}

/**
 * An element that shows what the index contains on its page.
 *
 * @template T
 */
export class Component extends HTMLElement {
  static observedAttributes = ["url", "lang", "limit", "min", "heading", "heading-level"];
  /**
   * What the index contains on the page, or null if it does not contain the page.
   *
   * @type {T | null | undefined}
   */
  found;
  /** Identifies the pending query. @type {object | undefined} */
  #pending;
  #take;
  #css;
  /** The page of the last query. */
  #queried = "";
  /** Whether the element has been near the viewport. */
  #near = false;
  /** Whether the content is a placeholder for the answer. */
  #reserved = false;
  /** Notices when the element is needed, and when it can shrink unseen. */
  #observer = new IntersectionObserver((seen) => {
    const near = seen[seen.length - 1].isIntersecting;
    if (!near) this.style.minBlockSize = "";
    this.#near ||= near;
    this.look();
  }, { rootMargin: NEAR });

  /**
   * @param {Take<T>} take reads the answer
   * @param {string} css the style sheet
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

  /** The page to query: by default, the one that contains the element. */
  get url() {
    return new URL(this.getAttribute("url") ?? location.href, document.baseURI).href;
  }

  set url(url) {
    this.setAttribute("url", url);
  }

  /**
   * The shown pages, in the order of the links.
   *
   * @returns {{url: string, title: string, similarity?: number}[]}
   */
  get results() {
    return [];
  }

  /** Draws the results. @returns {Node[]} */
  draw() {
    return [];
  }

  /** Draws a placeholder of the size of an answer. @returns {Node[]} */
  blank() {
    return [];
  }

  connectedCallback() {
    elements.add(this);
    adopt(this.localName, this.#css);
    watch();
    if (!this.dataset.state) {
      const prerendered = this.hasAttribute("prerendered");
      if (prerendered) this.#queried = this.url;
      // Text without links is for visitors without JavaScript.
      else if (!this.querySelector("a")) {
        this.#reserved = true;
        this.replaceChildren(...this.blank());
      }
      this.dataset.state = prerendered ? "ready" : "idle";
    }
    this.#observer.observe(this);
    this.look();
  }

  /** Moving the element changes nothing. Without this method, it would be disconnected first. */
  connectedMoveCallback() {}

  disconnectedCallback() {
    // Routers move elements. The content stays, and an element that is reconnected immediately
    // keeps its state.
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

  /** Queries the index if the page has changed and the element is needed. */
  look() {
    queueMicrotask(() => {
      const needed = this.isConnected && (this.#near || this.getAttribute("loading") === "eager");
      if (needed && pageOf(this.#queried) !== pageOf(this.url)) this.refresh();
    });
  }

  /**
   * Queries the index. The content stays until the answer arrives. An answer for an earlier page is
   * dropped.
   */
  async refresh() {
    const url = this.url;
    const isOther = this.#queried && pageOf(this.#queried) !== pageOf(url);
    this.#queried = url;
    const pending = this.#pending = {};
    this.dataset.state = "loading";
    const base = this.getAttribute("base") ?? undefined;
    /** @type {any} */
    const answer = await lookUp(this.#take, { base, url }).catch((error) => error);
    if (this.#pending !== pending) return;
    // The page may have changed without a sign.
    if (pageOf(this.url) !== pageOf(url)) return this.look();
    const { code, message, outside, found = null } = answer;
    // On disk, no page has the URL that is in the index.
    const unserved = location.protocol === "file:";
    if (answer instanceof Error && (unserved || code !== "UnknownUrl")) {
      // Links that came with the page stay, and so do its known results. Results of another page
      // are removed.
      if (isOther || this.#reserved) {
        this.found = undefined;
        this.#show(unserved ? [make("p", "failure", ON_DISK)] : []);
      }
      this.dataset.state = "error";
      warn(this, message);
      dispatch(this, "error", { code: code ?? answer.name, message });
      return;
    }
    if (outside) warn(this, outside);
    this.found = found;
    this.redraw();
    dispatch(this, "load", { url, results: this.results });
  }

  /** Draws the answer, if there is one. */
  redraw() {
    if (this.found === undefined) return;
    const nodes = this.draw();
    this.#show(nodes);
    this.dataset.state = nodes.length ? "ready" : "empty";
  }

  /**
   * Replaces the content. If it is visible, it does not become smaller, so that nothing moves.
   *
   * @param {Node[]} nodes
   */
  #show(nodes) {
    this.#reserved = false;
    const { top, bottom, height } = this.getBoundingClientRect();
    this.replaceChildren(...nodes);
    this.style.minBlockSize = top < innerHeight && bottom > 0 ? `${height}px` : "";
  }

  /** @param {string} name of a text */
  say(name) {
    return say(this, name);
  }
}

/**
 * Returns a URL without its query and fragment, which do not change the page.
 *
 * @param {string} url
 */
const pageOf = (url) => url.replace(/[?#].*/, "");
