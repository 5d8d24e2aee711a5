//! WACZ archives (Web Archive Collection Zipped): zip files with WARC files in the folder
//! `archive/`.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::input::open::{Counted, Stream};

/// Maximum number of files that are read from an archive.
const MAX_FILES: usize = 1 << 20;

/// The position of a WARC file in an archive.
pub(super) struct Part {
    pub(super) name: String,
    start: u64,
    bytes: u64,
    deflated: bool,
}

/// Returns the WARC files of an archive, sorted by name.
pub(super) fn parts(path: &Path) -> io::Result<Vec<Part>> {
    let invalid = |error| io::Error::new(ErrorKind::InvalidInput, error);
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?)).map_err(invalid)?;
    let mut parts = Vec::new();
    for at in 0..archive.len().min(MAX_FILES) {
        let file = archive.by_index_raw(at).map_err(invalid)?;
        let name = file.name().map_err(invalid)?.into_owned();
        let is_warc = [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"];
        if !name.starts_with("archive/") || !is_warc.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let deflated = match file.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => return Err(io::Error::other(format!("{name} is packed by {other}"))),
        };
        let start = file.data_start().ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        parts.push(Part { name, start, bytes: file.compressed_size(), deflated });
    }
    if parts.is_empty() {
        return Err(io::Error::other("the zip archive contains no WARC file in `archive/`"));
    }
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(parts)
}

impl Part {
    /// Opens the content. Bytes read from the archive are added to `read`.
    pub(super) fn open(&self, path: &Path, read: &Rc<Cell<u64>>) -> io::Result<Stream> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.start))?;
        let raw = Counted { file, read: Rc::clone(read) }.take(self.bytes);
        let raw = BufReader::with_capacity(256 << 10, raw);
        Ok(match self.deflated {
            true => Box::new(BufReader::new(DeflateDecoder::new(raw))),
            false => Box::new(raw),
        })
    }
}
