//! `cargo xtask tidy`: the rules of the house that no compiler, formatter or lint knows.
//!
//! Every rule is a function of the [`tree::Tree`], a map of the repository's files, and of the
//! [`code::Code`] that was read from it. Only [`run`] reads the disk. All findings are listed,
//! those of one rule together, and then the command fails.
//!
//! ```text
//! report           what a rule found, and how it is told
//! tree             the files of the repository, and the packages of the workspace
//! code             modules, what these name, types and functions
//! syntax, read     a file, and all files, into these
//! imports          what is named into the files that define it, through faces
//! circles          no circle of imports between files
//! floors           no room needs one below it
//! table            no crate needs one that its row does not name
//! comments         comments wrap at 100 columns
//! docs             what documents name is there: paths, links, anchors, rooms
//! names            no type name stands for three things
//! links            what makes links or requests in a browser is known
//! limits           functions, files and pages are short; words that are not to be committed
//! ```

mod circles;
mod code;
mod comments;
mod docs;
mod imports;
mod layers;
mod limits;
mod links;
mod names;
mod read;
mod report;
mod syntax;
mod table;
mod tree;

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

pub(crate) fn run(repo: &Repo) -> Result<()> {
    let tree = Tree::read(repo)?;
    let reports = check(&tree)?;
    for report in &reports {
        report.print();
    }
    let findings: usize = reports.iter().map(|report| report.findings.len()).sum();
    let rules = reports.iter().filter(|report| !report.findings.is_empty()).count();
    if findings > 0 {
        bail!("expected a tidy repository, found {findings} places against {rules} rules: above");
    }
    Ok(())
}

fn check(tree: &Tree) -> Result<Vec<Report>> {
    let packages = tree.packages()?;
    let code = read::code(tree, &packages)?;
    let imports = imports::of_all(&code);
    Ok(vec![
        circles::check(&imports),
        layers::check(tree, &imports),
        table::check(tree, &packages),
        comments::check(tree),
        docs::check(tree, &code),
        names::in_workspace(&code),
        names::in_crate(&code),
        limits::functions(&code),
        limits::lengths(tree, &code),
        limits::words(tree),
        links::check(tree),
    ])
}
