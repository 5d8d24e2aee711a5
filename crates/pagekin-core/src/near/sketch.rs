//! The shingles that an index stores for a page, and how much a text shares with the page according
//! to these.
//!
//! Shingles are hashes, so their numeric order is random. The first shingles of a page in this
//! order are its *sketch*. It contains all shingles of the page up to the last one in it, the
//! *limit*, and none after. All shingles of a text are known, but only those of the sketch of
//! another page. Up to the lower of two limits, the shingles of both are known, and are a random
//! sample of both:
//!
//! ```text
//! order    0 ------------ limit ------------------------------- 2^64
//! page     x  x x   x x x   x                                        known up to its 64th
//! text     x  x   x x   x     x  x x   x   x  x   x x  x     x       known completely
//! sample   5 of both, 6 of the text, 7 of the page
//! ```
//!
//! So about 5/6 of the text is on the page, 5/7 of the page is in the text, and they resemble each
//! other by 5/8. Each share is estimated from a sample of n shingles. The standard error of a share
//! c is sqrt(c (1 - c) / n), which is at most 1/16 for the 64 of a page, and 0 if the sample is
//! complete. A short text has very few shingles below the limit of a long page. Shares of fewer
//! than `MIN_SAMPLE` shingles are not reported, and neither is anything that depends on them.
//!
//! Shingles consist of the words of an index, without numbers, so those of two releases or of two
//! offers are equal. The [`Identity`] of a sketch shows whether two pages are the same.
//!
//! # Quirks
//!
//! 1. A sketch stores 24 bits of a shingle, after as many zeros as all of the sketch begin with. So
//!    a page that shares nothing with a text of T shingles seems to share one with a probability
//!    between T k^2 / (P 2^24) and twice that, for k of its P shingles: at most one in 2,000 for T
//!    = P and k = 64. A single shared shingle is never reported.
//! 2. The limit is a shingle of the page. If it is also a shingle of the text, the share of the
//!    text is too large by less than one in the sample.
//!
//! # Source
//!
//! Broder, *On the resemblance and containment of documents* (1997), section 4: the least s of a
//! permutation.

use super::identity::Identity;
use super::shingles::{ShingleSet, Shingler};

/// Number of bits that a sketch stores of a shingle, after its leading zeros.
pub(crate) const VALUE_BITS: u32 = 24;
/// Maximum number of leading zero bits dropped from each value.
pub(crate) const MAX_ZEROS: u32 = 64 - VALUE_BITS;
/// Minimum number of shingles of an incomplete sample. With fewer, the standard error of a share
/// may exceed 1/8.
pub(crate) const MIN_SAMPLE: u32 = 16;

/// The first shingles of a page in numeric order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// The number of distinct shingles of the page, or 0 if nothing is known about it.
    pub shingles: u32,
    /// The number of leading zeros of all shingles in the sketch, at most `MAX_ZEROS`.
    pub zeros: u32,
    /// The `VALUE_BITS` bits after these zeros, ascending.
    pub values: Vec<u32>,
    /// Shows whether another page has the same words, and the same numbers.
    pub identity: Identity,
}

impl Sketch {
    /// Creates a sketch of the first `most` shingles of a page.
    #[must_use]
    pub fn new(shingles: &ShingleSet, most: u16, identity: Identity) -> Self {
        let all = shingles.as_slice();
        let kept = &all[..all.len().min(usize::from(most))];
        let zeros = kept.last().map_or(0, |last| last.leading_zeros().min(MAX_ZEROS));
        Self {
            shingles: u32::try_from(all.len()).unwrap_or(u32::MAX),
            zeros,
            values: kept.iter().map(|place| (place >> (MAX_ZEROS - zeros)) as u32).collect(),
            identity,
        }
    }

    /// Returns the sketch of its first `most` values.
    #[must_use]
    pub fn first(&self, most: u16) -> Self {
        let values = &self.values[..self.values.len().min(usize::from(most))];
        Self { values: values.to_vec(), ..*self }
    }

    /// Returns the number of low bits of a shingle that are not stored.
    #[must_use]
    pub fn unknown_bits(&self) -> u32 {
        MAX_ZEROS - self.zeros
    }

    /// Returns the shingles of the sketch, ascending, with zeros for the bits that are not stored.
    pub fn places(&self) -> impl Iterator<Item = u64> + '_ {
        let unknown = self.unknown_bits();
        self.values.iter().map(move |&value| u64::from(value) << unknown)
    }

    /// Returns the limit up to which all shingles are known.
    fn limit(&self) -> u64 {
        if self.values.len() < self.shingles as usize {
            self.places().last().unwrap_or(0)
        } else {
            u64::MAX
        }
    }
}

/// The known shingles of a text, or of a page by its sketch, to compare with pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownShingles {
    places: Vec<u64>,
    shingles: u32,
    limit: u64,
    /// The number of known high bits of a shingle.
    bits: u32,
    identity: Identity,
}

impl KnownShingles {
    /// Creates the shingles of a text from all of its
    /// [`word_tokens`](super::shingles::word_tokens). The cost is sorting them.
    #[must_use]
    pub fn from_tokens(tokens: &[u64], identity: Identity) -> Self {
        let places = Shingler::default().set_in_browser(tokens).into_vec();
        let shingles = u32::try_from(places.len()).unwrap_or(u32::MAX);
        Self { places, shingles, limit: u64::MAX, bits: u64::BITS, identity }
    }

    /// Takes the shingles of a page from its sketch.
    #[must_use]
    pub fn from_page(sketch: &Sketch) -> Self {
        Self {
            places: sketch.places().collect(),
            shingles: sketch.shingles,
            limit: sketch.limit(),
            bits: VALUE_BITS + sketch.zeros,
            identity: sketch.identity,
        }
    }

    /// Returns the number of distinct shingles of the text or page.
    #[must_use]
    pub fn shingles(&self) -> u32 {
        self.shingles
    }

    /// Returns what it shares with a page. Linear in the number of known shingles up to the limit.
    #[must_use]
    pub fn shared_with(&self, page: &Sketch) -> SharedSample {
        // Bits that only one of them knows are not compared.
        let unknown = u64::BITS - self.bits.min(VALUE_BITS + page.zeros);
        let limit = self.limit.min(page.limit()) >> unknown;
        let up_to = |place: &u64| *place <= limit;
        let mut own = self.places.iter().map(|place| place >> unknown).take_while(up_to).peekable();
        let mut sample = SharedSample {
            text_shingles: self.shingles,
            page_shingles: page.shingles,
            same_words: self.identity.words == page.identity.words,
            same_tokens: self.identity == page.identity,
            ..SharedSample::default()
        };
        for place in page.places().map(|place| place >> unknown).take_while(up_to) {
            while own.next_if(|own| *own < place).is_some() {
                sample.text += 1;
            }
            let both = u32::from(own.next_if_eq(&place).is_some());
            sample.text += both;
            sample.both += both;
            sample.page += 1;
        }
        sample.text += own.count() as u32;
        sample
    }
}

/// A sample of the shingles of a text and of a page, and how many are in both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedSample {
    /// Number of shingles in both.
    pub both: u32,
    /// Number of shingles of the text.
    pub text: u32,
    /// Number of shingles of the page.
    pub page: u32,
    /// Number of all shingles of the text.
    pub text_shingles: u32,
    /// Number of all shingles of the page.
    pub page_shingles: u32,
    /// Whether both have the same words in the same order, by their [`Identity`].
    pub same_words: bool,
    /// Whether both also have the same numbers among the words.
    pub same_tokens: bool,
}

/// What a text and a page share, if it is enough to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearness {
    /// They have the same words and numbers in the same order.
    Copy,
    /// They have the same words in the same order, with other numbers.
    SameButNumbers,
    /// Their resemblance is 0.8 or more.
    NearDuplicate,
    /// At least 0.8 of the page is in the text.
    Contains,
    /// At least 0.8 of the text is on the page.
    Contained,
    /// At least a tenth of one is in the other, or as much as is detectable for a short text.
    Passages,
}

impl Nearness {
    /// Returns the name for programs: `copy`, `same-but-numbers`, `near-duplicate`, `contains`,
    /// `contained` or `passages`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::SameButNumbers => "same-but-numbers",
            Self::NearDuplicate => "near-duplicate",
            Self::Contains => "contains",
            Self::Contained => "contained",
            Self::Passages => "passages",
        }
    }
}

impl SharedSample {
    /// Whether the sample contains all shingles of both. Then the only error is that of quirk 1:
    /// two different shingles agree with a probability of at most T P / 2^23 for T of the text and
    /// P of the page, which is one in 2,000 for 64 and 64.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.text == self.text_shingles && self.page == self.page_shingles
    }

    /// Returns the share of all shingles that both have, or `None` if the sample is too small.
    #[must_use]
    pub fn resemblance(&self) -> Option<f64> {
        self.part(self.either())
    }

    /// Returns the share of the text that is on the page, or `None` if the sample is too small.
    #[must_use]
    pub fn text_in_page(&self) -> Option<f64> {
        self.part(self.text)
    }

    /// Returns the share of the page that is in the text, or `None` if the sample is too small.
    #[must_use]
    pub fn page_in_text(&self) -> Option<f64> {
        self.part(self.page)
    }

    /// Returns what the sample shows, if it is notable. A single shared shingle of several may be
    /// an accident, so it is ignored.
    #[must_use]
    pub fn nearness(&self) -> Option<Nearness> {
        let most_of = |all| self.is_reliable(all) && 5 * u64::from(self.both) >= 4 * u64::from(all);
        let tenth_of = |all| 10 * u64::from(self.both) >= u64::from(all);
        if self.both == 0 {
            None
        } else if self.same_words
            && self.is_reliable(self.either())
            && self.both == self.either()
            && self.text_shingles == self.page_shingles
        {
            Some(if self.same_tokens { Nearness::Copy } else { Nearness::SameButNumbers })
        } else if most_of(self.either()) {
            Some(Nearness::NearDuplicate)
        } else if most_of(self.page) {
            Some(Nearness::Contains)
        } else if most_of(self.text) {
            Some(Nearness::Contained)
        } else if self.both > 1 && (tenth_of(self.page) || tenth_of(self.text)) {
            Some(Nearness::Passages)
        } else {
            None
        }
    }

    fn either(&self) -> u32 {
        self.text + self.page - self.both
    }

    /// Whether a share of `all` may be reported.
    fn is_reliable(&self, all: u32) -> bool {
        all >= MIN_SAMPLE || self.is_whole()
    }

    fn part(&self, all: u32) -> Option<f64> {
        (all > 0 && self.is_reliable(all)).then(|| f64::from(self.both) / f64::from(all))
    }
}

#[cfg(test)]
mod tests {
    use super::super::identity::IdentityHasher;
    use super::super::shingles::{Shared, word_tokens};
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The number of values that an index stores for a page.
    const MAX_VALUES: u16 = 64;
    /// Maximum error of an estimate in these tests, in standard errors, beyond two shingles of its
    /// sample.
    const ERRORS: f64 = 5.0;

    fn set(tokens: &[u64]) -> ShingleSet {
        Shingler::default().set(tokens)
    }

    /// The identity of tokens that are all words.
    fn identity(tokens: &[u64]) -> Identity {
        let mut hasher = IdentityHasher::default();
        tokens.iter().for_each(|&token| hasher.push(token, false));
        hasher.finish()
    }

    fn known(tokens: &[u64]) -> KnownShingles {
        KnownShingles::from_tokens(tokens, identity(tokens))
    }

    fn sketch(tokens: &[u64]) -> Sketch {
        Sketch::new(&set(tokens), MAX_VALUES, identity(tokens))
    }

    /// The slow reference: all shingles of both.
    fn shared(a: &[u64], b: &[u64]) -> Shared {
        Shared::between(&set(a), &set(b))
    }

    fn is_near(estimate: Option<f64>, truth: f64, n: u32) -> bool {
        let n = f64::from(n);
        let allowed = ERRORS * (truth * (1.0 - truth) / n).sqrt() + 2.0 / n;
        estimate.is_none_or(|estimate| (estimate - truth).abs() <= allowed)
    }

    #[test]
    fn one_shared_shingle_is_ignored_and_two_are_a_passage() {
        let sample = |both| SharedSample {
            both,
            text: 9,
            page: 9,
            text_shingles: 9,
            page_shingles: 9,
            same_words: false,
            same_tokens: false,
        };
        assert_eq!(
            [0, 1, 2].map(|both| sample(both).nearness()),
            [None, None, Some(Nearness::Passages)]
        );
    }

    /// Tokens that occur nowhere else.
    fn own(from: u64, n: usize) -> Vec<u64> {
        (from..).take(n).map(mix).collect()
    }

    #[test]
    fn kinds_of_nearness_have_examples() {
        let page = own(0, 500);
        let check = |text: &[u64], expected| {
            let sample = known(text).shared_with(&sketch(&page));
            assert_eq!(sample.nearness(), expected, "{sample:?}");
            sample
        };
        assert_eq!(check(&page, Some(Nearness::Copy)).resemblance(), Some(1.0));
        check(&[&page[..], &own(9_000, 20)].concat(), Some(Nearness::NearDuplicate));
        let around = [&own(9_000, 900)[..], &page].concat();
        assert_eq!(check(&around, Some(Nearness::Contains)).page_in_text(), Some(1.0));
        assert_eq!(check(&page[..250], Some(Nearness::Contained)).text_in_page(), Some(1.0));
        check(&[&own(9_000, 300)[..], &page[..250]].concat(), Some(Nearness::Passages));
        check(&own(9_000, 300), None);
        check(&[], None);
    }

    #[test]
    fn pages_with_other_numbers_or_words_are_not_copies() {
        let words = |edited: &str| {
            let others = (0..900).map(|at| format!("w{} ", char::from(b'a' + at as u8 % 26)));
            others.enumerate().fold(edited.to_owned(), |all, (at, word)| {
                let run = if at % 7 == 0 { "other words between them" } else { "" };
                format!("{all} {word}{} {run}", "x".repeat(at % 23))
            })
        };
        let of = |text: &str| {
            let identity = Identity::from_text(text);
            KnownShingles::from_tokens(&word_tokens(text), identity)
        };
        let page = words("Release 1.9 of the kettle, size S,");
        let shingles = Shingler::default().set(&word_tokens(&page));
        let sketch = Sketch::new(&shingles, MAX_VALUES, Identity::from_text(&page));
        let nearness = |text: &str| of(&words(text)).shared_with(&sketch).nearness();
        assert_eq!(nearness("Release 1.9 of the kettle \u{2013} size S"), Some(Nearness::Copy));
        let other = Some(Nearness::SameButNumbers);
        assert_eq!(nearness("Release 1.10 of the kettle, size S,"), other);
        // The runs that a sketch stores of a long page may be equal.
        let edited = "Release 1.9 of the kettle, size M,";
        assert_eq!(nearness(edited), Some(Nearness::NearDuplicate));
        assert_eq!(of(&words(edited)).shingles(), sketch.shingles);
    }

    #[test]
    fn a_short_text_shares_passages_without_an_estimate() {
        let page = own(0, 2_000);
        let sample = known(&page[500..640]).shared_with(&sketch(&page));
        assert_eq!((sample.text_in_page(), sample.nearness()), (None, Some(Nearness::Passages)));
        assert_eq!(sample.text_shingles, 131);
        assert!(sample.page_in_text().is_some());
    }

    #[test]
    fn pages_of_few_shingles_are_known_exactly() {
        let (page, text) = (own(0, 73), [&own(40, 33)[..], &own(9_000, 900)].concat());
        let (sample, truth) = (known(&text).shared_with(&sketch(&page)), shared(&text, &page));
        assert!(sample.is_whole());
        assert_eq!(
            [sample.both, sample.text, sample.page].map(u64::from),
            [truth.both, truth.a, truth.b]
        );
        // Texts with fewer tokens than a shingle are known exactly, too.
        let short = known(&own(0, 3)).shared_with(&sketch(&own(0, 3)));
        assert_eq!(short.nearness(), Some(Nearness::Copy));
    }

    #[test]
    fn shingles_that_differ_in_dropped_bits_look_equal() {
        // Two shingles that differ in the last bit alone.
        let (page, text) = (1u64 << 63, (1 << 63) + 1);
        let values = vec![(page >> MAX_ZEROS) as u32];
        let page = Sketch { shingles: 1, values, ..Sketch::default() };
        let text = KnownShingles { places: vec![text], ..known(&[1]) };
        let sample = text.shared_with(&page);
        assert_eq!((sample.is_whole(), sample.both), (true, 1));
    }

    #[test]
    fn a_text_is_known_as_its_tokens_are() {
        let text =
            "Feed the starter the evening before baking, and let the dough rise in a basket.";
        let known = KnownShingles::from_tokens(&word_tokens(text), Identity::from_text(text));
        assert_eq!(known.places, set(&word_tokens(text)).as_slice());
        assert_eq!((known.shingles(), known.limit), (5, u64::MAX));
    }

    proptest! {
        #[test]
        fn a_sketch_is_the_first_of_all_shingles(tokens in prop::collection::vec(0u64..50, 0..400), most in 1u16..100) {
            let all: BTreeSet<u64> = set(&tokens).as_slice().iter().copied().collect();
            let sketch = Sketch::new(&set(&tokens), most, Identity::default());
            prop_assert_eq!(sketch.shingles as usize, all.len());
            let first: Vec<u64> = all.into_iter().take(usize::from(most)).collect();
            let bits = VALUE_BITS + sketch.zeros;
            let kept: Vec<u64> = first.iter().map(|place| place >> (64 - bits)).collect();
            prop_assert_eq!(sketch.places().map(|place| place >> (64 - bits)).collect::<Vec<_>>(), kept);
            prop_assert!(sketch.values.iter().all(|&value| value < 1 << VALUE_BITS));
        }

        /// Compares with all shingles of both, for a text that contains a part of a page and words
        /// of its own.
        #[test]
        fn estimates_are_near_the_truth(
            seed: u32, page in 1usize..3_000, taken in 0.0f64..=1.0, more in 0usize..3_000,
        ) {
            let from = u64::from(seed) << 20;
            let page = own(from, page);
            let text = [&page[..(taken * page.len() as f64) as usize], &own(from + 10_000, more)].concat();
            let truth = shared(&text, &page);
            for sample in [known(&text), KnownShingles::from_page(&sketch(&text))].map(|text| text.shared_with(&sketch(&page))) {
                prop_assert!(is_near(sample.resemblance(), truth.resemblance(), sample.either()), "{:?} {:?}", sample, truth);
                prop_assert!(is_near(sample.text_in_page(), truth.a_in_b(), sample.text), "{:?} {:?}", sample, truth);
                prop_assert!(is_near(sample.page_in_text(), truth.b_in_a(), sample.page), "{:?} {:?}", sample, truth);
                if truth.a <= 64 && truth.b <= 64 {
                    prop_assert_eq!([sample.both, sample.text, sample.page].map(u64::from), [truth.both, truth.a, truth.b]);
                }
            }
        }

        #[test]
        fn any_sketch_is_compared(
            values in prop::collection::vec(0u32..1 << VALUE_BITS, 0..80), zeros in 0..=MAX_ZEROS, shingles: u32,
            text in prop::collection::vec(any::<u64>(), 0..80),
        ) {
            let mut values = values;
            values.sort_unstable();
            let page = Sketch { shingles, zeros, values, identity: Identity::default() };
            for sample in [known(&text), KnownShingles::from_page(&page)].map(|known| known.shared_with(&page)) {
                prop_assert!(sample.both <= sample.text.min(sample.page));
                let _ = sample.nearness();
            }
        }
    }
}
