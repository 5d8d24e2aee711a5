//! WARC files (ISO 28500) record by record, whatever is damaged between.
//!
//! Pages are the `response` records of HTTP, and the `resource` and `conversion` records of HTML or
//! plain text. A record without a type is what its content says it is. A `revisit` record is a page
//! with the content of another record, which `read` searches for. Others are counted by what they
//! are.
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
    /// The time of its capture, in the form of WARC (ISO 8601), which sorts as it is.
    pub(super) captured: String,
    /// The digest of its payload, or empty.
    pub(super) digest: String,
}

/// What the body of a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// An answer of a server.
    Http,
    /// The page itself, of this `Content-Type`.
    Itself(String),
    /// That of an earlier record, whose URL may be named.
    Revisit(Option<String>),
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
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Record, SkipReason>>> {
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
                        return Ok(Some(Err(SkipReason::Damaged)));
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
    Skipped(SkipReason),
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

    /// What the body is, if it may be a page.
    fn content(&self, body: &[u8]) -> Result<Content, SkipReason> {
        // WARC has `application/http`; RFC 2616 has `message/http` too, and some write that.
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

/// A URL without angle brackets: WARC 1.0 has them in its grammar, and some crawlers write it so.
fn bare(value: String) -> String {
    let bare = value.strip_prefix('<').and_then(|value| value.strip_suffix('>'));
    bare.map(str::to_owned).unwrap_or(value)
}

fn begins(body: &[u8], with: &[u8]) -> bool {
    body.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// The page of a record.
pub(super) fn page(record: Record, options: &InputOptions) -> Result<CrawlPage, SkipReason> {
    let most = options.max_page_bytes;
    let (content_type, body) = match record.content {
        Content::Itself(content_type) => (ContentType::new(&content_type), record.body),
        Content::Http => {
            let message = http::unpack(&record.body, most)?;
            (message.content_type, message.body)
        }
        Content::Revisit(_) => return Err(SkipReason::Revisit),
    };
    let charset = content_type.charset.as_deref();
    let page = match content_type.nature(&body) {
        // Every crawl has it, and it is a page of none.
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

    /// The titles of pages, and why others are none, with their numbers.
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
        // In small steps, so that everything lies over a border of the buffer somewhere.
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
    fn blank_lines_between_records_are_nothing() {
        let records = [response("a"), b"\r\n\r\n".to_vec(), response("b"), b"\r\n".to_vec()];
        let read = read_plain(records.concat());
        let titles: Vec<_> = read.into_iter().map(|(_, title)| title).collect();
        assert_eq!(titles, [Ok("a".to_owned()), Ok("b".to_owned())]);
        // However many, and in front of all.
        let blank = b"\r\n".repeat(200);
        let records = [blank.clone(), response("a"), blank.clone(), response("b"), blank];
        assert_eq!(read_plain(records.concat()), [title(1, "a"), title(2, "b")]);
    }

    #[test]
    fn a_page_may_have_as_many_bytes_as_are_allowed_and_no_more() {
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
    fn records_without_a_type_are_what_they_hold() {
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
            assert!(found.contains(&skip(2, SkipReason::Damaged)), "{start}: {found:?}");
            let titles: Vec<_> = found.into_iter().filter_map(|(_, title)| title.ok()).collect();
            assert_eq!(titles, ["a", "b", "c"], "{start}");
        }
        let large = lying("99999999999999");
        let found = read_plain([response("a"), large, response("b")].concat());
        assert_eq!(found, [title(1, "a"), skip(2, SkipReason::TooLarge), title(3, "b")]);
    }

    #[test]
    fn a_damaged_member_costs_no_other() {
        let expected = [title(1, "a"), skip(2, SkipReason::Damaged), title(3, "c")];
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
        let damaged = |number| skip(number, SkipReason::Damaged);
        assert_eq!(read_gzip(file), [title(1, "a"), damaged(2), damaged(3), title(4, "d")]);
        let body = [b'x'; 200_000];
        let large = gzip(&record_of("resource", "https://x.org/large", "text/plain", &body));
        let file = [large, broken("b"), gzip(&response("c"))].concat();
        assert_eq!(read_gzip(file), [skip(1, SkipReason::TooLarge), damaged(2), title(3, "c")]);
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
