//! Finds all pairs of texts with a minimum resemblance, without missing any.
//!
//! A text is a set of its shingles, or of representatives of some of them. Two sets of at least n
//! shingles with a resemblance of at least r share at least r n of them. So the sets are joined by
//! their prefixes ([`by_prefix`]), and sets that share a shingle of their prefixes are compared
//! completely.
//!
//! Time grows with the number of pairs that share a shingle of their prefixes: without a minimum
//! resemblance, all pairs that share any shingle.

use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::join::by_prefix;
use pagekin_pairs::join::by_prefix::Sets;
use rayon::prelude::*;

use crate::error::DuplicatesError;

/// Returns the pairs of these sets whose `resemblance` is at least `min`, ascending, lower number
/// first. `resemblance` may exceed that of the sets only if it is the resemblance of parts of them,
/// one of which is the whole set.
pub(crate) fn find(
    sets: &[&[u64]],
    min: f64,
    resemblance: impl Fn(u32, u32) -> f64 + Sync,
    observer: &dyn Observer,
) -> Result<Vec<(u32, u32)>, DuplicatesError> {
    observer.stage(Stage::Pairing, sets.len() as u64);
    let mut texts: Vec<u32> = (0..sets.len() as u32).collect();
    texts.sort_by_key(|&text| sets[text as usize].len());
    let step = || {
        check(observer)?;
        observer.advance(1);
        Ok::<_, DuplicatesError>(())
    };
    let mut pairs = by_prefix::join(&Texts { sets, texts, min, resemblance }, step)?;
    pairs.par_sort_unstable();
    Ok(pairs)
}

struct Texts<'a, R> {
    sets: &'a [&'a [u64]],
    texts: Vec<u32>,
    min: f64,
    resemblance: R,
}

impl<R> Texts<'_, R> {
    fn set(&self, at: usize) -> &[u64] {
        self.sets[self.texts[at] as usize]
    }
}

impl<R: Fn(u32, u32) -> f64 + Sync> Sets for Texts<'_, R> {
    type Term = u64;
    type Pair = (u32, u32);
    /// Comparing two texts costs less than looking up all shingles of one.
    const COUNTS: bool = false;

    fn len(&self) -> usize {
        self.texts.len()
    }

    fn terms(&self, set: usize) -> impl Iterator<Item = (u64, u16)> {
        self.set(set).iter().map(|&shingle| (shingle, 1))
    }

    fn least_shared(&self, set: usize) -> u32 {
        // Subtract a small amount, so that rounding errors do not make it too large.
        (self.min * self.set(set).len() as f64 - 1e-6).ceil().max(1.0) as u32
    }

    fn smallest_partner(&self, _: usize) -> usize {
        0
    }

    fn pair(&self, set: usize, before: usize, _: u32) -> Option<(u32, u32)> {
        let (a, b) = (self.texts[set], self.texts[before]);
        let pair = (a.min(b), a.max(b));
        ((self.resemblance)(pair.0, pair.1) >= self.min).then_some(pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::near::shingles::Shared;
    use pagekin_pages::Silent;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The resemblance of small sets is often exactly the minimum.
        #[test]
        fn pairs_match_brute_force(
            sets in vec(btree_set(0u64..16, 0..12), 0..24),
            (part, of) in (1u32..=10, 1u32..=10),
        ) {
            let min = f64::from(part.min(of)) / f64::from(part.max(of));
            let sets: Vec<Vec<u64>> = sets.into_iter().map(Vec::from_iter).collect();
            let sets: Vec<&[u64]> = sets.iter().map(Vec::as_slice).collect();
            let resemblance = |a: u32, b: u32| {
                assert!(a < b);
                Shared::from_sorted(sets[a as usize], sets[b as usize]).resemblance()
            };
            let n = sets.len() as u32;
            let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
            let expected: Vec<_> = all.filter(|&(a, b)| resemblance(a, b) >= min).collect();
            prop_assert_eq!(find(&sets, min, resemblance, &Silent).unwrap(), expected);
        }
    }

    /// The shared shingles sort after those that the larger text has alone.
    #[test]
    fn a_text_that_is_just_the_minimum_share_of_another_is_found() {
        for n in 1..=12u64 {
            for m in 1..=n {
                let (whole, part): (Vec<u64>, Vec<u64>) = ((0..n).collect(), (n - m..n).collect());
                let min = m as f64 / n as f64;
                let found = find(&[&whole, &part], min, |_, _| min, &Silent).unwrap();
                assert_eq!(found, [(0, 1)], "{m} of {n}");
            }
        }
    }
}
