//! The order of results: titles, listings, versions, languages, and phrases.

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::pagekin;
use serde_json::Value;

/// Returns a site with these pages and a dozen others.
fn site(pages: &[(&str, String)]) -> Place {
    let fill = (0..12)
        .map(|at| (format!("fill/{at}.html"), html(&format!("Page {at}"), &words(20 * at, 40))));
    let fill: Vec<_> = fill.collect();
    let own = pages.iter().map(|(name, html)| (*name, &**html));
    let all: Vec<_> = own.chain(fill.iter().map(|(name, html)| (&**name, &**html))).collect();
    let place = Place::with(&all);
    place.build(&[]);
    place
}

/// Returns the URLs that a command finds by a text, best first.
fn found(place: &Place, command: &str, text: &str) -> Vec<String> {
    let out = place.out();
    let arguments = [command.as_ref(), out.as_os_str(), text.as_ref(), "--json".as_ref()];
    let answer: Value = serde_json::from_str(&pagekin(arguments).ok()).expect("it is JSON");
    let results = answer["results"].as_array().expect("it has results").iter();
    results.filter_map(|result| result["url"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_page_with_the_exact_title_is_first() {
    let mut pages: Vec<(String, String)> = (0..5)
        .map(|at| {
            let title = format!("Walrus detail {at}");
            (format!("walrus-{at}.html"), html(&title, "Walrus of the coast"))
        })
        .collect();
    pages.push(("walrus.html".to_owned(), html("Walrus", &words(300, 200))));
    let pages: Vec<_> = pages.iter().map(|(name, html)| (&**name, html.clone())).collect();
    let place = site(&pages);
    for command in ["search", "similar"] {
        assert_eq!(found(&place, command, "Walrus")[0], "/walrus.html", "{command}");
        // The title is not the whole text.
        let text = format!("walrus {}", words(0, 4));
        assert_ne!(found(&place, command, &text)[0], "/walrus.html", "{command}");
    }
}

#[test]
fn listings_follow_the_pages_that_they_list() {
    let text = |at: u32| format!("{} sourdough crust", words(200 + 20 * at, 20));
    let post = |at: u32| (format!("post-{at}.html"), html(&format!("Post {at}"), &text(at)));
    let teaser =
        |at: u32| format!("<h2><a href=post-{at}.html>Post {at}</a></h2><p>{}</p>", text(at));
    let mut pages: Vec<_> = (0..4).map(post).collect();
    let list = format!(
        "<html lang=en><title>Kitchen and cellar</title><main><h1>Kitchen and cellar</h1>{}</main>",
        (0..4).map(teaser).collect::<String>()
    );
    pages.push(("notes.html".to_owned(), list));
    let pages: Vec<_> = pages.iter().map(|(name, html)| (&**name, html.clone())).collect();
    let place = site(&pages);
    let order = found(&place, "similar", "a crust of the sourdough that we eat");
    assert_eq!((order.len(), &*order[4]), (5, "/notes.html"), "{order:?}");
    for command in ["search", "similar"] {
        // Who types its title wants it.
        assert_eq!(found(&place, command, "Kitchen and cellar")[0], "/notes.html", "{command}");
    }
}

#[test]
fn pages_in_the_language_of_the_text_are_first() {
    let in_language = |lang: &str, text: String| {
        html(&format!("Notes {lang}"), &text).replace("lang=en", &format!("lang={lang}"))
    };
    let place = site(&[
        ("en/a.html", in_language("en", format!("{} about the zyzzyva", words(300, 30)))),
        ("de/b.html", in_language("de", "zyzzyva ".repeat(8) + &words(400, 8))),
    ]);
    for (lang, first) in [("en", "/en/a.html"), ("de", "/de/b.html")] {
        let out = place.out();
        let arguments = [
            "search".as_ref(),
            out.as_os_str(),
            "zyzzyva".as_ref(),
            "--json".as_ref(),
            "--lang".as_ref(),
            lang.as_ref(),
        ];
        let answer: Value = serde_json::from_str(&pagekin(arguments).ok()).expect("it is JSON");
        let urls = answer["results"].as_array().expect("it has results").iter();
        let urls: Vec<_> = urls.filter_map(|result| result["url"].as_str()).collect();
        assert_eq!((urls.len(), urls[0]), (2, first), "{lang}");
    }
}

#[test]
fn a_word_of_a_title_counts_as_much_as_any_repetition() {
    let place = site(&[
        ("keeping.html", html("Keeping a walrus in the garden", &words(300, 120))),
        ("pool.html", html("Fourth pool", &"walrus ".repeat(30))),
        ("notes.html", html("Walrus notes", &words(500, 30))),
        ("both.html", html("Tide", &"walrus herring ".repeat(20))),
    ]);
    let order = found(&place, "search", "walrus");
    assert!(order.len() == 4 && !order[..2].contains(&"/pool.html".to_owned()), "{order:?}");
    // The title has one of two words, and the text of another page has both.
    assert_eq!(found(&place, "search", "walrus herring")[0], "/both.html");
}
