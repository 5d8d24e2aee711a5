//! Queries that people wrote, with the pages that they wanted.
//!
//! The pages were chosen by reading the documentation before anything was asked; they are not
//! changed by what is found.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Failure;
use crate::checkout;

/// A query of a file.
#[derive(Debug, Deserialize)]
pub struct Written {
    /// As they wrote it.
    pub query: String,
    /// What it is like: `question`, `error`, `paraphrase`.
    pub kind: String,
    /// The addresses of the pages that answer it, below the site.
    pub wanted: Vec<String>,
}

/// Of a site whose pages `has` knows, the queries of the file `given`, or else of the first file in
/// `tests/queries` whose pages are all there; with the name of the file.
///
/// # Errors
///
/// If a file cannot be read, or the one that is given wants a page that is not there.
pub fn queries(
    given: Option<&Path>,
    has: impl Fn(&str) -> bool,
) -> Result<Option<(String, Vec<Written>)>, Failure> {
    let files: Vec<PathBuf> = match given {
        Some(file) => vec![file.to_owned()],
        None => {
            let folder = checkout::of_tests("queries");
            let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
            let mut files = entries.collect::<Result<Vec<_>, std::io::Error>>()?;
            // Not the folder of words that are typed into a box.
            files.retain(|file| file.is_file());
            files.sort_unstable();
            files
        }
    };
    for file in files {
        let written: Vec<Written> = serde_json::from_slice(&fs::read(&file)?)?;
        let missing = written.iter().flat_map(|query| &query.wanted).find(|page| !has(page));
        match missing {
            None => {
                let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                return Ok(Some((name, written)));
            }
            Some(page) if given.is_some() => {
                return Err(format!("the site has no page {page}, which a query wants").into());
            }
            Some(_) => {}
        }
    }
    Ok(None)
}
