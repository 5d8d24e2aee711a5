//! The flat clusters of a crawl into its tree: its items are clusters, and URLs alone.
//!
//! The profile of a cluster is the sum of those of its URLs, whose weights are the copies of their
//! bags to the power of 0.6, as for related pages. A cluster is shown by its center, or, if nothing
//! has a title there, by another URL that was read. URLs are read once, one after the other, and
//! what is kept of a cluster is bounded.

use std::cmp::Reverse;
use std::ops::AddAssign;

use pagekin_core::vocabulary::TermId;
use pagekin_pages::pool::in_pool;
use pagekin_pages::progress::step;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::cosine::scaled;
use pagekin_pairs::hierarchy::{Node, Tree, TreeCluster, TreeItems, add_up};
use pagekin_pairs::rows::Rows;
use rustc_hash::FxHashMap;

use crate::folder::read::CrawlFolder;
use crate::tree::error::TreeError;

/// The weight of copies.
const POWER: f64 = 0.6;
/// The terms of all clusters, and the most and the least of one.
const ALL_TERMS: usize = 1 << 24;
const MAX_TERMS: usize = 256;
const MIN_TERMS: usize = 16;
/// So many times what is kept of a cluster is added up before it is cut.
const SLACK: usize = 4;

/// The tree of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlTree {
    /// The whole crawl first, and each before what is below it.
    pub topics: Vec<Topic>,
}

/// Clusters that are alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topic {
    /// The words that tell it from its siblings, the heaviest first; none of the whole crawl.
    pub label: Vec<Box<str>>,
    /// Whether it has what is like nothing else.
    pub rest: bool,
    /// The number of the URL in its middle, which was read if any below it was.
    pub central: u32,
    /// The URLs below it.
    pub urls: u64,
    /// The topics right below it, by their places, the largest first.
    pub topics: Vec<u32>,
    /// The flat clusters right below it: the number of the center of each, and its URLs; the
    /// largest first.
    pub clusters: Vec<(u32, u32)>,
}

/// Makes the tree of a crawl of its flat clusters.
///
/// # Errors
///
/// If the crawl cannot be read.
pub fn crawl_tree(
    crawl: &mut CrawlFolder,
    threads: Option<usize>,
    observer: &dyn Observer,
) -> Result<CrawlTree, TreeError> {
    crawl.of_pages()?;
    in_pool(threads, || {
        let terms = crawl.terms()?;
        let centers = crawl.centers()?;
        let mut sizes: Vec<u32> = vec![0; centers.len()];
        centers.iter().for_each(|&center| sizes[center as usize] += 1);
        let clusters: Vec<(u32, u32)> = (0..).zip(sizes).filter(|&(_, size)| size > 0).collect();
        let ids: Vec<TermId> = terms.iter().map(|term| term.0).collect();
        let gathered = gather(crawl, &centers, &clusters, &ids, observer)?;
        let Gathered { profiles, clusters: told, shown } = gathered;
        let word = |term: u32| &terms[term as usize].1.word;
        let items = TreeItems {
            profiles: &profiles,
            terms: terms.len(),
            word: &|term| Some(&**word(term)),
            clusters: Some(told),
        };
        observer.stage(Stage::Nesting, profiles.len() as u64);
        let tree = Tree::new(&items, &|| step(observer))?;
        let topic = |node: &Node| {
            let mut of: Vec<(u32, u32)> =
                node.items.iter().map(|&item| clusters[item as usize]).collect();
            of.sort_by_key(|&(center, size)| (Reverse(size), center));
            Topic {
                label: node.label.iter().map(|&term| word(term).clone()).collect(),
                rest: node.rest,
                central: shown.get(node.central as usize).map_or(0, |&url| url),
                urls: node.pages,
                topics: node.children.clone(),
                clusters: of,
            }
        };
        Ok(CrawlTree { topics: tree.nodes.iter().map(topic).collect() })
    })
}

/// The URL that a cluster is shown by: the last in this order.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    is_read: bool,
    is_center: bool,
    fragments: u32,
    url: Reverse<u32>,
}

/// What is said of a term in a cluster.
#[derive(Clone, Copy)]
struct TermUses {
    weight: f64,
    urls: u32,
}

impl AddAssign for TermUses {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.urls += other.urls;
    }
}

/// What is said in a cluster.
type Sum = Vec<(u32, TermUses)>;

/// Of each cluster its profile, what else a tree needs of it, and the URL that it is shown by.
struct Gathered {
    profiles: Rows<u16>,
    clusters: Vec<TreeCluster>,
    shown: Vec<u32>,
}

fn gather(
    crawl: &CrawlFolder,
    centers: &[u32],
    clusters: &[(u32, u32)],
    terms: &[TermId],
    observer: &dyn Observer,
) -> Result<Gathered, TreeError> {
    observer.stage(Stage::Reading, centers.len() as u64);
    let most = (ALL_TERMS / clusters.len().max(1)).clamp(MIN_TERMS, MAX_TERMS);
    let numbers: FxHashMap<TermId, u32> = terms.iter().copied().zip(0..).collect();
    let mut all: Vec<(Sum, Shown)> = vec![Default::default(); clusters.len()];
    for (number, (url, &center)) in (0..).zip(crawl.urls()?.zip(centers)) {
        let url = url?;
        let at = clusters.binary_search_by_key(&center, |&(center, _)| center);
        let at = at.map_err(|_| crawl.damaged_urls("centers that are URLs of the crawl"))?;
        let (sum, shown) = &mut all[at];
        *shown = (*shown).max(Shown {
            is_read: !url.title.is_empty(),
            is_center: number == center,
            fragments: url.fragments,
            url: Reverse(number),
        });
        let weights: Vec<(u32, f64)> = url
            .bag
            .iter()
            .filter_map(|(term, copies)| {
                Some((*numbers.get(term)?, libm::pow(f64::from(*copies), POWER)))
            })
            .collect();
        let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        let said = |weight| TermUses { weight: weight / norm, urls: 1 };
        sum.extend(weights.into_iter().map(|(term, weight)| (term, said(weight))));
        if clusters[at].1 == 1 || sum.len() > SLACK * most {
            cut(sum, if clusters[at].1 == 1 { most } else { SLACK / 2 * most });
        }
        step(observer)?;
    }
    let cluster = |((mut sum, shown), pages): ((Sum, Shown), u32)| {
        cut(&mut sum, most);
        sum.sort_unstable_by_key(|&(term, _)| term);
        let bearing = if pages == 1 { &[][..] } else { &sum };
        let bearing = bearing.iter().map(|(_, said)| said.urls).collect();
        let profile = scaled(sum.iter().map(|&(term, said)| (term, said.weight)).collect(), most);
        (profile, (TreeCluster { pages, bearing, shown: shown.is_read }, shown.url.0))
    };
    let pages = clusters.iter().map(|&(_, pages)| pages);
    let (profiles, others): (Vec<_>, Vec<_>) = all.into_iter().zip(pages).map(cluster).unzip();
    let (clusters, shown) = others.into_iter().unzip();
    Ok(Gathered { profiles: Rows::new(profiles), clusters, shown })
}

/// Adds up what is said of each term, and keeps the heaviest.
fn cut(sum: &mut Sum, most: usize) {
    add_up(sum);
    if sum.len() > most {
        sum.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then(a.0.cmp(&b.0)));
        sum.truncate(most);
    }
    sum.shrink_to_fit();
}
