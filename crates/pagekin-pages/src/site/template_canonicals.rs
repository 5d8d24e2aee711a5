//! Canonical URLs that a template assigns to all pages, including dissimilar ones.
//!
//! A template that names the start page as canonical, instead of each page itself, would fold a
//! whole site into one page. So pages of a sample that name another page with the same element are
//! compared with that page.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use pagekin_core::hash;
use rustc_hash::FxHashSet;

use crate::progress::{Interrupted, Observer};
use crate::site::canonical::is_other_page_of;
use crate::site::html::read_html_with_links;
use crate::site::links::Pointing;
use crate::site::listing::HtmlFile;
use crate::site::reader::{SiteOutline, read_file, sample};

/// Maximum number of files that are searched for their canonical URLs.
const MAX_SAMPLED: usize = 256;
/// Maximum number of pages compared with the page that they name.
pub(crate) const MAX_COMPARED: usize = 16;
/// Minimum number of pages that name the same page.
pub(crate) const MIN_NAMING: usize = 3;
/// Number of words in a compared run.
const WORDS: usize = 3;

/// Returns the paths of pages that dissimilar pages name as canonical, and warns of them.
pub fn find(
    files: &[HtmlFile],
    outline: &SiteOutline,
    observer: &dyn Observer,
) -> Result<Vec<String>, Interrupted> {
    let mut reader = Reader { outline, bytes: Vec::new() };
    // A template writes the same element everywhere.
    let mut naming: BTreeMap<Vec<u8>, Vec<&HtmlFile>> = BTreeMap::new();
    for file in sample(files, MAX_SAMPLED) {
        if observer.cancelled() {
            return Err(Interrupted);
        }
        if let Some(element) = reader.read(file).and_then(canonical_element) {
            naming.entry(element.to_vec()).or_default().push(file);
        }
    }
    let mut templates = Vec::new();
    for naming in naming.into_values().filter(|naming| naming.len() >= MIN_NAMING) {
        // By the path of the named page.
        let mut named: BTreeMap<String, Vec<(&HtmlFile, FxHashSet<u64>)>> = BTreeMap::new();
        for file in naming.into_iter().take(MAX_COMPARED) {
            if let Some((path, text)) = reader.other_page(file) {
                named.entry(path).or_default().push((file, text));
            }
        }
        for (path, naming) in named.into_iter().filter(|(_, naming)| naming.len() >= MIN_NAMING) {
            let target = outline.pages.page_anywhere(0, &path).map(|at| &files[at as usize]);
            let Some(target) = target.and_then(|file| reader.page(file)) else { continue };
            if most_differ(naming.iter().map(|(_, text)| text), &target.runs) {
                let (first, second) = (&naming[0].0.url, &naming[1].0.url);
                observer.warn(&format!(
                    "pages such as {first} and {second} name {path} as canonical, but are not similar to it: they are kept as separate pages. \
                     In the template, name each page's own URL"
                ));
                templates.push(path);
            }
        }
    }
    Ok(templates)
}

/// The compared parts of a page.
struct Compared {
    /// The canonical URL that it names, and its path.
    canonical: Option<(String, String)>,
    runs: FxHashSet<u64>,
}

struct Reader<'a> {
    outline: &'a SiteOutline,
    bytes: Vec<u8>,
}

impl Reader<'_> {
    /// Returns the bytes of a file, if it can be read.
    fn read(&mut self, file: &HtmlFile) -> Option<&[u8]> {
        let max_bytes = self.outline.of_sample().max_page_bytes;
        matches!(read_file(&file.path, max_bytes, &mut self.bytes), Ok(true)).then_some(&self.bytes)
    }

    fn page(&mut self, file: &HtmlFile) -> Option<Compared> {
        let (read, links) = read_html_with_links(self.read(file)?, None);
        let pointing = Pointing::from(&file.url, links.base.as_deref());
        let canonical = read.page.canonical.and_then(|canonical| {
            let path = pointing?.to(&canonical)?;
            Some((canonical, path))
        });
        Some(Compared { canonical, runs: runs(&read.page.text) })
    }

    /// Returns the path of another page that a page names as canonical, and the page's own runs.
    fn other_page(&mut self, file: &HtmlFile) -> Option<(String, FxHashSet<u64>)> {
        let Compared { canonical, runs } = self.page(file)?;
        let (canonical, path) = canonical?;
        is_other_page_of(&self.outline.pages, &file.url, &canonical).then_some((path, runs))
    }
}

/// Returns the element that names the canonical URL, as written.
fn canonical_element(bytes: &[u8]) -> Option<&[u8]> {
    let at = bytes.windows(9).position(|word| word.eq_ignore_ascii_case(b"canonical"))?;
    let start = bytes[..at].iter().rposition(|&byte| byte == b'<')?;
    let end = at + bytes[at..].iter().position(|&byte| byte == b'>')?;
    Some(&bytes[start..end])
}

/// Returns the hashes of the runs of words of a text.
pub(crate) fn runs(text: &str) -> FxHashSet<u64> {
    let words: Vec<u64> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| hash::of_bytes(word.as_bytes()))
        .collect();
    let run = |words: &[u64]| words.iter().fold(0, |run, word| hash::mix(run ^ word));
    words.windows(WORDS.min(words.len().max(1))).map(run).collect()
}

/// Returns whether most of the pages that name a page as canonical are dissimilar to it, by their
/// [`runs`].
pub(crate) fn most_differ(
    naming: impl ExactSizeIterator<Item = impl Borrow<FxHashSet<u64>>>,
    named: &FxHashSet<u64>,
) -> bool {
    let count = naming.len();
    2 * naming.filter(|text| are_similar(text.borrow(), named)).count() < count
}

/// Returns whether at least a third of the shorter of two texts is in the other. A page without
/// text is similar to any.
fn are_similar(a: &FxHashSet<u64>, b: &FxHashSet<u64>) -> bool {
    3 * a.intersection(b).count() >= a.len().min(b.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::site::listing::{Naming, list};
    use std::fs;
    use std::path::Path;

    /// Finds the templates on a site of pages with names, canonical URLs and texts.
    fn found(pages: &[(&str, &str, String)]) -> (Vec<String>, usize) {
        let site = tempfile::tempdir().unwrap();
        for (name, canonical, text) in pages {
            let html = format!("<link rel=canonical href='{canonical}'><main>{text}</main>");
            fs::write(site.path().join(name), html).unwrap();
        }
        let naming = Naming { base_url: "/", clean: false };
        let files = list(site.path(), Path::new(""), naming).unwrap().files;
        let outline = SiteOutline::new(&files, 1 << 20);
        (find(&files, &outline, &Silent).unwrap(), files.len())
    }

    fn text(from: u32) -> String {
        (from..from + 30).map(|word| format!("word{word} ")).collect()
    }

    #[test]
    fn a_start_page_that_all_pages_name_is_detected() {
        let names = ["a.html", "b.html", "c.html", "d.html"];
        let start = ("index.html", "/", text(0));
        let of = |of_page: fn(u32) -> u32| {
            let pages = names.iter().zip(1..).map(|(name, at)| (*name, "/", text(of_page(at))));
            Vec::from_iter([start.clone()].into_iter().chain(pages))
        };
        assert_eq!(found(&of(|page| 100 * page)), (vec!["/".to_owned()], 5));
        // Sessions and print versions contain the same text.
        assert_eq!(found(&of(|page| page)), (vec![], 5));
        // Two pages are too few for a template.
        assert_eq!(found(&of(|page| 100 * page)[..3]), (vec![], 3));
    }
}
