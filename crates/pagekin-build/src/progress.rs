//! What a build tells while it runs, and how it is asked to stop.

use serde::{Deserialize, Serialize};

/// The stages of a build or of the clustering of a crawl, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Files are listed. Its total is not known.
    Listing,
    /// An index is read. Steps are not counted.
    Opening,
    /// Files are read and their words counted. A step is a file.
    Reading,
    /// What is said of a URL is put together. A step is a bucket of URLs.
    Bagging,
    /// Terms are weighed and bags made. A step is a page or URL.
    Weighing,
    /// Signatures and keys are made. A step is a page or URL.
    Sketching,
    /// Pages are put in the order in which they are stored. A step is a page.
    Ordering,
    /// The kin of each page are found. A step is a page.
    Relating,
    /// Pairs of similar URLs are found. A step is a table.
    Pairing,
    /// The bags of pairs are compared. A step is a pair.
    Verifying,
    /// Pairs are sorted. A step is a file of them.
    Sorting,
    /// URLs are clustered. A step is a pair.
    Centering,
    /// What was found of some URLs is held against the truth. A step is a bag.
    Measuring,
    /// Shards are written. A step is a file.
    Writing,
    /// A report is made. A step is a text.
    Reporting,
}

impl Stage {
    /// What happens, for people: "reading pages".
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Listing => "listing files",
            Self::Opening => "reading the index",
            Self::Reading => "reading pages",
            Self::Bagging => "building bags",
            Self::Weighing => "weighing terms",
            Self::Sketching => "computing signatures",
            Self::Ordering => "ordering pages",
            Self::Relating => "finding related pages",
            Self::Pairing => "pairing URLs",
            Self::Verifying => "verifying pairs",
            Self::Sorting => "sorting pairs",
            Self::Centering => "clustering URLs",
            Self::Measuring => "measuring recall",
            Self::Writing => "writing the index",
            Self::Reporting => "writing the report",
        }
    }
}

/// Follows a build. Calls come from several threads.
///
/// Whoever follows one says what becomes of its stages and warnings; all else, unless it is written, does nothing and
/// stops nothing.
pub trait Observer: Sync {
    /// A stage begins; `total` is its number of steps, 0 if not known.
    fn stage(&self, stage: Stage, total: u64);
    /// It is seen by what was done that the present stage will have `total` steps, about: a total that was not known.
    fn expect(&self, total: u64) {
        let _ = total;
    }
    /// Steps of the present stage are done.
    fn advance(&self, steps: u64) {
        let _ = steps;
    }
    /// A stage was finished by an earlier run, whose result is taken.
    fn resumed(&self, stage: Stage) {
        let _ = stage;
    }
    /// Something is odd but does not fail the build.
    fn warn(&self, message: &str);
    /// Whether the build shall stop with [`crate::error::BuildError::Interrupted`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// Follows nothing and never stops a build.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn stage(&self, _: Stage, _: u64) {}
    fn warn(&self, _: &str) {}
}
