//! What people say of pairs of pages, into a better threshold and better weights of terms.
//!
//! ```text
//! judgments    a CSV file into pairs of URLs that are similar, or are not
//! judged        the bags of these URLs, and the pairs in groups that share none
//! factors       how much more or less each term should weigh
//! decide        from which similarity on a pair is similar
//! validate      what both gain on pairs that they were not learnt from
//! ```
//!
//! Feedback is future work in Haveliwala, Gionis and Indyk (2000, section 7: "user feedback on our
//! cluster quality, allowing us to both measure quality and make further enhancements"). Here it
//! is relevance weighting, as Robertson and Sparck Jones (1976) have it for queries: what the
//! similar pairs share more than the others weighs more.
//!
//! A few judgments always fit themselves. So nothing is changed unless it pays on pairs of URLs
//! that nothing was learnt from, by more than chance: see `validate`.

pub(crate) mod decide;
pub(crate) mod error;
pub(crate) mod factors;
pub(crate) mod judged;
pub(crate) mod judgments;
pub(crate) mod validate;

pub use crate::feedback::error::FeedbackError;
pub use crate::feedback::factors::FactorOptions;
pub use crate::feedback::judgments::{Judgment, UnknownJudgments};
pub use crate::feedback::validate::{Gain, Quality};

use std::path::Path;

use pagekin_core::hash::SplitMix64;
use pagekin_pages::pool;

use crate::cluster::learnt::{LearntWeights, TermFactor};
use crate::feedback::factors::Factors;
use crate::feedback::judged::Judged;
use crate::feedback::judgments::Judgments;
use crate::feedback::validate::{Method, compare, out_of_fold};
use crate::folder::read::CrawlFolder;

/// What was learnt from judgments.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Feedback {
    /// Pairs that were judged similar, and others.
    pub similar: u32,
    /// See `similar`.
    pub different: u32,
    /// Judgments that could not be used.
    pub unknown: UnknownJudgments,
    /// Groups of judged pairs that have no URL in common: what is held out together.
    pub groups: u32,
    /// The threshold that the crawl was clustered with, and how good it is.
    pub before: (f64, Quality),
    /// The threshold that is best for all judgments, and what choosing it so gains.
    pub threshold: (f64, Quality, Gain),
    /// What weighing terms anew gains beyond a threshold that is chosen.
    pub terms: (Quality, Gain),
    /// The factors of terms that were learnt from all judgments, those that change most first;
    /// empty if they gain nothing.
    pub factors: Vec<TermFactor>,
    /// The threshold for bags that are weighed by `factors`; that of before if choosing gains
    /// nothing.
    pub chosen: f64,
    /// How many pairs of URLs of the crawl may be expected to reach the chosen threshold without
    /// being similar, if nearly all its pairs are like those that were judged not to be.
    pub expected_wrong: f64,
}

impl Feedback {
    /// The file of what was learnt, for `ClusterOptions::learnt`.
    #[must_use]
    pub fn file(&self) -> String {
        LearntWeights::file(self.chosen, &self.factors)
    }

    /// Whether something pays.
    #[must_use]
    pub fn pays(&self) -> bool {
        self.threshold.2.is_real() || !self.factors.is_empty()
    }
}

/// How is learnt from judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FeedbackOptions {
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl FeedbackOptions {
    /// These options with some of them changed:
    /// `FeedbackOptions::default().with(|options| options.threads = Some(2))`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Learns from the judgments in a file on the URLs of a clustered crawl: see
/// [`judgments`](Judgment) for what it may say.
///
/// # Errors
///
/// A [`FeedbackError`]: the crawl or the file cannot be read, or there are too few judgments.
///
/// # Cost
///
/// Some thousand comparisons of bags for each judged pair.
pub fn learn(
    crawl: &Path,
    judgments: &Path,
    options: FeedbackOptions,
) -> Result<Feedback, FeedbackError> {
    pool::in_pool(options.threads, || of_crawl(crawl, judgments))
}

fn of_crawl(crawl: &Path, judgments: &Path) -> Result<Feedback, FeedbackError> {
    let mut crawl = CrawlFolder::open(crawl)?;
    crawl.of_pages()?;
    let Judgments { pairs, unknown } =
        Judgments::read(judgments, &mut crawl, pagekin_core::DEFAULT_SEED)?;
    let judged = Judged::new(&pairs, &mut crawl)?;
    let (similar, different) = judged.counts();
    if similar.min(different) < FeedbackError::MIN {
        return Err(FeedbackError::TooFew { similar, different });
    }
    let own = crawl.description().threshold;
    let own = f64::from(own) / 1_000.0;
    let mut stream = SplitMix64::new(pagekin_core::DEFAULT_SEED);
    let folds = judged.folds(&mut stream);
    let of = |method| out_of_fold(&judged, &folds, method);
    let before = of(Method::Given(own));
    let chosen = of(Method::Threshold);
    let weighted = of(Method::Terms);
    let gain_of_threshold = compare(&judged, &before, &chosen, &mut stream);
    let gain_of_terms = compare(&judged, &chosen, &weighted, &mut stream);
    let all: Vec<usize> = (0..judged.pairs.len()).collect();
    let unweighed = Factors::none();
    let threshold = decide::threshold(&judged, &all, &unweighed);
    let (factors, at) = if gain_of_terms.is_real() {
        let factors = Factors::learn(&judged, &all, validate::options(&judged, &all));
        let at = decide::threshold(&judged, &all, &factors);
        (factors, at)
    } else {
        (unweighed, if gain_of_threshold.is_real() { threshold } else { own })
    };
    let urls = f64::from(crawl.description().urls);
    let quality = match (factors.is_empty(), gain_of_threshold.is_real()) {
        (false, _) => weighted.quality(&judged),
        (true, true) => chosen.quality(&judged),
        (true, false) => before.quality(&judged),
    };
    let wrong = 1.0 - quality.different;
    Ok(Feedback {
        similar,
        different,
        unknown,
        groups: judged.groups(),
        before: (own, before.quality(&judged)),
        threshold: (threshold, chosen.quality(&judged), gain_of_threshold),
        terms: (weighted.quality(&judged), gain_of_terms),
        factors: factors.named(&crawl)?,
        chosen: at,
        expected_wrong: wrong * urls * (urls - 1.0) / 2.0,
    })
}
