//! What became of a crawl.

use pagekin_core::qgrams::QGrams;
use pagekin_pages::InputSummary;
use pagekin_pairs::pairs::bucket_join::ExtractReport;
use pagekin_pairs::{Choice, CurvePoint, Threshold};
use serde::{Deserialize, Serialize};

use crate::cluster::bags::fragments::FragmentReport;
use crate::cluster::classes::ClassSummary;
use crate::cluster::costs::StageCost;
use crate::cluster::recall::Recall;
use crate::cluster::strings::estimate::ErrorEstimate;

/// The result of clustering a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSummary {
    /// What was read.
    pub inputs: InputSummary,
    /// Its fragments.
    pub fragments: FragmentReport,
    /// How strings became bags, if there were strings.
    pub strings: Option<QGrams>,
    /// What reads said of their errors, if they were asked.
    pub errors: Option<ErrorEstimate>,
    /// The minimum similarity of a pair.
    pub threshold: Threshold,
    /// URLs with a bag.
    pub urls: u32,
    /// URLs without indexable words.
    pub empty: u64,
    /// URLs whose bag equals that of another, whose pairs they share; with pairs verified by
    /// signatures, whose signature does; none, if all bags were compared.
    pub twins: u64,
    /// The classes of URLs, if only those of one class were paired.
    pub classes: Option<ClassSummary>,
    /// How pairs were searched, unless all were compared.
    pub tables: Option<TableSummary>,
    /// Pairs of similar URLs.
    pub pairs: u64,
    /// Those of them that are stored: of twins only the first has pairs.
    pub stored_pairs: u64,
    /// Clusters of at least two URLs, and the URLs in them.
    pub clusters: u64,
    /// See `clusters`.
    pub clustered: u64,
    /// Recall on a sample of URLs, by similarity.
    pub recall: Vec<Recall>,
    /// The cost of each stage, in order.
    pub stages: Vec<StageCost>,
}

/// How pairs were searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableSummary {
    /// The tables.
    pub choice: Choice,
    /// The predicted recall at each similarity.
    pub curve: Vec<CurvePoint>,
    /// How many candidates there were, and how many passed the filter.
    pub pairing: ExtractReport,
}
