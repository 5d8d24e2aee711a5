//! Builds the bags of URLs from their fragments.
//!
//! ```text
//! the fragments of a bucket -> collapse -> URLs in order, each with all its terms
//!                           -> count    -> the number of URLs with each term (df), over all
//!                           buckets
//!                           -> weigh    -> bags: tf-idf, normalized, as whole counts
//! ```
//!
//! # Terms that no other URL has
//!
//! Two texts of twenty words that share one are not equal, so the bags have to contain the words
//! that they do not share. Words of a single URL need not be distinguished for that: together they
//! become one or a few *own* terms, with a total count according to their weight. The ids of own
//! terms are a hash of all these words, so no other URL has them. A single own term has at most a
//! hundred counts, so a collision of 32-bit ids does not make a pair. If a page's text is known,
//! its URL also has a count of the text's *print*, so only equal texts have equal bags.
//!
//! Each step is a function of one bucket (Haveliwala, Gionis and Indyk 2000, section 2.2), and
//! frequencies of buckets add up. URLs that are out of the order of [`url_key`] are refused,
//! because later stages number URLs by it.

use std::collections::BTreeMap;

use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::hash;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::word_ids::index_term;
use rayon::prelude::*;

use crate::cluster::bags::collapse::UrlTerms;
use crate::cluster::bags::collection::Own;
use crate::cluster::bags::weights::Weights;
use crate::cluster::error::OutOfOrder;
use crate::folder::format::url_key;

/// URLs of a bucket with their bags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WeightedUrls {
    /// URLs in the order of the crawl, without their terms.
    pub urls: Vec<UrlTerms>,
    /// The bag of each URL.
    pub bags: Vec<Bag>,
    /// Number of URLs without indexable terms, which are skipped.
    pub empty: u64,
}

/// Returns the bags of the URLs of a bucket.
///
/// # Errors
///
/// If the URLs are not in the order of the crawl, or one occurs twice.
pub fn weigh(
    urls: Vec<UrlTerms>,
    weights: &Weights,
    rules: &BagRules,
) -> Result<WeightedUrls, OutOfOrder> {
    let key = |url: &str| (url_key(url), url.to_owned());
    if let Some(pair) = urls.windows(2).find(|pair| key(&pair[0].url) >= key(&pair[1].url)) {
        return Err(OutOfOrder { before: pair[0].url.clone(), url: pair[1].url.clone() });
    }
    let bags: Vec<Bag> = urls
        .par_iter()
        .map(|url| {
            bag_of_text(&url.terms, url.print, |word| weights.of(word), weights.own(), rules)
        })
        .collect();
    let mut weighted = WeightedUrls::default();
    for (mut url, bag) in urls.into_iter().zip(bags) {
        if bag.is_empty() {
            weighted.empty += 1;
            continue;
        }
        url.terms = Vec::new();
        weighted.urls.push(url);
        weighted.bags.push(bag);
    }
    Ok(weighted)
}

/// A word of a text.
struct WeightedWord {
    word: TermId,
    /// Its frequency.
    tf: u32,
    /// Its weight, whatever its frequency.
    weight: u8,
}

impl WeightedWord {
    /// Returns its weight in the text.
    fn in_text(&self, rules: &BagRules) -> u64 {
        rules.term_weight(self.tf, self.weight)
    }
}

/// Maximum count of an own term that is a hash.
const MAX_OWN_COPIES: u16 = 100;
/// Own words are at most one in `OWN_WORDS` terms of a bag.
const OWN_WORDS: u16 = 3;

/// Returns the bag of a text from its words, in ascending order, with their frequencies, and its
/// print, or 0. `weight` is 0 for words that no other URL has; `own` defines their weighting.
pub(crate) fn bag_of_text(
    words: &[(TermId, u32)],
    print: u64,
    weight: impl Fn(TermId) -> u8,
    own: Option<Own>,
    rules: &BagRules,
) -> Bag {
    let weighted: Vec<WeightedWord> =
        words.iter().map(|&(word, tf)| WeightedWord { word, tf, weight: weight(word) }).collect();
    let Some(own) = own else { return bag(&weighted, rules) };
    let (mut own_words, shared): (Vec<_>, Vec<_>) =
        weighted.into_iter().partition(|word| word.weight == 0);
    own_words.iter_mut().for_each(|word| word.weight = own.weight);
    let total = |of: &[WeightedWord]| of.iter().map(|word| word.in_text(rules)).sum::<u64>();
    let (apart, common) = (total(&own_words), total(&shared));
    let of_print = u64::from(print != 0);
    let left = u64::from(rules.sum) - of_print;
    let of_own = match (apart, common) {
        (0, _) => 0,
        (_, 0) => left,
        // A text with any shared words also has a count of them.
        _ => ((left * apart + (common + apart) / 2) / (common + apart)).clamp(1, left - 1),
    };
    let mut entries: BTreeMap<TermId, u16> = BTreeMap::new();
    let alone = apart + common == 0;
    put_apart(
        &mut entries,
        print,
        if alone { rules.sum * of_print as u16 } else { of_print as u16 },
    );
    let sum = of_own as u16;
    if own.as_words {
        let max_terms = rules.max_terms / OWN_WORDS;
        add(&mut entries, &bag(&own_words, &BagRules { sum, max_terms, ..*rules }));
    } else {
        let entry = |hash, one: &WeightedWord| {
            hash::mix(hash ^ (u64::from(one.word) << 32 | u64::from(one.tf)))
        };
        put_apart(&mut entries, own_words.iter().fold(0, entry), sum);
    }
    if common > 0 {
        let max_terms = rules.max_terms - entries.len() as u16;
        let sum = (left - of_own) as u16;
        add(&mut entries, &bag(&shared, &BagRules { sum, max_terms, ..*rules }));
    }
    Bag::from_sorted(entries.into_iter().collect()).unwrap_or_default()
}

fn add(entries: &mut BTreeMap<TermId, u16>, bag: &Bag) {
    for &(word, copies) in bag.entries() {
        *entries.entry(word).or_default() += copies;
    }
}

/// Adds terms that are derived from a hash to a bag, with `copies` counts in total.
fn put_apart(entries: &mut BTreeMap<TermId, u16>, hash: u64, copies: u16) {
    let mut left = copies;
    for part in 1u64.. {
        if left == 0 {
            return;
        }
        let copies = left.min(MAX_OWN_COPIES);
        entries.entry(hash::mix(hash::mix(hash).wrapping_add(part)) as TermId).or_insert_with(
            || {
                left -= copies;
                copies
            },
        );
    }
}

/// Returns the bag of words in ascending order. With their ids in an index, it is the bag that a
/// browser builds from the same words, where the id decides how counts are rounded.
fn bag(words: &[WeightedWord], rules: &BagRules) -> Bag {
    let id = |word: &WeightedWord| index_term(word.word);
    if words.windows(2).any(|pair| id(&pair[0]) == id(&pair[1])) {
        // An index does not distinguish these two words, so no browser builds the same bag.
        let weights = words.iter().map(|word| (word.word, word.in_text(rules)));
        return Bag::from_weights(weights.collect(), rules);
    }
    let weights = words.iter().map(|word| (id(word), word.in_text(rules)));
    let bag = Bag::from_weights(weights.collect(), rules);
    let mut rest = words.iter();
    let entry = |&(term, copies): &(TermId, u16)| {
        rest.find(|&word| id(word) == term).map(|word| (word.word, copies))
    };
    Bag::from_sorted(bag.entries().iter().filter_map(entry).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::bags::collapse::collapse;
    use crate::cluster::bags::collection::{Collection, Spread};
    use crate::cluster::bags::columns::BagColumns;
    use crate::cluster::bags::fragments;
    use crate::cluster::bags::fragments::{Fragment, FragmentBuckets, FragmentRef};
    use crate::cluster::bags::frequencies::Frequencies;
    use pagekin_core::{Preset, bag};
    use pagekin_pairs::disk::records;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn fragment(url: &str, title: Option<&str>, terms: &[(TermId, u32)]) -> Fragment {
        Fragment {
            url: url.into(),
            title: title.map(str::to_owned),
            language: title.map(|_| "en".to_owned()),
            terms: terms.to_vec(),
            ..Fragment::default()
        }
    }

    fn collapse_all(fragments: &[Fragment]) -> Vec<UrlTerms> {
        collapse(fragments.iter().map(
            |Fragment { url, title, language, terms, print, capture }| FragmentRef {
                url,
                print: *print,
                capture: capture.as_ref().map(|(is_own, captured)| (*is_own, &**captured)),
                title: title.as_deref(),
                language: language.as_deref(),
                terms: terms.clone(),
            },
        ))
    }

    #[test]
    fn the_newest_of_several_captures_counts() {
        let capture = |is_own, captured: &str, term| Fragment {
            print: u64::from(term),
            capture: Some((is_own, captured.to_owned())),
            ..fragment("u", Some(captured), &[(term, 1)])
        };
        let mut fragments = vec![
            capture(true, "2024-01-02T03:04:05Z", 2),
            fragment("u", None, &[(1, 3)]),
            capture(true, "2026-01-01T00:00:00Z", 3),
            capture(false, "2027-01-01T00:00:00Z", 4),
            capture(true, "0000000000000009", 5),
        ];
        for _ in 0..fragments.len() {
            fragments.rotate_left(1);
            let [url] = &collapse_all(&fragments)[..] else { panic!("one URL") };
            assert_eq!((&*url.title, url.print), ("2026-01-01T00:00:00Z", 3));
            assert_eq!((&url.terms[..], url.fragments), (&[(1, 3), (3, 1)][..], 2));
        }
        // Of captures with equal times, the same one always counts.
        let same = [capture(true, "", 7), capture(true, "", 6)];
        assert_eq!(collapse_all(&same)[0].terms, [(7, 1)]);
        let other = [capture(true, "", 6), capture(true, "", 7)];
        assert_eq!(collapse_all(&other), collapse_all(&same));
    }

    #[test]
    fn fragments_of_a_url_are_merged() {
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
    fn urls_out_of_order_or_duplicated_are_refused() {
        let mut urls =
            collapse_all(&[fragment("u", None, &[(1, 1)]), fragment("v", None, &[(1, 1)])]);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        let weights = Weights::new(&frequencies, Preset::Web);
        let rules = Preset::Web.params(1).bag;
        assert!(weigh(urls.clone(), &weights, &rules).is_ok());
        urls.reverse();
        let error = weigh(urls.clone(), &weights, &rules).unwrap_err();
        assert_eq!((&error.before, &error.url), (&urls[0].url, &urls[1].url));
        assert!(weigh(vec![urls[0].clone(), urls[0].clone()], &weights, &rules).is_err());
    }

    #[test]
    fn urls_without_terms_are_counted() {
        let none = |url| fragment(url, Some("t"), &[]);
        let urls = collapse_all(&[none("a"), fragment("u", Some("t"), &[(1, 1)]), none("v")]);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        let weights = Weights::new(&frequencies, Preset::Web);
        let found = weigh(urls, &weights, &Preset::Web.params(1).bag).unwrap();
        assert_eq!((found.urls.len(), found.bags.len(), found.empty), (1, 1, 2));
        assert_eq!((&*found.urls[0].url, found.urls[0].terms.len()), ("u", 0));
    }

    #[test]
    fn texts_with_different_hashed_own_words_share_nothing() {
        let rules = Preset::Web.params(1).bag;
        let of = |words: [(TermId, u32); 2]| {
            let own = Some(Own { weight: 40, as_words: false });
            bag_of_text(&words, 0, |_| 0, own, &rules)
        };
        // Any single bit of an id, or another frequency.
        let words = (3..32).map(|bit| [(5, 1), (1 << bit, 1)]);
        let words = words.chain((2..9).map(|tf| [(5, 1), (8, tf)]));
        let bags: Vec<Bag> = words.map(of).collect();
        for (at, bag) in bags.iter().enumerate() {
            assert!(!bag.is_empty());
            assert!(bags[..at].iter().all(|other| similarity_of(bag, other) == 0.0), "{at}");
        }
        assert_eq!(of([(5, 1), (8, 1)]), bags[0]);
    }

    #[test]
    fn the_paper_drops_words_of_too_few_and_too_many_urls() {
        let urls: Vec<Fragment> = (0..100)
            .map(|n| fragment(&format!("u{n}"), None, &[(1, 1), (2 + n % 10, 1), (100 + n, 1)]))
            .collect();
        let urls = collapse_all(&urls);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        assert_eq!(frequencies.all(), Spread { urls: 100, texts: 100 });
        assert_eq!([1, 2, 7].map(|word| frequencies.of(word).urls), [100, 10, 10]);
        let weights = Weights::new(&frequencies, Preset::Paper);
        assert_eq!([1, 2, 100, 7_000].map(|word| weights.of(word)), [0, 40, 0, 0]);
        let multiplied = weights.clone().multiplied(&[(1, 4.0), (2, 0.25), (7_000, 2.0)]);
        assert_eq!([1, 2, 7_000].map(|word| multiplied.of(word)), [0, 10, 0]);
        let weighted = weigh(urls, &weights, &Preset::Paper.params(1).bag).unwrap();
        assert_eq!((weighted.urls.len(), weighted.empty), (100, 0));
        for bag in weighted.bags {
            let [(word, 100)] = bag.entries() else { panic!("{bag:?}") };
            assert!((2..12).contains(word));
        }
    }

    /// Returns the bags of texts in the preset for sites, in the order of the texts.
    fn bags_of(texts: &[Vec<(TermId, u32)>], print: impl Fn(usize) -> u64) -> Vec<Bag> {
        let name = |at: usize| format!("https://{at:05}.example/");
        let fragments: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(at, terms)| Fragment {
                print: print(at),
                ..fragment(&name(at), Some("t"), terms)
            })
            .collect();
        let urls = collapse_all(&fragments);
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        let weights = Weights::new(&frequencies, Preset::Web);
        let weighted = weigh(urls, &weights, &Preset::Web.params(1).bag).unwrap();
        let by_url: BTreeMap<String, Bag> =
            weighted.urls.into_iter().map(|url| url.url).zip(weighted.bags).collect();
        (0..texts.len()).map(|at| by_url.get(&name(at)).cloned().unwrap_or_default()).collect()
    }

    fn similarity_of(a: &Bag, b: &Bag) -> f64 {
        pagekin_core::similarity::Overlap::between(a, b).jaccard()
    }

    /// Returns the words of a text: any `n`, distributed over all ids.
    fn text(words: impl IntoIterator<Item = u32>) -> Vec<(TermId, u32)> {
        let words = words.into_iter().map(|word| (word.wrapping_mul(0x9e37_79b1), 1));
        words.collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    #[test]
    fn texts_that_share_one_of_twenty_words_are_not_similar() {
        for others in [0, 100] {
            let mut texts = vec![text(0..20), text(19..39)];
            texts.extend((0..others).map(|n| text(1_000 * (n + 1)..1_000 * (n + 1) + 20)));
            let bags = bags_of(&texts, |_| 0);
            let similarity = similarity_of(&bags[0], &bags[1]);
            assert!(similarity > 0.0 && similarity < 0.1, "{others}: {similarity}");
        }
    }

    #[test]
    fn versions_of_one_text_are_similar_although_they_only_share_common_words() {
        for (versions, min) in [(2, 0.8), (20, 0.5), (200, 0.4)] {
            let texts: Vec<_> =
                (0..versions).map(|n| text((0..100).chain(1_000 + 8 * n..1_008 + 8 * n))).collect();
            let bags = bags_of(&texts, |at| at as u64 + 1);
            for (a, b) in [(0, 1), (0, versions as usize - 1)] {
                let similarity = similarity_of(&bags[a], &bags[b]);
                assert!(similarity > min, "{versions}: {similarity}");
            }
        }
    }

    #[test]
    fn texts_of_one_sentence_with_different_numbers_are_similar() {
        let bags = bags_of(&[text(0..6), text(0..6), text(0..6)], |at| 1 + at as u64 / 2);
        assert_eq!(bags[0], bags[1]);
        assert!(
            similarity_of(&bags[0], &bags[2]) < 1.0 && similarity_of(&bags[0], &bags[2]) > 0.98
        );
        // Texts without words are equal or share nothing.
        let bags = bags_of(&vec![Vec::new(); 4], |at| [5, 5, 6, 0][at]);
        assert_eq!(
            (similarity_of(&bags[0], &bags[1]), similarity_of(&bags[0], &bags[2])),
            (1.0, 0.0)
        );
        assert!(bags[3].is_empty());
    }

    #[test]
    fn words_that_share_an_id_of_an_index_are_separate_in_a_crawl() {
        let fragments_of_urls = [("u", [(0x500, 1), (0x5ff, 2)]), ("v", [(0x500, 1), (0x700, 2)])];
        let urls = collapse_all(&fragments_of_urls.map(|(url, terms)| fragment(url, None, &terms)));
        let mut frequencies = Frequencies::default();
        frequencies.count(&urls);
        assert_eq!([0x500, 0x5ff, 0x5fe].map(|word| frequencies.of(word).urls), [2, 1, 0]);
        let weights = Weights::new(&frequencies, Preset::Web);
        let weighted = weigh(urls, &weights, &Preset::Web.params(1).bag).unwrap();
        let terms = |bag: &Bag| bag.entries().iter().map(|&(word, _)| word).collect::<Vec<_>>();
        let mut bags: Vec<_> = weighted.bags.iter().map(terms).collect();
        bags.sort();
        assert_eq!(bags, [[0x500, 0x5ff], [0x500, 0x700]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The definition: all fragments together, in maps.
        #[test]
        fn bags_from_buckets_match_the_definition(
            fragments_of_urls in prop::collection::vec((0u32..12, prop::collection::btree_map(0u32..9, 1u32..5, 0..5)), 0..60),
            n in 1u32..4,
        ) {
            let url = |number| format!("https://{number}.example/");
            let spread = |terms: BTreeMap<u32, u32>| -> BTreeMap<TermId, u32> {
                terms.into_iter().map(|(n, tf)| (n.wrapping_mul(0x1f3d_5b79), tf)).collect()
            };
            let fragments_of_urls: Vec<_> = fragments_of_urls.into_iter().map(|(number, terms)| (number, spread(terms))).collect();
            let rules = bag::BagRules { max_terms: 12, ..Preset::Web.params(1).bag };
            let folder = tempfile::tempdir().unwrap();
            let mut buckets = FragmentBuckets::create(folder.path(), n).unwrap();
            for (number, terms) in &fragments_of_urls {
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
            let kept = Frequencies::from_counts(frequencies.all(), frequencies.counts());
            let weights = Weights::new(&kept, Preset::Web);
            prop_assert_eq!(&weights, &Weights::new(&frequencies, Preset::Web));
            let (mut all, mut columns) = (WeightedUrls::default(), BagColumns::default());
            for urls in collapsed {
                let weighted = weigh(urls, &weights, &rules).unwrap();
                all.urls.extend(weighted.urls);
                weighted.bags.iter().for_each(|bag| columns.push(bag));
            }
            prop_assert!(all.urls.is_sorted_by_key(|url| url_key(&url.url)));

            let mut plain: BTreeMap<String, BTreeMap<TermId, u32>> = BTreeMap::new();
            for (number, terms) in &fragments_of_urls {
                let of_url = plain.entry(url(number)).or_default();
                for (term, tf) in terms {
                    *of_url.entry(*term).or_default() += tf;
                }
            }
            let all_texts: BTreeSet<_> = plain.values().collect();
            let all_of = Spread { urls: plain.len() as u32, texts: all_texts.len() as u32 };
            let collection = Collection { preset: Preset::Web, all: all_of };
            let weight = |term: TermId| {
                let urls = plain.values().filter(|terms| terms.contains_key(&term)).count() as u32;
                let texts = all_texts.iter().filter(|terms| terms.contains_key(&term)).count() as u32;
                collection.weight(Spread { urls, texts })
            };
            let mut expected = BTreeMap::new();
            for (url, terms) in &plain {
                let terms: Vec<_> = terms.iter().map(|(&term, &tf)| (term, tf)).collect();
                let bag = bag_of_text(&terms, 0, weight, collection.own(), &rules);
                if !bag.is_empty() {
                    expected.insert(url.clone(), bag);
                }
            }
            // Equal texts have equal bags.
            for (url, bag) in &expected {
                for (other, others) in &expected {
                    if plain[url] == plain[other] {
                        prop_assert_eq!(bag, others);
                    }
                }
            }
            let urls = all.urls.into_iter().enumerate();
            let found: BTreeMap<String, Bag> =
                urls.map(|(at, url)| (url.url, columns.bag(at))).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
