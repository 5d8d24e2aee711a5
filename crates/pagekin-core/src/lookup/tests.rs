//! Lookups of an index of the current format version in `tests/formats`: by its lists, by LSH
//! tables, and read whole.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

mod filters;

use super::*;
use crate::bag::{Bag, frequency_class};
use crate::fit::length_class;
use crate::index::{Cost, Index, Shard, ShardId, ShardMap};
use crate::shard::{
    FORMAT_VERSION, Kind, MANIFEST_NAME, Manifest, PageBlock, PageRecord, PageTerm, ReadError,
    Shards, TableShard, WordShard, WrittenBlock, max_bytes, seal,
};
use crate::similarity::Overlap;
use crate::terms::{Language, TermKinds, Words};

/// An index, with files that replace those in the folder.
struct Site {
    manifest: Manifest,
    made: BTreeMap<String, Vec<u8>>,
}

impl Site {
    /// The index in the folder: with lists, without tables.
    fn with_lists() -> Self {
        let manifest = Manifest::decode(&of_folder(MANIFEST_NAME)).unwrap();
        assert!(manifest.lists.shards > 0 && manifest.tables.shards == 0);
        Self { manifest, made: BTreeMap::new() }
    }

    /// The same with tables of all pages.
    fn with_tables() -> Self {
        let mut site = Self::with_lists();
        let pages = site.pages();
        site.manifest.tables = Shards::from_files(4);
        let index = site.open();
        let mut entries = vec![Vec::new(); 4];
        for (page, record) in &pages {
            let signature = index.key_signature(&record.bag).expect("a page has terms");
            for key in index.tables().keys(&signature) {
                entries[site.manifest.table_shard(&key) as usize].push((key, *page));
            }
        }
        for (shard, entries) in (0..).zip(entries) {
            site.make(Kind::Tables, shard, &TableShard::new(entries, &[]).encode());
        }
        site
    }

    /// An index without lists, in few blocks, with a page in Japanese.
    fn read_whole() -> Self {
        let mut site = Self::with_lists();
        let mut pages = site.pages();
        site.manifest.languages.push((Language::from_tag("ja").unwrap(), 1));
        let index = site.open();
        let number = site.manifest.slots();
        pages.push((number, record(&index, "/ja.html", "北海道", "北海道の東京都庁")));
        let slots = number + 1;
        let manifest = &mut site.manifest;
        manifest.base_url = "/".to_owned();
        manifest.pages += 1;
        manifest.lists = Shards::default();
        manifest.sketches = Shards::default();
        manifest.block_pages = slots.div_ceil(16);
        manifest.blocks = Shards::from_files(slots.div_ceil(manifest.block_pages));
        let block_pages = manifest.block_pages;
        for block in 0..site.manifest.blocks.shards {
            let of_block = pages.iter().filter(|(page, _)| page / block_pages == block);
            let of_block = of_block.map(|(page, record)| (page % block_pages, record.clone()));
            let of_block = PageBlock(of_block.collect());
            let payload = WrittenBlock::from(&of_block).encode(&site.manifest);
            site.make(Kind::Pages, block, &payload);
        }
        site
    }

    fn make(&mut self, kind: Kind, shard: u32, payload: &[u8]) {
        let generation = self.manifest.generation_of(kind, shard);
        let name = self.manifest.name(kind, shard);
        self.made.insert(name, seal(kind, generation, payload));
    }

    fn open(&self) -> Index {
        Index::open(&self.manifest.encode()).unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let bytes = self.made.get(name).cloned().unwrap_or_else(|| of_folder(name));
        assert!(bytes.len() <= max_bytes(name), "{name}");
        bytes
    }

    /// Returns all pages with their numbers.
    fn pages(&self) -> Vec<(u32, PageRecord)> {
        let mut pages = Vec::new();
        for block in 0..self.manifest.blocks.shards {
            let name = self.manifest.name(Kind::Pages, block);
            let generation = self.manifest.generation_of(Kind::Pages, block);
            let bytes = self.read(&name);
            let block_pages = self.manifest.block_pages;
            let read = PageBlock::decode(&name, generation, &self.manifest, &bytes).unwrap();
            pages.extend(read.0.into_iter().map(|(slot, page)| (block * block_pages + slot, page)));
        }
        pages
    }

    /// Returns the heaviest words of a page as a text.
    fn words_of(&self, record: &PageRecord, most: usize) -> String {
        let name = self.manifest.name(Kind::Words, 0);
        let generation = self.manifest.generation_of(Kind::Words, 0);
        let words = WordShard::decode(&name, generation, &self.read(&name)).unwrap();
        let mut terms = record.bag.entries().to_vec();
        terms.sort_by_key(|&(id, copies)| (std::cmp::Reverse(copies), id));
        let words = terms.into_iter().filter_map(|(id, _)| words.word(id));
        words.take(most).collect::<Vec<_>>().join(" ")
    }

    fn answer(&self, index: &mut Index, lookup: Lookup) -> Answer {
        lookup.drive(index, |name| Ok::<_, QueryError>(self.read(name))).unwrap()
    }

    fn of_text(&self, text: &str, options: LookupOptions) -> Answer {
        let mut index = self.open();
        let lookup = Lookup::from_text(&index, text, "", options).unwrap();
        self.answer(&mut index, lookup)
    }

    fn of_url(&self, url: &str, options: LookupOptions) -> Answer {
        let mut index = self.open();
        let lookup = Lookup::from_url(&index, url, options);
        self.answer(&mut index, lookup)
    }

    fn of_typed(&self, words: &str) -> Answer {
        let mut index = self.open();
        let lookup = Lookup::from_typed(&index, words, "", LookupOptions::default()).unwrap();
        self.answer(&mut index, lookup)
    }
}

fn of_folder(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(format!("../../tests/formats/{FORMAT_VERSION}"));
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns a page with this text.
fn record(index: &Index, url: &str, title: &str, text: &str) -> PageRecord {
    let words = Words::new(text);
    let language = language_of(index, &words, "");
    let counts = analyzer(index, language.as_ref()).counts(&words, TermKinds::Text);
    let manifest = index.manifest();
    let term = |id, tf| PageTerm { id, class: frequency_class(tf), ..PageTerm::default() };
    let pairs: Vec<_> = counts.iter().map(|term| (term.id, term.tf)).collect();
    PageRecord {
        url: url.to_owned(),
        title: title.to_owned(),
        length: length_class(counts.len() as u32),
        terms: pairs.iter().map(|&(id, tf)| term(id, tf)).collect(),
        bag: Bag::weigh(&pairs, &manifest.vocabulary, &manifest.params.bag),
        ..PageRecord::default()
    }
}

fn by(candidates: Candidates) -> LookupOptions {
    LookupOptions { candidates, ..LookupOptions::default() }
}

/// Formats an answer for the snapshot.
fn shown(question: &str, answer: &Answer) -> String {
    let Cost { bytes, requests, rounds } = answer.cost;
    let mut text = format!("{question}\n  {bytes} bytes, {requests} requests, {rounds} rounds");
    let language = answer.language.as_ref().map(|one| (one.language.code(), one.by.name()));
    writeln!(text, ", {:?}, {language:?}, {:?}", answer.ranked_by, answer.unmatched).unwrap();
    for correction in &answer.corrections {
        writeln!(text, "  {} -> {}", correction.from, correction.to.join(", ")).unwrap();
    }
    for (mark, list) in [("", &answer.results), ("also ", &answer.other_results)] {
        for result in list {
            let numbers = (result.score, result.similarity, result.coverage);
            write!(text, "  {mark}{} {numbers:.4?} {:?}", result.url, result.confidence).unwrap();
            write!(text, " + {:?} - {:?}", result.shared_terms, result.missing_terms).unwrap();
            let near = result.near.as_ref().map(crate::near::sketch::SharedSample::nearness);
            writeln!(text, " = {:?} {near:?}", result.copies).unwrap();
        }
    }
    text
}

#[test]
fn answers_match_the_snapshot() {
    let (lists, tables, whole) = (Site::with_lists(), Site::with_tables(), Site::read_whole());
    let pages = lists.pages();
    let mut text = String::new();
    let options = LookupOptions { limit: 4, ..LookupOptions::default() };
    for (_, record) in pages.iter().step_by(pages.len() / 3) {
        let (few, many) = (lists.words_of(record, 4), lists.words_of(record, 40));
        for (name, site) in [("lists", &lists), ("tables", &tables), ("whole", &whole)] {
            for question in [&few, &format!("{few} zyzzyva"), &many] {
                let answer = site.of_text(question, options);
                text += &shown(&format!("{name}: {question}"), &answer);
            }
            let answer = site.of_url(&record.url, options);
            text += &shown(&format!("{name}: {}", record.url), &answer);
        }
        let title = &record.title[..record.title.floor_char_boundary(record.title.len() - 2)];
        for typed in [title.to_owned(), title.replacen('e', "", 1), title.replacen('a', "o", 1)] {
            text += &shown(&format!("typed: {typed}"), &lists.of_typed(&typed));
        }
    }
    text += &shown("whole: 東京都", &whole.of_text("東京都", LookupOptions::default()));
    expect_test::expect_file!["../../../../tests/snapshots/lookups.txt"].assert_eq(&text);
}

#[test]
fn lists_find_the_same_pages_as_reading_everything() {
    let (lists, whole) = (Site::with_lists(), Site::read_whole());
    for (_, record) in lists.pages() {
        let text = lists.words_of(&record, 6);
        let [by_lists, by_all] = [&lists, &whole].map(|site| {
            let answer = site.of_text(&text, by(Candidates::Lists));
            assert!(answer.cost.requests <= 41 && answer.cost.rounds <= 5, "{:?}", answer.cost);
            let best = answer.results.into_iter().next().expect("a page has its own words");
            (best.url, best.similarity)
        });
        assert_eq!(by_lists, by_all, "{text}");
    }
}

#[test]
fn a_passage_that_a_page_contains_takes_fewer_files_than_one_that_no_page_contains() {
    let (lists, whole) = (Site::with_lists(), Site::read_whole());
    let pages = lists.pages();
    let words = |record: &PageRecord, from: usize| {
        let words = lists.words_of(record, from + 10);
        words.split(' ').skip(from).collect::<Vec<_>>().join(" ")
    };
    let (mut compared, mut requests) = (0, [0, 0]);
    for ((_, one), (_, other)) in pages.iter().zip(pages.iter().rev()) {
        let (first, second, of_other) = (words(one, 0), words(one, 10), words(other, 10));
        let (passage, mixture) = (format!("{first} {second}"), format!("{first} {of_other}"));
        let [found, by_all] = [&lists, &whole].map(|site| {
            let answer = site.of_text(&passage, by(Candidates::Lists));
            let url = answer.results.first().map(|best| best.url.clone());
            (url, answer.cost)
        });
        assert_eq!(found.0, by_all.0, "{passage}");
        let mixed = lists.of_text(&mixture, by(Candidates::Lists));
        // Two rounds, and one to open the index. A few pages have common words only.
        if found.1.rounds <= 3 && mixed.results.iter().all(|result| result.coverage < 0.9) {
            compared += 1;
            assert!(found.1.requests <= 15, "{passage}: {:?}", found.1);
            requests[0] += found.1.requests;
            requests[1] += mixed.cost.requests;
        }
    }
    assert!(requests[0] * 10 < requests[1] * 9, "{requests:?}");
    assert!(compared > pages.len() / 2, "{compared} of {}", pages.len());
}

#[test]
fn tables_find_the_most_similar_page() {
    let (tables, whole) = (Site::with_tables(), Site::read_whole());
    let mut similar = 0;
    for (_, record) in tables.pages() {
        let best = |site: &Site, candidates| {
            let results = site.of_url(&record.url, by(candidates)).results;
            results.into_iter().next().map(|one| (one.url, one.similarity))
        };
        let Some((url, similarity)) = best(&whole, Candidates::Best) else { continue };
        if similarity >= 0.4 {
            similar += 1;
            for candidates in [Candidates::Tables, Candidates::Best] {
                let found = best(&tables, candidates);
                assert_eq!(found, Some((url.clone(), similarity)), "{} {candidates:?}", record.url);
            }
        }
    }
    assert!(similar > 0, "no two pages are similar");
}

/// Compares with the definition, from the keys of all pages.
#[test]
fn blocks_are_read_by_the_sum_of_their_promises() {
    let site = Site::with_tables();
    let (index, mut shards) = (site.open(), ShardMap::new());
    let manifest = index.manifest();
    let partners = manifest.params.tables.partners();
    for number in 0..manifest.tables.shards {
        let name = manifest.name(Kind::Tables, number);
        let (bytes, generation) = (site.read(&name), manifest.generation_of(Kind::Tables, number));
        let shard = TableShard::decode(&name, generation, manifest.slots(), partners, &bytes);
        shards.insert(ShardId::Table(number), Shard::Table(shard.unwrap().into()));
    }
    let signed: Vec<_> = site
        .pages()
        .into_iter()
        .map(|(page, record)| (page, index.key_signature(&record.bag).unwrap()))
        .collect();
    let mut together = 0;
    for (_, subject) in &signed {
        let mut blocks: BTreeMap<u32, (u128, u32)> = BTreeMap::new();
        for (page, other) in &signed {
            let keys = index.tables().keys(subject).zip(index.tables().keys(other));
            let shared: Vec<_> = keys.filter(|(a, b)| a.bucket == b.bucket).collect();
            let agreeing = |(a, b): &(_, _)| {
                let (a, b): (&crate::lsh::TableKey, &crate::lsh::TableKey) = (a, b);
                1 + a.partners.iter().zip(&b.partners).filter(|(a, b)| a == b).count() as u64
            };
            let n = shared.len() as u64;
            let known = index.tables().count() as u64 + n * partners as u64 + 8;
            let estimate = (shared.iter().map(agreeing).sum::<u64>() << 12) / known;
            if n > 0 {
                let block = blocks.entry(page / manifest.block_pages).or_default();
                *block = (block.0 + u128::from(estimate).pow(8), block.1 + 1);
            }
        }
        let mut expected: Vec<_> = blocks.keys().copied().collect();
        expected.sort_by_key(|block| (std::cmp::Reverse(blocks[block].0), *block));
        let found = tables::most_promising(&index, subject, &shards, |_| true);
        assert!(found.len() >= expected.len().min(5));
        assert_eq!(found, expected[..found.len()]);
        together += found.iter().filter(|block| blocks[block].1 > 1).count();
    }
    assert!(together > 0, "no two pages of a block are similar");
}

#[test]
fn a_map_has_similar_pages_and_clusters() {
    let site = Site::with_lists();
    let pages = site.pages();
    let bag = |url: &str| &pages.iter().find(|(_, page)| page.url == url).unwrap().1.bag;
    let mut text = String::new();
    for (at, (_, record)) in pages.iter().enumerate() {
        for around in [Surroundings::Results, Surroundings::Center] {
            let options = LookupOptions { around: Some(around), ..LookupOptions::default() };
            let map = site.of_url(&record.url, options).neighborhood.unwrap();
            assert_eq!(map.pages[0].url, record.url);
            for &(u, v, similarity) in &map.links {
                let [u, v] = [u, v].map(|at| bag(&map.pages[at as usize].url));
                assert!(similarity >= 0.1 && similarity == Overlap::between(u, v).jaccard());
            }
            for (at, cluster) in map.clusters.iter().enumerate() {
                assert!(cluster.pages > 1);
                assert!(map.clusters[..at].iter().all(|other| other.url != cluster.url));
            }
            if at % (pages.len() / 3) > 0 {
                continue;
            }
            write!(text, "{} {around:?}\n  ", record.url).unwrap();
            for page in &map.pages {
                write!(text, "{} {:?}, ", page.url, page.cluster).unwrap();
            }
            let clusters: Vec<_> = map.clusters.iter().map(|one| (&one.url, one.pages)).collect();
            writeln!(text, "\n  {:?}\n  {clusters:?}", map.links).unwrap();
        }
    }
    expect_test::expect_file!["../../../../tests/snapshots/maps.txt"].assert_eq(&text);
}

#[test]
fn shards_are_kept_as_long_as_they_fit() {
    let site = Site::with_lists();
    let text = site.words_of(&site.pages()[0].1, 5);
    let costs = |mut index: Index| {
        let ask = |index: &mut Index| {
            let lookup = Lookup::from_text(index, &text, "", LookupOptions::default()).unwrap();
            let cost = site.answer(index, lookup).cost;
            assert!(index.memory() > 0 || cost.bytes > 0);
            cost
        };
        let [first, second] = [ask(&mut index), ask(&mut index)];
        index.forget();
        assert_eq!(index.memory(), 0);
        let third = ask(&mut index);
        (first, second, third, ask(&mut index))
    };
    let (first, second, third, fourth) = costs(site.open());
    let opening = site.manifest.encode().len() as u64;
    assert_eq!((first.bytes, first.requests), (opening + third.bytes, 1 + third.requests));
    assert_eq!(
        [second, fourth].map(|cost| (cost.bytes, cost.requests, cost.rounds)),
        [(0, 0, 0); 2]
    );
    // A budget that is too small is not exceeded, and one that is just enough suffices.
    let (_, second, third, fourth) = costs(site.open().with_cache_budget(third.bytes));
    assert_eq!((second.bytes, fourth.bytes), (0, 0));
    let (_, second, ..) = costs(site.open().with_cache_budget(third.bytes - 1));
    assert!(second.bytes > 0 && second.bytes <= third.bytes);
    let (_, second, ..) = costs(site.open().with_cache_budget(0));
    assert_eq!(second, third);
}

#[test]
fn unknown_pages_are_errors_and_unknown_words_are_unmatched() {
    let site = Site::with_lists();
    let mut index = site.open();
    let lookup = Lookup::from_url(&index, "/none.html", LookupOptions::default());
    let error = lookup.drive(&mut index, |name| Ok::<_, QueryError>(site.read(name))).unwrap_err();
    assert_eq!(error.code(), "UnknownUrl");
    let blank = Lookup::from_text(&index, " ", "", LookupOptions::default()).unwrap_err();
    assert_eq!(blank.code(), "EmptyQuery");
    let answer = site.of_text("zyzzyva", LookupOptions::default());
    assert_eq!((answer.results.len(), answer.unmatched), (0, vec!["zyzzyva".to_owned()]));
    let mut lookup = Lookup::from_text(&index, "bread", "", LookupOptions::default()).unwrap();
    let name = lookup.wanted(&mut index).unwrap().remove(0);
    let refused = lookup.supply(&mut index, &name, b"not a shard");
    assert!(
        matches!(refused, Err(ReadError::NotPagekin { .. } | ReadError::Damaged { .. })),
        "{refused:?}"
    );
}
