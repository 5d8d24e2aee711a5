//! Cuts buckets with too many pages, in a way that loses few similar pairs.
//!
//! The pages of such a bucket agree in their key. They are sorted in [`ORDERS`] orders by the rest
//! of their signatures: each order compares the values starting at a different one, in the same way
//! as words in a dictionary. So pages that agree in further values are close to each other. Each
//! order is divided into blocks, and only the pages of a block are compared, so the cost is linear
//! in the number of pages. A pair of similarity `s` agrees in the first value of an order with
//! probability `s`, and then most likely shares a block. So it shares a block in at least one of
//! four orders with probability `1 - (1 - s)^4`, unless too many pages agree in this value for one
//! block. Other tables may also find the pair.
//!
//! The starts of blocks are stored, one page in 250 for each order. They determine later which
//! pairs of a cut bucket were compared.

use std::cmp::Ordering;

use pagekin_core::hash;
use rayon::prelude::*;

use crate::signatures::columns::SignatureColumns;

/// Number of orders of a cut bucket.
pub(crate) const ORDERS: usize = 4;
/// Minimum size limit of buckets.
pub(crate) const MIN_CAP: u32 = 8;

/// A bucket that was cut.
pub(crate) struct Cut([Order; ORDERS]);

struct Order {
    /// The index of the value that is compared first.
    start: usize,
    /// The first page of each block except the first block, and the start of its values.
    firsts: Vec<(u64, u32)>,
}

/// A block of a cut bucket.
pub(crate) struct Block {
    pub(crate) pages: Vec<u32>,
    /// For each earlier order, the block of each page.
    before: Vec<Vec<u32>>,
}

impl Block {
    /// Returns whether two pages, given by position in this block, shared an earlier block.
    pub(crate) fn is_tried(&self, a: usize, b: usize) -> bool {
        self.before.iter().any(|blocks| blocks[a] == blocks[b])
    }

    /// Returns the number of pairs of pages that share a block for the first time.
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
    /// Cuts a bucket so that each page is compared as often as in a bucket of `max` pages. `salt`
    /// determines the values that are compared first.
    pub(crate) fn new(
        columns: &SignatureColumns,
        pages: &[u32],
        max: u32,
        salt: u64,
    ) -> (Self, Vec<Block>) {
        let size = max as usize / ORDERS;
        let mut blocks = Vec::new();
        let mut before: Vec<Vec<u32>> = Vec::new();
        let orders = std::array::from_fn(|number| {
            let drawn = hash::mix(salt.wrapping_add(number as u64)) >> 32;
            let start = (drawn % columns.m() as u64) as usize;
            let entry = |(place, &page): (u32, &u32)| (first_of(columns, start, page), place);
            let mut places: Vec<(u64, u32)> = (0..).zip(pages).map(entry).collect();
            places.par_sort_unstable_by(|(a, u), (b, v)| {
                // The first values distinguish nearly all pages, and are in the same memory.
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

    /// Returns whether two pages of the bucket share a block.
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

/// Returns the values of a page starting at `start`, as many as fit into a number with the same
/// order.
fn first_of(columns: &SignatureColumns, start: usize, page: u32) -> u64 {
    let (before, after) = columns.low(page).split_at(start);
    let mut first = [0; 8];
    first.iter_mut().zip(after.iter().chain(before)).for_each(|(first, &value)| *first = value);
    u64::from_be_bytes(first)
}

/// Compares two pages by their values, starting at `start`, then by their numbers.
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
    fn each_pair_is_compared_once_and_known_to_be_compared() {
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
