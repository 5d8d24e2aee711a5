//! The first stages: from pages to signatures.

use std::path::Path;
use std::{fs, io};

use pagekin_core::bag::Bag;
use pagekin_core::vocabulary::TermId;
use pagekin_core::{IndexParams, hash};
use pagekin_pages::Stage;
use pagekin_pages::progress::check;
use pagekin_pairs::disk::columns::NumberWriter;
use pagekin_pairs::disk::partitions::bucket_of;
use pagekin_pairs::disk::{partitions, records};
use pagekin_pairs::minhash::{Algorithm, SignedBy, Signer};
use pagekin_pairs::signatures::file::SignatureWriter;
use rayon::prelude::*;

use crate::cluster::bags::collapse::{UrlTerms, collapse};
use crate::cluster::bags::collection::Spread;
use crate::cluster::bags::columns::{BagColumns, BagWriter};
use crate::cluster::bags::fragments::{FragmentBuckets, FragmentRef, bucket_path};
use crate::cluster::bags::frequencies::Frequencies;
use crate::cluster::bags::from_page::{Learnt, TermText};
use crate::cluster::bags::source::FragmentSource;
use crate::cluster::bags::weights::Weights;
use crate::cluster::bags::{fragments, from_fragments};
use crate::cluster::classes::from_urls::Names;
use crate::cluster::error::CrawlError;
use crate::cluster::learnt::LearntWeights;
use crate::cluster::options::ClusterOptions;
use crate::cluster::stages::job::{
    BAG_COLUMNS, BAG_HASHES, BAGS, COLLAPSED, FREQUENCIES, Gathered, Job, LANGUAGES, ReadPages,
    SIGNATURES, TERMS, WeightedCrawl, frequencies,
};
use crate::folder::format::{CRAWL_VERSION, CrawledUrl, url_key};
use crate::folder::write::UrlWriter;
use crate::rank::collect::LinkBuckets;
use crate::rank::{assemble, collect};

/// The files that fragments are spread over, as in the paper.
pub(crate) const BUCKETS: u32 = 256;
/// The memory that a bucket takes while it is collapsed, for each of its bytes on disk, at most.
const COLLAPSING: u64 = 5;

impl Job<'_> {
    /// Runs the first stages: pages into bags.
    pub(crate) fn gather(&mut self, source: &dyn FragmentSource) -> Result<Gathered, CrawlError> {
        let read = self.read(source)?;
        if read.fragments.fragments == 0 {
            let skipped = read.inputs.ledger.reasons();
            return Err(CrawlError::NoPages { task: "cluster", skipped });
        }
        if self.options.links {
            self.link()?;
        }
        let spoken_of = self.collapse()?;
        self.place.remove(Stage::Reading, fragments::NAME)?;
        let weighted = self.weigh(spoken_of)?;
        self.place.remove(Stage::Bagging, COLLAPSED)?;
        if weighted.urls == 0 {
            return Err(CrawlError::NoBags { pages: read.inputs.ledger.pages });
        }
        Ok(Gathered { read, spoken_of, weighted, strings: None })
    }

    /// Pages into fragments, in buckets.
    fn read(&mut self, source: &dyn FragmentSource) -> Result<ReadPages, CrawlError> {
        let Self { options, observer, place } = self;
        // The preset and what was learnt first count in Weighing, but what that reads
        // is removed behind it: with another one all is done again.
        let ClusterOptions { preset, bags, lang, inputs, links, .. } = options;
        let version = (env!("CARGO_PKG_VERSION"), CRAWL_VERSION);
        let depends_on = (version, preset.name(), learnt(options), bags, lang, inputs, links);
        place.stage(Stage::Reading, &depends_on, *observer, |folder| {
            observer.stage(Stage::Reading, 0);
            let error = CrawlError::work(folder);
            let mut buckets = FragmentBuckets::create(folder, BUCKETS).map_err(&error)?;
            let mut link_buckets =
                links.then(|| LinkBuckets::create(folder)).transpose().map_err(&error)?;
            let mut pages = 0;
            let said = source.read(&mut |step, fragments| {
                check(*observer)?;
                if let Some(buckets) = &mut link_buckets {
                    step.links.iter().try_for_each(|page| buckets.push(page)).map_err(&error)?;
                }
                for fragment in &fragments {
                    buckets.push(fragment).map_err(&error)?;
                }
                pages += step.pages;
                if let Some(behind) = step.behind {
                    observer.expect((pages as f64 / behind).round() as u64);
                }
                observer.advance(step.pages);
                Ok(())
            })?;
            let fragments = buckets.finish().map_err(&error)?;
            link_buckets.map(LinkBuckets::finish).transpose().map_err(&error)?;
            let Learnt { terms, languages } = said.learnt;
            let terms: Vec<(TermId, TermText)> = terms.into_iter().collect();
            records::write_records(&folder.join(TERMS), &terms).map_err(&error)?;
            Ok(ReadPages { inputs: said.inputs, fragments, languages })
        })
    }

    /// The links of pages into those of each URL.
    fn link(&mut self) -> Result<(), CrawlError> {
        let from = self.place.folder(Stage::Reading);
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Linking, &(), *observer, |folder| {
            let made = assemble(&from, folder, options.memory, *observer);
            check(*observer)?;
            made.map_err(CrawlError::work(folder))
        })?;
        [collect::URLS, collect::LINKS]
            .into_iter()
            .try_for_each(|name| place.remove(Stage::Reading, name))
    }

    /// The buckets of fragments into buckets of URLs, and the frequencies of their terms; answers
    /// how many there are.
    fn collapse(&mut self) -> Result<Spread, CrawlError> {
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
                    let path = partitions::path(folder, COLLAPSED, bucket);
                    records::write_records(&path, &urls).map_err(CrawlError::work(&path))?;
                    observer.advance(1);
                }
            }
            let terms: Vec<(TermId, Spread)> = frequencies.counts().collect();
            let path = folder.join(FREQUENCIES);
            records::write_records(&path, &terms).map_err(CrawlError::work(&path))?;
            Ok(frequencies.all())
        })
    }

    /// URLs with their terms into bags.
    fn weigh(&mut self, all: Spread) -> Result<WeightedCrawl, CrawlError> {
        let from = self.place.folder(Stage::Bagging);
        let rules = self.params().bag;
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Weighing, &(), *observer, |folder| {
            observer.stage(Stage::Weighing, all.urls.into());
            let error = CrawlError::work(folder);
            let weights = Weights::new(&frequencies(&from, all)?, options.preset);
            let weights = weights.multiplied(learnt(options));
            let mut writer = UrlWriter::create(folder).map_err(&error)?;
            let mut bags = BagWriter::create(folder, BAG_COLUMNS).map_err(&error)?;
            let mut languages = Names::default();
            languages.number("");
            let of_urls = folder.join(LANGUAGES);
            let mut numbers = NumberWriter::create(&of_urls).map_err(&error)?;
            let mut empty = 0;
            let buckets: Vec<u32> = (0..BUCKETS).collect();
            for wave in buckets.chunks(rayon::current_num_threads()) {
                check(*observer)?;
                let weigh = |&bucket: &u32| -> Result<_, CrawlError> {
                    let path = partitions::path(&from, COLLAPSED, bucket);
                    let said: Vec<UrlTerms> =
                        records::read_records(&path).map_err(CrawlError::work(&path))?;
                    Ok(from_fragments::weigh(said, &weights, &rules)?)
                };
                let weighted: Vec<from_fragments::WeightedUrls> =
                    wave.par_iter().map(weigh).collect::<Result<_, _>>()?;
                for weighted in weighted {
                    observer.advance(weighted.empty + weighted.urls.len() as u64);
                    empty += weighted.empty;
                    bags.extend(&BagColumns::new(&weighted.bags)).map_err(&error)?;
                    for (said, bag) in weighted.urls.into_iter().zip(weighted.bags) {
                        let UrlTerms { url, title, language, fragments, .. } = said;
                        // Codes of languages are some hundred.
                        numbers.extend(&[languages.number(&language) as u16]).map_err(&error)?;
                        let bag = bag.entries().to_vec();
                        let url = CrawledUrl { url, title, fragments, bag };
                        writer.push(&url).map_err(&error)?;
                    }
                }
            }
            bags.finish().map_err(&error)?;
            numbers.finish().map_err(&error)?;
            let urls = writer.finish().map_err(&error)?;
            Ok(WeightedCrawl { urls, empty, languages: languages.finish() })
        })
    }

    /// Bags into signatures and hashes; answers what made the signatures.
    pub(crate) fn sign(&mut self) -> Result<SignedBy, CrawlError> {
        let mut bags = self.bags()?;
        let IndexParams { signature: params, bag: rules, .. } = self.params();
        let algorithm = Algorithm::new(self.options.preset);
        let signer = Signer::new(algorithm, params);
        let signed_by =
            SignedBy { algorithm: algorithm.name().to_owned(), params, scale: rules.sum };
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Sketching, &options.seed, *observer, |folder| {
            observer.stage(Stage::Sketching, bags.len().into());
            let error = CrawlError::work(folder);
            let mut writer =
                SignatureWriter::create(&folder.join(SIGNATURES), &signed_by).map_err(&error)?;
            let mut hashes = NumberWriter::create(&folder.join(BAG_HASHES)).map_err(&error)?;
            for first in (0..bags.len()).step_by(BAGS as usize) {
                check(*observer)?;
                let end = bags.len().min(first.saturating_add(BAGS));
                let columns = bags.range(first..end).map_err(&error)?;
                // URLs without a bag were left out.
                let bags: Vec<Bag> =
                    (0..columns.len()).into_par_iter().map(|at| columns.bag(at)).collect();
                writer.extend(&signer.rows(&bags)).map_err(&error)?;
                let of_bags: Vec<u64> = bags.par_iter().map(hash_of).collect();
                hashes.extend(&of_bags).map_err(&error)?;
                observer.advance((end - first).into());
            }
            hashes.finish().map_err(&error)?;
            writer.finish().map_err(&error)
        })?;
        Ok(signed_by)
    }
}

/// What was learnt of the weights of terms.
fn learnt(options: &ClusterOptions) -> &[(TermId, f64)] {
    options.learnt.as_ref().map_or(&[], LearntWeights::factors)
}

/// Tells bags apart: two of 20 million share it by chance once in 100,000 crawls.
fn hash_of(bag: &Bag) -> u64 {
    bag.entries().iter().fold(0, |hash, &(term, copies)| {
        hash::mix(hash ^ (u64::from(term) << 16 | u64::from(copies)))
    })
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
        let fragments = records::records(&bytes).map_while(|fragment| match fragment {
            Ok(fragment) => Some(fragment),
            Err(error) => {
                damaged = Some(error);
                None
            }
        });
        urls.extend(collapse(fragments.filter(of_part)));
        if let Some(error) = damaged {
            return Err(error);
        }
    }
    Ok(urls)
}
