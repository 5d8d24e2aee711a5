//! The bytes of an HTTP answer, as a WARC record has them, into the body that was meant.
//!
//! Crawlers differ in what they keep: some unpack a body and leave the headers that say how it was
//! packed. So a header is believed only if the body looks like it.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::input::gunzip::GZIP;
use crate::input::summary::CrawlSkip;
use crate::site::html::{looks_like_html, read_text};

/// The most headers of an answer.
const MAX_HEADERS: usize = 256;

/// An answer with status 200.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) content_type: ContentType,
    pub(super) body: Vec<u8>,
}

/// What a `Content-Type` says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ContentType {
    /// In lower case, without parameters; empty if there is none.
    pub(super) media: String,
    pub(super) charset: Option<String>,
}

impl ContentType {
    pub(super) fn of(value: &str) -> Self {
        let mut parts = value.split(';');
        let media = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        Self { media, charset }
    }

    /// Whether `body` is HTML: it is said to be, or nothing is said and it looks so.
    pub(super) fn is_html(&self, body: &[u8]) -> bool {
        match &*self.media {
            "text/html" | "application/xhtml+xml" => true,
            "" => looks_like_html(&read_text(&body[..body.len().min(1_024)])),
            _ => false,
        }
    }
}

/// Unpacks an answer: chunks put together, gzip and deflate unpacked to at most `most` bytes.
pub(super) fn unpack(bytes: &[u8], most: u64) -> Result<Message, CrawlSkip> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    let Ok(httparse::Status::Complete(begin)) = config.parse_response(&mut response, bytes) else {
        return Err(CrawlSkip::Damaged);
    };
    if response.code != Some(200) {
        return Err(CrawlSkip::NotOk);
    }
    let header = |name: &str| {
        let mut of_name = response.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
        of_name.next().map_or(String::new(), |h| String::from_utf8_lossy(h.value).into_owned())
    };
    let content_type = ContentType::of(&header("Content-Type"));
    if !matches!(&*content_type.media, "text/html" | "application/xhtml+xml" | "") {
        return Err(CrawlSkip::NotHtml);
    }
    let mut body = bytes[begin..].to_vec();
    if header("Transfer-Encoding").to_ascii_lowercase().contains("chunked")
        && let Some(joined) = join_chunks(&body)
    {
        body = joined;
    }
    // The last coding was applied last.
    for coding in header("Content-Encoding").rsplit(',') {
        body = match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => body,
            "gzip" | "x-gzip" if !body.starts_with(&GZIP) => body,
            "gzip" | "x-gzip" => inflate(MultiGzDecoder::new(&*body), most)?,
            "deflate" if is_zlib(&body) => inflate(ZlibDecoder::new(&*body), most)?,
            "deflate" if looks_like_html(&read_text(&body[..body.len().min(1_024)])) => body,
            "deflate" => inflate(DeflateDecoder::new(&*body), most)?,
            _ => return Err(CrawlSkip::Packed),
        };
    }
    Ok(Message { content_type, body })
}

/// Puts the chunks of a body together, as far as they go; `None` if it is not in chunks.
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

/// Whether packed bytes have the two of a zlib header (RFC 1950, section 2.2), which some servers
/// leave out.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

fn inflate(packed: impl Read, most: u64) -> Result<Vec<u8>, CrawlSkip> {
    let mut body = Vec::new();
    packed.take(most.saturating_add(1)).read_to_end(&mut body).map_err(|_| CrawlSkip::Damaged)?;
    if body.len() as u64 > most { Err(CrawlSkip::TooLarge) } else { Ok(body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    const MOST: u64 = 10_000;

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
    fn check(headers: &str, body: &[u8], expected: Result<&[u8], CrawlSkip>) {
        let body = unpack(&answer(headers, body), MOST).map(|message| message.body);
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
    fn bodies_that_are_unpacked_already_stay() {
        check("Transfer-Encoding: chunked\r\n", b"<p>a", Ok(b"<p>a"));
        check("Content-Encoding: gzip\r\n", b"<p>a", Ok(b"<p>a"));
        check("Content-Encoding: deflate\r\n", b"<p>a", Ok(b"<p>a"));
    }

    #[test]
    fn what_cannot_be_unpacked_is_told() {
        check("Content-Encoding: br\r\n", b"x", Err(CrawlSkip::Packed));
        check("Content-Encoding: gzip\r\n", &gzip(b"<p>a")[..15], Err(CrawlSkip::Damaged));
        check("Content-Encoding: gzip\r\n", &gzip(&[b' '; 20_000]), Err(CrawlSkip::TooLarge));
        assert_eq!(unpack(b"HTTP/1.1 404 No\r\n\r\n", MOST), Err(CrawlSkip::NotOk));
        assert_eq!(
            unpack(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", MOST),
            Err(CrawlSkip::NotHtml)
        );
        assert_eq!(unpack(b"<p>a", MOST), Err(CrawlSkip::Damaged));
    }

    #[test]
    fn the_charset_is_heard() {
        assert_eq!(
            unpack(&answer("", b""), MOST).unwrap().content_type.charset.as_deref(),
            Some("KOI8-R")
        );
        assert!(ContentType::of("").is_html(b"<!doctype html>"));
        assert!(!ContentType::of("").is_html(b"text"));
    }

    proptest! {
        #[test]
        fn any_body_is_read(
            headers in prop::sample::select(vec!["", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Content-Encoding: deflate, gzip\r\n"]),
            start in prop::sample::select(vec![&b""[..], b"5\r\n", b"ffffffffffffffff\r\n", b"\x1f\x8b\x08", b"\x78\x9c"]),
            body: Vec<u8>,
        ) {
            let _ = unpack(&answer(headers, &[start, &body].concat()), MOST);
            let _ = unpack(&body, MOST);
        }
    }
}
