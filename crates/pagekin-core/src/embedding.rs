//! Embeddings: short vectors of pages and words whose directions agree if their meanings do.
//!
//! The build projects the vectors of a sentence model, or of a table of words, to the
//! [`DIMENSIONS`] directions in which the pages of the site differ most, and rounds them to
//! integers. A text has no model in the browser: its vector is the sum of those of its words,
//! because the vectors of words are fitted so that this sum is near the vector of a sentence.
//!
//! Elements and weights are integers, and a cosine needs only the basic operations of IEEE 754 in a
//! fixed order, so it is the same number on every machine.

use crate::bag::rounded;

/// Number of elements of an embedding.
pub const DIMENSIONS: usize = 32;
/// Number of bits of an element.
pub const ELEMENT_BITS: u32 = 4;
/// The largest absolute value of an element that a build writes.
pub const MAX_ELEMENT: i8 = 7;

/// The vector of a page or of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedding(pub [i8; DIMENSIONS]);

/// Returns how much a word counts in the vector of a text, by its rarity on the site and its
/// frequency in the text.
#[must_use]
pub fn word_weight(idf: u8, tf: u32) -> u32 {
    (u32::from(idf) << 16).isqrt() * rounded(tf)
}

/// The vector of a text: the weighted sum of the vectors of its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextEmbedding {
    sums: [i64; DIMENSIONS],
    /// Number of words that it is the sum of.
    pub words: u32,
}

impl TextEmbedding {
    /// Adds the vector of a word, `weight` times.
    pub fn add(&mut self, word: &Embedding, weight: u32) {
        for (sum, &element) in self.sums.iter_mut().zip(&word.0) {
            *sum += i64::from(element) * i64::from(weight);
        }
        self.words += 1;
    }

    /// Returns the elements.
    #[must_use]
    pub fn sums(&self) -> &[i64; DIMENSIONS] {
        &self.sums
    }

    /// Returns the cosine of the angle to the vector of a page, `a b / (|a| |b|)`, from -1 to 1, or
    /// 0 if one of them has no direction.
    #[must_use]
    pub fn cosine(&self, page: &Embedding) -> f64 {
        let (mut product, mut squares, mut squares_of_page) = (0.0, 0.0, 0.0);
        for (&sum, &element) in self.sums.iter().zip(&page.0) {
            let (sum, element) = (sum as f64, f64::from(element));
            product += sum * element;
            squares += sum * sum;
            squares_of_page += element * element;
        }
        let lengths = (squares * squares_of_page).sqrt();
        if lengths > 0.0 { product / lengths } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(elements: &[i8]) -> Embedding {
        let mut all = [0; DIMENSIONS];
        all[..elements.len()].copy_from_slice(elements);
        Embedding(all)
    }

    fn text(words: &[(&[i8], u32)]) -> TextEmbedding {
        let mut sum = TextEmbedding::default();
        words.iter().for_each(|(elements, weight)| sum.add(&embedding(elements), *weight));
        sum
    }

    #[test]
    fn the_cosine_depends_on_directions_alone() {
        let of = text(&[(&[3, 4], 5)]);
        assert_eq!(of.cosine(&embedding(&[3, 4])), 1.0);
        assert_eq!(of.cosine(&embedding(&[-3, -4])), -1.0);
        assert_eq!(of.cosine(&embedding(&[-4, 3])), 0.0);
        assert_eq!(of.cosine(&embedding(&[4, 3])), 0.96);
        assert_eq!(of.cosine(&embedding(&[])), 0.0);
        assert_eq!(TextEmbedding::default().cosine(&embedding(&[1])), 0.0);
    }

    #[test]
    fn a_text_is_the_weighted_sum_of_its_words() {
        let of = text(&[(&[1, 0], 6), (&[0, 2], 4)]);
        assert_eq!(of, TextEmbedding { words: 2, ..text(&[(&[6, 8], 1)]) });
        assert_eq!(of.cosine(&embedding(&[3, 4])), 1.0);
    }
}
