//! The manifest: what an index is and where its shards lie.

use super::wire::{Reader, Writer};
use super::{Kind, ReadError, open, seal};
use crate::bag::{BagRules, Frequency, Rounding};
use crate::hash;
use crate::lookup::MAX_BLOCKS;
use crate::lsh::{TableKey, TableRules};
use crate::minhash::SignatureParams;
use crate::params::IndexParams;
use crate::terms::Language;

/// The manifest's name in the folder of an index.
pub const MANIFEST_NAME: &str = "pagekin.manifest";

/// Files in a folder, at most: some hosts and tools slow down on fuller ones.
const FOLDER_FILES: u32 = 500;

/// An index at a glance. Its size does not grow with the number of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The hash of all payloads of this build.
    pub generation: u64,
    /// How bags, signatures and keys are made.
    pub params: IndexParams,
    /// The number of pages.
    pub pages: u32,
    /// The number of terms.
    pub terms: u32,
    /// Pages in a block of page records, at least 1. Page `n` is in block `n / block_pages`.
    pub block_pages: u32,
    /// The number of shards the LSH tables are cut into; 0 if there are no tables, because the site is so
    /// small that a lookup reads all its blocks.
    pub table_shards: u32,
    /// The number of shards the addresses are cut into, at least 1.
    pub address_shards: u32,
    /// What addresses begin with, as given to the build.
    pub base_url: String,
    /// The languages of the pages and how many pages have each, most pages first.
    pub languages: Vec<(Language, u32)>,
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
        for n in [self.pages, self.terms, self.block_pages, self.table_shards, self.address_shards]
        {
            writer.u32(n);
        }
        writer.text(&self.base_url);
        writer.varint(self.languages.len() as u32);
        for (language, pages) in &self.languages {
            writer.text(language.code());
            writer.varint(*pages);
        }
        seal(Kind::Manifest, self.generation, &writer.finish())
    }

    /// Reads [`encode`](Self::encode)'s bytes.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind but `WrongGeneration`.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let (generation, payload) = open(MANIFEST_NAME, Kind::Manifest, None, bytes)?;
        let mut reader = Reader::new(MANIFEST_NAME, &payload);
        let bag = BagRules {
            sum: reader.u16("the sum of a bag")?,
            rounding: match reader.u8("a rounding")? {
                0 => Rounding::LargestRemainder,
                1 => Rounding::Dithered,
                _ => return Err(reader.damaged("a known rounding")),
            },
            frequency: match reader.u8("a frequency")? {
                0 => Frequency::Linear,
                1 => Frequency::SquareRoot,
                _ => return Err(reader.damaged("a known frequency")),
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
            _ => return Err(reader.damaged("a known table rule")),
        };
        let filter_percent = reader.u8("a filter")?;
        let params = IndexParams { bag, signature, tables, filter_percent };
        let sensible = bag.sum > 0
            && bag.max_terms > 0
            && (1..=1_024).contains(&signature.m)
            && matches!(signature.bits, 8 | 16 | 24)
            && filter_percent <= 100
            && params.make_tables().is_some_and(|tables| (1..=1_024).contains(&tables.count()));
        if !sensible {
            return Err(reader.damaged("parameters within their ranges"));
        }
        let manifest = Self {
            generation,
            params,
            pages: reader.u32("the number of pages")?,
            terms: reader.u32("the number of terms")?,
            block_pages: reader.u32("the pages of a block")?,
            table_shards: reader.u32("the number of table shards")?,
            address_shards: reader.u32("the number of address shards")?,
            base_url: reader.text("a base address")?.to_owned(),
            languages: {
                let n = reader.count("the number of languages")?;
                let mut languages = Vec::with_capacity(n);
                for _ in 0..n {
                    let language = Language::from_tag(reader.text("a language")?)
                        .ok_or_else(|| reader.damaged("a language"))?;
                    languages.push((language, reader.varint("the pages of a language")?));
                }
                languages
            },
        };
        if manifest.block_pages == 0 || manifest.address_shards == 0 {
            return Err(reader.damaged("pages in a block, and a shard of addresses"));
        }
        if manifest.table_shards == 0 && manifest.blocks() as usize > MAX_BLOCKS {
            return Err(reader.damaged("tables, for so many blocks"));
        }
        reader.end()?;
        Ok(manifest)
    }

    /// The number of blocks of page records.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.pages.div_ceil(self.block_pages)
    }

    /// The folder of this generation's shards, without a slash at its end.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("index/{:016x}", self.generation)
    }

    /// The name of the vocabulary's shard.
    #[must_use]
    pub fn terms_name(&self) -> String {
        self.folder() + "/terms.shard"
    }

    /// The name of the shard of stop lists.
    #[must_use]
    pub fn stop_name(&self) -> String {
        self.folder() + "/stop.shard"
    }

    /// The name of the shard of pages to choose from.
    #[must_use]
    pub fn sample_name(&self) -> String {
        self.folder() + "/sample.shard"
    }

    /// The name of shard `number` of the LSH tables.
    #[must_use]
    pub fn table_name(&self, number: u32) -> String {
        self.numbered("tables", number)
    }

    /// The name of block `number` of page records.
    #[must_use]
    pub fn block_name(&self, number: u32) -> String {
        self.numbered("pages", number)
    }

    /// The name of shard `number` of the addresses.
    #[must_use]
    pub fn address_name(&self, number: u32) -> String {
        self.numbered("addresses", number)
    }

    fn numbered(&self, kind: &str, number: u32) -> String {
        format!("{}/{kind}/{:02}/{number:04}.shard", self.folder(), number / FOLDER_FILES)
    }

    /// The shard of the LSH tables in which the bucket of a key lies.
    ///
    /// # Panics
    ///
    /// If the index has no tables.
    #[must_use]
    pub fn table_shard(&self, key: &TableKey) -> u32 {
        (key.bucket >> 32) as u32 % self.table_shards
    }

    /// The shard of the addresses in which that of a page lies.
    #[must_use]
    pub fn address_shard(&self, address: &str) -> u32 {
        (hash::of_bytes(address.as_bytes()) >> 32) as u32 % self.address_shards
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::Preset;
    use proptest::prelude::*;

    pub(crate) fn manifest(preset: Preset) -> Manifest {
        Manifest {
            generation: 0x0123_4567_89ab_cdef,
            params: preset.params(5),
            pages: 33,
            terms: 1_000,
            block_pages: 16,
            table_shards: 2,
            address_shards: 1,
            base_url: "/docs/".to_owned(),
            languages: vec![(Language::english(), 30), (Language::from_tag("de").unwrap(), 3)],
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
    fn many_blocks_need_tables() {
        let whole = Manifest { table_shards: 0, pages: 256, ..manifest(Preset::Web) };
        assert!(Manifest::decode(&whole.encode()).is_ok());
        let too_many = Manifest { pages: u32::MAX, block_pages: 1, ..whole };
        assert!(Manifest::decode(&too_many.encode()).is_err());
    }

    #[test]
    fn shards_have_names() {
        let manifest = manifest(Preset::Web);
        assert_eq!(manifest.blocks(), 3);
        assert_eq!(manifest.block_name(1_234), "index/0123456789abcdef/pages/02/1234.shard");
        assert_eq!(manifest.terms_name(), "index/0123456789abcdef/terms.shard");
    }

    proptest! {
        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = Manifest::decode(&seal(Kind::Manifest, 1, &payload));
        }

        #[test]
        fn a_changed_manifest_is_read_or_refused(at in 24usize..80, value: u8) {
            let bytes = manifest(Preset::Web).encode();
            let mut payload = bytes[24..].to_vec();
            let at = (at - 24) % payload.len();
            payload[at] = value;
            let _ = Manifest::decode(&seal(Kind::Manifest, 1, &payload));
        }
    }
}
