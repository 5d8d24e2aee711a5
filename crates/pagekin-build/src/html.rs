//! The bytes of an HTML file into a page: decoded, parsed by html5ever, read by the core's rules.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use html5ever::driver::ParseOpts;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use pagekin_core::page::{Page, PageReader};

use crate::dom::Dom;

/// Bytes given to the parser at a time; between them it is seen whether the page is overfull.
const STEP: usize = 16 << 10;

/// A page and what was odd about its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPage {
    /// The page.
    pub page: Page,
    /// The encoding its bytes were read in.
    pub encoding: &'static str,
    /// Some bytes mean nothing in that encoding, and were read as U+FFFD.
    pub malformed: bool,
    /// Why only the beginning of the page was read, if so.
    pub cut: Option<&'static str>,
}

/// Reads a page from the bytes of its file.
///
/// The encoding is that of a byte order mark, or the one a `meta` element in the first 1,024 bytes
/// declares; otherwise UTF-8 if the bytes are UTF-8, and windows-1252, as browsers take it, if they are
/// not. Any bytes are read; a page of absurdly many or deeply nested elements only up to there.
#[must_use]
pub fn read_html(bytes: &[u8]) -> ReadPage {
    let encoding = encoding_of(bytes);
    let (text, encoding, malformed) = encoding.decode(bytes);
    let opts = ParseOpts {
        // As in a browser's DOMParser, which runs no scripts: what `noscript` holds are elements.
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        ..Default::default()
    };
    let mut parser = html5ever::parse_document(Dom::new(), opts);
    let mut rest: &str = &text;
    let mut cut = None;
    while !rest.is_empty() && cut.is_none() {
        let (step, left) = rest.split_at(rest.floor_char_boundary(STEP));
        parser.process(StrTendril::from(step));
        cut = parser.tokenizer.sink.sink.overfull();
        rest = left;
    }
    let mut reader = PageReader::new();
    parser.finish().read(&mut reader);
    ReadPage { page: reader.finish(), encoding: encoding.name(), malformed, cut }
}

fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    match declared_encoding(&bytes[..bytes.len().min(1_024)]) {
        // The declaration was read as ASCII, so it cannot be true.
        Some(encoding) if !encoding.is_ascii_compatible() => UTF_8,
        Some(encoding) => encoding,
        None if std::str::from_utf8(bytes).is_ok() => UTF_8,
        None => WINDOWS_1252,
    }
}

/// The encoding that the first `meta` with a `charset` names.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check_text(html: &[u8], expected: &str) -> ReadPage {
        let read = read_html(html);
        let text = read.page.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text, expected);
        read
    }

    #[test]
    fn encodings_are_declared_marked_or_guessed() {
        let read = check_text(b"<meta charset=windows-1252><p>gr\xfcn", "gr\u{fc}n");
        assert_eq!((read.encoding, read.malformed), ("windows-1252", false));
        let content = b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xc4\xc1";
        assert_eq!(check_text(content, "да").encoding, "KOI8-R");
        assert_eq!(check_text("\u{feff}<p>grün".as_bytes(), "grün").encoding, "UTF-8");
        assert_eq!(check_text(b"\xff\xfe<\0p\0>\0a\0", "a").encoding, "UTF-16LE");
        assert_eq!(check_text("<p>grün".as_bytes(), "grün").encoding, "UTF-8");
        assert_eq!(check_text(b"<p>gr\xfcn", "grün").encoding, "windows-1252");
    }

    #[test]
    fn bytes_without_meaning_are_replaced_and_told() {
        let read = check_text(b"<meta charset=utf-8><p>a\xffb", "a\u{fffd}b");
        assert!(read.malformed);
    }

    #[test]
    fn the_tree_is_the_one_browsers_build() {
        check_text(b"<p>a<p>b<table><tr>c<td>d</table>", "a bc d"); // The c moves in front of the table.
        check_text(b"<b>a<p>b</b>c</p>d", "a bc d");
        check_text(
            b"<body><noscript><p>no</p></noscript><template>no</template>yes<!-- no -->",
            "yes",
        );
        check_text(b"<main>a<nav>menu</main>still menu</nav>b", "a");
    }

    #[test]
    fn truncated_pages_are_read_to_their_end() {
        check_text(b"<main><p>one <b>two", "one two");
        check_text(b"<main><p>one <b clas", "one");
        check_text(b"", "");
    }

    #[test]
    fn deep_and_crowded_pages_are_cut() {
        let deep = "<div>".repeat(300_000) + "deep";
        assert!(read_html(deep.as_bytes()).cut.is_some());
        let read = check_text(
            ("start ".to_owned() + &"<div>".repeat(1_000) + "end").as_bytes(),
            "start end",
        );
        assert_eq!(read.cut, None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>) {
            let _ = read_html(&bytes);
        }

        #[test]
        fn any_soup_of_tags_is_read(tags in prop::collection::vec(
            prop::sample::select(vec![
                "<main>", "</main>", "<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<a>", "<nav>", "</nav>",
                "<select>", "<option>", "<template>", "</template>", "<svg>", "</svg>", "<title>", "text", "<!--", "-->", "<body>", "<html lang=x>",
                "<frameset>", "</html>", "<script>", "</script>", "<img alt=q>", "<math>", "<button>", "</button>", "<form>", "<li>", "<h1>",
            ]), 0..60)) {
            let _ = read_html(tags.concat().as_bytes());
        }
    }
}
