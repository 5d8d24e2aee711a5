//! What to build, from what, and how.

use std::path::PathBuf;

use pagekin_core::terms::Language;
use pagekin_core::{DEFAULT_SEED, address};
use pagekin_pages::site::languages;
use pagekin_pages::{OptionError, SiteOptions};

use crate::build::error::BuildError;
use crate::mirrors::options::Mirrors;

/// What to build, from what, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The folder of the built site; for [`build_pages`](crate::build_pages), the
    /// file its pages come from, if any; for `build_crawl`, the output of `pagekin_crawl::cluster`.
    pub site: PathBuf,
    /// The output folder: new, empty or an earlier output.
    pub output: PathBuf,
    /// How the site is read. Of the pages of a source, what is said of files applies to them,
    /// except their names and their size; of a crawl, nothing does.
    pub reading: SiteOptions,
    /// The language tag of pages that declare none; by default English in Latin letters, and else
    /// the most common language of the script of each.
    pub lang: Option<String>,
    /// The seed of the hash family.
    pub seed: u64,
    /// Keep the text that stands on many pages; by default, blocks of text that at least 20 % of
    /// the pages have, such as menus that no element says to be such, are left out of them.
    pub keep_repeated: bool,
    /// Keep the name of the site in titles; by default, what nearly all titles begin or end with,
    /// such as ` | My docs`, is left out.
    pub keep_title_suffix: bool,
    /// Pages per block, 1 to 128; by default blocks have about the same size in bytes. A lookup
    /// reads whole blocks: smaller ones cost fewer bytes and more files.
    pub block_pages: Option<u32>,
    /// How shards are stored in files.
    pub layout: Layout,
    /// Maximum number of files, at least 200: with more files, lookups on a large site read fewer
    /// bytes. There are never more than a third of the pages or 2,500, whichever is larger.
    pub max_files: u32,
    /// An earlier index of the site to reuse, which may be `output`: pages keep their places and
    /// terms their weights, so that few files change; on a small site, new words count only after a
    /// rebuild from scratch. If the index is missing or cannot be reused, the new one is built from
    /// scratch.
    pub previous: Option<PathBuf>,
    /// Number of related pages stored for each page, 0 to [`BuildOptions::MAX_RELATED`]; 0
    /// disables related pages.
    pub related_count: u32,
    /// Write LSH tables, by which similar whole pages are found; by default for more than 100,000
    /// pages.
    pub tables: Option<bool>,
    /// Write text sketches, by which a lookup estimates how much of a text is on the pages it
    /// finds.
    pub sketches: bool,
    /// The elements whose scripts are written, by their names in [`Assets::components`]; those that
    /// it does not have are ignored.
    pub components: Vec<String>,
    /// Also write the related pages as `related.json`, for site generators.
    pub related_json: bool,
    /// Also write the index, the demo, the lab and the texts of the pages as one HTML file that
    /// works when it is opened from disk; of at most 2,000 pages of a folder.
    pub offline_bundle: Option<PathBuf>,
    /// Let visitors keep the index and the demo in their browsers: the demo offers it, and a list
    /// of the files is written.
    pub offline: bool,
    /// Write a page to browse the site by: a tree of topics, by which pages are alike.
    pub tree: bool,
    /// A file of JSON lines, each with a page, a term and a weight: terms that pages are found by
    /// beside those of their texts. Each counts as a word of the page's language; the weight is
    /// added to what the term [stands out by](pagekin_core::fit).
    pub terms: Option<PathBuf>,
    /// A file of JSON lines, each with a page and a vector: pages that have one are related by the
    /// cosine of their vectors, the others by their terms. Quadratic in the pages.
    pub embeddings: Option<PathBuf>,
    /// The hosts that the index is spread over, each with a folder in the output; by default all of
    /// it is in the output's own.
    pub mirrors: Option<Mirrors>,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl BuildOptions {
    /// The default of `max_files`: as many as common hosts accept.
    pub const MAX_FILES: u32 = 20_000;
    /// The least `max_files`.
    pub const MIN_FILES: u32 = 200;
    /// The default of `related_count`.
    pub const RELATED_COUNT: u32 = 5;
    /// The maximum of `related_count`: a page of a large site is compared with 64 others, of which
    /// so many are reliably its best.
    pub const MAX_RELATED: u32 = 16;

    /// The default of `components`: the search box and related pages.
    pub const COMPONENTS: [&str; 2] = ["box", "related"];

    /// The defaults for a site and an output.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            site: site.into(),
            output: output.into(),
            reading: SiteOptions::default(),
            lang: None,
            seed: DEFAULT_SEED,
            keep_repeated: false,
            keep_title_suffix: false,
            block_pages: None,
            layout: Layout::Files,
            max_files: Self::MAX_FILES,
            previous: None,
            related_count: Self::RELATED_COUNT,
            tables: None,
            sketches: true,
            components: Self::COMPONENTS.map(str::to_owned).into(),
            related_json: false,
            offline_bundle: None,
            offline: false,
            tree: false,
            terms: None,
            embeddings: None,
            mirrors: None,
            threads: None,
        }
    }

    /// These options with some of them changed:
    /// `BuildOptions::new(site, output).with(|options| options.seed = 7)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// How shards become files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Each shard is a file: any host will do.
    #[default]
    Files,
    /// Shards are in few large files, of which a client asks for ranges of bytes: for hosts that
    /// honor them.
    Packs,
}

/// The files that go into the output beside the index, the demo and the client, by the languages of
/// the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Assets<'a> {
    /// Those of every output.
    pub always: &'a [AssetFile<'a>],
    /// The elements that pages may have, of which an output has those that
    /// [`BuildOptions::components`] names.
    pub components: &'a [Component<'a>],
    /// Those that know no stemmer but English's: for an index without a language that needs
    /// another.
    pub english: &'a [AssetFile<'a>],
    /// Those that know all stemmers: for every other index.
    pub all_languages: &'a [AssetFile<'a>],
    /// Those of an output that visitors can keep.
    pub offline: &'a [AssetFile<'a>],
    /// Those of an output with a tree of topics.
    pub tree: &'a [AssetFile<'a>],
    /// Those that stand in the place of others of these paths if the index is spread over mirrors.
    pub mirrored: &'a [AssetFile<'a>],
    /// The page of an offline bundle, without the files of an index; empty if there is none.
    pub bundle: &'a str,
    /// The module of the lab in such a bundle.
    pub bundled_lab: &'a [u8],
}

impl<'a> Assets<'a> {
    /// The files of an index in these languages, with the elements of these names.
    pub(crate) fn of(
        &self,
        languages: &[(Language, u32)],
        components: &'a [String],
    ) -> impl Iterator<Item = &'a AssetFile<'a>> {
        let all = languages.iter().any(|(language, _)| language.needs_all_languages());
        let client = self.always.iter().chain(if all { self.all_languages } else { self.english });
        let written = self.components.iter().filter(|one| one.is_among(components));
        client.chain(written.flat_map(|component| component.files))
    }

    /// The names of the elements that an output does not have.
    pub(crate) fn unwritten(&self, components: &[String]) -> Vec<String> {
        let unwritten = self.components.iter().filter(|one| !one.is_among(components));
        unwritten.map(|component| component.name.to_owned()).collect()
    }
}

/// An element that pages may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Component<'a> {
    /// Its name: `box` is `<pagekin-box>`, whose script is `box.js`.
    pub name: &'a str,
    /// Its script, and what that needs.
    pub files: &'a [AssetFile<'a>],
}

impl Component<'_> {
    fn is_among(&self, names: &[String]) -> bool {
        names.iter().any(|name| name == self.name)
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

/// Refuses options that are out of their range.
pub(crate) fn check(options: &BuildOptions) -> Result<(), BuildError> {
    let refuse =
        |option, expected, found: String| Err(OptionError { option, expected, found }.into());
    if let Some(lang) = &options.lang {
        languages::named(lang)?;
    }
    if !address::is_base(&options.reading.base_url) {
        let expected = "a path such as /docs/, or a URL such as https://example.org/docs/";
        return refuse("base-url", expected, options.reading.base_url.clone());
    }
    if let Some(pages) = options.block_pages
        && !(1..=128).contains(&pages)
    {
        return refuse("block-pages", "1 to 128", pages.to_string());
    }
    if options.max_files < BuildOptions::MIN_FILES {
        return refuse("max-files", "at least 200", options.max_files.to_string());
    }
    if options.related_count > BuildOptions::MAX_RELATED {
        return refuse("related-count", "0 to 16", options.related_count.to_string());
    }
    if options.embeddings.is_some() && options.related_count == 0 {
        return refuse("related-count", "at least 1 with embeddings", "0".to_owned());
    }
    Ok(())
}

/// Refuses options that need the texts of pages, for those that have none.
#[cfg(feature = "crawl")]
pub(crate) fn check_without_texts(options: &BuildOptions) -> Result<(), BuildError> {
    let given = [("terms", &options.terms), ("embeddings", &options.embeddings)];
    let expected = "a site: the pages of a crawl take nothing from files";
    match given.into_iter().find_map(|(option, file)| Some((option, file.as_ref()?))) {
        Some((option, file)) => {
            Err(OptionError { option, expected, found: file.display().to_string() }.into())
        }
        None => Ok(()),
    }
}
