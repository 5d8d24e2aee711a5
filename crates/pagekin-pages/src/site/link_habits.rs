//! What the links of a site say of how it is published: without `.html`, as hosts of clean URLs
//! serve pages, and below which path.
//!
//! # Rules
//!
//! 1. At most 64 files are read, evenly spread over all in the order of their addresses. Files of
//!    more than 8 MiB say nothing.
//! 2. A page says how a page is called by each of its links to a file of the site, and by its
//!    canonical address. What it says is clean if the site has no such file, but one with `.html`
//!    behind the name. Links to folders say nothing.
//! 3. The site has clean URLs if at least 3 files say so, and at least 9 of 10 of what all say is
//!    clean.
//! 4. A link that begins with one slash and leads to no file of the site says that the site is
//!    published below a path, if without up to three folders at its beginning it leads to one, but
//!    for the first page: every site has one.
//! 5. The site is published below a path if at least 3 files say so, and more than half of the
//!    links that begin with a slash begin with that path and lead to no file as they are.

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

/// The most files that are looked at.
const MAX_SAMPLED: usize = 64;
/// The fewest files that must say so.
const MIN_FILES: u64 = 3;
/// And in per cent of what is said of names.
const MIN_PERCENT: u64 = 90;
/// The most folders of the path below which a site is published: `/user/repository/docs/`.
const MAX_FOLDERS: usize = 3;

/// Maximum number of paths of a page below which the site may be.
const MAX_BEGINNINGS: usize = 4_096;

/// How a site calls its own pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkHabits {
    /// Without `.html`, while addresses have it.
    pub without_html: bool,
    /// Below this path, which is not that of the base URL.
    pub published_below: Option<String>,
}

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FileHabits {
    /// How many addresses of pages are clean.
    clean: u64,
    /// And how many have `.html`.
    whole: u64,
    /// How many links begin with a slash.
    rooted: u64,
    /// The paths that the site is below by some of these.
    below: BTreeSet<String>,
    /// How many of these begin with a path, and lead to no file of the site.
    begin: BTreeMap<String, u64>,
}

/// The files of a site by the paths of their pages.
struct SitePaths<'a> {
    paths: FxHashSet<&'a str>,
    /// The path of the base URL, without the slash at its end.
    base: &'a str,
}

/// What links and canonical addresses of `files`, which are in the order of their addresses, say.
pub fn find(
    files: &[HtmlFile],
    options: &SiteOptions,
    observer: &dyn Observer,
) -> Result<LinkHabits, Interrupted> {
    let paths = files.iter().map(|file| address::path(&file.url)).collect();
    let site = SitePaths { paths, base: address::path(&options.base_url).trim_end_matches('/') };
    let sample = sample(files, MAX_SAMPLED);
    let keeper = || HabitExtractor { site: &site };
    let outline = SiteOutline::new(&[], options.max_page_bytes).of_sample();
    let read = read_files(&sample, &outline, keeper, &Unheard(observer))?;
    let said = in_order(read).1.into_iter().filter_map(|read| match read.outcome {
        PageOutcome::Page(said) => said,
        PageOutcome::Skipped(_) | PageOutcome::Unreadable(_) => None,
    });
    let (mut say_so, mut clean, mut all, mut rooted) = (0, 0, 0, 0);
    // By path: how many files say so, and how many links begin with it.
    let mut below: BTreeMap<String, u64> = BTreeMap::new();
    let mut begin: BTreeMap<String, u64> = BTreeMap::new();
    for said in said {
        say_so += u64::from(said.clean > 0);
        clean += said.clean;
        all += said.clean + said.whole;
        rooted += said.rooted;
        said.below.into_iter().for_each(|path| *below.entry(path).or_default() += 1);
        said.begin.into_iter().for_each(|(path, links)| *begin.entry(path).or_default() += links);
    }
    let links = |path: &str| begin.get(path).copied().unwrap_or(0);
    let is_below =
        |&(path, &files): &(&String, &u64)| files >= MIN_FILES && links(path) * 2 > rooted;
    Ok(LinkHabits {
        without_html: !options.clean_urls
            && say_so >= MIN_FILES
            && clean * 100 >= all * MIN_PERCENT,
        published_below: below.iter().find(is_below).map(|(path, _)| path.clone()),
    })
}

/// Tells nobody of its steps: they are none of the current stage.
struct Unheard<'a>(&'a dyn Observer);

impl Observer for Unheard<'_> {
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        self.0.warn(message);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Takes what files say.
struct HabitExtractor<'a> {
    site: &'a SitePaths<'a>,
}

impl PageExtractor for HabitExtractor<'_> {
    type Around = PageLinks;
    type Kept = Option<FileHabits>;

    fn parse(&mut self, _: &HtmlFile, bytes: &[u8]) -> (ReadPage, PageLinks) {
        read_html_with_links(bytes, None)
    }

    /// What is no page of the index has links too.
    fn set_aside(&self, _: &HtmlFile, _: &PageText, _: &SiteOutline) -> Option<SkipReason> {
        None
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        links: PageLinks,
    ) -> Result<Option<FileHabits>, SkipReason> {
        Ok(said_by(file, self.site, read, &links))
    }
}

fn said_by(
    file: &HtmlFile,
    site: &SitePaths<'_>,
    read: ReadPage,
    links: &PageLinks,
) -> Option<FileHabits> {
    let pointing = Pointing::from(&file.url, links.base.as_deref())?;
    let mut said = FileHabits::default();
    let rooted = |href: &str| href.starts_with('/') && !href.starts_with("//");
    // Each path once, and whether a link to it begins with a slash.
    let mut met = FxHashSet::default();
    let linked = links.links.iter().filter_map(|link| {
        let (path, is_rooted) = (pointing.to(&link.href)?, rooted(&link.href));
        met.insert((hash::of_bytes(path.as_bytes()), is_rooted)).then_some((path, is_rooted))
    });
    for (path, is_rooted) in linked {
        said.rooted += u64::from(is_rooted);
        if site.paths.contains(&*path) {
            said.whole += u64::from(path.ends_with(".html"));
        } else if site.paths.contains(&*format!("{path}.html")) {
            said.clean += 1;
        } else if is_rooted {
            for begin in beginnings(&path) {
                let is_full = said.begin.len() >= MAX_BEGINNINGS;
                match said.begin.get_mut(begin) {
                    Some(links) => *links += 1,
                    None if is_full => {}
                    None => _ = said.begin.insert(begin.to_owned(), 1),
                }
            }
            said.below.extend(site.below(&path).map(str::to_owned));
        }
    }
    // The site may be published below any address.
    let own = address::path(&file.url).rsplit('/').next().unwrap_or_default();
    let canonical = read.page.canonical.and_then(|canonical| pointing.to(&canonical));
    let named = canonical.as_deref().and_then(|path| path.rsplit('/').next());
    if let (Some(named), Some(stem)) = (named, own.strip_suffix(".html")) {
        said.whole += u64::from(named == own);
        said.clean += u64::from(named == stem);
    }
    Some(said)
}

/// The paths below which a site may be if this path is of one of its pages, shortest first.
fn beginnings(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').skip(1).take(MAX_FOLDERS).map(|(at, _)| &path[..=at])
}

impl SitePaths<'_> {
    /// The path below which the site is published if this is the path of one of its pages, but the
    /// first. Hosts add the slash that is missing behind a folder.
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
        beginnings(path).find(is_page)
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

    /// A site whose pages are these.
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
    fn links_without_endings_to_files_say_so() {
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", WITHOUT)], true);
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", "")], false);
        check(&[("a.html", WITHOUT), ("b.html", WITHOUT), ("c.html", WITH)], false);
        check(&[("a.html", WITH), ("b.html", WITH), ("c.html", WITH)], false);
        // Three say so, and more say that it is not so.
        let all = ["a.html", "b.html", "c.html", "d.html", "e.html", "f.html", "g.html"];
        let mixed: Vec<_> =
            all.iter().map(|&page| (page, if page < "d" { WITHOUT } else { WITH })).collect();
        check(&mixed, false);
    }

    #[test]
    fn files_without_an_ending_and_folders_are_no_pages_without_one() {
        let folders = "<a href=b>b</a> <a href=c/>c</a> <a href=LICENSE>license</a>";
        let pages = ["a/index.html", "b/index.html", "c/index.html", "d.html"];
        check(&pages.map(|page| (page, folders)), false);
    }

    #[test]
    fn canonical_addresses_say_so_too() {
        let at = |page: &str| CANONICAL.replace("docs/b", &format!("docs/{page}"));
        let [a, b, c] = ["a", "b", "c"].map(at);
        check(&[("a.html", &a), ("b.html", &b), ("c.html", &c)], true);
        let [a, b, c] = ["a.html", "b.html", "c.html"].map(at);
        check(&[("a.html", &a), ("b.html", &b), ("c.html", &c)], false);
        // Another page's.
        check(&[("a.html", CANONICAL), ("c.html", CANONICAL), ("d.html", CANONICAL)], false);
    }

    /// Of a site whose three pages have these links.
    #[track_caller]
    fn check_below(links: &str, base_url: &str, expected: Option<&str>) {
        let pages = ["index.html", "a/index.html", "b.html"].map(|page| (page, links));
        assert_eq!(habits(&pages, base_url).published_below.as_deref(), expected, "{links}");
    }

    #[test]
    fn links_from_the_root_say_below_which_path_a_site_is() {
        let docs = "<a href=/docs/>home</a> <a href=/docs/a/>a</a> <a href=/docs/b>b</a>";
        check_below(docs, "/", Some("/docs/"));
        check_below(docs, "https://x.org/", Some("/docs/"));
        check_below(docs, "/other/", Some("/docs/"));
        check_below(docs, "/docs/", None);
        check_below("<a href=/u/r/docs/a/>a</a>", "/", Some("/u/r/docs/"));
        // Without the slash of a folder; and what the site has not is below the same path.
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
