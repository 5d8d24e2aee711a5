//! Words that the documentation avoids, as readers stumble over them.
//!
//! Folders in [`ENFORCED`] must not contain them. The command only counts those of other folders.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::Report;
use crate::tidy::tree::Tree;

/// The folders that are free of these words: add yours once its count is zero.
const ENFORCED: [&str; 3] = ["crates/xtask/", "tests/fuzz/", "tests/src/"];

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
        r"(?i)\b(?:told|tells|so many \w+|left away|passed over|at hand|anew|alike|whoever|for ever)\b|\d %(?: ?[^\d ]|$)",
    )
    .expect("it is constant")
});

pub(super) fn check(tree: &Tree) -> Report {
    let enforced = found(tree).filter(|(path, ..)| ENFORCED.iter().any(|of| path.starts_with(of)));
    Report::new(
        "documentation avoids words that readers stumble over",
        "say it in other words; exceptions are listed in crates/xtask/src/tidy/prose.rs",
        enforced.map(|(path, line, word)| format!("{path}:{line}: {word}")).collect(),
    )
}

/// Prints how many of the words other folders contain.
pub(super) fn print_counts(tree: &Tree) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (path, ..) in found(tree) {
        if !ENFORCED.iter().any(|folder| path.starts_with(folder)) {
            let parts: Vec<_> = path.split_inclusive('/').take(2).collect();
            *counts.entry(parts.concat()).or_default() += 1;
        }
    }
    let counts: Vec<_> = counts.iter().map(|(folder, count)| format!("{folder} {count}")).collect();
    println!("words to avoid, not enforced yet: {}", counts.join(", "));
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
    fn words_to_avoid_are_found_where_they_are_enforced() {
        let file = "crates/xtask/src/a.rs";
        let report = |path, text| check(&Tree::new(&[(path, text)])).findings;
        let text = "/// The tool tells so many\n// pages: 5 % of so many pages, Told anew\n";
        let expected = ["1: tells", "2: 5 % o", "2: so many pages", "2: Told", "2: anew"];
        assert_eq!(report(file, text), expected.map(|found| format!("{file}:{found}")));
        assert!(report(file, "a % b, 12 % 4, 5% foretold, retells, so many").is_empty());
        assert!(report("crates/other/src/a.rs", text).is_empty());
        assert!(report("crates/xtask/src/a.toml", text).is_empty());
    }
}
