//! The order of modules: every file of a crate can be read after those that it uses.
//!
//! A crate with more than a few modules lists them in the doc comment of its `lib.rs` or
//! `main.rs`, in a block of text after a paragraph that ends in "above it:". A line has the
//! names of modules, with commas between them, then two spaces and what they are for. A line that
//! begins with a space continues the one before.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::tidy::Report;
use crate::tidy::code::{Crate, Import, Imports};
use crate::tidy::tree::Tree;

const SENTENCE: &str = "above it:";

/// Maximum number of modules that need no list.
const MAX_UNLISTED: usize = 5;

/// A file and the modules within it are read together, so imports of a file from its own modules
/// do not count.
pub(super) fn no_circles(imports: &Imports) -> Report {
    Report::new(
        "no circle of imports between the files of a crate",
        "move what both use into a file of its own, or pass it as an argument",
        imports.iter().flat_map(|(one, imports)| circles(one, imports)).collect(),
    )
}

/// Each circle with all names that its files import from one another.
fn circles(one: &Crate, imports: &[Import]) -> Vec<String> {
    let imports: Vec<_> =
        imports.iter().filter(|Import { modules: [from, to], .. }| !to.starts_with(from)).collect();
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for import in &imports {
        uses.entry(import.from).or_default().insert(import.to);
    }
    let reached = |file: &str| {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&str> = uses.get(file).into_iter().flatten().copied().collect();
        while let Some(next) = waiting.pop() {
            if reached.insert(next) {
                waiting.extend(uses.get(next).into_iter().flatten());
            }
        }
        reached
    };
    let reached: BTreeMap<&str, _> = uses.keys().map(|&file| (file, reached(file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut circles = Vec::new();
    let mut done = BTreeSet::new();
    for file in uses.keys().filter(|file| reaches(file, file)) {
        if done.contains(file) {
            continue;
        }
        let circle: BTreeSet<&str> =
            reached[file].iter().copied().filter(|other| reaches(other, file)).collect();
        let mut text = format!("{}, {} files use one another:", one.name, circle.len());
        for Import { from, to, name, line, .. } in &imports {
            if circle.contains(from) && circle.contains(to) {
                let _ = write!(text, "\n    {from}:{line} uses {name} of {to}");
            }
        }
        circles.push(text);
        done.extend(circle);
    }
    circles
}

pub(super) fn in_order(tree: &Tree, imports: &Imports) -> Report {
    Report::new(
        "every crate lists its modules, and they only use those above them",
        "move what is used into a module above both; or list the modules as they are, in a block \
         of text in the doc comment of lib.rs, after a sentence that ends in \"above it:\"",
        imports.iter().flat_map(|(one, imports)| out_of_order(tree, one, imports)).collect(),
    )
}

fn out_of_order(tree: &Tree, one: &Crate, imports: &[Import]) -> Vec<String> {
    let root = &one.root;
    let modules = one.modules.keys().filter(|module| module.len() == 1);
    let modules: BTreeSet<&str> = modules.map(|module| module[0].as_str()).collect();
    let Some(listed) = listed(tree.text(root).unwrap_or_default()) else {
        if modules.len() <= MAX_UNLISTED || !one.folder.starts_with("crates/") {
            return Vec::new();
        }
        return vec![format!("{root}: {} modules without a list", modules.len())];
    };
    let mut findings = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, name) in listed {
        if !modules.contains(name) {
            findings.push(format!("{root}:{line}: `{name}` is not a module of {}", one.name));
        }
        let place = places.len();
        if places.insert(name, place).is_some() {
            findings.push(format!("{root}:{line}: `{name}` is listed twice"));
        }
    }
    let missing = modules.iter().filter(|module| !places.contains_key(*module));
    findings.extend(missing.map(|module| format!("{root}: `{module}` is not listed")));
    for Import { from: file, line, name, modules: [from, to], .. } in imports {
        let (Some(from), Some(to)) = (from.first(), to.first()) else { continue };
        let place = |module: &String| places.get(module.as_str());
        if from != to && place(from).zip(place(to)).is_some_and(|(above, below)| above < below) {
            findings.push(format!("{file}:{line}: `{from}` uses {name} of `{to}`, which is below"));
        }
    }
    findings
}

/// The names in the list of modules, with their lines; none without a list.
fn listed(text: &str) -> Option<Vec<(usize, &str)>> {
    let docs = text.lines().enumerate().map(|(number, line)| {
        let line = line.strip_prefix("//!").unwrap_or_default();
        (number + 1, line.strip_prefix(' ').unwrap_or(line))
    });
    let mut docs = docs.skip_while(|(_, line)| !line.ends_with(SENTENCE)).skip(1);
    docs.find(|(_, line)| line.starts_with("```"))?;
    let mut names = Vec::new();
    for (number, line) in docs.take_while(|(_, line)| !line.starts_with("```")) {
        if !line.starts_with(' ') {
            let listed = line.split("  ").next().unwrap_or_default().split(", ");
            names.extend(listed.filter(|name| !name.is_empty()).map(|name| (number, name)));
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::code::tests::one_crate;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        no_circles(&one_crate(files).1.imports()).findings
    }

    #[test]
    fn files_that_import_each_other_are_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a.rs", "use crate::b::B;\npub struct A;"),
            ("b.rs", "pub struct B;\nfn f() { super::a::A::new() }"),
            ("c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("src/a.rs:1 uses B of crates/one/src/b.rs"), "{}", found[0]);
        assert!(found[0].contains("src/b.rs:2 uses A of crates/one/src/a.rs"), "{}", found[0]);
    }

    #[test]
    fn an_import_of_an_exported_name_counts_for_the_file_that_defines_it() {
        let exports = "mod x;\nmod y;\npub use x::X;\npub(crate) use self::y::*;";
        let files = |x: &'static str, y: &'static str| {
            circles(&[("lib.rs", "mod a;"), ("a/mod.rs", exports), ("a/x.rs", x), ("a/y.rs", y)])
        };
        assert!(files("pub struct X;", "use super::X;\npub struct Y;").is_empty());
        let found = files("use crate::a::Y;\npub struct X;", "use super::X;\npub struct Y;");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("uses Y of crates/one/src/a/y.rs"), "{}", found[0]);
    }

    #[test]
    fn imported_modules_are_followed_where_they_are_used() {
        let a = "use crate::b;\npub fn f() { b::g() }";
        let b = "use crate::a as other;\npub fn g() { assert!(1 == other::f()) }";
        assert_eq!(circles(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)]).len(), 1);
        let b = "use crate::a as other;\npub fn g() {}";
        assert!(circles(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)]).is_empty());
    }

    #[test]
    fn a_file_and_its_own_modules_may_use_one_another() {
        let parent = "mod x;\nmod y;\npub use x::f;\npub fn own() {}\nfn g() { f() }";
        let x = "pub fn f() { super::own() }";
        let lib = ("lib.rs", "mod a;");
        let files = [lib, ("a.rs", parent), ("a/x.rs", x), ("a/y.rs", "")];
        assert!(circles(&files).is_empty());
        let x = ("a/x.rs", "pub fn f() { super::y::h() }");
        let y = ("a/y.rs", "pub fn h() { super::f() }");
        assert_eq!(circles(&[lib, ("a.rs", parent), x, y]).len(), 1);
    }

    #[test]
    fn imports_of_tests_do_not_count() {
        let tested = "use crate::b::B;\npub struct A;";
        for b in [
            "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\npub struct B;",
            "#[cfg(test)]\nuse crate::a::A;\npub struct B;",
            "#[cfg(test)]\nmod tests;\npub struct B;",
        ] {
            let more = ("b/tests.rs", "use crate::a::A;");
            let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", tested), ("b.rs", b), more];
            assert_eq!(circles(&files), Vec::<String>::new(), "{b}");
        }
    }

    const LIB: &str = "//! One.\n//!\n//! The modules only use\n//! those above it:\n//!\n\
        //! ```text\n//! base, other   for all\n//!               and more\n//! top\n//! ```\n\n\
        mod base;\nmod other;\nmod top;";

    fn order(lib: &str, base: &str, top: &str) -> Vec<String> {
        let files = [("lib.rs", lib), ("base.rs", base), ("other.rs", ""), ("top/mod.rs", top)];
        let (tree, code) = one_crate(&files);
        in_order(&tree, &code.imports()).findings
    }

    #[test]
    fn a_module_only_uses_those_above_it() {
        assert!(order(LIB, "pub fn f() {}", "use crate::base::f;").is_empty());
        let expected = "crates/one/src/base.rs:1: `base` uses f of `top`, which is below";
        assert_eq!(order(LIB, "use crate::top::f;", "pub fn f() {}"), [expected]);
    }

    #[test]
    fn the_list_has_each_module_once() {
        let found = order(&LIB.replace("! top", "! base, attic"), "", "").join("\n");
        assert!(found.contains("`base` is listed twice"), "{found}");
        assert!(found.contains("lib.rs:9: `attic` is not a module of one"), "{found}");
        assert!(found.contains("`top` is not listed"), "{found}");
        let names = ["a", "b", "c", "d", "e", "f"];
        let lib: String = names.iter().map(|name| format!("mod {name};\n")).collect();
        let names = names.map(|name| format!("{name}.rs"));
        let mut files = vec![("lib.rs", lib.as_str())];
        files.extend(names.iter().map(|name| (name.as_str(), "")));
        let (tree, code) = one_crate(&files);
        let found = in_order(&tree, &code.imports()).findings;
        assert_eq!(found, ["crates/one/src/lib.rs: 6 modules without a list"]);
    }
}
