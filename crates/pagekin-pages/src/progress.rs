//! Progress of a build, and its cancellation.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// The stages of a build or of the clustering of a crawl, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Files are listed; the total is not known.
    Listing,
    /// Text that many pages share is searched. A step is a file of a sample.
    Sampling,
    /// An index is read. Steps are not reported.
    Opening,
    /// Files are read and their words counted. A step is a file.
    Reading,
    /// Links are put in the order of their targets. A step is a bucket of URLs or links.
    Linking,
    /// The fragments of each URL are combined. A step is a bucket of URLs.
    Bagging,
    /// Terms are weighted and bags built. A step is a page or URL.
    Weighing,
    /// Signatures and keys are computed. A step is a page or URL.
    Sketching,
    /// URLs are put into classes. A step is a URL.
    Classifying,
    /// Pages are put in the order in which they are stored. A step is a page.
    Ordering,
    /// The related pages of each page are found. A step is a page.
    Relating,
    /// Clusters are clustered. A step is a page or a cluster of any level.
    Nesting,
    /// Pairs of similar URLs are found. A step is a table, or a class if there are classes.
    Pairing,
    /// The bags of pairs are compared. A step is a pair.
    Verifying,
    /// Pairs are sorted. A step is a file of them.
    Sorting,
    /// URLs are clustered. A step is a pair.
    Centering,
    /// URLs are ranked by their links. A step is an iteration.
    Ranking,
    /// The pairs of a sample are compared with the truth. A step is a bag.
    Measuring,
    /// URLs are sorted by the values of their signatures. A step is a position in the signatures.
    Inverting,
    /// Texts of two sites are matched. A step is a part of the runs of words.
    Matching,
    /// Settings are measured. A step is a setting.
    Evaluating,
    /// Shards are written. A step is a file.
    Writing,
    /// A report is generated. A step is a text.
    Reporting,
    /// The offline bundle is written. A step is the text of a page.
    Bundling,
}

impl Stage {
    /// Returns a description for users: "reading pages".
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Listing => "listing files",
            Self::Sampling => "finding repeated text",
            Self::Opening => "reading the index",
            Self::Reading => "reading pages",
            Self::Linking => "sorting links",
            Self::Bagging => "building bags",
            Self::Weighing => "weighing terms",
            Self::Sketching => "computing signatures",
            Self::Classifying => "classifying URLs",
            Self::Ordering => "ordering pages",
            Self::Relating => "finding related pages",
            Self::Nesting => "nesting clusters",
            Self::Pairing => "pairing URLs",
            Self::Verifying => "verifying pairs",
            Self::Sorting => "sorting pairs",
            Self::Centering => "clustering URLs",
            Self::Ranking => "ranking URLs",
            Self::Measuring => "measuring recall",
            Self::Inverting => "sorting signatures",
            Self::Matching => "matching pages",
            Self::Evaluating => "evaluating settings",
            Self::Writing => "writing the index",
            Self::Reporting => "writing the report",
            Self::Bundling => "writing the bundle",
        }
    }
}

/// Observes a build. Calls come from several threads.
///
/// Implementations must handle stages and warnings. The other methods do nothing by default.
pub trait Observer: Sync {
    /// A stage starts. `total` is its number of steps, or 0 if unknown.
    fn stage(&self, stage: Stage, total: u64);
    /// The current stage, whose total was unknown, is estimated to have `total` steps.
    fn expect(&self, total: u64) {
        let _ = total;
    }
    /// Steps of the current stage are done.
    fn advance(&self, steps: u64) {
        let _ = steps;
    }
    /// A stage was finished by an earlier run, whose result is reused.
    fn resumed(&self, stage: Stage) {
        let _ = stage;
    }
    /// Something is wrong but does not fail the build.
    fn warn(&self, message: &str);
    /// Returns whether the work should stop with [`Interrupted`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// Observes nothing and never stops a build.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn stage(&self, _: Stage, _: u64) {}
    fn warn(&self, _: &str) {}
}

/// Collects warnings and never stops a build.
#[derive(Debug, Default)]
pub struct Warnings(pub Mutex<Vec<String>>);

impl Observer for Warnings {
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    }
}

/// The observer asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted: the output is unchanged")]
pub struct Interrupted;

/// Fails if the observer asked to stop. Callers check between pieces of work that each take a small
/// fraction of a second.
///
/// # Errors
///
/// [`Interrupted`] if the observer asked to stop.
pub fn check(observer: &dyn Observer) -> Result<(), Interrupted> {
    if observer.cancelled() { Err(Interrupted) } else { Ok(()) }
}

/// Completes a step of the current stage: [`check`], and [`Observer::advance`].
///
/// # Errors
///
/// [`Interrupted`] if the observer asked to stop.
pub fn step(observer: &dyn Observer) -> Result<(), Interrupted> {
    check(observer)?;
    observer.advance(1);
    Ok(())
}
