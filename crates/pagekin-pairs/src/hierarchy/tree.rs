//! Builds a tree level by level.
//!
//! The profile of a cluster is computed from the sum of the profiles of its pages: the weights of
//! its [`TERMS`] heaviest terms to the power of [`POWER`], scaled.
//!
//! - Levels are added until there are at most [`TOP`] clusters, or until their number no longer
//!   decreases. If there are still too many, the smaller ones become children of a separate node
//!   for miscellaneous topics.
//! - A node with a single child is replaced by the child.
//! - The central item of a node is the item most similar to its sum, among those that can be shown
//!   if there are any.
//! - The children of a node are ordered by their number of pages, largest first.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::cosine::{Profiles, scaled};
use crate::hierarchy::{labels, level};
use crate::rows::{Rows, add_up};

/// Number of heaviest terms in the profile of a cluster.
const TERMS: usize = 256;
/// The exponent that reduces the influence of a few heavy terms.
const POWER: f64 = 0.7;
/// The approximate ratio of the numbers of nodes of consecutive levels.
const BRANCHING: usize = 8;
/// Maximum number of nodes at the top.
const TOP: usize = 12;
/// A level with more than this share of the nodes below it is discarded, and ends the tree.
const PROGRESS: (usize, usize) = (9, 10);

/// The items of a tree: pages, or the flat clusters of a crawl.
pub struct TreeItems<'a> {
    /// The profile of each item.
    pub profiles: &'a Rows<u16>,
    /// An upper bound of term numbers.
    pub terms: usize,
    /// Returns the word for a term, if it may be in a label.
    pub word: labels::Word<'a>,
    /// Additional data for each item. `None` if each item is one page that can be shown.
    pub clusters: Option<Vec<TreeCluster>>,
}

/// A flat cluster as an item of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TreeCluster {
    /// Number of pages of the cluster.
    pub pages: u32,
    /// The number of these pages that contain each term of its profile, in the order of the
    /// profile. Empty if all pages contain all terms.
    pub page_counts: Vec<u32>,
    /// Whether the cluster has a page that can represent a topic.
    pub shown: bool,
}

impl TreeItems<'_> {
    fn cluster(&self, item: usize) -> Option<&TreeCluster> {
        self.clusters.as_ref().map(|clusters| &clusters[item])
    }

    fn pages(&self) -> Vec<u64> {
        let pages = |item| self.cluster(item).map_or(1, |cluster| u64::from(cluster.pages));
        (0..self.profiles.len()).map(pages).collect()
    }

    /// Returns the item most similar to a sum, among those that can be shown if there are any. Ties
    /// go to the lower number.
    fn most_central(&self, candidates: impl Iterator<Item = u32>, sum: &[(u32, f32)]) -> u32 {
        let similarity = |item: u32| {
            let row = self.profiles.row(item as usize).iter();
            row.filter_map(|&(term, weight)| {
                let at = sum.binary_search_by_key(&term, |&(term, _)| term).ok()?;
                Some(f32::from(weight) * sum[at].1)
            })
            .sum::<f32>()
        };
        let is_hidden = |item: u32| self.cluster(item as usize).is_some_and(|item| !item.shown);
        let best = candidates.map(|item| (is_hidden(item), similarity(item), item));
        best.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)))
            .map_or(0, |(.., item)| item)
    }

    /// Returns the number of pages of each node that contain the terms of its sum, given the node
    /// of each item.
    fn page_counts(&self, sums: &[Vec<(u32, f32)>], nodes: &[u32]) -> Vec<Vec<u64>> {
        let mut page_counts: Vec<Vec<u64>> = sums.iter().map(|sum| vec![0; sum.len()]).collect();
        for (item, &node) in nodes.iter().enumerate() {
            let (sum, page_counts) = (&sums[node as usize], &mut page_counts[node as usize]);
            let of_all = self.cluster(item).map_or(1, |cluster| cluster.pages);
            let counts = self.cluster(item).map_or(&[][..], |cluster| &cluster.page_counts);
            for (place, (term, _)) in self.profiles.row(item).iter().enumerate() {
                if let Ok(at) = sum.binary_search_by_key(term, |&(term, _)| term) {
                    page_counts[at] += u64::from(counts.get(place).copied().unwrap_or(of_all));
                }
            }
        }
        page_counts
    }
}

/// A tree over items: pages, or the flat clusters of a crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tree {
    /// The nodes. The root is first, and each node precedes its descendants.
    pub nodes: Vec<Node>,
    /// For each level, lowest first, the cluster of each item.
    pub levels: Vec<Vec<u32>>,
}

/// A node of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// The child nodes, largest first.
    pub children: Vec<u32>,
    /// The items directly in this node, ascending.
    pub items: Vec<u32>,
    /// Number of pages in this node and its descendants.
    pub pages: u64,
    /// The central item.
    pub central: u32,
    /// The terms of the label.
    pub label: Vec<u32>,
    /// Whether this is the node for miscellaneous topics.
    pub rest: bool,
}

/// A level while the tree is built.
struct Layer {
    /// The sum of the profiles of each node's pages.
    sums: Vec<Vec<(u32, f32)>>,
    /// The number of these pages that contain each term of a sum; empty for the lowest level.
    page_counts: Vec<Vec<u64>>,
    pages: Vec<u64>,
    /// The central item of each node.
    central: Vec<u32>,
    /// The nodes of the level below in each node; empty for the lowest level.
    members: Vec<Vec<u32>>,
}

impl Tree {
    /// Builds a tree of items.
    ///
    /// # Errors
    ///
    /// Returns the first error of `step`, which is called once per node of each level.
    pub fn new<E: Send>(
        items: &TreeItems<'_>,
        step: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let mut layers = vec![Layer::from_items(items)];
        let mut levels: Vec<Vec<u32>> = Vec::new();
        loop {
            let layer = &layers[layers.len() - 1];
            let n = layer.sums.len();
            if n <= TOP {
                break;
            }
            let profiles = Profiles::new(layer.profiles(), items.terms);
            let centers = level::cluster(&profiles, (n / BRANCHING).max(TOP), step)?;
            let mut next = layer.joined(&centers, items);
            if next.sums.len() * PROGRESS.1 > n * PROGRESS.0 {
                break;
            }
            let mut of = vec![0; n];
            for (node, members) in (0..).zip(&next.members) {
                members.iter().for_each(|&member| of[member as usize] = node);
            }
            let level = match levels.last() {
                Some(below) => below.iter().map(|&node| of[node as usize]).collect(),
                None => of,
            };
            next.page_counts = items.page_counts(&next.sums, &level);
            levels.push(level);
            layers.push(next);
        }
        let nodes = TreeBuilder { layers: &layers, items }.build();
        Ok(Self { nodes, levels })
    }
}

impl Layer {
    fn from_items(items: &TreeItems<'_>) -> Self {
        let pages = items.pages();
        let sum = |(row, &pages): (&[(u32, u16)], &u64)| {
            row.iter().map(|&(term, weight)| (term, f32::from(weight) * pages as f32)).collect()
        };
        Self {
            sums: items.profiles.iter().zip(&pages).map(sum).collect(),
            page_counts: Vec::new(),
            central: (0..items.profiles.len() as u32).collect(),
            members: Vec::new(),
            pages,
        }
    }

    fn profiles(&self) -> Rows<u16> {
        let profile = |sum: &Vec<(u32, f32)>| {
            let weigh = |&(term, weight): &(u32, f32)| (term, libm::pow(f64::from(weight), POWER));
            scaled(sum.iter().map(weigh).collect(), TERMS)
        };
        Rows::new(self.sums.par_iter().map(profile).collect())
    }

    /// Returns the level above, given the center of each node.
    fn joined(&self, centers: &[u32], items: &TreeItems<'_>) -> Self {
        let mut by_center: Vec<(u32, u32)> = centers.iter().copied().zip(0..).collect();
        by_center.sort_unstable();
        let members: Vec<Vec<u32>> = by_center
            .chunk_by(|a, b| a.0 == b.0)
            .map(|cluster| cluster.iter().map(|&(_, node)| node).collect())
            .collect();
        let sums: Vec<Vec<(u32, f32)>> =
            members.par_iter().map(|members| self.sum(members)).collect();
        let central = members
            .par_iter()
            .zip(&sums)
            .map(|(members, sum)| {
                let candidates = members.iter().map(|&member| self.central[member as usize]);
                items.most_central(candidates, sum)
            })
            .collect();
        let pages = members
            .iter()
            .map(|members| members.iter().map(|&member| self.pages[member as usize]).sum())
            .collect();
        Self { sums, page_counts: Vec::new(), pages, central, members }
    }

    /// Returns the heaviest terms of the sum of some nodes.
    fn sum(&self, members: &[u32]) -> Vec<(u32, f32)> {
        let all = members.iter().flat_map(|&member| &self.sums[member as usize]);
        let mut all: Vec<(u32, f32)> = all.copied().collect();
        add_up(&mut all);
        if all.len() > TERMS {
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(TERMS);
            all.sort_unstable_by_key(|&(term, _)| term);
        }
        all
    }
}

/// Builds the nodes of a tree from its levels, top down.
struct TreeBuilder<'a, 'w> {
    layers: &'a [Layer],
    items: &'a TreeItems<'w>,
}

/// A node to build: its level, and its number there.
type Place = (usize, u32);

impl TreeBuilder<'_, '_> {
    fn build(&self) -> Vec<Node> {
        let top = self.layers.len() - 1;
        let layer = &self.layers[top];
        let mut places: Vec<Place> = (0..layer.sums.len() as u32).map(|node| (top, node)).collect();
        places.sort_by_key(|&place| (Reverse(self.pages(place)), place));
        let all: Vec<u32> = (0..layer.sums.len() as u32).collect();
        let sum = layer.sum(&all);
        let central = self.items.most_central(layer.central.iter().copied(), &sum);
        let pages = layer.pages.iter().sum();
        let mut nodes = vec![Node { pages, central, ..Node::default() }];
        let rest =
            if top > 0 && places.len() > TOP { places.split_off(TOP - 1) } else { Vec::new() };
        self.fill(&mut nodes, 0, &sum, pages, places);
        if !rest.is_empty() {
            let pages = rest.iter().map(|&place| self.pages(place)).sum();
            let members: Vec<u32> = rest.iter().map(|&(_, node)| node).collect();
            let sum = layer.sum(&members);
            let centers = members.iter().map(|&node| layer.central[node as usize]);
            let central = self.items.most_central(centers, &sum);
            let number = nodes.len() as u32;
            nodes[0].children.push(number);
            nodes.push(Node { pages, central, rest: true, ..Node::default() });
            self.fill(&mut nodes, number, &sum, pages, rest);
        }
        nodes
    }

    fn pages(&self, (level, node): Place) -> u64 {
        self.layers[level].pages[node as usize]
    }

    /// Adds the nodes and items at `places` below a node with this sum and number of pages.
    fn fill(
        &self,
        nodes: &mut Vec<Node>,
        parent: u32,
        sum: &[(u32, f32)],
        pages: u64,
        places: Vec<Place>,
    ) {
        let places: Vec<Place> = places.into_iter().map(|place| self.lowest_alone(place)).collect();
        let (items, mut places): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|&(level, _)| level == 0);
        let mut items: Vec<u32> = items.into_iter().map(|(_, item)| item).collect();
        items.sort_unstable();
        nodes[parent as usize].items = items;
        places.sort_by_key(|&place| (Reverse(self.pages(place)), place));
        let around = labels::ParentSum { sum, pages };
        let parent_label: Vec<u32> = nodes[parent as usize].label.clone();
        let children: Vec<labels::Child<'_>> = places
            .iter()
            .map(|&(level, node)| labels::Child {
                sum: &self.layers[level].sums[node as usize],
                page_counts: &self.layers[level].page_counts[node as usize],
                pages: self.pages((level, node)),
            })
            .collect();
        let labels = labels::labels(&children, around, &parent_label, self.items.word);
        for (&(level, node), label) in places.iter().zip(labels) {
            let layer = &self.layers[level];
            let number = nodes.len() as u32;
            nodes[parent as usize].children.push(number);
            let pages = layer.pages[node as usize];
            let central = layer.central[node as usize];
            nodes.push(Node { pages, central, label, ..Node::default() });
            let members = layer.members[node as usize].iter().map(|&member| (level - 1, member));
            self.fill(nodes, number, &layer.sums[node as usize], pages, members.collect());
        }
    }

    /// Returns the node to show instead of a node: the node itself, or its only descendant.
    fn lowest_alone(&self, (mut level, mut node): Place) -> Place {
        while level > 0
            && let [only] = self.layers[level].members[node as usize][..]
        {
            (level, node) = (level - 1, only);
        }
        (level, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::level::MAX_WITH_REST;
    use pagekin_core::hash::SplitMix64;
    use proptest::prelude::*;
    use rustc_hash::FxHashSet;
    use std::convert::Infallible;

    /// Pages of nested topics: page `n` has terms of topic `n % 40`, of topic `n % 5`, and random
    /// ones.
    fn items(n: u32, seed: u64) -> (Rows<u16>, usize) {
        let mut random = SplitMix64::new(seed);
        let row = |page: u32, random: &mut SplitMix64| {
            let own = (0..4).map(|_| (1_000 + (page % 40) * 10 + random.below(10), 3.0));
            let topic: Vec<_> = own.collect();
            let shared: Vec<_> =
                (0..4).map(|_| ((page % 5) * 20 + random.below(20), 2.0)).collect();
            let noise: Vec<_> = (0..2).map(|_| (2_000 + random.below(500), 1.0)).collect();
            let mut row: Vec<(u32, f64)> = [topic, shared, noise].concat();
            row.sort_unstable_by_key(|entry| entry.0);
            row.dedup_by_key(|entry| entry.0);
            scaled(row, 100)
        };
        (Rows::new((0..n).map(|page| row(page, &mut random)).collect()), 2_500)
    }

    fn tree(profiles: &Rows<u16>, terms: usize) -> Tree {
        tree_of(&TreeItems { profiles, terms, word: &|term| word(term), clusters: None })
    }

    fn tree_of(items: &TreeItems<'_>) -> Tree {
        Tree::new(items, &|| Ok::<_, Infallible>(())).unwrap()
    }

    /// Returns a distinct word for each term.
    fn word(term: u32) -> Option<&'static str> {
        static WORDS: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| (0..2_500).map(|term| format!("w{term}e")).collect());
        Some(&WORDS[term as usize])
    }

    /// Checks the invariants of a tree.
    fn check(tree: &Tree, items: &Rows<u16>) {
        let mut seen: Vec<u32> = tree.nodes.iter().flat_map(|node| node.items.clone()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..items.len() as u32).collect::<Vec<_>>(), "each item once");
        let below = tree.nodes.iter().flat_map(|node| node.children.clone());
        let mut below: Vec<u32> = below.collect();
        below.sort_unstable();
        assert_eq!(below, (1..tree.nodes.len() as u32).collect::<Vec<_>>(), "each node once");
        for (number, node) in (0..).zip(&tree.nodes) {
            assert!(node.children.iter().all(|&child| child > number));
            let pages: u64 =
                node.children.iter().map(|&child| tree.nodes[child as usize].pages).sum();
            assert_eq!(node.pages, pages + node.items.len() as u64);
            let children = node.children.len() + node.items.len();
            assert!(
                number == 0 || node.rest || (2..=MAX_WITH_REST as usize + 1).contains(&children)
            );
            let labels: FxHashSet<&[u32]> =
                node.children.iter().map(|&child| &tree.nodes[child as usize].label[..]).collect();
            assert_eq!(labels.len(), node.children.len(), "siblings have different labels");
            let rests = tree.nodes.iter().filter(|node| node.rest).count();
            assert!(rests <= 1 && tree.nodes[0].children.len() <= TOP);
        }
    }

    #[test]
    fn nested_topics_are_found() {
        let (rows, terms) = items(1_000, 7);
        let tree = tree(&rows, terms);
        check(&tree, &rows);
        // Most pages of one of the 40 topics are in one cluster of some level.
        let level = &tree.levels[0];
        let same = (0..960).filter(|&page| level[page] == level[page + 40]).count();
        let other = (0..960).filter(|&page| level[page] == level[page + 1]).count();
        assert!(same > 300 && other < 30, "{same} {other}");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (rows, terms) = items(600, 3);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| tree(&rows, terms))
        };
        assert_eq!(with(1), with(5));
    }

    #[test]
    fn unrelated_items_are_put_into_one_node() {
        let rows = Rows::new((0..40).map(|page| vec![(page, u16::MAX)]).collect());
        let tree = tree(&rows, 40);
        assert_eq!(tree.nodes.len(), 1);
        assert_eq!(tree.nodes[0].items.len(), 40);
        assert_eq!(self::tree(&Rows::default(), 0).nodes, [Node::default()]);
    }

    #[test]
    fn a_level_has_at_most_nine_tenths_of_the_nodes_below_it() {
        // Twenty items: pairs of equal ones, and others that are not similar to any.
        let levels = |pairs: u32| {
            let term = |item: u32| if item < 2 * pairs { item / 2 } else { item };
            let rows = Rows::new((0..20).map(|item| vec![(term(item), u16::MAX)]).collect());
            tree(&rows, 20).levels.len()
        };
        assert_eq!([1, 2, 3].map(levels), [0, 1, 1]);
    }

    #[test]
    fn central_items_can_be_shown() {
        let (rows, terms) = items(400, 5);
        let cluster =
            |page: u32| TreeCluster { pages: 1, shown: page.is_multiple_of(7), ..<_>::default() };
        let clusters = Some((0..400).map(cluster).collect());
        let tree = tree_of(&TreeItems { profiles: &rows, terms, word: &|t| word(t), clusters });
        check(&tree, &rows);
        for node in &tree.nodes {
            let (mut below, mut all) = (vec![node], Vec::<u32>::new());
            while let Some(node) = below.pop() {
                all.extend(&node.items);
                below.extend(node.children.iter().map(|&child| &tree.nodes[child as usize]));
            }
            let some = all.iter().any(|item| item % 7 == 0);
            assert_eq!(node.central % 7 == 0, some, "{all:?}");
        }
    }

    proptest! {
        #[test]
        fn trees_satisfy_their_invariants(n in 0u32..200, seed in any::<u64>()) {
            let (rows, terms) = items(n, seed);
            check(&tree(&rows, terms), &rows);
        }
    }
}
