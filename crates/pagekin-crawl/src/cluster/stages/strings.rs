//! The first stages for strings: files to bags of q-grams.

use std::fs;
use std::path::Path;

use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::progress::check;
use pagekin_pages::{Input, InputSummary, Stage};
use pagekin_pairs::disk::partitions::{Spread, bucket_of};
use pagekin_pairs::disk::records;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::collection;
use crate::cluster::bags::columns::{BagColumns, BagWriter};
use crate::cluster::bags::fragments::FragmentReport;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::options::ClusterOptions;
use crate::cluster::stages::bags::each_bucket;
use crate::cluster::stages::files::{BAGS, BUCKETS, STRINGS};
use crate::cluster::stages::job::{Gathered, Job, ReadPages, WeightedCrawl};
use crate::cluster::strings::choose::Measured;
use crate::cluster::strings::estimate::ErrorEstimate;
use crate::cluster::strings::options::StringOptions;
use crate::cluster::strings::records::Records;
use crate::cluster::strings::{choose, common};
use crate::folder::format::{CRAWL_VERSION, CrawledUrl, url_key};
use crate::folder::write::UrlWriter;

/// The result of Reading, in addition to buckets of strings.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StringsRead {
    inputs: InputSummary,
    letters: u64,
    bytes: u64,
    /// Estimated errors of the reads, if requested.
    pub(crate) errors: Option<ErrorEstimate>,
}

impl StringsRead {
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.ledger.pages == 0
    }

    /// Returns why there are no strings. May be empty.
    pub(crate) fn skipped_reasons(&self) -> String {
        self.inputs.ledger.reasons()
    }

    /// Returns the rules for bags, without common q-grams, and the options with the resulting
    /// threshold.
    pub(crate) fn choose(
        &self,
        strings: &StringOptions,
        options: &ClusterOptions,
    ) -> (QGrams, ClusterOptions) {
        let estimated = self.errors.map(|errors| errors.rate);
        let error_rate = strings.error_rate.or(estimated).unwrap_or(StringOptions::ERROR_RATE);
        let (strings_read, letters) = (self.inputs.ledger.pages, self.letters);
        let measured = Measured { strings: strings_read, letters, error_rate };
        let q = choose::q(strings, measured);
        let threshold = choose::threshold(strings, q, measured);
        let StringOptions { alphabet, both_strands, .. } = *strings;
        let rules = QGrams { alphabet, q, both_strands, common: Vec::new() };
        (rules, options.clone().with(|options| options.threshold = threshold))
    }
}

/// The result of Weighing, in addition to bags and the strings with their names.
#[derive(Serialize, Deserialize)]
struct WeightedStrings {
    strings: u32,
    different: u32,
    common: Vec<TermId>,
}

impl Job<'_> {
    /// Reads files and writes their strings to buckets.
    pub(crate) fn read_strings(
        &mut self,
        inputs: &[Input],
        strings: &StringOptions,
    ) -> Result<StringsRead, CrawlError> {
        let alphabet = strings.alphabet;
        let (options, observer, root) = (self.options, self.observer, self.root());
        let version = (env!("CARGO_PKG_VERSION"), CRAWL_VERSION);
        let most = options.inputs.max_page_bytes;
        let alphabet_name = match alphabet {
            Alphabet::Dna => "dna",
            Alphabet::Text => "text",
        };
        // Errors are not estimated if the error rate is given.
        let estimates = strings.asks_reads().then_some(strings.both_strands);
        let depends_on = (version, alphabet_name, most, estimates);
        self.place.stage(Stage::Reading, &depends_on, observer, |folder| {
            observer.stage(Stage::Reading, 0);
            let mut buckets = Spread::create(folder, STRINGS.name, BUCKETS).at(folder)?;
            let mut reader = Records::new(alphabet, most);
            let (mut letters, mut bytes, mut record) = (0, 0, Vec::new());
            for input in inputs {
                reader.read(input, &mut |named| {
                    let string = if named.string.is_empty() { named.name } else { named.string };
                    letters += string.len() as u64;
                    records::encode(&(named.name, named.string), &mut record).at(folder)?;
                    let bucket = bucket_of(url_key(named.name), BUCKETS);
                    buckets.write(bucket, &record).at(folder)?;
                    bytes += record.len() as u64;
                    observer.advance(1);
                    Ok(check(observer)?)
                })?;
            }
            buckets.close().at(folder)?;
            let errors = match estimates {
                Some(both_strands) => {
                    let sample = sample(&root)?;
                    let strings: Vec<&str> = sample.iter().map(|(name, s)| of(name, s)).collect();
                    Some(ErrorEstimate::new(&strings, both_strands))
                }
                None => None,
            };
            Ok(StringsRead { inputs: reader.finish()?, letters, bytes, errors })
        })
    }

    /// Writes bags of q-grams, in the order of the keys of their strings' names.
    pub(crate) fn weigh_strings(
        &mut self,
        read: StringsRead,
        mut rules: QGrams,
    ) -> Result<Gathered, CrawlError> {
        let (observer, root) = (self.observer, self.root());
        let depends_on = (rules.q, rules.both_strands);
        let mut counting = rules.clone();
        let weighted = self.place.stage(Stage::Weighing, &depends_on, observer, |folder| {
            observer.stage(Stage::Weighing, read.inputs.ledger.pages);
            let sample = sample(&root)?;
            let strings = sample.iter().map(|(name, string)| of(name, string));
            counting.common = common::common(&counting, strings);
            let mut writer = UrlWriter::create(folder).at(folder)?;
            let mut bags = BagWriter::create(&BAGS.path(&root)).at(folder)?;
            let mut different = 0;
            let weigh = |bucket| Bucket::weigh(&root, bucket, &counting);
            each_bucket(observer, weigh, |_, bucket| {
                different += bucket.different;
                bags.extend(&bucket.bags).at(folder)?;
                bucket.strings.iter().try_for_each(|s| writer.push(s)).at(folder)?;
                observer.advance(bucket.read);
                Ok(())
            })?;
            bags.finish().at(folder)?;
            let strings = writer.finish().at(folder)?;
            Ok(WeightedStrings { strings, different, common: counting.common })
        })?;
        let WeightedStrings { strings: urls, different, common } = weighted;
        if urls == 0 && read.inputs.ledger.pages > 0 {
            let (strings, q) = (read.inputs.ledger.pages, rules.q);
            return Err(CrawlError::NoStrings { strings, q });
        }
        STRINGS.remove(self.place)?;
        rules.common = common;
        let fragments = FragmentReport { fragments: read.inputs.ledger.pages, bytes: read.bytes };
        let read = ReadPages { inputs: read.inputs, fragments, languages: Vec::new() };
        let weighted = WeightedCrawl {
            urls,
            empty: u64::from(different - urls),
            languages: vec![String::new()],
        };
        let mentioned = collection::Spread { urls: different, texts: different };
        Ok(Gathered { read, mentioned, weighted, strings: Some(rules) })
    }
}

/// Returns the strings of the first buckets with their names. Buckets are chosen by a hash, so this
/// is a random sample.
fn sample(root: &Path) -> Result<Vec<(String, String)>, CrawlError> {
    let mut sample: Vec<(String, String)> = Vec::new();
    for bucket in 0..BUCKETS {
        if sample.len() >= common::SAMPLE {
            break;
        }
        sample.extend(STRINGS.read_bucket(root, bucket)?);
    }
    sample.sort_unstable();
    sample.dedup();
    Ok(sample)
}

/// Returns the string, or its name if the string is its own name.
fn of<'a>(name: &'a str, string: &'a str) -> &'a str {
    if string.is_empty() { name } else { string }
}

struct Bucket {
    read: u64,
    different: u32,
    /// Strings with a bag, in order.
    strings: Vec<CrawledUrl>,
    bags: BagColumns,
}

impl Bucket {
    fn weigh(root: &Path, bucket: u32, rules: &QGrams) -> Result<Self, CrawlError> {
        let path = STRINGS.bucket_path(root, bucket);
        let bytes = fs::read(&path).at(&path)?;
        let mut named: Vec<(u64, &str, &str)> = Vec::new();
        for record in records::records::<(&str, &str)>(&bytes) {
            let (name, string) = record.at(&path)?;
            named.push((url_key(name), name, string));
        }
        let read = named.len() as u64;
        named.sort_unstable();
        let (mut strings, mut bags) = (Vec::new(), BagColumns::default());
        let (mut different, mut grams) = (0, Vec::new());
        for run in named.chunk_by(|a, b| a.1 == b.1) {
            different += 1;
            let (_, name, string) = run[0];
            let bag = rules.bag_with(of(name, string), &mut grams);
            if !bag.is_empty() {
                bags.push(&bag);
                let (url, title) = (name.to_owned(), string.to_owned());
                let fragments = u32::try_from(run.len()).unwrap_or(u32::MAX);
                strings.push(CrawledUrl { url, title, fragments, bag: Vec::new() });
            }
        }
        Ok(Self { read, different, strings, bags })
    }
}
