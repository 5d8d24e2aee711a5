// @ts-check
/**
 * Fetches pages of the site to show parts of them, each at most once per answer. A passage needs
 * only the beginning of a page up to it.
 *
 * @import {Excerpt, Kin, KinQuery, TextQuery} from "./pagekin.js"
 */
import { carried, linkTo } from "./link.js";
import { decode, readTextFile } from "./text-file.js";

/**
 * The bytes of a page after which its passage is searched first, and the maximum to read for it.
 * Hosts that compress send a fifth to a third of these bytes.
 */
const FIRST_READ = 12_000;
export const MAX_READ = 40_000;
/** Share of the words that are enough in a passage once a third of the maximum was read. */
const MOST = 2 / 3;

/** @typedef {{html: string, read: number, whole: boolean}} Beginning of a page */

/** A style sheet within a page. */
const SHEET = /<style\b.*?<\/style\s*>/gis;

/** A tag up to its attribute `style`. */
const STYLED = /(<[a-z][^<>]*?)\sstyle(?=\s*=)/gi;

/** The pages of an answer. */
export class Pages {
  #kin;
  /** By URL. @type {Map<string, Promise<TextQuery>>} */
  #pages = new Map();
  /** By URL. @type {Map<string, Beginning>} */
  #beginnings = new Map();

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
   * Finds the passage of a page. Reads the page only until the passage has the words, or up to a
   * maximum.
   *
   * @param {Kin} kin
   * @param {string} url as in the index
   * @param {TextQuery} text
   * @param {{words?: number, max?: number, signal?: AbortSignal}} [options] `words`: the number of words that are known to be on
   *   the page
   * @returns {Promise<Excerpt | undefined>}
   */
  async passage(kin, url, text, { words = 1, max = MAX_READ, signal } = {}) {
    const href = this.hrefOf(url);
    if (!href) return undefined;
    const known = this.#pages.get(href) ?? carried()?.text(url);
    if (known) return kin.excerpt(text, await known, { signal });
    /** @type {Excerpt | undefined} */
    let found;
    /** @param {Beginning} beginning @returns {Promise<boolean>} whether it is enough */
    const search = async (beginning) => {
      const { html, read, whole } = beginning;
      if (whole) this.#pages.set(href, Promise.resolve({ html }));
      else this.#beginnings.set(href, beginning);
      found = (await kin.excerpt(text, { html }, { signal })) ?? found;
      if (whole || read >= max || found?.verbatim) return true;
      return Boolean(found?.inSentence && found.terms >= (read < max / 3 ? words : words * MOST));
    };
    const begun = this.#beginnings.get(href);
    if (!begun || !(await search(begun))) await readBeginning(href, this.#kin.ownHost, begun?.read ?? 0, search, signal);
    return found;
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
 * Reads a page until its beginning is enough.
 *
 * @param {string} href of this origin
 * @param {boolean} ownHost
 * @param {number} known number of bytes that are not enough
 * @param {(beginning: Beginning) => Promise<boolean>} isEnough
 * @param {AbortSignal} [signal]
 */
async function readBeginning(href, ownHost, known, isEnough, signal) {
  const response = await request(href, ownHost, signal);
  const reader = response.body?.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let read = 0;
  let next = Math.max(FIRST_READ, known + 1);
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (value) {
      chunks.push(value);
      read += value.length;
    }
    if (!done && read < next) continue;
    const bytes = new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (chunks)).arrayBuffer());
    // Up to the last tag, because the last character may be incomplete.
    const html = decode(done ? bytes : bytes.subarray(0, bytes.lastIndexOf(0x3c)), true);
    if (await isEnough({ html: withoutStyles(html), read, whole: done })) return reader?.cancel();
    next = Math.min(2 * read, Math.max(MAX_READ, read + FIRST_READ));
  }
}

/**
 * @param {string} href of this origin
 * @param {boolean} ownHost
 * @param {AbortSignal} [signal]
 * @returns {Promise<TextQuery>}
 */
async function fetchPage(href, ownHost, signal) {
  const response = await request(href, ownHost, signal);
  // The name marks it as HTML, which may declare its encoding.
  const { text } = await readTextFile(new File([await response.blob()], "page.html"));
  return { html: withoutStyles(text) };
}

/**
 * Requests a page. The sender of the index chooses which pages are fetched. Mirrors and other hosts
 * must not request anything with the visitor's credentials. The host of this page may, because it
 * also serves the page, and a site behind a password needs it.
 *
 * @param {string} href
 * @param {boolean} ownHost
 * @param {AbortSignal} [signal]
 */
async function request(href, ownHost, signal) {
  const response = await fetch(href, { signal, credentials: ownHost ? "same-origin" : "omit" }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new Error(`cannot fetch the page at ${href}; check the connection and try again`);
  });
  if (!response.ok) throw new Error(`expected the page at ${href}, found HTTP status ${response.status}; it may have moved, or this host serves the index without the site`);
  return response;
}

/**
 * Returns HTML without styles. Browsers warn about styles that the policy forbids, even if nothing
 * is rendered.
 *
 * @param {string} html
 */
const withoutStyles = (html) => html.replace(SHEET, "").replace(STYLED, "$1 data-style");
