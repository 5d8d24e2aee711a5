//! `pagekin redirects`: the teaching site compared with a copy in other folders.

use std::fs;
use std::path::Path;

use pagekin_tests::place::{snapshot, teaching_site};
use pagekin_tests::program::{Done, command, pagekin, run};
use serde_json::Value;
use tempfile::TempDir;

const HEAP: &str = "garden/compost/hot-heap.html";
const BIN: &str = "garden/compost/worm-bin.html";
const RYE: &str = "kitchen/bread/rye-loaf.html";

/// Returns the teaching site with one page moved, two merged, one split and one removed.
fn moved_site() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let mut files = snapshot(&teaching_site());
    // Its copies would otherwise be the targets.
    files.retain(|path, _| !path.starts_with("archive/"));
    let mut take = |path: &str| {
        let page = files.remove(path).expect("a page of the site");
        String::from_utf8(page).expect("tests use UTF-8")
    };
    let main = |page: &str| {
        let (from, to) = (page.find("<main>").expect("main"), page.find("</main>").expect("main"));
        page[from + "<main>".len()..to].to_owned()
    };
    let (heap, bin, rye) = (take(HEAP), take(BIN), take(RYE));
    take("de/brot/hefezopf.html");
    let both = heap.replace("</main>", &format!("{}</main>", main(&bin)));
    let paragraphs: Vec<_> = main(&rye).split_inclusive("</p>").map(str::to_owned).collect();
    let (first, second) = paragraphs.split_at(paragraphs.len() / 2);
    let half = |texts: &[String]| rye.replace(&main(&rye), &texts.concat());
    let new = [
        ("compost/all.html".to_owned(), both),
        ("bread/rye-1.html".to_owned(), half(first)),
        ("bread/rye-2.html".to_owned(), half(second)),
    ];
    for (path, page) in new {
        files.insert(path, page.into_bytes());
    }
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
        if !path.to_string_lossy().ends_with('/') {
            fs::write(path, bytes).expect("there is room");
        }
    }
    folder
}

fn moves(new: &Path, options: &[&str]) -> Done {
    let options = [&["--exclude", "archive/**"], options].concat();
    run(command(["redirects"]).arg(teaching_site()).arg(new).args(options), b"")
}

#[test]
fn moved_merged_and_split_pages_are_found_and_redirected() {
    let new = moved_site();
    let table: Value =
        serde_json::from_str(&moves(new.path(), &["--format", "json"]).ok()).expect("JSON");
    let page = |url: &str| {
        let pages = table["pages"].as_array().expect("pages");
        let page = pages.iter().find(|page| page["url"] == format!("/{url}"));
        page.unwrap_or_else(|| panic!("{url} is in {table}"))
    };
    for path in [HEAP, BIN] {
        assert_eq!(page(path)["fate"], "moved");
        assert_eq!(page(path)["to"]["url"], "/compost/all.html");
        assert!(
            page(path)["to"]["share_of_old"].as_f64().expect("a number") > 0.95,
            "{}",
            page(path)
        );
    }
    let rye = page(RYE);
    let halves = [&rye["to"], &rye["parts"][0]].map(|part| part["url"].as_str());
    let mut halves = halves.map(|url| url.expect("a URL"));
    halves.sort_unstable();
    assert_eq!(halves, ["/bread/rye-1.html", "/bread/rye-2.html"]);
    assert_eq!(page("de/brot/hefezopf.html")["fate"], "gone");
    assert_eq!(page("index.html".trim_end_matches("index.html"))["fate"], "kept");
    assert_eq!(table["new"], serde_json::json!([]));

    let lines = moves(new.path(), &["--format", "netlify"]).ok();
    let rye_to = page(RYE)["to"]["url"].as_str().expect("a URL");
    let expected = format!(
        "/{HEAP} /compost/all.html 301\n/{BIN} /compost/all.html 301\n/{RYE} {rye_to} 301\n"
    );
    assert_eq!(lines, expected);
    let lines = moves(new.path(), &["--format", "nginx"]).ok();
    let heap = HEAP.replace('.', "\\.");
    assert!(lines.contains(&format!("\"~^/{heap}\\z\" \"/compost/all.html\";\n")), "{lines}");
    let lines = moves(new.path(), &["--format", "apache"]).ok();
    let rule = format!("RewriteRule \"^/?{heap}\\z\" \"/compost/all.html\" [R=301,L,NE]\n");
    assert!(lines.contains(&rule), "{lines}");
    let lines = moves(new.path(), &["--format", "csv"]).ok();
    assert!(lines.starts_with("from,to,kind,of_from,of_to\n"), "{lines}");
    assert!(lines.contains(&format!("\n/{BIN},/compost/all.html,moved,")), "{lines}");

    let text = moves(new.path(), &[]).ok();
    for part in [" 3 moved, 1 gone; ", "\n1 split into\n", "\n1 merged from\n", "\n1 gone\n"] {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
}

#[test]
fn a_site_that_moved_entirely_is_redirected_page_by_page() {
    let bases = ["--old-base-url", "https://a.example/v1/", "--base-url", "https://b.example/"];
    let lines = moves(&teaching_site(), &[&bases[..], &["--format", "netlify"]].concat()).ok();
    assert!(lines.contains(&format!("/v1/{HEAP} https://b.example/{HEAP} 301\n")), "{lines}");
    // A folder is also requested by its index file.
    for from in ["/v1/garden/", "/v1/garden/index.html"] {
        assert!(lines.contains(&format!("{from} https://b.example/garden/ 301\n")), "{lines}");
    }
    let lines = moves(&teaching_site(), &["--format", "netlify"]).ok();
    assert_eq!(lines, "");
}

#[test]
fn a_folder_that_is_not_a_site_is_refused() {
    let empty = tempfile::tempdir().expect("there is room");
    let message = moves(empty.path(), &[]).failed(1);
    assert!(message.contains("no .html"), "{message}");
    pagekin(["redirects", "old"]).failed(2);
    let message = moves(&teaching_site(), &["--threshold", "2"]).failed(2);
    assert!(message.contains("--threshold"), "{message}");
}
