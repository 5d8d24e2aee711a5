//! On how many URLs each term is.

use pagekin_core::vocabulary::{DfLimits, TermId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cluster::bags::collapse::UrlTerms;
use crate::cluster::bags::from_page::TermText;
use crate::folder::format::CrawledTerm;

/// The maps that terms are counted in, each by a thread.
const MAPS: usize = 16;

/// On how many URLs each term is: about 12 bytes a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    urls: u32,
    /// By the high bits of the terms.
    maps: Vec<FxHashMap<TermId, u32>>,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self { urls: 0, maps: vec![FxHashMap::default(); MAPS] }
    }
}

/// The map of a term: they ascend as terms do.
fn map_of(term: TermId) -> usize {
    (term >> (TermId::BITS - MAPS.ilog2())) as usize
}

impl Frequencies {
    /// Counts the URLs of a bucket, none of which may have been counted before.
    pub fn count(&mut self, urls: &[UrlTerms]) {
        self.urls += urls.len() as u32;
        let mut met = vec![Vec::new(); MAPS];
        for &(term, _) in urls.iter().flat_map(|url| &url.terms) {
            met[map_of(term)].push(term);
        }
        self.maps.par_iter_mut().zip(met).for_each(|(map, terms)| {
            terms.into_iter().for_each(|term| *map.entry(term).or_default() += 1);
        });
    }

    /// The number of URLs.
    #[must_use]
    pub fn urls(&self) -> u32 {
        self.urls
    }

    /// The terms that are on URLs, in ascending order, each with their number.
    pub fn counts(&self) -> impl Iterator<Item = (TermId, u32)> + '_ {
        self.maps.iter().flat_map(|map| {
            let mut counts: Vec<(TermId, u32)> =
                map.iter().map(|(&term, &df)| (term, df)).collect();
            counts.sort_unstable();
            counts
        })
    }

    /// The same in no order.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = (TermId, u32)> + '_ {
        self.maps.iter().flatten().map(|(&term, &df)| (term, df))
    }

    /// The frequencies that [`counts`](Self::counts) gives, of `urls` URLs.
    #[must_use]
    pub fn from_counts(urls: u32, terms: impl IntoIterator<Item = (TermId, u32)>) -> Self {
        let mut frequencies = Self { urls, ..Self::default() };
        for (term, df) in terms {
            frequencies.maps[map_of(term)].insert(term, df);
        }
        frequencies
    }

    /// The number of URLs that have a term.
    #[must_use]
    pub fn df(&self, term: TermId) -> u32 {
        self.maps[map_of(term)].get(&term).copied().unwrap_or(0)
    }

    /// The terms that are not too rare to count, in the order of their ids. Those that are too
    /// common are among them: who weighs another text must know that they are.
    pub(crate) fn terms(
        &self,
        texts: FxHashMap<TermId, TermText>,
        limits: DfLimits,
    ) -> Vec<CrawledTerm> {
        let mut texts: Vec<_> =
            texts.into_iter().filter(|&(term, _)| self.df(term) >= limits.min).collect();
        texts.par_sort_unstable_by_key(|&(term, _)| term);
        let term = |(term, TermText { stem, word })| CrawledTerm { df: self.df(term), stem, word };
        texts.into_iter().map(term).collect()
    }
}
