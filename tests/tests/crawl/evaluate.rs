//! `pagekin evaluate`: measures of similarity on the teaching site and on a small one, the output,
//! and failures.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pagekin_tests::place::{Place, html, teaching_site, words};
use pagekin_tests::program::{Done, arguments, pagekin};
use serde_json::Value;

fn evaluate(site: &Path, options: &[&str]) -> Done {
    let first: &[&OsStr] = &["evaluate".as_ref(), site.as_os_str(), "--quiet".as_ref()];
    pagekin(arguments(first, options))
}

fn json_of(site: &Path, options: &[&str]) -> Value {
    let text = evaluate(site, &[options, &["--format", "json"]].concat()).ok();
    assert_eq!(text.lines().count(), 1, "JSON is one line: {text}");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Returns a score of a setting, by its index in the grid.
fn score(found: &Value, setting: usize, name: &str) -> f64 {
    found["settings"][setting]["scores"][name].as_f64().expect("it is measured")
}

#[test]
fn settings_known_to_be_better_score_higher() {
    let settings = [
        "--set=representation=content,content+anchor:32",
        // Stop words and ubiquitous words at full weight, and a single term.
        "--set=stemming=none;rarity=none;frequency=tf;max-df=100;most=1",
        "--set=measure=bag;floor=0,0.05",
    ];
    let found = json_of(&teaching_site(), &settings);
    assert_eq!(found["settings"].as_array().map(Vec::len), Some(5));
    for name in ["class", "folder@5", "link@5", "cocited@5", "coverage"] {
        assert!(
            score(&found, 0, name) > score(&found, 2, name),
            "{name}: one term a page is too few"
        );
    }
    // Linking pages describe a page better than its text alone.
    assert!(score(&found, 1, "link@5") > score(&found, 0, "link@5"));
    assert!(score(&found, 1, "class") > score(&found, 0, "class"));
    assert!(score(&found, 0, "class") > 0.8, "chance would be 0");
    // A minimum similarity removes results but does not reorder them.
    assert!(score(&found, 4, "coverage") <= score(&found, 3, "coverage"));
    assert!((score(&found, 4, "gamma") - score(&found, 3, "gamma")).abs() < 1e-12);
}

#[test]
fn held_out_links_do_not_represent_pages() {
    let grid = "--set=representation=content,link";
    let (seen, held_out) =
        (json_of(&teaching_site(), &[grid]), json_of(&teaching_site(), &[grid, "--held-out"]));
    let links = |found: &Value| found["links"].as_u64().expect("links are counted");
    assert!(links(&held_out) > 0 && links(&held_out) < links(&seen));
    // Pages that one page links to are similar by their links, and cocited if that link is
    // included.
    assert!(score(&held_out, 1, "cocited@5") < score(&seen, 1, "cocited@5") / 2.0);
    assert!(score(&held_out, 0, "class") == score(&seen, 0, "class"), "its terms are the same");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let scores = |threads| {
        let grid = [
            "--set=measure=jaccard,bm25;representation=content,anchor:8+link",
            "--sources=20",
            threads,
        ];
        json_of(&teaching_site(), &grid)["settings"].clone()
    };
    assert_eq!(scores("--threads=1"), scores("--threads=3"));
}

/// Two folders of three pages. Pages of a folder share a word and link to the next. One page links
/// to all.
fn small_site() -> Place {
    let place = Place::empty();
    let mut list = String::new();
    for (folder, word) in [("bread", "sourdough"), ("barn", "rafters")] {
        for at in 0..3 {
            let next = format!("{}.html", (at + 1) % 3);
            let text =
                format!("<p>{word} {folder}{} <a href={next}>further</a>", ["ka", "ko", "ku"][at]);
            place.write(&format!("site/{folder}/{at}.html"), html(folder, &text));
            list += &format!("<li><a href=/{folder}/{at}.html>{folder} page</a>");
        }
    }
    place.write("site/all.html", html("All", &format!("<ul>{list}</ul>")));
    place
}

#[test]
fn scores_of_a_small_site_match_those_computed_by_hand() {
    let place = small_site();
    let site = place.path("site");
    let found = json_of(&site, &["--set=max-df=50;min-df=1"]);
    assert_eq!(
        (&found["pages"], &found["sources"], &found["listings"]),
        (&7.into(), &6.into(), &1.into())
    );
    assert_eq!((&found["classes"], &found["links"]), (&3.into(), &6.into()));
    // For each page, the two others of its folder are among its five results.
    for (name, expected) in [
        ("class", 1.0),
        ("orthogonal", 0.0),
        ("folder@5", 0.4),
        ("link@5", 0.4),
        ("cocited@5", 0.0),
        ("coverage", 0.0),
    ] {
        assert!(
            (score(&found, 0, name) - expected).abs() < 1e-12,
            "{name} is {}",
            score(&found, 0, name)
        );
    }
    let by_links = json_of(&site, &["--set=measure=cosine", "--links"]);
    assert!(by_links["settings"][0]["scores"]["class"].is_null() && by_links["classes"].is_null());
    let by_folders = json_of(&site, &["--set=measure=cosine", "--hierarchy=path"]);
    assert!(by_folders["settings"][0]["scores"]["link@5"].is_null());
}

#[test]
fn classes_can_be_read_from_a_file() {
    let place = small_site();
    let site = place.path("site");
    // Classes span the folders, so similar pages are in different classes.
    let rows: String = ["bread", "barn"]
        .iter()
        .flat_map(|folder| (0..3).map(move |at| format!("/{folder}/{at}.html,top/{}\n", at % 2)))
        .collect();
    let file = place.path("classes.csv");
    fs::write(&file, format!("url,class\n{rows}/gone.html,top/1\n")).unwrap();
    let hierarchy = format!("--hierarchy={}", file.display());
    let found = json_of(&site, &["--set=min-df=1", &hierarchy]);
    assert_eq!((&found["classes"], &found["unknown_urls"]), (&2.into(), &1.into()));
    let class = score(&found, 0, "class");
    assert!(class < 0.5, "{class}");
    fs::write(&file, "url,class\n/bread/0.html,a\n/bread/1.html,a\n").unwrap();
    let done = evaluate(&site, &["--set=min-df=1", &hierarchy]).failed(1);
    assert!(done.contains("expected at least two, found 1"), "{done}");
    fs::write(&file, "page,kind\n").unwrap();
    let done = evaluate(&site, &["--set=min-df=1", &hierarchy]).failed(1);
    assert!(done.contains("columns url and class, found the columns page, kind"), "{done}");
}

#[test]
fn the_table_csv_and_figures_show_the_same_scores() {
    let place = Place::empty();
    let folder = place.path("figures");
    let svg = format!("--svg={}", folder.display());
    let grid = "--set=measure=jaccard,cosine;representation=content,link";
    let table = evaluate(&teaching_site(), &[grid, &svg]).ok();
    let csv = evaluate(&teaching_site(), &[grid, "--format=csv"]).ok();
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("there are names").split(',').collect();
    let column =
        |name: &str| names.iter().position(|found| *found == name).expect("it is a column");
    for line in lines {
        let values: Vec<&str> = line.split(',').collect();
        let gamma: f64 = values[column("gamma")].parse().expect("it is a number");
        assert!(table.contains(&format!("{gamma:.3}")), "{table}");
    }
    assert_eq!(csv.lines().count(), 5);
    let mut figures: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    figures.sort();
    assert_eq!(figures, ["measure.svg", "representation.svg"]);
    let figure = fs::read_to_string(folder.join("measure.svg")).unwrap();
    assert!(figure.starts_with("<svg") && figure.contains("cosine"));
}

#[test]
fn grids_are_read_from_files_and_errors_reported() {
    let place = Place::empty();
    let file = place.path("grid");
    fs::write(&file, "# two\nmeasure=jaccard,cosine\n").unwrap();
    let grid = format!("--grid={}", file.display());
    let found = json_of(&teaching_site(), &[&grid, "--set=most=all"]);
    assert_eq!(found["settings"].as_array().map(Vec::len), Some(3));
    fs::write(&file, "measure=jaccard\nmeasure=dice\n").unwrap();
    let message = evaluate(&teaching_site(), &[&grid]).failed(1);
    assert!(message.contains("line 2 of the grid: measure is \"dice\": expected bag"), "{message}");
    let message = evaluate(&teaching_site(), &["--set=speed=fast"]).failed(1);
    assert!(message.contains("unknown key \"speed\" in a setting"), "{message}");
    let message = evaluate(&teaching_site(), &["--grid=/no/such"]).failed(1);
    assert!(message.contains("Pass default, paper or a file"), "{message}");
}

/// The pages and their texts are those that a build reads.
#[test]
fn a_site_is_read_like_in_a_build() {
    let place = Place::empty();
    let menu = "<ul><li><a href=/a/>All the pages</a><li>Our own news</ul>";
    for folder in ["a", "b"] {
        for number in 0..10 {
            let title = format!("Page {number} of {folder} | The Site");
            let text = format!("{menu}<p>{}", words(number * 10, 40));
            place.write(&format!("site/{folder}/{number}.html"), html(&title, &text));
        }
    }
    place.write("site/404.html", html("Not found", "No page is here"));
    place.write("site/drafts/x.html", html("A draft", "Some words of a draft"));
    let count = |found: &Value, what: &str| found[what].as_u64().expect("it is counted");
    let found =
        |options: &[&str]| json_of(&place.site(), &[options, &["--set=measure=cosine"]].concat());
    let with_drafts = found(&[]);
    assert_eq!(count(&with_drafts, "pages"), place.build(&[]).pages);
    let exclude = ["--exclude", "drafts/"];
    let without = found(&exclude);
    assert_eq!(count(&without, "pages"), 20);
    assert_eq!(count(&without, "pages"), place.build(&exclude).pages);
    let reasons: Vec<_> = without["skipped"]
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|it| &it["reason"])
        .collect();
    assert_eq!(reasons, ["not-found", "excluded"]);
    // "All the pages" and "Our own news" are on every page.
    let kept = found(&[&exclude[..], &["--keep-repeated"]].concat());
    assert_eq!(count(&kept, "words") - count(&without, "words"), 20 * 6);
    // Titles share only the name of the site, which occurs nowhere else.
    let by_titles = |options: &[&str]| {
        let set = ["--set=titles=9;rarity=none;measure=jaccard;max-df=100"];
        json_of(&place.site(), &[&exclude[..], &set, options].concat())["settings"].clone()
    };
    assert_ne!(by_titles(&[]), by_titles(&["--keep-repeated"]));
    assert_eq!(by_titles(&[]), by_titles(&[]));
    let clean = found(&["--clean-urls", "--base-url", "https://x.org/docs/"]);
    assert_eq!(clean["classes"], with_drafts["classes"]);
}
