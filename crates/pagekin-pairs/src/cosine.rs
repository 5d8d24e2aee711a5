//! Profiles, which are sparse rows of weights whose squares sum to 1, and their cosines.
//!
//! # Which are compared
//!
//! Terms give profiles by an inverted index, the heaviest terms first, as long as no more than
//! [`LOOKED_AT`] places are looked at; longer lists are left out. The best [`COMPARED`] by what was
//! summed up so far are compared in full. So a profile costs the same, however many there are.
//!
//! Weights and sums are whole numbers: the same profiles have the same nearest on every machine.

use std::cmp::Reverse;

use crate::rows::Rows;

/// Places in the inverted index that are looked at for a profile.
pub const LOOKED_AT: usize = 1 << 14;
/// Profiles that are compared in full with one.
pub const COMPARED: usize = 64;
/// A weight of 1.
const ONE: u32 = u16::MAX as u32;

/// Profiles that can be compared, by their number.
#[derive(Debug)]
pub struct Profiles {
    /// The terms of each page, by a number of their own, with their weights in [`ONE`]ths.
    pages: Rows<u16>,
    /// The pages of each term.
    postings: Rows<u16>,
}

/// Two profiles compared: at least 0, and for equal ones about [`Cosine::EQUAL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cosine(pub u32);

impl Cosine {
    /// The cosine of equal profiles.
    pub const EQUAL: Self = Self(ONE * (ONE / 2));

    /// In thousandths, to the nearest.
    pub fn thousandths(self) -> u32 {
        let (part, of) = (u64::from(self.0), u64::from(Self::EQUAL.0));
        ((2_000 * part + of) / (2 * of)).min(1_000) as u32
    }
}

/// What is added up for a page; kept from one page to the next.
#[derive(Debug, Default)]
pub struct Sums {
    sums: Vec<u32>,
    met: Vec<u32>,
    best: Vec<u64>,
}

#[allow(clippy::len_without_is_empty)] // Nobody asks.
impl Profiles {
    /// Of rows as [`scaled`] makes them, over so many terms.
    pub fn new(pages: Rows<u16>, terms: usize) -> Self {
        Self { postings: pages.turned(terms), pages }
    }

    /// The number of pages.
    pub fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The cosine of two pages. Linear in their terms.
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

    /// Up to [`COMPARED`] other pages, the most alike first, of equals the lower number;
    /// `looked_at` as [`LOOKED_AT`].
    pub fn nearest(&self, page: u32, looked_at: usize, sums: &mut Sums) -> Vec<(u32, Cosine)> {
        let Sums { sums, met, best } = sums;
        sums.resize(self.len() as usize, 0);
        let mut terms: Vec<_> = self.pages.row(page as usize).to_vec();
        terms.sort_unstable_by_key(|&(term, weight)| (Reverse(weight), term));
        let mut left = looked_at;
        for (term, weight) in terms {
            let pages = self.postings.row(term as usize);
            if pages.len() > left {
                continue;
            }
            left -= pages.len();
            for &(other, other_weight) in pages {
                let sum = &mut sums[other as usize];
                if *sum == 0 {
                    met.push(other);
                }
                // So that what was met is known, however light its terms are.
                *sum += product(weight, other_weight).max(1);
            }
        }
        // The larger sum first, of equals the lower number: in one number, which is compared in one
        // step.
        best.clear();
        best.extend(met.drain(..).filter_map(|other| {
            let sum = std::mem::take(&mut sums[other as usize]);
            (other != page).then_some(u64::from(!sum) << 32 | u64::from(other))
        }));
        if best.len() > COMPARED {
            best.select_nth_unstable(COMPARED - 1);
            best.truncate(COMPARED);
        }
        let others = best.iter().map(|&key| key as u32);
        let mut nearest: Vec<_> = others.map(|other| (other, self.cosine(page, other))).collect();
        nearest.sort_unstable_by_key(|&(other, cosine)| (Reverse(cosine), other));
        nearest
    }
}

/// Half the product of two weights, so that a sum of them fits.
fn product(a: u16, b: u16) -> u32 {
    u32::from(a) * u32::from(b) / 2
}

/// The heaviest of some weights, so scaled that their squares sum to 1.
pub fn scaled(mut weights: Vec<(u32, f64)>, most: usize) -> Vec<(u32, u16)> {
    if weights.len() > most {
        weights.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(most);
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
