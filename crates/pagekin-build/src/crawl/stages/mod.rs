//! The stages of a crawl, one after the other: each reads the files of those before it and writes its own.
//!
//! | module | has |
//! | --- | --- |
//! | `bags` | Reading, Bagging, Weighing, Sketching |
//! | `pairs` | Pairing, Verifying, Sorting |
//! | `clusters` | Centering, Measuring |

mod bags;
mod clusters;
mod pairs;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::IndexParams;
use pagekin_core::vocabulary::{DfLimits, TermId};
use serde::{Deserialize, Serialize};

use super::bag_columns::BagFiles;
use super::bagging::Frequencies;
use super::candidates::{self, Cells};
use super::clustering::{ClusterOptions, ClusterSummary, TableSummary};
use super::collapsing::Collapsed;
use super::error::CrawlError;
use super::fragments::{self, FragmentReport};
use super::inputs::InputSummary;
use super::numbers::{NumberFile, NumberWriter};
use super::output::{self, CRAWL_VERSION, Description, OfUrls};
use super::resuming::Workplace;
use super::saying::TermText;
use super::sorting::PairFiles;
use super::sources::FragmentSource;
use crate::observer::{Observer, Stage};

/// Bags that are read and signed, or measured, at once.
const BAGS: u32 = 1 << 16;
/// Names of files of stages.
const TERMS: &str = "terms";
const COLLAPSED: &str = "collapsed";
const FREQUENCIES: &str = "frequencies";
const SIGNATURES: &str = "signatures";
const TWINS: &str = "twins";
const CENTERS: &str = "centers";
/// A crawl on its way.
pub(super) struct Job<'a> {
    pub(super) source: &'a dyn FragmentSource,
    pub(super) options: &'a ClusterOptions,
    pub(super) observer: &'a dyn Observer,
    pub(super) place: &'a mut Workplace,
}

/// What Reading found. Beside it: buckets of fragments, and terms in letters.
#[derive(Serialize, Deserialize)]
struct Read {
    inputs: InputSummary,
    fragments: FragmentReport,
    languages: Vec<(String, u32)>,
}

/// What Weighing found. Beside it: `urls`, their index, and bags.
#[derive(Serialize, Deserialize)]
struct Weighed {
    urls: u32,
    empty: u64,
}

/// What Pairing found. Beside it: the twin of each URL, and candidates or pairs.
#[derive(Serialize, Deserialize)]
struct Paired {
    twins: u64,
    tables: Option<TableSummary>,
    found: Found,
}

/// Where the pairs of Pairing are.
#[derive(Clone, Serialize, Deserialize)]
enum Found {
    /// They are to be verified.
    Candidates { cells: Cells, count: u64 },
    /// They are pairs.
    Pairs(PairFiles),
}

impl Job<'_> {
    /// Runs all stages that are not finished and puts the crawl's files into `output`.
    pub(super) fn run(&mut self, output: &Path) -> Result<ClusterSummary, CrawlError> {
        let read = self.read()?;
        let spoken_of = self.collapse()?;
        self.place.remove(Stage::Reading, fragments::NAME)?;
        let weighed = self.weigh(spoken_of)?;
        self.place.remove(Stage::Bagging, COLLAPSED)?;
        if weighed.urls == 0 {
            return Err(CrawlError::NoBags { pages: read.inputs.pages });
        }
        let signed_by = self.sign()?;
        let paired = self.pair(&signed_by, weighed.urls)?;
        let twins = self.twins()?;
        let (stage, files) = match &paired.found {
            Found::Pairs(files) => (Stage::Pairing, files.clone()),
            Found::Candidates { cells, count } => {
                (Stage::Verifying, self.verify(*cells, *count, weighed.urls)?)
            }
        };
        self.place.remove(Stage::Pairing, candidates::NAME)?;
        self.sort(stage, &files, weighed.urls)?;
        self.place.remove(stage, super::sorting::NAME)?;
        self.center(&twins, weighed.urls)?;
        let centers = self.numbers(Stage::Centering, CENTERS)?;
        let recall = self.measure(&paired, &twins, weighed.urls)?;
        let description = Description {
            version: CRAWL_VERSION,
            urls: weighed.urls,
            pairs: files.pairs,
            threshold: self.options.threshold.thousandths(),
            bags: self.options.bags,
            preset: self.options.preset,
            seed: self.options.seed,
            rules: self.params().bag,
            spoken_of,
            lang: self.options.lang.clone(),
            languages: read.languages,
        };
        let of_urls = OfUrls { centers: &centers, twins: twins.lowest() };
        self.put_out(output, of_urls, &description)?;

        let mut sizes = vec![0u64; centers.len()];
        for &center in &centers {
            sizes[center as usize] += 1;
        }
        let large = || sizes.iter().filter(|&&size| size > 1);
        Ok(ClusterSummary {
            inputs: read.inputs,
            fragments: read.fragments,
            urls: weighed.urls,
            empty: weighed.empty,
            twins: paired.twins,
            tables: paired.tables,
            pairs: files.pairs,
            clusters: large().count() as u64,
            clustered: large().sum(),
            recall,
            stages: self.place.costs().to_vec(),
        })
    }

    fn params(&self) -> IndexParams {
        self.options.preset.params(self.options.seed)
    }

    /// A file of a stage.
    fn file(&self, stage: Stage, name: &str) -> PathBuf {
        self.place.folder(stage).join(name)
    }

    fn numbers(&self, stage: Stage, name: &str) -> Result<Vec<u32>, CrawlError> {
        let path = self.file(stage, name);
        NumberFile::open(&path).and_then(|mut file| file.all()).map_err(CrawlError::work(&path))
    }

    fn bags(&self) -> Result<BagFiles, CrawlError> {
        let folder = self.place.folder(Stage::Weighing);
        BagFiles::open(&folder).map_err(CrawlError::work(&folder))
    }

    fn twins(&self) -> Result<Collapsed, CrawlError> {
        let lowest = self.numbers(Stage::Pairing, TWINS)?;
        let damaged =
            || io::Error::new(io::ErrorKind::InvalidData, "expected the twin of each URL");
        Collapsed::from_lowest(lowest)
            .ok_or_else(|| CrawlError::work(&self.file(Stage::Pairing, TWINS))(damaged()))
    }

    /// Puts the crawl's files into `output`. Those of stages stay where they are, too.
    fn put_out(
        &self,
        output: &Path,
        of_urls: OfUrls<'_>,
        description: &Description,
    ) -> Result<(), CrawlError> {
        let files =
            [(Stage::Weighing, ["urls", "urls.index"]), (Stage::Sorting, ["pairs", "pairs.index"])];
        for (stage, names) in files {
            for name in names {
                let (from, to) = (self.file(stage, name), output.join(name));
                // Some file systems have no links.
                fs::hard_link(&from, &to)
                    .or_else(|_| fs::copy(&from, &to).map(|_| ()))
                    .map_err(CrawlError::work(&to))?;
            }
        }
        let path = self.file(Stage::Reading, TERMS);
        let texts: Vec<(TermId, TermText)> =
            fragments::read_records(&path).map_err(CrawlError::work(&path))?;
        let urls = description.spoken_of;
        let limits = DfLimits::for_pages(urls);
        let frequencies = frequencies(&self.place.folder(Stage::Bagging), urls)?;
        let terms = frequencies.terms(texts.into_iter().collect(), limits);
        output::finish(output, &terms, of_urls, description).map_err(CrawlError::work(output))
    }
}

/// On how many of `urls` URLs each term is, as Bagging has counted.
fn frequencies(bagging: &Path, urls: u32) -> Result<Frequencies, CrawlError> {
    let path = bagging.join(FREQUENCIES);
    let terms: Vec<(TermId, u32)> =
        fragments::read_records(&path).map_err(CrawlError::work(&path))?;
    Ok(Frequencies::from_counts(urls, terms))
}

/// Writes a number a URL.
fn write_numbers(path: &Path, numbers: &[u32]) -> io::Result<()> {
    let mut writer = NumberWriter::create(path)?;
    writer.extend(numbers)?;
    writer.finish()
}

fn check(observer: &dyn Observer) -> Result<(), CrawlError> {
    if observer.cancelled() { Err(CrawlError::Interrupted) } else { Ok(()) }
}
