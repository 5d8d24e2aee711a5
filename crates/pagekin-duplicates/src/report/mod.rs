//! The report: one HTML file that needs nothing else, in which groups are sorted and filtered, and
//! the two texts of a pair stand side by side with the passages marked that both have.
//!
//! | file | what it is |
//! | --- | --- |
//! | `report.html` | the page, with places for what follows |
//! | `report.css`, `report.js` | its style and its script, which draws what is in the page and fetches nothing |
//! | `listing` | the groups as compact JSON |
//! | `packing` | which texts are put in, and the chunks they are in |
//!
//! # Rules
//!
//! 1. A policy in the page allows its own style and script, by their hashes, and nothing else: no
//!    request leaves it.
//! 2. **Texts.** So many bytes of texts are put in as [`ReportOptions::texts`] says: first the
//!    pairs of each original with the page most like it, the largest groups first, then those with
//!    the second, and so on; then the texts of groups that are nothing but exact copies. A text
//!    that is too large for what is left is passed over. Each is put in once.
//! 3. Texts are packed in chunks, those of a group together: near-duplicates compress each other.
//!    The page unpacks a chunk when a text of it is wanted. There are none if all is
//!    [estimated](Duplicates::estimated) by an index.
//! 4. Addresses are links if the base address has a host, or if the report is served by one. In a
//!    report that is opened as a file, they lead to the files of the site if there is one alone and
//!    [`ReportOptions::at`] is given.

pub(crate) mod listing;
pub(crate) mod packing;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pagekin_pages::{FileError, Observer, pool};
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::Url;

use crate::error::DuplicatesError;
use crate::found::Duplicates;
use crate::options::DuplicateOptions;
use crate::pair::PairKind;
use crate::report::listing::StoredGroup;
use crate::report::packing::Packed;

const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// What a report holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOptions {
    /// The most bytes of texts, before they are packed.
    pub texts: u64,
    /// Where it will lie, if that is known.
    pub at: Option<PathBuf>,
    /// Whether each pair is in a [baseline](crate::baseline::Baseline), if there is one: pages of
    /// such pairs are marked.
    pub known: Option<Vec<bool>>,
}

impl ReportOptions {
    /// The default of the maximum size of texts: 64 MiB.
    pub const TEXTS: u64 = 64 << 20;
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { texts: Self::TEXTS, at: None, known: None }
    }
}

/// What the script is given.
#[derive(Serialize)]
struct Report<'a> {
    base: &'a str,
    folder: Option<String>,
    min: f64,
    estimated: bool,
    pages: u64,
    copies: usize,
    numbers: usize,
    pairs: usize,
    passages: usize,
    texts: &'a [u32],
    groups: Vec<StoredGroup<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Vec<Vec<usize>>>,
}

/// The report of what was `found` by these options, as HTML. The pages whose texts are put in are
/// read again.
///
/// # Errors
///
/// If one of these pages cannot be read any more, or the observer asked to stop.
pub fn html(
    found: &Duplicates,
    options: &DuplicateOptions,
    report: &ReportOptions,
    observer: &dyn Observer,
) -> Result<String, DuplicatesError> {
    let packed = pool::in_pool(options.threads, || {
        Packed::new(found, options.reading.max_page_bytes, report.texts, observer)
    })?;
    let of = |kind| found.pairs.iter().filter(|pair| pair.kind == kind).count();
    let folder = match found.sites.as_slice() {
        [site] => report.at.as_deref().and_then(|at| seen_from(at, site)),
        _ => None,
    };
    let data = Report {
        base: &found.base_url,
        folder,
        min: options.min,
        estimated: found.estimated,
        pages: found.indexed.unwrap_or(found.pages.len() as u64),
        copies: of(PairKind::Copy),
        numbers: of(PairKind::SameButNumbers),
        pairs: of(PairKind::NearDuplicate),
        passages: of(PairKind::Passages),
        texts: &packed.firsts,
        groups: listing::groups(found, &packed.numbers),
        known: report.known.as_deref().map(|known| listing::known(found, known)),
    };
    // Only strings have one, and nothing else ends a script.
    let data = serde_json::to_string(&data).map(|json| json.replace('<', "\\u003c"));
    let data =
        data.map_err(|error| FileError::io("write", Path::new("the report"))(error.into()))?;
    let texts: String = (0..)
        .zip(&packed.chunks)
        .map(|(number, chunk)| {
            format!("<script type=\"text/plain\" id=\"texts-{number}\">{chunk}</script>\n")
        })
        .collect();
    let title = format!("Near-duplicates of {}", escaped(&name(found, options)));
    let hash = |code: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(code)));
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src {}; script-src {}",
        hash(STYLE),
        hash(SCRIPT)
    );
    Ok(filled(|place| match place {
        "policy" => &policy,
        "title" => &title,
        "style" => STYLE,
        "data" => &data,
        "texts" => &texts,
        "script" => SCRIPT,
        _ => unreachable!("the page has no other place"),
    }))
}

/// The page with what stands in its places, which are words in braces.
fn filled<'a>(content: impl Fn(&str) -> &'a str) -> String {
    let mut parts = PAGE.split(['{', '}']);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    while let (Some(place), Some(rest)) = (parts.next(), parts.next()) {
        filled.push_str(content(place));
        filled.push_str(rest);
    }
    filled
}

/// What the sites are called: where they are published, or else their folders, or that of the
/// index.
fn name(found: &Duplicates, options: &DuplicateOptions) -> String {
    if !matches!(found.base_url.as_str(), "/" | "") {
        return found.base_url.clone();
    }
    let sites = if found.sites.is_empty() { &options.sites } else { &found.sites };
    let folder = |site: &PathBuf| {
        let site = std::path::absolute(site).unwrap_or_else(|_| site.clone());
        site.file_name().unwrap_or(site.as_os_str()).to_string_lossy().into_owned()
    };
    sites.iter().map(folder).collect::<Vec<_>>().join(" and ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The address of the folder `site`, relative to a file `at`: what stands before the name of a file
/// in it.
fn seen_from(at: &Path, site: &Path) -> Option<String> {
    let url = |path: &Path| Url::from_file_path(std::path::absolute(path).ok()?).ok();
    let file_in_it = url(at)?.make_relative(&url(&site.join("_"))?)?;
    file_in_it.strip_suffix('_').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_each_place_once() {
        let places: Vec<&str> = PAGE.split(['{', '}']).skip(1).step_by(2).collect();
        assert_eq!(places, ["policy", "title", "style", "title", "data", "texts", "script"]);
        assert_eq!(PAGE.matches('{').count(), PAGE.matches('}').count());
        assert!(filled(|place| if place == "title" { "T" } else { "" }).contains("<h1>T</h1>"));
    }

    #[test]
    fn neither_style_nor_script_ends_early() {
        for code in [STYLE, SCRIPT] {
            assert!(!code.contains("</") && !code.contains("<!--"));
        }
    }

    #[test]
    fn the_site_is_seen_from_the_report() {
        let seen = |at: &str, site: &str| seen_from(Path::new(at), Path::new(site));
        assert_eq!(seen("/a/report.html", "/a/site").as_deref(), Some("site/"));
        assert_eq!(seen("/a/b/report.html", "/a/my site").as_deref(), Some("../my%20site/"));
        assert_eq!(seen("/a/report.html", "/a").as_deref(), Some(""));
        assert_eq!(seen("/a/b/report.html", "/a/").as_deref(), Some("../"));
    }

    /// A site with copies, near-duplicates, a page of other numbers and one that quotes.
    fn site() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let words = |range: std::ops::Range<u32>| -> String {
            let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
            range.map(|at| format!("w{}{} ", letter(at / 26), letter(at))).collect()
        };
        for (name, text) in [
            ("a.html", words(0..120)),
            ("copy.html", words(0..120)),
            ("near.html", words(0..119) + "<b>other</b>"),
            ("quotes.html", words(0..60) + &words(300..350)),
            ("r-1.html", words(400..450) + "release 1"),
            ("r-2.html", words(400..450) + "release 2"),
        ] {
            let html = format!("<title>&lt;{name}&gt;</title><main><p>{text}</main>");
            std::fs::write(folder.path().join(name), html).unwrap();
        }
        folder
    }

    /// What stands between these.
    fn between<'a>(text: &'a str, before: &str, behind: &str) -> &'a str {
        text.split_once(before).unwrap().1.split_once(behind).unwrap().0
    }

    #[test]
    fn a_report_has_all_that_was_found_and_the_texts() {
        use pagekin_pages::Silent;
        use serde_json::{Value, json};
        let site = site();
        let options = DuplicateOptions::new(site.path());
        let found = crate::find(&options, &Silent).unwrap();
        let known = Some(found.pairs.iter().map(|pair| pair.kind == PairKind::Copy).collect());
        let report = ReportOptions {
            at: Some(site.path().join("r/x.html")),
            known,
            ..ReportOptions::default()
        };
        let html = html(&found, &options, &report, &Silent).unwrap();
        let folder = site.path().file_name().unwrap().to_str().unwrap();
        let title = format!("Near-duplicates of {folder}");
        assert_eq!(between(&html, "<title>", "</title>"), title);
        assert_eq!(between(&html, "<h1>", "</h1>"), title);
        let text = between(&html, "id=\"data\">", "</script>");
        assert!(!text.contains('<') && text.contains("\\u003cnear.html>"));
        let data: Value = serde_json::from_str(text).unwrap();
        let pair = |a: usize, b: usize| {
            let pair = found
                .pairs
                .iter()
                .find(|pair| (pair.a as usize, pair.b as usize) == (a, b))
                .unwrap();
            let similarities = pair.similarities.unwrap();
            json!([
                pair.shared.both,
                pair.shared.b,
                similarities.b,
                similarities.c,
                pair.shared.a,
                pair.kind.name()
            ])
        };
        let number = |name: &str| {
            found.pages.iter().position(|page| page.url == format!("/{name}")).unwrap()
        };
        let [a, copy, near, quotes, first, second] =
            ["a.html", "copy.html", "near.html", "quotes.html", "r-1.html", "r-2.html"].map(number);
        let row = |page: usize, words: u64, text: u32, rest: Value| {
            let page = &found.pages[page];
            let row = json!([page.url, page.title, words, 0, 0, text]);
            Value::from([row.as_array().unwrap(), &rest.as_array().unwrap()[..]].concat())
        };
        let original = row(a, 120, 0, json!([]));
        let copy = row(copy, 120, 0, json!([0]));
        let near = row(near, 120, 1, pair(a, near));
        let quotes = row(quotes, 110, 2, pair(a, quotes));
        let releases = [row(first, 52, 3, json!([])), row(second, 52, 4, pair(first, second))];
        let expected = json!({
            "base": "/",
            "folder": "../",
            "min": 0.8,
            "estimated": false,
            "pages": 6,
            "copies": 1,
            "numbers": 1,
            "pairs": 1,
            "passages": 2,
            "texts": [0, 5],
            "groups": [
                ["address", [&original, copy, near]],
                ["address", [&original, quotes]],
                ["alphabet", releases],
            ],
            "known": [[1], [], []],
        });
        assert_eq!(data, expected);
        assert_eq!(html.matches("<script type=\"text/plain\" id=\"texts-").count(), 1);
    }

    #[test]
    fn sites_are_called_by_their_addresses_or_folders() {
        let options = DuplicateOptions::new("/a/index");
        let called = |base_url: &str, sites: &[&str]| {
            let sites = sites.iter().map(PathBuf::from).collect();
            let base_url = base_url.to_owned();
            name(&Duplicates { base_url, sites, ..Duplicates::default() }, &options)
        };
        assert_eq!(called("https://x.org/", &["/a/b"]), "https://x.org/");
        assert_eq!(called("/docs/", &["/a/b"]), "/docs/");
        assert_eq!(called("/", &["/a/b", "/c/d/"]), "b and d");
        assert_eq!(called("", &["/"]), "/");
        assert_eq!(called("/", &[]), "index");
    }
}
