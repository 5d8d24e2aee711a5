//! Builds one level of a tree: clusters of similar nodes, by CENTER.
//!
//! Each node is paired with the nearest nodes by their [profiles](mod@crate::cosine). Nodes are
//! ordered by *density*, which is the sum of these cosines, so that the center of a topic becomes
//! the center of a cluster. CENTER finds the centers from the pairs above a threshold, the most
//! similar pairs of each node first. A center takes at most [`MAX_MEMBERS`] nodes. Then each other
//! node joins the most similar center with room, the most similar pairs first. So no node of the
//! tree has hundreds of children: a large topic is split into several clusters on this level, and
//! merged on a level above.
//!
//! A node that is still alone joins the most similar center with room that has at least half of the
//! threshold as similarity, if there is one. The threshold is the highest multiple of 0.01 that
//! leaves at most the wanted number of clusters. So it decreases from level to level.
//!
//! [BENCHMARKS.md] compares this with members that join their first center, as in the paper, and
//! with clusters of unlimited size.
//!
//! [BENCHMARKS.md]: https://github.com/pagekin/pagekin/blob/main/crates/BENCHMARKS.md#trees-of-topics

use std::cmp::Reverse;

use pagekin_core::center::{CenterScan, CenterStep};
use rayon::prelude::*;

use crate::cosine::{Cosine, MAX_EXAMINED, Profiles, Sums};

/// Maximum number of members that a center takes above the threshold, and in total with nodes that
/// were still alone.
pub(super) const MAX_MEMBERS: i64 = 15;
pub(super) const MAX_WITH_REST: i64 = 19;
/// Number of nearest nodes that count for the density of a node.
const DENSITY: usize = 16;
/// Resolution of thresholds.
const STEPS: u32 = 100;

/// Returns the center of each node, so that about `wanted` centers remain. A center is its own
/// center.
///
/// # Errors
///
/// Returns the first error of `step`, which is called once per node.
pub(crate) fn cluster<E: Send>(
    profiles: &Profiles,
    wanted: usize,
    step: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<Vec<u32>, E> {
    let nearest: Vec<Vec<(u32, Cosine)>> = (0..profiles.len())
        .into_par_iter()
        .map_init(Sums::default, |sums, node| {
            step()?;
            let mut nearest = profiles.nearest(node, MAX_EXAMINED, sums);
            nearest.retain(|&(_, cosine)| cosine > Cosine::default());
            Ok(nearest)
        })
        .collect::<Result<_, E>>()?;
    Ok(NearPairs::new(&nearest).cluster(wanted))
}

/// Pairs of near nodes in both directions, by position in the order of density.
struct NearPairs {
    /// The node at each position.
    nodes: Vec<u32>,
    /// The partners of each position, most similar first.
    partners: Vec<Vec<(u32, Cosine)>>,
}

impl NearPairs {
    /// Creates pairs from the nearest nodes of each node.
    fn new(nearest: &[Vec<(u32, Cosine)>]) -> Self {
        let density = |&node: &u32| {
            let nearest = nearest[node as usize].iter().take(DENSITY);
            (Reverse(nearest.map(|&(_, cosine)| u64::from(cosine.0)).sum::<u64>()), node)
        };
        let mut nodes: Vec<u32> = (0..nearest.len() as u32).collect();
        nodes.par_sort_by_cached_key(density);
        let mut places = vec![0; nodes.len()];
        for (place, &node) in (0..).zip(&nodes) {
            places[node as usize] = place;
        }
        let mut partners: Vec<Vec<(u32, Cosine)>> = vec![Vec::new(); nodes.len()];
        for (node, nearest) in nearest.iter().enumerate() {
            for &(other, cosine) in nearest {
                let (a, b) = (places[node], places[other as usize]);
                partners[a as usize].push((b, cosine));
                partners[b as usize].push((a, cosine));
            }
        }
        partners.par_iter_mut().for_each(|partners| {
            partners.sort_unstable_by_key(|&(place, cosine)| (Reverse(cosine), place));
            partners.dedup();
        });
        Self { nodes, partners }
    }

    /// Returns the center of each node.
    fn cluster(&self, wanted: usize) -> Vec<u32> {
        // A lower threshold nearly always leaves fewer clusters.
        let (mut low, mut high) = (0, STEPS);
        let mut best = self.at(0);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let found = self.at(middle);
            if clusters(&found) <= wanted {
                (low, best) = (middle, found);
            } else {
                high = middle - 1;
            }
        }
        let mut centers = vec![0; self.nodes.len()];
        for (&node, center) in self.nodes.iter().zip(best) {
            centers[node as usize] = self.nodes[center as usize];
        }
        centers
    }

    /// Returns the center of each position at a threshold in units of 1/[`STEPS`].
    fn at(&self, threshold: u32) -> Vec<u32> {
        let min =
            Cosine((u64::from(Cosine::EQUAL.0) * u64::from(threshold) / u64::from(STEPS)) as u32);
        let (mut centers, mut room) = self.assign(&self.scan(min), min);
        for (place, partners) in self.partners.iter().enumerate() {
            if centers[place] != place as u32 || room[place] < MAX_MEMBERS {
                continue;
            }
            let is_open = |&&(center, cosine): &&(u32, Cosine)| {
                let taken = MAX_MEMBERS - room[center as usize];
                cosine.0 >= min.0 / 2 && (1..MAX_WITH_REST).contains(&taken)
            };
            if let Some(&(center, _)) = partners.iter().find(is_open) {
                centers[place] = center;
                room[center as usize] -= 1;
            }
        }
        centers
    }

    /// Returns which positions CENTER makes the center of others.
    fn scan(&self, min: Cosine) -> Vec<bool> {
        let mut scan = CenterScan::new(self.nodes.len() as u32);
        let mut founded = vec![false; self.nodes.len()];
        for (place, partners) in (0..).zip(&self.partners) {
            let mut taken = 0;
            for &(partner, _) in partners.iter().take_while(|&&(_, cosine)| cosine >= min) {
                match scan.next(place, partner) {
                    CenterStep::Founded | CenterStep::Joined => taken += 1,
                    CenterStep::Member => break,
                    CenterStep::FoundedAlone | CenterStep::Taken => {}
                }
                if taken == MAX_MEMBERS {
                    break;
                }
            }
            founded[place as usize] = taken > 0;
        }
        founded
    }

    /// Returns the most similar center with room for each position that is not a center, or the
    /// position itself, and the remaining room at each position.
    fn assign(&self, is_center: &[bool], min: Cosine) -> (Vec<u32>, Vec<i64>) {
        let mut pairs: Vec<(Cosine, u32, u32)> = Vec::new();
        for (place, partners) in (0..).zip(&self.partners) {
            if !is_center[place as usize] {
                let near = partners.iter().take_while(|&&(_, cosine)| cosine >= min);
                let near = near.filter(|&&(center, _)| is_center[center as usize]);
                pairs.extend(near.map(|&(center, cosine)| (cosine, place, center)));
            }
        }
        pairs.sort_unstable_by_key(|&(cosine, place, center)| (Reverse(cosine), place, center));
        let mut centers: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut room = vec![MAX_MEMBERS; self.nodes.len()];
        for (_, place, center) in pairs {
            if centers[place as usize] == place && room[center as usize] > 0 {
                centers[place as usize] = center;
                room[center as usize] -= 1;
            }
        }
        (centers, room)
    }
}

fn clusters(centers: &[u32]) -> usize {
    (0..).zip(centers).filter(|&(place, &center)| place == center).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cosine::scaled;
    use crate::rows::Rows;
    use proptest::prelude::*;
    use std::convert::Infallible;

    const TERMS: u32 = 30;

    fn rows(nodes: &[Vec<(u32, u8)>]) -> Rows<u16> {
        let row = |node: &Vec<(u32, u8)>| {
            let mut weights: Vec<_> =
                node.iter().map(|&(term, weight)| (term, f64::from(weight))).collect();
            weights.sort_unstable_by_key(|entry| entry.0);
            weights.dedup_by_key(|entry| entry.0);
            scaled(weights, usize::MAX)
        };
        Rows::new(nodes.iter().map(row).collect())
    }

    /// The slow, obvious way: all pairs, and each step as described.
    fn brute_force(profiles: &Profiles, wanted: usize) -> Vec<u32> {
        let n = profiles.len();
        let cosine = |a: u32, b: u32| profiles.cosine(a, b).0;
        let density = |a: u32| {
            let mut all: Vec<u32> = (0..n).filter(|&b| b != a).map(|b| cosine(a, b)).collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            all.into_iter().take(DENSITY).map(u64::from).sum::<u64>()
        };
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_by_key(|&a| (Reverse(density(a)), a));
        let place = |a: u32| order.iter().position(|&b| a == b).unwrap();
        let partners = |a: u32, min: u32| {
            let mut all: Vec<u32> =
                (0..n).filter(|&b| b != a && cosine(a, b) >= min.max(1)).collect();
            all.sort_by_key(|&b| (Reverse(cosine(a, b)), place(b)));
            all
        };
        let at = |threshold: u64| {
            let min = (u64::from(Cosine::EQUAL.0) * threshold / u64::from(STEPS)) as u32;
            let (mut seen, mut founders) = (vec![false; n as usize], Vec::new());
            for &a in &order {
                if seen[a as usize] {
                    continue;
                }
                let near = partners(a, min);
                let free = near.into_iter().filter(|&b| !seen[b as usize]);
                let taken: Vec<u32> = free.take(MAX_MEMBERS as usize).collect();
                if !taken.is_empty() {
                    founders.push(a);
                    taken.into_iter().chain([a]).for_each(|b| seen[b as usize] = true);
                }
            }
            let mut centers: Vec<u32> = (0..n).collect();
            let mut pairs: Vec<(u32, u32)> = (0..n)
                .filter(|a| !founders.contains(a))
                .flat_map(|a| partners(a, min).into_iter().map(move |b| (a, b)))
                .filter(|(_, b)| founders.contains(b))
                .collect();
            pairs.sort_by_key(|&(a, b)| (Reverse(cosine(a, b)), place(a), place(b)));
            let members = |centers: &[u32], of: u32| {
                (0..n).filter(|&a| a != of && centers[a as usize] == of).count() as i64
            };
            for (a, b) in pairs {
                if centers[a as usize] == a && members(&centers, b) < MAX_MEMBERS {
                    centers[a as usize] = b;
                }
            }
            for &a in &order {
                if centers[a as usize] != a || members(&centers, a) > 0 {
                    continue;
                }
                let open = |&b: &u32| {
                    centers[b as usize] == b && (1..MAX_WITH_REST).contains(&members(&centers, b))
                };
                if let Some(b) = partners(a, min / 2).into_iter().find(open) {
                    centers[a as usize] = b;
                }
            }
            centers
        };
        let count = |centers: &[u32]| (0..n).filter(|&a| centers[a as usize] == a).count();
        let (mut low, mut high) = (0, u64::from(STEPS));
        while low < high {
            let middle = (low + high).div_ceil(2);
            if count(&at(middle)) <= wanted { low = middle } else { high = middle - 1 }
        }
        at(low)
    }

    proptest! {
        #[test]
        fn levels_match_brute_force(
            nodes in prop::collection::vec(prop::collection::vec((0..TERMS, 1u8..9), 0..6), 1..50),
            wanted in 1usize..12,
        ) {
            let profiles = Profiles::new(rows(&nodes), TERMS as usize);
            let found = cluster(&profiles, wanted, &|| Ok::<_, Infallible>(())).unwrap();
            prop_assert_eq!(found, brute_force(&profiles, wanted));
        }
    }
}
