//! The Rust of the workspace: its modules, what these name, its types and its functions.

use std::collections::BTreeMap;

/// All packages that have code.
pub(super) struct Code {
    pub(super) crates: Vec<Crate>,
}

/// The modules below one `lib.rs` or `main.rs`.
pub(super) struct Crate {
    pub(super) name: String,
    /// Its folder `src`.
    pub(super) folder: String,
    pub(super) root: String,
    pub(super) is_production: bool,
    /// By their paths in the crate: the root's is empty.
    pub(super) modules: BTreeMap<Path, Module>,
    pub(super) references: Vec<Reference>,
    pub(super) types: Vec<Type>,
    pub(super) functions: Vec<Function>,
}

/// Names from the root of a crate, or from where they are written.
pub(super) type Path = Vec<String>;

#[derive(Default)]
pub(super) struct Module {
    pub(super) file: String,
    pub(super) names: BTreeMap<String, Vec<Named>>,
    /// What is imported with `*`.
    pub(super) globs: Vec<Path>,
}

/// What a name stands for in a module. It may be several things: a module and a function.
#[derive(PartialEq)]
pub(super) enum Named {
    Item,
    Module,
    Import(Path),
}

/// A path where it is written: in a private import, or in code.
pub(super) struct Reference {
    pub(super) module: Path,
    pub(super) path: Path,
    pub(super) line: usize,
}

/// A struct, enum, union, trait or alias that other files may see.
pub(super) struct Type {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: usize,
    /// Whether other crates may see it too.
    pub(super) public: bool,
}

pub(super) struct Function {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: usize,
    /// From its name to its last brace.
    pub(super) lines: usize,
}

impl Code {
    /// The crates that are for users.
    pub(super) fn production(&self) -> impl Iterator<Item = &Crate> {
        self.crates.iter().filter(|one| one.is_production)
    }
}

impl Crate {
    /// A file's name below `src`.
    pub(super) fn short<'a>(&self, file: &'a str) -> &'a str {
        file.strip_prefix(&self.folder).map_or(file, |name| name.trim_start_matches('/'))
    }

    /// The files of its modules, without those that only tests compile.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.modules.values().map(|module| module.file.as_str())
    }
}
