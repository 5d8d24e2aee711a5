//! A sample of URLs with all their pairs.

use std::path::Path;

use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use pagekin_pairs::pairs::verify::SimilarPair;

use crate::cluster::bags::columns::BagFiles;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::options::ClusterOptions;
use crate::cluster::recall;
use crate::cluster::recall::SampledBags;
use crate::cluster::stages::job::BAGS_AT_ONCE;

/// Sampled URLs and all their similar pairs.
pub(crate) struct Truth {
    pub(crate) drawn: Vec<u32>,
    pub(crate) pairs: Vec<SimilarPair>,
}

impl Truth {
    /// Samples the URLs of some bags. Calls `through` with the number of bags processed.
    pub(crate) fn new(
        files: &mut BagFiles,
        folder: &Path,
        options: &ClusterOptions,
        observer: &dyn Observer,
        mut through: impl FnMut(u32),
    ) -> Result<Self, CrawlError> {
        let urls = files.len();
        let drawn = recall::draw(urls, options.seed);
        let sample = SampledBags::new(&files.each(drawn.iter().copied()).at(folder)?);
        let mut pairs = Vec::new();
        for first in (0..urls).step_by(BAGS_AT_ONCE as usize) {
            check(observer)?;
            let end = urls.min(first.saturating_add(BAGS_AT_ONCE));
            let columns = files.range(first..end).at(folder)?;
            pairs.extend(sample.partners(&columns, first, options.threshold));
            through(columns.len() as u32);
        }
        Ok(Self { drawn, pairs })
    }
}
