/**
 * Markdown as GitHub shows it: the same anchors, code in colors. Links between documents lead to
 * their pages on the site, others to the repository.
 */
import GithubSlugger from "github-slugger";
import highlighter from "highlight.js";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";

/** Code of more columns than a phone has is scrolled, with the keyboard too. */
const COLUMNS = 40;
/** A session on a command line is colored as one; others by the names they have. */
const LANGUAGES = { console: "shell", astro: "xml", text: "plaintext", csv: "plaintext" };

/** @param {string} text @param {string} name */
function highlight(text, name) {
  const language = LANGUAGES[name] ?? name;
  if (!language || language === "plaintext") return "";
  if (!highlighter.getLanguage(language)) throw new Error(`expected a language that highlight.js knows, found ${name}`);
  return highlighter.highlight(text, { language }).value;
}

const plain = new MarkdownIt();

/** @param {string} text */
export function tokensOf(text) {
  return plain.parse(text, {});
}

/** What an inline token says, without marks. */
export function plainTextOf(token) {
  return (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

/** An address of the site, without a doubled slash. @param {string} address */
export function addressOf(address) {
  return address.replace(/\/{2,}/g, "/");
}

/**
 * @param {(source: string, link: string) => string} resolve the address of what a link of a
 *   document leads to; documents are told apart by `env.source`
 */
export function markdown(resolve) {
  const it = new MarkdownIt({ highlight });
  it.use(anchor, {
    getTokensText: (tokens) => plainTextOf({ children: tokens }),
    slugify: (text) => new GithubSlugger().slug(text),
    // By its number, as GitHub tells headings of one name apart.
    uniqueSlugStartIndex: 1,
    level: [2, 3, 4],
    tabIndex: false,
    permalink: anchor.permalink.headerLink({ safariReaderFix: true }),
  });
  it.core.ruler.push("site", ({ tokens, env }) => {
    tokens.forEach((token, at) => {
      // What heads a column has a name.
      if (token.type === "th_open" && !tokens[at + 1].content) token.tag = tokens[at + 2].tag = "td";
      // The policy of the pages forbids styles in attributes.
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
