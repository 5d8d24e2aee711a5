//! Everything that documents name exists: paths, links with their anchors, modules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::Report;
use crate::tidy::code::{Code, segments};
use crate::tidy::tree::Tree;

/// The page that names modules by their paths below `src`.
const PAGE: &str = "crates/README.md";

/// Beginnings of the paths of this repository.
const FOLDERS: [&str; 5] = ["crates/", "tests/", "www/", ".ci/", ".cargo/"];

/// Folders that commands make, and that are not tracked.
const MADE: [&str; 4] = ["target", "www/pkg", "www/dist", "tests/browser/node_modules"];

/// Pages of the sites that tests use, whose links are not checked.
const SITES: [&str; 2] = ["tests/recipes/", "tests/site/"];

/// Crates outside the workspace.
const OUTSIDE: [&str; 3] = ["std", "core", "alloc"];

/// A target of a link, inline or defined.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\(([^)\s]+)|^\[[^\]]*\]: (\S+)").expect("it is constant"));

/// The names in a document, with their lines, without those in blocks of code.
#[derive(Default)]
struct Document {
    /// The texts between backticks.
    spans: Vec<(usize, String)>,
    /// The targets of links.
    links: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
}

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
                findings.push(format!("{path}:{line}: `{missing}` does not exist"));
            } else if *path == PAGE
                && !is_path(tree, span)
                && !is_path(tree, &format!("crates/{span}"))
                && is_missing_module(code, span)
            {
                findings.push(format!("{path}:{line}: `{span}` is neither a module nor in one"));
            }
        }
        for (line, target) in &document.links {
            if let Some(problem) = missing_target(tree, &documents, path, target) {
                findings.push(format!("{path}:{line}: the link {target}: {problem}"));
            }
        }
    }
    Report::new(
        "everything that documents name exists: paths, links, anchors, modules in crates/README.md",
        "use the current name, or remove the sentence",
        findings,
    )
}

impl Document {
    fn new(text: &str) -> Self {
        let mut document = Self::default();
        let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
        // A paragraph and the number of its first line: a span may continue in the next line.
        let mut paragraph = (1, String::new());
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            let is_fence = line.trim_start().starts_with("```");
            if is_fence || in_code || line.trim().is_empty() {
                in_code ^= is_fence;
                document.read(paragraph.0, &paragraph.1);
                paragraph = (number + 2, String::new());
                continue;
            }
            let title = line.trim_start_matches('#');
            if title.len() < line.len() && title.starts_with(' ') {
                let slug = slug(title.trim());
                let before = slugs.entry(slug.clone()).or_default();
                let numbered = if *before == 0 { slug } else { format!("{slug}-{before}") };
                *before += 1;
                document.anchors.insert(numbered);
            }
            paragraph.1 += line;
            paragraph.1.push('\n');
        }
        document.read(paragraph.0, &paragraph.1);
        document
    }

    /// Reads spans of code before links, as a span may contain the text of a link.
    fn read(&mut self, first: usize, paragraph: &str) {
        let mut line = first;
        let mut prose = String::new();
        let mut rest = paragraph;
        while let Some(at) = rest.find('`') {
            let (before, from) = rest.split_at(at);
            let mark = &from[..from.len() - from.trim_start_matches('`').len()];
            prose.push_str(before);
            line += before.matches('\n').count();
            let inner = &from[mark.len()..];
            let Some(end) = inner.find(mark) else {
                rest = inner;
                continue;
            };
            self.spans.push((line, inner[..end].trim().to_owned()));
            let lines = inner[..end].matches('\n').count();
            line += lines;
            prose.push_str(&"\n".repeat(lines));
            rest = &inner[end + mark.len()..];
        }
        prose.push_str(rest);
        for (number, line) in prose.lines().enumerate() {
            let targets = LINK.captures_iter(line).filter_map(|link| link.get(1).or(link.get(2)));
            self.links.extend(targets.map(|target| (first + number, target.as_str().to_owned())));
        }
    }
}

/// The anchor that GitHub gives to a heading: of a link in it, only the text counts.
fn slug(heading: &str) -> String {
    let parts = heading.split("](").enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, rest)| rest),
    });
    let text: String = parts.collect();
    text.chars()
        .filter(|mark| mark.is_alphanumeric() || matches!(mark, ' ' | '-' | '_'))
        .flat_map(|mark| if mark == ' ' { '-' } else { mark }.to_lowercase())
        .collect()
}

/// The first path in a span of code that does not exist. A span may be a command with paths.
fn missing_path<'s>(tree: &Tree, span: &'s str) -> Option<&'s str> {
    // `tests/NAME`, `tests/{name}`: a pattern of paths.
    let is_pattern = |word: &str| {
        let is_large = |name: &str| {
            !name.is_empty() && !name.contains(|mark: char| mark.is_lowercase() || mark == '.')
        };
        word.contains(['<', '{', '…']) || word.split('/').any(is_large)
    };
    span.split_whitespace()
        .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .find(|word| !is_pattern(word) && !is_path(tree, word))
}

/// Whether this is a path of the repository, perhaps with the number of a line: `file.rs:12`.
fn is_path(tree: &Tree, word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default().trim_end_matches('/');
    let is_made = |made: &&str| {
        name.strip_prefix(*made).is_some_and(|rest| matches!(rest.get(..1), None | Some("/")))
    };
    tree.has(name) || MADE.iter().any(is_made)
}

/// Whether a span is `module/inner` or `module::item`, and there is none.
fn is_missing_module(code: &Code, span: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|mark| mark.is_ascii_alphanumeric() || mark == '_');
    let is_folder = span.contains('/');
    let mut names = segments(&span.replace('/', "::"));
    let is_lower = |name: &String| name.starts_with(|first: char| first.is_ascii_lowercase());
    let is_checked = if is_folder { names.iter().all(is_lower) } else { is_lower(&names[0]) };
    if names.len() < 2 || !is_checked || !names.iter().all(|name| is_name(name)) {
        return false;
    }
    if code.crates.iter().any(|one| one.name.replace('-', "_") == names[0]) {
        names.remove(0);
    }
    !OUTSIDE.contains(&names[0].as_str()) && !code.crates.iter().any(|one| one.contains(&names))
}

/// Why a link leads nowhere.
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
    if !path.is_empty() && !is_path(tree, &path) {
        return Some(format!("{path} does not exist"));
    }
    let document = documents.get(path.as_str())?;
    let exists = anchor.is_empty() || document.anchors.contains(anchor);
    (!exists).then(|| format!("{path} has no such heading"))
}

/// A relative path, as seen from a file.
fn joined(from: &str, name: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::Package;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = vec![
            ("Cargo.toml", ""),
            ("crates/one/src/lib.rs", "pub mod index;"),
            ("crates/one/src/index/mod.rs", "pub mod lists;\npub use lists::Lists;"),
            ("crates/one/src/index/lists.rs", "pub struct Lists;\npub fn weigh() {}"),
            ("www/lab/core.js", ""),
        ];
        all.extend(files);
        let tree = Tree::new(&all);
        let code = Code::read(&tree, &[Package::of_test("the-one", "crates/one", &[])]);
        check(&tree, &code).findings
    }

    #[test]
    fn missing_paths_are_found() {
        let text = "`www/lab/core.js` `www/lab/` `www/lab/core.js:12` `cat www/*/core.js` `src/x`\n\
   `www/dist/x.js` `crates/{name}` `tests/NAME/`\n```\ntests/gone\n```\n";
        assert!(found(&[("README.md", text)]).is_empty());
        let findings = found(&[("README.md", "of\n`www/lab/gone.js`, and\n`cat tests/x y`")]);
        let expected = [
            "README.md:2: `www/lab/gone.js` does not exist",
            "README.md:3: `tests/x` does not exist",
        ];
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
    fn missing_modules_and_items_are_found() {
        let text = "`index/lists` `index::lists` `the_one::index` `lists::weigh` `index::Lists`\n\
            `Lists::new` `std::fs` `lists/` `a/b.html` `text/html`";
        let expected = "crates/README.md:2: `text/html` is neither a module nor in one";
        assert_eq!(found(&[(PAGE, text)]), [expected]);
        for gone in ["index/keys", "the_one::keys", "lists::keys", "keys::of"] {
            assert_eq!(found(&[(PAGE, &format!("`{gone}`"))]).len(), 1, "{gone}");
        }
    }
}
