//! Stores the signatures of a crawl's pages in the layout in which pages are paired.
//!
//! Keys use 16 bits of each value, and comparisons use 8. A comparison reads all values of two
//! pages, and keys read a few values of every page. So all values of a page are stored together:
//! first the low bytes, which are compared, then the high bytes, which are only used for keys. This
//! takes `2 m` bytes per page, 160 for `m = 80`. A second copy in column order would let keys be
//! computed from fewer bytes. But rows are read sequentially at the speed of memory, which is a
//! small part of the time of a table.

use pagekin_core::hash;
use pagekin_core::minhash::Signature;
use rayon::prelude::*;

use crate::error::PairsError;
use crate::join::agreement::{LANES, agreeing};
use crate::minhash::SignedBy;
use crate::threshold::Threshold;

/// Signatures of consecutive pages, row by row.
#[derive(Debug, Clone, Copy)]
pub struct SignatureBatch<'a> {
    /// How the signatures were computed.
    pub signed_by: &'a SignedBy,
    /// The number of the first page.
    pub first: u32,
    /// The values, `m` per page. Only the lowest 16 bits of larger values are included.
    pub rows: &'a [u16],
}

/// The signatures of pages 0, 1, 2, …
#[derive(Debug, Clone)]
pub struct SignatureColumns {
    signed_by: SignedBy,
    pages: usize,
    /// `length` bytes per page: the low bytes of the values, padded with zeros to `stride`, then
    /// their high bytes.
    rows: Vec<u8>,
    stride: usize,
    length: usize,
}

impl SignatureColumns {
    /// Creates columns without pages for signatures computed by `signed_by`.
    ///
    /// # Errors
    ///
    /// Returns [`PairsError::Range`] if signatures have no values.
    pub fn new(signed_by: SignedBy) -> Result<Self, PairsError> {
        let m = usize::from(signed_by.params.m);
        if m == 0 {
            let (what, expected) = ("the number of values to compare", "1 or more");
            return Err(PairsError::Range { what, expected, found: m.to_string() });
        }
        let stride = m.next_multiple_of(LANES);
        Ok(Self { signed_by, pages: 0, rows: Vec::new(), stride, length: stride + m })
    }

    /// Reserves memory for exactly `pages` pages in total, so that the vector does not double its
    /// size.
    pub fn reserve(&mut self, pages: u32) {
        let rows = pages as usize * self.length;
        self.rows.reserve_exact(rows.saturating_sub(self.rows.len()));
    }

    /// Appends the next pages, in parallel.
    ///
    /// # Errors
    ///
    /// Returns [`PairsError::Unlike`] if they were computed differently, [`PairsError::OutOfOrder`]
    /// if they are not the next pages, [`PairsError::Ragged`] if a signature is incomplete, and
    /// [`PairsError::Range`] above 2^32 - 1 pages.
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
        self.rows.resize(end * self.length, 0);
        let stride = self.stride;
        let rows = self.rows[begin * self.length..].par_chunks_mut(self.length);
        rows.zip(batch.rows.par_chunks(m)).for_each(|(bytes, row)| {
            let (low, high) = bytes.split_at_mut(stride);
            for ((low, high), &value) in low.iter_mut().zip(high).zip(row) {
                [*low, *high] = value.to_le_bytes();
            }
        });
        Ok(())
    }

    /// Returns how the signatures were computed.
    #[must_use]
    pub fn signed_by(&self) -> &SignedBy {
        &self.signed_by
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages as u32
    }

    /// Returns the number of values per signature.
    pub(crate) fn m(&self) -> usize {
        usize::from(self.signed_by.params.m)
    }

    /// Returns the positions of the low and the high byte of a value in a row.
    fn places(&self, index: u16) -> [usize; 2] {
        [index.into(), self.stride + usize::from(index)]
    }

    /// Returns whether two pages agree in all values.
    pub(crate) fn are_equal(&self, u: u32, v: u32) -> bool {
        self.row(u) == self.row(v)
    }

    /// Returns whether two rows agree at all `indices`.
    pub(crate) fn rows_agree_at(&self, a: &[u8], b: &[u8], indices: &[u16]) -> bool {
        let agree = |&index: &u16| self.places(index).iter().all(|&at| a[at] == b[at]);
        indices.iter().all(agree)
    }

    /// Returns the values of pages at some indices, page by page.
    pub fn values(&self, pages: &[u32], indices: &[u16]) -> Vec<u16> {
        let mut values = vec![0; pages.len() * indices.len()];
        let of_pages = values.par_chunks_exact_mut(indices.len().max(1)).zip(pages);
        of_pages.for_each(|(values, &page)| {
            let row = self.row(page);
            for (value, &index) in values.iter_mut().zip(indices) {
                *value = self.value(row, index);
            }
        });
        values
    }

    /// Appends a hash of the values of each page at some indices. For up to four values, it is a
    /// bijection.
    pub(crate) fn hash_keys(&self, pages: &[u32], indices: &[u16], hashes: &mut Vec<u64>) {
        self.hash_keys_of(pages.iter().map(|&page| self.row(page)), indices, hashes);
    }

    /// The same for rows, which may have been copied next to one another.
    pub(crate) fn hash_keys_of<'a>(
        &self,
        rows: impl Iterator<Item = &'a [u8]>,
        indices: &[u16],
        hashes: &mut Vec<u64>,
    ) {
        // Fixed numbers of indices let the values of a page be read in parallel.
        match *indices {
            [a] => hashes.extend(rows.map(|row| self.mix_in(0, row, [a]))),
            [a, b] => hashes.extend(rows.map(|row| self.mix_in(0, row, [a, b]))),
            [a, b, c] => hashes.extend(rows.map(|row| self.mix_in(0, row, [a, b, c]))),
            [a, b, c, d] => hashes.extend(rows.map(|row| self.mix_in(0, row, [a, b, c, d]))),
            _ => hashes.extend(rows.map(|row| self.hash_key(row, indices))),
        }
    }

    /// Returns the hash of a row's values at some indices.
    pub fn hash_key(&self, row: &[u8], indices: &[u16]) -> u64 {
        let (fours, rest) = indices.as_chunks::<4>();
        let hash = fours.iter().fold(0, |hash, four| self.mix_in(hash, row, *four));
        match *rest {
            [a] => self.mix_in(hash, row, [a]),
            [a, b] => self.mix_in(hash, row, [a, b]),
            [a, b, c] => self.mix_in(hash, row, [a, b, c]),
            _ => hash,
        }
    }

    #[inline(always)]
    fn mix_in<const N: usize>(&self, hash: u64, row: &[u8], indices: [u16; N]) -> u64 {
        let values = |all, &index: &u16| all << 16 | u64::from(self.value(row, index));
        hash::mix(hash ^ indices.iter().fold(0, values))
    }

    #[inline(always)]
    fn value(&self, row: &[u8], index: u16) -> u16 {
        let [low, high] = self.places(index);
        u16::from_le_bytes([row[low], row[high]])
    }

    /// Appends a hash of all values of each page.
    pub(crate) fn hash_rows(&self, pages: &[u32], hashes: &mut Vec<u64>) {
        hashes.extend(pages.iter().map(|&page| hash::of_bytes(self.row(page))));
    }

    /// Returns the low bytes of a page, padded with zeros to a multiple of 16.
    pub fn low(&self, page: u32) -> &[u8] {
        &self.row(page)[..self.stride]
    }

    /// Returns all bytes of a page, low bytes first.
    pub fn row(&self, page: u32) -> &[u8] {
        &self.rows[page as usize * self.length..][..self.length]
    }

    /// Returns the length of a row in bytes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns the number of equal bytes that two rows of low bytes need, so that at least
    /// `threshold` of their values agree. Padding is always equal, and counts.
    pub fn min_equal(&self, threshold: Threshold) -> u32 {
        threshold.min_of(self.m() as u32) + self.padding()
    }

    /// Returns the number of values in which pages agree, if their rows are equal in `equal` bytes.
    pub fn unfilled(&self, equal: u32) -> u16 {
        (equal - self.padding()) as u16
    }

    fn padding(&self) -> u32 {
        (self.stride - self.m()) as u32
    }

    /// Returns the length of a row of low bytes, with padding.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the number of values in which two pages agree, by their low bytes.
    #[must_use]
    pub fn agreeing(&self, u: u32, v: u32) -> u16 {
        self.unfilled(agreeing(self.low(u), self.low(v)))
    }
}

/// Returns the values of `signatures` as the rows of a batch: the lowest 16 bits of each.
#[must_use]
pub fn rows<'a>(signatures: impl IntoIterator<Item = &'a Signature>) -> Vec<u16> {
    signatures.into_iter().flat_map(|s| s.values().iter().map(|&value| value as u16)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::minhash::SignatureParams;

    pub(crate) fn signed_by(m: u16) -> SignedBy {
        let params = SignatureParams { m, bits: 16, seed: 1 };
        SignedBy { algorithm: "test".to_owned(), params, scale: 100 }
    }

    /// Columns of these rows.
    pub(crate) fn columns(m: u16, rows: &[u16]) -> SignatureColumns {
        let signed_by = signed_by(m);
        let mut columns = SignatureColumns::new(signed_by.clone()).unwrap();
        columns.push(SignatureBatch { signed_by: &signed_by, first: 0, rows }).unwrap();
        columns
    }

    /// Rows of `m` values from a small set, so that many agree, some in the low byte only.
    pub(crate) fn some_rows(pages: usize, m: usize, seed: u64) -> Vec<u16> {
        let mut stream = SplitMix64::new(seed);
        (0..pages * m).map(|_| [0, 1, 2, 256, 257][stream.below(5) as usize]).collect()
    }

    #[test]
    fn incomparable_signatures_are_refused() {
        let (eight, nine) = (signed_by(8), signed_by(9));
        assert!(SignatureColumns::new(signed_by(0)).is_err());
        let mut columns = SignatureColumns::new(eight.clone()).unwrap();
        let push = |columns: &mut SignatureColumns, signed_by, first, values| {
            let rows = vec![7; values];
            columns.push(SignatureBatch { signed_by, first, rows: &rows })
        };
        push(&mut columns, &eight, 0, 16).unwrap();
        let refused = |error: PairsError| error.to_string();
        assert_eq!(
            refused(push(&mut columns, &nine, 2, 9).unwrap_err()),
            "cannot compare these signatures: expected test (m = 8, 16 bits, seed 1, scale 100), found test \
             (m = 9, 16 bits, seed 1, scale 100). Sign all pages with the same options"
        );
        assert_eq!(
            refused(push(&mut columns, &eight, 3, 8).unwrap_err()),
            "batches of signatures must be in ascending order without duplicates: found page 3 after 2 pages. Sort them first"
        );
        assert_eq!(
            refused(push(&mut columns, &eight, 2, 9).unwrap_err()),
            "expected signatures of 8 values each, found 9 values in all"
        );
        assert_eq!(columns.pages(), 2);
    }

    #[test]
    fn the_size_of_batches_does_not_matter() {
        let (m, pages) = (3, 8_202);
        let rows: Vec<u16> =
            (0..m * pages).map(|x| (x as u32).wrapping_mul(40_503) as u16).collect();
        let signed_by = signed_by(m as u16);
        let mut columns = SignatureColumns::new(signed_by.clone()).unwrap();
        let mut first = 0;
        for size in [1, 4_094, 5, 0, 4_096, 6] {
            let rows = &rows[m * first..m * (first + size)];
            columns
                .push(SignatureBatch { signed_by: &signed_by, first: first as u32, rows })
                .unwrap();
            first += size;
        }
        assert_eq!(columns.pages() as usize, pages);
        for (page, row) in (0u32..).zip(rows.chunks(m)) {
            let bytes = columns.row(page);
            let value = |index| u16::from_le_bytes(columns.places(index).map(|at| bytes[at]));
            assert_eq!([value(0), value(1), value(2)], row);
            assert_eq!(columns.low(page)[..3], [row[0] as u8, row[1] as u8, row[2] as u8]);
        }
    }
}
