//! A type's name says what it is wherever it is read, so it does not stand for many things.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::code::{Code, Type};
use crate::tidy::report::Report;

/// So many types of the workspace may share a name.
const SHARED: usize = 2;
const MEND: &str = "name a type after what it is of: `CrawlSummary`, not `Summary`; or share one";

pub(super) fn in_workspace(code: &Code) -> Report {
    let types = code.production().flat_map(|one| &one.types);
    Report::new("no three types of the workspace share a name", MEND, shared(types, SHARED + 1))
}

pub(super) fn in_crate(code: &Code) -> Report {
    let mut findings = Vec::new();
    for one in code.production() {
        findings.extend(shared(one.types.iter().filter(|kind| kind.public), 2));
    }
    Report::new("no two public types of a crate share a name", MEND, findings)
}

/// The names that at least so many files define, the commonest first. What one file defines twice
/// is one type for two platforms.
fn shared<'c>(types: impl Iterator<Item = &'c Type>, least: usize) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for kind in types {
        places.entry(&kind.name).or_default().entry(&kind.file).or_insert(kind.line);
    }
    let found: BTreeSet<_> = places
        .into_iter()
        .filter(|(_, places)| places.len() >= least)
        .map(|(name, places)| (usize::MAX - places.len(), name, places))
        .collect();
    let describe = |(_, name, places): (_, &str, BTreeMap<&str, usize>)| {
        let at: Vec<_> = places.iter().map(|(file, line)| format!("{file}:{line}")).collect();
        format!("{name}, {} times: {}", at.len(), at.join(", "))
    };
    found.into_iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::read;
    use crate::tidy::tree::Tree;

    #[test]
    fn names_of_types_are_counted_by_files_that_others_see() -> anyhow::Result<()> {
        let shared = "pub struct Report;\nstruct Own;";
        let tree = Tree::new(&[
            ("Cargo.toml", "[workspace]\nmembers = ['crates/*']"),
            ("crates/one/Cargo.toml", "[package]\nname = 'one'"),
            ("crates/one/src/lib.rs", "mod a;\nmod b;"),
            ("crates/one/src/a.rs", shared),
            (
                "crates/one/src/b.rs",
                "pub enum Report {}\n#[cfg(test)]\nmod tests { pub struct X; }",
            ),
            ("crates/two/Cargo.toml", "[package]\nname = 'two'"),
            ("crates/two/src/lib.rs", "pub(crate) trait Report {}\nstruct Own;\npub struct X;"),
            ("crates/xtask/Cargo.toml", "[package]\nname = 'xtask'"),
            ("crates/xtask/src/main.rs", "pub(crate) struct X;\npub struct Report;"),
        ]);
        let code = read::code(&tree, &tree.packages()?)?;
        let expected = "Report, 3 times: crates/one/src/a.rs:1, crates/one/src/b.rs:1, \
            crates/two/src/lib.rs:1";
        assert_eq!(in_workspace(&code).findings, [expected]);
        let expected = "Report, 2 times: crates/one/src/a.rs:1, crates/one/src/b.rs:1";
        assert_eq!(in_crate(&code).findings, [expected]);
        Ok(())
    }
}
