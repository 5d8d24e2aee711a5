//! Builds the tree of a crawl. Its items are the flat clusters, and URLs without a cluster.
//!
//! The profile of a cluster is the sum of those of its URLs. The weight of a term is its count in a
//! bag to the power of 0.6, as for related pages. A cluster is represented by its center or, if the
//! center has no title, by another URL that was read. URLs are read once, sequentially, and the
//! stored data of a cluster is bounded.

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

/// Exponent of the count of a term in a bag.
const POWER: f64 = 0.6;
/// Maximum number of terms of all clusters.
const ALL_TERMS: usize = 1 << 24;
/// Maximum and minimum number of terms of a cluster.
const MAX_TERMS: usize = 256;
const MIN_TERMS: usize = 16;
/// The sums of a cluster are cut when they have `SLACK` times the maximum number of terms.
const SLACK: usize = 4;

/// The tree of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlTree {
    /// The topics. The first is the whole crawl, and each is before its subtopics.
    pub topics: Vec<Topic>,
}

/// A topic: similar clusters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topic {
    /// Words that distinguish the topic from its siblings, highest weight first. Empty for the
    /// whole crawl.
    pub label: Vec<Box<str>>,
    /// Whether the topic collects clusters that are dissimilar to all others.
    pub rest: bool,
    /// Number of the most central URL. It was read if any URL of the topic was.
    pub central: u32,
    /// Number of URLs of the topic.
    pub urls: u64,
    /// Direct subtopics, by index, largest first.
    pub topics: Vec<u32>,
    /// Flat clusters directly in the topic, as the number of the center and the number of URLs,
    /// largest first.
    pub clusters: Vec<(u32, u32)>,
}

/// Builds the tree of a crawl from its flat clusters.
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
        let Gathered { profiles, clusters: tree_clusters, shown } = gathered;
        let word = |term: u32| &terms[term as usize].1.word;
        let items = TreeItems {
            profiles: &profiles,
            terms: terms.len(),
            word: &|term| Some(&**word(term)),
            clusters: Some(tree_clusters),
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

/// The URL that represents a cluster, the last in this order.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    is_read: bool,
    is_center: bool,
    fragments: u32,
    url: Reverse<u32>,
}

/// The uses of a term in a cluster.
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

/// The uses of all terms in a cluster.
type Sum = Vec<(u32, TermUses)>;

/// The profile, the tree cluster and the representative URL of each cluster.
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
    let max = (ALL_TERMS / clusters.len().max(1)).clamp(MIN_TERMS, MAX_TERMS);
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
        let uses = |weight| TermUses { weight: weight / norm, urls: 1 };
        sum.extend(weights.into_iter().map(|(term, weight)| (term, uses(weight))));
        if clusters[at].1 == 1 || sum.len() > SLACK * max {
            cut(sum, if clusters[at].1 == 1 { max } else { SLACK / 2 * max });
        }
        step(observer)?;
    }
    let cluster = |((mut sum, shown), pages): ((Sum, Shown), u32)| {
        cut(&mut sum, max);
        sum.sort_unstable_by_key(|&(term, _)| term);
        let page_counts = if pages == 1 { &[][..] } else { &sum };
        let page_counts = page_counts.iter().map(|(_, uses)| uses.urls).collect();
        let profile = scaled(sum.iter().map(|&(term, uses)| (term, uses.weight)).collect(), max);
        (profile, (TreeCluster { pages, page_counts, shown: shown.is_read }, shown.url.0))
    };
    let pages = clusters.iter().map(|&(_, pages)| pages);
    let (profiles, others): (Vec<_>, Vec<_>) = all.into_iter().zip(pages).map(cluster).unzip();
    let (clusters, shown) = others.into_iter().unzip();
    Ok(Gathered { profiles: Rows::new(profiles), clusters, shown })
}

/// Adds up the uses of each term and keeps the `max` terms with the highest weights.
fn cut(sum: &mut Sum, max: usize) {
    add_up(sum);
    if sum.len() > max {
        sum.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then(a.0.cmp(&b.0)));
        sum.truncate(max);
    }
    sum.shrink_to_fit();
}
