//! The profiles by which related pages are found: the weighted terms of a page. Two profiles are
//! compared by their cosine.
//!
//! ```text
//! w(t) = (sqrt(tf) ln(N / df))^0.6      tf: occurrences of t on the page, plus 8 if it is in the
//!                                       title or a heading
//!                                       N, df: number of pages, and of pages with t, at least 2
//! cosine(a, b) = sum of w_a(t) w_b(t)   over the 256 heaviest terms of each page, with weights
//!                                       scaled so that their squares sum to 1
//! ```
//!
//! Identifiers are terms in addition to their parts. No term is too common, because its weight is
//! low. This formula measured best against the folders and links of sites (end of
//! `evaluate/README.md`). N and df are rounded to steps of a factor of sqrt(2), so that an edited
//! page changes the related pages of few others.
//!
//! [`Profiles::nearest`] chooses the pages to compare. On the 32,900 pages of the Rust
//! documentation, it finds 99.2% of each page's five best.

use pagekin_core::bag::FREQUENCIES;
use pagekin_core::vocabulary::TermId;
use pagekin_pairs::cosine::{Profiles, scaled};
use pagekin_pairs::rows::Rows;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::pages::vocabulary::WeightedPage;

/// Maximum number of terms in a profile, and the lower limit to which large sites reduce it.
const MAX_TERMS: usize = 256;
const MIN_TERMS: usize = 32;
/// Maximum number of terms in all profiles, which take 800 MB.
const ALL_TERMS: usize = 1 << 26;
/// The frequency that a term gains from being in the title or a heading.
const IN_TITLE: u16 = 8;
const POWER: f64 = 0.6;
/// Computes the profiles of all pages.
pub(crate) fn profiles(pages: &[&WeightedPage]) -> Profiles {
    let (terms, rows) = weigh(pages);
    Profiles::new(rows, terms.len())
}

/// Returns the terms of all profiles, and the profile of each page, which has indexes of terms.
pub fn weigh(pages: &[&WeightedPage]) -> (Vec<TermId>, Rows<u16>) {
    let max_terms = (ALL_TERMS / pages.len().max(1)).clamp(MIN_TERMS, MAX_TERMS);
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
    let rarity = |df: u32| libm::pow(libm::log(all / step(f64::from(df))).max(MIN_RARITY), POWER);
    let ids = terms.iter().map(|&(id, _)| id).collect();
    let terms: FxHashMap<TermId, (u32, f64)> =
        terms.into_iter().zip(0..).map(|((id, df), at)| (id, (at, rarity(df)))).collect();
    (ids, Rows::new(pages.par_iter().map(|page| profile(page, &terms, max_terms)).collect()))
}

/// Rounds a number of pages to the nearest step.
pub(crate) fn step(pages: f64) -> f64 {
    libm::exp2((libm::log2(pages) * 2.0).round() / 2.0)
}

/// The rarity of terms on all pages. They distinguish nothing, but if all pages have the same text,
/// there are no others.
const MIN_RARITY: f64 = 1e-3;

/// The terms of a page's text with their frequencies, or those of its bag if the text is unknown;
/// ascending.
fn frequencies(page: &WeightedPage) -> Vec<(TermId, u16)> {
    if page.terms.is_empty() {
        return page.bag.entries().to_vec();
    }
    let in_text = page.terms.iter().filter(|term| !term.is_outside);
    let mut terms: Vec<_> =
        in_text.map(|term| (term.id, FREQUENCIES[usize::from(term.class)])).collect();
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

/// The heaviest terms of a page, with weights whose squares sum to 1.
fn profile(
    page: &WeightedPage,
    terms: &FxHashMap<TermId, (u32, f64)>,
    max_terms: usize,
) -> Vec<(u32, u16)> {
    // The counts of a bag already include the rarities of its terms.
    let by_bag = page.terms.is_empty();
    let weigh = |(id, tf): (TermId, u16)| {
        let &(term, rarity) = terms.get(&id)?;
        let frequency = libm::pow(f64::from(tf), if by_bag { POWER } else { POWER / 2.0 });
        Some((term, if by_bag { frequency } else { frequency * rarity }))
    };
    scaled(frequencies(page).into_iter().filter_map(weigh).collect(), max_terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::bag::frequency_class;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::shard::PageTerm;
    use pagekin_pairs::cosine::{COMPARED, Cosine, Sums};
    use proptest::prelude::*;
    use std::cmp::Reverse;

    fn page(terms: &[(u32, u32)], title: &[u32]) -> WeightedPage {
        let term = |&(id, tf): &(u32, u32)| PageTerm::from_text(id, frequency_class(tf));
        let terms = terms.iter().map(term).collect();
        WeightedPage { terms, title_terms: title.to_vec(), ..WeightedPage::default() }
    }

    fn cosine_of(pages: &[WeightedPage], a: u32, b: u32) -> f64 {
        let profiles = self::profiles(&pages.iter().collect::<Vec<_>>());
        f64::from(profiles.cosine(a, b).0) / f64::from(Cosine::EQUAL.0)
    }

    #[test]
    fn cosines_match_the_formula() {
        // Term 1 is on two of four pages. Term 2 is on three, which are rounded to 2 sqrt(2). Term
        // 3 is on one, so it does not count.
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
        // A word in the title counts like eight more occurrences.
        let in_title = [page(&[(1, 5), (2, 2)], &[2]), page(&[(1, 5), (2, 10)], &[])];
        let pages: Vec<_> = in_title.into_iter().chain([page(&[(9, 1)], &[])]).collect();
        assert!(cosine_of(&pages, 0, 1) > 0.999);
    }

    proptest! {
        /// If all pages may be compared, the nearest are those of all pairs.
        #[test]
        fn the_nearest_pages_are_those_of_all_pairs(seed in any::<u64>(), n in 2..COMPARED as u32) {
            let mut random = SplitMix64::new(seed);
            let pages: Vec<_> = (0..n).map(|_| {
                let mut terms: Vec<_> =
                    (0..random.below(30)).map(|_| (random.below(60), 1 + random.below(9))).collect();
                terms.sort_unstable();
                terms.dedup_by_key(|term| term.0);
                page(&terms, &[random.below(60)])
            }).collect();
            let profiles = self::profiles(&pages.iter().collect::<Vec<_>>());
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
