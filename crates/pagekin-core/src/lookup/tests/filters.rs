//! Lookups with filters, compared with a slow twin: all pages, filtered one by one.

use super::candidates::ListEvidence;
use super::query::Subject;
use super::refine::MAX_LISTED_BLOCKS;
use super::score::{Alternatives, coverage_bonus};
use super::short_query::{Next, ShortQuery, Writing};
use super::*;
use crate::fit::level_value;
use crate::page_set::PageSet;
use crate::shard::WrittenFilters;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Adds the filter `n`, whose values are the remainders of page numbers, the filter `all`, which
/// has all pages, and the sort key `back`, by which the pages of even numbers are in reverse.
fn with_filters(mut site: Site) -> Site {
    let numbers: Vec<u32> = site.pages().into_iter().map(|(page, _)| page).collect();
    let set = |keeps: &dyn Fn(u32) -> bool| {
        PageSet::from_ascending(numbers.iter().copied().filter(|&page| keeps(page)))
    };
    let value = |rest: u32| (rest.to_string(), set(&|page| page % 3 == rest));
    let single = |&page: &u32| (page, set(&|other| other == page));
    let mut singles: Vec<_> =
        numbers.iter().map(single).map(|(page, set)| (page.to_string(), set)).collect();
    singles.sort_by(|one, other| one.0.cmp(&other.0));
    let even = numbers.iter().copied().filter(|page| page % 2 == 0);
    let written = WrittenFilters {
        all: set(&|_| true),
        filters: vec![
            ("all".to_owned(), vec![("x".to_owned(), set(&|_| true))]),
            ("n".to_owned(), vec![value(0), value(1), value(2)]),
            ("page".to_owned(), singles),
        ],
        sorts: vec![("back".to_owned(), even.map(|page| (page, 10_000 - page)).collect())],
    };
    let payloads = written.encode(site.manifest.slots());
    site.manifest.filters = Shards::from_files(payloads.len() as u32);
    for (number, payload) in (0..).zip(&payloads) {
        site.make(Kind::Filters, number, payload);
    }
    site
}

fn refined(site: &Site, lookup: impl Fn(&Index) -> Lookup, of: Refinement) -> Answer {
    let mut index = site.open();
    let mut lookup = lookup(&index);
    lookup.refine(&index, of);
    lookup.drive(&mut index, |name| Ok::<_, Failure>(site.read(name))).unwrap()
}

#[derive(Debug)]
struct Failure(#[allow(dead_code, reason = "shown if a test fails")] String);

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self(error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self(error.to_string())
    }
}

const ALL: LookupOptions = LookupOptions {
    limit: 1_000,
    min: 0.0,
    copies: true,
    candidates: Candidates::Best,
    around: None,
};

fn filtered(filter: Filter) -> Refinement {
    Refinement { filter: Some(filter), counts: true, ..Refinement::default() }
}

/// Checks the results for a text and a filter against those of all pages.
#[track_caller]
fn check(site: &Site, text: &str, filter: &Filter, finds: impl Fn(u32) -> bool) {
    let numbers: BTreeMap<String, u32> =
        site.pages().into_iter().map(|(page, record)| (record.url, page)).collect();
    let block_pages = site.manifest.block_pages;
    let blocks: BTreeSet<u32> =
        numbers.values().filter(|&&page| finds(page)).map(|page| page / block_pages).collect();
    let is_exact = blocks.len() <= MAX_BLOCKS;
    for typed in [false, true] {
        let lookup = |index: &Index| match typed {
            true => Lookup::from_typed(index, text, "en", ALL).unwrap(),
            false => Lookup::from_text(index, text, "en", ALL).unwrap(),
        };
        let some = refined(site, lookup, filtered(filter.clone()));
        assert!(some.results.iter().all(|result| finds(numbers[&result.url])));
        let best = some.results.iter().map(|result| result.score).fold(0.0, f64::max);
        for (url, &page) in numbers.iter().filter(|&(_, &page)| finds(page)) {
            if !is_exact {
                break;
            }
            // A filter of this page alone must read its block.
            let twin = filtered(Filter::has("page", page.to_string()));
            let twin = refined(site, lookup, twin).results;
            let found = some.results.iter().find(|result| result.url == *url);
            let numbers = |result: &SearchResult| (result.coverage, result.similarity);
            match (twin.first(), found) {
                (Some(twin), Some(found)) => assert_eq!(numbers(found), numbers(twin), "{text}"),
                // Negligible next to the best. A page alone may be ranked by the other score.
                (Some(twin), None) => {
                    let least = twin.score.min(twin.similarity);
                    assert!(least < 0.1 * best, "{text} misses {url}");
                }
                (None, found) => assert!(found.is_none()),
            }
        }
        let found = some.found.unwrap();
        assert_eq!(found.is_exact, is_exact);
        assert_eq!(found.total as usize, some.results.len());
        for FilterCounts { name, values } in found.filters.unwrap() {
            for (value, count) in values {
                let has = |page: u32| match &*name {
                    "n" => (page % 3).to_string() == value,
                    "page" => page.to_string() == value,
                    _ => true,
                };
                let results = some.results.iter().filter(|result| has(numbers[&result.url]));
                assert_eq!(count as usize, results.count(), "{name} {value}");
            }
        }
    }
}

/// Reads shards of an index.
fn read(site: &Site, index: &mut Index, ids: impl IntoIterator<Item = ShardId>) -> ShardMap {
    let mut shards = ShardMap::new();
    for id in ids {
        let bytes = site.read(&id.name(&site.manifest));
        shards.insert(id, index.read(id, &bytes).unwrap());
    }
    shards
}

/// Returns the subject of typed words.
fn subject_of(site: &Site, index: &mut Index, words: &str) -> Subject {
    let mut query = ShortQuery::new(index, words, "en", Writing::Typed).unwrap();
    let mut needed = query.shards(&site.manifest);
    loop {
        let shards = read(site, index, needed);
        match query.next(index, &shards).unwrap() {
            Next::Compare(subject) => return subject,
            Next::Read(next, more) => (query, needed) = (next, more),
        }
    }
}

/// The slow twin of the pages found by lists, and of their scores: computed from the records of all
/// pages.
fn found_by_records(site: &Site, words: &str, finds: impl Fn(u32) -> bool) -> BTreeMap<u32, u64> {
    let mut index = site.open();
    let subject = subject_of(site, &mut index, words);
    let manifest = &site.manifest;
    let all = read(site, &mut index, (0..manifest.lists.shards).map(ShardId::List));
    let rarities = ListEvidence::new(manifest, &subject, &all).evidence.rarities;
    let mut bound = Alternatives::default();
    for (term, rarity) in subject.terms.iter().zip(&rarities) {
        if !term.is_absent && !rarity.is_unmatched {
            bound.add(term.group, [u64::from(rarity.idf)]);
        }
    }
    let [most] = bound.sum();
    let score = |record: &PageRecord| {
        let mut sums = Alternatives::default();
        for (term, rarity) in subject.terms.iter().zip(&rarities) {
            let of_page = record.term(term.id).filter(|_| !term.is_absent);
            if let Some(of_page) = of_page {
                let level = of_page.level(record.length, manifest.mean_length);
                let of_term = term.score_weight(rarity.idf) * u64::from(level_value(level));
                sums.add(term.group, [of_term, u64::from(rarity.idf)]);
            }
        }
        let [score, held] = sums.sum();
        if score > 0 { score + coverage_bonus(held, most) } else { 0 }
    };
    let listed: BTreeSet<u32> = all
        .values()
        .flat_map(|shard| match shard {
            Shard::List(shard) => shard.0.iter().flat_map(|list| &list.postings).collect(),
            _ => Vec::new(),
        })
        .map(|posting| posting.page)
        .collect();
    let pages = site.pages().into_iter().filter(|&(page, _)| finds(page));
    // A page that repeats another is in no list.
    let pages = pages.filter(|(page, _)| listed.contains(page));
    let scores: Vec<(u32, u64)> = pages.map(|(page, record)| (page, score(&record))).collect();
    let best = scores.iter().map(|&(_, score)| score).max().unwrap_or_default();
    scores.into_iter().filter(|&(_, score)| score > 0 && 20 * score >= best).collect()
}

/// Checks the number of results for typed words against that of all pages, and the results.
#[track_caller]
fn check_words(site: &Site, words: &str, filter: &Filter, finds: impl Fn(u32) -> bool + Copy) {
    let options = LookupOptions { copies: false, ..ALL };
    let numbers: BTreeMap<String, u32> =
        site.pages().into_iter().map(|(page, record)| (record.url, page)).collect();
    let scores = found_by_records(site, words, finds);
    let expected: BTreeSet<u32> = scores.keys().copied().collect();
    let lookup = |index: &Index| Lookup::from_typed(index, words, "en", options).unwrap();
    let answer = refined(site, lookup, filtered(filter.clone()));
    let found = answer.found.unwrap();
    assert!(found.is_exact, "{words}");
    assert_eq!(found.total as usize, expected.len(), "{words}");
    for FilterCounts { name, values } in found.filters.unwrap() {
        for (value, count) in values {
            let has = |page: &&u32| match &*name {
                "n" => (*page % 3).to_string() == value,
                "page" => page.to_string() == value,
                _ => true,
            };
            assert_eq!(count as usize, expected.iter().filter(has).count(), "{name} {value}");
        }
    }
    let families = answer.results.iter().map(|result| {
        let urls = [&result.url].into_iter().chain(&result.copies);
        urls.map(|url| numbers[url]).collect::<BTreeSet<u32>>()
    });
    let families: Vec<_> = families.collect();
    assert!(families.iter().all(|pages| !pages.is_disjoint(&expected)), "{words}");
    assert!(families.iter().flatten().all(|&page| finds(page)), "{words}");
    let blocks = |pages: &mut dyn Iterator<Item = u32>| -> BTreeSet<u32> {
        pages.map(|page| page / site.manifest.block_pages).collect()
    };
    if blocks(&mut expected.iter().copied()).len() <= MAX_LISTED_BLOCKS {
        let all: BTreeSet<u32> = families.into_iter().flatten().collect();
        assert!(expected.is_subset(&all), "{words}");
    } else {
        // The blocks of the best pages were read.
        let read = blocks(&mut families.into_iter().flatten());
        assert_eq!(read.len(), MAX_LISTED_BLOCKS, "{words}");
        let mut best: BTreeMap<u32, u64> = BTreeMap::new();
        for (page, score) in scores {
            let best = best.entry(page / site.manifest.block_pages).or_default();
            *best = score.max(*best);
        }
        let least = read.iter().map(|block| best[block]).min();
        let unread = best.iter().filter(|(block, _)| !read.contains(block));
        assert!(unread.map(|(_, &score)| score).max() <= least, "{words}");
    }
}

#[test]
fn lists_tell_how_many_pages_are_found() {
    for site in [Site::with_lists(), Site::with_tables()] {
        let site = with_filters(site);
        let pages = site.pages();
        for at in (0..pages.len()).step_by(7) {
            for n in [1, 2, 4] {
                let words = site.words_of(&pages[at].1, n) + " ";
                check_words(&site, &words, &Filter::has("n", "1"), |page| page % 3 == 1);
                check_words(&site, &words, &Filter::has("n", "1").negated(), |page| page % 3 != 1);
                check_words(&site, &words, &Filter::all([]), |_| true);
                check_words(&site, &words, &Filter::has("n", "7"), |_| false);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_filter_of_words_is_counted(
        at in 0usize..1_000, cut in 1usize..40, pages in prop::collection::btree_set(0u32..80, 0..60),
    ) {
        let site = with_filters(Site::with_lists());
        let records = site.pages();
        let mut words = site.words_of(&records[at % records.len()].1, 6);
        // The last word may be incomplete.
        words.truncate(words.floor_char_boundary(cut));
        prop_assume!(!words.trim().is_empty());
        let any = Filter::any(pages.iter().map(|page| Filter::has("page", page.to_string())));
        check_words(&site, &words, &any, |page| pages.contains(&page));
    }
}

#[test]
fn filters_lose_nothing() {
    for site in [Site::with_lists(), Site::with_tables(), Site::read_whole()] {
        let site = with_filters(site);
        let pages = site.pages();
        for at in [0, pages.len() / 2, pages.len() - 2] {
            let text = site.words_of(&pages[at].1, 9);
            let third = Filter::has("n", "1");
            check(&site, &text, &third, |page| page % 3 == 1);
            check(&site, &text, &third.negated(), |page| page % 3 != 1);
            for (one, _) in pages.iter().step_by(pages.len() / 5) {
                check(&site, &text, &Filter::has("page", one.to_string()), |page| page == *one);
            }
            check(&site, &text, &Filter::has("page", "none"), |_| false);
            check(&site, &text, &Filter::has("no such", "1"), |_| false);
            check(&site, &text, &Filter::all([]), |_| true);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_filter_loses_nothing(at in 0usize..1_000, words in 1usize..30, pages in prop::collection::btree_set(0u32..60, 0..9)) {
        let site = with_filters(Site::with_lists());
        let records = site.pages();
        let text = site.words_of(&records[at % records.len()].1, words);
        let any = Filter::any(pages.iter().map(|page| Filter::has("page", page.to_string())));
        check(&site, &text, &any, |page| pages.contains(&page));
    }
}

#[test]
fn a_filter_alone_lists_its_pages() {
    let site = with_filters(Site::with_lists());
    let list = |limit, of: Refinement| {
        let mut index = site.open();
        let lookup = Lookup::from_filter(&index, of, LookupOptions { limit, ..ALL });
        lookup.drive(&mut index, |name| Ok::<_, Failure>(site.read(name))).unwrap()
    };
    let urls = |answer: &Answer| {
        answer.results.iter().map(|result| result.url.clone()).collect::<Vec<_>>()
    };
    let thirds: Vec<_> = site.pages().into_iter().filter(|(page, _)| page % 3 == 0).collect();
    let expected: Vec<_> = thirds.iter().map(|(_, record)| record.url.clone()).collect();
    let answer = list(1_000, filtered(Filter::has("n", "0")));
    assert_eq!(urls(&answer), expected);
    let found = answer.found.unwrap();
    assert_eq!((found.total as usize, found.is_exact), (expected.len(), true));
    let answer = list(2, filtered(Filter::has("n", "0")));
    assert_eq!(urls(&answer), expected[..2]);
    assert_eq!(answer.found.unwrap().total as usize, expected.len());
    for descending in [false, true] {
        let sort = Some(SortBy { key: "back".to_owned(), descending });
        let answer = list(1_000, Refinement { sort, ..filtered(Filter::has("n", "0")) });
        let mut expected: Vec<_> = thirds.iter().filter(|(page, _)| page % 2 == 0).collect();
        if !descending {
            expected.reverse();
        }
        let expected: Vec<_> = expected.into_iter().map(|(_, record)| record.url.clone()).collect();
        assert_eq!(urls(&answer), expected);
    }
    assert!(list(9, filtered(Filter::has("n", "9"))).results.is_empty());
    assert!(list(9, Refinement::default()).results.is_empty());
}

#[test]
fn results_are_sorted_by_a_value() {
    for site in [Site::with_lists(), Site::read_whole()] {
        let site = with_filters(site);
        let numbers: BTreeMap<String, u32> =
            site.pages().into_iter().map(|(page, record)| (record.url, page)).collect();
        let text = site.words_of(&site.pages()[3].1, 5);
        let lookup = |limit| {
            let options = LookupOptions { limit, ..ALL };
            let text = text.clone();
            move |index: &Index| Lookup::from_typed(index, &text, "en", options).unwrap()
        };
        let sorted = |limit, descending| {
            let sort = Some(SortBy { key: "back".to_owned(), descending });
            let answer =
                refined(&site, lookup(limit), Refinement { sort, ..Refinement::default() });
            answer.results.iter().map(|result| numbers[&result.url]).collect::<Vec<_>>()
        };
        let plain = refined(&site, lookup(1_000), Refinement::default());
        let mut expected: Vec<u32> =
            plain.results.iter().map(|result| numbers[&result.url]).collect();
        expected.retain(|page| page % 2 == 0);
        expected.sort_unstable();
        assert!(expected.len() > 2);
        assert_eq!(sorted(1_000, true), expected);
        assert_eq!(sorted(2, true), expected[..2]);
        expected.reverse();
        assert_eq!(sorted(1_000, false), expected);
        let unknown = Some(SortBy { key: "no such".to_owned(), descending: false });
        let unknown = Refinement { sort: unknown, ..Refinement::default() };
        assert!(refined(&site, lookup(9), unknown).results.is_empty());
    }
}

#[test]
fn a_refinement_of_nothing_changes_nothing() {
    for site in [Site::with_lists(), with_filters(Site::with_lists())] {
        let text = site.words_of(&site.pages()[3].1, 5);
        let options = LookupOptions::default();
        let lookup = |index: &Index| Lookup::from_text(index, &text, "en", options).unwrap();
        let mut index = site.open();
        let plain = lookup(&index);
        let plain = plain.drive(&mut index, |name| Ok::<_, Failure>(site.read(name))).unwrap();
        let refined = refined(&site, lookup, Refinement::default());
        assert_eq!(refined.results, plain.results);
        assert_eq!(plain.found, None);
    }
}
