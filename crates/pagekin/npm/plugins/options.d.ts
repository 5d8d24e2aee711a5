/** What all plugins take. */
export interface Options {
  /** `<pagekin-related>` below the text of each page: its attributes (`{ limit: 5 }` by default), or `false` for none. */
  related?: boolean | Attributes;
  /**
   * `<pagekin-box>` in the place of the site's search: its attributes (`{ form: "compact", shortcut: "mod+k" }` by default), or
   * `false` for none. By default it is there if the site has no other search.
   */
  box?: boolean | Attributes;
  /** The folder of the index, below that of the site: `pagekin` by default. */
  folder?: string;
  /**
   * Options of `pagekin build`, by the names that they have there or in camel case: `{ exclude: ["drafts/**"], lang: "de" }`.
   * Those in `pagekin.toml` count as well, and less.
   */
  build?: Record<string, string | number | boolean | string[]>;
}

/** Of an element: `true` is one without a value, `false` none. */
export type Attributes = Record<string, string | number | boolean>;
