//! How well a page matches a term: BM25's saturation of the term's frequency, plus the emphasis of
//! the term on the page. In integer arithmetic.
//!
//! A term `t` of the text adds to the score of a page
//!
//! ```text
//! w(t) (s(tf, length) + e)   s(tf, length) = tf (k1 + 1) / (tf + k1 (1 - b + b length / mean))
//! ```
//!
//! where k1 = 3 and b = 0.75, `w` is the weight of the term ([`weight`]), and `mean` is the mean
//! length of the site's pages (Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25
//! and Beyond*, 2009, section 3). `s` is the *saturation*, from 0 to k1 + 1: each further
//! occurrence of a term adds less, and long pages contain terms by chance. `e` is the *emphasis*, a
//! sum over the *fields* `f` of the page that contain the term `tf` times (the title; a first
//! heading unlike it; the headings; the texts of links to the page, which are the papers' anchor
//! text; its first paragraph; its URL):
//!
//! ```text
//! e = sum of g(f) z / (z + 4)   z = tf / (0.7 + 0.3 length(f) / usual(f))
//! ```
//!
//! So a page matches a word that links to it use, even if the page does not contain the word.
//!
//! An index stores frequencies, lengths and emphases as classes, and postings lists store the sum
//! of saturation and emphasis as one of [`LEVELS`] levels. The last classes and the last level are
//! of terms that name a page or are defined there.

use crate::bag::FREQUENCIES;

/// The value 1 of a saturation or emphasis.
pub const ONE: u32 = 1_024;

/// The saturation that no frequency exceeds, k1 + 1.
pub const MAX_SATURATION: u32 = 4 * ONE;

/// Number of levels in postings lists.
pub const LEVELS: u8 = 8;
/// The level of a term in a title if the text is not available.
pub const TITLE_LEVEL: u8 = 3;
/// Number of bits of a level in a list.
pub(crate) const LEVEL_BITS: u32 = 3;
/// The value of each level, and the minimum of each except the first.
const LEVEL_VALUES: [u32; LEVELS as usize] = [280, 650, 1_120, 1_750, 2_550, 3_500, 4_800, 6_500];
const LEVEL_MINIMA: [u32; LEVELS as usize - 2] = [450, 850, 1_400, 2_100, 3_000, 4_100];
/// The level of a term that names its page or is defined there. Somebody who types only this word
/// wants that page, and many pages of a site stress the word as much.
pub const NAME_LEVEL: u8 = LEVELS - 1;

/// The value of each class of emphasis. The first is the class of terms without emphasis, the last
/// the [`DEFINED_CLASS`].
pub const EMPHASES: [u32; DEFINED_CLASS as usize + 1] =
    [0, 130, 330, 560, 850, 1_200, 1_900, 2_300, 560];
/// The class of emphasis of a term that names its page. The writer decides which one does.
pub const NAME_CLASS: u8 = (1 << EMPHASIS_BITS) - 1;
/// The class of emphasis of a term that the page and few others define, for example by the
/// signature of a function. If it is typed, it counts like a name: somebody who types it wants the
/// definition, which may be one of hundreds on a long page. In a passage, it is a word like others.
pub const DEFINED_CLASS: u8 = NAME_CLASS + 1;
/// Number of bits of a class of emphasis.
pub(crate) const EMPHASIS_BITS: u32 = 3;

/// Number of classes of lengths for each factor of two.
pub(crate) const LENGTH_STEPS: u32 = 16;
/// 2^(i / 16), in 65,536ths.
const ROOTS: [u32; LENGTH_STEPS as usize] = [
    65_536, 68_438, 71_468, 74_632, 77_936, 81_386, 84_990, 88_752, 92_682, 96_785, 101_070,
    105_545, 110_218, 115_098, 120_194, 125_515,
];

/// Returns the class of a page of `length` terms: the largest `c` from 0 to 255 with `2^(c / 16) <=
/// length`, or 0 without terms.
#[must_use]
pub fn length_class(length: u32) -> u8 {
    let length = length.max(1);
    let octave = length.ilog2();
    let part = ((u64::from(length) << 16) >> octave) as u32;
    let step = ROOTS.iter().take_while(|&&root| root <= part).count() as u32 - 1;
    (octave * LENGTH_STEPS + step).min(255) as u8
}

/// Returns the length that represents a class.
pub(crate) fn length_of(class: u8) -> u64 {
    let (octave, step) = (u32::from(class) / LENGTH_STEPS, u32::from(class) % LENGTH_STEPS);
    (u64::from(ROOTS[step as usize]) << octave) >> 16
}

/// Returns the saturation, in 1,024ths, of a frequency class
/// ([`frequency_class`](crate::bag::frequency_class)) on a page of a [`length_class`]. `mean` is
/// the mean number of terms of a page, at least 1.
#[must_use]
pub fn saturation(class: u8, length: u8, mean: u32) -> u32 {
    let tf = u64::from(FREQUENCIES[usize::from(class).min(FREQUENCIES.len() - 1)]);
    let one = u64::from(ONE);
    // k1 (1 - b) = 3/4 and k1 b = 9/4.
    let norm = 3 * one / 4 + 9 * one / 4 * length_of(length) / u64::from(mean.max(1));
    (4 * one * tf * one / (tf * one + norm)) as u32
}

/// Returns the nearest class of an emphasis in 1,024ths, or the lower of two. Only 0 has class 0,
/// and [`NAME_CLASS`] is not a matter of emphasis.
#[must_use]
pub fn emphasis_class(emphasis: u32) -> u8 {
    if emphasis == 0 {
        return 0;
    }
    let nearer = |at: usize| 2 * emphasis > EMPHASES[at] + EMPHASES[at - 1];
    (2..usize::from(NAME_CLASS)).take_while(|&at| nearer(at)).count() as u8 + 1
}

/// Returns the level of the sum of a saturation and an emphasis, for a term that neither names its
/// page nor is defined there.
#[must_use]
pub fn level(fit: u32) -> u8 {
    LEVEL_MINIMA.iter().take_while(|&&least| least <= fit).count() as u8
}

/// Returns the value of a level.
#[must_use]
pub fn level_value(level: u8) -> u32 {
    LEVEL_VALUES[usize::from(level)]
}

/// Returns the weight of a term, `idf^0.75` in 1,024ths, from its
/// [`quantized_idf`](crate::vocabulary::quantized_idf). The exponent is below 1, so that no rare
/// word of a question outweighs all others.
#[must_use]
pub fn weight(idf: u8) -> u64 {
    let idf = u64::from(idf);
    ((idf * (idf << 20).isqrt()) << 10).isqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::frequency_class;

    fn exact(tf: f64, length: f64, mean: f64) -> f64 {
        tf * 4.0 / (tf + 3.0 * (0.25 + 0.75 * length / mean))
    }

    #[test]
    fn lengths_have_classes() {
        assert_eq!([0, 1, 2, 3, 4, 1_024, 65_536].map(length_class), [0, 0, 16, 25, 32, 160, 255]);
        for length in (1..2_000).chain([30_000, 62_000]) {
            let represented = length_of(length_class(length)) as f64;
            let off = represented / f64::from(length);
            assert!(off <= 1.0 && off > 0.95 - 1.0 / f64::from(length), "{length}: {represented}");
        }
    }

    #[test]
    fn saturations_match_the_formula() {
        for (tf, length) in [(1, 100), (1, 400), (3, 100), (8, 1_000), (50, 20)] {
            let class = length_class(length);
            let found = f64::from(saturation(frequency_class(tf), class, 100)) / f64::from(ONE);
            let expected = exact(f64::from(tf), length_of(class) as f64, 100.0);
            assert!((found - expected).abs() < 0.01, "{tf}, {length}: {found}, {expected}");
        }
    }

    #[test]
    fn the_value_of_a_level_or_class_has_that_level_or_class() {
        for at in 0..NAME_LEVEL {
            assert_eq!(level(level_value(at)), at);
        }
        assert!(level_value(NAME_LEVEL) > MAX_SATURATION + EMPHASES[usize::from(NAME_CLASS)]);
        for (class, &emphasis) in (0..NAME_CLASS).zip(&EMPHASES) {
            assert_eq!(emphasis_class(emphasis), class);
        }
        assert_eq!([1, 231, 9_999].map(emphasis_class), [1, 2, 6]);
    }

    #[test]
    fn weights_match_the_formula() {
        for idf in 1..=255 {
            let exact = 1_024.0 * libm::pow(f64::from(idf), 0.75);
            assert!((weight(idf) as f64 - exact).abs() <= 2.0 + exact / 1_000.0, "{idf}: {exact}");
        }
    }
}
