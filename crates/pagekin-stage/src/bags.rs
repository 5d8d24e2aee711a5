//! Splits pages into fragments, merges them by URL, and builds bags.

use std::fs::File;
use std::io;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::TermId;
use pagekin_core::{DEFAULT_SEED, Preset};
use pagekin_crawl::cluster::bags::collapse::UrlTerms;
use pagekin_crawl::cluster::bags::collection::{Collection, Spread};
use pagekin_crawl::cluster::bags::fragments::FragmentRef;
use pagekin_crawl::cluster::bags::from_page::{PageFragments, in_order};
use pagekin_crawl::cluster::bags::weights::Weights;
use pagekin_crawl::cluster::bags::{collapse, from_fragments};
use pagekin_crawl::cluster::{BagSource, CrawlError, Fragment};
use pagekin_crawl::folder::CrawledUrl;
use pagekin_crawl::folder::format::url_key;
use pagekin_pages::input::templates::Templates;
use pagekin_pages::site::languages;
use pagekin_pages::{CrawlPage, Input, InputError, InputOptions, InputSummary, Interrupted, input};
use pagekin_pairs::disk::partitions::bucket_of;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::StageError;
use crate::pages::PageBatches;
use crate::rows::{
    Out, Row, RowParts, RowReader, RowSpread, each_bucket, each_row, encode, of_kind, of_kinds,
};

/// Number of terms that are counted before their frequencies are written.
const COUNTED: usize = 1 << 20;
/// Number of bits that select the bucket of a term's frequency.
const TERM_BUCKET_BITS: u32 = 8;
/// Number of rows that are processed at a time.
const BATCH: usize = input::BATCH_ITEMS;
/// Number of pages after which a task forgets the words of pages, about 40 MB.
const PAGES_REMEMBERED: u64 = 1 << 14;

/// Options of fragments.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FragmentOptions {
    /// Number of buckets that URLs are distributed over, 1 to 2^24.
    pub buckets: u32,
    /// Source of the terms in bags.
    pub bags: BagSource,
    /// Language tag of pages that name none.
    pub lang: String,
    /// Options for reading pages.
    pub input: InputOptions,
    /// Form of the input.
    pub form: PageForm,
}

/// The form of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageForm {
    /// Rows of an Arrow IPC stream.
    Rows,
    /// A JSONL or WARC file, optionally compressed with gzip, on standard input.
    File,
}

impl FragmentOptions {
    /// Returns the defaults of [`ClusterOptions`](pagekin_crawl::cluster::ClusterOptions), for
    /// rows.
    #[must_use]
    pub fn new(buckets: u32) -> Self {
        Self {
            buckets,
            bags: BagSource::default(),
            lang: "en".to_owned(),
            input: InputOptions::default(),
            form: PageForm::Rows,
        }
    }

    /// Returns these options after `change`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Splits pages into fragments. Remembers a limited number of words, because most occur again.
struct FragmentMaker<'a> {
    options: &'a FragmentOptions,
    language: Language,
    stop: &'a StopLists,
    maker: PageFragments<'a>,
    pages: u64,
}

impl<'a> FragmentMaker<'a> {
    fn new(options: &'a FragmentOptions, language: Language, stop: &'a StopLists) -> Self {
        let maker = PageFragments::new(options.bags, language.clone(), stop);
        Self { options, language, stop, maker, pages: 0 }
    }

    fn fragments(&mut self, pages: &[CrawlPage]) -> Vec<Fragment> {
        let earlier = self.pages / PAGES_REMEMBERED;
        self.pages += pages.len() as u64;
        if earlier != self.pages / PAGES_REMEMBERED {
            self.maker = PageFragments::new(self.options.bags, self.language.clone(), self.stop);
        }
        self.maker.of(pages)
    }
}

/// Splits pages into fragments about URLs.
pub(crate) fn fragments<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &FragmentOptions,
) -> Result<(), StageError> {
    let stop: StopLists = languages::all();
    let mut maker = FragmentMaker::new(options, languages::named(&options.lang)?, &stop);
    let mut spread = RowSpread::new("fragments");
    let mut take = |fragments: Vec<Fragment>, out: &mut Out<W>| {
        fragments.iter().try_for_each(|fragment| {
            let bucket = bucket_of(url_key(&fragment.url), options.buckets) as i32;
            spread.encode(bucket, out, fragment)
        })
    };
    let summary = match options.form {
        PageForm::Rows => {
            let mut rows = PageBatches::open(input)?;
            let (mut templates, mut summary) = (Templates::default(), InputSummary::default());
            while let Some(batch) = rows.next(&options.input)? {
                let mut read = Vec::with_capacity(batch.len());
                for page in batch {
                    match page {
                        Ok(page) => read.push(page),
                        Err(reason) => summary.ledger.skip(reason, String::new),
                    }
                }
                for some in read.chunks_mut(BATCH) {
                    templates.remove(some.iter_mut(), &mut summary);
                    take(maker.fragments(some), &mut out)?;
                }
            }
            summary
        }
        PageForm::File => {
            let (mut failed, mut ordered) = (None, 0);
            let summary = input::read(&[Input::Stdin], &options.input, |mut some, _| {
                in_order(&mut some, &mut ordered);
                take(maker.fragments(&some), &mut out).map_err(|error| {
                    failed = Some(error);
                    InputError::from(Interrupted)
                })
            });
            if let Some(error) = failed {
                return Err(error);
            }
            summary?
        }
    };
    spread.finish(&mut out)?;
    let others = &mut out.report.others;
    others.insert("pages".to_owned(), maker.pages);
    let kept = summary.template_canonicals;
    others.extend(kept.map(|kept| ("template_canonicals".to_owned(), kept.count)));
    let skipped = summary.ledger.skipped.into_iter();
    others.extend(skipped.map(|(reason, of)| (format!("skipped: {}", reason.code()), of.count)));
    out.finish()
}

/// Size of a record of a text: its hash, the key of its URL, and the bucket of the URL.
const TEXT: usize = 20;
/// Number of buckets that texts are brought together in.
const TEXT_BUCKETS: u32 = 1 << 12;

/// Merges fragments into URLs with their terms, and returns the text hash of each.
pub(crate) fn collapse<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let mut spread = RowSpread::new("texts");
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut fragments: Vec<FragmentRef<'_>> = Vec::new();
        for row in of_kind(rows, "fragments")? {
            fragments.extend(row.decoded::<FragmentRef<'_>>("fragments")?);
        }
        let mut parts = RowParts::new(bucket, "urls");
        for url in collapse::collapse(fragments) {
            let hash = url.text_hash();
            spread.push(bucket_of(hash, TEXT_BUCKETS) as i32, out, |bytes| {
                bytes.extend_from_slice(&hash.to_le_bytes());
                bytes.extend_from_slice(&url_key(&url.url).to_le_bytes());
                bytes.extend_from_slice(&bucket.to_le_bytes());
            })?;
            parts.push(&url, out)?;
        }
        parts.finish(out)
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Returns the URLs with the text of another, which is counted once.
pub(crate) fn copies<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let mut spread = RowSpread::new("copies");
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |_, rows, out| {
        let mut texts: Vec<(u64, u64, i32)> = Vec::new();
        for row in of_kind(rows, "texts")? {
            for record in row.fixed("texts")? {
                let record: &[u8; TEXT] = record;
                let number = |at: usize| {
                    u64::from_le_bytes(record[at..at + 8].try_into().unwrap_or_default())
                };
                let bucket = i32::from_le_bytes(record[16..].try_into().unwrap_or_default());
                texts.push((number(0), number(8), bucket));
            }
        }
        texts.sort_unstable();
        for copies in texts.chunk_by(|a, b| a.0 == b.0) {
            for &(_, key, bucket) in &copies[1..] {
                spread.push(bucket, out, |bytes| bytes.extend_from_slice(&key.to_le_bytes()))?;
            }
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Counts the URLs and texts with each term, from URLs and those with the text of another.
pub(crate) fn terms<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let mut counted: FxHashMap<TermId, Spread> = FxHashMap::default();
    let mut spread = RowSpread::new("terms");
    let mut put = |counted: &mut FxHashMap<TermId, Spread>, out: &mut Out<W>| {
        let mut all: Vec<(TermId, Spread)> = counted.drain().collect();
        all.sort_unstable();
        all.into_iter().try_for_each(|one| {
            spread.push(bucket_of_term(one.0), out, |bytes| put_frequency(one, bytes))?;
            Ok::<(), StageError>(())
        })?;
        spread.finish(out)
    };
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |_, rows, out| {
        of_kinds(rows, ["copies", "urls"], "copies and urls")?;
        let (copies, urls): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| &*row.kind == "copies");
        let mut keys: FxHashSet<u64> = FxHashSet::default();
        for row in copies {
            keys.extend(row.fixed("copies")?.iter().map(|&key| u64::from_le_bytes(key)));
        }
        for row in urls {
            for url in row.decoded::<UrlTerms>("urls")? {
                let texts = u32::from(!keys.contains(&url_key(&url.url)));
                for &(term, _) in &url.terms {
                    counted.entry(term).or_default().add(Spread { urls: 1, texts });
                }
            }
        }
        if counted.len() >= COUNTED { put(&mut counted, out) } else { Ok(()) }
    })?;
    put(&mut counted, &mut out)?;
    out.finish()
}

/// Size of a record of a term with its numbers of URLs and texts.
const FREQUENCY: usize = 12;

/// Returns the bucket of a term's frequency.
fn bucket_of_term(term: TermId) -> i32 {
    (term >> (TermId::BITS - TERM_BUCKET_BITS)) as i32
}

fn put_frequency((term, Spread { urls, texts }): (TermId, Spread), bytes: &mut Vec<u8>) {
    for number in [term, urls, texts] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

fn frequency(&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; FREQUENCY]) -> (TermId, Spread) {
    let number = u32::from_le_bytes;
    (number([a, b, c, d]), Spread { urls: number([e, f, g, h]), texts: number([i, j, k, l]) })
}

/// The numbers of URLs and copies, and the parameters of weighting.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TextCounts {
    /// Number of URLs with fragments.
    pub mentioned: u32,
    /// Number of these URLs with the text of another.
    pub copies: u32,
    /// Preset of the parameters of bags.
    pub preset: Preset,
}

impl TextCounts {
    /// Returns the defaults for these numbers.
    #[must_use]
    pub fn new(mentioned: u32, copies: u32) -> Self {
        Self { mentioned, copies, preset: Preset::Web }
    }

    fn collection(self) -> Collection {
        let Self { mentioned: urls, copies, preset } = self;
        Collection { preset, all: Spread { urls, texts: urls.saturating_sub(copies) } }
    }
}

/// Adds up the frequencies of parts of the URLs and keeps those within the limits.
pub(crate) fn frequencies<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    counts: TextCounts,
) -> Result<(), StageError> {
    let collection = counts.collection();
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut sums: FxHashMap<TermId, Spread> = FxHashMap::default();
        for row in of_kind(rows, "terms")? {
            for (term, spread) in row.fixed("terms")?.iter().map(frequency) {
                sums.entry(term).or_default().add(spread);
            }
        }
        let mut kept: Vec<(TermId, Spread)> =
            sums.into_iter().filter(|&(_, spread)| collection.weight(spread) > 0).collect();
        kept.sort_unstable();
        let mut bytes = Vec::with_capacity(FREQUENCY * kept.len());
        kept.iter().for_each(|&one| put_frequency(one, &mut bytes));
        out.put((bucket, "frequencies", 0), kept.len() as u64, &bytes)
    })?;
    out.finish()
}

/// Options of building bags.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BagOptions {
    /// Numbers of URLs and copies.
    pub said: TextCounts,
    /// File with the bytes of all rows of kind `frequencies`.
    pub frequencies: PathBuf,
}

impl BagOptions {
    /// Returns the options for these numbers and frequencies.
    #[must_use]
    pub fn new(said: TextCounts, frequencies: impl Into<PathBuf>) -> Self {
        Self { said, frequencies: frequencies.into() }
    }
}

/// Builds bags and returns the URLs with a bag.
pub(crate) fn bags<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &BagOptions,
) -> Result<(), StageError> {
    let weights = weights(&options.frequencies, options.said.collection())?;
    // The rules of bags do not depend on the seed.
    let rules = options.said.preset.params(DEFAULT_SEED).bag;
    let mut empty = 0;
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "urls")?;
        let urls: Vec<UrlTerms> = row.decoded("urls")?;
        if !urls.iter().all(|url| url.terms.is_sorted_by(|a, b| a.0 < b.0)) {
            return Err(row.wrong("urls", "terms that do not ascend".to_owned()));
        }
        let weighted = from_fragments::weigh(urls, &weights, &rules).map_err(CrawlError::from)?;
        empty += weighted.empty;
        let mut bytes = Vec::new();
        for (url, bag) in weighted.urls.into_iter().zip(&weighted.bags) {
            let UrlTerms { url, title, fragments, .. } = url;
            let bag = bag.entries().to_vec();
            encode(&CrawledUrl { url, title, fragments, bag }, &mut bytes);
        }
        out.put((row.bucket, "bags", row.part), weighted.bags.len() as u64, &bytes)
    })?;
    out.report.others.insert("empty".to_owned(), empty);
    out.finish()
}

/// Reads the weights from a file of frequencies without loading the file as a whole.
fn weights(path: &Path, collection: Collection) -> Result<Weights, StageError> {
    let wrong = |source| StageError::File { path: path.to_owned(), source };
    Weights::read(collection, || {
        let file = File::open(path).map_err(wrong)?;
        let bytes = file.metadata().map_err(wrong)?.len();
        if !bytes.is_multiple_of(FREQUENCY as u64) {
            let what = format!("expected entries of {FREQUENCY} bytes, found {bytes} bytes");
            return Err(wrong(io::Error::new(io::ErrorKind::InvalidData, what)));
        }
        let mut file = BufReader::with_capacity(1 << 20, file);
        Ok((0..bytes / FREQUENCY as u64).map(move |_| {
            let mut entry = [0; FREQUENCY];
            file.read_exact(&mut entry).map_err(wrong)?;
            Ok(frequency(&entry))
        }))
    })
}
