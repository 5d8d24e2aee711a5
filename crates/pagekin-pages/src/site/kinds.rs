//! The kinds of elements that the HTML standard nests differently.

/// A kind of element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    Head,
    Body,
    Base,
    /// `link` and `meta`.
    Meta,
    Title,
    /// `style` and `noframes`.
    Style,
    Script,
    Noscript,
    /// `iframe` and `noembed`, whose content is text.
    Frame,
    Textarea,
    /// An element that ends a paragraph.
    Block,
    /// A block that may be between a list and its items.
    Box,
    Paragraph,
    Heading,
    Pre,
    Form,
    /// `li`.
    Item,
    /// `dt` and `dd`.
    Definition,
    Button,
    Link,
    Formatting,
    /// An element without content.
    Void,
    Rule,
    Input,
    Select,
    /// `option` and `optgroup`.
    Option,
    Table,
    Caption,
    Columns,
    Column,
    /// `thead`, `tbody` and `tfoot`.
    Rows,
    Row,
    Cell,
    /// `svg` and the elements in it.
    Svg,
    /// `title` in an `svg`.
    SvgTitle,
    Template,
    Other,
    /// An element with rules of its own.
    Rare,
}

impl Kind {
    /// Returns the kind of elements with a name in lower case.
    pub(crate) fn new(name: &str) -> Self {
        match name {
            "html" => Self::Html,
            "head" => Self::Head,
            "body" => Self::Body,
            "base" => Self::Base,
            "link" | "meta" | "basefont" | "bgsound" => Self::Meta,
            "title" => Self::Title,
            "style" | "noframes" => Self::Style,
            "script" => Self::Script,
            "noscript" => Self::Noscript,
            "iframe" | "noembed" => Self::Frame,
            "textarea" => Self::Textarea,
            "address" | "dialog" | "div" | "search" => Self::Box,
            "article" | "aside" | "blockquote" | "center" | "details" | "dir" | "dl"
            | "fieldset" | "figcaption" | "figure" | "footer" | "header" | "hgroup" | "main"
            | "menu" | "nav" | "ol" | "section" | "summary" | "ul" => Self::Block,
            "p" => Self::Paragraph,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Self::Heading,
            "pre" | "listing" => Self::Pre,
            "form" => Self::Form,
            "li" => Self::Item,
            "dt" | "dd" => Self::Definition,
            "button" => Self::Button,
            "a" => Self::Link,
            "b" | "big" | "code" | "em" | "font" | "i" | "s" | "small" | "strike" | "strong"
            | "tt" | "u" => Self::Formatting,
            "area" | "br" | "embed" | "img" | "keygen" | "param" | "source" | "track" | "wbr" => {
                Self::Void
            }
            "hr" => Self::Rule,
            "input" => Self::Input,
            "select" => Self::Select,
            "option" | "optgroup" => Self::Option,
            "table" => Self::Table,
            "caption" => Self::Caption,
            "colgroup" => Self::Columns,
            "col" => Self::Column,
            "thead" | "tbody" | "tfoot" => Self::Rows,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "svg" => Self::Svg,
            "template" => Self::Template,
            "applet" | "frame" | "frameset" | "image" | "isindex" | "marquee" | "math" | "nobr"
            | "object" | "plaintext" | "rb" | "rp" | "rt" | "rtc" | "ruby" | "xmp" => Self::Rare,
            _ => Self::Other,
        }
    }

    /// Whether elements have no content and no end tag.
    pub(crate) fn is_empty(self) -> bool {
        matches!(self, Self::Base | Self::Meta | Self::Void | Self::Rule | Self::Input)
    }

    /// Whether elements end where one around them does.
    pub(crate) fn has_optional_end(self) -> bool {
        matches!(self, Self::Item | Self::Definition | Self::Option | Self::Paragraph)
    }

    /// Whether start tags in elements do not concern what is around them, as in the standard's
    /// *default scope*.
    pub(crate) fn is_scope(self) -> bool {
        matches!(
            self,
            Self::Html | Self::Table | Self::Cell | Self::Caption | Self::Select | Self::Template
        )
    }

    /// Whether an item in elements does not end one around them.
    pub(crate) fn holds_items(self) -> bool {
        !matches!(
            self,
            Self::Other
                | Self::Formatting
                | Self::Link
                | Self::Box
                | Self::Paragraph
                | Self::Option
        )
    }

    /// Whether elements are parts of a table, between its cells and itself.
    pub(crate) fn is_part_of_table(self) -> bool {
        matches!(
            self,
            Self::Caption | Self::Columns | Self::Column | Self::Rows | Self::Row | Self::Cell
        )
    }

    /// Whether elements are in the `head`, or in the body by the same rules.
    pub(crate) fn is_of_head(self) -> bool {
        matches!(self, Self::Base | Self::Meta | Self::Title | Self::Style | Self::Script)
    }
}
