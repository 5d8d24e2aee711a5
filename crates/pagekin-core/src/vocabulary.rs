//! The vocabulary: the weights of a site's terms.
//!
//! The weight of a term is its inverse document frequency `log2(N / df)`, where `df` of the `N`
//! pages contain the term, as an integer number of `IDF_STEPS`ths in one byte (so the error is at
//! most a twenty-fourth of a bit). The build uses the same bytes for its own pages, so a text
//! pasted in a browser gets exactly the same weights.
//!
//! A browser fetches the vocabulary before its first query, so it contains ids instead of words,
//! and not every term of a large site. It contains the [`MAX_TERMS`] most common terms. The rarer
//! ones, whose weights are close together, share one weight. Terms that are too common for bags are
//! included, because they can be searched. The vocabulary of a small site contains every term of
//! its bags; rarer terms have no weight.

use crate::hash;
use crate::sort;

/// Steps of weight per factor of two in rarity: with 12, one byte reaches `N / df` = 2^21.
pub(crate) const IDF_STEPS: u8 = 12;

/// A term: the hash of a stem or an identifier ([`term_id`]), so that its meaning is the same in
/// every index.
pub type TermId = u32;

/// Number of bits of the [`TermId`] of a word. Two bags of 64 terms contain a pair of different
/// terms with the same id once in 4,000 times. Each further bit would cost one bit for each rare
/// term of each bag.
pub const TERM_BITS: u32 = 24;

/// Maximum number of terms of a bounded vocabulary, which takes about 5 kB.
pub const MAX_TERMS: usize = 2_048;

/// Number of bits of the hash in the [`TermId`] of an identifier. There are more identifiers than
/// words, and bags do not contain them.
pub(crate) const IDENTIFIER_BITS: u32 = 26;

/// Returns the id of a term. The id of a word is the low [`TERM_BITS`] bits of the XXH64 of its
/// stem. An identifier is a term that contains a digit or one of `_:.#&+-/`, or that is a single
/// character. Its id is the low `IDENTIFIER_BITS` bits of the XXH64 of its lower case, with the bit
/// above them set.
#[must_use]
pub fn term_id(stem: &str) -> TermId {
    let hash = hash::of_bytes(stem.as_bytes()) as u32;
    let is_sign = |byte| matches!(byte, b'#' | b'&' | b'+' | b'-'..=b':' | b'_');
    if stem.bytes().any(is_sign) || stem.chars().nth(1).is_none() {
        return hash & ((1 << IDENTIFIER_BITS) - 1) | 1 << IDENTIFIER_BITS;
    }
    hash & ((1 << TERM_BITS) - 1)
}

/// Returns whether a term is an identifier. Identifiers can be searched but are not in bags.
#[must_use]
pub fn is_identifier(id: TermId) -> bool {
    id >= 1 << IDENTIFIER_BITS
}

/// Returns the quantized inverse document frequency of a term on `df` of `pages` pages: `round(12
/// log2(pages / df))`, at least 1 and at most 255. Integer arithmetic gives the same result in a
/// browser, which gets the `df` of a rare term from its postings list: the ratio in 65,536ths, at
/// most 2^32, is squared until its logarithm is known to a 4,096th.
#[must_use]
pub fn quantized_idf(df: u32, pages: u32) -> u8 {
    let ratio = (u64::from(pages.max(df)) << 16) / u64::from(df.max(1));
    if ratio <= 1 << 16 {
        return 1;
    }
    let whole = ratio.ilog2() - 16;
    // Fixed point from 1 to 2, with 31 fractional bits.
    let mut part = (ratio << 15) >> whole;
    let mut log = u64::from(whole);
    for _ in 0..12 {
        part = (part * part) >> 31;
        log <<= 1;
        if part >= 1 << 32 {
            part >>= 1;
            log |= 1;
        }
    }
    ((u64::from(IDF_STEPS) * log + 2_048) >> 12).clamp(1, 255) as u8
}

/// The mean number of terms of a page below which common terms count, too. The pages of manuals and
/// blogs have more than 30.
const MIN_BAG_TERMS: u64 = 8;

/// The range of document frequencies of terms in bags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DfLimits {
    /// The minimum df; 1 keeps every rare word.
    pub min: u32,
    /// The maximum df, as a percentage of the pages; 100 keeps every common word.
    pub max_percent: f64,
    /// A df that is never too high, regardless of its percentage, which is meaningless on a very
    /// small site.
    pub always_allowed: u32,
}

impl DfLimits {
    /// Returns the limits for a site of `pages` pages: at most 20% of the pages, and at least 2,
    /// because a word of a single page only makes that page less similar to all others. The minimum
    /// is 1 on a site of fewer than 50 pages: there, two pages share few words, and the page's own
    /// words identify a text that copies it.
    #[must_use]
    pub fn for_pages(pages: u32) -> Self {
        Self { min: if pages < 50 { 1 } else { 2 }, max_percent: 20.0, always_allowed: 10 }
    }

    /// Raises the maximum to at most 50% of the pages, as long as a page has fewer than
    /// [`MIN_BAG_TERMS`] terms within the limits on average. On a site whose pages have few words,
    /// such as a shop that names each product by its color and kind, these words are on many pages
    /// and still distinguish them. `dfs` are those of all terms. `O(dfs)` for each 5%.
    #[must_use]
    pub fn raised(mut self, pages: u32, dfs: &[u32]) -> Self {
        let needed = u64::from(pages) * MIN_BAG_TERMS;
        while self.max_percent < 50.0 {
            let allowed = dfs.iter().filter(|&&df| self.allow(df, pages));
            if allowed.map(|&df| u64::from(df)).sum::<u64>() >= needed {
                break;
            }
            self.max_percent += 5.0;
        }
        self
    }

    /// Returns whether a term on `df` of `pages` pages is within the limits.
    #[must_use]
    pub fn allow(&self, df: u32, pages: u32) -> bool {
        df >= self.min && df <= self.max(pages)
    }

    /// Returns the maximum df on a site of `pages` pages.
    #[must_use]
    pub fn max(&self, pages: u32) -> u32 {
        ((f64::from(pages) * self.max_percent / 100.0) as u32).max(self.always_allowed)
    }
}

/// The weights of a site's terms: a separate weight for each of the most common, and a shared one
/// for all others. A term is found by its [`TermId`] in `O(log n)`, or by its rank, which is its
/// index in the order of ids.
///
/// ```
/// use pagekin_core::vocabulary::{Vocabulary, term_id};
///
/// let [loaf, rye, oven] = ["loaf", "rye", "oven"].map(term_id);
/// let vocabulary = Vocabulary::new([(rye, 30), (loaf, 8)], 50);
/// assert_eq!([loaf, rye, oven].map(|term| vocabulary.weight(term)), [8, 30, 50]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Sorted.
    ids: Vec<TermId>,
    /// By rank.
    idfs: Vec<u8>,
    rare_weight: u8,
    min_weight: u8,
    key_weight: u8,
}

impl Vocabulary {
    /// Creates a vocabulary from terms in any order with their [`quantized_idf`]. Of several terms
    /// with the same id, one is kept. All other terms weigh `rare_weight`, or are ignored if it is
    /// 0.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = (TermId, u8)>, rare_weight: u8) -> Self {
        let mut terms: Vec<_> = terms.into_iter().collect();
        sort::by_key(&mut terms, |&term| term);
        terms.dedup_by_key(|term| term.0);
        let mut vocabulary = Self::empty(rare_weight);
        terms.into_iter().for_each(|(id, idf)| vocabulary.push(id, idf));
        vocabulary
    }

    /// Creates a vocabulary without terms.
    pub(crate) fn empty(rare_weight: u8) -> Self {
        Self { rare_weight, ..Self::default() }
    }

    /// Adds a term whose id is larger than all others.
    pub(crate) fn push(&mut self, id: TermId, idf: u8) {
        debug_assert!(self.ids.last().is_none_or(|&last| last < id), "ids in ascending order");
        self.ids.push(id);
        self.idfs.push(idf);
    }

    /// Returns the number of terms.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Returns whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the weight in bags of terms that are not in the vocabulary, or 0 if they are
    /// ignored.
    #[must_use]
    pub fn rare_weight(&self) -> u8 {
        self.rare_weight
    }

    /// Returns the minimum weight of terms in bags. Lighter ones are too common.
    #[must_use]
    pub fn min_weight(&self) -> u8 {
        self.min_weight
    }

    /// Sets the minimum weight of terms in bags.
    #[must_use]
    pub fn with_min_weight(self, min_weight: u8) -> Self {
        Self { min_weight, ..self }
    }

    /// Returns the minimum weight of terms that make keys, or 0 if all do. See
    /// [`Bag::key_part`](crate::bag::Bag::key_part).
    #[must_use]
    pub fn key_weight(&self) -> u8 {
        self.key_weight
    }

    /// Sets the minimum weight of terms that make keys.
    #[must_use]
    pub fn with_key_weight(self, key_weight: u8) -> Self {
        Self { key_weight, ..self }
    }

    /// Returns the weight of a term in bags: 0 if it is too common or an identifier.
    #[must_use]
    pub fn weight(&self, id: TermId) -> u8 {
        if is_identifier(id) {
            return 0;
        }
        match self.idf(id) {
            None => self.rare_weight,
            Some(idf) if idf >= self.min_weight => idf,
            Some(_) => 0,
        }
    }

    /// Returns the weights of terms in the bag of a text: the [`weight`](Self::weight) of each. If
    /// all terms of the text have weight 0, because each is on too many pages or on only one, a
    /// term of the vocabulary weighs its idf and any other word the minimum weight, so that texts
    /// of common words can be similar to each other.
    pub fn weights_in<'a>(&'a self, counts: &[(TermId, u32)]) -> impl Fn(TermId) -> u8 + use<'a> {
        let counts = counts.iter().any(|&(id, _)| self.weight(id) > 0);
        move |id| match counts {
            true => self.weight(id),
            false if is_identifier(id) => 0,
            false => self.idf(id).unwrap_or(self.min_weight).max(1),
        }
    }

    /// Returns the [`quantized_idf`] of a term of the vocabulary.
    #[must_use]
    pub fn idf(&self, id: TermId) -> Option<u8> {
        self.rank(id).map(|rank| self.idfs[rank as usize])
    }

    /// Returns the rank of a term in the order of ids.
    #[must_use]
    pub fn rank(&self, id: TermId) -> Option<u32> {
        self.ids.binary_search(&id).ok().map(|rank| rank as u32)
    }

    /// Returns the term of a rank, and its [`quantized_idf`].
    #[must_use]
    pub fn get(&self, rank: u32) -> Option<(TermId, u8)> {
        let rank = rank as usize;
        Some((*self.ids.get(rank)?, self.idfs[rank]))
    }

    /// Returns the terms in the order of ids, each with its [`quantized_idf`].
    pub fn iter(&self) -> impl Iterator<Item = (TermId, u8)> {
        self.ids.iter().copied().zip(self.idfs.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_terms_weigh_more() {
        assert_eq!(quantized_idf(8, 8), 1);
        assert_eq!(quantized_idf(4, 8), 12);
        assert_eq!(quantized_idf(1, 1 << 20), 240);
        assert_eq!(quantized_idf(1, u32::MAX), 255);
        // 12 log2(10 / 3) = 20.84
        assert_eq!(quantized_idf(3, 10), 21);
    }

    #[test]
    fn quantized_frequencies_match_real_logarithms() {
        for pages in [1u32, 7, 100, 32_900, 1_000_000, u32::MAX] {
            for df in (1..2_000).chain([pages / 5, pages / 2, pages]).filter(|&df| df <= pages) {
                let exact = 12.0 * libm::log2(f64::from(pages) / f64::from(df.max(1)));
                let off = f64::from(quantized_idf(df, pages)) - exact.clamp(1.0, 255.0);
                assert!(off.abs() <= 0.51, "{df} of {pages}: {off}");
            }
        }
    }

    #[test]
    fn identifiers_have_separate_ids_and_no_weight() {
        for name in ["pg_dump", "ah01630", "std::vec", "a.b"] {
            assert!(is_identifier(term_id(name)), "{name}");
        }
        assert!(!is_identifier(term_id("loaf")) && term_id("loaf") < 1 << TERM_BITS);
        let vocabulary = Vocabulary::new([(term_id("pg_dump"), 40)], 50);
        assert_eq!(vocabulary.idf(term_id("pg_dump")), Some(40));
        assert_eq!(
            ["pg_dump", "psql", "x_y"].map(|stem| vocabulary.weight(term_id(stem))),
            [0, 50, 0]
        );
    }

    #[test]
    fn limits_are_inclusive() {
        let limits = DfLimits::for_pages(1_000);
        assert!(!limits.allow(1, 1_000) && limits.allow(2, 1_000));
        assert!(limits.allow(200, 1_000) && !limits.allow(201, 1_000));
        let small = DfLimits::for_pages(8);
        assert!(small.allow(1, 8) && small.allow(8, 8));
        let custom = DfLimits { max_percent: 50.0, always_allowed: 0, ..small };
        assert!(custom.allow(4, 8) && !custom.allow(5, 8));
    }

    #[test]
    fn limits_are_raised_where_pages_have_few_terms() {
        let limits = DfLimits::for_pages(100);
        let raised = |dfs: &[u32]| limits.raised(100, dfs).max_percent;
        // Eight terms a page are 800 occurrences.
        assert_eq!(raised(&[20; 40]), 20.0);
        assert_eq!(raised(&[&[20; 39][..], &[21, 100]].concat()), 25.0);
        assert_eq!(raised(&[&[20; 20][..], &[41; 10]].concat()), 45.0);
        assert_eq!(raised(&[100; 40]), 50.0);
    }

    #[test]
    fn a_text_without_weighted_terms_uses_their_rarity() {
        let [all, ten, name, none] = ["all", "ten", "pg_dump", "none"].map(term_id);
        let vocabulary = Vocabulary::new([(all, 1), (ten, 40)], 0).with_min_weight(28);
        let weights = |text: &[TermId]| {
            let counts: Vec<_> = text.iter().map(|&id| (id, 1)).collect();
            let weight = vocabulary.weights_in(&counts);
            [all, ten, name, none].map(weight)
        };
        assert_eq!(weights(&[all, ten, name]), [0, 40, 0, 0]);
        assert_eq!(weights(&[all, name]), [1, 40, 0, 28]);
        assert_eq!(weights(&[]), [1, 40, 0, 28]);
    }

    #[test]
    fn terms_are_found_by_id() {
        let terms = [("memori", 3), ("bake", 7), ("loaf", 8)];
        let vocabulary = Vocabulary::new(terms.map(|(stem, idf)| (term_id(stem), idf)), 9);
        let vocabulary = vocabulary.with_min_weight(4);
        assert_eq!(vocabulary.len(), 3);
        for (stem, idf) in terms {
            let rank = vocabulary.rank(term_id(stem)).unwrap();
            assert_eq!(vocabulary.get(rank), Some((term_id(stem), idf)));
        }
        assert!(vocabulary.iter().is_sorted());
        assert_eq!(
            ["bake", "memori", "memory"].map(|stem| vocabulary.weight(term_id(stem))),
            [7, 0, 9]
        );
        assert_eq!(vocabulary.rank(term_id("memory")), None);
        assert_eq!(vocabulary.get(3), None);
        assert_eq!(Vocabulary::default().weight(term_id("x")), 0);
    }
}
