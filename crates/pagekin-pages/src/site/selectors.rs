//! CSS selectors that exclude elements of a site, or choose the elements that contain its text.
//!
//! # Rules
//!
//! 1. A selector decides by one element alone: its name, classes, id and other attributes. `*`,
//!    `tag`, `.class`, `#id`, `[attr]`, `[attr=x]`, `[attr~=x]`, `[attr^=x]`, `[attr$=x]` and
//!    `[attr*=x]` can be combined without spaces, and commas separate alternatives. Values may be
//!    quoted, and an `i` after a value ignores case. Backslashes escape as in CSS.
//! 2. Names of elements and attributes match in any case, values exactly. An empty value matches
//!    nothing except with `=`.
//! 3. An excluded element is ignored as with `data-pagekin-ignore="all"`. A root is a marked body
//!    as with `data-pagekin-body`, on pages that mark no body themselves.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::OptionError;
use crate::progress::Observer;

/// What a selector may contain, for messages.
const EXPECTED: &str = "selectors that one element decides: tag, .class, #id, [attr], [attr=x], [attr^=x], [attr$=x] or \
    [attr*=x], combined without spaces (a.ad[href]) or separated by commas. Combinators (space, >, +, ~) and \
    pseudo-classes are not supported: select the element itself, or mark it with data-pagekin-ignore or \
    data-pagekin-body";

/// The selectors of a site. A copy shares the record of which have matched.
#[derive(Debug, Clone, Default)]
pub struct Selectors(Option<Arc<SelectorLists>>);

#[derive(Debug)]
struct SelectorLists {
    exclude: Vec<SelectorList>,
    root: Option<SelectorList>,
}

/// Alternatives separated by commas.
#[derive(Debug)]
struct SelectorList {
    text: String,
    any_of: Vec<Compound>,
    matched: AtomicBool,
}

/// Conditions that one element meets.
#[derive(Debug, Default, PartialEq, Eq)]
struct Compound {
    /// In lower case; `None` for any element.
    tag: Option<String>,
    conditions: Vec<Condition>,
}

#[derive(Debug, PartialEq, Eq)]
struct Condition {
    /// In lower case.
    attribute: String,
    operator: Operator,
    value: String,
    ignores_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Equals,
    Word,
    Starts,
    Ends,
    Contains,
}

/// The role that selectors give an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Excluded,
    Root,
}

impl Selectors {
    /// Parses the values of `--exclude-selectors` and `--root-selector`.
    pub fn new(exclude: &[String], root: Option<&str>) -> Result<Self, OptionError> {
        if exclude.is_empty() && root.is_none() {
            return Ok(Self::default());
        }
        let parse = |option, text: &str| {
            SelectorList::parse(text).ok_or_else(|| OptionError {
                option,
                expected: EXPECTED,
                found: format!("{text:?}"),
            })
        };
        let excluded = exclude.iter().map(|text| parse("exclude-selectors", text));
        let exclude = excluded.collect::<Result<_, _>>()?;
        let root = root.map(|text| parse("root-selector", text)).transpose()?;
        Ok(Self(Some(Arc::new(SelectorLists { exclude, root }))))
    }

    /// Checks one value of an option.
    ///
    /// # Errors
    ///
    /// Returns what selectors may contain.
    pub fn check(text: &str) -> Result<(), &'static str> {
        SelectorList::parse(text).map(|_| ()).ok_or(EXPECTED)
    }

    /// Whether the selectors choose the roots of pages. Pages without a root are then skipped.
    #[must_use]
    pub fn choose_roots(&self) -> bool {
        self.0.as_ref().is_some_and(|lists| lists.root.is_some())
    }

    /// Whether there are any selectors.
    pub(crate) fn are_used(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the role of an element with this name and these attributes.
    pub(crate) fn role<'a>(
        &self,
        name: &str,
        attribute: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<Role> {
        let lists = self.0.as_ref()?;
        // All lists are asked, so that each records whether it matches anything.
        let excluded = lists.exclude.iter().filter(|list| list.matches(name, &attribute)).count();
        if excluded > 0 {
            return Some(Role::Excluded);
        }
        let is_root = lists.root.as_ref().is_some_and(|list| list.matches(name, &attribute));
        is_root.then_some(Role::Root)
    }

    /// Warns about selectors that no element matched.
    pub fn warn_of_unmatched(&self, observer: &dyn Observer) {
        let Some(lists) = &self.0 else { return };
        let exclude = lists.exclude.iter().map(|list| ("--exclude-selectors", list));
        let root = lists.root.iter().map(|list| ("--root-selector", list));
        for (option, list) in exclude.chain(root) {
            if !list.matched.load(Ordering::Relaxed) {
                observer.warn(&format!("{option} {:?} matches no element", list.text));
            }
        }
    }
}

impl SelectorList {
    /// Returns `None` if a selector is not supported.
    fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars().peekable();
        let mut any_of = Vec::new();
        loop {
            skip_space(&mut chars);
            any_of.push(Compound::parse(&mut chars)?);
            skip_space(&mut chars);
            match chars.next() {
                None => break,
                Some(',') => {}
                // After a space: a combinator.
                Some(_) => return None,
            }
        }
        Some(Self { text: text.to_owned(), any_of, matched: AtomicBool::new(false) })
    }

    fn matches<'a>(&self, name: &str, attribute: &impl Fn(&str) -> Option<&'a str>) -> bool {
        let is_match = self.any_of.iter().any(|compound| compound.matches(name, attribute));
        if is_match {
            self.matched.store(true, Ordering::Relaxed);
        }
        is_match
    }
}

impl Compound {
    fn parse(chars: &mut Peekable<Chars<'_>>) -> Option<Self> {
        let mut compound = Self::default();
        let is_any = chars.next_if_eq(&'*').is_some();
        if !is_any && !chars.peek().is_some_and(|c| matches!(c, '.' | '#' | '[')) {
            compound.tag = Some(ident(chars)?.to_ascii_lowercase());
        }
        loop {
            let condition = |attribute: &str, operator, value| Condition {
                attribute: attribute.to_owned(),
                operator,
                value,
                ignores_case: false,
            };
            let next = match chars.peek() {
                Some('.') => {
                    chars.next();
                    condition("class", Operator::Word, ident(chars)?)
                }
                Some('#') => {
                    chars.next();
                    condition("id", Operator::Equals, ident(chars)?)
                }
                Some('[') => {
                    chars.next();
                    Condition::parse(chars)?
                }
                None => return Some(compound),
                Some(c) if *c == ',' || c.is_whitespace() => return Some(compound),
                Some(_) => return None,
            };
            compound.conditions.push(next);
        }
    }

    fn matches<'a>(&self, name: &str, attribute: &impl Fn(&str) -> Option<&'a str>) -> bool {
        self.tag.as_deref().is_none_or(|tag| name.eq_ignore_ascii_case(tag))
            && self.conditions.iter().all(|condition| {
                attribute(&condition.attribute).is_some_and(|value| condition.matches(value))
            })
    }
}

impl Condition {
    /// Parses an attribute selector after its bracket.
    fn parse(chars: &mut Peekable<Chars<'_>>) -> Option<Self> {
        skip_space(chars);
        let attribute = ident(chars)?.to_ascii_lowercase();
        skip_space(chars);
        let operator = match chars.next()? {
            ']' => {
                let (operator, value) = (Operator::Exists, String::new());
                return Some(Self { attribute, operator, value, ignores_case: false });
            }
            '=' => Operator::Equals,
            c => {
                let operator = match c {
                    '~' => Operator::Word,
                    '^' => Operator::Starts,
                    '$' => Operator::Ends,
                    '*' => Operator::Contains,
                    _ => return None,
                };
                chars.next_if_eq(&'=')?;
                operator
            }
        };
        skip_space(chars);
        let value = match chars.next_if(|&c| matches!(c, '"' | '\'')) {
            Some(quote) => quoted(chars, quote)?,
            None => ident(chars)?,
        };
        skip_space(chars);
        let ignores_case = chars.next_if(|&c| matches!(c, 'i' | 'I')).is_some();
        skip_space(chars);
        chars.next_if_eq(&']')?;
        Some(Self { attribute, operator, value, ignores_case })
    }

    fn matches(&self, found: &str) -> bool {
        if self.ignores_case {
            return self.compares(&found.to_ascii_lowercase(), &self.value.to_ascii_lowercase());
        }
        self.compares(found, &self.value)
    }

    fn compares(&self, found: &str, value: &str) -> bool {
        match self.operator {
            Operator::Exists => true,
            Operator::Equals => found == value,
            Operator::Word => found.split_ascii_whitespace().any(|word| word == value),
            _ if value.is_empty() => false,
            Operator::Starts => found.starts_with(value),
            Operator::Ends => found.ends_with(value),
            Operator::Contains => found.contains(value),
        }
    }
}

fn skip_space(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
}

/// Parses an identifier. Unlike in CSS, it may start with a digit, as many ids do.
fn ident(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut ident = String::new();
    while let Some(&c) = chars.peek() {
        if c == '\\' {
            chars.next();
            ident.push(escaped(chars)?);
        } else if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() {
            chars.next();
            ident.push(c);
        } else {
            break;
        }
    }
    (!ident.is_empty()).then_some(ident)
}

/// Parses a string up to its closing quote.
fn quoted(chars: &mut Peekable<Chars<'_>>, quote: char) -> Option<String> {
    let mut value = String::new();
    loop {
        match chars.next()? {
            '\\' => value.push(escaped(chars)?),
            c if c == quote => return Some(value),
            c => value.push(c),
        }
    }
}

/// Returns the character of an escape, after its backslash: up to six hexadecimal digits and a
/// space, or the character itself.
fn escaped(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    let mut code = String::new();
    while code.len() < 6
        && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
    {
        code.push(digit);
    }
    if code.is_empty() {
        return chars.next();
    }
    chars.next_if(|c| c.is_whitespace());
    u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `selector` matches an element, written as its name and `name=value` attributes.
    fn matches(selector: &str, element: &[&str]) -> bool {
        let attributes: Vec<_> = element[1..].iter().filter_map(|a| a.split_once('=')).collect();
        let attribute = |wanted: &str| {
            attributes.iter().find(|(name, _)| *name == wanted).map(|&(_, value)| value)
        };
        let selectors = Selectors::new(&[selector.to_owned()], None).unwrap();
        selectors.role(element[0], attribute).is_some()
    }

    #[test]
    fn an_element_is_selected_by_what_it_has() {
        let element = ["div", "class=ad md:flex Größe", "id=ads-7", "data-x=a b"];
        for selector in [
            "div",
            "DIV",
            "*",
            ".ad",
            ".Größe",
            r".md\:flex",
            "#ads-7",
            r"#ads-\37",
            "[id]",
            "[ID]",
            "[id=ads-7]",
            "[id^=ads]",
            "[id$='-7']",
            "[id*=\"s-\"]",
            "[data-x='a b']",
            "[data-x~=b]",
            "[id^=ADS i]",
            " [ id = ads-7 ] ",
            "div.ad#ads-7[data-x]",
            "nav, .ad",
            "*.ad",
        ] {
            assert!(matches(selector, &element), "{selector}");
        }
        for selector in [
            "p",
            ".a",
            ".AD",
            "#ads",
            "[class=ad]",
            "[id^=s-7]",
            "[id$=ads-]",
            "[id*=x]",
            "[id^='']",
            "[id*='']",
            "[title]",
            "p.ad",
            "div.ad.x",
            "nav, aside",
            "[data-x~='a b']",
        ] {
            assert!(!matches(selector, &element), "{selector}");
        }
    }

    #[test]
    fn other_selectors_are_refused() {
        for selector in [
            "",
            " ",
            ",",
            "a,",
            "a b",
            "a > b",
            "a+b",
            "a ~ b",
            "a:hover",
            "a::before",
            ":not(a)",
            ".",
            "#",
            "[",
            "[a",
            "[a=",
            "[a=]",
            "[a!=b]",
            "[a|=b]",
            "[a=b",
            "[a='b]",
            "a{",
            "..a",
            ".a.",
            "[a='b' x]",
            r"\",
            r"\110000",
            "a/b",
            "@a",
        ] {
            assert!(Selectors::check(selector).is_err(), "{selector}");
        }
        let error = Selectors::new(&[], Some("nav > a")).unwrap_err().to_string();
        assert!(
            error.starts_with("root-selector is \"nav > a\": expected selectors that"),
            "{error}"
        );
    }

    #[test]
    fn an_excluded_element_is_no_root() {
        let selectors = Selectors::new(&["aside".to_owned()], Some("main, aside")).unwrap();
        let role = |name| selectors.role(name, |_| None);
        assert_eq!(role("aside"), Some(Role::Excluded));
        assert_eq!(role("main"), Some(Role::Root));
        assert_eq!(role("p"), None);
        assert_eq!(Selectors::default().role("main", |_| None), None);
    }
}
