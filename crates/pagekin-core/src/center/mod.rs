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

/// Makes one of clusters between which many of all pairs there are were found: CENTER again, of
/// clusters, until none are joined. `centers` has the center of each page, and `is_close` tells of
/// the pairs between two clusters, and of how many there could be, whether they are enough.
///
/// Larger clusters are scanned first, and of equal ones that with the lower center; what is joined
/// to a cluster has its center then. A member is no longer similar to its center for sure, but its
/// cluster is to the other's: a page that is like two clusters and belongs to one does not make
/// them one, as it does with [`components`].
///
/// # Panics
///
/// If a page or a link names a center that is none.
pub fn join(centers: &mut [u32], mut links: ClusterLinks, is_close: impl Fn(u64, u64) -> bool) {
    let mut sizes = vec![0u64; centers.len()];
    centers.iter().for_each(|&center| sizes[center as usize] += 1);
    // What each center was joined to.
    let mut joined: Vec<u32> = (0..centers.len() as u32).collect();
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
        let mut ranks = vec![0u32; centers.len()];
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
    for center in centers {
        while joined[*center as usize] != *center {
            *center = joined[*center as usize];
        }
    }
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
            let mut centers = clusters;
            join(&mut centers, links(between), |pairs, all| 2 * pairs >= all);
            centers
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
        /// With one pair enough, clusters of one page each are joined to components.
        #[test]
        fn whoever_takes_any_pair_joins_components(edges in prop::collection::vec((0u32..30, 0u32..30), 0..40)) {
            let mut centers: Vec<u32> = (0..30).collect();
            let between: Vec<_> = edges.iter().map(|&(a, b)| (a, b, 1)).collect();
            join(&mut centers, links(&between), |pairs, _| pairs > 0);
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
