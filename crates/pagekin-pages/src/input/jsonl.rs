//! Lines with a JSON object each, for pages from other programs.
//!
//! | field | meaning |
//! | --- | --- |
//! | `url` | the URL |
//! | `title` | the title; default: that of `html` |
//! | `text` | the text; default: that of `html` |
//! | `html` | the page itself, as a string |
//! | `lang` | the language tag; default: that of `html` |
//! | `links` | URLs, or objects with `url` and `text`; default: those of `html` |
//!
//! `url` and one of `text`, `html` and `links` are required. Others may be missing, `null` or of
//! another type, which counts as missing. Unknown fields are ignored.
//!
//! Some output of other programs is accepted although it is not valid JSON: `NaN` and `Infinity`,
//! as Python writes them, and unpaired surrogates, which become U+FFFD.

use std::io::{self, BufRead, ErrorKind, Read};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::input::open::Stream;
use crate::input::options::InputOptions;
use crate::input::page;
use crate::input::page::{CrawlLink, CrawlPage};
use crate::ledger::SkipReason;
use crate::site::normal_url::Place;

/// The lines of a stream.
pub struct Lines {
    stream: Stream,
    max_bytes: u64,
    number: u64,
}

impl Lines {
    /// Lines of more than `max_bytes` bytes are skipped.
    pub fn new(stream: Stream, max_bytes: u64) -> Self {
        Self { stream, max_bytes, number: 0 }
    }

    /// Returns the number of the last returned line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line, which may be blank.
    pub fn next_line(&mut self) -> io::Result<Option<Result<Vec<u8>, SkipReason>>> {
        let mut line = Vec::new();
        let read = self
            .stream
            .by_ref()
            .take(self.max_bytes.saturating_add(1))
            .read_until(b'\n', &mut line);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) => self.number += 1,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.number += 1;
                return Ok(Some(Err(SkipReason::Damaged)));
            }
            Err(error) => return Err(error),
        }
        if !line.ends_with(b"\n") && line.len() as u64 > self.max_bytes {
            return match self.stream.skip_until(b'\n') {
                Err(error) if error.kind() != ErrorKind::InvalidData => Err(error),
                _ => Ok(Some(Err(SkipReason::TooLarge))),
            };
        }
        if self.number == 1 && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(.."\u{feff}".len());
        }
        Ok(Some(Ok(line)))
    }
}

/// A page from another program.
#[derive(Debug, Default)]
pub struct Line {
    pub url: Option<String>,
    pub title: Option<String>,
    pub text: Option<String>,
    pub html: Option<String>,
    pub lang: Option<String>,
    pub links: Option<Vec<LineLink>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum LineLink {
    Address(String),
    Link { url: String, text: Option<String> },
    Other(IgnoredAny),
}

/// A field of a line. A value of another type counts as missing.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Field<T> {
    Is(T),
    Other(IgnoredAny),
}

impl<T> Field<T> {
    fn get(self) -> Option<T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

/// The fields of a line as written.
#[derive(Debug, Deserialize)]
struct Fields {
    url: Option<Field<String>>,
    title: Option<Field<Title>>,
    text: Option<Field<String>>,
    html: Option<Field<String>>,
    lang: Option<Field<String>>,
    links: Option<Field<Vec<LineLink>>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Title {
    Text(String),
    Number(serde_json::Number),
}

impl From<Fields> for Line {
    fn from(fields: Fields) -> Self {
        let title = fields.title.and_then(Field::get).map(|title| match title {
            Title::Text(title) => title,
            Title::Number(title) => title.to_string(),
        });
        Self {
            url: fields.url.and_then(Field::get),
            title,
            text: fields.text.and_then(Field::get),
            html: fields.html.and_then(Field::get),
            lang: fields.lang.and_then(Field::get),
            links: fields.links.and_then(Field::get),
        }
    }
}

/// Converts a line to a page.
pub fn page(line: &[u8], options: &InputOptions) -> Result<CrawlPage, SkipReason> {
    page_of(parse::<Fields>(line).ok_or(SkipReason::NotJson)?.into(), options)
}

/// Parses a line, repairing common deviations from JSON.
pub fn parse<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let parsed = serde_json::from_slice(line);
    parsed.ok().or_else(|| serde_json::from_slice(&repaired(line)).ok())
}

/// Replaces numbers that are not valid JSON with `null`, and unpaired surrogates and bytes that are
/// not UTF-8 with U+FFFD.
fn repaired(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let (bytes, mut repaired) = (text.as_bytes(), Vec::with_capacity(text.len()));
    let (mut at, mut within) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let number = [&b"-Infinity"[..], b"Infinity", b"NaN"].into_iter();
        let odd = number.filter(|_| !within).find(|number| rest.starts_with(number));
        let (put, used) = match (odd, unit(rest)) {
            (Some(number), _) => (&b"null"[..], number.len()),
            (None, Some(0xd800..=0xdbff))
                if !matches!(rest.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) =>
            {
                (&b"\\ufffd"[..], 6)
            }
            (None, Some(0xd800..=0xdbff)) => (&rest[..12], 12),
            (None, Some(0xdc00..=0xdfff)) => (&b"\\ufffd"[..], 6),
            // An escape has at least two bytes.
            _ if byte == b'\\' => (&rest[..rest.len().min(2)], 2),
            _ => (&rest[..1], 1),
        };
        within ^= byte == b'"';
        repaired.extend_from_slice(put);
        at += used;
    }
    repaired
}

/// Returns the code unit of an escape such as `\ud83d`.
fn unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// Converts the fields of a line to a page.
pub fn page_of(line: Line, options: &InputOptions) -> Result<CrawlPage, SkipReason> {
    let url = line.url.ok_or(SkipReason::NoUrl)?;
    let mut page = match (line.html, line.text) {
        (Some(html), text) => {
            let page = page::of_html(&url, html.as_bytes(), Some("utf-8"), options)?;
            CrawlPage { text: text.unwrap_or(page.text), ..page }
        }
        (None, Some(text)) => page::of_text(&url, text)?,
        // Its links describe other pages, although its own text is unknown.
        (None, None) if line.links.is_some() => page::of_text(&url, String::new())?,
        (None, None) => return Err(SkipReason::NoText),
    };
    if let Some(title) = line.title {
        page.title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(lang) = line.lang {
        page.lang = lang;
    }
    if let Some(links) = line.links {
        let place = Place::new(&page.url, None).ok_or(SkipReason::NoAddress)?;
        let link = |link| {
            let (href, window) = match link {
                LineLink::Address(url) => (url, String::new()),
                LineLink::Link { url, text } => (url, text.unwrap_or_default()),
                LineLink::Other(_) => return None,
            };
            let target = place.resolve(&href).filter(|target| *target != page.url)?;
            Some(CrawlLink { target, window })
        };
        page.links = links.into_iter().filter_map(link).collect();
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn lines(bytes: &[u8], max_bytes: u64) -> Vec<Result<Vec<u8>, SkipReason>> {
        let mut lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())), max_bytes);
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    fn page_of(line: &str) -> Result<CrawlPage, SkipReason> {
        page(line.as_bytes(), &InputOptions::default())
    }

    #[test]
    fn a_line_is_a_page() {
        let line = r#"{"url": "https://X.org/a#b", "title": " A\n b ", "text": "Rye", "more": [1],
            "links": ["c", {"url": "/d", "text": "See d"}, "mailto:x@y", "/a"]}"#;
        let page = page_of(line).unwrap();
        assert_eq!((&*page.url, &*page.title, &*page.text), ("https://x.org/a", "A b", "Rye"));
        let links: Vec<_> = page.links.iter().map(|link| (&*link.target, &*link.window)).collect();
        assert_eq!(links, [("https://x.org/c", ""), ("https://x.org/d", "See d")]);
    }

    #[test]
    fn html_provides_missing_fields() {
        let line = r#"{"url": "https://x.org/a", "html": "<html lang=de><meta charset=koi8-r><title>T</title>\u00fcber <a href=b>b c</a>"}"#;
        let page = page_of(line).unwrap();
        assert_eq!((&*page.title, &*page.lang, page.text.trim()), ("T", "de", "über b c"));
        assert_eq!(page.links[0].window, "über");
        let line = r#"{"url": "https://x.org/a", "title": "U", "lang": null, "text": "t", "html": "<html lang=de><title>T</title><a href=b>b</a>", "links": []}"#;
        let page = page_of(line).unwrap();
        assert_eq!((&*page.title, &*page.lang, &*page.text, page.links.len()), ("U", "de", "t", 0));
    }

    #[test]
    fn a_line_with_only_links_is_a_page() {
        let line = r#"{"url": "https://x.org/", "links": [{"url": "a", "text": "An A"}]}"#;
        let page = page_of(line).unwrap();
        let link = CrawlLink { target: "https://x.org/a".to_owned(), window: "An A".to_owned() };
        assert_eq!((page.text.as_str(), page.links), ("", vec![link]));
    }

    #[test]
    fn other_lines_are_skipped() {
        for (line, reason) in [
            ("", SkipReason::NotJson),
            ("[]", SkipReason::NotJson),
            ("{", SkipReason::NotJson),
            (r#"{"url": "https://x.org/"}"#, SkipReason::NoText),
            (r#"{"url": "https://x.org/", "text": 1}"#, SkipReason::NoText),
            (r#"{"text": "a"}"#, SkipReason::NoUrl),
            (r#"{"url": null, "text": "a"}"#, SkipReason::NoUrl),
            (r#"{"url": 1, "text": ""}"#, SkipReason::NoUrl),
            ("\u{fffd}", SkipReason::NotJson),
        ] {
            assert_eq!(page_of(line), Err(reason), "{line}");
        }
        assert_eq!(page_of(r#"{"url": "/a", "text": ""}"#), Err(SkipReason::NoAddress));
    }

    #[test]
    fn invalid_fields_do_not_invalidate_the_line() {
        let text = |fields: &str| {
            let page = page_of(&format!(r#"{{"url": "https://x.org/", {fields}}}"#)).unwrap();
            (page.title, page.text)
        };
        let is = |title: &str, text: &str| (title.to_owned(), text.to_owned());
        assert_eq!(text(r#""title": 7, "text": "a", "lang": 1, "links": "b""#), is("7", "a"));
        assert_eq!(text(r#""title": {}, "text": "a", "links": [1, "b"]"#), is("", "a"));
        assert_eq!(
            text(r#""score": NaN, "text": "NaN", "x": [-Infinity, Infinity]"#),
            is("", "NaN")
        );
        assert_eq!(
            text(r#""text": "a\ud83db\udc00 \ud83d\ude00 \\ud83d \"NaN""#),
            is("", "a\u{fffd}b\u{fffd} \u{1f600} \\ud83d \"NaN")
        );
        assert_eq!(text(r#""text": "a\ud83d\ud83d\ude00""#), is("", "a\u{fffd}\u{1f600}"));
        let latin =
            page(b"{\"url\": \"https://x.org/\", \"text\": \"gr\xfcn\"}", &InputOptions::default());
        assert_eq!(latin.unwrap().text, "gr\u{fffd}n");
    }

    #[test]
    fn lines_are_split_and_long_ones_are_skipped() {
        let found = lines("\u{feff}ab\n\n1234567890\ncd".as_bytes(), 8);
        let line = |bytes: &[u8]| Ok(bytes.to_vec());
        assert_eq!(found, [line(b"ab\n"), line(b"\n"), Err(SkipReason::TooLarge), line(b"cd")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_lines(bytes: Vec<u8>, max_bytes in 0u64..20) {
            for line in lines(&bytes, max_bytes).into_iter().flatten() {
                let _ = page(&line, &InputOptions::default());
            }
        }
    }
}
