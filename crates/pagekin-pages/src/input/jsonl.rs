//! Lines with a JSON object each: a page as another program knows it.
//!
//! | field | is |
//! | --- | --- |
//! | `url` | its address |
//! | `title` | its title; without it that of `html` |
//! | `text` | its text; without it that of `html` |
//! | `html` | the page itself, as a string |
//! | `lang` | the tag of its language; without it that of `html` |
//! | `links` | addresses, or objects with `url` and `text`; without it those of `html` |
//!
//! `url` and one of `text` and `html` must be there; others may be missing or `null`, and more are
//! passed over.

use std::io::{self, BufRead, ErrorKind, Read};

use serde::Deserialize;

use crate::input::open::Stream;
use crate::input::options::InputOptions;
use crate::input::page;
use crate::input::page::{CrawlLink, CrawlPage};
use crate::input::summary::CrawlSkip;
use crate::site::normal_url::Place;

/// The lines of a stream.
pub struct Lines {
    stream: Stream,
    most: u64,
    number: u64,
}

impl Lines {
    /// Lines of more than `most` bytes are skipped.
    pub fn new(stream: Stream, most: u64) -> Self {
        Self { stream, most, number: 0 }
    }

    /// The number of the line that was given last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line, if there is one; also a blank one.
    pub fn next_line(&mut self) -> io::Result<Option<Result<Vec<u8>, CrawlSkip>>> {
        let mut line = Vec::new();
        let read =
            self.stream.by_ref().take(self.most.saturating_add(1)).read_until(b'\n', &mut line);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) => self.number += 1,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.number += 1;
                return Ok(Some(Err(CrawlSkip::Damaged)));
            }
            Err(error) => return Err(error),
        }
        if !line.ends_with(b"\n") && line.len() as u64 > self.most {
            return match self.stream.skip_until(b'\n') {
                Err(error) if error.kind() != ErrorKind::InvalidData => Err(error),
                _ => Ok(Some(Err(CrawlSkip::TooLarge))),
            };
        }
        if self.number == 1 && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(.."\u{feff}".len());
        }
        Ok(Some(Ok(line)))
    }
}

/// A page as another program knows it.
#[derive(Debug, Default, Deserialize)]
pub struct Line {
    pub url: String,
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
}

/// The page of a line.
pub fn page(line: &[u8], options: &InputOptions) -> Result<CrawlPage, CrawlSkip> {
    page_of(serde_json::from_slice(line).map_err(|_| CrawlSkip::NotAPage)?, options)
}

/// The page of the fields of a line.
pub fn page_of(line: Line, options: &InputOptions) -> Result<CrawlPage, CrawlSkip> {
    let mut page = match (line.html, line.text) {
        (Some(html), text) => {
            let page = page::of_html(&line.url, html.as_bytes(), Some("utf-8"), options)?;
            CrawlPage { text: text.unwrap_or(page.text), ..page }
        }
        (None, Some(text)) => page::of_text(&line.url, text)?,
        // What others say of the pages that it links to is known, though its own text is not.
        (None, None) if line.links.is_some() => page::of_text(&line.url, String::new())?,
        (None, None) => return Err(CrawlSkip::NotAPage),
    };
    if let Some(title) = line.title {
        page.title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(lang) = line.lang {
        page.lang = lang;
    }
    if let Some(links) = line.links {
        let place = Place::of(&page.url, None).ok_or(CrawlSkip::NoAddress)?;
        let link = |link| {
            let (href, window) = match link {
                LineLink::Address(url) => (url, String::new()),
                LineLink::Link { url, text } => (url, text.unwrap_or_default()),
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

    fn lines(bytes: &[u8], most: u64) -> Vec<Result<Vec<u8>, CrawlSkip>> {
        let mut lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())), most);
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    fn page_of(line: &str) -> Result<CrawlPage, CrawlSkip> {
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
    fn html_gives_what_the_line_does_not() {
        let line = r#"{"url": "https://x.org/a", "html": "<html lang=de><meta charset=koi8-r><title>T</title>\u00fcber <a href=b>b c</a>"}"#;
        let page = page_of(line).unwrap();
        assert_eq!((&*page.title, &*page.lang, page.text.trim()), ("T", "de", "über b c"));
        assert_eq!(page.links[0].window, "über");
        let line = r#"{"url": "https://x.org/a", "title": "U", "lang": null, "text": "t", "html": "<html lang=de><title>T</title><a href=b>b</a>", "links": []}"#;
        let page = page_of(line).unwrap();
        assert_eq!((&*page.title, &*page.lang, &*page.text, page.links.len()), ("U", "de", "t", 0));
    }

    #[test]
    fn links_alone_are_a_page() {
        let line = r#"{"url": "https://x.org/", "links": [{"url": "a", "text": "An A"}]}"#;
        let page = page_of(line).unwrap();
        let link = CrawlLink { target: "https://x.org/a".to_owned(), window: "An A".to_owned() };
        assert_eq!((page.text.as_str(), page.links), ("", vec![link]));
    }

    #[test]
    fn other_lines_are_no_pages() {
        for line in [
            "",
            "[]",
            "{",
            r#"{"url": "https://x.org/"}"#,
            r#"{"text": "a"}"#,
            r#"{"url": 1, "text": ""}"#,
            "\u{fffd}",
        ] {
            assert_eq!(page_of(line), Err(CrawlSkip::NotAPage), "{line}");
        }
        assert_eq!(page_of(r#"{"url": "/a", "text": ""}"#), Err(CrawlSkip::NoAddress));
    }

    #[test]
    fn lines_end_at_their_end_and_long_ones_are_left_out() {
        let found = lines("\u{feff}ab\n\n1234567890\ncd".as_bytes(), 8);
        let line = |bytes: &[u8]| Ok(bytes.to_vec());
        assert_eq!(found, [line(b"ab\n"), line(b"\n"), Err(CrawlSkip::TooLarge), line(b"cd")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_lines(bytes: Vec<u8>, most in 0u64..20) {
            for line in lines(&bytes, most).into_iter().flatten() {
                let _ = page(&line, &InputOptions::default());
            }
        }
    }
}
