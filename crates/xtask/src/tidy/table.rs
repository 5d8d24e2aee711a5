//! The manifests agree with the table of crates, which says what each may depend on.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::Report;
use crate::tidy::tree::{Package, Tree};

const PAGE: &str = "crates/README.md";

pub(super) fn check(tree: &Tree, packages: &[Package]) -> Report {
    let text = tree.text(PAGE).unwrap_or_default();
    let mut rows = BTreeMap::new();
    let table = text.lines().enumerate().skip_while(|(_, line)| !line.starts_with("| crate |"));
    for (number, row) in table.take_while(|(_, line)| line.starts_with('|')).skip(2) {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().unwrap_or_default().trim_matches('`').trim_end_matches('/');
        rows.insert(name, (number + 1, cells.next_back().unwrap_or_default()));
    }
    let mut findings = Vec::new();
    for (name, (line, _)) in &rows {
        if !tree.has(name) && !tree.has(&format!("crates/{name}")) {
            findings.push(format!("{PAGE}:{line}: `{name}` is neither a crate nor a folder"));
        }
    }
    for package in packages {
        let keys = [package.name.as_str(), package.folder.as_str()];
        let Some(key) = keys.into_iter().find(|key| rows.contains_key(key)) else {
            findings.push(format!("{PAGE}: `{}` has no row in the table of crates", package.name));
            continue;
        };
        let (line, may) = rows[key];
        let may: BTreeSet<_> =
            may.split(|mark: char| !mark.is_alphanumeric() && mark != '-').collect();
        let others = packages.iter().filter(|other| package.needs.contains(&other.name));
        for other in others.map(|other| other.name.as_str()) {
            let short = other.strip_prefix("pagekin-").unwrap_or(other);
            if ![other, short, "all"].iter().any(|name| may.contains(name)) {
                findings.push(format!(
                    "{PAGE}:{line}: `{key}` depends on {other}, which its row does not name"
                ));
            }
        }
    }
    Report::new(
        format!("crates only depend on those that their rows in {PAGE} name"),
        "remove the dependency, or name it in the last column: `core` means `pagekin-core`",
        findings,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_depend_on_what_their_rows_name() {
        let page = "| crate | what it is | may depend on |\n| --- | --- | --- |\n\
            | `pagekin-core` | all | pure crates |\n| `pagekin` | the program | core |\n\
            | `tests/` | tests | all |\n| `gone` | was | core |\n";
        let folders = ["crates/pagekin/a", "crates/pagekin-core/a", "tests/a"];
        let mut files = vec![(PAGE, page)];
        files.extend(folders.map(|path| (path, "")));
        let packages = [
            Package::of_test("pagekin", "crates/pagekin", &["pagekin-core"]),
            Package::of_test("pagekin-core", "crates/pagekin-core", &["pagekin"]),
            Package::of_test("pagekin-new", "crates/pagekin-new", &[]),
            Package::of_test("pagekin-tests", "tests", &["pagekin", "pagekin-core"]),
        ];
        let findings = check(&Tree::new(&files), &packages).findings.join("\n");
        assert!(findings.contains(":6: `gone` is neither a crate"), "{findings}");
        assert!(findings.contains("`pagekin-new` has no row"), "{findings}");
        assert!(findings.contains(":3: `pagekin-core` depends on pagekin, which"), "{findings}");
        assert_eq!(findings.lines().count(), 3, "{findings}");
    }
}
