//! How well a page answers to a text by the terms they share: BM25, in whole numbers.
//!
//! A term `t` of the text that occurs `tf` times on a page of `length` terms adds
//!
//! ```text
//! qtf(t) idf(t) s(tf, length)   s(tf, length) = tf (k1 + 1) / (tf + k1 (1 - b + b length / mean))
//! ```
//!
//! with k1 = 1.2 and b = 0.75, `qtf` how often the text has it, `idf` its
//! [`quantised_idf`](crate::vocabulary::quantised_idf) and `mean` the mean length of the site's
//! pages (Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009,
//! section 3). `s` is the *saturation*, from 0 to k1 + 1: a page that has a term more often says
//! less and less more, and a long page has terms by chance.
//!
//! An index has frequencies and lengths in classes, and in the lists of terms the saturation in
//! [`LEVELS`] levels.

use crate::bag::FREQUENCIES;

/// The unit of saturations.
pub const ONE: u32 = 1_024;
/// k1 + 1, which no saturation reaches.
const MOST: u32 = ONE * 22 / 10;

/// The levels of saturations in lists.
pub const LEVELS: u8 = 7;
/// In a list: that the term is in the page's title or one of its headings. It stands above all
/// levels.
pub const IN_TITLE: u8 = LEVELS;
/// The bits of a level in a list.
pub(crate) const LEVEL_BITS: u32 = 3;

/// The classes of lengths for each factor of two.
const LENGTH_STEPS: u32 = 16;
/// 2^(i / 16), in 65,536ths.
const ROOTS: [u32; LENGTH_STEPS as usize] = [
    65_536, 68_438, 71_468, 74_632, 77_936, 81_386, 84_990, 88_752, 92_682, 96_785, 101_070,
    105_545, 110_218, 115_098, 120_194, 125_515,
];

/// The class of a page of so many terms: the largest `c` from 0 to 255 with `2^(c / 16) <= length`;
/// 0 for none.
#[must_use]
pub fn length_class(length: u32) -> u8 {
    let length = length.max(1);
    let octave = length.ilog2();
    let part = ((u64::from(length) << 16) >> octave) as u32;
    let step = ROOTS.iter().take_while(|&&root| root <= part).count() as u32 - 1;
    (octave * LENGTH_STEPS + step).min(255) as u8
}

/// The length that pages of a class are taken for.
pub(crate) fn length_of(class: u8) -> u64 {
    let (octave, step) = (u32::from(class) / LENGTH_STEPS, u32::from(class) % LENGTH_STEPS);
    (u64::from(ROOTS[step as usize]) << octave) >> 16
}

/// The saturation, in 1,024ths, of a frequency class
/// ([`frequency_class`](crate::bag::frequency_class)) on a page of a [`length_class`], where pages
/// have `mean` terms, at least 1.
#[must_use]
pub fn saturation(class: u8, length: u8, mean: u32) -> u32 {
    let tf = u64::from(FREQUENCIES[usize::from(class).min(FREQUENCIES.len() - 1)]);
    let one = u64::from(ONE);
    // k1 (1 - b) = 0.3 and k1 b = 0.9.
    let norm = one * 3 / 10 + one * 9 / 10 * length_of(length) / u64::from(mean.max(1));
    (u64::from(MOST) * tf * one / (tf * one + norm)) as u32
}

/// The level of a saturation.
#[must_use]
pub fn level(saturation: u32) -> u8 {
    (saturation * u32::from(LEVELS) / MOST).min(u32::from(LEVELS) - 1) as u8
}

/// The saturation that a level stands for: the middle of those that have it. A term in the title is
/// taken for saturated.
#[must_use]
pub fn saturation_of(level: u8) -> u32 {
    ((2 * u32::from(level) + 1) * MOST / (2 * u32::from(LEVELS))).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::frequency_class;

    fn exact(tf: f64, length: f64, mean: f64) -> f64 {
        tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean))
    }

    #[test]
    fn lengths_have_classes() {
        assert_eq!([0, 1, 2, 3, 4, 1_024, 65_536].map(length_class), [0, 0, 16, 25, 32, 160, 255]);
        for length in (1..2_000).chain([30_000, 62_000]) {
            let taken_for = length_of(length_class(length)) as f64;
            let off = taken_for / f64::from(length);
            assert!(off <= 1.0 && off > 0.95 - 1.0 / f64::from(length), "{length}: {taken_for}");
        }
    }

    #[test]
    fn saturations_are_those_of_the_formula() {
        for (tf, length) in [(1, 100), (1, 400), (3, 100), (8, 1_000), (50, 20)] {
            let class = length_class(length);
            let found = f64::from(saturation(frequency_class(tf), class, 100)) / f64::from(ONE);
            let expected = exact(f64::from(tf), length_of(class) as f64, 100.0);
            assert!((found - expected).abs() < 0.01, "{tf}, {length}: {found}, {expected}");
        }
    }

    #[test]
    fn levels_cover_all_saturations() {
        for saturated in 0..MOST {
            let level = level(saturated);
            assert!(level < LEVELS);
            assert!(saturation_of(level).abs_diff(saturated) <= MOST / u32::from(LEVELS) / 2 + 1);
        }
        assert_eq!(saturation_of(IN_TITLE), MOST);
    }
}
