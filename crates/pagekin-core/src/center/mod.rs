//! CENTER: pages into clusters around centers.
//!
//! The pairs of similar pages are scanned in order. A page that comes first in a pair and belongs
//! to no cluster yet becomes a center, and the pages it is paired with that belong to none become
//! its members. So every member is similar to its center, which connected components do not give.
//!
//! Time is one pass over the pairs; space is a number a page.
//!
//! [`by_similarity`] scans pairs in another order, and [`rounds`] finds what that finds on any
//! number of machines.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 5, after Hochbaum and Shmoys.

pub mod by_similarity;
pub mod rounds;

use std::cmp::Reverse;

/// The center of each of `n` pages by the pairs `(u, v)`, which must be sorted. A center is its
/// own, and so is a page in no pair.
///
/// # Panics
///
/// If a pair names a page that is not below `n`.
#[must_use]
pub fn center(n: u32, pairs: &[(u32, u32)]) -> Vec<u32> {
    debug_assert!(pairs.is_sorted(), "CENTER scans sorted pairs");
    let mut scan = CenterScan::new(n);
    for &(u, v) in pairs {
        scan.next(u, v);
    }
    scan.finish()
}

/// What a pair did in a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CenterStep {
    /// Its first page became a center, and its second page the first member.
    Founded,
    /// Its first page became a center; its second page belongs to another already.
    FoundedAlone,
    /// Its second page became a member of its first.
    Joined,
    /// Nothing: its second page belongs to a cluster already.
    Taken,
    /// Nothing: its first page is a member, and members take none.
    Member,
}

/// [`center`] for pairs that come one after the other.
#[derive(Debug, Clone)]
pub struct CenterScan {
    centers: Vec<Option<u32>>,
}

impl CenterScan {
    /// Of `n` pages.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { centers: vec![None; n as usize] }
    }

    /// The next pair: its first page must not be below that of the pair before. Answers what it
    /// did, for who wants to know.
    ///
    /// # Panics
    ///
    /// If a page is not below `n`.
    #[inline]
    pub fn next(&mut self, u: u32, v: u32) -> CenterStep {
        let founded = self.centers[u as usize].is_none();
        if *self.centers[u as usize].get_or_insert(u) != u {
            return CenterStep::Member;
        }
        let joined = self.centers[v as usize].is_none();
        self.centers[v as usize].get_or_insert(u);
        match (founded, joined) {
            (true, true) => CenterStep::Founded,
            (true, false) => CenterStep::FoundedAlone,
            (false, true) => CenterStep::Joined,
            (false, false) => CenterStep::Taken,
        }
    }

    /// The center of each page that belongs to a cluster so far.
    #[must_use]
    pub fn centers(&self) -> &[Option<u32>] {
        &self.centers
    }

    /// The center of each page.
    #[must_use]
    pub fn finish(self) -> Vec<u32> {
        (0..).zip(self.centers).map(|(page, center)| center.unwrap_or(page)).collect()
    }
}

/// How many pairs there are between clusters.
#[derive(Debug, Clone, Default)]
pub struct ClusterLinks {
    /// Two clusters, the lower first, and pairs between them; those before `merged` in order, each
    /// two once.
    between: Vec<(u32, u32, u64)>,
    merged: usize,
}

impl ClusterLinks {
    /// Adds so many pairs between two clusters, or within one, which do not count.
    pub fn add(&mut self, a: u32, b: u32, pairs: u64) {
        if a != b {
            self.between.push((a.min(b), a.max(b), pairs));
        }
        // Seldom enough that it costs less than the pairs did.
        if self.between.len() > 2 * self.merged + 4_096 {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.between.sort_unstable();
        self.between.dedup_by(|other, kept| {
            let same = (other.0, other.1) == (kept.0, kept.1);
            if same {
                kept.2 += other.2;
            }
            same
        });
        self.merged = self.between.len();
    }
}

/// The pages of clusters that are similar to all pages of another cluster.
///
/// Most pages are similar to a few pages of a cluster next to theirs: of these nothing is kept.
#[derive(Debug, Clone)]
pub struct WholeClusters {
    sizes: Vec<u64>,
    links: ClusterLinks,
    clusters: Vec<u32>,
}

impl WholeClusters {
    /// Of clusters with so many pages each, by their centers.
    #[must_use]
    pub fn new(sizes: Vec<u64>) -> Self {
        Self { sizes, links: ClusterLinks::default(), clusters: Vec::new() }
    }

    /// A page of a cluster, and the centers of the pages that it is similar to.
    ///
    /// # Panics
    ///
    /// If a cluster is none.
    pub fn add(&mut self, cluster: u32, others: impl IntoIterator<Item = u32>) {
        self.clusters.clear();
        self.clusters.extend(others);
        self.clusters.sort_unstable();
        for pages in self.clusters.chunk_by(|a, b| a == b) {
            let other = pages[0];
            if other != cluster && pages.len() as u64 == self.sizes[other as usize] {
                self.links.add(cluster, other, 1);
            }
        }
    }

    /// The sizes of clusters, and the pairs between those of which all are similar.
    #[must_use]
    pub fn finish(mut self) -> (Vec<u64>, ClusterLinks) {
        self.links.merge();
        let size = |cluster: u32| self.sizes[cluster as usize];
        let mut links = ClusterLinks::default();
        for &(a, b, pages) in &self.links.between {
            // The pages of both were counted.
            if pages == size(a) + size(b) {
                links.add(a, b, size(a) * size(b));
            }
        }
        (self.sizes, links)
    }
}

/// How many of `n` pages each cluster has, by its center: 0 of a page that is none.
///
/// # Panics
///
/// If a center is not below `n`.
#[must_use]
pub fn sizes(n: usize, centers: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut sizes = vec![0; n];
    centers.into_iter().for_each(|center| sizes[center as usize] += 1);
    sizes
}

/// Makes one of clusters between which many of all pairs there are were found: CENTER again, of
/// clusters, until none are joined. `sizes` has the pages of each cluster by its center, and
/// `is_close` tells of the pairs between two clusters, and of how many there could be, whether they
/// are enough. Answers the center that the pages of each center have then.
///
/// Larger clusters are scanned first, and of equal ones that with the lower center; what is joined
/// to a cluster has its center then. If all pairs are asked for, each member is still similar to
/// its center. If fewer are, it is no longer so for sure, but its cluster is similar to the
/// other's: a page that is like two clusters and belongs to one does not make them one, as it does
/// with [`components`].
///
/// # Panics
///
/// If a link names a center that is none.
#[must_use]
pub fn join(
    mut sizes: Vec<u64>,
    mut links: ClusterLinks,
    is_close: impl Fn(u64, u64) -> bool,
) -> Vec<u32> {
    // What each center was joined to.
    let mut joined: Vec<u32> = (0..sizes.len() as u32).collect();
    loop {
        links.merge();
        let all = |a: u32, b: u32| sizes[a as usize] * sizes[b as usize];
        let close: Vec<(u32, u32)> = links
            .between
            .iter()
            .filter(|&&(a, b, pairs)| is_close(pairs, all(a, b)))
            .map(|&(a, b, _)| (a, b))
            .collect();
        if close.is_empty() {
            break;
        }
        let mut clusters: Vec<u32> = close.iter().flat_map(|&(a, b)| [a, b]).collect();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.sort_by_key(|&cluster| Reverse(sizes[cluster as usize]));
        let mut ranks = vec![0u32; sizes.len()];
        (0..).zip(&clusters).for_each(|(rank, &cluster)| ranks[cluster as usize] = rank);
        let rank = |cluster: u32| ranks[cluster as usize];
        let mut pairs: Vec<(u32, u32)> =
            close.iter().flat_map(|&(a, b)| [(rank(a), rank(b)), (rank(b), rank(a))]).collect();
        pairs.sort_unstable();
        for (rank, to) in (0..).zip(center(clusters.len() as u32, &pairs)) {
            let (from, to) = (clusters[rank], clusters[to as usize]);
            if from != to {
                joined[from as usize] = to;
                sizes[to as usize] += std::mem::take(&mut sizes[from as usize]);
            }
        }
        let between = std::mem::take(&mut links.between);
        links.merged = 0;
        for (a, b, pairs) in between {
            links.add(joined[a as usize], joined[b as usize], pairs);
        }
    }
    for page in 0..joined.len() {
        let mut center = joined[page];
        while joined[center as usize] != center {
            center = joined[center as usize];
        }
        joined[page] = center;
    }
    joined
}

/// The connected components of `n` pages by the pairs, in any order: the lowest page of each page's
/// component.
///
/// Worse clusters than those of [`center`], for who asks for them: a component joins whatever a
/// chain of pairs leads to, so two of its pages may share nothing, and one page that is like two
/// topics makes them one. Time is nearly linear in pages and pairs (union-find with path halving).
///
/// # Panics
///
/// If a pair names a page that is not below `n`.
#[must_use]
pub fn components(n: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut scan = ComponentScan::new(n);
    for (u, v) in pairs {
        scan.next(u, v);
    }
    scan.finish()
}

/// [`components`] for pairs that come one after the other, in any order.
#[derive(Debug, Clone)]
pub struct ComponentScan {
    /// A page of the same component that is not above it.
    parents: Vec<u32>,
}

impl ComponentScan {
    /// Of `n` pages.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { parents: (0..n).collect() }
    }

    fn root(&mut self, mut page: u32) -> u32 {
        while self.parents[page as usize] != page {
            let above = self.parents[self.parents[page as usize] as usize];
            self.parents[page as usize] = above;
            page = above;
        }
        page
    }

    /// The next pair. Answers whether it made two components one.
    ///
    /// # Panics
    ///
    /// If a page is not below `n`.
    #[inline]
    pub fn next(&mut self, u: u32, v: u32) -> bool {
        let (u, v) = (self.root(u), self.root(v));
        self.parents[u.max(v) as usize] = u.min(v);
        u != v
    }

    /// The lowest page of each page's component.
    #[must_use]
    pub fn finish(mut self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|page| self.root(page)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn known_answers() {
        assert_eq!(center(0, &[]), []);
        // 0 takes 1 and 2. 1 is a member, so it takes none, and 3 becomes a center.
        assert_eq!(center(5, &[(0, 1), (0, 2), (1, 3), (3, 4)]), [0, 0, 0, 3, 3]);
        // A chain is cut where components would run on.
        assert_eq!(center(4, &[(0, 1), (1, 2), (2, 3)]), [0, 0, 2, 2]);
    }

    #[test]
    fn a_scan_tells_what_each_pair_did() {
        use CenterStep::{Founded, FoundedAlone, Joined, Member, Taken};
        let pairs = [(0, 1), (0, 2), (1, 3), (2, 0), (3, 0), (3, 4), (3, 4)];
        let mut scan = CenterScan::new(5);
        let steps = pairs.map(|(u, v)| scan.next(u, v));
        assert_eq!(steps, [Founded, Joined, Member, Member, FoundedAlone, Joined, Taken]);
        assert_eq!(scan.centers(), [Some(0), Some(0), Some(0), Some(3), Some(3)]);
        assert_eq!(CenterScan::new(1).centers(), [None]);
        let mut scan = ComponentScan::new(3);
        assert_eq!([(0, 1), (1, 0), (2, 1)].map(|(u, v)| scan.next(u, v)), [true, false, true]);
    }

    /// The definition, page by page: whoever is in no cluster when its turn comes takes its free
    /// partners.
    fn plain(n: u32, pairs: &BTreeSet<(u32, u32)>) -> Vec<u32> {
        let mut cluster: BTreeMap<u32, u32> = BTreeMap::new();
        for u in 0..n {
            if pairs.iter().any(|pair| pair.0 == u) && !cluster.contains_key(&u) {
                cluster.insert(u, u);
                for v in 0..n {
                    if pairs.contains(&(u, v)) && !cluster.contains_key(&v) {
                        cluster.insert(v, u);
                    }
                }
            }
        }
        (0..n).map(|page| cluster.get(&page).copied().unwrap_or(page)).collect()
    }

    fn links(between: &[(u32, u32, u64)]) -> ClusterLinks {
        let mut links = ClusterLinks::default();
        between.iter().for_each(|&(a, b, pairs)| links.add(a, b, pairs));
        links
    }

    #[test]
    fn clusters_that_have_most_pairs_in_common_become_one() {
        // Clusters of 3, 2, 1 and 2 pages.
        let clusters = [0, 0, 0, 3, 3, 5, 6, 6];
        let join = |between: &[_]| {
            let joined = join(sizes(8, clusters), links(between), |pairs, all| 2 * pairs >= all);
            clusters.map(|center| joined[center as usize])
        };
        assert_eq!(join(&[]), clusters);
        assert_eq!(join(&[(0, 3, 2), (3, 0, 0)]), clusters, "2 of 6 pairs are too few");
        assert_eq!(join(&[(0, 3, 2), (3, 0, 1)]), [0, 0, 0, 0, 0, 5, 6, 6]);
        // A page that is like two clusters goes to the larger, and does not join them.
        assert_eq!(join(&[(0, 5, 3), (5, 6, 2)]), [0, 0, 0, 3, 3, 0, 6, 6]);
        // In the second round the two that were joined have enough with the third: 5 of 10 pairs.
        assert_eq!(join(&[(0, 3, 3), (0, 6, 2), (3, 6, 3)]), [0, 0, 0, 0, 0, 5, 0, 0]);
    }

    #[test]
    fn components_run_on() {
        assert_eq!(components(0, []), []);
        assert_eq!(components(6, [(0, 1), (2, 1), (5, 4)]), [0, 0, 0, 3, 4, 4]);
    }

    proptest! {
        /// Of all clusters those are joined between which no pair is missing: as by all pairs.
        #[test]
        fn clusters_without_a_missing_pair_are_joined(
            edges in prop::collection::btree_set((0u32..12, 0u32..12), 0..80),
            clusters in prop::collection::vec(0u32..12, 12),
        ) {
            let similar = |u: u32, v: u32| edges.contains(&(u.min(v), u.max(v)));
            let center = |page: u32| clusters.iter().position(|&of| of == clusters[page as usize]).unwrap_or(0) as u32;
            let sizes = sizes(12, (0..12).map(center));
            let mut whole = WholeClusters::new(sizes.clone());
            let mut between = ClusterLinks::default();
            for u in 0..12 {
                let others = (0..12).filter(|&v| v != u && similar(u, v));
                whole.add(center(u), others.map(center));
                for v in (0..u).filter(|&v| similar(u, v)) {
                    between.add(center(u), center(v), 1);
                }
            }
            let is_close = |pairs, all| pairs == all;
            let (of_whole, links) = whole.finish();
            prop_assert_eq!(&of_whole, &sizes);
            let joined = join(of_whole, links, is_close);
            prop_assert_eq!(&joined, &join(sizes, between, is_close));
            // Each page is similar to all pages of the cluster that its own was joined to.
            for u in 0..12 {
                let to = joined[center(u) as usize];
                for v in (0..12).filter(|&v| center(v) == to && to != center(u)) {
                    prop_assert!(similar(u, v));
                }
            }
        }

        /// With one pair enough, clusters of one page each are joined to components.
        #[test]
        fn whoever_takes_any_pair_joins_components(edges in prop::collection::vec((0u32..30, 0u32..30), 0..40)) {
            let between: Vec<_> = edges.iter().map(|&(a, b)| (a, b, 1)).collect();
            let centers = join(vec![1; 30], links(&between), |pairs, _| pairs > 0);
            let of = components(30, edges);
            for a in 0..30 {
                prop_assert_eq!(centers[centers[a] as usize], centers[a]);
                for b in 0..30 {
                    prop_assert_eq!(centers[a] == centers[b], of[a] == of[b]);
                }
            }
        }

        /// A page's component is the lowest page that it can reach, found step by step.
        #[test]
        fn components_are_what_can_be_reached(edges in prop::collection::vec((0u32..30, 0u32..30), 0..40)) {
            let mut lowest: Vec<u32> = (0..30).collect();
            for _ in 0..30 {
                for &(u, v) in &edges {
                    let both = lowest[u as usize].min(lowest[v as usize]);
                    (lowest[u as usize], lowest[v as usize]) = (both, both);
                }
            }
            prop_assert_eq!(components(30, edges), lowest);
        }

        #[test]
        fn clusters_are_those_of_the_definition(pairs in prop::collection::btree_set((0u32..20, 0u32..20), 0..60)) {
            let sorted: Vec<_> = pairs.iter().copied().collect();
            let centers = center(20, &sorted);
            prop_assert_eq!(&centers, &plain(20, &pairs));
            for (page, &center) in (0u32..).zip(&centers) {
                prop_assert!(page == center || pairs.contains(&(center, page)));
                prop_assert_eq!(centers[center as usize], center);
            }
        }
    }
}
