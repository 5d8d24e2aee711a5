//! Titles and URLs of other people are printed on a terminal without controlling it.

use std::process::Command;

use pagekin_tests::place::Place;
use pagekin_tests::program::{command, path, run};
use serde_json::{Value, json};

const CONTROLS: [char; 5] = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}'];

/// A crawl of two pages with odd titles.
fn odd_pages() -> Place {
    let place = Place::empty();
    let page = |n: u32| {
        let title = "a\u{1b}]0;x\u{7}\n\u{9b}31m\u{202e}b\u{2066}";
        let html = format!("<main>kestrels hover <a href=/{}>{title}</a>", 3 - n);
        json!({"url": format!("https://a.example/{n}"), "title": title, "html": html}).to_string()
    };
    place.write("pages.jsonl", format!("{}\n{}\n", page(1), page(2)));
    place
}

/// Returns the output of a command on a terminal; `None` if `script` is not installed.
fn on_terminal(place: &Place, arguments: &str) -> Option<String> {
    Command::new("script").arg("--version").output().ok()?;
    let line = format!("'{}' {arguments}", path().display());
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(place.path(""));
    Some(run(&mut script, b"").ok().replace("\r\n", "\n"))
}

#[track_caller]
fn check(shown: &str) {
    assert!(!shown.contains(CONTROLS), "{shown:?}");
}

#[test]
fn tables_are_escaped_everywhere() {
    let place = odd_pages();
    let mut rank = command(["crawl", "rank", "pages.jsonl", "-q"]);
    let table = run(rank.current_dir(place.path("")), b"").ok();
    check(&table);
    assert!(table.contains(r"a\u{1b}]0;x\u{7} \u{9b}31m\u{202e}b\u{2066}"), "{table}");
    run(rank.args(["-o", "table"]), b"").ok();
    assert_eq!(std::fs::read_to_string(place.path("table")).expect("it was written"), table);
}

#[test]
fn data_formats_are_escaped_only_on_a_terminal() {
    let place = odd_pages();
    for format in ["csv", "jsonl", "json"] {
        let mut rank = command(["crawl", "rank", "pages.jsonl", "-q", "--format", format]);
        let exact = run(rank.current_dir(place.path("")), b"").ok();
        assert!(exact.contains('\u{202e}'), "{exact}");
        let arguments = format!("crawl rank pages.jsonl -q --format {format}");
        let Some(shown) = on_terminal(&place, &arguments) else { return };
        check(&shown);
        if format == "jsonl" {
            let read = |text: &str| -> Vec<Value> {
                text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
            };
            assert_eq!(read(&shown), read(&exact));
        }
    }
}

#[test]
fn reports_for_a_forge_contain_no_bidirectional_controls() {
    let place = Place::empty();
    let text = (0..200).map(|n| format!("word{n} ")).collect::<String>();
    for name in ["a", "b\u{202e}lmth.exe"] {
        place.write(&format!("site/{name}.html"), format!("<title>x</title><main>{text}</main>"));
    }
    for format in ["table", "junit", "sarif"] {
        let mut duplicates = command(["duplicates", "site", "--format", format]);
        let report = run(duplicates.current_dir(place.path("")), b"").ok();
        assert!(report.contains("lmth"), "{report}");
        check(&report);
    }
}

#[test]
fn a_refused_setting_is_shown_escaped() {
    let place = Place::empty();
    place.write("pagekin.toml", "[build]\nrelated-count = \"\\u001b[31mx\\u202e\"\n");
    let mut build = command(["build", "site", "-o", "out"]);
    let message = run(build.current_dir(place.path("")), b"").failed(2);
    check(&message);
    assert!(message.contains(r"x\u{202e}"), "{message}");
}

#[test]
fn names_in_a_table_are_one_line_of_limited_length() {
    let place = Place::empty();
    let text = (0..200).map(|n| format!("word{n} ")).collect::<String>();
    let title = format!("Long\u{1b}[31m {}", "kestrels".repeat(1_000));
    let mut lines = String::new();
    for name in ["a", "b", "c"] {
        let html = format!("<title>{title}</title><main>{text}</main>");
        place.write(&format!("site/{name}.html"), html);
        let url = format!("https://a.example/{name}/{}", "x".repeat(1_000));
        lines += &json!({"url": url, "title": title, "text": text}).to_string();
        lines += "\n";
    }
    place.write("pages.jsonl", lines);
    place.build(&[]);
    let done = |arguments: &str| {
        let mut command = command(arguments.split(' '));
        run(command.current_dir(place.path("")), b"").ok()
    };
    done("crawl cluster pages.jsonl -o crawl -q --bags content --links");
    let url = format!("https://a.example/a/{}", "x".repeat(1_000));
    for arguments in [
        "search out word1",
        "similar out word1",
        "related out /a.html",
        "inspect out --url /a.html",
        "duplicates site",
        "redirects site site",
        "crawl clusters crawl",
        "crawl rank crawl -q",
        &format!("crawl related crawl --url {url}"),
    ] {
        let table = done(arguments);
        check(&table);
        let longest = table.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest < 1_300), "{arguments}: {longest:?} {table}");
    }
}
