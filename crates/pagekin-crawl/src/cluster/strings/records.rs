//! Reads strings with their names from FASTA and FASTQ, recognized by their first byte, and from
//! lines.
//!
//! | input | string | name |
//! | --- | --- | --- |
//! | FASTA, `>` | the lines of a record | the first word after `>` |
//! | FASTQ, `@` | the second of four lines | the first word after `@` |
//! | lines of DNA | a line | `line N` |
//! | FASTA of other letters, as text | the lines of a record | the first word after `>` |
//! | text | a line, each once | the line itself |
//!
//! The second read with the same name is named `NAME#2`. Files may be compressed with gzip. Records
//! are read one at a time, each with a maximum size, so that memory does not depend on the size of
//! a file. Damaged files are errors, because nobody would notice a missing read.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use pagekin_core::qgrams::{Alphabet, is_iupac};
use pagekin_pages::input::gunzip::{GZIP, Gunzip};
use pagekin_pages::input::open;
use pagekin_pages::input::open::Stream;
use pagekin_pages::{Input, InputError, InputSummary, SkipReason};
use rustc_hash::FxHashMap;
use seq_io::policy::DoubleUntilLimited;
use seq_io::{fasta, fastq};

use crate::cluster::error::CrawlError;
use crate::folder::format::url_key;

/// Bytes that are read at a time.
const BUFFER_BYTES: usize = 256 << 10;
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Number of bytes used to distinguish FASTA from lines of text.
const HEAD_BYTES: usize = 4 << 10;
/// Maximum size up to which a buffer is doubled.
const DOUBLED: usize = 8 << 20;

/// A string with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedString<'a> {
    pub(crate) name: &'a str,
    /// Empty if it equals the name.
    pub(crate) string: &'a str,
}

/// Takes strings one at a time.
pub(crate) type Each<'a> = dyn FnMut(NamedString<'_>) -> Result<(), CrawlError> + 'a;

/// Reads strings from inputs.
pub(crate) struct Records {
    alphabet: Alphabet,
    /// Maximum size of a record in bytes.
    max: u64,
    summary: InputSummary,
    /// Number of reads with each name so far.
    names: FxHashMap<u64, u32>,
}

/// The position of a record in an input.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    /// Number of the unit, from 1.
    number: u64,
    unit: &'static str,
}

impl Place<'_> {
    fn refuse(self, expected: &'static str, found: String) -> CrawlError {
        let Self { path, number, unit } = self;
        CrawlError::Record {
            path: path.to_owned(),
            place: format!("{unit} {number}"),
            expected,
            found,
        }
    }
}

const DNA: &str = "a read of the letters A, C, G, T, U, N or another of IUPAC's. For other strings, pass --alphabet text";
const SEQUENCE: &str = "a sequence of letters, * and -, as the records before have. For lines that start with >, put another line first";
const FITTING: &str =
    "a record within --max-page-bytes. Pass a larger size, or cut long sequences into reads";

impl Records {
    pub(crate) fn new(alphabet: Alphabet, max: u64) -> Self {
        Self { alphabet, max, summary: InputSummary::default(), names: FxHashMap::default() }
    }

    /// Returns the summary after checking that all records are accounted for.
    pub(crate) fn finish(self) -> Result<InputSummary, CrawlError> {
        self.summary.ledger.check().map_err(InputError::from)?;
        Ok(self.summary)
    }

    /// Passes the strings of an input to `each`.
    pub(crate) fn read(&mut self, input: &Input, each: &mut Each<'_>) -> Result<(), CrawlError> {
        let path = &input.path();
        let Some(stream) = open::raw(input, &Rc::new(Cell::new(0)))? else {
            let (place, expected) = ("a folder".to_owned(), "a file of strings. Pass its files");
            let (path, found) = (path.clone(), "a folder".to_owned());
            return Err(CrawlError::Record { path, place, expected, found });
        };
        self.read_stream(stream, path, each)
    }

    fn read_stream(
        &mut self,
        stream: Stream,
        path: &Path,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        let error = InputError::io(path);
        let mut stream = unpacked(stream).and_then(without_mark).map_err(&error)?;
        let mut lines = 0;
        // Skips white space before the first record, whatever the sizes of the reads.
        let first = loop {
            let bytes = stream.fill_buf().map_err(&error)?;
            let first = bytes.iter().position(|byte| !b" \t\r\n".contains(byte));
            let blank = first.unwrap_or(bytes.len());
            let byte = bytes.get(blank).copied();
            let is_end = bytes.is_empty();
            lines += bytes[..blank].iter().filter(|&&byte| byte == b'\n').count() as u64;
            stream.consume(blank);
            if byte.is_some() || is_end {
                break byte;
            }
        };
        match (self.alphabet, first) {
            (_, None) => Ok(()),
            (Alphabet::Text, Some(b'>')) => {
                let (head, rest) = split(stream, HEAD_BYTES).map_err(&error)?;
                let is_fasta = is_fasta(&head);
                let stream: Stream = Box::new(Cursor::new(head).chain(rest));
                match is_fasta {
                    true => self.fasta(stream, path, each),
                    false => self.lines(stream, path, lines, each),
                }
            }
            (Alphabet::Text, _) => self.lines(stream, path, lines, each),
            (Alphabet::Dna, Some(b'>')) => self.fasta(stream, path, each),
            (Alphabet::Dna, Some(b'@')) => self.fastq(stream, path, each),
            (Alphabet::Dna, Some(first)) if is_iupac(first) => {
                self.lines(stream, path, lines, each)
            }
            (Alphabet::Dna, Some(first)) => {
                let place = Place { path, number: 1, unit: "line" };
                let found = format!("{:?}", char::from(first));
                Err(place.refuse(
                    "FASTA (starts with >), FASTQ (starts with @) or a read per line",
                    found,
                ))
            }
        }
    }

    fn policy(&self) -> DoubleUntilLimited {
        DoubleUntilLimited::new(DOUBLED, usize::try_from(self.max).unwrap_or(usize::MAX))
    }

    /// Returns the initial capacity of a buffer, which is within the bound too.
    fn capacity(&self) -> usize {
        BUFFER_BYTES.min(usize::try_from(self.max).unwrap_or(BUFFER_BYTES)).max(3)
    }

    fn fasta(
        &mut self,
        stream: Stream,
        path: &Path,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        let reader = fasta::Reader::with_capacity(stream, self.capacity());
        let mut reader = reader.set_policy(self.policy());
        let mut place = Place { path, number: 0, unit: "record" };
        while let Some(record) = reader.next() {
            place.number += 1;
            let record = record.map_err(|error| match error {
                fasta::Error::Io(error) => InputError::io(path)(error).into(),
                fasta::Error::BufferLimit => place.refuse(FITTING, "a longer one".to_owned()),
                fasta::Error::InvalidStart { .. } => {
                    place.refuse("a line that starts with >", error.to_string())
                }
            })?;
            let sequence = record.full_seq();
            self.named(fasta::Record::head(&record), &sequence, place, each)?;
        }
        Ok(())
    }

    fn fastq(
        &mut self,
        stream: Stream,
        path: &Path,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        let reader = fastq::Reader::with_capacity(stream, self.capacity());
        let mut reader = reader.set_policy(self.policy());
        let mut place = Place { path, number: 0, unit: "record" };
        while let Some(record) = reader.next() {
            place.number += 1;
            let record = record.map_err(|error| match error {
                fastq::Error::Io(error) => InputError::io(path)(error).into(),
                fastq::Error::BufferLimit => place.refuse(FITTING, "a longer one".to_owned()),
                error => {
                    let expected =
                        "four lines: @ and a name, the read, +, and as many qualities as letters";
                    place.refuse(expected, error.to_string())
                }
            })?;
            self.named(fastq::Record::head(&record), fastq::Record::seq(&record), place, each)?;
        }
        Ok(())
    }

    /// Reads one string per line, after `blank` blank lines.
    fn lines(
        &mut self,
        mut stream: Stream,
        path: &Path,
        blank: u64,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        let error = InputError::io(path);
        let mut place = Place { path, number: blank, unit: "line" };
        let mut line = Vec::new();
        loop {
            line.clear();
            let max = self.max.saturating_add(1);
            if stream.by_ref().take(max).read_until(b'\n', &mut line).map_err(&error)? == 0 {
                return Ok(());
            }
            place.number += 1;
            if !line.ends_with(b"\n") && line.len() as u64 > self.max {
                return Err(place.refuse(FITTING, "a longer one".to_owned()));
            }
            let bytes = line.trim_ascii();
            if bytes.is_empty() {
                continue;
            }
            self.summary.ledger.came_in += 1;
            if self.alphabet == Alphabet::Dna {
                let name = format!("line {}", place.number);
                self.sequence(&name, bytes, place, each)?;
                continue;
            }
            self.summary.bytes += line.len() as u64;
            match std::str::from_utf8(bytes) {
                Ok(name) => {
                    self.summary.ledger.pages += 1;
                    each(NamedString { name, string: "" })?;
                }
                Err(_) => {
                    let name = || format!("{}, line {}", path.display(), place.number);
                    self.summary.ledger.skip(SkipReason::NotText, name);
                }
            }
        }
    }

    /// Adds a read, or another sequence, with the line that names it.
    fn named(
        &mut self,
        head: &[u8],
        sequence: &[u8],
        place: Place<'_>,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        self.summary.ledger.came_in += 1;
        let head = String::from_utf8_lossy(head);
        let name = head.split_whitespace().next().unwrap_or("unnamed");
        self.sequence(name, sequence, place, each)
    }

    fn sequence(
        &mut self,
        name: &str,
        sequence: &[u8],
        place: Place<'_>,
        each: &mut Each<'_>,
    ) -> Result<(), CrawlError> {
        let is_invalid = |letter: &&u8| match self.alphabet {
            Alphabet::Dna => !is_iupac(**letter),
            Alphabet::Text => !is_of_sequence(**letter),
        };
        if let Some(letter) = sequence.iter().find(is_invalid) {
            let expected = if self.alphabet == Alphabet::Dna { DNA } else { SEQUENCE };
            return Err(place.refuse(expected, format!("{:?} in {name:?}", char::from(*letter))));
        }
        if sequence.is_empty() && self.alphabet == Alphabet::Text {
            self.summary.ledger.skip(SkipReason::Empty, || name.to_owned());
            return Ok(());
        }
        self.summary.ledger.pages += 1;
        self.summary.bytes += sequence.len() as u64;
        let string = std::str::from_utf8(sequence).unwrap_or_default();
        let name = &self.unique(name);
        each(NamedString { name, string })
    }

    /// Returns a unique name for the next read with this name.
    fn unique(&mut self, name: &str) -> String {
        let key = url_key(name);
        let mut number = self.names.get(&key).copied().unwrap_or(0) + 1;
        let mut own = name.to_owned();
        if number > 1 {
            // The file may contain another read named NAME#2.
            own = format!("{name}#{number}");
            while self.names.contains_key(&url_key(&own)) {
                number += 1;
                own = format!("{name}#{number}");
            }
            self.names.insert(url_key(&own), 1);
        }
        self.names.insert(key, number);
        own
    }
}

/// Reads the strings of bytes in memory with their names, for the fuzz targets. Reads `step` bytes
/// at a time and allows records of at most `max` bytes.
///
/// # Errors
///
/// If the input is damaged.
pub fn strings(
    bytes: &[u8],
    step: usize,
    alphabet: Alphabet,
    max: u64,
) -> Result<Vec<(String, String)>, CrawlError> {
    let stream = BufReader::with_capacity(step.max(1), Cursor::new(bytes.to_vec()));
    let (mut records, mut all) = (Records::new(alphabet, max), Vec::new());
    records.read_stream(
        Box::new(stream),
        Path::new("-"),
        &mut |NamedString { name, string }| {
            all.push((name.to_owned(), string.to_owned()));
            Ok(())
        },
    )?;
    Ok(all)
}

/// Returns whether a text that starts with `>` is FASTA: lines of capital letters after lines that
/// name records.
fn is_fasta(head: &[u8]) -> bool {
    let lines = || head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_sequence = |line: &[u8]| {
        !line.is_empty()
            && line.iter().all(|&byte| is_of_sequence(byte) && !byte.is_ascii_lowercase())
    };
    lines().nth(1).is_some_and(is_sequence)
        && lines().all(|line| line.is_empty() || line[0] == b'>' || is_sequence(line))
}

/// Returns whether a letter can be in a sequence: a letter of a protein, a stop or a gap.
fn is_of_sequence(letter: u8) -> bool {
    letter.is_ascii_alphabetic() || matches!(letter, b'*' | b'-')
}

/// Splits a stream after `bytes` bytes, or at its end.
fn split(mut stream: Stream, bytes: usize) -> io::Result<(Vec<u8>, Stream)> {
    let mut head = Vec::with_capacity(bytes);
    stream.by_ref().take(bytes as u64).read_to_end(&mut head)?;
    Ok((head, stream))
}

/// Decompresses a stream if it is gzip.
fn unpacked(stream: Stream) -> io::Result<Stream> {
    let (head, rest) = split(stream, GZIP.len())?;
    let is_packed = head == GZIP;
    let stream: Stream = Box::new(Cursor::new(head).chain(rest));
    Ok(if is_packed {
        Box::new(BufReader::with_capacity(BUFFER_BYTES, Gunzip::new(stream)))
    } else {
        stream
    })
}

/// Skips the byte order mark at the start of a text.
fn without_mark(stream: Stream) -> io::Result<Stream> {
    let (head, rest) = split(stream, MARK.len())?;
    Ok(if head == MARK { rest } else { Box::new(Cursor::new(head).chain(rest)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    const MAX_BYTES: u64 = 1_000;

    /// Reads the strings of a file with their names.
    fn read(alphabet: Alphabet, bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reads");
        std::fs::write(&path, bytes).unwrap();
        let mut records = Records::new(alphabet, MAX_BYTES);
        let mut all = Vec::new();
        let given = records.read(&Input::Path(path), &mut |NamedString { name, string }| {
            all.push((name.to_owned(), string.to_owned()));
            Ok(())
        });
        given.map_err(|error| error.to_string())?;
        assert_eq!(records.finish().unwrap().ledger.pages, all.len() as u64);
        Ok(all)
    }

    fn dna(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
        read(Alphabet::Dna, bytes)
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn named(all: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        Ok(all.iter().map(|(name, string)| ((*name).to_owned(), (*string).to_owned())).collect())
    }

    #[test]
    fn records_of_each_format_are_read_plain_and_compressed() {
        let fasta = b">a first read\nACGT\nNNac\n\n>b\r\nTTGA\r\n>empty\n>a\nGG\n";
        let expected = named(&[("a", "ACGTNNac"), ("b", "TTGA"), ("empty", ""), ("a#2", "GG")]);
        assert_eq!(dna(fasta), expected);
        assert_eq!(dna(&packed(fasta)), expected);
        // Several members, as written by bgzip and cat.
        assert_eq!(dna(&[packed(&fasta[..20]), packed(&fasta[20..])].concat()), expected);
        assert_eq!(dna(&[b"\n \n".as_slice(), fasta].concat()), expected);

        let fastq = b"@a/1 x\nACGT\n+\nII@I\n@b\nN\n+b\n>\n";
        assert_eq!(dna(fastq), named(&[("a/1", "ACGT"), ("b", "N")]));
        assert_eq!(dna(b"ACGT\n\n  TTGA"), named(&[("line 1", "ACGT"), ("line 3", "TTGA")]));
        assert_eq!(dna(b""), named(&[]));
        assert_eq!(dna(b"\n\n\n\n"), named(&[]));

        let text = "\u{feff}Rye loaf\n\nRye loaf\r\n>x\ngr\u{fc}n";
        let lines = named(&[("Rye loaf", ""), ("Rye loaf", ""), (">x", ""), ("grün", "")]);
        assert_eq!(read(Alphabet::Text, text.as_bytes()), lines);
        assert_eq!(read(Alphabet::Text, &packed(text.as_bytes())), lines);
        assert_eq!(read(Alphabet::Text, b"a\n\xff\xfe\nb"), named(&[("a", ""), ("b", "")]));
        // The byte order mark only counts as a whole and at the start.
        assert_eq!(dna(&[b"\xef\xbb\xbf\n".as_slice(), fasta].concat()), expected);
        assert_eq!(read(Alphabet::Text, b"\xef\xef\nb"), named(&[("b", "")]));
    }

    #[test]
    fn fasta_of_proteins_is_text_with_names_and_padding_is_ignored() {
        // Zeros up to the end of a block, as tapes and some storage systems add.
        assert_eq!(dna(&[packed(b">a\nAC\n"), vec![0; 700]].concat()), named(&[("a", "AC")]));
        let proteins = b">sp|P1 one\nMKWVTF\nISLL*\n>empty\n>sp|P1\nMK-WV\n";
        let expected = named(&[("sp|P1", "MKWVTFISLL*"), ("sp|P1#2", "MK-WV")]);
        assert_eq!(read(Alphabet::Text, proteins), expected);
        assert_eq!(read(Alphabet::Text, &packed(proteins)), expected);
        let quoted = b"> yes\nOK then\n";
        assert_eq!(read(Alphabet::Text, quoted), named(&[("> yes", ""), ("OK then", "")]));
    }

    #[test]
    fn equal_names_become_unique() {
        let names = |fasta: &[u8]| -> Vec<String> {
            dna(fasta).unwrap().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(b">a\nA\n>a\nA\n>a\nA\n"), ["a", "a#2", "a#3"]);
        assert_eq!(names(b">a#2\nA\n>a\nA\n>a\nA\n>a#2\nA\n"), ["a#2", "a", "a#3", "a#2#2"]);
        assert_eq!(names(b">\nA\n> x\nA\n"), ["unnamed", "x"]);
    }

    #[test]
    fn damaged_records_are_reported_with_their_position() {
        let long = [b">a\nA\n>b\n".as_slice(), &[b'A'; 2_000], b"\n"].concat();
        let whole = packed(b">a\nACGT\n>b\nACGT\n");
        let line = [b"ACGT\n".as_slice(), &[b'A'; 2_000]].concat();
        for (bytes, expected) in [
            (&b">a\nACGT\n>b\nAC-T\n"[..], &["record 2", "'-' in \"b\"", "--alphabet text"][..]),
            (b">a\nMKWVTFISLL\n", &["record 1", "IUPAC"]),
            (b"@a\nACGT\n+\nIII\n", &["record 1", "as many qualities"]),
            (b"@a\nACGT\n+\nIIII\n@b\nAC\n", &["record 2", "four lines"]),
            (b"@a\nACGT\n>b\nIIII\n", &["record 1", "four lines"]),
            (b"@a\nA\n+\nI\nACGT\n+\nIIII\n", &["record 2", "four lines"]),
            (b"log message\n", &["line 1", "FASTA (starts with >)"]),
            (b"{\"url\": 1}\n", &["line 1", "'{'"]),
            (b"ACGT\nACGT!\n", &["line 2", "'!'"]),
            (&long, &["record 2", "--max-page-bytes"]),
            (&line, &["line 2", "--max-page-bytes"]),
            (&whole[..whole.len() - 9], &["cannot read"]),
            (&[&whole[..], b"garbage"].concat(), &["cannot read"]),
        ] {
            let error = dna(bytes).unwrap_err();
            for part in expected {
                assert!(error.contains(part), "{error}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let mut records = Records::new(Alphabet::Dna, MAX_BYTES);
        let input = Input::Path(folder.path().to_owned());
        let error = records.read(&input, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("a file of strings"), "{error}");
    }
}
