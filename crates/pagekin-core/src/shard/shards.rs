//! The shards of one kind: how many there are, and in which files, one for each or in packs.

use std::ops::Range;

use super::wire::{Damaged, Reader, Writer};

/// Maximum number of bytes of a pack, as hosts refuse files of more than 20 to 25 MiB.
pub const PACK_BYTES: u32 = 16 << 20;

/// The shards of one kind: how many there are, and in which files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shards {
    /// The number of shards.
    pub shards: u32,
    /// The number of bytes of a slot in a pack, at most 16 MiB, padded with zeros. 0 if shards are
    /// not in slots.
    pub slot: u32,
    /// The places of shards that are stored back to back in packs. Empty if they are not.
    places: Vec<Place>,
    /// The files of another generation than the first, in ascending order, each with the index of
    /// its generation in [`Manifest::generations`](super::Manifest::generations).
    pub revised: Vec<(u32, u32)>,
}

/// The place of a shard in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    file: u32,
    offset: u32,
    bytes: u32,
}

/// The lengths of shards that are stored back to back are multiples of this number of bytes, so
/// that a manifest stores them in few bytes.
pub const PACK_UNIT: u32 = 32;
/// Written instead of the bytes of a slot if shards are stored back to back.
const NO_SLOTS: u32 = 1;

impl Shards {
    /// Creates shards that are one file each.
    #[must_use]
    pub fn from_files(shards: u32) -> Self {
        Self { shards, ..Self::default() }
    }

    /// Creates shards of these lengths, rounded up to [`PACK_UNIT`], which are stored back to back
    /// in packs of at most 16 MiB, unless a single one is longer.
    #[must_use]
    pub fn back_to_back(lengths: impl IntoIterator<Item = u32>) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for bytes in lengths {
            let bytes = bytes.max(1).div_ceil(PACK_UNIT).saturating_mul(PACK_UNIT);
            let (file, offset) = places.last().map_or((0, 0), |last| {
                let offset = last.offset.saturating_add(last.bytes);
                let fits = offset.checked_add(bytes).is_some_and(|end| end <= PACK_BYTES);
                if fits { (last.file, offset) } else { (last.file + 1, 0) }
            });
            places.push(Place { file, offset, bytes });
        }
        Self { shards: places.len() as u32, places, ..Self::default() }
    }

    /// Returns the number of files.
    #[must_use]
    pub fn files(&self) -> u32 {
        match self.places.last() {
            Some(last) => last.file + 1,
            None => self.shards.div_ceil(self.slots_of_file()),
        }
    }

    /// Whether shards are in packs.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.slot > 0 || !self.places.is_empty()
    }

    /// Returns the number of slots in a file, or 1 if it is not a pack.
    fn slots_of_file(&self) -> u32 {
        PACK_BYTES.checked_div(self.slot).map_or(1, |shards| shards.max(1))
    }

    /// Returns the file of a shard.
    #[must_use]
    pub fn file_of(&self, shard: u32) -> u32 {
        let place = self.places.get(shard as usize);
        place.map_or_else(|| shard / self.slots_of_file(), |place| place.file)
    }

    /// Returns the shards in a file.
    #[must_use]
    pub fn shards_of(&self, file: u32) -> Range<u32> {
        if self.places.is_empty() {
            let n = self.slots_of_file();
            return file.saturating_mul(n)..self.shards.min((file + 1).saturating_mul(n));
        }
        let first = |file| self.places.partition_point(|place| place.file < file) as u32;
        first(file)..first(file + 1)
    }

    /// Returns the offset and length of a shard in its pack, or `None` if it is a file of its own.
    pub(super) fn place_in_pack(&self, shard: u32) -> Option<(u32, u32)> {
        match (self.places.get(shard as usize), self.slot) {
            (Some(place), _) => Some((place.offset, place.bytes)),
            (None, 0) => None,
            (None, slot) => Some((shard % self.slots_of_file() * slot, slot)),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u32(self.shards);
        writer.u32(if self.places.is_empty() { self.slot } else { NO_SLOTS });
        for place in &self.places {
            writer.varint(place.bytes / PACK_UNIT);
        }
        writer.varint(self.revised.len() as u32);
        writer.ascending(self.revised.iter().map(|&(file, _)| file));
        for &(_, generation) in &self.revised {
            writer.varint(generation);
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, generations: usize) -> Result<Self, Damaged> {
        let shards = reader.u32("the number of shards")?;
        let slot = reader.u32("the bytes of a slot")?;
        let mut part = Self { shards, slot, ..Self::default() };
        if slot == NO_SLOTS {
            // Each length takes at least one byte.
            if shards as usize > reader.rest().len() {
                return Err(Damaged("the bytes of each shard"));
            }
            let mut lengths = Vec::with_capacity(shards as usize);
            for _ in 0..shards {
                let units = reader.varint("the bytes of a shard")?;
                lengths.push(units.saturating_mul(PACK_UNIT));
            }
            part = Self::back_to_back(lengths);
        }
        if slot > PACK_BYTES {
            return Err(Damaged("slots of at most 16 MiB"));
        }
        let n = reader.count("the number of revised files")?;
        for file in reader.ascending_run(n, "a revised file")? {
            part.revised.push((file, 0));
        }
        for (_, generation) in &mut part.revised {
            *generation = reader.varint("the generation of a file")?;
            if *generation as usize >= generations {
                return Err(Damaged("a generation of the manifest"));
            }
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use crate::shard::{Kind, Manifest};

    #[test]
    fn each_shard_is_in_its_file() {
        let of_files = Shards::from_files(5);
        let in_slots = Shards { slot: PACK_BYTES / 2, ..of_files.clone() };
        for (part, of_file) in [(of_files, 1), (in_slots, 2)] {
            let files = (0..part.files()).map(|file| part.shards_of(file));
            let expected: Vec<_> = (0..5).step_by(of_file).collect();
            assert_eq!(files.clone().map(|shards| shards.start).collect::<Vec<_>>(), expected);
            assert_eq!(files.clone().flatten().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            for (file, shards) in (0..).zip(files) {
                assert!(shards.into_iter().all(|shard| part.file_of(shard) == file));
            }
        }
    }

    #[test]
    fn shards_are_stored_back_to_back() {
        let most = PACK_BYTES;
        let part = Shards::back_to_back([10, most - 40, 1, most + 5, 7]);
        assert_eq!((part.shards, part.files()), (5, 4));
        let shards: Vec<_> = (0..4).map(|file| part.shards_of(file)).collect();
        assert_eq!(shards, [0..2, 2..3, 3..4, 4..5]);
        let lists = Shards { revised: vec![(3, 1)], ..part };
        let manifest = Manifest { lists, ..manifest(Preset::Web) };
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest.clone()));
        let names = [1, 4].map(|shard| manifest.name(Kind::Lists, shard));
        let expected = [
            format!("index/0123456789abcdef/lists-000.pack#32+{}", most - 32),
            "index/0000000000000007/lists-003.pack#0+32".to_owned(),
        ];
        assert_eq!(names, expected);
    }
}
