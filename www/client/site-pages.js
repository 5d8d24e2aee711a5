// @ts-check
/**
 * Fetches pages of the site to show parts of them, each at most once per answer.
 *
 * @import {Kin, KinQuery, TextQuery} from "./pagekin.js"
 */
import { carried, linkTo } from "./link.js";
import { readTextFile } from "./text-file.js";

/** A style sheet within a page. */
const SHEET = /<style\b.*?<\/style\s*>/gis;

/** A tag up to its attribute `style`. */
const STYLED = /(<[a-z][^<>]*?)\sstyle(?=\s*=)/gi;

/** The pages of an answer. */
export class Pages {
  #kin;
  /** By URL. @type {Map<string, Promise<TextQuery>>} */
  #pages = new Map();

  /** @param {Pick<Kin, "info" | "ownHost">} kin */
  constructor(kin) {
    this.#kin = kin;
  }

  /**
   * Returns the URL from which a page can be fetched, or nothing if it is on another host or not
   * below the base URL of the index.
   *
   * @param {string} url as in the index
   */
  hrefOf(url) {
    const href = linkTo(url, this.#kin.info);
    return href && (carried() || new URL(href).origin === location.origin) ? href : undefined;
  }

  /**
   * @param {string} url as in the index
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
      page.catch(() => this.#pages.delete(href)); // so that it can be retried
    }
    return page;
  }

  /**
   * Returns the query as a text. A page of the site is fetched.
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
 * Fetches a page. The sender of the index chooses which pages are fetched. Mirrors and other hosts
 * must not request anything with the visitor's credentials. The host of this page may, because it
 * also serves the page, and a site behind a password needs it.
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
  // The name marks it as HTML, which may declare its encoding.
  const { text } = await readTextFile(new File([await response.blob()], "page.html"));
  // Browsers warn about styles that the policy forbids, even if nothing is rendered.
  return { html: text.replace(SHEET, "").replace(STYLED, "$1 data-style") };
}
