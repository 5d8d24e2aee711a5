//! A crawl on its way through its stages, and the results that stages pass to later ones.

use std::path::PathBuf;

use pagekin_core::IndexParams;
use pagekin_core::qgrams::QGrams;
use pagekin_pages::{InputSummary, Observer};
use serde::{Deserialize, Serialize};

use crate::cluster::bags::collection::Spread;
use crate::cluster::bags::fragments::FragmentReport;
use crate::cluster::error::CrawlError;
use crate::cluster::options::ClusterOptions;
use crate::cluster::pairs::candidate_files::Cells;
use crate::cluster::pairs::external_sort::PairFiles;
use crate::cluster::stages::checkpoint::Workplace;
use crate::cluster::stages::files::CLASSES;
use crate::cluster::stages::search::Searched;

/// Number of bags that are read and signed, or measured, at a time.
pub(crate) const BAGS_AT_ONCE: u32 = 1 << 16;

/// A crawl and its options. Each stage is a method; `pipeline` calls them in order.
pub(crate) struct Job<'a> {
    pub(crate) options: &'a ClusterOptions,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) place: &'a mut Workplace,
}

/// The result of Reading, in addition to the buckets of fragments and the texts of terms.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadPages {
    pub(crate) inputs: InputSummary,
    pub(crate) fragments: FragmentReport,
    pub(crate) languages: Vec<(String, u32)>,
}

/// The result of Weighing, in addition to the URLs with their index, their languages and bags.
#[derive(Serialize, Deserialize)]
pub(crate) struct WeightedCrawl {
    pub(crate) urls: u32,
    pub(crate) empty: u64,
    /// Codes of languages by number. The first is empty, for an unknown language.
    pub(crate) languages: Vec<String>,
}

/// The results of the first stages, for pages or strings.
pub(crate) struct Gathered {
    pub(crate) read: ReadPages,
    /// All URLs or strings, including those without a bag.
    pub(crate) mentioned: Spread,
    pub(crate) weighted: WeightedCrawl,
    /// How strings became bags.
    pub(crate) strings: Option<QGrams>,
}

/// The result of Pairing, in addition to the lowest twin of each URL and the candidates or pairs of
/// those lowest twins.
#[derive(Serialize, Deserialize)]
pub(crate) struct Paired {
    pub(crate) twins: u64,
    /// `None` if all bags were compared.
    pub(crate) searched: Option<Searched>,
    pub(crate) found: PairsOnDisk,
}

/// Where the pairs of Pairing are.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum PairsOnDisk {
    /// Candidates, which Verifying checks.
    Candidates { cells: Cells, count: u64 },
    /// Pairs that need no verification.
    Pairs(PairFiles),
}

impl Job<'_> {
    /// Returns the class of each URL, if the options define classes.
    pub(crate) fn classes(&self) -> Result<Option<Vec<u32>>, CrawlError> {
        self.options.classes.is_some().then(|| CLASSES.read(&self.root())).transpose()
    }

    pub(crate) fn params(&self) -> IndexParams {
        self.options.preset.params(self.options.seed)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.place.root().to_owned()
    }
}
