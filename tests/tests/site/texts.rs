//! The two texts of a page: main text, and other text that a visitor can read.

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::{command, pagekin, run};
use serde_json::{Value, json};

const POST: &str = "<!doctype html><html lang=en><title>Rye bread</title>
<nav><a href=/>Home</a></nav>
<article><h1>Rye bread</h1><p>Rye bread rises slowly, since its flour has little gluten. Feed the leaven
the evening before, and bake the loaf while the oven is hot.</article>
<section class=comments><p>Anna: mine needed buckwheat.</section>
<footer>Written at the kitchen table.</footer>";

#[test]
fn read_shows_the_texts_of_a_page_and_excluded_text() {
    let place = Place::with(&[("rye.html", POST)]);
    let file = place.site().join("rye.html");
    let shown = pagekin(["read".as_ref(), file.as_os_str()]).ok();
    for part in ["title: Rye bread\n", "  Anna: mine needed buckwheat.\n", "4 in menus"] {
        assert!(shown.contains(part), "{part:?}: {shown}");
    }
    let read = run(&mut command(["read", "--json", "-"]), POST.as_bytes()).ok();
    let read: Value = serde_json::from_str(&read).expect("it is JSON");
    assert_eq!(read["other"], "Anna: mine needed buckwheat.");
    assert_eq!(read["left_out"][0], json!({"reason": "navigation", "characters": 4}));
    assert!(
        read["main"].as_str().is_some_and(|main| main.starts_with("Rye bread\nRye bread rises"))
    );
    let read = |page: &str| -> Value {
        let read = run(&mut command(["read", "--json", "-"]), page.as_bytes()).ok();
        serde_json::from_str(&read).expect("it is JSON")
    };
    assert_eq!(read("<meta name=robots content=noindex><p>Rye")["skipped"], "noindex");
    assert_eq!(read("<p>1 2 3")["skipped"], "empty");
    assert_eq!(read("<p>Rye")["skipped"], Value::Null);
    pagekin(["read", "no-such-file.html"]).failed_with(&["cannot read no-such-file.html"]);
}

#[test]
fn other_text_ranks_below_main_text() {
    let about = POST.replace("little gluten", "little gluten and much buckwheat");
    let mut pages = vec![
        ("rye.html".to_owned(), POST.to_owned()),
        ("groats.html".to_owned(), about.replace("Anna: mine needed buckwheat.", "Ben: nice.")),
    ];
    for at in 0..12 {
        pages.push((format!("{at}.html"), html(&format!("Page {at}"), &words(20 * at, 40))));
    }
    let pages: Vec<_> = pages.iter().map(|(name, html)| (&**name, &**html)).collect();
    let place = Place::with(&pages);
    place.build(&[]);
    for command in ["search", "similar"] {
        let out = place.out();
        let arguments =
            [command.as_ref(), out.as_os_str(), "buckwheat".as_ref(), "--json".as_ref()];
        let answer: Value = serde_json::from_str(&pagekin(arguments).ok()).expect("it is JSON");
        let urls = answer["results"].as_array().expect("it has results").iter();
        let urls: Vec<_> = urls.filter_map(|result| result["url"].as_str()).collect();
        assert_eq!(urls, ["/groats.html", "/rye.html"], "{command}");
    }
}

#[test]
fn pages_with_the_same_title_are_named_by_their_headings() {
    let page = |at: u32| {
        let body = format!("<main><h1>Glaze {at}</h1><p>{}</main>", words(30 * at, 40));
        (format!("{at}.html"), format!("<title>Nimbus Docs</title>{body}"))
    };
    let pages: Vec<_> = (0..6).map(page).collect();
    let pages: Vec<_> = pages.iter().map(|(name, html)| (&**name, &**html)).collect();
    let place = Place::with(&pages);
    assert_eq!(place.build(&[]).titles_by_heading, 6);
    let answer = place.similar(&["--url", "/3.html", "--threshold", "0"]);
    assert!(!answer.urls().is_empty());
    assert_eq!(place.build(&["--keep-repeated"]).titles_by_heading, 0);
}
