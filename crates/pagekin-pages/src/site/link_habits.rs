//! How a site is published, judging by its links: without `.html`, as hosts of clean URLs serve
//! pages, and below which path.
//!
//! # Rules
//!
//! 1. At most 64 files are read, evenly spread over all files in the order of URLs. Files of more
//!    than 8 MiB are ignored.
//! 2. Each link to a file of the site, and the canonical URL of a page, is evidence of how pages
//!    are linked to. It is clean if the site has no file of this name, but one with `.html`
//!    appended. Links to folders are ignored.
//! 3. The site has clean URLs if at least 3 files contain clean evidence, and at least 9 of 10
//!    pieces of evidence are clean.
//! 4. A link that starts with one slash and does not lead to a file of the site is evidence that
//!    the site is published below a path, if removing up to three folders at its start makes it
//!    lead to one. The start page does not count, because every site has one.
//! 5. The site is published below a path if at least 3 files contain such evidence, and if more
//!    than half of the links that start with a slash start with that path and do not lead to a file
//!    as written.

use std::collections::{BTreeMap, BTreeSet};

use pagekin_core::address;
use pagekin_core::hash;
use pagekin_core::links::PageLinks;
use pagekin_core::page::PageText;
use rustc_hash::FxHashSet;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer, Stage};
use crate::site::html::{ReadPage, read_html_with_links};
use crate::site::links::Pointing;
use crate::site::listing::HtmlFile;
use crate::site::on_threads::in_order;
use crate::site::options::SiteOptions;
use crate::site::reader::{PageExtractor, PageOutcome, SiteOutline, read_files, sample};

/// Maximum number of files that are read.
const MAX_SAMPLED: usize = 64;
/// Minimum number of files with evidence.
const MIN_FILES: u64 = 3;
/// Minimum percentage of clean evidence.
const MIN_PERCENT: u64 = 90;
/// Maximum number of folders in the path below which a site is published: `/user/repository/docs/`.
const MAX_FOLDERS: usize = 3;

/// Maximum number of candidate paths per page.
const MAX_PREFIXES: usize = 4_096;

/// How a site links to its own pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkHabits {
    /// Whether links omit `.html` although the URLs of the index contain it.
    pub without_html: bool,
    /// The path below which the site is published, if it is not that of the base URL.
    pub published_below: Option<String>,
}

/// The evidence in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FileHabits {
    /// Number of clean URLs of pages.
    clean: u64,
    /// Number of URLs with `.html`.
    whole: u64,
    /// Number of links that start with a slash.
    rooted: u64,
    /// The paths below which the site is published according to these links.
    below: BTreeSet<String>,
    /// Number of these links that start with a path and do not lead to a file of the site.
    starts: BTreeMap<String, u64>,
}

/// The paths of the pages of a site.
struct SitePaths<'a> {
    paths: FxHashSet<&'a str>,
    /// The path of the base URL, without its trailing slash.
    base: &'a str,
}

/// Determines the habits from links and canonical URLs of `files`, which are sorted by URL.
pub fn find(
    files: &[HtmlFile],
    options: &SiteOptions,
    observer: &dyn Observer,
) -> Result<LinkHabits, Interrupted> {
    let paths = files.iter().map(|file| address::path(&file.url)).collect();
    let site = SitePaths { paths, base: address::path(&options.base_url).trim_end_matches('/') };
    let sample = sample(files, MAX_SAMPLED);
    let extractor = || HabitExtractor { site: &site };
    let outline = SiteOutline::new(&[], options.max_page_bytes).of_sample();
    let read = read_files(&sample, &outline, extractor, &HiddenSteps(observer))?;
    let habits = in_order(read).1.into_iter().filter_map(|read| match read.outcome {
        PageOutcome::Page(habits) => habits,
        PageOutcome::Skipped(_) | PageOutcome::Unreadable(_) => None,
    });
    let (mut clean_files, mut clean, mut all, mut rooted) = (0, 0, 0, 0);
    // By path: number of files with evidence, and number of links that start with it.
    let mut below: BTreeMap<String, u64> = BTreeMap::new();
    let mut starts: BTreeMap<String, u64> = BTreeMap::new();
    for file in habits {
        clean_files += u64::from(file.clean > 0);
        clean += file.clean;
        all += file.clean + file.whole;
        rooted += file.rooted;
        file.below.into_iter().for_each(|path| *below.entry(path).or_default() += 1);
        file.starts.into_iter().for_each(|(path, links)| *starts.entry(path).or_default() += links);
    }
    let links = |path: &str| starts.get(path).copied().unwrap_or(0);
    let is_below =
        |&(path, &files): &(&String, &u64)| files >= MIN_FILES && links(path) * 2 > rooted;
    Ok(LinkHabits {
        without_html: !options.clean_urls
            && clean_files >= MIN_FILES
            && clean * 100 >= all * MIN_PERCENT,
        published_below: below.iter().find(is_below).map(|(path, _)| path.clone()),
    })
}

/// Hides the steps of sampling, which do not belong to the current stage.
struct HiddenSteps<'a>(&'a dyn Observer);

impl Observer for HiddenSteps<'_> {
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        self.0.warn(message);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Extracts the evidence of files.
struct HabitExtractor<'a> {
    site: &'a SitePaths<'a>,
}

impl PageExtractor for HabitExtractor<'_> {
    type Around = PageLinks;
    type Kept = Option<FileHabits>;

    fn parse(&mut self, _: &HtmlFile, bytes: &[u8], _: &SiteOutline) -> (ReadPage, PageLinks) {
        read_html_with_links(bytes, None)
    }

    /// Pages that are not indexed have links, too.
    fn skip_reason(&self, _: &HtmlFile, _: &PageText, _: &SiteOutline) -> Option<SkipReason> {
        None
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        links: PageLinks,
    ) -> Result<Option<FileHabits>, SkipReason> {
        Ok(habits_of(file, self.site, read, &links))
    }
}

fn habits_of(
    file: &HtmlFile,
    site: &SitePaths<'_>,
    read: ReadPage,
    links: &PageLinks,
) -> Option<FileHabits> {
    let pointing = Pointing::from(&file.url, links.base.as_deref())?;
    let mut habits = FileHabits::default();
    let rooted = |href: &str| href.starts_with('/') && !href.starts_with("//");
    // Each path once, and whether a link to it starts with a slash.
    let mut met = FxHashSet::default();
    let linked = links.links.iter().filter_map(|link| {
        let (path, is_rooted) = (pointing.to(&link.href)?, rooted(&link.href));
        met.insert((hash::of_bytes(path.as_bytes()), is_rooted)).then_some((path, is_rooted))
    });
    for (path, is_rooted) in linked {
        habits.rooted += u64::from(is_rooted);
        if site.paths.contains(&*path) {
            habits.whole += u64::from(path.ends_with(".html"));
        } else if site.paths.contains(&*format!("{path}.html")) {
            habits.clean += 1;
        } else if is_rooted {
            for start in prefixes(&path) {
                let is_full = habits.starts.len() >= MAX_PREFIXES;
                match habits.starts.get_mut(start) {
                    Some(links) => *links += 1,
                    None if is_full => {}
                    None => _ = habits.starts.insert(start.to_owned(), 1),
                }
            }
            habits.below.extend(site.below(&path).map(str::to_owned));
        }
    }
    // The site may be published below any URL.
    let own = address::path(&file.url).rsplit('/').next().unwrap_or_default();
    let canonical = read.page.canonical.and_then(|canonical| pointing.to(&canonical));
    let named = canonical.as_deref().and_then(|path| path.rsplit('/').next());
    if let (Some(named), Some(stem)) = (named, own.strip_suffix(".html")) {
        habits.whole += u64::from(named == own);
        habits.clean += u64::from(named == stem);
    }
    Some(habits)
}

/// Returns the paths below which a site may be if `path` is one of its pages, shortest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').skip(1).take(MAX_FOLDERS).map(|(at, _)| &path[..=at])
}

impl SitePaths<'_> {
    /// Returns the path below which the site is published if `path` is one of its pages other than
    /// the start page. Hosts add the missing slash after a folder.
    fn below<'b>(&self, path: &'b str) -> Option<&'b str> {
        let is_page = |below: &&str| {
            let rest = &path[below.len() - 1..];
            let page = format!("{}{rest}", self.base);
            let is_there = |page: &str| self.paths.contains(page);
            rest != "/"
                && (is_there(&page)
                    || is_there(&format!("{page}.html"))
                    || is_there(&format!("{page}/")))
        };
        prefixes(path).find(is_page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::site::listing::{Naming, list};
    use std::fs;
    use std::path::Path;

    fn habits(pages: &[(&str, &str)], base_url: &str) -> LinkHabits {
        let site = tempfile::tempdir().unwrap();
        for (path, html) in pages {
            let path = site.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, html).unwrap();
        }
        let naming = Naming { base_url, clean: false };
        let listing = list(site.path(), Path::new(""), naming).unwrap();
        let options = SiteOptions { base_url: base_url.to_owned(), ..SiteOptions::default() };
        find(&listing.files, &options, &Silent).unwrap()
    }

    /// Checks a site with these pages.
    #[track_caller]
    fn check(pages: &[(&str, &str)], expected: bool) {
        for base_url in ["/", "https://x.org/docs/"] {
            assert_eq!(habits(pages, base_url).without_html, expected, "{base_url}");
        }
    }

    const WITHOUT: &str = "<a href=./b>b</a> <a href=c>c</a> <a href=./#top>home</a>";
    const WITH: &str = "<a href=b.html>b</a> <a href=c.html>c</a>";
    const CANONICAL: &str = "<link rel=canonical href='https://x.org/docs/b'>";

    #[test]
    fn links_without_endings_indicate_clean_urls() {
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", WITHOUT)], true);
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", "")], false);
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", WITH)], false);
        check(&[("a.html", WITH), ("b.html", WITH), ("c.html", WITH)], false);
        // Three files contain clean evidence, but others outweigh them.
        let all = ["a.html", "b.html", "c.html", "d.html", "e.html", "f.html", "g.html"];
        let mixed: Vec<_> =
            all.iter().map(|&page| (page, if page < "d" { WITHOUT } else { WITH })).collect();
        check(&mixed, false);
    }

    #[test]
    fn links_to_folders_and_files_without_endings_are_ignored() {
        let folders = "<a href=b>b</a> <a href=c/>c</a> <a href=LICENSE>license</a>";
        let pages = ["a/index.html", "b/index.html", "c/index.html", "d.html"];
        check(&pages.map(|page| (page, folders)), false);
    }

    #[test]
    fn canonical_urls_indicate_clean_urls() {
        let at = |page: &str| CANONICAL.replace("docs/b", &format!("docs/{page}"));
        let [a, b, c] = ["a", "b", "c"].map(at);
        check(&[("a.html", &a), ("b.html", &b), ("c.html", &c)], true);
        let [a, b, c] = ["a.html", "b.html", "c.html"].map(at);
        check(&[("a.html", &a), ("b.html", &b), ("c.html", &c)], false);
        // The canonical URL of another page.
        check(&[("a.html", CANONICAL), ("c.html", CANONICAL), ("d.html", CANONICAL)], false);
    }

    /// Checks a site whose three pages contain these links.
    #[track_caller]
    fn check_below(links: &str, base_url: &str, expected: Option<&str>) {
        let pages = ["index.html", "a/index.html", "b.html"].map(|page| (page, links));
        assert_eq!(habits(&pages, base_url).published_below.as_deref(), expected, "{links}");
    }

    #[test]
    fn links_from_the_root_indicate_the_path_of_the_site() {
        let docs = "<a href=/docs/>home</a> <a href=/docs/a/>a</a> <a href=/docs/b>b</a>";
        check_below(docs, "/", Some("/docs/"));
        check_below(docs, "https://x.org/", Some("/docs/"));
        check_below(docs, "/other/", Some("/docs/"));
        check_below(docs, "/docs/", None);
        check_below("<a href=/u/r/docs/a/>a</a>", "/", Some("/u/r/docs/"));
        // Without the trailing slash of a folder. Missing files are below the same path.
        check_below("<a href=/docs/>home</a> <a href=/docs/a>a</a>", "/", Some("/docs/"));
        let more = "<a href=/docs/a/>a</a> <a href=/docs/x.pdf>x</a> <a href=/docs/y/z>y</a>";
        check_below(more, "/", Some("/docs/"));
        check_below("<a href=/docs/a/>a</a> <a href=/b.html>b</a>", "/", None);
        check_below(
            "<a href=/blog/>blog</a> <a href=/shop/x/>shop</a> <a href=a/>a</a>",
            "/",
            None,
        );
        check_below("<a href=https://y.org/docs/a/>a</a> <a href=//y.org/docs/a/>a</a>", "/", None);
        assert_eq!(habits(&[("a/index.html", docs), ("b.html", docs)], "/").published_below, None);
    }
}
