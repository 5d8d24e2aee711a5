//! Pages into their kin: for each page of the site the few others most like it.
//!
//! On a small site every pair is compared. On a larger one a page is compared with [`COMPARED`]
//! candidates only: of the pages it meets, those whose signatures agree with its own in the low
//! bytes of most values. It meets
//!
//! - in each of [`TABLES`] tables, whose key is one value of the signature, those with the same
//!   value. A template's words can put half of a site into one bucket, so of a bucket it meets only
//!   the [`NEAREST`] on either side in the stored order;
//! - its [`NEIGHBOURS`] on either side in the stored order, where clusters are stored together.
//!
//! So the cost is `O(n log n)` for the tables and bounded for each page: at most
//! `2 (TABLES NEAREST + NEIGHBOURS)` signatures and `COMPARED` bags. The tables take `12 TABLES`
//! bytes a page.
//!
//! A pair at similarity `s` meets in a table with probability `1 - (1 - s)^TABLES` if no bucket is
//! too full.

use std::cmp::{Ordering, Reverse};

use pagekin_core::minhash::Signature;
use pagekin_core::similarity::Overlap;
use rayon::prelude::*;

use crate::index::vocabulary::WeighedPage;
use crate::join::agreement::{LANES, agreeing};
use crate::join::by_key::{Entry as _, Table};
use crate::progress::Observer;

/// Up to so many pages, all pairs are compared.
const SMALL_SITE: usize = 2_048;
/// Tables of one value each.
const TABLES: usize = 32;
/// Pages of a bucket that are looked at, on either side.
const NEAREST: usize = 48;
/// Pages in the stored order that are looked at, on either side.
const NEIGHBOURS: usize = 16;
/// Pages whose bags are compared.
const COMPARED: usize = 64;
/// Kin share at least one part in so many: a similarity of 0.05.
const LEAST: u32 = 20;

/// A page that is like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kin {
    /// Its number in the stored order.
    pub(crate) page: u32,
    /// How the two bags overlap.
    pub(crate) overlap: Overlap,
}

impl Kin {
    /// Most similar first, of equals the lower number. Fractions are compared as such, without
    /// rounding.
    fn order(&self, other: &Self) -> Ordering {
        let cross = |a: Overlap, b: Overlap| u64::from(a.intersection) * u64::from(b.union);
        cross(other.overlap, self.overlap)
            .cmp(&cross(self.overlap, other.overlap))
            .then(self.page.cmp(&other.page))
    }
}

/// The up to `most` best kin of each page, most similar first, of equals the lower number. `pages`
/// are in the stored order, by which they are numbered.
pub(crate) fn relate(
    pages: &[(&WeighedPage, &Signature)],
    most: usize,
    observer: &dyn Observer,
) -> Vec<Vec<Kin>> {
    if pages.len() <= SMALL_SITE {
        return by_pairs(pages, most, observer);
    }
    by_tables(pages, most, observer)
}

fn by_pairs(
    pages: &[(&WeighedPage, &Signature)],
    most: usize,
    observer: &dyn Observer,
) -> Vec<Vec<Kin>> {
    let n = pages.len() as u32;
    let of_page = |page| {
        observer.advance(1);
        if observer.cancelled() {
            return Vec::new();
        }
        best(pages, page, 0..n, most)
    };
    (0..n).into_par_iter().map(of_page).collect()
}

fn by_tables(
    pages: &[(&WeighedPage, &Signature)],
    most: usize,
    observer: &dyn Observer,
) -> Vec<Vec<Kin>> {
    let values = pages.first().map_or(0, |(_, signature)| signature.values().len());
    let tables: Vec<ByValue> =
        (0..values.min(TABLES)).into_par_iter().map(|value| ByValue::new(pages, value)).collect();
    let n = pages.len() as u32;
    let low = LowBytes::of(pages);
    (0..n)
        .into_par_iter()
        .map_init(Vec::new, |candidates, page| {
            observer.advance(1);
            if observer.cancelled() {
                return Vec::new();
            }
            candidates.clear();
            for table in &tables {
                table.meet(page, candidates);
            }
            let from = page.saturating_sub(NEIGHBOURS as u32);
            candidates.extend(from..(page + NEIGHBOURS as u32 + 1).min(n));
            candidates.sort_unstable();
            candidates.dedup();
            let own = low.page(page);
            let mut ranked: Vec<_> = candidates
                .iter()
                .map(|&other| (Reverse(agreeing(own, low.page(other))), other))
                .collect();
            // The page itself agrees in all values, and may be among them.
            if ranked.len() > COMPARED + 1 {
                ranked.select_nth_unstable(COMPARED);
                ranked.truncate(COMPARED + 1);
            }
            best(pages, page, ranked.into_iter().map(|(_, other)| other), most)
        })
        .collect()
}

/// The best of `candidates`, which may have the page itself.
fn best(
    pages: &[(&WeighedPage, &Signature)],
    page: u32,
    candidates: impl Iterator<Item = u32>,
    most: usize,
) -> Vec<Kin> {
    let own = &pages[page as usize].0.bag;
    let mut kin: Vec<Kin> = candidates
        .filter(|&other| other != page)
        .map(|other| Kin { page: other, overlap: Overlap::of(own, &pages[other as usize].0.bag) })
        .filter(|kin| kin.overlap.intersection * LEAST >= kin.overlap.union)
        .collect();
    kin.sort_unstable_by(Kin::order);
    kin.truncate(most);
    kin.shrink_to_fit();
    kin
}

/// The low bytes of all signatures, page by page: a fourth of their memory, and it is memory that
/// ranking waits for. Values that differ have equal low bytes once in 256 times, which ranking does
/// not mind. Rows are filled up to what processors compare at once: in that all agree.
struct LowBytes {
    stride: usize,
    bytes: Vec<u8>,
}

impl LowBytes {
    fn of(pages: &[(&WeighedPage, &Signature)]) -> Self {
        let values = pages.first().map_or(0, |(_, signature)| signature.values().len());
        let stride = values.next_multiple_of(LANES);
        let mut bytes = Vec::with_capacity(stride * pages.len());
        for (_, own) in pages {
            bytes.extend(own.low_bytes());
            bytes.resize(bytes.len().next_multiple_of(LANES), 0);
        }
        Self { stride, bytes }
    }

    fn page(&self, page: u32) -> &[u8] {
        &self.bytes[page as usize * self.stride..][..self.stride]
    }
}

/// Pages by one value of their signatures, which stands in the table so that a bucket is read
/// without the signatures.
struct ByValue {
    table: Table<(u32, u32)>,
    /// Where each page stands in it.
    places: Vec<u32>,
}

impl ByValue {
    fn new(pages: &[(&WeighedPage, &Signature)], value: usize) -> Self {
        let entries = pages.iter().zip(0..).map(|((_, own), page)| (own.values()[value], page));
        let table = Table::new(entries);
        let mut places = vec![0; pages.len()];
        for (place, &(_, page)) in (0..).zip(table.entries()) {
            places[page as usize] = place;
        }
        Self { table, places }
    }

    /// Adds the pages that `page` meets.
    fn meet(&self, page: u32, into: &mut Vec<u32>) {
        let place = self.places[page as usize] as usize;
        let entries = self.table.entries();
        let met = |other: &&(u32, u32)| entries[place].shares_bucket(other);
        let before = entries[..place].iter().rev().take(NEAREST).take_while(met);
        let after = entries[place + 1..].iter().take(NEAREST).take_while(met);
        into.extend(before.chain(after).map(|&(_, page)| page));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use pagekin_core::bag::Bag;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::minhash::{Family, SignatureParams, element};

    type Site = (Vec<WeighedPage>, Vec<Signature>);

    /// Pages of 40 terms: 8 that all pages of the site's one template have, 16 out of 40 of their
    /// topic, and 16 out of 5,000. Topics are in turn, so that neighbours are not alike, and kin
    /// are at a similarity of about 0.3: real sites are easier.
    fn site(pages: u32, topics: u32) -> Site {
        let family = Family::new(SignatureParams { m: 80, bits: 16, seed: 1 });
        let mut stream = SplitMix64::new(7);
        (0..pages)
            .map(|page| {
                let mut terms: Vec<u32> = (0..8).collect();
                let topic = 100 + page % topics * 40;
                terms.extend((0..16).map(|_| topic + stream.below(40)));
                terms.extend((0..16).map(|_| 1_000_000 + stream.below(5_000)));
                terms.sort_unstable();
                terms.dedup();
                let entries: Vec<_> = terms.into_iter().map(|id| (id, 6)).collect();
                let elements = entries
                    .iter()
                    .flat_map(|&(id, copies)| (0..copies).map(move |copy| element(id, copy)));
                let signature = family.sign_elements(elements).unwrap();
                let bag = Bag::from_sorted(entries).unwrap();
                let url = format!("/{page}");
                (WeighedPage { url, bag, ..WeighedPage::default() }, signature)
            })
            .unzip()
    }

    fn stored((pages, signatures): &Site) -> Vec<(&WeighedPage, &Signature)> {
        pages.iter().zip(signatures).collect()
    }

    #[test]
    fn tables_find_nearly_what_all_pairs_would() {
        let site = site(3_000, 60);
        let pages = stored(&site);
        let (truth, found) = (by_pairs(&pages, 6, &Silent), by_tables(&pages, 6, &Silent));
        let (mut wanted, mut good) = (0, 0);
        for (page, (truth, found)) in truth.iter().zip(&found).enumerate() {
            assert!(found.is_sorted_by(|a, b| a.order(b).is_lt()), "{found:?}");
            for kin in found {
                let overlap = Overlap::of(&site.0[page].bag, &site.0[kin.page as usize].bag);
                assert_eq!(kin.overlap, overlap);
            }
            for (rank, kin) in truth.iter().enumerate() {
                let as_good = |found: &Kin| found.overlap.jaccard() >= kin.overlap.jaccard();
                wanted += 1;
                good += usize::from(found.get(rank).is_some_and(as_good));
            }
        }
        assert_eq!(wanted, 6 * 3_000);
        let recall = good as f64 / f64::from(wanted as u32);
        assert!(recall > 0.92, "{recall} of the kin are as similar as the true ones");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let site = site(SMALL_SITE as u32 + 1, 50);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| relate(&stored(&site), 6, &Silent))
        };
        assert_eq!(with(1), with(5));
    }

    #[test]
    fn kin_are_like_enough_and_equals_come_in_their_order() {
        let page = |entries: &[(u32, u16)]| Bag::from_sorted(entries.to_vec()).unwrap();
        // 0, 2 and 3 are equal; 1 shares 1 of 20 copies with them, and 4 shares 1 of 21.
        let bags = [
            page(&[(1, 10)]),
            page(&[(1, 1), (2, 10)]),
            page(&[(1, 10)]),
            page(&[(1, 10)]),
            page(&[(1, 1), (3, 11)]),
        ];
        let family = Family::new(SignatureParams { m: 8, bits: 16, seed: 1 });
        let signature = family.sign_elements([1]).unwrap();
        let pages: Vec<_> =
            bags.into_iter().map(|bag| WeighedPage { bag, ..WeighedPage::default() }).collect();
        let pages: Vec<_> = pages.iter().map(|page| (page, &signature)).collect();
        let numbers = |most| -> Vec<Vec<u32>> {
            let all = relate(&pages, most, &Silent);
            all.iter().map(|kin| kin.iter().map(|kin| kin.page).collect()).collect()
        };
        assert_eq!(
            numbers(6),
            [vec![2, 3, 1], vec![0, 2, 3], vec![0, 3, 1], vec![0, 2, 1], vec![]]
        );
        assert_eq!(numbers(1), [vec![2], vec![0], vec![0], vec![0], vec![]]);
    }
}
