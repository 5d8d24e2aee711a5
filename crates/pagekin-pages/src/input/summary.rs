//! What was read, and what was skipped.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::site::skipped::SkipReason;

/// Why something in an input is not a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CrawlSkip {
    /// The server answered with another status than 200.
    NotOk,
    /// It is neither HTML nor, in a record without HTTP, plain text.
    NotHtml,
    /// It has no `http` or `https` address, or too long a one.
    NoAddress,
    /// A line is no JSON object with `url` and `text` or `html`.
    NotAPage,
    /// It is larger than a page may be.
    TooLarge,
    /// It is packed in a way that cannot be unpacked: neither gzip nor deflate.
    Packed,
    /// A record is what somebody took from a page, without its text, as in WAT files.
    Metadata,
    /// A record, or a part of a gzip file, is damaged or cut off.
    Damaged,
    /// A file is what a host answers with where no page is: `404.html` or `404/index.html`, in any
    /// folder.
    NotFound,
    /// A glob excludes a file.
    Excluded,
    /// Another file of the folder has its address.
    DuplicateFile,
    /// A file cannot be read.
    Unreadable,
    /// A line of text is not in UTF-8.
    NotText,
}

impl CrawlSkip {
    /// A short name for programs: `not-ok`, `not-html`, …
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotOk => "not-ok",
            Self::NotHtml => "not-html",
            Self::NoAddress => "no-address",
            Self::NotAPage => "not-a-page",
            Self::TooLarge => "too-large",
            Self::Packed => "packed",
            Self::Metadata => "metadata",
            Self::Damaged => "damaged",
            Self::NotFound => "not-found",
            Self::Excluded => "excluded",
            Self::DuplicateFile => "duplicate-file",
            Self::Unreadable => "unreadable",
            Self::NotText => "not-text",
        }
    }
}

impl From<SkipReason> for CrawlSkip {
    fn from(reason: SkipReason) -> Self {
        match reason {
            SkipReason::Excluded => Self::Excluded,
            SkipReason::DuplicateUrl => Self::DuplicateFile,
            SkipReason::TooLarge => Self::TooLarge,
            SkipReason::NotFound => Self::NotFound,
            SkipReason::Unreadable => Self::Unreadable,
            // By what a page says of itself none is left out of a crawl.
            SkipReason::Redirect
            | SkipReason::NoIndex
            | SkipReason::Canonical
            | SkipReason::Unmarked
            | SkipReason::Empty => Self::NotAPage,
        }
    }
}

impl fmt::Display for CrawlSkip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOk => "have a status other than 200",
            Self::NotHtml => "are neither HTML nor plain text",
            Self::NoAddress => "have no http or https URL of at most 2,048 bytes",
            Self::NotAPage => "are not JSON objects with `url` and `text`, `html` or `links`",
            Self::TooLarge => "exceed --max-page-bytes",
            Self::Packed => "have an unsupported content encoding (neither gzip nor deflate)",
            Self::Metadata => "are metadata records without the page's text (WAT)",
            Self::Damaged => "are damaged or truncated",
            Self::NotFound => "are the page of missing pages (404)",
            Self::Excluded => "match --exclude",
            Self::DuplicateFile => "have the same URL as another file",
            Self::Unreadable => "cannot be read",
            Self::NotText => "are not UTF-8",
        })
    }
}

/// What was skipped for one reason, or truncated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPages {
    /// How many.
    pub count: u64,
    /// The first: a file, a line or a record, counted from 1.
    pub first: String,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSummary {
    /// Pages given.
    pub pages: u64,
    /// Links on them.
    pub links: u64,
    /// Bytes of files, lines and records, unpacked from gzip, pages or not.
    pub bytes: u64,
    /// What was skipped, by reason.
    pub skipped: BTreeMap<CrawlSkip, SkippedPages>,
    /// Pages of which only the beginning was read, because they have too many words, links or
    /// elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<SkippedPages>,
}

impl InputSummary {
    pub fn skip(&mut self, reason: CrawlSkip, name: impl FnOnce() -> String) {
        let skipped =
            self.skipped.entry(reason).or_insert_with(|| SkippedPages { count: 0, first: name() });
        skipped.count += 1;
    }

    /// Why inputs without pages have none, as a part of a sentence; may be empty.
    pub fn skipped_reasons(&self) -> String {
        let reasons = self.skipped.iter().map(|(reason, skipped)| {
            format!("; skipped {} that {reason}, first {}", skipped.count, skipped.first)
        });
        reasons.collect()
    }

    pub(crate) fn truncate(&mut self, name: String) {
        self.truncated.get_or_insert(SkippedPages { count: 0, first: name }).count += 1;
    }
}
