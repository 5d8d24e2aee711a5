//! The exact results: the bag Jaccard of each query with every page of the index.
//!
//! The queries are inverted by term, so one pass over the pages computes the overlap of each page
//! with all queries. Pages without a common term have similarity 0 and are omitted. Cost: for each
//! term of each page, the number of queries that contain it.

use pagekin_core::bag::Bag;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::PageRecord;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Number of pages that a thread handles at a time.
const STEP: usize = 4_096;
/// Number of pairs of pages whose mean similarity estimates that of any two.
const PAIRS: u32 = 20_000;

/// Returns the similarities of the `top` best pages for each query, best first. The list is shorter
/// if fewer pages share a term with the query.
#[must_use]
pub fn best(queries: &[Bag], records: &[PageRecord], top: usize) -> Vec<Vec<f64>> {
    let mut by_term: FxHashMap<TermId, Vec<(usize, u16)>> = FxHashMap::default();
    for (number, bag) in queries.iter().enumerate() {
        for &(term, copies) in bag.entries() {
            by_term.entry(term).or_default().push((number, copies));
        }
    }
    let sizes: Vec<u32> = queries.iter().map(Bag::size).collect();
    records
        .par_chunks(STEP)
        .map(|records| {
            let mut best = vec![Vec::new(); queries.len()];
            let mut shared = vec![0u32; queries.len()];
            for record in records {
                let mut met = Vec::new();
                for (term, copies) in record.bag.entries() {
                    for &(query, wanted) in by_term.get(term).map_or(&[][..], Vec::as_slice) {
                        if shared[query] == 0 {
                            met.push(query);
                        }
                        shared[query] += u32::from(wanted.min(*copies));
                    }
                }
                let size = record.bag.size();
                for query in met {
                    let intersection = std::mem::take(&mut shared[query]);
                    let union = sizes[query] + size - intersection;
                    insert(&mut best[query], Overlap { intersection, union }.jaccard(), top);
                }
            }
            best
        })
        .reduce(
            || vec![Vec::new(); queries.len()],
            |mut a, b| {
                for (a, b) in a.iter_mut().zip(b) {
                    for similarity in b {
                        insert(a, similarity, top);
                    }
                }
                a
            },
        )
}

/// Inserts into a list in descending order, and truncates it to `top` entries.
fn insert(best: &mut Vec<f64>, similarity: f64, top: usize) {
    if best.len() == top && best.last().is_some_and(|last| *last >= similarity) {
        return;
    }
    let at = best.partition_point(|other| *other >= similarity);
    best.insert(at, similarity);
    best.truncate(top);
}

/// Returns the mean number of terms in a bag, and the mean similarity of two random pages.
#[must_use]
pub fn background(records: &[PageRecord]) -> (f64, f64) {
    let terms: usize = records.iter().map(|record| record.bag.entries().len()).sum();
    let mut random = SplitMix64::new(2);
    let mut any = || &records[random.below(records.len() as u32) as usize].bag;
    let total: f64 = (0..PAIRS).map(|_| Overlap::between(any(), any()).jaccard()).sum();
    (terms as f64 / records.len() as f64, total / f64::from(PAIRS))
}
