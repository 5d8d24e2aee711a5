//! Builds an index from the files of a site, or from the pages of a source.

use std::path::Path;

use pagekin_pages::site::blocks::Repeated;
use pagekin_pages::site::exclude::Exclude;
use pagekin_pages::site::files::SiteFiles;
use pagekin_pages::site::own_scripts::UnwrittenScripts;
use pagekin_pages::site::read::ParsedSite;
use pagekin_pages::site::reader::{ParsedFiles, SiteOutline};
use pagekin_pages::site::template_canonicals;
use pagekin_pages::site::{link_habits, read, repeated};
use pagekin_pages::{Input, Observer, PageSource, Records, SkipReason, Stage};
use rustc_hash::FxHashSet;

use crate::build::error::BuildError;
use crate::build::options::{Assets, BuildOptions};
use crate::build::pages::weigh::WeightedSite;
use crate::build::stages;
use crate::build::stages::no_pages;
use crate::build::summary::{Remark, Summary, UnwrittenScript};
use crate::build::work;
use crate::build::work::Work;

/// Builds the index of a site.
///
/// # Example
///
/// ```
/// use pagekin_index::{Assets, BuildOptions, LocalIndex, build};
/// use pagekin_pages::Silent;
/// use pagekin_core::LookupOptions;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = tempfile::tempdir()?;
/// # let output = place.path().join("index");
/// let options = BuildOptions::new("../../tests/site", &output);
/// let summary = build(&options, &Assets::default(), &Silent)?;
/// assert_eq!(summary.pages, 68);
///
/// let mut index = LocalIndex::open(&output)?;
/// let text = "feed a sourdough starter in the evening";
/// let answer = index.similar_to_text(text, "en", LookupOptions::default())?;
/// assert_eq!(answer.results[0].title, "Sourdough loaf");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns a [`BuildError`]. The earlier output is unchanged in every case.
pub fn build(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    build_files(options, assets, observer, |work, exclude| {
        let mut files = list_files(work, exclude)?;
        let Some(records) = &options.records else { return Ok((files, None)) };
        let Records { files: others, folder } = list_records(work, records, exclude)?;
        files.extend(others, &mut work.skipped);
        Ok((files, Some(folder)))
    })
}

/// Builds the index of [pages from another program](Records), which
/// [`BuildOptions::site`] names: a file, or `-` for standard input.
///
/// # Errors
///
/// Returns a [`BuildError`]. The earlier output is unchanged in every case.
pub fn build_records(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    build_files(options, assets, observer, |work, exclude| {
        let Records { files, folder } = list_records(work, &options.site, exclude)?;
        Ok((files, folder))
    })
}

/// Builds an index from the files that `list` returns, which exist as long as its second value.
fn build_files<G>(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
    list: impl FnOnce(&mut Work<'_>, &mut Exclude<'_>) -> Result<(SiteFiles, G), BuildError> + Send,
) -> Result<Summary, BuildError> {
    work::run(options, || {
        let mut work = Work::begin(options, assets, observer)?;
        let mut exclude = Exclude::new(&options.reading.exclude)?;
        observer.stage(Stage::Listing, 0);
        let (mut found, _folder) = list(&mut work, &mut exclude)?;
        exclude.warn_of_unmatched(observer);
        let staging = work::begin_output(options)?;
        let reading = read_files(&mut work, &mut found)?;
        stages::index(work, reading, found.html_files, staging)
    })
}

/// Weights the pages of a site as a build does, without writing anything. Also returns the number
/// of HTML files.
pub fn weigh_site(
    options: &BuildOptions,
    observer: &dyn Observer,
) -> Result<(WeightedSite, u64), BuildError> {
    let assets = Assets::default();
    let mut work = Work::begin(options, &assets, observer)?;
    let mut exclude = Exclude::new(&options.reading.exclude)?;
    observer.stage(Stage::Listing, 0);
    let mut found = list_files(&mut work, &mut exclude)?;
    exclude.warn_of_unmatched(observer);
    let reading = read_files(&mut work, &mut found)?;
    let weighted = stages::weighted(&mut work, reading, None);
    weighted.map(|site| (site, found.html_files)).ok_or_else(|| no_pages(&work, found.html_files))
}

/// Lists the HTML files of a site, without the excluded ones.
fn list_files(work: &mut Work<'_>, exclude: &mut Exclude<'_>) -> Result<SiteFiles, BuildError> {
    let BuildOptions { site, output, reading, .. } = work.options;
    let (skipped, observer) = (&mut work.skipped, work.observer);
    Ok(SiteFiles::list(site, output, reading, exclude, skipped, observer)?)
}

/// Reads pages from another program, without the excluded ones.
fn list_records(
    work: &mut Work<'_>,
    path: &Path,
    exclude: &mut Exclude<'_>,
) -> Result<Records, BuildError> {
    let reading = &work.options.reading;
    let (base_url, most) = (&reading.base_url, reading.max_page_bytes);
    let keeps = |url: &str| !exclude.has_url(url, base_url);
    let input = Input::from_arg(path.as_os_str());
    Ok(Records::read(&input, base_url, most, keeps, &mut work.skipped)?)
}

fn read_files(work: &mut Work<'_>, found: &mut SiteFiles) -> Result<ParsedSite, BuildError> {
    let (options, observer) = (work.options, work.observer);
    let files = &found.files;
    let mut outline = SiteOutline::new(files, options.reading.max_page_bytes);
    outline.selectors = options.reading.selectors()?;
    outline.template_canonicals = template_canonicals::find(files, &outline, observer)?;
    let (mut repeated, mut parsed) = (Repeated::default(), ParsedFiles::default());
    if !options.keep_repeated {
        (repeated, work.repeated, parsed) = repeated::find(files, &outline, observer)?;
    }
    work.habits = link_habits::find(files, &options.reading, observer)?;
    if options.offline_bundle.is_some() {
        work.files.clone_from(files);
    }
    let unwritten = UnwrittenScripts {
        names: work.assets.unwritten(&options.components),
        folder: options.output.file_name().map(|name| name.to_string_lossy().into_owned()),
    };
    let (site, repeated, parsed, unwritten) = (&outline, &repeated, &parsed, &unwritten);
    let base_url = &options.reading.base_url;
    let files = read::HtmlFiles { files, site, base_url, repeated, parsed, unwritten };
    let mut reading = work.read(&files, std::mem::take(&mut found.unreadable))?;
    work.unwritten = UnwrittenScript::new(std::mem::take(&mut reading.unwritten));
    work.remarks = Remark::new(std::mem::take(&mut reading.remarks));
    outline.selectors.warn_of_unmatched(observer);
    // As in Pagefind, a site that marks the body of some pages excludes the others.
    if outline.selectors.choose_roots() || reading.drafts.iter().any(|draft| draft.marked) {
        work.retain(&mut reading, SkipReason::Unmarked, |draft| draft.marked);
    }
    // Pages may name URLs of their own. The first page with a URL is kept.
    let mut urls = FxHashSet::default();
    work.retain(&mut reading, SkipReason::DuplicateUrl, |draft| urls.insert(draft.url.clone()));
    work.repeated.left_out = reading.left_out;
    Ok(reading)
}

/// Builds an index from the pages of `source`. Options about HTML files apply to its pages, except
/// for `max_page_bytes`.
///
/// # Example
///
/// ```
/// use pagekin_index::{Assets, BuildOptions, build_pages};
/// use pagekin_pages::{Silent, SourcePage};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = tempfile::tempdir()?;
/// # let output = place.path().join("index");
/// let page = |url: &str, text: &str| SourcePage {
///     url: url.to_owned(),
///     title: String::new(),
///     lang: "en".to_owned(),
///     text: text.to_owned(),
/// };
/// let pages = vec![page("/rye", "Rye rises slowly."), page("/peas", "Sow peas early.")];
/// let options = BuildOptions::new("", &output).with(|options| options.related_count = 1);
/// assert_eq!(build_pages(&options, &pages, &Assets::default(), &Silent)?.pages, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns a [`BuildError`]. The earlier output is unchanged in every case.
pub fn build_pages(
    options: &BuildOptions,
    source: &dyn PageSource,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    work::run(options, || {
        let mut work = Work::begin(options, assets, observer)?;
        let staging = work::begin_output(options)?;
        let pages = read::SourcePages { source, base_url: &options.reading.base_url };
        let mut exclude = Exclude::new(&options.reading.exclude)?;
        work.skipped.came_in(source.count());
        let mut reading = work.read(&pages, Vec::new())?;
        work.retain(&mut reading, SkipReason::Excluded, |draft| {
            !exclude.has_url(&draft.url, pages.base_url)
        });
        exclude.warn_of_unmatched(observer);
        // The sort is stable, so the first of several pages with the same URL is kept.
        reading.drafts.sort_by(|a, b| a.url.cmp(&b.url));
        let mut last = String::new();
        work.retain(&mut reading, SkipReason::DuplicateUrl, |draft| {
            std::mem::replace(&mut last, draft.url.clone()) != draft.url
        });
        stages::index(work, reading, source.count(), staging)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_pages::{Silent, SiteError, SkipReason, SourcePage};
    use std::io;
    use std::path::PathBuf;

    /// A source of similar pages: each shares all but one word with the next.
    pub(crate) struct Neighbors(pub(crate) u64);

    impl PageSource for Neighbors {
        fn count(&self) -> u64 {
            self.0
        }

        fn page(&self, at: u64) -> io::Result<SourcePage> {
            let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
            let word = |number: u64| {
                let digits = [number / 100, number / 10, number];
                digits.map(|digit| syllables[(digit % 10) as usize]).concat()
            };
            Ok(SourcePage {
                url: format!("/{at}.html"),
                title: format!("Page {at}"),
                lang: "en".to_owned(),
                text: (at..at + 8).map(word).collect::<Vec<_>>().join(" "),
            })
        }

        fn name(&self, at: u64) -> PathBuf {
            at.to_string().into()
        }
    }

    fn known(pages: &[(&str, &str)]) -> Vec<SourcePage> {
        let page = |&(url, text): &(&str, &str)| SourcePage {
            url: url.to_owned(),
            title: format!("At {url}"),
            lang: "en".to_owned(),
            text: text.to_owned(),
        };
        pages.iter().map(page).collect()
    }

    const PAGES: [(&str, &str); 3] = [
        ("/b.html", "Rye bread rises slowly."),
        ("/a/", "Wheat bread rises in an hour."),
        ("/c.html", "Barns burn."),
    ];

    #[test]
    fn indexes_of_html_and_of_its_text_are_equal() {
        let place = tempfile::tempdir().unwrap();
        let site = place.path().join("site");
        std::fs::create_dir_all(site.join("a")).unwrap();
        for (url, text) in PAGES {
            let file = if url.ends_with('/') { "a/index.html" } else { &url[1..] };
            let html = format!("<html lang=en><title>At {url}</title><main>{text}</main>");
            std::fs::write(site.join(file), html).unwrap();
        }
        let options = BuildOptions::new(&site, place.path().join("html"));
        let of_html = build(&options, &Assets::default(), &Silent).unwrap();
        let options = BuildOptions::new("", place.path().join("texts"));
        let of_texts = build_pages(&options, &known(&PAGES), &Assets::default(), &Silent).unwrap();
        assert_eq!((of_texts.pages, of_texts.generation), (3, of_html.generation));
    }

    #[test]
    fn duplicate_urls_are_skipped() {
        let place = tempfile::tempdir().unwrap();
        let twice = [PAGES[0], PAGES[1], PAGES[2], ("/a/index.html", "Something else.")];
        let build = |pages: &[(&str, &str)], output: &str| {
            let options = BuildOptions::new("", place.path().join(output));
            build_pages(&options, &known(pages), &Assets::default(), &Silent).unwrap()
        };
        let (once, twice) = (build(&PAGES, "once"), build(&twice, "twice"));
        assert_eq!(twice.generation, once.generation);
        let twice = &twice.ledger.skipped[&SkipReason::DuplicateUrl];
        assert_eq!((twice.count, twice.first()), (1, "/a"));
    }

    #[test]
    fn a_url_outside_the_site_fails_the_build() {
        let place = tempfile::tempdir().unwrap();
        let mut options = BuildOptions::new("", place.path().join("out"));
        options.reading.base_url = "https://x.org/docs/".to_owned();
        let pages = known(&[("https://x.org/docs/a", "Bread"), ("https://x.org/docs2", "Rye")]);
        let error = build_pages(&options, &pages, &Assets::default(), &Silent).unwrap_err();
        assert!(
            matches!(&error, BuildError::Site(SiteError::Unreadable { count: 1, example, .. }) if example.as_os_str() == "page 1"),
            "{error}"
        );
    }
}
