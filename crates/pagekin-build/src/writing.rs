//! Pages into the files of an index.

use std::fs;
use std::path::Path;

use pagekin_core::address;
use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_core::lsh::TableKey;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::{
    AddressShard, GenerationHasher, Kind, MANIFEST_NAME, Manifest, PageBlock, PageRecord, Sample,
    TableShard, seal, stop_payload, terms_payload,
};
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::Vocabulary;
use pagekin_core::{IndexParams, Preset};
use rayon::prelude::*;

use crate::error::BuildError;
use crate::observer::{Observer, Stage};
use crate::summary::Part;
use crate::weighing::WeighedPage;

/// Up to so many pages are one block.
const ONE_BLOCK: u32 = 128;
/// Up to so many pages, the blocks are so few that a lookup can read them all: about 200 kB once, and nothing
/// for any later lookup.
const SMALL_SITE: u32 = 1_024;
/// Pages of a block of a larger site, unless that makes too many files.
const BLOCK_PAGES: u32 = 32;
/// Blocks for which there is one table shard.
const TABLE_BLOCKS: u32 = 1;
/// Pages for which there is one address shard.
const ADDRESS_PAGES: u32 = 1_024;
/// The most blocks and the most table shards: with the rest, at most 20,000 files.
const MOST_BLOCKS: u32 = 12_000;
const MOST_TABLE_SHARDS: u32 = 6_000;
const MOST_ADDRESS_SHARDS: u32 = 1_000;
/// The most pages to choose from.
const SAMPLE_PAGES: usize = 500;

/// Everything an index is made of.
pub(crate) struct Site<'a> {
    /// In the order in which they are stored, with their signatures.
    pub(crate) pages: &'a [(&'a WeighedPage, &'a Signature)],
    /// The shards of related pages, which are written apart but belong to the generation.
    pub(crate) related: &'a [Vec<u8>],
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) stop: &'a StopLists,
    pub(crate) languages: Vec<(Language, u32)>,
    pub(crate) base_url: &'a str,
    pub(crate) params: IndexParams,
    /// Pages of a block, or none to choose by the number of pages.
    pub(crate) block_pages: Option<u32>,
}

/// A file of the index before it has its header.
struct Payload {
    name: String,
    kind: Kind,
    part: &'static str,
    bytes: Vec<u8>,
}

/// Writes the index of `site` into the folder `into`; answers its manifest and what was written.
pub(crate) fn write(
    site: &Site<'_>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<(Manifest, Vec<Part>), BuildError> {
    let n = site.pages.len() as u32;
    let by_size = if n <= ONE_BLOCK {
        ONE_BLOCK
    } else if n <= SMALL_SITE {
        n.div_ceil(MAX_BLOCKS as u32)
    } else {
        BLOCK_PAGES
    };
    let block_pages = site.block_pages.unwrap_or(by_size).max(n.div_ceil(MOST_BLOCKS));
    let blocks = n.div_ceil(block_pages);
    // The paper has no such exception.
    let read_whole = blocks as usize <= MAX_BLOCKS && site.params.preset() != Some(Preset::Paper);
    let table_shards =
        if read_whole { 0 } else { blocks.div_ceil(TABLE_BLOCKS).min(MOST_TABLE_SHARDS) };
    let mut manifest = Manifest {
        generation: 0,
        params: site.params,
        pages: n,
        terms: site.vocabulary.len(),
        block_pages,
        table_shards,
        address_shards: n.div_ceil(ADDRESS_PAGES).clamp(1, MOST_ADDRESS_SHARDS),
        base_url: site.base_url.to_owned(),
        languages: site.languages.clone(),
    };
    // Names hold the generation, which is a hash of the payloads: they get their names last.
    let mut payloads = vec![
        Payload {
            name: String::new(),
            kind: Kind::Terms,
            part: "terms",
            bytes: terms_payload(site.vocabulary),
        },
        Payload {
            name: String::new(),
            kind: Kind::Stop,
            part: "terms",
            bytes: stop_payload(site.stop),
        },
        Payload {
            name: String::new(),
            kind: Kind::Sample,
            part: "sample",
            bytes: sample(site).encode(),
        },
    ];
    let numbered = |kind, part, all: Vec<Vec<u8>>| {
        all.into_iter().map(move |bytes| Payload { name: String::new(), kind, part, bytes })
    };
    let tables = encode_tables(site, &manifest);
    let blocks = encode_blocks(site, &manifest);
    let addresses = encode_addresses(site, &manifest);
    payloads.extend(numbered(Kind::Tables, "tables", tables));
    payloads.extend(numbered(Kind::Pages, "pages", blocks));
    payloads.extend(numbered(Kind::Addresses, "addresses", addresses));
    let mut generation = GenerationHasher::default();
    for payload in &payloads {
        generation.update(&payload.bytes);
    }
    for shard in site.related {
        generation.update(shard);
    }
    // What the shards mean depends on the parameters too.
    generation.update(&manifest.encode());
    manifest.generation = generation.finish();
    let (mut table, mut block, mut address) = (0.., 0.., 0..);
    for payload in &mut payloads {
        let number = |from: &mut std::ops::RangeFrom<u32>| from.next().unwrap_or_default();
        payload.name = match payload.kind {
            Kind::Manifest => MANIFEST_NAME.to_owned(),
            Kind::Terms => manifest.terms_name(),
            Kind::Stop => manifest.stop_name(),
            Kind::Sample => manifest.sample_name(),
            Kind::Tables => manifest.table_name(number(&mut table)),
            Kind::Pages => manifest.block_name(number(&mut block)),
            Kind::Addresses => manifest.address_name(number(&mut address)),
        };
    }
    let mut parts = write_all(&payloads, &manifest, into, observer)?;
    let bytes = manifest.encode();
    let path = into.join(MANIFEST_NAME);
    fs::write(&path, &bytes).map_err(BuildError::io("write", &path))?;
    parts.insert(0, Part { name: "manifest", files: 1, bytes: bytes.len() as u64 });
    Ok((manifest, parts))
}

fn write_all(
    payloads: &[Payload],
    manifest: &Manifest,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Part>, BuildError> {
    observer.stage(Stage::Writing, payloads.len() as u64);
    let mut folders: Vec<_> =
        payloads.iter().filter_map(|payload| Path::new(&payload.name).parent()).collect();
    folders.dedup();
    for folder in folders {
        let path = into.join(folder);
        fs::create_dir_all(&path).map_err(BuildError::io("create", &path))?;
    }
    let sizes: Vec<u64> = payloads
        .par_iter()
        .map(|payload| {
            if observer.cancelled() {
                return Err(BuildError::Interrupted);
            }
            let bytes = seal(payload.kind, manifest.generation, &payload.bytes);
            let path = into.join(&payload.name);
            fs::write(&path, &bytes).map_err(BuildError::io("write", &path))?;
            observer.advance(1);
            Ok(bytes.len() as u64)
        })
        .collect::<Result<_, _>>()?;
    let mut parts: Vec<Part> = Vec::new();
    for (payload, bytes) in payloads.iter().zip(sizes) {
        match parts.iter_mut().find(|part| part.name == payload.part) {
            Some(part) => {
                part.files += 1;
                part.bytes += bytes;
            }
            None => parts.push(Part { name: payload.part, files: 1, bytes }),
        }
    }
    Ok(parts)
}

fn encode_tables(site: &Site<'_>, manifest: &Manifest) -> Vec<Vec<u8>> {
    if manifest.table_shards == 0 {
        return Vec::new();
    }
    let tables = site.params.make_tables().expect("presets ask for no more values than they have");
    let mut shards: Vec<Vec<(TableKey, u32)>> = vec![Vec::new(); manifest.table_shards as usize];
    for (page, (_, signature)) in (0u32..).zip(site.pages) {
        for key in tables.keys(signature) {
            shards[manifest.table_shard(&key) as usize].push((key, page));
        }
    }
    shards.into_par_iter().map(|entries| TableShard::new(entries).encode()).collect()
}

fn encode_blocks(site: &Site<'_>, manifest: &Manifest) -> Vec<Vec<u8>> {
    let n = manifest.block_pages as usize;
    let stored = manifest.params.stored_signature_bytes() > 0;
    site.pages
        .par_chunks(n)
        .map(|pages| {
            let records = pages.iter().map(|(page, signature)| PageRecord {
                url: page.url.clone(),
                title: page.title.clone(),
                signature: if stored { signature.low_bytes() } else { Vec::new() },
                bag: page.bag.clone(),
            });
            PageBlock(records.collect()).encode()
        })
        .collect()
}

fn encode_addresses(site: &Site<'_>, manifest: &Manifest) -> Vec<Vec<u8>> {
    let mut shards: Vec<Vec<(&str, u32)>> = vec![Vec::new(); manifest.address_shards as usize];
    for (number, (page, _)) in (0u32..).zip(site.pages) {
        let url = address::normal(&page.url);
        shards[manifest.address_shard(url) as usize].push((url, number));
    }
    shards.into_iter().map(|pages| AddressShard::new(pages).encode()).collect()
}

/// Up to [`SAMPLE_PAGES`] pages, evenly spread.
fn sample(site: &Site<'_>) -> Sample {
    let step = site.pages.len().div_ceil(SAMPLE_PAGES).max(1);
    let mut pages: Vec<_> = site.pages.iter().map(|(page, _)| page).collect();
    pages.sort_by(|a, b| a.url.cmp(&b.url));
    let pages = pages.iter().step_by(step);
    Sample(pages.map(|page| (page.url.clone(), page.title.clone())).collect())
}
