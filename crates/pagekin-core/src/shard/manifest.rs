//! The manifest: what an index is, all that is needed before the first query, and where its shards lie.

use super::coder::Model;
use std::ops::Range;

use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, ListShard, ReadError, lists, open, pages, seal, stop, terms, unpadded};
use crate::bag::{BagRules, Frequency, Rounding};
use crate::hash;
use crate::lookup::MAX_BLOCKS;
use crate::lsh::{TableKey, TableRules};
use crate::minhash::SignatureParams;
use crate::params::IndexParams;
use crate::terms::{Language, StopLists};
use crate::vocabulary::{TermId, Vocabulary};

/// The manifest's name in the folder of an index.
pub const MANIFEST_NAME: &str = "pagekin.manifest";

/// Files in a folder, at most: some hosts and tools slow down on fuller ones.
pub const FOLDER_FILES: u32 = 500;
/// A pack has as many slots as fit into so many bytes: hosts refuse files of over 20 to 25 MiB.
const PACK_BYTES: u32 = 16 << 20;
/// The most files that an index may name as written later than its base generation, so that a manifest stays small.
pub const MOST_REVISED: usize = 1_024;

/// An index at a glance. Its size does not grow with the number of pages, but in packs by the lengths of their shards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// How bags, signatures and keys are made.
    pub params: IndexParams,
    /// The number of pages.
    pub pages: u32,
    /// The slots of a block of page records, at least 1. Page `n` is in slot `n % block_pages` of block
    /// `n / block_pages`. Slots may be empty, so a page can keep its number when others go.
    pub block_pages: u32,
    /// The generations whose files are in use, at least one; the last is that of this build, a hash of all its
    /// payloads, and the first that of the build that wrote all files which are not revised.
    pub generations: Vec<u64>,
    /// The LSH tables; without shards if the lists do without them, or a lookup reads all blocks.
    pub tables: Part,
    /// The lists of terms; without shards if the site is so small that a lookup reads all its blocks.
    pub lists: Part,
    /// The blocks of page records.
    pub blocks: Part,
    /// The addresses; at least one shard.
    pub addresses: Part,
    /// The pages to choose from; one shard.
    pub sample: Part,
    /// The sketches of pages; without shards if the pages' texts were not at hand.
    pub sketches: Part,
    /// The slots of a shard of sketches: page `n` is in slot `n % sketch_pages` of shard `n / sketch_pages`.
    pub sketch_pages: u32,
    /// The most values of a sketch, 1 to 1,024: a page of fewer shingles has one for each.
    pub sketch_values: u16,
    /// Whether records have all terms of the pages' texts, identifiers among them, and not of their bags alone.
    pub texts: bool,
    /// The mean number of terms of a page, at least 1: what long and short is measured by.
    pub mean_length: u32,
    /// The similarity of two random pages, in 65,536ths: what is not above it says nothing.
    pub background: u16,
    /// How likely bits are in lists, and in blocks.
    pub list_model: Model,
    /// See [`list_model`](Self::list_model).
    pub page_model: Model,
    /// What addresses begin with, as given to the build; empty if they are whole, of many hosts.
    pub base_url: String,
    /// The languages of the pages and how many pages have each, most pages first.
    pub languages: Vec<(Language, u32)>,
    /// What terms weigh.
    pub vocabulary: Vocabulary,
    /// The stop words of the languages.
    pub stop: StopLists,
}

/// The shards of one kind: how many they are and in which files they lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The number of shards.
    pub shards: u32,
    /// 0 if shards are in no slots; otherwise they are in packs, each in a slot of so many bytes,
    /// at most 16 MiB, padded with zeros.
    pub slot: u32,
    /// Where shards are in packs of which each has as many bytes as it needs; empty if they are
    /// not.
    places: Vec<Place>,
    /// The files that are of another generation than the first, in ascending order, each with the place of its
    /// generation in [`Manifest::generations`].
    pub revised: Vec<(u32, u32)>,
}

/// Where a shard is in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    file: u32,
    offset: u32,
    bytes: u32,
}

/// Shards that are stored one after another have a multiple of so many bytes, so that a manifest
/// says how many in few of its own.
pub const PACK_UNIT: u32 = 32;
/// In place of the bytes of a slot: that shards are stored one after another.
const NO_SLOTS: u32 = 1;

impl Part {
    /// Shards that are a file each.
    #[must_use]
    pub fn of_files(shards: u32) -> Self {
        Self { shards, ..Self::default() }
    }

    /// Shards of so many bytes each, rounded up to [`PACK_UNIT`], which are stored one after
    /// another in packs of 16 MiB at most, unless one alone has more.
    #[must_use]
    pub fn behind_one_another(lengths: impl IntoIterator<Item = u32>) -> Self {
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

    /// The number of files.
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

    /// The number of slots in a file; 1 if it is no pack.
    fn slots_of_file(&self) -> u32 {
        PACK_BYTES.checked_div(self.slot).map_or(1, |shards| shards.max(1))
    }

    /// The file of a shard.
    #[must_use]
    pub fn file_of(&self, shard: u32) -> u32 {
        let place = self.places.get(shard as usize);
        place.map_or_else(|| shard / self.slots_of_file(), |place| place.file)
    }

    /// The shards in a file.
    #[must_use]
    pub fn shards_of(&self, file: u32) -> Range<u32> {
        if self.places.is_empty() {
            let n = self.slots_of_file();
            return file.saturating_mul(n)..self.shards.min((file + 1).saturating_mul(n));
        }
        let first = |file| self.places.partition_point(|place| place.file < file) as u32;
        first(file)..first(file + 1)
    }

    /// The offset and the bytes of a shard in its pack; `None` if it is a file of its own.
    fn place_in_pack(&self, shard: u32) -> Option<(u32, u32)> {
        match (self.places.get(shard as usize), self.slot) {
            (Some(place), _) => Some((place.offset, place.bytes)),
            (None, 0) => None,
            (None, slot) => Some((shard % self.slots_of_file() * slot, slot)),
        }
    }

    fn write(&self, writer: &mut Writer) {
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

    fn read(reader: &mut Reader<'_>, generations: usize) -> Result<Self, Damaged> {
        let shards = reader.u32("the number of shards")?;
        let slot = reader.u32("the bytes of a slot")?;
        let mut part = Self { shards, slot, ..Self::default() };
        if slot == NO_SLOTS {
            // Each length has a byte at least.
            if shards as usize > reader.rest().len() {
                return Err(Damaged("the bytes of each shard"));
            }
            let mut lengths = Vec::with_capacity(shards as usize);
            for _ in 0..shards {
                let units = reader.varint("the bytes of a shard")?;
                lengths.push(units.saturating_mul(PACK_UNIT));
            }
            part = Self::behind_one_another(lengths);
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

impl Manifest {
    /// The manifest as a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        let BagRules { sum, rounding, frequency, max_terms } = self.params.bag;
        writer.u16(sum);
        writer.u8(match rounding {
            Rounding::LargestRemainder => 0,
            Rounding::Dithered => 1,
        });
        writer.u8(match frequency {
            Frequency::Linear => 0,
            Frequency::SquareRoot => 1,
        });
        writer.u16(max_terms);
        let SignatureParams { m, bits, seed } = self.params.signature;
        writer.u16(m);
        writer.u8(bits);
        writer.u64(seed);
        let (rule, first, second) = match self.params.tables {
            TableRules::Independent { k, l } => (0, k, l),
            TableRules::Anchored { anchors, partners } => (1, anchors, u16::from(partners)),
        };
        writer.u8(rule);
        writer.u8(first);
        writer.u16(second);
        writer.u8(self.params.filter_percent);
        writer.u32(self.pages);
        writer.u32(self.block_pages);
        writer.varint(self.generations.len() as u32);
        for &generation in &self.generations {
            writer.u64(generation);
        }
        for kind in Kind::NUMBERED {
            if let Some(part) = self.part(kind) {
                part.write(&mut writer);
            }
        }
        writer.u32(self.sketch_pages);
        writer.u16(self.sketch_values);
        writer.u8(self.texts.into());
        writer.u32(self.mean_length);
        writer.u16(self.background);
        for model in [&self.list_model, &self.page_model] {
            writer.varint(model.bytes().len() as u32);
            writer.bytes(model.bytes());
        }
        writer.text(&self.base_url);
        writer.varint(self.languages.len() as u32);
        for (language, pages) in &self.languages {
            writer.text(language.code());
            writer.varint(*pages);
        }
        terms::write(&mut writer, &self.vocabulary);
        stop::write(&mut writer, &self.stop);
        seal(Kind::Manifest, self.generation(), &writer.finish())
    }

    /// Reads [`encode`](Self::encode)'s bytes.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind but `WrongGeneration`.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let (generation, payload) = open(MANIFEST_NAME, Kind::Manifest, None, bytes)?;
        read_whole(MANIFEST_NAME, &payload, |reader| Self::read(reader, generation))
    }

    fn read(reader: &mut Reader<'_>, generation: u64) -> Result<Self, Damaged> {
        let bag = BagRules {
            sum: reader.u16("the sum of a bag")?,
            rounding: match reader.u8("a rounding")? {
                0 => Rounding::LargestRemainder,
                1 => Rounding::Dithered,
                _ => return Err(Damaged("a known rounding")),
            },
            frequency: match reader.u8("a frequency")? {
                0 => Frequency::Linear,
                1 => Frequency::SquareRoot,
                _ => return Err(Damaged("a known frequency")),
            },
            max_terms: reader.u16("the most terms of a bag")?,
        };
        let signature = SignatureParams {
            m: reader.u16("the values of a signature")?,
            bits: reader.u8("the bits of a value")?,
            seed: reader.u64("a seed")?,
        };
        let (rule, first, second) =
            (reader.u8("a table rule")?, reader.u8("a table rule")?, reader.u16("a table rule")?);
        let tables = match (rule, u8::try_from(second)) {
            (0, _) => TableRules::Independent { k: first, l: second },
            (1, Ok(partners)) => TableRules::Anchored { anchors: first, partners },
            _ => return Err(Damaged("a known table rule")),
        };
        let filter_percent = reader.u8("a filter")?;
        let params = IndexParams { bag, signature, tables, filter_percent };
        let sensible = bag.sum > 0
            && bag.max_terms > 0
            && (1..=1_024).contains(&signature.m)
            && matches!(signature.bits, 8 | 16 | 24)
            && filter_percent <= 100
            // Before any are drawn.
            && first > 0
            && (1..=1_024).contains(&second)
            && params.make_tables().is_some_and(|tables| (1..=1_024).contains(&tables.count()));
        if !sensible {
            return Err(Damaged("parameters within their ranges"));
        }
        let pages = reader.u32("the number of pages")?;
        let block_pages = reader.u32("the slots of a block")?;
        let n = reader.count("the number of generations")?;
        let mut generations = Vec::new();
        for _ in 0..n {
            generations.push(reader.u64("a generation")?);
        }
        if generations.last() != Some(&generation) {
            return Err(Damaged("its own generation as the last"));
        }
        let mut part = || Part::read(reader, n);
        let (tables, lists, blocks, addresses, sample, sketches) =
            (part()?, part()?, part()?, part()?, part()?, part()?);
        let sketch_pages = reader.u32("the slots of a shard of sketches")?;
        let sketch_values = reader.u16("the values of a sketch")?;
        let texts = match reader.u8("what records have")? {
            0 => false,
            1 => true,
            _ => return Err(Damaged("records of texts or of bags")),
        };
        let mean_length = reader.u32("the mean length of a page")?;
        let background = reader.u16("the similarity of two random pages")?;
        let n = reader.count("the contexts of lists")?;
        let list_model = lists::model_from(reader.bytes(n, "a model")?);
        let n = reader.count("the contexts of blocks")?;
        let page_model = pages::model_from(reader.bytes(n, "a model")?);
        let (Some(list_model), Some(page_model)) = (list_model, page_model) else {
            return Err(Damaged("probabilities of as many contexts as there are"));
        };
        let base_url = reader.text("a base address")?.to_owned();
        let mut languages = Vec::new();
        for _ in 0..reader.count("the number of languages")? {
            let language =
                Language::from_tag(reader.text("a language")?).ok_or(Damaged("a language"))?;
            languages.push((language, reader.varint("the pages of a language")?));
        }
        let vocabulary = terms::read(reader)?;
        let stop = stop::read(reader)?;
        if block_pages == 0 || addresses.shards == 0 || sample.shards == 0 {
            return Err(Damaged("slots in a block, and shards of addresses and samples"));
        }
        if blocks.shards.checked_mul(block_pages).is_none_or(|slots| slots < pages) {
            return Err(Damaged("a slot for each page"));
        }
        if sketch_pages == 0 || !(1..=1_024).contains(&sketch_values) {
            return Err(Damaged("slots in a shard of sketches, and 1 to 1,024 values in a sketch"));
        }
        if sketches.shards > 0
            && sketches.shards != (blocks.shards * block_pages).div_ceil(sketch_pages)
        {
            return Err(Damaged("a slot of a sketch for each slot of a page"));
        }
        if tables.shards + lists.shards == 0 && blocks.shards as usize > MAX_BLOCKS {
            return Err(Damaged("lists or tables, for so many blocks"));
        }
        Ok(Self {
            params,
            pages,
            block_pages,
            generations,
            tables,
            lists,
            blocks,
            addresses,
            sample,
            sketches,
            sketch_pages,
            sketch_values,
            texts,
            mean_length,
            background,
            list_model,
            page_model,
            base_url,
            languages,
            vocabulary,
            stop,
        })
    }

    /// The generation of this build.
    ///
    /// # Panics
    ///
    /// If there is none; a manifest that was read has one.
    #[must_use]
    pub fn generation(&self) -> u64 {
        *self.generations.last().expect("a manifest has a generation")
    }

    /// What addresses begin with, for display.
    #[must_use]
    pub fn shown_base_url(&self) -> &str {
        if self.base_url.is_empty() { "http:// or https://" } else { &self.base_url }
    }

    /// The slots of all blocks: a page's number is below it.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.blocks.shards * self.block_pages
    }

    /// The shards of a kind; those of the manifest itself are none.
    #[must_use]
    pub fn part(&self, kind: Kind) -> Option<&Part> {
        match kind {
            Kind::Manifest => None,
            Kind::Tables => Some(&self.tables),
            Kind::Lists => Some(&self.lists),
            Kind::Pages => Some(&self.blocks),
            Kind::Addresses => Some(&self.addresses),
            Kind::Sample => Some(&self.sample),
            Kind::Sketches => Some(&self.sketches),
        }
    }

    /// The generation under which a shard was written.
    #[must_use]
    pub fn generation_of(&self, kind: Kind, shard: u32) -> u64 {
        let file = self.part(kind).map_or(0, |part| part.file_of(shard));
        self.generation_of_file(kind, file)
    }

    /// The generation under which a file was written.
    #[must_use]
    pub fn generation_of_file(&self, kind: Kind, file: u32) -> u64 {
        let place = self.part(kind).and_then(|part| {
            let at = part.revised.binary_search_by_key(&file, |&(file, _)| file);
            at.ok().map(|at| part.revised[at].1 as usize)
        });
        match (kind, place) {
            (Kind::Manifest, _) => self.generation(),
            (_, place) => self.generations[place.unwrap_or(0)],
        }
    }

    /// The name of a shard: the path of its file, and, if that is a pack, its place in it, as `#offset+length`.
    ///
    /// ```text
    /// index/0123456789abcdef/pages/02/1234.shard
    /// index/0123456789abcdef/pages-003.pack#8192+4096
    /// ```
    #[must_use]
    pub fn name(&self, kind: Kind, shard: u32) -> String {
        let Some(part) = self.part(kind) else { return MANIFEST_NAME.to_owned() };
        let path = self.file_name(kind, part.file_of(shard), self.generation_of(kind, shard));
        match part.place_in_pack(shard) {
            None => path,
            Some((offset, bytes)) => format!("{path}#{offset}+{bytes}"),
        }
    }

    /// A shard as it was sealed, from the bytes of its name: those of a pack end in zeros.
    #[must_use]
    pub fn stored<'a>(&self, kind: Kind, bytes: &'a [u8]) -> &'a [u8] {
        match self.part(kind) {
            Some(part) if part.is_packed() => unpadded(bytes),
            _ => bytes,
        }
    }

    /// The path of a file of a kind of shards, as written under `generation`.
    #[must_use]
    pub fn file_name(&self, kind: Kind, file: u32, generation: u64) -> String {
        let folder = kind.folder();
        if self.part(kind).is_some_and(Part::is_packed) {
            return format!("index/{generation:016x}/{folder}-{file:03}.pack");
        }
        format!("index/{generation:016x}/{folder}/{:02}/{file:04}.shard", file / FOLDER_FILES)
    }

    /// The shard of the LSH tables in which the bucket of a key lies.
    ///
    /// # Panics
    ///
    /// If the index has no tables.
    #[must_use]
    pub fn table_shard(&self, key: &TableKey) -> u32 {
        key.shard(self.tables.shards)
    }

    /// The shard of the lists in which that of a term lies.
    ///
    /// # Panics
    ///
    /// If the index has no lists.
    #[must_use]
    pub fn list_shard(&self, term: TermId) -> u32 {
        assert!(self.lists.shards > 0, "an index with lists");
        ListShard::number(term, self.lists.shards)
    }

    /// The shard of the addresses in which that of a page lies.
    #[must_use]
    pub fn address_shard(&self, address: &str) -> u32 {
        (hash::of_bytes(address.as_bytes()) >> 32) as u32 % self.addresses.shards
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::Preset;
    use crate::vocabulary::{Term, VocabularyBuilder};

    pub(crate) fn manifest(preset: Preset) -> Manifest {
        let mut builder = VocabularyBuilder::default();
        assert!(builder.push(Term { stem: "loaf", word: "loaves", idf: 30 }));
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["the"]);
        Manifest {
            params: preset.params(5),
            pages: 33,
            block_pages: 16,
            generations: vec![0x0123_4567_89ab_cdef, 7],
            tables: Part { revised: vec![(1, 1)], ..Part::of_files(2) },
            lists: Part::of_files(3),
            blocks: Part::of_files(4),
            addresses: Part::of_files(1),
            sample: Part::of_files(1),
            sketches: Part::of_files(2),
            sketch_pages: 32,
            sketch_values: 8,
            texts: true,
            mean_length: 300,
            background: 900,
            list_model: lists::ListCounts::default().model(),
            page_model: pages::PageCounts::default().model(),
            base_url: "/docs/".to_owned(),
            languages: vec![(Language::english(), 30), (Language::from_tag("de").unwrap(), 3)],
            vocabulary: builder.finish(40),
            stop,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for preset in [Preset::Web, Preset::Paper] {
            let manifest = manifest(preset);
            assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest.clone()));
            assert_eq!(manifest.params.preset(), Some(preset));
        }
    }

    #[test]
    fn many_blocks_need_lists_or_tables() {
        let lists = Part::default();
        let whole = Manifest { tables: Part::default(), lists, ..manifest(Preset::Web) };
        assert!(Manifest::decode(&whole.encode()).is_ok());
        let sketches = Part::of_files(9);
        let many = Manifest { blocks: Part::of_files(17), sketches, ..whole };
        assert!(Manifest::decode(&many.encode()).is_err());
        for (lists, tables) in [(1, 0), (0, 1)] {
            let (lists, tables) = (Part::of_files(lists), Part::of_files(tables));
            let many = Manifest { lists, tables, ..many.clone() };
            assert!(Manifest::decode(&many.encode()).is_ok());
        }
    }

    #[test]
    fn slots_must_be_enough_and_countable() {
        let few = Manifest { pages: 65, ..manifest(Preset::Web) };
        assert!(Manifest::decode(&few.encode()).is_err());
        let many = Manifest { blocks: Part::of_files(u32::MAX), ..few };
        assert!(Manifest::decode(&many.encode()).is_err());
    }

    #[test]
    fn shards_have_names() {
        let mut manifest = manifest(Preset::Web);
        assert_eq!(manifest.name(Kind::Pages, 1_234), "index/0123456789abcdef/pages/02/1234.shard");
        assert_eq!(manifest.name(Kind::Tables, 0), "index/0123456789abcdef/tables/00/0000.shard");
        assert_eq!(manifest.name(Kind::Tables, 1), "index/0000000000000007/tables/00/0001.shard");
        manifest.blocks.slot = 4_096;
        assert_eq!(
            manifest.name(Kind::Pages, 2),
            "index/0123456789abcdef/pages-000.pack#8192+4096"
        );
        assert_eq!(
            manifest.name(Kind::Pages, 4_097),
            "index/0123456789abcdef/pages-001.pack#4096+4096"
        );
        assert_eq!(manifest.blocks.files(), 1);
    }

    #[test]
    fn shards_lie_behind_one_another() {
        let most = PACK_BYTES;
        let part = Part::behind_one_another([10, most - 40, 1, most + 5, 7]);
        assert_eq!((part.shards, part.files()), (5, 4));
        let shards: Vec<_> = (0..4).map(|file| part.shards_of(file)).collect();
        assert_eq!(shards, [0..2, 2..3, 3..4, 4..5]);
        let lists = Part { revised: vec![(3, 1)], ..part };
        let manifest = Manifest { lists, ..manifest(Preset::Web) };
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest.clone()));
        let names = [1, 4].map(|shard| manifest.name(Kind::Lists, shard));
        let expected = [
            format!("index/0123456789abcdef/lists-000.pack#32+{}", most - 32),
            "index/0000000000000007/lists-003.pack#0+32".to_owned(),
        ];
        assert_eq!(names, expected);
    }

    proptest::proptest! {
        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = Manifest::decode(&seal(Kind::Manifest, 1, &payload));
        }

        #[test]
        fn a_changed_manifest_is_read_or_refused(at in 0usize..200, value: u8) {
            let bytes = manifest(Preset::Web).encode();
            let (_, payload) = open(MANIFEST_NAME, Kind::Manifest, None, &bytes).unwrap();
            let mut payload = payload.into_owned();
            let at = at % payload.len();
            payload[at] = value;
            let _ = Manifest::decode(&seal(Kind::Manifest, 7, &payload));
        }
    }
}
