//! What has a length: functions, files of code, pages that everybody reads; and words that are not
//! to be committed.

use crate::tidy::code::{Code, Crate, Function};
use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

/// A function of more lines is listed.
const LONG: usize = 60;
/// The longest function that there is. It only goes down.
const LONGEST: usize = 134;
/// How many long functions there are. It only goes down.
const MOST: usize = 34;
/// Lines of a file of code.
const FILE: usize = 700;
/// Lines of pages that everybody reads.
const PAGES: [(&str, usize); 2] = [("README.md", 120), ("CHANGELOG.md", 60)];
/// In two halves, so that this file has none of them.
const WORDS: [(&str, &str); 5] =
    [("/wor", "k/"), ("/roo", "t/"), ("TO", "DO"), ("FIX", "ME"), ("todo", "!(")];

pub(super) fn functions(code: &Code) -> Report {
    let mut long: Vec<&Function> = code
        .production()
        .flat_map(|one| &one.functions)
        .filter(|function| function.lines > LONG)
        .collect();
    long.sort_by_key(|function| (usize::MAX - function.lines, &function.file, function.line));
    let describe = |function: &&Function| {
        let Function { name, file, line, lines } = function;
        format!("{lines} lines: {name}, {file}:{line}")
    };
    let mut findings = Vec::new();
    findings.extend(long.iter().filter(|function| function.lines > LONGEST).map(describe));
    if long.len() > MOST {
        findings.push(format!("{} functions of more than {LONG} lines", long.len()));
    }
    let rule = format!(
        "no function of more than {LONGEST} lines, and at most {MOST} of more than {LONG}: {} are",
        long.len()
    );
    let mend = "take steps out of it that have a name of their own";
    Report { notes: long.iter().map(describe).collect(), ..Report::new(rule, mend, findings) }
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
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*']"),
            ("crates/one/Cargo.toml", "[package]\nname = 'one'"),
            ("crates/one/src/lib.rs", text),
            ("CHANGELOG.md", &"- news\n".repeat(61)),
        ]);
        let code = read::code(&tree, &tree.packages()?)?;
        Ok((tree, code))
    }

    #[test]
    fn long_functions_are_listed_and_longer_ones_fail() -> anyhow::Result<()> {
        let function = |name, lines| format!("fn {name}() {{\n{}}}\n", "f();\n".repeat(lines - 2));
        let test = format!("#[cfg(test)]\nmod tests {{\n{}}}", function("t", 200));
        let text = ["short", "long", "longer"].into_iter().zip([60, 61, LONGEST + 1]);
        let text: String = text.map(|(name, lines)| function(name, lines)).collect();
        let report = functions(&code(&(text + &test))?.1);
        let longer = format!("{} lines: longer, crates/one/src/lib.rs:122", LONGEST + 1);
        assert_eq!(report.findings, [longer.as_str()]);
        assert_eq!(report.notes, [longer.as_str(), "61 lines: long, crates/one/src/lib.rs:61"]);
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
            assert_eq!(words(&Tree::of(&[("a.md", &text)])).findings.len(), 1, "{text}");
        }
        for text in [format!("net{work}"), format!("../..{root}"), format!("MAS{to_do}NS")] {
            assert!(words(&Tree::of(&[("a.md", &text)])).findings.is_empty(), "{text}");
        }
    }
}
