//! Computes cosines of profiles, which are sparse rows of weights whose squares sum to 1.
//!
//! # Candidates
//!
//! Candidates are found by an inverted index, heaviest terms first, until [`MAX_EXAMINED`] postings
//! have been read. Lists that exceed this limit are skipped. The [`COMPARED`] candidates with the
//! largest partial sums are compared completely. So the cost per profile does not depend on the
//! number of profiles.
//!
//! Weights and sums are integers, so the nearest profiles are the same on all machines.

use std::cmp::Reverse;

use crate::rows::Rows;

/// Maximum number of postings read for a profile.
pub const MAX_EXAMINED: usize = 1 << 14;
/// Maximum number of profiles compared completely with a profile.
pub const COMPARED: usize = 64;
/// The weight 1.
const ONE: u32 = u16::MAX as u32;

/// Profiles that can be compared, by number.
#[derive(Debug)]
pub struct Profiles {
    /// The terms of each page with their weights, in units of 1/[`ONE`].
    pages: Rows<u16>,
    /// The pages of each term.
    postings: Rows<u16>,
}

/// The cosine of two profiles: at least 0, and about [`Cosine::EQUAL`] for equal ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cosine(pub u32);

impl Cosine {
    /// The cosine of equal profiles.
    pub const EQUAL: Self = Self(ONE * (ONE / 2));

    /// Returns the cosine in thousandths, rounded to the nearest.
    pub fn thousandths(self) -> u32 {
        let (part, of) = (u64::from(self.0), u64::from(Self::EQUAL.0));
        ((2_000 * part + of) / (2 * of)).min(1_000) as u32
    }
}

/// Buffers for partial sums, reused from one page to the next.
#[derive(Debug, Default)]
pub struct Sums {
    sums: Vec<u32>,
    seen: Vec<u32>,
    best: Vec<u64>,
    /// The weights of the current profile, by term. Otherwise 0.
    weights: Vec<u16>,
}

#[allow(clippy::len_without_is_empty)] // Not needed.
impl Profiles {
    /// Creates profiles from rows as returned by [`scaled`], with term numbers below `terms`.
    pub fn new(pages: Rows<u16>, terms: usize) -> Self {
        Self { postings: pages.turned(terms), pages }
    }

    /// Returns the number of pages.
    pub fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Returns the cosine of two pages, in time linear in their terms.
    pub fn cosine(&self, a: u32, b: u32) -> Cosine {
        let mut others = self.pages.row(b as usize).iter().peekable();
        let mut sum = 0;
        for &(term, weight) in self.pages.row(a as usize) {
            while others.next_if(|other| other.0 < term).is_some() {}
            if let Some(&(_, other)) = others.next_if(|other| other.0 == term) {
                sum += product(weight, other);
            }
        }
        Cosine(sum)
    }

    /// Returns up to [`COMPARED`] other pages, most similar first; ties go to the lower number.
    /// `examined` is usually [`MAX_EXAMINED`].
    pub fn nearest(&self, page: u32, examined: usize, sums: &mut Sums) -> Vec<(u32, Cosine)> {
        let Sums { sums, seen, best, weights } = sums;
        sums.resize(self.len() as usize, 0);
        weights.resize(self.postings.len(), 0);
        let mut terms: Vec<_> = self.pages.row(page as usize).to_vec();
        terms.sort_unstable_by_key(|&(term, weight)| (Reverse(weight), term));
        let mut left = examined;
        for (term, weight) in terms {
            let pages = self.postings.row(term as usize);
            if pages.len() > left {
                continue;
            }
            left -= pages.len();
            for &(other, other_weight) in pages {
                let sum = &mut sums[other as usize];
                if *sum == 0 {
                    seen.push(other);
                }
                // Add at least 1, so that a sum of 0 means that the page is new.
                *sum += product(weight, other_weight).max(1);
            }
        }
        // Sort by decreasing sum, then by increasing number. Both are in one integer, so a
        // comparison is a single step.
        best.clear();
        best.extend(seen.drain(..).filter_map(|other| {
            let sum = std::mem::take(&mut sums[other as usize]);
            (other != page).then_some(u64::from(!sum) << 32 | u64::from(other))
        }));
        if best.len() > COMPARED {
            best.select_nth_unstable(COMPARED - 1);
            best.truncate(COMPARED);
        }
        let own = self.pages.row(page as usize);
        own.iter().for_each(|&(term, weight)| weights[term as usize] = weight);
        let cosine = |other: u32| {
            let others = self.pages.row(other as usize).iter();
            Cosine(others.map(|&(term, weight)| product(weight, weights[term as usize])).sum())
        };
        let others = best.iter().map(|&key| key as u32);
        let mut nearest: Vec<_> = others.map(|other| (other, cosine(other))).collect();
        own.iter().for_each(|&(term, _)| weights[term as usize] = 0);
        nearest.sort_unstable_by_key(|&(other, cosine)| (Reverse(cosine), other));
        nearest
    }
}

/// Returns half the product of two weights, so that a sum of products fits.
fn product(a: u16, b: u16) -> u32 {
    u32::from(a) * u32::from(b) / 2
}

/// Returns the heaviest weights, at most `max`, scaled so that their squares sum to 1.
pub fn scaled(mut weights: Vec<(u32, f64)>, max: usize) -> Vec<(u32, u16)> {
    if weights.len() > max {
        weights.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(max);
    }
    weights.sort_unstable_by_key(|&(term, _)| term);
    let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    let scaled = |weight: f64| (weight / norm * f64::from(ONE) + 0.5) as u16;
    weights.into_iter().map(|(term, weight)| (term, scaled(weight))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_rounded_to_the_nearest() {
        let of = |part: f64| Cosine((part * f64::from(Cosine::EQUAL.0)) as u32).thousandths();
        assert_eq!(
            [0.0, 0.0004, 0.0006, 0.4171, 1.0, 1.000_1].map(of),
            [0, 0, 1, 417, 1_000, 1_000]
        );
    }
}
