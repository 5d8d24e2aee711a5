//! Reads the records of WARC files (ISO 28500), skipping damage between them.
//!
//! Pages are the `response` records of HTTP, and the `resource` and `conversion` records of HTML or
//! plain text. The type of a record without one is derived from its content. A `revisit` record is
//! a page with the content of another record, which `read` searches for. Other records are counted
//! by type.
//!
//! # Damage
//!
//! The length of a record is trusted only if two line ends, another record or the end of the file
//! follow. If it is wrong, a header is invalid or a member of a gzip file is damaged, this counts
//! as one damaged record, and reading resumes at the next line that starts with `WARC/`. For this,
//! the bytes covered by a wrong length are reread. To bound the time for any file, at most as many
//! bytes are reread as were read, plus 64 MiB.
//!
//! # Quirks
//!
//! 1. A record that exceeds the maximum size of a page is not skipped by its length but up to the
//!    next line that starts with `WARC/`. So records of a WARC file within a WARC file may be read.

use std::io::{self, BufRead, ErrorKind, Read};

use pagekin_core::address;

use crate::input::content::{ContentType, Nature};
use crate::input::gunzip::Damage;
use crate::input::open::Stream;
use crate::input::options::InputOptions;
use crate::input::page::CrawlPage;
use crate::input::reread::Reread;
use crate::input::{http, page};
use crate::ledger::SkipReason;
use crate::site::encoding::decoded;

/// Maximum number of bytes of a record's headers.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// Maximum number of bytes of line ends after a record. Writers add two line ends.
const MAX_LINE_END_BYTES: usize = 64;
/// The first bytes of every record.
const MAGIC: &[u8] = b"WARC/";

/// A record that may be a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) url: String,
    pub(super) content: Content,
    pub(super) body: Vec<u8>,
    /// The capture time in the format of WARC (ISO 8601), which sorts chronologically.
    pub(super) captured: String,
    /// The digest of its payload; may be empty.
    pub(super) digest: String,
}

/// The type of a record's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// An HTTP response.
    Http,
    /// The page itself, with its `Content-Type`.
    Itself(String),
    /// The content of an earlier record, with its URL if given.
    Revisit(Option<String>),
}

/// The records of a stream.
pub(super) struct Records {
    stream: Reread<Stream>,
    max_bytes: u64,
    number: u64,
    /// Whether the current input is not a record, which has been counted already.
    lost: bool,
    /// Whether the next input is damaged, which was detected while checking the end of a record.
    damage_ahead: bool,
}

impl Records {
    /// Records of more than `max_bytes` bytes are skipped.
    pub(super) fn new(stream: Stream, max_bytes: u64) -> Self {
        let stream = Reread::new(stream);
        Self { stream, max_bytes, number: 0, lost: false, damage_ahead: false }
    }

    /// Returns the number of the last returned record, from 1, counting records of all types.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next record that may be a page.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Record, SkipReason>>> {
        loop {
            match self.step() {
                Ok(Step::End) => return Ok(None),
                Ok(Step::Other) => {}
                Ok(Step::Record(record)) => return Ok(Some(Ok(record))),
                Ok(Step::Skipped(reason)) => return Ok(Some(Err(reason))),
                Err(error) if is_damage(&error) => {
                    // A member that cannot be started is a separate record from the damage counted
                    // before.
                    let lost = std::mem::replace(&mut self.lost, true);
                    if !lost || is_damage_of_next(&error) {
                        self.number += 1;
                        return Ok(Some(Err(SkipReason::Damaged)));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a line between records, or a record.
    fn step(&mut self) -> io::Result<Step> {
        if std::mem::take(&mut self.damage_ahead) {
            self.lost = false;
            return Err(damaged());
        }
        let mut line = Vec::new();
        if !self.line(&mut line)? {
            return Ok(Step::End);
        }
        if !line.starts_with(MAGIC) {
            if self.lost || line.is_empty() {
                return Ok(Step::Other);
            }
            return Err(damaged());
        }
        self.lost = false;
        let headers = self.headers()?;
        let length = headers.length.ok_or_else(damaged)?;
        if length > self.max_bytes {
            self.number += 1;
            self.lost = true;
            return Ok(Step::Skipped(match headers.content(&[]) {
                Ok(_) => SkipReason::TooLarge,
                Err(reason) => reason,
            }));
        }
        let mut body = Vec::new();
        self.stream.by_ref().take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length || !self.at_border(&mut body)? {
            self.stream.read_again(body);
            return Err(damaged());
        }
        body.truncate(length as usize);
        self.number += 1;
        let content = match headers.content(&body) {
            Ok(content) => content,
            Err(reason) => return Ok(Step::Skipped(reason)),
        };
        let Headers { url: Some(url), captured, digest, .. } = headers else {
            return Ok(Step::Skipped(SkipReason::NoAddress));
        };
        Ok(Step::Record(Record { url, content, body, captured, digest }))
    }

    fn headers(&mut self) -> io::Result<Headers> {
        let (mut headers, mut line, mut bytes) = (Headers::default(), Vec::new(), 0);
        loop {
            if !self.line(&mut line)? || bytes > MAX_HEADER_BYTES {
                return Err(damaged());
            }
            if line.is_empty() {
                return Ok(headers);
            }
            if line.starts_with(MAGIC) {
                // Another record starts within the headers.
                line.extend_from_slice(b"\r\n");
                self.stream.read_again(line);
                return Err(damaged());
            }
            bytes += line.len();
            headers.add(&String::from_utf8_lossy(&line));
        }
    }

    /// Reads a line without its end, truncated to the maximum size of headers. Returns `false` at
    /// the end of the stream.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let max_bytes = MAX_HEADER_BYTES as u64;
        if self.stream.by_ref().take(max_bytes).read_until(b'\n', line)? == 0 {
            return Ok(false);
        }
        if !line.ends_with(b"\n") && line.len() as u64 == max_bytes {
            self.stream.skip_until(b'\n')?;
        }
        line.truncate(line.trim_ascii_end().len());
        Ok(true)
    }

    /// Reads line ends and appends them to `read`. Returns whether these are the two that end a
    /// record, or the stream ends, or another record follows.
    fn at_border(&mut self, read: &mut Vec<u8>) -> io::Result<bool> {
        let end = read.len();
        let border = self.line_ends(read).and_then(|()| {
            let next = self.stream.peek(MAGIC.len())?;
            Ok(next.is_empty() || next == MAGIC || read[end..].starts_with(b"\r\n\r\n"))
        });
        match border {
            Err(error) if is_damage_of_next(&error) => {
                self.damage_ahead = true;
                Ok(true)
            }
            border => border,
        }
    }

    fn line_ends(&mut self, read: &mut Vec<u8>) -> io::Result<()> {
        for _ in 0..MAX_LINE_END_BYTES {
            match self.stream.fill_buf()?.first() {
                Some(&byte @ (b'\r' | b'\n')) => read.push(byte),
                _ => break,
            }
            self.stream.consume(1);
        }
        Ok(())
    }
}

enum Step {
    End,
    /// Not a page.
    Other,
    Record(Record),
    Skipped(SkipReason),
}

fn damaged() -> io::Error {
    io::Error::from(ErrorKind::InvalidData)
}

fn is_damage(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidData
}

/// Returns whether a member of a gzip file is damaged at its start.
fn is_damage_of_next(error: &io::Error) -> bool {
    let damage = error.get_ref().and_then(|error| error.downcast_ref::<Damage>());
    damage.is_some_and(|damage| !damage.of_last)
}

/// The headers that are used.
#[derive(Debug, Default)]
struct Headers {
    kind: String,
    url: Option<String>,
    refers_to: Option<String>,
    content_type: String,
    captured: String,
    digest: String,
    length: Option<u64>,
}

impl Headers {
    fn add(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else { return };
        let (name, value) = (name.trim(), value.trim());
        let value = value.to_owned();
        match &*name.to_ascii_lowercase() {
            "warc-type" => self.kind = value.to_ascii_lowercase(),
            "warc-target-uri" => self.url = Some(bare(value)),
            "warc-refers-to-target-uri" => self.refers_to = Some(bare(value)),
            "warc-date" => self.captured = value,
            "warc-payload-digest" => self.digest = value.to_ascii_lowercase(),
            "content-type" => self.content_type = value.to_ascii_lowercase(),
            "content-length" => self.length = value.parse().ok(),
            _ => {}
        }
    }

    /// Returns the type of the body, if it may be a page.
    fn content(&self, body: &[u8]) -> Result<Content, SkipReason> {
        // WARC specifies `application/http`. RFC 2616 also has `message/http`, which some crawlers
        // write.
        let of_http = self.content_type.starts_with("application/http")
            || self.content_type.starts_with("message/http")
            || begins(body, b"HTTP/");
        let is_request = self.content_type.contains("msgtype=request")
            || [&b"GET "[..], b"POST ", b"HEAD "].iter().any(|method| begins(body, method));
        match &*self.kind {
            "response" | "resource" if of_http => Ok(Content::Http),
            "resource" | "conversion" => Ok(Content::Itself(self.content_type.clone())),
            "revisit" => Ok(Content::Revisit(self.refers_to.clone())),
            "request" => Err(SkipReason::Request),
            "metadata" => Err(SkipReason::Metadata),
            "" if is_request => Err(SkipReason::Request),
            "" if of_http => Ok(Content::Http),
            "" if self.url.is_some() && ContentType::new(&self.content_type).may_be_page() => {
                Ok(Content::Itself(self.content_type.clone()))
            }
            _ => Err(SkipReason::NotResponse),
        }
    }
}

/// Removes angle brackets from a URL. The grammar of WARC 1.0 includes them.
fn bare(value: String) -> String {
    let bare = value.strip_prefix('<').and_then(|value| value.strip_suffix('>'));
    bare.map(str::to_owned).unwrap_or(value)
}

fn begins(body: &[u8], with: &[u8]) -> bool {
    body.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// Converts a record to a page.
pub(super) fn page(record: Record, options: &InputOptions) -> Result<CrawlPage, SkipReason> {
    let max_bytes = options.max_page_bytes;
    let (content_type, body) = match record.content {
        Content::Itself(content_type) => (ContentType::new(&content_type), record.body),
        Content::Http => {
            let message = http::unpack(&record.body, max_bytes)?;
            (message.content_type, message.body)
        }
        Content::Revisit(_) => return Err(SkipReason::Revisit),
    };
    let charset = content_type.charset.as_deref();
    let page = match content_type.nature(&body) {
        // Most crawls contain it, but it is not a page.
        _ if address::path(&record.url) == "/robots.txt" => Err(SkipReason::NotHtml),
        Nature::Html => page::of_html(&record.url, &body, charset, options),
        Nature::Text => page::of_text(&record.url, decoded(&record.url, &body, charset)),
        Nature::Other => Err(SkipReason::NotHtml),
    };
    page.map(|page| CrawlPage { captured: record.captured, ..page })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::gunzip::Gunzip;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::{BufReader, Cursor, Write};

    fn record_of(kind: &str, url: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body, b"\r\n\r\n"].concat()
    }

    fn response(name: &str) -> Vec<u8> {
        let body =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{name}</title>");
        record_of(
            "response",
            &format!("https://x.org/{name}"),
            "application/http; msgtype=response",
            body.as_bytes(),
        )
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    /// Returns the titles of pages, or why they were skipped, with record numbers.
    fn read(stream: Stream) -> Vec<(u64, Result<String, SkipReason>)> {
        let options = InputOptions { max_page_bytes: 100_000, ..InputOptions::default() };
        let mut records = Records::new(stream, options.max_page_bytes);
        let mut found = Vec::new();
        while let Some(record) = records.next().unwrap() {
            let title = record.and_then(|record| page(record, &options)).map(|page| page.title);
            found.push((records.number(), title));
        }
        found
    }

    fn read_plain(bytes: Vec<u8>) -> Vec<(u64, Result<String, SkipReason>)> {
        // Reads in small steps, so that everything crosses a buffer boundary.
        read(Box::new(BufReader::with_capacity(7, Cursor::new(bytes))))
    }

    fn read_gzip(bytes: Vec<u8>) -> Vec<(u64, Result<String, SkipReason>)> {
        read(Box::new(BufReader::with_capacity(7, Gunzip::new(Cursor::new(bytes)))))
    }

    fn title(number: u64, name: &str) -> (u64, Result<String, SkipReason>) {
        (number, Ok(name.to_owned()))
    }

    fn skip(number: u64, reason: SkipReason) -> (u64, Result<String, SkipReason>) {
        (number, Err(reason))
    }

    #[test]
    fn blank_lines_between_records_are_ignored() {
        let records = [response("a"), b"\r\n\r\n".to_vec(), response("b"), b"\r\n".to_vec()];
        let read = read_plain(records.concat());
        let titles: Vec<_> = read.into_iter().map(|(_, title)| title).collect();
        assert_eq!(titles, [Ok("a".to_owned()), Ok("b".to_owned())]);
        // Any number of them, also before the first record.
        let blank = b"\r\n".repeat(200);
        let records = [blank.clone(), response("a"), blank.clone(), response("b"), blank];
        assert_eq!(read_plain(records.concat()), [title(1, "a"), title(2, "b")]);
    }

    #[test]
    fn the_maximum_size_of_a_page_is_inclusive() {
        let page = |bytes: usize| {
            let title = "<title>a</title>";
            let body = title.to_owned() + &" ".repeat(bytes - title.len());
            record_of("resource", "https://x.org/a", "text/html", body.as_bytes())
        };
        assert_eq!(read_plain(page(100_000)), [title(1, "a")]);
        assert_eq!(read_plain(page(100_001)), [skip(1, SkipReason::TooLarge)]);
    }

    #[test]
    fn pages_are_found_among_other_records() {
        let records = [
            record_of("warcinfo", "", "application/warc-fields", b"software: x\r\n"),
            record_of(
                "request",
                "https://x.org/a",
                "application/http; msgtype=request",
                b"GET / HTTP/1.1\r\n\r\n",
            ),
            response("a"),
            record_of("metadata", "https://x.org/a", "application/warc-fields", b"via: x\r\n"),
            record_of("response", "dns:x.org", "text/dns", b"x.org. 1 IN A 127.0.0.1"),
            record_of(
                "resource",
                "<https://x.org/b>",
                "text/html; charset=utf-8",
                b"<title>b</title>",
            ),
            record_of("conversion", "https://x.org/c", "text/plain", b"Rye bread"),
            record_of("resource", "https://x.org/d", "image/png", b"PNG"),
            record_of("resource", "urn:x", "text/plain", b"Rye"),
            record_of(
                "response",
                "https://x.org/e",
                "application/http",
                b"HTTP/1.1 302 Found\r\n\r\n",
            ),
            record_of("metadata", "https://x.org/a", "application/json", b"{}"),
        ];
        let expected = [
            skip(1, SkipReason::NotResponse),
            skip(2, SkipReason::Request),
            title(3, "a"),
            skip(4, SkipReason::Metadata),
            skip(5, SkipReason::NotResponse),
            title(6, "b"),
            title(7, ""),
            skip(8, SkipReason::NotHtml),
            skip(9, SkipReason::NoAddress),
            skip(10, SkipReason::NotOk),
            skip(11, SkipReason::Metadata),
        ];
        assert_eq!(read_plain(records.concat()), expected);
        assert_eq!(read_gzip(gzip(&records.concat())), expected);
        assert_eq!(read_gzip(records.iter().flat_map(|record| gzip(record)).collect()), expected);
    }

    #[test]
    fn the_type_of_an_untyped_record_is_derived_from_its_content() {
        let http = b"HTTP/2 200\r\nContent-Type: text/html\r\n\r\n<title>a</title>";
        let untyped = |content_type: &str, body: &[u8]| {
            let record = record_of("", "https://x.org/a", content_type, body);
            String::from_utf8(record).unwrap().replace("WARC-Type: \r\n", "").into_bytes()
        };
        let records = [
            untyped("application/http; msgtype=response", http),
            untyped("x", http),
            record_of("response", "https://x.org/a", "message/http", http),
            untyped("application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"),
            untyped("text/html", b"<title>a</title>"),
            record_of("revisit", "https://x.org/b", "application/http", b"HTTP/1.1 200 OK\r\n\r\n"),
            record_of(
                "response",
                "https://x.org/robots.txt",
                "application/http",
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nrye",
            ),
            untyped("image/png", b"PNG"),
        ];
        let reasons = [
            skip(4, SkipReason::Request),
            title(5, "a"),
            skip(6, SkipReason::Revisit),
            skip(7, SkipReason::NotHtml),
            skip(8, SkipReason::NotResponse),
        ];
        let first = [title(1, "a"), title(2, "a"), title(3, "a")];
        assert_eq!(read_plain(records.concat()), [&first[..], &reasons].concat());
    }

    #[test]
    fn a_damaged_record_affects_no_other() {
        let with_length = |length: &str| {
            let record = String::from_utf8(response("lies")).unwrap();
            let (head, body) = record.split_once("Content-Length: ").unwrap();
            let (_, body) = body.split_once("\r\n").unwrap();
            format!("{head}Content-Length: {length}\r\n{body}").into_bytes()
        };
        let cases = [
            with_length("10"),
            with_length("150"),
            with_length("99999"),
            with_length("-1"),
            with_length("x"),
            b"garbage\r\nand more\r\n".to_vec(),
            b"WARC/1.0\r\nno: length\r\n\r\n".to_vec(),
            [b"WARC/1.0\r\n".to_vec(), vec![b'x'; 200_000], b"\r\n".to_vec()].concat(),
        ];
        for case in cases {
            let start = String::from_utf8_lossy(&case[..case.len().min(300)]).into_owned();
            let records = [response("a"), case, response("b"), response("c")].concat();
            let found = read_plain(records);
            assert!(found.contains(&skip(2, SkipReason::Damaged)), "{start}: {found:?}");
            let titles: Vec<_> = found.into_iter().filter_map(|(_, title)| title.ok()).collect();
            assert_eq!(titles, ["a", "b", "c"], "{start}");
        }
        let large = with_length("99999999999999");
        let found = read_plain([response("a"), large, response("b")].concat());
        assert_eq!(found, [title(1, "a"), skip(2, SkipReason::TooLarge), title(3, "b")]);
    }

    #[test]
    fn a_damaged_member_affects_no_other() {
        let expected = [title(1, "a"), skip(2, SkipReason::Damaged), title(3, "c")];
        let whole = gzip(&response("b"));
        let flipped = |at: usize| {
            let mut member = whole.clone();
            member[at] ^= 0x55;
            member
        };
        // Damage in the header, in the middle, in the checksum, and a missing end.
        let cut = whole[..whole.len() / 2].to_vec();
        for broken in [flipped(0), flipped(whole.len() / 2), flipped(whole.len() - 6), cut] {
            let file = [gzip(&response("a")), broken.clone(), gzip(&response("c"))].concat();
            assert_eq!(read_gzip(file), expected);
            let file = [gzip(&response("a")), broken].concat();
            assert_eq!(read_gzip(file), expected[..2]);
        }
    }

    /// Some flips make the header longer, so that it covers packed data and the following members.
    #[test]
    fn a_flipped_bit_in_a_gzip_header_is_counted() {
        let whole = gzip(&response("b"));
        let others = ["c", "d", "e"].map(|name| gzip(&response(name))).concat();
        for at in 0..14 {
            for bit in 0..8 {
                let mut broken = whole.clone();
                broken[at] ^= 1 << bit;
                for first in [vec![], gzip(&response("a"))] {
                    let file = [first.clone(), broken.clone(), others.clone()].concat();
                    let found = read_gzip(file);
                    let titles: Vec<&str> =
                        found.iter().filter_map(|(_, title)| title.as_deref().ok()).collect();
                    let titles: Vec<&str> =
                        titles.into_iter().filter(|title| !["a", "b"].contains(title)).collect();
                    assert_eq!(titles, ["c", "d", "e"], "byte {at}, bit {bit}: {found:?}");
                    let all = 4 + usize::from(!first.is_empty());
                    assert_eq!(found.len(), all, "byte {at}, bit {bit}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn damaged_headers_are_counted_after_other_damage() {
        let broken = |name: &str| {
            let mut member = gzip(&response(name));
            // A header with flags for more fields.
            member[3] = 0xff;
            member
        };
        let file = [gzip(&response("a")), broken("b"), broken("c"), gzip(&response("d"))].concat();
        let damaged = |number| skip(number, SkipReason::Damaged);
        assert_eq!(read_gzip(file), [title(1, "a"), damaged(2), damaged(3), title(4, "d")]);
        let body = [b'x'; 200_000];
        let large = gzip(&record_of("resource", "https://x.org/large", "text/plain", &body));
        let file = [large, broken("b"), gzip(&response("c"))].concat();
        assert_eq!(read_gzip(file), [skip(1, SkipReason::TooLarge), damaged(2), title(3, "c")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_the_end(parts in prop::collection::vec(prop_oneof![
            any::<Vec<u8>>(),
            Just(response("a")),
            Just(b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: ".to_vec()),
            "[0-9]{1,6}\r\n".prop_map(String::into_bytes),
            Just(b"\r\n\r\n".to_vec()),
        ], 0..12), packed in any::<bool>(), broken: prop::sample::Index) {
            let mut bytes = parts.concat();
            if packed {
                bytes = parts.iter().flat_map(|part| gzip(part)).collect();
                if !bytes.is_empty() {
                    let at = broken.index(bytes.len());
                    bytes[at] ^= 0xff;
                }
                let _ = read_gzip(bytes);
            } else {
                let _ = read_plain(bytes);
            }
        }
    }
}
