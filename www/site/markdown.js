/**
 * Renders Markdown as GitHub does, with the same anchors and highlighted code. Links between
 * documents lead to their pages on the site, other links to the repository.
 */
import GithubSlugger from "github-slugger";
import highlighter from "highlight.js";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";

/** Number of columns that fit on a phone. Wider code can be scrolled, also with the keyboard. */
const COLUMNS = 40;
/** Names of languages that highlight.js calls differently. */
const LANGUAGES = { console: "shell", astro: "xml", text: "plaintext", csv: "plaintext" };

/** @param {string} text @param {string} name */
function highlight(text, name) {
  const language = LANGUAGES[name] ?? name;
  if (!language || language === "plaintext") return "";
  if (!highlighter.getLanguage(language)) throw new Error(`highlight.js does not support the language ${name}`);
  return highlighter.highlight(text, { language }).value;
}

const plain = new MarkdownIt();

/** @param {string} text */
export function tokensOf(text) {
  return plain.parse(text, {});
}

/** Returns the text of an inline token without markup. */
export function plainTextOf(token) {
  return (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

/** Returns a URL path of the site, without doubled slashes. @param {string} address */
export function addressOf(address) {
  return address.replace(/\/{2,}/g, "/");
}

/**
 * @param {(source: string, link: string) => string} resolve returns the URL for a
 *   link of a document, which `env.source` names
 */
export function markdown(resolve) {
  const it = new MarkdownIt({ highlight });
  it.use(anchor, {
    getTokensText: (tokens) => plainTextOf({ children: tokens }),
    slugify: (text) => new GithubSlugger().slug(text),
    // Numbers repeated headings as GitHub does.
    uniqueSlugStartIndex: 1,
    level: [2, 3, 4],
    tabIndex: false,
    permalink: anchor.permalink.headerLink({ safariReaderFix: true }),
  });
  it.core.ruler.push("site", ({ tokens, env }) => {
    tokens.forEach((token, at) => {
      // A header cell must not be empty.
      if (token.type === "th_open" && !tokens[at + 1].content) token.tag = tokens[at + 2].tag = "td";
      // The content security policy forbids style attributes.
      const style = token.attrGet("style");
      if (style) {
        token.attrs = token.attrs.filter(([name]) => name !== "style");
        token.attrJoin("class", style.replace("text-align:", ""));
      }
      for (const child of token.children ?? []) {
        if (child.type === "link_open") child.attrSet("href", resolve(env.source, child.attrGet("href")));
        if (child.type === "image") {
          child.attrSet("src", resolve(env.source, child.attrGet("src")));
          child.attrSet("loading", "lazy");
        }
      }
    });
    // The page shows the title itself.
    if (tokens[0]?.tag === "h1") tokens.splice(0, 3);
  });
  const { fence, table_open: table = (tokens, at, options, env, self) => self.renderToken(tokens, at, options) } = it.renderer.rules;
  it.renderer.rules.fence = (tokens, at, ...rest) => {
    const isWide = tokens[at].content.split("\n").some((line) => line.length > COLUMNS);
    return fence(tokens, at, ...rest).replace("<pre>", isWide ? `<pre tabindex="0">` : "<pre>");
  };
  it.renderer.rules.table_open = (...parameters) => `<div class="wide" tabindex="0" role="group" aria-label="Table">${table(...parameters)}`;
  it.renderer.rules.table_close = () => "</table></div>\n";
  return it;
}
