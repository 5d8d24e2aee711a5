//! The type of a response body, from its label and its first bytes, which take precedence.

use crate::site::binary::{head, head_looks_like_html, is_page, is_text};
use crate::site::html::is_whole_page;

/// The type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    Html,
    Text,
    /// Neither.
    Other,
}

/// A parsed `Content-Type`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ContentType {
    /// The media type in lower case, without parameters; empty if there is none.
    pub(super) media: String,
    pub(super) charset: Option<String>,
}

impl ContentType {
    /// Parses the value of the header, which some servers repeat.
    pub(super) fn new(value: &str) -> Self {
        let mut parts = value.split([';', ',']).map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        Self { media, charset }
    }

    /// Returns whether a body of this type may be a page, before it is read.
    pub(super) fn may_be_page(&self) -> bool {
        !matches!(self.label(), Label::Other)
    }

    /// Returns the type of `body`.
    pub(super) fn nature(&self, body: &[u8]) -> Nature {
        let label = self.label();
        let is_utf16 = self.charset.as_ref().is_some_and(|charset| {
            charset.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("utf-16"))
        });
        if !is_utf16 && !is_text(body) {
            return Nature::Other;
        }
        match label {
            Label::Html if is_utf16 || is_page(body) => Nature::Html,
            Label::Text => Nature::Text,
            Label::Xml if is_whole_page(head(body)) => Nature::Html,
            Label::Unknown if head_looks_like_html(body) => Nature::Html,
            Label::Html | Label::Xml | Label::Unknown | Label::Other => Nature::Other,
        }
    }

    fn label(&self) -> Label {
        match &*self.media {
            "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Label::Html,
            "text/plain" | "text/markdown" => Label::Text,
            "application/xml" | "text/xml" => Label::Xml,
            // Browsers treat these as missing (WHATWG MIME Sniffing, section 7).
            "unknown/unknown" | "application/unknown" | "*/*" => Label::Unknown,
            media if !media.contains('/') => Label::Unknown,
            _ => Label::Other,
        }
    }
}

#[derive(Clone, Copy)]
enum Label {
    Html,
    Text,
    Xml,
    Unknown,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(label: &str, body: &[u8], expected: Nature) {
        assert_eq!(ContentType::new(label).nature(body), expected);
    }

    #[test]
    fn labels_are_used_if_the_body_is_compatible() {
        check("text/html; charset=x", b"any words", Nature::Html);
        check("text/html, text/html;charset=utf-8", b"words", Nature::Html);
        check("Text/Plain", b"<p>words", Nature::Text);
        for body in [&b"%PDF-1.4"[..], b" \n%PDF-1.7", b"\xff\xd8\xff\xe0", b"GIF89a..", b"\0asm"] {
            check("text/html", body, Nature::Other);
            check("text/plain", body, Nature::Other);
            check("", body, Nature::Other);
        }
        check("text/html", b"RIFF\x01\0\0\0WEBPVP8 ", Nature::Other);
        check("text/html", b"a\x01\x02 of random bytes", Nature::Other);
        check("text/html; charset=utf-16le", b"<\0p\0>\0", Nature::Html);
    }

    #[test]
    fn bodies_without_a_label_are_examined() {
        for label in ["", "html", "unknown/unknown", "*/*"] {
            check(label, b"<!doctype html><p>a", Nature::Html);
            check(label, b"words", Nature::Other);
        }
        check("application/octet-stream", b"<!doctype html>", Nature::Other);
    }

    #[test]
    fn xml_is_a_page_if_its_root_is() {
        let xhtml =
            b"<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE html PUBLIC '-//W3C'>\n<html>";
        check("application/xml", xhtml, Nature::Html);
        check("text/xml;charset=utf-8", b"<html xmlns='x'>", Nature::Html);
        check("application/xml", b"<?xml version='1.0'?><rss><p/></rss>", Nature::Other);
        check("application/xhtml+xml", b"<p/>", Nature::Html);
    }

    #[test]
    fn the_charset_is_read_from_any_position() {
        let charset = |value| ContentType::new(value).charset;
        assert_eq!(charset("text/html; a=b; Charset=\"KOI8-R\"").as_deref(), Some("KOI8-R"));
        assert_eq!(charset("text/html, text/html; charset=utf-8").as_deref(), Some("utf-8"));
        assert_eq!(charset("text/html"), None);
    }
}
