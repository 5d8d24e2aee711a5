//! Chooses the blocks to read by the LSH tables: those of the pages that share a bucket with the
//! query.
//!
//! The similarity of each such candidate is estimated by the share of its values, as far as the
//! buckets contain them, that agree with those of the query. Similar pages are stored together, so
//! a block with several good candidates is likely to have more. Blocks are ranked by the sum of the
//! eighth powers of the estimates of their candidates, and the best are fetched, [`MAX_BLOCKS`] at
//! most.

use std::cmp::Reverse;

use super::query::Subject;
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::minhash::Signature;
use crate::shard::MAX_READ_WHOLE;
use crate::sort;

/// Maximum number of blocks of page records in a lookup: as many as a small site has.
pub const MAX_BLOCKS: usize = MAX_READ_WHOLE;
/// Maximum number of pages whose records a lookup reads, if blocks are large.
const MAX_COMPARED: u32 = 2_048;
/// Minimum value of the maximum number of blocks, however large they are.
const MIN_BLOCKS: u32 = 6;

/// Maximum number of blocks with `block_pages` slots in a lookup: [`MAX_BLOCKS`], or as many as
/// have 2,048 slots, but at least 6.
fn max_blocks(block_pages: u32) -> usize {
    (MAX_COMPARED / block_pages).clamp(MIN_BLOCKS, MAX_BLOCKS as u32) as usize
}

/// Number of slots beyond which blocks are read only if they promise as much as a candidate of
/// [`DOUBTFUL`].
const SURE_COMPARED: u32 = 160;
/// Number of blocks that are read in any case.
const SURE_BLOCKS: u32 = 5;

/// Number of bits of an estimate, which is at most 1.
const ESTIMATE_BITS: u32 = 12;
/// Few pages with a similarity of 0.2 or more have an estimate below 0.16. Most other pages that
/// share a bucket do.
const DOUBTFUL: u64 = (16 << ESTIMATE_BITS) / 100;
/// Number of disagreeing values added to each estimate, so that one from few values is low.
const CAUTION: u64 = 8;

/// Returns what a candidate promises for its block: the eighth power of its estimate. With the
/// first power, many unrelated pages in popular buckets would rank above similar ones. With the
/// highest estimate alone, a block with several candidates would gain nothing.
fn promise(estimate: u64) -> u128 {
    u128::from(estimate).pow(8)
}

/// Returns the table shards to read for a subject, by the keys of its signature, which this sets.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn shards_to_read(index: &Index, subject: &mut Subject) -> Vec<u32> {
    subject.signature = index.key_signature(&subject.bag);
    let keys = subject.signature.iter().flat_map(|signature| index.tables().keys(signature));
    keys.map(|key| index.manifest().table_shard(&key)).collect()
}

/// Returns the blocks whose candidates, among the pages that a filter `finds`, promise most, best
/// first.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn most_promising(
    index: &Index,
    signature: &Signature,
    tables: &ShardMap,
    finds: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let manifest = index.manifest();
    let partners = manifest.params.tables.partners() as u64;
    // Pages, each with the number of agreeing partners and whether their bucket was cut.
    let mut met: Vec<(u32, u32, bool)> = Vec::new();
    let mut whole = 0;
    for key in index.tables().keys(signature) {
        let shard = ShardId::Table(manifest.table_shard(&key));
        if let Some(Shard::Table(shard)) = tables.get(&shard) {
            let cut = shard.is_cut(&key);
            whole += u64::from(!cut);
            let matches = shard.matches(&key).filter(|&(page, _)| finds(page));
            met.extend(matches.map(|(page, agreeing)| (page, agreeing, cut)));
        }
    }
    sort::by_key(&mut met, |&met| met);
    // For a page in `a` of the query's buckets, `a p` partners are known, and the values of the
    // keys: those of its buckets, and those of complete buckets, where a missing page does not
    // agree. The share that agrees estimates the similarity. A few disagreeing values are added, so
    // that a page known by few values must be better. All in integers, so the result is the same
    // everywhere.
    let estimates = met.chunk_by(|a, b| a.0 == b.0).map(|run| {
        let buckets = run.len() as u64;
        let agreeing = buckets + run.iter().map(|&(_, n, _)| u64::from(n)).sum::<u64>();
        let cut = run.iter().filter(|(_, _, cut)| *cut).count() as u64;
        let known = whole + cut + buckets * partners + CAUTION;
        (run[0].0, (agreeing << ESTIMATE_BITS) / known)
    });
    let mut blocks: Vec<(u32, u128)> = Vec::new();
    // Pages are in ascending order, so those of a block follow one another.
    for (page, estimate) in estimates {
        let block = page / manifest.block_pages;
        match blocks.last_mut() {
            Some((last, promised)) if *last == block => *promised += promise(estimate),
            _ => blocks.push((block, promise(estimate))),
        }
    }
    sort::by_key(&mut blocks, |&(block, promised)| (Reverse(promised), block));
    blocks.truncate(max_blocks(manifest.block_pages));
    let sure = blocks.iter().take_while(|(_, promised)| *promised >= promise(DOUBTFUL)).count();
    blocks.truncate(sure.max((SURE_COMPARED / manifest.block_pages).max(SURE_BLOCKS) as usize));
    blocks.into_iter().map(|(block, _)| block).collect()
}
