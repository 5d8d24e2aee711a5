//! Reads inputs in memory on one thread, for the fuzz targets.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use crate::input::error::InputError;
use crate::input::gunzip::Gunzip;
use crate::input::open::{Kind, Source, of_stream};
use crate::input::options::InputOptions;
use crate::input::page::CrawlPage;
use crate::input::{arc, http, jsonl, warc};
use crate::ledger::SkipReason;

/// Returns the pages of a JSONL, WARC or ARC stream, plain or compressed, like
/// [`read`](crate::input::read()), or why they were skipped. Reads `step` bytes at a time.
///
/// # Errors
///
/// Returns an error if the format is unknown.
pub fn pages(
    bytes: &[u8],
    step: usize,
    options: &InputOptions,
) -> Result<Vec<Result<CrawlPage, SkipReason>>, InputError> {
    let path = Path::new("-");
    let max_bytes = options.max_page_bytes;
    let stream = BufReader::with_capacity(step.max(1), Cursor::new(bytes.to_vec()));
    let mut pages = Vec::new();
    match of_stream(Box::new(stream), path)? {
        Source::Stream(Kind::Jsonl, stream) => {
            let mut lines = jsonl::Lines::new(stream, max_bytes);
            while let Some(line) = lines.next_line().map_err(InputError::io(path))? {
                match line {
                    Ok(line) if line.trim_ascii().is_empty() => {}
                    line => pages.push(line.and_then(|line| jsonl::page(&line, options))),
                }
            }
        }
        Source::Stream(Kind::Warc, stream) => {
            let mut records = warc::Records::new(stream, max_bytes);
            while let Some(record) = records.next().map_err(InputError::io(path))? {
                pages.push(record.and_then(|record| warc::page(record, options)));
            }
        }
        Source::Stream(Kind::Arc, stream) => {
            let mut records = arc::Records::new(stream, max_bytes);
            while let Some(record) = records.next().map_err(InputError::io(path))? {
                pages.push(record.and_then(|record| warc::page(record, options)));
            }
        }
        Source::Folder | Source::Zip | Source::Empty => {}
    }
    Ok(pages)
}

/// Unpacks a gzip file of several members as far as possible. Returns the content and the number of
/// damaged parts.
///
/// # Errors
///
/// Never, because reading from memory fails only due to damage.
pub fn unpacked(bytes: &[u8], step: usize) -> io::Result<(Vec<u8>, u64)> {
    let mut file = Gunzip::new(BufReader::with_capacity(step.max(1), Cursor::new(bytes)));
    let (mut all, mut damaged) = (Vec::new(), 0);
    loop {
        match file.read_to_end(&mut all) {
            Ok(_) => return Ok((all, damaged)),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => damaged += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Returns the media type and the body of an HTTP response, unpacked to at most `max_bytes` bytes.
///
/// # Errors
///
/// Returns why it is not a page.
pub fn answer_of_server(bytes: &[u8], max_bytes: u64) -> Result<(String, Vec<u8>), SkipReason> {
    http::unpack(bytes, max_bytes).map(|message| (message.content_type.media, message.body))
}
