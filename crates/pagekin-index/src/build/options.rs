//! The options of a build.

use std::path::{Component as Part, Path, PathBuf};

use pagekin_core::terms::Language;
use pagekin_core::{DEFAULT_SEED, address};
use pagekin_pages::site::languages;
use pagekin_pages::{OptionError, SiteOptions};

use crate::build::error::BuildError;
use crate::mirrors::options::Mirrors;

/// The options of a build.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The folder of the built site. For [`build_pages`](crate::build_pages), the file that
    /// contains the pages, if any; for `build_crawl`, the output of `pagekin_crawl::cluster`.
    pub site: PathBuf,
    /// The output folder: new, empty or an earlier output.
    pub output: PathBuf,
    /// How the site is read. For the pages of a source, these options apply except for names and
    /// sizes of files. For a crawl, they are ignored.
    pub reading: SiteOptions,
    /// The language tag of pages that declare none. By default English in Latin script, and
    /// otherwise the most common language of the page's script.
    pub lang: Option<String>,
    /// Read all pages in `lang`, whatever they declare.
    pub force_lang: bool,
    /// A file of pages from another program, or `-` for standard input: see
    /// [`Records`](pagekin_pages::Records). [`build`](fn@crate::build) indexes them with those of
    /// the site. Of pages with the same URL, that of the site counts.
    pub records: Option<PathBuf>,
    /// The seed of the hash family.
    pub seed: u64,
    /// Keep text that is repeated on many pages. By default, blocks of text that at least 20% of
    /// the pages contain, such as menus without a `<nav>` element, are removed.
    pub keep_repeated: bool,
    /// Keep the name of the site in titles. By default, what nearly all titles start or end with,
    /// such as ` | My docs`, is removed.
    pub keep_title_suffix: bool,
    /// Pages per block, 1 to 128. By default, blocks have about the same size in bytes. Lookups
    /// read whole blocks, so smaller blocks cost fewer bytes and more files.
    pub block_pages: Option<u32>,
    /// How shards are stored in files.
    pub layout: Layout,
    /// An earlier index of the site to reuse, which may be `output`. Pages keep their places and
    /// terms their weights, so that few files change. On a small site, new words do not count until
    /// the index is rebuilt from scratch. If the index is missing or cannot be reused, the new one
    /// is built from scratch.
    pub previous: Option<PathBuf>,
    /// Number of related pages stored for each page, 0 to [`BuildOptions::MAX_RELATED`]; 0
    /// disables related pages.
    pub related_count: u32,
    /// Write LSH tables, which find pages similar to whole pages. By default, only for more than
    /// 100,000 pages.
    pub tables: Option<bool>,
    /// Write text sketches, from which lookups estimate how much of a text is on the pages that
    /// they find.
    pub sketches: bool,
    /// The elements whose scripts are written, by their names in [`Assets::components`]. Unknown
    /// names are ignored.
    pub components: Vec<String>,
    /// Also write the related pages as `related.json`, for site generators.
    pub related_json: bool,
    /// Also write the index, the demo, the lab and the texts of the pages as a single HTML file
    /// that works from disk. Only for a site folder with at most 2,000 pages.
    pub offline_bundle: Option<PathBuf>,
    /// Let visitors store the index and the demo in their browsers, with a control in the demo and
    /// a list of the files.
    pub offline: bool,
    /// Also write a browse page with nested topics of similar pages.
    pub tree: bool,
    /// A file of JSON lines, each with a page, a term and a weight. Pages are found by these terms
    /// in addition to those of their texts. Terms count as words of the page's language; the weight
    /// is added to the term's [emphasis](pagekin_core::fit).
    pub terms: Option<PathBuf>,
    /// A file of JSON lines, each with a page or a word, and a vector. Pages with vectors are
    /// related by the cosine of these, the others by their terms. Quadratic in the number of pages.
    /// If there are words, the vectors also rank pages, instead of those of the English table.
    pub embeddings: Option<PathBuf>,
    /// The hosts to spread the index over, each with a folder in the output. By default, the
    /// output's own folder has the whole index.
    pub mirrors: Option<Mirrors>,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl BuildOptions {
    /// The default of `related_count`.
    pub const RELATED_COUNT: u32 = 5;
    /// The maximum of `related_count`. On a large site, a page is compared with 64 others, which
    /// reliably include this number of its most similar pages.
    pub const MAX_RELATED: u32 = 16;

    /// The default of `components`: the search box and related pages.
    pub const COMPONENTS: [&str; 2] = ["box", "related"];

    /// Returns the defaults for a site and an output.
    #[must_use]
    pub fn new(site: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            site: site.into(),
            output: output.into(),
            reading: SiteOptions::default(),
            lang: None,
            force_lang: false,
            records: None,
            seed: DEFAULT_SEED,
            keep_repeated: false,
            keep_title_suffix: false,
            block_pages: None,
            layout: Layout::Files,
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

    /// Changes some options: `BuildOptions::new(site, output).with(|options| options.seed = 7)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// How shards are stored in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Each shard is a file. This works on any host.
    #[default]
    Files,
    /// Shards are in a few large files, from which clients request byte ranges. This requires a
    /// host that supports them.
    Packs,
}

/// The files of the client and the demo. Some depend on the languages of the index and on options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Assets<'a> {
    /// Files of every output.
    pub always: &'a [AssetFile<'a>],
    /// Elements for the site's pages. [`BuildOptions::components`] chooses those of an output.
    pub components: &'a [Component<'a>],
    /// Files with the English stemmer only, for an index whose languages need no other.
    pub english: &'a [AssetFile<'a>],
    /// Files with all stemmers, for every other index.
    pub all_languages: &'a [AssetFile<'a>],
    /// Files of an output that visitors can store.
    pub offline: &'a [AssetFile<'a>],
    /// Files of the browse page.
    pub tree: &'a [AssetFile<'a>],
    /// Replacements for the files with the same paths if the index is spread over mirrors.
    pub mirrored: &'a [AssetFile<'a>],
    /// The page of an offline bundle, without the files of an index. Empty if there is none.
    pub bundle: &'a str,
    /// The WebAssembly module of the lab in an offline bundle.
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

    /// The names of the elements that an output lacks.
    pub(crate) fn unwritten(&self, components: &[String]) -> Vec<String> {
        let unwritten = self.components.iter().filter(|one| !one.is_among(components));
        unwritten.map(|component| component.name.to_owned()).collect()
    }
}

/// An element for the site's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Component<'a> {
    /// The name: `box` for `<pagekin-box>`, whose script is `box.js`.
    pub name: &'a str,
    /// The script, and the files that it needs.
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
    /// The path in the output, with `/` between folders.
    pub path: &'a str,
    /// The contents.
    pub bytes: &'a [u8],
}

/// Returns the path of the output below the folder of the site, as part of a URL:
/// [`Manifest::place`].
///
/// [`Manifest::place`]: pagekin_core::shard::Manifest::place
pub(crate) fn place_of(options: &BuildOptions) -> String {
    let BuildOptions { site, output, reading, .. } = options;
    let [site, output] = [site, output].map(|path| std::path::absolute(path).unwrap_or_default());
    let below = output.strip_prefix(&site).unwrap_or(Path::new(""));
    let mut place = String::new();
    for part in below {
        place.push_str(&address::written(&part.to_string_lossy()));
        place.push('/');
    }
    let is_plain = below.components().all(|part| matches!(part, Part::Normal(_)));
    let known = is_plain && site.is_dir() && reading.base_url.starts_with('/');
    if known { place } else { String::new() }
}

/// Returns the path of the site's folder relative to the output, with slashes: [`FileList::site`].
/// `None` if it would publish names of folders of this machine: if the output is not in the site,
/// and they are not both in the current folder, as in a project.
///
/// [`FileList::site`]: pagekin_pages::output::file_list::FileList::site
pub(crate) fn site_of(options: &BuildOptions) -> Option<String> {
    let site = options.site.canonicalize().ok().filter(|site| site.is_dir())?;
    let output = std::path::absolute(&options.output).ok()?;
    let output = output.parent()?.canonicalize().ok()?.join(output.file_name()?);
    let current = std::env::current_dir().ok()?.canonicalize().ok()?;
    let is_project = site.starts_with(&current) && output.starts_with(&current);
    let path =
        pathdiff::diff_paths(&site, &output).filter(|_| is_project || output.starts_with(&site))?;
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/")).filter(|path| !path.contains(['\n', '\r']))
}

/// Refuses options that are out of range.
pub(crate) fn check(options: &BuildOptions) -> Result<(), BuildError> {
    let refuse =
        |option, expected, found: String| Err(OptionError { option, expected, found }.into());
    if let Some(lang) = &options.lang {
        languages::named(lang)?;
    }
    if options.force_lang && options.lang.is_none() {
        return refuse("force-lang", "a language in lang", "none".to_owned());
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
    if options.related_count > BuildOptions::MAX_RELATED {
        return refuse("related-count", "0 to 16", options.related_count.to_string());
    }
    if options.embeddings.is_some() && options.related_count == 0 {
        return refuse("related-count", "at least 1 with embeddings", "0".to_owned());
    }
    Ok(())
}

/// Refuses options that need the texts of pages, if these are unknown.
#[cfg(feature = "crawl")]
pub(crate) fn check_without_texts(options: &BuildOptions) -> Result<(), BuildError> {
    let given = [("terms", &options.terms), ("embeddings", &options.embeddings)];
    let expected = "a site: for the pages of a crawl, this file is not read";
    match given.into_iter().find_map(|(option, file)| Some((option, file.as_ref()?))) {
        Some((option, file)) => {
            Err(OptionError { option, expected, found: file.display().to_string() }.into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_output_is_known_only_below_its_site() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path();
        let place = |output: &str, base_url: &str| {
            let mut options = BuildOptions::new(site, site.join(output));
            options.reading.base_url = base_url.to_owned();
            place_of(&options)
        };
        assert_eq!(place("pagekin", "/"), "pagekin/");
        assert_eq!(place("a b/pagekin", "/docs/"), "a%20b/pagekin/");
        assert_eq!(place("", "/"), "");
        assert_eq!(place("../pagekin", "/"), "");
        assert_eq!(place("pagekin", "https://example.org/docs/"), "");
        assert_eq!(place("pagekin", ""), "");
        assert_eq!(place_of(&BuildOptions::new("", "pagekin")), "");
        assert_eq!(place_of(&BuildOptions::new(site.join("pages.jsonl"), site.join("out"))), "");
    }
}
