//! The house has floors: rooms need only those above them.
//!
//! A crate with more than a few rooms draws them where it declares them, in the doc comment of its
//! `lib.rs` or `main.rs`, or in `crates/README.md` under a sentence with its name: a block of text
//! behind words that end in "each of which needs only those above it:". A line has the names of
//! rooms, with commas between them, then two spaces and what they are for; a line that begins with
//! a space goes on with the one before.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::code::Crate;
use crate::tidy::imports::{Import, Imports};
use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

const PAGE: &str = "crates/README.md";
const SENTENCE: &str = "each of which needs only those above it:";
/// So many rooms are seen at a glance.
const FEW: usize = 5;

pub(super) fn check(tree: &Tree, imports: &Imports) -> Report {
    Report::new(
        format!("every crate's rooms are drawn, and need only those above them ({PAGE})"),
        "move what is needed into a room above both; or draw the rooms as they are, in a block of \
         text in the doc comment of lib.rs, behind \"each of which needs only those above it:\"",
        imports.iter().flat_map(|(one, imports)| rooms(tree, one, imports)).collect(),
    )
}

fn rooms(tree: &Tree, one: &Crate, imports: &[Import]) -> Vec<String> {
    let modules = one.modules.keys().filter(|module| module.len() == 1);
    let rooms: BTreeSet<&str> = modules.map(|module| module[0].as_str()).collect();
    let page = tree.text(PAGE).unwrap_or_default();
    let docs: String = tree.text(&one.root).unwrap_or_default().lines().map(doc_line).collect();
    let named = format!("`{}`", one.name);
    let drawn = [(one.root.as_str(), drawing(&docs, "")), (PAGE, drawing(page, &named))];
    let mut drawn = drawn.into_iter().filter_map(|(place, lines)| Some((place, lines?)));
    let Some((place, lines)) = drawn.next() else {
        if rooms.len() <= FEW || !one.folder.starts_with("crates/") {
            return Vec::new();
        }
        return vec![format!("{}: {} rooms, not drawn", one.root, rooms.len())];
    };
    let mut findings = Vec::new();
    findings.extend(drawn.map(|(other, _)| format!("{other}: draws what {place} draws already")));
    let mut floors: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, name) in &lines {
        if !rooms.contains(name.as_str()) {
            findings.push(format!("{place}:{line}: `{name}` is no room of {}", one.name));
        }
        let floor = floors.len();
        if floors.insert(name, floor).is_some() {
            findings.push(format!("{place}:{line}: `{name}` is drawn twice"));
        }
    }
    let missing = rooms.iter().filter(|room| !floors.contains_key(*room));
    findings.extend(missing.map(|room| format!("{place}: `{room}` of {} is not drawn", one.name)));
    for import in imports {
        let Some([from, to]) = between(import) else { continue };
        if let (Some(above), Some(below)) = (floors.get(from), floors.get(to))
            && above < below
        {
            let Import { from: file, line, name, .. } = import;
            findings
                .push(format!("{file}:{line}: `{from}` takes {name} of `{to}`, which is below"));
        }
    }
    findings
}

/// The rooms that an import ties, unless it is one within a room, or of the crate's face.
fn between<'c>(import: &Import<'c>) -> Option<[&'c str; 2]> {
    let [from, to] = import.modules;
    let (from, to) = (from.first()?, to.first()?);
    (from != to).then_some([from, to])
}

/// The inner documentation of a file, line by line: lines of code are empty there.
fn doc_line(line: &str) -> String {
    let text = line.strip_prefix("//!").unwrap_or_default();
    format!("{}\n", text.strip_prefix(' ').unwrap_or(text))
}

/// The rooms in the block behind the sentence, with their lines, if its paragraph has the words.
fn drawing(text: &str, words: &str) -> Option<Vec<(usize, String)>> {
    let mut lines = text.lines().enumerate();
    let mut paragraph = String::new();
    let mut is_over = false;
    loop {
        let (_, line) = lines.next()?;
        if line.starts_with("```") {
            if paragraph.trim_end().ends_with(SENTENCE) && paragraph.contains(words) {
                break;
            }
            lines.by_ref().find(|(_, line)| line.starts_with("```"))?;
            paragraph.clear();
        } else if line.is_empty() {
            is_over = true;
        } else {
            if is_over {
                paragraph.clear();
                is_over = false;
            }
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    let mut rooms = Vec::new();
    for (number, line) in lines.take_while(|(_, line)| !line.starts_with("```")) {
        if line.starts_with(' ') {
            continue;
        }
        let names = line.split("  ").next().unwrap_or_default().split(", ");
        rooms.extend(
            names.filter(|name| !name.is_empty()).map(|name| (number + 1, name.to_owned())),
        );
    }
    Some(rooms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::imports;
    use crate::tidy::read;

    const LIB: &str = "//! One.\n//!\n//! Its rooms, each of which needs\n//! only those above it:\n\
        //!\n//! ```text\n//! base, other   what all need\n//!               and more\n//! top\n\
        //! ```\n\nmod base;\nmod other;\nmod top;";

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = vec![
            ("Cargo.toml", "[workspace]\nmembers = ['crates/one']"),
            ("crates/one/Cargo.toml", "[package]\nname = 'one'"),
        ];
        all.extend(files);
        let tree = Tree::new(&all);
        let code = tree.packages().and_then(|packages| read::code(&tree, &packages));
        let code = code.expect("the code is sound");
        check(&tree, &imports::of_all(&code)).findings
    }

    fn house<'a>(lib: &'a str, base: &'a str, top: &'a str) -> Vec<(&'a str, &'a str)> {
        vec![
            ("crates/one/src/lib.rs", lib),
            ("crates/one/src/base.rs", base),
            ("crates/one/src/other.rs", ""),
            ("crates/one/src/top/mod.rs", top),
        ]
    }

    #[test]
    fn a_room_needs_those_above_it_only() {
        assert!(found(&house(LIB, "pub fn f() {}", "use crate::base::f;")).is_empty());
        let findings = found(&house(LIB, "use crate::top::f;", "pub fn f() {}"));
        let expected = "crates/one/src/base.rs:1: `base` takes f of `top`, which is below";
        assert_eq!(findings, [expected]);
    }

    #[test]
    fn the_drawing_has_each_room_once_in_one_place() {
        let lib = LIB.replace("! top", "! base, attic");
        let findings = found(&house(&lib, "", "")).join("\n");
        assert!(findings.contains("`base` is drawn twice"), "{findings}");
        assert!(findings.contains("lib.rs:9: `attic` is no room of one"), "{findings}");
        assert!(findings.contains("`top` of one is not drawn"), "{findings}");

        let page = "The rooms of `one`, each of which needs only those above it:\n\n```text\n\
            base, other\ntop\n```\n";
        let mut files = house(LIB, "", "");
        files.push((PAGE, page));
        assert_eq!(
            found(&files),
            ["crates/README.md: draws what crates/one/src/lib.rs draws already"]
        );
        files[0].1 = "mod base;\nmod other;\nmod top;";
        assert!(found(&files).is_empty());
    }

    #[test]
    fn a_crate_of_many_rooms_is_drawn() {
        let lib = "mod a;\nmod b;\nmod c;\nmod d;\nmod e;\nmod f;";
        let rooms = ["a", "b", "c", "d", "e", "f"].map(|room| format!("crates/one/src/{room}.rs"));
        let mut files = vec![("crates/one/src/lib.rs", lib)];
        files.extend(rooms.iter().map(|room| (room.as_str(), "")));
        assert_eq!(found(&files), ["crates/one/src/lib.rs: 6 rooms, not drawn"]);
    }
}
