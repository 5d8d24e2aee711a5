//! Learns a better threshold and better weights of terms from judgments of pairs of pages.
//!
//! ```text
//! judgments     reads pairs of similar and other URLs from a CSV file
//! judged        the bags of these URLs, and the pairs in groups without shared URLs
//! factors       how much more or less each term should weigh
//! decide        the minimum similarity of a similar pair
//! validate      the gain of both on pairs that they were not learned from
//! ```
//!
//! Feedback is future work in Haveliwala, Gionis and Indyk (2000, section 7: "user feedback on our
//! cluster quality, allowing us to both measure quality and make further enhancements"). Here it is
//! relevance weighting, as Robertson and Sparck Jones (1976) define it for queries: terms that
//! similar pairs share more than others get a higher weight.
//!
//! A few judgments can always be fitted. So nothing is changed unless it improves pairs of URLs
//! that were not used for learning, significantly: see `validate`.

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

use crate::cluster::learned::{LearnedWeights, TermFactor};
use crate::feedback::factors::Factors;
use crate::feedback::judged::Judged;
use crate::feedback::judgments::Judgments;
use crate::feedback::validate::{Method, compare, out_of_fold};
use crate::folder::read::CrawlFolder;

/// The result of learning from judgments.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Feedback {
    /// Number of pairs judged similar.
    pub similar: u32,
    /// Number of pairs judged not similar.
    pub different: u32,
    /// Judgments that could not be used.
    pub unknown: UnknownJudgments,
    /// Number of groups of judged pairs without shared URLs. A group is held out as a whole.
    pub groups: u32,
    /// Threshold of the crawl, and its quality.
    pub before: (f64, Quality),
    /// Best threshold for all judgments, its quality, and the gain from choosing it.
    pub threshold: (f64, Quality, Gain),
    /// Quality with new weights of terms, and the gain over a chosen threshold alone.
    pub terms: (Quality, Gain),
    /// Factors of terms learned from all judgments, largest changes first. Empty if they gain
    /// nothing.
    pub factors: Vec<TermFactor>,
    /// Threshold for bags weighted with `factors`. The previous threshold if choosing one gains
    /// nothing.
    pub chosen: f64,
    /// Expected number of dissimilar pairs in the crawl that reach the chosen threshold, if nearly
    /// all pairs are like those judged not similar.
    pub expected_wrong: f64,
}

impl Feedback {
    /// Returns the content of the file for `ClusterOptions::learned`.
    #[must_use]
    pub fn file(&self) -> String {
        LearnedWeights::file(self.chosen, &self.factors)
    }

    /// Returns whether the threshold or the weights gain anything.
    #[must_use]
    pub fn pays(&self) -> bool {
        self.threshold.2.is_real() || !self.factors.is_empty()
    }
}

/// Options of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FeedbackOptions {
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl FeedbackOptions {
    /// Returns these options after `change`:
    /// `FeedbackOptions::default().with(|options| options.threads = Some(2))`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Learns from the judgments in a file on the URLs of a clustered crawl. See
/// [`judgments`](Judgment) for the formats.
///
/// # Errors
///
/// A [`FeedbackError`] if the crawl or the file cannot be read, or if there are too few judgments.
///
/// # Cost
///
/// Some thousand comparisons of bags per judged pair.
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
    let unweighted = Factors::none();
    let threshold = decide::threshold(&judged, &all, &unweighted);
    let (factors, at) = if gain_of_terms.is_real() {
        let factors = Factors::learn(&judged, &all, validate::options(&judged, &all));
        let at = decide::threshold(&judged, &all, &factors);
        (factors, at)
    } else {
        (unweighted, if gain_of_threshold.is_real() { threshold } else { own })
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
