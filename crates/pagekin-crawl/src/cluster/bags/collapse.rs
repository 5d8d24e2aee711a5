//! Merges the fragments of each URL.

use pagekin_core::hash;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::fragments::FragmentRef;
use crate::folder::format::url_key;

/// A URL with the merged terms of its fragments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlTerms {
    /// The URL in its normal form.
    pub url: String,
    /// Title of the page, or empty if it has none or was not crawled.
    pub title: String,
    /// Language code of the page, or empty if it has none or was not crawled.
    pub language: String,
    /// Number of fragments.
    pub fragments: u32,
    /// Terms in ascending order with their frequencies.
    pub terms: Vec<(TermId, u32)>,
    /// Sum of the prints of the fragments.
    pub print: u64,
}

impl UrlTerms {
    /// Returns a hash of the terms of a URL. URLs with the same hash have the same text, except for
    /// numbers and the order of words.
    #[must_use]
    pub fn text_hash(&self) -> u64 {
        let entry = |hash, &(term, tf): &(TermId, u32)| {
            hash::mix(hash ^ (u64::from(term) << 32 | u64::from(tf)))
        };
        self.terms.iter().fold(0, entry)
    }
}

/// Merges fragments by URL and returns the URLs in the order of the crawl. If a page was crawled
/// more than once, only one capture counts.
///
/// Fragments are merged as they come. Memory depends on the URLs and their terms, not on the number
/// of fragments.
#[must_use]
pub fn collapse<'a>(fragments: impl IntoIterator<Item = FragmentRef<'a>>) -> Vec<UrlTerms> {
    let mut records: FxHashMap<&str, UrlRecord<'_>> = FxHashMap::default();
    for fragment in fragments {
        records.entry(fragment.url).or_default().take(fragment);
    }
    let mut urls: Vec<(u64, &str, UrlRecord<'_>)> =
        records.into_iter().map(|(url, record)| (url_key(url), url, record)).collect();
    urls.sort_unstable_by_key(|&(key, url, _)| (key, url));
    urls.into_iter()
        .map(|(_, url, mut record)| {
            record.finish();
            UrlTerms {
                url: url.to_owned(),
                title: record.title.unwrap_or_default().to_owned(),
                language: record.language.unwrap_or_default().to_owned(),
                fragments: record.fragments,
                terms: record.terms,
                print: record.print,
            }
        })
        .collect()
}

/// Returns the order of the captures of a URL, of which the last counts. Captures of the same time
/// have a fixed order too.
fn order<'a, 'b>(fragment: &'b FragmentRef<'a>) -> impl Ord + use<'a, 'b> {
    let FragmentRef { title, language, terms, print, capture, .. } = fragment;
    (*capture, *print, *title, *language, terms)
}

/// The merged fragments of a URL so far.
#[derive(Default)]
struct UrlRecord<'a> {
    title: Option<&'a str>,
    language: Option<&'a str>,
    fragments: u32,
    print: u64,
    /// The capture that counts.
    capture: Option<FragmentRef<'a>>,
    /// Terms up to `sorted` are in ascending order, the others in the order of arrival.
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
        // Rare enough to cost less than adding the terms.
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
