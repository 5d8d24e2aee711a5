//! The lines of an input that were not taken before.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use pagekin_core::hash;
use pagekin_pages::input::gunzip::{GZIP, Gunzip};
use pagekin_pages::input::jsonl;
use pagekin_pages::{Input, SkipReason};

use crate::stream::error::StreamError;
use crate::stream::journal::Position;

/// The lines of an input that were not taken before.
pub(super) struct NewLines {
    path: PathBuf,
    lines: jsonl::Lines,
    /// A hash of the first one.
    pub(super) first_line: u64,
    /// How many were passed over.
    pub(super) passed_over: u64,
    /// The first line, if it is still to be given.
    first: Option<Result<Vec<u8>, SkipReason>>,
}

impl NewLines {
    /// Passes over those up to `position` if the input begins with the same line.
    pub(super) fn open(
        input: &Input,
        most: u64,
        position: Option<&Position>,
    ) -> Result<Self, StreamError> {
        let path = input.path();
        let failed = |source| StreamError::Input { path: path.clone(), source };
        let bytes: Box<dyn io::Read> = match input {
            Input::Path(path) => Box::new(File::open(path).map_err(failed)?),
            Input::Stdin => Box::new(io::stdin()),
        };
        let mut stream: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 16, bytes));
        // What has come so far: waiting for more would keep the first page waiting.
        let head = stream.fill_buf().map_err(failed)?;
        if head.starts_with(b"WARC/") {
            return Err(StreamError::NoLines { path, found: "a WARC file" });
        }
        if head.starts_with(&GZIP) {
            stream = Box::new(BufReader::new(Gunzip::new(stream)));
        }
        let mut lines = jsonl::Lines::new(stream, most);
        let first = lines.next_line().map_err(failed)?;
        let first_line = first.as_ref().map_or(0, hash_of);
        let mut this = Self { path, lines, first_line, passed_over: 0, first };
        match position {
            Some(position) if this.first.is_some() && position.first_line == first_line => {
                this.pass_over(position)?;
            }
            _ => {}
        }
        Ok(this)
    }

    /// Passes over lines that were taken before.
    fn pass_over(&mut self, position: &Position) -> Result<(), StreamError> {
        let other = |path: &Path, found: String| {
            let path = path.to_owned();
            Err(StreamError::OtherInput { path, lines: position.lines, found })
        };
        let mut last = 0;
        while self.passed_over < position.lines {
            match self.next()? {
                Some(line) => last = hash_of(&line),
                None => return other(&self.path, format!("{} lines", self.passed_over)),
            }
            self.passed_over += 1;
        }
        if last != position.last_line {
            return other(&self.path, format!("another line {}", position.lines));
        }
        Ok(())
    }

    /// The number of the line that was given last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.lines.number()
    }

    /// The name of a line in messages.
    pub(super) fn name(&self, number: u64) -> String {
        format!("line {number} of {}", self.path.display())
    }

    /// The next line, if there is one.
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

/// A line in few bytes. Whether it ends with the file or before does not count.
pub(super) fn line_hash(line: &[u8]) -> u64 {
    hash::of_bytes(line.trim_ascii_end())
}
