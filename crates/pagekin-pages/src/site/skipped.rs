//! Skipped files, and why.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::site::error::SiteError;

/// Why a file is not a page of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// It redirects (`meta refresh`).
    Redirect,
    /// It is `noindex`.
    NoIndex,
    /// Its canonical URL is another page.
    Canonical,
    /// It has no `data-pagekin-body`, while other pages do.
    Unmarked,
    /// It has no indexable words.
    Empty,
    /// It is what a host answers with where no page is: `404.html` or `404/index.html`, in any
    /// folder.
    NotFound,
    /// A glob excludes it.
    Excluded,
    /// Another file has the same URL.
    DuplicateUrl,
    /// It exceeds the maximum size of a page.
    TooLarge,
    /// It cannot be read.
    Unreadable,
}

impl SkipReason {
    /// A short name for programs: `redirect`, `noindex`, …
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Redirect => "redirect",
            Self::NoIndex => "noindex",
            Self::Canonical => "canonical",
            Self::Unmarked => "unmarked",
            Self::Empty => "empty",
            Self::NotFound => "not-found",
            Self::Excluded => "excluded",
            Self::DuplicateUrl => "duplicate-url",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redirect => "redirect (meta refresh)",
            Self::NoIndex => "are noindex",
            Self::Canonical => "name another page as canonical",
            Self::Unmarked => "have no data-pagekin-body, while other pages do",
            Self::Empty => "have no indexable words",
            Self::NotFound => "are the page of missing pages (404)",
            Self::Excluded => "match --exclude",
            Self::DuplicateUrl => "have the same URL as another file",
            Self::TooLarge => "exceed --max-page-bytes",
            Self::Unreadable => "cannot be read",
        })
    }
}

/// Files that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The reason.
    pub reason: SkipReason,
    /// How many files.
    pub count: u64,
    /// Some of them, at most [`Skipped::EXAMPLES`].
    pub examples: Vec<String>,
}

impl Skipped {
    /// Maximum number of examples per reason.
    pub const EXAMPLES: usize = 3;
}

/// Counts what is skipped.
pub struct SkippedFiles<'a> {
    site: &'a Path,
    by_reason: BTreeMap<SkipReason, Skipped>,
}

impl<'a> SkippedFiles<'a> {
    pub fn new(site: &'a Path) -> Self {
        Self { site, by_reason: BTreeMap::new() }
    }

    pub fn add(&mut self, reason: SkipReason, path: &Path) {
        let skipped = self.by_reason.entry(reason).or_insert_with(|| Skipped {
            reason,
            count: 0,
            examples: Vec::new(),
        });
        skipped.count += 1;
        if skipped.examples.len() < Skipped::EXAMPLES {
            let path = path.strip_prefix(self.site).unwrap_or(path);
            let path = path.display().to_string();
            // The same on all systems: a name on Windows has no such slash.
            skipped.examples.push(if cfg!(windows) { path.replace('\\', "/") } else { path });
        }
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

    pub fn finish(self) -> Vec<Skipped> {
        self.by_reason.into_values().collect()
    }
}
/// The reasons and their numbers, for an error.
pub fn reasons(skipped: &[Skipped]) -> String {
    let reasons =
        skipped.iter().map(|skipped| format!("{} that {}", skipped.count, skipped.reason));
    reasons.collect::<Vec<_>>().join(", ")
}
