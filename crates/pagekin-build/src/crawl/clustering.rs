//! A crawl into its clusters: all stages in turn.
//!
//! ```text
//! inputs -> pages -> fragments, in buckets          Reading
//!        -> URLs with their terms, in order         Bagging
//!        -> bags -> signatures, in columns          Weighing
//!        -> pairs, verified on the bags             Pairing
//!        -> pairs both ways, in order -> clusters   Sorting
//! ```
//!
//! Fragments, terms and pairs lie on disk; bags and signatures are in memory, 6 bytes a term of a bag and about 330 bytes a
//! URL.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pagekin_core::center::CenterScan;
use pagekin_core::lsh::{TableRules, Tables};
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::{DfLimits, TermId};
use pagekin_core::{IndexParams, Preset};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::bagging::{self, BagColumns, Frequencies, UrlTerms, Weights};
use super::choosing::{self, Background, Choice, CurvePoint, Wish};
use super::collapsing::{self, Collapsed};
use super::error::CrawlError;
use super::extracting::{self, ExtractOptions, ExtractReport};
use super::fragments::{self, Fragment, FragmentBuckets, FragmentReport};
use super::inputs::{self, Input, InputOptions, InputSummary};
use super::output::{self, CRAWL_VERSION, CrawledUrl, Description, OfUrls, PairWriter, UrlWriter};
use super::saying::{BagSource, Sayings};
use super::signatures::{SignatureBatch, SignatureColumns, SignedBy};
use super::sorting::{PairSorter, StoredPair};
use super::threshold::Threshold;
use super::verifying::verify;
use crate::observer::{Observer, Stage};
use crate::publishing::Staging;
use crate::signing::{Algorithm, Signer};
use crate::stop_lists;

/// The files that fragments are spread over, as in the paper.
const BUCKETS: u32 = 256;
/// Temporary files, in the folder that becomes the output.
const WORK: &str = "work";
/// By so much less than the threshold, in thousandths, signatures may agree for a pair to be verified: a standard deviation
/// of the part of 80 values that agree, at a similarity of 0.2.
const SLACK: u16 = 45;

/// What to cluster, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterOptions {
    /// The folder to write: nothing, an empty folder or an earlier output of the same.
    pub output: PathBuf,
    /// How inputs are read.
    pub inputs: InputOptions,
    /// The language of pages that name none, as in `lang`.
    pub lang: String,
    /// What bags are made of.
    pub bags: BagSource,
    /// The parameters of bags and signatures; the paper's has its k = 3 and l = 125 too, and its family of functions modulo
    /// a prime.
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// The least similarity of a pair.
    pub threshold: Threshold,
    /// Bytes that the sorting of pairs may take.
    pub memory: u64,
    /// The number of threads, at least 1; one for each processor if not given.
    pub threads: Option<usize>,
}

impl ClusterOptions {
    /// Memory for sorting, unless told otherwise: 1 GiB.
    pub const MEMORY: u64 = 1 << 30;

    /// The defaults for an output.
    #[must_use]
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            output: output.into(),
            inputs: InputOptions::default(),
            lang: "en".to_owned(),
            bags: BagSource::default(),
            preset: Preset::Web,
            seed: pagekin_core::DEFAULT_SEED,
            threshold: Threshold::PAPER,
            memory: Self::MEMORY,
            threads: None,
        }
    }
}

/// What a stage took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageCost {
    /// The stage.
    pub stage: Stage,
    /// Wall time.
    pub seconds: f64,
}

/// What became of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSummary {
    /// What was read.
    pub inputs: InputSummary,
    /// What it said.
    pub fragments: FragmentReport,
    /// URLs with a bag.
    pub urls: u32,
    /// URLs of which nothing was said that counts.
    pub empty: u64,
    /// URLs whose signature another has too, which they follow.
    pub twins: u64,
    /// How pairs were looked for.
    pub choice: Choice,
    /// The part of the pairs of each similarity that is found so, as predicted.
    pub curve: Vec<CurvePoint>,
    /// How many were tried, and how many passed.
    pub pairing: ExtractReport,
    /// Pairs of similar URLs.
    pub pairs: u64,
    /// Clusters of at least two URLs, and the URLs in them.
    pub clusters: u64,
    /// See `clusters`.
    pub clustered: u64,
    /// What each stage took, in order.
    pub stages: Vec<StageCost>,
}

/// Clusters a crawl.
///
/// # Errors
///
/// A [`CrawlError`]; whatever it is, the earlier output is as it was.
pub fn cluster(
    inputs: &[Input],
    options: &ClusterOptions,
    observer: &dyn Observer,
) -> Result<ClusterSummary, CrawlError> {
    let language = crate::language(&options.lang)?;
    crate::in_pool(options.threads, || {
        let paths = inputs.iter().filter_map(|input| match input {
            Input::Path(path) => Some(path.as_path()),
            Input::Stdin => None,
        });
        let staging = Staging::begin(paths, &options.output, output::DESCRIPTION_NAME)?;
        let work = staging.path().join(WORK);
        fs::create_dir(&work).map_err(CrawlError::work(&work))?;
        let mut job = Job {
            options,
            params: options.preset.params(options.seed),
            observer,
            work: &work,
            output: staging.path(),
            stages: Vec::new(),
        };
        let summary = job.run(inputs, language)?;
        fs::remove_dir_all(&work).map_err(CrawlError::work(&work))?;
        staging.list_files()?;
        staging.publish()?;
        Ok(summary)
    })
}

/// A crawl on its way.
struct Job<'a> {
    options: &'a ClusterOptions,
    params: IndexParams,
    observer: &'a dyn Observer,
    work: &'a Path,
    output: &'a Path,
    stages: Vec<(Stage, Instant)>,
}

/// What was read of a crawl.
struct Read {
    inputs: InputSummary,
    /// The files of the fragments.
    buckets: Vec<PathBuf>,
    fragments: FragmentReport,
    /// The word that stands for each term.
    words: FxHashMap<TermId, Box<str>>,
}

/// The URLs of a crawl in memory, by their numbers.
struct Weighed {
    bags: BagColumns,
    signatures: SignatureColumns,
    empty: u64,
}

impl Job<'_> {
    fn run(&mut self, inputs: &[Input], language: Language) -> Result<ClusterSummary, CrawlError> {
        let stop = stop_lists::all();
        self.begin(Stage::Reading, 0);
        let Read { inputs: read, buckets, fragments, words } =
            self.read(inputs, language, &stop)?;
        self.begin(Stage::Bagging, buckets.len() as u64);
        let (buckets, frequencies) = self.collapse(&buckets)?;
        self.begin(Stage::Weighing, u64::from(frequencies.urls()));
        let limits = DfLimits::for_pages(frequencies.urls());
        let weights = Weights::new(&frequencies, limits);
        drop(frequencies);
        let words = words.into_iter().filter(|(term, _)| weights.of(*term) > 0).collect();
        let weighed = self.weigh(&buckets, &weights)?;
        drop(weights);
        let (urls, empty) = (weighed.signatures.pages(), weighed.empty);
        if urls == 0 {
            return Err(CrawlError::NoBags { pages: read.pages });
        }
        self.begin(Stage::Pairing, 0);
        let twins = collapsing::collapse(&weighed.signatures);
        let choice = self.choose(&weighed.signatures, &twins.representatives())?;
        let mut sorter =
            PairSorter::create(self.work, urls, 20 * u64::from(urls), self.options.memory)
                .map_err(CrawlError::work(self.work))?;
        let pairing = self.pair(&weighed, &twins, &choice, &mut sorter)?;
        drop(weighed);
        self.begin(Stage::Sorting, 0);
        let (pairs, centers) = self.sort(sorter, &twins, urls)?;
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        for &center in &centers {
            *sizes.entry(center).or_default() += 1;
        }
        let large = || sizes.values().filter(|&&size| size > 1);
        let threshold = self.options.threshold.thousandths();
        let description = Description { version: CRAWL_VERSION, urls, pairs, threshold };
        let twin = |url| twins.representative(url);
        let of_urls = OfUrls { centers: &centers, twins: &(0..urls).map(twin).collect::<Vec<_>>() };
        output::finish(self.output, &words, of_urls, &description)
            .map_err(CrawlError::work(self.output))?;
        Ok(ClusterSummary {
            inputs: read,
            fragments,
            urls,
            empty,
            twins: twins.stars().count() as u64,
            choice,
            curve: self.curve(&choice),
            pairing,
            pairs,
            clusters: large().count() as u64,
            clustered: large().sum(),
            stages: self.costs(),
        })
    }

    fn begin(&mut self, stage: Stage, total: u64) {
        self.observer.stage(stage, total);
        self.stages.push((stage, Instant::now()));
    }

    /// What each stage took, the last until now.
    fn costs(&self) -> Vec<StageCost> {
        let ends = self.stages.iter().skip(1).map(|&(_, start)| start).chain([Instant::now()]);
        let cost = |(&(stage, start), end): (&(Stage, Instant), Instant)| StageCost {
            stage,
            seconds: end.duration_since(start).as_secs_f64(),
        };
        self.stages.iter().zip(ends).map(cost).collect()
    }

    fn check(&self) -> Result<(), CrawlError> {
        if self.observer.cancelled() { Err(CrawlError::Interrupted) } else { Ok(()) }
    }

    fn read(
        &self,
        inputs: &[Input],
        language: Language,
        stop: &StopLists,
    ) -> Result<Read, CrawlError> {
        let sayings = Sayings::new(self.options.bags, language, stop);
        let error = CrawlError::work(self.work);
        let mut buckets = FragmentBuckets::create(self.work, BUCKETS).map_err(&error)?;
        let inputs = inputs::read(inputs, &self.options.inputs, |pages| {
            self.check()?;
            for fragment in sayings.of(&pages) {
                buckets.push(&fragment).map_err(&error)?;
            }
            self.observer.advance(pages.len() as u64);
            Ok(())
        })?;
        let (buckets, fragments) = buckets.finish().map_err(&error)?;
        Ok(Read { inputs, buckets, fragments, words: sayings.words() })
    }

    /// The buckets of fragments into buckets of URLs.
    fn collapse(&self, buckets: &[PathBuf]) -> Result<(Vec<PathBuf>, Frequencies), CrawlError> {
        let mut frequencies = Frequencies::default();
        let mut written = Vec::new();
        for wave in buckets.chunks(rayon::current_num_threads()) {
            self.check()?;
            let collapse = |path: &PathBuf| -> Result<Vec<UrlTerms>, CrawlError> {
                let fragments: Vec<Fragment> =
                    fragments::read_records(path).map_err(CrawlError::work(path))?;
                Ok(bagging::collapse(fragments))
            };
            let collapsed: Vec<Vec<UrlTerms>> =
                wave.par_iter().map(collapse).collect::<Result<_, _>>()?;
            for (path, urls) in wave.iter().zip(collapsed) {
                frequencies.count(&urls);
                let to = self.work.join(format!("urls-{:04}", written.len()));
                fragments::write_records(&to, &urls).map_err(CrawlError::work(&to))?;
                fs::remove_file(path).map_err(CrawlError::work(path))?;
                written.push(to);
                self.observer.advance(1);
            }
        }
        Ok((written, frequencies))
    }

    /// The buckets of URLs into bags and signatures; the URLs with their bags are written.
    fn weigh(&self, buckets: &[PathBuf], weights: &Weights) -> Result<Weighed, CrawlError> {
        let params = self.params.signature;
        let algorithm = match self.options.preset {
            Preset::Web => Algorithm::Affine32,
            Preset::Paper => Algorithm::Prime31,
        };
        let signer = Signer::new(algorithm, params);
        let signed_by = SignedBy { algorithm: algorithm.name().to_owned(), params };
        let mut signatures = SignatureColumns::new(signed_by.clone(), params.m)?;
        let mut urls = UrlWriter::create(self.output).map_err(CrawlError::work(self.output))?;
        let mut bags = BagColumns::default();
        let mut empty = 0;
        for path in buckets {
            self.check()?;
            let said: Vec<UrlTerms> =
                fragments::read_records(path).map_err(CrawlError::work(path))?;
            let count = said.len() as u64;
            let weighed = bagging::weigh(said, weights, &self.params.bag)?;
            // URLs without a bag were left out.
            let rows = signer.rows(&weighed.bags);
            let first = signatures.pages();
            signatures.push(SignatureBatch { signed_by: &signed_by, first, rows: &rows })?;
            for (said, bag) in weighed.urls.into_iter().zip(&weighed.bags) {
                bags.push(bag);
                let UrlTerms { url, title, fragments, .. } = said;
                urls.push(&CrawledUrl { url, title, fragments, bag: bag.entries().to_vec() })
                    .map_err(CrawlError::work(self.output))?;
            }
            empty += weighed.empty;
            fs::remove_file(path).map_err(CrawlError::work(path))?;
            self.observer.advance(count);
        }
        urls.finish().map_err(CrawlError::work(self.output))?;
        Ok(Weighed { bags, signatures, empty })
    }

    fn choose(&self, signatures: &SignatureColumns, pages: &[u32]) -> Result<Choice, CrawlError> {
        let wish = match self.options.preset {
            Preset::Web => Wish::new(self.options.threshold),
            Preset::Paper => Wish { threshold: self.options.threshold, ..Wish::paper() },
        };
        let background = Background::sample(signatures, pages, self.options.seed);
        let choice = choosing::choose(&background, &wish, self.params.signature.m)?;
        if !choice.is_enough && self.options.preset == Preset::Web {
            self.observer.warn(&format!(
                "{} tables of {} values find only {:.0} % of the pairs at the threshold: more would cost too much. A higher \
                 --threshold finds more of its pairs",
                choice.l,
                choice.k,
                100.0 * choice.recall
            ));
        }
        Ok(choice)
    }

    /// In what part signatures must agree for a pair to be verified. They err: whoever agrees a little less than the
    /// threshold may be similar enough, which the bags tell.
    fn filter(&self) -> Threshold {
        let threshold = self.options.threshold;
        let lower = threshold.thousandths().saturating_sub(SLACK).max(1);
        Threshold::of_thousandths(lower).unwrap_or(threshold)
    }

    fn curve(&self, choice: &Choice) -> Vec<CurvePoint> {
        let m = self.params.signature.m;
        choosing::curve(choice.k, choice.l, m, m, self.filter())
    }

    /// Pairs the representatives, and each with its twins; what is similar enough by its bags goes into the sorter.
    fn pair(
        &self,
        weighed: &Weighed,
        twins: &Collapsed,
        choice: &Choice,
        sorter: &mut PairSorter,
    ) -> Result<ExtractReport, CrawlError> {
        let Weighed { bags, signatures, .. } = weighed;
        let ClusterOptions { threshold, seed, .. } = *self.options;
        let rules = TableRules::Independent { k: choice.k, l: choice.l };
        let tables = Tables::new(rules, self.params.signature.m, seed)
            .expect("tables are chosen of at most m values");
        let options = ExtractOptions {
            threshold: self.filter(),
            most_in_bucket: ExtractOptions::MOST_IN_BUCKET,
        };
        let mut keep = |pairs: &[(u32, u32)]| -> Result<(), CrawlError> {
            self.check()?;
            for pair in verify(pairs, |page| bags.bag(page as usize), threshold)? {
                let stored =
                    StoredPair { page: pair.u, other: pair.v, thousandths: pair.thousandths() };
                sorter.push(stored).map_err(CrawlError::work(self.work))?;
            }
            Ok(())
        };
        let mut stars: Vec<(u32, u32)> = twins.stars().collect();
        stars.sort_unstable();
        keep(&stars)?;
        self.observer.stage(Stage::Pairing, u64::from(choice.l));
        let mut last = None;
        extracting::extract(signatures, &twins.representatives(), &tables, options, |batch| {
            if last.replace(batch.table) != Some(batch.table) {
                self.observer.advance(1);
            }
            keep(&batch.pairs.iter().map(|pair| (pair.u, pair.v)).collect::<Vec<_>>())
        })
    }

    /// Writes the pairs in order; answers their number and the center of each URL.
    fn sort(
        &self,
        sorter: PairSorter,
        twins: &Collapsed,
        urls: u32,
    ) -> Result<(u64, Vec<u32>), CrawlError> {
        let error = CrawlError::work(self.output);
        let mut writer = PairWriter::create(self.output, urls).map_err(&error)?;
        let mut scan = CenterScan::new(urls);
        let stands_for_itself = |page| twins.representative(page) == page;
        let sorted = sorter.sorted(|pairs| {
            if self.observer.cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            for pair in pairs {
                // A twin goes where its representative goes.
                if stands_for_itself(pair.page) && stands_for_itself(pair.other) {
                    scan.next(pair.page, pair.other);
                }
            }
            writer.push(pairs)
        });
        self.check()?;
        let pairs = sorted.map_err(&error)?;
        writer.finish().map_err(&error)?;
        let mut centers = scan.finish();
        twins.spread(&mut centers);
        Ok((pairs, centers))
    }
}
