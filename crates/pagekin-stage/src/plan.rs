//! Chooses tables and the buckets of URLs from a sample.

use std::io::{Read, Write};
use std::ops::Range;

use pagekin_core::lsh::{TableRules, Tables};
use pagekin_core::{Preset, hash};
use pagekin_crawl::cluster::pairs::rules::Rules;
use pagekin_crawl::cluster::{ClusterOptions, Pairing, TableOptions};
use pagekin_pairs::disk::partitions::bucket_of;
use pagekin_pairs::minhash::SignedBy;
use pagekin_pairs::pairs::choose_tables::Background;
use pagekin_pairs::pairs::table_order::Head;
use pagekin_pairs::pairs::{choose_tables, table_order};
use pagekin_pairs::signatures::columns::{SignatureBatch, SignatureColumns};
use pagekin_pairs::{Choice, Threshold};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::StageError;
use crate::rows::{Out, RowReader, RowSpread, each_bucket, each_row, of_kind};
use crate::signatures::{number_and_row, signed_by};

/// Factor of the sample size for the first selection, which only sees a part of the URLs.
const MORE: f64 = 1.5;
/// A value is split by table if it occurs in more than `SPLIT` times the URLs of a bucket.
const SPLIT: f64 = 2.0;

/// Returns the URLs of a sample with their signatures.
pub(crate) fn sample<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &SampleOptions,
) -> Result<(), StageError> {
    let wanted = MORE * choose_tables::sample_size(options.rows as usize) as f64;
    // As a floating-point number: if it is above the maximum, it is above every lot.
    let max = (wanted / options.rows.max(1) as f64) * 2f64.powi(64);
    let m = usize::from(signed_by(options.preset, options.seed).1.params.m);
    let mut spread = RowSpread::new("sample");
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "rows")?;
        for record in row.chunks("rows", 4 + 2 * m)? {
            let (number, _) = number_and_row(record);
            if (choose_tables::lot(number, options.seed) as f64) < max {
                spread.push(0, out, |bytes| bytes.extend_from_slice(record))?;
            }
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Options of sampling.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SampleOptions {
    /// Number of different signatures, the records of kind `rows`.
    pub rows: u64,
    /// Preset of the parameters of signatures.
    pub preset: Preset,
    /// Seed of the hash family.
    pub seed: u64,
}

impl SampleOptions {
    /// Returns the defaults for this number of different signatures.
    #[must_use]
    pub fn new(rows: u64) -> Self {
        Self { rows, preset: Preset::Web, seed: pagekin_core::DEFAULT_SEED }
    }
}

/// Options of choosing tables.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PlanOptions {
    /// Options of the sample.
    pub sample: SampleOptions,
    /// Minimum similarity of a pair.
    pub threshold: Threshold,
    /// Values per key, 1 to 8; `None` to choose.
    pub k: Option<u8>,
    /// Number of tables, 1 to 1,024; `None` to choose.
    pub l: Option<u16>,
    /// Approximate size of a bucket of URLs that are compared, in bytes.
    pub bucket_bytes: u64,
}

impl PlanOptions {
    /// The default of `bucket_bytes`: 8 MiB.
    pub const BUCKET_BYTES: u64 = 8 << 20;

    /// Returns the defaults for a crawl with this number of different signatures.
    #[must_use]
    pub fn new(rows: u64) -> Self {
        Self {
            sample: SampleOptions::new(rows),
            threshold: Threshold::PAPER,
            k: None,
            l: None,
            bucket_bytes: Self::BUCKET_BYTES,
        }
    }
}

/// A serialized plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Written {
    preset: String,
    seed: u64,
    threshold: u16,
    choice: Choice,
    /// Number of buckets for the URLs of a head, by their value at its index.
    slices: u32,
    /// Values with too many URLs: the number of the head, the value, and the number of buckets for
    /// each of its tables.
    split: Vec<(u16, u16, u32)>,
}

/// The tables of a crawl, and the buckets of the URLs that they bring together.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    written: Written,
    preset: Preset,
    tables: Tables,
    heads: Vec<Head>,
    /// Indices of each table, grouped by head.
    keys: Vec<Vec<u16>>,
    /// Indices used by the tables of each head, in ascending order.
    indices: Vec<Vec<u16>>,
    /// For a head and a value that is split: its first bucket, and the number of buckets per table.
    split: FxHashMap<(u16, u16), (u32, u32)>,
    /// Heads of split values with their buckets, in ascending order.
    split_buckets: Vec<(u16, Range<u32>, u32)>,
    pub(crate) m: u16,
}

/// Chooses tables from a sample and writes the plan.
pub(crate) fn plan<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &PlanOptions,
) -> Result<(), StageError> {
    let SampleOptions { rows: of, preset, seed } = options.sample;
    let (_, signed_by) = signed_by(preset, seed);
    let drawn = read_sample(input, &mut out, usize::from(signed_by.params.m))?;
    let drawn = choose_tables::drawn(drawn, of as usize, seed, |&(number, _)| number);
    let rows: Vec<u16> = drawn.iter().flat_map(|(_, row)| row).copied().collect();
    let mut columns = SignatureColumns::new(signed_by.clone())?;
    columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows: &rows })?;
    let sample: Vec<u32> = (0..columns.pages()).collect();
    let background = Background::from_sample(&columns, &sample, of as usize, seed);
    let mut of_one = ClusterOptions::new("").with(|of_one| {
        of_one.preset = preset;
        of_one.seed = seed;
        of_one.threshold = options.threshold;
    });
    let tables = TableOptions::default().with(|tables| {
        tables.k = options.k;
        tables.l = options.l;
    });
    of_one.pairing = Pairing::Tables(tables);
    let rules = Rules::new(&of_one, tables, signed_by.params.m);
    let choice = rules.chosen(&background)?;
    let record = u64::from(signed_by.params.m) + 8;
    let slices = |urls: f64| {
        let buckets = urls * record as f64 / options.bucket_bytes.max(1) as f64;
        (buckets.ceil() as u32).clamp(1, 1 << 16)
    };
    let mut written = Written {
        preset: preset.name().to_owned(),
        seed,
        threshold: options.threshold.thousandths(),
        choice,
        slices: slices(of as f64),
        split: Vec::new(),
    };
    let max = SPLIT * options.bucket_bytes as f64 / record as f64;
    let urls_per_sample = of as f64 / sample.len().max(1) as f64;
    let heads = Plan::from_written(written.clone())?.heads;
    for (place, head) in (0u16..).zip(&heads) {
        let mut values = columns.values(&sample, &[head.index]);
        values.sort_unstable();
        for run in values.chunk_by(|a, b| a == b) {
            let urls = run.len() as f64 * urls_per_sample;
            if urls > max {
                written.split.push((place, run[0], slices(urls)));
            }
        }
    }
    let bytes = serde_json::to_vec(&written).expect("a plan is JSON");
    out.put((0, "plan", 0), 1, &bytes)?;
    out.finish()
}

/// Reads the URLs of a sample, each with the `m` values of its signature.
fn read_sample<R: Read, W: Write>(
    input: R,
    out: &mut Out<W>,
    m: usize,
) -> Result<Vec<(u32, Vec<u16>)>, StageError> {
    let mut drawn: Vec<(u32, Vec<u16>)> = Vec::new();
    each_bucket(&mut RowReader::open(input, false)?, out, |_, rows, _| {
        for row in of_kind(rows, "sample")? {
            for record in row.chunks("sample", 4 + 2 * m)? {
                let (number, row) = number_and_row(record);
                drawn.push((number, values(row)));
            }
        }
        Ok(())
    })?;
    Ok(drawn)
}

/// Decodes the values of a row.
pub(crate) fn values(row: &[u8]) -> Vec<u16> {
    row.as_chunks().0.iter().map(|&value| u16::from_le_bytes(value)).collect()
}

impl Plan {
    /// Reads a serialized plan.
    ///
    /// # Errors
    ///
    /// If the text is not a plan of this version.
    pub(crate) fn read(text: &str) -> Result<Self, StageError> {
        let written = serde_json::from_str(text)
            .map_err(|error| StageError::Plan { found: format!("{text:.100?}: {error}") })?;
        Self::from_written(written)
    }

    fn from_written(written: Written) -> Result<Self, StageError> {
        let wrong = |found: String| StageError::Plan { found };
        let preset = [Preset::Web, Preset::Paper]
            .into_iter()
            .find(|preset| preset.name() == written.preset)
            .ok_or_else(|| wrong(format!("preset {:?}", written.preset)))?;
        let m = preset.params(written.seed).signature.m;
        let Choice { k, l, .. } = written.choice;
        let tables = Tables::new(TableRules::Independent { k, l }, m, written.seed)
            .map_err(|error| wrong(error.to_string()))?;
        let (ordered, heads) = table_order::in_order(tables.indices().collect());
        let indices = heads.iter().map(|head| {
            let mut indices: Vec<u16> =
                ordered[head.tables.clone()].iter().flat_map(|of| of.iter().copied()).collect();
            indices.sort_unstable();
            indices.dedup();
            indices
        });
        let indices = indices.collect();
        let keys = ordered.iter().map(|indices| indices.to_vec()).collect();
        if !(1..=1 << 16).contains(&written.slices) {
            return Err(wrong(format!("{} slices", written.slices)));
        }
        let mut next = heads.len() as u32 * written.slices;
        let (mut split, mut split_buckets) = (FxHashMap::default(), Vec::new());
        for &(head, value, slices) in &written.split {
            let of_head = heads.get(usize::from(head)).map_or(0, |head| head.tables.len());
            let end =
                (of_head as u32).checked_mul(slices).and_then(|buckets| next.checked_add(buckets));
            let end = end.filter(|&end| slices > 0 && next < end && end <= i32::MAX as u32);
            let end = end.ok_or_else(|| wrong(format!("{slices} slices of head {head}")))?;
            split.insert((head, value), (next, slices));
            split_buckets.push((head, next..end, slices));
            next = end;
        }
        Ok(Self { written, preset, tables, heads, keys, indices, split, split_buckets, m })
    }

    pub(crate) fn heads(&self) -> u16 {
        self.heads.len() as u16
    }

    /// Returns the index of the first value used by the tables of a head.
    pub(crate) fn index(&self, head: u16) -> u16 {
        self.heads[usize::from(head)].index
    }

    /// Returns the indices of all values used by the tables of a head.
    pub(crate) fn indices(&self, head: u16) -> &[u16] {
        &self.indices[usize::from(head)]
    }

    /// Passes the buckets of a URL in the tables of a head to `each`: by the hash of its value
    /// there or, for a value with many URLs, by the hashes of its keys.
    pub(crate) fn buckets(
        &self,
        head: u16,
        columns: &SignatureColumns,
        row: &[u8],
        value: u16,
        mut each: impl FnMut(i32) -> Result<(), StageError>,
    ) -> Result<(), StageError> {
        let Some(&(first, slices)) = self.split.get(&(head, value)) else {
            let hash = hash::mix(value.into());
            let bucket =
                u32::from(head) * self.written.slices + bucket_of(hash, self.written.slices);
            return each(bucket as i32);
        };
        let tables = &self.keys[self.heads[usize::from(head)].tables.clone()];
        for (table, indices) in (0u32..).zip(tables) {
            let hash = columns.hash_key(row, indices);
            each((first + table * slices + bucket_of(hash, slices)) as i32)?;
        }
        Ok(())
    }

    /// Returns the head of a bucket, and the range of its tables that bring the URLs of the bucket
    /// together.
    pub(crate) fn of_bucket(&self, bucket: i32) -> Option<(u16, Range<usize>)> {
        let bucket = u32::try_from(bucket).ok()?;
        let head = bucket / self.written.slices;
        if let Some(of_head) = self.heads.get(head as usize) {
            return Some((head as u16, of_head.tables.clone()));
        }
        let at = self.split_buckets.partition_point(|(_, buckets, _)| buckets.end <= bucket);
        let (head, buckets, slices) = self.split_buckets.get(at)?;
        let table = (bucket.checked_sub(buckets.start)? / slices) as usize;
        let table = self.heads[usize::from(*head)].tables.start + table;
        Some((*head, table..table + 1))
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the parameters of the signatures.
    pub(crate) fn signed_by(&self) -> SignedBy {
        signed_by(self.preset, self.written.seed).1
    }

    /// Returns the minimum share of equal values for URLs whose bags are compared.
    pub(crate) fn filter(&self) -> Result<Threshold, StageError> {
        let threshold = self.written.threshold;
        let threshold = Threshold::from_thousandths(threshold)
            .map_err(|error| StageError::Plan { found: error.to_string() })?;
        let of_one = ClusterOptions::new("").with(|of_one| of_one.threshold = threshold);
        let tables = TableOptions::default();
        Ok(Rules::new(&of_one, tables, self.m).filter())
    }
}
