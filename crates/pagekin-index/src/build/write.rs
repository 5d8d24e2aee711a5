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

use crate::build::encode::{Encoded, Payloads};
use crate::build::error::BuildError;
use crate::build::previous::Previous;
use crate::build::related_files;
use crate::read::related_shard;

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
        related_shard::Entry::new(generation, &manifest.base_url, related_shards.len() as u32);
    let mut parts = None;
    if let Some(previous) = previous {
        let read = |name: &str| previous.read(name);
        let followed = previous.related.as_ref();
        let followed = followed.and_then(|old| old.followed_by(related_shards, generation, read));
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
    if !related_shards.is_empty() {
        parts.push(related_files::write(&related, related_shards, into)?);
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
        Ok(write_file(into, &manifest.file_name(payloads.kind, file, generation), &bytes)?)
    };
    each_file(all, manifest, observer, write)
}

/// Writes the files that differ from those of `previous` under the manifest's generation, and takes
/// over the others; the manifest then says which is which. `None`, and nothing written, if more
/// differ than a manifest may name.
fn write_changed(
    all: &[Payloads],
    related: &related_shard::Entry,
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
            let old = previous.manifest.generation_of_file(payloads.kind, file);
            let bytes = file_bytes(payloads, part, file, old);
            let path = previous.manifest.file_name(payloads.kind, file, old);
            let same = previous.read(&path).is_some_and(|there| there == bytes);
            if same { old } else { generation }
        };
        kept.push((0..part.files()).into_par_iter().map(of_file).collect());
        check(observer)?;
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
        &mut manifest.lists,
        &mut manifest.blocks,
        &mut manifest.addresses,
        &mut manifest.sample,
        &mut manifest.sketches,
    ] {
        part.revised = revised.next().unwrap_or_default();
    }
    manifest.generations = generations;
    let write = |payloads: &Payloads, part: &Shards, file: u32| {
        let generation = manifest.generation_of_file(payloads.kind, file);
        let bytes = file_bytes(payloads, part, file, generation);
        Ok(write_file(into, &manifest.file_name(payloads.kind, file, generation), &bytes)?)
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
            check(observer)?;
            let bytes = write(payloads, part, file)?;
            observer.advance(part.shards_of(file).len() as u64);
            Ok(bytes)
        };
        let sizes: Vec<u64> =
            (0..part.files()).into_par_iter().map(write).collect::<Result<_, BuildError>>()?;
        if !sizes.is_empty() {
            let (name, bytes) = (payloads.kind.folder(), sizes.iter().sum());
            parts.push(Part { name, files: sizes.len() as u64, bytes });
        }
    }
    Ok(parts)
}
