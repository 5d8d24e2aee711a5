//! `cargo xtask vectors`: makes the table of English word vectors that builds use.

use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{run, tools};

/// The folder of the table and of the script that makes it.
const FOLDER: &str = "crates/pagekin-index/english";

/// Makes the table from a sentence model and texts of packages, and replaces the one in the
/// repository.
pub(crate) fn make(repo: &Repo) -> Result<()> {
    let python = tools::python_vectors(repo)?;
    let mut command = Command::new(python);
    command.arg(repo.path(FOLDER).join("make_table.py"));
    command.arg(repo.target("english"));
    command.arg(repo.path(FOLDER).join("english.vectors"));
    run::visible(&mut command)
}
