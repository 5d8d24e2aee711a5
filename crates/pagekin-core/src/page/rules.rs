//! What elements and attributes mean for a page: the rules by names.

use std::borrow::Cow;

/// Maximum number of seconds before a `meta refresh` that is a redirect. Stubs that announce where
/// they send their readers wait for 0 to 10; news and dashboards reload after a minute or more.
const MAX_REFRESH_SECONDS: u32 = 10;

/// The address of a `meta refresh`, as the HTML standard reads it (the shared declarative refresh
/// steps): `there.html` of `5; url=there.html`. `None` if browsers do nothing, or load the same
/// page again, or only after more than [`MAX_REFRESH_SECONDS`].
pub(super) fn refresh_target(content: &str) -> Option<String> {
    let content = content.trim_ascii_start();
    let behind = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let seconds = content[..content.len() - behind.len()].trim_start_matches('0');
    if seconds.len() > 2 || seconds.parse().unwrap_or(0) > MAX_REFRESH_SECONDS {
        return None;
    }
    if behind.len() == content.len() && !behind.starts_with('.') {
        return None;
    }
    let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !behind.starts_with(|c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace()) {
        return None;
    }
    let behind = behind.trim_ascii_start();
    let whole = behind.strip_prefix([';', ',']).unwrap_or(behind).trim_ascii_start();
    let target = match whole.as_bytes() {
        [b'u' | b'U', b'r' | b'R', b'l' | b'L', ..] => {
            whole[3..].trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start)
        }
        [b'u' | b'U', ..] => None,
        _ => Some(whole),
    };
    // What only begins as `url=` does is an address as it stands, quotes and all.
    let target = match target {
        Some(target) => match target.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(&target[..1]).next().unwrap_or(quoted),
            None => target,
        },
        None => whole,
    };
    let target = target.trim_ascii();
    (!target.is_empty() && !is_script(target)).then(|| target.to_owned())
}

/// Whether an address is a script, as parsers of URLs see it: without tabs and the ends of lines.
fn is_script(address: &str) -> bool {
    let seen = address.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'));
    let seen = seen.skip_while(|&byte| byte <= b' ').map(|byte| byte.to_ascii_lowercase());
    seen.take(11).eq(*b"javascript:")
}

pub(super) fn root_of<'a>(
    name: &str,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> Option<usize> {
    if attribute("data-pagekin-body").is_some() {
        Some(0)
    } else if attribute("data-pagefind-body").is_some() {
        Some(1)
    } else if name == "main" || attribute("role").is_some_and(|role| role.trim() == "main") {
        Some(2)
    } else if name == "article" {
        Some(3)
    } else {
        None
    }
}

/// Whether an element says what of a page is its body, in any of the ways of rule 3. Constant time.
pub fn marks_body<'a>(name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    root_of(name, &attribute).is_some()
}

pub(super) fn is_chrome<'a>(name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    matches!(name, "nav" | "header" | "footer" | "aside")
        || attribute("role").is_some_and(|role| {
            matches!(
                role.trim(),
                "navigation" | "banner" | "contentinfo" | "complementary" | "search"
            )
        })
}

pub(super) fn is_ignored<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    ["data-pagekin-ignore", "data-pagefind-ignore", "hidden"]
        .into_iter()
        .any(|name| attribute(name).is_some())
}

/// Whether an element is of a class that highlighters give to the numbers of lines.
pub(super) fn is_gutter<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    attribute("class").is_some_and(|class| {
        class.split_ascii_whitespace().any(|name| {
            matches!(
                name,
                "linenos"
                    | "lineno"
                    | "linenumber"
                    | "linenumbers"
                    | "line-number"
                    | "lnum"
                    | "lnt"
                    | "ln"
                    | "LineNr"
                    | "gutter"
                    | "rouge-gutter"
                    | "hljs-ln-numbers"
                    | "src-line-numbers"
                    | "source-line-no"
                    | "blob-num"
            )
        })
    })
}

/// Whether a text in such an element is the number of a line, or several.
pub(super) fn is_line_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a `meta` tells robots this, or `none`, which says all.
#[inline]
pub(crate) fn robots_say<'a>(
    what: &str,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> bool {
    attribute("name").is_some_and(|v| v.trim().eq_ignore_ascii_case("robots"))
        && attribute("content")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .any(|word| word.eq_ignore_ascii_case(what) || word.eq_ignore_ascii_case("none"))
}

/// Whether an element's `rel` has this.
#[inline]
pub(crate) fn is_related<'a>(how: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    attribute("rel").is_some_and(|rel| rel.split_whitespace().any(|v| v.eq_ignore_ascii_case(how)))
}

#[inline]
pub(crate) fn is_unseen(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "object"
            | "canvas"
            | "audio"
            | "video"
            | "button"
            | "select"
            | "textarea"
            | "datalist"
    ) || name.starts_with("pagekin-")
}

#[inline]
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[inline]
pub(crate) fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "kbd"
            | "mark"
            | "q"
            | "ruby"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
    )
}

/// `text` with every run of white space and control characters made one space and none at the ends:
/// a title is one line on a terminal too.
pub(crate) fn collapse(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}
