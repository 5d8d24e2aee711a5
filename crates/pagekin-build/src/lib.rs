//! The offline part of pagekin: reads a site's pages and writes the static index.
//!
//! The rooms in the order in which the data flows; what is a function of values is in `pagekin-core`, and
//! what is here is files, threads and libraries:
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `listing` | a site's folder | HTML files and their addresses |
//! | [`html`] (on `dom`) | the bytes of a file | a page |
//! | [`pages`] | whatever else has pages | pages |
//! | `resolving` | an address as written on a page | where it leads |
//! | `reading` (with `counting`, `stop_lists`) | pages | drafts, whose terms are counted, and the lexicon |
//! | `indexing` | what was read | an index, by the stages below in turn |
//! | `weighing` | lexicon and drafts | the vocabulary, and pages with bags and the terms of their records |
//! | `sketching` (on [`signing`]) | pages with bags | their signatures |
//! | `ordering` | signatures | the order of the pages in the index |
//! | `planning`, `arranging` (with `previous`) | the order | numbers of shards, blocks and slots |
//! | `records`, `postings`, `bucketing` | pages in blocks | their records, the lists of their terms, the buckets of their keys |
//! | `relating` | pages with bags and signatures | the kin of each page |
//! | `related` | the kin of each page | shards by address, `related.json` |
//! | `writing` | all of these | shards, and the files of the index |
//! | `publishing` | a finished folder or file | the output, in one step |
//! | [`folder`] | an output | answers, natively |
//! | [`duplicates`] | a site's folder | the pages that nearly copy one another |
//! | [`crawl`] | a crawl | the clusters of its URLs; and these into pages with bags, as after `weighing` |
//!
//! A build is deterministic: the same files and options give the same bytes, with any number of threads.

pub mod crawl;
pub mod crawl_folder;
pub mod duplicates;
mod error;
mod index;
pub mod index_folder;
mod lsh;
pub mod minhash;
mod output;
mod progress;
mod site;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::terms::Language;
use pagekin_core::{DEFAULT_SEED, Preset};

use crawl_folder::CrawlFolder;
use crawl_folder::write::Description;
use index::from_crawl;
use index::stages as indexing;
use index::{shard_plan as planning, summary::SkippedFiles};
use output::staging as publishing;
use site::{languages as stop_lists, listing, read as reading};

pub use error::BuildError;
pub use index::shard_plan::Layout;
pub use index::summary::{Part, SkipReason, Skipped, Summary};
pub use output::staging::write_file;
pub use progress::{Observer, Silent, Stage};
pub use site::source::{PageSource, SourcePage};
pub use site::{html, normal_url};

/// What to build, from what, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildOptions {
    /// The folder of the built site; for [`build_pages`], the file its pages come from, if from one; for [`build_crawl`],
    /// the output of [`cluster`](crawl::clustering::cluster).
    pub site: PathBuf,
    /// The folder to write: nothing, an empty folder or an earlier output.
    pub output: PathBuf,
    /// What the addresses of pages begin with: `/`, or where the site is published.
    pub base_url: String,
    /// The language of pages that name none, as in `lang`.
    pub lang: String,
    /// The parameters of the index.
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// The lowest document frequency of a term of bags, at least 1; by the number of pages if not given, see
    /// [`for_pages`](pagekin_core::vocabulary::DfLimits::for_pages).
    pub min_df: Option<u32>,
    /// The highest, in per cent of the pages, above 0 to 100; likewise.
    pub max_df_percent: Option<f64>,
    /// Files with more bytes are left out.
    pub max_page_bytes: u64,
    /// Leave out files that cannot be read, instead of failing.
    pub skip_unreadable: bool,
    /// Pages that are stored together, 1 to 128; as many as have about the same bytes if not given. A lookup reads whole
    /// blocks: smaller ones cost fewer bytes, and more files.
    pub block_pages: Option<u32>,
    /// How shards become files.
    pub layout: Layout,
    /// The most files of the output, at least 200: the more there may be, the fewer bytes a lookup of a large site
    /// reads. There are never more than a tenth of the pages, or 1,000 if that is more.
    pub max_files: u32,
    /// The output of the last build of the site, which may be `output`: pages keep their places and terms their
    /// weights, so that few files change; on a small site, words that are new count when it is built anew. If it is
    /// not there or cannot be followed, the index is built anew.
    pub previous: Option<PathBuf>,
    /// The most kin that are written down for a page, 0 to [`BuildOptions::MOST_RELATED`]; at 0 nothing is written of
    /// related pages.
    pub related_count: u32,
    /// Write LSH tables, by which whole pages are found that are much alike; for more than 100,000 pages if not given.
    pub tables: Option<bool>,
    /// Write sketches of the pages' texts, by which a lookup tells how much of a text stands in the pages that it finds.
    pub sketches: bool,
    /// Write the related pages also as `related.json`, for site generators.
    pub related_json: bool,
    /// The number of threads, at least 1; one for each processor if not given.
    pub threads: Option<usize>,
}

impl BuildOptions {
    /// The largest page, unless told otherwise: 16 MiB.
    pub const MAX_PAGE_BYTES: u64 = 16 << 20;
    /// The most files, unless told otherwise: as many as common hosts take.
    pub const MAX_FILES: u32 = 20_000;
    /// The kin that are written down for a page, unless told otherwise.
    pub const RELATED_COUNT: u32 = 5;
    /// The most that can be: a page of a large site is compared with 64 others, and so many of them are surely its best.
    pub const MOST_RELATED: u32 = 16;

    /// The defaults for a site and an output.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            site: site.into(),
            output: output.into(),
            base_url: "/".to_owned(),
            lang: "en".to_owned(),
            preset: Preset::Web,
            seed: DEFAULT_SEED,
            min_df: None,
            max_df_percent: None,
            max_page_bytes: Self::MAX_PAGE_BYTES,
            skip_unreadable: false,
            block_pages: None,
            layout: Layout::Files,
            max_files: Self::MAX_FILES,
            previous: None,
            related_count: Self::RELATED_COUNT,
            tables: None,
            sketches: true,
            related_json: false,
            threads: None,
        }
    }
}

/// The files that go into the output beside the index, the demo and the client, by the languages of the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Assets<'a> {
    /// Those of every output.
    pub always: &'a [AssetFile<'a>],
    /// Those that know no stemmer but English's: for an index without a language that needs another.
    pub english: &'a [AssetFile<'a>],
    /// Those that know all stemmers: for every other index.
    pub all_languages: &'a [AssetFile<'a>],
}

impl<'a> Assets<'a> {
    fn of<'b>(
        &self,
        mut languages: impl Iterator<Item = &'b Language>,
    ) -> impl Iterator<Item = &'a AssetFile<'a>> {
        let all = languages.any(Language::needs_all_languages);
        self.always.iter().chain(if all { self.all_languages } else { self.english })
    }
}

/// A file of [`Assets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssetFile<'a> {
    /// Its path in the output, with `/` between folders.
    pub path: &'a str,
    /// What it holds.
    pub bytes: &'a [u8],
}

/// Builds the index of a site.
///
/// # Errors
///
/// A [`BuildError`]; whatever it is, the earlier output is as it was.
pub fn build(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    check(options)?;
    in_pool(options.threads, || {
        let mut work = Work::begin(options, assets, observer);
        observer.stage(Stage::Listing, 0);
        let listing = listing::list(&options.site, &options.output, &options.base_url)?;
        let html_files =
            (listing.files.len() + listing.duplicates.len() + listing.unreadable.len()) as u64;
        if html_files == 0 {
            let (path, files) = (options.site.clone(), listing.other_files);
            return Err(BuildError::NoHtml { path, files });
        }
        for path in &listing.loops {
            observer
                .warn(&format!("{} leads back to a folder it is in; not followed", path.display()));
        }
        for path in listing.duplicates {
            work.skipped.add(SkipReason::DuplicateUrl, &path);
        }
        let staging =
            publishing::Staging::begin([options.site.as_path()], &options.output, MANIFEST_NAME)?;
        let files =
            reading::HtmlFiles { files: &listing.files, max_page_bytes: options.max_page_bytes };
        let mut reading = work.read(&files, listing.unreadable)?;
        if reading.drafts.iter().any(|draft| draft.marked) {
            // As Pagefind does: a site that marks bodies says which pages have one.
            for url in reading.retain(|draft| draft.marked) {
                work.skipped.add(SkipReason::Unmarked, Path::new(&url));
            }
        }
        indexing::index(work, reading, html_files, staging)
    })
}

/// Builds the index of the pages of `source`. All that is said of `options` for files of HTML holds for its
/// pages, but for `max_page_bytes`.
///
/// # Errors
///
/// A [`BuildError`]; whatever it is, the earlier output is as it was.
pub fn build_pages(
    options: &BuildOptions,
    source: &dyn PageSource,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    check(options)?;
    in_pool(options.threads, || {
        let mut work = Work::begin(options, assets, observer);
        let staging =
            publishing::Staging::begin([options.site.as_path()], &options.output, MANIFEST_NAME)?;
        let pages = reading::SourcePages { source, base_url: &options.base_url };
        let mut reading = work.read(&pages, Vec::new())?;
        // Stable, so that of pages with one address the first stays.
        reading.drafts.sort_by(|a, b| a.url.cmp(&b.url));
        let mut last = String::new();
        let twice = reading.retain(|draft| {
            let first = draft.url != last;
            last.clone_from(&draft.url);
            first
        });
        for url in twice {
            work.skipped.add(SkipReason::DuplicateUrl, Path::new(&url));
        }
        indexing::index(work, reading, source.count(), staging)
    })
}

/// Builds the index of the URLs of a crawl that was clustered: of all that have a bag, whether they were crawled or only
/// spoken of. No page is read again; bags are taken as they are.
///
/// So the preset, the seed, the language and the frequencies of terms are those of the crawl, whatever `options` says. The
/// base address is the origin that all URLs share, and empty if they share none: addresses are whole then. Folders of which
/// nobody told where they are published are below `/`. An index that `options.previous` names gives pages their places,
/// but not terms their weights.
///
/// # Errors
///
/// A [`BuildError`]; whatever it is, the earlier output is as it was.
pub fn build_crawl(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    check(options)?;
    in_pool(options.threads, || {
        let start = Instant::now();
        let crawl = CrawlFolder::open(&options.site)?;
        apart(&options.output, &options.site)?;
        let staging = publishing::Staging::begin([], &options.output, MANIFEST_NAME)?;
        let Description { preset, seed, spoken_of, urls, .. } = *crawl.description();
        let mut options =
            BuildOptions { preset, seed, min_df: None, max_df_percent: None, ..options.clone() };
        let rules = indexing::vocabulary_rules(&options, spoken_of);
        let recalled = from_crawl::recall(&crawl, rules, observer)?;
        options.base_url = recalled.base_url;
        let addresses = recalled.weighed.pages.iter().map(|page| page.url.as_str());
        let previous = indexing::previous_of(&options, addresses, observer);
        let source = indexing::Source { count: u64::from(urls), bytes: crawl.url_bytes() };
        let work = Work { start, ..Work::begin(&options, assets, observer) };
        indexing::store(work, recalled.weighed, source, previous, staging)
    })
}

/// Refuses an output that holds a crawl or lies in it: clustering anew would replace it, or it the crawl.
fn apart(output: &Path, crawl: &Path) -> Result<(), BuildError> {
    let place = std::path::absolute(output).map_err(BuildError::io("write to", output))?;
    let crawl = fs::canonicalize(crawl).map_err(BuildError::io("read", crawl))?;
    // As much of it as there is.
    let known = place.ancestors().find_map(|part| fs::canonicalize(part).ok());
    let lies_in = known.is_some_and(|known| known.starts_with(&crawl));
    let holds = fs::canonicalize(&place).is_ok_and(|place| crawl.starts_with(place));
    if lies_in || holds {
        return Err(BuildError::OutputAndCrawl { output: output.to_owned(), crawl });
    }
    Ok(())
}

/// Runs `work` on so many threads, or one for each processor.
fn in_pool<T: Send, E: From<BuildError> + Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let refuse = |expected, found| BuildError::Option { option: "threads", expected, found };
    let mut pool = rayon::ThreadPoolBuilder::new();
    match threads {
        Some(0) => return Err(refuse("at least 1", "0".to_owned()).into()),
        Some(threads) => pool = pool.num_threads(threads),
        None => {}
    }
    let pool = pool
        .build()
        .map_err(|error| refuse("a number of threads the system can start", error.to_string()))?;
    pool.install(work)
}

/// The language of a tag, such as that of pages that name none.
fn language(tag: &str) -> Result<Language, BuildError> {
    Language::from_tag(tag).ok_or_else(|| BuildError::Option {
        option: "lang",
        expected: "a language tag such as en or pt-BR",
        found: format!("{tag:?}"),
    })
}

fn check(options: &BuildOptions) -> Result<(), BuildError> {
    let refuse =
        |option, expected, found: String| Err(BuildError::Option { option, expected, found });
    language(&options.lang)?;
    if options.min_df == Some(0) {
        return refuse("min-df", "at least 1", "0".to_owned());
    }
    if let Some(percent) = options.max_df_percent
        && !(percent > 0.0 && percent <= 100.0)
    {
        return refuse("max-df", "above 0 and at most 100", percent.to_string());
    }
    if let Some(pages) = options.block_pages
        && !(1..=128).contains(&pages)
    {
        return refuse("block-pages", "1 to 128", pages.to_string());
    }
    if options.max_files < planning::LEAST_FILES {
        return refuse("max-files", "at least 200", options.max_files.to_string());
    }
    if options.related_count > BuildOptions::MOST_RELATED {
        return refuse("related-count", "0 to 16", options.related_count.to_string());
    }
    if options.related_json && options.related_count == 0 {
        let expected = "at least 1 if related pages are asked for as JSON";
        return refuse("related-count", expected, "0".to_owned());
    }
    Ok(())
}

/// A build under way.
struct Work<'a> {
    options: &'a BuildOptions,
    assets: &'a Assets<'a>,
    observer: &'a dyn Observer,
    skipped: SkippedFiles<'a>,
    start: Instant,
}

impl<'a> Work<'a> {
    fn begin(
        options: &'a BuildOptions,
        assets: &'a Assets<'a>,
        observer: &'a dyn Observer,
    ) -> Self {
        let skipped = SkippedFiles::new(&options.site);
        Self { options, assets, observer, skipped, start: Instant::now() }
    }

    /// Reads `inputs`; `unreadable` is what could not even be listed.
    fn read(
        &mut self,
        inputs: &dyn reading::Inputs,
        unreadable: Vec<(PathBuf, io::Error)>,
    ) -> Result<reading::Reading, BuildError> {
        self.observer.stage(Stage::Reading, inputs.count() as u64);
        let default_language = language(&self.options.lang)?;
        let mut reading =
            reading::read(inputs, &default_language, &stop_lists::all(), self.observer)?;
        reading.unreadable.extend(unreadable);
        warn_of_odd_pages(&reading, self.observer);
        for (reason, path) in &reading.skipped {
            self.skipped.add(*reason, path);
        }
        if let Some((example, error)) = reading.unreadable.first()
            && !self.options.skip_unreadable
        {
            return Err(BuildError::Unreadable {
                count: reading.unreadable.len() as u64,
                example: example.clone(),
                example_error: error.to_string(),
            });
        }
        for (path, _) in &reading.unreadable {
            self.skipped.add(SkipReason::Unreadable, path);
        }
        Ok(reading)
    }
}

fn warn_of_odd_pages(reading: &reading::Reading, observer: &dyn Observer) {
    if let Some(example) = reading.malformed.first() {
        let (n, example) = (reading.malformed.len(), example.display());
        observer.warn(&format!(
            "{n} pages have bytes that mean nothing in their encoding, such as {example}: those were read as U+FFFD"
        ));
    }
    if let Some((example, why)) = reading.cut.first() {
        let (n, example) = (reading.cut.len(), example.display());
        observer
            .warn(&format!("{n} pages were read only in part, such as {example}: it has {why}"));
    }
}
