//! Computes the similarities of one page to all others from weighted pages, with an inverted index.
//!
//! ```text
//! jaccard   sum of min(a, b) / sum of max(a, b)      for weights that sum to 1
//! bag       the same                                 for the counts in an index's bags
//! cosine    sum of a b                               for weights whose squares sum to 1
//! bm25      sum of a s(tf, length)                   a: weights of the source's heaviest terms,
//!                                                    including idf; s: as in
//!                                                    `pagekin_core::bm25`, exactly, over all
//!                                                    terms of the other page
//! common    the number of terms in common
//! ```
//!
//! Pages without a common term have a similarity of 0. Sums are computed in the order of terms, so
//! equal pages have equal similarities.

use std::cmp::Reverse;

use pagekin_core::Preset;
use pagekin_core::bag::Bag;
use pagekin_core::vocabulary::{TermId, term_id};
use pagekin_index::measured::{vocabulary, vocabulary_rules};
use pagekin_pages::site::read::{Lexicon, LexiconTerm};
use pagekin_pairs::rows::add_up;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::evaluate::represent::bags::Bags;
use crate::evaluate::settings::setting::{Measure, Setting};
use crate::evaluate::weigh::{rarities, weigh};

/// The parameters of BM25, as in `pagekin_core::bm25`.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Pages that can be compared.
#[derive(Debug)]
pub(crate) struct RankComparison {
    /// The weights of pages as sources.
    sources: Bags,
    /// The pages of each term.
    postings: Bags,
    /// The sum of the weights of each page, if the measure needs it.
    sizes: Vec<f32>,
    combine: Combine,
}

/// How the weights of a term in two pages are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combine {
    /// The smaller weight.
    Minimum,
    /// The product of the weights.
    Product,
}

/// Buffers for the sums of a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    sums: Vec<f32>,
    touched: Vec<u32>,
}

impl RankComparison {
    /// Creates a comparison of bags. `names` are the names of their terms, as far as terms have
    /// names.
    pub(crate) fn new(bags: &Bags, names: &[Box<str>], setting: &Setting) -> Self {
        let by_minimum = |weighted: Bags| {
            let sizes =
                weighted.iter().map(|page| page.iter().map(|entry| entry.1).sum()).collect();
            let postings = weighted.postings();
            Self { postings, sources: weighted, sizes, combine: Combine::Minimum }
        };
        let by_product = |sources: Bags, pages: &Bags| Self {
            postings: pages.postings(),
            sources,
            sizes: Vec::new(),
            combine: Combine::Product,
        };
        if setting.measure == Measure::Bag {
            return by_minimum(index_bags(bags, names));
        }
        let rarities = rarities(&bags.document_frequencies(), bags.len(), setting);
        let weighted = weigh(bags, &rarities, setting);
        match setting.measure {
            Measure::Bag | Measure::Jaccard => {
                by_minimum(scaled(&weighted, |page| page.iter().map(|entry| entry.1).sum()))
            }
            Measure::Cosine => {
                let scaled = scaled(&weighted, |page| {
                    page.iter().map(|entry| entry.1 * entry.1).sum::<f32>().sqrt()
                });
                by_product(scaled.clone(), &scaled)
            }
            Measure::Bm25 => by_product(weighted, &saturated(bags, &rarities)),
            Measure::Common => {
                let ones =
                    mapped(&weighted, |page| page.iter().map(|&(term, _)| (term, 1.0)).collect());
                by_product(ones.clone(), &ones)
            }
        }
    }

    /// Calls `each` with every other page that shares a term with `source`, and their similarity,
    /// which is above 0.
    pub(crate) fn similarities(
        &self,
        source: u32,
        sums: &mut Sums,
        mut each: impl FnMut(u32, f32),
    ) {
        sums.sums.resize(self.sources.len(), 0.0);
        let mut add = |page: u32, value: f32| {
            let sum = &mut sums.sums[page as usize];
            if *sum == 0.0 {
                sums.touched.push(page);
            }
            *sum += value;
        };
        for &(term, weight) in self.sources.page(source as usize) {
            let postings = self.postings.page(term as usize);
            match self.combine {
                Combine::Minimum => {
                    postings.iter().for_each(|&(page, other)| add(page, weight.min(other)));
                }
                Combine::Product => {
                    postings.iter().for_each(|&(page, other)| add(page, weight * other));
                }
            }
        }
        for page in sums.touched.drain(..) {
            let sum = std::mem::take(&mut sums.sums[page as usize]);
            // A page may be touched twice if its sum was still 0 after the first addition, due to
            // underflow.
            if page == source || sum == 0.0 {
                continue;
            }
            let similarity = match self.combine {
                Combine::Product => sum,
                Combine::Minimum => {
                    let both = self.sizes[source as usize] + self.sizes[page as usize];
                    sum / (both - sum)
                }
            };
            each(page, similarity);
        }
    }
}

/// Replaces the entries of each page. The terms of the new entries must be ascending.
fn mapped(bags: &Bags, of_page: impl Fn(&[(u32, f32)]) -> Vec<(u32, f32)> + Sync) -> Bags {
    let pages = (0..bags.len()).into_par_iter().map(|page| of_page(bags.page(page))).collect();
    Bags::from_sorted(pages, bags.terms)
}

/// Divides the weights of each page by a norm.
fn scaled(bags: &Bags, norm: impl Fn(&[(u32, f32)]) -> f32 + Sync) -> Bags {
    mapped(bags, |page| {
        let norm = norm(page);
        page.iter().map(|&(term, weight)| (term, weight / norm)).collect()
    })
}

/// Computes BM25's saturation of the terms that count.
fn saturated(bags: &Bags, rarities: &[f32]) -> Bags {
    let length = |page: &[(u32, f32)]| page.iter().map(|entry| f64::from(entry.1)).sum::<f64>();
    let mean = bags.iter().map(length).sum::<f64>() / bags.len().max(1) as f64;
    mapped(bags, |page| {
        let norm = K1 * (1.0 - B + B * (length(page) / mean) as f32);
        let counting = page.iter().filter(|(term, _)| rarities[*term as usize] > 0.0);
        counting.map(|&(term, tf)| (term, tf * (K1 + 1.0) / (tf + norm))).collect()
    })
}

/// Computes the bags that `pagekin build` creates from these terms by default.
fn index_bags(bags: &Bags, names: &[Box<str>]) -> Bags {
    let ids: Vec<TermId> = (0..bags.terms as usize)
        .map(|term| match names.get(term) {
            Some(name) => term_id(name),
            // A page that links to this one is a term without a name.
            None => term_id(&letters(term)),
        })
        .collect();
    let mut lexicon = Lexicon::default();
    for (term, df) in bags.document_frequencies().into_iter().enumerate() {
        let stem: Box<str> = names.get(term).cloned().unwrap_or_else(|| letters(term).into());
        let entry = lexicon.terms.entry(ids[term]).or_insert_with(|| LexiconTerm {
            stem: stem.clone(),
            df: 0,
            word: (Box::default(), 0),
        });
        entry.df += df;
        if stem < entry.stem {
            entry.stem = stem;
        }
    }
    let rules = Preset::Web.params(pagekin_core::DEFAULT_SEED).bag;
    let n = bags.len() as u32;
    let vocabulary = vocabulary(&lexicon, n, vocabulary_rules(n));
    drop(lexicon);
    // Map ids back to term numbers. Several terms may have the same id.
    let mut by_id: Vec<(TermId, u32)> = ids.iter().copied().zip(0..).collect();
    by_id.sort_unstable_by_key(|&(id, term)| (id, Reverse(term)));
    let terms: FxHashMap<TermId, u32> = by_id.into_iter().collect();
    mapped(bags, |page| {
        let mut counts: Vec<(TermId, u32)> = page
            .iter()
            .map(|&(term, tf)| (ids[term as usize], tf.round().max(1.0) as u32))
            .collect();
        add_up(&mut counts);
        let bag = Bag::weigh(&counts, &vocabulary, &rules);
        let copies = bag.entries().iter().map(|&(id, copies)| (terms[&id], f32::from(copies)));
        let mut copies: Vec<(u32, f32)> = copies.collect();
        copies.sort_unstable_by_key(|entry| entry.0);
        copies
    })
}

/// Writes a number in letters, since bags contain no identifiers.
fn letters(number: usize) -> String {
    let digits = number.to_string();
    "page".chars().chain(digits.bytes().map(|digit| char::from(digit - b'0' + b'a'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::similarity::Overlap;
    use proptest::prelude::*;

    /// All similarities: 0 if not reported, NaN for the page itself.
    fn all(bags: &Bags, names: &[Box<str>], setting: &str) -> Vec<Vec<f32>> {
        let comparison = RankComparison::new(bags, names, &setting.parse().unwrap());
        let mut sums = Sums::default();
        (0..bags.len())
            .map(|source| {
                let mut row = vec![0.0; bags.len()];
                row[source] = f32::NAN;
                comparison.similarities(source as u32, &mut sums, |page, similarity| {
                    row[page as usize] = similarity;
                });
                row
            })
            .collect()
    }

    const ALL: &str = "min-df=1;max-df=100;most=all;frequency=tf;rarity=none";

    #[track_caller]
    fn check(measure: &str, expected: [f32; 2]) {
        // Page 1 shares a term with page 0, and page 2 shares both.
        let bags = Bags::new(
            vec![vec![(0, 3.0), (1, 1.0)], vec![(1, 1.0), (2, 3.0)], vec![(0, 1.0), (1, 1.0)]],
            3,
        );
        let found = all(&bags, &[], &format!("{ALL};measure={measure}"));
        for (found, expected) in found[0][1..].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found}, {expected}");
        }
    }

    #[test]
    fn measures_have_known_answers() {
        // The weights are 3/4, 1/4; 1/4, 3/4; 1/2, 1/2.
        check("jaccard", [0.25 / 1.75, 0.75 / 1.25]);
        check("cosine", [0.1, 4.0 / 20f32.sqrt()]);
        check("common", [1.0, 2.0]);
        // The lengths are 4, 4 and 2, and their mean is 10 / 3.
        let s =
            |tf: f32, length: f32| 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / (10.0 / 3.0)));
        check("bm25", [s(1.0, 4.0), 3.0 * s(1.0, 2.0) + s(1.0, 2.0)]);
    }

    fn sites() -> impl Strategy<Value = Vec<Vec<(u32, f32)>>> {
        let page = prop::collection::vec((0u32..30, (1u32..6).prop_map(|tf| tf as f32)), 0..12);
        prop::collection::vec(page, 1..14)
    }

    /// The obvious way: compare two pages term by term.
    fn brute_force(bags: &Bags, measure: Measure, a: usize, b: usize) -> f64 {
        let value = |page: usize, term: u32| {
            let found = bags.page(page).iter().find(|entry| entry.0 == term);
            found.map_or(0.0, |entry| f64::from(entry.1))
        };
        let total = |page: usize| (0..30).map(|term| value(page, term)).sum::<f64>();
        let over = |f: &dyn Fn(f64, f64) -> f64| {
            (0..30).map(|term| f(value(a, term), value(b, term))).sum::<f64>()
        };
        match measure {
            _ if bags.page(a).is_empty() || bags.page(b).is_empty() => 0.0,
            Measure::Jaccard | Measure::Bag => {
                let (of_a, of_b) = (total(a), total(b));
                over(&|x, y| (x / of_a).min(y / of_b)) / over(&|x, y| (x / of_a).max(y / of_b))
            }
            Measure::Cosine => {
                over(&|x, y| x * y) / (over(&|x, _| x * x) * over(&|_, y| y * y)).sqrt()
            }
            Measure::Common => over(&|x, y| if x > 0.0 && y > 0.0 { 1.0 } else { 0.0 }),
            Measure::Bm25 => {
                let mean = (0..bags.len()).map(total).sum::<f64>() / bags.len() as f64;
                let norm = 1.2 * (0.25 + 0.75 * total(b) / mean);
                over(&|x, y| x * y * 2.2 / (y + norm))
            }
        }
    }

    proptest! {
        #[test]
        fn similarities_match_brute_force(site in sites()) {
            let bags = Bags::new(site, 30);
            for (name, measure) in [
                ("jaccard", Measure::Jaccard), ("cosine", Measure::Cosine), ("common", Measure::Common), ("bm25", Measure::Bm25),
            ] {
                let found = all(&bags, &[], &format!("{ALL};measure={name}"));
                for (a, row) in found.iter().enumerate() {
                    for (b, &similarity) in row.iter().enumerate().filter(|&(b, _)| b != a) {
                        let expected = brute_force(&bags, measure, a, b);
                        prop_assert!((f64::from(similarity) - expected).abs() < 1e-4 * expected.max(1.0), "{name}: {similarity}, {expected}");
                    }
                }
            }
        }

        #[test]
        fn bags_are_compared_as_in_an_index(site in sites()) {
            let names: Vec<Box<str>> = (0..30).map(|term| letters(term).into()).collect();
            let bags = Bags::new(site, 30);
            let made = index_bags(&bags, &names);
            let found = all(&bags, &names, "measure=bag");
            let bag = |page: usize| {
                let entries = made.page(page).iter();
                Bag::from_sorted(entries.map(|&(term, copies)| (term, copies as u16)).collect()).unwrap()
            };
            for (a, row) in found.iter().enumerate() {
                for (b, &similarity) in row.iter().enumerate().filter(|&(b, _)| b != a) {
                    let expected = Overlap::between(&bag(a), &bag(b)).jaccard();
                    prop_assert!((f64::from(similarity) - expected).abs() < 1e-6);
                }
            }
        }
    }
}
