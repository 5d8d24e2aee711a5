//! The exact similarity of two bags.

use crate::bag::Bag;
use crate::vocabulary::TermId;

/// The overlap of two bags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overlap {
    /// The number of copies in both: the sum over all terms of the smaller number of copies.
    pub intersection: u32,
    /// The number of copies in either: the sum over all terms of the larger number of copies.
    pub union: u32,
}

impl Overlap {
    /// Computes the overlap of `a` and `b` in one pass over both. The loop is branch-free, because
    /// the order of terms is unpredictable.
    #[must_use]
    pub fn between(a: &Bag, b: &Bag) -> Self {
        let (a, b) = (a.entries(), b.entries());
        let intersection = intersection(a.len(), |i| a[i], b.len(), |j| b[j]);
        Self::new(intersection, a.iter().map(|entry| entry.1), b.iter().map(|entry| entry.1))
    }

    /// Computes the overlap of bags in columns: their terms in ascending order, and the copies of
    /// each.
    ///
    /// # Panics
    ///
    /// If a bag has fewer copies than terms.
    #[must_use]
    pub fn from_columns(a: (&[TermId], &[u16]), b: (&[TermId], &[u16])) -> Self {
        let entry = |(terms, counts): (&[TermId], &[u16]), at: usize| (terms[at], counts[at]);
        let intersection = intersection(a.0.len(), |i| entry(a, i), b.0.len(), |j| entry(b, j));
        Self::new(intersection, a.1.iter().copied(), b.1.iter().copied())
    }

    fn new(intersection: u32, a: impl Iterator<Item = u16>, b: impl Iterator<Item = u16>) -> Self {
        let size = a.map(u32::from).sum::<u32>() + b.map(u32::from).sum::<u32>();
        Self { intersection, union: size - intersection }
    }

    /// Returns the bag Jaccard, `|A and B| / |A or B|` (Haveliwala, Gionis and Indyk 2000, section
    /// 3): 1 for equal bags, and 0 for bags that share no term. It is 0 for two empty bags, of
    /// which nothing is known.
    #[must_use]
    pub fn jaccard(self) -> f64 {
        if self.union == 0 { 0.0 } else { f64::from(self.intersection) / f64::from(self.union) }
    }
}

/// Counts the copies in both of two bags, whose entries the functions return by index.
#[inline]
fn intersection(
    a_len: usize,
    a: impl Fn(usize) -> (TermId, u16),
    b_len: usize,
    b: impl Fn(usize) -> (TermId, u16),
) -> u32 {
    let (mut i, mut j, mut intersection) = (0, 0, 0);
    while i < a_len && j < b_len {
        let ((term, count), (other, others)) = (a(i), b(j));
        intersection += u32::from(count.min(others)) * u32::from(term == other);
        i += usize::from(term <= other);
        j += usize::from(other <= term);
    }
    intersection
}

/// Returns the terms in both bags with the copies in both, ascending.
pub fn shared<'a>(a: &'a Bag, b: &'a Bag) -> impl Iterator<Item = (TermId, u16)> + 'a {
    let mut rest = b.entries();
    a.entries().iter().filter_map(move |&(id, count)| {
        while let [(other, _), tail @ ..] = rest
            && *other < id
        {
            rest = tail;
        }
        match rest {
            [(other, theirs), ..] if *other == id => Some((id, count.min(*theirs))),
            _ => None,
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    /// Bags of up to 40 of 60 terms, so that two of them usually share some.
    pub(crate) fn any_bag() -> impl Strategy<Value = Bag> {
        prop::collection::btree_map(0u32..60, 1u16..30, 0..40).prop_map(bag)
    }

    pub(crate) fn bag(entries: BTreeMap<u32, u16>) -> Bag {
        Bag::from_sorted(entries.into_iter().collect()).expect("a map is sorted")
    }

    /// The paper's flattening: the set of (term, copy number).
    pub(crate) fn flat(bag: &Bag) -> BTreeSet<(u32, u16)> {
        bag.entries().iter().flat_map(|&(id, n)| (0..n).map(move |copy| (id, copy))).collect()
    }

    #[test]
    fn known_answers() {
        let a = bag([(1, 2), (3, 4)].into());
        let b = bag([(1, 3), (2, 1), (3, 1)].into());
        assert_eq!(Overlap::between(&a, &b), Overlap { intersection: 3, union: 8 });
        assert_eq!(Overlap::between(&a, &a).jaccard(), 1.0);
        assert_eq!(Overlap::between(&a, &Bag::default()).jaccard(), 0.0);
        assert_eq!(Overlap::between(&Bag::default(), &Bag::default()).jaccard(), 0.0);
    }

    proptest! {
        #[test]
        fn the_overlap_equals_that_of_the_expanded_sets(a in any_bag(), b in any_bag()) {
            let (fa, fb) = (flat(&a), flat(&b));
            let overlap = Overlap::between(&a, &b);
            prop_assert_eq!(overlap.intersection as usize, fa.intersection(&fb).count());
            prop_assert_eq!(overlap.union as usize, fa.union(&fb).count());
        }
    }
}
