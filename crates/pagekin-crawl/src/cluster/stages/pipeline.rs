//! The stages of a crawl in their order.
//!
//! ```text
//! pages -> fragments, in buckets             Reading
//!       -> links by their targets            Linking, with `links`
//!       -> URLs with their terms, in order   Bagging
//!       -> bags                              Weighing
//!       -> signatures                        Sketching
//!       -> classes of URLs                   Classifying, with `classes`
//!       -> candidate pairs                   Pairing
//!       -> similar pairs                     Verifying, unless all bags are compared
//!       -> the same in both directions       Sorting
//!       -> clusters, most similar first      Centering
//!       -> share of the pairs found          Measuring
//!       -> URLs by values of signatures      Inverting, with `signatures`
//! ```
//!
//! Strings have two stages of their own, Reading and Weighing, in place of the first four.

use std::path::Path;

use pagekin_core::qgrams::Alphabet;
use pagekin_pages::{Input, Stage};

use crate::cluster::bags::source::FragmentSource;
use crate::cluster::error::CrawlError;
use crate::cluster::options::Pairing;
use crate::cluster::pairs::external_sort;
use crate::cluster::pairs::rules::Rules;
use crate::cluster::stages::files::{CANDIDATES, CENTERS, COLLAPSED, FRAGMENTS, TWINS};
use crate::cluster::stages::job::{Gathered, Job, Paired, PairsOnDisk};
use crate::cluster::strings::options::StringOptions;
use crate::cluster::summary::{ClusterSummary, TableSummary};

impl Job<'_> {
    /// Runs all unfinished stages on the pages of a source and writes the crawl's files to
    /// `output`.
    pub(crate) fn cluster_pages(
        &mut self,
        source: &dyn FragmentSource,
        output: &Path,
    ) -> Result<ClusterSummary, CrawlError> {
        let read = self.read(source)?;
        if read.fragments.fragments == 0 {
            let skipped = read.inputs.ledger.reasons();
            return Err(CrawlError::NoPages { task: "cluster", skipped });
        }
        if self.options.links {
            self.link()?;
        }
        let mentioned = self.collapse()?;
        FRAGMENTS.remove(self.place)?;
        let weighted = self.weigh(mentioned)?;
        COLLAPSED.remove(self.place)?;
        if weighted.urls == 0 {
            return Err(CrawlError::NoBags { pages: read.inputs.ledger.pages });
        }
        self.cluster_bags(Gathered { read, mentioned, weighted, strings: None }, output)
    }

    /// Runs all unfinished stages on the strings of `inputs` and writes the crawl's files to
    /// `output`.
    pub(crate) fn cluster_strings(
        &mut self,
        inputs: &[Input],
        strings: &StringOptions,
        output: &Path,
    ) -> Result<ClusterSummary, CrawlError> {
        let read = self.read_strings(inputs, strings)?;
        if read.is_empty() {
            let expected = match strings.alphabet {
                Alphabet::Dna => "reads as FASTA, as FASTQ or one per line",
                Alphabet::Text => "lines of text",
            };
            return Err(CrawlError::NoRecords { expected, skipped: read.skipped_reasons() });
        }
        let (rules, options) = read.choose(strings, self.options);
        let errors = read.errors;
        let mut job = Job { options: &options, observer: self.observer, place: self.place };
        let gathered = job.weigh_strings(read, rules)?;
        Ok(ClusterSummary { errors, ..job.cluster_bags(gathered, output)? })
    }

    /// Runs the stages after the bags.
    fn cluster_bags(
        &mut self,
        gathered: Gathered,
        output: &Path,
    ) -> Result<ClusterSummary, CrawlError> {
        let urls = gathered.weighted.urls;
        let signed_by = self.sign()?;
        let mut classes = self.classify(&gathered.weighted)?;
        let paired = self.pair(&signed_by, urls)?;
        if let (Some(classes), Some(searched)) = (&mut classes, &paired.searched) {
            classes.compared = searched.compared_classes;
        }
        let twins = TWINS.read_twins(&self.root())?;
        let stored_pairs = self.verify_and_sort(&paired, urls)?;
        let pairs = self.center(&twins, urls)?;
        let recall = self.measure(&paired, &twins, urls)?;
        if self.options.signatures {
            self.invert(&signed_by, urls)?;
        }
        let centers = CENTERS.read(&self.root())?;
        self.write_output(output, &gathered, [pairs, stored_pairs], &centers, twins.lowest())?;
        let (clusters, clustered) = large_clusters(&centers);
        Ok(ClusterSummary {
            inputs: gathered.read.inputs,
            fragments: gathered.read.fragments,
            strings: gathered.strings,
            errors: None,
            threshold: self.options.threshold,
            urls,
            empty: gathered.weighted.empty,
            classes,
            twins: paired.twins,
            tables: self.tables(&paired),
            pairs,
            stored_pairs,
            clusters,
            clustered,
            recall,
            stages: self.place.costs().to_vec(),
        })
    }

    /// Verifies the pairs if they are candidates and sorts them in both directions; returns their
    /// number.
    fn verify_and_sort(&mut self, paired: &Paired, urls: u32) -> Result<u64, CrawlError> {
        let (stage, files) = match &paired.found {
            PairsOnDisk::Pairs(files) => (Stage::Pairing, files.clone()),
            PairsOnDisk::Candidates { cells, count } => {
                (Stage::Verifying, self.verify(*cells, *count, urls)?)
            }
        };
        CANDIDATES.remove(self.place)?;
        self.sort(stage, &files, urls)?;
        self.place.remove(stage, external_sort::NAME)?;
        Ok(files.pairs)
    }

    /// Describes the tables of the crawl, or of the largest class that has tables.
    fn tables(&self, paired: &Paired) -> Option<TableSummary> {
        let Pairing::Tables(tables) = self.options.pairing else { return None };
        let searched = paired.searched.as_ref()?;
        let (class, _) = searched.largest?;
        let choice = *searched.choices.get(&class)?;
        let curve = Rules::new(self.options, tables, self.params().signature.m).curve(&choice);
        Some(TableSummary { choice, curve, pairing: searched.report })
    }
}

/// Returns the number of clusters with several URLs, and the number of URLs in them.
fn large_clusters(centers: &[u32]) -> (u64, u64) {
    let mut sizes = vec![0u64; centers.len()];
    centers.iter().for_each(|&center| sizes[center as usize] += 1);
    let large = || sizes.iter().filter(|&&size| size > 1);
    (large().count() as u64, large().sum())
}
