//! Which tables bring URLs together, and into which buckets, chosen by a sample.

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

/// How many more than are drawn pass the first look, which sees a part of the URLs.
const MORE: f64 = 1.5;
/// A value that so many times a bucket's URLs have is taken apart table by table.
const SPLIT: f64 = 2.0;

/// The URLs of a sample, with their signatures.
pub(crate) fn sample<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &SampleOptions,
) -> Result<(), StageError> {
    let wanted = MORE * choose_tables::sample_size(options.rows as usize) as f64;
    // As a number with a fraction: past all it is above every lot.
    let least = (wanted / options.rows.max(1) as f64) * 2f64.powi(64);
    let m = usize::from(signed_by(options.preset, options.seed).1.params.m);
    let mut spread = RowSpread::new("sample");
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "rows")?;
        for record in row.chunks("rows", 4 + 2 * m)? {
            let (number, _) = number_and_row(record);
            if (choose_tables::lot(number, options.seed) as f64) < least {
                spread.push(0, out, |bytes| bytes.extend_from_slice(record))?;
            }
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// What a sample is of.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SampleOptions {
    /// Different signatures: the records of kind `rows`.
    pub rows: u64,
    /// The parameters of signatures.
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
}

impl SampleOptions {
    /// Of so many different signatures, by the default parameters.
    #[must_use]
    pub fn new(rows: u64) -> Self {
        Self { rows, preset: Preset::Web, seed: pagekin_core::DEFAULT_SEED }
    }
}

/// What is wanted of tables.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PlanOptions {
    /// What the sample is of.
    pub sample: SampleOptions,
    /// The minimum similarity of a pair.
    pub threshold: Threshold,
    /// Values of a key, 1 to 8, if they are not to be chosen.
    pub k: Option<u8>,
    /// Tables, 1 to 1,024, likewise.
    pub l: Option<u16>,
    /// About how many bytes a bucket of URLs that are compared has.
    pub bucket_bytes: u64,
}

impl PlanOptions {
    /// The default of `bucket_bytes`: 8 MiB.
    pub const BUCKET_BYTES: u64 = 8 << 20;

    /// For the pairs of a crawl of so many different signatures.
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

/// How pairs are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Written {
    preset: String,
    seed: u64,
    threshold: u16,
    choice: Choice,
    /// Into how many buckets the URLs of a head are spread, by the value they have there.
    slices: u32,
    /// Values that too many have: the place of the head, the value, and into how many buckets each
    /// of its tables spreads them.
    split: Vec<(u16, u16, u32)>,
}

/// The tables of a crawl, and the buckets of what they bring together.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    written: Written,
    preset: Preset,
    tables: Tables,
    heads: Vec<Head>,
    /// The indices of each table, those of a head together.
    keys: Vec<Vec<u16>>,
    /// For each head the indices that its tables look at, ascending.
    indices: Vec<Vec<u16>>,
    /// Of a head and a value that is taken apart: its first bucket, and how many each table has.
    split: FxHashMap<(u16, u16), (u32, u32)>,
    /// The head of each of these, and its buckets, ascending.
    split_buckets: Vec<(u16, Range<u32>, u32)>,
    pub(crate) m: u16,
}

/// Chooses tables by a sample, and puts the plan out.
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
    let most = SPLIT * options.bucket_bytes as f64 / record as f64;
    let each_stands_for = of as f64 / sample.len().max(1) as f64;
    let heads = Plan::from_written(written.clone())?.heads;
    for (place, head) in (0u16..).zip(&heads) {
        let mut values = columns.values(&sample, &[head.index]);
        values.sort_unstable();
        for run in values.chunk_by(|a, b| a == b) {
            let urls = run.len() as f64 * each_stands_for;
            if urls > most {
                written.split.push((place, run[0], slices(urls)));
            }
        }
    }
    let bytes = serde_json::to_vec(&written).expect("a plan is JSON");
    out.put((0, "plan", 0), 1, &bytes)?;
    out.finish()
}

/// The URLs that were sent, each with the `m` values of its signature.
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

/// The values of a row of bytes.
pub(crate) fn values(row: &[u8]) -> Vec<u16> {
    row.as_chunks().0.iter().map(|&value| u16::from_le_bytes(value)).collect()
}

impl Plan {
    /// The plan that `text` tells.
    ///
    /// # Errors
    ///
    /// If it is none.
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

    /// The number of heads.
    pub(crate) fn heads(&self) -> u16 {
        self.heads.len() as u16
    }

    /// The index of the value that the tables of a head look at.
    pub(crate) fn index(&self, head: u16) -> u16 {
        self.heads[usize::from(head)].index
    }

    /// The indices of the values that the tables of a head look at.
    pub(crate) fn indices(&self, head: u16) -> &[u16] {
        &self.indices[usize::from(head)]
    }

    /// Gives the buckets of a URL in the tables of a head to `each`, by the hash of its value
    /// there, or, of a value that many have, by the hashes of its keys.
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

    /// The head of a bucket, and those of its tables that bring together what is in it, by their
    /// places among all.
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

    /// The tables.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What makes the signatures.
    pub(crate) fn signed_by(&self) -> SignedBy {
        signed_by(self.preset, self.written.seed).1
    }

    /// In what part of their values URLs must agree so that their bags are compared.
    pub(crate) fn filter(&self) -> Result<Threshold, StageError> {
        let threshold = self.written.threshold;
        let threshold = Threshold::from_thousandths(threshold)
            .map_err(|error| StageError::Plan { found: error.to_string() })?;
        let of_one = ClusterOptions::new("").with(|of_one| of_one.threshold = threshold);
        let tables = TableOptions::default();
        Ok(Rules::new(&of_one, tables, self.m).filter())
    }
}
