//! Strings of any alphabet into bags: the q-grams of a string, each as often as it stands there.
//!
//! Two noisy copies of a string share most of what stands between two errors, wherever it stands:
//! an insertion moves all behind it, and changes no more than the `q` q-grams that go over it. So
//! the Jaccard similarity of the bags of q-grams is high where the edit distance is small
//! (Ukkonen 1992), and what finds similar pages finds similar strings.
//!
//! # DNA
//!
//! Letters are A, C, G and T, in upper or lower case; U is read as T. Any other letter, such as N,
//! ends a run: no q-gram goes over it. A q-gram is its own number, two bits a letter, so `q` is at
//! most 16. With both strands, a q-gram and its reverse complement are one: the lower of their
//! numbers.
//!
//! # Text
//!
//! Letters are characters in lower case; white space is one space, and one stands before the first
//! word and behind the last, so that the ends of a string count. A string of fewer than `q`
//! characters is a q-gram of its own.

use crate::bag::Bag;
use crate::hash;
use crate::terms::lower_case;
use crate::vocabulary::TermId;

/// What strings are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// The four bases.
    Dna,
    /// The characters of Unicode.
    Text,
}

impl Alphabet {
    /// The largest `q`.
    #[must_use]
    pub fn most_q(self) -> u8 {
        16
    }
}

/// How strings become bags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QGrams {
    /// What strings are made of.
    pub alphabet: Alphabet,
    /// The letters of a q-gram: 1 to [`Alphabet::most_q`].
    pub q: u8,
    /// Whether a read and its reverse complement are the same: of DNA.
    pub both_strands: bool,
    /// The q-grams that do not count, as so many strings have them; ascending.
    pub common: Vec<TermId>,
}

impl QGrams {
    /// The q-grams of a string as they stand in it, common ones too, in place of what `grams`
    /// holds.
    pub fn grams(&self, string: &str, grams: &mut Vec<TermId>) {
        grams.clear();
        match self.alphabet {
            Alphabet::Dna => self.bases(string.as_bytes(), grams),
            Alphabet::Text => self.characters(string, grams),
        }
    }

    fn bases(&self, letters: &[u8], grams: &mut Vec<TermId>) {
        let q = u32::from(self.q.clamp(1, Alphabet::Dna.most_q()));
        let mask = u32::MAX >> (32 - 2 * q);
        let (mut run, mut forward, mut backward) = (0, 0u32, 0u32);
        for letter in letters {
            let Some(base) = base(*letter) else {
                run = 0;
                continue;
            };
            forward = (forward << 2 | base) & mask;
            backward = backward >> 2 | (3 - base) << (2 * (q - 1));
            run += 1;
            if run >= q {
                grams.push(if self.both_strands { forward.min(backward) } else { forward });
            }
        }
    }

    fn characters(&self, string: &str, grams: &mut Vec<TermId>) {
        let mut text = String::with_capacity(string.len() + 2);
        for word in string.split_whitespace() {
            text.push(' ');
            text.extend(lower_case(word));
        }
        if text.is_empty() {
            return;
        }
        text.push(' ');
        let q = usize::from(self.q.max(1));
        let gram = |gram: &str| hash::of_bytes(gram.as_bytes()) as TermId;
        let begins = || text.char_indices().map(|(at, _)| at);
        let ends = begins().chain([text.len()]).skip(q);
        grams.extend(begins().zip(ends).map(|(begin, end)| gram(&text[begin..end])));
        if grams.is_empty() {
            grams.push(gram(&text));
        }
    }

    /// The bag of a string: its q-grams that are not common, with their numbers. Empty if it has
    /// none.
    #[must_use]
    pub fn bag(&self, string: &str) -> Bag {
        let mut grams = Vec::new();
        self.bag_with(string, &mut grams)
    }

    /// [`bag`](Self::bag), with memory that is used again.
    #[must_use]
    pub fn bag_with(&self, string: &str, grams: &mut Vec<TermId>) -> Bag {
        self.grams(string, grams);
        grams.sort_unstable();
        let entries = grams
            .chunk_by(|a, b| a == b)
            .filter(|run| self.common.binary_search(&run[0]).is_err())
            .map(|run| (run[0], u16::try_from(run.len()).unwrap_or(u16::MAX)));
        Bag::from_sorted(entries.collect()).unwrap_or_default()
    }
}

/// The number of a base.
fn base(letter: u8) -> Option<u32> {
    match letter {
        b'A' | b'a' => Some(0),
        b'C' | b'c' => Some(1),
        b'G' | b'g' => Some(2),
        b'T' | b't' | b'U' | b'u' => Some(3),
        _ => None,
    }
}

/// Whether a letter may stand in DNA: a base, or one of IUPAC's letters for what was not read
/// surely.
#[must_use]
pub fn is_iupac(letter: u8) -> bool {
    b"ACGTUNRYSWKMBDHVacgtunryswkmbdhv".contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::Overlap;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn of(alphabet: Alphabet, q: u8) -> QGrams {
        QGrams { alphabet, q, both_strands: false, common: Vec::new() }
    }

    /// The definition, by a map of substrings.
    fn plain(string: &str, q: usize, is_letter: impl Fn(char) -> bool) -> BTreeMap<String, u16> {
        let chars: Vec<char> = string.chars().collect();
        let mut counts = BTreeMap::new();
        for window in chars.windows(q).filter(|window| window.iter().all(|&c| is_letter(c))) {
            *counts.entry(window.iter().collect()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn known_answers() {
        // AC = 1, CA = 4, AA = 0.
        let dna = of(Alphabet::Dna, 2);
        assert_eq!(dna.bag("ACACAA").entries(), [(0, 1), (1, 2), (4, 2)]);
        assert_eq!(dna.bag("acacaa"), dna.bag("ACACAA"));
        // N ends a run, and whoever has no q-gram has no bag.
        assert_eq!(dna.bag("ANCA").entries(), [(4, 1)]);
        assert!(dna.bag("A").is_empty() && dna.bag("ANC").is_empty() && dna.bag("").is_empty());
        // GT is the other strand of AC.
        let both = QGrams { both_strands: true, ..dna.clone() };
        assert_eq!(both.bag("GT").entries(), [(1, 1)]);
        let less = QGrams { common: vec![1, 7], ..dna };
        assert_eq!(less.bag("ACACAA").entries(), [(0, 1), (4, 2)]);

        let text = of(Alphabet::Text, 3);
        // " ab", "ab ": both of two and of three with " abc".
        assert_eq!(text.bag("ab").size(), 2);
        assert_eq!(text.bag("  AB\t"), text.bag("ab"));
        let overlap = Overlap::between(&text.bag("ab ab"), &text.bag("AB"));
        assert_eq!(overlap, Overlap { intersection: 2, union: 5 });
        assert_eq!(of(Alphabet::Text, 9).bag("é").size(), 1);
        assert!(text.bag(" \n").is_empty());
    }

    #[test]
    fn an_edit_changes_at_most_q_of_the_q_grams() {
        let dna = of(Alphabet::Dna, 5);
        let string = "ACGTTGCAAGCTTACGGATCTTGACCATGA";
        let bag = dna.bag(string);
        for at in 0..string.len() {
            let (before, behind) = string.split_at(at);
            for edited in [format!("{before}{}", &behind[1..]), format!("{before}G{behind}")] {
                let Overlap { intersection, .. } = Overlap::between(&bag, &dna.bag(&edited));
                assert!(intersection + 5 >= bag.size(), "{edited}");
            }
        }
    }

    proptest! {
        #[test]
        fn q_grams_of_dna_are_those_of_the_definition(string in "[ACGTN]{0,40}", q in 1u8..=16) {
            let bag = of(Alphabet::Dna, q).bag(&string);
            let number = |gram: &str| gram.bytes().fold(0, |all, b| all << 2 | base(b).unwrap());
            let mut expected: Vec<(u32, u16)> = plain(&string, q.into(), |c| c != 'N')
                .iter()
                .map(|(gram, &n)| (number(gram), n))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(bag.entries(), expected);
        }

        #[test]
        fn q_grams_of_text_are_those_of_the_definition(string in "[a-cé東]{1,9}( [A-C]{1,3})?", q in 1u8..6) {
            let padded = format!(" {} ", string.to_lowercase());
            let mut expected: Vec<u16> = plain(&padded, q.into(), |_| true).into_values().collect();
            if expected.is_empty() {
                expected.push(1);
            }
            expected.sort_unstable();
            let bag = of(Alphabet::Text, q).bag(&string);
            let mut copies: Vec<u16> = bag.entries().iter().map(|&(_, n)| n).collect();
            copies.sort_unstable();
            prop_assert_eq!(copies, expected);
        }

        #[test]
        fn both_strands_have_the_same_bag(string in "[ACGTN]{0,40}", q in 1u8..=16) {
            let complement = |letter| match letter { 'A' => 'T', 'C' => 'G', 'G' => 'C', 'T' => 'A', other => other };
            let reversed: String = string.chars().rev().map(complement).collect();
            let both = QGrams { both_strands: true, ..of(Alphabet::Dna, q) };
            prop_assert_eq!(both.bag(&string), both.bag(&reversed));
        }

        #[test]
        fn any_string_has_a_bag(string: String, q in 1u8..=16) {
            for alphabet in [Alphabet::Dna, Alphabet::Text] {
                let _ = of(alphabet, q).bag(&string);
            }
        }
    }
}
