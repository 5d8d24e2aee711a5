//! Runs CENTER and connected components over the same pairs, one pair at a time.

use std::cmp::Reverse;

use pagekin_core::center::{CenterScan, CenterStep, ComponentScan};
use pagekin_core::hash::SplitMix64;
use pagekin_core::sort;

/// The effect of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkStep {
    /// Number of the first page.
    pub u: u32,
    /// Number of the second page.
    pub v: u32,
    /// Effect on CENTER.
    pub center: CenterStep,
    /// Whether it joined two components.
    pub merged: bool,
}

/// The clusters of pages after some pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// Effect of each pair.
    pub steps: Vec<WalkStep>,
    /// Center of each page; `None` if it is not in a cluster yet.
    pub centers: Vec<Option<u32>>,
    /// Lowest page of each page's component.
    pub components: Vec<u32>,
}

/// Scans sorted pairs of `n` pages. Each pair occurs in both directions.
///
/// # Panics
///
/// If a page is not below `n`.
#[must_use]
pub fn walk(n: u32, pairs: &[(u32, u32)]) -> Walk {
    let (mut centers, mut components) = (CenterScan::new(n), ComponentScan::new(n));
    let step = |&(u, v): &(u32, u32)| {
        let (center, merged) = (centers.next(u, v), components.next(u, v));
        WalkStep { u, v, center, merged }
    };
    let steps = pairs.iter().map(step).collect();
    Walk { steps, centers: centers.centers().to_vec(), components: components.finish() }
}

/// Returns the numbers of `n` pages: the identity for seed 0, otherwise a random permutation.
#[must_use]
pub fn numbering(n: u32, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..n).collect();
    if seed > 0 {
        SplitMix64::new(seed).shuffle(&mut numbers);
    }
    numbers
}

/// Returns the pairs in both directions with the numbers of their pages, sorted for a scan.
///
/// # Panics
///
/// If a page has no number.
#[must_use]
pub fn both_ways(pairs: &[(u32, u32)], numbers: &[u32]) -> Vec<(u32, u32)> {
    let number = |page: u32| numbers[page as usize];
    let mut both: Vec<(u32, u32)> = pairs
        .iter()
        .map(|&(u, v)| (number(u), number(v)))
        .flat_map(|(u, v)| [(u, v), (v, u)])
        .collect();
    sort::by_key(&mut both, |&pair| pair);
    both.dedup();
    both
}

/// Returns the pages that are centers without members.
#[must_use]
pub fn single_centers(centers: &[Option<u32>]) -> Vec<u32> {
    let members = |center: u32| centers.iter().filter(|of| **of == Some(center)).count();
    (0..)
        .zip(centers)
        .filter(|&(page, of)| *of == Some(page) && members(page) == 1)
        .map(|(page, _)| page)
        .collect()
}

/// A small graph on which CENTER and components differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Two groups of equals, and one page that is similar to a page of each.
    Bridge,
    /// Each page is similar to the next.
    Chain,
    /// All pages are similar to one, which does not have the first number.
    Star,
}

impl Case {
    /// Returns the case of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "bridge" => Some(Self::Bridge),
            "chain" => Some(Self::Chain),
            "star" => Some(Self::Star),
            _ => None,
        }
    }

    /// Returns the number of pages, and the similar pairs.
    #[must_use]
    pub fn graph(self) -> (u32, Vec<(u32, u32)>) {
        match self {
            Self::Bridge => {
                (7, vec![(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6)])
            }
            Self::Chain => (6, (0..5).map(|page| (page, page + 1)).collect()),
            Self::Star => (6, vec![(0, 2), (1, 2), (2, 3), (2, 4), (2, 5)]),
        }
    }
}

/// Returns a page and a threshold to start with, if there is one: a group of `min` to `max` pages
/// by components that CENTER divides, and in which not all pages are similar to each other, at the
/// highest threshold above which `pairs` has one. `pairs` are sorted, most similar first, with
/// their similarities. The page is the one with most similar pages.
#[must_use]
pub fn instructive_start(
    n: u32,
    pairs: &[(u32, u32, f64)],
    (min, max): (usize, usize),
) -> Option<(u32, f64)> {
    for percent in (5..=50).rev() {
        let threshold = f64::from(percent) / 100.0;
        let similar = pairs.iter().take_while(|pair| pair.2 >= threshold);
        let similar: Vec<(u32, u32)> = similar.map(|&(u, v, _)| (u, v)).collect();
        let found = walk(n, &both_ways(&similar, &numbering(n, 0)));
        let group_of = |root: u32| -> Vec<u32> {
            (0..n).filter(|&page| found.components[page as usize] == root).collect()
        };
        let degree = |page: u32| similar.iter().filter(|&&(u, v)| u == page || v == page).count();
        for root in (0..n).filter(|&page| found.components[page as usize] == page) {
            let group = group_of(root);
            let is_shown = (min..=max).contains(&group.len());
            let center = |page: u32| found.centers[page as usize];
            let is_divided = group.iter().any(|&page| center(page) != center(root));
            if is_shown && is_divided {
                let page = group.into_iter().max_by_key(|&page| (degree(page), Reverse(page)))?;
                return Some((page, threshold));
            }
        }
    }
    None
}

/// The quality of clusters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judged {
    /// Number of clusters with at least two pages.
    pub clusters: u32,
    /// Number of pages in the largest cluster.
    pub largest: u32,
    /// Number of pages that are in no cluster.
    pub alone: u32,
    /// Number of pairs of pages in the same cluster.
    pub within: u32,
    /// Number of these pairs that are not similar.
    pub below: u32,
}

/// Judges the clusters given by `labels`. Quadratic in the number of pages.
#[must_use]
pub fn judge(labels: &[u32], similar: impl Fn(u32, u32) -> bool) -> Judged {
    let mut judged = Judged::default();
    let mut sizes = vec![0u32; labels.len()];
    for &label in labels {
        sizes[label as usize] += 1;
    }
    judged.clusters = sizes.iter().filter(|&&size| size > 1).count() as u32;
    judged.alone = sizes.iter().filter(|&&size| size == 1).count() as u32;
    judged.largest = sizes.iter().copied().max().unwrap_or(0);
    for u in 0..labels.len() {
        for v in u + 1..labels.len() {
            if labels[u] == labels[v] {
                judged.within += 1;
                judged.below += u32::from(!similar(u as u32, v as u32));
            }
        }
    }
    judged
}

/// Returns at most `max` pages that a page reaches by pairs, nearest first, by their numbers.
///
/// # Panics
///
/// If a page is not below `n`.
#[must_use]
pub fn neighborhood(n: u32, pairs: &[(u32, u32)], page: u32, max: usize) -> Vec<u32> {
    let mut seen = vec![false; n as usize];
    let mut found = vec![page];
    seen[page as usize] = true;
    let mut at = 0;
    while at < found.len() {
        for &(u, v) in pairs {
            for (from, to) in [(u, v), (v, u)] {
                if from == found[at] && !seen[to as usize] && found.len() < max {
                    seen[to as usize] = true;
                    found.push(to);
                }
            }
        }
        at += 1;
    }
    found
}

/// Returns how many of the first `pairs` are needed for a page to reach at least `min` pages,
/// including itself; `None` if all pairs are not enough.
///
/// # Panics
///
/// If a page is not below `n`.
#[must_use]
pub fn pairs_until(n: u32, pairs: &[(u32, u32)], page: u32, min: usize) -> Option<usize> {
    let mut group: Vec<u32> = (0..n).collect();
    for (at, &(u, v)) in pairs.iter().enumerate() {
        let (to, from) = (group[u as usize], group[v as usize]);
        if to == from {
            continue;
        }
        group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        if group.iter().filter(|of| **of == group[page as usize]).count() >= min {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::center::{center, components};
    use proptest::prelude::*;

    #[test]
    fn a_chain_is_one_component_and_two_clusters() {
        let pairs = both_ways(&[(0, 1), (1, 2), (2, 3)], &numbering(4, 0));
        assert_eq!(pairs, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]);
        let found = walk(4, &pairs);
        assert_eq!(found.centers, [Some(0), Some(0), Some(2), Some(2)]);
        assert_eq!(found.components, [0; 4]);
        let done: Vec<_> = found.steps.iter().map(|step| step.center).collect();
        use CenterStep::{Founded, FoundedAlone, Member};
        assert_eq!(done, [Founded, Member, Member, FoundedAlone, CenterStep::Joined, Member]);
        let near = |u: u32, v: u32| u.abs_diff(v) == 1;
        let judged = judge(&[0, 0, 2, 2], near);
        assert_eq!(judged, Judged { clusters: 2, largest: 2, alone: 0, within: 2, below: 0 });
        let judged = judge(&found.components, near);
        assert_eq!(judged, Judged { clusters: 1, largest: 4, alone: 0, within: 6, below: 3 });
        let judged = judge(&[0, 1, 1], near);
        assert_eq!((judged.alone, judged.clusters), (1, 1));
    }

    #[test]
    fn the_cases_differ_by_the_two_rules() {
        for name in ["bridge", "chain", "star"] {
            let (n, edges) = Case::from_name(name).unwrap().graph();
            let found = walk(n, &both_ways(&edges, &numbering(n, 0)));
            assert_eq!(found.components, vec![0; n as usize], "{name}");
            let divided = found.centers.iter().any(|&center| center != found.centers[0]);
            assert!(divided, "{name}: {:?}", found.centers);
        }
        let (n, edges) = Case::Star.graph();
        let found = walk(n, &both_ways(&edges, &numbering(n, 0)));
        assert_eq!(single_centers(&found.centers), [1, 3, 4, 5]);
        assert_eq!(single_centers(&[Some(0), Some(0), None]), [0; 0]);
        assert_eq!(Case::from_name("ring"), None);
    }

    #[test]
    fn the_start_is_a_group_that_center_divides_and_no_triangle_of_equals() {
        let triangle = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)];
        assert_eq!(instructive_start(8, &triangle, (3, 10)), None);
        let mut pairs = triangle.to_vec();
        pairs.extend([(3, 4, 0.4), (4, 5, 0.33), (5, 6, 0.3), (6, 7, 0.2)]);
        assert_eq!(instructive_start(8, &pairs, (4, 10)), Some((4, 0.3)));
        assert_eq!(instructive_start(8, &pairs, (5, 10)), Some((4, 0.2)));
        assert_eq!(instructive_start(8, &pairs, (6, 10)), None);
    }

    #[test]
    fn a_neighborhood_contains_reachable_pages_nearest_first() {
        let pairs = [(0, 3), (3, 1), (2, 4), (1, 5), (0, 6)];
        assert_eq!(neighborhood(7, &pairs, 0, 40), [0, 3, 6, 1, 5]);
        assert_eq!(neighborhood(7, &pairs, 0, 3), [0, 3, 6]);
        assert_eq!(neighborhood(7, &[], 2, 3), [2]);
    }

    #[test]
    fn numberings_are_permutations() {
        for seed in 0..20 {
            let mut numbers = numbering(30, seed);
            assert_eq!(seed == 0, numbers.is_sorted());
            numbers.sort_unstable();
            assert_eq!(numbers, (0..30).collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn pairs_suffice_for_a_neighborhood_and_one_fewer_does_not(
            pairs in prop::collection::vec((0u32..12, 0u32..12), 0..30), page in 0u32..12, min in 2usize..8,
        ) {
            let reached = |count: usize| neighborhood(12, &pairs[..count], page, 12).len();
            match pairs_until(12, &pairs, page, min) {
                Some(count) => prop_assert!(reached(count) >= min && reached(count - 1) < min),
                None => prop_assert!(reached(pairs.len()) < min),
            }
        }

        #[test]
        fn the_walk_matches_the_scans(
            edges in prop::collection::vec((0u32..20, 0u32..20), 0..40), seed: u64, cut in 0usize..80,
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(u, v)| u != v).collect();
            let pairs = both_ways(&edges, &numbering(20, seed));
            let pairs = &pairs[..cut.min(pairs.len())];
            let found = walk(20, pairs);
            let or_own: Vec<u32> =
                (0..).zip(&found.centers).map(|(page, center)| center.unwrap_or(page)).collect();
            prop_assert_eq!(or_own, center(20, pairs));
            prop_assert_eq!(&found.components, &components(20, pairs.iter().copied()));
            let merged = found.steps.iter().filter(|step| step.merged).count();
            let mut different = found.components.clone();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(20 - merged, different.len());
        }
    }
}
