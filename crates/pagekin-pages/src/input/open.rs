//! Opens an input as a stream. The format is detected by its first bytes, not its name.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;
use std::rc::Rc;

use crate::input::error::InputError;
use crate::input::gunzip::{GZIP, Gunzip};
use crate::input::options::Input;
use crate::input::unzstd::{DICTIONARY, Unzstd, ZSTD};

/// The first bytes of a zip file.
pub(super) const WACZ_MAGIC: &[u8] = b"PK\x03\x04";

/// The first bytes of an ARC file.
pub(super) const ARC_MAGIC: &[u8] = b"filedesc://";

/// An opened input.
pub(super) enum Source {
    Folder,
    Stream(Kind, Stream),
    /// A zip archive: WARC files in WACZ.
    Zip,
    /// Empty, or only white space.
    Empty,
}

/// The format of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Jsonl,
    Warc,
    Arc,
}

pub type Stream = Box<dyn BufRead>;

/// Number of bytes used for format detection, and size of read buffers.
const HEAD_BYTES: u64 = 512;
const BUFFER_BYTES: usize = 256 << 10;

/// Counts the bytes read from a file, before decompression.
pub(super) struct Counted {
    pub(super) file: File,
    pub(super) read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read.set(self.read.get() + bytes as u64);
        Ok(bytes)
    }
}

/// Opens an input without decompression; `None` if it is a folder. Bytes read from a file are added
/// to `read`.
pub fn raw(input: &Input, read: &Rc<Cell<u64>>) -> Result<Option<Stream>, InputError> {
    Ok(Some(match input {
        Input::Path(path) => {
            let metadata = fs::metadata(path).map_err(InputError::io(path))?;
            if metadata.is_dir() {
                return Ok(None);
            }
            let file = File::open(path).map_err(InputError::io(path))?;
            let file = Counted { file, read: Rc::clone(read) };
            Box::new(BufReader::with_capacity(BUFFER_BYTES, file))
        }
        Input::Stdin => Box::new(BufReader::with_capacity(BUFFER_BYTES, io::stdin())),
    }))
}

/// Opens an input. Bytes read from a file are added to `read`.
pub(super) fn open(input: &Input, read: &Rc<Cell<u64>>) -> Result<Source, InputError> {
    match raw(input, read)? {
        Some(stream) => of_stream(stream, &input.path()),
        None => Ok(Source::Folder),
    }
}

pub(super) fn of_stream(mut stream: Stream, path: &Path) -> Result<Source, InputError> {
    let mut first = head(&mut stream).map_err(InputError::io(path))?;
    stream = Box::new(Cursor::new(first.clone()).chain(stream));
    if first.starts_with(WACZ_MAGIC) {
        return Ok(Source::Zip);
    }
    let packed = if first.starts_with(&GZIP) {
        Ok(Box::new(Gunzip::new(stream)) as Box<dyn Read>)
    } else if first.starts_with(&ZSTD) || first.starts_with(&DICTIONARY) {
        Ok(Box::new(Unzstd::new(stream)) as Box<dyn Read>)
    } else {
        Err(stream)
    };
    stream = match packed {
        Ok(unpacked) => {
            let mut unpacked: Stream = Box::new(BufReader::with_capacity(BUFFER_BYTES, unpacked));
            first = head(&mut unpacked).map_err(InputError::io(path))?;
            Box::new(Cursor::new(first.clone()).chain(unpacked))
        }
        Err(plain) => plain,
    };
    let begin = first.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&first).trim_ascii_start();
    if begin.is_empty() && (first.len() as u64) < HEAD_BYTES {
        return Ok(Source::Empty);
    }
    if begin.starts_with(b"WARC/") {
        Ok(Source::Stream(Kind::Warc, stream))
    } else if begin.starts_with(ARC_MAGIC) {
        Ok(Source::Stream(Kind::Arc, stream))
    } else if begin.starts_with(b"{") {
        Ok(Source::Stream(Kind::Jsonl, stream))
    } else {
        let found = format!("\"{}\"", begin[..begin.len().min(16)].escape_ascii());
        Err(InputError::UnknownKind { path: path.to_owned(), found })
    }
}

/// Reads the first bytes of a stream. Damage in a packed file is ignored if some of it can be
/// unpacked: the affected record is incomplete, and its reader detects that.
fn head(stream: &mut Stream) -> io::Result<Vec<u8>> {
    let (mut head, mut damage) = (Vec::new(), None);
    loop {
        match stream.by_ref().take(HEAD_BYTES).read_to_end(&mut head) {
            Ok(_) => match damage {
                Some(damage) if head.is_empty() => return Err(damage),
                _ => return Ok(head),
            },
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                if !head.is_empty() {
                    return Ok(head);
                }
                damage = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<Kind>) {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        for stream in [bytes.to_vec(), packed.finish().unwrap()] {
            let kind = match of_stream(Box::new(Cursor::new(stream)), Path::new("-")) {
                Ok(Source::Stream(kind, mut stream)) => {
                    let mut all = Vec::new();
                    stream.read_to_end(&mut all).unwrap();
                    assert_eq!(all, bytes);
                    Some(kind)
                }
                Ok(Source::Empty | Source::Folder | Source::Zip) => None,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(kind, expected);
        }
    }

    #[test]
    fn formats_are_detected_by_first_bytes() {
        check(b"WARC/1.0\r\n", Some(Kind::Warc));
        check(b"filedesc://a 0 20080430204825 text/plain 0\n", Some(Kind::Arc));
        check(b"\n {\"url\":1}\n", Some(Kind::Jsonl));
        check("\u{feff}{}".as_bytes(), Some(Kind::Jsonl));
        check(&[b"{".as_slice(), &[b'x'; 2_000]].concat(), Some(Kind::Jsonl));
        check(b"", None);
        check(b" \n", None);
    }

    #[test]
    fn a_file_of_which_nothing_can_be_unpacked_is_an_error() {
        let zstd = [&ZSTD[..], &[0x04, 0x68, 0x05, 1]].concat();
        let gzip = [&GZIP[..], &[0; 9]].concat();
        for (bytes, expected) in [(zstd, "the zstd file is damaged"), (gzip, "the gzip file")] {
            let Err(error) = of_stream(Box::new(Cursor::new(bytes)), Path::new("a.warc.zst"))
            else {
                panic!("nothing can be unpacked");
            };
            let message = error.to_string();
            assert!(message.contains("a.warc.zst") && message.contains(expected), "{message}");
        }
    }

    #[test]
    fn an_unknown_format_is_reported_with_its_first_bytes() {
        let Err(error) = of_stream(Box::new(Cursor::new(b"<!DOCTYPE html>")), Path::new("a.html"))
        else {
            panic!("HTML is not an input format");
        };
        let message = error.to_string();
        assert!(message.contains("a.html") && message.contains("<!DOCTYPE html>"), "{message}");
    }
}
