//! Text shared between a query and the results: compared with all shingles on the teaching site,
//! and unreported where too little is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pagekin_core::near::shingles::{Shared, Shingler, tokens};
use pagekin_tests::place::{Place, build_with, html, similar, teaching_site, words};
use pagekin_tests::program::{Answer, Near, arguments, pagekin};
use pagekin_tests::truth::Truth;
use tempfile::TempDir;

/// Maximum error of a share: more than five standard errors of 64 shingles at a half.
const OFF: f64 = 0.32;

struct Built(TempDir);

impl Built {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let (site, out) = (teaching_site(), folder.path().join("out"));
        let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
        pagekin(arguments(first, &[options, &["--quiet"]].concat())).ok();
        Self(folder)
    }

    fn without_sketches() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let out = folder.path().join("out");
        build_with(&teaching_site(), &out, |options| options.sketches = false);
        Self(folder)
    }

    fn similar(&self, options: &[&str]) -> Answer {
        similar(
            &self.0.path().join("out"),
            &[options, &["--threshold", "0", "--limit", "100"]].concat(),
            "",
        )
    }
}

fn whole() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| Built::new(&[]))
}

fn file_of(url: &str) -> PathBuf {
    let file = teaching_site().join(url.trim_start_matches('/'));
    if url.ends_with('/') { file.join("index.html") } else { file }
}

fn near(answer: &Answer) -> BTreeMap<&str, &Near> {
    answer.results.iter().filter_map(|kin| Some((&*kin.url, kin.near.as_ref()?))).collect()
}

/// Returns each page with its copies and originals. No other pages share ten consecutive words.
fn copies() -> BTreeMap<String, BTreeSet<String>> {
    let truth = Truth::load();
    let mut copies: BTreeMap<_, BTreeSet<_>> =
        truth.pages.into_iter().map(|page| (page, BTreeSet::new())).collect();
    for copy in truth.copies {
        copies.entry(copy.original.clone()).or_default().insert(copy.copy.clone());
        copies.entry(copy.copy).or_default().insert(copy.original);
    }
    copies
}

fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the site is there");
    pagekin_pages::site::html::read_html(&bytes).page.text
}

#[track_caller]
fn check(what: &str, near: &Near, shared: &Shared) {
    let parts = [
        (near.resemblance, shared.resemblance()),
        (near.text_in_page, shared.a_in_b()),
        (near.page_in_text, shared.b_in_a()),
    ];
    for (part, truth) in parts {
        let allowed = if near.whole { 0.0 } else { OFF };
        let off = part.map_or(0.0, |part| (part - truth).abs());
        assert!(off <= allowed, "{what}: {near:?}, but {shared:?}");
    }
}

/// Checks that exactly the copies of each page are reported, with approximately correct shares.
#[track_caller]
fn check_copies(ask: impl Fn(&str) -> Answer, of_text: bool) {
    let shingler = Shingler::default();
    let shingles = |url: &str| shingler.set(&tokens(&text_of(&file_of(url))));
    for (page, mut expected) in copies() {
        if of_text {
            expected.insert(page.clone());
        }
        let answer = ask(&page);
        let found = near(&answer);
        assert_eq!(found.keys().map(|url| (*url).to_owned()).collect::<BTreeSet<_>>(), expected);
        for (url, near) in found {
            let shared = Shared::between(&shingles(&page), &shingles(url));
            check(&format!("{page} {url}"), near, &shared);
        }
    }
}

#[test]
fn exactly_the_copies_of_a_text_are_reported() {
    let ask = |page: &str| {
        let file = file_of(page);
        whole().similar(&["--copies", "--file", file.to_str().expect("its path is UTF-8")])
    };
    check_copies(ask, true);
}

#[test]
fn exactly_the_copies_of_a_page_are_reported() {
    check_copies(|page| whole().similar(&["--url", page]), false);
}

#[test]
fn each_kind_of_copy_has_its_badge() {
    for copy in Truth::load().copies {
        let file = file_of(&copy.copy);
        let answer =
            whole().similar(&["--copies", "--file", file.to_str().expect("its path is UTF-8")]);
        let near = near(&answer)[&*copy.original];
        let expected: &[&str] = match copy.kind.as_str() {
            "exact" | "chrome" => &["copy"],
            // Their resemblance is about 0.75, and about 0.86 of each is in the other.
            "reordered" => &["near-duplicate", "contains", "contained"],
            _ => &["passages"],
        };
        assert!(expected.contains(&&*near.kind), "{copy:?}: {near:?}");
        if copy.kind == "quote" {
            assert!(near.resemblance.is_some_and(|part| part < 0.6), "{near:?}");
            assert!(near.page_in_text.is_some_and(|part| part > 0.25), "{near:?}");
        }
    }
}

#[test]
fn sketches_cost_at_most_one_more_round_and_20_kb() {
    let (with, without) = (whole(), Built::without_sketches());
    for page in Truth::load().pages {
        let (with, without) = (with.similar(&["--url", &page]), without.similar(&["--url", &page]));
        let more = with.cost.bytes.saturating_sub(without.cost.bytes);
        assert!(more <= 20_000, "{page}: {more} bytes");
        assert!(with.cost.rounds <= without.cost.rounds + 1, "{page}");
        assert!(near(&without).is_empty(), "{page}");
    }
}

/// Queries a site with a long page, a page with words of its own, and a page that equals the text.
fn ask_long(text: &str) -> Answer {
    let theme = "kestrels hover ".repeat(100);
    let place = Place::with(&[
        ("long.html", &html("Long", &format!("{theme} {}", words(0, 2_000)))),
        ("other.html", &html("Other", &words(5_000, 200))),
    ]);
    place.build(&[]);
    similar(&place.out(), &["-", "--threshold", "0"], &format!("{text} {theme}"))
}

#[test]
fn a_text_in_a_long_page_is_found_despite_low_resemblance() {
    let answer = ask_long(&words(500, 900));
    let near = near(&answer)["/long.html"];
    assert_eq!(near.kind, "contained");
    // Except the shingles that span both parts of the text.
    assert!(near.text_in_page.is_some_and(|part| part > 0.9), "{near:?}");
    assert!(near.resemblance.is_some_and(|part| part < 0.6), "{near:?}");
}

#[test]
fn no_share_is_reported_for_a_text_too_short_for_a_long_page() {
    let answer = ask_long(&words(700, 150));
    let near = near(&answer)["/long.html"];
    assert_eq!((near.kind.as_str(), near.text_in_page), ("passages", None));
}
