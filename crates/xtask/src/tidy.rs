//! `cargo xtask tidy`: rules of this codebase that compilers, formatters and lints do not check.
//!
//! Every rule is a function of the [`tree::Tree`], a map of the repository's files, and of the
//! [`code::Code`] that was read from it. Only [`run`] reads the disk. The command prints the
//! findings of all rules, and then fails.
//!
//! ```text
//! tree      the files of the repository, and the packages of the workspace
//! code      modules, and what they import from one another
//! modules   no circles of imports; modules only use those above them
//! table     crates only depend on those that their row names
//! docs      paths, links, anchors and modules that documents name exist
//! links     everything that makes links or requests in a browser is known
//! limits    names of types, lengths of functions, files and comments, notes of unfinished work
//! prose     words that the documentation avoids
//! ```

mod code;
mod docs;
mod limits;
mod links;
mod modules;
mod prose;
mod table;
mod tree;

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::tidy::code::Code;
use crate::tidy::tree::{Package, Tree};

/// The findings of one rule.
struct Report {
    rule: String,
    remedy: &'static str,
    findings: Vec<String>,
}

impl Report {
    fn new(rule: impl Into<String>, remedy: &'static str, findings: Vec<String>) -> Self {
        Self { rule: rule.into(), remedy, findings }
    }

    fn print(&self) {
        if self.findings.is_empty() {
            println!("ok: {}", self.rule);
            return;
        }
        println!("\nexpected: {}\nfound: {}", self.rule, self.findings.len());
        for finding in &self.findings {
            println!("  {finding}");
        }
        println!("remedy: {}\n", self.remedy);
    }
}

pub(crate) fn run(repo: &Repo) -> Result<()> {
    let tree = Tree::read(repo)?;
    let packages: Vec<_> =
        repo.packages.iter().map(|package| Package::new(package, &repo.path(""))).collect();
    let code = Code::read(&tree, &packages);
    let imports = code.imports();
    let reports = [
        modules::no_circles(&imports),
        modules::in_order(&tree, &imports),
        table::check(&tree, &packages),
        docs::check(&tree, &code),
        links::check(&tree),
        limits::names(&code),
        limits::functions(&code),
        limits::lengths(&tree, &code),
        limits::comments(&tree),
        limits::words(&tree),
        prose::check(&tree),
    ];
    reports.iter().for_each(Report::print);
    let failed = reports.iter().filter(|report| !report.findings.is_empty());
    let (rules, findings) = failed
        .fold((0, 0), |(rules, findings), report| (rules + 1, findings + report.findings.len()));
    if findings > 0 {
        bail!("{findings} places break {rules} rules; they are listed above");
    }
    Ok(())
}
