//! Inputs into pages, a batch at a time.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use std::{fs, thread};

use rayon::prelude::*;

use crate::input::error::InputError;
use crate::input::html_folder::HtmlFolder;
use crate::input::open::{Kind, Source};
use crate::input::options::{Input, InputOptions};
use crate::input::page::CrawlPage;
use crate::input::summary::{CrawlSkip, InputSummary};
use crate::input::{html_folder, jsonl, open, warc};
use crate::progress::Interrupted;
use crate::site::exclude::Exclude;
use crate::site::listing::HtmlFile;
use crate::site::normal_url;

/// The most of a batch: the bytes of what is read, beside one that may be larger, and the number.
const BATCH_BYTES: u64 = 4 << 20;
const BATCH_ITEMS: usize = 128;
/// After how long without a batch whoever waits for it is asked whether to go on.
const SILENCE: Duration = Duration::from_millis(100);

/// Reads `inputs` one after the other and gives their pages to `each`, in their order, some
/// hundreds at a time.
///
/// While a batch is parsed the next is read. At most three are in memory, each of at most 8 MiB and
/// one page as they are read, and some times that when parsed. With them comes the part of all
/// bytes that lies behind, above 0 and up to 1, unless standard input is read, whose end is not
/// known. While an input keeps silent, `each` is given no pages now and then, so that it can stop.
///
/// # Errors
///
/// If an input is not there, of no kind that is known, or fails to be read; if the base address is
/// none; and whatever `each` answers. Pages before that have been given.
pub fn read<E: From<InputError>>(
    inputs: &[Input],
    options: &InputOptions,
    mut each: impl FnMut(Vec<CrawlPage>, Option<f64>) -> Result<(), E>,
) -> Result<InputSummary, E> {
    check(inputs, options)?;
    let (sender, batches) = sync_channel(1);
    let feeder = {
        let (inputs, options) = (inputs.to_vec(), options.clone());
        // Not a thread of a scope: if `each` fails, nobody waits for what standard input may still
        // say.
        thread::spawn(move || feed(&inputs, &options, sender))
    };
    let mut summary = InputSummary::default();
    loop {
        let Batch { items, behind } = match batches.recv_timeout(SILENCE) {
            Ok(batch) => batch,
            Err(RecvTimeoutError::Timeout) => {
                each(Vec::new(), None)?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let parsed: Vec<_> = items.into_par_iter().map(|item| item.parse(options)).collect();
        let mut pages = Vec::with_capacity(parsed.len());
        for parsed in parsed {
            summary.bytes += parsed.bytes;
            match parsed.page {
                Ok(page) => {
                    summary.pages += 1;
                    summary.links += page.links.len() as u64;
                    if page.truncated.is_some() {
                        summary.truncate(parsed.name);
                    }
                    pages.push(page);
                }
                Err(reason) => summary.skip(reason, || parsed.name),
            }
        }
        if !pages.is_empty() {
            each(pages, behind)?;
        }
    }
    match feeder.join() {
        Ok(fed) => Ok(fed.map(|()| summary)?),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Fails before anything is read for what would fail later.
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

/// Something of an input that may be a page.
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
    Skipped(Unit, CrawlSkip),
}

/// Items that are parsed side by side.
struct Batch {
    items: Vec<Item>,
    /// The part of all inputs that lies behind with them, if it is known.
    behind: Option<f64>,
}

/// What the parts of an input are called.
#[derive(Clone, Copy)]
enum Unit {
    File,
    Line,
    Record,
}

struct Parsed {
    bytes: u64,
    page: Result<CrawlPage, CrawlSkip>,
    /// What messages call it, if it is skipped or truncated.
    name: String,
}

impl Item {
    fn parse(self, options: &InputOptions) -> Parsed {
        let mut bytes = self.bytes;
        let (unit, page) = match self.content {
            Content::File(file) => {
                let page = html_folder::page(&file, options, &mut bytes);
                return Parsed::of(bytes, page, || file.path.display().to_string());
            }
            Content::Line(line) => (Unit::Line, jsonl::page(&line, options)),
            Content::Record(record) => (Unit::Record, warc::page(record, options)),
            Content::Skipped(unit, reason) => (unit, Err(reason)),
        };
        let (input, number) = (self.input, self.number);
        Parsed::of(bytes, page, || match unit {
            Unit::File => input.to_string(),
            Unit::Line => format!("{input}, line {number}"),
            Unit::Record => format!("{input}, record {number}"),
        })
    }
}

impl Parsed {
    fn of(bytes: u64, page: Result<CrawlPage, CrawlSkip>, name: impl FnOnce() -> String) -> Self {
        let odd = page.as_ref().map_or(true, |page| page.truncated.is_some());
        Self { bytes, page, name: if odd { name() } else { String::new() } }
    }
}

/// Reads the inputs and sends batches of what they hold, until nobody takes them.
#[allow(clippy::needless_pass_by_value)] // The end of the channel is the end of this.
fn feed(
    inputs: &[Input],
    options: &InputOptions,
    sender: SyncSender<Batch>,
) -> Result<(), InputError> {
    let (total, read) = (total(inputs, options)?, Rc::new(Cell::new(0)));
    let mut batches =
        Batches { sender, batch: Vec::new(), bytes: 0, total, read: Rc::clone(&read) };
    for input in inputs {
        let path = input.path();
        let name: Arc<str> = path.display().to_string().into();
        let mut push = |number, content, bytes| {
            batches.push(Item { input: Arc::clone(&name), number, bytes, content })
        };
        match open::open(input, &read)? {
            Source::Folder => feed_folder(&path, options, &mut batches)?,
            Source::Stream(Kind::Jsonl, stream) => {
                let mut lines = jsonl::Lines::new(stream, options.max_page_bytes);
                while let Some(line) = lines.next_line().map_err(InputError::io(&path))? {
                    let (content, bytes) = match line {
                        Ok(line) if line.trim_ascii().is_empty() => continue,
                        Ok(line) => {
                            let bytes = line.len() as u64;
                            (Content::Line(line), bytes)
                        }
                        Err(reason) => (Content::Skipped(Unit::Line, reason), 0),
                    };
                    push(lines.number(), content, bytes)?;
                }
            }
            Source::Stream(Kind::Warc, stream) => {
                let mut records = warc::Records::new(stream, options.max_page_bytes);
                while let Some(record) = records.next().map_err(InputError::io(&path))? {
                    let (content, bytes) = match record {
                        Ok(record) => {
                            let bytes = record.body.len() as u64;
                            (Content::Record(record), bytes)
                        }
                        Err(reason) => (Content::Skipped(Unit::Record, reason), 0),
                    };
                    push(records.number(), content, bytes)?;
                }
            }
            Source::Empty => {}
        }
    }
    batches.send()
}

/// Sends what a folder holds, which is read once it is parsed.
fn feed_folder(
    folder: &Path,
    options: &InputOptions,
    batches: &mut Batches,
) -> Result<(), InputError> {
    let mut exclude = Exclude::of(&options.exclude)?;
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

/// The bytes of all inputs as they lie on disk, if they are known.
fn total(inputs: &[Input], options: &InputOptions) -> Result<Option<u64>, InputError> {
    let mut total = 0;
    for input in inputs {
        let Input::Path(path) = input else { return Ok(None) };
        let metadata = fs::metadata(path).map_err(InputError::io(path))?;
        total += if metadata.is_dir() {
            let mut exclude = Exclude::of(&options.exclude)?;
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
    /// The bytes of all inputs, if they are known, and those that were read.
    total: Option<u64>,
    read: Rc<Cell<u64>>,
}

impl Batches {
    fn push(&mut self, item: Item) -> Result<(), InputError> {
        // Files are read when they are parsed, one a thread; what becomes of each is of the size of
        // a file.
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

    /// Fails if nobody takes batches any more.
    fn send(&mut self) -> Result<(), InputError> {
        self.bytes = 0;
        let items = std::mem::take(&mut self.batch);
        // An input may have grown since it was looked at.
        let part = |total: u64| (self.read.get().max(1) as f64 / total.max(1) as f64).min(1.0);
        let batch = Batch { items, behind: self.total.map(part) };
        self.sender.send(batch).map_err(|_| Interrupted.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::summary::SkippedPages;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::collections::BTreeMap;
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
        let (mut last, mut given) = (0.0, 0);
        let summary = read(inputs, options, |batch, behind| {
            pages.extend(batch);
            // Without one nothing has come for a while: files have sizes.
            let Some(behind) = behind else {
                assert_eq!(pages.len(), given);
                return Ok(());
            };
            given = pages.len();
            assert!(behind > 0.0 && (last..=1.0).contains(&behind));
            last = behind;
            Ok::<_, InputError>(())
        });
        (pages, summary.unwrap())
    }

    /// The same pages as a folder, as lines and as records.
    fn the_same(place: &Path, n: usize) -> [Input; 3] {
        let (mut lines, mut records) = (String::new(), Vec::new());
        for n in 0..n {
            let html = html(n);
            write(place, &format!("site/{n}.html"), html.as_bytes());
            // In the order of addresses, as folders are read.
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
        assert_eq!((pages.len(), summary.pages, summary.links), (n, n as u64, n as u64));
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
        assert_eq!(summary.skipped, BTreeMap::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| all(&inputs, &options)).0, together);
    }

    #[test]
    fn what_is_left_out_is_counted_with_the_first() {
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
            let SkippedPages { count: found, first } = &summary.skipped[&reason];
            let first = first.strip_prefix(&*place.path().display().to_string()).unwrap();
            // Equal as well where a path has other slashes.
            assert_eq!((*found, Path::new(first)), (count, Path::new(name)));
        };
        assert_eq!(summary.skipped.len(), 6);
        check(CrawlSkip::NotAPage, 2, "/lines.jsonl, line 3");
        check(CrawlSkip::NoAddress, 1, "/lines.jsonl, line 5");
        check(CrawlSkip::TooLarge, 1, "/site/large.html");
        check(CrawlSkip::DuplicateFile, 1, "/site/a/index.html");
        check(CrawlSkip::NotFound, 1, "/site/404.html");
        check(CrawlSkip::Excluded, 1, "/site/drafts/b/c.html");
    }

    #[test]
    fn it_is_known_how_much_lies_behind() {
        let place = tempfile::tempdir().unwrap();
        for input in the_same(place.path(), 3 * BATCH_ITEMS / 2) {
            let mut parts = Vec::new();
            let each = |pages: Vec<CrawlPage>, behind: Option<f64>| {
                parts.extend(behind.map(|behind| (pages.len(), behind)));
                Ok::<_, InputError>(())
            };
            read(&[input], &InputOptions::default(), each).unwrap();
            let [(first, part), (_, 1.0)] = parts[..] else { panic!("{parts:?}") };
            assert_eq!(first, BATCH_ITEMS);
            // A file is read some pages ahead.
            assert!(part > 0.6, "{part}");
        }
    }

    #[test]
    fn what_cannot_be_read_fails_before_anything_is() {
        let place = tempfile::tempdir().unwrap();
        let line = write(place.path(), "a", b"{\"url\":\"https://x.org/\",\"text\":\"a\"}");
        let gone = Input::from_arg(place.path().join("gone").as_os_str());
        let never = |_, _| panic!("a page was given");
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
