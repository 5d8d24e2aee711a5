//! From a text or a page of the site to the matching pages: a state machine that names the shards
//! it wants, is supplied with their bytes, and answers. It does no I/O, so the browser, the command
//! line and tests run the same code and get the same answer at the same cost.
//!
//! ```text
//! a text            -> terms, bag -> lists, tables -> candidates -> blocks, sketches -> compared, ranked
//! a page's address  -> address shard -> its block -> terms, bag -> (as above)
//! words of a title  -> terms -> lists -> pages whose titles or headings have them -> blocks -> ranked
//! ```
//!
//! | room | does |
//! | --- | --- |
//! | `query` | a text into terms and a bag |
//! | `pairs` | which pairs of characters of scripts without spaces are neighbours |
//! | `candidates` | the lists of its terms into the blocks worth reading |
//! | `tables` | pages found in buckets into the same |
//! | `ranking` | the pages of these blocks into ranked results |
//! | `shared_words` | the terms that a result shares into words for people |
//! | `neighbourhood` | what was read into a map of pages that are alike, and clusters |
//! | `near` | the sketches of the best pages into what they share with the query word for word |
//! | `titles` | words into the pages whose titles have them |
//! | `drive` | a lookup into its answer, by a caller that waits for what it reads |
//!
//! The index of a small site has no lists and tables. It is read whole, except for sketches, which
//! are read for the best pages only, so an answer misses nothing. For a page of the site, its own
//! block has been read already, so its neighbours there are compared too.

mod candidates;
mod drive;
mod near;
mod neighbourhood;
mod pairs;
mod query;
mod ranking;
mod shared_words;
mod tables;
mod titles;

pub use candidates::MOST_LISTS;
pub(crate) use candidates::unknown_idf;
pub use near::{MOST_SKETCH_SHARDS, SKETCHED_TOKENS};
pub use neighbourhood::{Around, Cluster, Link, Neighbour, Neighbourhood};
pub use query::{LanguageBy, QueryError, TextLanguage, bag_of_text};
pub(crate) use query::{analyzer, language_of};
pub use ranking::{Kin, RankedBy, Strength};
pub use shared_words::MAX_SHARED_TERMS;
pub use tables::MAX_BLOCKS;

use litemap::LiteMap;

use crate::address;
use crate::index::{Cost, Index, Shard, ShardId};
use crate::near::shingles::token;
use crate::near::sketch::Known;
use crate::shard::{Kind, Manifest, PageRecord, ReadError};
use crate::sort;
use crate::terms::Words;
use candidates::{Candidate, Listed, Promising};
use query::{Subject, pairs_of, terms_of};
use titles::Title;

/// The most bytes of a text that are looked for: a novel has fewer.
pub const MOST_TEXT: usize = 1 << 20;

/// How many results, and how good they must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupOptions {
    /// Maximum number of results.
    pub limit: u32,
    /// Minimum score ([`RankedBy`]) of a result, from 0 (all, except those that are negligible
    /// compared with the best) to 1.
    pub min: f64,
    /// How candidates are found.
    pub candidates: Candidates,
    /// Whether the neighbourhood is told of too, and which.
    pub around: Option<Around>,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self { limit: 10, min: 0.0, candidates: Candidates::Best, around: None }
    }
}

/// How candidates are found, as far as the index supports it. All but [`Best`](Self::Best) are for
/// measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Candidates {
    /// By the lists of terms; for a whole page also by the LSH tables.
    #[default]
    Best,
    /// By the lists only.
    Lists,
    /// By the tables only.
    Tables,
}

/// The answer of a lookup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best first; ties in the order of the index.
    pub results: Vec<Kin>,
    /// The score that the results are ranked by.
    pub ranked_by: RankedBy,
    /// The language that a text was read in. `None` for a page of the site, and for a text in a
    /// script that no language of the site is written in: no word of it is stemmed or dropped.
    pub language: Option<TextLanguage>,
    /// What is around the results, if [`LookupOptions::around`] asks for it.
    pub neighbourhood: Option<Neighbourhood>,
    /// What was read for the answer.
    pub cost: Cost,
}

/// Shards that are there.
type Shards = LiteMap<ShardId, Shard>;

/// A query in progress. An index can have several at a time.
#[derive(Debug)]
pub struct Lookup {
    options: LookupOptions,
    language: Option<TextLanguage>,
    neighbourhood: Option<Neighbourhood>,
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
    /// Waits for lists and table shards.
    Candidates(Subject),
    /// Waits for blocks of candidates and their sketches; of all blocks, if there are no
    /// candidates, without sketches. With the inverse document frequencies of the subject's terms.
    Blocks {
        subject: Subject,
        idfs: Vec<u8>,
    },
    /// Waits for sketches of the results, where it was not known before which these are.
    Sketches {
        subject: Subject,
        results: Vec<(u32, Kin)>,
        ranked_by: RankedBy,
    },
    /// Waits for the lists of words of a title.
    TitleLists {
        title: Title,
        limit: u32,
    },
    /// Waits for the blocks of pages that may have it.
    TitleBlocks {
        title: Title,
        pages: Vec<Candidate>,
        limit: u32,
    },
    Done(Answer),
    Failed(QueryError),
}

impl Lookup {
    /// Looks up the pages that contain or resemble a text, by [`bag_of_text`]. Of a text beyond
    /// [`MOST_TEXT`] the beginning is looked for: no lookup takes long, whatever it is given.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`]. A text without any word of the site is not an error: its answer
    /// is empty.
    pub fn of_text(
        index: &Index,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Self, QueryError> {
        let words = Words::of(&text[..text.floor_char_boundary(MOST_TEXT)]);
        let language = language_of(index, &words, lang);
        let terms = terms_of(index, &words, language.as_ref())?;
        let known = (index.manifest().sketches.shards > 0)
            .then(|| Known::of_tokens(&words.iter().map(token).collect::<Vec<_>>()));
        let pairs = pairs_of(index, &words, language.as_ref());
        let mut lookup = Self::begin(options);
        lookup.language = language;
        lookup.compare(index, Subject::of_text(index, terms, pairs, known));
        Ok(lookup)
    }

    /// Looks up the pages whose titles or headings have the words of `words`: first those whose
    /// titles have the most of them, then those whose titles have the fewest others. On a site that
    /// is read whole, headings are ignored.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`].
    pub fn of_title(index: &Index, words: &str, limit: u32) -> Result<Self, QueryError> {
        let title = Title::new(index, words)?;
        let mut lookup = Self::begin(LookupOptions { limit, ..LookupOptions::default() });
        let manifest = index.manifest();
        if manifest.lists.shards == 0 {
            let blocks = titles::blocks_without_lists(manifest).map(ShardId::Block);
            lookup.enter(State::TitleBlocks { title, pages: Vec::new(), limit }, blocks);
        } else {
            let lists = title.lists(manifest).into_iter().map(ShardId::List);
            lookup.enter(State::TitleLists { title, limit }, lists);
        }
        Ok(lookup)
    }

    /// Looks up the pages similar to a page of the site by its address, see [`address::variants`].
    /// An unknown address is reported later, by [`wanted`](Self::wanted).
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
            language: None,
            neighbourhood: None,
            state: State::Done(Answer::default()),
            needed: Vec::new(),
            have: Shards::new(),
            cost: Cost::default(),
            round_counted: false,
            opening_counted: false,
        }
    }

    /// The names of the shards to supply next; none once there is an answer. Advances as far as
    /// cached shards allow.
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

    /// Takes a shard that [`wanted`](Self::wanted) named. Others, and those supplied before, are
    /// ignored and cost nothing.
    ///
    /// # Errors
    ///
    /// If the shard cannot be read; it can be supplied again.
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

    /// The shards of this round, those that are there already too, by what they hold and their
    /// numbers: for who shows why [`wanted`](Self::wanted) names them.
    pub fn round(&self) -> impl Iterator<Item = (Kind, u32)> + '_ {
        self.needed.iter().map(|&id| id.parts())
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
                        (record.url == *variant).then(|| Subject::of_page(page, record))
                    })
                });
                let Some(subject) = found else {
                    let base_url = manifest.shown_base_url().to_owned();
                    let error = QueryError::UnknownAddress { address: given, base_url };
                    self.enter(State::Failed(error), []);
                    return;
                };
                self.compare(index, subject);
            }
            State::Candidates(subject) => {
                let listed = Listed::of(manifest, &subject, &self.have);
                let Promising { blocks, sketches } = self.promising(index, &subject, &listed);
                let blocks = blocks.into_iter().map(ShardId::Block);
                let sketches = sketches.into_iter().map(ShardId::Sketches);
                // A page's own block has been read already; its neighbours there are around it.
                let own = subject.page.filter(|_| self.options.around.is_some());
                let own = own.map(|page| ShardId::Block(page / manifest.block_pages));
                let needed: Vec<_> = blocks.chain(sketches).chain(own).collect();
                self.enter(State::Blocks { subject, idfs: listed.idfs }, needed);
            }
            State::Blocks { subject, idfs } => {
                let (ranked_by, results) =
                    ranking::rank(index, &subject, idfs, &self.have, self.options);
                self.neighbourhood = self
                    .options
                    .around
                    .map(|around| neighbourhood::of(index, &subject, &results, &self.have, around));
                if is_read_whole(manifest) {
                    let pages = results.iter().map(|&(page, _)| page);
                    let sketches = near::shards_to_read(manifest, &subject, pages);
                    let sketches = sketches.into_iter().map(ShardId::Sketches);
                    self.enter(State::Sketches { subject, results, ranked_by }, sketches);
                    return;
                }
                self.tell(manifest, subject, results, ranked_by);
            }
            State::Sketches { subject, results, ranked_by } => {
                self.tell(manifest, subject, results, ranked_by);
            }
            State::TitleLists { title, limit } => {
                let (pages, blocks) = title.candidates(index, &self.have);
                let blocks = blocks.into_iter().map(ShardId::Block);
                self.enter(State::TitleBlocks { title, pages, limit }, blocks);
            }
            State::TitleBlocks { title, pages, limit } => {
                let results = title.rank(index, &pages, &self.have, limit);
                self.finish(results, RankedBy::Found);
            }
            ended @ (State::Done(_) | State::Failed(_)) => self.state = ended,
        }
    }

    /// Begins the comparison of a subject.
    fn compare(&mut self, index: &Index, mut subject: Subject) {
        let manifest = index.manifest();
        let candidates = self.options.candidates;
        let has_lists = manifest.lists.shards > 0 && candidates != Candidates::Tables;
        let needs_tables = !has_lists || (candidates == Candidates::Best && subject.is_long);
        if manifest.tables.shards > 0 && needs_tables {
            subject.signature = index.key_signature(&subject.bag);
        }
        if is_read_whole(manifest) {
            let all = (0..manifest.blocks.shards).map(ShardId::Block);
            let Listed { idfs, .. } = Listed::of(manifest, &subject, &Shards::new());
            self.enter(State::Blocks { subject, idfs }, all);
            return;
        }
        let lists =
            if has_lists { candidates::shards_to_read(manifest, &subject) } else { Vec::new() };
        let mut needed: Vec<_> = lists.into_iter().map(ShardId::List).collect();
        if let Some(signature) = &subject.signature {
            let keys = index.tables().keys(signature);
            needed.extend(keys.map(|key| ShardId::Table(manifest.table_shard(&key))));
        }
        self.enter(State::Candidates(subject), needed);
    }

    /// Answers with these results, and what the sketches that are there tell of them.
    fn tell(
        &mut self,
        manifest: &Manifest,
        subject: Subject,
        results: Vec<(u32, Kin)>,
        ranked_by: RankedBy,
    ) {
        let results = near::tell(manifest, subject, results, &self.have);
        self.finish(results, ranked_by);
    }

    fn finish(&mut self, results: Vec<Kin>, ranked_by: RankedBy) {
        let language = self.language.take();
        let (neighbourhood, cost) = (self.neighbourhood.take(), self.cost);
        let answer = Answer { results, ranked_by, language, neighbourhood, cost };
        self.enter(State::Done(answer), []);
    }

    /// What is worth reading next, by the lists and table shards that are there.
    fn promising(&self, index: &Index, subject: &Subject, listed: &Listed) -> Promising {
        let manifest = index.manifest();
        let by_tables = tables::most_promising(index, subject, &self.have);
        if self.options.candidates == Candidates::Tables || manifest.lists.shards == 0 {
            let near = by_tables.iter().map(|block| block * manifest.block_pages);
            let sketches = near::shards_to_read(manifest, subject, near);
            return Promising { blocks: by_tables, sketches };
        }
        candidates::promising(manifest, subject, listed, &by_tables)
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

/// Whether nothing says which blocks are worth reading.
fn is_read_whole(manifest: &Manifest) -> bool {
    manifest.lists.shards + manifest.tables.shards == 0
}
