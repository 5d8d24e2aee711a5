//! Signatures into pairs of similar pages.
//!
//! Table by table, all pages of a bucket are compared: two make a pair if they agree in a large
//! enough part of their signatures. Tables that look at the same value follow each other, and pages
//! are brought together by that value once for all of them (`table_order`). The paper writes all
//! pairs that meet and filters the file later, which at 20 million pages is 300 GB; here a pair
//! that does not pass is never written.
//!
//! A pair that meets in several tables is made in the first. Nothing is remembered for that:
//! whether two pages met before is seen by their signatures. Pages of equal signatures would meet
//! everywhere, so they are to be collapsed before (see [`equal`](crate::signatures::equal)),
//! and only one of each such group paired.
//!
//! # Cost
//!
//! For each value that tables have in common a radix sort of all pages and a copy of their rows,
//! about 100 ns a page at 20 million; for each table a hash and a sort of some thousand pages at a
//! time in a processor's cache, about 40 ns a page; and a comparison for each two pages of a
//! bucket, about 4 ns. Memory is 24 bytes a page beside the columns, the rows of some thousand
//! pages for each thread, and the pairs of a batch.
//!
//! # Quirks
//!
//! 1. Buckets of more than [`ExtractOptions::most_in_bucket`] pages are cut, see `large_buckets`:
//!    pairs are lost, and the report tells how many were not tried. In other tables they may be.
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

/// Partitions whose pairs are gathered before it is looked how many there are.
const WAVE: usize = 128;
/// Heads whose values are read from the signatures at once, which are read through for that.
const HEADS: usize = 8;
/// Pairs of a batch, about.
const BATCH: usize = 4 << 20;

/// Pairs of some tables.
#[derive(Debug, Clone, Copy)]
pub struct PairBatch<'a> {
    /// How many tables are gone through when all pairs of these are handed on; it does not descend.
    pub tables: u16,
    /// Sorted pairs, none of which is in another batch.
    pub pairs: &'a [AgreeingPair],
}

/// Makes the pairs of the given pages, which must ascend, and hands them to `sink` batch by batch,
/// the last of which has all tables behind it.
///
/// # Errors
///
/// [`PairsError::OutOfOrder`] if pages do not ascend, [`PairsError::Range`] if there is no such
/// page, if tables are for longer signatures, or if buckets are to be too small; and what `sink`
/// returns, at once.
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

/// The pairs of a head's tables, by its groups of pages.
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
            .map_init(Memory::default, |Memory { words, together, scratch }, &partition| {
                grouping.together(partition, words);
                together.clear();
                together
                    .extend(words.iter().map(|&word| pages[radix_groups::place(word) as usize]));
                join.join_group(head.tables.clone(), together, scratch)
            })
            .collect();
        parts.into_iter().for_each(|part| found.add(part));
        if found.pairs.len() >= BATCH {
            hand_on(tables, &mut found.pairs, sink)?;
        }
    }
    hand_on(tables, &mut found.pairs, sink)?;
    Ok(found)
}

/// Memory of a thread, used again.
#[derive(Default)]
struct Memory {
    words: Vec<u64>,
    together: Vec<u32>,
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
            expected: "a page that has a signature",
            found: last.to_string(),
        }),
        _ => Ok(()),
    }
}

fn hand_on<E>(
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
        ExtractOptions { threshold: Threshold::PAPER, most_in_bucket: u32::MAX };

    /// All pairs, sorted, after a look at each batch.
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

    /// Pairs that share a key and agree enough, by comparing all with all.
    fn plainly(
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
        fn pairs_are_those_of_comparing_all_with_all(
            count in 0usize..120, m in 4usize..20, k in 1u8..=4, l in 1u16..12, seed: u64,
            thousandths in 1u16..=1_000, left_out in 1u32..7,
        ) {
            let rows = some_rows(count, m, seed);
            let columns = columns(m as u16, &rows);
            let tables = Tables::new(TableRules::Independent { k, l }, m as u16, seed).unwrap();
            let pages: Vec<u32> = (0..count as u32).filter(|page| page % 7 != left_out).collect();
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let (found, report) = pairs(&columns, &pages, &tables, ExtractOptions { threshold, ..ALL });
            prop_assert_eq!(found, plainly(&rows, m, &pages, &tables, threshold));
            prop_assert_eq!((report.cut_buckets, report.not_tried), (0, 0));
        }

        /// What a cut loses is lost, but nothing else is: no pair comes twice, and none that is no
        /// pair.
        #[test]
        fn cut_buckets_lose_pairs_and_say_so(count in 60usize..200, seed: u64, l in 1u16..6) {
            let rows = some_rows(count, 16, seed);
            let columns = columns(16, &rows);
            let tables = Tables::new(TableRules::Independent { k: 1, l }, 16, seed).unwrap();
            let pages: Vec<u32> = (0..count as u32).collect();
            let (all, plain) = pairs(&columns, &pages, &tables, ALL);
            let options = ExtractOptions { most_in_bucket: 10, ..ALL };
            let (found, report) = pairs(&columns, &pages, &tables, options);
            let all: BTreeSet<AgreeingPair> = all.into_iter().collect();
            prop_assert!(found.iter().all(|pair| all.contains(pair)));
            prop_assert!(found.len() < all.len());
            prop_assert_eq!(report.tried + report.not_tried, plain.tried);
            prop_assert!(report.cut_pages > 10 * report.cut_buckets);
        }
    }

    #[test]
    fn many_partitions_and_cut_buckets_in_them_give_the_pairs_of_one() {
        let (m, count) = (12, 20_000);
        let mut stream = SplitMix64::new(8);
        // Ten pages in a group, of which the first 240 groups share what the first table looks at.
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
        let options = ExtractOptions { threshold, most_in_bucket: 1_000 };
        let (found, report) = pairs(&columns, &pages, &tables, options);
        assert_eq!((report.cut_buckets, report.cut_pages), (1, 2_400));
        assert!(report.not_tried > 1_500_000, "{report:?}");
        let kept = found.len() as f64 / all.len() as f64;
        assert!(kept > 0.95, "{kept} of the pairs are left, though {report:?}");
    }

    #[test]
    fn what_is_out_of_order_is_refused() {
        let columns = columns(4, &some_rows(9, 4, 1));
        let tables = Tables::new(TableRules::Independent { k: 2, l: 2 }, 4, 1).unwrap();
        let refuse = |pages: &[u32], tables: &Tables, options| {
            let none = |_: PairBatch<'_>| Ok::<(), PairsError>(());
            extract(&columns, pages, tables, options, none).unwrap_err().to_string()
        };
        assert_eq!(
            refuse(&[0, 3, 3], &tables, ALL),
            "pages to pair must come in ascending order, each once: found 3 after 3. Sort them first"
        );
        assert!(refuse(&[0, 9], &tables, ALL).contains("a page that has a signature"));
        let longer = Tables::new(TableRules::Independent { k: 5, l: 1 }, 5, 1).unwrap();
        assert!(refuse(&[0, 1], &longer, ALL).contains("below m"));
        let small = ExtractOptions { most_in_bucket: 7, ..ALL };
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
