//! What related pages are found by: the profile of each page, which is its weighted terms, and the cosine of two.
//!
//! ```text
//! w(t) = (sqrt(tf) ln(N / df))^0.6      tf: how often t is on the page, and 8 more if it is in its title or a heading
//!                                       N, df: the pages, and those of them that have t, at least 2
//! cosine(a, b) = sum of w_a(t) w_b(t)   weights whose squares sum to 1, of the 256 heaviest terms of each page
//! ```
//!
//! Identifiers are terms beside their parts, and no term is too common: its weight says so. All of this measured best, against
//! the folders and links of sites (`evaluate/README.md`, at its end). N and df are taken in steps of a factor of
//! sqrt(2), so that an edited page changes the kin of few others.
//!
//! # Which pages are compared
//!
//! Terms give pages by an inverted index, the heaviest terms of the page first, as long as no more than [`LOOKED_AT`] places
//! are looked at; longer lists are left out. The best [`COMPARED`] by what was summed up so far are compared in full. So a
//! page costs the same on a site of any size. Of the best five by all places, 99.2 % are found on the 32,900 pages of the Rust
//! documentation.
//!
//! Weights and sums are whole numbers: the same pages have the same kin on every machine.

use std::cmp::Reverse;

use pagekin_core::bag::FREQUENCIES;
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::index::vocabulary::WeighedPage;
use crate::rows::Rows;

/// The heaviest terms that make a profile, and the least of them where the site is too large for so many.
const MOST_TERMS: usize = 256;
const LEAST_TERMS: usize = 32;
/// The terms of all profiles: 800 MB.
const ALL_TERMS: usize = 1 << 26;
/// How often a term counts for being in the title or a heading.
const IN_TITLE: u16 = 8;
const POWER: f64 = 0.6;
/// Places in the inverted index that are looked at for a page.
pub(crate) const LOOKED_AT: usize = 1 << 14;
/// Pages that are compared in full with a page.
pub(crate) const COMPARED: usize = 64;
/// A weight of 1.
const ONE: u32 = u16::MAX as u32;

/// The profiles of a site's pages, by their number.
#[derive(Debug)]
pub(crate) struct Profiles {
    /// The terms of each page, by a number of their own, with their weights in [`ONE`]ths.
    pages: Rows<u16>,
    /// The pages of each term.
    postings: Rows<u16>,
}

/// Two profiles compared: at least 0, and for equal ones about [`Cosine::EQUAL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cosine(pub(crate) u32);

impl Cosine {
    /// The cosine of equal profiles.
    pub(crate) const EQUAL: Self = Self(ONE * (ONE / 2));

    /// In thousandths, to the nearest.
    pub(crate) fn thousandths(self) -> u32 {
        let (part, of) = (u64::from(self.0), u64::from(Self::EQUAL.0));
        ((2_000 * part + of) / (2 * of)).min(1_000) as u32
    }
}

/// What is added up for a page; kept from one page to the next.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    sums: Vec<u32>,
    met: Vec<u32>,
    best: Vec<u64>,
}

impl Profiles {
    pub(crate) fn of(pages: &[&WeighedPage]) -> Self {
        let most = (ALL_TERMS / pages.len().max(1)).clamp(LEAST_TERMS, MOST_TERMS);
        let mut document_frequencies: FxHashMap<TermId, u32> = FxHashMap::default();
        for page in pages {
            for term in frequencies(page) {
                *document_frequencies.entry(term.0).or_default() += 1;
            }
        }
        let mut terms: Vec<(TermId, u32)> =
            document_frequencies.into_iter().filter(|&(_, df)| df > 1).collect();
        terms.sort_unstable();
        let all = step(pages.len() as f64);
        let rarity =
            |df: u32| libm::pow(libm::log(all / step(f64::from(df))).max(LEAST_RARITY), POWER);
        let terms: FxHashMap<TermId, (u32, f64)> =
            terms.into_iter().zip(0..).map(|((id, df), at)| (id, (at, rarity(df)))).collect();
        let pages = Rows::of(pages.par_iter().map(|page| profile(page, &terms, most)).collect());
        Self { postings: pages.turned(terms.len()), pages }
    }

    /// The number of pages.
    pub(crate) fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The cosine of two pages. Linear in their terms.
    pub(crate) fn cosine(&self, a: u32, b: u32) -> Cosine {
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

    /// Up to [`COMPARED`] other pages, the most alike first, of equals the lower number; `looked_at` as [`LOOKED_AT`].
    pub(crate) fn nearest(
        &self,
        page: u32,
        looked_at: usize,
        sums: &mut Sums,
    ) -> Vec<(u32, Cosine)> {
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
        // The larger sum first, of equals the lower number: in one number, which is compared in one step.
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

/// A number of pages, to the nearest step.
fn step(pages: f64) -> f64 {
    libm::exp2((libm::log2(pages) * 2.0).round() / 2.0)
}

/// Of a term of all pages: it tells nothing apart, but pages of a site of one text have no others.
const LEAST_RARITY: f64 = 1e-3;

/// Half the product of two weights, so that a sum of them fits.
fn product(a: u16, b: u16) -> u32 {
    u32::from(a) * u32::from(b) / 2
}

/// The terms of a page with their frequencies, ascending: those of its text, or of its bag if its text is not known.
fn frequencies(page: &WeighedPage) -> Vec<(TermId, u16)> {
    if page.terms.is_empty() {
        return page.bag.entries().to_vec();
    }
    let mut terms: Vec<_> =
        page.terms.iter().map(|&(id, class)| (id, FREQUENCIES[usize::from(class)])).collect();
    terms.extend(page.title_terms.iter().map(|&id| (id, IN_TITLE)));
    terms.sort_unstable();
    terms.dedup_by(|other, kept| {
        let same = other.0 == kept.0;
        if same {
            kept.1 += other.1;
        }
        same
    });
    terms
}

/// The heaviest terms of a page, whose squares sum to 1.
fn profile(
    page: &WeighedPage,
    terms: &FxHashMap<TermId, (u32, f64)>,
    most: usize,
) -> Vec<(u32, u16)> {
    // Copies of a bag have the rarity of their term in them.
    let by_bag = page.terms.is_empty();
    let weigh = |(id, tf): (TermId, u16)| {
        let &(term, rarity) = terms.get(&id)?;
        let frequency = libm::pow(f64::from(tf), if by_bag { POWER } else { POWER / 2.0 });
        Some((term, if by_bag { frequency } else { frequency * rarity }))
    };
    let mut weights: Vec<(u32, f64)> = frequencies(page).into_iter().filter_map(weigh).collect();
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
    use pagekin_core::bag::frequency_class;
    use pagekin_core::hash::SplitMix64;
    use proptest::prelude::*;

    fn page(terms: &[(u32, u32)], title: &[u32]) -> WeighedPage {
        let terms = terms.iter().map(|&(id, tf)| (id, frequency_class(tf))).collect();
        WeighedPage { terms, title_terms: title.to_vec(), ..WeighedPage::default() }
    }

    fn cosine_of(pages: &[WeighedPage], a: u32, b: u32) -> f64 {
        let profiles = Profiles::of(&pages.iter().collect::<Vec<_>>());
        f64::from(profiles.cosine(a, b).0) / f64::from(Cosine::EQUAL.0)
    }

    #[test]
    fn cosines_are_those_of_the_formula() {
        // Term 1 is on two of four pages, term 2 on three, for which 2 sqrt(2) is taken, term 3 on one: it counts nowhere.
        let pages = [
            page(&[(1, 4), (2, 1), (3, 7)], &[]),
            page(&[(1, 1), (2, 2)], &[]),
            page(&[(2, 1)], &[]),
            page(&[], &[]),
        ];
        let w = |tf: f64, df: f64| tf.sqrt() * libm::log(4.0 / df);
        let power = |w: f64| libm::pow(w, 0.6);
        let three = 8f64.sqrt();
        let (a1, a2) = (power(w(4.0, 2.0)), power(w(1.0, three)));
        let (b1, b2) = (power(w(1.0, 2.0)), power(w(2.0, three)));
        let expected = (a1 * b1 + a2 * b2) / (a1.hypot(a2) * b1.hypot(b2));
        assert!((cosine_of(&pages, 0, 1) - expected).abs() < 1e-3);
        assert!((cosine_of(&pages, 0, 2) - a2 / a1.hypot(a2)).abs() < 1e-3);
        assert_eq!(cosine_of(&pages, 0, 3), 0.0);
        // In the title a word counts as if it were there eight times more.
        let in_title = [page(&[(1, 5), (2, 2)], &[2]), page(&[(1, 5), (2, 10)], &[])];
        let pages: Vec<_> = in_title.into_iter().chain([page(&[(9, 1)], &[])]).collect();
        assert!(cosine_of(&pages, 0, 1) > 0.999);
    }

    #[test]
    fn thousandths_are_rounded_to_the_nearest() {
        let of = |part: f64| Cosine((part * f64::from(Cosine::EQUAL.0)) as u32).thousandths();
        assert_eq!(
            [0.0, 0.0004, 0.0006, 0.4171, 1.0, 1.000_1].map(of),
            [0, 0, 1, 417, 1_000, 1_000]
        );
    }

    proptest! {
        /// Where everything may be looked at, the nearest are those of all pairs.
        #[test]
        fn the_nearest_are_those_of_all_pairs(seed in any::<u64>(), n in 2..COMPARED as u32) {
            let mut random = SplitMix64::new(seed);
            let pages: Vec<_> = (0..n).map(|_| {
                let mut terms: Vec<_> =
                    (0..random.below(30)).map(|_| (random.below(60), 1 + random.below(9))).collect();
                terms.sort_unstable();
                terms.dedup_by_key(|term| term.0);
                page(&terms, &[random.below(60)])
            }).collect();
            let profiles = Profiles::of(&pages.iter().collect::<Vec<_>>());
            let mut sums = Sums::default();
            for page in 0..n {
                let mut all: Vec<_> = (0..n)
                    .filter(|&other| other != page)
                    .map(|other| (other, profiles.cosine(page, other)))
                    .filter(|(_, cosine)| cosine.0 > 0)
                    .collect();
                all.sort_by_key(|&(other, cosine)| (Reverse(cosine), other));
                let mut found = profiles.nearest(page, usize::MAX, &mut sums);
                found.retain(|(_, cosine)| cosine.0 > 0);
                prop_assert_eq!(found, all);
            }
        }
    }
}
