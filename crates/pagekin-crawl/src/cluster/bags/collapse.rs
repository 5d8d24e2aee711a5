//! The fragments of URLs into the URLs, each with all its terms.

use pagekin_core::hash;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::fragments::FragmentRef;
use crate::folder::format::url_key;

/// All that is said of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlTerms {
    /// The URL in its normal form.
    pub url: String,
    /// The title of its page, or empty if the page has none or was never seen.
    pub title: String,
    /// The code of its language, or empty, likewise.
    pub language: String,
    /// The fragments it was made of.
    pub fragments: u32,
    /// Its terms in ascending order with their frequencies.
    pub terms: Vec<(TermId, u32)>,
    /// The sum of the prints of the fragments.
    pub print: u64,
}

impl UrlTerms {
    /// Tells the terms of a URL apart from those of others: URLs that share it have one text, but
    /// for its numbers and the order of its words.
    #[must_use]
    pub fn text_hash(&self) -> u64 {
        let entry = |hash, &(term, tf): &(TermId, u32)| {
            hash::mix(hash ^ (u64::from(term) << 32 | u64::from(tf)))
        };
        self.terms.iter().fold(0, entry)
    }
}

/// The URLs of some fragments in the order of the crawl, each once. If a page was crawled more than
/// once, only the capture that counts is of its URL.
///
/// Fragments are taken in as they come, so that memory is that of the URLs and their terms, however
/// much is said of a URL.
#[must_use]
pub fn collapse<'a>(fragments: impl IntoIterator<Item = FragmentRef<'a>>) -> Vec<UrlTerms> {
    let mut said: FxHashMap<&str, UrlRecord<'_>> = FxHashMap::default();
    for fragment in fragments {
        said.entry(fragment.url).or_default().take(fragment);
    }
    let mut urls: Vec<(u64, &str, UrlRecord<'_>)> =
        said.into_iter().map(|(url, said)| (url_key(url), url, said)).collect();
    urls.sort_unstable_by_key(|&(key, url, _)| (key, url));
    urls.into_iter()
        .map(|(_, url, mut said)| {
            said.finish();
            UrlTerms {
                url: url.to_owned(),
                title: said.title.unwrap_or_default().to_owned(),
                language: said.language.unwrap_or_default().to_owned(),
                fragments: said.fragments,
                terms: said.terms,
                print: said.print,
            }
        })
        .collect()
}

/// Which of the captures of a URL counts: the last, and of captures of one time any, but always the
/// same one.
fn order<'a, 'b>(fragment: &'b FragmentRef<'a>) -> impl Ord + use<'a, 'b> {
    let FragmentRef { title, language, terms, print, capture, .. } = fragment;
    (*capture, *print, *title, *language, terms)
}

/// What was said of a URL so far.
#[derive(Default)]
struct UrlRecord<'a> {
    title: Option<&'a str>,
    language: Option<&'a str>,
    fragments: u32,
    print: u64,
    /// The capture of its page that counts.
    capture: Option<FragmentRef<'a>>,
    /// In ascending order those before `sorted`, then as they came.
    terms: Vec<(TermId, u32)>,
    sorted: usize,
}

impl<'a> UrlRecord<'a> {
    fn take(&mut self, fragment: FragmentRef<'a>) {
        if fragment.capture.is_none() {
            self.add(&fragment);
        } else if self.capture.as_ref().is_none_or(|other| order(other) < order(&fragment)) {
            self.capture = Some(fragment);
        }
    }

    fn add(&mut self, fragment: &FragmentRef<'a>) {
        self.title = self.title.into_iter().chain(fragment.title).min();
        self.language = self.language.into_iter().chain(fragment.language).min();
        self.fragments = self.fragments.saturating_add(1);
        self.print = self.print.wrapping_add(fragment.print);
        self.terms.extend_from_slice(&fragment.terms);
        // Seldom enough that it costs less than the terms did.
        if self.terms.len() > 2 * self.sorted + 256 {
            self.add_up();
        }
    }

    fn finish(&mut self) {
        if let Some(capture) = self.capture.take() {
            self.add(&capture);
        }
        self.add_up();
    }

    fn add_up(&mut self) {
        self.terms.sort_unstable_by_key(|&(term, _)| term);
        self.terms.dedup_by(|other, kept| {
            let same = other.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(other.1);
            }
            same
        });
        self.sorted = self.terms.len();
    }
}
