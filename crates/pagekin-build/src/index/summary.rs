//! What a build did.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Why a file is not a page of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// It sends the reader elsewhere (`meta refresh`).
    Redirect,
    /// It asks not to be indexed.
    NoIndex,
    /// Its canonical address is another page.
    Canonical,
    /// Other pages of the site mark their body, and it marks none.
    Unmarked,
    /// It has no words that count.
    Empty,
    /// Another file has its address.
    DuplicateUrl,
    /// It is larger than a page may be.
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
            Self::DuplicateUrl => "duplicate-url",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redirect => "redirect to another page (meta refresh)",
            Self::NoIndex => "ask not to be indexed (noindex)",
            Self::Canonical => "have another page as their canonical",
            Self::Unmarked => "mark no body, while other pages do",
            Self::Empty => "have no words that count",
            Self::DuplicateUrl => "have the address of another file",
            Self::TooLarge => "are larger than a page may be",
            Self::Unreadable => "cannot be read",
        })
    }
}

/// Files that were left out for one reason.
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
    /// The most examples of a reason.
    pub const EXAMPLES: usize = 3;
}

/// A kind of file of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its name: `tables`, `pages`, …
    pub name: &'static str,
    /// Its number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a build did.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// HTML files found, or pages of the source, or URLs of the crawl.
    pub html_files: u64,
    /// Bytes of those files that were read, or of the pages' texts, or of the URLs with their bags.
    pub html_bytes: u64,
    /// Pages in the index.
    pub pages: u64,
    /// Files that were left out, by reason; reasons without files are not listed.
    pub skipped: Vec<Skipped>,
    /// Languages and their pages, most pages first; of a crawl, the pages that were read.
    pub languages: Vec<(String, u64)>,
    /// Terms in the vocabulary.
    pub terms: u64,
    /// The seed of the hash family.
    pub seed: u64,
    /// Whether the index follows a previous one.
    pub followed: bool,
    /// The generation of the index.
    pub generation: u64,
    /// What was written, by kind.
    pub parts: Vec<Part>,
    /// How long it took.
    pub seconds: f64,
}

impl Summary {
    /// Bytes of everything that was written.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Files of everything that was written.
    #[must_use]
    pub fn total_files(&self) -> u64 {
        self.parts.iter().map(|part| part.files).sum()
    }
}

/// Counts what is left out.
pub(crate) struct SkippedFiles<'a> {
    site: &'a Path,
    by_reason: BTreeMap<SkipReason, Skipped>,
}

impl<'a> SkippedFiles<'a> {
    pub(crate) fn new(site: &'a Path) -> Self {
        Self { site, by_reason: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, reason: SkipReason, path: &Path) {
        let skipped = self.by_reason.entry(reason).or_insert_with(|| Skipped {
            reason,
            count: 0,
            examples: Vec::new(),
        });
        skipped.count += 1;
        if skipped.examples.len() < Skipped::EXAMPLES {
            let path = path.strip_prefix(self.site).unwrap_or(path);
            skipped.examples.push(path.display().to_string());
        }
    }

    pub(crate) fn finish(self) -> Vec<Skipped> {
        self.by_reason.into_values().collect()
    }
}
