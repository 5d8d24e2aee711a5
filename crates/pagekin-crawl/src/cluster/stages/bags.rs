//! The first stages: pages to signatures.

use std::path::Path;
use std::{fs, io};

use pagekin_core::bag::Bag;
use pagekin_core::vocabulary::TermId;
use pagekin_core::{IndexParams, hash};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::disk::columns::NumberWriter;
use pagekin_pairs::disk::partitions::bucket_of;
use pagekin_pairs::disk::records;
use pagekin_pairs::minhash::{Algorithm, SignedBy, Signer};
use pagekin_pairs::signatures::file::SignatureWriter;
use rayon::prelude::*;

use crate::cluster::bags::collapse::{UrlTerms, collapse};
use crate::cluster::bags::collection::Spread;
use crate::cluster::bags::columns::{BagColumns, BagWriter};
use crate::cluster::bags::fragments::{FragmentBuckets, FragmentRef};
use crate::cluster::bags::frequencies::Frequencies;
use crate::cluster::bags::from_fragments;
use crate::cluster::bags::from_page::{Learned, TermText};
use crate::cluster::bags::source::FragmentSource;
use crate::cluster::bags::weights::Weights;
use crate::cluster::classes::from_urls::Names;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::learned::LearnedWeights;
use crate::cluster::options::ClusterOptions;
use crate::cluster::stages::files::{
    BAG_HASHES, BAGS, BUCKETS, COLLAPSED, FRAGMENTS, FREQUENCIES, LANGUAGES, SIGNATURES, TERMS,
};
use crate::cluster::stages::job::{BAGS_AT_ONCE, Job, ReadPages, WeightedCrawl};
use crate::cluster::stages::output::frequencies;
use crate::folder::format::{CRAWL_VERSION, CrawledUrl, url_key};
use crate::folder::write::UrlWriter;
use crate::rank::collect::LinkBuckets;
use crate::rank::{assemble, collect};

/// Maximum memory to collapse a bucket, per byte on disk.
const COLLAPSING: u64 = 5;

impl Job<'_> {
    /// Reads pages and writes their fragments to buckets.
    pub(crate) fn read(&mut self, source: &dyn FragmentSource) -> Result<ReadPages, CrawlError> {
        let (options, observer, root) = (self.options, self.observer, self.root());
        // Weighing is the first stage to use the preset and the learned weights, but its input is
        // removed afterwards. So Reading depends on them too.
        let ClusterOptions { preset, bags, lang, inputs, links, .. } = options;
        let version = (env!("CARGO_PKG_VERSION"), CRAWL_VERSION);
        let depends_on = (version, preset.name(), learned(options), bags, lang, inputs, links);
        self.place.stage(Stage::Reading, &depends_on, observer, |folder| {
            observer.stage(Stage::Reading, 0);
            let mut buckets = FragmentBuckets::create(folder, BUCKETS).at(folder)?;
            let mut link_buckets =
                links.then(|| LinkBuckets::create(folder)).transpose().at(folder)?;
            let mut pages = 0;
            let summary = source.read(&mut |step, fragments| {
                check(observer)?;
                if let Some(buckets) = &mut link_buckets {
                    step.links.iter().try_for_each(|page| buckets.push(page)).at(folder)?;
                }
                for fragment in &fragments {
                    buckets.push(fragment).at(folder)?;
                }
                pages += step.pages;
                if let Some(behind) = step.behind {
                    observer.expect((pages as f64 / behind).round() as u64);
                }
                observer.advance(step.pages);
                Ok(())
            })?;
            let fragments = buckets.finish().at(folder)?;
            link_buckets.map(LinkBuckets::finish).transpose().at(folder)?;
            let Learned { terms, languages } = summary.learned;
            let terms: Vec<(TermId, TermText)> = terms.into_iter().collect();
            TERMS.write(&root, &terms)?;
            Ok(ReadPages { inputs: summary.inputs, fragments, languages })
        })
    }

    /// Sorts the links of pages by URL.
    pub(crate) fn link(&mut self) -> Result<(), CrawlError> {
        let from = self.place.folder(Stage::Reading);
        let (options, observer) = (self.options, self.observer);
        self.place.stage(Stage::Linking, &(), observer, |folder| {
            let made = assemble(&from, folder, options.memory, observer);
            check(observer)?;
            made.at(folder)
        })?;
        [collect::URLS, collect::LINKS]
            .into_iter()
            .try_for_each(|name| self.place.remove(Stage::Reading, name))
    }

    /// Collapses the buckets of fragments to buckets of URLs and counts document frequencies;
    /// returns the number of URLs and texts.
    pub(crate) fn collapse(&mut self) -> Result<Spread, CrawlError> {
        let (options, observer, root) = (self.options, self.observer, self.root());
        self.place.stage(Stage::Bagging, &(), observer, |_| {
            observer.stage(Stage::Bagging, BUCKETS.into());
            let mut frequencies = Frequencies::default();
            let memory = options.memory / rayon::current_num_threads() as u64;
            let collapse = |bucket| {
                let path = FRAGMENTS.bucket_path(&root, bucket);
                collapse_bucket(&path, bucket, memory).at(&path)
            };
            each_bucket(observer, collapse, |bucket, urls| {
                frequencies.count(&urls);
                let path = COLLAPSED.bucket_path(&root, bucket);
                records::write_records(&path, &urls).at(&path)?;
                observer.advance(1);
                Ok(())
            })?;
            let terms: Vec<(TermId, Spread)> = frequencies.counts().collect();
            FREQUENCIES.write(&root, &terms)?;
            Ok(frequencies.all())
        })
    }

    /// Weights the terms of URLs and writes their bags.
    pub(crate) fn weigh(&mut self, all: Spread) -> Result<WeightedCrawl, CrawlError> {
        let rules = self.params().bag;
        let (options, observer, root) = (self.options, self.observer, self.root());
        self.place.stage(Stage::Weighing, &(), observer, |folder| {
            observer.stage(Stage::Weighing, all.urls.into());
            let weights = Weights::new(&frequencies(&root, all)?, options.preset);
            let weights = weights.multiplied(learned(options));
            let mut writer = UrlWriter::create(folder).at(folder)?;
            let mut bags = BagWriter::create(&BAGS.path(&root)).at(folder)?;
            let mut languages = Names::default();
            languages.number("");
            let mut numbers = NumberWriter::create(&LANGUAGES.path(&root)).at(folder)?;
            let mut empty = 0;
            let weigh = |bucket| {
                let urls = COLLAPSED.read_bucket(&root, bucket)?;
                Ok(from_fragments::weigh(urls, &weights, &rules)?)
            };
            each_bucket(observer, weigh, |_, weighted| {
                observer.advance(weighted.empty + weighted.urls.len() as u64);
                empty += weighted.empty;
                bags.extend(&BagColumns::new(&weighted.bags)).at(folder)?;
                for (url, bag) in weighted.urls.into_iter().zip(weighted.bags) {
                    let UrlTerms { url, title, language, fragments, .. } = url;
                    // There are only some hundred language codes.
                    numbers.extend(&[languages.number(&language) as u16]).at(folder)?;
                    let bag = bag.entries().to_vec();
                    writer.push(&CrawledUrl { url, title, fragments, bag }).at(folder)?;
                }
                Ok(())
            })?;
            bags.finish().at(folder)?;
            numbers.finish().at(folder)?;
            let urls = writer.finish().at(folder)?;
            Ok(WeightedCrawl { urls, empty, languages: languages.finish() })
        })
    }

    /// Writes the signature and the hash of each bag; returns the parameters of the signatures.
    pub(crate) fn sign(&mut self) -> Result<SignedBy, CrawlError> {
        let IndexParams { signature: params, bag: rules, .. } = self.params();
        let algorithm = Algorithm::new(self.options.preset);
        let signer = Signer::new(algorithm, params);
        let signed_by =
            SignedBy { algorithm: algorithm.name().to_owned(), params, scale: rules.sum };
        let (options, observer, root) = (self.options, self.observer, self.root());
        let mut bags = BAGS.open(&root)?;
        self.place.stage(Stage::Sketching, &options.seed, observer, |folder| {
            observer.stage(Stage::Sketching, bags.len().into());
            let mut writer =
                SignatureWriter::create(&SIGNATURES.path(&root), &signed_by).at(folder)?;
            let mut hashes = NumberWriter::create(&BAG_HASHES.path(&root)).at(folder)?;
            for first in (0..bags.len()).step_by(BAGS_AT_ONCE as usize) {
                check(observer)?;
                let end = bags.len().min(first.saturating_add(BAGS_AT_ONCE));
                let columns = bags.range(first..end).at(folder)?;
                // URLs without a bag are already excluded.
                let bags: Vec<Bag> =
                    (0..columns.len()).into_par_iter().map(|at| columns.bag(at)).collect();
                writer.extend(&signer.rows(&bags)).at(folder)?;
                let of_bags: Vec<u64> = bags.par_iter().map(hash_of).collect();
                hashes.extend(&of_bags).at(folder)?;
                observer.advance((end - first).into());
            }
            hashes.finish().at(folder)?;
            writer.finish().at(folder)
        })?;
        Ok(signed_by)
    }
}

/// Processes all buckets, one per thread at a time, and passes the results to `take` in order.
pub(crate) fn each_bucket<T: Send>(
    observer: &dyn Observer,
    work: impl Fn(u32) -> Result<T, CrawlError> + Sync,
    mut take: impl FnMut(u32, T) -> Result<(), CrawlError>,
) -> Result<(), CrawlError> {
    let buckets: Vec<u32> = (0..BUCKETS).collect();
    for wave in buckets.chunks(rayon::current_num_threads()) {
        check(observer)?;
        let done: Vec<T> = wave.par_iter().map(|&b| work(b)).collect::<Result<_, _>>()?;
        wave.iter().zip(done).try_for_each(|(&bucket, done)| take(bucket, done))?;
    }
    Ok(())
}

fn learned(options: &ClusterOptions) -> &[(TermId, f64)] {
    options.learned.as_ref().map_or(&[], LearnedWeights::factors)
}

/// Returns a hash that identifies a bag: two bags of 20 million collide once in 100,000 crawls.
fn hash_of(bag: &Bag) -> u64 {
    bag.entries().iter().fold(0, |hash, &(term, copies)| {
        hash::mix(hash ^ (u64::from(term) << 16 | u64::from(copies)))
    })
}

/// Returns the URLs of a bucket in order. Collapses it in parts that each take at most `memory`.
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
