//! The parts of a page's score other than its [fit](crate::fit) to each term. They are used both
//! for candidates, as far as lists contain them, and for ranked pages.

/// How rare a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rarity {
    /// The [`quantized_idf`](crate::vocabulary::quantized_idf), or an estimate of it.
    pub(super) idf: u8,
    /// Whether no page contains the term: the shard of its list was read and has no such list.
    pub(super) is_unmatched: bool,
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
}
