//! What a crate's files take from one another: names followed to the file that defines them.
//!
//! A `mod.rs` that exports again what its rooms have is a face. Nobody needs a face for itself, so
//! an import through it counts as one of the file behind it.

use std::collections::BTreeSet;

use crate::tidy::code::{Code, Crate, Module, Named, Path};

/// A name that one file takes from another of its crate.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import<'c> {
    pub(super) from: &'c str,
    /// The file that defines it.
    pub(super) to: &'c str,
    pub(super) name: String,
    pub(super) line: usize,
    /// The module in which the name is used, and that in which it is defined.
    pub(super) modules: [&'c [String]; 2],
}

/// What a path leads to.
#[derive(Clone)]
enum Place {
    Module(Path),
    /// An item, by the module that defines it, and its name there.
    Item(Path, String),
}

/// The crates, and what the files of each take from one another: each name once a pair of files,
/// where it is taken first.
pub(super) type Imports<'c> = Vec<(&'c Crate, Vec<Import<'c>>)>;

pub(super) fn of_all(code: &Code) -> Imports<'_> {
    code.crates.iter().map(|one| (one, imports(one))).collect()
}

fn imports(one: &Crate) -> Vec<Import<'_>> {
    let mut imports = BTreeSet::new();
    // Most paths are of types of the same file, of variables and of other crates.
    let leads_out = |module: &Module, name: &str| {
        let is_own = |named: &Vec<Named>| named.as_slice() == [Named::Item];
        let named = module.names.get(name).is_some_and(|named| !is_own(named));
        named || matches!(name, "crate" | "self" | "super")
    };
    // References of a module stand behind one another, and most say the same again.
    let mut seen = BTreeSet::new();
    let mut at: Option<&Path> = None;
    let mut here = None;
    for reference in &one.references {
        if at != Some(&reference.module) {
            (at, here) = (Some(&reference.module), one.modules.get_key_value(&reference.module));
            seen.clear();
        }
        let Some((key, from)) = here else { continue };
        let is_of_others = reference.path.first().is_some_and(|name| leads_out(from, name));
        if !is_of_others || !seen.insert(&reference.path) {
            continue;
        }
        let Some(Place::Item(module, name)) = resolve(one, key, &reference.path) else { continue };
        let Some((module, to)) = one.modules.get_key_value(&module) else { continue };
        if from.file != to.file {
            let modules = [&key[..], &module[..]];
            let (from, to, line) = (from.file.as_str(), to.file.as_str(), reference.line);
            imports.insert(Import { from, to, name, line, modules });
        }
    }
    let mut imports: Vec<_> = imports.into_iter().collect();
    imports.dedup_by(|later, first| {
        (later.from, later.to, &later.name) == (first.from, first.to, &first.name)
    });
    imports
}

/// Whether a path leads to something in the crate, from one of its modules.
pub(super) fn leads_somewhere(one: &Crate, module: &Path, path: &[String]) -> bool {
    let named = one.modules.get(module).zip(path.first());
    if !named.is_some_and(|(module, name)| module.names.contains_key(name)) {
        return false;
    }
    match resolve(one, module, path) {
        None => false,
        Some(Place::Module(_)) => true,
        Some(Place::Item(module, name)) => {
            one.modules.get(&module).is_some_and(|module| module.names.contains_key(&name))
        }
    }
}

/// Follows a path from where it is written; none if it leads out of the crate.
fn resolve(one: &Crate, module: &Path, path: &[String]) -> Option<Place> {
    Follower { one, seen: BTreeSet::new(), depth: 0 }.follow(module, path)
}

struct Follower<'c> {
    one: &'c Crate,
    /// What was asked for already: imports with `*` may lead in a circle.
    seen: BTreeSet<(Path, String)>,
    /// How many imports led here, one by the other: `use self::a` leads to itself.
    depth: usize,
}

const MAX_DEPTH: usize = 16;

impl Follower<'_> {
    fn follow(&mut self, from: &Path, path: &[String]) -> Option<Place> {
        let mut names = path.iter().peekable();
        let mut module = from.clone();
        let mut is_ours = false;
        while let Some(name) = names.peek() {
            match name.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => {
                    module.pop()?;
                }
                _ => break,
            }
            is_ours = true;
            names.next();
        }
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            match self.step(&module, name, is_last) {
                Some(Place::Module(inner)) => module = inner,
                // What follows is a variant, or a function of the type.
                Some(item) => return Some(item),
                // A macro may have made it.
                None if is_ours => return Some(Place::Item(module, name.clone())),
                None => return None,
            }
            is_ours = true;
        }
        Some(Place::Module(module))
    }

    /// What a name is in a module. If it is a module too, an item goes before it at a path's end.
    fn step(&mut self, at: &Path, name: &str, is_last: bool) -> Option<Place> {
        let module: &Module = self.one.modules.get(at)?;
        let inner = || [&at[..], &[name.to_owned()]].concat();
        let mut places = Vec::new();
        for named in module.names.get(name).into_iter().flatten() {
            match named {
                Named::Item => places.push(Place::Item(at.clone(), name.to_owned())),
                Named::Module => places.push(Place::Module(inner())),
                Named::Import(path) => places.extend(self.deeper(at, path, name)),
            }
        }
        if places.is_empty() {
            for base in &module.globs {
                let Some(Place::Module(base)) = self.deeper(at, base, "*") else { continue };
                if self.seen.insert((base.clone(), name.to_owned())) {
                    places.extend(self.step(&base, name, is_last));
                }
            }
        }
        let is_item = |place: &&Place| matches!(place, Place::Item(..)) == is_last;
        places.iter().find(is_item).or(places.first()).cloned()
    }

    fn deeper(&mut self, at: &Path, path: &[String], name: &str) -> Option<Place> {
        self.depth += 1;
        let place = if self.depth > MAX_DEPTH { None } else { self.import(at, path, name) };
        self.depth -= 1;
        place
    }

    /// Follows an import. One that begins with its own name means a module or another crate, not
    /// itself.
    fn import(&mut self, at: &Path, path: &[String], name: &str) -> Option<Place> {
        if path.first().is_some_and(|first| first == name) {
            let child = [&at[..], &path[..1]].concat();
            if !self.one.modules.contains_key(&child) {
                return None;
            }
            return match path.len() {
                1 => Some(Place::Module(child)),
                _ => self.follow(&child, &path[1..]),
            };
        }
        self.follow(at, path)
    }
}
