//! Finds the pairs of a table: pages that share its key, agree enough, and did not share a key in
//! an earlier table.

use std::ops::Range;

use fearless_simd::Level;
use pagekin_core::lsh::Tables;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::PairsError;
use crate::join::agreement::{Agreeing, BITS, agreeing_bits, compare_all};
use crate::join::radix_groups;
use crate::join::radix_groups::Grouping;
use crate::pairs::large_buckets::{Block, Cut, MIN_CAP};
use crate::pairs::table_order;
use crate::pairs::table_order::Head;
use crate::signatures::columns::SignatureColumns;
use crate::threshold::Threshold;

/// Maximum number of pages whose rows are copied. Larger groups are distributed over threads, table
/// by table. The limit is lower in tests, which cover both.
const MAX_NEAR: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// Two pages whose signatures agree, with `u < v`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgreeingPair {
    /// The lower page.
    pub u: u32,
    /// The higher page.
    pub v: u32,
    /// Number of values in which they agree.
    pub agreeing: u16,
}

/// Options of the search for pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractOptions {
    /// The share of values in which two pages must agree.
    pub threshold: Threshold,
    /// The size above which buckets are cut, at least 8. With `u32::MAX`, none is cut.
    pub max_in_bucket: u32,
}

impl ExtractOptions {
    /// The default size above which buckets are cut: half a million comparisons, which take a few
    /// milliseconds. It is lower in tests, so that some buckets are cut.
    pub const MAX_IN_BUCKET: u32 = if cfg!(test) { 200 } else { 1_000 };
}

/// Counts of the work, in pairs unless noted otherwise. A pair counts once for each table in which
/// it shares a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractReport {
    /// Number of compared pairs.
    pub tried: u64,
    /// Number of pairs that agreed enough.
    pub passed: u64,
    /// Number of pairs returned: they agreed enough, and did not share a key in an earlier table.
    pub made: u64,
    /// Number of cut buckets.
    pub cut_buckets: u64,
    /// Number of pages in cut buckets.
    pub cut_pages: u64,
    /// Number of pairs that shared a cut bucket but were not compared there.
    pub not_tried: u64,
}

impl ExtractReport {
    /// Adds the counts of other work.
    pub fn add(&mut self, other: &Self) {
        self.tried += other.tried;
        self.passed += other.passed;
        self.made += other.made;
        self.cut_buckets += other.cut_buckets;
        self.cut_pages += other.cut_pages;
        self.not_tried += other.not_tried;
    }
}

/// The cut buckets, by the position of the table and the hash of the key.
type Cuts = FxHashMap<(usize, u64), Cut>;

/// The result for some pages in some tables.
#[derive(Default)]
pub struct Joined {
    /// The pairs, in any order.
    pub pairs: Vec<AgreeingPair>,
    /// Counts of the work.
    pub report: ExtractReport,
    pub(crate) cuts: Cuts,
}

impl Joined {
    pub(crate) fn add(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
        self.report.add(&other.report);
        self.cuts.extend(other.cuts);
    }
}

/// Buffers of a thread, reused.
#[derive(Default)]
pub struct Scratch {
    near: Vec<u8>,
    hashes: Vec<u64>,
    words: Vec<u64>,
    spare: Vec<u64>,
    agreeing: Vec<Agreeing>,
}

/// A page with its row, in the columns or in a copy.
#[derive(Clone, Copy)]
struct Row<'a> {
    page: u32,
    bytes: &'a [u8],
}

/// Decides whether two pages form a pair in a table.
pub struct BucketJoin<'a> {
    columns: &'a SignatureColumns,
    options: ExtractOptions,
    /// Tables of the same head are adjacent.
    tables: Vec<&'a [u16]>,
    heads: Vec<Head>,
    /// For each table, a bit for each of the first values that is in its key.
    masks: Vec<u128>,
    /// Minimum number of equal bytes of two rows, including padding.
    min_equal: u32,
    /// The instructions that compare rows.
    level: Level,
    /// Earlier tables are ignored, even if they also find a pair.
    first: usize,
    /// The buckets that were cut in the tables of earlier heads.
    cuts: Cuts,
}

impl<'a> BucketJoin<'a> {
    /// Creates a join of the pages of `columns`.
    ///
    /// # Errors
    ///
    /// Returns [`PairsError::Range`] if the tables are for longer signatures, or if the maximum
    /// size of buckets is too small.
    pub fn new(
        columns: &'a SignatureColumns,
        tables: &'a Tables,
        options: ExtractOptions,
    ) -> Result<Self, PairsError> {
        if options.max_in_bucket < MIN_CAP {
            let (what, expected) = ("the largest bucket that is not cut", "at least 8");
            let found = options.max_in_bucket.to_string();
            return Err(PairsError::Range { what, expected, found });
        }
        let (tables, heads) = table_order::in_order(tables.indices().collect());
        let mut masks = vec![0; tables.len()];
        for (mask, indices) in masks.iter_mut().zip(&tables) {
            for &index in *indices {
                if usize::from(index) >= columns.m() {
                    let (what, expected) = ("an index of a table", "below m");
                    return Err(PairsError::Range { what, expected, found: index.to_string() });
                }
                if usize::from(index) < BITS {
                    *mask |= 1 << index;
                }
            }
        }
        let min_equal = columns.min_equal(options.threshold);
        let (level, cuts) = (Level::new(), Cuts::default());
        Ok(Self { columns, options, tables, heads, masks, min_equal, level, first: 0, cuts })
    }

    /// Ignores the tables before `first`, for callers that only have the data of some tables of a
    /// head. Pairs are then found even if an earlier table also finds them.
    pub fn beginning_at(mut self, first: usize) -> Self {
        self.first = first;
        self
    }

    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Records the buckets that were cut in the tables of a head. Must be called before the tables
    /// of a later head.
    pub(crate) fn remember(&mut self, cuts: Cuts) {
        self.cuts.extend(cuts);
    }

    /// Returns the pairs of `pages` in some tables of a head. `pages` must be ascending, and must
    /// include all pages that share a key with one of them.
    pub fn join_group(&self, tables: Range<usize>, pages: &[u32], scratch: &mut Scratch) -> Joined {
        let mut found = Joined::default();
        if pages.len() > MAX_NEAR {
            tables.for_each(|table| self.join_large_group(table, pages, &mut found));
            return found;
        }
        let mut near = std::mem::take(&mut scratch.near);
        near.clear();
        pages.iter().for_each(|&page| near.extend_from_slice(self.columns.row(page)));
        let bytes = near.chunks_exact(self.columns.length());
        let rows: Vec<Row<'_>> =
            pages.iter().zip(bytes).map(|(&page, bytes)| Row { page, bytes }).collect();
        for table in tables {
            let nothing = Cuts::default();
            self.join_table(table, &rows, scratch, &nothing, &mut found);
        }
        scratch.near = near;
        found
    }

    /// Finds the pairs of many pages in a table.
    fn join_large_group(&self, table: usize, pages: &[u32], found: &mut Joined) {
        let mut grouping = Grouping::new(pages.len());
        let indices = self.tables[table];
        grouping.fill(|range, hashes| self.columns.hash_keys(&pages[range], indices, hashes));
        let parts: Vec<Joined> = (0..grouping.partitions())
            .into_par_iter()
            .map_init(Scratch::default, |scratch, partition| {
                let mut part = Joined::default();
                grouping.partition_unsorted(partition, &mut scratch.words);
                let row = |&word: &u64| {
                    let page = pages[radix_groups::place(word) as usize];
                    Row { page, bytes: self.columns.row(page) }
                };
                let rows: Vec<Row<'_>> = scratch.words.iter().map(row).collect();
                self.join_table(table, &rows, scratch, &found.cuts, &mut part);
                part
            })
            .collect();
        parts.into_iter().for_each(|part| found.add(part));
    }

    /// Finds the pairs of some pages in a table. `earlier` are cut buckets in addition to those in
    /// `found`.
    fn join_table(
        &self,
        table: usize,
        pages: &[Row<'_>],
        scratch: &mut Scratch,
        earlier: &Cuts,
        found: &mut Joined,
    ) {
        let Scratch { hashes, words, spare, agreeing, .. } = scratch;
        hashes.clear();
        let rows = pages.iter().map(|row| row.bytes);
        self.columns.hash_keys_of(rows, self.tables[table], hashes);
        radix_groups::sorted(hashes, words, spare);
        let mut meeting = Bucket { join: self, table, earlier: [&self.cuts, earlier], agreeing };
        let mut bucket = Vec::new();
        for run in radix_groups::runs(words) {
            bucket.clear();
            bucket.extend(run.iter().map(|&word| pages[radix_groups::place(word) as usize]));
            if bucket.len() as u64 > u64::from(self.options.max_in_bucket) {
                let indices = self.tables[table];
                let hash = |row: &Row<'_>| self.columns.hash_key(row.bytes, indices);
                // Only part of each hash was compared, so the run may contain several keys.
                bucket.sort_by_cached_key(hash);
                for bucket in bucket.chunk_by(|a, b| hash(a) == hash(b)) {
                    meeting.compare_large_bucket(hash(&bucket[0]), bucket, found);
                }
            } else {
                meeting.compare_bucket(&bucket, None, found);
            }
        }
    }
}

/// The pages that share a key of a table.
struct Bucket<'a> {
    join: &'a BucketJoin<'a>,
    table: usize,
    /// The buckets cut earlier.
    earlier: [&'a Cuts; 2],
    agreeing: &'a mut Vec<Agreeing>,
}

impl Bucket<'_> {
    /// Finds the pairs of a bucket with one key, and cuts it if it is too large. Its blocks are
    /// distributed over threads, since it may be most of the work.
    fn compare_large_bucket(&mut self, hash: u64, bucket: &[Row<'_>], found: &mut Joined) {
        let Self { join, table, earlier: [far, near], .. } = *self;
        let BucketJoin { columns, options, .. } = *join;
        if bucket.len() as u64 <= u64::from(options.max_in_bucket) {
            return self.compare_bucket(bucket, None, found);
        }
        let pages: Vec<u32> = bucket.iter().map(|row| row.page).collect();
        let salt = hash ^ (table as u64) << 48;
        let (cut, blocks) = Cut::new(columns, &pages, options.max_in_bucket, salt);
        // If pages are distributed over threads, `found` belongs to this table only, so no bucket
        // in it was cut before.
        let near = if near.is_empty() { &found.cuts } else { near };
        let parts: Vec<Joined> = blocks
            .par_iter()
            .with_min_len(16)
            .map_init(Vec::new, |agreeing, block| {
                let mut found = Joined::default();
                let mut meeting = Bucket { join, table, earlier: [far, near], agreeing };
                let row = |&page: &u32| Row { page, bytes: columns.row(page) };
                let rows: Vec<Row<'_>> = block.pages.iter().map(row).collect();
                meeting.compare_bucket(&rows, Some(block), &mut found);
                found
            })
            .collect();
        let size = pages.len() as u64;
        let mut report = ExtractReport { cut_buckets: 1, cut_pages: size, ..Default::default() };
        for part in parts {
            report.add(&part.report);
            found.pairs.extend(part.pairs);
        }
        report.not_tried = size * (size - 1) / 2 - report.tried;
        found.report.add(&report);
        found.cuts.insert((table, hash), cut);
    }

    /// Compares all `pages` with each other, except those compared in an earlier block.
    fn compare_bucket(&mut self, pages: &[Row<'_>], block: Option<&Block>, found: &mut Joined) {
        let BucketJoin { columns, level, min_equal, .. } = *self.join;
        let low = |at: u32| &pages[at as usize].bytes[..columns.stride()];
        self.agreeing.clear();
        compare_all(level, pages.len() as u32, low, min_equal, self.agreeing);
        let all = pages.len() as u64 * (pages.len() as u64 - 1) / 2;
        found.report.tried += block.map_or(all, Block::untried);
        let mut agreeing = std::mem::take(self.agreeing);
        for (b, a, equal) in agreeing.drain(..) {
            let (a, b) = (a as usize, b as usize);
            if block.is_none_or(|block| !block.is_tried(a, b)) {
                self.keep(pages[a], pages[b], equal, found);
            }
        }
        *self.agreeing = agreeing;
    }

    /// Adds a pair of pages that agree enough, if they share the key of this table and no earlier
    /// one.
    fn keep(&mut self, u: Row<'_>, v: Row<'_>, equal: u32, found: &mut Joined) {
        let BucketJoin { columns, tables, .. } = self.join;
        // Only part of each hash was compared, so the keys may differ.
        if !columns.rows_agree_at(u.bytes, v.bytes, tables[self.table]) {
            return;
        }
        found.report.passed += 1;
        if !self.met_before(u, v, &found.cuts) {
            found.report.made += 1;
            let (u, v) = (u.page.min(v.page), u.page.max(v.page));
            found.pairs.push(AgreeingPair { u, v, agreeing: columns.unfilled(equal) });
        }
    }

    /// Returns whether an earlier table found the pair.
    fn met_before(&self, u: Row<'_>, v: Row<'_>, near: &Cuts) -> bool {
        let BucketJoin { columns, tables, masks, level, .. } = self.join;
        let stride = columns.stride();
        let differ = !agreeing_bits(*level, &u.bytes[..stride], &v.bytes[..stride]);
        let all_cuts = [self.earlier[0], self.earlier[1], near];
        let is_any_cut = all_cuts.iter().any(|cuts| !cuts.is_empty());
        let is_tried = |table: usize| {
            let key = (table, columns.hash_key(u.bytes, tables[table]));
            let cut = all_cuts.iter().find_map(|cuts| cuts.get(&key));
            cut.is_none_or(|cut| cut.is_tried(columns, u.page, v.page))
        };
        let mut next = self.join.first;
        // The low bytes rule out most tables.
        while let Some(skipped) = masks[next..self.table].iter().position(|mask| mask & differ == 0)
        {
            let table = next + skipped;
            if columns.rows_agree_at(u.bytes, v.bytes, tables[table])
                && (!is_any_cut || is_tried(table))
            {
                return true;
            }
            next = table + 1;
        }
        false
    }
}
