//! Reads the lines of an input that have not been processed before.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use pagekin_core::hash;
use pagekin_pages::input::gunzip::{GZIP, Gunzip};
use pagekin_pages::input::jsonl;
use pagekin_pages::{Input, SkipReason};

use crate::stream::error::StreamError;
use crate::stream::journal::Position;

/// The lines of an input that have not been processed before.
pub(super) struct NewLines {
    path: PathBuf,
    lines: jsonl::Lines,
    /// A hash of the first line.
    pub(super) first_line: u64,
    /// Number of lines skipped because they had been processed.
    pub(super) skipped: u64,
    /// The first line, until it is returned.
    first: Option<Result<Vec<u8>, SkipReason>>,
}

impl NewLines {
    /// Opens an input. If it starts with the same line as at `position`, skips the lines up to
    /// there.
    pub(super) fn open(
        input: &Input,
        max_bytes: u64,
        position: Option<&Position>,
    ) -> Result<Self, StreamError> {
        let path = input.path();
        let failed = |source| StreamError::Input { path: path.clone(), source };
        let bytes: Box<dyn io::Read> = match input {
            Input::Path(path) => Box::new(File::open(path).map_err(failed)?),
            Input::Stdin => Box::new(io::stdin()),
        };
        let mut stream: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 16, bytes));
        // Use only what has arrived so far: waiting for more would delay the first page.
        let head = stream.fill_buf().map_err(failed)?;
        if head.starts_with(b"WARC/") {
            return Err(StreamError::NoLines { path, found: "a WARC file" });
        }
        if head.starts_with(&GZIP) {
            stream = Box::new(BufReader::new(Gunzip::new(stream)));
        }
        let mut lines = jsonl::Lines::new(stream, max_bytes);
        let first = lines.next_line().map_err(failed)?;
        let first_line = first.as_ref().map_or(0, hash_of);
        let mut this = Self { path, lines, first_line, skipped: 0, first };
        match position {
            Some(position) if this.first.is_some() && position.first_line == first_line => {
                this.skip_processed(position)?;
            }
            _ => {}
        }
        Ok(this)
    }

    /// Skips the lines that have been processed.
    fn skip_processed(&mut self, position: &Position) -> Result<(), StreamError> {
        let other = |path: &Path, found: String| {
            let path = path.to_owned();
            Err(StreamError::OtherInput { path, lines: position.lines, found })
        };
        let mut last = 0;
        while self.skipped < position.lines {
            match self.next()? {
                Some(line) => last = hash_of(&line),
                None => return other(&self.path, format!("{} lines", self.skipped)),
            }
            self.skipped += 1;
        }
        if last != position.last_line {
            return other(&self.path, format!("another line {}", position.lines));
        }
        Ok(())
    }

    /// Returns the number of the last line returned, starting at 1.
    pub(super) fn number(&self) -> u64 {
        self.lines.number()
    }

    /// Returns the name of a line for messages.
    pub(super) fn name(&self, number: u64) -> String {
        format!("line {number} of {}", self.path.display())
    }

    /// Returns the next line, if any.
    pub(super) fn next(&mut self) -> Result<Option<Result<Vec<u8>, SkipReason>>, StreamError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => {
                let failed = |source| StreamError::Input { path: self.path.clone(), source };
                self.lines.next_line().map_err(failed)
            }
        }
    }
}

fn hash_of(line: &Result<Vec<u8>, SkipReason>) -> u64 {
    line.as_ref().map_or(0, |line| line_hash(line))
}

/// Returns a hash of a line, ignoring its line ending.
pub(super) fn line_hash(line: &[u8]) -> u64 {
    hash::of_bytes(line.trim_ascii_end())
}
