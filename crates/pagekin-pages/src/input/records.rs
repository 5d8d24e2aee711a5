//! Pages that another program hands over: lines with a JSON object each, which become HTML files of
//! a temporary folder. So they are read by the same rules as a site.
//!
//! | field | meaning |
//! | --- | --- |
//! | `url` | required: the URL of the page, or its path below the base URL |
//! | `html` | the page itself |
//! | `text` | its text, instead of `html`; a blank line ends a paragraph |
//! | `title`, `lang` | its title and its language tag, for `text` |
//! | `meta`, `filters`, `sort` | objects of names and values, as of the attributes `data-pagekin-meta`, `data-pagekin-filter` and `data-pagekin-sort`; a value is a string, a number, a Boolean, or a list of these |
//!
//! A line that is anything else is an error, because a program wrote it. Of several lines with the
//! same URL the first counts.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;
use std::{fs, io};

use html_escape::{encode_double_quoted_attribute, encode_text};
use pagekin_core::address;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use tempfile::TempDir;

use crate::input::error::InputError;
use crate::input::jsonl::Lines;
use crate::input::open::{Kind, Source, open};
use crate::input::options::Input;
use crate::ledger::SkipReason;
use crate::site::error::SiteError;
use crate::site::files::SiteFiles;
use crate::site::listing::HtmlFile;
use crate::site::skipped::SkippedFiles;

/// Maximum number of bytes of a line besides those of its page: escapes, and other fields.
const MORE_BYTES: u64 = 16 << 20;

/// The pages of an input, as files.
#[derive(Debug)]
pub struct Records {
    /// The files, by URL.
    pub files: SiteFiles,
    /// Their folder, which is removed when this is dropped.
    pub folder: TempDir,
}

/// A line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with url, and html or text")]
struct Record {
    url: String,
    html: Option<String>,
    text: Option<String>,
    title: Option<String>,
    lang: Option<String>,
    #[serde(default)]
    meta: BTreeMap<String, Values>,
    #[serde(default)]
    filters: BTreeMap<String, Values>,
    #[serde(default)]
    sort: BTreeMap<String, Values>,
}

/// The values of a name.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a string, a number, a Boolean, or a list of these")]
enum Values {
    One(Value),
    Many(Vec<Value>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Number(serde_json::Number),
    Boolean(bool),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(is) => is.to_string(),
        }
    }
}

impl Record {
    /// Returns the page as HTML, or what is wrong with the record.
    fn html(&self) -> Result<String, &'static str> {
        let mut html = match (&self.html, &self.text) {
            (Some(html), None) if self.title.is_none() && self.lang.is_none() => html.clone(),
            (None, Some(text)) => self.of_text(text),
            (Some(_), None) => return Err("`html` with `title` or `lang`, which belong into it"),
            (Some(_), Some(_)) => return Err("both `html` and `text`"),
            (None, None) => return Err("neither `html` nor `text`"),
        };
        let kinds = [("meta", &self.meta), ("filter", &self.filters), ("sort", &self.sort)];
        for (kind, (name, values)) in
            kinds.into_iter().flat_map(|(kind, named)| named.iter().map(move |one| (kind, one)))
        {
            if name.is_empty() || name.contains([',', ':', '[', ']']) {
                return Err("a name that is empty, or has a comma, a colon, or a bracket");
            }
            let values = match values {
                Values::One(value) => std::slice::from_ref(value),
                Values::Many(values) => values,
            };
            let name = encode_double_quoted_attribute(name);
            for value in values.iter().map(Value::text) {
                let value = encode_double_quoted_attribute(&value);
                let tag = write!(
                    html,
                    "<meta data-pagekin-{kind}=\"{name}[content]\" content=\"{value}\">"
                );
                tag.expect("a string grows");
            }
        }
        Ok(html)
    }

    fn of_text(&self, text: &str) -> String {
        let lang = encode_double_quoted_attribute(self.lang.as_deref().unwrap_or_default());
        let title = encode_text(self.title.as_deref().unwrap_or_default());
        let mut html = format!("<!doctype html><html lang=\"{lang}\"><title>{title}</title><main>");
        let mut paragraph = String::new();
        for line in text.lines().chain([""]) {
            if !line.trim().is_empty() {
                paragraph.push_str(line);
                paragraph.push('\n');
            } else if !paragraph.is_empty() {
                html.extend(["<p>", &encode_text(&paragraph), "</p>"]);
                paragraph.clear();
            }
        }
        html + "</main>"
    }
}

impl Records {
    /// Reads the pages of `input`. Pages that `keeps` refuses by their URL are excluded. Keeps one
    /// line in memory.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, if a line is not a page below `base_url`, or if a temporary
    /// file cannot be written.
    pub fn read(
        input: &Input,
        base_url: &str,
        max_page_bytes: u64,
        mut keeps: impl FnMut(&str) -> bool,
        skipped: &mut SkippedFiles<'_>,
    ) -> Result<Self, SiteError> {
        let path = input.path();
        let unreadable = |source: io::Error| SiteError::Records {
            path: path.clone(),
            found: source.to_string(),
        };
        let refused = |line: u64, found: &str| SiteError::Records {
            path: path.clone(),
            found: format!("line {line} with {found}"),
        };
        let mut lines = opened(input, max_page_bytes).map_err(unreadable)?;
        let folder = tempfile::tempdir().map_err(unreadable)?;
        skipped.also_below(folder.path());
        let (mut files, mut urls, mut count) = (Vec::new(), FxHashSet::default(), 0);
        while let Some(line) = lines.next_line().map_err(unreadable)? {
            let number = lines.number();
            let line = line.map_err(|_| refused(number, "too many bytes, or damaged ones"))?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record: Record = serde_json::from_slice(&line)
                .map_err(|error| refused(number, &error.to_string()))?;
            let url = url_of(&record.url, base_url).ok_or_else(|| {
                let base = base_url.trim_end_matches('/');
                refused(number, &format!("the URL {:?}, which is not below {base}/", record.url))
            })?;
            let html = record.html().map_err(|found| refused(number, found))?;
            count += 1;
            let name = PathBuf::from(format!("line {number}"));
            if !keeps(&url) {
                skipped.add(SkipReason::Excluded, &name);
            } else if !urls.insert(url.clone()) {
                skipped.add(SkipReason::DuplicateUrl, &name);
            } else {
                let path = folder.path().join(name);
                fs::write(&path, html).map_err(unreadable)?;
                files.push(HtmlFile { path, url });
            }
        }
        skipped.came_in(count);
        files.sort_by(|a, b| a.url.cmp(&b.url));
        let files = SiteFiles { files, html_files: count, unreadable: Vec::new() };
        Ok(Self { files, folder })
    }
}

/// Opens the lines of an input.
fn opened(input: &Input, max_page_bytes: u64) -> io::Result<Lines> {
    let found = match open(input, &Rc::new(Cell::new(0))) {
        Ok(Source::Stream(Kind::Jsonl, stream)) => {
            return Ok(Lines::new(stream, max_page_bytes.saturating_add(MORE_BYTES)));
        }
        Ok(Source::Empty) => "nothing".to_owned(),
        Ok(Source::Stream(..) | Source::Folder | Source::Zip) => "another format".to_owned(),
        Err(InputError::UnknownKind { found, .. }) => format!("a file that starts with {found}"),
        Err(InputError::Io { source, .. }) => return Err(source),
        Err(error) => error.to_string(),
    };
    Err(io::Error::other(found))
}

/// Returns the normal form of a URL, or of a path below the base URL.
fn url_of(given: &str, base_url: &str) -> Option<String> {
    let given = address::normal(given);
    let below = format!("{}/{}", base_url.trim_end_matches('/'), given.trim_start_matches('/'));
    // A URL of another scheme is no path.
    let has_scheme = given.split('/').next().is_some_and(|first| first.contains(':'));
    let urls = [Some(given), Some(&*below).filter(|_| !has_scheme)];
    let is_page = |url: &&str| address::is_of_index(url, base_url, false);
    urls.into_iter().flatten().find(is_page).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::site::options::SiteOptions;
    use crate::site::reader::read_file;

    /// Returns the URLs of the pages of some lines with their HTML.
    fn read(lines: &str) -> Result<Vec<(String, String)>, String> {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pages.jsonl");
        fs::write(&file, lines).unwrap();
        let mut skipped = SkippedFiles::new(Path::new(""));
        let keeps = |url: &str| !url.starts_with("/drafts/");
        let most = SiteOptions::default().max_page_bytes;
        let records = Records::read(&Input::Path(file), "/", most, keeps, &mut skipped)
            .map_err(|error| error.to_string())?;
        let pages = records.files.files.len() as u64;
        let ledger = skipped.finish(pages).unwrap();
        assert_eq!(ledger.came_in, records.files.html_files);
        let mut bytes = Vec::new();
        let html = |file: &HtmlFile| {
            assert!(read_file(&file.path, most, &mut bytes).unwrap());
            (file.url.clone(), String::from_utf8(bytes.clone()).unwrap())
        };
        Ok(records.files.files.iter().map(html).collect())
    }

    #[test]
    fn a_line_becomes_html() {
        let lines = r#"{"url": "/b/index.html", "text": "Rye & peas\nrise\n\nslowly", "title": "A < B", "lang": "en", "filters": {"kind": ["a\"b", "c"]}, "sort": {"year": 2024}}

            {"url": "a", "html": "<p>Bread", "meta": {"author": "Ann", "free": true}}
            {"url": "/b/", "text": "Again"}
            {"url": "/drafts/c", "text": "Later"}"#;
        let expected = [
            (
                "/a",
                "<p>Bread<meta data-pagekin-meta=\"author[content]\" content=\"Ann\">\
                 <meta data-pagekin-meta=\"free[content]\" content=\"true\">",
            ),
            (
                "/b/",
                "<!doctype html><html lang=\"en\"><title>A &lt; B</title><main>\
                 <p>Rye &amp; peas\nrise\n</p><p>slowly\n</p></main>\
                 <meta data-pagekin-filter=\"kind[content]\" content=\"a&quot;b\">\
                 <meta data-pagekin-filter=\"kind[content]\" content=\"c\">\
                 <meta data-pagekin-sort=\"year[content]\" content=\"2024\">",
            ),
        ];
        let expected = expected.map(|(url, html)| (url.to_owned(), html.to_owned()));
        assert_eq!(read(lines).unwrap(), expected);
    }

    #[test]
    fn other_lines_are_errors_with_their_number() {
        let check = |line: &str, expected: &str| {
            let error = read(&format!("{{\"url\": \"/x\", \"text\": \"x\"}}\n{line}")).unwrap_err();
            assert!(error.contains("line 2 with"), "{error}");
            assert!(error.contains(expected), "{error}");
        };
        check("[]", "expected an object with url");
        check(r#"{"text": "a"}"#, "missing field `url`");
        check(r#"{"url": "/a"}"#, "neither `html` nor `text`");
        check(r#"{"url": "/a", "text": "a", "html": "a"}"#, "both");
        check(r#"{"url": "/a", "html": "a", "lang": "en"}"#, "which belong into it");
        check(r#"{"url": "/a", "text": "a", "filter": {}}"#, "unknown field `filter`");
        check(r#"{"url": "/a", "text": "a", "filters": {"a:b": 1}}"#, "a name");
        check(r#"{"url": "/a", "text": "a", "filters": {"a": {}}}"#, "a string, a number");
        check(r#"{"url": "mailto:a@b", "text": "a"}"#, "not below /");
        check(r#"{"url": "/../a", "text": "a"}"#, "not below /");
        assert!(read("").unwrap_err().contains("nothing"));
        assert!(read("<html>").unwrap_err().contains("a file that starts with"));
    }
}
