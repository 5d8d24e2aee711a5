//! Decodes bytes to text with the declared encoding, or the one that browsers guess.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Encoding, UTF_8};

/// Maximum number of bytes of a page as UTF-8, or 1.5 times its original size if that is larger.
/// Characters of other encodings may take three times as many bytes in UTF-8.
const MAX_TEXT_BYTES: usize = 18 << 20;

/// Returns the encoding of an HTML page: that of its byte order mark, the declared one, or a guess.
pub(crate) fn encoding_of(bytes: &[u8], tld: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let head = &bytes[..bytes.len().min(1_024)];
    match declared_encoding(head).or_else(|| xml_encoding(head)) {
        // The declaration was read as ASCII, so it must be wrong.
        Some(encoding) if !encoding.is_ascii_compatible() => UTF_8,
        Some(encoding) => encoding,
        None => guessed(bytes, tld),
    }
}

/// Decodes a file that is not HTML. `charset` is its external label.
pub(crate) fn decoded(url: &str, bytes: &[u8], charset: Option<&str>) -> String {
    let encoding = labeled(bytes, charset).unwrap_or_else(|| guessed(bytes, tld(url)));
    encoding.decode(bytes).0.into_owned()
}

/// Returns the encoding of a byte order mark, or else that of the label.
pub(crate) fn labeled(bytes: &[u8], charset: Option<&str>) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    marked.or_else(|| Encoding::for_label(charset?.as_bytes()))
}

/// Returns the last label of the host of a URL.
pub(crate) fn tld(url: &str) -> Option<&str> {
    let host = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
    let (_, tld) = host.rsplit_once('.')?;
    // The detector accepts only these.
    let is_one = !tld.is_empty() && tld.bytes().all(|byte| byte.is_ascii_lowercase());
    is_one.then_some(tld)
}

/// Number of bytes used to guess an encoding.
const GUESSED_BYTES: usize = 256 << 10;
/// Number of valid characters beyond ASCII after which text counts as UTF-8. Text in other
/// encodings rarely contains as many in a row.
const UTF_8_CHARS: usize = 8;

/// Guesses the encoding of bytes without a declaration: UTF-8 if they are valid, or start with
/// enough valid characters; otherwise the guess of browsers, from the first bytes that are not
/// ASCII.
fn guessed(bytes: &[u8], tld: Option<&str>) -> &'static Encoding {
    let Some(valid) = bytes.utf8_chunks().next() else { return UTF_8 };
    let chars = valid.valid().chars().filter(|c| !c.is_ascii());
    if valid.invalid().is_empty() || chars.take(UTF_8_CHARS).count() == UTF_8_CHARS {
        return UTF_8;
    }
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or_default();
    // In a two-byte encoding, the first byte may be ASCII.
    let bytes = &bytes[first.saturating_sub(1)..];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESSED_BYTES)], bytes.len() <= GUESSED_BYTES);
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Deny)
}

/// Decodes a file that is not HTML: by its byte order mark, as UTF-8, or else in the encoding that
/// browsers guess.
#[must_use]
pub fn read_text(bytes: &[u8]) -> String {
    decoded("", bytes, None)
}

/// The decoded text of a page.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) encoding: &'static Encoding,
    pub(crate) malformed: bool,
    /// Whether the text is complete.
    pub(crate) whole: bool,
}

impl<'a> Decoded<'a> {
    /// Decodes bytes in an encoding, which a byte order mark overrides.
    pub(crate) fn new(bytes: &'a [u8], encoding: &'static Encoding) -> Self {
        let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((encoding, 0));
        let mut rest = &bytes[mark..];
        if encoding == UTF_8
            && let Ok(text) = std::str::from_utf8(rest)
        {
            return Self { text: text.into(), encoding, malformed: false, whole: true };
        }
        let max_bytes = MAX_TEXT_BYTES.max(bytes.len() / 2 * 3);
        let (mut decoder, mut text) =
            (encoding.new_decoder_without_bom_handling(), String::with_capacity(rest.len()));
        let mut malformed = false;
        loop {
            let (result, read, replaced) = decoder.decode_to_string(rest, &mut text, true);
            rest = &rest[read..];
            malformed |= replaced;
            let whole = result == CoderResult::InputEmpty;
            if whole || text.len() >= max_bytes {
                return Self { text: text.into(), encoding, malformed, whole };
            }
            text.reserve_exact((text.len() / 2).clamp(64, max_bytes - text.len() + 64));
        }
    }
}

/// Returns the encoding that the first `meta` with a `charset` declares.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head: Cow<'_, str> = String::from_utf8_lossy(head);
    let head = head.to_ascii_lowercase();
    head.split("<meta").skip(1).find_map(|tag| {
        let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| c.is_whitespace() || "\"';/>".contains(c));
        Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
    })
}

/// Returns the encoding of an XML declaration at the start.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(head);
    let (declaration, _) = head.strip_prefix("<?xml")?.split_once('>')?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;

    #[test]
    fn a_page_that_is_too_long_as_utf_8_is_truncated() {
        let euro = vec![0x80; 12 << 20];
        // For any number of reallocations.
        for mebibytes in [7, 10, 12] {
            let decoded = Decoded::new(&euro[..mebibytes << 20], WINDOWS_1252);
            assert!(!decoded.whole && decoded.text.len() < MAX_TEXT_BYTES + 1_024);
            assert!(decoded.text.chars().all(|c| c == '€'));
        }
        let decoded = Decoded::new(&euro[..5 << 20], WINDOWS_1252);
        assert!(decoded.whole && decoded.text.len() == 15 << 20);
    }

    #[test]
    fn text_is_read_in_its_encoding() {
        assert_eq!(read_text("grün".as_bytes()), "grün");
        assert_eq!(read_text("\u{feff}grün".as_bytes()), "grün");
        assert_eq!(read_text(b"gr\xfcn"), "grün");
        assert_eq!(read_text(b"\xff\xfea\0b\0"), "ab");
    }
}
