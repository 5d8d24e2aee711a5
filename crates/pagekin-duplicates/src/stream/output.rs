//! Writes pairs, and checks that a file is the one they were written to before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use pagekin_core::hash;
use serde::{Deserialize, Serialize};

use crate::stream::error::StreamError;

/// A position in an output: its length in bytes, and a hash of its lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutputPlace {
    length: u64,
    hash: u64,
}

impl OutputPlace {
    /// Returns the position after more complete lines.
    fn after(mut self, lines: &[u8]) -> Self {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            self.length += line.len() as u64;
            self.hash = hash::mix(self.hash ^ hash::of_bytes(line));
        }
        self
    }
}

/// The output for pairs.
pub(super) enum Output<'a> {
    /// The writer passed by the caller, which cannot be read again.
    Given(&'a mut dyn Write),
    Pipe(File),
    File(File, OutputPlace),
}

impl<'a> Output<'a> {
    /// Opens an output. If the stream has a last `place`, everything after it was written for a
    /// page that was not completely processed, and is removed.
    pub(super) fn open(
        path: Option<&Path>,
        place: Option<OutputPlace>,
        into: &'a mut dyn Write,
    ) -> Result<Self, StreamError> {
        let Some(path) = path else { return Ok(Self::Given(into)) };
        let failed = |source| StreamError::OutputFile { path: path.to_owned(), source };
        let expected = place.unwrap_or_default();
        let mut options = OpenOptions::new();
        options.write(true);
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {}
            Ok(found) if !found.is_file() => {
                return options.open(path).map(Self::Pipe).map_err(failed);
            }
            Err(error) if error.kind() == ErrorKind::NotFound && expected.length > 0 => {
                return Err(short(path, expected, 0));
            }
            _ => {}
        }
        let mut file =
            options.read(true).create(true).truncate(false).open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        if place.is_none() && found > 0 {
            return Err(StreamError::OutputTaken { path: path.to_owned() });
        }
        if found < expected.length {
            return Err(short(path, expected, found));
        }
        if !is_of(&file, expected).map_err(failed)? {
            return Err(StreamError::OtherOutput {
                path: path.to_owned(),
                expected: expected.length,
            });
        }
        file.set_len(expected.length).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self::File(file, expected))
    }

    /// Writes complete lines.
    pub(super) fn write(&mut self, lines: &[u8]) -> Result<(), StreamError> {
        if lines.is_empty() {
            return Ok(());
        }
        let written = match self {
            Self::Given(into) => into.write_all(lines).and_then(|()| into.flush()),
            Self::Pipe(file) => file.write_all(lines),
            Self::File(file, place) => {
                *place = place.after(lines);
                file.write_all(lines)
            }
        };
        written.map_err(|source| StreamError::Output { source })
    }

    /// Returns the position, if the output is a file.
    pub(super) fn place(&self) -> Option<OutputPlace> {
        match self {
            Self::Given(_) | Self::Pipe(_) => None,
            Self::File(_, place) => Some(*place),
        }
    }
}

fn short(path: &Path, expected: OutputPlace, found: u64) -> StreamError {
    StreamError::OutputShort { path: path.to_owned(), expected: expected.length, found }
}

/// Returns whether a file contains what was written up to a position, followed only by pairs of one
/// page, the last of which may be truncated.
fn is_of(file: &File, expected: OutputPlace) -> io::Result<bool> {
    #[derive(Deserialize)]
    struct ReportedPair {
        url: String,
        #[serde(rename = "earlier")]
        _earlier: String,
    }
    let mut lines = BufReader::new(file);
    let (mut place, mut line) = (OutputPlace::default(), Vec::new());
    while place.length < expected.length {
        line.clear();
        lines.by_ref().take(expected.length - place.length).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(false);
        }
        place = place.after(&line);
    }
    if place != expected {
        return Ok(false);
    }
    let mut page: Option<String> = None;
    loop {
        line.clear();
        lines.by_ref().take(MAX_BYTES).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            let begin = &BEGIN[..BEGIN.len().min(line.len())];
            return Ok((line.len() as u64) < MAX_BYTES && line.starts_with(begin));
        }
        match serde_json::from_slice(&line) {
            Ok(ReportedPair { url, .. }) if page.as_ref().is_none_or(|page| *page == url) => {
                page = Some(url);
            }
            _ => return Ok(false),
        }
    }
}

/// The start of a pair.
const BEGIN: &[u8] = br#"{"url":""#;
/// An upper bound of the length of a pair. Both its URLs come from lines of an input, whose length
/// is limited.
const MAX_BYTES: u64 = 1 << 26;

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: &str = "{\"url\":\"b\",\"earlier\":\"a\"}\n{\"url\":\"b\",\"earlier\":\"c\"}\n";

    #[track_caller]
    fn opens(found: &str, place: Option<OutputPlace>) -> Option<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), found).unwrap();
        let mut none = io::sink();
        let opened = Output::open(Some(file.path()), place, &mut none).is_ok();
        let left = fs::read_to_string(file.path()).unwrap();
        assert!(opened || left == found, "what is refused stays as it is");
        opened.then_some(left)
    }

    #[test]
    fn only_the_matching_file_is_truncated_to_its_position() {
        let place = Some(OutputPlace::default().after(PAIRS.as_bytes()));
        assert_eq!(opens("", None).as_deref(), Some(""));
        assert_eq!(opens(PAIRS, None), None);
        for rest in ["", "{", "{\"url\":\"x\",\"ea", "{\"url\":\"x\",\"earlier\":\"y\"}\n"] {
            assert_eq!(opens(&format!("{PAIRS}{rest}"), place).as_deref(), Some(PAIRS));
            assert_eq!(opens(rest, Some(OutputPlace::default())).as_deref(), Some(""));
        }
        let two = "{\"url\":\"x\",\"earlier\":\"y\"}\n{\"url\":\"z\",\"earlier\":\"y\"}\n";
        for rest in ["diary", "{}\n", "\n", two] {
            assert_eq!(opens(&format!("{PAIRS}{rest}"), place), None, "{rest:?}");
            assert_eq!(opens(rest, Some(OutputPlace::default())), None, "{rest:?}");
        }
        for at in 0..PAIRS.len() {
            let mut other = PAIRS.as_bytes().to_vec();
            other[at] ^= 1;
            assert_eq!(opens(&String::from_utf8(other).unwrap(), place), None, "{at}");
        }
        assert_eq!(opens(&PAIRS[1..], place), None);
    }
}
