//! Compares the lookup through lists with a slow equivalent that reads every record: same blocks,
//! same numbers, same order. A lookup that finds the whole text in its first blocks reads no
//! others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use pagekin_core::bag::rounded;
use pagekin_core::fit::{
    EMPHASES, MAX_SATURATION, length_class, level, level_value, saturation, weight,
};
use pagekin_core::hash::SplitMix64;
use pagekin_core::lookup::bag_of_text;
use pagekin_core::shard::{Kind, PageRecord, PageTerm, Posting, PostingsShard, group_number};
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::{Analyzer, Language, TermKinds, Words};
use pagekin_core::vocabulary::{TermId, quantized_idf};
use pagekin_core::{Answer, Lookup, LookupOptions, RankedBy};
use pagekin_index::{Assets, BuildOptions, LocalIndex};
use pagekin_pages::{PageSource, Silent};
use pagekin_tests::collection::Collection;
use tempfile::TempDir;

const PAGES: u64 = 300;
const QUERIES: usize = 100;
/// Number of terms whose lists are in no more shards than a lookup reads.
const MAX_WORDS: u32 = 8;
/// As in the lookup: a text with at least this many terms may be a short page.
const MANY_TERMS: usize = 24;
/// Number of shards of lists that are read for such a text.
const MANY_LISTS: u32 = 10;
/// As in the lookup: such a text is as long as a page if it has this part of a page's mean length.
const LONG: u32 = 6;
const MAX_BLOCKS: usize = 16;
const MAX_LONG_BLOCKS: usize = 14;
/// Maximum number of blocks that are read first, for the page with the whole text.
const MAX_FIRST_BLOCKS: usize = 7;
/// Minimum number of terms of a question, and maximum number of blocks that it reads.
const QUESTION_TERMS: usize = 4;
const MAX_QUESTION_BLOCKS: usize = 24;
/// Maximum number of words of a query, which no page contains on purpose.
const MAX_QUERY_WORDS: usize = 7;
const OF_BEST: f64 = 0.05;

/// All records of an index by page number.
struct Twin {
    folder: LocalIndex,
    records: BTreeMap<u32, PageRecord>,
    /// The pages in lists: one of those with the same title and text.
    listed: BTreeSet<u32>,
    words: WordEmbeddings,
}

/// The embeddings of words by their terms.
type WordEmbeddings = BTreeMap<TermId, [i8; 32]>;

/// A term of a text, with the number of pages that contain it.
struct Term {
    id: TermId,
    idf: u64,
    tf: u32,
    df: u32,
}

impl Term {
    fn weight(&self) -> u64 {
        weight(self.idf as u8) * (u64::from(rounded(self.tf)) << 16).isqrt()
    }
}

/// The bonus of a page that contains most of a text: `0.294 I (H / I)^3`, in units of 2^-28.
fn for_most_of_it(held: u64, all: u64) -> u64 {
    let part = held * 65_536 / all.max(1);
    all * (part * part / 65_536 * part / 65_536) / 256 * 308_281
}

/// A result of the twin: score, similarity, page number, and coverage.
type Ranked = (u64, f64, u32, f64);

impl Twin {
    fn new(folder: LocalIndex) -> Self {
        let manifest = folder.index().manifest();
        let mut records = BTreeMap::new();
        for number in 0..manifest.blocks.shards {
            for (slot, record) in folder.block(number).expect("the index is sound").0 {
                records.insert(number * manifest.block_pages + slot, record);
            }
        }
        // No page links to another, so the one with the shortest URL is the original.
        let mut firsts = BTreeMap::new();
        for (&page, record) in &records {
            let text = record.terms.iter().filter(|term| !term.is_outside);
            let text: Vec<_> = text.map(|term| (term.id, term.class)).collect();
            let group = match group_number(record.copies) {
                0 => u64::from(page) << 32,
                group => group.into(),
            };
            let (url, first) = (&record.url, firsts.entry((group, &record.title, text)));
            let first = first.or_insert((url.len(), url, page));
            *first = (*first).min((url.len(), url, page));
        }
        let listed = firsts.into_values().map(|(.., page)| page).collect();
        let mut words = WordEmbeddings::new();
        for number in 0..manifest.lists.shards {
            let name = manifest.name(Kind::Lists, number);
            let bytes = folder.read(&name).expect("it is there");
            let shard = PostingsShard::decode(&name, manifest.generation(), manifest, &bytes);
            for list in shard.expect("the index is sound").0 {
                words.extend(list.embedding.map(|embedding| (list.term, embedding.0)));
            }
        }
        Self { folder, records, listed, words }
    }

    /// Returns the weights of the words of a text that have embeddings.
    fn meaning(&self, terms: &[Term]) -> Vec<([i8; 32], f64)> {
        let weight = |term: &Term| (term.idf << 16).isqrt() * 8 * u64::from(rounded(term.tf));
        let of = |term: &Term| Some((*self.words.get(&term.id)?, weight(term) as f64));
        terms.iter().filter_map(of).collect()
    }

    /// Returns what a page gains for a cosine of 1 with the text, as a share of the best score:
    /// given the number of words with embeddings: nothing if one of these pages probably contains
    /// the whole of it on purpose.
    fn share(&self, text: &str, terms: &[Term], records: &[&PageRecord], words: usize) -> f64 {
        let manifest = self.folder.index().manifest();
        let whole = records.iter().map(|record| self.improbability(record, terms)).max();
        let certainty = whole.unwrap_or_default() as f64
            / f64::from(u32::from(quantized_idf(1, manifest.pages)) + 12 * 15);
        if records.iter().any(|record| self.is_whole(text, record, terms)) {
            return 0.0;
        }
        (words.clamp(2, 4) - 2) as f64 / 2.0 * ((0.5 - certainty) / 0.3).clamp(0.0, 1.0)
    }

    /// Whether the embeddings of words are read, of an index that is read whole.
    fn is_question_of_all(&self, text: &str, terms: &[Term]) -> bool {
        let has_many = (QUESTION_TERMS..MANY_TERMS).contains(&terms.len());
        let records: Vec<_> = self.records.values().collect();
        has_many && self.share(text, terms, &records, QUESTION_TERMS) >= 0.5
    }

    /// Orders ranked pages by what they gain for their meanings.
    fn reorder(&self, text: &str, terms: &[Term], all: &mut [(Ranked, u64)]) {
        let mut sum = [0.0; 32];
        for (embedding, weight) in self.meaning(terms) {
            for (sum, element) in sum.iter_mut().zip(embedding) {
                *sum += weight * f64::from(element);
            }
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let best = all.iter().map(|(page, _)| page.0).max().unwrap_or_default();
        let records: Vec<_> = all.iter().map(|((.., page, _), _)| &self.records[page]).collect();
        let words = self.meaning(terms).len();
        let share = self.share(text, terms, &records, words);
        all.sort_by_key(|((score, .., page, _), _)| (Reverse(*score), *page));
        for ((score, _, page, _), order) in all.iter_mut().take(50) {
            let embedding = self.records[page].embedding.expect("each page has one");
            let embedding = embedding.0.map(f64::from);
            let lengths = (dot(&sum, &sum) * dot(&embedding, &embedding)).sqrt();
            let cosine = if lengths > 0.0 { dot(&sum, &embedding) / lengths } else { 0.0 };
            *order = *score + (share * cosine.max(0.0) * best as f64) as u64;
        }
    }

    /// The pages in lists.
    fn listed(&self) -> impl Iterator<Item = (&u32, &PageRecord)> {
        self.records.iter().filter(|(page, _)| self.listed.contains(page))
    }

    /// Returns the terms of a text.
    fn terms(&self, text: &str) -> Vec<Term> {
        let manifest = self.folder.index().manifest();
        let language = Language::english();
        let terms =
            Analyzer::new(&language, &manifest.stop).counts(&Words::new(text), TermKinds::Text);
        let has_many_words = text.split_whitespace().count() > MAX_QUERY_WORDS;
        let weighted = terms.into_iter().map(|term| {
            let has = |(_, record): &(&u32, &PageRecord)| record.term(term.id).is_some();
            let df = self.listed().filter(has).count() as u32;
            // Without postings, all terms outside the vocabulary are as rare. Only of a few words,
            // by completions, is it known that the site lacks them.
            let listed = if manifest.read_whole { 0 } else { df };
            let df = if manifest.read_whole && has_many_words { df.max(1) } else { df };
            let rare = match (listed, manifest.vocabulary.rare_weight()) {
                (0, 0) => quantized_idf(1, manifest.pages),
                (0, weight) => weight,
                (df, _) => quantized_idf(df, manifest.pages),
            };
            let idf = manifest.vocabulary.idf(term.id).unwrap_or(rare);
            Term { id: term.id, idf: idf.into(), tf: term.tf, df }
        });
        weighted.collect()
    }

    /// Whether a text is as long as a page.
    fn is_long(&self, terms: &[Term]) -> bool {
        let length: u32 = terms.iter().map(|term| term.tf).sum();
        let mean = self.folder.index().manifest().mean_length;
        terms.len() >= MANY_TERMS && LONG * length >= mean
    }

    /// Returns the sum of the inverse document frequencies of the terms that occur on the site.
    fn of_site(&self, terms: &[Term]) -> u64 {
        terms.iter().filter(|term| term.df > 0).map(|term| term.idf).sum()
    }

    /// Returns how well a page fits a term that it contains.
    fn fit(&self, record: &PageRecord, term: &PageTerm) -> u32 {
        let mean = self.folder.index().manifest().mean_length;
        let in_text = if term.is_outside { 0 } else { saturation(term.class, record.length, mean) };
        in_text + EMPHASES[usize::from(term.emphasis)]
    }

    /// Whether a page contains a whole passage, and a site of such pages hardly by chance: 15 bits
    /// more than it takes to tell its pages apart, where each octave of length costs one per term.
    fn is_whole(&self, text: &str, record: &PageRecord, terms: &[Term]) -> bool {
        let least = i64::from(quantized_idf(1, self.folder.index().manifest().pages)) + 12 * 15;
        text.split_whitespace().count() > MAX_QUERY_WORDS
            && self.improbability(record, terms) >= least
    }

    /// Returns how improbable it is that a page contains a whole text by chance, in twelfths of a
    /// bit, or 0 if it does not contain it.
    fn improbability(&self, record: &PageRecord, terms: &[Term]) -> i64 {
        let manifest = self.folder.index().manifest();
        let counted = |term: &&Term| record.term(term.id).is_some();
        let weight = |term: &Term| term.idf * u64::from(term.tf);
        let found: u64 = terms.iter().filter(counted).map(weight).sum();
        let all: u64 = terms.iter().map(weight).sum();
        if (found as f64) < 0.97 * all as f64 {
            return 0;
        }
        let longer = i64::from(record.length) - i64::from(length_class(manifest.mean_length));
        let in_text =
            |term: &&Term| record.term(term.id).is_some_and(|of_page| !of_page.is_outside);
        let bits = |term: &Term| (term.idf as i64 - longer * 12 / 16).max(0);
        terms.iter().filter(in_text).map(bits).sum()
    }

    /// Checks that a lookup has read what it should: all of these blocks, and at most a few that
    /// were the best by fewer lists; or fewer, if one of them has the whole text. A question reads
    /// more. Whether it is one may change with the last blocks.
    fn check_blocks(&self, text: &str, read: &BTreeSet<u32>) {
        let terms = self.terms(text);
        let [full, of_question] = [false, true].map(|is| self.blocks(text, is));
        let block_pages = self.folder.index().manifest().block_pages;
        let of_read = self.records.iter().filter(|(page, _)| read.contains(&(*page / block_pages)));
        let of_read: Vec<_> = of_read.map(|(_, record)| record).collect();
        let on_site = terms.iter().filter(|term| term.df > 0).count();
        let has_whole = of_read.iter().any(|one| self.is_whole(text, one, &terms));
        let is_question = on_site >= QUESTION_TERMS
            && terms.len() < MANY_TERMS
            && self.share(text, &terms, &of_read, self.meaning(&terms).len()) >= 0.5;
        let further = |blocks| read.difference(blocks).count();
        if is_question {
            assert!(read.is_superset(&of_question), "{text}: {read:?}, {of_question:?}");
            assert!(further(&of_question) <= MAX_BLOCKS, "{text}: {read:?}, {of_question:?}");
        } else if has_whole && !read.is_superset(&full) {
            assert!(read.len() <= MAX_FIRST_BLOCKS, "{text}: {read:?}");
        } else if !(terms.len() >= QUESTION_TERMS && read.is_superset(&of_question)) {
            assert!(read.is_superset(&full), "{text}: {read:?}, {full:?}");
            assert!(further(&full) <= MAX_FIRST_BLOCKS, "{text}: {read:?}, {full:?}");
        }
    }

    /// Returns the blocks to read for a passage, or for a question.
    fn blocks(&self, text: &str, is_question: bool) -> BTreeSet<u32> {
        let manifest = self.folder.index().manifest();
        let bag = bag_of_text(self.folder.index(), text, "en").expect("it has words");
        let terms = self.terms(text);
        let mut of_blocks: BTreeMap<u32, [(u64, u64); 2]> = BTreeMap::new();
        let mut of_pages = Vec::new();
        let all = self.of_site(&terms);
        let is_long = self.is_long(&terms);
        for (&page, record) in self.listed() {
            let (mut found, mut copies, mut has) = (0, 0, 0);
            for term in &terms {
                let Some(of_page) = record.term(term.id) else { continue };
                let level = match of_page.emphasis {
                    7.. => 7,
                    _ => level(self.fit(record, of_page)),
                };
                let posting = Posting::new(page, level, record.bag.count(term.id));
                found += term.weight() * u64::from(level_value(level));
                copies += u64::from(posting.count().min(bag.count(term.id)));
                has += term.idf;
            }
            if has > 0 {
                found += for_most_of_it(has, all);
                let best = of_blocks.entry(page / manifest.block_pages).or_default();
                *best = [best[0].max((found, copies)), best[1].max((copies, found))];
                of_pages.push(if is_long { copies } else { found });
            }
        }
        of_pages.sort_unstable_by_key(|&value| Reverse(value));
        let of_few = if manifest.mean_length < 50 { 18 } else { 12 };
        let (fewest, most, part) = match is_question {
            true => (12, MAX_QUESTION_BLOCKS, 0.7),
            false if terms.len() < MANY_TERMS => (6, of_few, 0.9),
            false if is_long => (8, MAX_LONG_BLOCKS, 0.8),
            false => (8, MAX_BLOCKS, 0.8),
        };
        let least = part * of_pages.get(9).map_or(0.0, |&value| value as f64);
        let value = |best: &[(u64, u64); 2]| best[usize::from(is_long)].0;
        let enough = |&best: &u64| best > 0 && best as f64 >= least;
        let promising = of_blocks.values().map(value).filter(enough).count();
        let most = promising.clamp(fewest, most);
        let [by_found, by_copies] = [0, 1].map(|by| {
            let mut blocks: Vec<_> =
                of_blocks.iter().map(|(&block, best)| (block, best[by])).collect();
            blocks.sort_by_key(|&(block, best)| (Reverse(best), block));
            blocks.into_iter().map(|(block, _)| block).take(most).collect::<Vec<_>>()
        });
        if terms.len() < MANY_TERMS {
            return by_found.into_iter().collect();
        }
        // Two by coverage, then one by similarity, and so on; or two by similarity, the best one by
        // coverage, and the others by similarity.
        let [often, seldom] = match is_long {
            true => [by_copies, by_found.into_iter().take(1).collect()],
            false => [by_found, by_copies],
        };
        let mut merged = Vec::new();
        for turn in 0..most {
            let next = [often.get(2 * turn), often.get(2 * turn + 1), seldom.get(turn)];
            for block in next.into_iter().flatten() {
                if !merged.contains(block) {
                    merged.push(*block);
                }
            }
        }
        merged.into_iter().take(most).collect()
    }

    /// Returns the pages of these blocks, best first.
    fn ranked(&self, text: &str, blocks: &BTreeSet<u32>) -> Vec<Ranked> {
        let manifest = self.folder.index().manifest();
        let bag = bag_of_text(self.folder.index(), text, "en").expect("it has words");
        let terms = self.terms(text);
        let total: u64 = terms.iter().map(|term| term.idf * u64::from(term.tf)).sum();
        let of_site = self.of_site(&terms);
        let ideal: u64 =
            terms.iter().map(|term| term.weight() * u64::from(MAX_SATURATION)).sum::<u64>()
                + for_most_of_it(of_site, of_site);
        let in_blocks = self
            .records
            .iter()
            .filter(|(page, _)| blocks.contains(&(*page / manifest.block_pages)));
        let mut all: Vec<(Ranked, u64)> = in_blocks
            .map(|(&page, record)| {
                let (mut found, mut score) = (0, 0);
                for term in &terms {
                    let Some(of_page) = record.term(term.id) else { continue };
                    found += term.idf * u64::from(term.tf);
                    score += term.weight() * u64::from(self.fit(record, of_page));
                }
                let held = terms
                    .iter()
                    .filter(|term| record.term(term.id).is_some_and(|of_page| !of_page.is_outside));
                let held: u64 = held.map(|term| term.idf).sum();
                let whole = if self.is_whole(text, record, &terms) { ideal / 6 } else { 0 };
                let score = score + for_most_of_it(held, of_site) + whole;
                let similarity = Overlap::between(&bag, &record.bag).jaccard();
                ((score, similarity, page, found as f64 / total as f64), score)
            })
            .filter(|((.., found), _)| *found > 0.0)
            .collect();
        if !manifest.read_whole || self.is_question_of_all(text, &terms) {
            self.reorder(text, &terms, &mut all);
        }
        let best = all.iter().map(|((score, ..), _)| *score as f64).fold(0.0, f64::max);
        all.retain(|((score, ..), _)| *score as f64 >= OF_BEST * best);
        all.sort_by(|(a, of_a), (b, of_b)| {
            of_b.cmp(of_a).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        });
        all.into_iter().map(|(page, _)| page).collect()
    }

    /// Returns URL, similarity and coverage of the results of an answer, and what they should be,
    /// given the blocks that were read.
    fn compared<'a>(
        &'a self,
        text: &str,
        answer: &'a Answer,
        blocks: &BTreeSet<u32>,
    ) -> [Vec<(&'a str, f64, f64)>; 2] {
        let expected = self.ranked(text, blocks).into_iter();
        let expected = expected
            .map(|(_, similarity, page, found)| (&*self.records[&page].url, similarity, found));
        let found =
            answer.results.iter().map(|result| (&*result.url, result.similarity, result.coverage));
        [found.collect(), expected.collect()]
    }

    /// Returns the lookup's partial answers and its answer, with the blocks read until then.
    fn ask(&mut self, text: &str) -> Vec<(Answer, BTreeSet<u32>)> {
        let options = LookupOptions { limit: u32::MAX, copies: true, ..LookupOptions::default() };
        // A new lookup has no cache, so it requests every block.
        let manifest = self.folder.read("pagekin.manifest").expect("it is there");
        let mut index = pagekin_core::Index::open(&manifest).expect("it is sound");
        let manifest = index.manifest();
        let numbers: BTreeMap<String, u32> =
            (0..manifest.blocks.shards).map(|n| (manifest.name(Kind::Pages, n), n)).collect();
        let mut lookup = Lookup::from_text(&index, text, "en", options).expect("it has words");
        let (mut blocks, mut answers) = (BTreeSet::new(), Vec::new());
        loop {
            let wanted = lookup.wanted(&mut index).expect("it is sound");
            let partial = lookup.take_partial();
            answers.extend(partial.map(|answer| (*answer, blocks.clone())));
            if let Some(answer) = lookup.answer() {
                answers.push((answer.clone(), blocks));
                return answers;
            }
            for name in wanted {
                blocks.extend(numbers.get(&name));
                let bytes = self.folder.read(&name).expect("it is there");
                lookup.supply(&mut index, &name, &bytes).expect("it is sound");
            }
        }
    }
}

/// Returns a few words of some pages, some of them repeated, and some of no page.
fn query(collection: &Collection, random: &mut SplitMix64) -> String {
    let mut words = Vec::new();
    let text = |at: u32| collection.page(at.into()).expect("any page can be made").text;
    let one = text(random.below(PAGES as u32));
    for number in 0..1 + random.below(MAX_WORDS) {
        let other =
            if random.below(3) == 0 { text(random.below(PAGES as u32)) } else { one.clone() };
        let of_page: Vec<_> = other.split_whitespace().collect();
        let word = of_page[random.below(of_page.len() as u32) as usize].to_owned();
        let word = if random.below(12) == 0 {
            format!("quok{}", ["ka", "kum"][number as usize % 2])
        } else {
            word
        };
        words.extend(vec![word; 1 + usize::from(random.below(4) == 0)]);
    }
    words.join(" ")
}

/// Returns a text of one page and a few others with a number of words whose lists are in the shards
/// that are read.
fn longer_query(
    collection: &Collection,
    twin: &Twin,
    number: usize,
    random: &mut SplitMix64,
) -> String {
    let mut words = BTreeSet::new();
    while words.len() < number {
        let text = query(collection, random);
        let is_read = |word: &&str| {
            let terms = twin.terms(word);
            let shard = |id| twin.folder.index().manifest().list_shard(id);
            terms.iter().all(|term| shard(term.id) < MANY_LISTS)
        };
        words.extend(text.split(' ').filter(is_read).map(str::to_owned));
    }
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// Returns random vectors of all pages, and of most words.
fn vectors_of(collection: &Collection) -> String {
    let mut random = SplitMix64::new(7);
    let mut vector = || -> Vec<i32> { (0..40).map(|_| random.below(200) as i32 - 100).collect() };
    let (mut lines, mut words) = (String::new(), BTreeSet::new());
    for at in 0..PAGES {
        let page = collection.page(at).expect("any page can be made");
        let line = serde_json::json!({ "page": page.url, "vector": vector() });
        lines.push_str(&format!("{line}\n"));
        words.extend(page.text.split_whitespace().map(str::to_ascii_lowercase));
    }
    for word in words.iter().filter(|word| word.len() % 5 > 0) {
        let line = serde_json::json!({ "word": word, "vector": vector() });
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

/// Builds an index with a number of pages per block, if one is given.
fn twin_of(collection: &Collection, place: &TempDir, block_pages: Option<u32>) -> Twin {
    let embeddings = place.path().join("embeddings.jsonl");
    std::fs::write(&embeddings, vectors_of(collection)).expect("there is room for a file");
    let options = BuildOptions::new("", place.path().join("out")).with(|options| {
        (options.related_count, options.embeddings) = (1, Some(embeddings));
        options.block_pages = block_pages;
    });
    pagekin_index::build_pages(&options, collection, &Assets::default(), &Silent)
        .expect("the pages can be indexed");
    Twin::new(LocalIndex::open(&options.output).expect("it was written"))
}

#[test]
fn a_text_that_may_be_a_page_reads_the_same_blocks_as_the_twin() {
    let collection = Collection::new(PAGES, 3);
    let place = tempfile::tempdir().expect("there is room for a folder");
    let mut twin = twin_of(&collection, &place, None);
    let mut random = SplitMix64::new(3);
    let mean = twin.folder.index().manifest().mean_length as usize;
    for (number, is_long) in [(MANY_TERMS + 6, false), (mean / LONG as usize + 6, true)] {
        for _ in 0..QUERIES / 4 {
            let text = longer_query(&collection, &twin, number, &mut random);
            let terms = twin.terms(&text);
            assert!(terms.len() >= MANY_TERMS && twin.is_long(&terms) == is_long, "{text}");
            let (_, read) = twin.ask(&text).pop().expect("there is an answer");
            twin.check_blocks(&text, &read);
        }
    }
}

#[test]
fn an_answer_through_lists_equals_that_of_the_twin() {
    let (mut answered, mut skipping, mut partial) = (0, 0, 0);
    for seed in [1, 2] {
        let collection = Collection::new(PAGES, seed);
        let place = tempfile::tempdir().expect("there is room for a folder");
        let mut twin = twin_of(&collection, &place, None);
        let manifest = twin.folder.index().manifest();
        assert!(manifest.lists.shards > 8 && manifest.blocks.shards as usize > MAX_BLOCKS);
        let all_blocks = manifest.blocks.shards as usize;
        let mut random = SplitMix64::new(seed);
        for _ in 0..QUERIES {
            let text = query(&collection, &mut random);
            let answers = twin.ask(&text);
            for (at, (answer, read)) in answers.iter().enumerate() {
                assert_eq!(
                    (answer.ranked_by, &answer.other_results),
                    (RankedBy::Coverage, &vec![]),
                    "{text}"
                );
                let mut both = twin.compared(&text, answer, read);
                // A partial answer does not know the meaning and rarity of all words.
                if at + 1 < answers.len() {
                    for list in &mut both {
                        list.iter_mut().for_each(|result| result.2 = 0.0);
                        list.sort_unstable_by_key(|&(url, ..)| url);
                    }
                }
                assert_eq!(both[0], both[1], "{text}");
            }
            let (answer, read) = answers.last().expect("there is an answer");
            twin.check_blocks(&text, read);
            answered += usize::from(!answer.results.is_empty());
            skipping += usize::from(read.len() < all_blocks);
            partial += answers.len() - 1;
            let costs = answers.iter().map(|(answer, read)| (answer.cost.bytes, read.len()));
            assert!(costs.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1), "{text}");
        }
    }
    assert!(answered > QUERIES && skipping > QUERIES, "{answered}, {skipping}");
    assert!(partial > QUERIES / 4, "{partial}");
}

#[test]
fn an_answer_of_an_index_that_is_read_whole_equals_that_of_the_twin() {
    let collection = Collection::new(PAGES, 4);
    let place = tempfile::tempdir().expect("there is room for a folder");
    let mut twin = twin_of(&collection, &place, Some(20));
    let manifest = twin.folder.index().manifest();
    assert!(manifest.read_whole && manifest.lists.shards > 1);
    let mut random = SplitMix64::new(4);
    let mut questions = 0;
    for _ in 0..QUERIES {
        let text = query(&collection, &mut random);
        let answers = twin.ask(&text);
        let (answer, read) = answers.last().expect("there is an answer");
        assert_eq!(read.len(), twin.folder.index().manifest().blocks.shards as usize);
        let [found, expected] = twin.compared(&text, answer, read);
        assert_eq!(found, expected, "{text}");
        let is_question = twin.is_question_of_all(&text, &twin.terms(&text));
        assert_eq!(answers.len() - 1, usize::from(is_question), "{text}");
        questions += answers.len() - 1;
    }
    assert!(questions > QUERIES / 4, "{questions}");
}
