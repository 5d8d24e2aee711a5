//! Skipped files of a site, by their paths in it.

use std::io;
use std::path::{Path, PathBuf};

use crate::ledger::{Ledger, SkipReason};
use crate::site::error::SiteError;

/// The name of a file in messages: its path below its site, the same on all systems.
fn name(site: &Path, path: &Path) -> String {
    let path = path.strip_prefix(site).unwrap_or(path).display().to_string();
    // A name on Windows has no such slash.
    if cfg!(windows) { path.replace('\\', "/") } else { path }
}

/// Counts the files of a site.
pub struct SkippedFiles<'a> {
    site: &'a Path,
    ledger: Ledger,
}

impl<'a> SkippedFiles<'a> {
    pub fn new(site: &'a Path) -> Self {
        Self { site, ledger: Ledger::default() }
    }

    /// Counts files that came in.
    pub fn came_in(&mut self, files: u64) {
        self.ledger.came_in += files;
    }

    pub fn add(&mut self, reason: SkipReason, path: &Path) {
        self.ledger.skip(reason, || name(self.site, path));
    }

    /// Counts what cannot be read, if that is to be skipped; otherwise it fails the work.
    pub fn add_unreadable(
        &mut self,
        unreadable: &[(PathBuf, io::Error)],
        skip: bool,
    ) -> Result<(), SiteError> {
        if let Some((example, error)) = unreadable.first()
            && !skip
        {
            return Err(SiteError::Unreadable {
                count: unreadable.len() as u64,
                example: example.clone(),
                example_error: error.to_string(),
            });
        }
        for (path, _) in unreadable {
            self.add(SkipReason::Unreadable, path);
        }
        Ok(())
    }

    /// Why there are no pages: the reasons and their numbers, as a list.
    pub fn list(&self) -> String {
        self.ledger.list()
    }

    /// What became of all files, if `pages` of them are pages.
    ///
    /// # Errors
    ///
    /// If the numbers do not add up, which is a mistake of this program.
    pub fn finish(self, pages: u64) -> Result<Ledger, SiteError> {
        let ledger = Ledger { pages, ..self.ledger };
        ledger.check()?;
        Ok(ledger)
    }
}
