//! The bags of judged URLs, and the groups that are held out together.

use std::collections::BTreeMap;

use pagekin_core::hash::SplitMix64;
use pagekin_core::vocabulary::TermId;

use crate::feedback::judgments::Judgment;
use crate::folder::error::CrawlFolderError;
use crate::folder::read::CrawlFolder;

/// Number of parts, one of which is held out.
const FOLDS: u32 = 5;
/// Number of random divisions into parts.
const DEALS: usize = 4;
/// URLs connected by more than one in `LARGE` pairs are assigned to parts separately.
const LARGE: usize = 10;

/// A judged pair, by the indices of its bags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JudgedPair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) similar: bool,
}

/// Judged pairs with their bags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Judged {
    /// Terms of each URL, in ascending order, with their counts.
    bags: Vec<Vec<(TermId, u16)>>,
    pub(crate) pairs: Vec<JudgedPair>,
    /// Group of each URL that is assigned to a part as a whole.
    units: Vec<u32>,
}

/// The part of each URL in one division, and the part that is held out.
pub(crate) struct Fold {
    parts: Vec<u32>,
    held_out: u32,
}

impl Fold {
    /// Returns whether the pair may be learned from: neither of its URLs is held out.
    pub(crate) fn is_learnt(&self, pair: &JudgedPair) -> bool {
        self.parts[pair.a] != self.held_out && self.parts[pair.b] != self.held_out
    }

    /// Returns whether the pair is tested: both of its URLs are held out.
    pub(crate) fn is_tried(&self, pair: &JudgedPair) -> bool {
        self.parts[pair.a] == self.held_out && self.parts[pair.b] == self.held_out
    }
}

impl Judged {
    pub(crate) fn new(
        judgments: &[Judgment],
        crawl: &mut CrawlFolder,
    ) -> Result<Self, CrawlFolderError> {
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut judged = Self::default();
        for &Judgment { u, v, similar } in judgments {
            let mut place = |url: u32| {
                if let Some(&place) = places.get(&url) {
                    return Ok(place);
                }
                judged.bags.push(crawl.url(url)?.bag);
                let place = judged.bags.len() - 1;
                places.insert(url, place);
                Ok::<_, CrawlFolderError>(place)
            };
            let (a, b) = (place(u)?, place(v)?);
            judged.pairs.push(JudgedPair { a, b, similar });
        }
        judged.units = units(judged.bags.len(), &judged.pairs);
        Ok(judged)
    }

    /// Returns the numbers of pairs judged similar and not similar.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let similar = self.pairs.iter().filter(|pair| pair.similar).count();
        (similar as u32, (self.pairs.len() - similar) as u32)
    }

    /// Returns the number of groups. URLs of different groups share no pair, unless all are
    /// connected.
    pub(crate) fn groups(&self) -> u32 {
        self.units.iter().max().map_or(0, |&last| last + 1)
    }

    /// Returns the group of a pair.
    pub(crate) fn group(&self, pair: &JudgedPair) -> u32 {
        self.units[pair.a]
    }

    /// Returns the folds of all divisions.
    pub(crate) fn folds(&self, stream: &mut SplitMix64) -> Vec<Fold> {
        let mut folds = Vec::new();
        for _ in 0..DEALS {
            let of_units: Vec<u32> = (0..self.groups()).map(|_| stream.below(FOLDS)).collect();
            let parts: Vec<u32> = self.units.iter().map(|&unit| of_units[unit as usize]).collect();
            folds.extend((0..FOLDS).map(|held_out| Fold { parts: parts.clone(), held_out }));
        }
        folds
    }

    /// Passes the shared weight of each term in both bags of a pair to `each`: the smaller of its
    /// shares of the two bags, after weighting by `factor`.
    pub(crate) fn shared(
        &self,
        pair: &JudgedPair,
        factor: impl Fn(TermId) -> f64,
        mut each: impl FnMut(TermId, f64),
    ) {
        let (a, b) = (&self.bags[pair.a], &self.bags[pair.b]);
        let sum = |bag: &[(TermId, u16)]| -> f64 {
            bag.iter().map(|&(term, copies)| f64::from(copies) * factor(term)).sum()
        };
        let (of_a, of_b) = (sum(a), sum(b));
        let mut others = b.iter().peekable();
        for &(term, copies) in a {
            while others.next_if(|other| other.0 < term).is_some() {}
            if let Some(&(_, theirs)) = others.next_if(|other| other.0 == term) {
                let own = f64::from(copies) / of_a;
                each(term, own.min(f64::from(theirs) / of_b) * factor(term));
            }
        }
    }

    /// Returns the similarity of a pair with bags weighted by `factor`. With a shared part `s` of
    /// two bags with sum 1, it is `s / (2 - s)`, the sum of minima divided by that of maxima.
    pub(crate) fn similarity(&self, pair: &JudgedPair, factor: impl Fn(TermId) -> f64) -> f64 {
        let mut shared = 0.0;
        self.shared(pair, factor, |_, part| shared += part);
        shared / (2.0 - shared)
    }
}

/// Numbers groups of connected URLs from 0. URLs of very large groups are numbered separately.
fn units(urls: usize, pairs: &[JudgedPair]) -> Vec<u32> {
    let mut parent: Vec<usize> = (0..urls).collect();
    let find = |parent: &mut Vec<usize>, mut url: usize| {
        while parent[url] != url {
            parent[url] = parent[parent[url]];
            url = parent[url];
        }
        url
    };
    for pair in pairs {
        let (a, b) = (find(&mut parent, pair.a), find(&mut parent, pair.b));
        parent[a.max(b)] = a.min(b);
    }
    let mut sizes = vec![0; urls];
    for pair in pairs {
        sizes[find(&mut parent, pair.a)] += 1;
    }
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut units = Vec::with_capacity(urls);
    for url in 0..urls {
        let root = find(&mut parent, url);
        let key = if sizes[root] * LARGE > pairs.len() { urls + url } else { root };
        let next = numbers.len() as u32;
        units.push(*numbers.entry(key).or_insert(next));
    }
    units
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pagekin_core::bag::Bag;
    use pagekin_core::similarity::Overlap;

    impl Judged {
        /// Creates judged pairs from bags and pairs of their indices.
        pub(crate) fn from_bags(
            bags: Vec<Vec<(TermId, u16)>>,
            pairs: &[(usize, usize, bool)],
        ) -> Self {
            let pair = |&(a, b, similar)| JudgedPair { a, b, similar };
            let pairs: Vec<JudgedPair> = pairs.iter().map(pair).collect();
            let units = units(bags.len(), &pairs);
            Self { bags, pairs, units }
        }
    }

    #[test]
    fn without_factors_similarities_are_those_of_bags_of_one_size() {
        let bags = vec![vec![(1, 4), (2, 6)], vec![(2, 3), (3, 7)], vec![(1, 4), (2, 6)]];
        let judged = Judged::from_bags(bags.clone(), &[(0, 1, true), (0, 2, true)]);
        let bag = |at: usize| Bag::from_sorted(bags[at].clone()).unwrap();
        for pair in &judged.pairs {
            let exact = Overlap::between(&bag(pair.a), &bag(pair.b)).jaccard();
            let found = judged.similarity(pair, |_| 1.0);
            assert!((found - exact).abs() < 1e-12, "{found} {exact}");
        }
        // A term with weight 0 is ignored.
        let found = judged.similarity(&judged.pairs[0], |term| if term == 1 { 0.0 } else { 1.0 });
        assert!((found - 0.3 / 1.7).abs() < 1e-12, "{found}");
    }

    #[test]
    fn connected_urls_are_held_out_together() {
        let pairs: Vec<(usize, usize, bool)> =
            (0..40).map(|at| (2 * at, 2 * at + 1, true)).collect();
        let judged = Judged::from_bags(vec![vec![(1, 1)]; 80], &pairs);
        assert_eq!(judged.groups(), 40);
        let folds = judged.folds(&mut SplitMix64::new(1));
        assert_eq!(folds.len(), 20);
        for fold in &folds {
            assert!(judged.pairs.iter().all(|pair| fold.is_learnt(pair) != fold.is_tried(pair)));
        }
        // A URL that all others are compared with cannot be held out with all of them.
        let pairs: Vec<(usize, usize, bool)> = (1..40).map(|at| (0, at, true)).collect();
        let judged = Judged::from_bags(vec![vec![(1, 1)]; 40], &pairs);
        assert_eq!(judged.groups(), 40);
    }

    #[test]
    fn pairs_are_for_learning_for_testing_or_neither() {
        let fold = Fold { parts: vec![0, 1, 1, 2], held_out: 1 };
        let of = |a, b| {
            let pair = JudgedPair { a, b, similar: true };
            (fold.is_learnt(&pair), fold.is_tried(&pair))
        };
        assert_eq!((of(0, 3), of(1, 2)), ((true, false), (false, true)));
        assert_eq!([of(0, 1), of(2, 3)], [(false, false); 2]);
    }
}
