use std::fs;

use super::*;
use crate::progress::Silent;
use crate::site::repeated;
use crate::site::source::SourcePage;

fn read_all(inputs: &dyn Inputs) -> ParsedSite {
    let undeclared = Undeclared::new(Some("en")).unwrap();
    read(inputs, &undeclared, &StopLists::default(), &Silent).unwrap()
}

#[test]
fn all_pages_of_a_source_are_read_and_skipped_ones_are_listed() {
    let page = |at: u32| SourcePage {
        url: format!("/{at}.html"),
        title: String::new(),
        lang: "en".to_owned(),
        text: format!("Rye bread number{at}."),
    };
    let source: Vec<_> = (0..5).map(page).collect();
    let mut reading = read_all(&SourcePages { source: &source, base_url: "/" });
    let urls = |reading: &ParsedSite| -> Vec<String> {
        reading.drafts.iter().map(|draft| draft.url.clone()).collect()
    };
    assert_eq!(urls(&reading), ["/0.html", "/1.html", "/2.html", "/3.html", "/4.html"]);
    let left_out = reading.retain(|draft| !matches!(&*draft.url, "/1.html" | "/4.html"));
    assert_eq!(left_out, ["/1.html", "/4.html"]);
    assert_eq!(urls(&reading), ["/0.html", "/2.html", "/3.html"]);
    assert!(reading.retain(|_| true).is_empty());
}

#[test]
fn a_title_of_its_own_is_the_text_of_a_page_without_text() {
    let page = |url: &str, title: &str| SourcePage {
        url: url.to_owned(),
        title: title.to_owned(),
        lang: "en".to_owned(),
        text: "…".to_owned(),
    };
    let source = vec![
        page("/badger", "Badger gallery"),
        page("/coyote", "Coyote gallery"),
        page("/app", "Our app"),
        page("/app/settings", "Our app"),
        page("/dash", "—"),
    ];
    let reading = read_all(&SourcePages { source: &source, base_url: "/" });
    let urls: Vec<_> = reading.drafts.iter().map(|draft| draft.url.as_str()).collect();
    assert_eq!(urls, ["/badger", "/coyote"]);
    assert!(reading.drafts.iter().all(|draft| draft.terms.len() == 2));
    assert_ne!(reading.drafts[0].sketch, reading.drafts[1].sketch);
    assert_eq!(reading.skipped.iter().filter(|(why, _)| *why == SkipReason::Empty).count(), 3);
    let df = |word| reading.lexicon.terms.values().find(|it| &*it.stem == word).unwrap().df;
    assert_eq!((df("galleri"), df("app")), (2, 0));
}

#[test]
fn the_name_of_the_site_is_not_the_text_of_a_page_without_text() {
    const NAMES: [&str; 8] =
        ["Badger", "Coyote", "Otter", "Heron", "Lynx", "Marten", "Stoat", "Gallery"];
    let page = |at: usize, text: &str| SourcePage {
        url: format!("/{at}"),
        title: format!("{} - Walking Notes", NAMES[at]),
        lang: "en".to_owned(),
        text: text.to_owned(),
    };
    let mut source: Vec<_> = (0..7).map(|at| page(at, "They walk at night.")).collect();
    source.push(page(7, ""));
    let mut reading = read_all(&SourcePages { source: &source, base_url: "/" });
    reading.settle_titles(false, &StopLists::default());
    let stems = |draft: &ParsedPage| -> Vec<&str> {
        draft.terms.iter().map(|(id, _)| &*reading.lexicon.terms[id].stem).collect()
    };
    assert_eq!(stems(&reading.drafts[7]), ["galleri"]);
    let df = |word| reading.lexicon.terms.values().find(|it| &*it.stem == word).unwrap().df;
    assert_eq!((df("walk"), df("note")), (7, 0));
}

#[test]
fn no_files_give_no_pages() {
    let (site, repeated) = (SiteOutline::default(), Repeated::default());
    let (unwritten, parsed) = (UnwrittenScripts::default(), ParsedFiles::default());
    let files = HtmlFiles {
        files: &[],
        site: &site,
        base_url: "/",
        repeated: &repeated,
        parsed: &parsed,
        unwritten: &unwritten,
    };
    let reading = read_all(&files);
    assert!(reading.drafts.is_empty() && reading.skipped.is_empty());
}

#[test]
fn sampled_pages_give_the_same_as_pages_that_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..40)
        .map(|at| {
            let path = folder.path().join(format!("{at:02}.html"));
            let robots = if at % 9 == 0 { "<meta name=robots content=noindex>" } else { "" };
            let html = format!(
                "<title>Page {at}</title>{robots}<ul><li>Home<li>All recipes</ul><h2 id=a>Rye {at}</h2>\
                 <p data-docsearch-level=1>Own {at} text <a href=\"{:02}.html\">next rye</a>\
                 <script src=pagekin/box.js></script>",
                (at + 1) % 40
            );
            fs::write(&path, html).unwrap();
            HtmlFile { path, url: format!("/{at:02}.html") }
        })
        .collect();
    let site = SiteOutline::new(&files, 10_000);
    let (repeated, _, parsed) = repeated::find(&files, &site, &Silent).unwrap();
    assert_eq!(parsed.len(), 35);
    let unwritten =
        UnwrittenScripts { names: vec!["box".to_owned()], folder: Some("pagekin".to_owned()) };
    let read = |parsed: &ParsedFiles| {
        let (site, repeated, unwritten) = (&site, &repeated, &unwritten);
        let reading = read_all(&HtmlFiles {
            files: &files,
            site,
            base_url: "/",
            repeated,
            parsed,
            unwritten,
        });
        let mut terms: Vec<_> =
            reading.lexicon.terms.iter().map(|(id, term)| format!("{id} {term:?}")).collect();
        terms.sort();
        let ParsedSite { drafts, skipped, bytes, left_out, unwritten, remarks, .. } = reading;
        let rest = format!("{skipped:?} {bytes} {left_out} {unwritten:?} {remarks:?}");
        (drafts, terms, rest)
    };
    let sampled = read(&parsed);
    assert_eq!(parsed.len(), 0);
    assert_eq!(sampled, read(&ParsedFiles::default()));
}
