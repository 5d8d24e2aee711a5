//! The pages of the bench, by number.

use std::path::PathBuf;

use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::vocabulary::TermId;
use pagekin_duplicates::stream::{PageTerms, Vector, stop_lists};
use pagekin_pages::{CrawlPage, Input, InputError, InputOptions, input};
use pagekin_tests::measuring::Failure;

/// Terms per page.
const TERMS: usize = 100;
/// Number of different words. The most frequent ones are stop words, which pages do not contain.
const VOCABULARY: u32 = 1_000_000;
const STOP_WORDS: u32 = 100;
/// One of this number of pages repeats another.
const REPEATS: u32 = 50;
/// Words of a passage. They have about a hundred different terms.
const WORDS: usize = 220;

/// The source of the pages.
pub(crate) enum Collection {
    /// Terms whose frequencies follow Zipf's law.
    Generated,
    /// The terms of passages of sites, in their order.
    Passages(Vec<Vec<(TermId, u32)>>),
}

impl Collection {
    pub(crate) fn from_pages(sites: &[PathBuf]) -> Result<Self, Failure> {
        if sites.is_empty() {
            return Ok(Self::Generated);
        }
        let inputs: Vec<Input> = sites.iter().cloned().map(Input::Path).collect();
        let stop = stop_lists();
        let mut terms = PageTerms::new("en", &stop)?;
        let mut passages = Vec::new();
        input::read(&inputs, &InputOptions::default(), |pages, _| {
            for page in pages {
                let words: Vec<&str> = page.text.split_whitespace().collect();
                for passage in words.chunks_exact(WORDS) {
                    let (text, lang) = (passage.join(" "), page.lang.clone());
                    let page = CrawlPage { text, lang, ..CrawlPage::default() };
                    let mut counts = terms.count(&page);
                    if counts.len() >= TERMS {
                        // Any of them will do, in any order: terms are numbered by a hash.
                        counts.truncate(TERMS);
                        passages.push(counts);
                    }
                }
            }
            Ok::<_, InputError>(())
        })?;
        if passages.is_empty() {
            return Err("these sites contain no passages of a hundred terms".into());
        }
        Ok(Self::Passages(passages))
    }

    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Generated => {
                format!(
                    "Generated pages of {TERMS} terms of {VOCABULARY}, by Zipf's law, without the {STOP_WORDS} most frequent"
                )
            }
            Self::Passages(passages) => format!(
                "Pages of {TERMS} terms, half of them from each of two of {} passages",
                passages.len()
            ),
        }
    }

    /// Returns whether a page repeats an earlier one.
    pub(crate) fn repeats(number: u64) -> bool {
        number > 0 && SplitMix64::new(mix(number)).below(REPEATS) == 0
    }

    /// Returns a page. One in fifty repeats one of the `horizon` pages before it.
    pub(crate) fn page(&self, number: u64, horizon: u64) -> Vector {
        let mut counts = self.fresh(number);
        if Self::repeats(number) {
            let mut random = SplitMix64::new(!mix(number));
            let back = 1 + random.next_u64() % horizon.min(number);
            let exchanged = random.below(TERMS as u32 * 2 / 5) as usize;
            let mut repeated = self.fresh(number - back);
            repeated.sort_unstable_by_key(|(term, _)| mix(u64::from(*term) ^ number));
            repeated.drain(..exchanged);
            counts.sort_unstable_by_key(|(term, _)| mix(u64::from(*term)));
            counts.retain(|(term, _)| repeated.iter().all(|(other, _)| other != term));
            counts.truncate(exchanged);
            counts.extend(repeated);
        }
        counts.sort_unstable();
        counts.dedup_by_key(|(term, _)| *term);
        Vector::from_counts(&counts)
    }

    fn fresh(&self, number: u64) -> Vec<(TermId, u32)> {
        let mut random = SplitMix64::new(number);
        match self {
            Self::Generated => {
                let mut counts: Vec<(TermId, u32)> = Vec::with_capacity(TERMS);
                while counts.len() < TERMS {
                    // Drawn from a continuous distribution whose density falls as 1/rank.
                    let part = random.next_u64() as f64 / u64::MAX as f64;
                    let ratio = f64::from(VOCABULARY) / f64::from(STOP_WORDS);
                    let rank = (f64::from(STOP_WORDS) * libm::exp(part * libm::log(ratio))) as u64;
                    let term = mix(rank) as TermId;
                    match counts.iter_mut().find(|(other, _)| *other == term) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((term, 1)),
                    }
                }
                counts
            }
            Self::Passages(passages) => {
                let mut half = || &passages[random.next_u64() as usize % passages.len()];
                let (one, other) = (half(), half());
                let mut counts = one[..TERMS / 2].to_vec();
                let more = other
                    .iter()
                    .rev()
                    .filter(|(term, _)| one[..TERMS / 2].iter().all(|(taken, _)| taken != term));
                counts.extend(more.take(TERMS / 2));
                counts
            }
        }
    }
}
