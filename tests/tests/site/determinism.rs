//! Tests that the same site and options give the same bytes.

use std::fs;

use pagekin_tests::place::{Place, Snapshot, html, snapshot, teaching_site, words};
use pagekin_tests::program::{Summary, arguments, pagekin};

/// Builds the teaching site into `name` of a place.
fn build(place: &Place, name: &str, options: &[&str]) -> (Summary, Snapshot) {
    build_of(place, &teaching_site(), name, options)
}

fn build_of(
    place: &Place,
    site: &std::path::Path,
    name: &str,
    options: &[&str],
) -> (Summary, Snapshot) {
    let out = place.path(name);
    let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
    let json = pagekin(arguments(first, &[options, &["--json", "--quiet"]].concat())).ok();
    (serde_json::from_str(&json).expect("it has the shape of `Summary`"), snapshot(&out))
}

/// Compares names first: a list of names is readable, while a dump of different bytes is not.
#[track_caller]
fn check_same(a: &Snapshot, b: &Snapshot) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let different: Vec<_> =
        a.iter().filter(|(name, bytes)| b[*name] != **bytes).map(|(name, _)| name).collect();
    assert_eq!(different, [""; 0]);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let place = Place::empty();
    let options = ["--block-pages", "2", "--related-json"];
    let (_, one) = build(&place, "one", &[&options[..], &["--threads", "1"]].concat());
    let (_, four) = build(&place, "four", &[&options[..], &["--threads", "4"]].concat());
    check_same(&one, &four);
}

/// An identifier directly followed by a letter is a term only in its link. A thread met it only if
/// it also read a page where it occurs separately.
#[test]
fn terms_from_links_do_not_depend_on_the_reading_thread() {
    let place = Place::empty();
    let name = |page: u32| format!("mod_{}", 1_000 + page % 60);
    for page in 0..60 {
        let (name, next) = (name(page), name(page + 1));
        let link = format!("<a href=/site/{next}.html>{next}</a>\u{b294}");
        let text = format!("{name} {} {link}", words(page * 10, 400));
        place.write(&format!("site/{name}.html"), html("A page", &text));
    }
    let build = |name, threads| {
        build_of(&place, &place.path("site"), name, &["--base-url", "/site/", "--threads", threads])
    };
    let (_, one) = build("one", "1");
    let (_, four) = build("four", "4");
    check_same(&one, &four);
}

#[test]
fn the_path_and_creation_order_of_a_site_change_no_byte() {
    let place = Place::empty();
    let (_, here) = build(&place, "here", &[]);
    for (name, bytes) in snapshot(&teaching_site()).into_iter().rev() {
        if !name.ends_with('/') {
            place.write(&format!("copy/{name}"), bytes);
        }
    }
    let (_, there) = build_of(&place, &place.path("copy"), "there", &[]);
    check_same(&here, &there);
}

#[test]
fn rebuilding_an_index_changes_no_byte() {
    let place = Place::with_pages(40);
    place.build(&[]);
    let first = snapshot(&place.out());
    place.build(&[]);
    check_same(&first, &snapshot(&place.out()));
}

#[test]
fn files_that_are_not_pages_change_no_byte_of_the_index() {
    let place = Place::with_pages(40);
    place.build(&[]);
    let first = snapshot(&place.out());
    place.write("site/notes.txt", "not read");
    place.write("site/gone.html", "<meta http-equiv=refresh content='0; url=0000.html'>");
    place.build(&[]);
    check_same(&first, &snapshot(&place.out()));
}

#[test]
fn a_changed_page_changes_the_generation() {
    let place = Place::with_pages(40);
    let before = place.build(&[]).generation;
    fs::remove_file(place.path("site/0007.html")).expect("it is there");
    assert_ne!(place.build(&[]).generation, before);
}
