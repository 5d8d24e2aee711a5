//! Signatures in columns: the form in which a crawl's pages are paired.
//!
//! Of each value 16 bits make keys and 8 are compared. Keys take a few values of every page, so values lie column by
//! column, in blocks of 4,096 pages. Comparing takes all values of two pages, so they lie once more page by page: in a row
//! of low bytes, which are compared, and one of high bytes, which tell of a pair that passed whether its keys are equal. The
//! two cost `2 m` bytes a page each: 320 bytes at `m = 80`.

use pagekin_core::hash;
use pagekin_core::minhash::{Signature, SignatureParams};
use rayon::prelude::*;

/// Pages of a block.
const BLOCK: usize = 4_096;
/// Pages whose values are put into the columns at once: of each column what a processor's cache holds together.
const TILE: usize = 32;
/// Rows are filled up to a multiple of so many bytes, which a processor compares at once.
const LANES: usize = 16;

/// What makes signatures comparable. It is to be written beside them wherever they are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedBy {
    /// The name of the algorithm, of which there may be several with the same parameters.
    pub algorithm: String,
    /// Its parameters.
    pub params: SignatureParams,
    /// What the copies of the bags sum to, exactly or about: the same page in another scale has another signature.
    pub scale: u16,
}

impl std::fmt::Display for SignedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SignatureParams { m, bits, seed } = self.params;
        let (algorithm, scale) = (&self.algorithm, self.scale);
        write!(f, "{algorithm} (m = {m}, {bits} bits, seed {seed}, scale {scale})")
    }
}

/// Why signatures or pairs were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// Signatures of another algorithm, seed or size.
    #[error(
        "cannot compare these signatures: expected those of {expected}, found those of {found}. Sign all pages with the same \
         options"
    )]
    Unlike {
        /// What the first ones were made by.
        expected: Box<SignedBy>,
        /// What these were.
        found: Box<SignedBy>,
    },
    /// Values that are no whole signatures.
    #[error("expected signatures of {m} values each, found {found} values in all")]
    Ragged {
        /// Values of a signature.
        m: u16,
        /// Values that were given.
        found: usize,
    },
    /// Pages or pairs that do not come in ascending order.
    #[error(
        "{what} must come in ascending order, each once: found {found} after {last}. Sort them first"
    )]
    OutOfOrder {
        /// What was given.
        what: &'static str,
        /// What came before.
        last: String,
        /// What came then.
        found: String,
    },
    /// A number that is out of its range.
    #[error("{what} is {found}: expected {expected}")]
    Range {
        /// What it tells.
        what: &'static str,
        /// Its range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}

/// Signatures of pages that follow each other, row by row.
#[derive(Debug, Clone, Copy)]
pub struct SignatureBatch<'a> {
    /// What made them.
    pub signed_by: &'a SignedBy,
    /// The number of the first page.
    pub first: u32,
    /// The values, `m` of each page; of values of more than 16 bits the lowest 16.
    pub rows: &'a [u16],
}

/// The signatures of pages 0, 1, 2, …
#[derive(Debug, Clone)]
pub struct SignatureColumns {
    signed_by: SignedBy,
    pages: usize,
    /// Value `i` of page `p` is at `(p / BLOCK * m + i) * BLOCK + p % BLOCK`.
    values: Vec<u16>,
    /// Of each page the low bytes of the first values, `stride` of them, and then the high ones; what is beyond `compared`
    /// is 0.
    rows: Vec<u8>,
    compared: usize,
    stride: usize,
}

impl SignatureColumns {
    /// No signatures yet, of those that `signed_by` tells. The first `compared` of their values will be compared: the
    /// paper's second saving, which costs precision; at most all of them.
    ///
    /// # Errors
    ///
    /// [`PairsError::Range`] if `compared` is 0 or more than `m`.
    pub fn new(signed_by: SignedBy, compared: u16) -> Result<Self, PairsError> {
        if compared == 0 || compared > signed_by.params.m {
            let (what, expected) = ("the number of values to compare", "1 to m");
            return Err(PairsError::Range { what, expected, found: compared.to_string() });
        }
        let compared = usize::from(compared);
        let stride = compared.next_multiple_of(LANES);
        Ok(Self { signed_by, pages: 0, values: Vec::new(), rows: Vec::new(), compared, stride })
    }

    /// Makes room for so many pages in all, so that not twice as much is asked for on the way.
    pub fn reserve(&mut self, pages: u32) {
        let pages = pages as usize;
        let values = pages.div_ceil(BLOCK) * self.m() * BLOCK;
        self.values.reserve_exact(values.saturating_sub(self.values.len()));
        let rows = pages * 2 * self.stride;
        self.rows.reserve_exact(rows.saturating_sub(self.rows.len()));
    }

    /// Takes in the next pages, in parallel.
    ///
    /// # Errors
    ///
    /// [`PairsError::Unlike`] if they were made by something else, [`PairsError::OutOfOrder`] if they are not the next ones,
    /// [`PairsError::Ragged`] if there are parts of signatures, [`PairsError::Range`] beyond 2^32 - 1 pages.
    pub fn push(&mut self, batch: SignatureBatch<'_>) -> Result<(), PairsError> {
        if *batch.signed_by != self.signed_by {
            return Err(PairsError::Unlike {
                expected: Box::new(self.signed_by.clone()),
                found: Box::new(batch.signed_by.clone()),
            });
        }
        if batch.first as usize != self.pages {
            return Err(PairsError::OutOfOrder {
                what: "batches of signatures",
                last: format!("{} pages", self.pages),
                found: format!("page {}", batch.first),
            });
        }
        let m = self.m();
        if !batch.rows.len().is_multiple_of(m) {
            return Err(PairsError::Ragged { m: m as u16, found: batch.rows.len() });
        }
        let (begin, end) = (self.pages, self.pages + batch.rows.len() / m);
        if end > u32::MAX as usize {
            let (what, expected) = ("the number of pages", "at most 4294967295");
            return Err(PairsError::Range { what, expected, found: end.to_string() });
        }
        self.pages = end;
        self.values.resize(end.div_ceil(BLOCK) * m * BLOCK, 0);
        self.rows.resize(end * 2 * self.stride, 0);
        let row = |page: usize| &batch.rows[(page - begin) * m..][..m];
        let blocks = self.values.par_chunks_mut(m * BLOCK).enumerate().skip(begin / BLOCK);
        blocks.for_each(|(block, values)| {
            let stop = end.min((block + 1) * BLOCK);
            for page in (begin.max(block * BLOCK)..stop).step_by(TILE) {
                let pages = page..stop.min(page + TILE);
                let rows = &batch.rows[(page - begin) * m..(pages.end - begin) * m];
                for (index, column) in values.chunks_exact_mut(BLOCK).enumerate() {
                    let places = &mut column[page % BLOCK..][..pages.len()];
                    for (place, row) in places.iter_mut().zip(rows.chunks_exact(m)) {
                        *place = row[index];
                    }
                }
            }
        });
        let rows = self.rows.par_chunks_mut(2 * self.stride).enumerate().skip(begin);
        rows.for_each(|(page, bytes)| {
            let (low, high) = bytes.split_at_mut(self.stride);
            for ((low, high), &value) in low.iter_mut().zip(high).zip(&row(page)[..self.compared]) {
                [*low, *high] = value.to_le_bytes();
            }
        });
        Ok(())
    }

    /// What made the signatures.
    #[must_use]
    pub fn signed_by(&self) -> &SignedBy {
        &self.signed_by
    }

    /// The number of pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages as u32
    }

    /// The values of a signature.
    pub(crate) fn m(&self) -> usize {
        usize::from(self.signed_by.params.m)
    }

    /// How many of the values are compared.
    #[must_use]
    pub fn compared(&self) -> u16 {
        self.compared as u16
    }

    fn values_at(&self, page: u32, indices: &[u16]) -> impl Iterator<Item = u16> {
        let page = page as usize;
        let base = page / BLOCK * self.m() * BLOCK + page % BLOCK;
        indices.iter().map(move |&index| self.values[base + usize::from(index) * BLOCK])
    }

    /// Whether two pages agree at all of some indices.
    pub(crate) fn agree_at(&self, u: u32, v: u32, indices: &[u16]) -> bool {
        self.values_at(u, indices).eq(self.values_at(v, indices))
    }

    /// The same of pages whose rows are at hand: only values that are not compared are looked up.
    pub(crate) fn rows_agree_at(&self, a: Row<'_>, b: Row<'_>, indices: &[u16]) -> bool {
        indices.iter().all(|&index| {
            let at = usize::from(index);
            if at < self.compared {
                a.bytes[at] == b.bytes[at] && a.bytes[self.stride + at] == b.bytes[self.stride + at]
            } else {
                self.agree_at(a.page, b.page, &[index])
            }
        })
    }

    /// Adds for each of some ascending pages a hash of its values at some indices. Of up to four values it is a bijection.
    pub(crate) fn hash_keys(&self, pages: &[u32], indices: &[u16], hashes: &mut Vec<u64>) {
        // A block at a time: few columns of it are in the cache at once.
        for pages in pages.chunks(BLOCK) {
            let start = hashes.len();
            hashes.resize(start + pages.len(), 0);
            for indices in indices.chunks(4) {
                let hashes = &mut hashes[start..];
                // Of a known number, so that the values of a page are read at once.
                match *indices {
                    [a] => self.mix_in(pages, [a], hashes),
                    [a, b] => self.mix_in(pages, [a, b], hashes),
                    [a, b, c] => self.mix_in(pages, [a, b, c], hashes),
                    [a, b, c, d] => self.mix_in(pages, [a, b, c, d], hashes),
                    _ => unreachable!("chunks have one to four"),
                }
            }
        }
    }

    fn mix_in<const N: usize>(&self, pages: &[u32], indices: [u16; N], hashes: &mut [u64]) {
        let columns = indices.map(|index| usize::from(index) * BLOCK);
        let block = self.m() * BLOCK;
        for (hash, &page) in hashes.iter_mut().zip(pages) {
            let base = page as usize / BLOCK * block + page as usize % BLOCK;
            let values = columns.iter().map(|column| self.values[base + column]);
            *hash = hash::mix(*hash ^ values.fold(0, |all, value| all << 16 | u64::from(value)));
        }
    }

    /// The compared low bytes of a page, with zeros up to a multiple of 16.
    pub(crate) fn low(&self, page: u32) -> &[u8] {
        &self.row(page)[..self.stride]
    }

    /// The same, and behind them the high bytes.
    pub(crate) fn row(&self, page: u32) -> &[u8] {
        &self.rows[page as usize * 2 * self.stride..][..2 * self.stride]
    }

    /// Bytes of a row of low bytes, with the zeros.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// In how many of the compared values two pages agree, by their low bytes.
    #[must_use]
    pub fn agreeing(&self, u: u32, v: u32) -> u16 {
        (agreeing(self.low(u), self.low(v)) - (self.stride - self.compared) as u32) as u16
    }
}

/// A page with its row, which may have been copied to where it is near.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) page: u32,
    pub(crate) bytes: &'a [u8],
}

/// The values of `signatures` as the rows of a batch: the lowest 16 bits of each.
#[must_use]
pub fn rows<'a>(signatures: impl IntoIterator<Item = &'a Signature>) -> Vec<u16> {
    signatures.into_iter().flat_map(|s| s.values().iter().map(|&value| value as u16)).collect()
}

/// How many bytes of `a` and `b` are equal in their place. Both are of the same length, a multiple of 16: written so that
/// compilers make one comparison of each 16 bytes.
pub(crate) fn agreeing(a: &[u8], b: &[u8]) -> u32 {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let mut total = 0;
    // A lane counts in a byte: it is emptied before it can overflow.
    for (a, b) in a.chunks(255).zip(b.chunks(255)) {
        let mut lanes = [0u8; LANES];
        for (a, b) in a.iter().zip(b) {
            for lane in 0..LANES {
                lanes[lane] += u8::from(a[lane] == b[lane]);
            }
        }
        total += lanes.iter().map(|&lane| u32::from(lane)).sum::<u32>();
    }
    total
}

/// A bit for each byte of `a` and `b`, the lowest first: whether they are equal in it. Both are of the same length, a
/// multiple of 16.
pub(crate) fn agreeing_bits(a: &[u8], b: &[u8], bits: &mut Vec<u64>) {
    const LOWER: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    bits.clear();
    bits.resize(a.len().div_ceil(64), 0);
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    for (at, (a, b)) in words.enumerate() {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        // The highest bit of each byte that is 0, and no other.
        let equal = !(((differ & LOWER) + LOWER) | differ | LOWER);
        // Bit 8 i goes to bit 56 + i.
        let gathered = (equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits[at / 8] |= gathered << (8 * (at % 8));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use proptest::prelude::*;

    pub(crate) fn signed_by(m: u16) -> SignedBy {
        let params = SignatureParams { m, bits: 16, seed: 1 };
        SignedBy { algorithm: "test".to_owned(), params, scale: 100 }
    }

    /// The columns of some rows.
    pub(crate) fn columns(m: u16, compared: u16, rows: &[u16]) -> SignatureColumns {
        let signed_by = signed_by(m);
        let mut columns = SignatureColumns::new(signed_by.clone(), compared).unwrap();
        columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows }).unwrap();
        columns
    }

    /// Rows of `m` values out of few, so that many agree, in the low byte alone too.
    pub(crate) fn some_rows(pages: usize, m: usize, seed: u64) -> Vec<u16> {
        let mut stream = SplitMix64::new(seed);
        (0..pages * m).map(|_| [0, 1, 2, 256, 257][stream.below(5) as usize]).collect()
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let (eight, nine) = (signed_by(8), signed_by(9));
        assert!(SignatureColumns::new(eight.clone(), 9).is_err());
        assert!(SignatureColumns::new(eight.clone(), 0).is_err());
        let mut columns = SignatureColumns::new(eight.clone(), 8).unwrap();
        let push = |columns: &mut SignatureColumns, signed_by, first, values| {
            let rows = vec![7; values];
            columns.push(SignatureBatch { signed_by, first, rows: &rows })
        };
        push(&mut columns, &eight, 0, 16).unwrap();
        let refused = |error: PairsError| error.to_string();
        assert_eq!(
            refused(push(&mut columns, &nine, 2, 9).unwrap_err()),
            "cannot compare these signatures: expected those of test (m = 8, 16 bits, seed 1, scale 100), found those of test \
             (m = 9, 16 bits, seed 1, scale 100). Sign all pages with the same options"
        );
        assert_eq!(
            refused(push(&mut columns, &eight, 3, 8).unwrap_err()),
            "batches of signatures must come in ascending order, each once: found page 3 after 2 pages. Sort them first"
        );
        assert_eq!(
            refused(push(&mut columns, &eight, 2, 9).unwrap_err()),
            "expected signatures of 8 values each, found 9 values in all"
        );
        assert_eq!(columns.pages(), 2);
    }

    #[test]
    fn batches_of_any_size_make_the_same_columns() {
        let (m, pages) = (3, 2 * BLOCK + 10);
        let rows: Vec<u16> =
            (0..m * pages).map(|x| (x as u32).wrapping_mul(40_503) as u16).collect();
        let signed_by = signed_by(m as u16);
        let mut columns = SignatureColumns::new(signed_by.clone(), 2).unwrap();
        let mut first = 0;
        for size in [1, BLOCK - 2, 5, 0, BLOCK, 6] {
            let rows = &rows[m * first..m * (first + size)];
            columns
                .push(SignatureBatch { signed_by: &signed_by, first: first as u32, rows })
                .unwrap();
            first += size;
        }
        assert_eq!(columns.pages() as usize, pages);
        for (page, row) in (0u32..).zip(rows.chunks(m)) {
            assert_eq!(columns.values_at(page, &[0, 1, 2]).collect::<Vec<_>>(), row);
            assert_eq!(columns.low(page)[..2], [row[0] as u8, row[1] as u8]);
            assert_eq!(columns.row(page)[LANES..][..2], [(row[0] >> 8) as u8, (row[1] >> 8) as u8]);
        }
    }

    proptest! {
        #[test]
        fn bytes_are_compared_as_one_by_one(pairs in prop::collection::vec((0u8..3, 0u8..3), 0..40), times in 1usize..600) {
            let (mut a, mut b): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
            let length = a.len().next_multiple_of(LANES);
            a.resize(length, 7);
            b.resize(length, 9);
            let (a, b) = (a.repeat(times), b.repeat(times));
            let plainly = a.iter().zip(&b).filter(|(a, b)| a == b).count();
            prop_assert_eq!(agreeing(&a, &b) as usize, plainly);
            let mut bits = Vec::new();
            agreeing_bits(&a, &b, &mut bits);
            for (at, (a, b)) in a.iter().zip(&b).enumerate() {
                prop_assert_eq!(bits[at / 64] >> (at % 64) & 1 == 1, a == b);
            }
        }
    }
}
