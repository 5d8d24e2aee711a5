//! An open index: a manifest, and a cache of shards that the caller supplies.

use std::sync::{Arc, OnceLock};

use litemap::LiteMap;

use crate::bag::Bag;
use crate::lsh::Tables;
use crate::minhash::{Family, Signature};
use crate::shard::{
    AddressShard, CompletionShard, FilterShard, Kind, Manifest, PageBlock, PostingsShard,
    ReadError, SketchShard, TableShard, WordShard,
};

/// The cost of a query: the data read for its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of the shards that were supplied.
    pub bytes: u64,
    /// The number of shards that were supplied.
    pub requests: u32,
    /// The number of sequential rounds, in which the wanted shards depend on earlier ones.
    pub rounds: u32,
}

impl Cost {
    /// Returns this cost minus `other`, which must be a part of it.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            bytes: self.bytes - other.bytes,
            requests: self.requests - other.requests,
            rounds: self.rounds - other.rounds,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.requests += other.requests;
        self.rounds += other.rounds;
    }
}

/// The kind and number of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShardId {
    Table(u32),
    List(u32),
    Block(u32),
    Address(u32),
    Sketches(u32),
    Words,
    Completions(u32),
    Filters(u32),
}

impl ShardId {
    pub(crate) fn name(self, manifest: &Manifest) -> String {
        let (kind, number) = self.parts();
        manifest.name(kind, number)
    }

    pub(crate) fn parts(self) -> (Kind, u32) {
        match self {
            Self::Table(number) => (Kind::Tables, number),
            Self::List(number) => (Kind::Lists, number),
            Self::Block(number) => (Kind::Pages, number),
            Self::Address(number) => (Kind::Addresses, number),
            Self::Sketches(number) => (Kind::Sketches, number),
            Self::Words => (Kind::Words, 0),
            Self::Completions(number) => (Kind::Completions, number),
            Self::Filters(number) => (Kind::Filters, number),
        }
    }
}

/// A decoded shard.
#[derive(Debug, Clone)]
pub(crate) enum Shard {
    Table(Arc<TableShard>),
    List(Arc<PostingsShard>),
    Block(Arc<PageBlock>),
    Address(Arc<AddressShard>),
    Sketches(Arc<SketchShard>),
    Words(Arc<WordShard>),
    Completions(Arc<CompletionShard>),
    Filters(Arc<FilterShard>),
}

impl Shard {
    /// Returns the approximate number of bytes in memory.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Table(shard) => shard.memory(),
            Self::List(shard) => shard.memory(),
            Self::Block(shard) => shard.memory(),
            Self::Address(shard) => shard.memory(),
            Self::Sketches(shard) => shard.memory(),
            Self::Words(shard) => shard.memory(),
            Self::Completions(shard) => shard.memory(),
            Self::Filters(shard) => shard.memory(),
        }
    }
}

/// Shards that have been read.
pub(crate) type ShardMap = LiteMap<ShardId, Shard>;

/// An open index. It needs only the manifest before a query, and it never fetches. Shards supplied
/// to lookups are cached for later ones. If they exceed a budget, the least recently used are
/// evicted.
#[derive(Debug)]
pub struct Index {
    manifest: Manifest,
    family: Family,
    tables: OnceLock<Tables>,
    cache: ShardCache,
    opening: Cost,
}

impl Index {
    /// The default cache budget in bytes. See [`with_cache_budget`](Self::with_cache_budget).
    pub const CACHE_BYTES: u64 = 32 << 20;

    /// Opens an index from the bytes of its manifest.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a manifest of a supported version, or if a language of
    /// the site needs a stemmer that is not built in.
    pub fn open(manifest: &[u8]) -> Result<Self, ReadError> {
        let opening = Cost { bytes: manifest.len() as u64, requests: 1, rounds: 1 };
        let manifest = Manifest::decode(manifest)?;
        let mut languages = manifest.languages.iter().map(|(language, _)| language);
        if let Some(language) = languages.find(|language| !language.is_built_in()) {
            return Err(ReadError::NoStemmer { language: language.code().to_owned() });
        }
        Ok(Self {
            family: Family::new(manifest.params.signature),
            tables: OnceLock::new(),
            manifest,
            cache: ShardCache { budget: Self::CACHE_BYTES, ..ShardCache::default() },
            opening,
        })
    }

    /// Sets the maximum number of bytes of shards cached between lookups. A lookup in progress
    /// keeps the shards that it needs.
    #[must_use]
    pub fn with_cache_budget(mut self, bytes: u64) -> Self {
        self.cache.budget = bytes;
        self
    }

    /// Returns the signature that the keys of a bag are derived from, or `None` if the bag is
    /// empty.
    #[must_use]
    pub fn key_signature(&self, bag: &Bag) -> Option<Signature> {
        self.family.sign(&bag.key_part(&self.manifest.vocabulary))
    }

    /// Returns the manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the hash family of the index.
    #[must_use]
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Returns the LSH tables of the index. They are created on the first call, because most
    /// indexes have none.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        let make = || self.manifest.params.make_tables().expect("decoding checked the tables");
        self.tables.get_or_init(make)
    }

    /// Takes the cost of opening, which the first answer includes.
    pub(crate) fn take_opening_cost(&mut self) -> Cost {
        std::mem::take(&mut self.opening)
    }

    /// Returns the cost of opening, or zero once an answer has included it.
    #[must_use]
    pub fn opening_cost(&self) -> Cost {
        self.opening
    }

    /// Clears the cache.
    pub fn forget(&mut self) {
        self.cache = ShardCache { budget: self.cache.budget, ..ShardCache::default() };
    }

    /// Returns the approximate number of bytes of the cached shards in memory.
    pub(crate) fn memory(&self) -> usize {
        self.cache.shards.values().map(|(shard, ..)| shard.memory()).sum()
    }

    pub(crate) fn cached(&mut self, id: ShardId) -> Option<Shard> {
        self.cache.get(id)
    }

    /// Decodes a shard and caches it.
    pub(crate) fn read(&mut self, id: ShardId, bytes: &[u8]) -> Result<Shard, ReadError> {
        let manifest = &self.manifest;
        let (kind, number) = id.parts();
        let name = manifest.name(kind, number);
        let generation = manifest.generation_of(kind, number);
        let stored = manifest.stored(kind, bytes);
        let shard = match id {
            ShardId::Table(_) => Shard::Table(Arc::new(TableShard::decode(
                &name,
                generation,
                manifest.slots(),
                manifest.params.tables.partners(),
                stored,
            )?)),
            ShardId::List(_) => {
                Shard::List(Arc::new(PostingsShard::decode(&name, generation, manifest, stored)?))
            }
            ShardId::Block(_) => {
                Shard::Block(Arc::new(PageBlock::decode(&name, generation, manifest, stored)?))
            }
            ShardId::Address(_) => Shard::Address(Arc::new(AddressShard::decode(
                &name,
                generation,
                manifest.slots(),
                stored,
            )?)),
            ShardId::Words => Shard::Words(Arc::new(WordShard::decode(&name, generation, stored)?)),
            ShardId::Completions(_) => Shard::Completions(Arc::new(CompletionShard::decode(
                &name, generation, manifest, stored,
            )?)),
            ShardId::Filters(number) => Shard::Filters(Arc::new(FilterShard::decode(
                &name, generation, number, manifest, stored,
            )?)),
            ShardId::Sketches(_) => {
                Shard::Sketches(Arc::new(SketchShard::decode(&name, generation, manifest, stored)?))
            }
        };
        self.cache.insert(id, shard.clone(), bytes.len() as u64);
        Ok(shard)
    }
}

/// A cache of shards with least-recently-used eviction.
#[derive(Debug, Default)]
struct ShardCache {
    shards: LiteMap<ShardId, (Shard, u64, u64)>,
    bytes: u64,
    budget: u64,
    now: u64,
}

impl ShardCache {
    fn get(&mut self, id: ShardId) -> Option<Shard> {
        self.now += 1;
        let now = self.now;
        self.shards.get_mut(&id).map(|(shard, _, used)| {
            *used = now;
            shard.clone()
        })
    }

    fn insert(&mut self, id: ShardId, shard: Shard, bytes: u64) {
        self.now += 1;
        self.bytes += bytes;
        if let Some((_, old, _)) = self.shards.insert(id, (shard, bytes, self.now)) {
            self.bytes -= old;
        }
        while self.bytes > self.budget {
            let Some((&oldest, _)) = self.shards.iter().min_by_key(|(_, (_, _, used))| *used)
            else {
                break;
            };
            if let Some((_, bytes, _)) = self.shards.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use crate::terms::Language;

    fn open(languages: &[&str]) -> Result<Index, ReadError> {
        let languages = languages.iter().map(|code| (Language::from_tag(code).unwrap(), 1));
        let manifest = Manifest { languages: languages.collect(), ..manifest(Preset::Web) };
        Index::open(&manifest.encode())
    }

    #[test]
    fn languages_without_a_stemmer_are_accepted() {
        assert!(open(&["en", "cs", "ja"]).is_ok());
    }

    #[test]
    fn a_language_is_rejected_only_if_its_stemmer_is_not_built_in() {
        let german = open(&["en", "de"]).map(|_| ()).map_err(|error| error.code());
        let expected = if cfg!(feature = "all-languages") { Ok(()) } else { Err("NoStemmer") };
        assert_eq!(german, expected);
    }
}
