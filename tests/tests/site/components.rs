//! The scripts of elements: which ones a build writes, and how it reports pages that need others.

use std::fs;

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::Done;
use serde_json::{Value, json};

#[test]
fn the_search_box_and_related_pages_are_written_by_default() {
    let place = Place::with_pages(3);
    let written = |options: &[&str]| -> Vec<String> {
        place.build(options);
        let names = ["box", "related", "duplicates"];
        let names = names.map(|name| ["js", "d.ts"].map(|kind| format!("{name}.{kind}")));
        names.into_iter().flatten().filter(|name| place.out().join(name).exists()).collect()
    };
    assert_eq!(written(&[]), ["box.js", "box.d.ts", "related.js", "related.d.ts"]);
    assert!(place.out().join("strings/fr.json").exists());
    assert_eq!(written(&["--components", "duplicates"]), ["duplicates.js", "duplicates.d.ts"]);
    assert!(!place.out().join("strings").exists());
    assert_eq!(written(&["--components", "box"]), ["box.js", "box.d.ts"]);
    assert_eq!(written(&["--components", "related,duplicates"]).len(), 4);
    assert!(written(&["--components", "none"]).is_empty());
    place.on_index("inspect", &["--verify"]).ok();
    let refused = place.try_build(&["--components", "none,related"]).failed(2);
    assert!(
        refused.contains("none,related: expected names of components, or none alone"),
        "{refused}"
    );
    let refused = place.try_build(&["--components", "menu"]).failed(2);
    assert!(refused.contains("[possible values: box, related, duplicates, none]"), "{refused}");
}

/// No file that an output always contains names a component, so a page fetches one only if it names
/// it itself.
#[test]
fn nothing_else_loads_a_component() {
    let place = Place::with_pages(3);
    place.build(&["--components", "none"]);
    let without = pagekin_tests::place::snapshot(&place.out());
    place.build(&["--components", "box,related,duplicates"]);
    let with = pagekin_tests::place::snapshot(&place.out());
    for (name, bytes) in without {
        assert!(name == "pagekin.files" || with[&name] == bytes, "{name}");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for script in ["box.js", "related.js", "duplicates.js"] {
            assert!(!name.ends_with(".js") || !text.contains(script), "{name}: {script}");
        }
    }
}

/// Returns a site whose pages use elements.
fn with_elements() -> Place {
    let place = Place::with_pages(4);
    let page = |name: &str, body: &str| {
        let text = format!("{}{body}", html(name, &words(1, 30)));
        place.write(&format!("site/{name}.html"), text);
    };
    page("b", "<header><pagekin-box></pagekin-box></header><pagekin-box></pagekin-box>");
    page("c", "<script type=module src=pagekin/box.js></script><pagekin-box></pagekin-box>");
    page("404", "<pagekin-box></pagekin-box>");
    page("d", "<script type=module src=/pagekin/duplicates.js></script>");
    page("a", "<template><pagekin-box></pagekin-box></template><pre>&lt;pagekin-box></pre>");
    place
}

/// Builds the site as its owner would.
fn build(place: &Place, options: &[&str]) -> Done {
    place.try_build_to(&place.site().join("pagekin"), options)
}

fn warnings(done: &Done) -> Vec<&str> {
    done.stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect()
}

#[test]
fn elements_without_their_scripts_are_reported() {
    let place = with_elements();
    let of_box = "<pagekin-box> is on 3 pages (first: /404.html), but this build does not write box.js. Use --components related,box,duplicates";
    let of_notice = "duplicates.js is loaded by 1 page (/d.html), but this build does not write duplicates.js. Use --components related,box,duplicates";
    let built = build(&place, &["--components", "related"]);
    assert_eq!(warnings(&built), [of_box, of_notice]);
    // An index that follows another has also read all pages.
    let out = place.site().join("pagekin").display().to_string();
    let built = build(&place, &["--components", "related", "--previous", &out]);
    assert_eq!(warnings(&built), [of_box, of_notice]);
    let all = build(&place, &["--components", "box,related,duplicates", "--previous", &out]);
    assert!(warnings(&all).is_empty(), "{all:?}");
    let by_default = build(&place, &[]);
    let of_notice = of_notice.replace("related,box", "box,related");
    assert_eq!(warnings(&by_default), [of_notice]);
}

#[test]
fn the_summary_lists_elements_without_scripts() {
    let place = with_elements();
    let json = build(&place, &["--components", "none", "--json", "--quiet"]).ok();
    let summary: Value = serde_json::from_str(&json).expect("a report");
    let of = |component: &str, has_element: bool, page: &str, pages: u64| json!({ "component": component, "has_element": has_element, "page": page, "pages": pages });
    let expected = json!([of("box", true, "/404.html", 3), of("duplicates", false, "/d.html", 1)]);
    assert_eq!(summary["unwritten_scripts"], expected);
    fs::remove_file(place.site().join("d.html")).expect("it is there");
    let json = build(&place, &["--json", "--quiet"]).ok();
    let summary: Value = serde_json::from_str(&json).expect("a report");
    assert_eq!(summary["unwritten_scripts"], json!([]));
}
