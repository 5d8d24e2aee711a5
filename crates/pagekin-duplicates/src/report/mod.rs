//! Writes the report: a self-contained HTML file to sort and filter groups, and to compare the
//! texts of a pair next to each other with their shared passages marked.
//!
//! | file | purpose |
//! | --- | --- |
//! | `report.html` | the page, with placeholders for the rest |
//! | `report.css`, `report.js` | its style, and the script that draws the embedded data without requests |
//! | `listing` | the groups as compact JSON |
//! | `packing` | selects the texts to include, and packs them in chunks |
//!
//! # Rules
//!
//! 1. A content security policy in the page allows only its own style and script, by hash. The page
//!    makes no requests.
//! 2. **Texts.** At most [`ReportOptions::texts`] bytes of texts are included. First come the pairs
//!    of each original with the page most similar to it, largest groups first; then those with the
//!    second most similar page, and so on; then the texts of groups that contain only exact copies.
//!    A text that is larger than the remaining space is skipped. Each text is included once.
//! 3. Texts are packed in chunks, with the texts of a group together, since near-duplicates
//!    compress one another. The page unpacks a chunk when it needs one of its texts. There are no
//!    texts if the result is [estimated](Duplicates::estimated) from an index.
//! 4. URLs are links if the base URL has a host, or if the report is served from one. If the report
//!    is opened as a file, URLs link to the files of the site, provided that there is only one site
//!    and [`ReportOptions::at`] is set.

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

/// Options of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOptions {
    /// Maximum number of bytes of texts, before compression.
    pub texts: u64,
    /// The path that the report will be written to, if known.
    pub at: Option<PathBuf>,
    /// For each pair, whether it is in a [baseline](crate::baseline::Baseline), if there is one.
    /// Pages of known pairs are marked.
    pub known: Option<Vec<bool>>,
}

impl ReportOptions {
    /// Default maximum size of texts: 64 MiB.
    pub const TEXTS: u64 = 64 << 20;
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { texts: Self::TEXTS, at: None, known: None }
    }
}

/// The data of the script.
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

/// Returns a report as HTML. Reads the pages whose texts are included again.
///
/// # Errors
///
/// Returns an error if one of these pages can no longer be read, or if the observer requested a
/// stop.
pub fn html(
    found: &Duplicates,
    options: &DuplicateOptions,
    report: &ReportOptions,
    observer: &dyn Observer,
) -> Result<String, DuplicatesError> {
    let packed = pool::in_pool(options.threads, || {
        Packed::new(found, &options.reading, report.texts, observer)
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
    // `<` occurs only in strings, and nothing else could end the script element.
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

/// Returns the page with its placeholders, which are words in braces, replaced.
fn filled<'a>(content: impl Fn(&str) -> &'a str) -> String {
    let mut parts = PAGE.split(['{', '}']);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    while let (Some(place), Some(rest)) = (parts.next(), parts.next()) {
        filled.push_str(content(place));
        filled.push_str(rest);
    }
    filled
}

/// Returns the name of the sites: the base URL if it is not just a slash, otherwise the names of
/// their folders or of the index.
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

/// Returns the URL of the folder `site` relative to the file `at`, as a prefix for names of files
/// in it.
fn seen_from(at: &Path, site: &Path) -> Option<String> {
    let url = |path: &Path| Url::from_file_path(std::path::absolute(path).ok()?).ok();
    let file_in_it = url(at)?.make_relative(&url(&site.join("_"))?)?;
    file_in_it.strip_suffix('_').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::passage;

    #[test]
    fn each_placeholder_occurs_once_except_the_title() {
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
    fn the_folder_is_relative_to_the_report() {
        let seen = |at: &str, site: &str| seen_from(Path::new(at), Path::new(site));
        assert_eq!(seen("/a/report.html", "/a/site").as_deref(), Some("site/"));
        assert_eq!(seen("/a/b/report.html", "/a/my site").as_deref(), Some("../my%20site/"));
        assert_eq!(seen("/a/report.html", "/a").as_deref(), Some(""));
        assert_eq!(seen("/a/b/report.html", "/a/").as_deref(), Some("../"));
    }

    /// A site with copies, near-duplicates, two pages that differ in a number, and a quoting page.
    fn site() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.html", passage(0..120)),
            ("copy.html", passage(0..120)),
            ("near.html", passage(0..119) + "<b>other</b>"),
            ("quotes.html", passage(0..60) + &passage(300..350)),
            ("r-1.html", passage(400..450) + "release 1"),
            ("r-2.html", passage(400..450) + "release 2"),
        ] {
            let html = format!("<title>&lt;{name}&gt;</title><main><p>{text}</main>");
            std::fs::write(folder.path().join(name), html).unwrap();
        }
        folder
    }

    /// Returns the text between `before` and `after`.
    fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
        text.split_once(before).unwrap().1.split_once(after).unwrap().0
    }

    #[test]
    fn a_report_contains_the_groups_and_the_texts() {
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
    fn sites_are_named_by_base_url_or_folder() {
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
