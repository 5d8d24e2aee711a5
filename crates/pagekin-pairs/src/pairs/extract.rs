//! Finds pairs of similar pages by their signatures.
//!
//! For each table, all pages of a bucket are compared. Two pages form a pair if they agree in a
//! large enough share of their signatures. Tables that use the same value are processed together,
//! so that pages are grouped by this value only once for all of them (`table_order`). The paper
//! writes all pairs that share a key to a file and filters it later, which would be 300 GB for 20
//! million pages. Here, pairs that do not pass the filter are never written.
//!
//! A pair that shares keys in several tables is returned for the first of them. This needs no
//! memory of earlier pairs: whether two pages shared a key before follows from their signatures.
//! Pages with equal signatures would share all keys, so they should be collapsed before (see
//! [`equal`](crate::signatures::equal)), and only one page of each group should be paired.
//!
//! # Cost
//!
//! For each value that tables share: a radix sort of all pages and a copy of their rows, about 100
//! ns per page for 20 million pages. For each table: a hash and a sort of a few thousand pages at a
//! time in a processor's cache, about 40 ns per page. For each two pages of a bucket: a comparison,
//! about 4 ns. Memory in addition to the columns: 24 bytes per page, the rows of a few thousand
//! pages for each thread, and the pairs of a batch.
//!
//! # Limits
//!
//! 1. Buckets of more than [`ExtractOptions::max_in_bucket`] pages are cut: see `large_buckets`.
//!    Pairs are lost unless another table finds them, and the report contains the number of pairs
//!    that were not compared.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 4, ExtractSimilarPairs and its filter.

use pagekin_core::hash;
use pagekin_core::lsh::Tables;
use rayon::prelude::*;

use crate::error::PairsError;
use crate::join::radix_groups;
use crate::join::radix_groups::Grouping;
pub use crate::pairs::bucket_join::{AgreeingPair, ExtractOptions, ExtractReport};
use crate::pairs::bucket_join::{BucketJoin, Joined, Scratch};
use crate::pairs::table_order::Head;
use crate::signatures::columns::SignatureColumns;

/// Number of partitions after which the number of pairs is checked.
const WAVE: usize = 128;
/// Number of heads whose values are read in one pass over the signatures.
const HEADS: usize = 8;
/// Approximate number of pairs in a batch.
const BATCH: usize = 4 << 20;

/// The pairs of some tables.
#[derive(Debug, Clone, Copy)]
pub struct PairBatch<'a> {
    /// Number of tables that are complete after this batch. It never decreases.
    pub tables: u16,
    /// The pairs, sorted. None of them is in another batch.
    pub pairs: &'a [AgreeingPair],
}

/// Finds the pairs of `pages`, which must be ascending, and passes them to `sink` in batches. All
/// tables are complete after the last batch.
///
/// # Errors
///
/// Returns [`PairsError::OutOfOrder`] if pages are not ascending, [`PairsError::Range`] if a page
/// does not exist, the tables are for longer signatures or the maximum size of buckets is too
/// small, and the first error of `sink`.
pub fn extract<E: From<PairsError>>(
    columns: &SignatureColumns,
    pages: &[u32],
    tables: &Tables,
    options: ExtractOptions,
    mut sink: impl FnMut(PairBatch<'_>) -> Result<(), E>,
) -> Result<ExtractReport, E> {
    let mut join = BucketJoin::new(columns, tables, options)?;
    check(columns, pages)?;
    let mut grouping = Grouping::new(pages.len());
    let mut report = ExtractReport::default();
    for heads in join.heads().to_vec().chunks(HEADS) {
        let indices: Vec<u16> = heads.iter().map(|head| head.index).collect();
        let values = columns.values(pages, &indices);
        for (at, head) in heads.iter().enumerate() {
            grouping.fill(|range, hashes| {
                let values = &values[heads.len() * range.start..heads.len() * range.end];
                let of_head = values.iter().skip(at).step_by(heads.len());
                hashes.extend(of_head.map(|&value| hash::mix(value.into())));
            });
            let found = join_head(&join, head, pages, &grouping, &mut sink)?;
            report.add(&found.report);
            join.remember(found.cuts);
        }
    }
    Ok(report)
}

/// Finds the pairs of a head's tables, by groups of pages.
fn join_head<E>(
    join: &BucketJoin<'_>,
    head: &Head,
    pages: &[u32],
    grouping: &Grouping,
    sink: &mut impl FnMut(PairBatch<'_>) -> Result<(), E>,
) -> Result<Joined, E> {
    let tables = head.tables.end as u16;
    let partitions: Vec<usize> = (0..grouping.partitions()).collect();
    let mut found = Joined::default();
    for wave in partitions.chunks(WAVE) {
        let parts: Vec<Joined> = wave
            .par_iter()
            .map_init(Buffers::default, |Buffers { words, group, scratch }, &partition| {
                grouping.partition_unsorted(partition, words);
                group.clear();
                group.extend(words.iter().map(|&word| pages[radix_groups::place(word) as usize]));
                join.join_group(head.tables.clone(), group, scratch)
            })
            .collect();
        parts.into_iter().for_each(|part| found.add(part));
        if found.pairs.len() >= BATCH {
            flush(tables, &mut found.pairs, sink)?;
        }
    }
    flush(tables, &mut found.pairs, sink)?;
    Ok(found)
}

/// Buffers of a thread, reused.
#[derive(Default)]
struct Buffers {
    words: Vec<u64>,
    group: Vec<u32>,
    scratch: Scratch,
}

fn check(columns: &SignatureColumns, pages: &[u32]) -> Result<(), PairsError> {
    if let Some(pair) = pages.windows(2).find(|pair| pair[0] >= pair[1]) {
        let (last, found) = (pair[0].to_string(), pair[1].to_string());
        return Err(PairsError::OutOfOrder { what: "pages to pair", last, found });
    }
    match pages.last() {
        Some(&last) if last >= columns.pages() => Err(PairsError::Range {
            what: "a page to pair",
            expected: "a page with a signature",
            found: last.to_string(),
        }),
        _ => Ok(()),
    }
}

fn flush<E>(
    tables: u16,
    pairs: &mut Vec<AgreeingPair>,
    sink: &mut impl FnMut(PairBatch<'_>) -> Result<(), E>,
) -> Result<(), E> {
    pairs.par_sort_unstable();
    sink(PairBatch { tables, pairs })?;
    pairs.clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::columns::tests::{columns, some_rows};
    use crate::threshold::Threshold;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::lsh::TableRules;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ALL: ExtractOptions =
        ExtractOptions { threshold: Threshold::PAPER, max_in_bucket: u32::MAX };

    /// Returns all pairs, sorted, and checks each batch.
    fn pairs(
        columns: &SignatureColumns,
        pages: &[u32],
        tables: &Tables,
        options: ExtractOptions,
    ) -> (Vec<AgreeingPair>, ExtractReport) {
        let mut all = Vec::new();
        let mut last = 0;
        let sink = |batch: PairBatch<'_>| {
            assert!(batch.tables >= last && batch.pairs.is_sorted());
            last = batch.tables;
            all.extend_from_slice(batch.pairs);
            Ok::<(), PairsError>(())
        };
        let report = extract(columns, pages, tables, options, sink).unwrap();
        assert_eq!(usize::from(last), tables.count());
        all.sort_unstable();
        assert!(all.windows(2).all(|two| (two[0].u, two[0].v) < (two[1].u, two[1].v)), "once each");
        assert_eq!(report.made, all.len() as u64);
        (all, report)
    }

    /// Finds the pairs that share a key and agree enough, by brute force.
    fn brute_force(
        rows: &[u16],
        m: usize,
        pages: &[u32],
        tables: &Tables,
        threshold: Threshold,
    ) -> Vec<AgreeingPair> {
        let mut pairs = Vec::new();
        for (at, &u) in pages.iter().enumerate() {
            for &v in &pages[at + 1..] {
                let row = |page: u32| &rows[page as usize * m..][..m];
                let (a, b) = (row(u), row(v));
                let low = a.iter().zip(b);
                let agreeing = low.filter(|(a, b)| **a as u8 == **b as u8).count() as u16;
                let meets = tables.indices().any(|indices| {
                    indices.iter().all(|&index| a[usize::from(index)] == b[usize::from(index)])
                });
                if meets && threshold.is_reached(agreeing.into(), m as u32) {
                    pairs.push(AgreeingPair { u, v, agreeing });
                }
            }
        }
        pairs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pairs_match_brute_force(
            count in 0usize..120, m in 4usize..20, k in 1u8..=4, l in 1u16..12, seed: u64,
            thousandths in 1u16..=1_000, omitted in 1u32..7,
        ) {
            let rows = some_rows(count, m, seed);
            let columns = columns(m as u16, &rows);
            let tables = Tables::new(TableRules::Independent { k, l }, m as u16, seed).unwrap();
            let pages: Vec<u32> = (0..count as u32).filter(|page| page % 7 != omitted).collect();
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let (found, report) = pairs(&columns, &pages, &tables, ExtractOptions { threshold, ..ALL });
            prop_assert_eq!(found, brute_force(&rows, m, &pages, &tables, threshold));
            prop_assert_eq!((report.cut_buckets, report.not_tried), (0, 0));
        }

        /// Cutting loses pairs, but no pair occurs twice and no pair is wrong.
        #[test]
        fn cut_buckets_lose_pairs_and_count_them(count in 60usize..200, seed: u64, l in 1u16..6) {
            let rows = some_rows(count, 16, seed);
            let columns = columns(16, &rows);
            let tables = Tables::new(TableRules::Independent { k: 1, l }, 16, seed).unwrap();
            let pages: Vec<u32> = (0..count as u32).collect();
            let (all, plain) = pairs(&columns, &pages, &tables, ALL);
            let options = ExtractOptions { max_in_bucket: 10, ..ALL };
            let (found, report) = pairs(&columns, &pages, &tables, options);
            let all: BTreeSet<AgreeingPair> = all.into_iter().collect();
            prop_assert!(found.iter().all(|pair| all.contains(pair)));
            prop_assert!(found.len() < all.len());
            prop_assert_eq!(report.tried + report.not_tried, plain.tried);
            prop_assert!(report.cut_pages > 10 * report.cut_buckets);
        }
    }

    #[test]
    fn many_partitions_with_cut_buckets_find_nearly_the_same_pairs() {
        let (m, count) = (12, 20_000);
        let mut stream = SplitMix64::new(8);
        // Groups of ten pages. The first 240 groups share the key of the first table.
        let tables = Tables::new(TableRules::Independent { k: 3, l: 10 }, m as u16, 3).unwrap();
        let first = tables.indices().next().unwrap().to_vec();
        let mut rows = Vec::new();
        for page in 0..count {
            let group = page / 10;
            for index in 0..m as u16 {
                let common = group < 240 && first.contains(&index);
                let own = stream.below(3) == 0;
                let value = if common {
                    7
                } else if own {
                    stream.next_u64()
                } else {
                    pagekin_core::hash::mix(u64::from(group * 16 + u32::from(index)))
                };
                rows.push(value as u16);
            }
        }
        let columns = columns(m as u16, &rows);
        let pages: Vec<u32> = (0..count).collect();
        let threshold = Threshold::from_thousandths(500).unwrap();
        let (all, _) = pairs(&columns, &pages, &tables, ExtractOptions { threshold, ..ALL });
        assert!(all.len() > 20_000, "{}", all.len());
        let options = ExtractOptions { threshold, max_in_bucket: 1_000 };
        let (found, report) = pairs(&columns, &pages, &tables, options);
        assert_eq!((report.cut_buckets, report.cut_pages), (1, 2_400));
        assert!(report.not_tried > 1_500_000, "{report:?}");
        let kept = found.len() as f64 / all.len() as f64;
        assert!(kept > 0.95, "{kept} of the pairs are left, though {report:?}");
    }

    #[test]
    fn pages_out_of_order_are_refused() {
        let columns = columns(4, &some_rows(9, 4, 1));
        let tables = Tables::new(TableRules::Independent { k: 2, l: 2 }, 4, 1).unwrap();
        let refuse = |pages: &[u32], tables: &Tables, options| {
            let none = |_: PairBatch<'_>| Ok::<(), PairsError>(());
            extract(&columns, pages, tables, options, none).unwrap_err().to_string()
        };
        assert_eq!(
            refuse(&[0, 3, 3], &tables, ALL),
            "pages to pair must be in ascending order without duplicates: found 3 after 3. Sort them first"
        );
        assert!(refuse(&[0, 9], &tables, ALL).contains("a page with a signature"));
        let longer = Tables::new(TableRules::Independent { k: 5, l: 1 }, 5, 1).unwrap();
        assert!(refuse(&[0, 1], &longer, ALL).contains("below m"));
        let small = ExtractOptions { max_in_bucket: 7, ..ALL };
        assert!(refuse(&[0, 1], &tables, small).contains("at least 8"));
    }

    #[test]
    fn an_error_of_the_sink_ends_the_work() {
        let columns = columns(4, &some_rows(9, 4, 1));
        let tables = Tables::new(TableRules::Independent { k: 2, l: 9 }, 4, 1).unwrap();
        let mut calls = 0;
        let sink = |batch: PairBatch<'_>| {
            calls += 1;
            let (what, expected) = ("a batch", "another");
            Err(PairsError::Range { what, expected, found: (batch.tables > 0).to_string() })
        };
        let error = extract(&columns, &[0, 1], &tables, ALL, sink).unwrap_err();
        assert_eq!((error.to_string().as_str(), calls), ("a batch is true: expected another", 1));
    }
}
