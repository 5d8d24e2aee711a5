// @ts-check
/**
 * Pages of the site itself, fetched when something of them is to be shown: each once an answer.
 *
 * @import {Kin, KinQuery, TextQuery} from "./pagekin.js"
 */
import { carried, linkTo } from "./link.js";
import { readTextFile } from "./text-file.js";

/** A style sheet within a page. */
const SHEET = /<style\b.*?<\/style\s*>/gis;

/** A tag up to the name of its attribute `style`. */
const STYLED = /(<[a-z][^<>]*?)\sstyle(?=\s*=)/gi;

/** The pages that an answer speaks of. */
export class Pages {
  #kin;
  /** By address. @type {Map<string, Promise<TextQuery>>} */
  #pages = new Map();

  /** @param {Pick<Kin, "info" | "ownHost">} kin */
  constructor(kin) {
    this.#kin = kin;
  }

  /**
   * The address from which a page can be fetched; nothing if it is on another host, or not below
   * the base address of the index.
   *
   * @param {string} url as the index has it
   */
  hrefOf(url) {
    const href = linkTo(url, this.#kin.info);
    return href && (carried() || new URL(href).origin === location.origin) ? href : undefined;
  }

  /**
   * @param {string} url as the index has it
   * @param {AbortSignal} [signal]
   * @returns {Promise<TextQuery>}
   */
  async get(url, signal) {
    const href = this.hrefOf(url);
    if (!href) throw new Error(`the page ${url} is on another host; open it there, or paste its text`);
    let page = this.#pages.get(href);
    if (!page) {
      page = carried()?.text(url) ?? fetchPage(href, this.#kin.ownHost, signal);
      this.#pages.set(href, page);
      page.catch(() => this.#pages.delete(href)); // so that it can be tried again
    }
    return page;
  }

  /**
   * What was looked for as a text; a page is fetched.
   *
   * @param {KinQuery} query
   * @param {AbortSignal} [signal]
   * @returns {Promise<TextQuery>}
   */
  async textOf(query, signal) {
    return typeof query === "object" && "url" in query ? this.get(query.url, signal) : query;
  }
}

/**
 * A page. Which pages are fetched is chosen by who sends the index: mirrors, or another host, must
 * ask for nothing in the visitor's name. The host of this page may, as it has the page itself, and
 * a site behind a password needs it.
 *
 * @param {string} href of this origin
 * @param {boolean} ownHost
 * @param {AbortSignal} [signal]
 * @returns {Promise<TextQuery>}
 */
async function fetchPage(href, ownHost, signal) {
  const expected = `expected the page at ${href}`;
  const response = await fetch(href, { signal, credentials: ownHost ? "same-origin" : "omit" }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new Error(`cannot fetch the page at ${href}; check the connection and try again`);
  });
  if (!response.ok) throw new Error(`${expected}, found HTTP status ${response.status}; it may have moved, or this host serves the index without the site`);
  // The name says that it is HTML: its encoding may be declared in it.
  const { text } = await readTextFile(new File([await response.blob()], "page.html"));
  // Browsers complain of styles that the policy forbids, even where nothing is drawn.
  return { html: text.replace(SHEET, "").replace(STYLED, "$1 data-style") };
}
