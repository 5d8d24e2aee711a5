//! The ids of the words of a crawl, which are longer than those of an index.

use pagekin_core::hash;
use pagekin_core::vocabulary::{TERM_BITS, TermId};

/// The bits by which the id of a word in a crawl is longer than that in an index.
const MORE_BITS: u32 = TermId::BITS - TERM_BITS;

/// The id of a word in a crawl: the 32 low bits of the XXH64 of its stem, turned so that its
/// [`index_term`] comes first.
///
/// The words of a site are some hundred thousand, and each bit of an id is published; those of a
/// crawl are millions, and of 5 million stems a quarter would share one of 24 bits. Of 32 bits it
/// is one in a thousand.
#[must_use]
pub fn word_id(stem: &str) -> TermId {
    (hash::of_bytes(stem.as_bytes()) as u32).rotate_left(MORE_BITS)
}

/// The id in an index of a word of a crawl: that of [`term_id`](pagekin_core::vocabulary::term_id).
/// Words are in the same order by both.
#[must_use]
pub fn index_term(word: TermId) -> TermId {
    word >> MORE_BITS
}
