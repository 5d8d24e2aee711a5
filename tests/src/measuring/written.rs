//! Queries that people wrote, with the expected pages.
//!
//! The pages were chosen by reading the documentation before any query was run. They are never
//! changed to match results.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Failure;
use crate::checkout;

/// A query in a file.
#[derive(Debug, Deserialize)]
pub struct Written {
    /// The query as written.
    pub query: String,
    /// The kind of query: `question`, `error`, `paraphrase`.
    pub kind: String,
    /// The URLs of the pages that answer it, relative to the site.
    pub wanted: Vec<String>,
}

/// Returns the queries for a site whose pages `has` recognizes, with the name of their file: the
/// file `given`, or else the first file in `tests/queries` whose pages all exist.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or the given one names a page that does not exist.
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
            // Excludes the folder of words that are typed into a search box.
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
