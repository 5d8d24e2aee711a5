//! The parts of a page's score other than its [fit](crate::fit) to each term. They are used both
//! for candidates, as far as lists contain them, and for ranked pages.

use crate::embedding::TextEmbedding;
use crate::fit::{LENGTH_STEPS, length_class};
use crate::vocabulary::{IDF_STEPS, quantized_idf};

/// How rare a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rarity {
    /// The [`quantized_idf`](crate::vocabulary::quantized_idf), or an estimate of it.
    pub(super) idf: u8,
    /// Whether no page contains the term: the shard of its list was read and has no such list.
    pub(super) is_unmatched: bool,
}

/// What lists tell about the terms of a subject.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The rarities of the terms, in their order.
    pub(super) rarities: Vec<Rarity>,
    /// The embedding of the subject, as far as the lists have those of its words.
    pub(super) embedding: TextEmbedding,
}

/// Sums over the terms of a subject. Of the alternatives of a word only the largest value counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alternatives<const N: usize> {
    alone: [u64; N],
    groups: [[u64; N]; MAX_GROUPS],
}

/// Maximum number of words with alternatives.
pub(super) const MAX_GROUPS: usize = 8;

impl<const N: usize> Default for Alternatives<N> {
    fn default() -> Self {
        Self { alone: [0; N], groups: [[0; N]; MAX_GROUPS] }
    }
}

impl<const N: usize> Alternatives<N> {
    /// Adds the values of a term of a group.
    pub(super) fn add(&mut self, group: u8, counts: [u64; N]) {
        let of = self.groups.get_mut(usize::from(group));
        let is_alone = of.is_none();
        let sums = of.unwrap_or(&mut self.alone);
        for (sum, one) in sums.iter_mut().zip(counts) {
            *sum = if is_alone { *sum + one } else { one.max(*sum) };
        }
    }

    pub(super) fn sum(&self) -> [u64; N] {
        let mut sums = self.alone;
        for group in &self.groups {
            for (sum, one) in sums.iter_mut().zip(group) {
                *sum += one;
            }
        }
        sums
    }
}

/// Returns the part of a page's score for containing most of a text: `0.29 I (H / I)^3`, in the
/// unit of scores, where `I` is `all`, the sum of the inverse document frequencies of the text's
/// terms, and `H` is `held`, that of the terms on the page. So a page that contains all of a
/// passage ranks above one that contains most of it often.
pub(super) fn coverage_bonus(held: u64, all: u64) -> u64 {
    let part = (held << 16) / all.max(1);
    let cube = (((part * part) >> 16) * part) >> 16;
    ((all * cube) >> 8) * OF_MOST
}

/// Minimum coverage of a page that contains a whole text: spelling and rounding may differ.
const WHOLE_COVERAGE: f64 = 0.97;

/// Whether a page that has this share of a text contains the whole of it.
pub(super) fn is_whole(coverage: f64) -> bool {
    coverage >= WHOLE_COVERAGE
}

/// Returns how improbable it is that a page has terms by chance, in bits times [`IDF_STEPS`]: the
/// sum of `max(0, log2(N / df) - log2(length / mean))` over the terms, for a page of a
/// [`length_class`]. A long page has more words, and each of them more probably.
///
/// Passages and questions differ in this. The words of a question are together on some page, too,
/// but that page is long, or its words are common.
pub(super) fn improbability(idfs: impl Iterator<Item = u8>, length: u8, mean: u32) -> u64 {
    let octaves = i32::from(length) - i32::from(length_class(mean));
    let longer = octaves * i32::from(IDF_STEPS) / LENGTH_STEPS as i32;
    idfs.map(|idf| (i32::from(idf) - longer).max(0).unsigned_abs()).map(u64::from).sum()
}

/// Returns the [`improbability`] from which on a page of a site does not have terms by chance:
/// `log2 N + 15` bits, so that it is improbable for all pages together.
pub(super) fn beyond_chance(pages: u32) -> u64 {
    u64::from(quantized_idf(1, pages)) + u64::from(IDF_STEPS) * 15
}

/// 0.294 in 2^28ths, for values in 256ths. This is 0.6 if idfs are natural logarithms.
const OF_MOST: u64 = 308_281;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{EMPHASES, weight};

    #[test]
    fn words_of_a_main_text_outweigh_those_of_other_text() {
        for idf in 1..=u8::MAX {
            // A page with the word in its other text has the lowest emphasis and nothing else. One
            // with the word in its main text has at least the part for containing all of a query.
            let of_other = (weight(idf) << 8) * u64::from(EMPHASES[1]);
            assert!(of_other < coverage_bonus(idf.into(), idf.into()), "{idf}");
        }
    }

    #[test]
    fn the_longer_a_page_the_more_probably_it_has_words_by_chance() {
        let idfs = [60, 24, 1];
        let on = |length| improbability(idfs.into_iter(), length_class(length), 100);
        // Terms on one page of 32, of 4, of 1, on pages that are as long as the mean, twice and
        // eight times as long, and half as long.
        assert_eq!([100, 200, 800, 50].map(on), [85, 48 + 12, 24, 85 + 36]);
        assert_eq!(on(100_000), 0);
    }

    #[test]
    fn words_are_beyond_chance_if_no_page_of_the_site_is_expected_to_have_them() {
        assert_eq!(beyond_chance(1 << 10), 12 * (10 + 15));
        assert!(beyond_chance(u32::MAX) > beyond_chance(1));
    }
}
