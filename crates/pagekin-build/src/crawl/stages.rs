//! The stages of a crawl, one after the other: each reads the files of those before it and writes its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::bag::Bag;
use pagekin_core::center::CenterScan;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::{DfLimits, TermId};
use pagekin_core::{IndexParams, Preset};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::bag_columns::{BagColumns, BagFiles, BagWriter};
use super::bagging::{self, Frequencies, UrlTerms, Weights};
use super::candidates::{self, CandidateWriter, Cells};
use super::clustering::{ClusterOptions, ClusterSummary, Pairing, TableSummary, Verification};
use super::collapsing::{self, Collapsed};
use super::error::CrawlError;
use super::fragments::{
    self, FragmentBuckets, FragmentRef, FragmentReport, bucket_of, bucket_path, url_key,
};
use super::inputs::InputSummary;
use super::joining;
use super::measuring::{self, Recall, Sample};
use super::numbers::{NumberFile, NumberWriter};
use super::output::{self, CRAWL_VERSION, CrawledUrl, Description, OfUrls, PairWriter, UrlWriter};
use super::pairing::Rules;
use super::resuming::Workplace;
use super::saying::{Learnt, TermText};
use super::signature_file::{self, SignatureWriter};
use super::signatures::SignedBy;
use super::sorting::{PairFiles, PairSorter, StoredPair};
use super::sources::FragmentSource;
use super::spreading;
use super::verifying::{SimilarPair, verify};
use crate::observer::{Observer, Stage};
use crate::signing::{Algorithm, Signer};

/// The files that fragments are spread over, as in the paper.
const BUCKETS: u32 = 256;
/// The memory that a bucket takes while it is collapsed, for each of its bytes on disk, at most.
const COLLAPSING: u64 = 5;
/// Bags that are read and signed, or measured, at once.
const BAGS: u32 = 1 << 16;
/// Names of files of stages.
const TERMS: &str = "terms";
const COLLAPSED: &str = "collapsed";
const FREQUENCIES: &str = "frequencies";
const SIGNATURES: &str = "signatures";
const TWINS: &str = "twins";
const CENTERS: &str = "centers";
/// Memory for each pair that is verified: its number, itself, and what becomes of it.
const VERIFYING: u64 = 40;

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

    /// Pages into fragments, in buckets.
    fn read(&mut self) -> Result<Read, CrawlError> {
        let Self { source, options, observer, place } = self;
        // The preset first counts in Weighing, but what that reads is removed behind it: with another one all is done again.
        let ClusterOptions { preset, bags, lang, inputs, .. } = options;
        let depends_on = (env!("CARGO_PKG_VERSION"), preset.name(), bags, lang, inputs);
        place.stage(Stage::Reading, &depends_on, *observer, |folder| {
            observer.stage(Stage::Reading, 0);
            let error = CrawlError::work(folder);
            let mut buckets = FragmentBuckets::create(folder, BUCKETS).map_err(&error)?;
            let said = source.read(&mut |pages, fragments| {
                check(*observer)?;
                for fragment in &fragments {
                    buckets.push(fragment).map_err(&error)?;
                }
                observer.advance(pages);
                Ok(())
            })?;
            let fragments = buckets.finish().map_err(&error)?;
            let Learnt { terms, languages } = said.learnt;
            let terms: Vec<(TermId, TermText)> = terms.into_iter().collect();
            fragments::write_records(&folder.join(TERMS), &terms).map_err(&error)?;
            Ok(Read { inputs: said.inputs, fragments, languages })
        })
    }

    /// The buckets of fragments into buckets of URLs, and the frequencies of their terms; answers the number of URLs.
    fn collapse(&mut self) -> Result<u32, CrawlError> {
        let from = self.place.folder(Stage::Reading);
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Bagging, &(), *observer, |folder| {
            observer.stage(Stage::Bagging, BUCKETS.into());
            let mut frequencies = Frequencies::default();
            let buckets: Vec<u32> = (0..BUCKETS).collect();
            for wave in buckets.chunks(rayon::current_num_threads()) {
                check(*observer)?;
                let memory = options.memory / wave.len() as u64;
                let collapsed: Vec<Vec<UrlTerms>> = wave
                    .par_iter()
                    .map(|&bucket| {
                        let path = bucket_path(&from, bucket);
                        collapse_bucket(&path, bucket, memory).map_err(CrawlError::work(&path))
                    })
                    .collect::<Result<_, _>>()?;
                for (&bucket, urls) in wave.iter().zip(collapsed) {
                    frequencies.count(&urls);
                    let path = spreading::path(folder, COLLAPSED, bucket);
                    fragments::write_records(&path, &urls).map_err(CrawlError::work(&path))?;
                    observer.advance(1);
                }
            }
            let terms: Vec<(TermId, u32)> = frequencies.counts().collect();
            let path = folder.join(FREQUENCIES);
            fragments::write_records(&path, &terms).map_err(CrawlError::work(&path))?;
            Ok(frequencies.urls())
        })
    }

    /// URLs with their terms into bags.
    fn weigh(&mut self, urls: u32) -> Result<Weighed, CrawlError> {
        let from = self.place.folder(Stage::Bagging);
        let rules = self.params().bag;
        let Self { observer, place, .. } = self;
        place.stage(Stage::Weighing, &(), *observer, |folder| {
            observer.stage(Stage::Weighing, urls.into());
            let error = CrawlError::work(folder);
            let weights = Weights::new(&frequencies(&from, urls)?, DfLimits::for_pages(urls));
            let mut writer = UrlWriter::create(folder).map_err(&error)?;
            let mut bags = BagWriter::create(folder).map_err(&error)?;
            let mut empty = 0;
            let buckets: Vec<u32> = (0..BUCKETS).collect();
            for wave in buckets.chunks(rayon::current_num_threads()) {
                check(*observer)?;
                let weigh = |&bucket: &u32| -> Result<_, CrawlError> {
                    let path = spreading::path(&from, COLLAPSED, bucket);
                    let said: Vec<UrlTerms> =
                        fragments::read_records(&path).map_err(CrawlError::work(&path))?;
                    Ok(bagging::weigh(said, &weights, &rules)?)
                };
                let weighed: Vec<bagging::Weighed> =
                    wave.par_iter().map(weigh).collect::<Result<_, _>>()?;
                for weighed in weighed {
                    observer.advance(weighed.empty + weighed.urls.len() as u64);
                    empty += weighed.empty;
                    let mut columns = BagColumns::default();
                    weighed.bags.iter().for_each(|bag| columns.push(bag));
                    bags.extend(&columns).map_err(&error)?;
                    for (said, bag) in weighed.urls.into_iter().zip(weighed.bags) {
                        let UrlTerms { url, title, fragments, .. } = said;
                        let bag = bag.entries().to_vec();
                        let url = CrawledUrl { url, title, fragments, bag };
                        writer.push(&url).map_err(&error)?;
                    }
                }
            }
            bags.finish().map_err(&error)?;
            Ok(Weighed { urls: writer.finish().map_err(&error)?, empty })
        })
    }

    /// Bags into signatures; answers what made them.
    fn sign(&mut self) -> Result<SignedBy, CrawlError> {
        let mut bags = self.bags()?;
        let IndexParams { signature: params, bag: rules, .. } = self.params();
        let algorithm = match self.options.preset {
            Preset::Web => Algorithm::Affine32,
            Preset::Paper => Algorithm::Prime31,
        };
        let signer = Signer::new(algorithm, params);
        let name = algorithm.name().to_owned();
        let signed_by = SignedBy { algorithm: name, params, scale: rules.sum };
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Sketching, &options.seed, *observer, |folder| {
            observer.stage(Stage::Sketching, bags.len().into());
            let error = CrawlError::work(folder);
            let mut writer =
                SignatureWriter::create(&folder.join(SIGNATURES), &signed_by).map_err(&error)?;
            for first in (0..bags.len()).step_by(BAGS as usize) {
                check(*observer)?;
                let end = bags.len().min(first.saturating_add(BAGS));
                let columns = bags.range(first..end).map_err(&error)?;
                // URLs without a bag were left out.
                let bags: Vec<Bag> =
                    (0..columns.len()).into_par_iter().map(|at| columns.bag(at)).collect();
                writer.extend(&signer.rows(&bags)).map_err(&error)?;
                observer.advance((end - first).into());
            }
            writer.finish().map_err(&error)
        })?;
        Ok(signed_by)
    }

    /// Signatures into pairs that may be similar, or bags into those that are.
    fn pair(&mut self, signed_by: &SignedBy, urls: u32) -> Result<Paired, CrawlError> {
        let depends_on =
            (self.options.threshold.thousandths(), format!("{:?}", self.options.pairing));
        let signatures = self.file(Stage::Sketching, SIGNATURES);
        let mut bags = self.bags()?;
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Pairing, &depends_on, *observer, |folder| {
            observer.stage(Stage::Pairing, 0);
            let error = CrawlError::work(folder);
            let sorter =
                |pairs| PairSorter::create(folder, urls, pairs, options.memory).map_err(&error);
            let tables = match options.pairing {
                Pairing::Tables(tables) => tables,
                Pairing::Exact => {
                    let columns = bags.range(0..urls).map_err(&error)?;
                    let of_url = |url| (url, columns.bag(url as usize));
                    let bags: Vec<(u32, Bag)> = (0..urls).into_par_iter().map(of_url).collect();
                    let pairs = joining::join(&bags, options.threshold);
                    let mut sorter = sorter(pairs.len() as u64)?;
                    pairs.iter().try_for_each(|pair| sorter.push(stored(pair))).map_err(&error)?;
                    let alone: Vec<u32> = (0..urls).collect();
                    write_numbers(&folder.join(TWINS), &alone).map_err(&error)?;
                    let found = Found::Pairs(sorter.finish().map_err(&error)?);
                    return Ok(Paired { twins: 0, tables: None, found });
                }
            };
            let rules = Rules::new(options, tables, signed_by.params.m);
            let columns = signature_file::read(&signatures, signed_by, rules.compared())?;
            let twins = collapsing::collapse(&columns);
            write_numbers(&folder.join(TWINS), twins.lowest()).map_err(&error)?;
            let choice = rules.choose(&columns, &twins.representatives(), *observer)?;
            let (report, found) = match tables.verification {
                Verification::Bags => {
                    let cells = Cells::new(urls, bags.bytes(), options.memory / 2);
                    let mut writer = CandidateWriter::create(folder, cells).map_err(&error)?;
                    let push = |u, v, _| writer.push(u, v).map_err(&error);
                    let report = rules.extract(&columns, &twins, &choice, *observer, push)?;
                    let count = writer.finish().map_err(&error)?;
                    (report, Found::Candidates { cells, count })
                }
                Verification::Signatures => {
                    let mut sorter = sorter(20 * u64::from(urls))?;
                    let compared = u32::from(rules.compared());
                    let push = |page, other, agreeing: u16| {
                        let thousandths = (u32::from(agreeing) * 1_000 / compared) as u16;
                        sorter.push(StoredPair { page, other, thousandths }).map_err(&error)
                    };
                    let report = rules.extract(&columns, &twins, &choice, *observer, push)?;
                    (report, Found::Pairs(sorter.finish().map_err(&error)?))
                }
            };
            let curve = rules.curve(&choice);
            let tables = Some(TableSummary { choice, curve, pairing: report });
            Ok(Paired { twins: twins.stars().count() as u64, tables, found })
        })
    }

    fn twins(&self) -> Result<Collapsed, CrawlError> {
        let lowest = self.numbers(Stage::Pairing, TWINS)?;
        let damaged =
            || io::Error::new(io::ErrorKind::InvalidData, "expected the twin of each URL");
        Collapsed::from_lowest(lowest)
            .ok_or_else(|| CrawlError::work(&self.file(Stage::Pairing, TWINS))(damaged()))
    }

    /// The candidates whose bags are similar.
    fn verify(&mut self, cells: Cells, count: u64, urls: u32) -> Result<PairFiles, CrawlError> {
        let from = self.place.folder(Stage::Pairing);
        let mut files = self.bags()?;
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Verifying, &(), *observer, |folder| {
            observer.stage(Stage::Verifying, count);
            let error = CrawlError::work(folder);
            let mut sorter =
                PairSorter::create(folder, urls, count, options.memory).map_err(&error)?;
            let mut low_bags: Option<(u32, BagColumns)> = None;
            for cell in cells.all() {
                let (low, high) = (cells.range(cell.low), cells.range(cell.high));
                if low_bags.as_ref().is_none_or(|(of, _)| *of != cell.low) {
                    // Let go of before the next are read.
                    drop(low_bags.take());
                    low_bags = Some((cell.low, files.range(low.clone()).map_err(&error)?));
                }
                let Some((_, lows)) = &low_bags else { unreachable!("they were just read") };
                let other = (cell.low != cell.high).then(|| files.range(high.clone()));
                let other = other.transpose().map_err(&error)?;
                let highs = other.as_ref().unwrap_or(lows);
                let path = cells.path(&from, cell);
                let damaged = CrawlError::work(&path);
                let mut candidates = NumberFile::<u64>::open(&path).map_err(&damaged)?;
                for part in candidates.ranges(options.memory / 2 / VERIFYING) {
                    check(*observer)?;
                    let mut words = candidates.range(part).map_err(&damaged)?;
                    words.par_sort_unstable();
                    let pairs: Vec<(u32, u32)> = words.into_iter().map(candidates::pair).collect();
                    if pairs.iter().any(|(u, v)| !low.contains(u) || !high.contains(v)) {
                        let what = "expected pairs of the cell's ranges, found others";
                        return Err(damaged(io::Error::new(io::ErrorKind::InvalidData, what)));
                    }
                    let overlap = |u: u32, v: u32| {
                        let (u, v) = ((u - low.start) as usize, (v - high.start) as usize);
                        Overlap::of_columns(lows.columns(u), highs.columns(v))
                    };
                    for pair in verify(&pairs, overlap, options.threshold)? {
                        sorter.push(stored(&pair)).map_err(&error)?;
                    }
                    observer.advance(pairs.len() as u64);
                }
            }
            sorter.finish().map_err(&error)
        })
    }

    /// Pairs both ways, in order.
    fn sort(&mut self, stage: Stage, files: &PairFiles, urls: u32) -> Result<(), CrawlError> {
        let from = self.place.folder(stage);
        let Self { observer, place, .. } = self;
        place.stage(Stage::Sorting, &(), *observer, |folder| {
            observer.stage(Stage::Sorting, files.files.into());
            let error = CrawlError::work(folder);
            let mut writer = PairWriter::create(folder, urls).map_err(&error)?;
            let sorted = files.sorted(&from, |pairs| {
                if observer.cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                observer.advance(1);
                writer.push(pairs)
            });
            check(*observer)?;
            sorted.map_err(&error)?;
            writer.finish().map_err(&error)?;
            Ok(())
        })
    }

    /// Pairs into the center of each URL.
    fn center(&mut self, twins: &Collapsed, urls: u32) -> Result<(), CrawlError> {
        let from = self.place.folder(Stage::Sorting);
        let Self { observer, place, .. } = self;
        place.stage(Stage::Centering, &(), *observer, |folder| {
            observer.stage(Stage::Centering, 0);
            let mut scan = CenterScan::new(urls);
            let stands_for_itself = |url| twins.representative(url) == url;
            output::read_pairs(&from, urls, |pair| {
                // A twin goes where its representative goes.
                if stands_for_itself(pair.page) && stands_for_itself(pair.other) {
                    scan.next(pair.page, pair.other);
                }
            })
            .map_err(CrawlError::work(&from))?;
            let mut centers = scan.finish();
            twins.spread(&mut centers);
            let path = folder.join(CENTERS);
            write_numbers(&path, &centers).map_err(CrawlError::work(&path))
        })
    }

    /// How many pairs of some URLs were found, of all that they have.
    fn measure(
        &mut self,
        paired: &Paired,
        twins: &Collapsed,
        urls: u32,
    ) -> Result<Vec<Recall>, CrawlError> {
        let pairs = self.place.folder(Stage::Sorting);
        let mut files = self.bags()?;
        // Of each similarity in thousandths.
        let curve: Option<Vec<f64>> = match (&self.options.pairing, &paired.tables) {
            (Pairing::Tables(tables), Some(TableSummary { choice, .. })) => {
                let rules = Rules::new(self.options, *tables, self.params().signature.m);
                let found =
                    |thousandths: u32| rules.found(choice, f64::from(thousandths) / 1_000.0);
                Some((0..=1_000).map(found).collect())
            }
            _ => None,
        };
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Measuring, &(), *observer, |folder| {
            observer.stage(Stage::Measuring, urls.into());
            let error = CrawlError::work(folder);
            let drawn = measuring::draw(urls, options.seed);
            let bag = |&url: &u32| Ok((url, files.range(url..url + 1)?.bag(0)));
            let bags: Vec<(u32, Bag)> =
                drawn.iter().map(bag).collect::<io::Result<_>>().map_err(&error)?;
            let sample = Sample::new(&bags);
            let mut truth = Vec::new();
            for first in (0..urls).step_by(BAGS as usize) {
                check(*observer)?;
                let end = urls.min(first.saturating_add(BAGS));
                let columns = files.range(first..end).map_err(&error)?;
                truth.extend(sample.partners(&columns, first, options.threshold));
                observer.advance((end - first).into());
            }
            // What is known of a twin's representative is known of the twin.
            let standing = |url: u32| twins.representative(url);
            let asked: FxHashSet<u32> =
                drawn.iter().flat_map(|&url| [url, standing(url)]).collect();
            let mut found: FxHashSet<(u32, u32)> = FxHashSet::default();
            output::read_pairs(&pairs, urls, |pair| {
                if asked.contains(&pair.page) {
                    found.insert((pair.page, pair.other));
                }
            })
            .map_err(CrawlError::work(&pairs))?;
            let is_found = |pair: &SimilarPair| {
                let (u, v) = (standing(pair.u), standing(pair.v));
                u == v || found.contains(&(u, v)) || found.contains(&(pair.u, pair.v))
            };
            let predicted = |similarity: f64| {
                let thousandths = (similarity * 1_000.0) as usize;
                curve.as_ref().map_or(1.0, |curve| curve[thousandths])
            };
            Ok(measuring::recall(&truth, is_found, predicted))
        })
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

/// The URLs of a bucket, sorted, in parts that each take at most `memory` while they are collapsed.
fn collapse_bucket(path: &Path, bucket: u32, memory: u64) -> io::Result<Vec<UrlTerms>> {
    let bytes = fs::read(path)?;
    let parts = (COLLAPSING * bytes.len() as u64).div_ceil(memory.max(1)).clamp(1, 256) as u32;
    let mut urls = Vec::new();
    for part in 0..parts {
        let mut damaged = None;
        let of_part = |fragment: &FragmentRef<'_>| {
            parts == 1 || bucket_of(url_key(fragment.url), BUCKETS * parts) == bucket * parts + part
        };
        let fragments = fragments::records(&bytes).map_while(|fragment| match fragment {
            Ok(fragment) => Some(fragment),
            Err(error) => {
                damaged = Some(error);
                None
            }
        });
        urls.extend(bagging::collapse(fragments.filter(of_part)));
        if let Some(error) = damaged {
            return Err(error);
        }
    }
    Ok(urls)
}

/// Writes a number a URL.
fn write_numbers(path: &Path, numbers: &[u32]) -> io::Result<()> {
    let mut writer = NumberWriter::create(path)?;
    writer.extend(numbers)?;
    writer.finish()
}

fn stored(pair: &SimilarPair) -> StoredPair {
    StoredPair { page: pair.u, other: pair.v, thousandths: pair.thousandths() }
}

fn check(observer: &dyn Observer) -> Result<(), CrawlError> {
    if observer.cancelled() { Err(CrawlError::Interrupted) } else { Ok(()) }
}
