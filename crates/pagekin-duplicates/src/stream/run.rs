//! The lines of an input into pairs, as they come.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pagekin_core::hash;
use pagekin_pages::input::gunzip::{GZIP, Gunzip};
use pagekin_pages::input::jsonl;
use pagekin_pages::{CrawlPage, CrawlSkip, Input, InputOptions, Observer, SkippedPages};

use crate::stream::error::StreamError;
use crate::stream::journal::{Journal, Options, Position, Record, VERSION};
use crate::stream::published;
use crate::stream::rule::Rule;
use crate::stream::terms::{PageTerms, stop_lists};
use crate::stream::vector::Vector;
use crate::stream::watch::Watch;

/// How a stream is followed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamOptions {
    /// What makes a pair.
    pub rule: Rule,
    /// The language of pages that name none.
    pub lang: String,
    /// Longer lines are skipped.
    pub max_page_bytes: u64,
    /// About the bytes that pages may take; if those of a horizon take more, the oldest are let go.
    pub memory: u64,
    /// Whether a page is compared with earlier versions of itself.
    pub same_url: bool,
    /// The folder to go on from.
    pub checkpoint: Option<PathBuf>,
    /// The file to write pairs to, instead of what is given.
    pub output: Option<PathBuf>,
}

impl StreamOptions {
    /// Those by default.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            lang: "en".to_owned(),
            max_page_bytes: InputOptions::default().max_page_bytes,
            memory: 2 << 30,
            same_url: false,
            checkpoint: None,
            output: None,
        }
    }

    /// These options with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Why a line is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StreamSkip {
    /// Its time is none.
    NoTime,
    /// Its time is more than a day ahead.
    Future,
    /// It comes too late.
    TooLate,
    /// It has no words that count.
    NoWords,
    /// It is no page.
    NoPage(CrawlSkip),
}

impl fmt::Display for StreamSkip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPage(reason) => return reason.fmt(f),
            Self::NoTime => {
                "have a `published` or `time` that is neither RFC 3339, such as 2026-11-23T10:00:00Z, nor Unix seconds"
            }
            Self::Future => "have a time more than a day ahead of the clock",
            Self::TooLate => "come too late: they are older than the latest page by more than --late",
            Self::NoWords => "have no indexable words",
        })
    }
}

/// What became of a stream.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StreamSummary {
    /// Pages that the checkpoint had, of the last horizon.
    pub resumed: u64,
    /// Lines that had been taken before.
    pub lines_before: u64,
    /// Pages that were taken.
    pub pages: u64,
    /// Pairs that were told.
    pub pairs: u64,
    /// What was skipped, by reason.
    pub skipped: BTreeMap<StreamSkip, SkippedPages>,
    /// Pages that were let go before they were older than the horizon.
    pub let_go: u64,
}

/// Lines that are skipped for one reason are told of one by one up to so many.
const TOLD: u64 = 5;
/// A time that is further ahead is a mistake, and would end the horizon of all pages before it.
const AHEAD: i64 = 86_400_000;
/// Memory is looked at after so many pages.
const LOOK_EVERY: u64 = 256;

/// Reads `input` to its end and writes the pairs of each page to `into`, unless the options name a
/// file, before the next line is read.
///
/// With a checkpoint a stream goes on where it was: lines that were taken are passed over if the
/// input begins with the same line as before, and pairs that were written by a page that was not
/// taken in the end are cut off the file.
///
/// # Errors
///
/// If the input cannot be read, pairs or checkpoint not be written, or the checkpoint is another's
/// or damaged.
pub fn follow(
    input: &Input,
    options: &StreamOptions,
    into: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<StreamSummary, StreamError> {
    let stop = stop_lists();
    let mut terms = PageTerms::new(&options.lang, &stop)?;
    let mut watch = Watch::new(options.rule.clone(), options.same_url);
    let mut summary = StreamSummary::default();
    let mut position = None;
    let mut journal = match &options.checkpoint {
        None => None,
        Some(folder) => Some(Journal::open(folder, &kept(options), |record| {
            // What was taken then is not late now.
            let _ = watch.take(&record.url, &Vector::of_weights(record.terms), record.time);
            position = Some(record.position);
            watch.pages()
        })?),
    };
    summary.resumed = watch.pages() - watch.first();
    let mut output = Output::open(options.output.as_deref(), position.as_ref(), into)?;
    let path = input.path();
    let mut lines = Lines::open(input, options.max_page_bytes, position.as_ref())?;
    summary.lines_before = lines.passed_over;
    let mut text = Vec::new();
    while let Some(line) = lines.next(&path)? {
        let number = lines.lines.number();
        let taken = line
            .map_err(StreamSkip::NoPage)
            .and_then(|line| take(&line, options, &mut terms, &mut watch, &mut text));
        let Taken { url, vector, time, pairs, last_line } = match taken {
            Ok(Some(taken)) => taken,
            Ok(None) => continue,
            Err(reason) => {
                skip(&mut summary, reason, &path, number, observer);
                continue;
            }
        };
        summary.pages += 1;
        summary.pairs += pairs;
        output.write(&text)?;
        if let Some(journal) = &mut journal {
            let first_line = lines.first_line;
            let position =
                Position { first_line, lines: number, last_line, output: output.length() };
            let record = Record { position, url, time, terms: vector.terms().to_vec() };
            let page = watch.pages() - 1;
            journal.write(&record, page, watch.first_of_span(), watch.first())?;
        }
        if summary.pages.is_multiple_of(LOOK_EVERY) {
            bound_memory(&mut watch, options.memory, &mut summary, observer);
        }
    }
    Ok(summary)
}

/// The page of a line that was taken.
struct Taken {
    url: String,
    vector: Vector,
    time: i64,
    /// How many pairs it makes.
    pairs: u64,
    /// The line, in few bytes.
    last_line: u64,
}

/// Takes the page of a line, if it is not blank, and sets `text` to the lines of its pairs.
fn take(
    line: &[u8],
    options: &StreamOptions,
    terms: &mut PageTerms<'_>,
    watch: &mut Watch,
    text: &mut Vec<u8>,
) -> Result<Option<Taken>, StreamSkip> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let (page, time) = read(line, options)?;
    let vector = Vector::of_counts(&terms.count(&page));
    if vector.terms().is_empty() {
        return Err(StreamSkip::NoWords);
    }
    text.clear();
    let repeats = watch.push(&page.url, &vector, time).map_err(|_| StreamSkip::TooLate)?;
    for repeat in &repeats {
        // Numbers and texts are always JSON.
        let _ = serde_json::to_writer(&mut *text, repeat);
        text.push(b'\n');
    }
    let (pairs, last_line) = (repeats.len() as u64, hash::of_bytes(line));
    Ok(Some(Taken { url: page.url, vector, time, pairs, last_line }))
}

/// Lets the oldest pages go if all take more than so many bytes.
fn bound_memory(
    watch: &mut Watch,
    memory: u64,
    summary: &mut StreamSummary,
    observer: &dyn Observer,
) {
    if let Some((pages, _)) = watch.bound(memory) {
        if summary.let_go == 0 {
            observer.warn(
                "the pages of a horizon take more than --memory: the oldest are let go earlier, and pairs with them are not \
                 found. Raise --memory or shorten --horizon",
            );
        }
        summary.let_go += pages;
    }
}

/// The options that a checkpoint keeps.
fn kept(options: &StreamOptions) -> Options {
    Options {
        version: VERSION,
        horizon: options.rule.horizon(),
        min: options.rule.min(),
        late: options.rule.late(),
        lang: options.lang.clone(),
    }
}

/// The page of a line, with its time.
fn read(line: &[u8], options: &StreamOptions) -> Result<(CrawlPage, i64), StreamSkip> {
    let inputs =
        InputOptions::default().with(|inputs| inputs.max_page_bytes = options.max_page_bytes);
    let page = jsonl::page(line, &inputs).map_err(StreamSkip::NoPage)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as i64);
    let time = published::time_of(line).map_err(|_| StreamSkip::NoTime)?.unwrap_or(now);
    if time > now.saturating_add(AHEAD) { Err(StreamSkip::Future) } else { Ok((page, time)) }
}

fn skip(
    summary: &mut StreamSummary,
    reason: StreamSkip,
    path: &Path,
    number: u64,
    observer: &dyn Observer,
) {
    let name = format!("line {number} of {}", path.display());
    let first = name.clone();
    let skipped = summary.skipped.entry(reason).or_insert(SkippedPages { count: 0, first });
    skipped.count += 1;
    if skipped.count <= TOLD {
        let more = if skipped.count == TOLD { "; more of these are only counted" } else { "" };
        observer.warn(&format!("skipped {name}, as it is one of those that {reason}{more}"));
    }
}

/// The lines of an input that were not taken before.
struct Lines {
    lines: jsonl::Lines,
    first_line: u64,
    passed_over: u64,
    /// The first line, if it is still to be given.
    first: Option<Result<Vec<u8>, CrawlSkip>>,
}

impl Lines {
    fn open(input: &Input, most: u64, position: Option<&Position>) -> Result<Self, StreamError> {
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
        let Some(first) = lines.next_line().map_err(failed)? else {
            let first = None;
            return Ok(Self { lines, first_line: 0, passed_over: 0, first });
        };
        let mut this = Self { lines, first_line: hash_of(&first), passed_over: 0, first: None };
        match position {
            Some(position) if position.first_line == this.first_line => {
                this.pass_over(first, position, &path)?;
            }
            _ => this.first = Some(first),
        }
        Ok(this)
    }

    /// Passes over lines that were taken before.
    fn pass_over(
        &mut self,
        first: Result<Vec<u8>, CrawlSkip>,
        position: &Position,
        path: &Path,
    ) -> Result<(), StreamError> {
        let other = |found: String| {
            let path = path.to_owned();
            Err(StreamError::OtherInput { path, lines: position.lines, found })
        };
        let mut last = first;
        while self.lines.number() < position.lines {
            match self.next(path)? {
                Some(line) => last = line,
                None => return other(format!("{} lines", self.lines.number())),
            }
        }
        if hash_of(&last) != position.last_line {
            return other(format!("another line {}", position.lines));
        }
        self.passed_over = position.lines;
        Ok(())
    }

    fn next(&mut self, path: &Path) -> Result<Option<Result<Vec<u8>, CrawlSkip>>, StreamError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => {
                let failed = |source| StreamError::Input { path: path.to_owned(), source };
                self.lines.next_line().map_err(failed)
            }
        }
    }
}

fn hash_of(line: &Result<Vec<u8>, CrawlSkip>) -> u64 {
    line.as_ref().map_or(0, |line| hash::of_bytes(line))
}

/// Where pairs go.
enum Output<'a> {
    Given(&'a mut dyn Write),
    File(File, u64),
}

impl<'a> Output<'a> {
    fn open(
        path: Option<&Path>,
        position: Option<&Position>,
        into: &'a mut dyn Write,
    ) -> Result<Self, StreamError> {
        let Some(path) = path else { return Ok(Self::Given(into)) };
        let failed = |source| StreamError::OutputFile { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).truncate(false).write(true).open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        let expected = position.and_then(|position| position.output);
        match expected {
            None if found > 0 && position.is_none_or(|position| position.output.is_none()) => {
                return Err(StreamError::OutputTaken { path: path.to_owned() });
            }
            Some(expected) if found < expected => {
                return Err(StreamError::OutputShort { path: path.to_owned(), expected, found });
            }
            _ => {}
        }
        let length = expected.unwrap_or(0);
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self::File(file, length))
    }

    fn write(&mut self, text: &[u8]) -> Result<(), StreamError> {
        if text.is_empty() {
            return Ok(());
        }
        let written = match self {
            Self::Given(into) => into.write_all(text).and_then(|()| into.flush()),
            Self::File(file, length) => {
                *length += text.len() as u64;
                file.write_all(text)
            }
        };
        written.map_err(|source| StreamError::Output { source })
    }

    /// Of the file.
    fn length(&self) -> Option<u64> {
        match self {
            Self::Given(_) => None,
            Self::File(_, length) => Some(*length),
        }
    }
}
