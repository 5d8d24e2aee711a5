//! How much of a text stands in the pages that were found and how much of them in it, by the sketches of the best of
//! them ([`sketch`](crate::near::sketch)), if an index has these.

use super::Shards;
use super::query::Subject;
use super::ranking::Kin;
use crate::index::{Shard, ShardId};
use crate::near::sketch::{Known, Sketch};
use crate::shard::Manifest;

/// A result less similar than this is not compared by its sketch: nearly all that share a passage have more, and a lookup
/// of a text that is like nothing shall cost no more for it.
pub const LEAST_NEAR: f64 = 0.1;
/// The most pages whose sketches a lookup reads, as those of a shard come together; but one shard in any case. They are
/// about 20 kB.
pub const MOST_SKETCHES: u32 = 96;

/// The most shards of sketches that a lookup reads.
fn most_sketch_shards(manifest: &Manifest) -> usize {
    (MOST_SKETCHES / manifest.sketch_pages).max(1) as usize
}

/// Whether it is told what a result shares with the query.
fn is_looked_at(kin: &Kin) -> bool {
    kin.similarity >= LEAST_NEAR
}

/// The shards of the sketches of the best results, and of the page that was asked for.
pub(super) fn shards_to_read(
    manifest: &Manifest,
    subject: &Subject,
    results: &[(u32, Kin)],
) -> Vec<u32> {
    let mut shards = Vec::new();
    if manifest.sketches.shards == 0 || !results.iter().any(|(_, kin)| is_looked_at(kin)) {
        return shards;
    }
    let looked_at = results.iter().filter(|(_, kin)| is_looked_at(kin));
    for page in subject.page.into_iter().chain(looked_at.map(|&(page, _)| page)) {
        let shard = page / manifest.sketch_pages;
        if shards.len() < most_sketch_shards(manifest) && !shards.contains(&shard) {
            shards.push(shard);
        }
    }
    shards
}

/// The results, with what the sketches that are there tell of them.
pub(super) fn tell(
    manifest: &Manifest,
    subject: Subject,
    mut results: Vec<(u32, Kin)>,
    shards: &Shards,
) -> Vec<Kin> {
    let own = || Some(Known::of_page(sketch(shards, manifest, subject.page?)?));
    if let Some(known) = subject.known.or_else(own) {
        for (page, kin) in &mut results {
            let sketch = sketch(shards, manifest, *page).filter(|_| is_looked_at(kin));
            let sample = sketch.map(|sketch| known.shared_with(sketch));
            kin.near = sample.filter(|sample| sample.nearness().is_some());
        }
    }
    results.into_iter().map(|(_, kin)| kin).collect()
}

/// The sketch of a page, if its shard is there.
fn sketch<'a>(shards: &'a Shards, manifest: &Manifest, page: u32) -> Option<&'a Sketch> {
    match shards.get(&ShardId::Sketches(page / manifest.sketch_pages)) {
        Some(Shard::Sketches(shard)) => shard.page(page % manifest.sketch_pages),
        _ => None,
    }
}
