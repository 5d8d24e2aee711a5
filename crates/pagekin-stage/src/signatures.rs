//! Signs bags and groups equal signatures.

use std::io::{Read, Write};

use pagekin_core::bag::Bag;
use pagekin_core::minhash::SignatureParams;
use pagekin_core::vocabulary::TermId;
use pagekin_core::{IndexParams, Preset, hash};
use pagekin_crawl::folder::CrawledUrl;
use pagekin_pairs::disk::partitions::bucket_of;
use pagekin_pairs::minhash::{Algorithm, SignedBy, Signer};
use serde::{Deserialize, Serialize};

use crate::error::StageError;
use crate::rows::{Out, RowReader, RowSpread, each_bucket, each_row, of_kind};

/// Number of bits of a URL's number within a bucket.
pub(crate) const RANGE_BITS: u32 = 14;

/// Returns the bucket of a URL's number.
pub(crate) fn range_of(number: u32) -> i32 {
    (number >> RANGE_BITS) as i32
}

/// Options of signing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SignOptions {
    /// Preset of the parameters.
    pub preset: Preset,
    /// Seed of the hash family.
    pub seed: u64,
    /// Number of buckets that signatures are distributed over, 1 to 2^24.
    pub slices: u32,
}

impl SignOptions {
    /// Returns the defaults for this number of buckets.
    #[must_use]
    pub fn new(slices: u32) -> Self {
        Self { preset: Preset::Web, seed: pagekin_core::DEFAULT_SEED, slices }
    }
}

/// Returns the algorithm and the parameters of the signatures of a crawl.
pub(crate) fn signed_by(preset: Preset, seed: u64) -> (Algorithm, SignedBy) {
    let IndexParams { signature: params, bag: rules, .. } = preset.params(seed);
    let algorithm = Algorithm::new(preset);
    (algorithm, SignedBy { algorithm: algorithm.name().to_owned(), params, scale: rules.sum })
}

/// A URL with its signature and its bag.
#[derive(Serialize, Deserialize)]
struct Signed<'a> {
    number: u32,
    /// The values, two bytes each.
    row: &'a [u8],
    bag: Vec<(TermId, u16)>,
}

/// Signs bags and distributes them by signature.
pub(crate) fn sign<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &SignOptions,
) -> Result<(), StageError> {
    let (algorithm, signed_by) = signed_by(options.preset, options.seed);
    let SignatureParams { m, .. } = signed_by.params;
    let signer = Signer::new(algorithm, signed_by.params);
    let mut spread = RowSpread::new("signed");
    each_row(&mut RowReader::open(input, true)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "bags")?;
        let urls: Vec<CrawledUrl> = row.decoded("bags")?;
        let end = row.first.saturating_add(urls.len() as u64);
        if end > u64::from(u32::MAX) {
            return Err(StageError::TooMany { found: end });
        }
        let bag = |url: CrawledUrl| {
            let bag = Bag::from_sorted(url.bag).ok().filter(|bag| !bag.is_empty());
            bag.ok_or_else(|| row.wrong("bags", format!("an invalid bag of {}", url.url)))
        };
        let bags: Vec<Bag> = urls.into_iter().map(bag).collect::<Result<_, _>>()?;
        let values = signer.rows(&bags);
        let rows = values.chunks_exact(usize::from(m));
        for ((values, bag), number) in rows.zip(&bags).zip(row.first as u32..) {
            let row: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let bucket = bucket_of(hash::of_bytes(&row), options.slices) as i32;
            let bag = bag.entries().to_vec();
            spread.encode(bucket, out, &Signed { number, row: &row, bag })?;
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// URLs with equal signatures. One of them is paired for all.
#[derive(Serialize, Deserialize)]
pub(crate) struct SignatureGroup {
    /// The lowest URL, which is paired.
    pub(crate) number: u32,
    /// The lowest URL of each different bag, with the bag, in ascending order.
    pub(crate) parts: Vec<(u32, Vec<(TermId, u16)>)>,
}

/// Groups equal signatures, like [`equal`](pagekin_pairs::signatures::equal) on one machine.
pub(crate) fn twins<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    m: u16,
) -> Result<(), StageError> {
    let (mut twins, mut rows_out, mut groups) =
        (RowSpread::new("twins"), RowSpread::new("rows"), RowSpread::new("groups"));
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |_, rows, out| {
        let mut all: Vec<Signed<'_>> = Vec::new();
        for row in of_kind(rows, "signed")? {
            let signed: Vec<Signed<'_>> = row.decoded("signed")?;
            if signed.iter().any(|one| one.row.len() != 2 * usize::from(m)) {
                return Err(row.wrong("signed", format!("signatures without {m} values")));
            }
            all.extend(signed);
        }
        all.sort_unstable_by(|a, b| (a.row, &a.bag, a.number).cmp(&(b.row, &b.bag, b.number)));
        for group in all.chunk_by_mut(|a, b| a.row == b.row) {
            let mut parts = Vec::new();
            for equal in group.chunk_by_mut(|a, b| a.bag == b.bag) {
                let (first, others) = equal.split_first_mut().expect("no run is empty");
                for other in others {
                    let pair = [first.number, other.number];
                    twins.numbers(range_of(first.number), out, pair)?;
                }
                parts.push((first.number, std::mem::take(&mut first.bag)));
            }
            parts.sort_unstable_by_key(|&(number, _)| number);
            let number = parts[0].0;
            rows_out.push(range_of(number), out, |bytes| {
                bytes.extend_from_slice(&number.to_le_bytes());
                bytes.extend_from_slice(group[0].row);
            })?;
            groups.encode(range_of(number), out, &SignatureGroup { number, parts })?;
        }
        Ok(())
    })?;
    for spread in [&mut twins, &mut rows_out, &mut groups] {
        spread.finish(&mut out)?;
    }
    out.finish()
}

/// The number and the values of a record of kind `rows`, of `4 + 2 m` bytes.
pub(crate) fn number_and_row(record: &[u8]) -> (u32, &[u8]) {
    let (number, row) = record.split_first_chunk().expect("records are longer than a number");
    (u32::from_le_bytes(*number), row)
}
