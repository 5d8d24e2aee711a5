//! Which blocks are worth reading by the LSH tables: those of the pages that the query meets in
//! buckets.
//!
//! Of each candidate, a page that meets the query in a bucket, the similarity is estimated by the
//! part of its values, as far as the buckets know them, that agree with the query's. Alike pages
//! are stored together, so a block with several good candidates is likely to have more: blocks are
//! ranked by the sum of the eighth powers of their candidates' estimates, and the best are fetched,
//! [`MAX_BLOCKS`] at most.

use std::cmp::Reverse;

use super::query::Subject;
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::minhash::Signature;
use crate::shard::MAX_READ_WHOLE;
use crate::sort;

/// The most blocks of page records a lookup reads: as many as all of a small site.
pub const MAX_BLOCKS: usize = MAX_READ_WHOLE;
/// The most pages a lookup reads the records of, if blocks are large.
const MAX_COMPARED: u32 = 2_048;
/// The fewest blocks it may read, however large they are.
const MIN_BLOCKS: u32 = 6;

/// The most blocks of so many slots a lookup reads: [`MAX_BLOCKS`], or so many as have 2,048 slots,
/// but at least 6.
fn most_blocks(block_pages: u32) -> usize {
    (MAX_COMPARED / block_pages).clamp(MIN_BLOCKS, MAX_BLOCKS as u32) as usize
}

/// Of blocks beyond so many slots, only those are read that promise as much as a candidate of
/// [`DOUBTFUL`].
const SURE_COMPARED: u32 = 160;
/// But so many blocks are read in any case.
const SURE_BLOCKS: u32 = 5;

/// The bits of an estimate, which is at most 1.
const ESTIMATE_BITS: u32 = 12;
/// Of pages with a similarity of 0.2 or more few have an estimate of less than 0.16, of all others
/// that share a bucket most.
const DOUBTFUL: u64 = (16 << ESTIMATE_BITS) / 100;
/// Values of no agreement that an estimate by few values starts from.
const CAUTION: u64 = 8;

/// What a candidate promises for its block: the eighth power of its estimate. By the first power,
/// crowds of strangers in popular buckets would come before kin; by the highest, it would not count
/// that a block has several.
fn promise(estimate: u64) -> u128 {
    u128::from(estimate).pow(8)
}

/// The table shards to read for a subject, by the keys of its signature, which it gets.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn shards_to_read(index: &Index, subject: &mut Subject) -> Vec<u32> {
    subject.signature = index.key_signature(&subject.bag);
    let keys = subject.signature.iter().flat_map(|signature| index.tables().keys(signature));
    keys.map(|key| index.manifest().table_shard(&key)).collect()
}

/// The blocks whose candidates promise most, best first.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn most_promising(index: &Index, signature: &Signature, tables: &ShardMap) -> Vec<u32> {
    let manifest = index.manifest();
    let partners = manifest.params.tables.partners() as u64;
    // Pages with the number of their partners that agree and whether their bucket was cut.
    let mut met: Vec<(u32, u32, bool)> = Vec::new();
    let mut whole = 0;
    for key in index.tables().keys(signature) {
        let shard = ShardId::Table(manifest.table_shard(&key));
        if let Some(Shard::Table(shard)) = tables.get(&shard) {
            let cut = shard.is_cut(&key);
            whole += u64::from(!cut);
            met.extend(shard.matches(&key).map(|(page, agreeing)| (page, agreeing, cut)));
        }
    }
    sort::by_key(&mut met, |&met| met);
    // Of a page that is in `a` of the query's buckets, `a p` partners are known, and the values of
    // the keys: of its buckets and of those that are whole, where a page that is missing does not
    // agree. The part that agrees estimates the similarity. A few values of no agreement are added,
    // so that a page known by few must be the better. In whole numbers, so it is the same
    // everywhere.
    let estimates = met.chunk_by(|a, b| a.0 == b.0).map(|run| {
        let buckets = run.len() as u64;
        let agreeing = buckets + run.iter().map(|&(_, n, _)| u64::from(n)).sum::<u64>();
        let cut = run.iter().filter(|(_, _, cut)| *cut).count() as u64;
        let known = whole + cut + buckets * partners + CAUTION;
        (run[0].0, (agreeing << ESTIMATE_BITS) / known)
    });
    let mut blocks: Vec<(u32, u128)> = Vec::new();
    // Pages ascend, so those of a block come one after the other.
    for (page, estimate) in estimates {
        let block = page / manifest.block_pages;
        match blocks.last_mut() {
            Some((last, promised)) if *last == block => *promised += promise(estimate),
            _ => blocks.push((block, promise(estimate))),
        }
    }
    sort::by_key(&mut blocks, |&(block, promised)| (Reverse(promised), block));
    blocks.truncate(most_blocks(manifest.block_pages));
    let sure = blocks.iter().take_while(|(_, promised)| *promised >= promise(DOUBTFUL)).count();
    blocks.truncate(sure.max((SURE_COMPARED / manifest.block_pages).max(SURE_BLOCKS) as usize));
    blocks.into_iter().map(|(block, _)| block).collect()
}
