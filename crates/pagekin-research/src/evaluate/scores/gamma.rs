//! Computes Goodman and Kruskal's gamma between the order of a measure and that of a hierarchy.
//!
//! For a source, two pages at different familial distances are *concordant* if the nearer one is
//! more similar, and *discordant* if it is less similar. Pairs with equal similarities do not
//! count. With both numbers summed over all sources,
//!
//! ```text
//! gamma = (concordant - discordant) / (concordant + discordant)
//! ```
//!
//! It ranges from -1 to 1, and is 0 for a random order (Haveliwala, Gionis, Klein and Indyk 2002,
//! after Goodman and Kruskal 1954). Partial gammas count only pairs whose nearer page is in the
//! class of the source, and whose other page is in a sibling class, in a cousin class, or
//! unrelated. The gamma named *class* counts all three.
//!
//! All pairs of a source are counted in `O(n log n)`: in the order of similarity, each page is
//! counted against the number of more similar pages at each distance.

use crate::evaluate::truth::classes::DISTANCES;

/// Numbers of pairs by the familial distances of the nearer page and of the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    concordant: [[u64; DISTANCES]; DISTANCES],
    discordant: [[u64; DISTANCES]; DISTANCES],
    /// Number of pages in the class of their source, and of those without a common term.
    same_class: u64,
    orthogonal: u64,
}

impl Pairs {
    /// Adds the pairs of a source. `similar` contains the similarities above 0 and familial
    /// distances of the pages that share a term with it, in any order, and is sorted. `pages` are
    /// the numbers of pages at each distance, without the source.
    pub(crate) fn add_source(&mut self, similar: &mut [u64], pages: [u64; DISTANCES]) {
        // Most similar first.
        similar.sort_unstable_by(|a, b| b.cmp(a));
        let mut above = [0; DISTANCES];
        for equals in similar.chunk_by(|a, b| a >> 8 == b >> 8) {
            let mut here = [0; DISTANCES];
            for &page in equals {
                here[(page & 0xff) as usize] += 1;
            }
            self.add_equals(&mut above, here);
        }
        self.same_class += pages[0];
        self.orthogonal += pages[0] - above[0];
        let dissimilar = std::array::from_fn(|distance| pages[distance] - above[distance]);
        self.add_equals(&mut above, dissimilar);
    }

    /// Adds the pairs of equally similar pages with the pages `above` them, then adds these pages
    /// to `above`.
    fn add_equals(&mut self, above: &mut [u64; DISTANCES], here: [u64; DISTANCES]) {
        for near in 0..DISTANCES {
            for far in near + 1..DISTANCES {
                self.concordant[near][far] += above[near] * here[far];
                self.discordant[near][far] += above[far] * here[near];
            }
        }
        for (above, here) in above.iter_mut().zip(here) {
            *above += here;
        }
    }

    /// Adds the pairs of other sources.
    pub(crate) fn add(&mut self, other: &Self) {
        for near in 0..DISTANCES {
            for far in 0..DISTANCES {
                self.concordant[near][far] += other.concordant[near][far];
                self.discordant[near][far] += other.discordant[near][far];
            }
        }
        self.same_class += other.same_class;
        self.orthogonal += other.orthogonal;
    }

    /// Returns gamma over all pairs, or `None` if no pair counts.
    pub(crate) fn gamma(&self) -> Option<f64> {
        let sum = |pairs: &[[u64; DISTANCES]; DISTANCES]| pairs.iter().flatten().sum();
        gamma(sum(&self.concordant), sum(&self.discordant))
    }

    /// Returns gamma over pairs of a page in the source's class and a page in another class.
    pub(crate) fn class(&self) -> Option<f64> {
        gamma(self.concordant[0].iter().sum(), self.discordant[0].iter().sum())
    }

    /// Returns gamma over pairs of a page in the source's class and a page at `distance`, at least
    /// 1.
    pub(crate) fn partial(&self, distance: usize) -> Option<f64> {
        gamma(self.concordant[0][distance], self.discordant[0][distance])
    }

    /// Returns the share of pairs of pages in one class without a common term.
    pub(crate) fn orthogonality(&self) -> Option<f64> {
        (self.same_class > 0).then(|| self.orthogonal as f64 / self.same_class as f64)
    }
}

/// Packs a similarity above 0 and a familial distance into a number. Greater similarities give
/// greater numbers.
pub(crate) fn packed(similarity: f32, distance: u8) -> u64 {
    // The bits of non-negative floats have the same order as their values.
    u64::from(similarity.to_bits()) << 8 | u64::from(distance)
}

fn gamma(concordant: u64, discordant: u64) -> Option<f64> {
    let both = concordant + discordant;
    (both > 0).then(|| (concordant as f64 - discordant as f64) / both as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The pairs of sources with all their other pages.
    fn fast(sources: &[Vec<(f32, u8)>]) -> Pairs {
        let mut pairs = Pairs::default();
        for pages in sources {
            let mut at_distance = [0; DISTANCES];
            for &(_, distance) in pages {
                at_distance[usize::from(distance)] += 1;
            }
            let similar = pages.iter().filter(|page| page.0 > 0.0);
            let mut similar: Vec<u64> = similar.map(|&(s, d)| packed(s, d)).collect();
            pairs.add_source(&mut similar, at_distance);
        }
        pairs
    }

    /// The obvious way: every two pages of every source, by the definition.
    fn brute_force(sources: &[Vec<(f32, u8)>], counts: impl Fn(u8, u8) -> bool) -> Option<f64> {
        let (mut concordant, mut discordant) = (0.0, 0.0);
        for pages in sources {
            for a in pages {
                for b in pages {
                    if a.1 < b.1 && counts(a.1, b.1) {
                        concordant += f64::from(u8::from(a.0 > b.0));
                        discordant += f64::from(u8::from(a.0 < b.0));
                    }
                }
            }
        }
        let both = concordant + discordant;
        (both > 0.0).then(|| (concordant - discordant) / both)
    }

    #[test]
    fn orders_have_known_gammas() {
        let gamma = |pages: &[(f32, u8)]| fast(&[pages.to_vec()]).gamma();
        assert_eq!(gamma(&[(0.9, 0), (0.5, 1), (0.4, 2), (0.0, 3)]), Some(1.0));
        assert_eq!(gamma(&[(0.1, 0), (0.2, 1), (0.3, 2), (0.4, 3)]), Some(-1.0));
        assert_eq!(
            gamma(&[(0.2, 0), (0.2, 1), (0.0, 2), (0.0, 3)]),
            Some(1.0),
            "ties do not count"
        );
        assert_eq!(gamma(&[(0.3, 0), (0.2, 1), (0.5, 1)]), Some(0.0));
        assert_eq!(gamma(&[(0.3, 1), (0.2, 1)]), None);
        let pairs = fast(&[vec![(0.3, 0), (0.0, 0), (0.2, 1), (0.1, 3)]]);
        assert_eq!(
            (pairs.partial(1), pairs.partial(2), pairs.partial(3)),
            (Some(0.0), None, Some(0.0))
        );
        assert_eq!(pairs.orthogonality(), Some(0.5));
        // There is one more pair, of a sibling and an unrelated page.
        assert_eq!(pairs.gamma(), Some(1.0 / 5.0));
    }

    #[test]
    fn pairs_are_summed_before_the_division() {
        // 3 of 3 concordant pairs, and 0 of 1.
        let sources = [vec![(0.9, 0), (0.1, 1), (0.2, 1), (0.3, 1)], vec![(0.1, 0), (0.2, 1)]];
        assert_eq!(fast(&sources).gamma(), Some(0.5));
    }

    proptest! {
        #[test]
        fn pairs_match_brute_force(
            sources in prop::collection::vec(prop::collection::vec(((0u8..6).prop_map(|s| f32::from(s) / 7.0), 0u8..4), 0..20), 0..4),
        ) {
            let mut parts = Pairs::default();
            for source in &sources {
                parts.add(&fast(std::slice::from_ref(source)));
            }
            let pairs = fast(&sources);
            prop_assert_eq!(pairs, parts);
            prop_assert_eq!(pairs.gamma(), brute_force(&sources, |_, _| true));
            prop_assert_eq!(pairs.class(), brute_force(&sources, |near, _| near == 0));
            for distance in 1..4u8 {
                let partial = pairs.partial(usize::from(distance));
                prop_assert_eq!(partial, brute_force(&sources, |near, far| near == 0 && far == distance));
            }
            let same: Vec<f32> = sources.iter().flatten().filter(|page| page.1 == 0).map(|page| page.0).collect();
            let orthogonal = same.iter().filter(|&&similarity| similarity == 0.0).count() as f64;
            prop_assert_eq!(pairs.orthogonality(), (!same.is_empty()).then(|| orthogonal / same.len() as f64));
        }
    }
}
