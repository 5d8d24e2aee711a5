//! Classes by what pages are about: spherical k-means on their bags (Dhillon and Modha 2001).
//!
//! A bag has some of millions of terms. It becomes a vector `x` of [`DIMENSIONS`] numbers: of each
//! number a bit of the term's hash says whether the term's copies are added or taken away, and the
//! vector is scaled to length 1. So the cosine `x y` of two vectors is about that of the bags, with
//! an error of `1 / sqrt(DIMENSIONS)` (Henzinger's Alg. C takes the signs of such numbers).
//!
//! Each class `j` has a center `c_j` of length 1. Two steps alternate, of which neither makes the
//! sum of `x c_j` over all vectors, each with its own class, smaller:
//!
//! ```text
//! class of x = the j of the largest x c_j, of equal ones the lowest
//! c_j        = s / |s|, where s is the sum of all x of class j; without any it stays as it is
//! ```
//!
//! They begin with vectors of which each is drawn with a probability in `1 - max x c_j` of the
//! centers before it (k-means++, Arthur and Vassilvitskii 2007), so that few begin in the same
//! crowd.
//!
//! The centers are learnt from a sample of the URLs; then each URL gets the nearest one. Numbers
//! are only added, multiplied, divided and rooted, in one order: classes are the same on every
//! machine.

use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_core::hash::SplitMix64;
use rayon::prelude::*;

use crate::cluster::bags::columns::BagColumns;

/// The numbers of a vector: the bits of a hash.
const DIMENSIONS: usize = u64::BITS as usize;
/// Numbers that are multiplied at once.
const LANES: usize = 8;
/// URLs of the sample for each class, and in all at least and at most.
const SAMPLE: u32 = 100;
const SAMPLES: [u32; 2] = [10_000, 50_000];
const ITERATIONS: u32 = 25;

type Vector = [f32; DIMENSIONS];

/// The centers of classes.
#[derive(Debug, PartialEq)]
pub(crate) struct Centers(Vec<Vector>);

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

impl Centers {
    /// Of so many classes, or as many as there are bags.
    pub(crate) fn learn(bags: &[Bag], classes: u16, seed: u64) -> Self {
        let vectors: Vec<Vector> =
            bags.par_iter().map(|bag| vector(bag.entries().iter().copied())).collect();
        let mut centers = Self::begin(&vectors, usize::from(classes).min(bags.len()), seed);
        let mut classes = Vec::new();
        for _ in 0..ITERATIONS {
            let nearest: Vec<u32> = vectors.par_iter().map(|x| centers.nearest(x)).collect();
            if nearest == classes {
                break;
            }
            classes = nearest;
            let mut sums = vec![[0.0; DIMENSIONS]; centers.0.len()];
            for (x, &class) in vectors.iter().zip(&classes) {
                sums[class as usize].iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
            }
            for (center, sum) in centers.0.iter_mut().zip(sums) {
                *center = scaled(sum).unwrap_or(*center);
            }
        }
        centers
    }

    /// Some of the vectors, far from each other.
    fn begin(vectors: &[Vector], classes: usize, seed: u64) -> Self {
        let mut stream = SplitMix64::new(seed);
        let mut centers: Vec<Vector> = Vec::with_capacity(classes);
        // Of each vector how far it is from the nearest center.
        let mut far = vec![1.0; vectors.len()];
        while centers.len() < classes {
            // 53 bits are what a number with a fraction holds.
            let part = (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            let mut left = part * far.iter().sum::<f64>();
            let drawn = far.iter().position(|far| {
                left -= far;
                left < 0.0
            });
            // All are centers, or equal to one.
            let drawn = drawn.unwrap_or_else(|| stream.below(vectors.len() as u32) as usize);
            let center = vectors[drawn];
            far.par_iter_mut().zip(vectors).for_each(|(far, x)| {
                *far = far.min(f64::from(1.0 - dot(x, &center)).max(0.0));
            });
            far[drawn] = 0.0;
            centers.push(center);
        }
        Self(centers)
    }

    /// How many classes there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    fn nearest(&self, x: &Vector) -> u32 {
        let mut best = (f32::NEG_INFINITY, 0);
        for (class, center) in (0..).zip(&self.0) {
            let cosine = dot(x, center);
            if cosine > best.0 {
                best = (cosine, class);
            }
        }
        best.1
    }

    /// The nearest class of each bag.
    pub(crate) fn classes(&self, bags: &BagColumns) -> Vec<u32> {
        let class = |bag| self.nearest(&vector(bags.entries(bag)));
        (0..bags.len()).into_par_iter().map(class).collect()
    }
}

/// The vector of a bag.
fn vector(entries: impl Iterator<Item = (u32, u16)>) -> Vector {
    let mut sums: Vector = [0.0; DIMENSIONS];
    for (term, copies) in entries {
        let (bits, copies) = (hash::mix(u64::from(term)), f32::from(copies));
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if bits >> bit & 1 == 1 { copies } else { -copies };
        }
    }
    scaled(sums).unwrap_or(sums)
}

/// A vector of length 1 in the same direction, if it has one.
fn scaled(mut vector: Vector) -> Option<Vector> {
    let length = dot(&vector, &vector).sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    (length > 0.0).then_some(vector)
}

fn dot(a: &Vector, b: &Vector) -> f32 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        (0..LANES).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            Centers::learn(&bags[..500], 8, 1).classes(&columns)
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
        assert_eq!(Centers::learn(&equal, 9, 1).count(), 3);
        assert_eq!(Centers::learn(&[], 9, 1).count(), 0);
        assert_eq!(draw(5, 2, 1), [0, 1, 2, 3, 4]);
        let drawn = draw(1_000_000, 2, 1);
        assert!(drawn.is_sorted() && drawn.len() > 9_000);
    }

    /// The two steps as they are defined, as often as they may be, and beginnings whose distances
    /// are all found anew.
    fn twin(vectors: &[Vector], classes: usize, seed: u64) -> Vec<Vector> {
        let mut stream = SplitMix64::new(seed);
        let mut centers: Vec<Vector> = Vec::new();
        let mut drawn = Vec::new();
        while centers.len() < classes {
            let far = |(at, x): (usize, &Vector)| {
                let near = centers.iter().map(|center| dot(x, center));
                let near = near.fold(0.0f32, f32::max);
                if drawn.contains(&at) { 0.0 } else { f64::from(1.0 - near).max(0.0) }
            };
            let far: Vec<f64> = vectors.iter().enumerate().map(far).collect();
            let mut left =
                (stream.next_u64() >> 11) as f64 / 2f64.powi(53) * far.iter().sum::<f64>();
            let mut at = 0;
            while at < far.len() && left >= far[at] {
                left -= far[at];
                at += 1;
            }
            if at == far.len() {
                at = stream.below(vectors.len() as u32) as usize;
            }
            drawn.push(at);
            centers.push(vectors[at]);
        }
        for _ in 0..ITERATIONS {
            let mut sums = vec![[0.0; DIMENSIONS]; classes];
            for x in vectors {
                let cosines: Vec<f32> = centers.iter().map(|center| dot(x, center)).collect();
                let most = cosines.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let class = cosines.iter().position(|&cosine| cosine == most).unwrap();
                (0..DIMENSIONS).for_each(|at| sums[class][at] += x[at]);
            }
            for (center, sum) in centers.iter_mut().zip(sums) {
                *center = scaled(sum).unwrap_or(*center);
            }
        }
        centers
    }

    proptest! {
        #[test]
        fn centers_are_those_of_the_definition(
            bags in prop::collection::vec(prop::collection::btree_map(0u32..12, 1u16..9, 1..5), 1..60),
            classes in 1u16..7,
            seed: u64,
        ) {
            let bags: Vec<Bag> =
                bags.into_iter().map(|bag| Bag::from_sorted(bag.into_iter().collect()).unwrap()).collect();
            let vectors: Vec<Vector> =
                bags.iter().map(|bag| vector(bag.entries().iter().copied())).collect();
            let expected = twin(&vectors, usize::from(classes).min(bags.len()), seed);
            prop_assert_eq!(Centers::learn(&bags, classes, seed), Centers(expected));
        }
    }
}
