//! Reads and writes files of signatures. The header records how the signatures were computed, and
//! files with another header are refused.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use pagekin_core::minhash::SignatureParams;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::disk::partitions::BUFFER_BYTES;
use crate::error::PairsError;
use crate::minhash::SignedBy;
use crate::signatures::columns::{SignatureBatch, SignatureColumns};

/// Number of signatures read at a time.
const BATCH: usize = 1 << 16;
/// Maximum length of the header.
const MAX_HEADER: u64 = 4_096;

/// The first line of the file. It is followed by 16 bits per value, low byte first, signature by
/// signature.
#[derive(Serialize, Deserialize)]
struct Header {
    algorithm: String,
    seed: u64,
    m: u16,
    bits: u8,
    scale: u16,
}

impl Header {
    fn new(signed_by: &SignedBy) -> Self {
        let SignatureParams { m, bits, seed } = signed_by.params;
        Self { algorithm: signed_by.algorithm.clone(), seed, m, bits, scale: signed_by.scale }
    }

    fn signed_by(self) -> SignedBy {
        let Self { algorithm, seed, m, bits, scale } = self;
        SignedBy { algorithm, params: SignatureParams { m, bits, seed }, scale }
    }
}

/// Why signatures could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SignatureFileError {
    /// The file cannot be read, or is damaged.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The signatures were computed differently.
    #[error(transparent)]
    Pairs(#[from] PairsError),
}

/// Writes signatures.
#[derive(Debug)]
pub struct SignatureWriter(BufWriter<File>);

impl SignatureWriter {
    /// Creates a new file.
    pub fn create(path: &Path, signed_by: &SignedBy) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, File::create_new(path)?);
        let mut line = serde_json::to_vec(&Header::new(signed_by))?;
        line.push(b'\n');
        file.write_all(&line)?;
        Ok(Self(file))
    }

    /// Appends signatures.
    pub fn extend(&mut self, rows: &[u16]) -> io::Result<()> {
        if cfg!(target_endian = "little") {
            return self.0.write_all(bytemuck::cast_slice(rows));
        }
        rows.iter().try_for_each(|value| self.0.write_all(&value.to_le_bytes()))
    }

    /// Flushes the file. Returns an error if the disk is full.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Reads the signatures of a file as columns: those of `wanted`, which must be ascending, or all.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is damaged, or its signatures were not computed by
/// `expected`.
pub fn read(
    path: &Path,
    expected: &SignedBy,
    wanted: Option<&[u32]>,
) -> Result<SignatureColumns, SignatureFileError> {
    let file = SignatureFile::open(path, expected)?;
    let mut columns = SignatureColumns::new(expected.clone())?;
    columns.reserve(wanted.map_or(file.pages, |wanted| wanted.len() as u32));
    let m = usize::from(expected.params.m);
    file.each_batch(|first, rows| {
        let mut push = |rows: &[u16]| {
            let first = columns.pages();
            columns.push(SignatureBatch { signed_by: expected, first, rows })
        };
        let Some(wanted) = wanted else { return push(rows) };
        let place = |page: u32| wanted.partition_point(|&wanted| wanted < page);
        let of_batch = &wanted[place(first)..place(first + (rows.len() / m) as u32)];
        let row = |&page: &u32| &rows[(page - first) as usize * m..][..m];
        push(&of_batch.iter().flat_map(row).copied().collect::<Vec<u16>>())
    })?;
    Ok(columns)
}

/// Returns the values of all signatures of a file at some positions.
///
/// # Errors
///
/// The same as [`read`].
///
/// # Panics
///
/// Panics if a position does not exist.
pub fn read_positions(
    path: &Path,
    expected: &SignedBy,
    positions: &[u16],
) -> Result<Vec<Vec<u16>>, SignatureFileError> {
    let file = SignatureFile::open(path, expected)?;
    let mut values = vec![Vec::new(); positions.len()];
    values.iter_mut().for_each(|values| values.reserve_exact(file.pages as usize));
    let m = usize::from(expected.params.m);
    file.each_batch(|_, rows| {
        values.par_iter_mut().zip(positions).for_each(|(values, &position)| {
            values.extend(rows[usize::from(position)..].iter().step_by(m));
        });
        Ok(())
    })?;
    Ok(values)
}

/// An open file of signatures, after its header.
struct SignatureFile {
    file: BufReader<File>,
    pages: u32,
    m: usize,
}

impl SignatureFile {
    fn open(path: &Path, expected: &SignedBy) -> Result<Self, SignatureFileError> {
        let damaged = |what: &str| {
            let what = format!("expected {what}, found something else");
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let mut line = Vec::new();
        io::BufRead::read_until(&mut (&mut file).take(MAX_HEADER), b'\n', &mut line)?;
        let header: Header =
            serde_json::from_slice(&line).map_err(|_| damaged("a header of signatures"))?;
        let found = header.signed_by();
        if found != *expected {
            let (expected, found) = (Box::new(expected.clone()), Box::new(found));
            return Err(PairsError::Unlike { expected, found }.into());
        }
        let row = 2 * u64::from(expected.params.m);
        let rest = bytes - line.len() as u64;
        let pages = u32::try_from(rest / row).ok().filter(|_| rest.is_multiple_of(row));
        let pages = pages.ok_or_else(|| damaged("whole signatures"))?;
        Ok(Self { file, pages, m: expected.params.m.into() })
    }

    /// Passes all signatures to `each` in batches: the number of the first, and their values.
    fn each_batch(
        mut self,
        mut each: impl FnMut(u32, &[u16]) -> Result<(), PairsError>,
    ) -> Result<(), SignatureFileError> {
        let mut rows = vec![0u16; BATCH.min(self.pages as usize) * self.m];
        for first in (0..self.pages).step_by(BATCH) {
            let count = BATCH.min((self.pages - first) as usize);
            let rows = &mut rows[..count * self.m];
            self.file.read_exact(bytemuck::cast_slice_mut(rows))?;
            rows.iter_mut().for_each(|value| *value = u16::from_le(*value));
            each(first, rows)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::columns::tests::{columns, signed_by, some_rows};

    #[test]
    fn signatures_are_read_and_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signatures");
        let rows = some_rows(100, 9, 1);
        let mut writer = SignatureWriter::create(&path, &signed_by(9)).unwrap();
        rows.chunks(40 * 9).for_each(|part| writer.extend(part).unwrap());
        writer.finish().unwrap();
        let (found, expected) = (read(&path, &signed_by(9), None).unwrap(), columns(9, &rows));
        assert_eq!(found.pages(), 100);
        for (u, v) in (0..99).zip(1..) {
            assert_eq!(found.agreeing(u, v), expected.agreeing(u, v));
        }
        let some = read(&path, &signed_by(9), Some(&[3, 40, 99])).unwrap();
        assert_eq!(some.pages(), 3);
        assert!(some.row(1) == expected.row(40) && some.row(2) == expected.row(99));
        let at = |position: usize| -> Vec<u16> {
            rows.iter().skip(position).step_by(9).copied().collect()
        };
        assert_eq!(read_positions(&path, &signed_by(9), &[7, 0]).unwrap(), [at(7), at(0)]);
        let error = read(&path, &signed_by(8), None).unwrap_err().to_string();
        assert!(error.contains("expected test (m = 8"), "{error}");
        let scaled = SignedBy { scale: 7, ..signed_by(9) };
        assert!(read(&path, &scaled, None).unwrap_err().to_string().contains("scale 7"));
        let bytes = std::fs::read(&path).unwrap();
        for len in [0, 5, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            assert!(read(&path, &signed_by(9), None).is_err());
        }
    }
}
