//! Assigns each page to a block, and to a slot in it.
//!
//! A new index fills its blocks in the order of `cluster_order`, so that similar pages share a
//! block. An index that reuses a previous one keeps the places of known pages: unchanged blocks are
//! then stored as they were, and need not be published again.

use std::collections::BTreeMap;

use pagekin_core::lsh::Tables;
use pagekin_core::minhash::{Signature, agreement};
use rustc_hash::FxHashMap;

use crate::build::layout::records;
use crate::build::layout::records::Correction;
use crate::build::pages::vocabulary::WeightedPage;

/// The pages of each block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arrangement {
    /// Slots per block.
    pub(crate) block_pages: u32,
    /// The occupied slots of each block, ascending.
    pub(crate) blocks: Vec<Vec<Correction>>,
}

/// The places of the pages in a previous index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The number of each page by URL.
    pub(crate) by_url: &'a BTreeMap<String, u32>,
    pub(crate) blocks: u32,
    pub(crate) block_pages: u32,
}

impl Arrangement {
    /// Fills blocks in the given order of pages.
    pub(crate) fn in_order(order: &[u32], block_pages: u32) -> Self {
        let blocks = order.chunks(block_pages as usize);
        let blocks = blocks.map(|block| (0..).zip(block.iter().copied()).collect()).collect();
        Self { block_pages, blocks }
    }

    /// Fills blocks in the given order of pages, each with about `target` bytes and at most
    /// `block_pages` pages. `bytes` has the size of each page. Pages that repeat the page before
    /// them stay in its block, unless there are too many. Each [`STRETCH`] of pages begins a new
    /// block.
    pub(crate) fn by_bytes(
        order: &[u32],
        bytes: &[f64],
        repeats: impl Fn(u32) -> bool,
        target: f64,
        block_pages: u32,
    ) -> Self {
        let most = block_pages as usize;
        let mut blocks: Vec<Vec<Correction>> = Vec::new();
        for stretch in order.chunks(STRETCH) {
            let (mut block, mut filled): (Vec<Correction>, f64) = (Vec::new(), 0.0);
            for page in stretch.chunk_by(|_, &next| repeats(next)) {
                for page in page.chunks(most) {
                    let bytes: f64 = page.iter().map(|&page| bytes[page as usize]).sum();
                    // Choose what is nearer to the target, with the pages or without them.
                    let is_full = filled + bytes / 2.0 > target || block.len() + page.len() > most;
                    if is_full && !block.is_empty() {
                        blocks.push(std::mem::take(&mut block));
                        filled = 0.0;
                    }
                    filled += bytes;
                    page.iter().for_each(|&page| block.push((block.len() as u32, page)));
                }
            }
            blocks.push(block);
        }
        Self { block_pages, blocks }
    }

    /// Returns the number of each of `n` pages: its block times the slots per block, plus its slot.
    pub(crate) fn numbers(&self, n: usize) -> Vec<u32> {
        let mut numbers = vec![0; n];
        for (block, pages) in (0u32..).zip(&self.blocks) {
            for &(slot, page) in pages {
                numbers[page as usize] = block * self.block_pages + slot;
            }
        }
        numbers
    }

    /// The pages in the order of their slots.
    pub(crate) fn order(&self) -> Vec<u32> {
        self.blocks.iter().flatten().map(|&(_, page)| page).collect()
    }

    /// Keeps the pages that `places` knows in their places. A new page goes into the block of the
    /// most similar page whose block has a free slot. The others go to the end in the given
    /// `order`: into the last block, and into new blocks after it.
    pub(crate) fn keeping(
        places: Places<'_>,
        pages: &[WeightedPage],
        signatures: &[Signature],
        tables: &Tables,
        order: &[u32],
    ) -> Self {
        let Places { by_url, blocks, block_pages } = places;
        let mut kept = Self { block_pages, blocks: vec![Vec::new(); blocks as usize] };
        let mut known = PlacedPages { signatures, tables, buckets: FxHashMap::default() };
        let mut new = Vec::new();
        for &page in order {
            let Some(&place) = by_url.get(&pages[page as usize].url) else {
                new.push(page);
                continue;
            };
            kept.blocks[(place / block_pages) as usize].push((place % block_pages, page));
            known.add(page);
        }
        let numbers = kept.numbers(pages.len());
        let mut unplaced = Vec::new();
        for page in new {
            let room = known.similar_to(page).into_iter().find_map(|similar| {
                let block = (numbers[similar as usize] / block_pages) as usize;
                Some((block, free_slot(&kept.blocks[block], block_pages)?))
            });
            match room {
                Some((block, slot)) => kept.blocks[block].push((slot, page)),
                None => unplaced.push(page),
            }
        }
        kept.append(&unplaced);
        kept
    }

    /// Puts pages into the last block, as long as it has free slots, and into new blocks after it.
    fn append(&mut self, mut pages: &[u32]) {
        let block_pages = self.block_pages;
        // Otherwise, a site that grows by one page per build would get a block, and a file, each
        // time.
        if let Some(last) = self.blocks.last_mut() {
            while let [page, rest @ ..] = pages
                && let Some(slot) = free_slot(last, block_pages)
            {
                last.push((slot, *page));
                pages = rest;
            }
        }
        for block in &mut self.blocks {
            block.sort_unstable();
        }
        self.blocks.extend(Self::in_order(pages, block_pages).blocks);
    }
}

/// The first free slot of a block.
fn free_slot(taken: &[Correction], slots: u32) -> Option<u32> {
    (0..slots).find(|slot| taken.iter().all(|of| of.0 != *slot))
}

/// Pages with known places, by their keys.
struct PlacedPages<'a> {
    /// The signatures of all pages.
    signatures: &'a [Signature],
    tables: &'a Tables,
    buckets: FxHashMap<u64, Vec<u32>>,
}

impl PlacedPages<'_> {
    fn add(&mut self, page: u32) {
        for key in self.tables.keys(&self.signatures[page as usize]) {
            let bucket = self.buckets.entry(key.bucket).or_default();
            if bucket.len() < MAX_MET {
                bucket.push(page);
            }
        }
    }

    /// Returns the pages that share a key with a page, most similar first.
    fn similar_to(&self, page: u32) -> Vec<u32> {
        let signature = &self.signatures[page as usize];
        let buckets = self.tables.keys(signature).filter_map(|key| self.buckets.get(&key.bucket));
        let mut met: Vec<u32> = buckets.flatten().copied().collect();
        met.sort_unstable();
        met.dedup();
        let similarity = |&page: &u32| {
            let values = self.signatures[page as usize].values();
            (1_024.0 * agreement(signature.values(), values)) as u32
        };
        met.sort_by_cached_key(|page| std::cmp::Reverse(similarity(page)));
        met
    }
}

/// Pages whose blocks are independent of earlier pages, so that parts of an index can be built
/// separately. Two in a thousand blocks end early because of it.
pub(crate) const STRETCH: usize = 512 * records::TRIAL_PAGES;

/// Maximum number of pages per bucket that a new page is compared with.
const MAX_MET: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::lsh::TableRules;
    use pagekin_core::minhash::{Family, SignatureParams};

    #[test]
    fn blocks_are_filled_to_about_their_bytes() {
        let order: Vec<u32> = (0..10).rev().collect();
        let arrangement = Arrangement::in_order(&order, 4);
        assert_eq!(arrangement.blocks[2], [(0, 1), (1, 0)]);
        assert_eq!(arrangement.numbers(10), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        let mut bytes = vec![10.0; 10];
        bytes[4] = 200.0;
        let sizes = |target, most| {
            let arrangement = Arrangement::by_bytes(&order, &bytes, |_| false, target, most);
            arrangement.blocks.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(30.0, 8), [3, 2, 1, 3, 1]);
        assert_eq!(sizes(34.0, 2), [2, 2, 1, 1, 2, 2]);
        assert_eq!(sizes(1e9, 8), [8, 2]);
        // 7 and 6 repeat 8, and 2 repeats 3.
        let repeats = |page| [7, 6, 2].contains(&page);
        let blocks = |most| Arrangement::by_bytes(&order, &[10.0; 10], repeats, 30.0, most).blocks;
        assert_eq!(blocks(8).iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
        assert_eq!(blocks(2).iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2, 1, 2, 2]);
    }

    #[test]
    fn each_stretch_begins_a_new_block() {
        let order: Vec<u32> = (0..2 * STRETCH as u32 + 5).collect();
        let arrange = |order: &[u32]| {
            let bytes: Vec<f64> =
                (0..2 * STRETCH + 5).map(|page| 40.0 + (page % 97) as f64).collect();
            Arrangement::by_bytes(order, &bytes, |_| false, 2_300.0, 128).blocks
        };
        let apart: Vec<_> = order.chunks(STRETCH).flat_map(arrange).collect();
        assert_eq!(arrange(&order), apart);
    }

    #[test]
    fn known_pages_stay_and_new_ones_join_similar_pages() {
        let family = Family::new(SignatureParams { m: 80, bits: 16, seed: 1 });
        let tables = Tables::new(TableRules::Anchored { anchors: 8, partners: 9 }, 80, 1).unwrap();
        let sign = |topic: u32, page: u32| {
            let elements = (0..90)
                .map(|x| topic * 1_000_000 + x * 7_919)
                .chain((0..10).map(|x| 9_000_000 + page * 1_000 + x * 31));
            family.sign_elements(elements).unwrap()
        };
        // Two topics, each with a page that was there and a new one. The page in slot 2 is gone.
        let topics = [0, 1, 1, 0];
        let signatures: Vec<_> = (0..4).map(|page| sign(topics[page as usize], page)).collect();
        let page = |at: u32| WeightedPage { url: format!("/{at}"), ..WeightedPage::default() };
        let pages: Vec<_> = (0..4).map(page).collect();
        let arrange = |places: &[(&str, u32)], blocks, block_pages| {
            let by_url = &places
                .iter()
                .map(|&(url, place)| (url.to_owned(), place))
                .collect::<BTreeMap<_, _>>();
            let places = Places { by_url, blocks, block_pages };
            Arrangement::keeping(places, &pages, &signatures, &tables, &[0, 1, 2, 3]).numbers(4)
        };
        assert_eq!(arrange(&[("/0", 0), ("/1", 4), ("/gone", 2)], 2, 4), [0, 4, 5, 1]);
        // The blocks of similar pages are full: new blocks.
        assert_eq!(arrange(&[("/0", 0), ("/1", 1)], 2, 1), [0, 1, 2, 3]);
        // There are no similar pages, and the last block has a free slot.
        let known = [("/0", 0), ("/3", 1), ("/gone", 2)];
        assert_eq!(arrange(&known, 2, 2), [0, 2, 3, 1]);
    }
}
