//! The files of a site that are pages, and the words of a page that count.

use std::fs;

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::pagekin;
use serde_json::Value;

/// A page about something else, because words on all pages of a site count for nothing.
const OTHER: (&str, &str) = ("other.html", "<main>Lighthouse keepers polish lenses</main>");
/// The same for a site that marks its bodies.
const OTHER_MARKED: (&str, &str) =
    ("other.html", "<main data-pagekin-body>Lighthouse keepers polish lenses</main>");

/// Returns the similarity of `/a.html` and `/b.html` on a site of these two and others.
#[track_caller]
fn similarity(a: &str, b: &str) -> f64 {
    let others = if a.contains("-body") { OTHER_MARKED } else { OTHER };
    let place = Place::with(&[("a.html", a), ("b.html", b), others]);
    place.build(&[]);
    place.similar(&["--url", "/a.html", "--threshold", "0"]).similarity("/b.html")
}

#[test]
fn files_that_are_not_pages_are_skipped_and_counted() {
    let page = |head: &str| format!("<title>x</title>{head}<main>{}</main>", words(0, 20));
    let place = Place::with(&[
        ("kept.html", &page("")),
        (
            "self-canonical.html",
            &page("<link rel=canonical href='https://example.org/self-canonical.html'>"),
        ),
        ("timed-reload.html", &page("<meta http-equiv=refresh content=300>")),
        ("redirect.html", &page("<meta http-equiv=refresh content='0; url=kept.html'>")),
        ("noindex.html", &page("<meta name=robots content='noindex, follow'>")),
        ("none.html", &page("<meta name=robots content=NONE>")),
        ("canonical.html", &page("<link rel=canonical href=/kept.html>")),
        ("no-words.html", "<title>x</title><main>1 2 3</main>"),
        ("stop-words.html", "<title>x</title><main>the and of</main>"),
        ("no-bytes.html", ""),
        ("twice/index.html", &page("")),
        ("twice/index.htm", &page("")),
        ("large.html", &page(&"<!-- large -->".repeat(1_200_000))),
        ("notes.txt", "no page"),
        ("pages/SHOUTED.HTM", &page("")),
        ("pages/strict.xhtml", &page("")),
        (OTHER.0, OTHER.1),
    ]);
    let summary = place.build(&[]);
    let counted: Vec<_> =
        summary.skipped.iter().map(|skipped| (skipped.reason.as_str(), skipped.count)).collect();
    assert_eq!(
        counted,
        [
            ("redirect", 1),
            ("noindex", 2),
            ("canonical", 1),
            ("empty", 3),
            ("duplicate-url", 1),
            ("too-large", 1)
        ]
    );
    assert_eq!((summary.html_files, summary.pages), (16, 7));
    let mut found = place.similar(&["--url", "/kept.html", "--copies"]);
    found.results.sort_by(|a, b| a.url.cmp(&b.url));
    let urls = [
        "/pages/SHOUTED.HTM",
        "/pages/strict.xhtml",
        "/self-canonical.html",
        "/timed-reload.html",
        "/twice/",
    ];
    assert_eq!(found.urls(), urls);
}

#[test]
fn metadata_that_browsers_ignore_excludes_no_page() {
    // Each page has words of its own, because words on all pages count for nothing.
    let page = |head: &str| format!("<title>x</title>{head}<main>WORDS</main>");
    let refresh = |content: &str| page(&format!("<meta http-equiv=refresh content=\"{content}\">"));
    let canonical = |href: &str| page(&format!("<link rel=canonical href=\"{href}\">"));
    let kept = [
        refresh("0;url=javascript:location='/p.html'"),
        refresh(" 0; URL=' java&#10;script:x()'"),
        refresh(";url=/p.html"),
        refresh("-1;url=/p.html"),
        refresh("x;url=/p.html"),
        refresh("0x;url=/p.html"),
        refresh("0;url=mailto:a@example.org"),
        refresh("300;url=#top"),
        canonical("javascript:void(0)"),
        canonical("data:text/html,x"),
        canonical("mailto:a@example.org"),
        canonical("https://"),
    ];
    let left_out = [
        refresh("0;url=/p.html"),
        refresh("0.5 , URL = 'p.html' x"),
        refresh(".5 /p.html"),
        refresh("0;url=/p"),
        refresh("0;url=https://example.org/"),
        refresh("0") + &refresh("0;url=javascript:x") + &refresh("0;url=/p.html"),
        canonical("/p.html"),
        canonical("https://example.org/p.html"),
    ];
    let place = Place::with(&[("p.html", "<main>kestrels hover</main>"), OTHER]);
    for (name, pages) in [("kept", &kept[..]), ("out", &left_out[..])] {
        for (number, html) in pages.iter().enumerate() {
            let html = html.replace("WORDS", &words(number as u32 * 20, 20));
            place.write(&format!("site/{name}{number}.html"), html);
        }
    }
    let summary = place.build(&[]);
    assert_eq!((summary.skipped("redirect"), summary.skipped("canonical")), (6, 2));
    assert_eq!(summary.pages, 2 + kept.len() as u64, "{summary:?}");
}

#[test]
fn the_text_report_lists_skipped_files_with_reasons() {
    let place = Place::with_pages(3);
    place.write("site/gone.html", "<meta http-equiv=refresh content='0; url=0000.html'>");
    let report = place.try_build(&[]).ok();
    assert!(report.starts_with("3 pages from 4 HTML files"), "{report}");
    assert!(report.contains("1  redirect (meta refresh), for example gone.html"), "{report}");
}

#[test]
fn not_found_pages_are_skipped() {
    let missing = "<title>Not found</title><main>kestrels hover elsewhere</main>";
    let place = Place::with(&[
        ("404.html", missing),
        ("de/404/index.html", missing),
        ("http/404-errors.html", missing),
        OTHER,
    ]);
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("not-found")), (2, 2));
    let report = pagekin([place.site().as_os_str(), "duplicates".as_ref()].iter().rev()).ok();
    assert!(report.contains("2  are error pages (404), for example 404.html"), "{report}");
}

#[test]
fn excluded_paths_are_skipped_and_counted() {
    let page = |at: u32| html("Page", &words(at * 20, 20));
    let place = Place::with(&[
        ("a.html", &page(0)),
        ("print.html", &page(1)),
        ("b/print.html", &page(2)),
        ("drafts/c.html", &page(3)),
        ("drafts/d/e.html", &page(4)),
    ]);
    let globs = ["--exclude", "**/print.html", "--exclude", "/drafts/", "--exclude", "none/*"];
    let done = place.try_build(&globs);
    assert!(done.stderr.contains("--exclude \"none/*\" matches no file"), "{done:?}");
    assert!(!done.stderr.contains("print.html\" matches"), "{done:?}");
    let report = done.ok();
    assert!(report.contains("4  match --exclude, for example b/print.html"), "{report}");
    let found = place.similar(&["--url", "/a.html"]);
    assert!(found.urls().is_empty(), "{found:?}");
    let site = place.site();
    let site = site.to_str().unwrap();
    let report = pagekin(["duplicates", site, "--exclude", "*/**"]).ok();
    assert!(report.starts_with("2 pages from 5 HTML files"), "{report}");
    let crawl = place.path("crawl");
    let crawl = crawl.to_str().unwrap();
    let cluster = ["crawl", "cluster", site, "-o", crawl, "--bags", "content"];
    let done = pagekin([&cluster[..], &globs].concat());
    assert!(done.stderr.contains("--exclude \"none/*\" matches no file"), "{done:?}");
    let report = done.ok();
    assert!(report.starts_with("1 pages "), "{report}");
    assert!(report.contains("4  match --exclude, for example "), "{report}");
    place.try_build(&["--exclude", "**"]).failed_with(&["5 that match --exclude"]);
}

#[test]
fn an_invalid_glob_is_refused() {
    let place = Place::with_pages(3);
    let expected = ["'[a'", "--exclude", "expected a glob such as drafts/**"];
    let refused = place.try_build(&["--exclude", "[a"]).failed(2);
    assert!(expected.iter().all(|part| refused.contains(part)), "{refused}");
    let (site, out) = (place.site(), place.path("crawl"));
    let (site, out) = (site.to_str().unwrap(), out.to_str().unwrap());
    let refused = pagekin(["crawl", "cluster", site, "-o", out, "--exclude", "[a"]).failed(2);
    assert!(expected.iter().all(|part| refused.contains(part)), "{refused}");
}

/// A site without `main`, with a menu on all pages and a notice on half of them.
fn site_with_menus() -> Place {
    let place = Place::empty();
    for at in 0..20 {
        let menu = "<ul><li><a href=/>Home</a><li>Kestrels and owls<li>About</ul>";
        let notice = if at % 2 == 0 { "<p>This reserve closes in <b>winter</b></p>" } else { "" };
        let own = words(at * 10, 20);
        place.write(
            &format!("site/{at:02}.html"),
            format!(
                "<html lang=en><title>Page {at}</title>{menu}<h2>Notes</h2><p>{own}</p>{notice}"
            ),
        );
    }
    place.write("site/menu.html", "<title>Menu</title><ul><li>Home<li>Kestrels and owls<li>About");
    place
}

#[test]
fn repeated_text_does_not_count() {
    let place = site_with_menus();
    let report = place.try_build(&[]).ok();
    for line in [
        "21 pages have no <main> or <article>, so all of their text is indexed.",
        "repeated text: 5 blocks that occur on many pages were omitted 90 times",
        "  the most common ones (--verbose lists more), with their number of pages out of 21:",
        "         21  Kestrels and owls",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    // The remaining text finds the page; the removed text finds only the page that consists of it.
    let own = place.similar_to(&words(40, 20), &[]);
    assert_eq!(own.results[0].url, "/04.html");
    assert_eq!(place.similar_to("kestrels and owls", &[]).urls(), ["/menu.html"]);
    assert!(place.similar_to("this reserve closes in winter", &[]).urls().is_empty());

    let report = place.try_build(&["--keep-repeated"]).ok();
    assert!(!report.contains("repeated text"), "{report}");
    assert_eq!(place.similar_to("this reserve closes in winter", &[]).urls().len(), 10);
}

#[test]
fn repeated_text_does_not_depend_on_threads() {
    let place = site_with_menus();
    let [one, four] = ["1", "4"].map(|threads| place.build(&["--threads", threads]).generation);
    assert_eq!(one, four);
}

#[test]
fn a_site_that_marks_its_text_gets_no_hint() {
    let place = Place::with_pages(3);
    let report = place.try_build(&[]).ok();
    assert!(!report.contains("have no <main>") && !report.contains("repeated text"), "{report}");
}

#[test]
fn only_text_marked_for_pagekin_counts() {
    let both = "kestrels hover above meadows";
    let marked = |own: &str| {
        format!(
            "<main>{own}<p data-pagekin-body>{both} <i data-pagekin-ignore>{own}</i></p></main>"
        )
    };
    assert_eq!(similarity(&marked("alder birch"), &marked("cedar dogwood")), 1.0);
    let unmarked = |own: &str| format!("<main>{own}<p>{both} <i>{own}</i></p></main>");
    let without = similarity(&unmarked("alder birch"), &unmarked("cedar dogwood"));
    assert!(0.0 < without && without < 1.0, "{without}");
}

#[test]
fn only_text_marked_for_pagefind_counts() {
    let both = "kestrels hover above meadows";
    let marked = |own: &str| {
        format!(
            "<main>{own}<p data-pagefind-body>{both} <i data-pagefind-ignore=all>{own}</i></p></main>"
        )
    };
    assert_eq!(similarity(&marked("alder birch"), &marked("cedar dogwood")), 1.0);
}

#[test]
fn if_a_page_marks_its_body_unmarked_pages_are_skipped() {
    let place = Place::with(&[
        ("marked.html", "<main data-pagekin-body>kestrels hover</main>"),
        ("also.html", "<div data-pagefind-body>kestrels dive</div>"),
        ("unmarked.html", "<main>kestrels hover</main>"),
    ]);
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("unmarked")), (2, 1));
    place.on_index("similar", &["--url", "/unmarked.html"]).failed_with(&["/unmarked.html"]);
}

#[test]
fn chrome_never_matches() {
    let both = "kestrels hover above meadows";
    let own = [
        "alder birch larch maple pine spruce willow hazel rowan poplar",
        "cedar dogwood elm fir ginkgo holly ivy juniper laurel mulberry",
    ];
    let never = [
        ("<nav>", "</nav>"),
        ("<div role=navigation>", "</div>"),
        ("<div role=dialog>", "</div>"),
        ("<script>", "</script>"),
        ("<style>", "</style>"),
        ("<noscript>", "</noscript>"),
        ("<template>", "</template>"),
        ("<p hidden>", "</p>"),
        ("<p style='display: none'>", "</p>"),
        ("<!--", "-->"),
    ];
    // These are text in `main`: a headline, footnotes, a warning.
    let outside = [
        ("<header>", "</header>"),
        ("<footer>", "</footer>"),
        ("<aside>", "</aside>"),
        ("<div role=banner>", "</div>"),
        ("<div role=contentinfo>", "</div>"),
        ("<div role=complementary>", "</div>"),
    ];
    let page = |main: &str, own: &str, (open, close): (&str, &str), end: &str| {
        format!("{main}<p>{own}</p>{open}{both}{close}{end}")
    };
    let found = |main: &str, chrome, end: &str| {
        let [a, b] = own.map(|own| page(main, own, chrome, end));
        similarity(&a, &b)
    };
    for chrome in never {
        assert_eq!(found("<body>", chrome, "</body>"), 0.0, "{chrome:?}");
        assert_eq!(found("<main>", chrome, "</main>"), 0.0, "{chrome:?}");
    }
    for chrome in outside {
        assert_eq!(found("<body>", chrome, "</body>"), 0.0, "{chrome:?}");
        assert!(found("<main>", chrome, "</main>") > 0.0, "{chrome:?}");
    }
    assert!(found("<main>", ("<div>", "</div>"), "</main>") > 0.0, "only chrome is left out");
}

#[test]
fn text_outside_main_does_not_match() {
    let both = "kestrels hover above meadows";
    for (open, close) in
        [("<main>", "</main>"), ("<article>", "</article>"), ("<div role=main>", "</div>")]
    {
        let page = |own: &str| format!("<p>{both}</p>{open}{own}{close}<p>{both}</p>");
        assert_eq!(similarity(&page("alder birch"), &page("cedar dogwood")), 0.0, "{open}");
    }
}

#[test]
fn alt_text_of_images_counts() {
    let (picture, words) =
        ("<main><img src=x.png alt='kestrels hover'></main>", "<main>kestrels hover</main>");
    assert_eq!(similarity(picture, words), 1.0);
}

#[test]
fn case_endings_and_markup_do_not_matter() {
    let (plain, marked) =
        ("<main>kestrel hovering</main>", "<main><b>KES</b>TRELS<p>ho<wbr>vered</main>");
    assert_eq!(similarity(plain, marked), 1.0);
}

#[test]
fn encodings_do_not_matter() {
    let place = Place::with(&[OTHER]);
    let text = "<main>Gänse überqueren Flüsse</main>";
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).expect("it is Latin 1")).collect();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let pages: [(&str, Vec<u8>); 6] = [
        ("utf8.html", text.into()),
        ("declared-utf8.html", format!("<meta charset=utf-8>{text}").into()),
        ("mark-utf8.html", format!("\u{feff}{text}").into()),
        ("latin.html", [b"<meta charset=iso-8859-1>", &latin[..]].concat()),
        ("guessed-latin.html", latin),
        ("mark-utf16.html", utf16(&format!("\u{feff}{text}"))),
    ];
    for (path, bytes) in &pages {
        place.write(&format!("site/{path}"), bytes);
    }
    place.build(&[]);
    let answer = place.similar(&["--url", "/utf8.html", "--copies"]);
    assert_eq!(answer.results.len(), 5, "{answer:?}");
    assert!(answer.results.iter().all(|kin| kin.similarity == 1.0), "{answer:?}");
}

#[test]
fn urls_start_with_the_base_and_any_form_finds_the_page() {
    let place = Place::with_pages(3);
    place.write("site/a b/index.html", html("Folder", &words(0, 30)));
    place.build(&["--base-url", "https://example.org/docs/"]);
    let names = [
        "https://example.org/docs/0000.html",
        "https://example.org/docs/0000.html?a=b#c",
        "/docs/0000.html",
        "/0000.html",
        "0000.html",
    ];
    let answer = place.similar(&["--url", names[0]]);
    assert_eq!(answer.urls()[0], "https://example.org/docs/a%20b/");
    for name in names {
        assert_eq!(place.similar(&["--url", name]).results, answer.results, "{name}");
    }
    let folder = place.similar(&["--url", "/a%20b/index.html"]);
    assert_eq!(folder.urls()[0], "https://example.org/docs/0000.html");
}

#[test]
fn the_site_name_is_removed_from_titles() {
    let page = |title: &str, at: u32| html(title, &words(at * 10, 20));
    let place = Place::empty();
    for at in 0..6 {
        let titles = [format!("Page {at} | My docs"), format!("Seite {at} — Unser Heft")];
        place.write(&format!("site/{at}.html"), page(&titles[0], at));
        let german = page(&titles[1], at).replace("lang=en", "lang=de");
        place.write(&format!("site/de/{at}.html"), german);
    }
    place.write(
        "site/own.html",
        page("x", 2).replace("<main", "<main data-pagekin-title='Own name'"),
    );
    let titles = |options: &[&str]| {
        let report = place.try_build(options).ok();
        let found =
            place.similar(&["--url", "/3.html", "--limit", "20", "--threshold", "0", "--copies"]);
        let mut titles: Vec<_> = found.results.into_iter().map(|kin| kin.title).collect();
        titles.sort();
        (report, titles)
    };
    let (report, own) = titles(&[]);
    assert!(report.contains("titles (en) end with \" | My docs\", which is omitted"), "{report}");
    for title in ["Own name", "Page 2", "Page 4"] {
        assert!(own.iter().any(|own| own == title), "{own:?}");
    }
    assert!(own.iter().all(|title| !title.contains("docs") && !title.contains("Heft")), "{own:?}");
    let (report, whole) = titles(&["--keep-repeated"]);
    assert!(!report.contains("omitted"), "{report}");
    assert!(whole.iter().any(|title| title == "Page 2 | My docs"), "{whole:?}");
}

#[test]
fn the_title_is_the_title_element_or_the_first_h1() {
    let place = Place::with(&[
        (
            "title.html",
            "<title> Birds\n of &amp; prey </title><main><h1>Heading</h1> kestrels</main>",
        ),
        (
            "heading.html",
            "<main><h2>The <i>first</i> heading</h2><h1>The second</h1> kestrels</main>",
        ),
        OTHER,
    ]);
    place.build(&[]);
    let answer = place.similar_to("kestrels", &["--threshold", "0"]);
    let mut titles: Vec<_> = answer.results.iter().map(|kin| kin.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["Birds of & prey", "The second"]);
}

#[test]
fn words_are_stemmed_and_stopped_in_the_language_of_their_page() {
    let german = "Der Zaun und die Häuser mit den Gärten im Dorf";
    let place = Place::with(&[
        ("de.html", &format!("<html lang=de-AT><main>{german}</main></html>")),
        ("en.html", "<html lang=en><main>The houses with fences in the village</main></html>"),
        ("none.html", "<main>The hens in their coop</main>"),
    ]);
    assert_eq!(place.build(&[]).languages(), [("en", 2), ("de", 1)]);
    // Neither form is on the page; the German stemmer reduces both to the form that is.
    let answer = place.similar_to("Haus Garten Hauses", &["--lang", "de", "--threshold", "0"]);
    assert_eq!(answer.urls(), ["/de.html"]);
    assert_eq!(
        place.similar_to("Gartens", &["--lang", "de", "--threshold", "0"]).urls(),
        ["/de.html"]
    );
    // A word that English pages lack is looked for in German.
    assert_eq!(
        place.similar_to("Gartens", &["--lang", "en", "--threshold", "0"]).urls(),
        ["/de.html"]
    );
    place.try_similar_to("und mit den", &["--lang", "de"]).failed_with(&["only stop words"]);
    assert_eq!(place.similar_to("und mit den", &["--lang", "en"]).urls(), [""; 0]);
    // A language that the site does not use is ignored: Dutch would leave every word unchanged.
    assert_eq!(place.similar_to(german, &["--lang", "nl"]), place.similar_to(german, &[]));
    // A German text needs no `--lang`: its stop words reveal its language.
    let guessed = place.similar_to(german, &[]);
    assert_eq!((guessed.urls(), guessed.results[0].similarity), (vec!["/de.html"], 1.0));
    // Pages that declare no language get the language of the option.
    assert_eq!(place.build(&["--lang", "nl"]).languages(), [("de", 1), ("en", 1), ("nl", 1)]);
}

#[test]
fn a_site_gets_the_module_for_its_languages() {
    let module = |lang: &str| {
        let page = format!("<html lang={lang}><main>bread loaf dough</main></html>");
        let place = Place::with(&[("a.html", &page)]);
        place.build(&[]);
        std::fs::read(place.out().join("pagekin.wasm.bin")).expect("there is a module")
    };
    let [english, czech, german] = ["en-GB", "cs", "de"].map(module);
    assert!(english == czech, "no language has a stemmer but English");
    assert!(english.len() < german.len(), "{} < {}", english.len(), german.len());
}

#[test]
fn a_site_of_one_page_or_of_equal_pages_can_be_indexed() {
    let place = Place::with(&[("a.html", "<main>kestrels hover above meadows</main>")]);
    assert_eq!(place.build(&[]).pages, 1);
    assert_eq!(place.similar_to("a kestrel in the meadow", &[]).urls(), ["/a.html"]);
    place.write("site/b.html", "<main>kestrels hover above meadows</main>");
    assert_eq!(place.build(&[]).pages, 2);
    assert_eq!(place.similar(&["--url", "/a.html"]).results[0].similarity, 1.0);
}

#[test]
fn a_canonical_url_without_extension_is_the_page_itself() {
    let page = |canonical: &str, n| {
        format!("<link rel=canonical href='{canonical}'><main>{}</main>", words(n, 20))
    };
    let place = Place::with(&[
        ("a.html", &page("https://example.org/docs/a", 0)),
        ("b/index.html", &page("https://example.org/docs/b", 10)),
        ("c.html", &page("https://example.org/docs/a", 20)),
    ]);
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.html_files), (2, 3));
}

#[test]
fn hidden_folders_are_skipped() {
    let place = Place::with_pages(3);
    place.write("site/.git/x.html", html("x", &words(0, 20)));
    assert_eq!(place.build(&[]).html_files, 3);
}

#[test]
fn symlinks_are_followed_and_loops_end() {
    let place = Place::with_pages(3);
    fs::create_dir(place.path("elsewhere")).expect("there is room");
    place.write("elsewhere/linked.html", html("Linked", &words(0, 20)));
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("site/linked"))
        .expect("links work");
    std::os::unix::fs::symlink(place.site(), place.path("site/loop")).expect("links work");
    let done = place.try_build(&[]);
    assert!(done.stderr.contains("loop"), "{done:?}");
    done.ok();
    assert_eq!(place.similar(&["--url", "/linked/linked.html"]).urls()[0], "/0000.html");
}

#[test]
fn folders_that_link_to_each_other_are_indexed_once() {
    use std::os::unix::fs::symlink;
    let place = Place::empty();
    let folders = ["a", "b", "c", "d", "e", "f", "g"];
    for (number, folder) in (0..).zip(folders) {
        place.write(&format!("site/{folder}/x.html"), html("x", &words(number * 10, 20)));
    }
    for (from, to) in folders.iter().flat_map(|from| folders.map(|to| (from, to))) {
        if *from != to {
            symlink(format!("../{to}"), place.path(&format!("site/{from}/to-{to}")))
                .expect("links work");
        }
    }
    let done = place.try_build(&[]);
    assert!(done.stderr.contains("42 links to folders"), "{done:?}");
    assert!(done.ok().starts_with("7 pages from 7 HTML files"));
    let done = pagekin([
        "duplicates".as_ref(),
        place.site().as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
    ]);
    let report: Value = serde_json::from_str(&done.ok()).expect("it is JSON");
    assert_eq!(report["pages"], 7, "{report}");
}

#[test]
fn file_names_in_messages_are_escaped() {
    let place = Place::with_pages(3);
    let odd = |of: &str| format!("site/{of}\u{1b}]0;x\u{7}\n\u{9b}31m\u{202e}.html");
    place.write(&odd("deep"), "<main>kestrels ".to_owned() + &"<div>".repeat(2_000));
    place.write(&odd("bad"), b"<meta charset=utf-8><main>kestrels \xff</main>");
    place.write(&odd("empty"), "");
    let shown = r"\u{1b}]0;x\u{7}\n\u{9b}31m\u{202e}.html";
    let check = |text: &str, names: &[&str]| {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{text:?}");
        for name in names {
            assert!(text.contains(&format!("{name}{shown}")), "{name} in {text}");
        }
    };
    let done = place.try_build(&[]);
    check(&done.stderr, &["deep", "bad"]);
    check(&done.ok(), &["empty"]);
    std::os::unix::fs::symlink("/proc/self/mem", place.path(&odd("memory"))).expect("links work");
    check(&place.try_build(&[]).failed(1), &["memory"]);
}

/// Returns the page of an article in one language, with links to its translations.
fn article(names: &[(&str, &str)]) -> String {
    let link = |&(language, url): &(&str, &str)| {
        format!("<link rel=alternate hreflang={language} href='https://bread.example{url}'>")
    };
    let links: String = names.iter().map(link).collect();
    format!("<title>E-4711</title>{links}<main>Code E-4711 kneads {}</main>", words(0, 9))
}

#[test]
fn translations_that_link_to_each_other_are_one_result() {
    let all = [("x-default", "/oven.html"), ("en", "/oven.html"), ("de", "/ofen.html")];
    // No page is a near-copy of another.
    let german = article(&all).replace("kneads", "knetet bis morgen und ruht bis abends");
    let french = [("fr", "/four.html"), ("en", "/oven.html")];
    let french = article(&french).replace("kneads", "repose jusque demain pendant longtemps");
    let near = format!("<title>E-4711 again</title><main>Code E-4711 {}</main>", words(3, 9));
    let place = Place::with(&[
        ("oven.html", &article(&all)),
        ("ofen.html", &german),
        ("four.html", &french),
        ("near.html", &near),
        OTHER,
    ]);
    place.build(&["--related-json"]);
    let answer = place.similar_to("E-4711", &["--threshold", "0"]);
    let mut of_code: Vec<Vec<&str>> = answer
        .results
        .iter()
        .map(|kin| [&*kin.url].into_iter().chain(kin.copies.iter().map(|url| &**url)).collect())
        .collect();
    of_code.iter_mut().for_each(|urls| urls.sort_unstable());
    of_code.sort_unstable();
    // The English page does not link to the French one.
    let expected = [vec!["/four.html"], vec!["/near.html"], vec!["/ofen.html", "/oven.html"]];
    assert_eq!(of_code, expected);
    let related = fs::read_to_string(place.out().join("related.json")).expect("it is written");
    let related: Value = serde_json::from_str(&related).expect("it is JSON");
    let of_english = related["/oven.html"].as_array().expect("it has related pages");
    let has = |url: &str| of_english.iter().any(|kin| kin["url"] == url);
    assert_eq!((has("/ofen.html"), has("/near.html")), (false, true), "{of_english:?}");
}

#[test]
fn a_page_in_ten_folders_counts_as_one_result() {
    let place = Place::empty();
    for folder in ["en", "cs", "da", "de", "es", "fr", "ja", "ko", "ru", "tr"] {
        for number in 0..60 {
            let text = html(&format!("Page {number}"), &words(number * 10, 60));
            place.write(&format!("site/{folder}/{number}.html"), text);
        }
    }
    // A page takes two blocks, so the ten best pages in all folders exceed what is read.
    place.build(&["--block-pages", "5"]);
    place.on_index("inspect", &["--verify"]).ok();
    // Eleven pages contain part of the text.
    let answer = place.similar_to(&words(90, 60), &[]);
    assert_eq!(answer.results.len(), 10, "ten pages, not one ten times: {:?}", answer.urls());
    for page in &answer.results {
        assert_eq!(page.copies.len(), 4, "those of its block: {}", page.url);
        let is_one = |copy: &String| copy.rsplit('/').next() == page.url.rsplit('/').next();
        assert!(page.copies.iter().all(is_one), "{}: {:?}", page.url, page.copies);
    }
}

#[test]
fn pages_that_consist_of_common_words_find_their_copies() {
    let place = Place::empty();
    let page = |name: &str, text: &str| {
        place.write(&format!("site/{name}.html"), html(&format!("About {name}"), text));
    };
    // Words that all pages share count for none of them.
    let (common, other) = (words(0, 8), words(8, 8));
    for number in 0..80 {
        let own = words(16 + number * 20, 20);
        page(&format!("page-{number}"), &format!("{own} {common} {other}"));
    }
    let lone = words(5_000, 9);
    for (name, text) in [("cards", &common), ("list", &other), ("lone", &lone)] {
        page(name, text);
        page(&format!("{name}-again"), text);
    }
    let summary = place.build(&["--related-json"]);
    assert_eq!((summary.pages, summary.skipped("empty")), (86, 0));
    place.on_index("inspect", &["--verify"]).ok();
    for (name, text) in [("cards", &common), ("list", &other), ("lone", &lone)] {
        let [url, copy] = ["", "-again"].map(|end| format!("/{name}{end}.html"));
        let of_page = place.similar(&["--url", &url, "--copies"]);
        assert_eq!((of_page.urls()[0], of_page.similarity(&copy)), (&*copy, 1.0), "{name}");
        let of_text = place.similar_to(text, &["--copies"]);
        for url in [url, copy] {
            assert!((of_text.similarity(&url) - 1.0).abs() < 1e-9, "{name}: {of_text:?}");
        }
    }
    // A word that only the text contains reduces the similarity.
    let more = place.similar_to(&format!("{common} {}", words(6_000, 1)), &["--copies"]);
    assert!((0.1..1.0).contains(&more.similarity("/cards.html")), "{more:?}");
}

#[test]
fn pages_whose_template_makes_the_start_page_canonical_stay_pages() {
    let place = Place::empty();
    let page = |name: &str, first| {
        let head = "<link rel=canonical href=https://example.org/>";
        let text = words(first, 30);
        place.write(
            &format!("site/{name}.html"),
            format!("<title>{name}</title>{head}<main>{text}</main>"),
        );
    };
    for (first, name) in (0..).step_by(100).zip(["index", "bread", "ovens", "flour", "yeast"]) {
        page(name, first);
    }
    let done = place.try_build(&["--json"]);
    assert!(
        done.stderr.contains("name / as canonical, but are not similar to it"),
        "{}",
        done.stderr
    );
    let summary: Value = serde_json::from_str(&done.ok()).expect("it is JSON");
    assert_eq!(summary["pages"], 5);
    // URLs with session ids have the text of the page that they name.
    for name in ["bread", "ovens", "flour", "yeast"] {
        page(name, 0);
    }
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("canonical")), (1, 4));
}
