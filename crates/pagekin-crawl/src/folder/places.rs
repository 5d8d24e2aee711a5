//! Files that are read at given offsets.

use std::io::{self, Read, Seek, SeekFrom};

use crate::folder::checksums::{BlockReader, CheckedFile, Checksums};
use crate::folder::error::CrawlFolderError;

/// Maximum number of bytes read at a time: of a URL with its title, or of the entries of one URL.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// A file that is read at given offsets.
#[derive(Debug)]
pub(crate) struct Places {
    reader: BlockReader<CheckedFile>,
    pub(crate) bytes: u64,
}

impl Places {
    pub(crate) fn open(sums: &mut Checksums, name: &str) -> Result<Self, CrawlFolderError> {
        let file = sums.file(name)?;
        Ok(Self { bytes: file.bytes, reader: BlockReader::new(file) })
    }

    pub(crate) fn damaged(&self, expected: &'static str) -> CrawlFolderError {
        CrawlFolderError::Damaged { path: self.reader.file.path.clone(), expected }
    }

    /// Converts an error from reading the file.
    pub(crate) fn failed(&self, error: io::Error) -> CrawlFolderError {
        self.reader.file.failed(error)
    }

    /// Returns a reader that starts at the first byte.
    pub(crate) fn stream(&self) -> BlockReader<&CheckedFile> {
        BlockReader::new(&self.reader.file)
    }

    pub(crate) fn whole(&self) -> Result<Vec<u8>, CrawlFolderError> {
        self.reader.file.read_whole().map_err(|error| self.failed(error))
    }

    /// Reads the next bytes of a [`stream`](Self::stream) of the file.
    pub(crate) fn fill(
        &self,
        stream: &mut impl Read,
        bytes: &mut [u8],
    ) -> Result<(), CrawlFolderError> {
        stream.read_exact(bytes).map_err(|error| self.failed(error))
    }

    pub(crate) fn read(&mut self, start: u64, end: u64) -> Result<Vec<u8>, CrawlFolderError> {
        if start > end || end > self.bytes || end - start > MAX_BYTES {
            return Err(self.damaged("places within their file"));
        }
        let mut bytes = vec![0; (end - start) as usize];
        let reader = &mut self.reader;
        let read = reader.seek(SeekFrom::Start(start)).and_then(|_| reader.read_exact(&mut bytes));
        match read {
            Ok(()) => Ok(bytes),
            Err(error) => Err(reader.file.failed(error)),
        }
    }

    /// Reads the 8-byte numbers at `start`.
    pub(crate) fn numbers<const N: usize>(
        &mut self,
        start: u64,
    ) -> Result<[u64; N], CrawlFolderError> {
        let bytes = self.read(start, start + 8 * N as u64)?;
        let (chunks, _) = bytes.as_chunks::<8>();
        Ok(std::array::from_fn(|at| u64::from_le_bytes(chunks[at])))
    }
}
