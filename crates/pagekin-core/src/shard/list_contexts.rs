//! The contexts in which lists are coded.

use super::coder::NUMBER;
use super::embeddings;
use crate::fit::{LEVEL_BITS, LEVELS};

/// Number of bits of a class of counts.
pub(super) const COUNT_BITS: u32 = 3;

/// Number of groups of lists by length.
const GROUPS: usize = 8;
pub(super) fn group_of(n: usize) -> usize {
    [2, 3, 5, 9, 33, 129, 1_025].iter().take_while(|&&least| n >= least).count()
}

/// Differences between term ids: of words, of identifiers.
pub(super) const TERM_AT: [usize; 2] = [0, NUMBER];
/// Lengths of lists minus one: of words, of identifiers.
pub(super) const LENGTH_AT: [usize; 2] = [2 * NUMBER, 3 * NUMBER];
/// Numbers of pages that were cut.
pub(super) const CUT_AT: usize = 4 * NUMBER;
/// The first slot in a block, and the differences between slots of the same block.
pub(super) const SLOT_AT: usize = 5 * NUMBER;
pub(super) const NEXT_SLOT_AT: usize = 6 * NUMBER;
/// Differences between blocks, by group.
pub(super) const BLOCK_AT: usize = NEXT_SLOT_AT + GROUPS / 2 * NUMBER;
/// Levels, by pair of groups and the previous level, if any.
const LEVEL_AT: usize = BLOCK_AT + GROUPS * NUMBER;
const LEVEL_CONTEXTS: usize = 1 << LEVEL_BITS;
/// No previous level, or one of four pairs of levels.
const LEVELS_BEFORE: usize = 1 + LEVELS as usize / 2;
/// Classes of counts, by pair of groups and level.
const COUNT_AT: usize = LEVEL_AT + GROUPS / 2 * LEVELS_BEFORE * LEVEL_CONTEXTS;
const COUNT_CONTEXTS: usize = 1 << COUNT_BITS;
/// The embeddings of words.
pub(super) const EMBEDDING_AT: usize = COUNT_AT + GROUPS / 2 * LEVELS as usize * COUNT_CONTEXTS;
/// The number of all contexts.
pub(super) const CONTEXTS: usize = EMBEDDING_AT + embeddings::CONTEXTS;

pub(super) fn level_at(group: usize, before: Option<u8>) -> usize {
    let before = before.map_or(0, |level| 1 + usize::from(level / 2));
    LEVEL_AT + (group / 2 * LEVELS_BEFORE + before) * LEVEL_CONTEXTS
}

pub(super) fn count_at(group: usize, level: u8) -> usize {
    COUNT_AT + (group / 2 * LEVELS as usize + usize::from(level)) * COUNT_CONTEXTS
}
