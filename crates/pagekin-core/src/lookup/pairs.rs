//! Pairs of characters, which are the terms of scripts without spaces, and their neighbors.
//!
//! Pairs of a text are neighbors where they overlap in the text. The order of a page's terms is not
//! stored. There, two pairs are neighbors if one begins with the character that only the other ends
//! with.

use crate::sort;
use crate::terms::second_of_pair;
use crate::vocabulary::TermId;

/// Pairs of characters in the order of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs(Vec<Pair>);

/// A word, or a pair of characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// `None` for a stop word, for a word that is not a pair, and for a pair without neighbors.
    pub(super) term: Option<TermId>,
    /// Whether it shares a character with the previous pair.
    pub(super) overlaps: bool,
}

impl Pairs {
    /// Creates the pairs of a text from its words, in order.
    pub(super) fn from_text(words: Vec<Pair>) -> Self {
        Self(words)
    }

    /// Chains the pairs of terms in unknown order.
    pub(super) fn chained(terms: &[(TermId, &str)]) -> Self {
        let mut pairs: Vec<TermId> = Vec::new();
        // Both characters of each pair, the second first.
        let mut halves: Vec<(&str, bool, usize)> = Vec::new();
        for &(id, word) in terms {
            if let Some(second) = second_of_pair(word) {
                halves.push((second, false, pairs.len()));
                halves.push((&word[..word.len() - second.len()], true, pairs.len()));
                pairs.push(id);
            }
        }
        sort::by_key(&mut halves, |&half| half);
        let mut next: Vec<Option<usize>> = vec![None; pairs.len()];
        let mut begins = vec![true; pairs.len()];
        for met in halves.chunk_by(|a, b| a.0 == b.0) {
            // One pair ends and exactly one other begins with this character.
            if let &[(_, false, ends), (_, true, goes_on)] = met
                && ends != goes_on
            {
                next[ends] = Some(goes_on);
                begins[goes_on] = false;
            }
        }
        let mut chained = Vec::new();
        for start in (0..pairs.len()).filter(|&at| begins[at]) {
            let mut at = Some(start);
            let mut overlaps = false;
            while let Some(pair) = at {
                chained.push(Pair { term: Some(pairs[pair]), overlaps });
                (at, overlaps) = (next[pair], true);
            }
        }
        Self(chained)
    }

    /// Returns the term at a position, or `None` beyond the end.
    pub(super) fn term(&self, at: usize) -> Option<TermId> {
        self.0.get(at)?.term
    }

    /// Returns the first position of a term.
    pub(super) fn position(&self, id: TermId) -> Option<usize> {
        self.0.iter().position(|pair| pair.term == Some(id))
    }

    fn overlaps(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|pair| pair.overlaps)
    }

    /// Returns the pair that shares its first character, and the one that shares its second.
    pub(super) fn neighbors(&self, at: usize) -> [Option<usize>; 2] {
        let before = self.overlaps(at).then(|| at - 1);
        [before, self.overlaps(at + 1).then_some(at + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &[&str]) {
        let terms: Vec<_> = (0..).zip(words.iter().copied()).collect();
        let mut chains: Vec<String> = Vec::new();
        for Pair { term, overlaps } in Pairs::chained(&terms).0 {
            let word = words[term.expect("all are terms") as usize];
            match chains.last_mut() {
                Some(chain) if overlaps => chain.push_str(second_of_pair(word).expect("a pair")),
                _ => chains.push(word.to_owned()),
            }
        }
        assert_eq!(chains, expected);
    }

    #[test]
    fn pairs_are_chained_where_it_is_clear_how() {
        check(&["京都", "東京", "都庁"], &["東京都庁"]);
        check(&["京都", "東京", "都庁", "都市"], &["東京都", "都庁", "都市"]);
        check(&["東京", "北京", "京都"], &["東京", "北京", "京都"]);
        check(&["bread", "น้ำที่", "ที่นี่"], &["น้ำที่นี่"]);
        check(&["ああ", "日本", "本日"], &["ああ"]);
        check(&[], &[]);
    }
}
