//! Ids of words in a crawl, which are longer than those in an index.

use pagekin_core::hash;
use pagekin_core::vocabulary::{TERM_BITS, TermId};

/// Number of additional bits of a word id in a crawl.
const MORE_BITS: u32 = TermId::BITS - TERM_BITS;

/// Returns the id of a word in a crawl: the low 32 bits of the XXH64 of its stem, rotated so that
/// its [`index_term`] comes first.
///
/// The words of a site are some hundred thousand, and each bit of an id is published. A crawl has
/// millions: with 24 bits, a quarter of 5 million stems would share an id; with 32 bits, one in a
/// thousand does.
#[must_use]
pub fn word_id(stem: &str) -> TermId {
    (hash::of_bytes(stem.as_bytes()) as u32).rotate_left(MORE_BITS)
}

/// Returns the id in an index, as of [`term_id`](pagekin_core::vocabulary::term_id), of a word of a
/// crawl. Both ids sort words in the same order.
#[must_use]
pub fn index_term(word: TermId) -> TermId {
    word >> MORE_BITS
}
