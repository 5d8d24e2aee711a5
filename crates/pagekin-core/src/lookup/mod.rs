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
//! | room | does |
//! | --- | --- |
//! | `query` | a text into terms and a bag |
//! | `blocks` | pages that were met in buckets into the blocks worth reading |
//! | `ranking` | the pages of these blocks into the kin, compared exactly |
//! | `near` | the sketches of the best kin into what they share with the query word by word |
//!
//! An index without tables, which is that of a small site, is read whole: there an answer misses nothing. A page of the
//! site meets itself in every table, so its neighbours in its block, which was read to know the page, are compared too: a
//! page and its own text have the same kin.

mod blocks;
mod near;
mod query;
mod ranking;

pub use blocks::MAX_BLOCKS;
pub use near::{LEAST_NEAR, MOST_SKETCHES};
pub use query::{QueryError, bag_of_text};
pub use ranking::{Kin, MAX_SHARED_TERMS};

use litemap::LiteMap;

use crate::address;
use crate::bag::Bag;
use crate::index::{Cost, Index, Shard, ShardId};
use crate::near::sketch::Known;
use crate::shard::{PageRecord, ReadError};
use crate::sort;
use crate::terms::TextTerm;
use query::{Subject, terms_of, weigh};

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

/// The answer of a lookup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The most similar first; equals in the order of the index.
    pub results: Vec<Kin>,
    /// What was read for it.
    pub cost: Cost,
}

/// Shards that are there.
type Shards = LiteMap<ShardId, Shard>;

/// One query on its way. Several may be under way on one index.
#[derive(Debug)]
pub struct Lookup {
    options: LookupOptions,
    state: State,
    /// The shards the present state needs, and those of them that are there.
    needed: Vec<ShardId>,
    have: Shards,
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
            have: Shards::new(),
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
                let blocks = blocks::most_promising(index, &subject, &self.have);
                self.enter(State::Blocks(subject), blocks.into_iter().map(ShardId::Block));
            }
            State::Blocks(subject) => {
                let results = ranking::rank(index, &subject, &self.have, self.options);
                let shards = near::shards_to_read(manifest, &subject, &results);
                let shards = shards.into_iter().map(ShardId::Sketches);
                self.enter(State::Sketches { subject, results }, shards);
            }
            State::Sketches { subject, results } => {
                let results = near::tell(manifest, subject, results, &self.have);
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

    /// The record of a page whose block is there.
    fn record(&self, index: &Index, page: u32) -> Option<&PageRecord> {
        let block_pages = index.manifest().block_pages;
        match self.have.get(&ShardId::Block(page / block_pages)) {
            Some(Shard::Block(block)) => block.page(page % block_pages),
            _ => None,
        }
    }
}
