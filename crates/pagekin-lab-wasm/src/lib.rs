//! Runs the steps of the core in the browser one at a time ([`steps`]), for the lab.
//!
//! This is a separate WebAssembly module, so that visitors who only search do not download it. It
//! also contains the bindings of the lookup, so the lab does not need a second module.
//! `www/lab/core.js` is its only caller and documents the arrays.

pub mod steps;
mod values;

use std::cell::RefCell;
use std::rc::Rc;

use crate::steps::meetings::MetPair;
use crate::steps::words::Fates;
use crate::steps::{copies, draws, edits, meaning, meetings, pages, toy, walk, words};
use pagekin_core::Preset;
use pagekin_core::bag::{Bag, BagRules, FREQUENCIES};
use pagekin_core::lsh::TableRules;
use pagekin_core::minhash::{Family, SignatureParams};
use pagekin_core::shard::{Kind, PageRecord, WordShard};
use pagekin_core::similarity::Overlap;
use pagekin_wasm::{Index, Query};
use wasm_bindgen::prelude::*;

/// Number of values of a signature in the lab, as in the paper.
const M: u16 = 80;
/// Maximum number of draws to find an ordinary one.
const MAX_TRIES: u32 = 16;

/// Some pages of an index.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Lab {
    index: Rc<RefCell<pagekin_core::Index>>,
    pages: Vec<PageRecord>,
    bags: Vec<Bag>,
    /// Pairs of pages, most similar first.
    pairs: Vec<MetPair>,
    text: Option<Fates>,
    /// Display words of terms, once they are loaded.
    shown: WordShard,
}

#[wasm_bindgen]
impl Lab {
    /// Creates a lab for an open index, without pages.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(index: &Index) -> Self {
        let (pages, bags, pairs, shown) = (vec![], vec![], vec![], WordShard::default());
        Self { index: index.core(), pages, bags, pairs, text: None, shown }
    }

    /// Returns the name of the shard with the display words of terms.
    #[wasm_bindgen(js_name = wordsName)]
    #[must_use]
    pub fn words_name(&self) -> String {
        self.index.borrow().manifest().name(Kind::Words, 0)
    }

    /// Loads the shard of [`words_name`](Self::words_name).
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    #[wasm_bindgen(js_name = supplyWords)]
    pub fn supply_words(&mut self, bytes: &[u8]) -> Result<(), js_sys::Error> {
        let index = self.index.borrow();
        let manifest = index.manifest();
        let generation = manifest.generation_of(Kind::Words, 0);
        let bytes = manifest.stored(Kind::Words, bytes);
        let read = WordShard::decode(&manifest.name(Kind::Words, 0), generation, bytes);
        self.shown = read.map_err(|error| values::read_error(&error))?;
        Ok(())
    }

    /// Returns the names of the blocks to load, for about `most` pages.
    #[must_use]
    pub fn blocks(&self, most: u32, seed: u32) -> Vec<String> {
        let index = self.index.borrow();
        let manifest = index.manifest();
        let blocks = pages::blocks(manifest, most, seed.into()).into_iter();
        blocks.map(|block| manifest.name(Kind::Pages, block)).collect()
    }

    /// Loads a block of [`blocks`](Self::blocks), by its index there.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn supply(
        &mut self,
        most: u32,
        seed: u32,
        at: usize,
        bytes: &[u8],
    ) -> Result<(), js_sys::Error> {
        let index = self.index.borrow();
        let manifest = index.manifest();
        let Some(&block) = pages::blocks(manifest, most, seed.into()).get(at) else {
            return Ok(());
        };
        let read = pages::of_block(manifest, block, bytes);
        self.pages.extend(read.map_err(|error| values::read_error(&error))?);
        Ok(())
    }

    /// Compares all pairs of pages, after all blocks are loaded.
    pub fn compare(&mut self) {
        self.bags = self.pages.iter().map(|page| page.bag.clone()).collect();
        self.pairs = meetings::pairs(&self.bags);
    }

    /// Returns `[url, title, terms in the bag, size of the bag]` of each page.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object. This applies to all methods that return objects.
    pub fn pages(&self) -> Result<JsValue, JsValue> {
        let rows = self.pages.iter();
        let rows = rows
            .map(|page| (&page.url, &page.title, page.bag.entries().len() as u32, page.bag.size()));
        values::to_value(&rows.collect::<Vec<_>>())
    }

    /// Returns the pair to start with after [`compare`](Self::compare), as two indices of
    /// [`pages`](Self::pages); empty if there is none.
    #[wasm_bindgen(js_name = tellingPair)]
    #[must_use]
    pub fn instructive_pair(&self) -> Vec<u32> {
        let index = self.index.borrow();
        let languages = index.manifest().languages.iter();
        let languages: Vec<_> = languages.map(|(language, _)| language.code()).collect();
        pages::instructive_pair(&self.pages, &self.pairs, &languages)
            .map_or(vec![], |(u, v)| vec![u, v])
    }

    // From page to bag

    /// Analyzes the words of a text. See `Words` in core.js.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn words(&mut self, text: &str, lang: &str, paper: bool) -> Result<JsValue, JsValue> {
        let rules = self.rules(paper);
        let fates = words::fates(&self.index.borrow(), text, lang, &rules);
        let value = values::fates(text, &fates, rules.sum);
        self.text = Some(fates);
        value
    }

    /// Compares the bag of the text with that of a page. See `Beside` in core.js.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    #[wasm_bindgen(js_name = textBeside)]
    pub fn text_beside(&self, page: usize, paper: bool) -> Result<JsValue, JsValue> {
        let empty = Bag::default();
        let text = self.text.as_ref().map_or(&empty, |text| &text.bag);
        self.beside(text, &self.bag_by(page, paper))
    }

    /// Compares the bags of two pages.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    #[wasm_bindgen(js_name = pagesBeside)]
    pub fn pages_beside(&self, u: usize, v: usize) -> Result<JsValue, JsValue> {
        self.beside(&self.bags[u], &self.bags[v])
    }

    // MinHash

    /// Returns the elements of both bags in the order of a function, as `[word, copy, side]`, with
    /// side 0 for both.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn order(&self, u: usize, v: usize, seed: u32, i: u16) -> Result<JsValue, JsValue> {
        let family = Family::new(SignatureParams { m: i + 1, bits: 24, seed: seed.into() });
        self.elements(&draws::order(&family, i.into(), &self.bags[u], &self.bags[v]))
    }

    /// Returns the first element in each of `m` orders, in the same form.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn race(&self, u: usize, v: usize, seed: u32, m: u16) -> Result<JsValue, JsValue> {
        self.elements(&draws::race(m, seed.into(), &self.bags[u], &self.bags[v]))
    }

    /// Returns how often both pages choose the same element if each chooses at random.
    #[wasm_bindgen(js_name = pickAny)]
    #[must_use]
    pub fn pick_any(&self, u: usize, v: usize, seed: u32, n: u32) -> u32 {
        draws::pick_any(n, seed.into(), &self.bags[u], &self.bags[v])
    }

    /// Returns the agreements of `runs` runs after each number of draws.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn fan(
        &self,
        u: usize,
        v: usize,
        seed: u32,
        runs: u32,
        after: &[u16],
    ) -> Result<JsValue, JsValue> {
        values::to_value(&draws::fan(after, seed.into(), runs, &self.bags[u], &self.bags[v]))
    }

    /// Returns a seed whose first run is near the similarity of two pages.
    #[must_use]
    #[wasm_bindgen(js_name = ordinaryRun)]
    pub fn ordinary_run(&self, u: usize, v: usize) -> u32 {
        let (a, b) = (&self.bags[u], &self.bags[v]);
        draws::ordinary_seed(Overlap::between(a, b).jaccard(), a, b)
    }

    // LSH

    /// Returns `[u, v, in both, in either, similarity]` of each pair, most similar first.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn pairs(&self) -> Result<JsValue, JsValue> {
        let rows = self.pairs.iter().map(|&MetPair { u, v, overlap }| {
            (u, v, overlap.intersection, overlap.union, overlap.jaccard())
        });
        values::to_value(&rows.collect::<Vec<_>>())
    }

    /// Returns the number of tables in which each pair meets.
    ///
    /// # Errors
    ///
    /// If a key has no values or more values than a signature.
    pub fn meetings(&self, k: u8, l: u16, seed: u32) -> Result<Vec<u16>, js_sys::Error> {
        let rules = TableRules::Independent { k, l };
        meetings::meetings(&self.bags, &self.pairs, rules, M, seed.into())
            .map_err(|error| js_sys::Error::new(&error.to_string()))
    }

    /// Returns for how many of `n` seeds each pair meets.
    ///
    /// # Errors
    ///
    /// The errors of [`meetings`](Self::meetings).
    #[wasm_bindgen(js_name = timesMet)]
    pub fn times_met(&self, k: u8, l: u16, seed: u32, n: u32) -> Result<Vec<u32>, js_sys::Error> {
        let rules = TableRules::Independent { k, l };
        meetings::times_met(&self.bags, &self.pairs, rules, M, seed.into(), n)
            .map_err(|error| js_sys::Error::new(&error.to_string()))
    }

    /// Returns the expected numbers of wanted pairs found and of pairs compared, for each `l` of
    /// each `k`, over all seeds.
    #[must_use]
    pub fn expected(&self, wanted: usize, ks: &[u8], ls: &[u16]) -> Vec<f64> {
        let equal = meetings::EqualValues::new(&self.pairs, wanted, M);
        let rules = ks.iter().flat_map(|&k| ls.iter().map(move |&l| (k, l)));
        rules
            .map(|(k, l)| equal.expected(k, l))
            .flat_map(|expected| [expected.found, expected.compared])
            .collect()
    }

    /// Returns a seed whose draw finds about the expected number of wanted pairs.
    ///
    /// # Errors
    ///
    /// The errors of [`meetings`](Self::meetings).
    #[wasm_bindgen(js_name = ordinaryDraw)]
    pub fn ordinary_draw(&self, wanted: usize, k: u8, l: u16) -> Result<u32, js_sys::Error> {
        meetings::ordinary_seed(&self.bags, &self.pairs, wanted, (k, l), M, MAX_TRIES)
            .map_err(|error| js_sys::Error::new(&error.to_string()))
    }

    /// Returns `[values of u, values of v, [[indices, equal]]]`; empty if a page has no words.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn strips(&self, u: usize, v: usize, k: u8, l: u16, seed: u32) -> Result<JsValue, JsValue> {
        let rules = TableRules::Independent { k, l };
        let found = meetings::strips(&self.bags[u], &self.bags[v], rules, M, seed.into());
        let found = found.map_err(|error| js_sys::Error::new(&error.to_string()))?;
        let found = found.map(|meetings::Strips { values, tables }| (values, tables));
        values::to_value(&found.unwrap_or_default())
    }

    /// Returns the buckets of a table with at least two pages.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn buckets(&self, k: u8, l: u16, seed: u32, table: usize) -> Result<JsValue, JsValue> {
        let rules = TableRules::Independent { k, l };
        let found = meetings::buckets(&self.bags, rules, M, seed.into(), table);
        values::to_value(&found.map_err(|error| js_sys::Error::new(&error.to_string()))?)
    }

    // CENTER

    /// Returns `[page, threshold]` to start with; empty if no group is divided by CENTER.
    #[must_use]
    #[wasm_bindgen(js_name = startOfCenter)]
    pub fn start_of_center(&self, min: usize, max: usize) -> Vec<f64> {
        let met = self.pairs.iter().filter(|pair| pair.overlap.intersection > 0);
        let pairs: Vec<_> = met.map(|pair| (pair.u, pair.v, pair.overlap.jaccard())).collect();
        walk::instructive_start(self.pages.len() as u32, &pairs, (min, max))
            .map_or(vec![], |(page, threshold)| vec![page.into(), threshold])
    }

    /// Returns the pages near a page, by pairs with at least `threshold`, the page itself first.
    #[must_use]
    pub fn neighborhood(&self, page: u32, threshold: f64, most: usize) -> Vec<u32> {
        let n = self.pages.len() as u32;
        walk::neighborhood(n, &self.similar_pairs(threshold), page, most)
    }

    /// Returns the highest similarity, in hundredths, at which a page reaches at least `least`
    /// pages by pairs; 0 if it never does.
    #[must_use]
    #[wasm_bindgen(js_name = thresholdFor)]
    pub fn threshold_for(&self, page: u32, least: usize) -> f64 {
        let pairs = self.similar_pairs(0.0);
        let needed = walk::pairs_until(self.pages.len() as u32, &pairs, page, least);
        needed
            .map_or(0.0, |count| (self.pairs[count - 1].overlap.jaccard() * 100.0).floor() / 100.0)
    }

    /// Runs CENTER and components on some pages, for `upto` pairs. See `Walk` in core.js.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn walk(
        &self,
        shown: &[u32],
        threshold: f64,
        numbering: u32,
        upto: usize,
    ) -> Result<JsValue, JsValue> {
        let place = |page: u32| shown.iter().position(|&one| one == page).map(|at| at as u32);
        let among = |(u, v): (u32, u32)| Some((place(u)?, place(v)?));
        let edges: Vec<_> = self.similar_pairs(threshold).into_iter().filter_map(among).collect();
        let numbers = walk::numbering(shown.len() as u32, numbering.into());
        let both = walk::both_ways(&edges, &numbers);
        let whole = walk::walk(shown.len() as u32, &both);
        let part = walk::walk(shown.len() as u32, &both[..upto.min(both.len())]);
        let mut pages = vec![0; shown.len()];
        for (&page, &number) in shown.iter().zip(&numbers) {
            pages[number as usize] = page;
        }
        values::walk(
            &pages,
            &whole,
            &part,
            |u, v| self.overlap(pages[u as usize], pages[v as usize]).jaccard(),
            threshold,
        )
    }

    /// Runs CENTER and components on all pages at each threshold. See `Sweep` in core.js.
    ///
    /// # Errors
    ///
    /// See [`pages`](Self::pages).
    pub fn sweep(&self, thresholds: &[f64]) -> Result<JsValue, JsValue> {
        let n = self.pages.len() as u32;
        let numbers = walk::numbering(n, 0);
        let rows = thresholds.iter().map(|&threshold| {
            let pairs = self.similar_pairs(threshold);
            let found = walk::walk(n, &walk::both_ways(&pairs, &numbers));
            let centers: Vec<u32> =
                (0..).zip(found.centers).map(|(page, center)| center.unwrap_or(page)).collect();
            let near = |u, v| self.overlap(u, v).jaccard() >= threshold;
            let judged = [&centers, &found.components].map(|labels| walk::judge(labels, near));
            (threshold, pairs.len() as u32, judged.map(values::judged))
        });
        values::to_value(&rows.collect::<Vec<_>>())
    }

    // Meaning

    /// Whether the index has vectors of pages and words.
    #[wasm_bindgen(js_name = hasVectors)]
    #[must_use]
    pub fn has_vectors(&self) -> bool {
        self.index.borrow().manifest().embeddings
    }

    /// Returns the names of the shards with the vectors of a text's words.
    #[wasm_bindgen(js_name = vectorNames)]
    #[must_use]
    pub fn vector_names(&self, text: &str) -> Vec<String> {
        let index = self.index.borrow();
        let shards = meaning::shards(&index, text).into_iter();
        shards.map(|number| index.manifest().name(Kind::Lists, number)).collect()
    }

    /// Adds up the vectors of the first `upto` words of a text, with the shards of
    /// [`vector_names`](Self::vector_names). See `Meaning` in core.js.
    ///
    /// # Errors
    ///
    /// If a shard cannot be read.
    pub fn meaning(
        &self,
        text: &str,
        upto: usize,
        shards: Vec<js_sys::Uint8Array>,
    ) -> Result<JsValue, JsValue> {
        let index = self.index.borrow();
        let numbers = meaning::shards(&index, text).into_iter();
        let lists = numbers.zip(shards).map(|(number, bytes)| {
            let list = meaning::lists(index.manifest(), number, &bytes.to_vec());
            Ok((number, list.map_err(|error| values::read_error(&error))?))
        });
        let lists = lists.collect::<Result<_, js_sys::Error>>()?;
        values::meaning(&meaning::arrows(&index, text, &lists), upto, &self.pages)
    }

    fn similar_pairs(&self, threshold: f64) -> Vec<(u32, u32)> {
        let similar = self.pairs.iter().take_while(|pair| pair.overlap.jaccard() >= threshold);
        similar.filter(|pair| pair.overlap.intersection > 0).map(|pair| (pair.u, pair.v)).collect()
    }

    fn overlap(&self, u: u32, v: u32) -> Overlap {
        Overlap::between(&self.bags[u as usize], &self.bags[v as usize])
    }

    fn elements(&self, elements: &[draws::Element]) -> Result<JsValue, JsValue> {
        let rows = elements.iter().map(|one| {
            let word = self.shown.word(one.term).unwrap_or_default();
            (word, u32::from(one.copy) + 1, one.side as u32)
        });
        values::to_value(&rows.collect::<Vec<_>>())
    }

    fn rules(&self, paper: bool) -> BagRules {
        let params = self.index.borrow().manifest().params;
        if paper { Preset::Paper.params(params.signature.seed).bag } else { params.bag }
    }

    /// Returns the bag of all terms of a page, by the rules of the index or of the paper.
    fn bag_by(&self, page: usize, paper: bool) -> Bag {
        if !paper {
            return self.bags[page].clone();
        }
        let tf = |class: u8| u32::from(FREQUENCIES[usize::from(class)]);
        let terms = self.pages[page].terms.iter().filter(|term| !term.is_outside);
        let counts: Vec<_> = terms.map(|term| (term.id, tf(term.class))).collect();
        let index = self.index.borrow();
        Bag::weigh(&counts, &index.manifest().vocabulary, &self.rules(paper))
    }

    fn beside(&self, a: &Bag, b: &Bag) -> Result<JsValue, JsValue> {
        let word = |term| {
            let of_text = || {
                let terms = &self.text.as_ref()?.terms;
                terms.iter().find(|one| one.id == term).map(|one| one.word.as_str())
            };
            self.shown.word(term).or_else(of_text).unwrap_or_default()
        };
        values::beside(a, b, word)
    }
}

/// Returns the probability that two pages meet at each similarity, for `l` tables with keys of `k`
/// values: the exact one, or the textbook's, which takes keys as independent.
#[wasm_bindgen]
#[must_use]
pub fn chances(k: u8, l: u16, similarities: &[f64], is_textbook: bool) -> Vec<f64> {
    let chance = curve(k, l, is_textbook);
    similarities.iter().map(|&s| chance(s)).collect()
}

fn curve(k: u8, l: u16, is_textbook: bool) -> Box<dyn Fn(f64) -> f64> {
    if is_textbook {
        return Box::new(move |s| TableRules::Independent { k, l }.collision_probability(s));
    }
    let exact = meetings::ExactCurve::new(k, l, M);
    Box::new(move |s| exact.at(s))
}

/// Returns the similarity at which pages meet with a probability of 1/2.
#[wasm_bindgen]
#[must_use]
pub fn half(k: u8, l: u16, is_textbook: bool) -> f64 {
    meetings::half(curve(k, l, is_textbook))
}

/// Runs CENTER and components on a small graph, like [`Lab::walk`]. Pairs that are not similar have
/// similarity 0, others 1.
///
/// # Errors
///
/// If there is no such graph, or the browser cannot create the object.
#[wasm_bindgen(js_name = walkOfCase)]
pub fn walk_of_case(name: &str, numbering: u32, upto: usize) -> Result<JsValue, JsValue> {
    let case = walk::Case::from_name(name).ok_or_else(|| js_sys::Error::new("no such case"))?;
    let (n, edges) = case.graph();
    let numbers = walk::numbering(n, numbering.into());
    let both = walk::both_ways(&edges, &numbers);
    let (whole, part) = (walk::walk(n, &both), walk::walk(n, &both[..upto.min(both.len())]));
    let mut pages = vec![0; n as usize];
    for (page, &number) in (0..).zip(&numbers) {
        pages[number as usize] = page;
    }
    let similarity = |u, v| f64::from(u8::from(both.contains(&(u, v))));
    values::walk(&pages, &whole, &part, similarity, 0.5)
}

/// Returns `[[word, in a, in b]], orders, [[first of a, first of b]]` of two short texts as a
/// matrix.
///
/// # Errors
///
/// If the browser cannot create the object.
#[wasm_bindgen(js_name = toyOf)]
pub fn toy_of(a: &str, b: &str, m: u16, seed: u32) -> Result<JsValue, JsValue> {
    let toy::Toy { rows, orders, firsts } = toy::toy(a, b, m, seed.into());
    values::to_value(&(rows, orders, firsts))
}

/// Returns how often each of the numbers 1 to n comes first in `draws` orders.
#[must_use]
#[wasm_bindgen(js_name = firstCounts)]
pub fn first_counts(n: u32, is_mixed: bool, draws: u16) -> Vec<u32> {
    draws::first_counts(n, is_mixed, draws, 1)
}

/// Returns `[low, high, standard deviation]` of estimates of a similarity from `m` draws. 90% of
/// the estimates are between `low` and `high`.
#[wasm_bindgen]
#[must_use]
pub fn band(s: f64, m: u32) -> Vec<f64> {
    let (low, high) = draws::nine_of_ten(s, m);
    vec![low, high, draws::deviation(s, m)]
}

/// Compares two texts. See `Copies` in core.js.
///
/// # Errors
///
/// If `width` is not 1 to 100.
#[wasm_bindgen(js_name = copiesOf)]
pub fn copies_of(a: &str, b: &str, width: u32) -> Result<JsValue, JsValue> {
    let found = copies::copies(a, b, width);
    let found = found.map_err(|error| js_sys::Error::new(&error.to_string()))?;
    values::copies(b, &found)
}

/// Applies a named edit to a text. Returns the text unchanged if there is no such edit.
#[wasm_bindgen]
#[must_use]
pub fn edited(text: &str, edit: &str) -> String {
    edits::Edit::from_name(edit).map_or_else(|| text.to_owned(), |edit| edit.apply(text))
}

/// Returns `[kind, number, name]` of each shard of a query's round.
///
/// # Errors
///
/// If the browser cannot create the object.
#[wasm_bindgen(js_name = roundOf)]
pub fn round_of(index: &Index, query: &Query) -> Result<JsValue, JsValue> {
    let index = index.core();
    let index = index.borrow();
    let name =
        |(kind, number): (Kind, u32)| (kind.folder(), number, index.manifest().name(kind, number));
    values::to_value(&query.core().round().map(name).collect::<Vec<_>>())
}

/// Returns `[kind, shards]` of all parts of an index.
///
/// # Errors
///
/// If the browser cannot create the object.
#[wasm_bindgen(js_name = partsOf)]
pub fn parts_of(index: &Index) -> Result<JsValue, JsValue> {
    let index = index.core();
    let index = index.borrow();
    let shards = |kind: Kind| index.manifest().part(kind).map_or(0, |part| part.shards);
    let parts = Kind::NUMBERED.map(|kind| (kind.folder(), shards(kind)));
    values::to_value(&parts)
}

/// Whether a lookup reads all blocks of an index.
#[wasm_bindgen(js_name = isReadWhole)]
pub fn is_read_whole(index: &Index) -> bool {
    index.core().borrow().manifest().read_whole
}

/// Returns the seconds to load `bytes` bytes in `rounds` rounds, on a network with `kilobits` per
/// second and a delay of `delay` milliseconds per round.
#[wasm_bindgen(js_name = secondsOf)]
#[must_use]
pub fn seconds_of(bytes: f64, rounds: u32, kilobits: f64, delay: f64) -> f64 {
    bytes * 8.0 / (kilobits * 1_000.0) + f64::from(rounds) * delay / 1_000.0
}
