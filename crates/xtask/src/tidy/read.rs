//! The files of the workspace's packages into [`Code`], with syn, and without what only tests
//! compile.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use crate::tidy::code::{Code, Crate, Path};
use crate::tidy::syntax;
use crate::tidy::tree::{Package, Tree};

pub(super) fn code(tree: &Tree, packages: &[Package]) -> Result<Code> {
    let mut crates = Vec::new();
    for package in packages {
        let folder = format!("{}/src", package.folder);
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{folder}/{name}"));
        let Some(root) = roots.into_iter().find(|root| tree.has(root)) else { continue };
        crates.push(read_crate(tree, package, folder, root)?);
    }
    Ok(Code { crates })
}

fn read_crate(tree: &Tree, package: &Package, folder: String, root: String) -> Result<Crate> {
    let mut one = Crate {
        name: package.name.clone(),
        is_production: package.is_production(),
        modules: BTreeMap::new(),
        references: Vec::new(),
        types: Vec::new(),
        functions: Vec::new(),
        folder,
        root,
    };
    let mut waiting = vec![(Path::new(), one.root.clone())];
    while let Some((module, file)) = waiting.pop() {
        let text = tree.text(&file).with_context(|| format!("expected {file}, found none"))?;
        let parsed = syn::parse_file(text).with_context(|| format!("cannot parse {file}"))?;
        for child in syntax::read(&mut one, &module, &file, &parsed) {
            let base = format!("{}/{}", one.folder, child.join("/"));
            let files = [format!("{base}.rs"), format!("{base}/mod.rs")];
            // What a macro or an attribute puts elsewhere is none of ours.
            waiting.extend(files.into_iter().find(|file| tree.has(file)).map(|file| (child, file)));
        }
    }
    Ok(one)
}
