//! Rules about single elements, by their names and attributes.

use std::borrow::Cow;

use super::hints;
use super::tree::Reason;

/// Maximum number of seconds before a `meta refresh` that is a redirect. Stubs that announce their
/// target wait for 0 to 10 seconds; news pages and dashboards reload after a minute or more.
const MAX_REFRESH_SECONDS: u32 = 10;

/// Maximum number of attributes that an element lists as text.
const MAX_LISTED: usize = 16;

/// The values of `meta name` with which owners address all robots, or a robot that represents all.
const ROBOTS: [&str; 3] = ["robots", "googlebot", "bingbot"];

/// Returns the URL that a script navigates to if the script contains it literally:
/// `location.replace("/there")`, `location = '/there'`.
pub(super) fn script_target(script: &str) -> Option<String> {
    let mut rest = script;
    while let Some((_, after)) = rest.split_once("location") {
        rest = after;
        let after = after.strip_prefix(".href").unwrap_or(after).trim_start();
        let calls = [".replace", ".assign"].iter().find_map(|call| after.strip_prefix(call));
        let value = match calls {
            Some(call) => call.trim_start().strip_prefix('('),
            None => after.strip_prefix('=').filter(|value| !value.starts_with('=')),
        };
        let Some(value) = value.map(str::trim_start) else { continue };
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
            continue;
        };
        let Some((target, _)) = value[1..].split_once(quote) else { continue };
        let target = target.trim_ascii();
        if !target.is_empty() && !target.contains(['\\', '$', '<']) && !is_script(target) {
            return Some(target.to_owned());
        }
    }
    None
}

/// Returns the URL of a `meta refresh` by the shared declarative refresh steps of the HTML
/// standard: `there.html` of `5; url=there.html`. Returns `None` if browsers do nothing, reload the
/// same page, or wait for more than [`MAX_REFRESH_SECONDS`].
pub(super) fn refresh_target(content: &str) -> Option<String> {
    let content = content.trim_ascii_start();
    let after = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let seconds = content[..content.len() - after.len()].trim_start_matches('0');
    if seconds.len() > 2 || seconds.parse().unwrap_or(0) > MAX_REFRESH_SECONDS {
        return None;
    }
    if after.len() == content.len() && !after.starts_with('.') {
        return None;
    }
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !after.starts_with(|c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace()) {
        return None;
    }
    let after = after.trim_ascii_start();
    let whole = after.strip_prefix([';', ',']).unwrap_or(after).trim_ascii_start();
    let target = match whole.as_bytes() {
        [b'u' | b'U', b'r' | b'R', b'l' | b'L', ..] => {
            whole[3..].trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start)
        }
        [b'u' | b'U', ..] => None,
        _ => Some(whole),
    };
    // A value that only starts like `url=` is itself a URL, including its quotes.
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

/// Whether a URL is a script to URL parsers, which ignore tabs and line breaks.
fn is_script(address: &str) -> bool {
    let seen = address.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'));
    let seen = seen.skip_while(|&byte| byte <= b' ').map(|byte| byte.to_ascii_lowercase());
    seen.take(11).eq(*b"javascript:")
}

pub(super) fn is_owners<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    ["data-pagekin-body", "data-pagefind-body"].into_iter().any(|name| attribute(name).is_some())
}

/// Whether an element marks the body of a page: a mark of the owner, `main` or `article`.
pub fn marks_body<'a>(name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    matches!(name, "main" | "article")
        || is_owners(&attribute)
        || attribute("role").is_some_and(|role| role.trim() == "main")
}

/// Returns the list of an element's attributes whose values are text.
pub(super) fn list_of_attributes<'a>(
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
    ["data-pagekin-index-attrs", "data-pagefind-index-attrs"].into_iter().find_map(attribute)
}

/// Returns the distinct names in the value of `data-pagekin-index-attrs` or
/// `data-pagefind-index-attrs`, in lower case: at most the first 16.
pub fn listed_attributes(list: &str) -> impl Iterator<Item = String> {
    let names = || list.split(',').take(MAX_LISTED).map(|name| name.trim().to_ascii_lowercase());
    names()
        .enumerate()
        .filter(move |(at, name)| !names().take(*at).any(|earlier| earlier == *name))
        .map(|(_, name)| name)
}

/// Whether an element is hidden and stays so. Visitors open panels of tabs and accordions, and
/// browsers open `hidden=until-found` elements that they search.
pub(crate) fn is_hidden<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    let by_style = attribute("style").is_some_and(|style| hides(&style));
    let is_hidden = by_style
        || attribute("hidden").is_some_and(|v| !v.trim().eq_ignore_ascii_case("until-found"));
    is_hidden
        && attribute("role").is_none_or(|role| role.trim() != "tabpanel")
        && attribute("class").is_none_or(|class| hints::from_class(&class) & hints::PANEL == 0)
}

/// Whether an inline style has `display: none` or `visibility: hidden`.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim();
        let value = value.split(|c: char| c == '!' || c.is_ascii_whitespace()).next();
        let is = |name: &str, hidden: &str| {
            property.trim().eq_ignore_ascii_case(name)
                && value.is_some_and(|value| value.eq_ignore_ascii_case(hidden))
        };
        is("display", "none") || is("visibility", "hidden")
    })
}

/// Returns why the text of an element is excluded, independent of the elements around it. `joins`
/// means that it is inline.
pub(super) fn exclusion_reason<'a>(
    joins: bool,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> Option<Reason> {
    let ignored = ["data-pagekin-ignore", "data-pagefind-ignore"];
    if ignored.into_iter().any(|name| attribute(name).is_some()) {
        return Some(Reason::Ignored);
    }
    let is_icon = joins && attribute("aria-hidden").is_some_and(|v| v.trim() == "true");
    (is_icon || is_hidden(attribute)).then_some(Reason::Unseen)
}

/// Whether an element has a class that highlighters use for line numbers.
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

/// Whether a text in such an element consists of line numbers.
pub(super) fn is_line_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a `meta` gives robots a directive, or `none`, which implies all of them.
#[inline]
pub(crate) fn has_robots_directive<'a>(
    directive: &str,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> bool {
    let is_robot = |name: &str| ROBOTS.iter().any(|robot| name.eq_ignore_ascii_case(robot));
    attribute("name").is_some_and(|name| is_robot(name.trim()))
        && attribute("content")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .any(|word| word.eq_ignore_ascii_case(directive) || word.eq_ignore_ascii_case("none"))
}

/// Whether an element's `rel` contains this keyword.
#[inline]
pub(crate) fn is_related<'a>(
    keyword: &str,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
) -> bool {
    attribute("rel")
        .is_some_and(|rel| rel.split_whitespace().any(|v| v.eq_ignore_ascii_case(keyword)))
}

/// Whether readers do not see the content of an element with this name, or it is a control.
#[inline]
pub fn is_unseen<'a>(name: &str, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    if name == "template" {
        // The content of a declarative shadow root is visible.
        return attribute("shadowrootmode").is_none();
    }
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
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

/// Replaces each run of white space and control characters by one space and trims the ends. A title
/// is then one line on a terminal too.
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
