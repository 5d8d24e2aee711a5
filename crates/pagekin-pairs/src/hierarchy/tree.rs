//! Level upon level into a tree.
//!
//! The profile of a cluster is the sum of the profiles of its pages: of its [`TERMS`] heaviest
//! terms the weights to the power of [`POWER`], scaled.
//!
//! - Levels are added until no more than [`TOP`] clusters are left, or until they no longer become
//!   fewer. Then the smaller ones are put into a node of their own, for what is like nothing else.
//! - A node with one child is left out: its child stands in its place.
//! - In the middle of a node is the item most like its sum, of those that can be shown if there are
//!   some.
//! - The children of a node stand in the order of their pages, most first.

use std::cmp::Reverse;
use std::ops::AddAssign;

use rayon::prelude::*;

use crate::cosine::{Profiles, scaled};
use crate::hierarchy::{labels, level};
use crate::rows::Rows;

/// The heaviest terms that make the profile of a cluster.
const TERMS: usize = 256;
/// Evens out what a few terms outweigh.
const POWER: f64 = 0.7;
/// A level has about this times fewer nodes than the one below it.
const BRANCHING: usize = 8;
/// The most nodes at the top.
const TOP: usize = 12;
/// A level that leaves more than this part of the one below is the last.
const PROGRESS: (usize, usize) = (9, 10);

/// What a tree is made over: pages, or the flat clusters of a crawl.
pub struct TreeItems<'a> {
    /// The profile of each.
    pub profiles: &'a Rows<u16>,
    /// The terms of all profiles are below this.
    pub terms: usize,
    /// What a term is shown as, if it may be in a label.
    pub word: labels::Word<'a>,
    /// What is known of each besides; `None` if each is one page, which can be shown.
    pub clusters: Option<Vec<TreeCluster>>,
}

/// A flat cluster as an item of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TreeCluster {
    /// Its pages.
    pub pages: u32,
    /// On how many of these each term of its profile is, in the order of the profile; empty if all
    /// are on all.
    pub bearing: Vec<u32>,
    /// Whether it has a page that can be shown for a topic.
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

    /// The item most like a sum, of those that can be shown if there are some; of equals the lower.
    fn most_central(&self, candidates: impl Iterator<Item = u32>, sum: &[(u32, f32)]) -> u32 {
        let likeness = |item: u32| {
            let row = self.profiles.row(item as usize).iter();
            row.filter_map(|&(term, weight)| {
                let at = sum.binary_search_by_key(&term, |&(term, _)| term).ok()?;
                Some(f32::from(weight) * sum[at].1)
            })
            .sum::<f32>()
        };
        let is_hidden = |item: u32| self.cluster(item as usize).is_some_and(|item| !item.shown);
        let best = candidates.map(|item| (is_hidden(item), likeness(item), item));
        best.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)))
            .map_or(0, |(.., item)| item)
    }

    /// On how many pages of each node the terms of its sum are, by the node of each item.
    fn bearing(&self, sums: &[Vec<(u32, f32)>], nodes: &[u32]) -> Vec<Vec<u64>> {
        let mut bearing: Vec<Vec<u64>> = sums.iter().map(|sum| vec![0; sum.len()]).collect();
        for (item, &node) in nodes.iter().enumerate() {
            let (sum, bearing) = (&sums[node as usize], &mut bearing[node as usize]);
            let of_all = self.cluster(item).map_or(1, |cluster| cluster.pages);
            let counts = self.cluster(item).map_or(&[][..], |cluster| &cluster.bearing);
            for (place, (term, _)) in self.profiles.row(item).iter().enumerate() {
                if let Ok(at) = sum.binary_search_by_key(term, |&(term, _)| term) {
                    bearing[at] += u64::from(counts.get(place).copied().unwrap_or(of_all));
                }
            }
        }
        bearing
    }
}

/// A tree over items: pages, or the flat clusters of a crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tree {
    /// The root first, and each before what is below it.
    pub nodes: Vec<Node>,
    /// Per level, the lowest first, the cluster there of each item.
    pub levels: Vec<Vec<u32>>,
}

/// What is together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// The nodes right below it, the largest first.
    pub children: Vec<u32>,
    /// The items right below it, ascending.
    pub items: Vec<u32>,
    /// The pages below it.
    pub pages: u64,
    /// The item in the middle.
    pub central: u32,
    /// The terms that it is called by.
    pub label: Vec<u32>,
    /// Whether it has what is like nothing else.
    pub rest: bool,
}

/// A level while the tree is made.
struct Layer {
    /// The sum of the profiles of each node's pages.
    sums: Vec<Vec<(u32, f32)>>,
    /// On how many of these pages each term of a sum is; empty of the lowest.
    bearing: Vec<Vec<u64>>,
    /// The pages of each.
    pages: Vec<u64>,
    /// The item in the middle of each.
    central: Vec<u32>,
    /// The nodes of the level below that each is made of; none of the lowest.
    members: Vec<Vec<u32>>,
}

impl Tree {
    /// Of some items.
    ///
    /// # Errors
    ///
    /// The first that `step` answers, which is called once for each node of each level.
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
            next.bearing = items.bearing(&next.sums, &level);
            levels.push(level);
            layers.push(next);
        }
        let nodes = Growing { layers: &layers, items }.grow();
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
            bearing: Vec::new(),
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

    /// The level above, by the center of each node.
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
        Self { sums, bearing: Vec::new(), pages, central, members }
    }

    /// The heaviest terms of some nodes together.
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

/// Adds up what is said of each term, in ascending order of terms.
pub fn add_up<W: Copy + AddAssign>(sum: &mut Vec<(u32, W)>) {
    // Stable: what is added up is added in one order.
    sum.sort_by_key(|&(term, _)| term);
    sum.dedup_by(|other, kept| {
        let same = other.0 == kept.0;
        if same {
            kept.1 += other.1;
        }
        same
    });
}

/// A tree that is made of its levels, from the top.
struct Growing<'a, 'w> {
    layers: &'a [Layer],
    items: &'a TreeItems<'w>,
}

/// A node that is to come: on a level, and by its number there.
type Place = (usize, u32);

impl Growing<'_, '_> {
    fn grow(&self) -> Vec<Node> {
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

    /// Below a node with this sum and so many pages puts what is at some places.
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
        let said: Vec<u32> = nodes[parent as usize].label.clone();
        let children: Vec<labels::Child<'_>> = places
            .iter()
            .map(|&(level, node)| labels::Child {
                sum: &self.layers[level].sums[node as usize],
                bearing: &self.layers[level].bearing[node as usize],
                pages: self.pages((level, node)),
            })
            .collect();
        let labels = labels::labels(&children, around, &said, self.items.word);
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

    /// What stands in the place of a node: itself, or what it alone is made of.
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

    /// Pages of topics in topics: page `n` has terms of `n % 40` and of `n % 5`, and some by
    /// chance.
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

    /// A word of its own for each term.
    fn word(term: u32) -> Option<&'static str> {
        static WORDS: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| (0..2_500).map(|term| format!("w{term}e")).collect());
        Some(&WORDS[term as usize])
    }

    /// What must hold of every tree.
    fn check(tree: &Tree, items: &Rows<u16>) {
        let mut met: Vec<u32> = tree.nodes.iter().flat_map(|node| node.items.clone()).collect();
        met.sort_unstable();
        assert_eq!(met, (0..items.len() as u32).collect::<Vec<_>>(), "each item once");
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
            assert_eq!(labels.len(), node.children.len(), "siblings are told apart");
            let rests = tree.nodes.iter().filter(|node| node.rest).count();
            assert!(rests <= 1 && tree.nodes[0].children.len() <= TOP);
        }
    }

    #[test]
    fn topics_in_topics_are_found() {
        let (rows, terms) = items(1_000, 7);
        let tree = tree(&rows, terms);
        check(&tree, &rows);
        // Pages of one of the 40 topics are mostly in one cluster of some level.
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
    fn what_is_like_nothing_is_put_together() {
        let rows = Rows::new((0..40).map(|page| vec![(page, u16::MAX)]).collect());
        let tree = tree(&rows, 40);
        assert_eq!(tree.nodes.len(), 1);
        assert_eq!(tree.nodes[0].items.len(), 40);
        assert_eq!(self::tree(&Rows::default(), 0).nodes, [Node::default()]);
    }

    #[test]
    fn a_level_has_at_most_nine_tenths_of_the_nodes_below_it() {
        // Twenty items, of which so many pairs are the same and all others are like nothing.
        let levels = |pairs: u32| {
            let term = |item: u32| if item < 2 * pairs { item / 2 } else { item };
            let rows = Rows::new((0..20).map(|item| vec![(term(item), u16::MAX)]).collect());
            tree(&rows, 20).levels.len()
        };
        assert_eq!([1, 2, 3].map(levels), [0, 1, 1]);
    }

    #[test]
    fn what_can_be_shown_is_in_the_middle() {
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
        fn trees_are_sound(n in 0u32..200, seed in any::<u64>()) {
            let (rows, terms) = items(n, seed);
            check(&tree(&rows, terms), &rows);
        }
    }
}
