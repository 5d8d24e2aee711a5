//! What an index keeps of the shingles of a page, and what that tells of how much a text shares
//! with it.
//!
//! Shingles are hashes, so their order as numbers means nothing. Of a page the first of them in
//! this order are kept: a *sketch*. It knows all of the page's shingles up to its last one, its
//! *limit*, and none behind. Of a text all shingles are known, of another page those of its sketch.
//! Up to the lower limit of the two both are known, and what stands there is a sample of both,
//! drawn by the order:
//!
//! ```text
//! order    0 ------------ limit ------------------------------- 2^64
//! page     x  x x   x x x   x                                        known up to its 64th
//! text     x  x   x x   x     x  x x   x   x  x   x x  x     x       known whole
//! sample   5 of both, 6 of the text, 7 of the page
//! ```
//!
//! So the text is in the page by about 5/6, the page in the text by 5/7, and they resemble each
//! other by 5/8. Each is a part of a sample of its own: of n shingles, the standard error of a part
//! c is sqrt(c (1 - c) / n), 1/16 at most for the 64 of a page, and none if the sample is all there
//! is. A text of few shingles has very few below the limit of a long page: a part of less than
//! `MIN_SAMPLE` is not told, nor what would follow from it.
//!
//! Shingles are of the words of an index, without numbers: so those of two releases, or of two
//! offers, agree. Whether two pages are the same, their [`Identity`] tells, which a sketch has too.
//!
//! # Quirks
//!
//! 1. Of a shingle 24 bits are kept, those behind as many zeros as all of the page's sketch begin
//!    with. So a page that shares nothing with a text of T shingles seems to share one with a
//!    probability of about T k^2 / (P 2^24) to twice that, with its k of P shingles: one in 2,000
//!    at most for T = P and k = 64. One alone is never told.
//! 2. The limit is a shingle of the page. Where it is the text's too, the text's part is too large
//!    by less than one in the sample.
//!
//! # Source
//!
//! Broder, *On the resemblance and containment of documents* (1997), section 4: the least s of a
//! permutation.

use super::identity::Identity;
use super::shingles::{ShingleSet, Shingler};

/// The bits of a shingle that a sketch keeps, behind its zeros.
pub(crate) const VALUE_BITS: u32 = 24;
/// The most zeros that are left away.
pub(crate) const MAX_ZEROS: u32 = 64 - VALUE_BITS;
/// A part of fewer shingles is told only if these are all there are: its standard error may be more
/// than 1/8.
pub(crate) const MIN_SAMPLE: u32 = 16;

/// The first shingles of a page in the order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// The distinct shingles of the page; 0 if nothing is known of it.
    pub shingles: u32,
    /// The zeros that all places in the sketch begin with, at most `MAX_ZEROS`.
    pub zeros: u32,
    /// The `VALUE_BITS` bits behind these zeros of each place, ascending.
    pub values: Vec<u32>,
    /// By which it is known whether another page has the same words, and the same numbers.
    pub identity: Identity,
}

impl Sketch {
    /// Of the shingles of a page, the first `most`.
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

    /// The sketch of the first `most` of its values.
    #[must_use]
    pub fn first(&self, most: u16) -> Self {
        let values = &self.values[..self.values.len().min(usize::from(most))];
        Self { values: values.to_vec(), ..*self }
    }

    /// The bits at the end of a place that were not kept.
    #[must_use]
    pub fn unknown_bits(&self) -> u32 {
        MAX_ZEROS - self.zeros
    }

    /// The places of the sketch, ascending, with zeros for the bits that were not kept.
    pub fn places(&self) -> impl Iterator<Item = u64> + '_ {
        let unknown = self.unknown_bits();
        self.values.iter().map(move |&value| u64::from(value) << unknown)
    }

    /// Up to which place all shingles are known.
    fn limit(&self) -> u64 {
        if self.values.len() < self.shingles as usize {
            self.places().last().unwrap_or(0)
        } else {
            u64::MAX
        }
    }
}

/// What is known of the shingles of what is compared with pages: a text, or a page of which there
/// is a sketch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownShingles {
    places: Vec<u64>,
    shingles: u32,
    limit: u64,
    /// The bits at the front of a place that are known.
    bits: u32,
    identity: Identity,
}

impl KnownShingles {
    /// Of a text, by all of its [`word_tokens`](super::shingles::word_tokens). Costs a sort of its
    /// shingles.
    #[must_use]
    pub fn from_tokens(tokens: &[u64], identity: Identity) -> Self {
        let places = Shingler::default().set_in_browser(tokens).into_vec();
        let shingles = u32::try_from(places.len()).unwrap_or(u32::MAX);
        Self { places, shingles, limit: u64::MAX, bits: u64::BITS, identity }
    }

    /// Of a page, by its sketch.
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

    /// The distinct shingles of the text or page.
    #[must_use]
    pub fn shingles(&self) -> u32 {
        self.shingles
    }

    /// What it shares with a page. Linear in what is known up to the limit.
    #[must_use]
    pub fn shared_with(&self, page: &Sketch) -> SharedSample {
        // What only one of them knows of a place is not compared.
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

/// Shingles of a text and of a page that were drawn alike: how many there are, and how many are in
/// both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedSample {
    /// Those of both.
    pub both: u32,
    /// Those of the text.
    pub text: u32,
    /// Those of the page.
    pub page: u32,
    /// All shingles that the text has.
    pub text_shingles: u32,
    /// All shingles that the page has.
    pub page_shingles: u32,
    /// Whether they have the same words in the same order, by their [`Identity`].
    pub same_words: bool,
    /// Whether they have the same numbers among these, too.
    pub same_tokens: bool,
}

/// How a text is like a page, if it shares enough with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearness {
    /// They have the same words and numbers in the same order.
    Copy,
    /// They have the same words in the same order, and other numbers among them.
    SameButNumbers,
    /// They resemble each other by 0.8 or more.
    NearDuplicate,
    /// 0.8 or more of the page is in the text.
    Contains,
    /// 0.8 or more of the text is on the page.
    Contained,
    /// A tenth or more of one is in the other, or as much as can be detected of a short text.
    Passages,
}

impl Nearness {
    /// Its name for programs: `copy`, `same-but-numbers`, `near-duplicate`, `contains`, `contained`
    /// or `passages`.
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
    /// Whether it is all shingles of both, so that the only error is of quirk 1: of T and P of
    /// them, two that differ agree with a probability of at most T P / 2^23, one in 2,000 for 64
    /// and 64.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.text == self.text_shingles && self.page == self.page_shingles
    }

    /// The share of all shingles that both have; `None` if the sample is too small.
    #[must_use]
    pub fn resemblance(&self) -> Option<f64> {
        self.part(self.either())
    }

    /// The part of the text that is on the page; `None` if the sample is too small.
    #[must_use]
    pub fn text_in_page(&self) -> Option<f64> {
        self.part(self.text)
    }

    /// The part of the page that is in the text; `None` if the sample is too small.
    #[must_use]
    pub fn page_in_text(&self) -> Option<f64> {
        self.part(self.page)
    }

    /// What it shows, if anything worth telling. One shingle of several may be in both by chance:
    /// that is nothing.
    #[must_use]
    pub fn nearness(&self) -> Option<Nearness> {
        let most_of = |all| self.tells(all) && 5 * u64::from(self.both) >= 4 * u64::from(all);
        let tenth_of = |all| 10 * u64::from(self.both) >= u64::from(all);
        if self.both == 0 {
            None
        } else if self.same_words
            && self.tells(self.either())
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

    /// Whether a part of `all` may be reported.
    fn tells(&self, all: u32) -> bool {
        all >= MIN_SAMPLE || self.is_whole()
    }

    fn part(&self, all: u32) -> Option<f64> {
        (all > 0 && self.tells(all)).then(|| f64::from(self.both) / f64::from(all))
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

    /// The values of a page that an index keeps.
    const MAX_VALUES: u16 = 64;
    /// No estimate of these tests may be further off than so many standard errors and two shingles
    /// of its sample.
    const ERRORS: f64 = 5.0;

    fn set(tokens: &[u64]) -> ShingleSet {
        Shingler::default().set(tokens)
    }

    /// That of tokens which are words all.
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

    /// The slow twin: all shingles of both.
    fn shared(a: &[u64], b: &[u64]) -> Shared {
        Shared::between(&set(a), &set(b))
    }

    fn is_near(estimate: Option<f64>, truth: f64, n: u32) -> bool {
        let n = f64::from(n);
        let allowed = ERRORS * (truth * (1.0 - truth) / n).sqrt() + 2.0 / n;
        estimate.is_none_or(|estimate| (estimate - truth).abs() <= allowed)
    }

    #[test]
    fn one_shingle_of_several_is_nothing_and_two_are_a_quotation() {
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

    /// Tokens that stand nowhere else.
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
    fn pages_that_differ_in_numbers_or_words_are_no_copies() {
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
        // The runs that a sketch has of a long page may be the same.
        let edited = "Release 1.9 of the kettle, size M,";
        assert_eq!(nearness(edited), Some(Nearness::NearDuplicate));
        assert_eq!(of(&words(edited)).shingles(), sketch.shingles);
    }

    #[test]
    fn of_a_short_text_it_is_told_that_it_quotes_and_not_how_much() {
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
        // Of fewer tokens than a shingle has, too.
        let short = known(&own(0, 3)).shared_with(&sketch(&own(0, 3)));
        assert_eq!(short.nearness(), Some(Nearness::Copy));
    }

    #[test]
    fn shingles_that_differ_behind_the_bits_kept_seem_to_be_one() {
        // Two places that differ in the last bit alone.
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

        /// Against all shingles of both: a text that takes a part of a page and has its own beside
        /// it.
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
