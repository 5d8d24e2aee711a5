//! Checksums of the blocks of each file in a folder. Each block is verified when it is read, so
//! that reading a small part of a file is safe too.
//!
//! The file `checksums` contains, with little-endian numbers:
//!
//! | part | content |
//! | --- | --- |
//! | files | the name and the bytes of each file, in postcard |
//! | blocks | the checksums (u32) of the 8 KiB blocks of each file in order |
//! | end | XXH64 of everything before (u64) |
//!
//! A checksum is the lower half of XXH64.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use pagekin_core::hash;
use pagekin_pages::output::file_list::{FILES_NAME, checksum};
use pagekin_pages::output::temporary::LOCK;
use rayon::prelude::*;

use crate::folder::error::CrawlFolderError;
use crate::folder::format::DESCRIPTION_NAME;

/// Name of the file with the checksums.
pub const CHECKSUMS_NAME: &str = "checksums";

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: u64 = 8 << 10;
/// Bytes of the final checksum.
const END_BYTES: usize = 8;
const BLOCKS: &str = "bytes that have the checksum of their block";

/// Writes the checksums of all files in a folder. No file may change afterwards.
///
/// # Errors
///
/// If the files cannot be read or the checksums cannot be written.
pub fn seal(folder: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_sealed = ![CHECKSUMS_NAME, FILES_NAME, LOCK].contains(&&*name);
        if is_sealed && entry.file_type()?.is_file() {
            names.push(name);
        }
    }
    names.sort();
    let sums = names.par_iter().map(|name| sums_of(&folder.join(name)));
    let sums: Vec<(u64, Vec<u32>)> = sums.collect::<io::Result<_>>()?;
    let files: Vec<(&String, u64)> =
        names.iter().zip(&sums).map(|(name, (bytes, _))| (name, *bytes)).collect();
    let mut bytes = postcard::to_allocvec(&files).map_err(io::Error::other)?;
    bytes.extend(sums.iter().flat_map(|(_, sums)| sums).flat_map(|sum| sum.to_le_bytes()));
    let end = hash::of_bytes(&bytes);
    bytes.extend(end.to_le_bytes());
    fs::write(folder.join(CHECKSUMS_NAME), bytes)
}

/// Returns the length of a file and the checksums of its blocks.
fn sums_of(path: &Path) -> io::Result<(u64, Vec<u32>)> {
    let mut file = File::open(path)?;
    let (mut bytes, mut sums, mut blocks) = (0, Vec::new(), Vec::new());
    loop {
        blocks.clear();
        let read = file.by_ref().take(64 * BLOCK_BYTES).read_to_end(&mut blocks)?;
        if read == 0 {
            return Ok((bytes, sums));
        }
        bytes += read as u64;
        sums.extend(blocks.chunks(BLOCK_BYTES as usize).map(checksum));
    }
}

/// The checksums of the files of a folder.
#[derive(Debug)]
pub(crate) struct Checksums {
    folder: PathBuf,
    /// Lengths and checksums by file name; `None` if the folder has no checksums.
    files: Option<BTreeMap<String, (u64, Vec<u32>)>>,
}

impl Checksums {
    /// Reads the checksums of a folder. They are required for a crawl; files of other folders
    /// without checksums are read unchecked.
    pub(crate) fn open(folder: &Path) -> Result<Self, CrawlFolderError> {
        let path = folder.join(CHECKSUMS_NAME);
        let folder = folder.to_owned();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if folder.join(DESCRIPTION_NAME).exists() {
                    let expected = "the checksums of the other files";
                    return Err(CrawlFolderError::Damaged { path, expected });
                }
                return Ok(Self { folder, files: None });
            }
            Err(error) => return Err(CrawlFolderError::Unreadable { path, error }),
            Ok(bytes) => bytes,
        };
        let files = Some(decoded(&bytes).ok_or(CrawlFolderError::Damaged {
            path,
            expected: "names of files and checksums of blocks, with one of all of them",
        })?);
        Ok(Self { folder, files })
    }

    pub(crate) fn file(&mut self, name: &str) -> Result<CheckedFile, CrawlFolderError> {
        let path = self.folder.join(name);
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (bytes, file) = match opened {
            Ok(opened) => opened,
            Err(error) => return Err(CrawlFolderError::Unreadable { path, error }),
        };
        let sums = match &mut self.files {
            None => None,
            Some(files) => match files.remove(name) {
                Some((expected, sums)) if expected == bytes => Some(sums),
                _ => {
                    let expected = "a file of as many bytes as were written";
                    return Err(CrawlFolderError::Damaged { path, expected });
                }
            },
        };
        Ok(CheckedFile { path, file, bytes, sums })
    }

    /// Reads all files and returns their number and their total bytes.
    pub(crate) fn verify(mut self) -> Result<(u64, u64), CrawlFolderError> {
        let names: Vec<String> =
            self.files.iter().flatten().map(|(name, _)| name.clone()).collect();
        let files: Result<Vec<_>, _> = names.iter().map(|name| self.file(name)).collect();
        let files = files?;
        files.par_iter().try_for_each(|file| {
            let read = io::copy(&mut BlockReader::new(file), &mut io::sink());
            read.map(drop).map_err(|error| file.failed(error))
        })?;
        Ok((files.len() as u64, files.iter().map(|file| file.bytes).sum()))
    }
}

/// Decodes a file of checksums, if it is intact.
fn decoded(bytes: &[u8]) -> Option<BTreeMap<String, (u64, Vec<u32>)>> {
    let (before, end) = bytes.split_last_chunk::<END_BYTES>()?;
    if hash::of_bytes(before).to_le_bytes() != *end {
        return None;
    }
    let (names, rest) = postcard::take_from_bytes::<Vec<(String, u64)>>(before).ok()?;
    let (mut sums, odd) = rest.as_chunks::<4>();
    let mut files = BTreeMap::new();
    for (name, bytes) in names {
        let blocks = usize::try_from(bytes.div_ceil(BLOCK_BYTES)).ok()?;
        let (own, after) = sums.split_at_checked(blocks)?;
        let own = own.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        files.insert(name, (bytes, own));
        sums = after;
    }
    (odd.is_empty() && sums.is_empty()).then_some(files)
}

/// A file whose blocks are verified when they are read.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) path: PathBuf,
    file: File,
    pub(crate) bytes: u64,
    sums: Option<Vec<u32>>,
}

impl CheckedFile {
    /// Converts an error from reading the file.
    pub(crate) fn failed(&self, error: io::Error) -> CrawlFolderError {
        let path = self.path.clone();
        match error.kind() {
            ErrorKind::InvalidData => CrawlFolderError::Damaged { path, expected: BLOCKS },
            _ => CrawlFolderError::Unreadable { path, error },
        }
    }

    pub(crate) fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        BlockReader::new(self).read_to_end(&mut all)?;
        Ok(all)
    }

    fn block(&self, number: u64, into: &mut Vec<u8>) -> io::Result<()> {
        let start = number * BLOCK_BYTES;
        into.resize(BLOCK_BYTES.min(self.bytes.saturating_sub(start)) as usize, 0);
        self.read_at(start, into)?;
        let expected = self.sums.as_ref().map(|sums| sums.get(number as usize).copied());
        if expected.is_none_or(|expected| expected == Some(checksum(into))) {
            return Ok(());
        }
        let what = format!("it is damaged: expected {BLOCKS}, from byte {start} on");
        Err(io::Error::new(ErrorKind::InvalidData, what))
    }

    #[cfg(unix)]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, into, start)
    }

    #[cfg(not(unix))]
    fn read_at(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(into)
    }
}

/// Reads a file in whole blocks.
#[derive(Debug)]
pub(crate) struct BlockReader<F> {
    pub(crate) file: F,
    at: u64,
    /// Number of the block in `bytes`.
    block: Option<u64>,
    bytes: Vec<u8>,
}

impl<F: Borrow<CheckedFile>> BlockReader<F> {
    pub(crate) fn new(file: F) -> Self {
        Self { file, at: 0, block: None, bytes: Vec::new() }
    }
}

impl<F: Borrow<CheckedFile>> BufRead for BlockReader<F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let file = self.file.borrow();
        if self.at >= file.bytes {
            return Ok(&[]);
        }
        let block = self.at / BLOCK_BYTES;
        if self.block != Some(block) {
            self.block = None;
            file.block(block, &mut self.bytes)?;
            self.block = Some(block);
        }
        Ok(&self.bytes[(self.at % BLOCK_BYTES) as usize..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }
}

impl<F: Borrow<CheckedFile>> Read for BlockReader<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<F: Borrow<CheckedFile>> Seek for BlockReader<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.file.borrow().bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verified_reads_return_written_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..3 * BLOCK_BYTES + 7).map(|n| hash::mix(n) as u8).collect();
        for (name, bytes) in [("a", &bytes[..]), ("b", &bytes[..BLOCK_BYTES as usize]), ("c", &[])]
        {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        seal(folder.path()).unwrap();
        let mut sums = Checksums::open(folder.path()).unwrap();
        let mut reader = BlockReader::new(sums.file("a").unwrap());
        for (start, end) in [(0, 9), (8_190, 8_194), (20_000, 24_583), (5, 24_000), (7, 7)] {
            let mut read = vec![0; end - start];
            reader.seek(SeekFrom::Start(start as u64)).unwrap();
            reader.read_exact(&mut read).unwrap();
            assert_eq!(read, bytes[start..end]);
        }
        assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), bytes.len() as u64);
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        assert!(sums.file("c").unwrap().read_whole().unwrap().is_empty());
        let verified = || Checksums::open(folder.path()).and_then(Checksums::verify);
        assert_eq!(verified().unwrap(), (3, (4 * BLOCK_BYTES + 7)));
        for name in ["a", "b", "c", CHECKSUMS_NAME] {
            let path = folder.path().join(name);
            let sound = fs::read(&path).unwrap();
            for at in (0..sound.len()).step_by(97) {
                let mut other = sound.clone();
                other[at] ^= 1 << (at % 8);
                fs::write(&path, other).unwrap();
                assert!(verified().is_err(), "{name}, {at}");
            }
            fs::write(&path, [&sound[..], b"x"].concat()).unwrap();
            assert!(verified().is_err(), "{name} is longer");
            fs::write(&path, sound).unwrap();
        }
        verified().unwrap();
    }
}
