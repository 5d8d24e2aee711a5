//! Pages into the files of an index.
//!
//! An index that follows a previous one takes over each file of it whose payload would be the same, with its name and
//! its bytes; what is new gets a name of the new generation.

use std::fs;
use std::path::Path;

use pagekin_core::IndexParams;
use pagekin_core::hash;
use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::{
    AddressShard, GenerationHasher, Kind, MANIFEST_NAME, MOST_REVISED, Manifest, PageBlock,
    PageRecord, Part as Shards, Sample, SketchShard, seal,
};
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::Vocabulary;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::arranging::{Arrangement, Taken};
use crate::bucketing::{self, Buckets};
use crate::error::BuildError;
use crate::observer::{Observer, Stage};
use crate::planning::Plan;
use crate::previous::Previous;
use crate::related;
use crate::sketching;
use crate::summary::Part;
use crate::weighing::WeighedPage;

/// The most pages to choose from.
const SAMPLE_PAGES: usize = 500;
/// What stands in a pack begins at multiples of so many bytes.
const SLOT_STEP: u32 = 64;
/// The most generations whose files are in use at once.
const MOST_GENERATIONS: usize = 64;

/// Everything an index is made of.
pub(crate) struct Site<'a> {
    /// In any order, with their signatures.
    pub(crate) pages: &'a [WeighedPage],
    pub(crate) signatures: &'a [Signature],
    pub(crate) arrangement: Arrangement,
    /// The shards of related pages, as they lie in their files; none if they are not wanted.
    pub(crate) related: Vec<Vec<u8>>,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) stop: &'a StopLists,
    pub(crate) languages: Vec<(Language, u32)>,
    pub(crate) base_url: &'a str,
    pub(crate) params: IndexParams,
    pub(crate) plan: Plan,
    /// Whether shards lie in packs.
    pub(crate) packs: bool,
    /// Whether sketches are wanted.
    pub(crate) sketches: bool,
}

/// The payloads of the shards of one kind.
struct Payloads {
    kind: Kind,
    shards: Vec<Vec<u8>>,
}

/// Writes the index of `site` into the folder `into`; answers its manifest and what was written.
///
/// With `previous`, whose arrangement the site must have kept, `None` if the index cannot follow it: a shard has
/// outgrown its slot of a pack, or there are too many blocks to do without tables.
pub(crate) fn write(
    site: &Site<'_>,
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Option<(Manifest, Vec<Part>)>, BuildError> {
    let Plan { table_shards, address_shards, .. } = site.plan;
    let mut manifest = Manifest {
        params: site.params,
        pages: site.pages.len() as u32,
        block_pages: site.arrangement.block_pages,
        generations: vec![0],
        tables: Shards::of_files(table_shards),
        blocks: Shards::of_files(site.arrangement.blocks.len() as u32),
        addresses: Shards::of_files(address_shards),
        sample: Shards::of_files(1),
        sketches: Shards::default(),
        sketch_pages: site.plan.sketch_pages,
        sketch_values: site.plan.sketch_values,
        base_url: site.base_url.to_owned(),
        languages: site.languages.clone(),
        vocabulary: site.vocabulary.clone(),
        stop: site.stop.clone(),
    };
    if table_shards == 0 && site.arrangement.blocks.len() > MAX_BLOCKS {
        return Ok(None);
    }
    let stored = site.params.stored_signature_bytes() > 0;
    let mut blocks = encode_blocks(site, &site.arrangement, stored);
    let mut arrangement = &site.arrangement;
    let cut;
    match previous {
        _ if !site.packs => {}
        Some(previous) => manifest.blocks.slot = previous.manifest.blocks.slot,
        None => {
            let slot = best_slot(&blocks);
            let fits = |pages: &[Taken]| sealed_len(&encode_block(site, pages, stored)) <= slot;
            cut = arrangement.clone().cut(fits);
            arrangement = &cut;
            blocks = encode_blocks(site, arrangement, stored);
            manifest.blocks.shards = blocks.len() as u32;
            // A page alone may need more.
            manifest.blocks.slot = slot.max(slot_of_all(&blocks));
        }
    }
    let numbers = arrangement.numbers(site.pages.len());
    let tables = site.params.make_tables().expect("presets ask for no more values than they have");
    let keyed = sketching::sign_for_keys(site.pages, site.vocabulary, site.params.signature);
    let buckets = Buckets::new(&tables, &keyed, &numbers, table_shards);
    let mut table_shards = buckets.shards();
    if site.packs {
        let slot = match previous {
            Some(previous) => previous.manifest.tables.slot,
            None => slot_of_most(&table_shards),
        };
        fit(&mut table_shards, &buckets, slot);
    }
    drop(buckets);
    drop(keyed);
    let sketches = encode_sketches(site, &manifest, &numbers);
    manifest.sketches.shards = sketches.len() as u32;
    let all = [
        Payloads { kind: Kind::Tables, shards: table_shards },
        Payloads { kind: Kind::Pages, shards: blocks },
        Payloads { kind: Kind::Addresses, shards: encode_addresses(site, &manifest, &numbers) },
        Payloads { kind: Kind::Sample, shards: vec![sample(site).encode()] },
        Payloads { kind: Kind::Sketches, shards: sketches },
    ];
    if site.packs {
        let slots = |kind, payloads: &Payloads| {
            // One that had none of a kind, as it had no sketches, made no room for them.
            let there = previous.and_then(|previous| previous.manifest.part(kind));
            let there = there.filter(|part| part.shards > 0);
            there.map_or_else(|| slot_of_all(&payloads.shards), |part| part.slot)
        };
        manifest.tables.slot = slots(Kind::Tables, &all[0]);
        manifest.addresses.slot = slots(Kind::Addresses, &all[2]);
        manifest.sketches.slot = slots(Kind::Sketches, &all[4]);
        let fits = |payloads: &Payloads| match manifest.part(payloads.kind) {
            Some(part) if part.slot > 0 => slot_of_all(&payloads.shards) <= part.slot,
            _ => true,
        };
        // Slots that were made for these shards fit.
        if previous.is_some() && !all.iter().all(fits) {
            return Ok(None);
        }
    }
    let mut generation = GenerationHasher::default();
    for payload in all.iter().flat_map(|payloads| &payloads.shards) {
        generation.update(payload);
    }
    for shard in &site.related {
        generation.update(shard);
    }
    // What the shards mean depends on the parameters too.
    generation.update(&manifest.encode());
    let generation = generation.finish();
    manifest.generations = vec![generation];
    let files = all.iter().map(|payloads| payloads.shards.len() as u64).sum();
    observer.stage(Stage::Writing, files);
    let mut related = related::Entry::new(generation, site.base_url, site.related.len() as u32);
    let mut parts = None;
    if let Some(previous) = previous {
        let read = |name: &str| previous.read(name);
        let followed = previous.related.as_ref();
        let followed = followed.and_then(|old| old.followed_by(&site.related, generation, read));
        let followed = followed.unwrap_or_else(|| related.clone());
        parts = write_changed(&all, &followed, &mut manifest, previous, into, observer)?;
        if parts.is_some() {
            related = followed;
        }
    }
    let mut parts = match parts {
        Some(parts) => parts,
        None => write_all(&all, &manifest, into, observer)?,
    };
    if !site.related.is_empty() {
        parts.push(related::write(&related, &site.related, into)?);
    }
    parts.insert(0, write_files("manifest", [(MANIFEST_NAME, manifest.encode())], into)?);
    Ok(Some((manifest, parts)))
}

/// The bytes of a payload's shard.
fn sealed_len(payload: &[u8]) -> u32 {
    seal(Kind::Pages, 0, payload).len() as u32
}

/// The slot for blocks with the given payloads that makes their packs the smallest, if what does not fit is cut in
/// halves: whoever reads a block reads its slot, so what is saved on the disk is saved in each lookup.
fn best_slot(payloads: &[Vec<u8>]) -> u32 {
    let mut sizes: Vec<u32> = payloads.par_iter().map(|payload| sealed_len(payload)).collect();
    sizes.par_sort_unstable();
    let candidates =
        (1..=20).filter_map(|twentieth| sizes.get((sizes.len() * twentieth / 20).max(1) - 1));
    let cost = |&slot: &u32| {
        let slots: u64 =
            sizes.iter().map(|&size| u64::from(size.div_ceil(slot).next_power_of_two())).sum();
        slots * u64::from(slot)
    };
    let best = candidates.map(|&size| size.next_multiple_of(SLOT_STEP)).min_by_key(cost);
    best.unwrap_or(SLOT_STEP)
}

/// The least slot that all payloads fit into.
fn slot_of_all(payloads: &[Vec<u8>]) -> u32 {
    let largest = payloads.par_iter().map(|payload| sealed_len(payload)).max();
    largest.unwrap_or(1).next_multiple_of(SLOT_STEP)
}

/// The slot that 19 of 20 payloads fit into.
fn slot_of_most(payloads: &[Vec<u8>]) -> u32 {
    let mut sizes: Vec<u32> = payloads.par_iter().map(|payload| sealed_len(payload)).collect();
    sizes.par_sort_unstable();
    sizes.get(sizes.len() * 95 / 100).map_or(SLOT_STEP, |size| size.next_multiple_of(SLOT_STEP))
}

/// Makes table shards that do not fit into a slot smaller, as far as that goes.
fn fit(shards: &mut [Vec<u8>], buckets: &Buckets<'_>, slot: u32) {
    shards.par_iter_mut().enumerate().for_each(|(number, shard)| {
        let mut most = bucketing::MOST_ENTRIES;
        while sealed_len(shard) > slot && most > bucketing::LEAST_ENTRIES {
            most /= 2;
            *shard = buckets.shard(number as u32, most);
        }
    });
}

/// The bytes of file `file`: a shard, or the slots of a pack.
fn file_bytes(payloads: &Payloads, part: &Shards, file: u32, generation: u64) -> Vec<u8> {
    let n = part.file_shards() as usize;
    let first = file as usize * n;
    let mut bytes = Vec::new();
    for payload in payloads.shards[first..].iter().take(n) {
        bytes.extend(seal(payloads.kind, generation, payload));
        bytes.resize(bytes.len().max(1).next_multiple_of(part.slot.max(1) as usize), 0);
    }
    bytes
}

/// Writes every file under the manifest's one generation.
fn write_all(
    all: &[Payloads],
    manifest: &Manifest,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Part>, BuildError> {
    let generation = manifest.generation();
    let write = |payloads: &Payloads, part: &Shards, file| {
        let bytes = file_bytes(payloads, part, file, generation);
        write_file(into, &manifest.file_name(payloads.kind, file, generation), &bytes)
    };
    each_file(all, manifest, observer, write)
}

/// Writes the files that differ from those of `previous` under the manifest's generation, and takes over the others;
/// the manifest then says which is which. `None`, and nothing written, if more differ than a manifest may name.
fn write_changed(
    all: &[Payloads],
    related: &related::Entry,
    manifest: &mut Manifest,
    previous: &Previous,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Option<Vec<Part>>, BuildError> {
    let generation = manifest.generation();
    let mut generations = previous.manifest.generations.clone();
    // For each kind the generations of its files.
    let mut kept: Vec<Vec<u64>> = Vec::new();
    for payloads in all {
        let Some(part) = manifest.part(payloads.kind) else { continue };
        let of_file = |file: u32| {
            let old = previous.manifest.generation_of(payloads.kind, file * part.file_shards());
            let bytes = file_bytes(payloads, part, file, old);
            let path = previous.manifest.file_name(payloads.kind, file, old);
            let same = previous.read(&path).is_some_and(|there| there == bytes);
            if same { old } else { generation }
        };
        kept.push((0..part.files()).into_par_iter().map(of_file).collect());
        if observer.cancelled() {
            return Err(BuildError::Interrupted);
        }
    }
    let base = generations[0];
    if base == generation {
        // All is as it was at first.
        return Ok(None);
    }
    let used: FxHashSet<u64> =
        kept.iter().flatten().copied().chain(related.generations()).chain([base]).collect();
    generations.retain(|old| used.contains(old));
    generations.retain(|old| *old != generation);
    generations.push(generation);
    let revised = |files: &Vec<u64>| -> Vec<(u32, u32)> {
        let place = |of: u64| generations.iter().position(|&other| other == of).unwrap_or(0) as u32;
        let files = (0u32..).zip(files).filter(|&(_, &of)| of != generations[0]);
        files.map(|(file, &of)| (file, place(of))).collect()
    };
    let revised: Vec<_> = kept.iter().map(revised).collect();
    if revised.iter().map(Vec::len).sum::<usize>() > MOST_REVISED
        || generations.len() > MOST_GENERATIONS
    {
        return Ok(None);
    }
    let mut revised = revised.into_iter();
    for part in [
        &mut manifest.tables,
        &mut manifest.blocks,
        &mut manifest.addresses,
        &mut manifest.sample,
        &mut manifest.sketches,
    ] {
        part.revised = revised.next().unwrap_or_default();
    }
    manifest.generations = generations;
    let write = |payloads: &Payloads, part: &Shards, file: u32| {
        let generation = manifest.generation_of(payloads.kind, file * part.file_shards());
        let bytes = file_bytes(payloads, part, file, generation);
        write_file(into, &manifest.file_name(payloads.kind, file, generation), &bytes)
    };
    each_file(all, manifest, observer, write).map(Some)
}

/// Calls `write` for each file of each kind, on all threads; it answers with the file's bytes.
fn each_file(
    all: &[Payloads],
    manifest: &Manifest,
    observer: &dyn Observer,
    write: impl Fn(&Payloads, &Shards, u32) -> Result<u64, BuildError> + Sync,
) -> Result<Vec<Part>, BuildError> {
    let mut parts = Vec::new();
    for payloads in all {
        let Some(part) = manifest.part(payloads.kind) else { continue };
        let write = |file| {
            if observer.cancelled() {
                return Err(BuildError::Interrupted);
            }
            let bytes = write(payloads, part, file)?;
            observer.advance(u64::from(part.file_shards()));
            Ok(bytes)
        };
        let sizes: Vec<u64> =
            (0..part.files()).into_par_iter().map(write).collect::<Result<_, _>>()?;
        if !sizes.is_empty() {
            let (name, bytes) = (payloads.kind.folder(), sizes.iter().sum());
            parts.push(Part { name, files: sizes.len() as u64, bytes });
        }
    }
    Ok(parts)
}

/// Writes files of one kind, one after the other.
pub(crate) fn write_files<N: AsRef<str>, B: AsRef<[u8]>>(
    kind: &'static str,
    files: impl IntoIterator<Item = (N, B)>,
    into: &Path,
) -> Result<Part, BuildError> {
    let mut part = Part { name: kind, files: 0, bytes: 0 };
    for (name, bytes) in files {
        part.files += 1;
        part.bytes += write_file(into, name.as_ref(), bytes.as_ref())?;
    }
    Ok(part)
}

fn write_file(into: &Path, name: &str, bytes: &[u8]) -> Result<u64, BuildError> {
    let path = into.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
    }
    fs::write(&path, bytes).map_err(BuildError::io("write", &path))?;
    Ok(bytes.len() as u64)
}

fn encode_blocks(site: &Site<'_>, arrangement: &Arrangement, stored: bool) -> Vec<Vec<u8>> {
    arrangement.blocks.par_iter().map(|pages| encode_block(site, pages, stored)).collect()
}

/// The payload of a block of the given slots and pages; with signatures if `stored`.
fn encode_block(site: &Site<'_>, pages: &[Taken], stored: bool) -> Vec<u8> {
    let mut block = PageBlock::default();
    for &(slot, page) in pages {
        let WeighedPage { url, title, bag, .. } = &site.pages[page as usize];
        let signature =
            if stored { site.signatures[page as usize].low_bytes() } else { Vec::new() };
        let (url, title, bag) = (url.clone(), title.clone(), bag.clone());
        block.0.push((slot, PageRecord { url, title, signature, bag }));
    }
    block.encode(site.vocabulary)
}

fn encode_addresses(site: &Site<'_>, manifest: &Manifest, numbers: &[u32]) -> Vec<Vec<u8>> {
    let mut shards: Vec<Vec<(&str, u32)>> = vec![Vec::new(); manifest.addresses.shards as usize];
    for (page, &number) in site.pages.iter().zip(numbers) {
        shards[manifest.address_shard(&page.url) as usize].push((&page.url, number));
    }
    shards.into_iter().map(|pages| AddressShard::new(pages).encode()).collect()
}

/// None if they are not wanted, or the texts of the pages were not at hand.
fn encode_sketches(site: &Site<'_>, manifest: &Manifest, numbers: &[u32]) -> Vec<Vec<u8>> {
    let Manifest { sketch_pages, sketch_values, .. } = *manifest;
    if !site.sketches || site.pages.iter().all(|page| page.sketch.shingles == 0) {
        return Vec::new();
    }
    let n = manifest.slots().div_ceil(sketch_pages) as usize;
    let mut shards = vec![SketchShard::default(); n];
    for (page, number) in site.pages.iter().zip(numbers) {
        let sketch = page.sketch.first(sketch_values);
        shards[(number / sketch_pages) as usize].0.push((number % sketch_pages, sketch));
    }
    let encode = |mut shard: SketchShard| {
        shard.0.sort_unstable_by_key(|&(slot, _)| slot);
        shard.encode()
    };
    shards.into_par_iter().map(encode).collect()
}

/// Up to [`SAMPLE_PAGES`] pages, drawn by a hash: one that comes or goes then moves no others.
fn sample(site: &Site<'_>) -> Sample {
    let mut pages: Vec<_> = site.pages.iter().collect();
    pages.sort_by_cached_key(|page| hash::of_bytes(page.url.as_bytes()));
    pages.truncate(SAMPLE_PAGES);
    pages.sort_by(|a, b| a.url.cmp(&b.url));
    let pages = pages.into_iter();
    Sample(pages.map(|page| (page.url.clone(), page.title.clone())).collect())
}
