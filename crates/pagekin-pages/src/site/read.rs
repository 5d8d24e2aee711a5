//! The inputs of a build, files or the pages of a source, into drafts: pages whose words are
//! counted but not yet weighed.
//!
//! Threads take inputs from one counter and each keeps a lexicon of its own; lexicons are then
//! added up, so what comes out does not depend on who read what. Texts are not kept: a draft holds
//! the ids of its terms.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pagekin_core::address;
use pagekin_core::near::shingles::Shingler;
use pagekin_core::near::sketch::Sketch;
use pagekin_core::page::PageText;
use pagekin_core::terms::{Analyzer, Language, StopLists, Words};
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::progress::{Observer, check};
use crate::site::blocks::{BlockReader, BlockText, Repeated};
use crate::site::bounds;
use crate::site::canonical::{is_other_page, redirects_elsewhere};
use crate::site::error::SiteError;
use crate::site::html::read_html_by;
use crate::site::languages::Undeclared;
use crate::site::links::Pointing;
use crate::site::listing::HtmlFile;
use crate::site::own_related::{Named, named};
use crate::site::shared_title::{self, SharedTitle};
use crate::site::skipped::SkipReason;
use crate::site::source::PageSource;
use crate::site::term_counts::{Counter, commonest_words, counted_words};

/// The values of a sketch: the standard error of a part of these is at most 1/16.
pub const SKETCH_VALUES: u16 = 64;

/// A page before its terms are weighed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub url: String,
    pub title: String,
    pub language: Language,
    /// Some element says that it is the body.
    pub marked: bool,
    /// Some element says what its body is, as `main` does. Of a source, each page is all body.
    pub has_body: bool,
    /// It is mostly links: see [`BlockText::is_listing`].
    pub listing: bool,
    /// The hashes of the paths that links in its text lead to, ascending.
    pub links: Vec<u64>,
    /// The related pages that it names itself, if it does.
    pub own_related: Option<Vec<Named>>,
    /// Its terms with their frequencies, ascending.
    pub terms: Vec<(TermId, u32)>,
    /// The terms of its headings, ascending. Those of its title join them once it is known what all
    /// titles share.
    pub title_terms: Vec<TermId>,
    /// Of all its words.
    pub sketch: Sketch,
}

/// What is read, each input on any thread.
pub trait Inputs: Sync {
    fn count(&self) -> usize;
    /// What messages call an input.
    fn name(&self, at: usize) -> PathBuf;
    fn read(&self, at: usize, worker: &mut Worker<'_>) -> Outcome;
}

/// The HTML files of a folder.
pub struct HtmlFiles<'a> {
    pub files: &'a [HtmlFile],
    /// Larger files are skipped.
    pub max_page_bytes: u64,
    /// Blocks that are left out.
    pub repeated: &'a Repeated,
}

/// The pages of a source.
pub struct SourcePages<'a> {
    pub source: &'a dyn PageSource,
    /// What their addresses begin with.
    pub base_url: &'a str,
}

/// What became of an input.
pub(crate) enum Outcome {
    Draft(Draft),
    Skipped(SkipReason),
    Unreadable(io::Error),
}

/// All that was read of a site.
#[derive(Debug, Default)]
pub struct Reading {
    /// In the order of the inputs.
    pub drafts: Vec<Draft>,
    pub skipped: Vec<(SkipReason, PathBuf)>,
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// Of the files or texts.
    pub bytes: u64,
    /// How many blocks were left out as repeated text.
    pub left_out: u64,
    pub lexicon: Lexicon,
    /// Pages read with replaced bytes, and pages read only in part with the reason.
    pub malformed: Vec<PathBuf>,
    pub cut: Vec<(PathBuf, &'static str)>,
}

/// What is known of the terms of a site.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// By their ids. Of stems that share one, the first in the alphabet stands for all.
    pub terms: FxHashMap<TermId, LexiconTerm>,
}

/// One term of a [`Lexicon`].
#[derive(Debug)]
pub struct LexiconTerm {
    pub stem: Box<str>,
    /// The number of pages it is on.
    pub df: u32,
    /// The word that most often stands for it and how often; of equals the first in the alphabet.
    pub word: (Box<str>, u64),
}

impl Lexicon {
    /// The word that each term of two pages or more is shown as.
    pub fn into_words(self) -> FxHashMap<TermId, Box<str>> {
        let shared = self.terms.into_iter().filter(|(_, term)| term.df > 1);
        let word = |term: LexiconTerm| if term.word.0.is_empty() { term.stem } else { term.word.0 };
        shared.map(|(id, term)| (id, word(term))).collect()
    }
}

impl Reading {
    /// Leaves out of titles what nearly all of their language share, unless they are `kept` whole,
    /// and puts the terms of titles to those of headings. `stop` has the lists of all languages.
    /// Answers what was left out, by language.
    pub fn settle_titles(
        &mut self,
        kept: bool,
        stop: &StopLists,
    ) -> BTreeMap<Language, SharedTitle> {
        let titles = self.drafts.iter().map(|draft| (&draft.language, draft.title.as_str()));
        let shared = shared_title::by_language(titles.filter(|_| !kept));
        self.drafts.par_iter_mut().for_each(|draft| {
            if let Some(shared) = shared.get(&draft.language) {
                draft.title = shared.own(&draft.title).to_owned();
            }
            let terms = Analyzer::new(&draft.language, stop).counts(&Words::of(&draft.title), true);
            draft.title_terms.extend(terms.into_iter().map(|term| term.id));
            draft.title_terms.sort_unstable();
            draft.title_terms.dedup();
        });
        shared
    }

    /// Takes out the drafts that are not to be kept, and their terms from the lexicon. Answers
    /// their addresses.
    pub fn retain(&mut self, mut keep: impl FnMut(&Draft) -> bool) -> Vec<String> {
        let mut left_out = Vec::new();
        self.drafts.retain(|draft| {
            let kept = keep(draft);
            if !kept {
                left_out.push(draft.url.clone());
                for (id, _) in &draft.terms {
                    if let Some(term) = self.lexicon.terms.get_mut(id) {
                        term.df -= 1;
                    }
                }
            }
            kept
        });
        left_out
    }
}

/// Reads `inputs` on the threads of the pool this runs in. `undeclared` is the language of pages
/// that name none; `stop` has the lists of all languages.
pub fn read(
    inputs: &dyn Inputs,
    undeclared: &Undeclared,
    stop: &StopLists,
    observer: &dyn Observer,
) -> Result<Reading, SiteError> {
    let next = AtomicUsize::new(0);
    let workers = rayon::broadcast(|_| {
        let mut worker = Worker::new(undeclared, stop);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= inputs.count() || observer.cancelled() {
                return worker;
            }
            let outcome = inputs.read(at, &mut worker);
            worker.outcomes.push((at, outcome));
            observer.advance(1);
        }
    });
    check(observer)?;
    let mut reading = Reading::default();
    let mut counters = Vec::with_capacity(workers.len());
    let mut outcomes = Vec::with_capacity(inputs.count());
    for worker in workers {
        reading.bytes += worker.read_bytes;
        reading.left_out += worker.left_out;
        reading.malformed.extend(worker.malformed);
        reading.cut.extend(worker.cut);
        outcomes.extend(worker.outcomes);
        let mut counter = worker.counter;
        for (id, (stem, df)) in std::mem::take(&mut counter.stems) {
            let term = reading.lexicon.terms.entry(id).or_insert_with(|| LexiconTerm {
                stem: stem.clone(),
                df: 0,
                word: (Box::default(), 0),
            });
            term.df += df;
            if stem < term.stem {
                term.stem = stem;
            }
        }
        counters.push(counter);
    }
    for (term, word) in commonest_words(counted_words(counters)) {
        if let Some(term) = reading.lexicon.terms.get_mut(&term) {
            term.word = word;
        }
    }
    outcomes.sort_unstable_by_key(|(at, _)| *at);
    for (at, outcome) in outcomes {
        let path = || inputs.name(at);
        match outcome {
            Outcome::Draft(draft) => reading.drafts.push(draft),
            Outcome::Skipped(reason) => reading.skipped.push((reason, path())),
            Outcome::Unreadable(error) => reading.unreadable.push((path(), error)),
        }
    }
    reading.malformed.sort();
    reading.cut.sort();
    Ok(reading)
}

/// What a page is about, as text; `lang` is the tag of its language.
#[derive(Clone, Copy)]
struct TextOfPage<'a> {
    title: &'a str,
    headings: &'a str,
    lang: &'a str,
    text: &'a str,
}

/// What a thread has read.
pub(crate) struct Worker<'a> {
    stop: &'a StopLists,
    undeclared: &'a Undeclared,
    outcomes: Vec<(usize, Outcome)>,
    counter: Counter<'a>,
    read_bytes: u64,
    left_out: u64,
    malformed: Vec<PathBuf>,
    cut: Vec<(PathBuf, &'static str)>,
    bytes: Vec<u8>,
    shingler: Shingler,
    tokens: Vec<u64>,
}

impl<'a> Worker<'a> {
    fn new(undeclared: &'a Undeclared, stop: &'a StopLists) -> Self {
        Self {
            stop,
            undeclared,
            counter: Counter::new(stop),
            outcomes: Vec::new(),
            read_bytes: 0,
            left_out: 0,
            malformed: Vec::new(),
            cut: Vec::new(),
            bytes: Vec::new(),
            shingler: Shingler::default(),
            tokens: Vec::new(),
        }
    }

    /// A draft of a page whose text is known.
    fn draft(&mut self, url: String, page: TextOfPage<'_>) -> Outcome {
        let TextOfPage { title, headings, lang, text } = page;
        let language =
            Language::from_tag(lang).unwrap_or_else(|| self.undeclared.language_of(text));
        self.tokens.clear();
        let each_token = |token| self.tokens.push(token);
        let terms = self.counter.count_all(&language, text, each_token);
        if terms.is_empty() {
            return Outcome::Skipped(SkipReason::Empty);
        }
        let sketch = Sketch::of(&self.shingler.set(&self.tokens), SKETCH_VALUES);
        let analyzer = Analyzer::new(&language, self.stop);
        let title_terms = analyzer.counts(&Words::of(headings), true);
        let title_terms = title_terms.into_iter().map(|term| term.id).collect();
        Outcome::Draft(Draft {
            url,
            title: title.to_owned(),
            language,
            marked: false,
            has_body: true,
            listing: false,
            links: Vec::new(),
            own_related: None,
            terms,
            title_terms,
            sketch,
        })
    }
}

impl Inputs for HtmlFiles<'_> {
    fn count(&self) -> usize {
        self.files.len()
    }

    fn name(&self, at: usize) -> PathBuf {
        self.files[at].path.clone()
    }

    fn read(&self, at: usize, worker: &mut Worker<'_>) -> Outcome {
        let file = &self.files[at];
        match read_file(&file.path, self.max_page_bytes, &mut worker.bytes) {
            Ok(true) => {}
            Ok(false) => return Outcome::Skipped(SkipReason::TooLarge),
            Err(error) => return Outcome::Unreadable(error),
        }
        worker.read_bytes += worker.bytes.len() as u64;
        let (read, around) =
            read_html_by(&worker.bytes, BlockReader::default(), BlockReader::finish);
        let page = read.page;
        if let Some(reason) = set_aside(&file.url, &page) {
            return Outcome::Skipped(reason);
        }
        if read.malformed {
            worker.malformed.push(file.path.clone());
        }
        if let Some(why) = read.cut {
            worker.cut.push((file.path.clone(), why));
        }
        let blocks = BlockText::of(&page, self.repeated);
        worker.left_out += blocks.left_out;
        let text = TextOfPage {
            title: &page.title,
            headings: &blocks.headings,
            lang: &page.lang,
            text: &blocks.text,
        };
        match worker.draft(file.url.clone(), text) {
            Outcome::Draft(draft) => {
                let listing = blocks.is_listing(worker.tokens.len());
                let pointing = Pointing::from(&file.url, around.base.as_deref());
                let own_related = around.related.as_deref();
                let own_related = own_related.map(|content| named(content, pointing.as_ref()));
                // Where all pages are, there is one site.
                let links = pointing.map(|pointing| pointing.to_each(0, blocks.hrefs(&around)));
                Outcome::Draft(Draft {
                    marked: page.marked,
                    has_body: around.marks_body,
                    listing,
                    links: links.unwrap_or_default(),
                    own_related,
                    ..draft
                })
            }
            other => other,
        }
    }
}

impl Inputs for SourcePages<'_> {
    fn count(&self) -> usize {
        self.source.count() as usize
    }

    fn name(&self, at: usize) -> PathBuf {
        self.source.name(at as u64)
    }

    fn read(&self, at: usize, worker: &mut Worker<'_>) -> Outcome {
        let mut page = match self.source.page(at as u64) {
            Ok(page) => page,
            Err(error) => return Outcome::Unreadable(error),
        };
        let url = address::normal(&page.url);
        let base = self.base_url.trim_end_matches('/');
        if !url.strip_prefix(base).is_some_and(|below| below.starts_with('/')) {
            return Outcome::Unreadable(io::Error::other(format!(
                "its URL is {url:?}, expected one that starts with {base}/"
            )));
        }
        worker.read_bytes += page.text.len() as u64;
        if let Some(why) = bounds::cut_text(&mut page.text) {
            worker.cut.push((self.name(at), why));
        }
        let (title, lang, text) = (&page.title, &page.lang, &page.text);
        worker.draft(url.to_owned(), TextOfPage { title, headings: "", lang, text })
    }
}

/// Why a page at `url` is none of the site's own, by what it says of itself.
pub fn set_aside(url: &str, page: &PageText) -> Option<SkipReason> {
    if is_not_found(url) {
        return Some(SkipReason::NotFound);
    }
    let redirect = page.redirect.as_deref();
    if redirect.is_some_and(|target| redirects_elsewhere(url, target)) {
        return Some(SkipReason::Redirect);
    }
    if page.noindex {
        return Some(SkipReason::NoIndex);
    }
    let canonical = page.canonical.as_deref();
    let elsewhere = canonical.is_some_and(|canonical| is_other_page(url, canonical));
    elsewhere.then_some(SkipReason::Canonical)
}

/// Whether a host answers with the page at `url` where no page is: `404.html` and `404/index.html`,
/// in any folder, as sites of several languages have them.
pub(crate) fn is_not_found(url: &str) -> bool {
    let path = address::path(url).trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "404" | "404.html" | "404.htm" | "404.xhtml")
}

/// Reads a file into `bytes`; `false` if it is larger than `most`. What is no plain file is not
/// even opened: that may wait for ever.
pub fn read_file(path: &Path, most: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > most {
        return Ok(false);
    }
    // It may have grown since.
    File::open(path)?.take(most + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_missing_pages_are_known_by_their_addresses() {
        for url in ["/404.html", "/404/", "/de/404.html", "https://x.org/de/404/", "/404.htm"] {
            assert!(is_not_found(url), "{url}");
        }
        for url in
            ["/", "/404-errors.html", "/404/a.html", "/a404.html", "https://404/", "/403.html"]
        {
            assert!(!is_not_found(url), "{url}");
        }
    }
}
