//! Reads the pages of inputs in batches.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use std::{fs, io, thread};

use pagekin_core::hash;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::input::error::InputError;
use crate::input::html_folder::HtmlFolder;
use crate::input::open::{Kind, Source};
use crate::input::options::{Input, InputOptions};
use crate::input::page::CrawlPage;
use crate::input::revisits::Revisits;
use crate::input::summary::InputSummary;
use crate::input::templates::Templates;
use crate::input::{arc, html_folder, jsonl, open, wacz, warc};
use crate::ledger::SkipReason;
use crate::progress::Interrupted;
use crate::site::exclude::Exclude;
use crate::site::listing::HtmlFile;
use crate::site::normal_url;

/// Maximum number of bytes of a batch, plus one item that may be larger.
const BATCH_BYTES: u64 = 4 << 20;
/// Maximum number of files, lines, or records in a batch.
pub const BATCH_ITEMS: usize = 128;
/// Time without a batch after which the consumer is called, so that it can stop.
const SILENCE: Duration = Duration::from_millis(100);

/// Reads `inputs` one after the other and passes their pages to `each` in order, some hundreds at a
/// time.
///
/// While a batch is parsed, the next is read. At most three are in memory, each of at most 8 MiB
/// plus one page before parsing, and a few times that after parsing. `each` also receives the share
/// of all bytes read so far, above 0 and at most 1, or `None` when reading standard input, whose
/// length is unknown. While an input is silent, `each` is called periodically without pages, so
/// that it can stop.
///
/// # Errors
///
/// Returns an error if an input does not exist, has an unknown format or cannot be read, if the
/// base URL is invalid, or if `each` returns one. Earlier pages have been passed to `each` by then.
pub fn read<E: From<InputError>>(
    inputs: &[Input],
    options: &InputOptions,
    mut each: impl FnMut(Vec<CrawlPage>, Option<f64>) -> Result<(), E>,
) -> Result<InputSummary, E> {
    check(inputs, options)?;
    let (sender, batches) = sync_channel(1);
    let feeder = {
        let (inputs, options) = (inputs.to_vec(), options.clone());
        // Not a scoped thread: if `each` fails, nothing waits for further standard input.
        thread::spawn(move || feed(&inputs, &options, sender))
    };
    let mut summary = InputSummary::default();
    let mut captures = Captures::default();
    let mut templates = Templates::default();
    loop {
        let Batch { items, progress } = match batches.recv_timeout(SILENCE) {
            Ok(batch) => batch,
            Err(RecvTimeoutError::Timeout) => {
                each(Vec::new(), None)?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let mut parsed: Vec<_> = items.into_par_iter().map(|item| item.parse(options)).collect();
        templates.remove(parsed.iter_mut().filter_map(|one| one.page.as_mut().ok()), &mut summary);
        let mut pages = Vec::with_capacity(parsed.len());
        for parsed in parsed {
            summary.bytes += parsed.bytes;
            match parsed.page {
                Ok(page) => {
                    match page.folded().or_else(|| captures.skip_reason(&page.url)) {
                        None => summary.ledger.pages += 1,
                        Some(reason) => summary.ledger.skip(reason, || page.url.clone()),
                    }
                    summary.links += page.links.len() as u64;
                    if page.truncated.is_some() {
                        summary.truncate(parsed.name);
                    }
                    pages.push(page);
                }
                Err(reason) => summary.ledger.skip(reason, || parsed.name),
            }
        }
        if !pages.is_empty() {
            each(pages, progress)?;
        }
    }
    match feeder.join() {
        Ok(fed) => {
            summary.ledger.came_in = fed?;
            summary.ledger.check().map_err(InputError::from)?;
            Ok(summary)
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Checks early for errors that would otherwise occur late.
fn check(inputs: &[Input], options: &InputOptions) -> Result<(), InputError> {
    if inputs.is_empty() {
        return Err(InputError::NoInput);
    }
    if let Some(base_url) = &options.base_url
        && normal_url::normal(base_url).is_none()
    {
        return Err(InputError::BaseUrl { found: base_url.clone() });
    }
    for input in inputs {
        if let Input::Path(path) = input {
            fs::metadata(path).map_err(InputError::io(path))?;
        }
    }
    Ok(())
}

/// A part of an input that may be a page.
struct Item {
    /// The input or file, and the number of the line or record in it from 1.
    input: Arc<str>,
    number: u64,
    bytes: u64,
    content: Content,
}

enum Content {
    File(HtmlFile),
    Line(Vec<u8>),
    Record(warc::Record),
    Skipped(Unit, SkipReason),
}

/// Items that are parsed in parallel.
struct Batch {
    items: Vec<Item>,
    /// The share of all inputs read so far, if known.
    progress: Option<f64>,
}

/// Maximum number of URLs that are remembered, at about 16 bytes each. Repeated captures of further
/// URLs are not detected.
const MAX_CAPTURED: usize = 1 << 24;

/// The hashes of the URLs of pages.
#[derive(Default)]
struct Captures(FxHashSet<u64>);

impl Captures {
    /// Returns the reason to skip a page whose URL was captured before.
    fn skip_reason(&mut self, url: &str) -> Option<SkipReason> {
        let key = hash::of_bytes(url.as_bytes());
        if self.0.len() == MAX_CAPTURED && !self.0.contains(&key) {
            return None;
        }
        (!self.0.insert(key)).then_some(SkipReason::Capture)
    }
}

/// The unit of an input.
#[derive(Clone, Copy)]
enum Unit {
    File,
    Line,
    Record,
}

struct Parsed {
    bytes: u64,
    page: Result<CrawlPage, SkipReason>,
    /// Its name in messages, if it is skipped or truncated.
    name: String,
}

impl Item {
    fn parse(self, options: &InputOptions) -> Parsed {
        let mut bytes = self.bytes;
        let (unit, page) = match self.content {
            Content::File(file) => {
                let page = html_folder::page(&file, options, &mut bytes);
                return Parsed::new(bytes, page, || file.path.display().to_string());
            }
            Content::Line(line) => (Unit::Line, jsonl::page(&line, options)),
            Content::Record(record) => (Unit::Record, warc::page(record, options)),
            Content::Skipped(unit, reason) => (unit, Err(reason)),
        };
        let (input, number) = (self.input, self.number);
        Parsed::new(bytes, page, || match unit {
            Unit::File => input.to_string(),
            Unit::Line => format!("{input}, line {number}"),
            Unit::Record => format!("{input}, record {number}"),
        })
    }
}

impl Parsed {
    fn new(bytes: u64, page: Result<CrawlPage, SkipReason>, name: impl FnOnce() -> String) -> Self {
        let is_reported = page.as_ref().map_or(true, |page| page.truncated.is_some());
        Self { bytes, page, name: if is_reported { name() } else { String::new() } }
    }
}

/// Reads the inputs and sends them in batches until the receiver is dropped. Returns the number of
/// inputs.
#[allow(clippy::needless_pass_by_value)] // Dropping the sender ends the loop of the receiver.
fn feed(
    inputs: &[Input],
    options: &InputOptions,
    sender: SyncSender<Batch>,
) -> Result<u64, InputError> {
    let (total, read) = (total(inputs, options)?, Rc::new(Cell::new(0)));
    let batch = Vec::new();
    let mut batches =
        Batches { sender, batch, bytes: 0, came_in: 0, total, read: Rc::clone(&read) };
    let mut revisits = Revisits::default();
    for input in inputs {
        let path = input.path();
        let name: Arc<str> = path.display().to_string().into();
        match open::open(input, &read)? {
            Source::Folder => feed_folder(&path, options, &mut batches)?,
            Source::Empty => {}
            Source::Stream(Kind::Jsonl, stream) => {
                feed_lines(stream, &path, options, &mut batches)?;
            }
            source => each_record(source, input, options, &read, |number, record| {
                let place = || (Arc::clone(&name), number);
                let record = match record {
                    Ok(record) => revisits.take(record, place).map(Ok),
                    skipped => Some(skipped),
                };
                record.map_or(Ok(()), |record| batches.push_record(place(), record))
            })?,
        }
    }
    // Reread records that others refer to, if possible.
    for input in inputs.iter().filter(|input| matches!(input, Input::Path(_))) {
        if revisits.is_empty() {
            break;
        }
        let source = open::open(input, &Rc::default())?;
        each_record(source, input, options, &Rc::default(), |_, record| {
            let Ok(record) = record else { return Ok(()) };
            revisits.find(&record).into_iter().try_for_each(|(revisit, copy)| {
                batches.push_record(revisit.place, copy.ok_or(SkipReason::Revisit))
            })
        })?;
    }
    for revisit in revisits.rest() {
        batches.push_record(revisit.place, Err(SkipReason::Revisit))?;
    }
    batches.send()?;
    Ok(batches.came_in)
}

/// Sends the lines of a stream.
fn feed_lines(
    stream: open::Stream,
    path: &Path,
    options: &InputOptions,
    batches: &mut Batches,
) -> Result<(), InputError> {
    let name: Arc<str> = path.display().to_string().into();
    let mut lines = jsonl::Lines::new(stream, options.max_page_bytes);
    while let Some(line) = lines.next_line().map_err(InputError::io(path))? {
        let (content, bytes) = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => {
                let bytes = line.len() as u64;
                (Content::Line(line), bytes)
            }
            Err(reason) => (Content::Skipped(Unit::Line, reason), 0),
        };
        let (input, number) = (Arc::clone(&name), lines.number());
        batches.push(Item { input, number, bytes, content })?;
    }
    Ok(())
}

/// Passes the records of an input to `each` with their numbers.
fn each_record(
    source: Source,
    input: &Input,
    options: &InputOptions,
    read: &Rc<Cell<u64>>,
    mut each: impl FnMut(u64, Result<warc::Record, SkipReason>) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let path = &input.path();
    let max_bytes = options.max_page_bytes;
    let streams: Vec<Source> = match source {
        Source::Zip => {
            let parts = match input {
                Input::Path(_) => wacz::parts(path),
                Input::Stdin => {
                    Err(io::Error::other("a zip archive cannot be read from standard input"))
                }
            };
            let open = |part: wacz::Part| {
                let stream = part.open(path, read).map_err(InputError::io(path))?;
                open::of_stream(stream, &path.join(part.name))
            };
            let parts = parts.map_err(InputError::io(path))?.into_iter();
            parts.map(open).collect::<Result<_, _>>()?
        }
        source => vec![source],
    };
    let mut before = 0;
    for stream in streams {
        match stream {
            Source::Stream(Kind::Warc, stream) => {
                let mut records = warc::Records::new(stream, max_bytes);
                while let Some(record) = records.next().map_err(InputError::io(path))? {
                    each(before + records.number(), record)?;
                }
                before += records.number();
            }
            Source::Stream(Kind::Arc, stream) => {
                let mut records = arc::Records::new(stream, max_bytes);
                while let Some(record) = records.next().map_err(InputError::io(path))? {
                    each(before + records.number(), record)?;
                }
                before += records.number();
            }
            _ => {}
        }
    }
    Ok(())
}

/// Sends the files of a folder, which are read when they are parsed.
fn feed_folder(
    folder: &Path,
    options: &InputOptions,
    batches: &mut Batches,
) -> Result<(), InputError> {
    let mut exclude = Exclude::new(&options.exclude)?;
    let HtmlFolder { files, skipped } = html_folder::list(folder, options, &mut exclude)?;
    let input: Arc<str> = folder.display().to_string().into();
    for file in files {
        let content = Content::File(file);
        batches.push(Item { input: Arc::clone(&input), number: 0, bytes: 0, content })?;
    }
    for (path, reason) in skipped {
        let input: Arc<str> = path.display().to_string().into();
        let content = Content::Skipped(Unit::File, reason);
        batches.push(Item { input, number: 0, bytes: 0, content })?;
    }
    Ok(())
}

/// Returns the total size of all inputs on disk, if known.
fn total(inputs: &[Input], options: &InputOptions) -> Result<Option<u64>, InputError> {
    let mut total = 0;
    for input in inputs {
        let Input::Path(path) = input else { return Ok(None) };
        let metadata = fs::metadata(path).map_err(InputError::io(path))?;
        total += if metadata.is_dir() {
            let mut exclude = Exclude::new(&options.exclude)?;
            html_folder::list(path, options, &mut exclude)?.files.iter().map(size).sum()
        } else {
            metadata.len()
        };
    }
    Ok(Some(total))
}

fn size(file: &HtmlFile) -> u64 {
    fs::metadata(&file.path).map_or(0, |metadata| metadata.len())
}

struct Batches {
    sender: SyncSender<Batch>,
    batch: Vec<Item>,
    bytes: u64,
    came_in: u64,
    /// Number of bytes of all inputs, if known, and of those read so far.
    total: Option<u64>,
    read: Rc<Cell<u64>>,
}

impl Batches {
    fn push_record(
        &mut self,
        (input, number): (Arc<str>, u64),
        record: Result<warc::Record, SkipReason>,
    ) -> Result<(), InputError> {
        let (content, bytes) = match record {
            Ok(record) => {
                let bytes = record.body.len() as u64;
                (Content::Record(record), bytes)
            }
            Err(reason) => (Content::Skipped(Unit::Record, reason), 0),
        };
        self.push(Item { input, number, bytes, content })
    }

    fn push(&mut self, item: Item) -> Result<(), InputError> {
        self.came_in += 1;
        // Files are read when they are parsed, one per thread. The result is about as large as the
        // file.
        self.bytes += match &item.content {
            Content::File(file) => {
                let size = size(file);
                self.read.set(self.read.get() + size);
                size
            }
            _ => item.bytes,
        };
        self.batch.push(item);
        if self.batch.len() >= BATCH_ITEMS || self.bytes >= BATCH_BYTES {
            self.send()
        } else {
            Ok(())
        }
    }

    /// Fails if the receiver is gone.
    fn send(&mut self) -> Result<(), InputError> {
        self.bytes = 0;
        let items = std::mem::take(&mut self.batch);
        // An input may have grown since its size was read.
        let part = |total: u64| (self.read.get().max(1) as f64 / total.max(1) as f64).min(1.0);
        let batch = Batch { items, progress: self.total.map(part) };
        self.sender.send(batch).map_err(|_| Interrupted.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn write(folder: &Path, name: &str, bytes: &[u8]) -> Input {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        Input::Path(path)
    }

    fn html(n: usize) -> String {
        format!(
            "<title>Page {n}</title><main>gr\u{fc}n number <a href='{}.html'>the next</a> is more",
            n + 1
        )
    }

    fn all(inputs: &[Input], options: &InputOptions) -> (Vec<CrawlPage>, InputSummary) {
        let mut pages = Vec::new();
        let (mut last, mut seen) = (0.0, 0);
        let summary = read(inputs, options, |batch, progress| {
            pages.extend(batch);
            // `None` means that no batch arrived for a while, because files have sizes.
            let Some(progress) = progress else {
                assert_eq!(pages.len(), seen);
                return Ok(());
            };
            seen = pages.len();
            assert!(progress > 0.0 && (last..=1.0).contains(&progress));
            last = progress;
            Ok::<_, InputError>(())
        });
        (pages, summary.unwrap())
    }

    /// Writes the same pages as a folder, as lines and as records.
    fn the_same(place: &Path, n: usize) -> [Input; 3] {
        let (mut lines, mut records) = (String::new(), Vec::new());
        for n in 0..n {
            let html = html(n);
            write(place, &format!("site/{n}.html"), html.as_bytes());
            // In the order of URLs, as folders are read.
        }
        let mut order: Vec<String> = (0..n).map(|n| n.to_string()).collect();
        order.sort_by_key(|n| format!("{n}.html"));
        for n in order {
            let (url, html) = (format!("https://x.org/{n}.html"), html(n.parse().unwrap()));
            let line = serde_json::json!({ "url": url, "html": html });
            lines += &format!("{line}\n");
            let body =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
            let mut record = GzEncoder::new(records, Compression::fast());
            write!(
                record,
                "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
                body.len()
            )
            .unwrap();
            records = record.finish().unwrap();
        }
        [
            Input::Path(place.join("site")),
            write(place, "lines", lines.as_bytes()),
            write(place, "records", &records),
        ]
    }

    #[test]
    fn every_kind_of_input_gives_the_same_pages() {
        let place = tempfile::tempdir().unwrap();
        let n = BATCH_ITEMS + 90;
        let inputs = the_same(place.path(), n);
        let options =
            InputOptions { base_url: Some("https://x.org".to_owned()), ..InputOptions::default() };
        let (pages, summary) = all(&inputs[..1], &options);
        assert_eq!((pages.len(), summary.ledger.pages, summary.links), (n, n as u64, n as u64));
        assert!(pages.is_sorted_by(|a, b| a.url < b.url));
        let first = &pages[0];
        assert_eq!((&*first.url, &*first.title), ("https://x.org/0.html", "Page 0"));
        assert_eq!(first.links[0].target, "https://x.org/1.html");
        assert_eq!(first.links[0].window, "gr\u{fc}n number the next is more");
        for input in &inputs[1..] {
            assert_eq!(all(std::slice::from_ref(input), &options).0, pages);
        }
        let (together, summary) = all(&inputs, &options);
        assert_eq!(together, [&*pages, &pages, &pages].concat());
        // The same pages three times.
        let captures = &summary.ledger.skipped[&SkipReason::Capture];
        assert_eq!((summary.ledger.skipped.len(), captures.count), (1, 2 * n as u64));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| all(&inputs, &options)).0, together);
    }

    #[test]
    fn skipped_inputs_are_counted_with_an_example() {
        let place = tempfile::tempdir().unwrap();
        let lines = b"{\"url\":\"https://x.org/\",\"text\":\"a\"}\n\nno\n{}\n{\"url\":\"x\",\"text\":\"a\"}";
        let lines = write(place.path(), "lines.jsonl", lines);
        write(place.path(), "site/a/index.html", b"<p>a");
        write(place.path(), "site/a/index.htm", b"<p>b");
        write(place.path(), "site/large.html", &[b'x'; 200]);
        write(place.path(), "site/404.html", b"<p>c");
        write(place.path(), "site/drafts/b/c.html", b"<p>c");
        let options = InputOptions::default().with(|options| {
            options.max_page_bytes = 100;
            options.exclude = vec!["drafts/".to_owned()];
        });
        let (pages, summary) = all(&[lines, Input::Path(place.path().join("site"))], &options);
        let urls: Vec<_> = pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["https://x.org/", "https://localhost/a/"]);
        let check = |reason, count: u64, name: &str| {
            let skipped = &summary.ledger.skipped[&reason];
            let (found, first) = (skipped.count, skipped.first());
            let first = first.strip_prefix(&*place.path().display().to_string()).unwrap();
            // Also equal on systems with other path separators.
            assert_eq!((found, Path::new(first)), (count, Path::new(name)));
        };
        assert_eq!(summary.ledger.skipped.len(), 7);
        assert_eq!((summary.ledger.came_in, summary.ledger.check()), (9, Ok(())));
        check(SkipReason::NotJson, 1, "/lines.jsonl, line 3");
        check(SkipReason::NoUrl, 1, "/lines.jsonl, line 4");
        check(SkipReason::NoAddress, 1, "/lines.jsonl, line 5");
        check(SkipReason::TooLarge, 1, "/site/large.html");
        check(SkipReason::DuplicateUrl, 1, "/site/a/index.html");
        check(SkipReason::NotFound, 1, "/site/404.html");
        check(SkipReason::Excluded, 1, "/site/drafts/b/c.html");
    }

    fn record(kind: &str, url: &str, more: &str, body: &str) -> String {
        let length = body.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{more}Content-Type: application/http\r\n\
             Content-Length: {length}\r\n\r\n{body}\r\n\r\n"
        )
    }

    const PAGE: &str = "HTTP/2 200\r\nContent-Type: text/html\r\n\r\n<title>rye</title>";

    #[test]
    fn revisits_have_the_content_of_their_original() {
        let place = tempfile::tempdir().unwrap();
        let (a, none) = ("https://x.org/a", "HTTP/1.1 200 OK\r\n\r\n");
        let refers = |url: &str| format!("WARC-Refers-To-Target-URI: {url}\r\n");
        let digest = "WARC-Payload-Digest: sha1:ABC\r\n";
        let records = [
            record("revisit", "https://x.org/b", &refers(a), none),
            record("revisit", "https://x.org/c", digest, none),
            record("response", a, digest, PAGE),
            record("revisit", a, &refers(a), none),
            record("revisit", a, digest, none),
            record("revisit", "https://x.org/d", &refers("https://x.org/gone"), none),
            record("request", a, "", "GET /a HTTP/1.1\r\n\r\n"),
        ];
        let file = write(place.path(), "a.warc", records.concat().as_bytes());
        let (pages, summary) = all(&[file], &InputOptions::default());
        let mut urls: Vec<_> = pages.iter().map(|page| (&*page.url, &*page.title)).collect();
        urls.sort_unstable();
        assert_eq!(urls, [(a, "rye"), ("https://x.org/b", "rye"), ("https://x.org/c", "rye")]);
        let ledger = &summary.ledger;
        assert_eq!((ledger.came_in, ledger.pages, ledger.folded()), (7, 3, 3));
        assert_eq!(ledger.count(SkipReason::Request), 1);
    }

    #[test]
    fn archives_of_warc_files_are_read() {
        let place = tempfile::tempdir().unwrap();
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, method) in [
            ("archive/b.warc", zip::CompressionMethod::Deflated),
            ("archive/a.warc", zip::CompressionMethod::Stored),
            ("pages/pages.jsonl", zip::CompressionMethod::Stored),
        ] {
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            zip.start_file(name, options).unwrap();
            let url = format!("https://x.org/{name}");
            zip.write_all(record("response", &url, "", PAGE).as_bytes()).unwrap();
        }
        let file = write(place.path(), "a.wacz", &zip.finish().unwrap().into_inner());
        let (pages, summary) = all(&[file], &InputOptions::default());
        let urls: Vec<_> = pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["https://x.org/archive/a.warc", "https://x.org/archive/b.warc"]);
        assert_eq!(summary.ledger.came_in, 2);
        let other = write(place.path(), "b.zip", b"PK\x03\x04");
        let none = read(&[other], &InputOptions::default(), |_, _| Ok::<_, InputError>(()));
        assert!(matches!(none, Err(InputError::Io { .. })));
    }

    #[test]
    fn folded_pages_are_counted() {
        let place = tempfile::tempdir().unwrap();
        let page = |url: &str, head: &str| {
            serde_json::json!({"url": format!("https://x.org/{url}"), "html": head}).to_string()
        };
        let lines = [
            page("a", "<p>a"),
            page("b", "<meta name=robots content=noindex>"),
            page("c", "<link rel=canonical href=a>"),
            page("d", "<meta http-equiv=refresh content='0;url=a'>"),
            page("e", "<meta http-equiv=refresh content='1800;url=a'>"),
            page("a#top", "<p>a"),
            page("#/a", "<p>a"),
        ];
        let file = write(place.path(), "a.jsonl", lines.join("\n").as_bytes());
        let ledger = all(&[file], &InputOptions::default()).1.ledger;
        let counts: Vec<_> = ledger.skipped.iter().map(|(why, one)| (*why, one.count)).collect();
        let folded =
            [SkipReason::Redirect, SkipReason::NoIndex, SkipReason::Canonical, SkipReason::Capture];
        assert_eq!(counts, folded.map(|why| (why, 1)));
        assert_eq!((ledger.came_in, ledger.pages), (7, 3));
        assert_eq!(ledger.skipped[&SkipReason::NoIndex].first(), "https://x.org/b");
    }

    #[test]
    fn progress_is_reported() {
        let place = tempfile::tempdir().unwrap();
        for input in the_same(place.path(), 3 * BATCH_ITEMS / 2) {
            let mut parts = Vec::new();
            let each = |pages: Vec<CrawlPage>, progress: Option<f64>| {
                parts.extend(progress.map(|progress| (pages.len(), progress)));
                Ok::<_, InputError>(())
            };
            read(&[input], &InputOptions::default(), each).unwrap();
            let [(first, part), (_, 1.0)] = parts[..] else { panic!("{parts:?}") };
            assert_eq!(first, BATCH_ITEMS);
            // Files are read some pages ahead.
            assert!(part > 0.6, "{part}");
        }
    }

    #[test]
    fn unreadable_inputs_fail_before_anything_is_read() {
        let place = tempfile::tempdir().unwrap();
        let line = write(place.path(), "a", b"{\"url\":\"https://x.org/\",\"text\":\"a\"}");
        let gone = Input::from_arg(place.path().join("gone").as_os_str());
        let never = |_, _| panic!("unexpected page");
        let options = InputOptions::default();
        let fails =
            |inputs: &[Input], options: &InputOptions| read(inputs, options, never).unwrap_err();
        assert!(matches!(fails(&[], &options), InputError::NoInput));
        assert!(matches!(fails(&[line.clone(), gone], &options), InputError::Io { .. }));
        let nowhere = InputOptions { base_url: Some("/docs/".to_owned()), ..options.clone() };
        assert!(matches!(fails(std::slice::from_ref(&line), &nowhere), InputError::BaseUrl { .. }));
        assert_eq!(Input::from_arg("-".as_ref()), Input::Stdin);
        let error = read(&[line], &options, |_, _| Err(InputError::from(Interrupted))).unwrap_err();
        assert!(matches!(error, InputError::Interrupted(_)));
    }
}
