//! What the scores of pages are made of besides how well they [fit](crate::fit) each term: of
//! candidates, as far as lists know it, and of pages that are ranked.

/// How rare a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rarity {
    /// The [`quantised_idf`](crate::vocabulary::quantised_idf), or what it is taken for.
    pub(super) idf: u8,
    /// Its list would be in a shard that was read, and is not: no page has it.
    pub(super) is_unmatched: bool,
}

/// Sums over the terms of a subject: of the alternatives of a word the most counts, of all other
/// terms each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alternatives<const N: usize> {
    alone: [u64; N],
    groups: [[u64; N]; MAX_GROUPS],
}

/// The most words that have alternatives.
pub(super) const MAX_GROUPS: usize = 8;

impl<const N: usize> Default for Alternatives<N> {
    fn default() -> Self {
        Self { alone: [0; N], groups: [[0; N]; MAX_GROUPS] }
    }
}

impl<const N: usize> Alternatives<N> {
    /// Adds what a term of a group counts.
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

/// What a page's score has for having most of a text: `0.29 I (H / I)^3`, in the unit of scores,
/// where `I` is `all` of the inverse document frequencies of the text's terms, and `H` those of the
/// terms that the page has. So a page that has all of a passage comes before one that has the most
/// of it often.
pub(super) fn for_most_of_it(held: u64, all: u64) -> u64 {
    let part = (held << 16) / all.max(1);
    let cube = (((part * part) >> 16) * part) >> 16;
    ((all * cube) >> 8) * OF_MOST
}

/// 0.294 in 2^28ths, of what is in 256ths: 0.6, if idfs were natural logarithms.
const OF_MOST: u64 = 308_281;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{EMPHASES, weight};

    #[test]
    fn words_of_a_main_text_outweigh_those_of_other_text() {
        for idf in 1..=u8::MAX {
            // A page that has the word in its other text has the lowest emphasis, and nothing else;
            // one that has it in its main text has at least what having all of a query weighs.
            let of_other = (weight(idf) << 8) * u64::from(EMPHASES[1]);
            assert!(of_other < for_most_of_it(idf.into(), idf.into()), "{idf}");
        }
    }
}
