//! A shard of the sketches of pages, which show how much of a text the pages contain.
//!
//! Stored in columns: the number of pages; their slots; the number of shingles of each; the
//! identity of each; the number of leading zeros dropped from each; the differences of the highest
//! bytes of all values, which are small, as values ascend; and the two lower bytes of all values.

use super::sealed::open;
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, Manifest, ReadError, slots};
use crate::near::sketch::{MAX_ZEROS, Sketch};

/// Number of bits of a value below its highest byte.
const LOW_BITS: u32 = 16;

/// Sketches of pages that are stored together.
///
/// Each has its slot, ascending: page `n` of an index is in slot `n % sketch_pages` of shard `n /
/// sketch_pages`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SketchShard(pub Vec<(u32, Sketch)>);

impl SketchShard {
    /// Returns the sketch in a slot.
    #[must_use]
    pub fn page(&self, slot: u32) -> Option<&Sketch> {
        slots::at(&self.0, slot)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.0.iter().map(|page| size_of_val(page) + size_of_val(&*page.1.values)).sum()
    }

    /// Returns the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        slots::write(&mut writer, &self.0);
        for (_, sketch) in &self.0 {
            writer.varint(sketch.shingles);
        }
        for (_, sketch) in &self.0 {
            writer.u16(sketch.identity.words);
            writer.u32(sketch.identity.all);
        }
        for (_, sketch) in &self.0 {
            writer.u8(sketch.zeros as u8);
        }
        for (_, sketch) in &self.0 {
            let mut before = 0;
            for value in &sketch.values {
                let high = (value >> LOW_BITS) as u8;
                writer.u8(high - before);
                before = high;
            }
        }
        for value in self.0.iter().flat_map(|(_, sketch)| &sketch.values) {
            writer.u16(*value as u16);
        }
        writer.finish()
    }

    /// Reads a shard of the index of `manifest`, sealed by `generation`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        manifest: &Manifest,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Sketches, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| Self::read(reader, manifest))
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest) -> Result<Self, Damaged> {
        let mut shard = Self::default();
        for slot in slots::read(reader, manifest.sketch_pages)? {
            let shingles = reader.varint("the number of shingles")?;
            shard.0.push((slot, Sketch { shingles, ..Sketch::default() }));
        }
        for (_, Sketch { identity, .. }) in &mut shard.0 {
            identity.words = reader.u16("an identity")?;
            identity.all = reader.u32("an identity")?;
        }
        for (_, sketch) in &mut shard.0 {
            sketch.zeros = u32::from(reader.u8("a number of zeros")?);
            if sketch.zeros > MAX_ZEROS {
                return Err(Damaged("at most 40 zeros"));
            }
        }
        for (_, sketch) in &mut shard.0 {
            let values = sketch.shingles.min(u32::from(manifest.sketch_values)) as usize;
            let mut high = 0u8;
            for &step in reader.bytes(values, "values of a sketch")? {
                high = high.checked_add(step).ok_or(Damaged("values of 24 bits"))?;
                sketch.values.push(u32::from(high) << LOW_BITS);
            }
        }
        for (_, sketch) in &mut shard.0 {
            for value in &mut sketch.values {
                *value |= u32::from(reader.u16("a value of a sketch")?);
            }
            if !sketch.values.is_sorted() {
                return Err(Damaged("ascending values in a sketch"));
            }
        }
        Ok(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::near::identity::Identity;
    use crate::near::sketch::VALUE_BITS;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use proptest::prelude::*;

    fn read(payload: &[u8]) -> Result<SketchShard, ReadError> {
        SketchShard::decode("x", 7, &manifest(Preset::Web), &seal(Kind::Sketches, 7, payload))
    }

    #[test]
    fn values_beyond_the_manifest_are_refused() {
        let page = Sketch { shingles: 2, zeros: 40, values: vec![5, 70_000], ..Sketch::default() };
        let refused = |slot, page: Sketch| read(&SketchShard(vec![(slot, page)]).encode()).is_err();
        assert!(!refused(31, page.clone()));
        assert!(refused(32, page.clone()));
        assert!(refused(0, Sketch { zeros: 41, ..page.clone() }));
        assert!(refused(0, Sketch { shingles: 3, ..page.clone() }));
        assert!(refused(0, Sketch { values: vec![6, 5], ..page }));
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(
            pages in prop::collection::btree_map(0u32..32, (
                prop::collection::vec(0u32..1 << VALUE_BITS, 1..=8), 0..=MAX_ZEROS, 0u32..1_000, any::<(u16, u32)>(),
            ), 0..32)
        ) {
            let pages = pages.into_iter().map(|(slot, (mut values, zeros, more, (words, all)))| {
                values.sort_unstable();
                // The manifest of these tests keeps 8 values.
                let shingles = if values.len() == 8 { 8 + more } else { values.len() as u32 };
                (slot, Sketch { shingles, zeros, values, identity: Identity { words, all } })
            });
            let shard = SketchShard(pages.collect());
            prop_assert_eq!(read(&shard.encode()), Ok(shard.clone()));
            for (slot, sketch) in &shard.0 {
                prop_assert_eq!(shard.page(*slot), Some(sketch));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = read(&payload);
        }
    }
}
