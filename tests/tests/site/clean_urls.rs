//! The forms of a page's URL that hosts and people use, and indexes with clean URLs. The table of
//! forms is `addresses.json`; the test of `related.js` uses it too.

use std::fs;

use pagekin_core::address::{self, key};
use pagekin_index::LocalIndex;
use pagekin_tests::checkout;
use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::{arguments, pagekin};
use pagekin_tests::served::Served;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    pages: Vec<Named>,
    unknown: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    file: String,
    url: String,
    clean: String,
    names: Vec<String>,
}

impl Table {
    fn load() -> Self {
        let json = checkout::of_tests("addresses.json");
        let json = fs::read_to_string(json).expect("it is there");
        serde_json::from_str(&json).expect("it is a table")
    }

    /// Returns a site of these pages.
    fn site(&self) -> Place {
        let place = Place::empty();
        for (number, page) in (0..).zip(&self.pages) {
            let text = html(&format!("Page {number}"), &words(number * 10, 40));
            place.write(&format!("site/{}", page.file), text);
        }
        place
    }
}

#[test]
fn all_forms_of_a_url_find_the_page() {
    let table = Table::load();
    let place = table.site();
    for (clean, base) in [
        (false, "/"),
        (true, "/"),
        (false, "/docs/"),
        (true, "/docs/"),
        (true, "https://example.org/docs/"),
        (false, "https://example.org/"),
    ] {
        let options = ["--base-url", base, "--clean-urls"];
        place.build(&options[..if clean { 3 } else { 2 }]);
        let folder = LocalIndex::open(&place.out()).expect("it is built");
        let base = base.trim_end_matches('/');
        for page in &table.pages {
            let url = format!("{base}{}", if clean { &page.clean } else { &page.url });
            for name in &page.names {
                for given in [
                    name.clone(),
                    format!("{base}{name}"),
                    format!("https://elsewhere.example{name}"),
                ] {
                    let found = folder.page(&given).map(|page| page.url);
                    assert_eq!(found.ok().as_ref(), Some(&url), "{given} below {base}");
                }
            }
        }
        for name in &table.unknown {
            assert!(folder.page(name).is_err(), "{name} below {base}");
        }
        place.on_index("inspect", &["--verify"]).ok();
    }
}

/// Uses a URL as copied from the address bar on any host.
#[test]
fn all_commands_accept_the_same_urls() {
    let place = Place::empty();
    for number in 0..4 {
        let text = html(&format!("Page {number}"), &words(number * 10, 40));
        place.write(&format!("site/bread/p{number}.html"), text);
    }
    place.build(&["--base-url", "/docs/"]);
    let (site, crawl) = (place.site(), place.path("crawl"));
    let clustered = [
        "crawl".as_ref(),
        "cluster".as_ref(),
        site.as_os_str(),
        "-o".as_ref(),
        crawl.as_os_str(),
        "--base-url".as_ref(),
        "https://x.org/docs/".as_ref(),
    ];
    pagekin(clustered).ok();
    let out = place.out();
    let served = Served::start(&arguments(
        &[out.as_os_str(), "--site".as_ref(), site.as_os_str()],
        &["--port", "0"],
    ));
    let page = fs::read(site.join("bread/p0.html")).expect("it is there");
    for name in
        ["/docs/bread/p0", "/docs/bread/p0/", "/docs/bread/p0.html", "/docs/bread/p0/index.html"]
    {
        let kin = place.on_index("similar", &["--url", name, "--json"]).ok();
        assert!(kin.contains("\"/docs/bread/p1.html\"") && !kin.contains("p0"), "{name}: {kin}");
        let shown = place.on_index("inspect", &["--url", name]).ok();
        assert!(shown.contains("\n  /docs/bread/p0.html"), "{name}: {shown}");
        let (crawl, url) = (crawl.as_os_str(), format!("https://x.org{name}"));
        let related = pagekin([
            "crawl".as_ref(),
            "related".as_ref(),
            crawl,
            "--url".as_ref(),
            url.as_ref(),
            "--json".as_ref(),
        ]);
        let related = related.ok();
        assert!(related.starts_with("{\"url\":\"https://x.org/docs/bread/p0.html\""), "{related}");
        if name.ends_with("index.html") {
            continue;
        }
        let mut response = served.get(name);
        if response.status == 307 {
            response = served.get(response.header("location"));
        }
        assert_eq!((response.status, &response.body), (200, &page), "{name}");
    }
    let (crawl, url) = (crawl.as_os_str(), "https://x.org/docs/bread/p9/".as_ref());
    pagekin(["crawl".as_ref(), "related".as_ref(), crawl, "--url".as_ref(), url])
        .failed_with(&["https://x.org/docs/bread/p9/"]);
}

#[test]
fn forms_of_one_url_have_one_key() {
    for page in Table::load().pages {
        for name in page.names.iter().map(|name| address::normal(name)) {
            assert_eq!(key(name), key(&page.clean), "{name}");
            assert_eq!(key(name), key(&page.url), "{name}");
        }
    }
}

#[test]
fn clean_urls_are_written_everywhere_and_find_their_pages() {
    let place = Table::load().site();
    // A copy, for the report of near-duplicates.
    fs::copy(place.path("site/guide/setup.html"), place.path("site/copy.html"))
        .expect("there is room");
    place.build(&["--clean-urls", "--related-json"]);
    let related = fs::read_to_string(place.out().join("related.json")).expect("it is written");
    assert!(related.contains("\"/guide/setup\"") && !related.contains(".html"), "{related}");
    let similar = place.on_index("similar", &["--url", "/guide/setup.html", "--json"]).ok();
    assert!(similar.contains("\"/copy\"") && !similar.contains(".html"), "{similar}");

    // Pages of the folder, and pages of the index, which are found in the folder.
    let site = place.site();
    let site = site.to_str().expect("tests use UTF-8");
    let out = place.out();
    let out = out.to_str().expect("tests use UTF-8");
    let of_site = pagekin(["duplicates", site, "--clean-urls", "--format", "json"]).ok();
    let of_index = pagekin(["duplicates", out, "--site", site, "--format", "json"]).ok();
    for found in [of_site, of_index] {
        assert!(found.contains("\"/guide/setup\"") && found.contains("\"/copy\""), "{found}");
        assert!(!found.contains("/copy.html"), "{found}");
    }
}

#[test]
fn a_site_that_links_without_extensions_gets_a_hint() {
    let page = |links: &str| format!("{}{links}", html("A page", &words(0, 40)));
    let clean = page("<a href=/b>b</a> <a href=/c>c</a>");
    let whole = page("<a href=/b.html>b</a> <a href=/c.html>c</a>");
    let hint = "The site links to its pages without .html. Use --clean-urls";
    for (links, expected) in [(&clean, true), (&whole, false)] {
        let place = Place::with(&["a.html", "b.html", "c.html"].map(|path| (path, links.as_str())));
        assert_eq!(place.try_build(&[]).ok().contains(hint), expected);
        assert!(!place.try_build(&["--clean-urls"]).ok().contains(hint));
        let summary = place.try_build(&["--json"]).ok();
        assert!(summary.contains(&format!("\"links_without_html\":{expected}")), "{summary}");
    }
}

#[test]
fn the_preview_serves_clean_urls() {
    let place = Table::load().site();
    place.write("site/install/LICENSE", "A file without an ending.");
    place.write("site/install/LICENSE.html", "Its page.");
    place.build(&["--clean-urls"]);
    let (out, site) = (place.out(), place.site());
    let served = Served::start(&arguments(
        &[out.as_os_str(), "--site".as_ref(), site.as_os_str()],
        &["--port", "0"],
    ));
    for (path, file) in [
        ("/guide/setup", "guide/setup.html"),
        ("/guide/setup?a=b", "guide/setup.html"),
        ("/guide/caf%C3%A9%20&%20tea%20(50%25)", "guide/café & tea (50%).html"),
        ("/guide/", "guide/index.html"),
        // As on hosts, a page precedes the folder of its name, and a file precedes a page.
        ("/install", "install.html"),
        ("/install/LICENSE", "install/LICENSE"),
    ] {
        let response = served.get(path);
        assert_eq!(response.status, 200, "{path}: {response:?}");
        assert_eq!(response.body, fs::read(site.join(file)).expect("it is there"), "{path}");
    }
    assert_eq!(served.get("/guide/setup").header("content-type"), "text/html");
    let folder = served.get("/guide");
    assert_eq!((folder.status, folder.header("location")), (307, "/guide/"), "{folder:?}");
    for (path, location) in [
        ("/guide/setup/", "/guide/setup"),
        ("/guide/setup/?a=b", "/guide/setup?a=b"),
        ("/guide.html", "/guide/"),
    ] {
        let response = served.get(path);
        assert_eq!((response.status, response.header("location")), (307, location), "{path}");
    }
    for path in [
        "/guide/set",
        "/guide/set/",
        "//example.org/",
        "/%2e%2e/site/guide/setup",
        "/%2e%2e/site/guide/setup/",
    ] {
        let status = served.get(path).status;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
}

#[test]
fn the_preview_also_serves_the_published_base_path() {
    let place = Table::load().site();
    place.build(&["--base-url", "https://example.org/docs/"]);
    let (out, site) = (place.out(), place.site());
    let served = Served::start(&arguments(
        &[out.as_os_str(), "--site".as_ref(), site.as_os_str()],
        &["--port", "0"],
    ));
    assert!(served.line.contains("/docs/pagekin/"), "{}", served.line);
    let page = fs::read(site.join("guide/setup.html")).expect("it is there");
    for path in ["/docs/guide/setup.html", "/guide/setup.html"] {
        let response = served.get(path);
        assert_eq!((response.status, response.body == page), (200, true), "{path}");
    }
    let demo = served.get("/docs/pagekin/");
    assert_eq!(demo.status, 200);
    assert_eq!(demo.body, served.get("/pagekin/").body);
    assert!(demo.header("content-security-policy").contains("default-src 'none'"));
    for (path, location) in [
        ("/docs/guide", "/docs/guide/"),
        ("/guide", "/guide/"),
        ("/docs/pagekin", "/docs/pagekin/"),
        ("/pagekin", "/pagekin/"),
    ] {
        let response = served.get(path);
        assert_eq!((response.status, response.header("location")), (307, location), "{path}");
    }
    let refused = served.get("/docs/%2e%2e/%2e%2e/site/guide/setup.html");
    assert!((400..500).contains(&refused.status), "{refused:?}");
    let host = served.get_with("/docs/guide/setup.html", "Host: example.org\r\n");
    assert_eq!(host.status, 403);
}
