//! The HTML files of a folder into pages, and these into different texts.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::near::{rabin, shingles};
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{address, hash};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::linking::{Paths, hash_of, resolve};
use super::{DuplicateOptions, Page};
use crate::error::BuildError;
use crate::html::read_html_with_links;
use crate::listing::{self, HtmlFile};
use crate::observer::{Observer, Stage};
use crate::reading::{read_file, set_aside};
use crate::summary::{SkipReason, Skipped, SkippedFiles};

/// What was read of a site.
pub(super) struct Site {
    /// Those that look like originals first.
    pub(super) pages: Vec<Page>,
    /// In the order of their originals.
    pub(super) texts: Vec<Text>,
    pub(super) html_files: u64,
    pub(super) skipped: Vec<Skipped>,
}

/// A text that at least one page has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) tokens: Vec<u64>,
    /// The pages that have it, ascending.
    pub(super) pages: Vec<u32>,
}

/// What a file says.
struct ReadFile {
    /// The path of its canonical address.
    canonical: Option<String>,
    outcome: Outcome,
}

enum Outcome {
    Page(Draft),
    Skipped(SkipReason),
    Unreadable(io::Error),
    /// The observer asked to stop.
    Interrupted,
}

/// A page whose links are not yet counted.
struct Draft {
    url: String,
    file: PathBuf,
    title: String,
    marked: bool,
    text_bytes: u64,
    tokens: Vec<u64>,
    /// Two hashes of the tokens.
    identity: (u64, u64),
    /// The hashes of the paths it links to, each once.
    links: Vec<u64>,
}

pub(super) fn read(
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Site, BuildError> {
    let site = &options.site;
    if site.join(MANIFEST_NAME).is_file() {
        return Err(BuildError::IndexForSite { path: site.clone() });
    }
    observer.stage(Stage::Listing, 0);
    // There is no output to leave out.
    let listing = listing::list(site, Path::new(""), &options.base_url)?;
    let html_files =
        (listing.files.len() + listing.duplicates.len() + listing.unreadable.len()) as u64;
    if html_files == 0 {
        return Err(BuildError::NoHtml { path: site.clone(), files: listing.other_files });
    }
    let mut skipped = SkippedFiles::new(site);
    for path in &listing.duplicates {
        skipped.add(SkipReason::DuplicateUrl, path);
    }
    observer.stage(Stage::Reading, listing.files.len() as u64);
    let read = listing.files.par_iter().map_init(Vec::new, |bytes, file| {
        let read = read_one(file, options.max_page_bytes, bytes, observer);
        observer.advance(1);
        read
    });
    let (mut drafts, mut canonicals) = (Vec::new(), Vec::new());
    let mut unreadable: Vec<(PathBuf, io::Error)> = listing.unreadable;
    for (file, read) in listing.files.iter().zip(read.collect::<Vec<_>>()) {
        if let Some(canonical) = read.canonical {
            canonicals.push((file.url.as_str(), canonical));
        }
        match read.outcome {
            Outcome::Page(draft) => drafts.push(draft),
            Outcome::Skipped(reason) => skipped.add(reason, &file.path),
            Outcome::Unreadable(error) => unreadable.push((file.path.clone(), error)),
            Outcome::Interrupted => return Err(BuildError::Interrupted),
        }
    }
    if let Some((example, error)) = unreadable.first()
        && !options.skip_unreadable
    {
        return Err(BuildError::Unreadable {
            count: unreadable.len() as u64,
            example: example.clone(),
            example_error: error.to_string(),
        });
    }
    for (path, _) in &unreadable {
        skipped.add(SkipReason::Unreadable, path);
    }
    if drafts.iter().any(|draft| draft.marked) {
        // As in a build: a site that marks bodies says which pages have one.
        drafts.retain(|draft| {
            if !draft.marked {
                skipped.add(SkipReason::Unmarked, Path::new(&draft.url));
            }
            draft.marked
        });
    }
    let (pages, texts) = in_order(drafts, &canonicals);
    Ok(Site { pages, texts, html_files, skipped: skipped.finish() })
}

fn read_one(
    file: &HtmlFile,
    max_page_bytes: u64,
    bytes: &mut Vec<u8>,
    observer: &dyn Observer,
) -> ReadFile {
    let without = |outcome| ReadFile { canonical: None, outcome };
    if observer.cancelled() {
        return without(Outcome::Interrupted);
    }
    match read_file(&file.path, max_page_bytes, bytes) {
        Ok(true) => {}
        Ok(false) => return without(Outcome::Skipped(SkipReason::TooLarge)),
        Err(error) => return without(Outcome::Unreadable(error)),
    }
    let (read, links) = read_html_with_links(bytes, None);
    let page = read.page;
    let base = links.base.as_deref();
    // A canonical address may name the host where the site is published, which is not told.
    let canonical = page.canonical.as_deref();
    let canonical = canonical.and_then(|canonical| resolve(&file.url, base, canonical));
    if let Some(reason) = set_aside(&file.url, &page) {
        return ReadFile { canonical, outcome: Outcome::Skipped(reason) };
    }
    let tokens = shingles::tokens(&page.text);
    if tokens.is_empty() {
        return ReadFile { canonical, outcome: Outcome::Skipped(SkipReason::Empty) };
    }
    let paths = links.links.iter().filter_map(|link| resolve(&file.url, base, &link.href));
    let mut links: Vec<u64> = paths.map(|path| hash_of(&path)).collect();
    links.sort_unstable();
    links.dedup();
    links.shrink_to_fit();
    let identity = (rabin::of_words(&tokens), hash::of_bytes(bytemuck::cast_slice(&tokens)));
    let draft = Draft {
        url: file.url.clone(),
        file: file.path.clone(),
        title: page.title,
        marked: page.marked,
        text_bytes: page.text.len() as u64,
        tokens,
        identity,
        links,
    };
    ReadFile { canonical, outcome: Outcome::Page(draft) }
}

/// The pages in the order in which they look like originals, and their texts. `canonicals` has the address of each file
/// that names a canonical address, and its path.
fn in_order(drafts: Vec<Draft>, canonicals: &[(&str, String)]) -> (Vec<Page>, Vec<Text>) {
    let paths = Paths::of(drafts.iter().map(|draft| draft.url.as_str()));
    let mut canonical_of = vec![0u32; drafts.len()];
    let mut in_links = vec![0u32; drafts.len()];
    for (from, canonical) in canonicals {
        if let Some(page) = paths.page_anywhere(canonical)
            && drafts[page as usize].url != *from
        {
            canonical_of[page as usize] += 1;
        }
    }
    for (from, draft) in (0..).zip(&drafts) {
        for page in draft.links.iter().filter_map(|&link| paths.page(link)) {
            in_links[page as usize] += u32::from(page != from);
        }
    }
    let counts = canonical_of.into_iter().zip(in_links);
    let mut counted: Vec<_> = drafts.into_iter().zip(counts).collect();
    counted.sort_by(|(a, a_counts), (b, b_counts)| {
        let by_path = |url: &str| (address::path(url).len(), url.len());
        let pointed = Reverse(*a_counts).cmp(&Reverse(*b_counts));
        pointed.then_with(|| by_path(&a.url).cmp(&by_path(&b.url))).then_with(|| a.url.cmp(&b.url))
    });
    let mut pages = Vec::with_capacity(counted.len());
    let mut texts: Vec<Text> = Vec::new();
    let mut text_of: FxHashMap<(u64, u64), usize> = FxHashMap::default();
    for (number, (draft, (canonical_of, in_links))) in (0..).zip(counted) {
        let Draft { url, file, title, text_bytes, tokens, identity, .. } = draft;
        let n = tokens.len() as u64;
        pages.push(Page { url, file, title, tokens: n, text_bytes, canonical_of, in_links });
        let text = *text_of.entry(identity).or_insert_with(|| {
            texts.push(Text { tokens, pages: Vec::new() });
            texts.len() - 1
        });
        texts[text].pages.push(number);
    }
    (pages, texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(url: &str, text: &str, links: &[&str]) -> Draft {
        let tokens = shingles::tokens(text);
        let identity = (rabin::of_words(&tokens), 0);
        let links = links.iter().map(|link| hash_of(link)).collect();
        let (url, file, title) = (url.to_owned(), PathBuf::new(), String::new());
        Draft { url, file, title, marked: false, text_bytes: 0, tokens, identity, links }
    }

    #[track_caller]
    fn check_order(drafts: Vec<Draft>, canonicals: &[(&str, &str)], expected: &[&str]) {
        let canonicals: Vec<_> =
            canonicals.iter().map(|&(from, path)| (from, path.to_owned())).collect();
        let (pages, _) = in_order(drafts, &canonicals);
        let urls: Vec<_> = pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(urls, expected);
    }

    #[test]
    fn originals_are_named_linked_to_short_or_first() {
        let drafts = vec![
            draft("/a/long", "x", &["/linked", "/a/long", "/elsewhere"]),
            draft("/linked", "x", &[]),
            draft("/named", "x", &["/linked"]),
            draft("/b", "x", &[]),
            draft("/a", "x", &[]),
        ];
        let canonicals = [("/b", "/docs/named"), ("/a", "/named"), ("/linked", "/linked")];
        check_order(drafts, &canonicals, &["/named", "/linked", "/a", "/b", "/a/long"]);
    }

    #[test]
    fn pages_of_the_same_words_are_one_text() {
        let drafts = vec![
            draft("/a", "One two.", &[]),
            draft("/b", "two one", &[]),
            draft("/c", "one, two", &[]),
        ];
        let (_, texts) = in_order(drafts, &[]);
        let pages: Vec<_> = texts.iter().map(|text| text.pages.as_slice()).collect();
        assert_eq!(pages, [&[0, 2][..], &[1]]);
    }
}
