//! Strings of any alphabet to bags: the q-grams of a string with their frequencies.
//!
//! Two noisy copies of a string share most of the text between errors, regardless of its position:
//! an insertion moves the rest of the string but changes only the up to `q` q-grams that span it.
//! So the Jaccard similarity of bags of q-grams is high where the edit distance is small (Ukkonen
//! 1992), and the algorithms for similar pages also find similar strings.
//!
//! # DNA
//!
//! Letters are A, C, G and T, in upper or lower case; U is read as T. Any other letter, such as N,
//! ends a run, and no q-gram spans it. A q-gram is a number of two bits per letter, so the maximum
//! `q` is 16. With both strands, a q-gram and its reverse complement are equal: the smaller of
//! their numbers is used.
//!
//! # Text
//!
//! Letters are characters in lower case. Each run of white space is one space, and there is a space
//! before the first word and after the last, so that q-grams include the ends of a string. A string
//! of fewer than `q` characters is itself a q-gram.

use crate::bag::Bag;
use crate::hash;
use crate::terms::lower_case;
use crate::vocabulary::TermId;

/// The alphabet of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// The four bases.
    Dna,
    /// The characters of Unicode.
    Text,
}

impl Alphabet {
    /// Returns the maximum `q`.
    #[must_use]
    pub fn max_q(self) -> u8 {
        16
    }
}

/// How bags are built from strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QGrams {
    /// The alphabet of strings.
    pub alphabet: Alphabet,
    /// Number of letters of a q-gram: 1 to [`Alphabet::max_q`].
    pub q: u8,
    /// Whether a DNA read and its reverse complement are equal.
    pub both_strands: bool,
    /// Q-grams to ignore because they are too common, in ascending order.
    pub common: Vec<TermId>,
}

impl QGrams {
    /// Replaces the contents of `grams` with the q-grams of a string in order, including common
    /// ones.
    pub fn grams(&self, string: &str, grams: &mut Vec<TermId>) {
        grams.clear();
        match self.alphabet {
            Alphabet::Dna => self.bases(string.as_bytes(), grams),
            Alphabet::Text => self.characters(string, grams),
        }
    }

    fn bases(&self, letters: &[u8], grams: &mut Vec<TermId>) {
        let q = u32::from(self.q.clamp(1, Alphabet::Dna.max_q()));
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

    /// Returns the bag of a string: its q-grams that are not common, with their frequencies.
    #[must_use]
    pub fn bag(&self, string: &str) -> Bag {
        let mut grams = Vec::new();
        self.bag_with(string, &mut grams)
    }

    /// Like [`bag`](Self::bag), reusing the memory of `grams`.
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

fn base(letter: u8) -> Option<u32> {
    match letter {
        b'A' | b'a' => Some(0),
        b'C' | b'c' => Some(1),
        b'G' | b'g' => Some(2),
        b'T' | b't' | b'U' | b'u' => Some(3),
        _ => None,
    }
}

/// Returns whether a letter is valid in DNA: a base, or one of IUPAC's ambiguity codes.
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

    /// The definition, using a map of substrings.
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
        // N ends a run. A string without q-grams has an empty bag.
        assert_eq!(dna.bag("ANCA").entries(), [(4, 1)]);
        assert!(dna.bag("A").is_empty() && dna.bag("ANC").is_empty() && dna.bag("").is_empty());
        // GT is the other strand of AC.
        let both = QGrams { both_strands: true, ..dna.clone() };
        assert_eq!(both.bag("GT").entries(), [(1, 1)]);
        let less = QGrams { common: vec![1, 7], ..dna };
        assert_eq!(less.bag("ACACAA").entries(), [(0, 1), (4, 2)]);

        let text = of(Alphabet::Text, 3);
        // " ab" and "ab ": both also occur in " ab ab ".
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
            let (before, after) = string.split_at(at);
            for edited in [format!("{before}{}", &after[1..]), format!("{before}G{after}")] {
                let Overlap { intersection, .. } = Overlap::between(&bag, &dna.bag(&edited));
                assert!(intersection + 5 >= bag.size(), "{edited}");
            }
        }
    }

    proptest! {
        #[test]
        fn q_grams_of_dna_match_the_definition(string in "[ACGTN]{0,40}", q in 1u8..=16) {
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
        fn q_grams_of_text_match_the_definition(string in "[a-cé東]{1,9}( [A-C]{1,3})?", q in 1u8..6) {
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
