//! No circle of imports: every file of a crate can be read after those that it needs.
//!
//! A file and the rooms within it are read together. So what it takes of them counts no more than
//! what a face exports again, and they may take what it defines for all of them; that is noted, as
//! it would often do better in a file of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::tidy::code::Crate;
use crate::tidy::imports::{Import, Imports};
use crate::tidy::report::Report;

pub(super) fn check(imports: &Imports) -> Report {
    let circles = imports.iter().flat_map(|(one, imports)| circles(one, imports)).collect();
    let rule = "no circle of imports between the files of a crate";
    let mend = "move what both need into a file of its own, or pass it as an argument";
    let notes = imports.iter().flat_map(|(_, imports)| shared(imports)).collect();
    Report { notes, ..Report::new(rule, mend, circles) }
}

/// Each circle with all names that tie its files.
fn circles(one: &Crate, imports: &[Import]) -> Vec<String> {
    let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for import in imports.iter().filter(|import| !is_of_own_room(import)) {
        needs.entry(import.from).or_default().insert(import.to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        needs.keys().map(|&file| (file, reach(&needs, file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut circles = Vec::new();
    let mut done = BTreeSet::new();
    for (&file, all) in reached.iter().filter(|(file, all)| all.contains(*file)) {
        if done.contains(file) {
            continue;
        }
        let circle: BTreeSet<&str> =
            all.iter().copied().filter(|other| reaches(other, file)).collect();
        circles.push(describe(one, &circle, imports));
        done.extend(circle);
    }
    circles
}

/// What rooms take of the files that they are within, where these take something of rooms too.
fn shared(imports: &[Import]) -> Vec<String> {
    let takers: BTreeSet<_> =
        imports.iter().filter(|import| is_of_own_room(import)).map(|import| import.from).collect();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Import { to, name, modules: [from, within], .. } in imports {
        if from.starts_with(within) && takers.contains(to) {
            names.entry(to).or_default().insert(name);
        }
    }
    let describe = |(file, names): (&str, BTreeSet<&str>)| {
        let names: Vec<_> = names.into_iter().collect();
        format!("{file} and its rooms need one another: they take {} of it", names.join(", "))
    };
    names.into_iter().map(describe).collect()
}

/// Whether a file takes something of a room within it.
fn is_of_own_room(import: &Import) -> bool {
    let [from, to] = import.modules;
    to.starts_with(from)
}

/// The files that a file needs, directly or not.
fn reach<'c>(needs: &BTreeMap<&'c str, BTreeSet<&'c str>>, file: &str) -> BTreeSet<&'c str> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = needs.get(file).into_iter().flatten().copied().collect();
    while let Some(next) = waiting.pop() {
        if reached.insert(next) {
            waiting.extend(needs.get(next).into_iter().flatten());
        }
    }
    reached
}

fn describe(one: &Crate, circle: &BTreeSet<&str>, imports: &[Import]) -> String {
    let mut text = format!("{}, {} files need one another:", one.name, circle.len());
    let mut ties: BTreeMap<(&str, &str), Vec<&Import>> = BTreeMap::new();
    for import in imports {
        if circle.contains(import.from) && circle.contains(import.to) && !is_of_own_room(import) {
            ties.entry((import.from, import.to)).or_default().push(import);
        }
    }
    for ((from, to), names) in ties {
        let line = names.iter().map(|import| import.line).min().unwrap_or_default();
        let names: Vec<_> = names.iter().map(|import| import.name.as_str()).collect();
        let _ = write!(text, "\n    {from}:{line} takes {} of {}", names.join(", "), one.short(to));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::imports;
    use crate::tidy::read;
    use crate::tidy::tree::Tree;

    /// The circles in the files of one crate.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        report(files).findings
    }

    fn report(files: &[(&str, &str)]) -> Report {
        let mut all = vec![
            ("Cargo.toml".to_owned(), "[workspace]\nmembers = ['crates/one']"),
            ("crates/one/Cargo.toml".to_owned(), "[package]\nname = 'one'"),
        ];
        all.extend(files.iter().map(|(name, text)| (format!("crates/one/src/{name}"), *text)));
        let all: Vec<_> = all.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let tree = Tree::new(&all);
        let code = tree.packages().and_then(|packages| read::code(&tree, &packages));
        let code = code.expect("the code is sound");
        check(&imports::of_all(&code))
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle_of_named_ties() {
        let circles = found(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a.rs", "use crate::b::B;\npub struct A;"),
            ("b.rs", "pub struct B;\nfn f() { super::a::A::new() }"),
            ("c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(circles.len(), 1);
        assert!(circles[0].contains("src/a.rs:1 takes B of b.rs"), "{}", circles[0]);
        assert!(circles[0].contains("src/b.rs:2 takes A of a.rs"), "{}", circles[0]);
    }

    #[test]
    fn an_import_through_a_face_is_one_of_the_file_behind_it() {
        let face = "mod x;\nmod y;\npub use x::X;\npub(crate) use self::y::*;";
        let files = |x: &'static str, y: &'static str| {
            found(&[("lib.rs", "mod a;"), ("a/mod.rs", face), ("a/x.rs", x), ("a/y.rs", y)])
        };
        assert!(files("pub struct X;", "use super::X;\npub struct Y;").is_empty());
        let circles = files("use crate::a::Y;\npub struct X;", "use super::X;\npub struct Y;");
        assert_eq!(circles.len(), 1);
        assert!(circles[0].contains("takes Y of a/y.rs"), "{}", circles[0]);
    }

    #[test]
    fn modules_that_are_imported_are_followed_where_they_are_used() {
        let a = "use crate::b;\npub fn f() { b::g() }";
        let b = "use crate::a as other;\npub fn g() { assert!(1 == other::f()) }";
        let circles = found(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)]);
        assert_eq!(circles.len(), 1);
        // An import of a module alone ties nothing.
        let b = "use crate::a as other;\npub fn g() {}";
        assert!(found(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)]).is_empty());
    }

    #[test]
    fn a_file_and_the_rooms_within_it_may_need_one_another() {
        let files = |face: &'static str, y: &'static str| {
            let x = "pub fn f() { super::own() }";
            report(&[("lib.rs", "mod a;"), ("a.rs", face), ("a/x.rs", x), ("a/y.rs", y)])
        };
        let face = "mod x;\nmod y;\npub use x::f;\npub fn own() {}";
        let report = files(face, "");
        assert!(report.findings.is_empty() && report.notes.is_empty());
        let using = "mod x;\nmod y;\npub use x::f;\npub fn own() {}\nfn g() { f() }";
        let report = files(using, "");
        assert!(report.findings.is_empty());
        assert!(report.notes[0].contains("a.rs and its rooms need"), "{:?}", report.notes);
        // By way of another room's code it is a circle of the rooms.
        let x = ("a/x.rs", "pub fn f() { super::y::h() }");
        let y = ("a/y.rs", "pub fn h() { super::f() }");
        assert_eq!(found(&[("lib.rs", "mod a;"), ("a.rs", face), x, y]).len(), 1);
    }

    #[test]
    fn what_only_tests_compile_ties_nothing() {
        let tested = "use crate::b::B;\npub struct A;";
        for b in [
            "#[cfg(test)]\nmod tests { use crate::a::A; }\npub struct B;",
            "#[cfg(test)]\nuse crate::a::A;\npub struct B;",
            "#[cfg(all(unix, test))]\nfn f() -> crate::a::A {}\npub struct B;",
            "#[cfg(test)]\nmod tests;\npub struct B;",
        ] {
            let more = ("b/tests.rs", "use crate::a::A;");
            let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", tested), ("b.rs", b), more];
            assert_eq!(found(&files), Vec::<String>::new(), "{b}");
        }
        let b = "#[cfg(not(test))]\nuse crate::a::A;\npub struct B;";
        assert_eq!(found(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", tested), ("b.rs", b)]).len(), 1);
    }
}
