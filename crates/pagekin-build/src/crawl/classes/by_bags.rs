//! Classes by what pages are about: k-means on their bags.
//!
//! A bag has some of millions of terms. It becomes a vector of [`DIMENSIONS`] numbers: of each
//! number a bit of the term's hash says whether the term's copies are added or taken away, and the
//! vector is scaled to length 1. So the angle of two vectors is about that of the bags, with an error
//! of `1 / sqrt(DIMENSIONS)` in its cosine (Henzinger's Alg. C takes the signs of such numbers), and
//! k-means brings together what has a small angle.
//!
//! The centroids are learnt from a sample of the URLs; then each URL gets the nearest one.

use linfa::DatasetBase;
use linfa::ParamGuard;
use linfa::prelude::{Fit, Predict};
use linfa_clustering::{KMeans, KMeansInit};
use linfa_nn::distance::L2Dist;
use ndarray::Array2;
use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_core::hash::SplitMix64;
use rayon::prelude::*;

use crate::crawl::bags::columns::BagColumns;

/// The numbers of a vector: the bits of a hash.
const DIMENSIONS: usize = u64::BITS as usize;
/// URLs of the sample for each class, and in all at least and at most.
const SAMPLE: u32 = 100;
const SAMPLES: [u32; 2] = [10_000, 50_000];
const ITERATIONS: u64 = 25;
/// Bags that a thread takes at once.
const AT_ONCE: usize = 1_024;

/// The middles of classes.
pub(crate) struct Centroids(KMeans<f32, L2Dist>);

/// The URLs from which so many classes are learnt, ascending.
pub(crate) fn draw(urls: u32, classes: u16, seed: u64) -> Vec<u32> {
    let wanted = (SAMPLE * u32::from(classes)).clamp(SAMPLES[0], SAMPLES[1]);
    if urls <= wanted {
        return (0..urls).collect();
    }
    let mut stream = SplitMix64::new(seed);
    let mut sample: Vec<u32> = (0..wanted).map(|_| stream.below(urls)).collect();
    sample.sort_unstable();
    sample.dedup();
    sample
}

impl Centroids {
    /// Of so many classes, or as many as there are bags; `None` without bags.
    pub(crate) fn learn(bags: &[Bag], classes: u16) -> Option<Self> {
        let classes = usize::from(classes).min(bags.len());
        if classes == 0 {
            return None;
        }
        let rows = vectors(bags.len(), |at| bags[at].entries().iter().copied());
        // The library's own generator, with the library's own seed. Its better beginnings take the
        // square of the number of classes.
        KMeans::params(classes)
            .init_method(KMeansInit::Random)
            .n_runs(1)
            .max_n_iterations(ITERATIONS)
            .check()
            .ok()?
            .fit(&DatasetBase::from(rows))
            .ok()
            .map(Self)
    }

    /// How many classes there are.
    pub(crate) fn count(&self) -> usize {
        self.0.centroids().nrows()
    }

    /// The nearest class of each bag.
    pub(crate) fn classes(&self, bags: &BagColumns) -> Vec<u32> {
        let firsts: Vec<usize> = (0..bags.len()).step_by(AT_ONCE).collect();
        let of = |&first: &usize| {
            let count = AT_ONCE.min(bags.len() - first);
            let nearest = self.0.predict(vectors(count, |at| bags.entries(first + at)));
            nearest.targets.iter().map(|&class| class as u32).collect::<Vec<_>>()
        };
        firsts.par_iter().flat_map(of).collect()
    }
}

/// The vectors of some bags, one a row.
fn vectors<E: Iterator<Item = (u32, u16)>>(
    count: usize,
    entries: impl Fn(usize) -> E,
) -> Array2<f32> {
    let mut rows = Array2::zeros((count, DIMENSIONS));
    for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
        for (term, copies) in entries(at) {
            let bits = hash::mix(u64::from(term));
            for (bit, number) in row.iter_mut().enumerate() {
                let copies = f32::from(copies);
                *number += if bits >> bit & 1 == 1 { copies } else { -copies };
            }
        }
        let length = row.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 {
            row /= length;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bags about one of four things each, and about others by half as much.
    fn bags() -> Vec<Bag> {
        let mut stream = SplitMix64::new(4);
        let bag = |page: u32| {
            let mut terms: Vec<(u32, u16)> =
                (0..20).map(|_| (page % 4 * 100 + stream.below(30), 6)).collect();
            terms.extend((0..10).map(|_| (1_000 + stream.below(5_000), 4)));
            terms.sort_unstable();
            terms.dedup_by_key(|entry| entry.0);
            Bag::from_sorted(terms).unwrap()
        };
        (0..2_000).map(bag).collect()
    }

    fn classes(threads: usize) -> Vec<u32> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let bags = bags();
            let mut columns = BagColumns::default();
            bags.iter().for_each(|bag| columns.push(bag));
            Centroids::learn(&bags[..500], 8).unwrap().classes(&columns)
        })
    }

    #[test]
    fn what_is_about_one_thing_is_together_whatever_the_threads() {
        let found = classes(1);
        assert_eq!(found, classes(3));
        // Two pages of a class are about the same thing.
        let mut met = [[0u32; 4]; 8];
        (0..).zip(&found).for_each(|(page, &class): (usize, _)| met[class as usize][page % 4] += 1);
        let pure: u32 = met.iter().map(|of| of.iter().max().unwrap()).sum();
        assert!(pure > 1_900, "{met:?}");
    }

    #[test]
    fn there_are_no_more_classes_than_bags() {
        let equal = vec![Bag::from_sorted(vec![(1, 2)]).unwrap(); 3];
        assert_eq!(Centroids::learn(&equal, 9).unwrap().count(), 3);
        assert!(Centroids::learn(&[], 9).is_none());
        assert_eq!(draw(5, 2, 1), [0, 1, 2, 3, 4]);
        let drawn = draw(1_000_000, 2, 1);
        assert!(drawn.is_sorted() && drawn.len() > 9_000);
    }
}
