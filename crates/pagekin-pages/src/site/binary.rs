//! Whether bytes are text, or an image, a document or an archive whose name or label says
//! otherwise.

use crate::site::encoding::read_text;
use crate::site::html::looks_like_html;

/// Number of bytes of a body that are examined.
const HEAD_BYTES: usize = 1_024;

/// Magic bytes of files that servers mislabel as HTML or text.
const MAGIC: &[&[u8]] = &[
    b"%PDF-",
    b"%!PS-",
    b"{\\rtf",
    b"\xff\xd8\xff",
    b"\x89PNG",
    b"GIF87a",
    b"GIF89a",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\0asm",
    b"\x7fELF",
    b"wOFF",
    b"wOF2",
    b"OTTO\0",
    b"\0\x01\0\0",
    b"\0\0\x01\0",
    b"OggS\0",
    b"\x1aE\xdf\xa3",
    b"II*\0",
    b"MM\0*",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"SQLite format 3\0",
];

/// Returns whether a file or body that is labeled as HTML may be a page: text, without the bytes
/// that text does not contain unless it starts like HTML.
#[must_use]
pub fn is_page(body: &[u8]) -> bool {
    is_text(body) && (!is_binary(body) || head_looks_like_html(body))
}

/// Returns whether a body starts like HTML.
pub(crate) fn head_looks_like_html(body: &[u8]) -> bool {
    looks_like_html(&read_text(head(body)))
}

/// Returns whether a body is text in some encoding, judging by its first bytes.
#[must_use]
pub fn is_text(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    let is_marked = encoding_rs::Encoding::for_bom(body).is_some();
    let is_media = matches!(body, [b'R', b'I', b'F', b'F', _, _, _, _, b'W' | b'A', ..])
        || body.get(4..8) == Some(b"ftyp".as_slice());
    is_marked || !(is_media || MAGIC.iter().any(|magic| body.starts_with(magic)))
}

/// Returns whether a body contains bytes that text does not contain (WHATWG MIME Sniffing, binary
/// data bytes).
pub(crate) fn is_binary(body: &[u8]) -> bool {
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    !is_text(body)
        || encoding_rs::Encoding::for_bom(body).is_none() && head(body).iter().any(is_binary)
}

/// Returns the bytes of a body that are examined.
pub(crate) fn head(body: &[u8]) -> &[u8] {
    &body[..body.len().min(HEAD_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_text() {
        for page in [
            &b""[..],
            b"words",
            b"<p>\x08words",
            b"<!doctype html>\0\0",
            b"\xff\xfe<\0p\0>\0",
            b"na\xefve",
        ] {
            assert!(is_page(page), "{page:?}");
        }
        for other in
            [&b"GIF89a"[..], b"\n%PDF-1.7", b"PK\x03\x04<html>", b"\0\0\0", b"\xf5\xb1\x06e\x12JX"]
        {
            assert!(!is_page(other), "{other:?}");
        }
    }
}
