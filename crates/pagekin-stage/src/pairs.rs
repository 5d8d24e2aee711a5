//! Finds similar pairs: URLs that meet in a table, with similar bags.

use std::io::{Read, Write};

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use pagekin_pairs::Threshold;
use pagekin_pairs::pairs::bucket_join::{BucketJoin, ExtractOptions, Scratch};
use pagekin_pairs::pairs::verify::SimilarPair;
use pagekin_pairs::signatures::columns::{SignatureBatch, SignatureColumns};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::StageError;
use crate::plan::{Plan, values};
use crate::rows::{
    Out, Row, RowReader, RowSpread, each_bucket, each_row, numbers, of_kind, of_kinds,
};
use crate::signatures::{SignatureGroup, number_and_row, range_of};

/// Assigns signatures to the buckets of tables that use the same value.
///
/// A record contains the number, the low bytes of all values, and the high bytes of those used by
/// the tables of its head. These are sufficient to build keys and to compare.
pub(crate) fn keys<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    plan: &Plan,
) -> Result<(), StageError> {
    let m = usize::from(plan.m);
    let signed_by = plan.signed_by();
    let mut spread = RowSpread::new("keys");
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "rows")?;
        let mut columns = SignatureColumns::new(signed_by.clone())?;
        let (mut numbers, mut all) = (Vec::new(), Vec::new());
        for record in row.chunks("rows", 4 + 2 * m)? {
            let (number, row) = number_and_row(record);
            numbers.push(number);
            all.extend(values(row));
        }
        columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows: &all })?;
        for ((at, number), values) in (0u32..).zip(numbers).zip(all.chunks_exact(m)) {
            for head in 0..plan.heads() {
                let value = values[usize::from(plan.index(head))];
                plan.buckets(head, &columns, columns.row(at), value, |bucket| {
                    spread.push(bucket, out, |bytes| {
                        bytes.extend_from_slice(&number.to_le_bytes());
                        bytes.extend(values.iter().map(|&value| value as u8));
                        let high = |&index: &u16| (values[usize::from(index)] >> 8) as u8;
                        bytes.extend(plan.indices(head).iter().map(high));
                    })
                })?;
            }
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Maximum number of pages in a bucket before it is cut, as on one machine. Low in tests.
pub(crate) const MAX_IN_BUCKET: u32 = if cfg!(test) { 200 } else { ExtractOptions::MAX_IN_BUCKET };

/// Returns the URLs that meet in the tables of a bucket and pass the filter, as pairs of numbers,
/// lower first, in the bucket of the lower. A pair may come from several buckets.
pub(crate) fn pairs<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    plan: &Plan,
) -> Result<(), StageError> {
    let signed_by = plan.signed_by();
    let m = usize::from(plan.m);
    let options = ExtractOptions { threshold: plan.filter()?, max_in_bucket: MAX_IN_BUCKET };
    let mut spread = RowSpread::new("candidates");
    let mut scratch = Scratch::default();
    let (mut tried, mut not_tried) = (0, 0);
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let (head, tables) = plan.of_bucket(bucket).ok_or_else(|| StageError::Plan {
            found: format!("one of fewer buckets than the rows, which have number {bucket}"),
        })?;
        let indices = plan.indices(head);
        let length = 4 + m + indices.len();
        let mut records: Vec<&[u8]> = Vec::new();
        for row in of_kind(rows, "keys")? {
            records.extend(row.chunks("keys", length)?);
        }
        records.sort_unstable_by_key(|record| number_and_row(record).0);
        let mut numbers = Vec::with_capacity(records.len());
        let mut all: Vec<u16> = Vec::with_capacity(m * records.len());
        for record in records {
            let (number, bytes) = number_and_row(record);
            let (low, high) = bytes.split_at(m);
            let begin = all.len();
            all.extend(low.iter().copied().map(u16::from));
            for (&index, &high) in indices.iter().zip(high) {
                all[begin + usize::from(index)] |= u16::from(high) << 8;
            }
            numbers.push(number);
        }
        let mut columns = SignatureColumns::new(signed_by.clone())?;
        columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows: &all })?;
        drop(all);
        let places: Vec<u32> = (0..columns.pages()).collect();
        let join = BucketJoin::new(&columns, plan.tables(), options)?.beginning_at(tables.start);
        let found = join.join_group(tables, &places, &mut scratch);
        tried += found.report.tried;
        not_tried += found.report.not_tried;
        found.pairs.iter().try_for_each(|pair| {
            let pair = [pair.u, pair.v].map(|place| numbers[place as usize]);
            spread.numbers(range_of(pair[0]), out, pair)
        })
    })?;
    spread.finish(&mut out)?;
    out.report
        .others
        .extend([("tried", tried), ("not_tried", not_tried)].map(|(k, n)| (k.to_owned(), n)));
    out.finish()
}

/// The bags of a URL and of others with an equal signature, and the URLs to compare them with.
#[derive(Serialize, Deserialize)]
struct Half {
    parts: Vec<(u32, Vec<(TermId, u16)>)>,
    others: Vec<u32>,
}

/// Bags by the number of the URL, with those of equal signatures.
struct Bags(FxHashMap<u32, Vec<(u32, Bag)>>);

impl Bags {
    fn new(rows: &[Row]) -> Result<Self, StageError> {
        let mut bags = FxHashMap::default();
        for row in rows.iter().filter(|row| &*row.kind == GROUPS) {
            for SignatureGroup { number, parts } in row.decoded(GROUPS)? {
                bags.insert(number, read_bags(parts, row)?);
            }
        }
        Ok(Self(bags))
    }

    fn get(&self, number: u32, bucket: i32) -> Result<&[(u32, Bag)], StageError> {
        let missing = || StageError::Missing { bucket, expected: "a row of kind groups", number };
        self.0.get(&number).map(Vec::as_slice).ok_or_else(missing)
    }
}

fn read_bags(
    parts: Vec<(u32, Vec<(TermId, u16)>)>,
    row: &Row,
) -> Result<Vec<(u32, Bag)>, StageError> {
    let read = |(number, bag)| {
        let bag = Bag::from_sorted(bag);
        bag.map(|bag| (number, bag)).map_err(|error| row.wrong(GROUPS, error.to_string()))
    };
    parts.into_iter().map(read).collect()
}

const GROUPS: &str = "groups";

/// Writes similar pairs.
struct Similar {
    threshold: Threshold,
    spread: RowSpread,
}

impl Similar {
    fn new(threshold: Threshold) -> Self {
        Self { threshold, spread: RowSpread::new("pairs") }
    }

    fn compare<W: Write>(
        &mut self,
        (u, a): (u32, &Bag),
        (v, b): (u32, &Bag),
        out: &mut Out<W>,
    ) -> Result<(), StageError> {
        let (low, high) = (u.min(v), u.max(v));
        let Some(pair) = SimilarPair::verify(low, high, Overlap::between(a, b), self.threshold)
        else {
            return Ok(());
        };
        self.spread.push(range_of(low), out, |bytes| {
            bytes.extend_from_slice(&pair.u.to_le_bytes());
            bytes.extend_from_slice(&pair.v.to_le_bytes());
            bytes.extend_from_slice(&pair.thousandths().to_le_bytes());
        })
    }
}

/// Deduplicates candidates and sends the bags of the lower URL to the bucket of the other. Also
/// returns similar pairs with equal signatures.
pub(crate) fn meet<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    threshold: Threshold,
) -> Result<(), StageError> {
    let mut halves = RowSpread::new("halves");
    let mut similar = Similar::new(threshold);
    let mut different = 0;
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        of_kinds(rows, ["candidates", GROUPS], "candidates or groups")?;
        let mut candidates: Vec<(u32, u32)> = Vec::new();
        for row in rows.iter().filter(|row| &*row.kind == "candidates") {
            let pairs = row.fixed::<8>("candidates")?.iter().map(numbers);
            candidates.extend(pairs.map(|[u, v]| (u, v)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        different += candidates.len() as u64;
        let bags = Bags::new(rows)?;
        for parts in bags.0.values().filter(|parts| parts.len() > 1) {
            for (at, (v, b)) in parts.iter().enumerate() {
                for (u, a) in &parts[..at] {
                    similar.compare((*u, a), (*v, b), out)?;
                }
            }
        }
        for run in candidates.chunk_by(|a, b| a.0 == b.0 && range_of(a.1) == range_of(b.1)) {
            let (u, v) = run[0];
            let entries = |(number, bag): &(u32, Bag)| (*number, bag.entries().to_vec());
            let parts = bags.get(u, bucket)?.iter().map(entries).collect();
            let others = run.iter().map(|&(_, v)| v).collect();
            halves.encode(range_of(v), out, &Half { parts, others })?;
        }
        Ok(())
    })?;
    halves.finish(&mut out)?;
    similar.spread.finish(&mut out)?;
    out.report.others.insert("candidates, each once".to_owned(), different);
    out.finish()
}

/// Returns the candidates with similar bags.
pub(crate) fn verify<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    threshold: Threshold,
) -> Result<(), StageError> {
    let mut similar = Similar::new(threshold);
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        of_kinds(rows, ["halves", GROUPS], "halves or groups")?;
        let bags = Bags::new(rows)?;
        for row in rows.iter().filter(|row| &*row.kind == "halves") {
            for Half { parts, others } in row.decoded("halves")? {
                let parts = read_bags(parts, row)?;
                for other in others {
                    for (v, b) in bags.get(other, bucket)? {
                        for (u, a) in &parts {
                            similar.compare((*u, a), (*v, b), out)?;
                        }
                    }
                }
            }
        }
        Ok(())
    })?;
    similar.spread.finish(&mut out)?;
    out.finish()
}
