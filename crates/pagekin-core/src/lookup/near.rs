//! How much of a text is in the pages that were found and how much of them in it, by the sketches
//! of the best of them ([`sketch`](crate::near::sketch)), if an index has these.

use super::query::Subject;
use super::ranking::Numbered;
use crate::index::{Shard, ShardId, ShardMap};
use crate::near::sketch::{KnownShingles, Sketch};
use crate::shard::Manifest;

/// A text of fewer words is not compared by sketches, unless the site's pages are short too: of a
/// page, these have a few runs of ten words in a hundred, so that of a short text nothing could be
/// told.
pub(crate) const SKETCHED_TOKENS: u32 = 150;
/// However short the pages are, one of fewer words than these is a question, and not compared.
const MIN_SKETCHED_TOKENS: u32 = 20;
/// The most shards of sketches that a lookup reads: those of pages that may repeat the text.
const MAX_SKETCH_SHARDS: usize = 2;

/// The fewest words of a text that is compared by sketches: where pages are short, an eighth of
/// those of a page, half of which are terms, about. Of a text of fewer words hardly any page's
/// sketch knows enough runs to tell a part ([`MIN_SAMPLE`](crate::near::sketch::MIN_SAMPLE)).
fn fewest_tokens(manifest: &Manifest) -> u32 {
    (manifest.mean_length / 4).clamp(MIN_SKETCHED_TOKENS, SKETCHED_TOKENS)
}

/// The shards of the sketches of `pages`, most promising first, and of the page that was asked for;
/// none if there are no `pages` to compare it with.
pub(super) fn shards_to_read(
    manifest: &Manifest,
    subject: &Subject,
    pages: impl Iterator<Item = u32>,
) -> Vec<u32> {
    let mut shards = Vec::new();
    let fewest = fewest_tokens(manifest);
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

/// Tells of the results what the sketches that are there do.
pub(super) fn tell(
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

/// The sketch of a page, if its shard is there.
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
            assert_eq!(fewest_tokens(&manifest), fewest);
        }
    }
}
