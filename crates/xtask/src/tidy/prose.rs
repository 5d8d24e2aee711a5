//! Words that the documentation avoids, as readers stumble over them.
//!
//! Texts that are not documentation may contain them.

use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::Report;
use crate::tidy::tree::Tree;

/// Lines that may contain the words, by the file and a part of the line.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("crates/xtask/src/tidy/prose.rs", ""),
    ("tests/fuzz/src/slow/dictionary.rs", "Whoever has no oven"),
];

/// Texts that are not documentation: pages that tests index, queries that people typed.
const NOT_PROSE: [&str; 5] =
    ["tests/site/", "tests/recipes/", "tests/queries/", "tests/fuzz/slow/", "tests/formats/"];

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:told|tells|so many \w+|left away|passed over|at hand|anew|alike|whoever|for ever)\b|\b\d+ %(?: ?[^\d ]|$)",
    )
    .expect("it is constant")
});

pub(super) fn check(tree: &Tree) -> Report {
    Report::new(
        "documentation avoids words that readers stumble over",
        "say it in other words; exceptions are listed in crates/xtask/src/tidy/prose.rs",
        found(tree).map(|(path, line, word)| format!("{path}:{line}: {word}")).collect(),
    )
}

/// The words with their files and lines.
fn found(tree: &Tree) -> impl Iterator<Item = (&str, usize, &str)> {
    let texts = tree.ending(&[".md", ".rs", ".js", ".html"]);
    let prose = texts.filter(|(path, _)| !NOT_PROSE.iter().any(|other| path.starts_with(other)));
    prose.flat_map(|(path, text)| {
        let lines = text.lines().enumerate().filter(move |(_, line)| {
            !EXCEPTIONS.iter().any(|(file, part)| path == *file && line.contains(part))
        });
        lines.flat_map(move |(number, line)| {
            WORDS.find_iter(line).map(move |word| (path, number + 1, word.as_str()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_avoid_are_found() {
        let file = "crates/xtask/src/a.rs";
        let report = |path, text| check(&Tree::new(&[(path, text)])).findings;
        let text = "/// The tool tells so many\n// pages: 5 % of so many pages, Told anew\n";
        let expected = ["1: tells", "2: 5 % o", "2: so many pages", "2: Told", "2: anew"];
        assert_eq!(report(file, text), expected.map(|found| format!("{file}:{found}")));
        assert!(
            report(file, "a % b, 12 % 4, n as u32 % m, 5% foretold, retells, so many").is_empty()
        );
        assert!(report("tests/site/a.html", text).is_empty());
        assert!(report("crates/xtask/src/a.toml", text).is_empty());
    }
}
