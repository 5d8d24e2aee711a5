//! Files that are read in place.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::folder::error::CrawlFolderError;

/// The most bytes of a URL with its title, and of the entries of one URL, that are taken from a
/// file.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// A file of which places are read.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) path: PathBuf,
    file: File,
    pub(crate) bytes: u64,
}

impl Places {
    pub(crate) fn open(folder: &Path, name: &str) -> Result<Self, CrawlFolderError> {
        let path = folder.join(name);
        let open = || {
            let file = File::open(&path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        match open() {
            Ok((file, bytes)) => Ok(Self { path, file, bytes }),
            Err(error) => Err(CrawlFolderError::Unreadable { path, error }),
        }
    }

    pub(crate) fn damaged(&self, expected: &'static str) -> CrawlFolderError {
        CrawlFolderError::Damaged { path: self.path.clone(), expected }
    }

    /// From the first byte on.
    pub(crate) fn stream(&self) -> Result<BufReader<&File>, CrawlFolderError> {
        let mut file = &self.file;
        match file.seek(SeekFrom::Start(0)) {
            Ok(_) => Ok(BufReader::new(file)),
            Err(error) => Err(CrawlFolderError::Unreadable { path: self.path.clone(), error }),
        }
    }

    /// The next bytes of a [`stream`](Self::stream) of it.
    pub(crate) fn fill(
        &self,
        stream: &mut impl Read,
        bytes: &mut [u8],
    ) -> Result<(), CrawlFolderError> {
        let path = || self.path.clone();
        stream
            .read_exact(bytes)
            .map_err(|error| CrawlFolderError::Unreadable { path: path(), error })
    }

    /// The bytes from `start` to `end`.
    pub(crate) fn read(&mut self, start: u64, end: u64) -> Result<Vec<u8>, CrawlFolderError> {
        if start > end || end > self.bytes || end - start > MOST_BYTES {
            return Err(self.damaged("places within their file"));
        }
        let mut bytes = vec![0; (end - start) as usize];
        let read =
            self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
        match read {
            Ok(()) => Ok(bytes),
            Err(error) => Err(CrawlFolderError::Unreadable { path: self.path.clone(), error }),
        }
    }

    /// The numbers of 8 bytes from `start` on.
    pub(crate) fn numbers<const N: usize>(
        &mut self,
        start: u64,
    ) -> Result<[u64; N], CrawlFolderError> {
        let bytes = self.read(start, start + 8 * N as u64)?;
        let (chunks, _) = bytes.as_chunks::<8>();
        Ok(std::array::from_fn(|at| u64::from_le_bytes(chunks[at])))
    }
}
