//! WARC files (ISO 28500) record by record, whatever is damaged between.
//!
//! Pages are the `response` records of HTTP, and the `resource` and `conversion` records of HTML or
//! plain text. `metadata` records of JSON, of which WAT files consist, are skipped and counted.
//! Others (requests, metadata that a crawler writes beside a page, revisits, DNS) are passed over
//! without a count.
//!
//! # Damage
//!
//! A record's length is believed only if two line ends, another record or the end follow it. If it
//! lies, if a header cannot be read or a member of a gzip file is damaged, that is one damaged
//! record, and reading goes on at the next line that begins with `WARC/`; what a lying length had
//! swallowed is read again for that. So that no file can make this take for ever, only as many
//! bytes are read again as were read, and 64 MiB.
//!
//! # Quirks
//!
//! 1. A record that is larger than a page may be is not skipped by its length, but up to the next
//!    line that begins with `WARC/`: of a WARC file within a WARC file, records may be read.

use std::io::{self, BufRead, ErrorKind, Read};

use crate::input::gunzip::Damage;
use crate::input::open::Stream;
use crate::input::options::InputOptions;
use crate::input::page::CrawlPage;
use crate::input::reread::Reread;
use crate::input::summary::CrawlSkip;
use crate::input::{http, page};
use crate::site::html::read_text;

/// The most bytes of a record's headers.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The most line ends behind a record that are seen as its border: two are written.
const MAX_LINE_END_BYTES: usize = 64;
/// What every record begins with.
const MAGIC: &[u8] = b"WARC/";

/// A record that may be a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) url: String,
    pub(super) content: Content,
    pub(super) body: Vec<u8>,
}

/// What the body of a record is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// An answer of a server.
    Http,
    /// The page itself, of this `Content-Type`.
    Itself(String),
}

/// The records of a stream.
pub(super) struct Records {
    stream: Reread<Stream>,
    most: u64,
    number: u64,
    /// What is read now is no record, which was counted already.
    lost: bool,
    /// What comes next is damaged, and was met while it was seen whether a record ends.
    damage_ahead: bool,
}

impl Records {
    /// Records of more than `most` bytes are skipped.
    pub(super) fn new(stream: Stream, most: u64) -> Self {
        let stream = Reread::new(stream);
        Self { stream, most, number: 0, lost: false, damage_ahead: false }
    }

    /// The number of the record that was given last, from 1; records of all types count.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next record that may be a page, if there is one.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Record, CrawlSkip>>> {
        loop {
            match self.step() {
                Ok(Step::End) => return Ok(None),
                Ok(Step::Other) => {}
                Ok(Step::Record(record)) => return Ok(Some(Ok(record))),
                Ok(Step::Skipped(reason)) => return Ok(Some(Err(reason))),
                Err(error) if is_damage(&error) => {
                    // A member that cannot even be begun is another record than what is lost
                    // already.
                    let lost = std::mem::replace(&mut self.lost, true);
                    if !lost || is_damage_of_next(&error) {
                        self.number += 1;
                        return Ok(Some(Err(CrawlSkip::Damaged)));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// A line of nothing, or a record.
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
        if length > self.most {
            self.number += 1;
            self.lost = true;
            return Ok(match headers.content() {
                Some(_) => Step::Skipped(CrawlSkip::TooLarge),
                None => headers.no_page(),
            });
        }
        let mut body = Vec::new();
        self.stream.by_ref().take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length || !self.at_border(&mut body)? {
            self.stream.read_again(body);
            return Err(damaged());
        }
        body.truncate(length as usize);
        self.number += 1;
        let Some(content) = headers.content() else { return Ok(headers.no_page()) };
        let Some(url) = headers.url else { return Ok(Step::Skipped(CrawlSkip::NoAddress)) };
        Ok(Step::Record(Record { url, content, body }))
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
                // Another record, in the middle of these.
                line.extend_from_slice(b"\r\n");
                self.stream.read_again(line);
                return Err(damaged());
            }
            bytes += line.len();
            headers.add(&String::from_utf8_lossy(&line));
        }
    }

    /// Reads a line without its end, or as much of a long one as headers may have. `false` at the
    /// end.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let most = MAX_HEADER_BYTES as u64;
        if self.stream.by_ref().take(most).read_until(b'\n', line)? == 0 {
            return Ok(false);
        }
        if !line.ends_with(b"\n") && line.len() as u64 == most {
            self.stream.skip_until(b'\n')?;
        }
        line.truncate(line.trim_ascii_end().len());
        Ok(true)
    }

    /// Reads line ends, behind `read`. Whether it is the two that end a record, or the stream ends
    /// there or a record begins.
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
    /// Nothing that may be a page.
    Other,
    Record(Record),
    Skipped(CrawlSkip),
}

fn damaged() -> io::Error {
    io::Error::from(ErrorKind::InvalidData)
}

fn is_damage(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidData
}

/// Whether a member of a gzip file is damaged of which nothing was read yet.
fn is_damage_of_next(error: &io::Error) -> bool {
    let damage = error.get_ref().and_then(|error| error.downcast_ref::<Damage>());
    damage.is_some_and(|damage| !damage.of_last)
}

/// The headers that matter.
#[derive(Debug, Default)]
struct Headers {
    kind: String,
    url: Option<String>,
    content_type: String,
    length: Option<u64>,
}

impl Headers {
    fn add(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else { return };
        let (name, value) = (name.trim(), value.trim());
        if name.eq_ignore_ascii_case("WARC-Type") {
            self.kind = value.to_ascii_lowercase();
        } else if name.eq_ignore_ascii_case("WARC-Target-URI") {
            // WARC 1.0 has it in angle brackets in its grammar, and some crawlers write it so.
            let value = value.strip_prefix('<').and_then(|v| v.strip_suffix('>')).unwrap_or(value);
            self.url = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("Content-Type") {
            self.content_type = value.to_ascii_lowercase();
        } else if name.eq_ignore_ascii_case("Content-Length") {
            self.length = value.parse().ok();
        }
    }

    /// What the body is, if it may be a page.
    fn content(&self) -> Option<Content> {
        match &*self.kind {
            "response" if self.content_type.starts_with("application/http") => Some(Content::Http),
            "resource" | "conversion" => Some(Content::Itself(self.content_type.clone())),
            _ => None,
        }
    }
}

impl Headers {
    /// What becomes of a record that is no page.
    fn no_page(&self) -> Step {
        match &*self.kind {
            "metadata" if self.content_type.starts_with("application/json") => {
                Step::Skipped(CrawlSkip::Metadata)
            }
            _ => Step::Other,
        }
    }
}

/// The page of a record.
pub(super) fn page(record: Record, options: &InputOptions) -> Result<CrawlPage, CrawlSkip> {
    let most = options.max_page_bytes;
    let (content_type, body) = match record.content {
        Content::Itself(content_type) => (http::ContentType::of(&content_type), record.body),
        Content::Http => {
            let message = http::unpack(&record.body, most)?;
            (message.content_type, message.body)
        }
    };
    if content_type.is_html(&body) {
        page::of_html(&record.url, &body, content_type.charset.as_deref(), options)
    } else if content_type.media == "text/plain" {
        page::of_text(&record.url, read_text(&body))
    } else {
        Err(CrawlSkip::NotHtml)
    }
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

    /// The titles of pages, and why others are none, with their numbers.
    fn read(stream: Stream) -> Vec<(u64, Result<String, CrawlSkip>)> {
        let options = InputOptions { max_page_bytes: 100_000, ..InputOptions::default() };
        let mut records = Records::new(stream, options.max_page_bytes);
        let mut found = Vec::new();
        while let Some(record) = records.next().unwrap() {
            let title = record.and_then(|record| page(record, &options)).map(|page| page.title);
            found.push((records.number(), title));
        }
        found
    }

    fn read_plain(bytes: Vec<u8>) -> Vec<(u64, Result<String, CrawlSkip>)> {
        // In small steps, so that everything lies over a border of the buffer somewhere.
        read(Box::new(BufReader::with_capacity(7, Cursor::new(bytes))))
    }

    fn read_gzip(bytes: Vec<u8>) -> Vec<(u64, Result<String, CrawlSkip>)> {
        read(Box::new(BufReader::with_capacity(7, Gunzip::new(Cursor::new(bytes)))))
    }

    fn title(number: u64, name: &str) -> (u64, Result<String, CrawlSkip>) {
        (number, Ok(name.to_owned()))
    }

    fn skip(number: u64, reason: CrawlSkip) -> (u64, Result<String, CrawlSkip>) {
        (number, Err(reason))
    }

    #[test]
    fn blank_lines_between_records_are_nothing() {
        let records = [response("a"), b"\r\n\r\n".to_vec(), response("b"), b"\r\n".to_vec()];
        let read = read_plain(records.concat());
        let titles: Vec<_> = read.into_iter().map(|(_, title)| title).collect();
        assert_eq!(titles, [Ok("a".to_owned()), Ok("b".to_owned())]);
    }

    #[test]
    fn a_page_may_have_as_many_bytes_as_are_allowed_and_no_more() {
        let page = |bytes: usize| {
            let title = "<title>a</title>";
            let body = title.to_owned() + &" ".repeat(bytes - title.len());
            record_of("resource", "https://x.org/a", "text/html", body.as_bytes())
        };
        assert_eq!(read_plain(page(100_000)), [title(1, "a")]);
        assert_eq!(read_plain(page(100_001)), [skip(1, CrawlSkip::TooLarge)]);
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
            title(3, "a"),
            title(6, "b"),
            title(7, ""),
            skip(8, CrawlSkip::NotHtml),
            skip(9, CrawlSkip::NoAddress),
            skip(10, CrawlSkip::NotOk),
            skip(11, CrawlSkip::Metadata),
        ];
        assert_eq!(read_plain(records.concat()), expected);
        assert_eq!(read_gzip(gzip(&records.concat())), expected);
        assert_eq!(read_gzip(records.iter().flat_map(|record| gzip(record)).collect()), expected);
    }

    #[test]
    fn a_damaged_record_costs_no_other() {
        let lying = |length: &str| {
            let record = String::from_utf8(response("lies")).unwrap();
            let (head, body) = record.split_once("Content-Length: ").unwrap();
            let (_, body) = body.split_once("\r\n").unwrap();
            format!("{head}Content-Length: {length}\r\n{body}").into_bytes()
        };
        let cases = [
            lying("10"),
            lying("150"),
            lying("99999"),
            lying("-1"),
            lying("x"),
            b"garbage\r\nand more\r\n".to_vec(),
            b"WARC/1.0\r\nno: length\r\n\r\n".to_vec(),
            [b"WARC/1.0\r\n".to_vec(), vec![b'x'; 200_000], b"\r\n".to_vec()].concat(),
        ];
        for case in cases {
            let start = String::from_utf8_lossy(&case[..case.len().min(300)]).into_owned();
            let records = [response("a"), case, response("b"), response("c")].concat();
            let found = read_plain(records);
            assert!(found.contains(&skip(2, CrawlSkip::Damaged)), "{start}: {found:?}");
            let titles: Vec<_> = found.into_iter().filter_map(|(_, title)| title.ok()).collect();
            assert_eq!(titles, ["a", "b", "c"], "{start}");
        }
        let large = lying("99999999999999");
        let found = read_plain([response("a"), large, response("b")].concat());
        assert_eq!(found, [title(1, "a"), skip(2, CrawlSkip::TooLarge), title(3, "b")]);
    }

    #[test]
    fn a_damaged_member_costs_no_other() {
        let expected = [title(1, "a"), skip(2, CrawlSkip::Damaged), title(3, "c")];
        let whole = gzip(&response("b"));
        let flipped = |at: usize| {
            let mut member = whole.clone();
            member[at] ^= 0x55;
            member
        };
        // In its head, its middle, and its checksum, and without its end.
        let cut = whole[..whole.len() / 2].to_vec();
        for broken in [flipped(0), flipped(whole.len() / 2), flipped(whole.len() - 6), cut] {
            let file = [gzip(&response("a")), broken.clone(), gzip(&response("c"))].concat();
            assert_eq!(read_gzip(file), expected);
            let file = [gzip(&response("a")), broken].concat();
            assert_eq!(read_gzip(file), expected[..2]);
        }
    }

    /// Some say that more of a header follows, which swallows what is packed, and the next members.
    #[test]
    fn no_bit_of_a_gzip_header_loses_a_record_without_a_count() {
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
    fn damaged_headers_are_counted_behind_what_is_lost_already() {
        let broken = |name: &str| {
            let mut member = gzip(&response(name));
            // A header that says that it has more fields.
            member[3] = 0xff;
            member
        };
        let file = [gzip(&response("a")), broken("b"), broken("c"), gzip(&response("d"))].concat();
        let damaged = |number| skip(number, CrawlSkip::Damaged);
        assert_eq!(read_gzip(file), [title(1, "a"), damaged(2), damaged(3), title(4, "d")]);
        let body = [b'x'; 200_000];
        let large = gzip(&record_of("resource", "https://x.org/large", "text/plain", &body));
        let file = [large, broken("b"), gzip(&response("c"))].concat();
        assert_eq!(read_gzip(file), [skip(1, CrawlSkip::TooLarge), damaged(2), title(3, "c")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(parts in prop::collection::vec(prop_oneof![
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
