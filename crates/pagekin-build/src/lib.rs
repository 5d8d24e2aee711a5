//! The offline part of pagekin: reads a site's pages and writes the static index.
//!
//! The rooms in the order in which the data flows; what is a function of values is in `pagekin-core`, and
//! what is here is files, threads and libraries:
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `listing` | a site's folder | HTML files and their addresses |
//! | [`html`] (on `dom`) | the bytes of a file | a page |
//! | `reading` (with `stop_lists`) | pages | drafts, whose terms are counted, and the lexicon |
//! | `weighing` | lexicon and drafts | the vocabulary, and pages with bags |
//! | `sketching` | pages with bags | their signatures |
//! | `ordering` | signatures | the order of the pages in the index |
//! | `writing` | pages in order | tables, records, shards |
//! | `publishing` | a finished folder | the output, in one step |
//! | [`folder`] | an output | answers, natively |
//!
//! A build is deterministic: the same files and options give the same bytes, with any number of threads.

mod dom;
mod error;
pub mod folder;
pub mod html;
mod listing;
mod observer;
mod ordering;
mod publishing;
mod reading;
mod sketching;
mod stop_lists;
mod summary;
mod weighing;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pagekin_core::terms::Language;
use pagekin_core::vocabulary::DfLimits;
use pagekin_core::{DEFAULT_SEED, Preset};

pub use error::BuildError;
pub use observer::{Observer, Silent, Stage};
pub use summary::{Part, SkipReason, Skipped, Summary};

/// What to build, from what, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildOptions {
    /// The folder of the built site.
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
    /// The lowest document frequency of a term, at least 1; by the number of pages if not given, see
    /// [`DfLimits::for_pages`].
    pub min_df: Option<u32>,
    /// The highest, in per cent of the pages, above 0 to 100; likewise.
    pub max_df_percent: Option<f64>,
    /// Files with more bytes are left out.
    pub max_page_bytes: u64,
    /// Leave out files that cannot be read, instead of failing.
    pub skip_unreadable: bool,
    /// Pages that are stored together, 1 to 65,536; by the number of pages if not given. A lookup reads whole
    /// blocks: smaller ones cost fewer bytes, and more files.
    pub block_pages: Option<u32>,
    /// The number of threads, at least 1; one for each processor if not given.
    pub threads: Option<usize>,
}

impl BuildOptions {
    /// The largest page, unless told otherwise: 16 MiB.
    pub const MAX_PAGE_BYTES: u64 = 16 << 20;

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
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = options.threads {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().map_err(|error| BuildError::Option {
        option: "threads",
        expected: "a number of threads the system can start",
        found: error.to_string(),
    })?;
    pool.install(|| build_here(options, assets, observer))
}

fn check(options: &BuildOptions) -> Result<(), BuildError> {
    let refuse =
        |option, expected, found: String| Err(BuildError::Option { option, expected, found });
    if Language::from_tag(&options.lang).is_none() {
        return refuse("lang", "a language tag such as en or pt-BR", format!("{:?}", options.lang));
    }
    if options.min_df == Some(0) {
        return refuse("min-df", "at least 1", "0".to_owned());
    }
    if let Some(percent) = options.max_df_percent
        && !(percent > 0.0 && percent <= 100.0)
    {
        return refuse("max-df", "above 0 and at most 100", percent.to_string());
    }
    if let Some(pages) = options.block_pages
        && !(1..=65_536).contains(&pages)
    {
        return refuse("block-pages", "1 to 65536", pages.to_string());
    }
    if options.threads == Some(0) {
        return refuse("threads", "at least 1", "0".to_owned());
    }
    Ok(())
}

fn build_here(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    let start = Instant::now();
    let mut skipped = SkippedFiles::new(&options.site);

    observer.stage(Stage::Listing, 0);
    let listing = listing::list(&options.site, &options.output, &options.base_url)?;
    let html_files =
        (listing.files.len() + listing.duplicates.len() + listing.unreadable.len()) as u64;
    if html_files == 0 {
        let (path, files) = (options.site.clone(), listing.other_files);
        return Err(BuildError::NoHtml { path, files });
    }
    for path in &listing.loops {
        observer.warn(&format!("{} leads back to a folder it is in; not followed", path.display()));
    }
    for path in listing.duplicates {
        skipped.add(SkipReason::DuplicateUrl, &path);
    }
    let staging = publishing::Staging::begin(&options.site, &options.output)?;

    observer.stage(Stage::Reading, listing.files.len() as u64);
    let rules = reading::ReadingRules {
        default_language: Language::from_tag(&options.lang).unwrap_or_else(Language::english),
        max_page_bytes: options.max_page_bytes,
    };
    let mut reading = reading::read(&listing.files, &rules, &stop_lists::all(), observer)?;
    reading.unreadable.extend(listing.unreadable);
    warn_of_odd_pages(&reading, observer);
    let html_bytes = reading.html_bytes;
    for (reason, path) in &reading.skipped {
        skipped.add(*reason, path);
    }
    if let Some((example, error)) = reading.unreadable.first()
        && !options.skip_unreadable
    {
        return Err(BuildError::Unreadable {
            count: reading.unreadable.len() as u64,
            example: example.clone(),
            example_error: error.to_string(),
        });
    }
    for (path, _) in &reading.unreadable {
        skipped.add(SkipReason::Unreadable, path);
    }
    let mut drafts = reading.drafts;
    if drafts.iter().any(|draft| draft.marked) {
        // As Pagefind does: a site that marks bodies says which pages have one.
        drafts.retain(|draft| {
            if !draft.marked {
                skipped.add(SkipReason::Unmarked, Path::new(&draft.url));
                for (hash, _) in &draft.terms {
                    if let Some(term) = reading.lexicon.terms.get_mut(hash) {
                        term.df -= 1;
                    }
                }
            }
            draft.marked
        });
    }

    observer.stage(Stage::Weighing, drafts.len() as u64);
    let n = drafts.len() as u32;
    let mut limits = DfLimits::for_pages(n);
    limits.min = options.min_df.unwrap_or(limits.min);
    if let Some(percent) = options.max_df_percent {
        (limits.max_percent, limits.never_too_high) = (percent, 0);
    }
    let (vocabulary, ids) = weighing::vocabulary(&reading.lexicon, n, limits);
    drop(reading.lexicon);
    let params = options.preset.params(options.seed);
    let labels: Vec<(String, Language)> =
        drafts.iter().map(|draft| (draft.url.clone(), draft.language.clone())).collect();
    let weighed = weighing::weigh(drafts, &vocabulary, &ids, &params.bag, observer);
    drop(ids);
    let mut pages = Vec::with_capacity(weighed.len());
    let mut languages: BTreeMap<Language, u32> = BTreeMap::new();
    for (page, (url, language)) in weighed.into_iter().zip(labels) {
        match page {
            Some(page) => {
                *languages.entry(language).or_default() += 1;
                pages.push(page);
            }
            None => skipped.add(SkipReason::Empty, Path::new(&url)),
        }
    }
    let skipped = skipped.finish();
    if pages.is_empty() {
        let reasons: Vec<_> = skipped
            .iter()
            .map(|skipped| format!("{} that {}", skipped.count, skipped.reason))
            .collect();
        return Err(BuildError::NoPages {
            path: options.site.clone(),
            files: html_files,
            found: reasons.join(", "),
        });
    }
    let mut languages: Vec<_> = languages.into_iter().collect();
    languages.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));

    ordering::by_address(&mut pages);
    observer.stage(Stage::Sketching, pages.len() as u64);
    let signatures = sketching::sign(&pages, &vocabulary, params.signature, observer);
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    observer.stage(Stage::Ordering, pages.len() as u64);
    let order = ordering::by_cluster(&signatures, observer);
    let pages: Vec<_> =
        order.iter().map(|&page| (&pages[page as usize], &signatures[page as usize])).collect();

    let site = writing::Site {
        pages: &pages,
        vocabulary: &vocabulary,
        stop: &stop_lists::only(languages.iter().map(|(language, _)| language.clone())),
        languages: languages.clone(),
        base_url: &options.base_url,
        params,
        block_pages: options.block_pages,
    };
    let (manifest, mut parts) = writing::write(&site, staging.path(), observer)?;
    let assets = assets.of(languages.iter().map(|(language, _)| language));
    let mut beside = write_assets(assets, staging.path())?;
    beside.bytes += staging.list_files()?;
    beside.files += 1;
    parts.push(beside);
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    staging.publish()?;
    Ok(Summary {
        html_files,
        html_bytes,
        pages: pages.len() as u64,
        skipped,
        languages: languages
            .into_iter()
            .map(|(language, pages)| (language.code().to_owned(), u64::from(pages)))
            .collect(),
        terms: u64::from(vocabulary.len()),
        generation: manifest.generation,
        parts,
        seconds: start.elapsed().as_secs_f64(),
    })
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

fn write_assets<'a>(
    assets: impl Iterator<Item = &'a AssetFile<'a>>,
    into: &Path,
) -> Result<Part, BuildError> {
    let mut part = Part { name: "page and client", files: 0, bytes: 0 };
    for asset in assets {
        let path = into.join(asset.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
        }
        fs::write(&path, asset.bytes).map_err(BuildError::io("write", &path))?;
        part.files += 1;
        part.bytes += asset.bytes.len() as u64;
    }
    Ok(part)
}

/// Counts what is left out.
struct SkippedFiles<'a> {
    site: &'a Path,
    by_reason: BTreeMap<SkipReason, Skipped>,
}

impl<'a> SkippedFiles<'a> {
    fn new(site: &'a Path) -> Self {
        Self { site, by_reason: BTreeMap::new() }
    }

    fn add(&mut self, reason: SkipReason, path: &Path) {
        let skipped = self.by_reason.entry(reason).or_insert_with(|| Skipped {
            reason,
            count: 0,
            examples: Vec::new(),
        });
        skipped.count += 1;
        if skipped.examples.len() < Skipped::EXAMPLES {
            let path = path.strip_prefix(self.site).unwrap_or(path);
            skipped.examples.push(path.display().to_string());
        }
    }

    fn finish(self) -> Vec<Skipped> {
        self.by_reason.into_values().collect()
    }
}
