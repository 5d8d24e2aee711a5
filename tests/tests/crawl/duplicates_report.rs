//! `pagekin duplicates --format html`, and reports of all formats in files. A browser test covers
//! the behavior of the page.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{Place, html, teaching_site, words};
use pagekin_tests::program::{Done, arguments, pagekin};
use serde_json::{Value, json};

fn duplicates(site: &Path, options: &[&str]) -> Done {
    let first: &[&OsStr] = &["duplicates".as_ref(), site.as_os_str(), "--quiet".as_ref()];
    pagekin(arguments(first, options))
}

fn page_of(site: &Path, options: &[&str]) -> String {
    duplicates(site, &[&["--format", "html"], options].concat()).ok()
}

/// Returns the text between two parts, the first of which must occur exactly once.
#[track_caller]
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    assert_eq!(text.matches(before).count(), 1, "{before} in {text}");
    let rest = &text[text.find(before).expect("it is there") + before.len()..];
    &rest[..rest.find(after).expect("it ends")]
}

fn data(page: &str) -> Value {
    let data = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    assert!(!data.contains('<'), "nothing in it ends the script: {data}");
    serde_json::from_str(data).expect("it is JSON")
}

/// A page, a copy of it, a page that quotes it with a copy of its own, and an unrelated page.
fn quoted() -> Place {
    let (whole, part) = (words(0, 109), words(0, 59));
    Place::with(&[
        ("index.html", "<main><a href='a.html'>one</a></main>"),
        ("a.html", &html("A &lt;/script>&lt;b>", &whole)),
        ("copy-of-a.html", &html("A again", &whole)),
        ("b.html", &html("B", &part)),
        ("copy-of-b.html", &html("B again", &part)),
        ("c.html", &html("C", &words(500, 100))),
    ])
}

#[test]
fn a_group_lists_each_page_and_its_relation_to_the_original() {
    let found = data(&page_of(&quoted().site(), &["--threshold", "0.5"]));
    // 105 shingles of five words. A page of 59 words contains 55 of them.
    let group = json!([
        "links",
        [
            ["/a.html", "A </script><b>", 109, 0, 1, 0],
            ["/copy-of-a.html", "A again", 109, 0, 0, 0, 0],
            ["/b.html", "B", 59, 0, 0, 1, 55, 55, 0, 289, 105, "near-duplicate"],
            ["/copy-of-b.html", "B again", 59, 0, 0, 1, 2],
        ]
    ]);
    let expected = json!({
        "base": "/", "folder": null, "min": 0.5, "estimated": false, "pages": 6, "copies": 2, "numbers": 0, "pairs": 1, "passages": 0, "texts": [0, 2], "groups": [group],
    });
    assert_eq!(found, expected);
}

#[test]
fn groups_with_pairs_in_the_baseline_are_marked() {
    let place = quoted();
    let baseline = place.path("known.json");
    let baseline = baseline.to_str().expect("its name is UTF-8");
    let options = ["--threshold", "0.5", "--baseline", baseline];
    let known = || data(&page_of(&place.site(), &options))["known"].clone();
    duplicates(&place.site(), &["--threshold", "0.5", "--write-baseline", baseline]).ok();
    assert_eq!(known(), json!([[1, 2, 3]]));
    // The group of A, its copy, B and its copy.
    for (kind, pages, places) in [
        ("copy", ["/a.html", "/copy-of-a.html"], json!([[1]])),
        ("copy", ["/b.html", "/copy-of-b.html"], json!([[3]])),
        ("near-duplicate", ["/a.html", "/b.html"], json!([[2]])),
        ("copy", ["/b.html", "/c.html"], json!([[]])),
    ] {
        let groups = json!({"version": 1, "groups": [{"kind": kind, "pages": pages}]});
        place.write("known.json", groups.to_string());
        assert_eq!(known(), places, "{pages:?}");
    }
}

#[test]
fn the_evidence_for_the_original_is_shown() {
    let text = words(0, 50);
    let pages = [
        ("a.html", html("A", &text)),
        ("bbb.html", html("B", &text)),
        ("c.html", html("C", &text)),
    ];
    #[track_caller]
    fn check(pages: &[(&str, String)], more: &str, why: &str, original: &str) {
        let place = Place::empty();
        for (path, html) in pages {
            place.write(&format!("site/{path}"), html);
        }
        place.write("site/more.html", more);
        let found = data(&page_of(&place.site(), &[]));
        assert_eq!(found["groups"][0][0], why);
        assert_eq!(found["groups"][0][1][0][0], original);
    }
    check(&pages, "", "alphabet", "/a.html");
    check(&pages[..2], "", "address", "/a.html");
    check(&pages, "<main>see <a href=bbb.html>b</a></main>", "links", "/bbb.html");
    let canonical = format!("<link rel=canonical href=/c.html><main>{text}</main>");
    check(&pages, &canonical, "canonical", "/c.html");
}

#[test]
fn the_page_is_self_contained() {
    let page = page_of(&teaching_site(), &["--threshold", "0.25"]);
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    assert!(
        policy.starts_with("default-src 'none'; base-uri 'none'; form-action 'none'; "),
        "{policy}"
    );
    assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(page.contains("<h1>Near-duplicates of site</h1>"));
    for elsewhere in [" src=", "@import", "url(", "import "] {
        assert!(!page.contains(elsewhere), "{elsewhere} in {page}");
    }
    assert_eq!(
        page,
        page_of(&teaching_site(), &["--threshold", "0.25", "--threads", "1"]),
        "it is the same each time"
    );
}

#[test]
fn the_size_of_embedded_texts_is_limited() {
    let numbers = |options: &[&str]| {
        let page = page_of(&quoted().site(), &[&["--threshold", "0.5"], options].concat());
        let found = data(&page);
        let rows = found["groups"][0][1].as_array().expect("pages are a list");
        let numbers = rows.iter().map(|row| row[5].clone()).collect::<Vec<_>>();
        (page.matches("<script type=\"text/plain\"").count(), numbers)
    };
    // Both texts together are 168 words of 9 letters.
    let both = vec![json!(0), json!(0), json!(1), json!(1)];
    assert_eq!(numbers(&["--texts", "1700"]), (1, both));
    let none = vec![Value::Null; 4];
    assert_eq!(numbers(&["--texts", "1600"]), (0, none.clone()));
    assert_eq!(numbers(&["--texts", "0"]), (0, none));
}

#[test]
fn a_report_of_any_format_can_be_written_to_a_file() {
    let place = quoted();
    let csv = duplicates(&place.site(), &["--format", "csv"]).ok();
    place.write("report", "what was there before");
    let file = place.path("report");
    let to_file = ["--format", "csv", "-o", file.to_str().expect("tests use UTF-8")];
    assert_eq!(duplicates(&place.site(), &to_file).ok(), "");
    assert_eq!(fs::read_to_string(&file).expect("it was written"), csv);
    assert_eq!(place.entries(), ["report", "site"]);

    let file = place.path("new folder/report.html");
    let to_file = ["--format", "html", "--output", file.to_str().expect("tests use UTF-8")];
    assert_eq!(duplicates(&place.site(), &to_file).ok(), "");
    let page = fs::read_to_string(&file).expect("it was written");
    assert_eq!(data(&page)["folder"], "../site/");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode();
        place.write("plain", "");
        assert_eq!(mode(&file), mode(&place.path("plain")), "as any new file");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_reported() {
    let place = quoted();
    let folder = place.site();
    let to_folder = ["--format", "html", "-o", folder.to_str().expect("tests use UTF-8")];
    duplicates(&folder, &to_folder).failed_with(&[
        "refusing to overwrite",
        "found a folder",
        "Pass the path of a file",
    ]);
}
