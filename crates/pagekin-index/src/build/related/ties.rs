//! Ties between pages that people made: pages in the same folder, linked to each other, linked from
//! the same pages, or mentioned by their titles. Tied pages are more closely related than their
//! words suggest:
//!
//! ```text
//! score(a, b)   = similarity(a, b)
//!                 (1 + F [same folder] + L [one links to the other] + C cocitation(a, b)
//!                    + M mention(a, b))
//!
//! cocitation(a, b) = |in(a) and in(b)| / sqrt(|in(a)| |in(b)|)
//!                    in(a): the pages that link to a
//! mention(a, b)    = min(1, sum of ln(N / df(t)) / ln N) if a's text has all terms t of b's title,
//!                    else 0; so 1 for a title with a rare name, or with several words
//! ```
//!
//! F, L, C and M are [`TieWeights`]. Measured by links that were excluded from the ties, more of
//! the related pages are linked and cocited than with similarity alone (end of
//! `evaluate/README.md`).
//!
//! The *folder* of a page is its URL without the last segment: `/guide/` for `/guide/setup.html`
//! and `/guide/setup/`. But `/guide/` itself is in `/guide/` if pages such as `/guide/setup.html`
//! are.

use pagekin_core::address;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::link_graph::LinkGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::profiles::step;

/// The weights of ties, each at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TieWeights {
    /// Both pages are in one folder.
    pub folder: f32,
    /// One page links to the other.
    pub linked: f32,
    /// All pages that link to one page link to the other.
    pub cocited: f32,
    /// The first page's text contains the second's title.
    pub mentioned: f32,
    /// All other pages rank below the second page.
    pub rank: f32,
}

impl Default for TieWeights {
    /// The weights for related pages. Ranks improve one site and worsen others: see
    /// `evaluate/README.md`.
    fn default() -> Self {
        Self { folder: 0.2, linked: 0.8, cocited: 1.0, mentioned: 0.5, rank: 0.0 }
    }
}

/// The folder of each page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders(Vec<u32>);

impl Folders {
    /// Takes the URLs of pages.
    pub fn from_urls<'a>(urls: impl Iterator<Item = &'a str> + Clone) -> Self {
        let paths = urls.map(address::path);
        let of_files: FxHashSet<&str> =
            paths.clone().filter(|path| !path.ends_with('/')).map(before_last).collect();
        let folder = |path| if of_files.contains(path) { path } else { before_last(path) };
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let numbered = paths.map(folder).map(|folder| {
            let next = numbers.len() as u32;
            *numbers.entry(folder).or_insert(next)
        });
        Self(numbered.collect())
    }

    pub(crate) fn are_same(&self, a: u32, b: u32) -> bool {
        self.0[a as usize] == self.0[b as usize]
    }
}

/// A path without its last segment.
fn before_last(path: &str) -> &str {
    let end = path.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
    &path[..end]
}

/// Mentions of pages by their titles.
#[derive(Debug, Clone, Default)]
pub struct Mentions {
    /// For each page the terms of its text that occur in a title, ascending.
    texts: Vec<Vec<TermId>>,
    /// For each page the terms of its title, and the weight of a mention.
    titles: Vec<(Vec<TermId>, f32)>,
}

impl Mentions {
    /// Takes the terms of the titles and texts of pages. Those of a page are distinct, and those of
    /// its text ascending.
    pub fn new<T: Iterator<Item = TermId>>(
        titles: Vec<Vec<TermId>>,
        texts: impl Iterator<Item = T>,
    ) -> Self {
        let mut dfs: FxHashMap<TermId, u32> =
            titles.iter().flatten().map(|&term| (term, 0)).collect();
        let in_titles = |text: T| {
            let mut known = Vec::new();
            for term in text {
                if let Some(df) = dfs.get_mut(&term) {
                    *df += 1;
                    known.push(term);
                }
            }
            known.shrink_to_fit();
            known
        };
        let texts: Vec<_> = texts.map(in_titles).collect();
        let all = step(titles.len() as f64).max(2.0);
        let rarity = |term: &TermId| libm::log(all / step(f64::from(dfs[term].max(1)))).max(0.0);
        let weighted = |title: Vec<TermId>| {
            let sum: f64 = title.iter().map(rarity).sum();
            (title, (sum / libm::log(all)).min(1.0) as f32)
        };
        Self { texts, titles: titles.into_iter().map(weighted).collect() }
    }

    /// Takes the pages of an index.
    pub(crate) fn from_pages(pages: &[&WeightedPage]) -> Self {
        let titles = pages.iter().map(|page| page.title_only.clone()).collect();
        let texts = pages
            .iter()
            .map(|page| page.terms.iter().filter(|term| !term.is_outside).map(|term| term.id));
        Self::new(titles, texts)
    }

    /// How much `a` mentions `b`, from 0 to 1.
    fn mention(&self, a: u32, b: u32) -> f32 {
        let (Some(text), Some((title, weight))) =
            (self.texts.get(a as usize), self.titles.get(b as usize))
        else {
            return 0.0;
        };
        if title.iter().all(|term| text.binary_search(term).is_ok()) { *weight } else { 0.0 }
    }
}

/// The ties between the pages of a site.
#[derive(Debug, Clone)]
pub struct Ties<'a> {
    /// The folders of the pages.
    pub folders: &'a Folders,
    /// The links between the pages.
    pub links: &'a LinkGraph,
    /// For each page the share of other pages that rank below it; empty if ranks have no weight.
    pub ranks: &'a [f32],
    /// The titles of the pages; empty if mentions have no weight.
    pub mentions: &'a Mentions,
    /// The weight of each tie.
    pub weights: TieWeights,
}

impl Ties<'_> {
    /// The factor by which ties raise the similarity of `b` to `a`; 1 without ties.
    pub fn factor(&self, a: u32, b: u32) -> f32 {
        let TieWeights { folder, linked, cocited, mentioned, rank } = self.weights;
        let mut factor = 1.0;
        if rank > 0.0 {
            factor += rank * self.ranks[b as usize];
        }
        if folder > 0.0 && self.folders.are_same(a, b) {
            factor += folder;
        }
        if linked > 0.0 && self.links.are_linked(a, b) {
            factor += linked;
        }
        if cocited > 0.0 {
            let both = self.links.cocitations(a, b);
            if both > 0 {
                let of = |page| self.links.linking_to(page).len() as f32;
                // Only uses operations that round equally on all machines.
                factor += cocited * both as f32 / (of(a) * of(b)).sqrt();
            }
        }
        if mentioned > 0.0 {
            factor += mentioned * self.mentions.mention(a, b);
        }
        factor
    }
}

#[cfg(test)]
mod tests {
    use pagekin_core::shard::PageTerm;

    use super::*;

    #[track_caller]
    fn check_folders(urls: &[&str], expected: &[u32]) {
        assert_eq!(Folders::from_urls(urls.iter().copied()).0, expected);
    }

    #[test]
    fn folders_of_files_and_of_clean_urls_are_found() {
        check_folders(&["/a/b.html", "/a/c.html", "/d.html", "/a/", "/"], &[0, 0, 1, 0, 1]);
        check_folders(&["/a/b/", "/a/c/", "/a/", "/", "https://x.org/a/d/"], &[0, 0, 1, 2, 0]);
        check_folders(&["", "b", "c/d"], &[0, 0, 1]);
    }

    #[test]
    fn a_page_mentions_another_if_it_contains_all_of_its_title() {
        let page = |text: &[TermId], title: &[TermId]| WeightedPage {
            terms: text.iter().map(|&term| PageTerm::from_text(term, 0)).collect(),
            title_only: title.to_vec(),
            ..WeightedPage::default()
        };
        let mut pages = vec![page(&[1, 2, 3], &[1]), page(&[1], &[2, 3]), page(&[2, 5], &[5])];
        pages.resize_with(16, || page(&[9], &[9]));
        // A term of links to the page, not of its own text.
        pages[1].terms.push(PageTerm { is_outside: true, ..PageTerm::from_text(5, 0) });
        let mentions = Mentions::from_pages(&pages.iter().collect::<Vec<_>>());
        // Terms 2 and 3 are on two pages and one: log 8 and log 16, which sum to more than log 16.
        assert_eq!([mentions.mention(0, 1), mentions.mention(2, 1)], [1.0, 0.0]);
        assert_eq!([mentions.mention(1, 2), mentions.mention(1, 0)], [0.0, 0.75]);
        // The title of thirteen pages, rounded to steps: log sqrt 2.
        assert_eq!(mentions.mention(4, 3), 0.125);
        assert_eq!(Mentions::default().mention(0, 1), 0.0);
    }

    #[test]
    fn ties_add_up() {
        // Page 0 cocites 2 and 3, and page 1 also links to 3.
        let links = LinkGraph::new(vec![vec![2, 3], vec![3], vec![], vec![], vec![]], &[false; 5]);
        let folders = Folders(vec![0, 0, 1, 1, 2]);
        let weights =
            TieWeights { folder: 0.5, linked: 0.25, cocited: 1.0, mentioned: 0.0, rank: 0.0 };
        let mentions = Mentions::default();
        let (folders, links) = (&folders, &links);
        let ties = Ties { folders, links, ranks: &[], mentions: &mentions, weights };
        assert_eq!(ties.factor(0, 1), 1.5);
        assert_eq!([ties.factor(0, 2), ties.factor(2, 0)], [1.25; 2]);
        assert_eq!(ties.factor(2, 3), 1.5 + 1.0 / 2f32.sqrt());
        assert_eq!(ties.factor(1, 4), 1.0);
        let weights = TieWeights { rank: 2.0, ..weights };
        let ties = Ties { ranks: &[0.0, 0.0, 0.75, 1.0, 0.25], weights, ..ties };
        assert_eq!([ties.factor(1, 4), ties.factor(4, 1)], [1.5, 1.0]);
    }
}
