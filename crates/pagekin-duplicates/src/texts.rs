//! Reads the HTML files of folders as pages, and finds their distinct texts.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::links::PageLinks;
use pagekin_core::near::identity::IdentityHasher;
use pagekin_core::near::shingles;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::terms::{for_each_token_at, is_number, is_number_or_letter};
use pagekin_core::{address, hash};
use pagekin_pages::site::blocks::Repeated;
use pagekin_pages::site::exclude::Exclude;
use pagekin_pages::site::files::SiteFiles;
use pagekin_pages::site::html::ReadPage;
use pagekin_pages::site::links::{Paths, Pointing};
use pagekin_pages::site::listing;
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::on_threads::in_order;
use pagekin_pages::site::reader::{PageExtractor, PageOutcome, SiteOutline, kept, read_files};
use pagekin_pages::site::repeated;
use pagekin_pages::site::skipped::SkippedFiles;
use pagekin_pages::site::template_canonicals;
use pagekin_pages::{Ledger, Observer, SiteError, SkipReason, Stage};
use rustc_hash::FxHashMap;

use crate::error::DuplicatesError;
use crate::options::DuplicateOptions;

/// A page of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitePage {
    /// URL of the page.
    pub url: String,
    /// Path of its HTML file.
    pub file: PathBuf,
    /// Title of the page.
    pub title: String,
    /// Number of tokens of its text.
    pub tokens: u64,
    /// Number of bytes of its text, including white space.
    pub text_bytes: u64,
    /// Number of other files of the folder that name it as their canonical URL.
    pub canonical_of: u32,
    /// Number of other pages that link to it.
    pub in_links: u32,
}

/// The pages and texts of the sites.
pub(crate) struct Read {
    /// Probable originals first.
    pub(crate) pages: Vec<SitePage>,
    /// In the order of their originals.
    pub(crate) texts: Vec<Text>,
    pub(crate) html_files: u64,
    pub(crate) ledger: Ledger,
    /// The blocks removed from pages, and how often.
    pub(crate) repeated: Repeated,
    pub(crate) left_out: u64,
}

/// A distinct text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) tokens: Vec<u64>,
    /// A hash of the tokens without numbers, and one without words of one letter either; 0 if there
    /// are no others.
    pub(crate) words: [u64; 2],
    /// The pages with this text, ascending.
    pub(crate) pages: Vec<u32>,
}

/// A page before its links are counted.
struct TextDraft {
    site: u32,
    /// The URL within its own site, without the site's name.
    url: String,
    file: PathBuf,
    title: String,
    marked: bool,
    text_bytes: u64,
    tokens: Vec<u64>,
    /// The hashes of some of the tokens, as in [`Text`].
    words: [u64; 2],
    /// The hash of all tokens.
    hash: u64,
    /// The hashes of the paths that it links to, without duplicates.
    links: Vec<u64>,
    /// The number of blocks removed from it.
    left_out: u64,
}

pub(crate) struct ListedSites<'a> {
    /// The files of each site.
    files: Vec<Vec<HtmlFile>>,
    /// The outline of each site, including skipped files.
    outlines: Vec<SiteOutline>,
    html_files: u64,
    skipped: SkippedFiles<'a>,
    unreadable: Vec<(PathBuf, io::Error)>,
    /// The blocks of text that many pages of a site contain.
    repeated: Repeated,
}

impl ListedSites<'_> {
    /// Returns the files to read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &HtmlFile> {
        self.files.iter().flatten()
    }

    /// Skips the files for which `why` returns a reason.
    pub(crate) fn skip(&mut self, mut why: impl FnMut(&HtmlFile) -> Option<SkipReason>) {
        let Self { files, skipped, .. } = self;
        for files in files {
            files.retain(|file| {
                let reason = why(file);
                reason.inspect(|reason| skipped.add(*reason, &file.path));
                reason.is_none()
            });
        }
    }
}

/// Lists the HTML files of the sites, and finds the blocks that many of them contain.
pub(crate) fn list<'a>(
    options: &'a DuplicateOptions,
    observer: &dyn Observer,
) -> Result<ListedSites<'a>, DuplicatesError> {
    let sites = &options.sites;
    observer.stage(Stage::Listing, 0);
    // If there is only one site, paths are reported relative to it.
    let below = if let [site] = &sites[..] { site } else { Path::new("") };
    let (files, unreadable, repeated) = (Vec::new(), Vec::new(), Repeated::default());
    let mut exclude = Exclude::new(&options.reading.exclude)?;
    let mut listed = ListedSites {
        files,
        outlines: Vec::new(),
        html_files: 0,
        skipped: SkippedFiles::new(below),
        unreadable,
        repeated,
    };
    for site in sites {
        if site.join(MANIFEST_NAME).is_file() {
            return Err(DuplicatesError::IndexForSite { path: site.clone() });
        }
        // There is no output folder to exclude.
        let (output, reading, skipped) = (Path::new(""), &options.reading, &mut listed.skipped);
        let found = SiteFiles::list(site, output, reading, &mut exclude, skipped, observer)?;
        listed.html_files += found.html_files;
        let mut outline = SiteOutline::new(&found.files, reading.max_page_bytes);
        outline.selectors = reading.selectors()?;
        outline.template_canonicals = template_canonicals::find(&found.files, &outline, observer)?;
        listed.outlines.push(outline);
        listed.files.push(found.files);
        listed.unreadable.extend(found.unreadable);
    }
    exclude.warn_of_unmatched(observer);
    if !options.keep_repeated {
        for (files, outline) in listed.files.iter().zip(&listed.outlines) {
            let (found, ..) = repeated::find(files, outline, observer)?;
            listed.repeated.extend(found);
        }
    }
    Ok(listed)
}

/// Reads the listed files.
pub(crate) fn read(
    listed: ListedSites<'_>,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Read, DuplicatesError> {
    let sites = &options.sites;
    observer.stage(Stage::Reading, listed.files().count() as u64);
    let ListedSites { files, outlines, html_files, mut skipped, mut unreadable, repeated } = listed;
    let (mut drafts, mut canonicals, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    for (site, (files, outline)) in (0..).zip(files.iter().zip(&outlines)) {
        let keeper = || TextExtractor { site, repeated: &repeated, canonicals: Vec::new() };
        let read = read_files(files, outline, keeper, observer)?;
        let (keepers, read) = in_order(read);
        canonicals.extend(keepers.into_iter().flat_map(|keeper| keeper.canonicals));
        for (file, read) in files.iter().zip(&read) {
            if let (PageOutcome::Page(_), Some(why)) = (&read.outcome, read.cut) {
                cut.push((&file.path, why));
            }
        }
        drafts.extend(kept(files, read, &mut skipped, &mut unreadable));
    }
    outlines.iter().for_each(|outline| outline.selectors.warn_of_unmatched(observer));
    if let Some((example, why)) = cut.first() {
        let (n, example) = (cut.len(), example.display());
        observer.warn(&format!("{n} pages were truncated, for example {example}: it has {why}"));
    }
    SiteError::check_readable(&unreadable)?;
    let names = Names::new(sites, &options.reading.base_url);
    let mut marks = vec![options.reading.root_selector.is_some(); sites.len()];
    drafts.iter().for_each(|draft| marks[draft.site as usize] |= draft.marked);
    drafts.retain(|draft| {
        // As in a build: if any page of a site marks its main text, pages without a mark are
        // skipped.
        let kept = draft.marked || !marks[draft.site as usize];
        if !kept {
            skipped.add(SkipReason::Unmarked, Path::new(&names.address(draft.site, &draft.url)));
        }
        kept
    });
    let left_out = drafts.iter().map(|draft| draft.left_out).sum();
    let ledger = skipped.finish(drafts.len() as u64)?;
    let (pages, texts) = originals_first(drafts, &canonicals, &names);
    Ok(Read { pages, texts, html_files, ledger, repeated, left_out })
}

/// Extracts the texts of a site's pages, and collects the canonical URLs of its files.
struct TextExtractor<'a> {
    site: u32,
    repeated: &'a Repeated,
    canonicals: Vec<Canonical>,
}

impl PageExtractor for TextExtractor<'_> {
    type Around = (PageLinks, Option<Pointing>, u64);
    type Kept = TextDraft;

    fn parse(
        &mut self,
        file: &HtmlFile,
        bytes: &[u8],
        site: &SiteOutline,
    ) -> (ReadPage, Self::Around) {
        let (read, links, left_out) = repeated::read_without(bytes, self.repeated, &site.selectors);
        let pointing = Pointing::from(&file.url, links.base.as_deref());
        // The canonical URL may name the host of the published site, which is unknown here. A copy
        // that is skipped because of its canonical URL still counts for the original.
        let canonical = read.page.canonical.as_deref();
        if let Some(path) = canonical.and_then(|canonical| pointing.as_ref()?.to(canonical)) {
            self.canonicals.push(Canonical { site: self.site, from: file.url.clone(), path });
        }
        (read, (links, pointing, left_out))
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        (links, pointing, left_out): Self::Around,
    ) -> Result<TextDraft, SkipReason> {
        let page = read.page;
        let (tokens, words) = tokens_of(&page.text);
        if tokens.is_empty() {
            return Err(SkipReason::Empty);
        }
        let hrefs = links.links.iter().map(|link| link.href.as_str());
        let site = self.site;
        let links = pointing.map_or_else(Vec::new, |pointing| pointing.to_each(site, hrefs));
        let hash = hash::of_bytes(bytemuck::cast_slice(&tokens));
        Ok(TextDraft {
            site,
            url: file.url.clone(),
            file: file.path.clone(),
            title: page.title,
            marked: page.marked,
            text_bytes: page.text.len() as u64,
            tokens,
            words,
            hash,
            links,
            left_out,
        })
    }
}

/// Returns the tokens of a text, and the hashes of some of them, as in [`Text`].
pub(crate) fn tokens_of(text: &str) -> (Vec<u64>, [u64; 2]) {
    let (mut tokens, mut words, mut long_words) =
        (Vec::new(), IdentityHasher::default(), IdentityHasher::default());
    for_each_token_at(text, &mut |_, word| {
        let token = shingles::token(word);
        words.push(token, is_number(word));
        long_words.push(token, is_number_or_letter(word));
        tokens.push(token);
    });
    (tokens, [words.words(), long_words.words()])
}

/// Distinguishes the pages of several sites: the name of a site's folder becomes the first segment
/// of their paths.
struct Names {
    /// The length of the base URL without its trailing slash.
    base: usize,
    /// The name of each site; `None` if there is only one site.
    names: Vec<Option<String>>,
}

impl Names {
    fn new(sites: &[PathBuf], base_url: &str) -> Self {
        let base = base_url.trim_end_matches('/').len();
        if sites.len() == 1 {
            return Self { base, names: vec![None] };
        }
        let mut names: Vec<Option<String>> = Vec::new();
        for site in sites {
            let folder = std::path::absolute(site).unwrap_or_else(|_| site.clone());
            let name = listing::segment(folder.file_name().unwrap_or_default());
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            names.push(free.find(|name| !names.contains(&Some(name.clone()))));
        }
        Self { base, names }
    }

    /// Returns the reported URL of a page.
    fn address(&self, site: u32, url: &str) -> String {
        match &self.names[site as usize] {
            Some(name) => format!("{}/{name}{}", &url[..self.base], &url[self.base..]),
            None => url.to_owned(),
        }
    }
}

/// A canonical URL named by a file.
struct Canonical {
    site: u32,
    /// The URL of the file.
    from: String,
    /// The canonical path.
    path: String,
}

/// Returns the key by which URLs are ordered from short to long: the length of the path, then of
/// the whole.
pub(crate) fn address_length(url: &str) -> (usize, usize) {
    (address::path(url).len(), url.len())
}

/// Returns the pages, probable originals first, and their distinct texts.
fn originals_first(
    drafts: Vec<TextDraft>,
    canonicals: &[Canonical],
    names: &Names,
) -> (Vec<SitePage>, Vec<Text>) {
    let paths = Paths::new(drafts.iter().map(|draft| (draft.site, draft.url.as_str())));
    let mut canonical_of = vec![0u32; drafts.len()];
    let mut in_links = vec![0u32; drafts.len()];
    for Canonical { site, from, path } in canonicals {
        if let Some(page) = paths.page_anywhere(*site, path)
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
        let pointed = Reverse(*a_counts).cmp(&Reverse(*b_counts));
        pointed
            .then_with(|| address_length(&a.url).cmp(&address_length(&b.url)))
            .then_with(|| (a.site, &a.url).cmp(&(b.site, &b.url)))
    });
    let mut pages = Vec::with_capacity(counted.len());
    let mut texts: Vec<Text> = Vec::new();
    // Texts by the hashes of their tokens.
    let mut hashed: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (number, (draft, (canonical_of, in_links))) in (0..).zip(counted) {
        let TextDraft { site, url, file, title, text_bytes, tokens, words, hash, .. } = draft;
        let (url, n) = (names.address(site, &url), tokens.len() as u64);
        pages.push(SitePage { url, file, title, tokens: n, text_bytes, canonical_of, in_links });
        let same = hashed.entry(hash).or_default();
        if let Some(&text) = same.iter().find(|&&text| texts[text].tokens == tokens) {
            texts[text].pages.push(number);
        } else {
            same.push(texts.len());
            texts.push(Text { tokens, words, pages: vec![number] });
        }
    }
    (pages, texts)
}

/// For tests: words without digits, each determined by its position.
#[cfg(test)]
pub(crate) fn passage(positions: std::ops::Range<u32>) -> String {
    let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
    let word = |at: u32| format!("w{}{}{} ", letter(at / 676), letter(at / 26), letter(at));
    positions.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::links::hash_of;

    /// A page of the site whose number is prefixed to the URL.
    fn draft(url: &str, text: &str, links: &[&str]) -> TextDraft {
        let (site, url) = of_site(url);
        let (tokens, words) = tokens_of(text);
        let links = links.iter().map(|link| hash_of(site, link)).collect();
        let (url, file, title) = (url.to_owned(), PathBuf::new(), String::new());
        TextDraft {
            site,
            url,
            file,
            title,
            marked: false,
            text_bytes: 0,
            tokens,
            words,
            hash: 0,
            links,
            left_out: 0,
        }
    }

    fn of_site(address: &str) -> (u32, &str) {
        match address.strip_prefix('1') {
            Some(url) => (1, url),
            None => (0, address),
        }
    }

    #[track_caller]
    fn check_order(drafts: Vec<TextDraft>, canonicals: &[(&str, &str)], expected: &[&str]) {
        let canonicals = canonicals.iter().map(|&(from, path)| {
            let (site, from) = of_site(from);
            Canonical { site, from: from.to_owned(), path: path.to_owned() }
        });
        let canonicals: Vec<_> = canonicals.collect();
        let names = Names { base: 0, names: vec![None, Some("old".to_owned())] };
        let (pages, _) = originals_first(drafts, &canonicals, &names);
        let urls: Vec<_> = pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(urls, expected);
    }

    #[test]
    fn originals_are_canonical_then_linked_then_short_then_first() {
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
    fn links_stay_within_their_site_and_ties_go_to_the_first_site() {
        let drafts = vec![
            draft("1/named", "x", &[]),
            draft("1/linked", "x", &["/a"]),
            draft("1/a", "x", &["/linked"]),
            draft("1/b", "x", &[]),
            draft("/linked", "x", &[]),
            draft("/a", "x", &[]),
            draft("/b", "x", &[]),
            draft("/named", "x", &[]),
        ];
        let pointed_to = ["/old/named", "/old/a", "/old/linked"];
        let equals = ["/a", "/b", "/old/b", "/named", "/linked"];
        check_order(drafts, &[("1/a", "/named")], &[&pointed_to[..], &equals].concat());
    }

    #[test]
    fn several_sites_are_named_after_their_folders() {
        let sites = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let several =
            Names::new(&sites(&["/new/html", "/old/html", "/my docs"]), "https://x.org/d/");
        let address = |site| several.address(site, "https://x.org/d/a.html");
        assert_eq!(address(0), "https://x.org/d/html/a.html");
        assert_eq!(address(1), "https://x.org/d/html-2/a.html");
        assert_eq!(address(2), "https://x.org/d/my%20docs/a.html");
        assert_eq!(Names::new(&sites(&["/new/html"]), "/").address(0, "/a.html"), "/a.html");
    }

    #[test]
    fn pages_with_the_same_words_share_one_text() {
        let drafts = vec![
            draft("/a", "One two.", &[]),
            draft("/b", "two one", &[]),
            draft("/c", "one, two", &[]),
        ];
        let names = Names { base: 0, names: vec![None] };
        let (_, texts) = originals_first(drafts, &[], &names);
        let pages: Vec<_> = texts.iter().map(|text| text.pages.as_slice()).collect();
        assert_eq!(pages, [&[0, 2][..], &[1]]);
    }
}
