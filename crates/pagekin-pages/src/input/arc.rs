//! ARC files, the predecessor of WARC: lines with a URL, each followed by an HTTP response.
//!
//! The first record describes the file. Its first number is the version, which determines the
//! number of fields in such a line: 5 in version 1, 10 in version 2. The last field is the length.
//! An invalid line counts as one damaged record, and reading resumes at the next valid one.

use std::io::{self, BufRead, ErrorKind, Read};

use crate::input::open::Stream;
use crate::input::warc::{Content, Record};
use crate::ledger::SkipReason;

/// Maximum number of bytes of a line with a URL.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The records of a stream.
pub(super) struct Records {
    stream: Stream,
    max_bytes: u64,
    number: u64,
    lost: bool,
}

/// A parsed line with a URL.
struct Line {
    url: String,
    content_type: String,
    captured: String,
    length: u64,
}

impl Line {
    fn new(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [.., length] = fields[..] else { return None };
        let length = length.parse().ok()?;
        // The 14-digit time is at the same position in both versions, after the URL and the IP
        // address.
        let is_time = |field: &&str| field.len() == 14 && field.bytes().all(|b| b.is_ascii_digit());
        let at = fields.iter().rposition(is_time).filter(|&at| at >= 2 && at + 2 < fields.len())?;
        let url = fields[..at - 1].join(" ");
        let content_type = fields[at + 1].to_owned();
        url.contains(':').then(|| Self { url, content_type, captured: iso(fields[at]), length })
    }
}

/// Converts a time to the format of WARC.
fn iso(time: &str) -> String {
    let part = |from: usize, to: usize| time.get(from..to).unwrap_or_default();
    let (date, hour) =
        ([part(0, 4), part(4, 6), part(6, 8)], [part(8, 10), part(10, 12), part(12, 14)]);
    format!("{}T{}Z", date.join("-"), hour.join(":"))
}

impl Records {
    /// Records of more than `max_bytes` bytes are skipped.
    pub(super) fn new(stream: Stream, max_bytes: u64) -> Self {
        Self { stream, max_bytes, number: 0, lost: false }
    }

    /// Returns the number of the last returned record, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next record.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Record, SkipReason>>> {
        loop {
            match self.step() {
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    if !std::mem::replace(&mut self.lost, true) {
                        self.number += 1;
                        return Ok(Some(Err(SkipReason::Damaged)));
                    }
                }
                Ok(Some(None)) => {}
                Ok(Some(Some(record))) => {
                    self.number += 1;
                    return Ok(Some(record));
                }
                Ok(None) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a blank line, or a record. Returns `None` at the end.
    #[allow(clippy::type_complexity)] // Used once.
    fn step(&mut self) -> io::Result<Option<Option<Result<Record, SkipReason>>>> {
        let mut line = Vec::new();
        if self.stream.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            return Ok(Some(None));
        }
        let Some(line) = Line::new(String::from_utf8_lossy(&line).trim_end()) else {
            return Err(ErrorKind::InvalidData.into());
        };
        self.lost = false;
        let Line { url, content_type, captured, length } = line;
        if length > self.max_bytes {
            io::copy(&mut self.stream.by_ref().take(length), &mut io::sink())?;
            return Ok(Some(Some(Err(SkipReason::TooLarge))));
        }
        let mut body = Vec::new();
        self.stream.by_ref().take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length {
            return Err(ErrorKind::InvalidData.into());
        }
        let is_page = url.starts_with("http:") || url.starts_with("https:");
        if !is_page {
            return Ok(Some(Some(Err(SkipReason::NotResponse))));
        }
        let is_http = body.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
        let content = if is_http { Content::Http } else { Content::Itself(content_type) };
        let digest = String::new();
        Ok(Some(Some(Ok(Record { url, content, body, captured, digest }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(file: &str) -> Vec<Result<(String, String, Content), SkipReason>> {
        let mut records = Records::new(Box::new(Cursor::new(file.as_bytes().to_vec())), 1_000);
        let mut all = Vec::new();
        while let Some(record) = records.next().unwrap() {
            all.push(record.map(|record| (record.url, record.captured, record.content)));
        }
        all
    }

    #[test]
    fn both_versions_are_read() {
        let one = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 13\n1 0 Archive\n\n\
                   http://x.org/a b 1.2.3.4 20080430204826 text/html 29\nHTTP/1.1 200 OK\r\n\r\n<title>a\n\n\
                   dns:x.org 1.2.3.4 20080430204826 text/dns 3\nabc\n";
        let two = "http://x.org/c 1.2.3.4 20080430204827 text/html 200 - - 77 a.arc 4\n<p>c\n";
        let large = "http://x.org/l 1.2.3.4 20080430204827 text/html 9000\nshort";
        let time = |second: u32| format!("2008-04-30T20:48:{second}Z");
        let page = |url: &str, second, content| Ok((url.to_owned(), time(second), content));
        assert_eq!(
            read(&format!("{one}garbage\nmore garbage\n{two}{large}")),
            [
                Err(SkipReason::NotResponse),
                page("http://x.org/a b", 26, Content::Http),
                Err(SkipReason::NotResponse),
                Err(SkipReason::Damaged),
                page("http://x.org/c", 27, Content::Itself("text/html".to_owned())),
                Err(SkipReason::TooLarge),
            ]
        );
        let cut = "http://x.org/c 1.2.3.4 20080430204827 text/html 40\n<p>c";
        assert_eq!(read(cut), [Err(SkipReason::Damaged)]);
    }
}
