//! Splits a module in two: the code of a lookup, and the rest, which the client fetches when it
//! first needs it. Both share one memory and one table of functions, so the bindings stay the same:
//! Binaryen's wasm-split moves functions, and keeps a placeholder in the table for each function
//! that the first part calls.
//!
//! The lab never needs the rest, so its rest is not published.
//!
//! The rest contains the functions that are only called by the exports and functions in the
//! `package.metadata.later` of a crate. A placeholder traps until the rest is loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::{fs, iter};

use anyhow::{Context, Result, bail};
use regex::{Captures, NoExpand, Regex};
use sha2::{Digest as _, Sha256};

use crate::run;
use crate::tools::{self, WebTools};

/// The features of WebAssembly that the compiler uses. Texts do not name them, and with more of
/// them some versions of Binaryen write modules that others cannot read.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The exports and the parts of names of functions that a crate lists.
pub(crate) struct Later {
    pub(crate) exports: Vec<String>,
    pub(crate) functions: Vec<String>,
}

/// Splits `module`, which has names, into `first` and `rest`, which do not. Their shared names
/// contain the hash of the module, so parts of two builds do not match.
pub(crate) fn split(
    tools: &WebTools,
    later: &Later,
    module: &Path,
    [first, rest]: [&Path; 2],
    options: &[String],
) -> Result<()> {
    let hash = Sha256::digest(fs::read(module)?);
    let text = without_quotes(&disassembled(tools, module)?);
    let list = module.with_extension("later");
    fs::write(&list, Text::new(&text)?.moved(later)?.join("\n") + "\n")?;
    assemble(tools, &text, module, &["--debuginfo".to_owned()])?;
    let mut command = Command::new(&tools.wasm_split);
    command.args(FEATURES).arg("--quiet").arg(module).arg("-o1").arg(first).arg("-o2").arg(rest);
    command.arg(format!("--split-funcs=@{}", list.display()));
    command.arg(format!("--export-prefix={:02x}{:02x}", hash[0], hash[1]));
    run::visible(&mut command)?;
    for part in [first, rest] {
        let text = with_its_tables(&disassembled(tools, part)?);
        assemble(tools, &without_places(&text), part, options)?;
    }
    Ok(())
}

/// Assembles the module of a text, with these options of wasm-opt.
fn assemble(tools: &WebTools, text: &str, module: &Path, options: &[String]) -> Result<()> {
    let path = module.with_extension("wat");
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let mut command = Command::new(tools::node()?);
    command.arg(tools.wasm_opt()).arg("--quiet").arg(&path).arg("-o").arg(module).args(FEATURES);
    run::visible(command.args(options))
}

fn disassembled(tools: &WebTools, module: &Path) -> Result<String> {
    let mut command = Command::new(tools::node()?);
    run::output(command.arg(tools.binaryen_program("wasm-dis")).arg(module))
}

struct Text {
    /// The functions that each function calls.
    calls: BTreeMap<String, BTreeSet<String>>,
    /// The functions that are called through the table.
    in_table: BTreeSet<String>,
    /// Exported functions by the names of the exports.
    exports: BTreeMap<String, String>,
}

/// The name of the table of wasm-bindgen.
const EXTERN_EXPORT: &str = "__wbindgen_externrefs";
static EXTERN_TABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^ \(table \$([^\s()]+) [0-9 ]*externref\)"));
static EXTERN_TABLE_EXPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r#"\(export "{EXTERN_EXPORT}" \(table \$[^\s()]+\)\)"#)));

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is constant")
}

static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\$"([^"]*)""#));
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ \(func \$([^\s()]+)"));
static EXPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^ \(export "([^"]+)" \(func \$([^\s()]+)\)\)"#));
static CALL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\((?:return_call|call|ref\.func) \$([^\s()]+)"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\$([^\s()]+)"));
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^ \(import "placeholder" "[^"]*" \((func .*)\)\)\n"#));

/// The text with names that need no quotes: names of wasm-bindgen's shims contain spaces, which
/// versions of wasm-split write differently.
fn without_quotes(text: &str) -> String {
    let is_other = |letter: char| !letter.is_ascii_alphanumeric();
    let unquoted = |name: &Captures<'_>| format!("${}", name[1].replace(is_other, "_"));
    QUOTED.replace_all(text, unquoted).into_owned()
}

impl Text {
    fn new(text: &str) -> Result<Self> {
        let mut this =
            Self { calls: BTreeMap::new(), in_table: BTreeSet::new(), exports: BTreeMap::new() };
        let mut within = None;
        for line in text.lines() {
            if line.starts_with(" (") {
                within = FUNCTION.captures(line).map(|found| found[1].to_owned());
                this.calls.extend(within.clone().map(|function| (function, BTreeSet::new())));
            }
            if let Some(found) = EXPORT.captures(line) {
                this.exports.insert(found[1].to_owned(), found[2].to_owned());
            } else if line.starts_with(" (elem") {
                this.in_table.extend(NAME.captures_iter(line).map(|found| found[1].to_owned()));
            } else if let Some(calls) = within.as_ref().and_then(|of| this.calls.get_mut(of)) {
                calls.extend(CALL.captures_iter(line).map(|found| found[1].to_owned()));
            }
        }
        if this.exports.is_empty() || this.in_table.is_empty() {
            bail!("expected the text of a module with exports and a table of functions");
        }
        Ok(this)
    }

    /// The functions that only exports and functions in `later` call.
    fn moved(&self, later: &Later) -> Result<Vec<String>> {
        let is_cut = |function: &str| later.functions.iter().any(|part| function.contains(part));
        for part in &later.functions {
            self.calls
                .keys()
                .find(|function| function.contains(part))
                .with_context(|| format!("no function is named like {part}; it may be inlined"))?;
        }
        for name in &later.exports {
            self.exports.get(name).with_context(|| format!("expected an export {name}"))?;
        }
        let exports = self.exports.iter().filter(|(name, _)| !later.exports.contains(name));
        let mut open: Vec<_> =
            exports.map(|(_, function)| function).chain(&self.in_table).collect();
        let mut kept = BTreeSet::new();
        while let Some(function) = open.pop() {
            if let Some(calls) = self.calls.get(function)
                && !is_cut(function)
                && kept.insert(function)
            {
                open.extend(calls);
            }
        }
        let moved = self.calls.keys().filter(|&function| !kept.contains(function));
        Ok(moved.cloned().collect())
    }
}

/// The text with a correct export of the table of references to JavaScript: Binaryen up to version
/// 108, which Debian contains, exports the first table under all names.
fn with_its_tables(text: &str) -> String {
    let Some(table) = EXTERN_TABLE.captures(text) else { return text.to_owned() };
    let export = format!(r#"(export "{EXTERN_EXPORT}" (table ${}))"#, &table[1]);
    EXTERN_TABLE_EXPORT.replace(text, NoExpand(&export)).into_owned()
}

/// The text of a module with functions that trap in place of imported placeholders, so that
/// starting the module needs none.
fn without_places(text: &str) -> String {
    let mut traps = String::new();
    for found in PLACE.captures_iter(text) {
        writeln!(traps, " ({} (unreachable))", &found[1]).expect("a string takes everything");
    }
    let text = PLACE.replace_all(text, "");
    let end = text.rfind(')').expect("a module ends");
    iter::once(&text[..end]).chain([traps.as_str(), ")\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"(module
 (import "placeholder" "3" (func $fimport$3 (param i32 i32) (result i32)))
 (table $0 2 2 funcref)
 (elem $0 (i32.const 1) $shown $"a name")
 (export "ask" (func $ask))
 (export "excerpt" (func $excerpt))
 (func $ask (param $0 i32)
  (call $shared)
  (call $around)
 )
 (func $excerpt (call $shared) (call $own))
 (func $around (call $own))
 (func $own (nop))
 (func $shared (nop))
 (func $shown (nop))
 (func $"a name" (nop))
)
"#;

    #[test]
    fn functions_that_only_later_ones_call_are_moved() {
        let later = |functions: &[&str]| Later {
            exports: vec!["excerpt".to_owned()],
            functions: functions.iter().map(|&part| part.to_owned()).collect(),
        };
        let text = Text::new(&without_quotes(MODULE)).unwrap();
        assert_eq!(text.moved(&later(&[])).unwrap(), ["excerpt"]);
        assert_eq!(text.moved(&later(&["aroun"])).unwrap(), ["around", "excerpt", "own"]);
        assert!(text.moved(&later(&["gone"])).is_err());
    }

    #[test]
    fn the_export_of_the_table_of_references_is_corrected() {
        let module = "(module\n (table $0 1 1 funcref)\n (table $1 1024 externref)\n (export \"__wbindgen_externrefs\" (table $0))\n)\n";
        assert!(with_its_tables(module).contains("externrefs\" (table $1))"));
        assert_eq!(with_its_tables(MODULE), MODULE);
    }

    #[test]
    fn placeholders_become_functions_that_trap() {
        let text = without_places(MODULE);
        assert!(!text.contains("(import"));
        assert!(
            text.ends_with(" (func $fimport$3 (param i32 i32) (result i32) (unreachable))\n)\n")
        );
    }
}
