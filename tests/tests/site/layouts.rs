//! An index in packs, and one that follows a previous one: both answer like any other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pagekin_index::Layout;
use pagekin_tests::place::{
    Place, Snapshot, build_with, html, similar, snapshot, teaching_site, words,
};
use pagekin_tests::program::{Near, arguments, pagekin};

/// A number of pages that needs tables in small blocks.
const PAGES: u32 = 60;
const SMALL: [&str; 2] = ["--block-pages", "2"];
/// Few enough blocks that all are read, so no answer misses a page.
const FEW: [&str; 2] = ["--block-pages", "4"];

/// Returns the shards and packs that differ or are only in one of the two.
fn changed(before: &Snapshot, after: &Snapshot) -> BTreeSet<String> {
    let names = before.keys().chain(after.keys()).filter(|name| name.starts_with("index/"));
    let files = names.filter(|name| !name.ends_with('/'));
    files.filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

#[test]
fn packs_are_few_and_answer_like_files() {
    let place = Place::empty();
    let build = |name: &str, options: &[&str]| {
        let (site, out) = (teaching_site(), place.path(name));
        let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
        pagekin(arguments(first, &[&SMALL[..], options, &["--quiet"]].concat())).ok();
        out
    };
    let (files, packs) = (build("files", &[]), build("packs", &["--layout", "packs"]));
    let in_packs = snapshot(&packs).into_keys().filter(|name| name.ends_with(".pack")).count();
    let shards = snapshot(&packs).into_keys().filter(|name| name.ends_with(".shard")).count();
    let kinds = "tables, pages, sketches, addresses, completions; sample, words";
    assert_eq!((in_packs, shards), (5, 2), "{kinds}");
    pagekin(["inspect".as_ref(), packs.as_os_str(), "--verify".as_ref()]).ok();
    for url in ["/kitchen/bread/sourdough.html", "/garden/compost/worm-bin.html"] {
        let of = |out| similar(out, &["--url", url, "--threshold", "0.1"], "");
        assert_eq!(of(&packs).urls()[0], of(&files).urls()[0], "{url}");
        assert!(of(&packs).cost.requests > 8, "{url}: through the tables");
    }
}

#[test]
fn one_changed_page_changes_few_files_and_updates_answers() {
    let place = Place::with_pages(PAGES);
    place.build(&SMALL);
    let before = snapshot(&place.out());
    let out = place.out().display().to_string();
    let follow = [&SMALL[..], &["--previous", &out]].concat();

    // Nothing changed, so nothing needs to be published.
    place.build(&follow);
    assert_eq!(changed(&before, &snapshot(&place.out())), BTreeSet::new());

    // One page is edited. This changes its block, and the tables with its old and new keys.
    let text = words(305, 40);
    place.write("site/0007.html", html("Page 7", &text));
    place.build(&follow);
    let edited = snapshot(&place.out());
    let files = changed(&before, &edited);
    let old = files.iter().filter(|name| before.contains_key(*name)).count();
    let new = files.iter().filter(|name| edited.contains_key(*name)).count();
    assert!((2..=18).contains(&new) && old == new, "{files:?}");
    place.on_index("inspect", &["--verify"]).ok();
    assert_eq!(place.similar_to(&text, &[]).urls()[0], "/0007.html");

    // One page is removed, and one is added in its place or at the end.
    fs::remove_file(place.site().join("0020.html")).expect("it is there");
    place.write("site/9999.html", html("Page 9999", &words(203, 40)));
    let summary = place.build(&follow);
    assert_eq!(summary.pages, u64::from(PAGES));
    place.on_index("inspect", &["--verify"]).ok();
    place.on_index("similar", &["--url", "/0020.html"]).failed_with(&["/0020.html"]);
    assert_eq!(place.similar_to(&words(203, 40), &[]).urls()[0], "/9999.html");
    let kin = place.similar(&["--url", "/0030.html"]);
    assert!(kin.urls().contains(&"/0031.html"), "{kin:?}");
}

/// Returns what each page of an index shares with the query, where known.
fn near(index: &Path, asked: &[&str], text: &str) -> BTreeMap<String, Near> {
    let answer = similar(index, &[asked, &["--threshold", "0", "--limit", "100"]].concat(), text);
    answer.results.into_iter().filter_map(|kin| Some((kin.url, kin.near?))).collect()
}

/// Builds an index that follows the last one, and checks that it reports the same shared text for a
/// text and for a URL as one that does not follow.
#[track_caller]
fn check_shared_text_is_updated(place: &Place, options: &[&str], texts: &[&str], pages: &[&str]) {
    let (site, fresh, out) = (place.site(), place.path("fresh"), place.out());
    let build = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), fresh.as_os_str()];
    pagekin(arguments(build, options)).ok();
    let previous = out.display().to_string();
    let done = place.try_build(&[options, &["--previous", &previous]].concat());
    assert!(!done.stderr.contains("from scratch"), "it follows: {done:?}");
    done.ok();
    place.on_index("inspect", &["--verify"]).ok();

    let texts = texts.iter().map(|&text| (vec!["-"], text));
    let pages = pages.iter().map(|&page| (vec!["--url", page], ""));
    for (asked, text) in texts.chain(pages) {
        let shared = near(&out, &asked, text);
        assert_eq!(shared, near(&fresh, &asked, text), "{asked:?} {text}");
        // Its neighbors on both sides share some consecutive words with each.
        assert!(shared.len() > 3, "{asked:?} {text}: {shared:?}");
    }
}

#[test]
fn shared_text_is_that_of_current_pages() {
    let (edited, gone, new) = (words(305, 40), words(200, 40), words(203, 40));
    for sketches in [true, false] {
        let place = Place::with_pages(PAGES);
        build_with(&place.site(), &place.out(), |options| {
            (options.block_pages, options.sketches) = (Some(4), sketches);
        });
        place.write("site/0007.html", html("Page 7", &edited));
        fs::remove_file(place.site().join("0020.html")).expect("it is there");
        place.write("site/9999.html", html("Page 9999", &new));
        let pages = ["/0007.html", "/0019.html", "/9999.html"];
        check_shared_text_is_updated(&place, &FEW, &[&edited, &gone, &new], &pages);

        let of = |text| near(&place.out(), &["-"], text);
        assert_eq!(of(&edited)["/0007.html"].kind, "copy");
        assert_eq!(of(&new)["/9999.html"].kind, "copy");
        assert!(!of(&gone).contains_key("/0020.html"));
    }
}

#[test]
fn packs_may_follow_packs_without_sketches() {
    let place = Place::with_pages(PAGES);
    let packs = [&FEW[..], &["--layout", "packs"]].concat();
    build_with(&place.site(), &place.out(), |options| {
        (options.block_pages, options.layout, options.sketches) = (Some(4), Layout::Packs, false);
    });
    check_shared_text_is_updated(&place, &packs, &[&words(203, 40)], &["/0019.html"]);
}

#[test]
fn an_index_that_cannot_be_followed_is_rebuilt_with_the_reason() {
    let place = Place::with_pages(PAGES);
    let missing = place.path("nothing").display().to_string();
    let done = place.try_build(&["--previous", &missing]);
    assert!(done.stderr.contains("rebuilding from scratch"), "{done:?}");
    done.ok();
    let fresh = snapshot(&place.out());
    let out = place.out().display().to_string();
    let done = place.try_build(&["--previous", &out, "--layout", "packs"]);
    assert!(done.stderr.contains("another layout"), "{done:?}");
    done.ok();
    assert!(!changed(&fresh, &snapshot(&place.out())).is_empty());
}
