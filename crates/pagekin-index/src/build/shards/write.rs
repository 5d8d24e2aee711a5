//! The payloads of shards into the files of an index.
//!
//! An index that follows a previous one takes over each file of it whose payload would be the same,
//! with its name and its bytes; what is new gets a name of the new generation.

use std::path::Path;

use pagekin_core::shard::{
    GenerationHasher, MANIFEST_NAME, MOST_REVISED, Manifest, PACK_UNIT, Shards, seal,
};
use pagekin_pages::output::files::{write_file, write_files};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Part, Stage};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::build::error::BuildError;
use crate::build::layout::previous::Previous;
use crate::build::related::files;
use crate::build::shards::encode::{Encoded, Payloads};
use crate::read::related_shard::RelatedEntry;

/// The most generations whose files are in use at once.
const MOST_GENERATIONS: usize = 64;

/// Writes an index into the folder `into`, with the shards of related pages as they are in their
/// files, of which there are none if they are not wanted; answers its manifest and what was
/// written.
pub(crate) fn write(
    encoded: Encoded,
    related_shards: &[Vec<u8>],
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<(Manifest, Vec<Part>), BuildError> {
    let Encoded { mut manifest, all } = encoded;
    let mut generation = GenerationHasher::default();
    for payload in all.iter().flat_map(|payloads| &payloads.shards) {
        generation.update(payload);
    }
    for shard in related_shards {
        generation.update(shard);
    }
    // What the shards mean depends on the parameters too.
    generation.update(&manifest.encode());
    let generation = generation.finish();
    manifest.generations = vec![generation];
    let files = all.iter().map(|payloads| payloads.shards.len() as u64).sum();
    observer.stage(Stage::Writing, files);
    let mut related =
        RelatedEntry::new(generation, &manifest.base_url, related_shards.len() as u32);
    if let Some(previous) = previous {
        let read = |name: &str| previous.read(name);
        let followed = previous.related.as_ref();
        let followed = followed.and_then(|old| old.followed_by(related_shards, generation, read));
        let followed = followed.unwrap_or_else(|| related.clone());
        if keep_unchanged(&all, &followed, &mut manifest, previous, observer)? {
            related = followed;
        }
    }
    let mut parts = write_shards(&all, &manifest, into, observer)?;
    if !related_shards.is_empty() {
        parts.push(files::write(&related, related_shards, into)?);
    }
    parts.insert(0, write_files("manifest", [(MANIFEST_NAME, manifest.encode())], into)?);
    Ok((manifest, parts))
}

/// The bytes of file `file`: a shard, or the slots of a pack.
fn file_bytes(payloads: &Payloads, part: &Shards, file: u32, generation: u64) -> Vec<u8> {
    let shards = part.shards_of(file);
    let mut bytes = Vec::new();
    for payload in &payloads.shards[shards.start as usize..shards.end as usize] {
        bytes.extend(seal(payloads.kind, generation, payload));
        let unit = if part.slot > 0 { part.slot } else { PACK_UNIT };
        if part.is_packed() {
            bytes.resize(bytes.len().max(1).next_multiple_of(unit as usize), 0);
        }
    }
    bytes
}

/// Has the manifest name the generation of `previous` for each file that is there as it would be
/// written, and its own for the others. `false`, and the manifest is as it was, if all are as they
/// were at first, or more differ than a manifest may name.
fn keep_unchanged(
    all: &[Payloads],
    related: &RelatedEntry,
    manifest: &mut Manifest,
    previous: &Previous,
    observer: &dyn Observer,
) -> Result<bool, BuildError> {
    let generation = manifest.generation();
    let kept = generations_of_files(all, manifest, previous, observer)?;
    let mut generations = previous.manifest.generations.clone();
    let base = generations[0];
    if base == generation {
        return Ok(false);
    }
    let used: FxHashSet<u64> =
        kept.iter().flatten().copied().chain(related.generations()).chain([base]).collect();
    generations.retain(|old| used.contains(old));
    generations.retain(|old| *old != generation);
    generations.push(generation);
    let revised = |files: &Vec<u64>| -> Vec<(u32, u32)> {
        let place = |of: u64| generations.iter().position(|&other| other == of).unwrap_or(0) as u32;
        let files = (0u32..).zip(files).filter(|&(_, &of)| of != base);
        files.map(|(file, &of)| (file, place(of))).collect()
    };
    let revised: Vec<_> = kept.iter().map(revised).collect();
    let named = revised.iter().map(Vec::len).sum::<usize>();
    if named > MOST_REVISED || generations.len() > MOST_GENERATIONS {
        return Ok(false);
    }
    let mut revised = revised.into_iter();
    for part in [
        &mut manifest.tables,
        &mut manifest.lists,
        &mut manifest.blocks,
        &mut manifest.addresses,
        &mut manifest.sample,
        &mut manifest.sketches,
        &mut manifest.words,
        &mut manifest.completions,
    ] {
        part.revised = revised.next().unwrap_or_default();
    }
    manifest.generations = generations;
    Ok(true)
}

/// For each kind the generations of its files: those of `previous` where it has the very file, and
/// otherwise the new one.
fn generations_of_files(
    all: &[Payloads],
    manifest: &Manifest,
    previous: &Previous,
    observer: &dyn Observer,
) -> Result<Vec<Vec<u64>>, BuildError> {
    let generation = manifest.generation();
    let mut generations = Vec::new();
    for payloads in all {
        let Some(part) = manifest.part(payloads.kind) else { continue };
        let of_file = |file: u32| {
            let old = previous.manifest.generation_of_file(payloads.kind, file);
            let bytes = file_bytes(payloads, part, file, old);
            let path = previous.manifest.file_name(payloads.kind, file, old);
            let same = previous.read(&path).is_some_and(|there| there == bytes);
            if same { old } else { generation }
        };
        generations.push((0..part.files()).into_par_iter().map(of_file).collect());
        check(observer)?;
    }
    Ok(generations)
}

/// Writes each file of each kind under the generation that the manifest has for it, on all threads.
fn write_shards(
    all: &[Payloads],
    manifest: &Manifest,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Part>, BuildError> {
    let mut parts = Vec::new();
    for payloads in all {
        let kind = payloads.kind;
        let Some(part) = manifest.part(kind) else { continue };
        let write = |file| {
            check(observer)?;
            let generation = manifest.generation_of_file(kind, file);
            let bytes = file_bytes(payloads, part, file, generation);
            let bytes = write_file(into, &manifest.file_name(kind, file, generation), &bytes)?;
            observer.advance(part.shards_of(file).len() as u64);
            Ok(bytes)
        };
        let sizes: Vec<u64> =
            (0..part.files()).into_par_iter().map(write).collect::<Result<_, BuildError>>()?;
        if !sizes.is_empty() {
            let (name, bytes) = (kind.folder(), sizes.iter().sum());
            parts.push(Part { name, files: sizes.len() as u64, bytes });
        }
    }
    Ok(parts)
}
