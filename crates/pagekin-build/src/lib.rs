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
//! | `reading` (with `stop_lists`) | pages | drafts, whose terms are counted, and the lexicon |
//! | `weighing` | lexicon and drafts | the vocabulary, and pages with bags |
//! | `sketching` | pages with bags | their signatures |
//! | `ordering` | signatures | the order of the pages in the index |
//! | `planning`, `arranging` (with `previous`) | the order | numbers of shards, blocks and slots |
//! | `relating` | pages with bags and signatures | the kin of each page |
//! | `related` | the kin of each page | shards by address, `related.json` |
//! | `writing` (with `bucketing`) | pages in blocks | tables, records, shards |
//! | `publishing` | a finished folder | the output, in one step |
//! | [`folder`] | an output | answers, natively |
//!
//! A build is deterministic: the same files and options give the same bytes, with any number of threads.

mod arranging;
mod bucketing;
mod dom;
mod error;
pub mod folder;
pub mod html;
mod listing;
mod observer;
mod ordering;
pub mod pages;
mod planning;
mod previous;
mod publishing;
mod reading;
mod related;
mod relating;
mod sketching;
mod stop_lists;
mod summary;
mod weighing;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pagekin_core::terms::Language;
use pagekin_core::vocabulary::{DfLimits, MOST_TERMS};
use pagekin_core::{DEFAULT_SEED, Preset};

use arranging::Arrangement;
use previous::Previous;

pub use error::BuildError;
pub use observer::{Observer, Silent, Stage};
pub use pages::{PageSource, SourcePage};
pub use planning::Layout;
pub use summary::{Part, SkipReason, Skipped, Summary};

/// What to build, from what, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildOptions {
    /// The folder of the built site; for [`build_pages`], the file its pages come from, if from one.
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
    /// How shards become files.
    pub layout: Layout,
    /// The most files of the output, at least 200: the more there may be, the fewer bytes a lookup of a large site
    /// reads.
    pub max_files: u32,
    /// The output of the last build of the site, which may be `output`: pages keep their places and terms their
    /// weights, so that few files change; on a small site, words that are new count when it is built anew. If it is
    /// not there or cannot be followed, the index is built anew.
    pub previous: Option<PathBuf>,
    /// The most kin that are written down for a page, 0 to [`BuildOptions::MOST_RELATED`]; at 0 nothing is written of
    /// related pages.
    pub related_count: u32,
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
    in_pool(options, || {
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
        let staging = publishing::Staging::begin(&options.site, &options.output)?;
        let files =
            reading::HtmlFiles { files: &listing.files, max_page_bytes: options.max_page_bytes };
        let mut reading = work.read(&files, listing.unreadable)?;
        if reading.drafts.iter().any(|draft| draft.marked) {
            // As Pagefind does: a site that marks bodies says which pages have one.
            for url in reading.retain(|draft| draft.marked) {
                work.skipped.add(SkipReason::Unmarked, Path::new(&url));
            }
        }
        finish(work, reading, html_files, staging)
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
    in_pool(options, || {
        let mut work = Work::begin(options, assets, observer);
        let staging = publishing::Staging::begin(&options.site, &options.output)?;
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
        finish(work, reading, source.count(), staging)
    })
}

/// Checks the options, and runs `work` on the threads they ask for.
fn in_pool<T: Send>(
    options: &BuildOptions,
    work: impl FnOnce() -> Result<T, BuildError> + Send,
) -> Result<T, BuildError> {
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
    pool.install(work)
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
    if options.threads == Some(0) {
        return refuse("threads", "at least 1", "0".to_owned());
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
        let default_language =
            Language::from_tag(&self.options.lang).unwrap_or_else(Language::english);
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

/// Indexes what was read of `inputs` files or pages.
fn finish(
    work: Work<'_>,
    reading: reading::Reading,
    inputs: u64,
    staging: publishing::Staging,
) -> Result<Summary, BuildError> {
    let Work { options, assets, observer, mut skipped, start } = work;
    let drafts = reading.drafts;

    let params = options.preset.params(options.seed);
    let n = drafts.len() as u32;
    let mut previous = previous_of(options, &drafts, observer);

    observer.stage(Stage::Weighing, drafts.len() as u64);
    let vocabulary = match &previous {
        Some(previous) => previous.manifest.vocabulary.clone(),
        None => weighing::vocabulary(&reading.lexicon, n, vocabulary_rules(options, n)),
    };
    let labels: Vec<(String, Language)> =
        drafts.iter().map(|draft| (draft.url.clone(), draft.language.clone())).collect();
    let weighed = weighing::weigh(drafts, &vocabulary, &params.bag, observer);
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
            files: inputs,
            found: reasons.join(", "),
        });
    }
    let mut languages: Vec<_> = languages.into_iter().collect();
    languages.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));

    ordering::by_address(&mut pages);
    observer.stage(Stage::Sketching, pages.len() as u64);
    let signatures = sketching::sign(&pages, params.signature, observer);
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    observer.stage(Stage::Ordering, pages.len() as u64);
    let order = ordering::by_cluster(&signatures, observer);
    drop(reading.lexicon);
    let rules = planning::PlanRules {
        layout: options.layout,
        max_files: options.max_files,
        block_pages: options.block_pages,
    };
    let stop = stop_lists::only(languages.iter().map(|(language, _)| language.clone()));
    let site = |plan, arrangement, related| writing::Site {
        pages: &pages,
        signatures: &signatures,
        arrangement,
        related,
        vocabulary: &vocabulary,
        stop: &stop,
        languages: languages.clone(),
        base_url: &options.base_url,
        params,
        plan,
        packs: options.layout == Layout::Packs,
    };
    let write = |previous: Option<&Previous>| {
        let mut plan = planning::Plan::new(pages.len() as u32, rules, params);
        let arrangement = match previous {
            Some(previous) => {
                plan = previous.plan(plan);
                previous.arrange(&pages, &signatures, &order)
            }
            None => Arrangement::in_order(&order, plan.block_pages),
        };
        let order = arrangement.order();
        let mut kin = Vec::new();
        let mut shards = Vec::new();
        if options.related_count > 0 {
            let stored: Vec<_> = order
                .iter()
                .map(|&page| (&pages[page as usize], &signatures[page as usize]))
                .collect();
            observer.stage(Stage::Relating, pages.len() as u64);
            kin = relating::relate(&stored, options.related_count as usize, observer);
            shards = related::encode(&stored, &kin, &options.base_url, plan.related_shards);
        }
        if observer.cancelled() {
            return Err(BuildError::Interrupted);
        }
        let site = site(plan, arrangement, shards);
        let Some((manifest, mut parts)) =
            writing::write(&site, previous, staging.path(), observer)?
        else {
            return Ok(None);
        };
        if options.related_json {
            let pages: Vec<_> = order.iter().map(|&page| &pages[page as usize]).collect();
            parts.push(related::write_json(&pages, &kin, staging.path())?);
        }
        Ok(Some((manifest, parts)))
    };
    let mut written = write(previous.as_ref())?;
    if written.is_none() {
        observer.warn("a file of the previous index has no room for what belongs there now: its order is made anew");
        previous = None;
        written = write(None)?;
    }
    let (manifest, mut parts) = written.expect("an index that follows no other has room");
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
        html_files: inputs,
        html_bytes: reading.bytes,
        pages: pages.len() as u64,
        skipped,
        languages: languages
            .into_iter()
            .map(|(language, pages)| (language.code().to_owned(), u64::from(pages)))
            .collect(),
        terms: u64::from(vocabulary.len()),
        followed: previous.is_some(),
        generation: manifest.generation(),
        parts,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The index the build follows, if there is one that it can follow.
fn previous_of(
    options: &BuildOptions,
    drafts: &[reading::Draft],
    observer: &dyn Observer,
) -> Option<Previous> {
    let folder = options.previous.as_deref()?;
    let terms = previous::Terms {
        params: options.preset.params(options.seed),
        base_url: &options.base_url,
        layout: options.layout,
        block_pages: options.block_pages,
    };
    let anew = |why: &str| {
        observer.warn(&format!(
            "the index at {} is not followed, but all built anew: {why}",
            folder.display()
        ));
        None
    };
    let previous = match Previous::read_from(folder, terms) {
        Ok(previous) => previous,
        Err(why) => return anew(&why),
    };
    let kept = drafts.iter().filter(|draft| previous.places.contains_key(&draft.url)).count();
    if previous.is_outgrown(drafts.len() as u32, kept as u32) {
        return anew("too much of the site is new");
    }
    Some(previous)
}

/// Which terms are in the vocabulary of `n` pages.
fn vocabulary_rules(options: &BuildOptions, n: u32) -> weighing::VocabularyRules {
    let mut limits = DfLimits::for_pages(n);
    limits.min = options.min_df.unwrap_or(limits.min);
    if let Some(percent) = options.max_df_percent {
        (limits.max_percent, limits.never_too_high) = (percent, 0);
    }
    // The paper has every term that counts; and who names the lowest df means it.
    let all = options.min_df.is_some() || options.preset == Preset::Paper;
    weighing::VocabularyRules { limits, most: if all { usize::MAX } else { MOST_TERMS } }
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
