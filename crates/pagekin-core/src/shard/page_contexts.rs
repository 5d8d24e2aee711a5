//! The contexts that the terms of a block are coded in.

use super::coder::NUMBER;
use crate::bag::FREQUENCIES;
use crate::fit::EMPHASIS_BITS;

/// The bits of a class of frequencies.
pub(super) const FREQUENCY_BITS: u32 = FREQUENCIES.len().ilog2();

/// Groups of terms by how common they are; then words beyond the vocabulary, then identifiers.
const TERM_GROUPS: usize = 8;
pub(super) const RARE_WORD: usize = TERM_GROUPS;
pub(super) fn group_of(idf: u8) -> usize {
    usize::from(idf / 16).min(TERM_GROUPS - 1)
}

/// Groups of blocks by their pages.
const BLOCK_GROUPS: usize = 4;
fn group_of_block(pages: usize) -> usize {
    [5, 17, 49].iter().take_while(|&&least| pages >= least).count()
}

/// Groups of pages by how many terms they have beside the others of their block.
const PAGE_GROUPS: usize = 4;

/// Whether a block has a term of the vocabulary.
const COMMON_AT: usize = 0;
/// The steps from rare term to rare term: words, identifiers.
pub(super) const RARE_AT: [usize; 2] =
    [BLOCK_GROUPS * TERM_GROUPS, BLOCK_GROUPS * TERM_GROUPS + NUMBER];
/// Whether a page has a term, by how many before have it.
const PLACE_AT: usize = RARE_AT[1] + NUMBER;
const MAX_PREVIOUS: usize = 3;
/// The classes of frequencies, by the largest of the pages before.
const CLASS_AT: usize = PLACE_AT + (TERM_GROUPS + 2) * (MAX_PREVIOUS + 1) * PAGE_GROUPS;
const CLASS_CONTEXTS: usize = 1 << FREQUENCY_BITS;
const CLASS_GROUPS: usize = 4;
/// The copies of bags, less one.
pub(super) const COUNT_AT: usize = CLASS_AT + CLASS_GROUPS * PAGE_GROUPS * CLASS_CONTEXTS;
/// The classes of emphasis, by groups of terms and whether a page has the term once, twice or more.
const EMPHASIS_AT: usize = COUNT_AT + NUMBER;
const EMPHASIS_CONTEXTS: usize = 1 << EMPHASIS_BITS;
const EMPHASIS_GROUPS: usize = 3;
const OFTEN: usize = 3;
/// Whether a term that stands out is outside the text, by the class of its emphasis.
pub(super) const OUTSIDE_AT: usize = EMPHASIS_AT + EMPHASIS_GROUPS * OFTEN * EMPHASIS_CONTEXTS;
/// All.
pub(super) const CONTEXTS: usize = OUTSIDE_AT + EMPHASIS_CONTEXTS;

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
