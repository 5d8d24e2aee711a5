//! Slots of pages that are stored together: the start of the shards of pages, and how a page is
//! found in them.
//!
//! The number of pages, then their slots, ascending. A slot may be empty.

use super::wire::{Damaged, Reader, Writer};

/// Returns the item in a slot. `things` are ordered by slot.
pub(super) fn at<T>(things: &[(u32, T)], slot: u32) -> Option<&T> {
    let at = things.binary_search_by_key(&slot, |&(slot, _)| slot).ok()?;
    Some(&things[at].1)
}

/// Writes the number of items and their slots, which ascend.
pub(super) fn write<T>(writer: &mut Writer, things: &[(u32, T)]) {
    writer.varint(things.len() as u32);
    writer.ascending(things.iter().map(|&(slot, _)| slot));
}

/// Reads the slots that [`write`] wrote, in a shard with `n` slots.
pub(super) fn read(reader: &mut Reader<'_>, n: u32) -> Result<Vec<u32>, Damaged> {
    let pages = reader.count("the number of pages")?;
    let slots = reader.ascending_run(pages, "a slot")?;
    if slots.last().is_some_and(|&slot| slot >= n) {
        return Err(Damaged("no more slots than the manifest says"));
    }
    Ok(slots)
}
