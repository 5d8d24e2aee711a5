//! Pages into bags: what each says of URLs, URLs with all that is said of them, and their bags.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::{DfLimits, TermId};
use pagekin_core::{DEFAULT_SEED, Preset};
use pagekin_crawl::cluster::bags::collapse::UrlTerms;
use pagekin_crawl::cluster::bags::fragments::FragmentRef;
use pagekin_crawl::cluster::bags::from_page::PageFragments;
use pagekin_crawl::cluster::bags::weights::Weights;
use pagekin_crawl::cluster::bags::{collapse, from_fragments};
use pagekin_crawl::cluster::{BagSource, CrawlError, Fragment};
use pagekin_crawl::folder::CrawledUrl;
use pagekin_crawl::folder::format::url_key;
use pagekin_pages::site::languages;
use pagekin_pages::{CrawlPage, Input, InputError, InputOptions, Interrupted, input};
use pagekin_pairs::disk::partitions::bucket_of;
use rustc_hash::FxHashMap;

use crate::error::StageError;
use crate::pages::Pages;
use crate::rows::{Out, RowParts, RowReader, RowSpread, each_bucket, each_row, encode, of_kind};

/// Terms whose frequencies are counted before they are put out.
const COUNTED: usize = 1 << 20;
/// By how many bits the bucket of a term's frequency is told.
const TERM_BUCKET_BITS: u32 = 8;
/// Pages of a file that are taken at once.
const BATCH: usize = 256;
/// After so many pages a task of many files or rows learns words anew: some 40 MB of them.
const PAGES_REMEMBERED: u64 = 1 << 14;

/// How pages become fragments.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FragmentOptions {
    /// Into how many buckets URLs are spread, 1 to 2^24.
    pub buckets: u32,
    /// What bags are made of.
    pub bags: BagSource,
    /// The language tag of pages that name none.
    pub lang: String,
    /// How pages are read.
    pub input: InputOptions,
    /// What comes in.
    pub form: PageForm,
}

/// In what form pages come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageForm {
    /// As rows of an Arrow IPC stream.
    Rows,
    /// As a JSONL or WARC file, plain or gzipped, on standard input.
    File,
}

impl FragmentOptions {
    /// For rows, by the defaults of [`ClusterOptions`](pagekin_crawl::cluster::ClusterOptions).
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

    /// These options with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Makes fragments of pages. Their words are remembered, as most come again, but only so many.
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

/// Pages into what they say of URLs.
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
    let mut skipped: BTreeMap<&str, u64> = BTreeMap::new();
    match options.form {
        PageForm::Rows => {
            let mut rows = Pages::open(input)?;
            while let Some(batch) = rows.next(&options.input)? {
                let mut read = Vec::with_capacity(batch.len());
                for page in batch {
                    match page {
                        Ok(page) => read.push(page),
                        Err(reason) => *skipped.entry(reason.code()).or_default() += 1,
                    }
                }
                for some in read.chunks(BATCH) {
                    take(maker.fragments(some), &mut out)?;
                }
            }
        }
        PageForm::File => {
            let mut failed = None;
            let summary = input::read(&[Input::Stdin], &options.input, |some, _| {
                take(maker.fragments(&some), &mut out).map_err(|error| {
                    failed = Some(error);
                    InputError::from(Interrupted)
                })
            });
            if let Some(error) = failed {
                return Err(error);
            }
            for (reason, of_reason) in summary?.skipped {
                skipped.insert(reason.code(), of_reason.count);
            }
        }
    }
    spread.finish(&mut out)?;
    let others = &mut out.report.others;
    others.insert("pages".to_owned(), maker.pages);
    others.extend(skipped.into_iter().map(|(reason, n)| (format!("skipped: {reason}"), n)));
    out.finish()
}

/// Fragments into URLs with their terms, and on how many URLs each term is.
pub(crate) fn collapse<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let mut counted: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut spread = RowSpread::new("terms");
    let mut put = |counted: &mut FxHashMap<TermId, u32>, out: &mut Out<W>| {
        let mut all: Vec<(TermId, u32)> = counted.drain().collect();
        all.sort_unstable();
        all.into_iter().try_for_each(|(term, df)| {
            spread.push(bucket_of_term(term), out, |bytes| put_frequency((term, df), bytes))?;
            Ok::<(), StageError>(())
        })?;
        spread.finish(out)
    };
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut said: Vec<FragmentRef<'_>> = Vec::new();
        for row in of_kind(rows, "fragments")? {
            said.extend(row.decoded::<FragmentRef<'_>>("fragments")?);
        }
        let mut parts = RowParts::new(bucket, "urls");
        for url in collapse::collapse(said) {
            url.terms.iter().for_each(|&(term, _)| *counted.entry(term).or_default() += 1);
            parts.push(&url, out)?;
        }
        parts.finish(out)?;
        if counted.len() >= COUNTED { put(&mut counted, out) } else { Ok(()) }
    })?;
    put(&mut counted, &mut out)?;
    out.finish()
}

/// Bytes of a term and its document frequency.
const FREQUENCY: usize = 8;

/// The bucket of what is said of a term.
fn bucket_of_term(term: TermId) -> i32 {
    (term >> (TermId::BITS - TERM_BUCKET_BITS)) as i32
}

fn put_frequency((term, df): (TermId, u32), bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&term.to_le_bytes());
    bytes.extend_from_slice(&df.to_le_bytes());
}

fn frequency(&[a, b, c, d, e, f, g, h]: &[u8; FREQUENCY]) -> (TermId, u32) {
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// Frequencies of parts of the URLs into those of all `spoken_of` that are within the limits.
pub(crate) fn frequencies<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    spoken_of: u32,
) -> Result<(), StageError> {
    let limits = DfLimits::for_pages(spoken_of);
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut sums: FxHashMap<TermId, u32> = FxHashMap::default();
        for row in of_kind(rows, "terms")? {
            for (term, df) in row.fixed("terms")?.iter().map(frequency) {
                let sum = sums.entry(term).or_default();
                *sum = sum.saturating_add(df);
            }
        }
        let mut kept: Vec<(TermId, u32)> =
            sums.into_iter().filter(|&(_, df)| limits.allow(df, spoken_of)).collect();
        kept.sort_unstable();
        let mut bytes = Vec::with_capacity(FREQUENCY * kept.len());
        kept.iter().for_each(|&one| put_frequency(one, &mut bytes));
        out.put((bucket, "frequencies", 0), kept.len() as u64, &bytes)
    })?;
    out.finish()
}

/// How URLs with their terms become bags.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BagOptions {
    /// URLs of which something is said.
    pub spoken_of: u32,
    /// A file with the bytes of all rows of kind `frequencies`.
    pub frequencies: PathBuf,
    /// The parameters of bags.
    pub preset: Preset,
}

impl BagOptions {
    /// Of so many URLs, by the default parameters.
    #[must_use]
    pub fn new(spoken_of: u32, frequencies: impl Into<PathBuf>) -> Self {
        Self { spoken_of, frequencies: frequencies.into(), preset: Preset::Web }
    }
}

/// URLs with their terms into those that have a bag.
pub(crate) fn bags<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &BagOptions,
) -> Result<(), StageError> {
    let weights = weights(&options.frequencies, options.spoken_of)?;
    // Rules of bags do not depend on the seed.
    let rules = options.preset.params(DEFAULT_SEED).bag;
    let mut empty = 0;
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "urls")?;
        let said: Vec<UrlTerms> = row.decoded("urls")?;
        if !said.iter().all(|url| url.terms.is_sorted_by(|a, b| a.0 < b.0)) {
            return Err(row.wrong("urls", "terms that do not ascend".to_owned()));
        }
        let weighed = from_fragments::weigh(said, &weights, &rules).map_err(CrawlError::from)?;
        empty += weighed.empty;
        let mut bytes = Vec::new();
        for (said, bag) in weighed.urls.into_iter().zip(&weighed.bags) {
            let UrlTerms { url, title, fragments, .. } = said;
            let bag = bag.entries().to_vec();
            encode(&CrawledUrl { url, title, fragments, bag }, &mut bytes);
        }
        out.put((row.bucket, "bags", row.part), weighed.bags.len() as u64, &bytes)
    })?;
    out.report.others.insert("empty".to_owned(), empty);
    out.finish()
}

/// The weights of a file of frequencies, of which no more is held in memory.
fn weights(path: &Path, spoken_of: u32) -> Result<Weights, StageError> {
    let wrong = |source| StageError::File { path: path.to_owned(), source };
    Weights::read(spoken_of, DfLimits::for_pages(spoken_of), || {
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
