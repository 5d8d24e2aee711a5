//! Columns of numbers in files, read by range.
//!
//! Files are read by the machine that wrote them, during the processing of a crawl, so numbers are
//! in native byte order.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};

use crate::disk::partitions::BUFFER_BYTES;

/// Writes a column.
#[derive(Debug)]
pub struct NumberWriter<T> {
    file: BufWriter<File>,
    numbers: PhantomData<T>,
}

impl<T: Pod> NumberWriter<T> {
    /// Creates a new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, File::create_new(path)?);
        Ok(Self { file, numbers: PhantomData })
    }

    /// Appends numbers.
    pub fn extend(&mut self, numbers: &[T]) -> io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(numbers))
    }

    /// Flushes the file. Returns an error if the disk is full.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A column on disk.
#[derive(Debug)]
pub struct NumberFile<T> {
    path: PathBuf,
    file: File,
    len: u64,
    numbers: PhantomData<T>,
}

#[allow(clippy::len_without_is_empty)] // Not needed.
impl<T: Pod + Zeroable> NumberFile<T> {
    /// Opens a file that a [`NumberWriter`] of the same type wrote.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let size = size_of::<T>() as u64;
        if !bytes.is_multiple_of(size) {
            return Err(damaged(path, &format!("numbers of {size} bytes, found {bytes} bytes")));
        }
        Ok(Self { path: path.to_owned(), file, len: bytes / size, numbers: PhantomData })
    }

    /// Returns the number of numbers.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Reads a range of numbers.
    pub fn range(&mut self, range: Range<u64>) -> io::Result<Vec<T>> {
        if range.start > range.end || range.end > self.len {
            let what = format!("places below {}, found {range:?}", self.len);
            return Err(damaged(&self.path, &what));
        }
        let mut numbers = vec![T::zeroed(); (range.end - range.start) as usize];
        self.file.seek(SeekFrom::Start(range.start * size_of::<T>() as u64))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }

    /// Reads all numbers.
    pub fn all(&mut self) -> io::Result<Vec<T>> {
        self.range(0..self.len)
    }

    /// Returns consecutive ranges of at most `max` numbers that cover the file.
    pub fn ranges(&self, max: u64) -> impl Iterator<Item = Range<u64>> + use<T> {
        let (len, max) = (self.len, max.max(1));
        (0..len.div_ceil(max)).map(move |at| at * max..len.min((at + 1) * max))
    }
}

fn damaged(path: &Path, expected: &str) -> io::Error {
    let what = format!("{} is damaged: expected {expected}", path.display());
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_numbers_are_read_in_ranges() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("column");
        let mut writer = NumberWriter::create(&path).unwrap();
        writer.extend(&[1u32, 2, 3]).unwrap();
        writer.extend(&[4, 5]).unwrap();
        writer.finish().unwrap();
        let mut file = NumberFile::<u32>::open(&path).unwrap();
        assert_eq!((file.len(), file.all().unwrap()), (5, vec![1, 2, 3, 4, 5]));
        let ranges: Vec<_> = file.ranges(2).map(|range| file.range(range).unwrap()).collect();
        assert_eq!(ranges, [vec![1, 2], vec![3, 4], vec![5]]);
        assert!(file.range(4..6).is_err());
        File::options().write(true).open(&path).unwrap().set_len(19).unwrap();
        assert!(NumberFile::<u32>::open(&path).unwrap_err().to_string().contains("19 bytes"));
    }
}
