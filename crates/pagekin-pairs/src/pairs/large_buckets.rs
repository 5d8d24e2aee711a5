//! Buckets of too many pages, cut by a rule that loses few pairs that are alike.
//!
//! The pages of such a bucket agree in their key, and are put in [`ORDERS`] orders by the rest of
//! their signatures: in each by the values from another one on, as words in a dictionary
//! are by their letters. So pages that agree in further values come to lie together. Each order is
//! cut into blocks, and only the pages of a block are compared, which makes the cost linear in the
//! pages. A pair of similarity `s` agrees in the first value of an order with probability `s`, and
//! then most likely shares a block: of four orders one does with `1 - (1 - s)^4`, unless so many
//! pages agree there that blocks are too small for them. Other tables try the pair again.
//!
//! Of a cut bucket it is remembered where blocks begin, by which it is known later which pairs were
//! tried: a page in 250 for each order.

use std::cmp::Ordering;

use pagekin_core::hash;
use rayon::prelude::*;

use crate::signatures::columns::SignatureColumns;

/// Orders of a cut bucket.
pub(crate) const ORDERS: usize = 4;
/// Buckets that are cut have more pages than this at least.
pub(crate) const MIN_CAP: u32 = 8;

/// A bucket that was cut.
pub(crate) struct Cut([Order; ORDERS]);

struct Order {
    /// The value that counts first.
    start: usize,
    /// The first page of each block but the first, and what it begins with.
    firsts: Vec<(u64, u32)>,
}

/// The pages of a block of a cut bucket, and those of them that are in one block of an order
/// before.
pub(crate) struct Block {
    pub(crate) pages: Vec<u32>,
    /// For each order before the blocks of the pages.
    before: Vec<Vec<u32>>,
}

impl Block {
    /// Whether the pages at two places of the block shared one before.
    pub(crate) fn is_tried(&self, a: usize, b: usize) -> bool {
        self.before.iter().any(|blocks| blocks[a] == blocks[b])
    }

    /// How many pairs of pages are in a block together for the first time.
    pub(crate) fn untried(&self) -> u64 {
        let mut tried = vec![0u8; self.pages.len()];
        let pairs = (0..self.pages.len()).map(|b| {
            let tried = &mut tried[..b];
            tried.fill(0);
            for blocks in &self.before {
                for (tried, block) in tried.iter_mut().zip(blocks) {
                    *tried |= u8::from(*block == blocks[b]);
                }
            }
            tried.iter().map(|tried| u64::from(1 - tried)).sum::<u64>()
        });
        pairs.sum()
    }
}

impl Cut {
    /// Cuts a bucket so that as many comparisons are left as a bucket of `most` pages has, in
    /// proportion to its pages. `salt` says which values count first.
    pub(crate) fn new(
        columns: &SignatureColumns,
        pages: &[u32],
        most: u32,
        salt: u64,
    ) -> (Self, Vec<Block>) {
        let size = most as usize / ORDERS;
        let mut blocks = Vec::new();
        let mut before: Vec<Vec<u32>> = Vec::new();
        let orders = std::array::from_fn(|number| {
            let drawn = hash::mix(salt.wrapping_add(number as u64)) >> 32;
            let start = (drawn % columns.m() as u64) as usize;
            let beginning = |(place, &page): (u32, &u32)| (first_of(columns, start, page), place);
            let mut places: Vec<(u64, u32)> = (0..).zip(pages).map(beginning).collect();
            places.par_sort_unstable_by(|(a, u), (b, v)| {
                // What comes first tells nearly all apart, and is near.
                let pages = || compare(columns, start, pages[*u as usize], pages[*v as usize]);
                a.cmp(b).then_with(pages)
            });
            let first = |&(begin, place): &(u64, u32)| (begin, pages[place as usize]);
            let firsts = places.iter().skip(size).step_by(size).map(first).collect();
            let places: Vec<usize> = places.iter().map(|&(_, place)| place as usize).collect();
            let mut own = vec![0; pages.len()];
            for (block, places) in (0u32..).zip(places.chunks(size)) {
                places.iter().for_each(|&place| own[place] = block);
                let of_places = |of: &[u32]| places.iter().map(|&place| of[place]).collect();
                let before = before.iter().map(|order| of_places(order)).collect();
                blocks.push(Block { pages: of_places(pages), before });
            }
            before.push(own);
            Order { start, firsts }
        });
        (Self(orders), blocks)
    }

    /// Whether two pages of the bucket share a block.
    pub(crate) fn is_tried(&self, columns: &SignatureColumns, u: u32, v: u32) -> bool {
        self.0.iter().any(|order| order.block(columns, u) == order.block(columns, v))
    }
}

impl Order {
    fn block(&self, columns: &SignatureColumns, page: u32) -> usize {
        let begin = first_of(columns, self.start, page);
        self.firsts.partition_point(|&(first_begin, first)| {
            let pages = || compare(columns, self.start, first, page);
            first_begin.cmp(&begin).then_with(pages) != Ordering::Greater
        })
    }
}

/// The values of a page from `start` on, as many as are a number whose order is theirs.
fn first_of(columns: &SignatureColumns, start: usize, page: u32) -> u64 {
    let (before, after) = columns.low(page).split_at(start);
    let mut first = [0; 8];
    first.iter_mut().zip(after.iter().chain(before)).for_each(|(first, &value)| *first = value);
    u64::from_be_bytes(first)
}

/// The order of two pages by their values, those from `start` on first; then by their
/// numbers.
fn compare(columns: &SignatureColumns, start: usize, u: u32, v: u32) -> Ordering {
    let (a, b) = (columns.low(u), columns.low(v));
    let later = a[start..].cmp(&b[start..]);
    later.then_with(|| a[..start].cmp(&b[..start])).then(u.cmp(&v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::columns::tests::columns;
    use pagekin_core::hash::SplitMix64;
    use std::collections::BTreeSet;

    #[test]
    fn a_pair_is_tried_once_and_it_is_known_which() {
        let mut stream = SplitMix64::new(5);
        let rows: Vec<u16> = (0..8 * 500).map(|_| stream.below(6) as u16).collect();
        let columns = columns(8, &rows);
        let pages: Vec<u32> = (0..500).filter(|page| page % 3 > 0).collect();
        let (cut, blocks) = Cut::new(&columns, &pages, 80, 9);
        let mut tried = BTreeSet::new();
        for block in &blocks {
            assert!(block.pages.len() <= 20);
            let tried_before = tried.len() as u64;
            for (b, &v) in block.pages.iter().enumerate() {
                for (a, &u) in block.pages[..b].iter().enumerate() {
                    if !block.is_tried(a, b) {
                        assert!(tried.insert((u.min(v), u.max(v))), "{u} and {v} twice");
                    }
                }
            }
            assert_eq!(block.untried(), tried.len() as u64 - tried_before);
        }
        for (at, &u) in pages.iter().enumerate() {
            for &v in &pages[at + 1..] {
                assert_eq!(cut.is_tried(&columns, u, v), tried.contains(&(u, v)), "{u} and {v}");
            }
        }
        let all = pages.len() * (pages.len() - 1) / 2;
        assert!(tried.len() > all / 10 && tried.len() < all / 4, "{} of {all}", tried.len());
    }
}
