//! The contexts in which the terms of a block are coded.

use super::coder::NUMBER;
use super::embeddings;
use crate::bag::FREQUENCIES;
use crate::fit::EMPHASIS_BITS;

/// Number of bits of a class of frequencies.
pub(super) const FREQUENCY_BITS: u32 = FREQUENCIES.len().ilog2();

/// Number of groups of terms by how common they are. Words outside the vocabulary and identifiers
/// are two more.
const TERM_GROUPS: usize = 8;
pub(super) const RARE_WORD: usize = TERM_GROUPS;
pub(super) fn group_of(idf: u8) -> usize {
    usize::from(idf / 16).min(TERM_GROUPS - 1)
}

/// Number of groups of blocks by their number of pages.
const BLOCK_GROUPS: usize = 4;
fn group_of_block(pages: usize) -> usize {
    [5, 17, 49].iter().take_while(|&&least| pages >= least).count()
}

/// Number of groups of pages by their number of terms, compared with the others of the block.
const PAGE_GROUPS: usize = 4;

/// Whether a block contains a term of the vocabulary.
const COMMON_AT: usize = 0;
/// Differences between the ids of rare terms: of words, of identifiers.
pub(super) const RARE_AT: [usize; 2] =
    [BLOCK_GROUPS * TERM_GROUPS, BLOCK_GROUPS * TERM_GROUPS + NUMBER];
/// Whether a page contains a term, by the number of previous pages that do.
const PLACE_AT: usize = RARE_AT[1] + NUMBER;
const MAX_PREVIOUS: usize = 3;
/// The classes of frequencies, by the largest of the previous pages.
const CLASS_AT: usize = PLACE_AT + (TERM_GROUPS + 2) * (MAX_PREVIOUS + 1) * PAGE_GROUPS;
const CLASS_CONTEXTS: usize = 1 << FREQUENCY_BITS;
const CLASS_GROUPS: usize = 4;
/// The counts in bags, minus one.
pub(super) const COUNT_AT: usize = CLASS_AT + CLASS_GROUPS * PAGE_GROUPS * CLASS_CONTEXTS;
/// The classes of emphasis, by group of terms and whether the page contains the term once, twice or
/// more often.
const EMPHASIS_AT: usize = COUNT_AT + NUMBER;
const EMPHASIS_CONTEXTS: usize = 1 << EMPHASIS_BITS;
const EMPHASIS_GROUPS: usize = 3;
const OFTEN: usize = 3;
/// Whether an emphasized term is outside the text, by the class of its emphasis.
pub(super) const OUTSIDE_AT: usize = EMPHASIS_AT + EMPHASIS_GROUPS * OFTEN * EMPHASIS_CONTEXTS;
/// Whether a term of the last class is one that the page defines, rather than its name.
pub(super) const DEFINED_AT: usize = OUTSIDE_AT + EMPHASIS_CONTEXTS;
/// The embeddings of pages.
pub(super) const EMBEDDING_AT: usize = DEFINED_AT + 1;
/// The number of all contexts.
pub(super) const CONTEXTS: usize = EMBEDDING_AT + embeddings::CONTEXTS;

pub(super) fn common_at(pages: usize, idf: u8) -> usize {
    COMMON_AT + group_of_block(pages) * TERM_GROUPS + group_of(idf)
}

pub(super) fn place_at(group: usize, before: usize, page: usize) -> usize {
    PLACE_AT + (group * (MAX_PREVIOUS + 1) + before.min(MAX_PREVIOUS)) * PAGE_GROUPS + page
}

pub(super) fn class_at(largest: Option<u8>, page: usize) -> usize {
    let group =
        largest.map_or(0, |largest| 1 + [1, 3].iter().filter(|&&least| largest >= least).count());
    CLASS_AT + (group * PAGE_GROUPS + page) * CLASS_CONTEXTS
}

pub(super) fn emphasis_at(group: usize, class: u32) -> usize {
    // Common words, rarer words, identifiers.
    let group = [2, TERM_GROUPS + 1].iter().filter(|&&least| group >= least).count();
    EMPHASIS_AT + (group * OFTEN + (class as usize).min(OFTEN - 1)) * EMPHASIS_CONTEXTS
}
