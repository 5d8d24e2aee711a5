//! Counts the URLs and different texts that contain each term.

use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::bags::collapse::UrlTerms;
use crate::cluster::bags::collection::{Collection, Spread};
use crate::cluster::bags::from_page::TermText;
use crate::folder::format::CrawledTerm;

/// Number of maps that terms are counted in, one thread each.
const MAPS: usize = 16;

/// Document frequencies of terms. Takes about 16 bytes a term and 10 a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    all: Spread,
    /// Indexed by the high bits of the terms.
    maps: Vec<FxHashMap<TermId, Spread>>,
    /// Hashes of the texts counted so far.
    met: FxHashSet<u64>,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self::from_counts(Spread::default(), [])
    }
}

/// Returns the map of a term. Maps ascend as terms do.
fn map_of(term: TermId) -> usize {
    (term >> (TermId::BITS - MAPS.ilog2())) as usize
}

impl Frequencies {
    /// Counts the URLs of a bucket. Each URL may only be counted once.
    pub fn count(&mut self, urls: &[UrlTerms]) {
        let mut met = vec![Vec::new(); MAPS];
        let hashes: Vec<u64> = urls.par_iter().map(UrlTerms::text_hash).collect();
        for (url, hash) in urls.iter().zip(hashes) {
            let one = Spread { urls: 1, texts: u32::from(self.met.insert(hash)) };
            self.all.add(one);
            for &(term, _) in &url.terms {
                met[map_of(term)].push((term, one));
            }
        }
        self.maps.par_iter_mut().zip(met).for_each(|(map, terms)| {
            terms.into_iter().for_each(|(term, one)| map.entry(term).or_default().add(one));
        });
    }

    /// Returns the numbers of URLs and of different texts.
    #[must_use]
    pub fn all(&self) -> Spread {
        self.all
    }

    /// Returns the terms in ascending order, each with its spread.
    pub fn counts(&self) -> impl Iterator<Item = (TermId, Spread)> + '_ {
        self.maps.iter().flat_map(|map| {
            let mut counts: Vec<(TermId, Spread)> =
                map.iter().map(|(&term, &spread)| (term, spread)).collect();
            counts.sort_unstable();
            counts
        })
    }

    /// Returns [`counts`](Self::counts) in any order.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = (TermId, Spread)> + '_ {
        self.maps.iter().flatten().map(|(&term, &spread)| (term, spread))
    }

    /// Restores frequencies from [`counts`](Self::counts).
    #[must_use]
    pub fn from_counts(all: Spread, terms: impl IntoIterator<Item = (TermId, Spread)>) -> Self {
        let mut maps = vec![FxHashMap::default(); MAPS];
        for (term, spread) in terms {
            maps[map_of(term)].insert(term, spread);
        }
        Self { all, maps, met: FxHashSet::default() }
    }

    /// Returns the spread of a term.
    #[must_use]
    pub fn of(&self, term: TermId) -> Spread {
        self.maps[map_of(term)].get(&term).copied().unwrap_or_default()
    }

    /// Returns the terms that are on enough URLs, in the order of their ids. Terms that are too
    /// common are included, because weighting another text needs them.
    pub(crate) fn terms(
        &self,
        texts: FxHashMap<TermId, TermText>,
        collection: Collection,
    ) -> Vec<CrawledTerm> {
        let min = collection.limits().min;
        let mut texts: Vec<_> =
            texts.into_iter().filter(|&(term, _)| self.of(term).urls >= min).collect();
        texts.par_sort_unstable_by_key(|&(term, _)| term);
        let term = |(term, TermText { stem, word })| CrawledTerm {
            df: collection.df(self.of(term)),
            stem,
            word,
        };
        texts.into_iter().map(term).collect()
    }
}
