//! From a text or a page of the site to its kin: a state machine that says which shards it wants, is fed
//! bytes, and answers. It does no I/O, so a browser, the command line and a test all run this very code and
//! get the same answer at the same cost.
//!
//! ```text
//! a text            -> bag -> signature -> keys -> table shards -> candidates -> blocks -> compared, ranked
//!                                                                                -> sketches of the best
//! a page's address  -> address shard -> its block -> bag -> (as above)
//! ```
//!
//! An index without tables, which is that of a small site, is read whole: there an answer misses nothing.
//! Of each candidate, a page that meets the query in a bucket, the similarity is estimated by the part of its values, as
//! far as the buckets know them, that agree with the query's. Alike pages lie together, so a block with several good
//! candidates is likely to have more: blocks are ranked by the sum of the eighth powers of their candidates' estimates,
//! and the best are fetched, [`MAX_BLOCKS`] at most. Every page of a fetched block is compared with the query by its whole bag, so the similarity that is told is exact. A page
//! of the site meets itself in every table, so its neighbours in its block, which was read to know the page, are
//! compared too: a page and its own text have the same kin.
//!
//! Last, it is told how much of a text stands in the pages that were found and how much of them in it, by the sketches
//! of the best of them ([`sketch`](crate::near::sketch)), if an index has these.

use std::cmp::Reverse;

use litemap::LiteMap;

use crate::address;
use crate::bag::Bag;
use crate::index::{Cost, Index, Shard, ShardId};
use crate::minhash::{Signature, agreement};
use crate::near::sketch::{Known, Sample, Sketch};
use crate::shard::{Manifest, PageRecord, ReadError};
use crate::similarity::{Overlap, shared};
use crate::sort;
use crate::terms::{Analyzer, Language, TextTerm};
use crate::vocabulary::TermId;

/// The most blocks of page records a lookup reads.
pub const MAX_BLOCKS: usize = 16;
/// The most pages a lookup reads the records of, if blocks are large.
const MAX_COMPARED: u32 = 2_048;
/// The fewest blocks it may read, however large they are.
const MIN_BLOCKS: u32 = 6;

/// The most blocks of so many slots a lookup reads: [`MAX_BLOCKS`], or so many as have 2,048 slots, but at least 6.
fn most_blocks(block_pages: u32) -> usize {
    (MAX_COMPARED / block_pages).clamp(MIN_BLOCKS, MAX_BLOCKS as u32) as usize
}

/// Of blocks beyond so many slots, only those are read that promise as much as a candidate of [`DOUBTFUL`].
const SURE_COMPARED: u32 = 160;
/// But so many blocks are read in any case.
const SURE_BLOCKS: u32 = 5;

/// The bits of an estimate, which is at most 1.
const ESTIMATE_BITS: u32 = 12;
/// Of pages with a similarity of 0.2 or more few have an estimate of less than 0.16, of all others that share a bucket
/// most.
const DOUBTFUL: u64 = (16 << ESTIMATE_BITS) / 100;
/// Values of no agreement that an estimate by few values starts from.
const CAUTION: u64 = 8;

/// What a candidate promises for its block: the eighth power of its estimate. By the first power, crowds of strangers in
/// popular buckets would come before kin; by the highest, it would not count that a block has several.
fn promise(estimate: u64) -> u128 {
    u128::from(estimate).pow(8)
}

/// A result less similar than this is not compared by its sketch: nearly all that share a passage have more, and a lookup
/// of a text that is like nothing shall cost no more for it.
pub const LEAST_NEAR: f64 = 0.1;
/// The most pages whose sketches a lookup reads, as those of a shard come together; but one shard in any case. They are
/// about 20 kB.
pub const MOST_SKETCHES: u32 = 96;

/// The most shards of sketches that a lookup reads.
fn most_sketch_shards(manifest: &Manifest) -> usize {
    (MOST_SKETCHES / manifest.sketch_pages).max(1) as usize
}

/// The most shared terms that are told of a result.
pub const MAX_SHARED_TERMS: usize = 10;

/// How many results, and how similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupOptions {
    /// The most results.
    pub limit: u32,
    /// The least similarity of a result; two random pages of a site have about 0.015. From 0 (a shared term is enough) to 1 (equal bags only).
    pub min: f64,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self { limit: 10, min: 0.03 }
    }
}

/// A page that is like the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Kin {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The bag Jaccard with the query, exactly.
    pub similarity: f64,
    /// The words of the heaviest terms that both have, heaviest first, [`MAX_SHARED_TERMS`] at most. Of a rare
    /// term, for which an index has no word, it is the text's own, and none if a page of the site was asked for.
    pub shared_terms: Vec<String>,
    /// What it shares with the query, if that was looked at and is worth telling
    /// ([`Sample::nearness`] tells something).
    pub near: Option<Sample>,
}

/// The answer of a lookup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The most similar first; equals in the order of the index.
    pub results: Vec<Kin>,
    /// What was read for it.
    pub cost: Cost,
}

/// Why a lookup has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A shard could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text has no words, or none but stop words.
    #[error(
        "there is nothing to compare: expected a text with words in it, found {found}. Give a longer text"
    )]
    EmptyQuery {
        /// What the text has.
        found: &'static str,
    },
    /// No page has this address.
    #[error(
        "no page of this index has the address {address}: expected that of a page below {base_url}, as the site's own \
         links have it. Pages that redirect, ask not to be indexed or have no words are not in it"
    )]
    UnknownAddress {
        /// The address that was asked for.
        address: String,
        /// The base address of the site; of many hosts, what all their addresses begin with.
        base_url: String,
    },
}

impl QueryError {
    /// A short name for programs: that of the [`ReadError`], or `EmptyQuery`, `UnknownAddress`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::EmptyQuery { .. } => "EmptyQuery",
            Self::UnknownAddress { .. } => "UnknownAddress",
        }
    }
}

/// The bag of a text in the language of a tag such as `en-GB`, if the site has pages in it. If it has none, or the tag
/// is empty or no tag, the language of the site is taken whose stop words the text has most of, or else the site's
/// commonest: nothing else could have the words of the site as its terms, and a browser that carries the stemmers of
/// the site's languages only gives the same answer as a program that carries all. Words that do not count on the site
/// are not in it.
///
/// # Errors
///
/// [`QueryError::EmptyQuery`].
pub fn bag_of_text(index: &Index, text: &str, lang: &str) -> Result<Bag, QueryError> {
    Ok(weigh(index, &terms_of(index, text, lang)?))
}

fn terms_of(index: &Index, text: &str, lang: &str) -> Result<Vec<TextTerm>, QueryError> {
    let manifest = index.manifest();
    let languages = manifest.languages.iter().map(|(language, _)| language);
    let language = Language::from_tag(lang)
        .filter(|given| languages.clone().any(|language| language == given))
        .or_else(|| manifest.stop.guess(text, languages.clone()).cloned())
        .or_else(|| languages.clone().next().cloned())
        .unwrap_or_else(Language::english);
    let terms = Analyzer::new(&language, &manifest.stop).counts(text);
    if terms.is_empty() {
        let found =
            if text.trim().is_empty() { "nothing" } else { "no words, or only very common ones" };
        return Err(QueryError::EmptyQuery { found });
    }
    Ok(terms)
}

fn weigh(index: &Index, terms: &[TextTerm]) -> Bag {
    let manifest = index.manifest();
    let counts: Vec<(TermId, u32)> = terms.iter().map(|term| (term.id, term.tf)).collect();
    Bag::weigh(&counts, &manifest.vocabulary, &manifest.params.bag)
}

/// One query on its way. Several may be under way on one index.
#[derive(Debug)]
pub struct Lookup {
    options: LookupOptions,
    state: State,
    /// The shards the present state needs, and those of them that are there.
    needed: Vec<ShardId>,
    have: LiteMap<ShardId, Shard>,
    cost: Cost,
    /// Whether a shard was supplied in the present state: the round is counted.
    round_counted: bool,
    /// Whether the answer has been charged with what opening the index cost.
    opening_counted: bool,
}

#[derive(Debug)]
enum State {
    /// Waits for the shards of the addresses a page may have.
    Address {
        given: String,
        variants: Vec<String>,
    },
    /// Waits for the blocks of the pages that may be the one asked for.
    Own {
        given: String,
        variants: Vec<String>,
        pages: Vec<u32>,
    },
    /// Waits for table shards.
    Tables(Subject),
    /// Waits for blocks of candidates.
    Blocks(Subject),
    /// Waits for sketches of the best results, which are with their numbers.
    Sketches {
        subject: Subject,
        results: Vec<(u32, Kin)>,
    },
    Done(Answer),
    Failed(QueryError),
}

/// What is being compared.
#[derive(Debug)]
struct Subject {
    bag: Bag,
    /// The terms of a text, in the order of their ids, for their words.
    terms: Vec<TextTerm>,
    /// The shingles of a text, if the index has sketches to compare them with.
    known: Option<Known>,
    /// That its keys are made of.
    signature: Option<Signature>,
    /// The page itself, if it is one of the index: not kin of itself.
    page: Option<u32>,
}

impl Subject {
    /// The word that people are shown for a term: the site's, or the text's own of a rare one.
    fn word<'a>(&'a self, id: TermId, index: &'a Index) -> Option<&'a str> {
        index.manifest().vocabulary.word(id).or_else(|| {
            let at = self.terms.binary_search_by_key(&id, |term| term.id).ok()?;
            Some(&self.terms[at].word)
        })
    }
}

impl Lookup {
    /// The kin of a text, by [`bag_of_text`].
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`]. A text of which no word is known to the site
    /// is no error: its answer is empty.
    pub fn of_text(
        index: &Index,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Self, QueryError> {
        let terms = terms_of(index, text, lang)?;
        let bag = weigh(index, &terms);
        let known = (index.manifest().sketches.shards > 0).then(|| Known::of_text(text));
        let mut lookup = Self::begin(options);
        lookup.compare(index, bag, terms, known, None);
        Ok(lookup)
    }

    /// The kin of a page of the site by its address, see [`address::variants`]. That there is no such page is known
    /// later, from [`wanted`](Self::wanted).
    #[must_use]
    pub fn of_url(index: &Index, url: &str, options: LookupOptions) -> Self {
        let mut lookup = Self::begin(options);
        let manifest = index.manifest();
        let variants = address::variants(url, &manifest.base_url);
        let shards = variants.iter().map(|variant| manifest.address_shard(variant));
        lookup.enter(
            State::Address { given: url.to_owned(), variants: variants.clone() },
            shards.map(ShardId::Address),
        );
        lookup
    }

    fn begin(options: LookupOptions) -> Self {
        Self {
            options,
            state: State::Done(Answer::default()),
            needed: Vec::new(),
            have: LiteMap::new(),
            cost: Cost::default(),
            round_counted: false,
            opening_counted: false,
        }
    }

    /// The names of the shards to supply next; none once the answer is there. Goes on as far as shards that
    /// the index keeps allow.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownAddress`].
    pub fn wanted(&mut self, index: &mut Index) -> Result<Vec<String>, QueryError> {
        loop {
            for &id in &self.needed {
                if !self.have.contains_key(&id)
                    && let Some(shard) = index.cached(id)
                {
                    self.have.insert(id, shard);
                }
            }
            let missing = self.needed.iter().filter(|id| !self.have.contains_key(id));
            let missing: Vec<_> = missing.map(|id| id.name(index.manifest())).collect();
            if !missing.is_empty() {
                return Ok(missing);
            }
            if let State::Failed(error) = &self.state {
                return Err(error.clone());
            }
            if let State::Done(answer) = &mut self.state {
                // Now, not when the lookup began: one that is given up must not take this with it.
                if !std::mem::replace(&mut self.opening_counted, true) {
                    answer.cost.add(index.take_opening_cost());
                }
                return Ok(missing);
            }
            self.step(index);
        }
    }

    /// Takes a shard that [`wanted`](Self::wanted) named. Others, and those that are there already, are
    /// ignored and cost nothing.
    ///
    /// # Errors
    ///
    /// If it cannot be read; it can be supplied again.
    pub fn supply(&mut self, index: &mut Index, name: &str, bytes: &[u8]) -> Result<(), ReadError> {
        let manifest = index.manifest();
        let Some(&id) = self.needed.iter().find(|id| id.name(manifest) == name) else {
            return Ok(());
        };
        if self.have.contains_key(&id) {
            return Ok(());
        }
        let shard = index.read(id, bytes)?;
        self.have.insert(id, shard);
        self.cost.bytes += bytes.len() as u64;
        self.cost.requests += 1;
        self.cost.rounds += u32::from(!self.round_counted);
        self.round_counted = true;
        Ok(())
    }

    /// The answer, once [`wanted`](Self::wanted) names no more shards.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match &self.state {
            State::Done(answer) => Some(answer),
            _ => None,
        }
    }

    fn enter(&mut self, state: State, needed: impl IntoIterator<Item = ShardId>) {
        self.state = state;
        self.needed = needed.into_iter().collect();
        sort::by_key(&mut self.needed, |&id| id);
        self.needed.dedup();
        self.have.clear();
        self.round_counted = false;
    }

    /// Goes from a state whose shards are all there to the next.
    fn step(&mut self, index: &Index) {
        let manifest = index.manifest();
        match std::mem::replace(&mut self.state, State::Done(Answer::default())) {
            State::Address { given, variants } => {
                let mut pages: Vec<u32> = Vec::new();
                for variant in &variants {
                    let shard = ShardId::Address(manifest.address_shard(variant));
                    if let Some(Shard::Address(shard)) = self.have.get(&shard) {
                        pages.extend(shard.candidates(variant));
                    }
                }
                let blocks: Vec<_> =
                    pages.iter().map(|page| ShardId::Block(page / manifest.block_pages)).collect();
                self.enter(State::Own { given, variants, pages }, blocks);
            }
            State::Own { given, variants, pages } => {
                // `pages` is in the order of `variants`, likeliest first.
                let found = variants.iter().find_map(|variant| {
                    pages.iter().find_map(|&page| {
                        let record = self.record(index, page)?;
                        (record.url == *variant).then(|| (page, record.bag.clone()))
                    })
                });
                let Some((page, bag)) = found else {
                    let base_url = manifest.shown_base_url().to_owned();
                    let error = QueryError::UnknownAddress { address: given, base_url };
                    self.enter(State::Failed(error), []);
                    return;
                };
                self.compare(index, bag, Vec::new(), None, Some(page));
            }
            State::Tables(subject) => {
                let blocks = self.candidate_blocks(index, &subject);
                self.enter(State::Blocks(subject), blocks.into_iter().map(ShardId::Block));
            }
            State::Blocks(subject) => {
                let results = self.rank(index, &subject);
                let shards = sketch_shards(manifest, &subject, &results);
                let shards = shards.into_iter().map(ShardId::Sketches);
                self.enter(State::Sketches { subject, results }, shards);
            }
            State::Sketches { subject, results } => {
                let results = self.tell_near(manifest, subject, results);
                self.enter(State::Done(Answer { results, cost: self.cost }), []);
            }
            ended @ (State::Done(_) | State::Failed(_)) => self.state = ended,
        }
    }

    /// Begins the comparison of a bag.
    fn compare(
        &mut self,
        index: &Index,
        bag: Bag,
        terms: Vec<TextTerm>,
        known: Option<Known>,
        page: Option<u32>,
    ) {
        let manifest = index.manifest();
        let signature = index.key_signature(&bag);
        if manifest.tables.shards == 0 && signature.is_some() {
            let all = (0..manifest.blocks.shards).map(ShardId::Block);
            self.enter(State::Blocks(Subject { bag, terms, known, signature, page }), all);
            return;
        }
        let shards: Vec<_> = match &signature {
            Some(signature) => index
                .tables()
                .keys(signature)
                .map(|key| ShardId::Table(manifest.table_shard(&key)))
                .collect(),
            None => Vec::new(),
        };
        self.enter(State::Tables(Subject { bag, terms, known, signature, page }), shards);
    }

    /// The blocks whose candidates promise most, best first.
    fn candidate_blocks(&self, index: &Index, subject: &Subject) -> Vec<u32> {
        let Some(signature) = &subject.signature else { return Vec::new() };
        let manifest = index.manifest();
        let partners = manifest.params.tables.partners() as u64;
        // Pages with the number of their partners that agree and whether their bucket was cut.
        let mut met: Vec<(u32, u32, bool)> = Vec::new();
        let mut whole = 0;
        for key in index.tables().keys(signature) {
            let shard = ShardId::Table(manifest.table_shard(&key));
            if let Some(Shard::Table(shard)) = self.have.get(&shard) {
                let cut = shard.is_cut(&key);
                whole += u64::from(!cut);
                met.extend(shard.matches(&key).map(|(page, agreeing)| (page, agreeing, cut)));
            }
        }
        sort::by_key(&mut met, |&met| met);
        // Of a page that is in `a` of the query's buckets, `a p` partners are known, and the values of the keys: of its
        // buckets and of those that are whole, where a page that is missing does not agree. The part that agrees
        // estimates the similarity. A few values of no agreement are added, so that a page known by few must be the
        // better. In whole numbers, so it is the same everywhere.
        let estimates = met.chunk_by(|a, b| a.0 == b.0).map(|run| {
            let buckets = run.len() as u64;
            let agreeing = buckets + run.iter().map(|&(_, n, _)| u64::from(n)).sum::<u64>();
            let cut = run.iter().filter(|(_, _, cut)| *cut).count() as u64;
            let known = whole + cut + buckets * partners + CAUTION;
            (run[0].0, (agreeing << ESTIMATE_BITS) / known)
        });
        let mut blocks: Vec<(u32, u128)> = Vec::new();
        // Pages ascend, so those of a block come one after the other.
        for (page, estimate) in estimates {
            let block = page / manifest.block_pages;
            match blocks.last_mut() {
                Some((last, promised)) if *last == block => *promised += promise(estimate),
                _ => blocks.push((block, promise(estimate))),
            }
        }
        sort::by_key(&mut blocks, |&(block, promised)| (Reverse(promised), block));
        blocks.truncate(most_blocks(manifest.block_pages));
        let sure = blocks.iter().take_while(|(_, promised)| *promised >= promise(DOUBTFUL)).count();
        blocks.truncate(sure.max((SURE_COMPARED / manifest.block_pages).max(SURE_BLOCKS) as usize));
        blocks.into_iter().map(|(block, _)| block).collect()
    }

    /// Compares the subject with every page of the blocks that are there: the kin, with their numbers.
    fn rank(&self, index: &Index, subject: &Subject) -> Vec<(u32, Kin)> {
        let manifest = index.manifest();
        let filtered_by = if manifest.params.filter_percent == 0 {
            None
        } else {
            index.family().sign(&subject.bag)
        };
        let low_bytes = filtered_by.map_or_else(Vec::new, |signature| signature.low_bytes());
        let least_agreement = f64::from(manifest.params.filter_percent) / 100.0;
        let mut ranked = Vec::new();
        for (&id, shard) in self.have.iter() {
            let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
            for (slot, record) in &block.0 {
                let page = number * manifest.block_pages + slot;
                let similarity = Overlap::of(&subject.bag, &record.bag).jaccard();
                let filtered = !low_bytes.is_empty()
                    && agreement(&low_bytes, &record.signature) < least_agreement;
                if Some(page) != subject.page
                    && similarity > 0.0
                    && similarity >= self.options.min
                    && !filtered
                {
                    ranked.push((similarity, page, record));
                }
            }
        }
        // The bits of numbers that are not negative have the order of the numbers.
        sort::by_key(&mut ranked, |&(similarity, page, _)| (Reverse(similarity.to_bits()), page));
        ranked.truncate(self.options.limit as usize);
        let kin = ranked.into_iter().map(|(similarity, page, record)| {
            let mut terms: Vec<_> = shared(&subject.bag, &record.bag).collect();
            sort::by_key(&mut terms, |&(id, copies)| (Reverse(copies), id));
            let words = terms.iter().filter_map(|&(id, _)| subject.word(id, index));
            let kin = Kin {
                url: record.url.clone(),
                title: record.title.clone(),
                similarity,
                shared_terms: words.take(MAX_SHARED_TERMS).map(str::to_owned).collect(),
                near: None,
            };
            (page, kin)
        });
        kin.collect()
    }

    /// The results, with what the sketches that are there tell of them.
    fn tell_near(
        &self,
        manifest: &Manifest,
        subject: Subject,
        mut results: Vec<(u32, Kin)>,
    ) -> Vec<Kin> {
        let own = || Some(Known::of_page(self.sketch(manifest, subject.page?)?));
        if let Some(known) = subject.known.or_else(own) {
            for (page, kin) in &mut results {
                let sketch = self.sketch(manifest, *page).filter(|_| is_looked_at(kin));
                let sample = sketch.map(|sketch| known.shared_with(sketch));
                kin.near = sample.filter(|sample| sample.nearness().is_some());
            }
        }
        results.into_iter().map(|(_, kin)| kin).collect()
    }

    /// The sketch of a page, if its shard is there.
    fn sketch(&self, manifest: &Manifest, page: u32) -> Option<&Sketch> {
        match self.have.get(&ShardId::Sketches(page / manifest.sketch_pages)) {
            Some(Shard::Sketches(shard)) => shard.page(page % manifest.sketch_pages),
            _ => None,
        }
    }

    /// The record of a page whose block is there.
    fn record(&self, index: &Index, page: u32) -> Option<&PageRecord> {
        let block_pages = index.manifest().block_pages;
        match self.have.get(&ShardId::Block(page / block_pages)) {
            Some(Shard::Block(block)) => block.page(page % block_pages),
            _ => None,
        }
    }
}

/// Whether it is told what a result shares with the query.
fn is_looked_at(kin: &Kin) -> bool {
    kin.similarity >= LEAST_NEAR
}

/// The shards of the sketches of the best results, and of the page that was asked for.
fn sketch_shards(manifest: &Manifest, subject: &Subject, results: &[(u32, Kin)]) -> Vec<u32> {
    let mut shards = Vec::new();
    if manifest.sketches.shards == 0 || !results.iter().any(|(_, kin)| is_looked_at(kin)) {
        return shards;
    }
    let looked_at = results.iter().filter(|(_, kin)| is_looked_at(kin));
    for page in subject.page.into_iter().chain(looked_at.map(|&(page, _)| page)) {
        let shard = page / manifest.sketch_pages;
        if shards.len() < most_sketch_shards(manifest) && !shards.contains(&shard) {
            shards.push(shard);
        }
    }
    shards
}
