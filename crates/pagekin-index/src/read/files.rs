//! Bounded reading of an index's files. A folder may come from an untrusted author, so at most as
//! many bytes of a file are read as an index may have there, and only regular files are opened,
//! because others may never end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use pagekin_core::hash::StreamHasher;

/// Reads a file, or a range of it, of at most `limit` bytes.
///
/// # Errors
///
/// If it cannot be read, is not a regular file, or has more bytes.
pub(super) fn read(path: &Path, range: Option<&Range<u64>>, limit: usize) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut max = limit as u64 + 1;
    if let Some(&Range { start, end }) = range {
        file.seek(SeekFrom::Start(start))?;
        max = max.min(end - start);
    }
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes)?;
    if bytes.len() <= limit {
        return Ok(bytes);
    }
    let expected = format!("expected at most {limit} bytes, found more");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, expected))
}

/// Returns the length of a file, and the hash of its bytes, which is that of
/// [`of_bytes`](pagekin_core::hash::of_bytes).
///
/// # Errors
///
/// If it cannot be read, or is not a regular file.
pub(super) fn hash(path: &Path) -> io::Result<(u64, u64)> {
    let (mut file, mut chunk) = (open(path)?, vec![0; 1 << 16]);
    let (mut hasher, mut length) = (StreamHasher::default(), 0);
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok((length, hasher.finish())),
            Ok(n) => {
                hasher.update(&chunk[..n]);
                length += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens a regular file. Opening a FIFO could block forever.
fn open(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found none"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::of_bytes;
    use std::fs;

    #[test]
    fn reading_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"0123456789").unwrap();
        assert_eq!(read(&path, None, 10).unwrap(), b"0123456789");
        assert_eq!(read(&path, Some(&(3..7)), 4).unwrap(), b"3456");
        assert_eq!(read(&path, Some(&(8..20)), 12).unwrap(), b"89");
        for (range, limit) in [(None, 9), (Some(3..7), 3), (Some(0..u64::MAX), 9)] {
            let error = read(&path, range.as_ref(), limit).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
        // A long sparse file.
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&path, None, 10).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read(folder.path(), None, 10).is_err() && hash(folder.path()).is_err());
    }

    #[test]
    fn a_file_is_hashed_as_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..200_000u32).map(|at| (at / 3) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(hash(&path).unwrap(), (200_000, of_bytes(&bytes)));
    }
}
