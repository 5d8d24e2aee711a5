//! The Rust of the workspace: its modules, and what they import from one another.
//!
//! This is no parser. It relies on the layout of rustfmt: an item begins a line, and a line with
//! the same indentation ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::tree::{Package, Tree};

/// All packages that contain code.
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
    /// By their paths in the crate: the path of the root is empty.
    pub(super) modules: BTreeMap<Path, Module>,
}

/// Names from the root of a crate, or from where they are written.
pub(super) type Path = Vec<String>;

/// A file, without comments and without items that only tests compile.
pub(super) struct Module {
    pub(super) file: String,
    /// With their numbers.
    pub(super) lines: Vec<(usize, String)>,
    uses: Vec<Use>,
}

/// A name that a module imports: `*` for all names.
struct Use {
    name: String,
    path: Path,
    line: usize,
    /// Whether the module exports it again.
    is_exported: bool,
}

/// A name that one file imports from another of its crate.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import<'c> {
    pub(super) from: &'c str,
    /// The file that defines it.
    pub(super) to: &'c str,
    pub(super) name: String,
    pub(super) line: usize,
    /// The module that uses the name, and the module that defines it.
    pub(super) modules: [&'c [String]; 2],
}

/// The crates, and the imports between the files of each: each name once for each pair of files.
pub(super) type Imports<'c> = Vec<(&'c Crate, Vec<Import<'c>>)>;

/// The target of a path: a module, or an item in one.
type Place<'c> = (&'c Path, Option<String>);

/// Imports may lead in a circle: `use self::a` leads to itself.
const MAX_DEPTH: usize = 8;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is constant")
}

static TEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^#\[cfg\((?:all\(.*)?\btest\b"));
static MODULE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);"));
static USE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(pub(?:\([^)]*\))? )?use ([^:].*)"));
static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[^\w:.])([a-z_]\w*(?:::\w+)+)"));

impl Code {
    pub(super) fn read(tree: &Tree, packages: &[Package]) -> Self {
        let crates = packages.iter().filter_map(|package| Crate::read(tree, package));
        Self { crates: crates.collect() }
    }

    /// The crates that are written for users.
    pub(super) fn production(&self) -> impl Iterator<Item = &Crate> {
        self.crates.iter().filter(|one| one.is_production)
    }

    pub(super) fn imports(&self) -> Imports<'_> {
        self.crates.iter().map(|one| (one, one.imports())).collect()
    }
}

impl Crate {
    fn read(tree: &Tree, package: &Package) -> Option<Self> {
        let folder = format!("{}/src", package.folder);
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{folder}/{name}"));
        let root = roots.into_iter().find(|root| tree.has(root))?;
        let mut modules = BTreeMap::new();
        let mut waiting = vec![(Path::new(), root.clone())];
        while let Some((path, file)) = waiting.pop() {
            let module = Module::read(&file, tree.text(&file)?);
            for name in module.lines.iter().filter_map(|(_, line)| MODULE.captures(line)) {
                let child = [&path[..], &[name[1].to_owned()]].concat();
                let base = format!("{folder}/{}", child.join("/"));
                let files = [format!("{base}.rs"), format!("{base}/mod.rs")];
                // An attribute may name a file elsewhere, which is skipped.
                waiting.extend(files.into_iter().find(|file| tree.has(file)).map(|f| (child, f)));
            }
            modules.insert(path, module);
        }
        let (name, is_production) = (package.name.clone(), package.is_production());
        Some(Self { name, folder, root, is_production, modules })
    }

    fn imports(&self) -> Vec<Import<'_>> {
        let mut imports = BTreeSet::new();
        for (at, from) in &self.modules {
            let of_uses = from.uses.iter().filter(|one| !one.is_exported);
            let mut paths: Vec<_> = of_uses.map(|one| (one.line, one.path.clone())).collect();
            for (line, text) in &from.lines {
                let found = PATH.captures_iter(text).map(|found| (*line, segments(&found[1])));
                paths.extend(found.filter(|_| !USE.is_match(text)));
            }
            for (line, path) in paths {
                let Some((module, Some(name))) = self.resolve(at, &path, 0) else { continue };
                let to = &self.modules[module].file;
                if *to != from.file {
                    let modules = [&at[..], &module[..]];
                    imports.insert(Import { from: &from.file, to, name, line, modules });
                }
            }
        }
        let mut imports: Vec<_> = imports.into_iter().collect();
        imports.dedup_by(|b, a| (b.from, b.to, &b.name) == (a.from, a.to, &a.name));
        imports
    }

    /// Follows a path from the module that contains it to the file that defines its target. A
    /// `mod.rs` that only exports what its modules define is not a target. None for paths that lead
    /// out of the crate.
    fn resolve(&self, from: &Path, path: &[String], depth: usize) -> Option<Place<'_>> {
        let (mut at, mut is_ours) = (from.clone(), false);
        for (index, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()?),
                name => {
                    let child = [&at[..], &[name.to_owned()]].concat();
                    if self.modules.contains_key(&child) {
                        at = child;
                    } else if let Some((module, item)) = self.imported(&at, name, depth) {
                        if item.is_some() {
                            return Some((module, item));
                        }
                        at.clone_from(module);
                    } else {
                        // A variant or a function of a type may follow.
                        let module = self.modules.get_key_value(&at)?;
                        let is_ours = is_ours || index > 0 || module.1.defines(name);
                        return is_ours.then(|| (module.0, Some(name.to_owned())));
                    }
                }
            }
            is_ours = true;
        }
        Some((self.modules.get_key_value(&at)?.0, None))
    }

    /// The target of a name that a module imports.
    fn imported(&self, at: &Path, name: &str, depth: usize) -> Option<Place<'_>> {
        let module = self.modules.get(at).filter(|_| depth < MAX_DEPTH)?;
        if let Some(one) = module.uses.iter().find(|one| one.name == name) {
            // `use regex::Regex` in a module without a `regex` leads out of the crate.
            return (one.path[0] != *name).then(|| self.resolve(at, &one.path, depth + 1))?;
        }
        module.uses.iter().filter(|one| one.name == "*").find_map(|one| {
            let folder = &one.path[..one.path.len() - 1];
            let child = [&at[..], &folder[..1]].concat();
            let is_ours = matches!(folder[0].as_str(), "crate" | "self" | "super");
            if !is_ours && !self.modules.contains_key(&child) {
                return None;
            }
            let (base, _) =
                self.resolve(at, folder, depth + 1).filter(|(_, item)| item.is_none())?;
            if self.modules[base].defines(name) {
                return Some((base, Some(name.to_owned())));
            }
            self.imported(base, name, depth + 1)
        })
    }

    /// Whether a path leads to something in the crate, from any of its modules.
    pub(super) fn contains(&self, path: &[String]) -> bool {
        self.modules.keys().any(|from| match self.resolve(from, path, 0) {
            None => false,
            Some((_, None)) => true,
            Some((module, Some(name))) => self.modules[module].defines(&name),
        })
    }
}

impl Module {
    fn read(file: &str, text: &str) -> Self {
        let lines = code_lines(text);
        let mut uses = Vec::new();
        let mut rest = lines.iter();
        while let Some((line, text)) = rest.next() {
            let Some(found) = USE.captures(text) else { continue };
            let mut tree = found[2].to_owned();
            while !tree.contains(';')
                && let Some((_, more)) = rest.next()
            {
                tree += more.trim();
            }
            let (line, is_exported) = (*line, found.get(1).is_some());
            flatten(tree.split(';').next().unwrap_or_default(), "", &mut |name, path| {
                uses.push(Use { name, path, line, is_exported });
            });
        }
        Self { file: file.to_owned(), lines, uses }
    }

    /// Whether an item of this name begins here. A macro may define others.
    fn defines(&self, name: &str) -> bool {
        const KINDS: [&str; 9] =
            ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules!"];
        self.lines.iter().any(|(_, line)| {
            let words: Vec<_> = line
                .split(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '_' | '!'))
                .filter(|word| !word.is_empty())
                .collect();
            words.windows(2).any(|pair| KINDS.contains(&pair[0]) && pair[1] == name)
        })
    }
}

/// The lines of code with their numbers, without comments and items that only tests compile.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    // The indentation of an item that is skipped, and whether its first line was read.
    let mut skipped: Option<(&str, bool)> = None;
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let indentation = &line[..line.len() - code.len()];
        if code.is_empty() || code.starts_with("//") {
            continue;
        }
        if let Some((start, is_begun)) = &mut skipped {
            if *start == indentation && !code.starts_with("#[") {
                let ends_at_once = !*is_begun && code.ends_with([';', ',', '}']);
                let ends = ends_at_once || code.starts_with('}') || code.ends_with(");");
                *is_begun = true;
                if ends {
                    skipped = None;
                }
            }
        } else if TEST.is_match(code) {
            skipped = Some((indentation, false));
        } else {
            lines.push((number + 1, line.to_owned()));
        }
    }
    lines
}

/// The names in the tree of a `use`, with their paths.
fn flatten(tree: &str, before: &str, add: &mut impl FnMut(String, Path)) {
    if let Some((path, group)) = tree.split_once('{') {
        let before = format!("{before}{}", path.trim());
        let (mut depth, mut start) = (0, 0);
        for (at, mark) in group.char_indices() {
            match mark {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    flatten(&group[start..at], &before, add);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.trim().is_empty() {
        let (path, renamed) =
            tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name)));
        let mut path = segments(&format!("{before}{}", path.trim()));
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = renamed.map_or_else(|| path[path.len() - 1].clone(), |n| n.trim().to_owned());
        add(name, path);
    }
}

pub(super) fn segments(path: &str) -> Path {
    path.split("::").map(str::to_owned).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A workspace of one crate, with these files in its `src`.
    pub(in crate::tidy) fn one_crate(files: &[(&str, &str)]) -> (Tree, Code) {
        let files: Vec<_> =
            files.iter().map(|(name, text)| (format!("crates/one/src/{name}"), *text)).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let tree = Tree::new(&files);
        let code = Code::read(&tree, &[Package::of_test("one", "crates/one", &[])]);
        (tree, code)
    }

    #[test]
    fn trees_of_imports_are_flattened() {
        let mut found = Vec::new();
        let tree = "crate::{self, a::{B, C as D}, e::*}";
        flatten(tree, "", &mut |name, path| found.push(format!("{name} {}", path.join("::"))));
        assert_eq!(found, ["crate crate", "B crate::a::B", "D crate::a::C", "* crate::e::*"]);
    }

    #[test]
    fn items_of_tests_are_no_code() {
        let text = "fn f() {}\n\n#[cfg(test)]\nuse a;\n#[cfg(all(unix, test))]\nfn g(\n    a: u8,\n) {\n}\n\
                    #[cfg(not(test))]\nuse b;\n// comment\n#[cfg(test)]\nmod tests {\n    fn h() {}\n}\nfn i() {}";
        let lines: Vec<_> = code_lines(text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["fn f() {}", "#[cfg(not(test))]", "use b;", "fn i() {}"]);
    }
}
