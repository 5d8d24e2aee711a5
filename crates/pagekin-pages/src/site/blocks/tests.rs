use super::*;
use crate::site::html::{read_html, read_html_by};
use pagekin_core::terms::for_each_compound;
use proptest::prelude::*;

fn read(html: &str) -> (PageText, BlockText) {
    let (read, _) = read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
    let blocks = BlockText::new(&read.page, &Repeated::default());
    (read.page, blocks)
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    for_each_compound(text, |compound| words.push(format!("{compound:?}")));
    words
}

#[track_caller]
fn check_listing(html: &str, expected: bool) {
    let (_, blocks) = read(html);
    assert_eq!(blocks.is_listing(words(&blocks.text).len()), expected, "{blocks:?}");
}

#[test]
fn highlighted_and_numbered_code_is_a_file_of_source_code() {
    let check = |html: &str, expected| {
        let (read, surroundings) =
            read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
        let blocks = BlockText::new(&read.page, &Repeated::default());
        assert_eq!(surroundings.is_source_file(&blocks.text), expected, "{html}");
    };
    let line = "<span class=k>def</span> <span class=nf>cut</span>(<span class=n>rye</span>):\n";
    let highlighted = format!("<pre>{}</pre>", line.repeat(9));
    let page = |rest: &str, frame: &str| {
        format!("<main><h1>bread.cut</h1><div>{highlighted}</div>{rest}</main>{frame}")
    };
    check(&page("", ""), true);
    check(&page("", &format!("<nav>{}</nav>", "Somewhere else. ".repeat(6))), true);
    check(&page(&format!("<p>{}", "It cuts a loaf of rye in slices. ".repeat(4)), ""), false);
    let numbered = "<span class=source-line-no>17</span><span>static int cut(Loaf rye) {</span>\n";
    check(&format!("<h1>Loaf</h1><pre>{}</pre>", numbered.repeat(9)), true);
    let plain =
        "   A loaf MUST be cut before it is <a href=#3>served</a>, as <b>described</b> below.\n";
    check(&format!("<h1>Bread</h1><pre>{}</pre>", plain.repeat(30)), false);
    check(&format!("<pre>{}</pre>", "<span>x</span> ".repeat(3)), false);
    check("<p>Nothing", false);
}

#[test]
fn blocks_are_lines() {
    let (_, blocks) = read(
        "<p>One <a href=x>two</a>\nthree<p>four<br>five<ul><li>six<li> <li><a href=y>se</a>ven</ul>",
    );
    let lines: Vec<_> = blocks.text.lines().map(str::trim).collect();
    assert_eq!(lines, ["One two three", "four", "five", "six", "seven"]);
    assert_eq!(words(&blocks.linked), ["two", "se"]);
}

/// Checks the weighted parts of the text of a page, each as its words with their weight.
#[track_caller]
fn check_weighted<const N: usize>(html: &str, repeated: &[&str], expected: [(&str, u16); N]) {
    let (read, _) = read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
    let plain = read_html(html.as_bytes()).page;
    assert_eq!((&read.page.title, &read.page.headings), (&plain.title, &plain.headings));
    let whole = BlockText::new(&read.page, &Repeated::default());
    assert_eq!(words(&whole.text), words(&plain.text), "{html}");
    assert!(!format!("{whole:?}").contains("\\u{10"), "{whole:?}");
    let repeated = Repeated::new(repeated.iter().map(|block| hash_of(block)));
    let blocks = BlockText::new(&read.page, &repeated);
    let parts = blocks.weighted().map(|(text, weight)| (words(text).join(" "), weight));
    let parts: Vec<_> = parts.filter(|(text, _)| !text.is_empty()).collect();
    assert_eq!(parts, expected.map(|(text, weight)| (text.to_owned(), weight)), "{html}");
}

#[test]
fn the_innermost_weight_applies() {
    check_weighted("<p>one <b data-pagefind-weight=2>two</b> three", &[], [("two", 200)]);
    check_weighted(
        "<main data-pagefind-weight=2>one<p data-pagekin-weight=.5>two<i>three</i></p>four<p data-pagefind-weight=1>five</p></main>six",
        &[],
        [("one", 200), ("two", 50), ("three", 50), ("four", 200)],
    );
    check_weighted("<p>plum<b data-pagefind-weight=0>cake</b>s", &[], [("cake", 0)]);
    check_weighted(
        "<html data-pagekin-weight=3><title>one</title><h2 id=a data-pagefind-weight=2>two <a href=x>three</a><a href=#a>¶</a></h2><p>four<img alt=five>",
        &[],
        [("two", 200), ("three", 200), ("four", 300), ("five", 300)],
    );
    check_weighted(
        "<p data-pagefind-weight=2><a href=x data-pagefind-weight=3>one</a> <br data-pagefind-weight=9>two</p><img alt=three><hr data-pagekin-weight=9>four<img data-pagekin-weight=4 alt=five>",
        &[],
        [("one", 300), ("two", 200), ("five", 400)],
    );
}

#[test]
fn weights_apply_to_attributes_and_across_classes_of_text() {
    check_weighted(
        "<p>one<i data-pagefind-weight=2 title=two data-pagefind-index-attrs=title>three</i> four",
        &[],
        [("two", 200), ("three", 200)],
    );
    check_weighted(
        "<body data-pagefind-weight=2><nav>menu</nav><main>one</main><footer>foot</footer>",
        &[],
        [("one", 200)],
    );
    check_weighted(
        "<main><div data-pagefind-weight=2>one<aside data-pagefind-ignore>no</aside>two</div></main><div data-pagefind-weight=3>other</div>",
        &[],
        [("one", 200), ("two", 200)],
    );
}

#[test]
fn weights_stay_in_place_when_repeated_blocks_are_removed() {
    let menu = "<p>one two three";
    let block = ["one two three"];
    check_weighted(
        &format!("{menu}<p data-pagefind-weight=2>four{menu}<p>five<p data-pagefind-weight=3>six"),
        &block,
        [("four", 200), ("six", 300)],
    );
    check_weighted(
        "<p data-pagefind-weight=2>one two three</p>four<div data-pagefind-weight=3><p>one two three</p>five</div>six",
        &block,
        [("five", 300)],
    );
}

/// Checks the text of a page without repeated blocks.
#[track_caller]
fn check_left(html: &str, repeated: &[&str], expected: &[&str]) -> (BlockText, Vec<String>) {
    let (read, surroundings) =
        read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
    let repeated = Repeated::new(repeated.iter().map(|block| hash_of(block)));
    let blocks = BlockText::new(&read.page, &repeated);
    assert_eq!(blocks.text.lines().map(str::trim).collect::<Vec<_>>(), expected);
    // The simple equivalent: the remaining blocks, read alone.
    let alone: String = expected.iter().map(|block| format!("<p>{block}")).collect();
    assert_eq!(words(&blocks.text), words(&read_html(alone.as_bytes()).page.text));
    let hrefs: Vec<String> = blocks.links(&surroundings).map(|(href, _)| href.to_owned()).collect();
    (blocks, hrefs)
}

#[test]
fn runs_of_repeated_blocks_are_removed() {
    let menu = "<ul><li><a href=a>Home</a><li><a href=b>News</a><li><a href=c>About us</a></ul>";
    let html =
        format!("<h2>Synopsis</h2>{menu}<p><a href=d>Own</a> text<h2>Synopsis</h2><p>More{menu}");
    let repeated = ["Home", "News", "About us"];
    let (left, hrefs) = check_left(&html, &repeated, &["Synopsis", "Own text", "Synopsis", "More"]);
    assert_eq!((left.left_out, &*left.headings), (6, "Synopsis\nSynopsis"));
    assert_eq!(hrefs, ["d"]);
    // Such a block is removed as part of a run, and kept alone.
    let repeated = ["Home", "News", "About us", "Synopsis"];
    let (left, hrefs) = check_left(&html, &repeated, &["Own text", "Synopsis", "More"]);
    assert_eq!((left.left_out, hrefs), (7, vec!["d".to_owned()]));
    let html = html.replace("<a href=d>Own</a>", "Own");
    let (_, hrefs) = check_left(&html, &[], &words_of_blocks(&html));
    assert_eq!(hrefs, ["a", "b", "c", "a", "b", "c"]);
    check_left("<p>One two<p>three", &["One two", "three"], &["One two", "three"]);
    check_left("<p>One two<p>three<p>4", &["One two", "three"], &["One two", "three", "4"]);
    check_left("<p>One two three<p>four", &["One two three"], &["four"]);
    check_left("<p>One two<p>four", &["One two"], &["One two", "four"]);
}

#[test]
fn links_have_their_texts_and_pages_a_first_paragraph() {
    let html = "<a href=m>Home</a><p>Site menu here<h1>Own title</h1><p>Short.<p>See <a href=a>the <b>first</b> \
        page</a> and <a href=b>another</a>, of which there are many.<p>More: <a href=c>last one</a>";
    let (read, surroundings) =
        read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
    let repeated = ["Home", "Site menu here"].iter().map(|block| hash_of(block));
    for (repeated, expected) in [
        (
            Repeated::default(),
            &[("m", "Home"), ("a", "the first page"), ("b", "another"), ("c", "last one")][..],
        ),
        (Repeated::new(repeated), &[("a", "the first page"), ("b", "another"), ("c", "last one")]),
    ] {
        let blocks = BlockText::new(&read.page, &repeated);
        let text = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let links: Vec<_> =
            blocks.links(&surroundings).map(|(href, of)| (href.to_owned(), text(of))).collect();
        let links: Vec<_> = links.iter().map(|(href, of)| (&**href, &**of)).collect();
        assert_eq!(links, expected);
        assert!(blocks.first_paragraph().starts_with("See the first"), "{blocks:?}");
    }
}

fn words_of_blocks(html: &str) -> Vec<&str> {
    html.split(['<', '>']).skip(2).step_by(2).filter(|text| !text.is_empty()).collect()
}

#[test]
fn headings_in_removed_blocks_are_not_headings_of_the_page() {
    let html = "<h2>Own <b>heading</b></h2><p>Text<h3>Quick\n search</h3><p>Enter words";
    let (left, _) = check_left(html, &["Quick  search", "Enter words"], &["Own heading", "Text"]);
    assert_eq!(left.headings, "Own heading");
}

#[test]
fn marks_of_the_body_are_recognized() {
    let marks = |html: &str| {
        let read = read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
        read.1.marks_body
    };
    for html in ["<main>a", "<div role=main>a", "<article>a", "<p data-pagefind-body>a"] {
        assert!(marks(html), "{html}");
    }
    for html in ["<p>a", "<nav><main>a</main></nav>", "<div class=main>a"] {
        assert!(!marks(html), "{html}");
    }
}

#[test]
fn listings_are_pages_of_links() {
    let list = "<li><a href=a>rye loaf</a><li><a href=b>wheat</a><li><a href=c>barley</a> new";
    check_listing(list, true);
    check_listing(&format!("{list} with more words"), true);
    check_listing(&format!("{list} with three more words"), false);
    check_listing("<a href=a>rye loaf</a> <a href=b>wheat</a>", false);
    // A table of contents of the page itself does not make a listing, and menus are not text.
    check_listing(&list.replace("href=", "href=#"), false);
    check_listing(&format!("<nav>{list}</nav><p>Some text"), false);
    check_listing(&format!("{list}<main><p>Some text</main>"), false);
}

#[test]
fn teasers_are_links_that_little_text_follows() {
    let teasers = |html: &str| {
        let (read, around) =
            read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
        let blocks = BlockText::new(&read.page, &Repeated::default());
        blocks.teasers(&around).map(str::to_owned).collect::<Vec<_>>()
    };
    let post =
        |at: &str| format!("<h2><a href=/{at}>Post <b>{at}</b></a></h2><p>Some words of {at}.");
    let list = ["a", "b", "c"].map(post).concat();
    assert_eq!(teasers(&list), ["/a", "/b", "/c"]);
    let items = "<ul><li><a href=a>rye</a><p>A loaf of rye.<li><a href=b>oat</a><p>A loaf of oat.<li><a href=c>teff</a><p>A loaf of teff.</ul>";
    assert_eq!(teasers(items), ["a", "b", "c"]);
    assert!(teasers(&items.replace("href=", "href=#")).is_empty(), "links to the page itself");
    assert!(teasers(&["a", "b"].map(post).concat()).is_empty(), "two are too few");
    let text = "A text about rye that says more than the links. ".repeat(8);
    assert!(teasers(&format!("<p>{text}</p>{list}")).is_empty(), "most of it is other text");
    let neighbors = "<p><a href=a>Back</a><p><a href=b>Up</a><p><a href=c>Next</a>";
    assert!(
        teasers(&format!("{neighbors}<p>{}", &text[..200])).is_empty(),
        "one of them has it all"
    );
    assert!(teasers(&format!("{list}<p>{}", text.repeat(4))).is_empty(), "a teaser is short");
}

#[test]
fn marks_in_the_text_itself_are_removed() {
    let (page, blocks) = read("<p>a\u{f0007}b\u{100000}c");
    assert_eq!((page.text.trim(), blocks.text.trim()), ("a b c", "a b c"));
    assert!(blocks.links.is_empty());
}

proptest! {
    #[test]
    fn the_page_equals_the_one_that_the_core_reads(tags in prop::collection::vec(
        prop::sample::select(vec![
            "<main>", "</main>", "<p>", "</p>", "<b>", "<table>", "<tr>", "<td>", "</table>", "<a href=x>", "</a>",
            "<nav>", "</nav>", "<h1>", "</h1>", "<h4>word</h4>", "<ul>", "<li>", "</ul>", "<br>", "<title>", "</title>",
            "text ", "Hash", "Map", "\n", "<a>", "<article>", "</article>", "<wbr>", "<h2>", "</h2>", "<pre>", "a_b",
        ]), 0..60)) {
        let html = tags.concat();
        let (page, blocks) = read(&html);
        let expected = read_html(html.as_bytes()).page;
        prop_assert_eq!(words(&blocks.text), words(&expected.text));
        prop_assert_eq!(words(&blocks.other), words(&expected.other));
        let without_texts = |page| PageText { text: String::new(), other: String::new(), ..page };
        prop_assert_eq!(without_texts(page), without_texts(expected));
    }
}

#[test]
fn translations_need_a_language() {
    let of = |rel, hreflang: Option<&'static str>, to: Option<&'static str>| {
        translation(&|name: &str| match name {
            "rel" => Some(Cow::Borrowed(rel)),
            "hreflang" => hreflang.map(Cow::Borrowed),
            "href" => to.map(Cow::Borrowed),
            _ => None,
        })
    };
    let some = Some("/b".to_owned());
    assert_eq!(of("alternate", Some("pt-BR"), Some("/b")), some);
    assert_eq!(of("me Alternate", Some("zh-Hans"), Some("/b")), some);
    for none in ["x-default", "X-DEFAULT", "", "d", "*"] {
        assert_eq!(of("alternate", Some(none), Some("/b")), None, "{none}");
    }
    assert_eq!(of("alternate", None, Some("/feed.xml")), None);
    assert_eq!(of("stylesheet", Some("de"), Some("/b")), None);
    assert_eq!(of("alternate", Some("de"), None), None);
}
