//! Markup for search tools: attributes with an effect, remarks on the others, and selectors.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::{command, pagekin, run};
use serde_json::{Value, json};

/// The URLs that a search finds, in order.
fn found(place: &Place, query: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(&place.on_index("search", &["--json", query]).stdout)
        .unwrap_or_default();
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    results.iter().map(|result| result["url"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The remarks of a build: the markup, the first page and the number of pages.
fn remarks(place: &Place, options: &[&str]) -> Vec<(String, String, u64)> {
    let json = place.try_build(&[options, &["--json", "--quiet"]].concat()).ok();
    let summary: Value = serde_json::from_str(&json).expect("a report");
    let all = summary["remarks"].as_array().cloned().expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let remark = |remark: &Value| {
        let pages = remark["pages"].as_u64().unwrap_or_default();
        (text(&remark["markup"]), text(&remark["page"]), pages)
    };
    all.iter().map(remark).collect()
}

#[test]
fn markup_without_effect_is_reported_with_its_pages() {
    let place = Place::with(&[
        ("a.html", "<main data-pagefind-title=Rye data-pagefind-weight=2>Rye bread</main>"),
        (
            "b.html",
            "<main><p data-pagefind-title=W>Wheat</p><p data-pagefind-weight=abc>bread</main>",
        ),
        (
            "c.html",
            "<main data-pagekin-sort=','>Spelt bread</main><script src=/pagefind/pagefind-ui.js></script>",
        ),
        ("404.html", "<main data-swiftype-index=false>Nothing</main>"),
    ]);
    let of = |markup: &str, page: &str, pages| (markup.to_owned(), page.to_owned(), pages);
    let expected = [
        of("data-pagefind-title", "/a.html", 2),
        of("data-pagefind-weight", "/b.html", 1),
        of("data-pagekin-sort", "/c.html", 1),
        of("data-swiftype-index", "/404.html", 1),
        of("pagefind-ui.js", "/c.html", 1),
    ];
    assert_eq!(remarks(&place, &[]), expected);
    let built = place.try_build(&[]);
    let warning = "warning: data-pagefind-weight is not a number from 0 to 10, and has no effect: 1 page (/b.html)";
    assert!(built.stderr.lines().any(|line| line == warning), "{}", built.stderr);
    let warnings = built.stderr.lines().filter(|line| line.starts_with("warning: "));
    assert_eq!(warnings.count(), expected.len(), "{}", built.stderr);
    let read = pagekin(["read", &place.site().join("b.html").display().to_string()]).ok();
    assert!(
        read.contains(
            "\ndata-pagefind-title has no effect: only headings start sections of results\n"
        ),
        "{read}"
    );
    let plain = Place::with_pages(3);
    assert_eq!(remarks(&plain, &[]), []);
}

#[test]
fn weights_order_results() {
    let rest = |at: u32| words(at, 20);
    let page = |at: u32, attribute: &str| {
        html(
            &format!("Page {at}"),
            &format!("<p {attribute}>walrus feeding</p><p>{}</p>", rest(at * 30)),
        )
    };
    for prefix in ["pagefind", "pagekin"] {
        let weight = |weight: &str| format!("data-{prefix}-weight={weight}");
        let place = Place::with(&[
            ("a.html", &page(1, &weight("0"))),
            ("b.html", &page(2, &weight("0.4"))),
            ("c.html", &page(3, "")),
            ("d.html", &page(4, &weight("3"))),
            ("e.html", &page(5, &weight("10"))),
        ]);
        place.build(&[]);
        let expected = ["/e.html", "/d.html", "/c.html", "/b.html", "/a.html"];
        assert_eq!(found(&place, "walrus"), expected, "{prefix}");
    }
    // A weight of the whole text does not change what a page is about.
    let both = |weight: &str| html("Same", &format!("<p {weight}>{}</p>", words(0, 40)));
    let place = Place::with(&[
        ("a.html", &both("data-pagefind-weight=9")),
        ("b.html", &both("data-pagefind-weight=.1")),
        ("c.html", &html("Other", &words(90, 40))),
    ]);
    place.build(&[]);
    let answer = place.similar(&["--url", "/a.html", "--threshold", "0"]);
    assert_eq!(answer.similarity("/b.html"), 1.0);
}

#[test]
fn metadata_is_searched_and_names_pages() {
    let place = Place::with(&[
        (
            "a.html",
            "<meta data-pagefind-default-meta='author:Nobody'><main data-pagefind-meta='author:Zelda Quince'>Rye bread</main>",
        ),
        (
            "b.html",
            "<meta data-pagefind-default-meta='author:Sorrel'><main data-pagekin-meta='url:/bread/wheat/'>Wheat bread</main>",
        ),
        (
            "c.html",
            "<main>Spelt <a data-pagefind-meta='url[href]' href=https://other.example/>bread</a></main>",
        ),
        ("d.html", "<main data-pagefind-meta=url:/bread/wheat/>Barley bread</main>"),
        (
            "e.html",
            "<main>Oats<div data-pagefind-ignore=all><p data-pagefind-meta=title>No</p></div></main><h1>Yes</h1>",
        ),
    ]);
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("duplicate-url")), (4, 1));
    assert_eq!(found(&place, "quince"), ["/a.html"]);
    assert_eq!(found(&place, "sorrel"), ["/bread/wheat/"]);
    assert_eq!(found(&place, "nobody"), <[&str; 0]>::default());
    assert_eq!(found(&place, "wheat"), ["/bread/wheat/"]);
    assert_eq!(found(&place, "spelt"), ["/c.html"]);
    assert!(place.on_index("search", &["oats"]).ok().contains("Yes"));
    let remarks = remarks(&place, &[]);
    let of_url = remarks.iter().find(|(markup, ..)| markup.contains("url"));
    assert_eq!(of_url.map(|(_, page, pages)| (page.as_str(), *pages)), Some(("/c.html", 1)));
}

#[test]
fn listed_attributes_are_searched() {
    let place = Place::with(&[
        (
            "a.html",
            "<main>Oils<i data-pagefind-index-attrs='data-tags,title' data-tags=bergamot title=Neroli></i></main>",
        ),
        (
            "b.html",
            "<main>Soaps<img data-pagekin-index-attrs=data-by data-by=Nutmeg alt=Vetiver></main>",
        ),
        ("c.html", "<main title=Cumin data-tags=bergamot>Salts</main>"),
    ]);
    place.build(&[]);
    for (query, url) in [
        ("bergamot", "/a.html"),
        ("neroli", "/a.html"),
        ("nutmeg", "/b.html"),
        ("vetiver", "/b.html"),
    ] {
        assert_eq!(found(&place, query), [url], "{query}");
    }
    assert_eq!(found(&place, "cumin"), <[&str; 0]>::default());
}

#[test]
fn selectors_exclude_elements_and_choose_the_text() {
    let page = |own: &str| {
        format!(
            "<title>{own}</title><p>outside</p><div class='prose wide'><p>{own} kettles</p><p class=crumbs>pantry</p><div id=ads-7>teapot</div></div>"
        )
    };
    let place = Place::with(&[
        ("a.html", &page("alder")),
        ("b.html", &page("birch")),
        ("c.html", "<p>outside"),
        ("d.html", "<div data-pagefind-body>marked</div><div class=prose>pantry</div>"),
    ]);
    let selectors = ["--exclude-selectors", ".crumbs, nav", "--exclude-selectors", "[id^='ads']"];
    let none = <[&str; 0]>::default();
    place.build(&selectors);
    assert_eq!(found(&place, "teapot"), none);
    // A page with a mark of its own keeps it, and so no other page is indexed.
    assert_eq!(found(&place, "marked"), ["/d.html"]);
    let summary = place.build(&[&selectors[..], &["--root-selector", "div.prose"]].concat());
    assert_eq!((summary.pages, summary.skipped("unmarked")), (3, 1));
    assert_eq!(found(&place, "kettles").len(), 2);
    assert_eq!(found(&place, "alder"), ["/a.html"]);
    for query in ["outside", "pantry", "teapot"] {
        assert_eq!(found(&place, query), none, "{query}");
    }
    let built = place.try_build(&["--exclude-selectors", ".x", "--root-selector", "div"]);
    assert!(built.stderr.contains("--exclude-selectors \".x\" matches no element"), "{built:?}");
    // Only the page with a mark of its own is left.
    let summary = place.build(&["--root-selector", "section"]);
    assert_eq!((summary.pages, summary.skipped("unmarked")), (1, 3));
    let refused = place.try_build(&["--exclude-selectors", "nav > a"]);
    assert!(
        refused.stderr.contains("pseudo-classes are not supported: select the element itself"),
        "{refused:?}"
    );
}

#[test]
fn gzipped_pages_are_unpacked() {
    let place = Place::with_pages(2);
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(b"<title>Packed</title><main>Gooseberry jam</main>").expect("it is in memory");
    place.write("site/packed/index.html", packer.finish().expect("it is in memory"));
    assert_eq!(place.build(&[]).pages, 3);
    assert_eq!(found(&place, "gooseberry"), ["/packed/"]);
}

#[test]
fn a_file_of_pagefinds_options_is_reported() {
    let place = Place::with_pages(2);
    let build = || {
        let mut command = command(["build", "site", "-o", "out", "--no-config"]);
        run(command.current_dir(place.path("")), b"")
    };
    assert!(!build().stderr.contains("pagefind"));
    place.write("pagefind.yml", "site: public\n");
    let done = build();
    assert!(done.stderr.contains("warning: pagefind.yml is not read. Move its options"));
    assert!(
        done.stdout
            .contains("options of pagefind.yml in pagekin.toml:\n  [build]\n  site = \"public\"\n")
    );
}

#[test]
fn options_of_selectors_are_keys_of_the_configuration() {
    let place = Place::with(&[
        ("a.html", "<main>kettles<p class=crumbs>pantry</p></main>"),
        ("b.html", "<main>cups</main>"),
    ]);
    place.write("pagekin.toml", "[build]\nsite = \"site\"\noutput = \"out\"\nexclude-selectors = [\".crumbs\"]\nroot-selector = \"main\"\n");
    let config = place.path("pagekin.toml").display().to_string();
    let done = pagekin(["build", "--json", "--config", config.as_str()]);
    let summary: Value = serde_json::from_str(&done.ok()).expect("a report");
    assert_eq!(summary["pages"], json!(2));
    assert_eq!(found(&place, "pantry"), <[&str; 0]>::default());
}

/// Searches with options, and returns the report.
fn search(place: &Place, options: &[&str]) -> Value {
    let answer = place.on_index("search", &[&["--json"], options].concat());
    serde_json::from_str(&answer.ok()).expect("a report")
}

#[test]
fn filters_and_sort_keys_narrow_and_order_results() {
    let tea = |name: &str, color: &str, price: &str| {
        format!(
            "<title>{name}</title><main><h1>{name}</h1><p>A tea of <b data-pagefind-filter=color>{color}</b> leaves \
             <i data-pagekin-filter='kind[data-kind], origin:{name}' data-kind=loose></i>{price}</main>"
        )
    };
    let price = |n: &str| format!("<p data-pagefind-sort=price>{n}</p>");
    let pages = [
        ("a.html", tea("Sencha", "green", &price("9"))),
        ("b.html", tea("Oolong", "blue", &price("10"))),
        ("c.html", tea("Matcha", "green", &price("10.5"))),
        ("d.html", tea("Assam", "black", "")),
    ];
    let place = Place::with(&pages.each_ref().map(|(name, html)| (*name, &**html)));
    place.build(&[]);
    let urls = |report: &Value| -> Vec<String> {
        let results = report["results"].as_array().cloned().unwrap_or_default();
        results.iter().map(|one| one["url"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let green = search(&place, &["--filter", "color=green", "--sort", "price:desc", "tea"]);
    assert_eq!(urls(&green), ["/c.html", "/a.html"]);
    let found = json!({ "total": 2, "exact": true, "filters": {
        "color": { "black": 0, "blue": 0, "green": 2 },
        "kind": { "loose": 2 },
        "origin": { "Assam": 0, "Matcha": 1, "Oolong": 0, "Sencha": 1 },
    } });
    assert_eq!(green["found"], found);
    let sorted = search(&place, &["--sort", "price", "tea"]);
    assert_eq!(urls(&sorted), ["/a.html", "/b.html", "/c.html"]);
    let listed = search(&place, &["--filter", "kind=loose", "--filter", "origin=Assam"]);
    assert_eq!(urls(&listed), ["/d.html"]);
    assert!(urls(&search(&place, &["--filter", "color=red", "tea"])).is_empty());
    assert!(urls(&search(&place, &["--filter", "shape=round", "tea"])).is_empty());
    // Unknown names and values are reported with those of the index, the nearest first.
    let typed = |filter: &str| place.on_index("search", &["tea", "--filter", filter]).ok();
    assert!(typed("origin=sencah").contains("origin has no value sencah; values: Sencha, "));
    assert!(typed("colour=red").contains("no filter colour; filters: color, "));
    assert!(!typed("color=blue").contains("values: "));
    assert_eq!(search(&place, &["tea"])["found"], Value::Null);
    // The text of the elements is still found.
    assert_eq!(first_found(&place, "black leaves"), "/d.html");
}

/// The URL of the first page that a search finds.
fn first_found(place: &Place, query: &str) -> String {
    found(place, query).into_iter().next().unwrap_or_default()
}
