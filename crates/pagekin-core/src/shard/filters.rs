//! Shards of filters and sort keys: which pages have which value.
//!
//! The first shard begins with a directory of the names, values, and numbers of pages. The pages
//! themselves are *chunks* of at most [`CHUNK_PAGES`] pages, in the order of the directory. The
//! first chunk is that of all pages. The chunks of a shard go through the [`coder`](super::coder)
//! together, so that each takes hardly more than its entropy.
//!
//! A shard has few bytes, because a visitor who chooses a value reads those of its neighbors.

use super::coder::{Bits, Decoder, Encoder, Model, NUMBER};
use super::sealed::open;
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, Manifest, ReadError};
use crate::page_set::PageSet;

/// Maximum number of pages in a chunk.
const CHUNK_PAGES: u32 = 1 << 16;
/// Maximum number of runs and ranks in a shard. Likely ones take almost no space, and a reader
/// refuses what would fill its memory.
const MAX_VALUES: usize = CHUNK_PAGES as usize;
/// Maximum number of bytes of the chunks of a shard, unless it has only one.
const SHARD_BYTES: usize = 2 << 10;

/// Whether a chunk has ranks.
const KIND_AT: usize = 0;
/// The number of runs of a chunk of pages, and of pages of a chunk of ranks, minus one.
const COUNT_AT: usize = 1;
/// The bits of the highest bit of a rank.
const RANK_AT: usize = COUNT_AT + NUMBER;
/// The differences between runs, and their lengths, by the group of the chunk.
const RUNS_AT: usize = RANK_AT + NUMBER;
/// Number of groups of chunks by the mean number of slots for each run.
const GROUPS: usize = 8;
/// The number of all contexts.
const CONTEXTS: usize = RUNS_AT + GROUPS * 2 * NUMBER;

/// Returns the contexts of the differences between the runs of a chunk, and of their lengths.
fn runs_at(slots: u32, runs: u32) -> [usize; 2] {
    let group = (slots / runs.max(1)).checked_ilog2().unwrap_or(0) as usize;
    let at = RUNS_AT + group.min(GROUPS - 1) * 2 * NUMBER;
    [at, at + NUMBER]
}

/// A value of a filter, and the pages that have it.
pub type ValuePages = (String, PageSet);

/// What pages are filtered or sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFilters {
    /// All pages.
    pub all: PageSet,
    /// The filters, ascending by name. Each has its values, ascending, with the pages that have
    /// them.
    pub filters: Vec<(String, Vec<ValuePages>)>,
    /// The sort keys, ascending by name. Each has pages, ascending, with the rank of their value.
    pub sorts: Vec<(String, Vec<(u32, u32)>)>,
}

impl WrittenFilters {
    /// Returns the payloads of all shards of an index with a number of slots.
    #[must_use]
    pub fn encode(&self, slots: u32) -> Vec<Vec<u8>> {
        self.encode_with(slots, true).or_else(|| self.encode_with(slots, false)).unwrap_or_default()
    }

    /// Encodes all values in the first shard. Returns `None` if it is too small. The directory is
    /// then read without any value.
    fn encode_with(&self, slots: u32, is_one: bool) -> Option<Vec<Vec<u8>>> {
        let mut chunks = ChunkWriter { slots, shards: vec![Vec::new()], bytes: 0, values: 0 };
        chunks.pages(&self.all);
        if !is_one {
            chunks.bytes = SHARD_BYTES;
        }
        let mut directory = Writer::new();
        directory.varint(self.filters.len() as u32);
        for (name, values) in &self.filters {
            directory.text(name);
            directory.varint(values.len() as u32);
            for (value, pages) in values {
                directory.text(value);
                let begins = chunks.pages(pages);
                directory.varint(pages.len() << 1 | u32::from(begins));
            }
        }
        if is_one && chunks.shards.len() > 1 {
            return None;
        }
        directory.varint(self.sorts.len() as u32);
        for (name, ranks) in &self.sorts {
            directory.text(name);
            let begins = chunks.ranks(ranks);
            directory.varint((ranks.len() as u32) << 1 | u32::from(begins));
        }
        let mut first = Some(directory.finish());
        let shard = |chunks: Vec<Chunk>| {
            let mut writer = Writer::new();
            writer.bytes(&first.take().unwrap_or_default());
            let values: usize = chunks.iter().map(Chunk::values).sum();
            writer.varint(chunks.len() as u32);
            writer.varint(values as u32);
            writer.bytes(&coded(&chunks, slots));
            writer.finish()
        };
        Some(chunks.shards.into_iter().map(shard).collect())
    }
}

fn coded(chunks: &[Chunk], slots: u32) -> Vec<u8> {
    let mut encoder = Encoder::new(&Model::even(CONTEXTS));
    chunks.iter().for_each(|chunk| chunk.write(&mut encoder, slots));
    encoder.finish(0)
}

struct ChunkWriter {
    slots: u32,
    shards: Vec<Vec<Chunk>>,
    /// The approximate number of bytes of the last shard, and that of its runs and ranks.
    bytes: usize,
    values: usize,
}

impl ChunkWriter {
    /// Adds the chunks of a set. Returns whether the first is in a new shard.
    fn pages(&mut self, pages: &PageSet) -> bool {
        let (mut chunks, mut runs, mut left) = (Vec::new(), PageSet::default(), CHUNK_PAGES);
        for &(mut start, end) in pages.ranges() {
            while start < end {
                let stop = end.min(start.saturating_add(left));
                runs.push(start, stop);
                left -= stop - start;
                start = stop;
                if left == 0 {
                    chunks.push(Chunk::Pages(std::mem::take(&mut runs)));
                    left = CHUNK_PAGES;
                }
            }
        }
        if !runs.is_empty() {
            chunks.push(Chunk::Pages(runs));
        }
        self.add(chunks)
    }

    /// Adds the chunks of a sort key. Returns whether the first is in a new shard.
    fn ranks(&mut self, ranks: &[(u32, u32)]) -> bool {
        let chunks = ranks.chunks(CHUNK_PAGES as usize);
        self.add(chunks.map(|ranks| Chunk::Ranks(ranks.to_vec())).collect())
    }

    fn add(&mut self, chunks: Vec<Chunk>) -> bool {
        let mut first_begins = None;
        for chunk in chunks {
            let bytes = coded(std::slice::from_ref(&chunk), self.slots).len();
            let fits = self.bytes + bytes <= SHARD_BYTES || self.values == 0;
            let begins =
                first_begins.is_some() || !fits || self.values + chunk.values() > MAX_VALUES;
            first_begins.get_or_insert(begins);
            if begins {
                self.shards.push(Vec::new());
                (self.bytes, self.values) = (0, 0);
            }
            self.bytes += bytes;
            self.values += chunk.values();
            if let Some(shard) = self.shards.last_mut() {
                shard.push(chunk);
            }
        }
        first_begins.unwrap_or_default()
    }
}

/// Where the chunks of a value or a sort key are: the first in a shard at an index, each further
/// one as the first of the next shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    shard: u32,
    at: u32,
    chunks: u32,
}

/// A value of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterValue {
    /// The value.
    pub value: String,
    /// The number of pages that have it.
    pub pages: u32,
    place: Place,
}

/// The names of all filters and sort keys, and where their pages are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterDirectory {
    all: Place,
    /// The filters, ascending by name, each with its values, ascending.
    pub filters: Vec<(String, Vec<FilterValue>)>,
    sorts: Vec<(String, Place)>,
    /// The number of pages in all chunks.
    pub pages: u64,
    /// The first shard without filters.
    end_of_filters: u32,
}

impl FilterDirectory {
    /// Returns the keys by which pages can be sorted, ascending.
    pub fn sort_keys(&self) -> impl Iterator<Item = &str> {
        self.sorts.iter().map(|(key, _)| key.as_str())
    }

    /// Returns a value of a filter.
    pub(crate) fn value(&self, name: &str, value: &str) -> Option<&FilterValue> {
        let at = self.filters.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        let values = &self.filters[at].1;
        let at = values.binary_search_by(|known| (*known.value).cmp(value)).ok()?;
        Some(&values[at])
    }

    fn sort(&self, name: &str) -> Option<Place> {
        let at = self.sorts.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(self.sorts[at].1)
    }

    /// Returns the shards with all pages.
    pub(crate) fn shards_of_all(&self) -> impl Iterator<Item = u32> + use<> {
        self.all.shards()
    }

    /// Returns the shards with the pages of a value.
    pub(crate) fn shards_of_value(&self, name: &str, value: &str) -> impl Iterator<Item = u32> {
        self.value(name, value).into_iter().flat_map(|value| value.place.shards())
    }

    /// Returns the shards of a sort key.
    pub(crate) fn shards_of_sort(&self, name: &str) -> impl Iterator<Item = u32> + use<> {
        self.sort(name).into_iter().flat_map(Place::shards)
    }

    /// Returns the number of shards that have the pages of all filters: the first ones.
    pub(crate) fn shards_of_filters(&self) -> u32 {
        self.end_of_filters
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest) -> Result<Self, Damaged> {
        let mut placer = Placer { shard: 0, at: 0, shards: manifest.filters.shards, pages: 0 };
        let all = placer.place(manifest.pages << 1)?;
        let mut filters: Vec<(String, Vec<FilterValue>)> = Vec::new();
        for _ in 0..reader.count("the number of filters")? {
            let name = reader.text("the name of a filter")?;
            check_order(filters.last().map(|(last, _)| &**last), name)?;
            let mut values: Vec<FilterValue> = Vec::new();
            for _ in 0..reader.count("the number of values")? {
                let value = reader.text("a value of a filter")?.to_owned();
                check_order(values.last().map(|last| &*last.value), &value)?;
                let coded = reader.varint("the pages of a value")?;
                let place = placer.place(coded)?;
                values.push(FilterValue { value, pages: coded >> 1, place });
            }
            filters.push((name.to_owned(), values));
        }
        let end_of_filters = placer.shard + 1;
        let mut sorts: Vec<(String, Place)> = Vec::new();
        for _ in 0..reader.count("the number of sort keys")? {
            let name = reader.text("a sort key")?;
            check_order(sorts.last().map(|(last, _)| &**last), name)?;
            let coded = reader.varint("the pages of a sort key")?;
            sorts.push((name.to_owned(), placer.place(coded)?));
        }
        if placer.shard + 1 != manifest.filters.shards {
            return Err(Damaged("as many shards of filters as their chunks need"));
        }
        Ok(Self { all, filters, sorts, pages: placer.pages, end_of_filters })
    }

    fn memory(&self) -> usize {
        let values = self.filters.iter().flat_map(|(_, values)| values);
        let texts: usize = values.map(|value| size_of_val(value) + value.value.len()).sum();
        texts + 64 * (self.filters.len() + self.sorts.len())
    }
}

fn check_order(last: Option<&str>, next: &str) -> Result<(), Damaged> {
    let is_after = last.is_none_or(|last| last < next);
    is_after.then_some(()).ok_or(Damaged("names and values of filters in order"))
}

impl Place {
    fn shards(self) -> std::ops::Range<u32> {
        self.shard..self.shard + self.chunks
    }
}

/// Assigns places to chunks, in the order of the directory.
struct Placer {
    shard: u32,
    at: u32,
    shards: u32,
    /// The number of pages in all chunks.
    pages: u64,
}

impl Placer {
    /// Places chunks by the number of their pages, times two, plus one if they begin a shard.
    fn place(&mut self, coded: u32) -> Result<Place, Damaged> {
        let (pages, begins) = (coded >> 1, coded & 1);
        self.pages += u64::from(pages);
        if begins == 1 {
            self.shard += 1;
            self.at = 0;
        }
        let place = Place { shard: self.shard, at: self.at, chunks: pages.div_ceil(CHUNK_PAGES) };
        let last = u64::from(self.shard) + u64::from(place.chunks.saturating_sub(1));
        if place.chunks == 0 || last >= u64::from(self.shards) {
            return Err(Damaged("pages of each value, in shards of filters"));
        }
        self.at = if place.chunks > 1 { 1 } else { self.at + 1 };
        self.shard = last as u32;
        Ok(place)
    }
}

/// A part of the pages of a value, or of the ranks of a sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Chunk {
    Pages(PageSet),
    Ranks(Vec<(u32, u32)>),
}

/// A shard of filters and sort keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterShard {
    /// The directory, in the first shard.
    pub directory: Option<FilterDirectory>,
    chunks: Vec<Chunk>,
}

impl FilterShard {
    /// Reads a shard of the index of `manifest`, by its number.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        number: u32,
        manifest: &Manifest,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Filters, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| Self::read(reader, number, manifest))
    }

    fn read(reader: &mut Reader<'_>, number: u32, manifest: &Manifest) -> Result<Self, Damaged> {
        let directory = (number == 0).then(|| FilterDirectory::read(reader, manifest));
        let directory = directory.transpose()?;
        let n = reader.varint("the number of chunks")?;
        let mut left = reader.varint("the number of runs and ranks")? as usize;
        if left > MAX_VALUES {
            return Err(Damaged("a sensible number of runs and ranks"));
        }
        let coded = reader.bytes(reader.rest().len(), "coded chunks")?;
        let mut decoder = Decoder::new(&Model::even(CONTEXTS), coded);
        let mut chunks = Vec::new();
        for _ in 0..n {
            let chunk = Chunk::read(&mut decoder, manifest.slots(), left)?;
            left -= chunk.values();
            chunks.push(chunk);
        }
        if left > 0 || !decoder.is_at_end(0) {
            return Err(Damaged("as many runs and ranks as it says"));
        }
        Ok(Self { directory, chunks })
    }

    /// Returns the number of pages in its chunks.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let of_chunk = |chunk: &Chunk| match chunk {
            Chunk::Pages(pages) => u64::from(pages.len()),
            Chunk::Ranks(ranks) => ranks.len() as u64,
        };
        self.chunks.iter().map(of_chunk).sum()
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let of_chunk = |chunk: &Chunk| match chunk {
            Chunk::Pages(pages) => pages.memory(),
            Chunk::Ranks(ranks) => size_of_val(&**ranks),
        };
        let of_directory = self.directory.as_ref().map_or(0, FilterDirectory::memory);
        of_directory + self.chunks.iter().map(|chunk| of_chunk(chunk) + 32).sum::<usize>()
    }
}

impl Chunk {
    /// Returns the number of runs of pages, or of pages with ranks.
    fn values(&self) -> usize {
        match self {
            Self::Pages(pages) => pages.ranges().len(),
            Self::Ranks(ranks) => ranks.len(),
        }
    }

    fn write(&self, bits: &mut impl Bits, slots: u32) {
        let n = self.values() as u32;
        let at = runs_at(slots, n);
        bits.bit(KIND_AT, matches!(self, Self::Ranks(_)));
        bits.number(COUNT_AT, n - 1);
        // Runs do not touch each other, but pages with ranks may.
        let mut next = 0;
        match self {
            Self::Pages(pages) => {
                for &(start, end) in pages.ranges() {
                    bits.number(at[0], start - next);
                    bits.number(at[1], end - start - 1);
                    next = end.saturating_add(1);
                }
            }
            Self::Ranks(ranks) => {
                for &(page, rank) in ranks {
                    bits.number(at[0], page - next);
                    bits.number(RANK_AT, rank);
                    next = page + 1;
                }
            }
        }
    }

    /// Reads the output of [`write`](Self::write), of at most `most` runs or ranks.
    fn read(decoder: &mut Decoder<'_>, slots: u32, most: usize) -> Result<Self, Damaged> {
        let are_ranks = decoder.bit(KIND_AT);
        let n = decoder.number(COUNT_AT) + 1;
        if n as usize > most {
            return Err(Damaged("as many runs and ranks as it says"));
        }
        let at = runs_at(slots, n);
        let (mut pages, mut ranks, mut next) = (PageSet::default(), Vec::new(), 0u32);
        for _ in 0..n {
            let start = next.checked_add(decoder.number(at[0]));
            let start = start.filter(|&start| start < slots);
            let start = start.ok_or(Damaged("pages below the number of slots"))?;
            if are_ranks {
                ranks.push((start, decoder.number(RANK_AT)));
                next = start + 1;
            } else {
                let end = (start + 1).checked_add(decoder.number(at[1]));
                let end = end.filter(|&end| end <= slots);
                let end = end.ok_or(Damaged("pages below the number of slots"))?;
                pages.push(start, end);
                next = end.saturating_add(1);
            }
        }
        Ok(if are_ranks { Self::Ranks(ranks) } else { Self::Pages(pages) })
    }
}

/// The shards of filters that a lookup has read.
pub(crate) struct FilterReader<'a, F: Fn(u32) -> Option<&'a FilterShard>> {
    pub(crate) directory: &'a FilterDirectory,
    /// Returns a shard by its number.
    pub(crate) shard: F,
}

impl<'a, F: Fn(u32) -> Option<&'a FilterShard>> FilterReader<'a, F> {
    fn chunks(&self, place: Place) -> impl Iterator<Item = &'a Chunk> {
        place.shards().filter_map(move |number| {
            let at = if number == place.shard { place.at } else { 0 };
            (self.shard)(number)?.chunks.get(at as usize)
        })
    }

    fn pages(&self, place: Place) -> PageSet {
        let mut all = PageSet::default();
        for chunk in self.chunks(place) {
            if let Chunk::Pages(pages) = chunk {
                all = if all.is_empty() { pages.clone() } else { all.or(pages) };
            }
        }
        all
    }

    /// Returns all pages of the site.
    pub(crate) fn all(&self) -> PageSet {
        self.pages(self.directory.all)
    }

    /// Returns the pages that have a value.
    pub(crate) fn pages_of(&self, value: &FilterValue) -> PageSet {
        self.pages(value.place)
    }

    /// Returns pages with the ranks of their values, ascending by page. None if no page has the
    /// key.
    pub(crate) fn ranks(&self, sort: &str) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for chunk in self.directory.sort(sort).into_iter().flat_map(|place| self.chunks(place)) {
            if let Chunk::Ranks(ranks) = chunk {
                all.extend_from_slice(ranks);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shards, seal};
    use super::*;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn manifest_of(shards: u32, pages: u32) -> Manifest {
        let mut manifest =
            Manifest { filters: Shards::from_files(shards), ..manifest(Preset::Web) };
        (manifest.pages, manifest.block_pages) = (pages, 32_768);
        manifest
    }

    fn read_all(written: &WrittenFilters) -> Vec<FilterShard> {
        let manifest = manifest_of(1, written.all.len());
        let payloads = written.encode(manifest.slots());
        let manifest = manifest_of(payloads.len() as u32, written.all.len());
        let read = |(number, payload): (u32, &Vec<u8>)| {
            let sealed = seal(Kind::Filters, 7, payload);
            FilterShard::decode("x", 7, number, &manifest, &sealed).unwrap()
        };
        (0..).zip(&payloads).map(read).collect()
    }

    #[track_caller]
    fn check(written: &WrittenFilters) {
        let shards = read_all(written);
        let directory = shards[0].directory.as_ref().unwrap();
        let reader = FilterReader { directory, shard: |number| shards.get(number as usize) };
        assert_eq!(reader.all(), written.all);
        for (name, values) in &written.filters {
            for (value, pages) in values {
                let found = directory.value(name, value).unwrap();
                assert_eq!(found.pages, pages.len());
                assert_eq!(reader.pages_of(found), *pages);
                assert!(
                    directory.shards_of_value(name, value).max() < Some(directory.end_of_filters)
                );
            }
            assert_eq!(directory.value(name, "no such value"), None);
        }
        for (name, ranks) in &written.sorts {
            assert_eq!(reader.ranks(name), *ranks);
        }
        assert_eq!(reader.ranks("no such key"), []);
    }

    fn set(pages: impl IntoIterator<Item = u32>) -> PageSet {
        PageSet::from_ascending(pages)
    }

    #[test]
    fn many_pages_are_in_several_shards() {
        let all = set(0..131_072);
        let thirds = set((0..131_072).filter(|page| page % 3 > 0));
        let values =
            vec![("a".to_owned(), set([5])), ("b".to_owned(), thirds), ("c".to_owned(), set([7]))];
        let ranks: Vec<_> = (0..131_072).map(|page| (page, page * 7 % 1_000)).collect();
        let filters = vec![("f".to_owned(), values.clone()), ("g".to_owned(), values)];
        let written = WrittenFilters { all, filters, sorts: vec![("s".to_owned(), ranks)] };
        assert!(read_all(&written).len() > 4);
        check(&written);
    }

    #[test]
    fn a_directory_must_fit_its_shards() {
        let filters = vec![("f".to_owned(), vec![("a".to_owned(), set([5]))])];
        let written = WrittenFilters { all: set(0..9), filters, sorts: Vec::new() };
        let payload = &written.encode(1 << 15)[0];
        let read = |shards, pages| {
            let manifest = manifest_of(shards, pages);
            FilterShard::decode("x", 7, 0, &manifest, &seal(Kind::Filters, 7, payload)).is_ok()
        };
        assert!(read(1, 9));
        assert!(!read(2, 9));
        assert!(!read(1, 0));
        assert!(!read(1, 1 << 17));
    }

    proptest! {
        #[test]
        fn written_filters_are_read_back(
            values in prop::collection::btree_map("[a-c]{1,2}", prop::collection::btree_map(
                "[x-z]{1,2}", prop::collection::btree_set(0u32..99, 1..50), 0..6), 0..4),
            sorts in prop::collection::btree_map("[a-c]{1,2}", prop::collection::btree_map(0u32..99, 0u32..40, 1..50), 0..3),
        ) {
            let of_filter = |values: BTreeMap<String, BTreeSet<u32>>| {
                values.into_iter().map(|(value, pages)| (value, set(pages))).collect()
            };
            check(&WrittenFilters {
                all: set(0..99),
                filters: values.into_iter().map(|(name, values)| (name, of_filter(values))).collect(),
                sorts: sorts.into_iter().map(|(name, ranks)| (name, ranks.into_iter().collect())).collect(),
            });
        }

        #[test]
        fn any_payload_is_read_or_refused(number in 0u32..2, payload: Vec<u8>) {
            let sealed = seal(Kind::Filters, 7, &payload);
            let _ = FilterShard::decode("x", 7, number, &manifest_of(2, 40), &sealed);
        }
    }
}
