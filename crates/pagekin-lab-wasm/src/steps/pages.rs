//! Reads the pages of an index with their bags: all pages of a small site, or a sample.

use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::{Kind, Manifest, PageBlock, PageRecord, ReadError};
use pagekin_core::similarity::Overlap;
use pagekin_core::sort;

/// Pairs with at least this similarity are nearly equal, which leaves little to explain.
const NEARLY_EQUAL: f64 = 0.6;

/// Returns the blocks of pages to show: all if the index has at most `max` pages, otherwise as many
/// as contain about `max` pages, chosen by `seed`. Pages of a block are similar, so a sample of
/// blocks contains similar pages, unlike a sample of pages.
#[must_use]
pub fn blocks(manifest: &Manifest, max: u32, seed: u64) -> Vec<u32> {
    let shards = manifest.blocks.shards;
    let mut blocks: Vec<u32> = (0..shards).collect();
    if manifest.pages <= max {
        return blocks;
    }
    let enough = u64::from(shards) * u64::from(max) / u64::from(manifest.pages.max(1));
    let enough = (enough as usize).clamp(1, blocks.len());
    let mut stream = SplitMix64::new(seed);
    for at in 0..enough {
        let other = at + stream.below((blocks.len() - at) as u32) as usize;
        blocks.swap(at, other);
    }
    blocks.truncate(enough);
    sort::by_key(&mut blocks, |&block| block);
    blocks
}

/// Returns the pages of a block, in order.
///
/// # Errors
///
/// If the bytes are not those of the block.
pub fn of_block(
    manifest: &Manifest,
    block: u32,
    bytes: &[u8],
) -> Result<Vec<PageRecord>, ReadError> {
    let name = manifest.name(Kind::Pages, block);
    let generation = manifest.generation_of(Kind::Pages, block);
    let stored = manifest.stored(Kind::Pages, bytes);
    let block = PageBlock::decode(&name, generation, manifest, stored)?;
    Ok(block.0.into_iter().map(|(_, page)| page).collect())
}

/// Returns the pair of pages that the lab starts with: the most similar pair that is not nearly
/// equal, with at least the median number of different terms in both pages. This excludes tables of
/// contents, which are similar but uninformative. If there is no such pair, returns one that is not
/// nearly equal or, failing that, the most similar. Compares all pairs.
#[must_use]
pub fn instructive_pair(pages: &[PageRecord]) -> Option<(u32, u32)> {
    let mut lengths: Vec<usize> = pages.iter().map(|page| page.terms.len()).collect();
    sort::by_key(&mut lengths, |&length| length);
    let half = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let (mut best, mut pair) = ((false, false, 0.0), None);
    for (u, a) in (0..).zip(pages) {
        for (v, b) in (0..).zip(pages).skip(u as usize + 1) {
            let similarity = Overlap::between(&a.bag, &b.bag).jaccard();
            let are_long = a.terms.len().min(b.terms.len()) >= half;
            let rank = (similarity < NEARLY_EQUAL, are_long, similarity);
            if similarity > 0.0 && (pair.is_none() || rank > best) {
                (best, pair) = (rank, Some((u, v)));
            }
        }
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::manifest;
    use pagekin_core::bag::Bag;
    use pagekin_core::shard::PageTerm;

    fn page(entries: &[(u32, u16)]) -> PageRecord {
        let bag = Bag::from_sorted(entries.to_vec()).unwrap();
        PageRecord { bag, ..PageRecord::default() }
    }

    #[test]
    fn the_starting_pair_is_the_most_similar_that_is_not_nearly_equal() {
        let copied = [(1, 10), (2, 10)];
        let pages = [page(&copied), page(&[(1, 10), (3, 9)]), page(&copied), page(&[(1, 1)])];
        assert_eq!(instructive_pair(&pages), Some((0, 1)));
        assert_eq!(instructive_pair(&[page(&copied), page(&copied)]), Some((0, 1)));
        assert_eq!(instructive_pair(&[page(&copied), page(&[(7, 1)])]), None);
        assert_eq!(instructive_pair(&[]), None);
    }

    #[test]
    fn the_starting_pair_has_long_texts() {
        let page = |entries: &[(u32, u16)], terms| {
            let terms = (0..terms).map(|id| PageTerm { id, ..PageTerm::default() }).collect();
            PageRecord { terms, ..page(entries) }
        };
        let short = [page(&[(1, 10), (2, 9)], 3), page(&[(1, 10), (3, 9)], 3)];
        let long = [page(&[(4, 10), (5, 20)], 30), page(&[(4, 10), (6, 20)], 40)];
        let [a, b] = short;
        let [c, d] = long;
        assert_eq!(instructive_pair(&[a.clone(), b.clone(), c, d.clone()]), Some((2, 3)));
        assert_eq!(instructive_pair(&[a, b, d]), Some((0, 1)));
    }

    #[test]
    fn a_large_index_is_sampled_by_blocks_and_a_small_one_is_read_completely() {
        let mut manifest = manifest();
        (manifest.pages, manifest.blocks.shards) = (10_000, 500);
        let some = blocks(&manifest, 200, 1);
        assert_eq!(some.len(), 10);
        assert!(some.is_sorted_by(|a, b| a < b) && some.iter().all(|&block| block < 500));
        assert_eq!(blocks(&manifest, 200, 1), some);
        assert_ne!(blocks(&manifest, 200, 2), some);
        assert_eq!(blocks(&manifest, 10_000, 1), (0..500).collect::<Vec<_>>());
        assert_eq!(blocks(&manifest, 1, 1).len(), 1);
    }
}
