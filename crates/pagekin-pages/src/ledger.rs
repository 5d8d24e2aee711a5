//! What became of all that came in: of each file, line or record it is known whether it is a page,
//! was folded into another, or was left out, and why.
//!
//! Readers count what comes in where they list it, and what becomes of it where they decide. So the
//! two can be compared at the end of a run, and nothing is lost in silence.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Why something that came in is not a page of its own.
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
    /// Another capture of its URL was read before: of both only the newer counts.
    Capture,
    /// A record that says that a capture has the content of an earlier one.
    Revisit,
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
    /// The index to compare does not have it.
    NotIndexed,
    /// No other page of the index to compare resembles it.
    Unlike,
    /// It exceeds the maximum size of a page.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// The server answered with another status than 200.
    NotOk,
    /// It is neither HTML nor plain text, whatever it is labeled.
    NotHtml,
    /// It has no `http` or `https` URL, or too long a one.
    NoAddress,
    /// A line is not a JSON object.
    NotJson,
    /// A line has no `url`.
    NoUrl,
    /// A line has a `url`, but neither `text`, `html` nor `links`.
    NoText,
    /// It is packed in a way that cannot be unpacked.
    Packed,
    /// A record of a request.
    Request,
    /// A record of metadata, without the text of a page.
    Metadata,
    /// A record of another type: about the crawl, of DNS and the like.
    #[serde(rename = "not-a-response")]
    NotResponse,
    /// A record, or a part of a compressed file, is damaged or truncated.
    Damaged,
    /// A line of text is not in UTF-8.
    NotText,
    /// The time of a line of a stream is none.
    NoTime,
    /// A line of a stream has no time, and other lines have one.
    Untimed,
    /// The time of a line of a stream is far from that of the others, and too few others are there.
    TimeLeap,
    /// The time of a line of a stream is more than a day ahead.
    Future,
    /// A line of a stream comes too late.
    TooLate,
    /// A line of a stream is the same as one that was taken.
    Again,
}

impl SkipReason {
    /// A short name for programs: `redirect`, `noindex`, …
    #[must_use]
    pub fn code(self) -> &'static str {
        self.words().0
    }

    /// Whether another page represents it.
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
            Self::Unmarked => ("unmarked", "have no data-pagekin-body, while other pages do"),
            Self::Empty => ("empty", "have no indexable words"),
            Self::NotFound => ("not-found", "are the page of missing pages (404)"),
            Self::Excluded => ("excluded", "match --exclude"),
            Self::DuplicateUrl => ("duplicate-url", "have the same URL as another file"),
            Self::NotIndexed => ("not-indexed", "are not in the index"),
            Self::Unlike => ("unlike", "resemble no other page of the index"),
            Self::TooLarge => ("too-large", "exceed --max-page-bytes"),
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
                "have a time in an unknown form: expected RFC 3339, such as 2026-11-23T10:00:00Z, a date, RFC 2822 or Unix seconds",
            ),
            Self::Untimed => ("untimed", "have no time, though other lines do"),
            Self::TimeLeap => (
                "time-leap",
                "have a time more than --horizon from that of the lines before, and no three lines in a row do",
            ),
            Self::Future => ("future", "have a time more than a day ahead of the clock"),
            Self::TooLate => (
                "too-late",
                "come too late: they are older than the latest page by more than --allowed-lateness. If the newest line is first, sort the lines by their time",
            ),
            Self::Again => ("again", "are the same as a line that was taken before, with its time"),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}

/// What is not a page of its own for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first of them by name, at most [`Skipped::EXAMPLES`].
    pub examples: Vec<String>,
}

impl Skipped {
    /// Maximum number of examples per reason.
    pub const EXAMPLES: usize = 3;

    /// The first by name; empty if there are none.
    #[must_use]
    pub fn first(&self) -> &str {
        self.examples.first().map_or("", String::as_str)
    }

    /// Counts one.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::EXAMPLES {
            self.examples.push(name());
        }
    }
}

/// What became of all that came in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Files, lines or records that came in.
    pub came_in: u64,
    /// Those that are pages of their own.
    pub pages: u64,
    /// The others by reason; reasons that do not occur are not listed.
    pub skipped: BTreeMap<SkipReason, Skipped>,
}

/// A sum that is wrong, by a mistake of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "pagekin lost count: {came_in} files, lines or records came in, but {pages} pages and {others} \
     others are accounted for. This is a mistake of pagekin: report it with the command and its inputs"
)]
pub struct LostCount {
    /// How many came in.
    pub came_in: u64,
    /// Those that are pages.
    pub pages: u64,
    /// Those that are not.
    pub others: u64,
}

impl Ledger {
    /// Counts something that is not a page of its own.
    pub fn skip(&mut self, reason: SkipReason, name: impl FnOnce() -> String) {
        self.skipped.entry(reason).or_default().add(name);
    }

    /// How many were skipped for a reason.
    #[must_use]
    pub fn count(&self, reason: SkipReason) -> u64 {
        self.skipped.get(&reason).map_or(0, |skipped| skipped.count)
    }

    /// How many were folded into others.
    #[must_use]
    pub fn folded(&self) -> u64 {
        let folded = self.skipped.iter().filter(|(reason, _)| reason.is_folded());
        folded.map(|(_, skipped)| skipped.count).sum()
    }

    /// Why inputs without pages have none, as a part of a sentence; may be empty.
    #[must_use]
    pub fn reasons(&self) -> String {
        let reasons = self.skipped.iter().map(|(reason, skipped)| {
            format!("; skipped {} that {reason}, first {}", skipped.count, skipped.first())
        });
        reasons.collect()
    }

    /// The reasons and their numbers, as a list.
    #[must_use]
    pub fn list(&self) -> String {
        let reasons = self.skipped.iter();
        let reasons = reasons.map(|(reason, skipped)| format!("{} that {reason}", skipped.count));
        reasons.collect::<Vec<_>>().join(", ")
    }

    /// Compares what came in with what became of it.
    ///
    /// # Errors
    ///
    /// If the numbers differ.
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
    fn what_is_lost_is_noticed() {
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

    /// Programs read both.
    #[test]
    fn codes_are_the_names_that_are_stored() {
        // Reasons in their order, by the numbers that the compiler gives them.
        let codes = [
            "redirect",
            "noindex",
            "canonical",
            "capture",
            "revisit",
            "unmarked",
            "empty",
            "not-found",
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
