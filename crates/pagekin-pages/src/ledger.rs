//! Accounts of all input: whether each file, line or record is a page, was folded into another or
//! was skipped, and why.
//!
//! Readers count input where they list it, and outcomes where they decide them. Both are compared
//! at the end of a run, so that nothing gets lost silently.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an input is not a separate page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkipReason {
    /// It redirects (`meta refresh`).
    Redirect,
    /// It is `noindex`.
    #[serde(rename = "noindex")]
    NoIndex,
    /// Its canonical URL is another page.
    Canonical,
    /// Another capture of its URL was read earlier. Only the newer of both counts.
    Capture,
    /// A record whose capture has the content of an earlier one.
    Revisit,
    /// It has no `data-pagekin-body` or `data-pagefind-body`, while other pages do, and no root
    /// element.
    Unmarked,
    /// It has no indexable words: no text, and no title of its own.
    Empty,
    /// It is the page that a host serves for missing pages: `404.html` or `404/index.html`, in any
    /// folder.
    NotFound,
    /// Its name is that of a backup, such as `page.html~` and `page.html.bak`.
    Backup,
    /// It is a link to a file that does not exist.
    Dangling,
    /// A glob excludes it.
    Excluded,
    /// Another file has the same URL.
    DuplicateUrl,
    /// The index to compare does not contain it.
    NotIndexed,
    /// No other page of the index to compare resembles it.
    Unlike,
    /// It exceeds the maximum size of a page.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// The server responded with a status other than 200.
    NotOk,
    /// It is neither HTML nor plain text, regardless of its label.
    NotHtml,
    /// It has no `http` or `https` URL, or one that is too long.
    NoAddress,
    /// A line is not a JSON object.
    NotJson,
    /// A line has no `url`.
    NoUrl,
    /// A line has a `url`, but neither `text`, `html` nor `links`.
    NoText,
    /// Its content encoding is unsupported.
    Packed,
    /// It is the record of a request.
    Request,
    /// It is a record of metadata, without the text of a page.
    Metadata,
    /// It is a record of another type, such as crawl information or DNS.
    #[serde(rename = "not-a-response")]
    NotResponse,
    /// It is a record or a part of a compressed file that is damaged or truncated.
    Damaged,
    /// A line is not UTF-8 text.
    NotText,
    /// The time of a line of a stream is invalid.
    NoTime,
    /// A line of a stream has no time, and other lines have one.
    Untimed,
    /// The time of a line of a stream is far from that of the others, and too few lines share it.
    TimeLeap,
    /// The time of a line of a stream is more than a day in the future.
    Future,
    /// A line of a stream is too late.
    TooLate,
    /// A line of a stream repeats an earlier one.
    Again,
}

impl SkipReason {
    /// Returns a short name for programs: `redirect`, `noindex`, …
    #[must_use]
    pub fn code(self) -> &'static str {
        self.words().0
    }

    /// Returns whether another page represents the input.
    #[must_use]
    pub fn is_folded(self) -> bool {
        use SkipReason::{Canonical, Capture, DuplicateUrl, Redirect, Revisit};
        matches!(self, Redirect | Canonical | Capture | Revisit | DuplicateUrl)
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Redirect => ("redirect", "redirect (meta refresh)"),
            Self::NoIndex => ("noindex", "are noindex"),
            Self::Canonical => ("canonical", "name another page as canonical"),
            Self::Capture => ("capture", "are other captures of a URL, of which the newest counts"),
            Self::Revisit => ("revisit", "are revisit records (content unchanged since a capture)"),
            Self::Unmarked => {
                ("unmarked", "have no data-pagekin-body, data-pagefind-body or root element")
            }
            Self::Empty => ("empty", "have no indexable words"),
            Self::NotFound => ("not-found", "are error pages (404)"),
            Self::Backup => {
                ("backup", "are backups by their names (~, .bak, .old, .orig, .save, .tmp)")
            }
            Self::Dangling => ("dangling", "are links to files that do not exist"),
            Self::Excluded => ("excluded", "match --exclude"),
            Self::DuplicateUrl => ("duplicate-url", "have the same URL as another file"),
            Self::NotIndexed => ("not-indexed", "are not in the index"),
            Self::Unlike => ("unlike", "resemble no other page of the index"),
            Self::TooLarge => ("too-large", "are larger than a page may be (by default 16M)"),
            Self::Unreadable => ("unreadable", "cannot be read"),
            Self::NotOk => ("not-ok", "have a status other than 200"),
            Self::NotHtml => ("not-html", "are not HTML or plain text"),
            Self::NoAddress => ("no-address", "have no http or https URL of at most 2,048 bytes"),
            Self::NotJson => ("not-json", "are not JSON objects"),
            Self::NoUrl => ("no-url", "have no field `url` with a string"),
            Self::NoText => ("no-text", "have no field `text`, `html` or `links`"),
            Self::Packed => (
                "packed",
                "have an unsupported content encoding (none of gzip, deflate, br and zstd)",
            ),
            Self::Request => ("request", "are requests, not responses"),
            Self::Metadata => ("metadata", "are metadata without the page's text, not responses"),
            Self::NotResponse => {
                ("not-a-response", "are records of other types, not responses (warcinfo, dns)")
            }
            Self::Damaged => ("damaged", "are damaged or truncated"),
            Self::NotText => ("not-text", "are not UTF-8"),
            Self::NoTime => (
                "no-time",
                "have a time in an unknown format: expected RFC 3339, such as 2026-11-23T10:00:00Z, a date, RFC 2822 or Unix seconds",
            ),
            Self::Untimed => ("untimed", "have no time, though other lines do"),
            Self::TimeLeap => (
                "time-leap",
                "have a time more than --horizon from that of the lines before, and no three lines in a row do",
            ),
            Self::Future => ("future", "have a time more than a day ahead of the clock"),
            Self::TooLate => (
                "too-late",
                "are too late: older than the latest page by more than --allowed-lateness. If the newest line comes first, sort the lines by time",
            ),
            Self::Again => ("again", "repeat an earlier line with the same time"),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}

/// The inputs that were skipped for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The number of inputs.
    pub count: u64,
    /// The names of the first of them, at most [`Skipped::EXAMPLES`].
    pub examples: Vec<String>,
}

impl Skipped {
    /// Maximum number of examples per reason.
    pub const EXAMPLES: usize = 3;

    /// Returns the first example, or an empty string.
    #[must_use]
    pub fn first(&self) -> &str {
        self.examples.first().map_or("", String::as_str)
    }

    /// Counts an input.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::EXAMPLES {
            self.examples.push(name());
        }
    }
}

/// The outcomes of all inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Number of files, lines or records read.
    pub came_in: u64,
    /// Number of separate pages.
    pub pages: u64,
    /// The other inputs by reason, without reasons that do not occur.
    pub skipped: BTreeMap<SkipReason, Skipped>,
}

/// The sum of outcomes is wrong, due to a bug in this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "pagekin lost count: {came_in} files, lines or records came in, but {pages} pages and {others} \
     others are accounted for. This is a bug in pagekin; report it with the command and its inputs"
)]
pub struct LostCount {
    /// Number of inputs.
    pub came_in: u64,
    /// Number of pages.
    pub pages: u64,
    /// Number of other inputs.
    pub others: u64,
}

impl Ledger {
    /// Counts a skipped input.
    pub fn skip(&mut self, reason: SkipReason, name: impl FnOnce() -> String) {
        self.skipped.entry(reason).or_default().add(name);
    }

    /// Returns the number of inputs skipped for a reason.
    #[must_use]
    pub fn count(&self, reason: SkipReason) -> u64 {
        self.skipped.get(&reason).map_or(0, |skipped| skipped.count)
    }

    /// Returns the number of pages folded into others.
    #[must_use]
    pub fn folded(&self) -> u64 {
        let folded = self.skipped.iter().filter(|(reason, _)| reason.is_folded());
        folded.map(|(_, skipped)| skipped.count).sum()
    }

    /// Returns why there are no pages, as part of a sentence; may be empty.
    #[must_use]
    pub fn reasons(&self) -> String {
        let reasons = self.skipped.iter().map(|(reason, skipped)| {
            format!("; skipped {} that {reason}, first {}", skipped.count, skipped.first())
        });
        reasons.collect()
    }

    /// Returns the reasons and their counts as a list.
    #[must_use]
    pub fn list(&self) -> String {
        let reasons = self.skipped.iter();
        let reasons = reasons.map(|(reason, skipped)| format!("{} that {reason}", skipped.count));
        reasons.collect::<Vec<_>>().join(", ")
    }

    /// Checks that the number of inputs equals the sum of outcomes.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers differ.
    pub fn check(&self) -> Result<(), LostCount> {
        let others: u64 = self.skipped.values().map(|skipped| skipped.count).sum();
        let (came_in, pages) = (self.came_in, self.pages);
        if pages + others == came_in { Ok(()) } else { Err(LostCount { came_in, pages, others }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_inputs_are_detected() {
        let mut ledger = Ledger { came_in: 3, pages: 2, ..Ledger::default() };
        assert_eq!(ledger.check(), Err(LostCount { came_in: 3, pages: 2, others: 0 }));
        ledger.skip(SkipReason::NoIndex, || "a".to_owned());
        assert_eq!(ledger.check(), Ok(()));
        ledger.skip(SkipReason::Capture, || "b".to_owned());
        assert!(ledger.check().is_err());
        ledger.came_in += 1;
        assert_eq!((ledger.check(), ledger.folded()), (Ok(()), 1));
        assert_eq!(ledger.skipped[&SkipReason::NoIndex].first(), "a");
    }

    /// Programs read both names.
    #[test]
    fn codes_equal_the_serialized_names() {
        // All reasons in order of their discriminants.
        let codes = [
            "redirect",
            "noindex",
            "canonical",
            "capture",
            "revisit",
            "unmarked",
            "empty",
            "not-found",
            "backup",
            "dangling",
            "excluded",
            "duplicate-url",
            "not-indexed",
            "unlike",
            "too-large",
            "unreadable",
            "not-ok",
            "not-html",
            "no-address",
            "not-json",
            "no-url",
            "no-text",
            "packed",
            "request",
            "metadata",
            "not-a-response",
            "damaged",
            "not-text",
            "no-time",
            "untimed",
            "time-leap",
            "future",
            "too-late",
            "again",
        ];
        for (at, code) in codes.into_iter().enumerate() {
            let reason: SkipReason = serde_json::from_value(code.into()).unwrap();
            assert_eq!((reason as usize, reason.code()), (at, code));
            assert_eq!(serde_json::to_value(reason).unwrap(), code);
        }
        assert_eq!(SkipReason::Again as usize + 1, codes.len());
    }
}
