//! Counts the files of a site and their outcomes.

use std::path::{Path, PathBuf};

use crate::ledger::{Ledger, SkipReason};
use crate::site::error::SiteError;

/// Returns the name of a file in messages: its path below the site, the same on all systems.
fn name(site: &Path, path: &Path) -> String {
    let path = path.strip_prefix(site).unwrap_or(path).display().to_string();
    // File names on Windows contain no backslash.
    if cfg!(windows) { path.replace('\\', "/") } else { path }
}

/// Counts the files of a site.
pub struct SkippedFiles<'a> {
    site: &'a Path,
    /// Another folder with files of the site.
    also: PathBuf,
    ledger: Ledger,
}

impl<'a> SkippedFiles<'a> {
    pub fn new(site: &'a Path) -> Self {
        Self { site, also: PathBuf::new(), ledger: Ledger::default() }
    }

    /// Counts files of another folder, too, by their paths below it.
    pub fn also_below(&mut self, folder: &Path) {
        folder.clone_into(&mut self.also);
    }

    /// Counts files of the site.
    pub fn came_in(&mut self, files: u64) {
        self.ledger.came_in += files;
    }

    pub fn add(&mut self, reason: SkipReason, path: &Path) {
        let below = path.strip_prefix(&self.also).unwrap_or(path);
        self.ledger.skip(reason, || name(self.site, below));
    }

    /// Returns the reasons for skipped files and their counts as a list.
    pub fn list(&self) -> String {
        self.ledger.list()
    }

    /// Returns the ledger, if `pages` of the files are pages.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers do not add up, which is a bug in this program.
    pub fn finish(self, pages: u64) -> Result<Ledger, SiteError> {
        let ledger = Ledger { pages, ..self.ledger };
        ledger.check()?;
        Ok(ledger)
    }
}
