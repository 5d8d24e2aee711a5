//! Decodes an HTTP response, as stored in a WARC record, to its body.
//!
//! Crawlers differ in the form that they store: some unpack a body but keep the headers that
//! describe how it was packed. So a header is used only if the body matches it.

use std::io::Read;

use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::input::content::ContentType;
use crate::input::gunzip::GZIP;
use crate::input::unzstd::{Unzstd, ZSTD};
use crate::ledger::SkipReason;
use crate::site::binary::{head_looks_like_html, is_binary};

/// A response with status 200.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) content_type: ContentType,
    pub(super) body: Vec<u8>,
}

/// Decodes a response: joins its chunks, and unpacks it to at most `max_bytes` bytes.
pub(super) fn unpack(bytes: &[u8], max_bytes: u64) -> Result<Message, SkipReason> {
    let (status, headers, body) = split(bytes).ok_or(SkipReason::Damaged)?;
    if status != 200 {
        return Err(SkipReason::NotOk);
    }
    let header = |name: &str| {
        let mut of_name = headers.iter().filter(|(one, _)| one.eq_ignore_ascii_case(name));
        of_name.next().map_or("", |(_, value)| value.as_str())
    };
    let content_type = ContentType::new(header("Content-Type"));
    if !content_type.may_be_page() {
        return Err(SkipReason::NotHtml);
    }
    let mut body = body.to_vec();
    if header("Transfer-Encoding").to_ascii_lowercase().contains("chunked")
        && let Some(joined) = join_chunks(&body)
    {
        body = joined;
    }
    // The last coding was applied last.
    for coding in header("Content-Encoding").rsplit(',') {
        body = decode(coding.trim(), body, max_bytes)?;
    }
    // Some crawlers store the packed body but drop the header.
    if body.starts_with(&GZIP) {
        body = inflate(MultiGzDecoder::new(&*body), max_bytes)?;
    }
    Ok(Message { content_type, body })
}

/// Removes a content coding. A body that is not packed is returned unchanged, regardless of the
/// coding.
fn decode(coding: &str, body: Vec<u8>, max_bytes: u64) -> Result<Vec<u8>, SkipReason> {
    match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" if body.starts_with(&GZIP) => {
            inflate(MultiGzDecoder::new(&*body), max_bytes)
        }
        "deflate" if is_zlib(&body) => inflate(ZlibDecoder::new(&*body), max_bytes),
        "deflate" if head_looks_like_html(&body) => Ok(body),
        "deflate" => inflate(DeflateDecoder::new(&*body), max_bytes),
        // Brotli has no magic bytes, but its output is not text.
        "br" => match inflate(Decompressor::new(&*body, 4 << 10), max_bytes) {
            Err(SkipReason::Damaged) if head_looks_like_html(&body) || !is_binary(&body) => {
                Ok(body)
            }
            unpacked => unpacked,
        },
        "zstd" if body.starts_with(&ZSTD) => inflate(Unzstd::new(&*body), max_bytes),
        "" | "identity" | "gzip" | "x-gzip" | "none" => Ok(body),
        _ if is_binary(&body) => Err(SkipReason::Packed),
        _ => Ok(body),
    }
}

/// Names and values.
type Headers = Vec<(String, String)>;

/// Splits a response into status, headers and body. Invalid header lines are skipped, as in
/// browsers. A line that starts with white space continues the previous one.
fn split(bytes: &[u8]) -> Option<(u16, Headers, &[u8])> {
    let mut rest = bytes.trim_ascii_start();
    let status = line(&mut rest)?;
    let mut words = status.split_ascii_whitespace();
    let version = words.next()?.to_ascii_uppercase();
    let status = words.next()?.parse().ok().filter(|status| (100..1_000).contains(status))?;
    if !version.starts_with("HTTP") {
        return None;
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let line = line(&mut rest)?;
        if line.is_empty() {
            return Some((status, headers, rest));
        }
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = headers.last_mut() {
                *value = format!("{value} {}", line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
}

/// Reads a line of the head, without its line end.
fn line(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
    *rest = &rest[end + 1..];
    Some(String::from_utf8_lossy(line).into_owned())
}

/// Joins the chunks of a body as far as they are valid. Returns `None` if it is not chunked.
fn join_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let mut begun = false;
    while let Ok(httparse::Status::Complete((begin, size))) = httparse::parse_chunk_size(rest) {
        begun = true;
        let chunk = &rest[begin..];
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(chunk.len());
        body.extend_from_slice(&chunk[..size]);
        rest = &chunk[size..];
        if size == 0 {
            break;
        }
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
    begun.then_some(body)
}

/// Returns whether packed bytes start with a zlib header (RFC 1950, section 2.2), which some
/// servers omit.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

fn inflate(packed: impl Read, max_bytes: u64) -> Result<Vec<u8>, SkipReason> {
    let mut body = Vec::new();
    let read = packed.take(max_bytes.saturating_add(1)).read_to_end(&mut body);
    read.map_err(|_| SkipReason::Damaged)?;
    if body.len() as u64 > max_bytes { Err(SkipReason::TooLarge) } else { Ok(body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    const MAX_BYTES: u64 = 10_000;

    fn answer(headers: &str, body: &[u8]) -> Vec<u8> {
        [
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; Charset=\"KOI8-R\"\r\n",
            headers.as_bytes(),
            b"\r\n",
            body,
        ]
        .concat()
    }

    #[track_caller]
    fn check(headers: &str, body: &[u8], expected: Result<&[u8], SkipReason>) {
        let body = unpack(&answer(headers, body), MAX_BYTES).map(|message| message.body);
        assert_eq!(body.as_deref().map_err(|reason| *reason), expected);
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(body).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn bodies_are_unpacked() {
        check("", b"<p>a", Ok(b"<p>a"));
        check(
            "Transfer-Encoding: chunked\r\n",
            b"2\r\n<p\r\n3;x=y\r\n>ab\r\n0\r\n\r\n",
            Ok(b"<p>ab"),
        );
        check("Content-Encoding: gzip\r\n", &gzip(b"<p>a"), Ok(b"<p>a"));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"<p>a").unwrap();
        check("Content-Encoding: deflate\r\n", &zlib.finish().unwrap(), Ok(b"<p>a"));
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(b"<p>a").unwrap();
        check("Content-Encoding: Deflate\r\n", &raw.finish().unwrap(), Ok(b"<p>a"));
        let packed = gzip(b"<p>a");
        let chunk =
            [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
        check("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", &chunk, Ok(b"<p>a"));
    }

    #[test]
    fn unpacked_bodies_are_unchanged() {
        check("Transfer-Encoding: chunked\r\n", b"<p>a", Ok(b"<p>a"));
        check("Content-Encoding: gzip\r\n", b"<p>a", Ok(b"<p>a"));
        check("Content-Encoding: deflate\r\n", b"<p>a", Ok(b"<p>a"));
    }

    #[test]
    fn unpacking_errors_are_reported() {
        check("Content-Encoding: compress\r\n", b"\x1f\x9d\x90", Err(SkipReason::Packed));
        check("Content-Encoding: br\r\n", b"\0\xff\x01", Err(SkipReason::Damaged));
        check("Content-Encoding: gzip\r\n", &gzip(b"<p>a")[..15], Err(SkipReason::Damaged));
        check("Content-Encoding: gzip\r\n", &gzip(&[b' '; 20_000]), Err(SkipReason::TooLarge));
        assert_eq!(unpack(b"HTTP/1.1 404 No\r\n\r\n", MAX_BYTES), Err(SkipReason::NotOk));
        assert_eq!(
            unpack(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", MAX_BYTES),
            Err(SkipReason::NotHtml)
        );
        assert_eq!(unpack(b"<p>a", MAX_BYTES), Err(SkipReason::Damaged));
    }

    #[test]
    fn br_and_zstd_are_unpacked() {
        let page = b"<title>Rye</title><p>Rye bread rises slowly.";
        let br = [&[139, 21, 128][..], page, &[3]].concat();
        check("Content-Encoding: br\r\n", &br, Ok(page));
        check("Content-Encoding: br\r\n", &br[..20], Err(SkipReason::Damaged));
        let zstd = compress_to_vec(&page[..], CompressionLevel::Fastest);
        check("Content-Encoding: zstd\r\n", &zstd, Ok(page));
        let large = compress_to_vec(&[b' '; 20_000][..], CompressionLevel::Fastest);
        check("Content-Encoding: zstd\r\n", &large, Err(SkipReason::TooLarge));
    }

    #[test]
    fn heads_are_read_as_browsers_read_them() {
        let body = |head: &str| {
            let answer = format!("{head}\r\n<p>a");
            unpack(answer.as_bytes(), MAX_BYTES)
                .map(|message| (message.content_type.media, message.body))
        };
        let html = || Ok(("text/html".to_owned(), b"<p>a".to_vec()));
        for status in
            ["HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/1.1 200", "http/1.0 200 ok", "\r\nHTTP/3 200 "]
        {
            assert_eq!(
                body(&format!("{status}\r\nContent-Type: text/html\r\n")),
                html(),
                "{status}"
            );
        }
        let many: String = (0..1_000).map(|n| format!("X-{n}: a\r\n")).collect();
        for odd in [many.as_str(), "no header\r\n", ": a\r\n", "\u{e4} b: c\r\n", "A: b\r\n\tc\r\n"]
        {
            let head = format!("HTTP/1.1 200 OK\r\n{odd}content-TYPE:text/html\r\n");
            assert_eq!(body(&head), html(), "{odd:.20}");
        }
        assert_eq!(body("HTTP/2 404\r\n"), Err(SkipReason::NotOk));
        for none in ["HTTP/2 abc\r\n", "SIP/2.0 200 OK\r\n", "HTTP/2\r\n"] {
            assert_eq!(body(none), Err(SkipReason::Damaged), "{none}");
        }
    }

    #[test]
    fn unpacked_bodies_are_unchanged_regardless_of_label() {
        for coding in ["br", "zstd", "none", "utf-8", "identity", "text/html", "bogus, gzip"] {
            check(&format!("Content-Encoding: {coding}\r\n"), b"<p>a", Ok(b"<p>a"));
        }
        check("", &gzip(b"<p>a"), Ok(b"<p>a"));
    }

    proptest! {
        #[test]
        fn any_body_is_read(
            headers in prop::sample::select(vec!["", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Content-Encoding: deflate, gzip\r\n"]),
            start in prop::sample::select(vec![&b""[..], b"5\r\n", b"ffffffffffffffff\r\n", b"\x1f\x8b\x08", b"\x78\x9c"]),
            body: Vec<u8>,
        ) {
            let _ = unpack(&answer(headers, &[start, &body].concat()), MAX_BYTES);
            let _ = unpack(&body, MAX_BYTES);
        }
    }
}
