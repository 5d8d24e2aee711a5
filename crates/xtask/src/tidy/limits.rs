//! Limits: names of types, lengths of functions, files and comments, words that must not be
//! committed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::Report;
use crate::tidy::code::{Code, Crate, Module};
use crate::tidy::tree::Tree;

/// Maximum number of types of the workspace with one name.
const MAX_SHARED: usize = 2;

/// Maximum number of lines in a function, in a file of code, and of columns in a comment.
const MAX_FUNCTION: usize = 60;
const MAX_FILE: usize = 700;
const MAX_COLUMNS: usize = 100;

/// Maximum number of lines in pages that everybody reads.
const PAGES: [(&str, usize); 2] = [("README.md", 120), ("CHANGELOG.md", 60)];

/// In two halves, so that this file does not contain them.
const WORDS: [(&str, &str); 5] =
    [("/wor", "k/"), ("/roo", "t/"), ("TO", "DO"), ("FIX", "ME"), ("todo", "!(")];

static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\s*pub(\(crate\))? (?:unsafe )?(?:struct|enum|union|trait|type) (\w+)")
});
static FUNCTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe) )*fn (\w+)"));
/// Comments that read worse in two lines: URLs, rows of tables, types in JavaScript.
static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?://+!?|/?\*+|# ) *[^ |!/*]"));
static UNBREAKABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"://|@(?:type|typedef|param|property|returns|import) \{|\[\], "));

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is constant")
}

pub(super) fn names(code: &Code) -> Report {
    let mut findings = shared(code.production(), false, MAX_SHARED);
    for one in code.production() {
        findings.extend(shared([one].into_iter(), true, 1));
    }
    Report::new(
        "no three types of the workspace share a name, and no two public types of a crate",
        "name a type after its subject: `CrawlSummary`, not `Summary`; or share one type",
        findings,
    )
}

/// The names of types that more than `max` files define, and that other files can use. A type that
/// one file defines twice is one type for two platforms.
fn shared<'c>(crates: impl Iterator<Item = &'c Crate>, public: bool, max: usize) -> Vec<String> {
    let mut places: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for Module { file, lines, .. } in crates.flat_map(|one| one.modules.values()) {
        for (line, found) in lines.iter().filter_map(|(n, line)| Some((n, TYPE.captures(line)?))) {
            if !public || found.get(1).is_none() {
                places.entry(found[2].to_owned()).or_default().entry(file).or_insert(*line);
            }
        }
    }
    let places = places.into_iter().filter(|(_, places)| places.len() > max);
    let describe = |(name, places): (String, BTreeMap<&str, usize>)| {
        let at: Vec<_> = places.iter().map(|(file, line)| format!("{file}:{line}")).collect();
        format!("{name}, {} times: {}", at.len(), at.join(", "))
    };
    places.map(describe).collect()
}

pub(super) fn functions(code: &Code) -> Report {
    let mut findings = Vec::new();
    for Module { file, lines, .. } in code.production().flat_map(|one| one.modules.values()) {
        for (at, (start, line)) in lines.iter().enumerate() {
            let Some(found) = FUNCTION.captures(line) else { continue };
            if line.ends_with(['}', ';']) {
                continue;
            }
            let is_end = |line: &str| line.strip_prefix(&found[1]) == Some("}");
            let end = lines[at..].iter().find(|(_, line)| is_end(line));
            let length = end.map_or(0, |(end, _)| end + 1 - start);
            if length > MAX_FUNCTION {
                findings.push(format!("{length} lines: {}, {file}:{start}", &found[2]));
            }
        }
    }
    Report::new(
        format!("functions have at most {MAX_FUNCTION} lines"),
        "move steps with a name of their own into functions",
        findings,
    )
}

pub(super) fn lengths(tree: &Tree, code: &Code) -> Report {
    let modules = code.production().flat_map(|one| one.modules.values());
    let files = modules.map(|module| (module.file.as_str(), MAX_FILE));
    let lines = |path| tree.text(path).unwrap_or_default().lines().count();
    let long = files.chain(PAGES).filter(|&(path, max)| lines(path) > max);
    Report::new(
        format!("files of code have at most {MAX_FILE} lines, and first pages are short"),
        "split the file by the purpose of its parts; move what few readers need into the guides",
        long.map(|(path, max)| format!("{path}: {} lines, {max} at most", lines(path))).collect(),
    )
}

/// rustfmt does not wrap comments.
pub(super) fn comments(tree: &Tree) -> Report {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(&[".rs", ".js", ".mjs", ".py"]) {
        for (number, line) in text.lines().enumerate() {
            // A character has at least one byte.
            if line.len() > MAX_COLUMNS
                && line.chars().count() > MAX_COLUMNS
                && COMMENT.is_match(line)
                && !UNBREAKABLE.is_match(line)
            {
                findings.push(format!("{path}:{}", number + 1));
            }
        }
    }
    let rule = format!("comments have at most {MAX_COLUMNS} columns");
    Report::new(rule, "break the line, or turn it into a table", findings)
}

pub(super) fn words(tree: &Tree) -> Report {
    let words = WORDS.map(|(start, end)| regex::escape(&format!("{start}{end}")));
    let words = pattern(&format!(r"(^|[^\w.])(?:{})(\w?)", words.join("|")));
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (number, line) in text.lines().enumerate() {
            let is_word =
                |found: regex::Captures<'_>| found[0].contains(['/', '(']) || found[2].is_empty();
            if words.captures_iter(line).any(is_word) {
                findings.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    Report::new(
        "no notes of unfinished work, and no paths of one machine",
        "finish it, or open an issue; name paths relative to the repository",
        findings,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::tests::one_crate;
    use crate::tidy::tree::Package;

    #[test]
    fn long_functions_are_found_but_in_tests() {
        let function = |name, lines| format!("fn {name}() {{\n{}}}\n", "f();\n".repeat(lines - 2));
        let test = format!("#[cfg(test)]\nmod tests {{\n{}}}", function("t", 200));
        let max = MAX_FUNCTION;
        let text = function("short", max) + &function("long", max + 1) + &test;
        let report = functions(&one_crate(&[("lib.rs", &text)]).1);
        assert_eq!(report.findings, ["61 lines: long, crates/one/src/lib.rs:61"]);
    }

    #[test]
    fn long_files_and_first_pages_are_found() {
        let (_, code) = one_crate(&[("lib.rs", "")]);
        let tree = Tree::new(&[
            ("crates/one/src/lib.rs", &"fn f() {}\n".repeat(701)),
            ("CHANGELOG.md", &"- news\n".repeat(61)),
        ]);
        let expected =
            ["crates/one/src/lib.rs: 701 lines, 700 at most", "CHANGELOG.md: 61 lines, 60 at most"];
        assert_eq!(lengths(&tree, &code).findings, expected);
    }

    #[test]
    fn long_comments_are_found_but_not_tables_and_urls() {
        let words = "bread ".repeat(20);
        let found = |path, text: String| comments(&Tree::new(&[(path, &text)])).findings.len();
        for start in ["/// ", "    //! ", "/** ", " * ", "# "] {
            assert_eq!(found("a.js", format!("{start}{words}")), 1, "{start}");
            assert_eq!(found("a.js", format!("{start}short")), 0, "{start}");
        }
        for text in ["// https://example.org/", "//! | ", "f(", "/** @type {"] {
            assert_eq!(found("a.js", format!("{text}{words}")), 0, "{text}");
        }
    }

    #[test]
    fn words_and_paths_of_one_machine_are_found() {
        let [work, root, to_do, fix, macro_call] =
            WORDS.map(|(start, end)| format!("{start}{end}"));
        let found = |text: &str| words(&Tree::new(&[("a.md", text)])).findings.len();
        for text in [
            format!("# {to_do}: bake"),
            format!("// {fix}"),
            format!("{macro_call})"),
            format!("cd {work}main"),
            format!("`{root}bread`"),
        ] {
            assert_eq!(found(&text), 1, "{text}");
        }
        for text in [format!("net{work}"), format!("../..{root}"), format!("MAS{to_do}NS")] {
            assert_eq!(found(&text), 0, "{text}");
        }
    }

    #[test]
    fn types_that_share_a_name_are_found() {
        let tree = Tree::new(&[
            ("crates/one/src/lib.rs", "mod a;\nmod b;"),
            ("crates/one/src/a.rs", "pub struct Report;\nstruct Own;"),
            (
                "crates/one/src/b.rs",
                "pub enum Report {}\n#[cfg(test)]\nmod t {\n    pub struct X;\n}",
            ),
            ("crates/two/src/lib.rs", "pub(crate) trait Report {}\nstruct Own;\npub struct X;"),
            ("crates/xtask/src/main.rs", "pub(crate) struct X;\npub struct Report;"),
        ]);
        let package = |name: &str| Package::of_test(name, &format!("crates/{name}"), &[]);
        let code = Code::read(&tree, &["one", "two", "xtask"].map(package));
        let both = "crates/one/src/a.rs:1, crates/one/src/b.rs:1";
        let three = format!("Report, 3 times: {both}, crates/two/src/lib.rs:1");
        assert_eq!(names(&code).findings, [three, format!("Report, 2 times: {both}")]);
    }
}
