/** A value of a page, or several. */
export type PageValues = string | number | boolean | readonly (string | number | boolean)[];

/** A page to index: its HTML, or its text. */
export type PageRecord = {
  /** Its URL, or its path below the base URL. */
  url: string;
  /** Metadata to show with results, as of `data-pagekin-meta`. */
  meta?: Record<string, PageValues>;
  /** Values to filter results by, as of `data-pagekin-filter`. */
  filters?: Record<string, PageValues>;
  /** Values to sort results by, as of `data-pagekin-sort`. */
  sort?: Record<string, PageValues>;
} & ({ html: string } | {
  /** A blank line ends a paragraph. */
  text: string;
  title?: string;
  /** A language tag, such as `pt-BR`. */
  lang?: string;
});

/** What `pagekin build --json` prints. */
export type BuildSummary = { pages: number } & Record<string, unknown>;

/**
 * Builds an index from pages, without files in between:
 *
 * ```js
 * const builder = new IndexBuilder("public/pagekin");
 * await builder.addRecord({ url: "/rye/", title: "Rye", lang: "en", text: "Rye rises slowly." });
 * await builder.write();
 * ```
 */
export class IndexBuilder {
  /**
   * @param output The folder of the index, which is replaced once the new one is complete.
   * @param options Options of `pagekin build`, such as `["--base-url", "/docs/"]`.
   * @param site A folder of HTML whose pages are indexed as well. Of pages with the same URL, that of the folder counts.
   */
  constructor(output: string, options?: readonly string[], site?: string);
  /** Adds a page. Await it, so that memory stays small. */
  addRecord(record: PageRecord): Promise<void>;
  /** Adds a page by its HTML. */
  addFile(url: string, html: string): Promise<void>;
  /** Writes the index. Rejects with the message of the program if a page is not valid. */
  write(): Promise<BuildSummary>;
}
