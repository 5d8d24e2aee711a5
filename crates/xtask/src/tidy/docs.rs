//! What documents name is there: paths, links with their anchors, rooms.

mod markdown;

use std::collections::BTreeMap;

use crate::tidy::code::{Code, Path};
use crate::tidy::docs::markdown::Document;
use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

/// The page that speaks of rooms by their paths below `src`.
const PAGE: &str = "crates/README.md";
/// What a path of the repository begins with.
const FOLDERS: [&str; 5] = ["crates/", "tests/", "www/", ".ci/", ".cargo/"];
/// What commands make: it is named, and not tracked.
const MADE: [&str; 4] = ["target", "www/pkg", "www/dist", "tests/browser/node_modules"];
/// Pages of sites that tests are made of: their links are not ours.
const SITES: [&str; 2] = ["tests/recipes/", "tests/site/"];
/// What a path in code begins with that is in no crate of the workspace.
const OUTSIDE: [&str; 3] = ["std", "core", "alloc"];

pub(super) fn check(tree: &Tree, code: &Code) -> Report {
    let documents: BTreeMap<&str, Document> = tree
        .ending(&[".md"])
        .filter(|(path, _)| !SITES.iter().any(|site| path.starts_with(site)))
        .map(|(path, text)| (path, Document::new(text)))
        .collect();
    let mut findings = Vec::new();
    for (path, document) in &documents {
        for (line, span) in &document.spans {
            if let Some(missing) = missing_path(tree, span) {
                findings.push(format!("{path}:{line}: `{missing}` is not there"));
            } else if *path == PAGE && !is_path(tree, span) && is_missing_room(code, span) {
                findings.push(format!("{path}:{line}: `{span}` is no room, nor is it in one"));
            }
        }
        for (line, target) in &document.links {
            if let Some(what) = missing_target(tree, &documents, path, target) {
                findings.push(format!("{path}:{line}: the link {target} leads to {what}"));
            }
        }
    }
    Report::new(
        "what documents name is there: paths, links, anchors, and rooms in crates/README.md",
        "name it as it is called now, or remove the sentence",
        findings,
    )
}

/// The path in a span of code that is not there. A span may be a command with paths.
fn missing_path<'s>(tree: &Tree, span: &'s str) -> Option<&'s str> {
    let starts = |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(folder));
    // `tests/NAME`, `tests/{name}`: a pattern of paths.
    let is_pattern = |word: &str| {
        let is_large = |name: &str| {
            !name.is_empty() && !name.contains(|mark: char| mark.is_lowercase() || mark == '.')
        };
        word.contains(['<', '{', '…']) || word.split('/').any(is_large)
    };
    let mut words = span.split_whitespace().filter(starts);
    words.find(|word| !is_pattern(word) && !is_path(tree, word))
}

/// Whether this is a path of the repository, perhaps with a number of a line: `file.rs:12`.
fn is_path(tree: &Tree, word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default().trim_end_matches('/');
    tree.has(name) || is_made(name)
}

fn is_made(name: &str) -> bool {
    MADE.iter().any(|made| {
        name.strip_prefix(made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether a span is `room/inner` or `room::item`, and there is none.
fn is_missing_room(code: &Code, span: &str) -> bool {
    let is_name = |name: &str| {
        let mut marks = name.chars();
        marks.next().is_some_and(|first| first.is_ascii_lowercase())
            && marks.all(|mark| mark.is_ascii_alphanumeric() || mark == '_')
    };
    let path = |separator: &str| -> Option<Path> {
        let names: Path = span.split(separator).map(str::to_owned).collect();
        (names.len() > 1 && is_name(&names[0])).then_some(names)
    };
    if let Some(names) = path("/") {
        return names.iter().all(|name| is_name(name)) && !is_there(code, &names);
    }
    let Some(mut names) = path("::") else { return false };
    if names.iter().any(|name| !name.chars().all(|mark| mark.is_alphanumeric() || mark == '_')) {
        return false;
    }
    if code.crates.iter().any(|one| one.name.replace('-', "_") == names[0]) {
        names.remove(0);
    }
    !OUTSIDE.contains(&names[0].as_str()) && !is_there(code, &names)
}

/// Whether a crate has this path, from any of its modules that have its first name.
fn is_there(code: &Code, names: &[String]) -> bool {
    code.crates.iter().any(|one| {
        one.modules.keys().any(|module| crate::tidy::imports::leads_somewhere(one, module, names))
    })
}

/// What a link leads to that is not there.
fn missing_target(
    tree: &Tree,
    documents: &BTreeMap<&str, Document>,
    from: &str,
    target: &str,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (name, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if name.is_empty() { from.to_owned() } else { joined(from, name) };
    if !path.is_empty() && !tree.has(&path) && !is_made(&path) {
        return Some(format!("{path}, which is not there"));
    }
    let document = documents.get(path.as_str())?;
    let is_there = anchor.is_empty() || document.anchors.contains(anchor);
    (!is_there).then(|| format!("no heading of {path}"))
}

/// A relative path, seen from a file.
fn joined(from: &str, name: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::read;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = vec![
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*']"),
            ("crates/one/Cargo.toml", "[package]\nname = 'the-one'"),
            ("crates/one/src/lib.rs", "pub mod index;"),
            ("crates/one/src/index/mod.rs", "pub mod lists;\npub use lists::Lists;"),
            ("crates/one/src/index/lists.rs", "pub struct Lists;\npub fn weigh() {}"),
            ("www/lab/core.js", ""),
        ];
        all.extend(files);
        let tree = Tree::new(&all);
        let code = tree.packages().and_then(|packages| read::code(&tree, &packages));
        check(&tree, &code.expect("the code is sound")).findings
    }

    #[test]
    fn paths_that_are_named_are_there() {
        let text = "`www/lab/core.js` `www/lab/` `www/lab/core.js:12` `cat www/*/core.js` `src/x`\n\
            `www/dist/x.js` `crates/{name}` `tests/NAME/`\n```\ntests/gone\n```\n";
        assert!(found(&[("README.md", text)]).is_empty());
        let findings = found(&[("README.md", "of\n`www/lab/gone.js`, and\n`cat tests/x y`")]);
        let expected =
            ["README.md:2: `www/lab/gone.js` is not there", "README.md:3: `tests/x` is not there"];
        assert_eq!(findings, expected);
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let guide = ("crates/one/GUIDE.md", "# The `index`, and: *more*\n\n## Twice\n\n## Twice\n");
        let text = "[a](crates/one/GUIDE.md) [b](./crates/one/GUIDE.md#the-index-and-more)\n\
            [c](crates/one/GUIDE.md#twice-1) [d](https://example.org/x) `[e](gone.md)` [f](#here)\n\
            # Here\n[here]: crates/one\n";
        assert_eq!(found(&[guide, ("README.md", text)]), Vec::<String>::new());
        let text = "[a](gone.md)\n[b](crates/one/GUIDE.md#three)\n[c]: www/gone\n";
        let findings = found(&[guide, ("README.md", text)]);
        assert_eq!(findings.len(), 3, "{findings:?}");
        let back = ("crates/one/BACK.md", "[up](../../Cargo.toml) [no](../Cargo.toml)");
        assert_eq!(found(&[back]).len(), 1);
    }

    #[test]
    fn rooms_and_what_is_in_them_are_there() {
        let text = "`index/lists` `index::lists` `the_one::index` `lists::weigh` `index::Lists`\n\
            `Lists::new` `std::fs` `lists/` `a/b.html` `text/html`";
        assert_eq!(
            found(&[(PAGE, text)]),
            ["crates/README.md:2: `text/html` is no room, nor is it in one"]
        );
        for gone in ["index/keys", "the_one::keys", "lists::keys", "keys::of"] {
            assert_eq!(found(&[(PAGE, &format!("`{gone}`"))]).len(), 1, "{gone}");
        }
    }
}
