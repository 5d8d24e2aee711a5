//! Pairs as a flat file: both documents of each as 32-bit numbers, little-endian.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes pairs.
pub(crate) fn write(path: &Path, pairs: impl Iterator<Item = (u32, u32)>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for (u, v) in pairs {
        file.write_all(&u.to_le_bytes())?;
        file.write_all(&v.to_le_bytes())?;
    }
    file.flush()
}

/// Reads pairs: the lower document first, sorted, without repetitions.
pub(crate) fn read(path: &Path) -> io::Result<Vec<(u32, u32)>> {
    let bytes = fs::read(path)?;
    let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    let numbers: Vec<u32> = bytes.as_chunks().0.iter().map(number).collect();
    let two = numbers.as_chunks().0.iter();
    let mut pairs: Vec<(u32, u32)> = two.map(|&[u, v]| (u.min(v), u.max(v))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}
