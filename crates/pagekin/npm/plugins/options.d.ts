/** The options of all plugins. */
export interface Options {
  /** Attributes of the `<pagekin-related>` below the text of each page (`{ limit: 5 }` by default), or `false` for none. */
  related?: boolean | Attributes;
  /**
   * Attributes of the `<pagekin-box>` that replaces the site's search (`{ form: "compact", shortcut: "mod+k" }` by default), or
   * `false` for none. By default, it is added if the site has no other search.
   */
  box?: boolean | Attributes;
  /** Folder of the index, relative to the site's: `pagekin` by default. */
  folder?: string;
  /**
   * Options of `pagekin build`, under their own names or in camel case: `{ exclude: ["drafts/**"], lang: "de" }`. They take
   * precedence over `pagekin.toml`.
   */
  build?: Record<string, string | number | boolean | string[]>;
}

/** Attributes of an element: `true` adds one without a value, `false` omits it. */
export type Attributes = Record<string, string | number | boolean>;
