//! Files that are written side by side: what comes in any order is spread over them, and each is then small enough to be
//! taken into memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that are gathered before they are written to a file.
pub(super) const BUFFER_BYTES: usize = 64 << 10;

/// New files that are open.
#[derive(Debug)]
pub(super) struct Spread(Vec<(PathBuf, BufWriter<File>)>);

impl Spread {
    /// So many files in a folder, by the names `name-0000` and so on.
    pub(super) fn create(folder: &Path, name: &str, files: u32) -> io::Result<Self> {
        let file = |number| {
            let path = folder.join(format!("{name}-{number:04}"));
            let file = File::create_new(&path)?;
            Ok((path, BufWriter::with_capacity(BUFFER_BYTES, file)))
        };
        Ok(Self((0..files).map(file).collect::<io::Result<_>>()?))
    }

    /// The number of files.
    pub(super) fn files(&self) -> u32 {
        self.0.len() as u32
    }

    /// Adds to a file.
    pub(super) fn write(&mut self, file: u32, bytes: &[u8]) -> io::Result<()> {
        self.0[file as usize].1.write_all(bytes)
    }

    /// The paths of all files, in order, once everything is in them: a full disk is known here.
    pub(super) fn close(self) -> io::Result<Vec<PathBuf>> {
        let close = |(path, mut file): (PathBuf, BufWriter<File>)| file.flush().map(|()| path);
        self.0.into_iter().map(close).collect()
    }
}
