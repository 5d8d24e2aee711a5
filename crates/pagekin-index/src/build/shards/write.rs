//! Writes the payloads of shards to the files of an index.
//!
//! An index that reuses a previous one keeps each of its files whose contents would be the same,
//! under the same name. Changed files are named after the new generation.

use std::path::Path;

use pagekin_core::ReadError;
use pagekin_core::shard::{
    AddressShard, CompletionShard, FilterShard, GenerationHasher, Kind, MANIFEST_NAME,
    MAX_PAYLOAD_BYTES, MAX_REVISED, Manifest, PACK_UNIT, PageBlock, PageSample, PostingsShard,
    Shards, SketchShard, TableShard, WordShard, seal,
};
use pagekin_pages::output::files::{write_file, write_files};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Part, Stage};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::build::error::BuildError;
use crate::build::layout::previous::Previous;
use crate::build::related::files;
use crate::build::shards::encode::{EncodedSite, Payloads};
use crate::read::related_shard::RelatedEntry;

/// Maximum number of generations whose files are in use.
const MAX_GENERATIONS: usize = 64;

/// Writes an index into the folder `into`. `related_shards` has the files of related pages, if
/// there are any. Returns the manifest, and what was written.
pub(crate) fn write(
    encoded: EncodedSite,
    related_shards: &[Vec<u8>],
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<(Manifest, Vec<Part>), BuildError> {
    let EncodedSite { mut manifest, all } = encoded;
    let mut generation = GenerationHasher::default();
    for payload in all.iter().flat_map(|payloads| &payloads.shards) {
        generation.update(payload);
    }
    for shard in related_shards {
        generation.update(shard);
    }
    // The meaning of the shards also depends on the parameters.
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
    related.place.clone_from(&manifest.place);
    check_readable(&all, &manifest)?;
    let mut parts = write_shards(&all, &manifest, into, observer)?;
    if !related_shards.is_empty() {
        parts.push(files::write(&related, related_shards, into)?);
    }
    parts.insert(0, write_files("manifest", [(MANIFEST_NAME, manifest.encode())], into)?);
    Ok((manifest, parts))
}

/// The contents of a file: a shard, or the slots of a pack.
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

/// Makes the manifest refer to the generation of `previous` for each unchanged file, and to its own
/// for the others. Returns `false`, and leaves the manifest as it was, if all files equal those of
/// the first generation, or if more differ than a manifest may list.
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
    if named > MAX_REVISED || generations.len() > MAX_GENERATIONS {
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
        &mut manifest.filters,
    ] {
        part.revised = revised.next().unwrap_or_default();
    }
    manifest.generations = generations;
    Ok(true)
}

/// Returns the generations of the files of each kind: the old one if `previous` has the same file,
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

/// Shorter payloads are not checked: they cannot exceed the limits of readers.
const SURELY_READABLE: usize = MAX_PAYLOAD_BYTES / 8;

/// Checks that files stay within the limits of readers, which refuse what would fill their memory.
fn check_readable(all: &[Payloads], manifest: &Manifest) -> Result<(), BuildError> {
    let check = |kind: Kind, read: Result<(), ReadError>| match read {
        Err(ReadError::Damaged { what, .. }) => {
            Err(BuildError::TooLong { folder: kind.folder(), expected: what })
        }
        _ => Ok(()),
    };
    check(Kind::Manifest, Manifest::decode(&manifest.encode()).map(drop))?;
    for Payloads { kind, shards } in all {
        shards.par_iter().filter(|payload| payload.len() > SURELY_READABLE).try_for_each(
            |payload| check(*kind, read_again(*kind, manifest, &seal(*kind, 0, payload))),
        )?;
    }
    Ok(())
}

/// Reads a shard of generation 0.
fn read_again(kind: Kind, manifest: &Manifest, sealed: &[u8]) -> Result<(), ReadError> {
    let (name, slots) = ("", manifest.slots());
    match kind {
        Kind::Tables => {
            let partners = manifest.params.tables.partners();
            TableShard::decode(name, 0, slots, partners, sealed).map(drop)
        }
        Kind::Pages => PageBlock::decode(name, 0, manifest, sealed).map(drop),
        Kind::Addresses => AddressShard::decode(name, 0, slots, sealed).map(drop),
        Kind::Sample => PageSample::decode(name, 0, manifest, sealed).map(drop),
        Kind::Sketches => SketchShard::decode(name, 0, manifest, sealed).map(drop),
        Kind::Lists => PostingsShard::decode(name, 0, manifest, sealed).map(drop),
        Kind::Words => WordShard::decode(name, 0, sealed).map(drop),
        Kind::Completions => CompletionShard::decode(name, 0, manifest, sealed).map(drop),
        Kind::Filters => FilterShard::decode(name, 0, 1, manifest, sealed).map(drop),
        Kind::Manifest => Manifest::decode(sealed).map(drop),
    }
}

/// Writes all files on all threads, under the generations that the manifest has for them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::folder::LocalIndex;
    use crate::{Assets, BuildOptions, build_pages};
    use pagekin_core::shard::Completion;
    use pagekin_pages::{PageSource, Silent, SourcePage};
    use std::io;
    use std::path::PathBuf;

    struct OnePage;

    impl PageSource for OnePage {
        fn count(&self) -> u64 {
            1
        }

        fn page(&self, _: u64) -> io::Result<SourcePage> {
            let [url, title, lang, text] =
                ["/a.html", "Rye", "en", "a loaf of rye from the oven"].map(str::to_owned);
            Ok(SourcePage { url, title, lang, text })
        }

        fn name(&self, _: u64) -> PathBuf {
            "a".into()
        }
    }

    #[test]
    fn shards_that_readers_refuse_are_not_written() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("index");
        let options = BuildOptions::new("", &folder);
        build_pages(&options, &OnePage, &Assets::default(), &Silent).unwrap();
        let index = LocalIndex::open(&folder).unwrap();
        let check = |words: u32| {
            let word = |at: u32| Completion { word: format!("{at:08}"), weight: 1 };
            let manifest = index.index().manifest();
            let payload = CompletionShard((0..words).map(word).collect()).encode(manifest);
            let all = [Payloads { kind: Kind::Completions, shards: vec![payload] }];
            check_readable(&all, manifest)
        };
        assert!(check(200_000).is_ok());
        let refused = check(600_000).unwrap_err();
        assert!(matches!(refused, BuildError::TooLong { folder: "completions", .. }), "{refused}");
    }
}
