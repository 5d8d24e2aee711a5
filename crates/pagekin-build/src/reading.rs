//! The files of a site into drafts: pages whose words are counted but not yet weighed.
//!
//! Threads take files from one counter and each keeps a lexicon of its own; lexicons are then added up, so
//! what comes out does not depend on who read what. Texts are not kept: a draft holds hashes of its terms.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pagekin_core::terms::{Analyzer, Language, StopLists, for_each_word};
use pagekin_core::{address, hash};
use rustc_hash::FxHashMap;

use crate::error::BuildError;
use crate::html::read_html;
use crate::listing::HtmlFile;
use crate::observer::Observer;
use crate::summary::SkipReason;

/// A page before its terms are weighed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) language: Language,
    /// Some element says that it is the body.
    pub(crate) marked: bool,
    /// The hashes of its terms with their frequencies, ascending.
    pub(crate) terms: Vec<(u64, u32)>,
}

/// How pages are read.
#[derive(Debug, Clone)]
pub(crate) struct ReadingRules {
    /// Of pages that name none.
    pub(crate) default_language: Language,
    /// Larger files are left out.
    pub(crate) max_page_bytes: u64,
}

/// What became of a file.
enum Outcome {
    Draft(Draft),
    Skipped(SkipReason),
    Unreadable(io::Error),
}

/// All that was read of a site.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// In the order of the files.
    pub(crate) drafts: Vec<Draft>,
    pub(crate) skipped: Vec<(SkipReason, PathBuf)>,
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    pub(crate) html_bytes: u64,
    pub(crate) lexicon: Lexicon,
    /// Pages read with replaced bytes, and pages read only in part with the reason.
    pub(crate) malformed: Vec<PathBuf>,
    pub(crate) cut: Vec<(PathBuf, &'static str)>,
}

/// What is known of the terms of a site.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// By the hash of its stem.
    pub(crate) terms: FxHashMap<u64, LexiconTerm>,
}

/// One term of a [`Lexicon`].
#[derive(Debug)]
pub(crate) struct LexiconTerm {
    pub(crate) stem: Box<str>,
    /// The number of pages it is on.
    pub(crate) df: u32,
    /// The word that most often stands for it and how often; of equals the first in the alphabet.
    pub(crate) word: (Box<str>, u64),
}

/// Reads `files` on the threads of the pool this runs in. `stop` has the lists of all languages.
pub(crate) fn read(
    files: &[HtmlFile],
    rules: &ReadingRules,
    stop: &StopLists,
    observer: &dyn Observer,
) -> Result<Reading, BuildError> {
    let next = AtomicUsize::new(0);
    let workers = rayon::broadcast(|_| {
        let mut worker = Worker::new(rules, stop);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= files.len() || observer.cancelled() {
                return worker;
            }
            let outcome = worker.read(&files[at]);
            worker.outcomes.push((at, outcome));
            observer.advance(1);
        }
    });
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    let mut reading = Reading::default();
    // Counted by word and term: in another language the same word may have another stem.
    let mut words: FxHashMap<(Box<str>, u64), u64> = FxHashMap::default();
    let mut outcomes = Vec::with_capacity(files.len());
    for worker in workers {
        reading.html_bytes += worker.html_bytes;
        reading.malformed.extend(worker.malformed);
        reading.cut.extend(worker.cut);
        outcomes.extend(worker.outcomes);
        for (hash, (stem, df)) in worker.stems {
            let term = reading.lexicon.terms.entry(hash).or_insert_with(|| LexiconTerm {
                stem,
                df: 0,
                word: (Box::default(), 0),
            });
            term.df += df;
        }
        for (_, known) in worker.words {
            for (word, entry) in known {
                if let Some(term) = entry.term {
                    *words.entry((word, term)).or_default() += entry.count;
                }
            }
        }
    }
    for ((word, term), count) in words {
        if let Some(term) = reading.lexicon.terms.get_mut(&term) {
            let better =
                (count, std::cmp::Reverse(&word)) > (term.word.1, std::cmp::Reverse(&term.word.0));
            if better {
                term.word = (word, count);
            }
        }
    }
    outcomes.sort_unstable_by_key(|(at, _)| *at);
    for (at, outcome) in outcomes {
        let path = || files[at].path.clone();
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

/// What a thread has read.
struct Worker<'a> {
    rules: &'a ReadingRules,
    stop: &'a StopLists,
    outcomes: Vec<(usize, Outcome)>,
    /// Per language the words met: stemming a word twice would be most of the work.
    words: FxHashMap<Language, FxHashMap<Box<str>, WordEntry>>,
    stems: FxHashMap<u64, (Box<str>, u32)>,
    html_bytes: u64,
    malformed: Vec<PathBuf>,
    cut: Vec<(PathBuf, &'static str)>,
    bytes: Vec<u8>,
}

/// What a word stands for, and how often it was met. `None` for a stop word.
struct WordEntry {
    term: Option<u64>,
    count: u64,
}

impl<'a> Worker<'a> {
    fn new(rules: &'a ReadingRules, stop: &'a StopLists) -> Self {
        Self {
            rules,
            stop,
            outcomes: Vec::new(),
            words: FxHashMap::default(),
            stems: FxHashMap::default(),
            html_bytes: 0,
            malformed: Vec::new(),
            cut: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn read(&mut self, file: &HtmlFile) -> Outcome {
        match read_file(&file.path, self.rules.max_page_bytes, &mut self.bytes) {
            Ok(true) => {}
            Ok(false) => return Outcome::Skipped(SkipReason::TooLarge),
            Err(error) => return Outcome::Unreadable(error),
        }
        self.html_bytes += self.bytes.len() as u64;
        let read = read_html(&self.bytes);
        let page = read.page;
        if page.redirect.is_some() {
            return Outcome::Skipped(SkipReason::Redirect);
        }
        if page.noindex {
            return Outcome::Skipped(SkipReason::NoIndex);
        }
        if page.canonical.is_some_and(|canonical| address::is_other_page(&file.url, &canonical)) {
            return Outcome::Skipped(SkipReason::Canonical);
        }
        if read.malformed {
            self.malformed.push(file.path.clone());
        }
        if let Some(why) = read.cut {
            self.cut.push((file.path.clone(), why));
        }
        let language =
            Language::from_tag(&page.lang).unwrap_or_else(|| self.rules.default_language.clone());
        let terms = self.count(&language, &page.text);
        if terms.is_empty() {
            return Outcome::Skipped(SkipReason::Empty);
        }
        Outcome::Draft(Draft {
            url: file.url.clone(),
            title: page.title,
            language,
            marked: page.marked,
            terms,
        })
    }

    /// The terms of a text with their frequencies, entered in the lexicon.
    fn count(&mut self, language: &Language, text: &str) -> Vec<(u64, u32)> {
        let analyzer = Analyzer::new(language, self.stop);
        let words = self.words.entry(language.clone()).or_default();
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for_each_word(text, |word| {
            if !words.contains_key(word) {
                let term = analyzer.term(word).map(|stem| {
                    let hash = hash::of_bytes(stem.as_bytes());
                    self.stems.entry(hash).or_insert_with(|| (stem.into(), 0));
                    hash
                });
                words.insert(word.into(), WordEntry { term, count: 0 });
            }
            if let Some(entry) = words.get_mut(word) {
                entry.count += 1;
                if let Some(term) = entry.term {
                    *counts.entry(term).or_default() += 1;
                }
            }
        });
        let mut terms: Vec<_> = counts.into_iter().collect();
        terms.sort_unstable();
        for (hash, _) in &terms {
            if let Some((_, df)) = self.stems.get_mut(hash) {
                *df += 1;
            }
        }
        terms
    }
}

/// Reads a file into `bytes`; `false` if it is larger than `most`. What is no plain file is not even opened:
/// that may wait for ever.
fn read_file(path: &Path, most: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    if metadata.len() > most {
        return Ok(false);
    }
    // It may have grown since.
    File::open(path)?.take(most + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= most)
}
