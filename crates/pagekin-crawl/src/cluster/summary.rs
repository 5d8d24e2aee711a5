//! The result of clustering a crawl.

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
    /// Summary of the inputs.
    pub inputs: InputSummary,
    /// Summary of the fragments.
    pub fragments: FragmentReport,
    /// How strings became bags, if strings were clustered.
    pub strings: Option<QGrams>,
    /// Estimated errors of the reads, if requested.
    pub errors: Option<ErrorEstimate>,
    /// Minimum similarity of a pair.
    pub threshold: Threshold,
    /// Number of URLs with a bag.
    pub urls: u32,
    /// Number of URLs without indexable words.
    pub empty: u64,
    /// Number of URLs that share the pairs of another URL because their bags are equal or, if
    /// signatures verify pairs, their signatures. 0 if all bags were compared.
    pub twins: u64,
    /// Classes of URLs, if only URLs of the same class were compared.
    pub classes: Option<ClassSummary>,
    /// How pairs were searched, unless all bags were compared.
    pub tables: Option<TableSummary>,
    /// Number of pairs of similar URLs.
    pub pairs: u64,
    /// Number of stored pairs: only the first of a group of twins has pairs.
    pub stored_pairs: u64,
    /// Number of clusters with at least two URLs.
    pub clusters: u64,
    /// Number of URLs in these clusters.
    pub clustered: u64,
    /// Recall on a sample of URLs, by similarity.
    pub recall: Vec<Recall>,
    /// The cost of each stage, in order.
    pub stages: Vec<StageCost>,
}

/// How pairs were searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableSummary {
    /// Choice of tables.
    pub choice: Choice,
    /// Predicted recall at each similarity.
    pub curve: Vec<CurvePoint>,
    /// Numbers of candidates, and of those that passed the filter.
    pub pairing: ExtractReport,
}
