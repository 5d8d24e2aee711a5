//! Compares the best results with the query word for word, by their
//! [`sketch`](crate::near::sketch)es, if the index has them.

use super::query::Subject;
use super::ranking::Numbered;
use crate::index::{Shard, ShardId, ShardMap};
use crate::near::sketch::{KnownShingles, Sketch};
use crate::shard::Manifest;

/// Minimum number of words of a text that is compared by sketches, unless the pages of the site are
/// short too. The sketch of a page knows a few in a hundred of its runs of ten words, so it says
/// nothing about a shorter text.
pub(crate) const SKETCHED_TOKENS: u32 = 150;
/// Minimum number of words on any site. A text with fewer words is a question, and is not compared.
const MIN_SKETCHED_TOKENS: u32 = 20;
/// Maximum number of shards of sketches in a lookup: those of the pages that may repeat the text.
const MAX_SKETCH_SHARDS: usize = 2;

/// Minimum number of words of a text that is compared by sketches. On a site of short pages this is
/// about an eighth of the words of a page, assuming that half of its words are terms. For a text
/// with fewer words, hardly any sketch knows enough runs to estimate a share
/// ([`MIN_SAMPLE`](crate::near::sketch::MIN_SAMPLE)).
fn min_tokens(manifest: &Manifest) -> u32 {
    (manifest.mean_length / 4).clamp(MIN_SKETCHED_TOKENS, SKETCHED_TOKENS)
}

/// Returns the shards of the sketches of `pages`, most promising first, and of the page of the
/// query. Returns none if `pages` is empty.
pub(super) fn shards_to_read(
    manifest: &Manifest,
    subject: &Subject,
    pages: impl Iterator<Item = u32>,
) -> Vec<u32> {
    let mut shards = Vec::new();
    let fewest = min_tokens(manifest);
    let is_short = subject.known.as_ref().is_some_and(|known| known.shingles() < fewest);
    if manifest.sketches.shards == 0 || is_short {
        return shards;
    }
    for page in pages {
        let own = subject.page.filter(|_| shards.is_empty());
        for shard in own.into_iter().chain([page]).map(|page| page / manifest.sketch_pages) {
            if shards.len() < MAX_SKETCH_SHARDS && !shards.contains(&shard) {
                shards.push(shard);
            }
        }
    }
    shards
}

/// Adds to the results what the available sketches show.
pub(super) fn compare(
    manifest: &Manifest,
    subject: Subject,
    lists: [&mut Numbered; 2],
    shards: &ShardMap,
) {
    let own = || Some(KnownShingles::from_page(sketch(shards, manifest, subject.page?)?));
    let Some(known) = subject.known.or_else(own) else { return };
    for (page, result) in lists.into_iter().flatten() {
        let sample = sketch(shards, manifest, *page).map(|sketch| known.shared_with(sketch));
        result.near = sample.filter(|sample| sample.nearness().is_some());
    }
}

/// Returns the sketch of a page, if its shard is available.
fn sketch<'a>(shards: &'a ShardMap, manifest: &Manifest, page: u32) -> Option<&'a Sketch> {
    match shards.get(&ShardId::Sketches(page / manifest.sketch_pages)) {
        Some(Shard::Sketches(shard)) => shard.page(page % manifest.sketch_pages),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;

    #[test]
    fn a_text_is_compared_if_it_is_long_or_pages_are_short() {
        for (mean_length, fewest) in [(1, 20), (200, 50), (403, 100), (5_000, 150)] {
            let manifest = Manifest { mean_length, ..manifest(Preset::Web) };
            assert_eq!(min_tokens(&manifest), fewest);
        }
    }
}
