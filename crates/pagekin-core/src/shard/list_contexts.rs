//! The contexts that lists are coded in.

use super::coder::NUMBER;
use crate::fit::{LEVEL_BITS, LEVELS};

/// The bits of a class of copies.
pub(super) const COUNT_BITS: u32 = 3;

/// Groups of lists by their lengths.
const GROUPS: usize = 8;
pub(super) fn group_of(n: usize) -> usize {
    [2, 3, 5, 9, 33, 129, 1_025].iter().take_while(|&&least| n >= least).count()
}

/// Steps from term to term: of words, of identifiers.
pub(super) const TERM_AT: [usize; 2] = [0, NUMBER];
/// Lengths of lists, less one: of words, of identifiers.
pub(super) const LENGTH_AT: [usize; 2] = [2 * NUMBER, 3 * NUMBER];
/// How many were cut away.
pub(super) const CUT_AT: usize = 4 * NUMBER;
/// The first slot in a block, and the steps from slot to slot in one.
pub(super) const SLOT_AT: usize = 5 * NUMBER;
pub(super) const NEXT_SLOT_AT: usize = 6 * NUMBER;
/// Steps from block to block, by groups.
pub(super) const BLOCK_AT: usize = NEXT_SLOT_AT + GROUPS / 2 * NUMBER;
/// Levels, by pairs of groups and the level before, or none.
const LEVEL_AT: usize = BLOCK_AT + GROUPS * NUMBER;
const LEVEL_CONTEXTS: usize = 1 << LEVEL_BITS;
/// None, and four pairs of levels.
const LEVELS_BEFORE: usize = 1 + LEVELS as usize / 2;
/// Classes of copies, by pairs of groups and the level.
const COUNT_AT: usize = LEVEL_AT + GROUPS / 2 * LEVELS_BEFORE * LEVEL_CONTEXTS;
const COUNT_CONTEXTS: usize = 1 << COUNT_BITS;
/// All.
pub(super) const CONTEXTS: usize = COUNT_AT + GROUPS / 2 * LEVELS as usize * COUNT_CONTEXTS;

pub(super) fn level_at(group: usize, before: Option<u8>) -> usize {
    let before = before.map_or(0, |level| 1 + usize::from(level / 2));
    LEVEL_AT + (group / 2 * LEVELS_BEFORE + before) * LEVEL_CONTEXTS
}

pub(super) fn count_at(group: usize, level: u8) -> usize {
    COUNT_AT + (group / 2 * LEVELS as usize + usize::from(level)) * COUNT_CONTEXTS
}
