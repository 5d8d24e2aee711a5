//! What has a length: functions, files of code, pages that everybody reads; and words that are not
//! to be committed.

use crate::tidy::code::{Code, Crate, Function};
use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

/// Lines of a function.
const FUNCTION: usize = 60;
/// Lines of a file of code.
const FILE: usize = 700;
/// Lines of pages that everybody reads.
const PAGES: [(&str, usize); 2] = [("README.md", 120), ("CHANGELOG.md", 60)];
/// In two halves, so that this file has none of them.
const WORDS: [(&str, &str); 5] =
    [("/wor", "k/"), ("/roo", "t/"), ("TO", "DO"), ("FIX", "ME"), ("todo", "!(")];

pub(super) fn functions(code: &Code) -> Report {
    let functions = code.production().flat_map(|one| &one.functions);
    let mut long: Vec<&Function> = functions.filter(|function| function.lines > FUNCTION).collect();
    long.sort_by_key(|function| (usize::MAX - function.lines, &function.file, function.line));
    let describe = |Function { name, file, line, lines }: &Function| {
        format!("{lines} lines: {name}, {file}:{line}")
    };
    Report::new(
        format!("functions have at most {FUNCTION} lines"),
        "take steps out of it that have a name of their own",
        long.into_iter().map(describe).collect(),
    )
}

pub(super) fn lengths(tree: &Tree, code: &Code) -> Report {
    let files = code.production().flat_map(Crate::files).map(|file| (file, FILE));
    let mut findings = Vec::new();
    for (path, most) in files.chain(PAGES) {
        let lines = tree.text(path).unwrap_or_default().lines().count();
        if lines > most {
            findings.push(format!("{path}: {lines} lines, {most} at most"));
        }
    }
    // A module that is written within a file has its file too.
    findings.dedup();
    Report::new(
        format!("files of code have at most {FILE} lines, and first pages are short"),
        "split the file by what its parts are for; leave to the guides what few readers need",
        findings,
    )
}

pub(super) fn words(tree: &Tree) -> Report {
    let words = WORDS.map(|(start, end)| format!("{start}{end}"));
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (number, line) in text.lines().enumerate() {
            let has = |word: &&String| {
                line.match_indices(word.as_str()).any(|(at, _)| stands_alone(line, at, word))
            };
            for word in words.iter().filter(has) {
                findings.push(format!("{path}:{}: {word}", number + 1));
            }
        }
    }
    Report::new(
        "nothing is left to do, and no path of one machine is named",
        "do it, or open an issue; name paths relative to the repository",
        findings,
    )
}

/// Whether what is found is a word, not a part of one or the middle of a path.
fn stands_alone(line: &str, at: usize, word: &str) -> bool {
    let is_part = |mark: Option<char>| {
        mark.is_some_and(|mark| mark.is_alphanumeric() || mark == '_' || mark == '.')
    };
    let ends_open = word.ends_with(['/', '(']);
    let before = line[..at].chars().next_back();
    let after = line[at + word.len()..].chars().next();
    !is_part(before) && (ends_open || !is_part(after.filter(|&mark| mark != '.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::read;

    fn code(text: &str) -> anyhow::Result<(Tree, Code)> {
        let tree = Tree::new(&[
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*']"),
            ("crates/one/Cargo.toml", "[package]\nname = 'one'"),
            ("crates/one/src/lib.rs", text),
            ("CHANGELOG.md", &"- news\n".repeat(61)),
        ]);
        let code = read::code(&tree, &tree.packages()?)?;
        Ok((tree, code))
    }

    #[test]
    fn long_functions_are_found_but_in_tests() -> anyhow::Result<()> {
        let function = |name, lines| format!("fn {name}() {{\n{}}}\n", "f();\n".repeat(lines - 2));
        let test = format!("#[cfg(test)]\nmod tests {{\n{}}}", function("t", 200));
        let text = function("short", FUNCTION) + &function("long", FUNCTION + 1) + &test;
        let report = functions(&code(&text)?.1);
        assert_eq!(report.findings, ["61 lines: long, crates/one/src/lib.rs:61"]);
        Ok(())
    }

    #[test]
    fn files_and_first_pages_have_a_length() -> anyhow::Result<()> {
        let (tree, code) = code(&"fn f() {}\n".repeat(701))?;
        let expected =
            ["crates/one/src/lib.rs: 701 lines, 700 at most", "CHANGELOG.md: 61 lines, 60 at most"];
        assert_eq!(lengths(&tree, &code).findings, expected);
        Ok(())
    }

    #[test]
    fn words_and_paths_of_one_machine_are_found() {
        let [work, root, to_do, fix, macro_call] =
            WORDS.map(|(start, end)| format!("{start}{end}"));
        for text in [
            format!("# {to_do}: bake"),
            format!("// {fix}"),
            format!("{macro_call})"),
            format!("cd {work}main"),
            format!("`{root}bread`"),
        ] {
            assert_eq!(words(&Tree::new(&[("a.md", &text)])).findings.len(), 1, "{text}");
        }
        for text in [format!("net{work}"), format!("../..{root}"), format!("MAS{to_do}NS")] {
            assert!(words(&Tree::new(&[("a.md", &text)])).findings.is_empty(), "{text}");
        }
    }
}
