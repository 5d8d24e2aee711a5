use super::*;
use proptest::prelude::*;

/// Reads a document written as nested brackets, so that these tests need no HTML parser: `[name
/// attr=value attr|…]`, where children follow the bar.
fn read(source: &str) -> PageText {
    let mut reader = PageReader::new();
    let mut rest = source;
    while let Some(at) = rest.find(['[', ']']) {
        reader.text(&rest[..at]);
        if rest.as_bytes()[at] == b']' {
            reader.close();
            rest = &rest[at + 1..];
            continue;
        }
        let bar = at + rest[at..].find('|').expect("a bar ends the attributes");
        let mut parts = rest[at + 1..bar].split(' ');
        let name = parts.next().expect("an element has a name");
        let attributes: Vec<(&str, &str)> =
            parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        let visit = reader.open(name, |wanted| {
            attributes.iter().find(|(name, _)| *name == wanted).map(|(_, v)| Cow::Borrowed(*v))
        });
        rest = &rest[bar + 1..];
        if visit == Visit::Skip {
            let mut depth = 1;
            while depth > 0 {
                let at = rest.find(['[', ']']).expect("brackets nest");
                depth += if rest.as_bytes()[at] == b'[' { 1 } else { -1 };
                rest = &rest[at + 1..];
            }
        }
    }
    reader.text(rest);
    reader.finish()
}

#[track_caller]
fn check_text(source: &str, expected: &str) {
    assert_eq!(collapse(&read(source).text), expected);
}

#[test]
fn main_counts_and_chrome_does_not() {
    check_text("[html|[body|[nav|menu][main|one[aside|ad][p|two]]three]]", "one ad two");
    check_text("[html|[body|one[footer|f][div role=navigation|n][p|two]]]", "one two");
    check_text("[html|[body|x[article|one]y[article|two]]]", "one two");
}

#[test]
fn a_marked_body_takes_precedence_over_main() {
    let source = "[html|[body|[main|m[div data-pagefind-body|p]][div data-pagekin-body|k[p data-pagekin-ignore|i]]]]";
    check_text(source, "k");
    assert!(read(source).marked);
    check_text(
        "[html|[body|[main|m[div data-pagefind-body|p[i data-pagefind-ignore=all|x]]]]]",
        "p",
    );
}

#[test]
fn nested_roots_count_once() {
    check_text("[html|[body|[main|a[div role=main|b]c]d]]", "a b c");
}

#[test]
fn inline_elements_do_not_end_words_and_blocks_do() {
    check_text("[body|Hash[wbr|]Map in[b|line] [p|a][p|b][br|]c[li|d]]", "HashMap inline a b c d");
}

#[test]
fn unseen_elements_are_dropped_and_alt_text_is_kept() {
    check_text("[body|a[script|x][style|y][img alt=picture src=z|]b[p hidden|no]]", "a picture b");
    check_text("[body|a[img alt=no hidden|][img alt=no data-pagekin-ignore|]b]", "a b");
}

#[test]
fn listed_attributes_are_text() {
    for prefix in ["pagekin", "pagefind"] {
        let page =
            |source: &str| read(&source.replace("LIST", &format!("data-{prefix}-index-attrs")));
        let check = |source: &str, expected: &str| {
            assert_eq!(collapse(&page(source).text), expected, "{source}");
        };
        check("[body|a[i LIST=title,data-x title=b data-x=c|d] e]", "a b c d e");
        check("[body|a[div LIST=TITLE title=b|]e]", "a b e");
        check("[body|a[img LIST=title,alt title=b alt=c src=d|]e]", "a c b e");
        check("[body|a[br LIST=title title=b|]e]", "a b e");
        check("[body|a[p LIST=title,title,,x title=b|]e]", "a b e");
        check("[body|a[p LIST|b]e[p title=c|]]", "a b e");
        check(
            "[body|a[p LIST=title title=b data-pagekin-ignore|][br LIST=title title=b hidden|]e]",
            "a e",
        );
        check("[body|[nav|[a LIST=title title=b|c]][main|a]]", "a");
        let other = page("[body|[main|a][footer|][div LIST=title title=b|]]");
        assert_eq!((collapse(&other.text), collapse(&other.other)), ("a".into(), "b".into()));
    }
    let both = "[p data-pagekin-index-attrs=title data-pagefind-index-attrs=id title=b id=c|]";
    check_text(both, "b");
    let long = format!("[p data-pagekin-index-attrs={}id id=b|c]", "title,".repeat(15));
    check_text(&long, "b c");
    check_text(&long.replace("=title", "=title,title"), "c");
}

#[test]
fn generated_links_to_sections_are_not_text() {
    let source =
        "[h2 id=c|C#[a href=#c|¶]][p|A[a href=#a|#] b[a href=#b| 🔗 ] § 5 [a href=/s|§ 5]]";
    check_text(source, "C# A b § 5 § 5");
}

#[test]
fn line_numbers_are_not_text() {
    check_text("[pre|[i class=lineno|1]sum [b class=lineno| 12 ][b|42]]", "sum 42");
    check_text("[table|[td class=linenos|[pre|1 2[b|3]]][td|7 rows]]", "7 rows");
    check_text("[p data-line-number=3|4 [i|5]]", "5");
    // Other text in such elements is kept.
    check_text("[i class=lineno|one][i class=lineno|2 of 3][i class=lineno| ]", "one2 of 3");
    check_text("[i class=number|1]", "1");
}

#[test]
fn the_content_of_the_components_is_not_text_of_the_page() {
    check_text("[body|a[pagekin-related|[nav|[h2|Related][a href=/b|B]]]b]", "a b");
    assert_eq!(read("[body|[pagekin-box|[h1|Find]][h1|A]]").title, "A");
}

/// Two paragraphs of text, and a list of links to other pages.
const PROSE: &str = "[p|Rye bread rises slowly, since its flour has little gluten, and its crumb stays dense, moist and dark for days.][p|Bakers keep a sour leaven for it, which they feed in the evening, and which is ready when the oven is warm.]";
const LINKS: &str =
    "[ul|[li|[a href=/a|Wheat]][li|[a href=/b|Barley and its malt]][li|[a href=/c|Oats]]]";
/// Makes a page a published one.
const CARD: &str = "[meta property=og:title|][div class=share-bar|[a href=/s|Share]]";

#[track_caller]
fn check_class(source: &str, word: &str, class: &str) {
    let page = read(source);
    let of = |text: &str| text.split_whitespace().any(|found| found == word);
    let found = match (of(&page.text), of(&page.other)) {
        (true, false) => "main",
        (false, true) => "other",
        (false, false) => "out",
        (true, true) => "both",
    };
    assert_eq!(found, class, "{word} of {source}: {page:?}");
}

#[test]
fn notes_and_headers_in_main_are_text_and_menus_are_not() {
    let page = |inner: &str| format!("[body|[main|[h1|Rye]{PROSE}{inner}]]");
    for (inner, class) in [
        ("[aside class=note|word]", "main"),
        ("[header|[p|word]]", "main"),
        ("[footer|[ol|[li|word]]]", "main"),
        ("[div class=sidebar|word]", "main"),
        ("[ul|[li|[a href=/a|word]][li|[a href=/b|b]][li|[a href=/c|c]]]", "main"),
        ("[details|[p|word]]", "main"),
        ("[div role=tabpanel hidden|word]", "main"),
        ("[div hidden=until-found|word]", "main"),
        ("[div class=accordion__panel style=display:none|word]", "main"),
        ("[h2|[button aria-expanded=false|word]]", "main"),
        ("[x-card|[template shadowrootmode=open|word]]", "main"),
        ("[h2|[button|word]]", "out"),
        ("[template|word]", "out"),
        ("[aside|[a href=/a|word]]", "other"),
        ("[section class=comments|word]", "other"),
        ("[div class=related-posts|word]", "other"),
        ("[p class=newsletter-prompt|word]", "other"),
        ("[nav|word]", "out"),
        ("[ul role=tablist|word]", "out"),
        ("[div role=dialog|word]", "out"),
        ("[div class=cookie-banner|word]", "out"),
        ("[div aria-hidden=true|word]", "out"),
        ("[i aria-hidden=true|word]", "out"),
        ("[div hidden|word]", "out"),
        ("[div style=color:red;display:none|word]", "out"),
        ("[div style=VISIBILITY:hidden!important|word]", "out"),
        ("[div data-pagekin-ignore|word]", "out"),
    ] {
        check_class(&page(inner), "word", class);
    }
}

#[test]
fn text_around_the_core_is_other_text_and_frames_are_dropped() {
    for (around, class) in [
        ("[aside|word]", "other"),
        ("[p|word]", "other"),
        ("[footer|word]", "out"),
        ("[header|word]", "out"),
        ("[header|[h2|News][h1|word]]", "other"),
        ("[footer|[a href=/|word]]", "out"),
        ("[header|[a href=/|word]]", "out"),
        ("[nav|[a href=/|word]]", "out"),
    ] {
        check_class(&format!("[body|{around}[main|{PROSE}]]"), "word", class);
        check_class(&format!("[body|[article|{PROSE}]{around}]"), "word", class);
    }
    check_class(&format!("[body|[h1|word][article|{PROSE}]]"), "word", "main");
}

/// The functions of a module are articles of their own.
#[test]
fn text_before_the_articles_of_a_page_is_main_text() {
    let articles = format!("[div|[article|{PROSE}][article|{PROSE}][article|{PROSE}]]");
    for lead in [
        "[p|word as ever, with more]",
        "[div|[p|word as ever, with more]]",
        "[section|[div|[h3|Description][div|[p|word as ever, with more]]]]",
        "[section|[div|[h3|word][div|[p|Rye]]]]",
        "[div|[h3|Module][div|word]]",
    ] {
        let page = |before: &str, after: &str| {
            format!("[body|[div|[div|[h1|Lists]]{before}{articles}{after}]]")
        };
        check_class(&page(lead, ""), "word", "main");
        check_class(&page("", lead), "word", "other");
        check_class(&page(&format!("[div|{LINKS}]"), ""), "Barley", "other");
    }
}

#[test]
fn classes_of_frames_count_next_to_a_text_without_a_name() {
    let page = |frame: &str, text: &str| {
        format!("[body|[div class=row|[div class=wide|[h1|Rye]{text}{text}]{frame}]]")
    };
    for (frame, class) in [
        ("[div class=sidebar|[h4|Dates][ul|[li|word]]]", "other"),
        ("[div class=footer|word]", "other"),
        ("[div id=menu|word]", "main"),
        (&*format!("[div class=menu|word {PROSE}{PROSE}]"), "main"),
    ] {
        check_class(&page(frame, PROSE), "word", class);
        check_class(&page(frame, PROSE), "leaven", "main");
    }
}

#[test]
fn a_teaser_or_an_unclosed_header_does_not_replace_the_text() {
    let teasers = "[section class=related|[article|[h3|Barley]][article|[h3|word]]]";
    let page = format!("[body|[div|[h1|Rye]{PROSE}]{teasers}]");
    check_class(&page, "leaven", "main");
    check_class(&page, "word", "other");
    check_class(&format!("[body|[header|[a href=/|Home]{PROSE}]]"), "leaven", "main");
    check_class(&format!("[body|[div class=modal|{PROSE}]]"), "leaven", "main");
    // A listing of articles keeps all of them.
    let listing = format!("[body|[article|{PROSE}][article|{PROSE}word][article|{PROSE}]]");
    assert_eq!(read(&listing).text.matches("leaven").count(), 3);
}

#[test]
fn the_frame_around_an_empty_main_is_dropped() {
    for main in ["[main|]", "[div role=main| \n]", "[main|[p|]]", "[main|[p id=a hidden|Rye]]"] {
        let page = read(&format!("[body|[header|Rye][nav|Menu]{main}[footer|{PROSE}]]"));
        assert_eq!((page.text.trim(), page.other.trim()), ("", ""), "{page:?}");
    }
    check_class(&format!("[body|[footer|{PROSE}]]"), "leaven", "main");
}

#[test]
fn published_pages_have_menus_and_captions_outside_their_text() {
    let page =
        |card: &str, inner: &str| format!("[body|{card}[div|{inner}[div|[div|{PROSE}{PROSE}]]]]");
    check_class(&page("", LINKS), "Barley", "main");
    check_class(&page(CARD, LINKS), "Barley", "other");
    let article = |card: &str, inner: &str| format!("[body|{card}[article|{PROSE}{PROSE}{inner}]]");
    for inner in [
        "[figcaption|word]",
        "[p class=byline|word]",
        "[h3|word][ul|[li|[a href=/a|a]]]",
        "[p|[a href=/a|word]]",
        "[p|[img alt=word|]]",
    ] {
        check_class(&article("", inner), "word", "main");
        check_class(&article(CARD, inner), "word", "other");
    }
    check_class(&article(CARD, "[p|[img alt=word|] is here]"), "word", "main");
}

#[test]
fn excluded_text_is_counted_by_reason() {
    let page = read(&format!(
        "[body|[header|[a href=/|Home]][nav|ab cd][main|{PROSE}[i hidden|x][p data-pagekin-ignore|yz]]]"
    ));
    let expected =
        [(Reason::Ignored, 2), (Reason::Unseen, 1), (Reason::Navigation, 4), (Reason::Frame, 4)];
    assert_eq!(page.left_out, expected);
    assert_eq!(read("[p|ab[b data-pagekin-body|c]]").left_out, [(Reason::Outside, 2)]);
}

#[test]
fn the_whole_content_of_a_marked_body_is_main_text() {
    let inner = "[header|[h1|one]][aside|two][div class=comments|three][footer|[a href=/|four]]";
    for mark in ["data-pagekin-body", "data-pagefind-body"] {
        let page = read(&format!("[body|[p|{PROSE}][div {mark}|{inner}[nav|no]]]"));
        assert_eq!(collapse(&page.text), "one two three four");
        assert_eq!(page.other, "");
        assert_eq!(page.headings, "one");
    }
    check_class("[body|[aside data-pagefind-body|word]]", "word", "main");
}

#[test]
fn a_redirecting_script_counts_only_on_a_page_with_little_text() {
    for (script, expected) in [
        ("location.replace(\"/there\")", Some("/there")),
        ("window.location.href = '../there' + location.hash;", Some("../there")),
        ("if(1){document.location='/there'}", Some("/there")),
        ("location.assign( `/there` )", Some("/there")),
        ("if (location.hash == '#a') {}", None),
        ("location = there", None),
        ("location.replace('javascript:x')", None),
        ("location.reload()", None),
    ] {
        let page =
            read(&format!("[head|[title|Moved][script|{script}]][body|[a href=/there|Here]]"));
        assert_eq!(page.redirect.as_deref(), expected, "{script}");
        let page = read(&format!("[head|[script|{script}]][body|{PROSE}]"));
        assert_eq!(page.redirect, None, "{script}");
        assert!(!page.text.contains("location"));
    }
}

#[test]
fn a_meta_for_a_major_robot_counts_for_all_robots() {
    let page = |name: &str| read(&format!("[head|[meta name={name} content=noindex|]]"));
    assert!(page("googlebot").noindex && page("Robots").noindex);
    assert!(!page("description").noindex);
}

#[test]
fn empty_headings_take_linear_time() {
    let page = read(&("[h4|][h5| ][h6|]".repeat(100_000) + "[h6|Rye][h5|bread]"));
    assert_eq!((&*page.title, page.headings.trim()), ("Rye", "Rye\nbread"));
}

#[test]
fn sections_have_the_id_of_their_heading_or_one_right_before_it() {
    let cases = [
        ("[h2 id=rye|Rye]", Some("rye")),
        ("[section id=rye|[h2|Rye[a href=#rye|¶]]]", Some("rye")),
        ("[div id=rye|[div|[h2 class=title|Rye]]]", Some("rye")),
        ("[a name=rye|][h4|Rye]", Some("rye")),
        ("[section id=bread|[h2 id=rye|Rye]]", Some("rye")),
        ("[p id=rye|Flour.][h2|Rye]", None),
        ("[h4|[a id=rye|]Rye]", Some("rye")),
        ("[h4|[i|[a name=rye|Rye]] [a id=bread|]]", Some("rye")),
        ("[h2|[b|Rye][span id=rye|]]", Some("rye")),
        ("[h2 id=rye|Rye [b id=bread|]][h3|Bread]", Some("rye")),
        ("[p|[a id=oven|]Oven.][h2|Rye]", None),
        ("[h2|Rye]", None),
        ("[h2 id=rye| ¶]", None),
        ("[nav|[h2 id=rye|Rye]]", None),
        ("[h2 id=bread|Bread][main|Oven.[h2 id=rye|Rye]]", Some("rye")),
    ];
    for (source, id) in cases {
        let page = read(source);
        let found = page.sections.iter().map(|section| &*section.id);
        assert_eq!(found.collect::<Vec<_>>(), Vec::from_iter(id), "{source}");
        for Section { at, heading, .. } in &page.sections {
            assert_eq!((heading.as_str(), &page.text[*at..][..3]), ("Rye", "Rye"), "{source}");
        }
    }
}

#[test]
fn a_first_heading_outside_of_the_marked_body_is_of_the_page() {
    let check = |header: &str, body: &str, title: &str, headings: &str| {
        let source = format!("[body|[header|{header}][div data-pagefind-body|{body}]]");
        let page = read(&source);
        assert_eq!((&*page.title, &*page.headings), (title, headings), "{source}");
        assert!(!page.text.contains("Rye") && page.other.is_empty());
    };
    check("[h1|Rye]", "[p|a]", "Rye", "Rye");
    check("[h1|Rye]", "[h2|B][p|a]", "Rye", "Rye\nB");
    check("[h1|Rye]", "[h1|B][p|a]", "B", "B");
    check("[h1|[a href=/|Rye]]", "[p|a]", "", "");
    check("[a href=/|[h1|Rye]]", "[h2|B]", "B", "B");
    check("[h2|Rye]", "[p|a]", "", "");
    let titled = "[head|[title|T]][body|[h1|Rye][p data-pagefind-body|a]]";
    assert_eq!((&*read(titled).title, &*read(titled).headings), ("T", "Rye"));
}

#[test]
fn the_title_is_the_title_element_or_the_first_heading() {
    assert_eq!(read("[html|[head|[title| A\n B ]][body|[h1|C]]]").title, "A B");
    assert_eq!(read("[html|[body|[p|x][h2|C [b|D]][h1|E [b|F]][h1|G]]]").title, "E F");
    assert_eq!(read("[body|[header|[h1|Site]][main|[h2|C][h1| ][h1|D]And more.]]").title, "D");
    assert_eq!(read("[body|[h1 hidden|A][h1 data-pagekin-ignore|B][h2|C]]").title, "C");
    assert_eq!(read("[body|[aside|[h2|C][h1|D]][main|E and more.]]").title, "C");
    assert_eq!(collapse(&read("[html|[head|[title|A]][body|[h1|C]]]").text), "C");
}

#[test]
fn metadata_is_read() {
    let page = read(
        "[html lang=de-AT|[head|[meta http-equiv=Refresh content=0;URL='../x.html'|][meta name=robots content=nofollow,NoIndex|][link rel=canonical href=/y|]]]",
    );
    assert_eq!(page.lang, "de-AT");
    assert_eq!(page.redirect.as_deref(), Some("../x.html"));
    assert!(page.noindex);
    assert_eq!(page.canonical.as_deref(), Some("/y"));
    assert_eq!(read("[html|[head|[meta http-equiv=refresh content=300|]]]").redirect, None);
    for late in ["11;url=x", "1800; url=/", "00000000000000000011;url=x"] {
        assert_eq!(refresh_target(late), None, "{late}");
    }
    assert_eq!(refresh_target("0010; url=x").as_deref(), Some("x"));
}

#[test]
fn refreshes_are_read_as_in_the_html_standard() {
    for (content, expected) in [
        ("0;url=/p", "/p"),
        (" \n5.75.3 ; URL = '/p' x", "/p"),
        (".5,/p", "/p"),
        ("0 url=\"/p q\"", "/p q"),
        ("0;'/p\"", "/p\""),
        ("0; 'a'b", "a"),
        ("0;u=/p", "u=/p"),
        ("0;url/p", "url/p"),
        ("0;ur'l'", "ur'l'"),
        ("0;/a;url=/b", "/a;url=/b"),
        ("00;url=javascripts:x", "javascripts:x"),
    ] {
        assert_eq!(refresh_target(content).as_deref(), Some(expected), "{content:?}");
    }
    for none in [
        "",
        "300",
        "300;",
        "0;url=",
        "0;url=''",
        ";url=/p",
        "-1;url=/p",
        "+1;url=/p",
        "x;url=/p",
        "/p",
        "0x;url=/p",
        "0:/p",
        "0;url=javascript:x()",
        "0;url=' JaVa\tscript:x()'",
        "0;\u{1}javascript:",
    ] {
        assert_eq!(refresh_target(none), None, "{none:?}");
    }
}

#[test]
fn the_first_refresh_with_a_target_counts() {
    let page = read(
        "[html|[head|[meta http-equiv=refresh content=9|][meta http-equiv=refresh content=0;url=javascript:x|][meta http-equiv=refresh content=0;url=/b|][meta http-equiv=refresh content=0;url=/c|]]]",
    );
    assert_eq!(page.redirect.as_deref(), Some("/b"));
}

#[test]
fn a_long_title_is_truncated() {
    let page = read(&format!("[html|[head|[title|{}]]]", "é ".repeat(10_000)));
    assert_eq!(page.title.len(), 4_094);
    assert!(page.title_is_cut);
    let longest = read(&format!("[html|[head|[title|{}]]]", "a".repeat(4_096)));
    assert_eq!((longest.title.len(), longest.title_is_cut), (4_096, false));
    let page = read(&format!("[html|[body|[h1|{}]]]", "é ".repeat(10_000)));
    assert_eq!(page.title.len(), 4_094);
    assert!(page.title.ends_with('é'));
}

/// Eight short summaries of other pages.
fn summaries(one: &str) -> String {
    let blurb = "Malt word is barley that has sprouted in water and was dried in a warm wind";
    (0..8).map(|n| one.replace("/x", &format!("/{n}")).replace("BLURB", blurb)).collect()
}

#[test]
fn teasers_are_other_text_in_any_markup() {
    for one in [
        "[article|[h3|[a href=/x|Malt]][p|BLURB.]]",
        "[div|[a href=/x|[h4|Malt]][div|BLURB.]]",
        "[li|[a href=/x|Malt][p|BLURB …]]",
        "[p|[a href=/x|Malt] BLURB...]",
        "[div|[div|[a href=/x|Malt]][div|BLURB (…) [a href=/x|»]]]",
        "[dt|[a href=/x|Malt]][dd|BLURB …]",
        "[a href=/x|Malt: BLURB …]",
    ] {
        let page = |body: &str| body.replace("TEASERS", &summaries(one));
        check_class(
            &page(&format!("[body|[div|[h1|Rye]{PROSE}{PROSE}][div|TEASERS]]")),
            "word",
            "other",
        );
        let within = page(&format!("[body|[main|[h1|Rye]{PROSE}{PROSE}[section|TEASERS]]]"));
        check_class(&within, "word", "other");
        check_class(&within, "leaven", "main");
        // A page that consists of teasers is a list of pages.
        check_class(&page("[body|[h1|Grains][div|TEASERS]]"), "word", "main");
    }
}

#[test]
fn lists_of_manuals_are_not_teasers() {
    for one in [
        "[li|[a href=/x|malt()] BLURB.]",
        "[li|[a href=/x|malt()][p|BLURB.]]",
        "[dt|[a href=/x|malt()]][dd|BLURB.]",
        "[tr|[td|[a href=/x|malt()]][td|BLURB.]]",
        "[div|[h3|[a href=/x#malt|malt()]][p|BLURB.]]",
        "[div|[h3|[a href=#x|malt()]][p|BLURB …]]",
        "[div|[h3|malt() of [a href=/x|Grains]][p|BLURB.]]",
    ] {
        let page = format!("[body|[div|[h1|Rye]{PROSE}{PROSE}][div|{}]]", summaries(one));
        check_class(&page, "word", "main");
    }
}

#[test]
fn frames_next_to_a_content_are_other_text_if_only_ids_name_them() {
    let list = summaries("[li|[a href=/x|Malt][p|BLURB.]]");
    for content in ["id=content", "id=main-content", "class=content"] {
        for side in ["id=sidebar", "id=page-footer", "id=topnav", "class=menu"] {
            let source = format!(
                "[body|[div|[div {content}|[h1|Rye]{PROSE}{PROSE}inner]][div {side}|{list}]]"
            );
            check_class(&source, "word", "other");
            check_class(&source, "inner", "main");
        }
    }
    // Only elements next to the content, with such names.
    let source =
        format!("[body|[div id=content|[h1|Rye]{PROSE}{PROSE}[div|[div id=sidebar|{list}]]]]");
    check_class(&source, "word", "main");
    let source = format!("[body|[div id=rye|[h1|Rye]{PROSE}{PROSE}][div id=sidebar|{list}]]");
    check_class(&source, "word", "main");
    let source = format!("[body|[div id=content|[h1|Rye]{PROSE}{PROSE}][div id=malt|{list}]]");
    check_class(&source, "word", "main");
    let source = format!("[body|[div id=content|[p|Rye]][div id=sidebar|{list}]]");
    check_class(&source, "word", "main");
}

#[test]
fn content_that_a_control_opens_is_other_text() {
    let panel = "[div id=a style=display:none|[p|word [b hidden|inner]][img alt=image|]]";
    for (control, class) in [
        ("[button onclick=show('b','a')|Show]", "other"),
        ("[button aria-controls=a|Show]", "other"),
        ("[p|[a href=#a|Show]]", "other"),
        ("[div data-target=#a|Show]", "other"),
        ("[svg data-bs-target=#a|Show]", "other"),
        ("[button aria-controls=b|Show]", "out"),
        ("[button onclick=show(area)|Show]", "out"),
        ("[p aria-describedby=a|Show]", "out"),
        ("", "out"),
    ] {
        let main = format!("[main|[h1|Rye]{PROSE}");
        for source in
            [format!("[body|{main}{control}{panel}]]"), format!("[body|{main}{panel}]{control}]")]
        {
            check_class(&source, "word", class);
            check_class(&source, "image", class);
            check_class(&source, "inner", "out");
            check_class(&source, "leaven", "main");
        }
    }
    for (panel, class) in [
        ("[p id=a hidden aria-hidden=true|word]", "other"),
        ("[div id=a hidden class=tab-panel|word]", "main"),
        ("[div hidden|word]", "out"),
        ("[nav id=a hidden|word]", "out"),
        ("[nav|[ul id=a hidden|word]]", "out"),
        ("[ul id=a class=main-menu hidden|word]", "out"),
        ("[div id=a class=modal hidden|word]", "out"),
        ("[div id=a role=dialog hidden|word]", "out"),
        ("[div id=a hidden data-pagekin-ignore|word]", "out"),
    ] {
        let source = format!("[body|[main|[h1|Rye]{PROSE}[b aria-controls=a|Show]{panel}]]");
        check_class(&source, "word", class);
    }
    let opened = read("[body|[a href=#a|Show][p id=a hidden|ab][p id=b hidden|cde]]");
    assert_eq!((&*opened.other, &*opened.left_out), ("ab\n", &[(Reason::Unseen, 3)][..]));
}

/// Elements in generated pages. The reader reads all of them.
const ELEMENTS: [&str; 36] = [
    "div",
    "p",
    "section",
    "li",
    "b",
    "a href=/x",
    "a href=#a",
    "a href=/x#a",
    "h1",
    "h2",
    "h3 id=b",
    "main",
    "article",
    "nav",
    "header",
    "footer",
    "aside",
    "dialog",
    "figcaption",
    "div id=a hidden",
    "p id=b style=display:none",
    "div hidden",
    "i aria-hidden=true",
    "div aria-hidden=true",
    "div data-pagekin-ignore",
    "div data-pagekin-body",
    "div class=entry-content",
    "div class=related-posts",
    "div class=comments",
    "div class=modal",
    "div class=byline",
    "div id=content",
    "div id=sidebar",
    "div role=main",
    "div class=tab-panel hidden",
    "span aria-controls=b",
];

/// Builds a page from bytes that choose its parts: an element starts or ends, or a line of distinct
/// words follows.
fn generate_page(choices: &[(u8, u8)]) -> (String, usize) {
    let (mut source, mut open, mut words) = ("[body|".to_owned(), 1, 0);
    for &(what, which) in choices {
        match what {
            0 if open > 1 => {
                source.push(']');
                open -= 1;
            }
            0 | 1 => {
                let element = ELEMENTS[usize::from(which) % ELEMENTS.len()];
                // A mark of the owner excludes everything else, so few pages contain one.
                let element = if element.contains("body") && which > 40 { "div" } else { element };
                source.push_str(&format!("[{element}|"));
                open += 1;
            }
            _ => {
                for _ in 0..=which % 40 {
                    source.push_str(&format!(" word{words} "));
                    words += 1;
                }
                source.push_str(if which % 5 == 0 { "…" } else { "" });
            }
        }
    }
    source.push_str(&"]".repeat(open));
    (source, words)
}

proptest! {
    #[test]
    fn each_word_is_in_one_text_once_or_counted_as_excluded(
        choices in prop::collection::vec((0u8..4, any::<u8>()), 0..120),
        has_card: bool,
    ) {
        let (source, words) = generate_page(&choices);
        let card = if has_card { "[meta property=og:title|]" } else { "" };
        let page = read(&source.replacen("[body|", &format!("[body|{card}"), 1));
        let mut found = vec![0; words];
        let is_word = |word: &&str| word.starts_with("word");
        let texts = page.text.split_whitespace().chain(page.other.split_whitespace());
        for word in texts.filter(is_word) {
            found[word["word".len()..].trim_end_matches('…').parse::<usize>().unwrap()] += 1;
        }
        prop_assert!(found.iter().all(|&times| times <= 1), "a word occurs twice: {source}");
        let expected: usize = source.split(['[', ']']).map(|piece| {
            weight(piece.rsplit('|').next().unwrap_or_default()) as usize
        }).sum();
        let left_out: usize = page.left_out.iter().map(|&(_, characters)| characters).sum();
        let kept = (weight(&page.text) + weight(&page.other)) as usize;
        prop_assert_eq!(kept + left_out, expected, "{}", source);
    }
}
