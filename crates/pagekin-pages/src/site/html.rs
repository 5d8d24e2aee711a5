//! Reads the bytes of an HTML file into a page: decodes them, parses them with html5ever and
//! applies the core's rules.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use encoding_rs::{Encoding, UTF_8};
use html5ever::driver::ParseOpts;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use pagekin_core::links::{LinkReader, PageLinks};
use pagekin_core::page::{PageReader, PageText};
use pagekin_core::shard::PageMetadata;

use crate::site::bounds;
use crate::site::dom::{Dom, Listener};
use crate::site::encoding::{Decoded, encoding_of, labeled, tld};
use crate::site::markup::PageRemarks;
use crate::site::metadata::Metadata;
use crate::site::nesting;
use crate::site::selectors::Selectors;

/// Number of bytes that are fed to the parser at a time. Limits are checked in between, because one
/// byte may reopen 256 elements.
const STEP: usize = 4 << 10;

/// Number of bytes without a tag after which the parser is fed [`END_OF_NOTHING`]. In a table the
/// parser keeps the text between two tags, up to 32 bytes for each of its entities.
const MAX_WITHOUT_TAG: usize = 512 << 10;
/// An end tag of no element. It changes nothing, and where it is text it is not a word.
const END_OF_NOTHING: &str = "</a->";

/// A page, and the oddities of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPage {
    /// The text and metadata of the page.
    pub page: PageText,
    /// The encoding in which its bytes were decoded.
    pub encoding: &'static str,
    /// Whether some bytes are invalid in that encoding. They were replaced by U+FFFD.
    pub malformed: bool,
    /// The reason why only the beginning of the page was read, if so.
    pub cut: Option<&'static str>,
    /// The markup for search tools that has no effect, or not the expected one.
    pub remarks: PageRemarks,
    pub(crate) metadata: Metadata,
}

impl ReadPage {
    /// Returns what results show of the page besides its title.
    #[must_use]
    pub fn metadata(&self) -> &PageMetadata {
        &self.metadata.values.metadata
    }
}

/// Maximum sum of the squared numbers of attributes of all tags. The parser compares each attribute
/// of a tag with all before it, so its time is quadratic. This admits one tag of 14,000 attributes,
/// or two of 10,000. Tags with few attributes do not count.
const MAX_SQUARES: usize = 200_000_000;
const FEW_ATTRIBUTES: usize = 256;

/// Maximum number of links in a page.
const MAX_LINKS: usize = 100_000;

/// A position within a tag, as in the HTML standard.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// In the name of the tag or of an attribute, or in an unquoted value.
    Tag,
    Name,
    Unquoted,
    Quoted(u8),
    /// In white space before the next attribute, or before a possible value.
    BeforeName,
    AfterName,
    BeforeValue,
}

/// Returns the offset of the tag with which there are too many attributes, if any.
fn overfull_tag(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut squares) = (0, 0);
    while let Some(open) = bytes[at..].iter().position(|&byte| byte == b'<') {
        let start = at + open;
        at = start + 1;
        if bytes.get(at) == Some(&b'/') {
            at += 1;
        }
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (mut attributes, mut within) = (0, Within::Tag);
        while let Some(&byte) = bytes.get(at) {
            if byte == b'>' && !matches!(within, Within::Quoted(_)) {
                break;
            }
            let next = next(within, byte);
            let begins = next == Within::Name && within != Within::Name;
            attributes += usize::from(begins);
            within = next;
            if squares + attributes * attributes > MAX_SQUARES {
                return Some(start);
            }
            at += 1;
        }
        if attributes > FEW_ATTRIBUTES {
            squares += attributes * attributes;
        }
    }
    None
}

/// Returns the position after a byte that does not end the tag.
fn next(within: Within, byte: u8) -> Within {
    use Within::{AfterName, BeforeName, BeforeValue, Name, Quoted, Tag, Unquoted};
    let is_space = byte.is_ascii_whitespace();
    match (within, byte) {
        (Quoted(quote), _) if byte == quote => BeforeName,
        (Quoted(_), _) => within,
        (Tag | Unquoted, _) if is_space => BeforeName,
        (Name, _) if is_space => AfterName,
        (BeforeValue | AfterName | BeforeName, _) if is_space => within,
        (Tag | Name | AfterName | BeforeName, b'/') => BeforeName,
        (Name | AfterName, b'=') => BeforeValue,
        (BeforeValue, b'"' | b'\'') => Quoted(byte),
        (BeforeValue, _) => Unquoted,
        (AfterName | BeforeName, _) => Name,
        (Tag | Name | Unquoted, _) => within,
    }
}

/// Reads a page from the bytes of its file.
///
/// The encoding is that of a byte order mark, or the one that a `meta` element in the first 1,024
/// bytes declares. Otherwise it is UTF-8 if the bytes are valid UTF-8, and the encoding that
/// browsers would guess if not. Any bytes can be read. A page with absurdly many words, or with too
/// many or too deeply nested elements, is read up to that limit.
#[must_use]
pub fn read_html(bytes: &[u8]) -> ReadPage {
    read_html_by(bytes, PageReader::new(), |reader| (reader.finish(), ())).0
}

/// Reads a page and its links. `charset` is the encoding label that was sent with the page, as in
/// HTTP's `Content-Type`. As in browsers, it overrides what the page declares but not a byte order
/// mark. An unknown label is ignored.
///
/// The page is the same as that of [`read_html`].
#[must_use]
pub fn read_html_with_links(bytes: &[u8], charset: Option<&str>) -> (ReadPage, PageLinks) {
    read_html_at("", bytes, charset)
}

/// Like [`read_html_with_links`] for a page at `url`, whose host helps to guess an undeclared
/// encoding.
pub(crate) fn read_html_at(
    url: &str,
    bytes: &[u8],
    charset: Option<&str>,
) -> (ReadPage, PageLinks) {
    let encoding = labeled(bytes, charset).unwrap_or_else(|| encoding_of(bytes, tld(url)));
    Parsed::new(bytes, encoding, &Selectors::default()).with_links()
}

/// Returns the number of steps that the parser takes for a page.
pub(crate) fn steps_of(bytes: &[u8]) -> u64 {
    Parsed::new(bytes, encoding_of(bytes, None), &Selectors::default()).dom.steps()
}

/// Like [`read_html_with_links`], with the selectors of a site.
pub(crate) fn read_selected_with_links(
    bytes: &[u8],
    selectors: &Selectors,
) -> (ReadPage, PageLinks) {
    Parsed::new(bytes, encoding_of(bytes, None), selectors).with_links()
}

/// Like [`read_selected_with_links`], and also returns the page as another reader reads
/// it.
pub(crate) fn read_html_twice<R: Listener>(
    bytes: &[u8],
    selectors: &Selectors,
    mut other: R,
) -> (ReadPage, PageLinks, R) {
    let parsed = Parsed::new(bytes, encoding_of(bytes, None), selectors);
    parsed.dom.read(&mut other);
    let (read, links) = parsed.with_links();
    (read, links, other)
}

/// Reads a page with `reader`, from which `finish` takes the page and other results.
pub fn read_html_by<R: Listener, T>(
    bytes: &[u8],
    reader: R,
    finish: impl FnOnce(R) -> (PageText, T),
) -> (ReadPage, T) {
    read_selected(bytes, &Selectors::default(), reader, finish)
}

/// Like [`read_html_by`], with the selectors of a site.
pub fn read_selected<R: Listener, T>(
    bytes: &[u8],
    selectors: &Selectors,
    mut reader: R,
    finish: impl FnOnce(R) -> (PageText, T),
) -> (ReadPage, T) {
    let parsed = Parsed::new(bytes, encoding_of(bytes, None), selectors);
    parsed.dom.read(&mut reader);
    let (page, of_page) = finish(reader);
    (parsed.page(|| page), of_page)
}

/// Parses a page with html5ever. Also returns the reason why only its beginning was parsed, if so.
pub(crate) fn parse(text: &str, selectors: &Selectors) -> (Dom, Option<&'static str>) {
    let opts = ParseOpts {
        // As in a browser's DOMParser, which runs no scripts: the content of `noscript` is
        // parsed into elements.
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        ..Default::default()
    };
    let mut parser = html5ever::parse_document(Dom::new(text.len(), selectors), opts);
    let mut rest = text;
    let mut cut = None;
    if let Some(start) = overfull_tag(rest) {
        rest = &rest[..start];
        cut = Some("tags with too many attributes");
    }
    let mut without_tag = 0;
    while !rest.is_empty() {
        let (step, left) = rest.split_at(rest.floor_char_boundary(STEP));
        parser.process(StrTendril::from(step));
        rest = left;
        without_tag = if step.contains('<') { 0 } else { without_tag + step.len() };
        if without_tag >= MAX_WITHOUT_TAG {
            parser.process(StrTendril::from(END_OF_NOTHING));
            without_tag = 0;
        }
        if let Some(why) = parser.tokenizer.sink.sink.overfull() {
            cut = Some(why);
            break;
        }
    }
    (parser.finish(), cut)
}

/// The tree of a page, and the oddities of its bytes.
struct Parsed {
    dom: Dom,
    encoding: &'static str,
    malformed: bool,
    cut: Option<&'static str>,
}

impl Parsed {
    fn new(bytes: &[u8], encoding: &'static Encoding, selectors: &Selectors) -> Self {
        let Decoded { text, encoding, malformed, whole } = Decoded::new(bytes, encoding);
        let encoding = encoding.name();
        if whole && let Ok(dom) = nesting::read(&text, selectors) {
            return Self { dom, encoding, malformed, cut: None };
        }
        let (dom, cut) = parse(&text, selectors);
        let cut = cut.or((!whole).then_some("more than 18 MiB of text"));
        Self { dom, encoding, malformed, cut }
    }

    /// Returns the page and its links.
    fn with_links(self) -> (ReadPage, PageLinks) {
        let mut reader = LinkReader::new();
        self.dom.read(&mut reader);
        let mut links = PageLinks::default();
        let mut read = self.page(|| {
            let page;
            (page, links) = reader.finish();
            page
        });
        if links.links.len() > MAX_LINKS {
            links.links.truncate(MAX_LINKS);
            read.cut = read.cut.or(Some("more than 100,000 links"));
        }
        (read, links)
    }

    /// Returns the page of `finish`, which is called after the tree is freed.
    fn page(self, finish: impl FnOnce() -> PageText) -> ReadPage {
        let Self { dom, encoding, malformed, cut } = self;
        let metadata = Metadata::new(&dom);
        let mut remarks = dom.take_remarks();
        for key in &metadata.too_long {
            remarks.add_left_out(key);
        }
        drop(dom);
        let mut page = finish();
        let default = metadata.default_title.as_ref().filter(|_| page.title.is_empty());
        if let Some(title) = metadata.title.as_ref().or(default) {
            page.title.clone_from(title);
        }
        let cut = cut.or(bounds::cut(&mut page));
        ReadPage { page, encoding, malformed, cut, metadata, remarks }
    }
}

/// Whether the name of a file marks it as HTML: it ends in `.html`, `.htm` or `.xhtml`, in any
/// case.
#[must_use]
pub fn is_html_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["html", "htm", "xhtml"].iter().any(|html| extension.eq_ignore_ascii_case(html))
}

/// Extensions of files that are not pages, so that they need not be opened: assets, and templates,
/// which may start like pages.
const NON_PAGE_EXTENSIONS: &str = "atom avif avi bmp bz2 css csv doc docx ejs eot epub erb flac gif gz hbs ico \
    jpeg jpg js json jsonl jsx less liquid log m4a m4v map markdown md mjs mov mp3 mp4 mpeg mustache \
    njk odt ogg otf pdf png ppt pptx ps rar rss scss sql svelte svg tar tgz tif tiff tmpl toml tpl ts \
    tsx ttf txt vtt vue warc wasm wav webm webmanifest webp woff woff2 xls xlsx xml xz yaml yml zip zst";

/// Number of bytes of a file that are read to recognize a page.
const HEAD_BYTES: u64 = 1_024;

/// Whether a file is a page although its name does not show it, as in names that wget gives:
/// `about`, `item?id=1`, `page.php`, `news.html.1`. Such a file starts like a whole page.
#[must_use]
pub fn begins_as_page(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if NON_PAGE_EXTENSIONS.split_whitespace().any(|known| known == extension) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && is_whole_page(&head)
}

/// Whether bytes start like a whole page: with its doctype, or one of its outermost elements.
#[must_use]
pub fn is_whole_page(head: &[u8]) -> bool {
    let marked = Encoding::for_bom(head).map_or(UTF_8, |(encoding, _)| encoding);
    let text = marked.decode(head).0.to_ascii_lowercase();
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?xml") {
            ">"
        } else {
            let starts = ["<!doctype html", "<html", "<head>", "<body", "<title>"];
            return starts.iter().any(|start| rest.starts_with(start));
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
}

/// Whether an unlabeled text is HTML: it starts with a doctype, a comment, an XML declaration or a
/// tag.
#[must_use]
pub fn looks_like_html(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('<') else { return false };
    let begins =
        |start: &str| rest.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if begins("!doctype") || begins("!--") || begins("?xml") {
        return true;
    }
    let tag = rest.split_once('>').map_or("", |(tag, _)| tag);
    let name = tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next().unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !tag.contains('<')
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
        let xml = b"<?xml version='1.0' encoding='koi8-r'?><p>\xc4\xc1";
        assert_eq!(check_text(xml, "да").encoding, "KOI8-R");
        assert_eq!(check_text("\u{feff}<p>grün".as_bytes(), "grün").encoding, "UTF-8");
        assert_eq!(check_text(b"\xff\xfe<\0p\0>\0a\0", "a").encoding, "UTF-16LE");
        assert_eq!(check_text("<p>grün".as_bytes(), "grün").encoding, "UTF-8");
        assert_eq!(check_text(b"<p>gr\xfcn", "grün").encoding, "windows-1252");
    }

    #[test]
    fn a_few_wrong_bytes_do_not_make_utf_8_another_encoding() {
        let check = |text: &str, expected: &str| {
            let broken = [text.as_bytes(), b"\xfc", " größer".as_bytes()].concat();
            assert_eq!(read_html(&broken).encoding, expected, "{text}");
        };
        check("<p>eins zwei", "windows-1252");
        check("<p>für Öl, Übung, Ärger, süß, Käse, Tür, Gemüse", "UTF-8");
        // A prefix of ASCII does not identify an encoding.
        let russian = [&b"a ".repeat(400_000)[..], &b"\xcf\xf0\xe8\xe2\xe5\xf2 ".repeat(50_000)];
        assert_eq!(read_html(&russian.concat()).encoding, "windows-1251");
    }

    #[test]
    fn text_in_a_table_is_put_before_it_in_few_nodes() {
        let text = "&amp; a ".repeat(200_000);
        let page = format!("<p>b<table><tr>{text}<td>c</table>d");
        let parsed = Parsed::new(page.as_bytes(), UTF_8, &Selectors::default());
        assert!(parsed.dom.len() < 200 + text.len() / 1_000, "{}", parsed.dom.len());
        let read = read_html(page.as_bytes()).page.text;
        let words: Vec<_> = read.split_whitespace().collect();
        assert_eq!((words.len(), words[0], &words[400_000..]), (400_002, "b&", &["c", "d"][..]));
        // The end tag of nothing leaves no trace.
        for (tags, text) in [("<!--", "x "), ("<i title='", "y "), ("<td>", "z ")] {
            let page = format!("<p>b{tags}{}'>-->c", text.repeat(MAX_WITHOUT_TAG));
            let read = read_html(page.as_bytes()).page.text;
            assert!(!read.contains("a-"), "{tags}");
        }
    }

    #[test]
    fn line_numbers_are_not_text() {
        let check = |source: &str, expected: &[&str]| {
            let text = read_html_with_links(source.as_bytes(), None).0.page.text;
            assert_eq!(text.split_whitespace().collect::<Vec<_>>(), expected, "{source}");
        };
        for gutter in [
            "<td class=linenos><div class=linenodiv><pre><span class=normal>1</span>\n<span>2</span></pre></div>",
            "<td class='hljs-ln-line hljs-ln-numbers' data-line-number=1>1",
            "<td class=gutter><pre class=lineno>1\n2\n</pre>",
            "<td data-line-number=12>12",
            "<span class=lnt>1\n</span><a class=lnum href=#l1>  1 </a>",
        ] {
            check(
                &format!("<table><tr>{gutter}<td><pre>let x = 7;</pre></table>"),
                &["let", "x", "=", "7;"],
            );
        }
        check("<pre><span class=lineno> 1 </span>sum <b>42</b></pre>", &["sum", "42"]);
        check(
            "<span class=lineno>one</span><p data-line-number=3>4 of <i>5</i></p>",
            &["one", "4", "of", "5"],
        );
        check("<pre class=line-numbers><code>42</code></pre>", &["42"]);
    }

    #[test]
    fn an_encoding_sent_with_the_page_overrides_its_own() {
        let read = |bytes: &[u8], charset| read_html_with_links(bytes, charset).0.encoding;
        let html = b"<meta charset=windows-1252><p>gr\xc3\xbcn";
        assert_eq!(read(html, Some("utf-8")), "UTF-8");
        assert_eq!(read(html, Some("no such")), "windows-1252");
        assert_eq!(read("\u{feff}a".as_bytes(), Some("koi8-r")), "UTF-8");
    }

    #[test]
    fn links_equal_those_of_browsers() {
        let html = b"<p><a href=' a '>one <a href=b>two</p><p>three</a><nav><a href=c>four</a>five</nav><svg><a href=d>no</a></svg>";
        let (_, links) = read_html_with_links(html, None);
        let of = |link: &pagekin_core::links::Link| {
            (link.href.clone(), links.text[link.text.clone()].trim().to_owned())
        };
        let found: Vec<_> = links.links.iter().map(of).collect();
        // The second link ends the first. Nothing ends the second, so it continues in the next
        // paragraph.
        let expected = [("a", "one"), ("b", "two"), ("b", "three"), ("c", "four")];
        assert_eq!(found, expected.map(|(href, text)| (href.to_owned(), text.to_owned())));
    }

    #[test]
    fn tags_with_too_many_attributes_are_cut() {
        let many = |n: usize| (0..n).map(|at| format!(" a{at}=x")).collect::<String>();
        let read = check_text(format!("start <p{}>end", many(20_000)).as_bytes(), "start");
        assert!(read.cut.is_some());
        let read = check_text(format!("start <p{}>end", many(5_000)).as_bytes(), "start end");
        assert_eq!(read.cut, None);
        let quoted = format!("<p title='{}'>end", "word ".repeat(50_000));
        check_text(quoted.as_bytes(), "end");
        let repeated: String = (0..50_000).map(|at| format!("<html a{at}>")).collect();
        check_text((repeated + "end").as_bytes(), "end");
    }

    #[test]
    fn the_work_of_the_parser_is_limited() {
        let parsed = |html: &str| {
            let parsed = Parsed::new(html.as_bytes(), UTF_8, &Selectors::default());
            (parsed.dom.steps(), parsed.cut)
        };
        let ordinary = "<li><p>Some <b>bread</b> of <a href=rye>rye</a>, and <i>more</i> words. ";
        let (steps, cut) = parsed(&ordinary.repeat(3_000));
        assert!(cut.is_none() && steps < 4 * 3_000 * ordinary.len() as u64, "{steps}");
        let many = |n: usize| (0..n).map(|at| format!(" a{at}")).collect::<String>();
        let open: String = (0..250).map(|at| format!("<b id={at}>")).collect();
        let named = |tag: fn(usize) -> String| (0..30_000).map(tag).collect::<String>();
        for html in [
            "<svg>".to_owned() + &named(|at| format!("<long-name-{at}/>")),
            named(|at| format!("<div><long-name-{at}></div>")),
            "<span>".repeat(1_000) + &"</x>".repeat(20_000),
            open + &"<b></b>".repeat(20_000),
            (0..2_000).map(|at| format!("<b id={at}>")).collect(),
        ] {
            let (steps, cut) = parsed(&html);
            assert!(cut.is_some() && steps < 60_000_000, "{}: {steps} {cut:?}", &html[..20]);
        }
        // A few custom names are cheap, and names of attributes are not kept.
        let (steps, cut) = parsed(&"<my-long-element>a</my-long-element>".repeat(30_000));
        assert!(cut.is_none() && steps < 3_000_000, "{steps} {cut:?}");
        let title = |at| format!("<br data-pagefind-meta=title[long-{at}] long-{at}=x>");
        let (steps, cut) = parsed(&named(title));
        assert!(cut.is_none() && steps < 3_000_000, "{steps} {cut:?}");
        // Here the count exceeds the actual work.
        let again = format!("<p><b{}>", many(3_000)) + &"<p>x".repeat(20_000);
        assert!(parsed(&again).1.is_some());
        // Attributes are counted before they are parsed, wherever they are.
        for tag in ["</p", "<p =\"", "<p a=\"\"", "<p/"] {
            let html = format!("one {tag}{}>two", many(20_000));
            assert_eq!(overfull_tag(&html), Some(4), "{tag}");
            assert_eq!(overfull_tag(&format!("{tag}{}>", many(5_000)).repeat(5)), None);
            assert!(overfull_tag(&format!("{tag}{}>", many(5_000)).repeat(10)).is_some());
        }
        assert_eq!(overfull_tag(&format!("<p a= '{}'>", many(20_000))), None);
        assert_eq!(overfull_tag(&format!("<p a{}>", "x='b'".repeat(20_000))), Some(0));
    }

    #[test]
    fn invalid_bytes_are_replaced_and_reported() {
        let read = check_text(b"<meta charset=utf-8><p>a\xffb", "a\u{fffd}b");
        assert!(read.malformed);
    }

    proptest! {
        #[test]
        fn bytes_are_decoded_like_in_the_library(bytes: Vec<u8>, at in 0usize..6) {
            let labels = ["utf-8", "utf-16le", "shift_jis", "gb18030", "iso-2022-jp", "x-user-defined"];
            let encoding = Encoding::for_label(labels[at].as_bytes()).unwrap();
            let decoded = Decoded::new(&bytes, encoding);
            let expected = encoding.decode(&bytes);
            prop_assert!(decoded.whole);
            prop_assert_eq!((decoded.text, decoded.encoding, decoded.malformed), expected);
        }
    }

    #[test]
    fn the_tree_equals_that_of_browsers() {
        // The c moves before the table.
        check_text(b"<p>a<p>b<table><tr>c<td>d</table>", "a bc d");
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
    fn deep_and_large_pages_are_cut() {
        for tag in ["<div>", "<template>", "<template><p>"] {
            let deep = tag.repeat(300_000) + "deep";
            assert_eq!(
                read_html(deep.as_bytes()).cut,
                Some("elements nested more than 1,024 deep")
            );
        }
        let read = check_text(
            ("start ".to_owned() + &"<div>".repeat(1_000) + "end").as_bytes(),
            "start end",
        );
        assert_eq!(read.cut, None);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes: Vec<u8>) {
            prop_assert_eq!(read_html_with_links(&bytes, None).0, read_html(&bytes));
        }

        #[test]
        fn any_tag_soup_can_be_read(tags in prop::collection::vec(
            prop::sample::select(vec![
                "<main>", "</main>", "<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<a>", "<a href=x>", "</a>", "<nav>", "</nav>", "<p hidden>", "<area href=y alt=z>", "<base href=b>",
                "<select>", "<option>", "<template>", "</template>", "<svg>", "</svg>", "<title>", "text", "<!--", "-->", "<body>", "<html lang=x>",
                "<frameset>", "</html>", "<script>", "</script>", "<img alt=q>", "<math>", "<button>", "</button>", "<form>", "<li>", "<h1>",
            ]), 0..60)) {
            let html = tags.concat();
            let (page, links) = read_html_with_links(html.as_bytes(), None);
            prop_assert_eq!(page, read_html(html.as_bytes()));
            for link in links.links {
                prop_assert!(links.text.get(link.text).is_some());
            }
        }
    }

    #[test]
    fn texts_are_decoded_and_distinguished_from_html() {
        for html in [
            " <!DOCTYPE html>",
            "<p>a",
            "<a href='x'>y</a>",
            "<!-- c -->",
            "<br/>",
            "<my-tag>",
            "<?xml version='1.0'?>",
        ] {
            assert!(looks_like_html(html), "{html}");
        }
        for text in ["", "a <b>c</b>", "< 5 and > 4", "<3", "<alice@example.org wrote", "# Title"] {
            assert!(!looks_like_html(text), "{text}");
        }
    }
}
