//! The fragments of URLs into their bags.
//!
//! ```text
//! the fragments of a bucket -> collapse -> URLs in order, each with all its terms
//!                           -> count    -> on how many URLs each term is (df), over all buckets
//!                           -> weigh    -> bags: tf-idf, normalised, in whole copies
//! ```
//!
//! Each is a function of one bucket (Haveliwala, Gionis and Indyk 2000, section 2.2), and
//! frequencies of buckets add up. What is not in the order of [`url_key`] is refused: later stages
//! number URLs by it.

use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::word_ids::index_term;
use rayon::prelude::*;

use crate::cluster::bags::collapse::UrlTerms;
use crate::cluster::bags::weights::Weights;
use crate::cluster::error::OutOfOrder;
use crate::folder::format::url_key;

/// The URLs of a bucket that have a bag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WeighedUrls {
    /// In the order of the crawl; their terms are taken out.
    pub urls: Vec<UrlTerms>,
    /// Of each its bag.
    pub bags: Vec<Bag>,
    /// The URLs without indexable terms, which are skipped.
    pub empty: u64,
}

/// The bags of the URLs of a bucket.
///
/// # Errors
///
/// If the URLs are not in the order of the crawl, or one stands there twice.
pub fn weigh(
    urls: Vec<UrlTerms>,
    weights: &Weights,
    rules: &BagRules,
) -> Result<WeighedUrls, OutOfOrder> {
    let key = |url: &str| (url_key(url), url.to_owned());
    if let Some(pair) = urls.windows(2).find(|pair| key(&pair[0].url) >= key(&pair[1].url)) {
        return Err(OutOfOrder { before: pair[0].url.clone(), url: pair[1].url.clone() });
    }
    let bags: Vec<Bag> =
        urls.par_iter().map(|url| bag(&url.terms, |word| weights.of(word), rules)).collect();
    let mut weighed = WeighedUrls::default();
    for (mut url, bag) in urls.into_iter().zip(bags) {
        if bag.is_empty() {
            weighed.empty += 1;
            continue;
        }
        url.terms = Vec::new();
        weighed.urls.push(url);
        weighed.bags.push(bag);
    }
    Ok(weighed)
}

/// The bag of some words, ascending: with their ids in an index it is the one that a browser makes
/// of the same words. There an id decides how its copies are rounded.
pub(crate) fn bag(words: &[(TermId, u32)], weight: impl Fn(TermId) -> u8, rules: &BagRules) -> Bag {
    let counts: Vec<(TermId, u32)> =
        words.iter().map(|&(word, tf)| (index_term(word), tf)).collect();
    if counts.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        // An index takes two of them for one, so no browser makes the same.
        return Bag::weigh_by(words, weight, rules);
    }
    let word = |term: TermId| {
        let at = counts.partition_point(|&(other, _)| other < term);
        words[at].0
    };
    let bag = Bag::weigh_by(&counts, |term| weight(word(term)), rules);
    let entries = bag.entries().iter().map(|&(term, copies)| (word(term), copies));
    Bag::from_sorted(entries.collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::bags::collapse::collapse;
    use crate::cluster::bags::columns::BagColumns;
    use crate::cluster::bags::fragments;
    use crate::cluster::bags::fragments::{Fragment, FragmentBuckets, FragmentRef};
    use crate::cluster::bags::frequencies::Frequencies;
    use pagekin_core::vocabulary::{DfLimits, quantised_idf};
    use pagekin_core::{Preset, bag};
    use pagekin_pairs::disk::records;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn fragment(url: &str, title: Option<&str>, terms: &[(TermId, u32)]) -> Fragment {
        Fragment {
            url: url.into(),
            title: title.map(str::to_owned),
            language: title.map(|_| "en".to_owned()),
            terms: terms.to_vec(),
        }
    }

    fn collapse_all(fragments: &[Fragment]) -> Vec<UrlTerms> {
        collapse(fragments.iter().map(|Fragment { url, title, language, terms }| FragmentRef {
            url,
            title: title.as_deref(),
            language: language.as_deref(),
            terms: terms.clone(),
        }))
    }

    #[test]
    fn fragments_of_a_url_become_one() {
        let collapsed = collapse_all(&[
            fragment("u", None, &[(1, 2), (5, 1)]),
            fragment("v", None, &[(5, 7)]),
            fragment("u", Some("Title"), &[(5, u32::MAX)]),
        ]);
        let of = |url| collapsed.iter().find(|terms| terms.url == url).unwrap();
        assert_eq!(collapsed.len(), 2);
        assert_eq!((of("u").title.as_str(), of("u").fragments), ("Title", 2));
        assert_eq!((of("u").language.as_str(), of("v").language.as_str()), ("en", ""));
        assert_eq!(of("u").terms, [(1, 2), (5, u32::MAX)]);
        assert_eq!((of("v").title.as_str(), of("v").fragments), ("", 1));
    }

    #[test]
    fn what_is_out_of_order_or_twice_is_refused() {
        let mut urls =
            collapse_all(&[fragment("u", None, &[(1, 1)]), fragment("v", None, &[(1, 1)])]);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        let limits = DfLimits { min: 1, max_percent: 100.0, never_too_high: 0 };
        let weights = Weights::new(&frequencies, limits);
        let rules = Preset::Web.params(1).bag;
        assert!(weigh(urls.clone(), &weights, &rules).is_ok());
        urls.reverse();
        let error = weigh(urls.clone(), &weights, &rules).unwrap_err();
        assert_eq!((&error.before, &error.url), (&urls[0].url, &urls[1].url));
        assert!(weigh(vec![urls[0].clone(), urls[0].clone()], &weights, &rules).is_err());
    }

    #[test]
    fn words_of_too_few_and_too_many_urls_are_dropped() {
        let urls: Vec<Fragment> = (0..10)
            .map(|n| fragment(&format!("u{n}"), None, &[(1, 1), (2 + n % 2, 1), (100 + n, 1)]))
            .collect();
        let urls = collapse_all(&urls);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        assert_eq!((frequencies.urls(), frequencies.df(1), frequencies.df(2)), (10, 10, 5));
        let limits = DfLimits { min: 2, max_percent: 60.0, never_too_high: 0 };
        let weights = Weights::new(&frequencies, limits);
        assert_eq!((weights.of(1), weights.of(2), weights.of(100), weights.of(7)), (0, 12, 0, 0));
        let multiplied = weights.clone().multiplied(&[(1, 4.0), (2, 0.25), (7, 2.0)]);
        assert_eq!((multiplied.of(1), multiplied.of(2), multiplied.of(7)), (0, 3, 0));
        let weighed = weigh(urls, &weights, &Preset::Paper.params(1).bag).unwrap();
        assert_eq!((weighed.urls.len(), weighed.empty), (10, 0));
        let mut columns = BagColumns::default();
        for (at, bag) in weighed.bags.iter().enumerate() {
            columns.push(bag);
            let terms: Vec<_> = columns.entries(at).collect();
            assert!(terms == [(2, 100)] || terms == [(3, 100)], "{terms:?}");
        }
    }

    #[test]
    fn words_that_share_an_id_of_an_index_are_two_in_a_crawl() {
        let said = [("u", [(0x500, 1), (0x5ff, 2)]), ("v", [(0x500, 1), (0x700, 2)])];
        let urls = collapse_all(&said.map(|(url, terms)| fragment(url, None, &terms)));
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        assert_eq!([0x500, 0x5ff, 0x5fe].map(|word| frequencies.df(word)), [2, 1, 0]);
        let limits = DfLimits { min: 1, max_percent: 100.0, never_too_high: 0 };
        let weights = Weights::new(&frequencies, limits);
        let weighed = weigh(urls, &weights, &Preset::Web.params(1).bag).unwrap();
        let terms = |bag: &Bag| bag.entries().iter().map(|&(word, _)| word).collect::<Vec<_>>();
        let mut bags: Vec<_> = weighed.bags.iter().map(terms).collect();
        bags.sort();
        assert_eq!(bags, [[0x500, 0x5ff], [0x500, 0x700]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The definition: all fragments at once, in maps.
        #[test]
        fn through_buckets_the_bags_are_those_of_the_definition(
            said in prop::collection::vec((0u32..12, prop::collection::btree_map(0u32..9, 1u32..5, 0..5)), 0..60),
            n in 1u32..4,
        ) {
            let url = |number| format!("https://{number}.example/");
            let spread = |terms: BTreeMap<u32, u32>| -> BTreeMap<TermId, u32> {
                terms.into_iter().map(|(n, tf)| (n.wrapping_mul(0x1f3d_5b79), tf)).collect()
            };
            let said: Vec<_> = said.into_iter().map(|(number, terms)| (number, spread(terms))).collect();
            let rules = bag::BagRules { max_terms: 4, ..Preset::Web.params(1).bag };
            let limits = DfLimits { min: 2, max_percent: 80.0, never_too_high: 1 };

            let folder = tempfile::tempdir().unwrap();
            let mut buckets = FragmentBuckets::create(folder.path(), n).unwrap();
            for (number, terms) in &said {
                let terms: Vec<_> = terms.clone().into_iter().collect();
                buckets.push(&fragment(&url(number), None, &terms)).unwrap();
            }
            buckets.finish().unwrap();
            let collapsed: Vec<_> = (0..n)
                .map(|bucket| {
                    let bytes = std::fs::read(fragments::bucket_path(folder.path(), bucket)).unwrap();
                    collapse(records::records(&bytes).map(Result::unwrap))
                })
                .collect();
            let mut frequencies = Frequencies::default();
            for urls in &collapsed {
                frequencies.count(urls);
            }
            let kept = Frequencies::from_counts(frequencies.urls(), frequencies.counts());
            prop_assert_eq!(&kept, &frequencies);
            let weights = Weights::new(&kept, limits);
            let (mut all, mut columns) = (WeighedUrls::default(), BagColumns::default());
            for urls in collapsed {
                let weighed = weigh(urls, &weights, &rules).unwrap();
                all.urls.extend(weighed.urls);
                weighed.bags.iter().for_each(|bag| columns.push(bag));
            }
            prop_assert!(all.urls.is_sorted_by_key(|url| url_key(&url.url)));

            let mut plain: BTreeMap<String, BTreeMap<TermId, u32>> = BTreeMap::new();
            for (number, terms) in &said {
                let of_url = plain.entry(url(number)).or_default();
                for (term, tf) in terms {
                    *of_url.entry(*term).or_default() += tf;
                }
            }
            let df = |term| plain.values().filter(|terms| terms.contains_key(&term)).count() as u32;
            let urls = plain.len() as u32;
            let mut expected = BTreeMap::new();
            for (url, terms) in &plain {
                // As a browser has them.
                let names: BTreeMap<TermId, TermId> =
                    terms.keys().map(|&term| (index_term(term), term)).collect();
                let terms: Vec<_> = terms.iter().map(|(&term, &tf)| (index_term(term), tf)).collect();
                let weight = |term| {
                    let df = df(names[&term]);
                    if limits.allow(df, urls) { quantised_idf(df, urls) } else { 0 }
                };
                let bag = Bag::weigh_by(&terms, weight, &rules);
                let named = |&(term, copies): &(TermId, u16)| (names[&term], copies);
                let bag = Bag::from_sorted(bag.entries().iter().map(named).collect()).unwrap();
                if !bag.is_empty() {
                    expected.insert(url.clone(), bag);
                }
            }
            let urls = all.urls.into_iter().enumerate();
            let found: BTreeMap<String, Bag> =
                urls.map(|(at, url)| (url.url, columns.bag(at))).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
