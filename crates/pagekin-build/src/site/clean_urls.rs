//! Whether a site calls its own pages without `.html`, as hosts of clean URLs serve them.
//!
//! # Rules
//!
//! 1. At most 64 files are read, evenly spread over all in the order of their addresses.
//! 2. A page says how a page is called by each of its links to a file of the site, and by its canonical address. What it says
//!    is clean if the site has no such file, but one with `.html` behind the name. Links to folders say nothing.
//! 3. The site has clean URLs if at least 3 files say so, and at least 9 of 10 of what all say is clean.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use pagekin_core::address;

use crate::error::BuildError;
use crate::progress::Observer;
use crate::site::html::read_html_with_links;
use crate::site::links::Pointing;
use crate::site::listing::HtmlFile;
use crate::site::read::read_file;

/// The most files that are looked at.
const MOST_SAMPLED: usize = 64;
/// The fewest files that must say so.
const LEAST_FILES: u64 = 3;
/// And in per cent of what is said.
const LEAST_PERCENT: u64 = 90;

/// What a file says: how many addresses of pages are clean, and how many have `.html`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Said {
    clean: u64,
    whole: u64,
}

/// Whether links and canonical addresses of `files`, whose addresses have `.html`, are without.
pub(crate) fn are_used(
    files: &[HtmlFile],
    max_page_bytes: u64,
    observer: &dyn Observer,
) -> Result<bool, BuildError> {
    let paths: FxHashSet<&str> = files.iter().map(|file| address::path(&file.url)).collect();
    if !paths.iter().any(|path| path.ends_with(".html")) {
        return Ok(false);
    }
    let n = files.len().min(MOST_SAMPLED);
    let sample: Vec<&HtmlFile> = (0..n).map(|at| &files[at * files.len() / n]).collect();
    let said: Vec<Said> = sample
        .par_iter()
        .map_init(Vec::new, |bytes, file| {
            if observer.cancelled() {
                return Said::default();
            }
            said_by(file, &paths, max_page_bytes, bytes).unwrap_or_default()
        })
        .collect();
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    let (mut say_so, mut clean, mut all) = (0, 0, 0);
    for said in said {
        say_so += u64::from(said.clean > 0);
        clean += said.clean;
        all += said.clean + said.whole;
    }
    Ok(say_so >= LEAST_FILES && clean * 100 >= all * LEAST_PERCENT)
}

fn said_by(
    file: &HtmlFile,
    paths: &FxHashSet<&str>,
    max_page_bytes: u64,
    bytes: &mut Vec<u8>,
) -> Option<Said> {
    read_file(&file.path, max_page_bytes, bytes).ok().filter(|&whole| whole)?;
    let (read, links) = read_html_with_links(bytes, None);
    let pointing = Pointing::from(&file.url, links.base.as_deref())?;
    let linked: FxHashSet<String> =
        links.links.iter().filter_map(|link| pointing.to(&link.href)).collect();
    let mut said = Said::default();
    for path in linked {
        if paths.contains(&*path) {
            said.whole += u64::from(path.ends_with(".html"));
        } else {
            said.clean += u64::from(paths.contains(&*format!("{path}.html")));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::site::listing::{Naming, list};
    use std::fs;
    use std::path::Path;

    /// A site whose pages are these.
    #[track_caller]
    fn check(pages: &[(&str, &str)], expected: bool) {
        let site = tempfile::tempdir().unwrap();
        for (path, html) in pages {
            let path = site.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, html).unwrap();
        }
        for base_url in ["/", "https://x.org/docs/"] {
            let naming = Naming { base_url, clean: false };
            let listing = list(site.path(), Path::new(""), naming).unwrap();
            assert_eq!(are_used(&listing.files, 1_000, &Silent).unwrap(), expected, "{base_url}");
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
    }

    #[test]
    fn files_without_an_ending_and_folders_are_no_pages_without_one() {
        let folders = "<a href=b>b</a> <a href=c/>c</a> <a href=LICENSE>licence</a>";
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
}
