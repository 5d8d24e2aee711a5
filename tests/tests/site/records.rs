//! Pages that a program hands to `pagekin build`, without files in between.

use pagekin_tests::place::{Place, snapshot};
use pagekin_tests::program::{Done, command, run};
use serde_json::{Value, json};

/// Builds the index of some records.
fn build(place: &Place, records: &[Value], options: &[&str]) -> Done {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let mut build = command(["build", "-", "--output"]);
    run(build.arg(place.out()).args(options), lines.as_bytes())
}

/// Returns the URLs of the results for words.
fn found(place: &Place, words: &str) -> Vec<String> {
    let text = place.on_index("search", &["--json", "--", words]).ok();
    let answer: Value = serde_json::from_str(&text).expect("it is JSON");
    let results = answer["results"].as_array().expect("there are some");
    results.iter().filter_map(|result| Some(result["url"].as_str()?.to_owned())).collect()
}

#[test]
fn records_make_the_index_of_the_same_html() {
    let pages = [("a", "Rye", "Rye rises slowly."), ("b", "Peas", "Sow peas early, and rye late.")];
    let html = |title: &str, text: &str| {
        format!(
            "<!doctype html><html lang=\"en\"><title>{title}</title><main><p>{text}\n</p></main>"
        )
    };
    let files: Vec<_> = pages
        .iter()
        .map(|(name, title, text)| (format!("{name}.html"), html(title, text)))
        .collect();
    let files: Vec<_> = files.iter().map(|(name, html)| (name.as_str(), html.as_str())).collect();
    let of_site = Place::with(&files);
    of_site.build(&[]);
    let texts = pages.map(|(name, title, text)| {
        json!({"url": format!("/{name}.html"), "title": title, "lang": "en", "text": text})
    });
    let of_html = pages.map(
        |(name, title, text)| json!({"url": format!("{name}.html"), "html": html(title, text)}),
    );
    for records in [texts, of_html] {
        let place = Place::with_pages(1);
        build(&place, &records, &[]).ok();
        assert_eq!(snapshot(&place.out()), snapshot(&of_site.out()));
    }
}

#[test]
fn results_have_the_metadata_of_records() {
    let place = Place::with_pages(1);
    let long = "x".repeat(600);
    let records = [
        json!({"url": "/rye/", "lang": "en", "text": "Rye rises slowly.", "meta": {"author": ["Ann", "Bee"], "minutes": 90, "long": long}}),
        json!({"url": "/peas/", "lang": "en", "text": "Sow peas slowly."}),
    ];
    let summary: Value = serde_json::from_str(&build(&place, &records, &["--json"]).ok()).unwrap();
    assert_eq!(summary["remarks"][0]["markup"], "the metadata long", "{summary}");
    let json = |command: &str, args: &[&str]| -> Value {
        let text = place.on_index(command, &[&["--json"], args].concat()).ok();
        serde_json::from_str(&text).expect("it is JSON")
    };
    let expected = json!({"author": "Ann", "minutes": "90"});
    for answer in [json("search", &["--", "rye"]), json("similar", &["--url", "/rye/"])] {
        let results = answer["results"].as_array().expect("there are some");
        for result in results {
            let is_rye = result["url"] == "/rye/";
            assert_eq!(result["meta"], if is_rye { expected.clone() } else { json!({}) });
        }
    }
    let listed = json("search", &["--filter", "none=x", "--", "rye"]);
    assert_eq!(listed["results"], json!([]));
    assert_eq!(json("inspect", &["--url", "/rye/"])["page"]["meta"], expected);
    let verified = &json("inspect", &["--verify"])["verified"];
    assert_eq!(verified["pages_with_metadata"], 1);
    assert!(verified["metadata_bytes"].as_u64().is_some_and(|bytes| (10..60).contains(&bytes)));
}

#[test]
fn records_have_base_urls_exclusions_and_a_ledger() {
    let place = Place::with_pages(1);
    let page = |url: &str, text: &str| json!({"url": url, "lang": "en", "text": text});
    let records = [
        page("/docs/rye/", "Rye rises slowly."),
        page("peas/", "Sow peas early."),
        page("/docs/peas/", "The same URL again."),
        page("/docs/drafts/oats/", "Oats are not ready."),
    ];
    let options = ["--base-url", "/docs/", "--exclude", "drafts/**", "--json"];
    let summary = build(&place, &records, &options).ok();
    let summary: Value = serde_json::from_str(&summary).expect("it is JSON");
    assert_eq!((&summary["pages"], &summary["html_files"]), (&json!(2), &json!(4)), "{summary}");
    assert_eq!(found(&place, "sow"), ["/docs/peas/"]);
}

#[test]
fn records_are_added_to_the_pages_of_a_site() {
    let place = Place::with(&[
        ("rye.html", "<html lang=en><title>Rye</title><p>Rye rises slowly."),
        ("drafts/oats.html", "<html lang=en><title>Oats</title><p>Oats are not ready."),
    ]);
    let page = |url: &str, text: &str| json!({"url": url, "lang": "en", "text": text});
    let records = [
        page("/peas/", "Sow peas early."),
        page("/rye.html", "The URL of a file."),
        page("/notes/beans/", "Beans climb."),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let options = ["--exclude", "drafts/**", "--exclude", "notes/**", "--json"];
    let check = |records: &str, input: &[u8]| {
        let mut build = command(["build", "--records", records]);
        let done = run(build.arg(place.site()).arg("-o").arg(place.out()).args(options), input);
        let summary: Value = serde_json::from_str(&done.ok()).expect("it is JSON");
        assert_eq!(
            (&summary["pages"], &summary["html_files"]),
            (&json!(2), &json!(5)),
            "{summary}"
        );
        assert_eq!(found(&place, "sow"), ["/peas/"]);
        assert_eq!(found(&place, "slowly"), ["/rye.html"]);
        assert!(found(&place, "beans").is_empty() && found(&place, "oats").is_empty());
    };
    check("-", lines.as_bytes());
    place.write("pages.jsonl", &lines);
    check(&place.path("pages.jsonl").to_string_lossy(), b"");
    let refused = build(&place, &records, &["--records", "x"]).failed(2);
    assert!(refused.contains("the folder of a site"), "{refused}");
}

#[test]
fn a_record_that_is_not_a_page_fails_the_build_and_keeps_the_earlier_index() {
    let place = Place::with_pages(1);
    let page = json!({"url": "/rye/", "lang": "en", "text": "Rye rises slowly."});
    build(&place, std::slice::from_ref(&page), &[]).ok();
    let before = snapshot(&place.out());
    let wrong = json!({"url": "/peas/", "txt": "Sow peas early."});
    build(&place, &[page.clone(), wrong], &[]).failed_with(&["line 2", "`txt`", "\"url\""]);
    build(&place, &[], &[]).failed_with(&["found nothing"]);
    let refused = build(&place, &[page], &["--serve"]).failed(2);
    assert!(refused.contains("the folder of a site"), "{refused}");
    assert_eq!(snapshot(&place.out()), before);
    let nowhere = run(&mut command(["build", "-"]), b"{}");
    let refused = nowhere.failed(2);
    assert!(refused.contains("a folder for the index of the pages"), "{refused}");
}

#[test]
fn inspect_lists_filters_and_sort_keys() {
    let place = Place::with_pages(1);
    let page = |at: u32, color: &str| {
        json!({
            "url": format!("/{at}/"), "lang": "en", "text": format!("Kettle {at} of {color} steel."),
            "filters": {"color": color}, "sort": {"price": at}
        })
    };
    build(&place, &[page(1, "blue"), page(2, "red"), page(3, "red")], &[]).ok();
    let text = place.on_index("inspect", &[]).ok();
    assert!(text.contains("filter color: 2 values (red 2, blue 1)\nsort keys: price\n"), "{text}");
    let report: Value = serde_json::from_str(&place.on_index("inspect", &["--json"]).ok()).unwrap();
    assert_eq!(report["filters"], json!({"color": {"blue": 1, "red": 2}}));
    assert_eq!(report["sort_keys"], json!(["price"]));
}

#[test]
fn products_are_similar_by_common_words() {
    let (colors, kinds) = (["red", "blue", "green", "black"], ["kettle", "lamp", "desk", "tent"]);
    let place = Place::with_pages(1);
    let records: Vec<_> = (0..160)
        .map(|at| {
            let (color, kind) = (colors[at % 4], kinds[at / 4 % 4]);
            let text = format!("A {color} {kind}. It costs {at} euros.");
            json!({"url": format!("/{kind}/{color}/{at}/"), "lang": "en", "text": text})
        })
        .collect();
    build(&place, &records, &[]).ok();
    let url = "/kettle/red/0/";
    let found = place.on_index("similar", &["--json", "--url", url]).ok();
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    let urls = found["results"].as_array().expect("there are results").iter();
    let urls: Vec<_> = urls.filter_map(|result| result["url"].as_str()).collect();
    // Each color and each kind is on a quarter of the pages.
    assert!(urls.iter().take(9).all(|url| url.starts_with("/kettle/red/")), "{urls:?}");
    let of_one = |url: &&str| url.contains("/red/") != url.starts_with("/kettle/");
    assert!(urls.last().is_some_and(of_one), "{urls:?}");
}
