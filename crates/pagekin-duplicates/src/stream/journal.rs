//! Stores on disk what a stream has processed: each page of the last horizon, with the positions in
//! input and output after it.
//!
//! A checkpoint is a folder with `stream.json`, which contains its version and options, and one
//! file `pages-N` for each span of pages that are removed together. A file starts with [`MAGIC`]. A
//! record is its length, a checksum of the length, a checksum of the payload (all little-endian),
//! and a [`Record`] in postcard. A page is written with a single call after its pairs. So whenever
//! the process is killed, all records are complete except perhaps the last, whose page then counts
//! as not processed. The pairs of that page are removed from the output by its length in the last
//! record.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use pagekin_core::hash;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::write_file;
use serde::{Deserialize, Serialize};

use crate::stream::error::StreamError;
use crate::stream::output::OutputPlace;

/// The version of the format.
pub(super) const VERSION: u32 = 1;

const OPTIONS_NAME: &str = "stream.json";
const LOCK_NAME: &str = ".lock";
/// Upper bound of the numbers of files.
const MAX_FILES: u64 = 10_000_000_000;
const MAGIC: &[u8; 8] = b"pkstrm2\n";
/// Maximum length of a record: a page contains at most a few million words.
const MAX_BYTES: u32 = 1 << 28;
const HEAD_BYTES: usize = 16;
/// Maximum length of the file of options.
const MAX_OPTIONS: u64 = 1 << 16;

/// The options that must be the same when a stream is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Options {
    pub(super) version: u32,
    /// In milliseconds.
    pub(super) horizon: i64,
    pub(super) min: f64,
    pub(super) late: i64,
    pub(super) lang: String,
}

impl Options {
    fn describe(&self) -> String {
        let Self { horizon, min, late, lang, .. } = self;
        format!("--horizon {horizon}ms --threshold {min} --allowed-lateness {late}ms --lang {lang}")
    }
}

/// The position of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// A hash of the first line of the input, to recognize the same input.
    pub(super) first_line: u64,
    /// The number of processed lines, and a hash of the last one.
    pub(super) lines: u64,
    pub(super) last_line: u64,
    /// The end of the output, if it is a file.
    pub(super) output: Option<OutputPlace>,
}

/// A processed page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) position: Position,
    pub(super) url: String,
    pub(super) time: i64,
    /// Whether its line contains the time.
    pub(super) is_timed: bool,
    pub(super) terms: Vec<(TermId, u16)>,
}

/// An open checkpoint.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    /// The numbers of the files, and for each the number of the page after its last one.
    files: VecDeque<(u64, u64)>,
    last: Option<File>,
    /// The number of the first page of the last file.
    began: u64,
    buffer: Vec<u8>,
    _lock: File,
}

impl Journal {
    /// Opens or creates a checkpoint. Passes each page in it to `each`, which returns the number of
    /// pages so far.
    pub(super) fn open(
        folder: &Path,
        options: &Options,
        mut each: impl FnMut(Record) -> u64,
    ) -> Result<Self, StreamError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| StreamError::Checkpoint { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        check_folder(folder).map_err(failed(folder))?.map_or(Ok(()), |found| {
            Err(StreamError::NoCheckpoint { path: folder.to_owned(), found })
        })?;
        let path = folder.join(LOCK_NAME);
        let lock = open(&path, File::options().write(true).create(true).truncate(false))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(StreamError::InUse { path: folder.to_owned() });
            }
            // If locks are not supported, nothing prevents a second process; the documentation
            // warns of it.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        check_options(folder, options)?;
        let mut numbers = files_in(folder).map_err(failed(folder))?;
        numbers.sort_unstable();
        let (mut files, mut pages) = (VecDeque::new(), 0);
        for (at, &number) in numbers.iter().enumerate() {
            let path = folder.join(name(number));
            let is_last = at + 1 == numbers.len();
            let file = open(&path, File::options().read(true).write(is_last))?;
            let whole = read(&file, &path, |record| pages = each(record))?;
            let length = file.metadata().map_err(failed(&path))?.len();
            if whole < length {
                if !is_last {
                    let found = "a truncated record";
                    return Err(StreamError::Damaged { path, found });
                }
                file.set_len(whole).map_err(failed(&path))?;
            }
            files.push_back((number, pages));
        }
        // New pages go to a new file.
        let folder = folder.to_owned();
        Ok(Self { folder, files, last: None, began: 0, buffer: Vec::new(), _lock: lock })
    }

    /// Writes a page with number `page`, which is removed together with the pages from `span` on.
    /// Removes files that contain only pages before `first`.
    pub(super) fn write(
        &mut self,
        record: &Record,
        page: u64,
        span: u64,
        first: u64,
    ) -> Result<(), StreamError> {
        let failed = |source| StreamError::Checkpoint { path: self.folder.clone(), source };
        if self.last.is_none() || span > self.began {
            let number = self.files.back().map_or(1, |(number, _)| number + 1);
            let path = self.folder.join(name(number));
            let mut file = File::create_new(&path).map_err(failed)?;
            file.write_all(MAGIC).map_err(failed)?;
            self.last = Some(file);
            self.began = page;
            self.files.push_back((number, page));
        }
        self.buffer.clear();
        frame(record, &mut self.buffer).map_err(failed)?;
        if let Some(file) = &mut self.last {
            file.write_all(&self.buffer).map_err(failed)?;
        }
        if let Some((_, end)) = self.files.back_mut() {
            *end = page + 1;
        }
        while let Some(&(number, end)) = self.files.front()
            && self.files.len() > 1
            && end <= first
        {
            fs::remove_file(self.folder.join(name(number))).map_err(failed)?;
            self.files.pop_front();
        }
        Ok(())
    }
}

/// Opens a file of a checkpoint. Links, FIFOs and devices are refused: they are not followed,
/// waited for or truncated.
fn open(path: &Path, how: &mut OpenOptions) -> Result<File, StreamError> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        how.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    #[cfg(windows)]
    {
        // This opens the link itself, which is not a regular file.
        use std::os::windows::fs::OpenOptionsExt;
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        how.custom_flags(OPEN_REPARSE_POINT);
    }
    let is_other =
        || fs::symlink_metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let opened = how.open(path).and_then(|file| Ok((file.metadata()?.is_file(), file)));
    match opened {
        Ok((true, file)) => Ok(file),
        Ok((false, _)) => Err(StreamError::NoFile { path: path.to_owned() }),
        Err(_) if is_other() => Err(StreamError::NoFile { path: path.to_owned() }),
        Err(source) => Err(StreamError::Checkpoint { path: path.to_owned(), source }),
    }
}

fn name(number: u64) -> String {
    format!("pages-{number:010}")
}

/// Returns the numbers of the files of pages.
fn files_in(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?.file_name();
        let number = entry.to_str().and_then(|entry| entry.strip_prefix("pages-"));
        let number = number.and_then(|number| number.parse::<u64>().ok());
        numbers.extend(number.filter(|&number| number < MAX_FILES && *name(number) == *entry));
    }
    Ok(numbers)
}

/// Describes the contents of a folder that is neither empty nor a checkpoint.
fn check_folder(folder: &Path) -> io::Result<Option<String>> {
    if fs::symlink_metadata(folder.join(OPTIONS_NAME)).is_ok() {
        return Ok(None);
    }
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // Other names are from a process that was killed before it processed a page.
        if name != LOCK_NAME && !name.starts_with(".pagekin-") {
            return Ok(Some(format!("a folder that contains {name}")));
        }
    }
    Ok(None)
}

fn check_options(folder: &Path, options: &Options) -> Result<(), StreamError> {
    let path = folder.join(OPTIONS_NAME);
    let damaged = || StreamError::Damaged { path: path.clone(), found: "no valid options" };
    let mut text = Vec::new();
    match open(&path, File::options().read(true)) {
        Ok(file) => {
            let read = file.take(MAX_OPTIONS).read_to_end(&mut text);
            read.map_err(|source| StreamError::Checkpoint { path: path.clone(), source })?;
        }
        Err(StreamError::Checkpoint { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            let text = serde_json::to_vec(options).map_err(|_| damaged())?;
            return Ok(write_file(&path, &text)?);
        }
        Err(error) => return Err(error),
    }
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let Versioned { version } = serde_json::from_slice(&text).map_err(|_| damaged())?;
    if version != VERSION {
        let path = folder.to_owned();
        return Err(StreamError::OtherVersion { path, expected: VERSION, found: version });
    }
    let found: Options = serde_json::from_slice(&text).map_err(|_| damaged())?;
    if found != *options {
        let (expected, found) = (options.describe(), found.describe());
        return Err(StreamError::OtherOptions { path: folder.to_owned(), expected, found });
    }
    Ok(())
}

fn check_of(length: u32) -> u32 {
    hash::mix(u64::from(length) ^ hash::GOLDEN) as u32
}

/// Appends an encoded record.
fn frame(record: &Record, into: &mut Vec<u8>) -> io::Result<()> {
    let payload = postcard::to_stdvec(record).map_err(io::Error::other)?;
    frame_bytes(&payload, into)
}

fn frame_bytes(payload: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
    let length = u32::try_from(payload.len()).ok().filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a page has too many terms"))?;
    into.extend(length.to_le_bytes());
    into.extend(check_of(length).to_le_bytes());
    into.extend(hash::of_bytes(payload).to_le_bytes());
    into.extend(payload);
    Ok(())
}

/// Encodes a file of records with valid checksums.
///
/// # Errors
///
/// Returns an error if a record is too long.
pub fn sealed_journal(records: &[&[u8]]) -> io::Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    records.iter().try_for_each(|record| frame_bytes(record, &mut bytes))?;
    Ok(bytes)
}

/// Returns the number of bytes of a file up to the end of its last complete record, and these
/// records encoded again.
///
/// # Errors
///
/// Returns an error if the file is damaged.
pub fn rewritten_journal(bytes: &[u8]) -> Result<(u64, Vec<u8>), StreamError> {
    let mut again = MAGIC.to_vec();
    let mut result = Ok(());
    let whole = read(bytes, Path::new("pages"), |record| {
        if let Err(source) = frame(&record, &mut again) {
            result = Err(StreamError::Checkpoint { path: "pages".into(), source });
        }
    })?;
    result.map(|()| (whole, again))
}

/// Passes the records of a file to `each`. Returns the number of bytes up to the end of the last
/// complete record.
fn read(file: impl Read, path: &Path, mut each: impl FnMut(Record)) -> Result<u64, StreamError> {
    let failed = |source| StreamError::Checkpoint { path: path.to_owned(), source };
    let damaged = |found| StreamError::Damaged { path: path.to_owned(), found };
    let mut file = BufReader::new(file);
    let mut magic = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic).map_err(failed)?;
    if !MAGIC.starts_with(&magic) {
        return Err(damaged("another header"));
    }
    let mut whole = magic.len() as u64;
    let mut payload = Vec::new();
    loop {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(failed)?;
        let Ok(head) = <[u8; HEAD_BYTES]>::try_from(head) else { return Ok(whole) };
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let length = number(0);
        if number(4) != check_of(length) || length > MAX_BYTES {
            return Err(damaged("an invalid length"));
        }
        payload.clear();
        file.by_ref().take(u64::from(length)).read_to_end(&mut payload).map_err(failed)?;
        if payload.len() < length as usize {
            return Ok(whole);
        }
        if hash::of_bytes(&payload).to_le_bytes() != head[8..] {
            return Err(damaged("a wrong checksum"));
        }
        let record: Record =
            postcard::from_bytes(&payload).map_err(|_| damaged("an unreadable record"))?;
        if !record.terms.is_sorted_by(|a, b| a.0 < b.0)
            || record.terms.iter().any(|&(_, weight)| weight == 0)
        {
            return Err(damaged("invalid terms"));
        }
        each(record);
        whole += HEAD_BYTES as u64 + u64::from(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(url: String, terms: Vec<u32>) -> Record {
        let output = Some(OutputPlace::default());
        let position = Position { first_line: 1, lines: 2, last_line: 3, output };
        let mut terms: Vec<_> = terms.into_iter().map(|term| (term, 256)).collect();
        terms.sort_unstable();
        terms.dedup();
        Record { position, url, time: -5, is_timed: true, terms }
    }

    fn read_bytes(bytes: &[u8]) -> Result<(Vec<Record>, u64), StreamError> {
        let mut records = Vec::new();
        let whole = read(bytes, Path::new("pages"), |record| records.push(record))?;
        Ok((records, whole))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn truncated_records_are_dropped_and_changed_ones_detected(
            made in proptest::collection::vec(("[a-z]{0,9}", any::<Vec<u32>>()), 1..5),
            cut in any::<proptest::sample::Index>(),
            changed in any::<proptest::sample::Index>(),
            bit in 0..8,
        ) {
            let records: Vec<_> = made.into_iter().map(|(url, terms)| record(url, terms)).collect();
            let mut bytes = MAGIC.to_vec();
            let mut ends = vec![bytes.len()];
            for record in &records {
                frame(record, &mut bytes).unwrap();
                ends.push(bytes.len());
            }
            prop_assert_eq!(read_bytes(&bytes).unwrap(), (records.clone(), bytes.len() as u64));
            let at = cut.index(bytes.len());
            let (found, whole) = read_bytes(&bytes[..at]).unwrap();
            let expected = ends.iter().filter(|&&end| end <= at).count().saturating_sub(1);
            prop_assert_eq!(&found[..], &records[..expected]);
            prop_assert_eq!(whole, if at < ends[0] { at as u64 } else { ends[expected] as u64 });
            let at = changed.index(bytes.len());
            bytes[at] ^= 1u8 << bit;
            prop_assert!(read_bytes(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read_bytes(&bytes);
            let _ = read_bytes(&[&MAGIC[..], &bytes].concat());
        }
    }

    fn options() -> Options {
        let lang = "en".to_owned();
        Options { version: VERSION, horizon: 9, min: 0.5, late: 1, lang }
    }

    /// Opens a checkpoint. Also returns the URLs of its records.
    fn open_journal(folder: &Path) -> Result<(Journal, Vec<String>), StreamError> {
        let mut urls = Vec::new();
        let journal = Journal::open(folder, &options(), |record| {
            urls.push(record.url);
            urls.len() as u64
        })?;
        Ok((journal, urls))
    }

    fn files(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_checkpoint_contains_all_pages_from_the_first_needed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("new/checkpoint");
        let (mut journal, urls) = open_journal(&folder).unwrap();
        assert_eq!(urls, [""; 0]);
        let of = |url: &str| record(url.to_owned(), vec![1, 2]);
        // Pages 0 and 1 are removed together, and so are 2 and 3.
        for (page, span) in [(0, 0), (1, 0), (2, 2), (3, 2)] {
            journal.write(&of(&page.to_string()), page, span, 0).unwrap();
        }
        let all = [".lock", "pages-0000000001", "pages-0000000002", "stream.json"];
        assert_eq!(files(&folder), all);
        assert!(matches!(open_journal(&folder), Err(StreamError::InUse { .. })));
        drop(journal);
        let (mut journal, urls) = open_journal(&folder).unwrap();
        assert_eq!(urls, ["0", "1", "2", "3"]);
        // A file is removed with its last page, not earlier.
        journal.write(&of("4"), 4, 2, 1).unwrap();
        assert_eq!(
            files(&folder)[1..4],
            ["pages-0000000001", "pages-0000000002", "pages-0000000003"]
        );
        journal.write(&of("5"), 5, 2, 2).unwrap();
        assert_eq!(files(&folder)[1..3], ["pages-0000000002", "pages-0000000003"]);
        journal.write(&of("6"), 6, 6, 4).unwrap();
        assert_eq!(files(&folder)[1..3], ["pages-0000000003", "pages-0000000004"]);
        // The last file is never removed.
        journal.write(&of("7"), 7, 6, 100).unwrap();
        assert_eq!(files(&folder)[1..], ["pages-0000000004", "stream.json"]);
        drop(journal);
        assert_eq!(open_journal(&folder).unwrap().1, ["6", "7"]);
    }

    #[test]
    fn only_the_last_file_may_end_with_a_truncated_record() {
        let place = tempfile::tempdir().unwrap();
        let (mut journal, _) = open_journal(place.path()).unwrap();
        for page in 0..2 {
            journal.write(&record(page.to_string(), vec![1]), page, page, 0).unwrap();
        }
        drop(journal);
        // Files with other names are ignored.
        fs::write(place.path().join("pages-3"), "x").unwrap();
        fs::write(place.path().join("pages-99999999999"), "x").unwrap();
        let path = |number| place.path().join(name(number));
        let whole = fs::read(path(2)).unwrap();
        fs::write(path(2), [&whole[..], &whole[8..20]].concat()).unwrap();
        assert_eq!(open_journal(place.path()).unwrap().1, ["0", "1"]);
        assert_eq!(fs::read(path(2)).unwrap(), whole);
        fs::write(path(1), &fs::read(path(1)).unwrap()[..20]).unwrap();
        let error = open_journal(place.path()).unwrap_err();
        assert!(
            matches!(&error, StreamError::Damaged { path: of, .. } if *of == path(1)),
            "{error}"
        );
    }

    #[test]
    fn only_a_checkpoint_with_the_same_options_is_resumed() {
        let place = tempfile::tempdir().unwrap();
        drop(open_journal(place.path()).unwrap());
        let path = place.path().join(OPTIONS_NAME);
        let text = fs::read_to_string(&path).unwrap();
        let with = |from: &str, to: &str| {
            fs::write(&path, text.replace(from, to)).unwrap();
            open_journal(place.path()).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(with("x", "x"), Ok(()));
        let refused = |from: &str, to: &str, part: &str| {
            let error = with(from, to).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        refused("\"version\":1", "\"version\":3", "version");
        refused(
            "\"horizon\":9",
            "\"horizon\":8",
            "--horizon 8ms --threshold 0.5 --allowed-lateness 1ms --lang en",
        );
        refused(
            "\"late\":1",
            "\"late\":2",
            "--horizon 9ms --threshold 0.5 --allowed-lateness 1ms --lang en",
        );
        refused("{", "[", "no valid options");
        refused("\"lang\"", "\"tongue\"", "no valid options");
        fs::remove_file(&path).unwrap();
        assert!(open_journal(place.path()).is_ok(), "killed before it wrote its options");
        fs::remove_file(&path).unwrap();
        fs::write(place.path().join(".pagekin-1"), "").unwrap();
        assert!(open_journal(place.path()).is_ok());
        fs::remove_file(&path).unwrap();
        fs::write(place.path().join("diary"), "").unwrap();
        let error = open_journal(place.path()).unwrap_err().to_string();
        assert!(error.contains("a folder that contains diary"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_are_not_opened_as_files() {
        let place = tempfile::tempdir().unwrap();
        let other = place.path().join("other");
        fs::write(&other, "x").unwrap();
        for name in [OPTIONS_NAME, LOCK_NAME] {
            let folder = place.path().join(format!("of {name}"));
            fs::create_dir(&folder).unwrap();
            std::os::unix::fs::symlink(&other, folder.join(name)).unwrap();
            let error = open_journal(&folder).unwrap_err();
            assert!(
                matches!(&error, StreamError::NoFile { path } if path.ends_with(name)),
                "{error}"
            );
        }
        let folder = place.path().join("folder");
        fs::create_dir_all(folder.join(LOCK_NAME)).unwrap();
        assert!(open_journal(&folder).is_err());
        assert_eq!(fs::read_to_string(other).unwrap(), "x");
    }

    #[test]
    fn complete_records_are_rewritten_unchanged() {
        let records = ["a", "b"].map(|url| record(url.to_owned(), vec![5, 7]));
        let payloads = records.map(|record| postcard::to_stdvec(&record).unwrap());
        let bytes = sealed_journal(&[&payloads[0], &payloads[1]]).unwrap();
        let length = bytes.len() as u64;
        assert_eq!(rewritten_journal(&bytes).unwrap(), (length, bytes.clone()));
        let first = bytes.len() - payloads[1].len() - HEAD_BYTES;
        let cut = rewritten_journal(&bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(cut, (first as u64, bytes[..first].to_vec()));
        assert!(rewritten_journal(b"another").is_err());
        // Terms must be ascending, with positive weights.
        for terms in [vec![(2, 256), (1, 256)], vec![(1, 256), (1, 256)], vec![(1, 0)]] {
            let record = Record { terms, ..record("a".to_owned(), Vec::new()) };
            let payload = postcard::to_stdvec(&record).unwrap();
            assert!(rewritten_journal(&sealed_journal(&[&payload]).unwrap()).is_err());
        }
    }
}
