//! CENTER: pairs of pages to clusters around centers.
//!
//! The algorithm scans the pairs of similar pages in order. If the first page of a pair does not
//! belong to a cluster yet, it becomes a center. The pages paired with it that do not belong to a
//! cluster yet become its members. So every member is similar to its center, which connected
//! components do not guarantee.
//!
//! Time is one pass over the pairs; space is one number per page.
//!
//! [`by_similarity`] scans pairs in another order, and [`rounds`] computes its result on any number
//! of machines.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 5, after Hochbaum and Shmoys.

pub mod by_similarity;
pub mod rounds;

use std::cmp::Reverse;

/// Returns the center of each of `n` pages, given the sorted pairs `(u, v)`. A center, and a page
/// without pairs, is its own center.
///
/// # Panics
///
/// If a page of a pair is not below `n`.
#[must_use]
pub fn center(n: u32, pairs: &[(u32, u32)]) -> Vec<u32> {
    debug_assert!(pairs.is_sorted(), "CENTER scans sorted pairs");
    let mut scan = CenterScan::new(n);
    for &(u, v) in pairs {
        scan.next(u, v);
    }
    scan.finish()
}

/// The effect of a pair in a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CenterStep {
    /// The first page became a center, and the second page its first member.
    Founded,
    /// The first page became a center. The second page already belongs to another.
    FoundedAlone,
    /// The second page became a member of the first page's cluster.
    Joined,
    /// None, because the second page already belongs to a cluster.
    Taken,
    /// None, because the first page is a member, not a center.
    Member,
}

/// [`center`] for one pair at a time.
#[derive(Debug, Clone)]
pub struct CenterScan {
    centers: Vec<Option<u32>>,
}

impl CenterScan {
    /// Starts a scan of `n` pages.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { centers: vec![None; n as usize] }
    }

    /// Processes the next pair and returns its effect. The first page must not be below that of the
    /// previous pair.
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

    /// Returns the center of each page that belongs to a cluster so far.
    #[must_use]
    pub fn centers(&self) -> &[Option<u32>] {
        &self.centers
    }

    /// Returns the center of each page.
    #[must_use]
    pub fn finish(self) -> Vec<u32> {
        (0..).zip(self.centers).map(|(page, center)| center.unwrap_or(page)).collect()
    }
}

/// The number of pairs between clusters.
#[derive(Debug, Clone, Default)]
pub struct ClusterLinks {
    /// Pairs of clusters, the lower first, with the number of pairs of pages between them. Those
    /// before `merged` are sorted and unique.
    between: Vec<(u32, u32, u64)>,
    merged: usize,
}

impl ClusterLinks {
    /// Adds `pairs` pairs between two clusters. Pairs within a cluster are ignored.
    pub fn add(&mut self, a: u32, b: u32, pairs: u64) {
        if a != b {
            self.between.push((a.min(b), a.max(b), pairs));
        }
        // Rare enough that merging costs less than adding the pairs.
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

/// Finds pairs of clusters all of whose pages are similar to each other.
///
/// Most pages are similar to only some pages of a neighboring cluster. Such links are not stored.
#[derive(Debug, Clone)]
pub struct WholeClusters {
    sizes: Vec<u64>,
    links: ClusterLinks,
    clusters: Vec<u32>,
}

impl WholeClusters {
    /// Takes the number of pages of each cluster, by center.
    #[must_use]
    pub fn new(sizes: Vec<u64>) -> Self {
        Self { sizes, links: ClusterLinks::default(), clusters: Vec::new() }
    }

    /// Adds a page of `cluster` and the centers of the pages that it is similar to.
    ///
    /// # Panics
    ///
    /// If a cluster does not exist.
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

    /// Returns the sizes of the clusters, and the number of pairs between those with all pages
    /// similar.
    #[must_use]
    pub fn finish(mut self) -> (Vec<u64>, ClusterLinks) {
        self.links.merge();
        let size = |cluster: u32| self.sizes[cluster as usize];
        let mut links = ClusterLinks::default();
        for &(a, b, pages) in &self.links.between {
            // Each pair of clusters was counted from the pages of both.
            if pages == size(a) + size(b) {
                links.add(a, b, size(a) * size(b));
            }
        }
        (self.sizes, links)
    }
}

/// Returns the number of pages of each cluster by its center, or 0 for pages that are not centers.
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

/// Joins clusters that have many of the possible pairs between them: applies CENTER to clusters
/// until no more can be joined. `sizes` contains the number of pages of each cluster by its center.
/// `is_close` takes the number of pairs between two clusters and the number of possible pairs, and
/// returns whether they are enough. Returns the new center of the pages of each center.
///
/// Larger clusters are scanned first; of equal ones, that with the lower center. The joined cluster
/// keeps the center that the others were joined to. If `is_close` requires all pairs, each member
/// is still similar to its center. Otherwise this is not guaranteed, but its cluster is similar to
/// the other. A single page that is similar to two clusters does not join them, unlike with
/// [`components`].
///
/// # Panics
///
/// If a link refers to a center that does not exist.
#[must_use]
pub fn join(
    mut sizes: Vec<u64>,
    mut links: ClusterLinks,
    is_close: impl Fn(u64, u64) -> bool,
) -> Vec<u32> {
    // The center that each center was joined to.
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

/// Returns the connected components of `n` pages, given pairs in any order: for each page, the
/// lowest page of its component.
///
/// These are worse clusters than those of [`center`]: a component contains everything reachable by
/// a chain of pairs, so two of its pages may share nothing, and one page that is similar to two
/// topics joins them. Time is nearly linear in pages and pairs (union-find with path halving).
///
/// # Panics
///
/// If a page of a pair is not below `n`.
#[must_use]
pub fn components(n: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut scan = ComponentScan::new(n);
    for (u, v) in pairs {
        scan.next(u, v);
    }
    scan.finish()
}

/// [`components`] for one pair at a time, in any order.
#[derive(Debug, Clone)]
pub struct ComponentScan {
    /// A page of the same component with the same or a lower number.
    parents: Vec<u32>,
}

impl ComponentScan {
    /// Starts a scan of `n` pages.
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

    /// Processes the next pair. Returns whether it joined two components.
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

    /// Returns the lowest page of each page's component.
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
        // 0 takes 1 and 2. 1 is a member, so 3 becomes a center.
        assert_eq!(center(5, &[(0, 1), (0, 2), (1, 3), (3, 4)]), [0, 0, 0, 3, 3]);
        // A chain is split, although it is one component.
        assert_eq!(center(4, &[(0, 1), (1, 2), (2, 3)]), [0, 0, 2, 2]);
    }

    #[test]
    fn a_scan_returns_the_effect_of_each_pair() {
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

    /// The definition, page by page: a page that is not in a cluster takes its free partners.
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
    fn clusters_with_most_pairs_between_them_are_joined() {
        // Clusters of 3, 2, 1 and 2 pages.
        let clusters = [0, 0, 0, 3, 3, 5, 6, 6];
        let join = |between: &[_]| {
            let joined = join(sizes(8, clusters), links(between), |pairs, all| 2 * pairs >= all);
            clusters.map(|center| joined[center as usize])
        };
        assert_eq!(join(&[]), clusters);
        assert_eq!(join(&[(0, 3, 2), (3, 0, 0)]), clusters, "2 of 6 pairs are too few");
        assert_eq!(join(&[(0, 3, 2), (3, 0, 1)]), [0, 0, 0, 0, 0, 5, 6, 6]);
        // A page similar to two clusters is joined to the larger, and does not join them.
        assert_eq!(join(&[(0, 5, 3), (5, 6, 2)]), [0, 0, 0, 3, 3, 0, 6, 6]);
        // In the second round, the joined cluster has enough pairs with the third: 5 of 10.
        assert_eq!(join(&[(0, 3, 3), (0, 6, 2), (3, 6, 3)]), [0, 0, 0, 0, 0, 5, 0, 0]);
    }

    #[test]
    fn components_follow_chains() {
        assert_eq!(components(0, []), []);
        assert_eq!(components(6, [(0, 1), (2, 1), (5, 4)]), [0, 0, 0, 3, 4, 4]);
    }

    proptest! {
        /// Exactly the clusters without a missing pair are joined, as when counting all pairs.
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

        /// If one pair is enough, clusters of one page are joined to components.
        #[test]
        fn joining_at_any_pair_gives_components(edges in prop::collection::vec((0u32..30, 0u32..30), 0..40)) {
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

        /// A page's component is the lowest page reachable from it, found step by step.
        #[test]
        fn components_contain_reachable_pages(edges in prop::collection::vec((0u32..30, 0u32..30), 0..40)) {
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
        fn clusters_match_the_definition(pairs in prop::collection::btree_set((0u32..20, 0u32..20), 0..60)) {
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
