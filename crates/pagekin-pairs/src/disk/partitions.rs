//! Files that are written in parallel. Data in any order is distributed over them, so that each
//! file fits into memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Size of the write buffer of a file, in bytes.
pub const BUFFER_BYTES: usize = 64 << 10;

/// Returns the bucket of a key. Buckets are equal ranges of keys, lowest first.
pub fn bucket_of(key: u64, buckets: u32) -> u32 {
    ((u128::from(key) * u128::from(buckets)) >> 64) as u32
}

/// A set of open files.
#[derive(Debug)]
pub struct Spread(Vec<BufWriter<File>>);

/// Returns the path of a file: `name-0000` and so on.
pub fn path(folder: &Path, name: &str, file: u32) -> PathBuf {
    folder.join(format!("{name}-{file:04}"))
}

impl Spread {
    /// Creates `files` files in a folder.
    pub fn create(folder: &Path, name: &str, files: u32) -> io::Result<Self> {
        let file = |number| {
            let file = File::create_new(path(folder, name, number))?;
            Ok(BufWriter::with_capacity(BUFFER_BYTES, file))
        };
        Ok(Self((0..files).map(file).collect::<io::Result<_>>()?))
    }

    /// Returns the number of files.
    pub fn files(&self) -> u32 {
        self.0.len() as u32
    }

    /// Appends to a file.
    pub fn write(&mut self, file: u32, bytes: &[u8]) -> io::Result<()> {
        self.0[file as usize].write_all(bytes)
    }

    /// Flushes all files. Returns an error if the disk is full.
    pub fn close(self) -> io::Result<()> {
        self.0.into_iter().try_for_each(|mut file| file.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_ranges_of_keys() {
        assert_eq!(bucket_of(0, 3), 0);
        assert_eq!(bucket_of(u64::MAX / 3, 3), 0);
        assert_eq!(bucket_of(u64::MAX / 3 + 1, 3), 1);
        assert_eq!(bucket_of(u64::MAX, 3), 2);
        assert_eq!(bucket_of(u64::MAX, 1), 0);
    }
}
