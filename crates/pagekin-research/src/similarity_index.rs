//! The pages most like a page or a text by signatures alone: IndexAllSimilar and ProcessQuery.
//!
//! Of `n` pages with signatures of `m` values, IndexAllSimilar keeps two structures: *H* has the
//! signature of each page, by the page's number, and *I* has for each position of a signature and
//! each value there the pages that have it. ProcessQuery takes the `m` lists of *I* that a
//! signature names, counts in how many of them each page is, and ranks the pages by that count, its
//! *agreement*. Two bags have equal values at a position with a probability close to their bag
//! Jaccard `J` ([`minhash`](pagekin_core::minhash)), so
//!
//! ```text
//! E[agreement / m] = J        standard deviation of agreement / m = sqrt(J (1 - J) / m)
//! ```
//!
//! plus `2^-bits` for values that are equal by accident of their cut. No page that agrees anywhere
//! is missed, whereas LSH tables read a few lists only; but what counts is the estimate, which
//! tells pages apart that differ in `J` by a few standard deviations.
//!
//! # Cost
//!
//! A query looks up `m` lists by binary search, `O(m log n)`, and reads them. The sum of their
//! lengths is the sum of all agreements, `n m` times the mean `J` of the query with all pages, plus
//! those by accident. It takes 4 bytes a page besides. The index takes 8 bytes for each page and
//! position: *H* the value, *I* the page's number. A list is where its pages stand together, so it
//! has no entry of its own.
//!
//! # Source
//!
//! Haveliwala, Gionis, Klein and Indyk (2002), IndexAllSimilar and ProcessQuery, for large
//! repositories. There both structures are on disk, and a query is a page of the repository; here
//! they are in memory, and a query is any signature of the same family. An index of pagekin has
//! `m = 80`, as section 4 of Haveliwala, Gionis and Indyk (2000).

use std::cmp::Reverse;

use pagekin_core::minhash::Signature;
use rayon::prelude::*;

/// Pages by the values of their signatures.
#[derive(Debug, Clone)]
pub struct SimilarityIndex {
    pages: u32,
    positions: usize,
    /// H: of each page its values.
    values: Vec<u32>,
    /// I: of each position all pages by their value there, and of one value ascending.
    by_value: Vec<u32>,
}

/// Why signatures are not indexed or compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimilarityIndexError {
    /// A page's signature has another length than those before it.
    #[error(
        "cannot index these signatures: expected {expected} values each, as page 0 has, found {found} at page {page}. Sign all pages \
         with the same parameters"
    )]
    Ragged {
        /// The values of the first page.
        expected: usize,
        /// Those of the page.
        found: usize,
        /// Its number.
        page: usize,
    },
    /// A query's signature has another length than those of the pages.
    #[error(
        "cannot compare this signature with those of the pages: expected {expected} values, found {found}. Sign the query with the \
         parameters of the pages"
    )]
    OtherLength {
        /// The values of a page.
        expected: usize,
        /// Those of the query.
        found: usize,
    },
    /// Page numbers have 32 bits.
    #[error("cannot index so many signatures: expected at most {} pages, found {found}", u32::MAX)]
    TooManyPages {
        /// The number of signatures.
        found: usize,
    },
}

impl SimilarityIndex {
    /// IndexAllSimilar: the index of the signatures of pages 0, 1, 2, …, which are of one family.
    /// Sorts the pages once for each position, in parallel.
    ///
    /// # Errors
    ///
    /// [`SimilarityIndexError::Ragged`] if signatures differ in length,
    /// [`SimilarityIndexError::TooManyPages`] beyond 2^32 - 1 pages.
    pub fn of(signatures: &[Signature]) -> Result<Self, SimilarityIndexError> {
        let pages = u32::try_from(signatures.len())
            .map_err(|_| SimilarityIndexError::TooManyPages { found: signatures.len() })?;
        let positions = signatures.first().map_or(0, |first| first.values().len());
        let mut values = Vec::with_capacity(signatures.len() * positions);
        for (page, signature) in signatures.iter().enumerate() {
            let found = signature.values().len();
            if found != positions {
                return Err(SimilarityIndexError::Ragged { expected: positions, found, page });
            }
            values.extend_from_slice(signature.values());
        }
        let mut by_value = vec![0; values.len()];
        let lists = by_value.par_chunks_exact_mut(signatures.len().max(1)).enumerate();
        lists.for_each_init(Vec::new, |sorted, (position, lists)| {
            sorted.clear();
            sorted.extend(values[position..].iter().step_by(positions).copied().zip(0..pages));
            sorted.sort_unstable();
            for (place, &(_, page)) in lists.iter_mut().zip(sorted.iter()) {
                *place = page;
            }
        });
        Ok(Self { pages, positions, values, by_value })
    }

    /// ProcessQuery: up to `limit` pages whose signatures agree with `signature` at some position,
    /// each with the number of positions where they do, the greatest first, of equal ones the lower
    /// page.
    ///
    /// # Errors
    ///
    /// [`SimilarityIndexError::OtherLength`] if the signature has not the length of the pages'. An
    /// index of no pages has no length: nothing is found.
    pub fn query(
        &self,
        signature: &Signature,
        limit: usize,
    ) -> Result<Vec<(u32, u32)>, SimilarityIndexError> {
        let found = signature.values().len();
        if self.pages > 0 && found != self.positions {
            return Err(SimilarityIndexError::OtherLength { expected: self.positions, found });
        }
        Ok(self.process(signature.values(), limit))
    }

    /// The number of pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The positions of a signature, `m`; 0 if there are no pages.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// The memory that *H* and *I* take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.values) + size_of_val(&*self.by_value)
    }

    fn process(&self, signature: &[u32], limit: usize) -> Vec<(u32, u32)> {
        let mut agreements = vec![0_u32; self.pages as usize];
        let mut met = Vec::new();
        for (position, &value) in signature.iter().enumerate() {
            for &page in self.list(position, value) {
                let agreement = &mut agreements[page as usize];
                if *agreement == 0 {
                    met.push(page);
                }
                *agreement += 1;
            }
        }
        let mut found: Vec<(u32, u32)> =
            met.into_iter().map(|page| (page, agreements[page as usize])).collect();
        let best_first = |&(page, agreement): &(u32, u32)| (Reverse(agreement), page);
        // Many pages agree in a value or two, and few are asked for.
        if limit < found.len() {
            found.select_nth_unstable_by_key(limit, best_first);
            found.truncate(limit);
        }
        found.sort_unstable_by_key(best_first);
        found
    }

    /// The pages that have a value at a position, ascending.
    fn list(&self, position: usize, value: u32) -> &[u32] {
        let pages = self.pages as usize;
        // Of no pages there are no positions either, whatever the query has.
        let lists = self.by_value.get(position * pages..(position + 1) * pages).unwrap_or_default();
        let value_of = |page: u32| self.values[page as usize * self.positions + position];
        let from = &lists[lists.partition_point(|&page| value_of(page) < value)..];
        &from[..from.partition_point(|&page| value_of(page) == value)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::bag::Bag;
    use pagekin_core::minhash::{Family, SignatureParams};
    use pagekin_core::similarity::Overlap;
    use proptest::prelude::*;

    fn signatures(rows: &[Vec<u32>]) -> Vec<Signature> {
        rows.iter().cloned().map(Signature::from).collect()
    }

    fn index(rows: &[Vec<u32>]) -> SimilarityIndex {
        SimilarityIndex::of(&signatures(rows)).unwrap()
    }

    /// The slow, obvious way: every page is compared.
    fn plainly(rows: &[Vec<u32>], query: &[u32], limit: usize) -> Vec<(u32, u32)> {
        let agreement = |row: &Vec<u32>| row.iter().zip(query).filter(|(a, b)| a == b).count();
        let mut all: Vec<(u32, u32)> =
            (0..).zip(rows).map(|(page, row)| (page, agreement(row) as u32)).collect();
        all.retain(|&(_, agreement)| agreement > 0);
        all.sort_by_key(|&(page, agreement)| (Reverse(agreement), page));
        all.truncate(limit);
        all
    }

    #[test]
    fn known_answers() {
        let index = index(&[vec![1, 2, 3], vec![9, 2, 1], vec![1, 7, 3], vec![3, 1, 2]]);
        let query = |values: [u32; 3], limit| {
            index.query(&Signature::from(values.to_vec()), limit).unwrap()
        };
        assert_eq!(query([1, 2, 3], 9), [(0, 3), (2, 2), (1, 1)]);
        // Pages 0 and 2 agree alike.
        assert_eq!(query([1, 5, 3], 9), [(0, 2), (2, 2)]);
        assert_eq!(query([1, 5, 3], 1), [(0, 2)]);
        assert_eq!(query([1, 5, 3], 0), []);
        // A value counts at its own position only.
        assert_eq!(query([2, 3, 9], 9), []);
        assert_eq!((index.pages(), index.positions(), index.bytes()), (4, 3, 4 * 3 * 8));
    }

    #[test]
    fn signatures_of_another_length_are_refused() {
        let ragged = SimilarityIndex::of(&signatures(&[vec![1, 2], vec![3, 4], vec![5]]));
        assert_eq!(
            ragged.unwrap_err().to_string(),
            "cannot index these signatures: expected 2 values each, as page 0 has, found 1 at page 2. Sign all pages with the same \
             parameters"
        );
        for values in [vec![], vec![1], vec![1, 2, 3]] {
            let expected = SimilarityIndexError::OtherLength { expected: 2, found: values.len() };
            let refused = index(&[vec![1, 2]]).query(&Signature::from(values), 9);
            assert_eq!(refused.unwrap_err(), expected);
        }
    }

    #[test]
    fn among_no_pages_nothing_is_found() {
        let index = index(&[]);
        assert_eq!(index.query(&Signature::from(vec![1, 2]), 9), Ok(vec![]));
        assert_eq!((index.pages(), index.positions(), index.bytes()), (0, 0, 0));
    }

    /// Bags that share 1, 2, … of 20 terms: agreement tells how many, within five standard
    /// deviations.
    #[test]
    fn agreement_estimates_the_bag_jaccard() {
        let m = 1_024;
        let family = Family::new(SignatureParams { m, bits: 16, seed: 1 });
        let bag = |first: u32| Bag::from_sorted((first..first + 20).map(|id| (id, 3)).collect());
        let bags: Vec<Bag> = (0..20).map(|first| bag(first).unwrap()).collect();
        let signed: Vec<Signature> = bags.iter().map(|bag| family.sign(bag).unwrap()).collect();
        let found = SimilarityIndex::of(&signed).unwrap().query(&signed[0], 99).unwrap();
        assert_eq!((found.len(), found[0]), (20, (0, m.into())));
        for (page, agreement) in found {
            let exact = Overlap::of(&bags[0], &bags[page as usize]).jaccard();
            let estimate = f64::from(agreement) / f64::from(m);
            let deviation = (exact * (1.0 - exact) / f64::from(m)).sqrt();
            assert!((estimate - exact).abs() <= 5.0 * deviation + 0.002, "{estimate} for {exact}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2002), ..ProptestConfig::default() })]

        /// Of few values, so that many pages agree alike, and great ones.
        #[test]
        fn a_query_counts_what_comparing_every_page_counts(
            (rows, query) in (0_usize..7).prop_flat_map(|m| {
                let value = || prop_oneof![4 => 0_u32..4, 1 => Just(u32::MAX)];
                let row = move || proptest::collection::vec(value(), m);
                (proptest::collection::vec(row(), 1..40), row())
            }),
            limit in prop_oneof![4 => 0_usize..12, 1 => Just(usize::MAX)],
        ) {
            let index = index(&rows);
            let found = index.query(&Signature::from(query.clone()), limit).unwrap();
            prop_assert_eq!(found, plainly(&rows, &query, limit));
            for row in &rows {
                let found = index.query(&Signature::from(row.clone()), limit).unwrap();
                prop_assert_eq!(found, plainly(&rows, row, limit));
            }
        }
    }
}
