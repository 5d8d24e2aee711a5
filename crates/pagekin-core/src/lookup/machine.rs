//! Runs a lookup from state to state.

use super::answer::Answer;
use super::candidates::{self, ListEvidence, Promising, Stage};
use super::grade::Confidence;
use super::neighborhood::{self, Neighborhood};
use super::options::{Candidates, LookupOptions};
use super::query::{
    LanguageBy, QueryError, Subject, TextLanguage, language_of, pairs_of, terms_of,
};
use super::ranking::{self, Ranked, SearchResult};
use super::refine::{self, Found, Refined, Refinement, Wanted};
use super::score::Evidence;
use super::short_query::{MAX_WORDS, Next, ShortQuery, Writing};
use super::tables::MAX_BLOCKS;
use super::{meaning, near, tables};
use crate::address;
use crate::index::{Cost, Index, Shard, ShardId, ShardMap};
use crate::near::identity::Identity;
use crate::near::shingles::token;
use crate::near::sketch::KnownShingles;
use crate::shard::{Kind, Manifest, PageRecord, ReadError};
use crate::sort;
use crate::terms::Words;

/// Maximum number of bytes of a text; the rest is ignored. A novel has fewer.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// A lookup in progress. An index can have several at a time.
#[derive(Debug)]
pub struct Lookup {
    options: LookupOptions,
    language: Option<TextLanguage>,
    neighborhood: Option<Neighborhood>,
    refined: Refined,
    /// The number of results, if the lookup is refined.
    found: Option<Found>,
    /// The answer of the last stage, if the lookup reads on.
    partial: Option<Box<Answer>>,
    state: State,
    /// The shards that the current state needs, and those of them that are available.
    needed: Vec<ShardId>,
    available: ShardMap,
    cost: Cost,
    /// Whether the current round has been counted, because a shard was supplied for it.
    round_counted: bool,
    /// Whether the cost of opening the index has been added to that of the answer.
    opening_counted: bool,
}

#[derive(Debug)]
enum State {
    /// Waits for the shards of the addresses that the page may have.
    Address {
        given: String,
        variants: Vec<String>,
    },
    /// Waits for the blocks of the pages that may be the requested one, and for the words of its
    /// terms.
    Own {
        given: String,
        variants: Vec<String>,
        pages: Vec<u32>,
    },
    /// Waits for lists and table shards.
    Candidates {
        subject: Subject,
        stage: Stage,
        /// The shards that an earlier stage has read.
        read: Vec<ShardId>,
    },
    /// Waits for the blocks of candidates and their sketches. If the index is read whole, waits for
    /// all blocks, without sketches. May also wait for the lists of the next stage.
    Blocks {
        subject: Subject,
        evidence: Box<Evidence>,
        stage: Stage,
    },
    /// Waits for the sketches of the results, if these were unknown before.
    Sketches {
        subject: Subject,
        ranked: Ranked,
    },
    /// Waits for the shards of filters: first for their directory, then for the pages of values.
    Refining {
        refinement: Refinement,
        /// What to do then. Without it, the pages of the filter are listed.
        then: Option<Box<Begun>>,
    },
    /// Waits for the blocks of the pages that a filter lists.
    Listed(Vec<u32>),
    /// Waits for the completions of a few words.
    Short(ShortQuery),
    /// Waits for the shards of all filters, to count the values of results.
    Counting(Answer),
    Done(Answer),
    Failed(QueryError),
}

/// A state, and the shards that it needs.
#[derive(Debug)]
struct Begun {
    state: State,
    needed: Vec<ShardId>,
}

impl Lookup {
    /// Looks up the pages that contain or resemble a text, by [`bag_of_text`](super::bag_of_text).
    /// Only the first [`MAX_TEXT_BYTES`] of the text are used, so that no lookup takes long.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`]. A text without any word of the site is not an error: its answer
    /// is empty.
    pub fn from_text(
        index: &Index,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Self, QueryError> {
        let words = Words::new(&text[..text.floor_char_boundary(MAX_TEXT_BYTES)]);
        let language = language_of(index, &words, lang);
        let known = (index.manifest().sketches.shards > 0).then(|| {
            let tokens: Vec<u64> = words.iter().map(token).collect();
            KnownShingles::from_tokens(&tokens, Identity::from_text(words.text()))
        });
        if words.iter().nth(MAX_WORDS).is_none() {
            let query = ShortQuery::new(index, words.text(), lang, Writing::Text)?;
            return Ok(Self::from_short(index, query.with_known(known), options));
        }
        let terms = terms_of(index, &words, language.as_ref())?;
        let pairs = pairs_of(index, &words, language.as_ref());
        let mut lookup = Self::begin(options);
        lookup.language = language;
        lookup.compare(index, Subject::from_text(index, terms, pairs, known));
        Ok(lookup)
    }

    /// Looks up pages by words as they are typed into a search box. The last word may be
    /// incomplete, and each may have one typo. The answer lists [the words searched
    /// instead](Answer::corrections). A page whose title consists of the words gets a higher score.
    ///
    /// # Errors
    ///
    /// [`QueryError::EmptyQuery`].
    pub fn from_typed(
        index: &Index,
        words: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Self, QueryError> {
        let query = ShortQuery::new(index, words, lang, Writing::Typed)?;
        Ok(Self::from_short(index, query, options))
    }

    fn from_short(index: &Index, query: ShortQuery, options: LookupOptions) -> Self {
        let mut lookup = Self::begin(options);
        lookup.language = query.language.clone();
        let needed = query.shards(index.manifest());
        lookup.enter(State::Short(query), needed);
        lookup
    }

    /// Looks up the pages similar to a page of the site, by any of [its URLs](address::variants).
    /// [`wanted`](Self::wanted) reports an unknown URL later.
    #[must_use]
    pub fn from_url(index: &Index, url: &str, options: LookupOptions) -> Self {
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

    /// Lists the pages that a filter finds, without a text: at most 256, in the order of the index
    /// unless they are sorted. Their scores are 0. Without a filter, it lists the pages that have
    /// the sort key.
    #[must_use]
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn from_filter(index: &Index, refinement: Refinement, options: LookupOptions) -> Self {
        let mut lookup = Self::begin(options);
        lookup.read_filters(index.manifest(), refinement, None);
        lookup
    }

    /// Finds only the pages of a filter, sorts them, and counts the values of results. Call it
    /// before the lookup is supplied with shards. The answer then has
    /// [`found`](Answer::found).
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn refine(&mut self, index: &Index, refinement: Refinement) {
        let state = std::mem::replace(&mut self.state, State::Done(Answer::default()));
        let needed = std::mem::take(&mut self.needed);
        self.read_filters(index.manifest(), refinement, Some(Box::new(Begun { state, needed })));
    }

    /// Requests the shards of filters that are known to be needed.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn read_filters(
        &mut self,
        manifest: &Manifest,
        refinement: Refinement,
        then: Option<Box<Begun>>,
    ) {
        let shards = refine::shards_to_read(manifest, &refinement, &self.available);
        if shards.iter().any(|shard| !self.available.contains_key(shard)) {
            self.enter(State::Refining { refinement, then }, shards);
            return;
        }
        self.refined = Refined::new(manifest, &refinement, &self.available);
        self.found = Some(Found::default());
        if let Some(begun) = then {
            let Begun { state, needed } = *begun;
            self.enter(state, needed);
            return;
        }
        let pages = self.refined.list(self.options.limit);
        self.found = Some(self.refined.found(false));
        let blocks: Vec<_> =
            pages.iter().map(|page| ShardId::Block(page / manifest.block_pages)).collect();
        self.enter(State::Listed(pages), blocks);
    }

    /// Finishes with these pages, whose blocks are available.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn answer_with_pages(&mut self, index: &Index, pages: &[u32]) {
        let records = pages.iter().filter_map(|&page| self.record(index, page));
        let results = records.map(listed).collect();
        self.finish(index.manifest(), Answer { results, ..Answer::default() });
    }

    /// Requests the shards of filters, to count the results with each value: first their
    /// directory.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn begin_to_count(&mut self, manifest: &Manifest, answer: Answer) {
        let has_filters = manifest.filters.shards > 0;
        self.partial = has_filters.then(|| Box::new(answer.clone()));
        self.enter(State::Counting(answer), has_filters.then_some(ShardId::Filters(0)));
    }

    /// Finishes with the numbers of results with each value.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn count(&mut self, mut answer: Answer) {
        if let Some(shards) = Refined::shards_to_count(&self.available) {
            let shards = shards.map(ShardId::Filters);
            if shards.clone().any(|shard| !self.available.contains_key(&shard)) {
                self.enter(State::Counting(answer), shards);
                return;
            }
            if let Some(found) = &mut answer.found {
                found.filters = Some(self.refined.counts(&self.available));
            }
        }
        self.partial = None;
        answer.cost = self.cost;
        self.enter(State::Done(answer), []);
    }

    fn begin(options: LookupOptions) -> Self {
        Self {
            options,
            language: None,
            neighborhood: None,
            refined: Refined::default(),
            found: None,
            partial: None,
            state: State::Done(Answer::default()),
            needed: Vec::new(),
            available: ShardMap::new(),
            cost: Cost::default(),
            round_counted: false,
            opening_counted: false,
        }
    }

    /// Returns the names of the shards to supply next, or none once there is an answer. Advances as
    /// far as cached shards allow.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownUrl`].
    pub fn wanted(&mut self, index: &mut Index) -> Result<Vec<String>, QueryError> {
        loop {
            for &id in &self.needed {
                if !self.available.contains_key(&id)
                    && let Some(shard) = index.cached(id)
                {
                    self.available.insert(id, shard);
                }
            }
            let missing = self.needed.iter().filter(|id| !self.available.contains_key(id));
            let missing: Vec<_> = missing.map(|id| id.name(index.manifest())).collect();
            if !missing.is_empty() {
                return Ok(missing);
            }
            if let State::Failed(error) = &self.state {
                return Err(error.clone());
            }
            if let State::Done(answer) = &mut self.state {
                // Taken now, not when the lookup began, so that an abandoned lookup does not take
                // this cost with it.
                if !std::mem::replace(&mut self.opening_counted, true) {
                    answer.cost.add(index.take_opening_cost());
                }
                return Ok(missing);
            }
            self.step(index);
        }
    }

    /// Takes a shard that [`wanted`](Self::wanted) named. Other shards, and those supplied before,
    /// are ignored and cost nothing.
    ///
    /// # Errors
    ///
    /// If the shard cannot be read. It can be supplied again.
    pub fn supply(&mut self, index: &mut Index, name: &str, bytes: &[u8]) -> Result<(), ReadError> {
        let manifest = index.manifest();
        let Some(&id) = self.needed.iter().find(|id| id.name(manifest) == name) else {
            return Ok(());
        };
        if self.available.contains_key(&id) {
            return Ok(());
        }
        let shard = index.read(id, bytes)?;
        self.available.insert(id, shard);
        self.cost.bytes += bytes.len() as u64;
        self.cost.requests += 1;
        self.cost.rounds += u32::from(!self.round_counted);
        self.round_counted = true;
        Ok(())
    }

    /// Returns the approximate memory of its shards and of the next state, in bytes.
    pub(super) fn memory(&self, index: &Index) -> usize {
        let of_shards: usize = self.available.values().map(Shard::memory).sum();
        let State::Candidates { subject, .. } = &self.state else { return of_shards };
        of_shards + candidates::memory(index.manifest(), subject, &self.available)
    }

    /// Returns the kinds and numbers of the shards of this round, including those that are
    /// available. This shows why [`wanted`](Self::wanted) names them.
    pub fn round(&self) -> impl Iterator<Item = (Kind, u32)> + '_ {
        self.needed.iter().map(|&id| id.parts())
    }

    /// Returns the answer, once [`wanted`](Self::wanted) names no more shards.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match &self.state {
            State::Done(answer) => Some(answer),
            _ => None,
        }
    }

    /// Returns the number of results of a refined lookup, once these are known.
    #[must_use]
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn found(&self) -> Option<&Found> {
        match &self.state {
            State::Done(answer) | State::Counting(answer) => answer.found.as_ref(),
            _ => None,
        }
    }

    /// Returns the answer by what has been read, if the lookup [reads on](Self::wanted) because
    /// more may change it. Returns each such answer once. Its results are not compared with the
    /// text word for word. That of a refined lookup has all but the numbers of results with each
    /// value.
    pub fn take_partial(&mut self) -> Option<Box<Answer>> {
        self.partial.take()
    }

    fn enter(&mut self, state: State, needed: impl IntoIterator<Item = ShardId>) {
        self.state = state;
        self.needed = needed.into_iter().collect();
        sort::by_key(&mut self.needed, |&id| id);
        self.needed.dedup();
        self.available.clear();
        self.round_counted = false;
    }

    /// Moves from a state whose shards are all available to the next.
    fn step(&mut self, index: &Index) {
        let manifest = index.manifest();
        match std::mem::replace(&mut self.state, State::Done(Answer::default())) {
            State::Address { given, variants } => self.request_pages(manifest, given, variants),
            State::Own { given, variants, pages } => match self.page_of(index, &variants, &pages) {
                Some(subject) => self.compare(index, subject),
                None => {
                    let base_url = manifest.shown_base_url().to_owned();
                    let error = QueryError::UnknownUrl { url: given, base_url };
                    self.enter(State::Failed(error), []);
                }
            },
            State::Refining { refinement, then } => self.read_filters(manifest, refinement, then),
            State::Listed(pages) => self.answer_with_pages(index, &pages),
            State::Short(query) => match query.next(index, &self.available) {
                Ok(Next::Compare(subject)) => self.compare(index, subject),
                Ok(Next::Read(query, needed)) => self.enter(State::Short(query), needed),
                Err(error) => self.enter(State::Failed(error), []),
            },
            State::Candidates { subject, stage, read } => {
                self.request_blocks(index, subject, stage, read);
            }
            State::Blocks { subject, evidence, stage } => {
                self.rank(index, subject, &evidence, stage);
            }
            State::Sketches { subject, ranked } => self.answer_with(manifest, subject, ranked),
            State::Counting(answer) => self.count(answer),
            ended @ (State::Done(_) | State::Failed(_)) => self.state = ended,
        }
    }

    /// Requests the blocks of the pages that may have one of these URLs, and the words to show for
    /// terms.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn request_pages(&mut self, manifest: &Manifest, given: String, variants: Vec<String>) {
        let mut pages: Vec<u32> = Vec::new();
        for variant in &variants {
            let shard = ShardId::Address(manifest.address_shard(variant));
            if let Some(Shard::Address(shard)) = self.available.get(&shard) {
                pages.extend(shard.candidates(variant));
            }
        }
        // A site has fewer URLs that share half of a hash.
        pages.truncate(MAX_BLOCKS);
        let blocks = pages.iter().map(|page| ShardId::Block(page / manifest.block_pages));
        // Words are needed only if there is a page.
        let words = (!pages.is_empty()).then_some(ShardId::Words);
        let needed: Vec<_> = blocks.chain(words).collect();
        self.enter(State::Own { given, variants, pages }, needed);
    }

    /// Returns the page among `pages` that has one of the URLs in `variants`, likeliest first.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    fn page_of(&self, index: &Index, variants: &[String], pages: &[u32]) -> Option<Subject> {
        let words = match self.available.get(&ShardId::Words) {
            Some(Shard::Words(words)) => Some(&**words),
            _ => None,
        };
        variants.iter().find_map(|variant| {
            pages.iter().find_map(|&page| {
                let record = self.record(index, page)?;
                (record.url == *variant).then(|| Subject::from_page(page, record, words))
            })
        })
    }

    /// Requests the blocks and sketches that are worth reading.
    fn request_blocks(
        &mut self,
        index: &Index,
        subject: Subject,
        stage: Stage,
        mut read: Vec<ShardId>,
    ) {
        let manifest = index.manifest();
        let mut listed = ListEvidence::new(manifest, &subject, &self.available);
        listed.pages.retain(|candidate| self.refined.finds(candidate.page));
        let Promising { mut blocks, sketches } = self.promising(index, &subject, &listed, stage);
        if self.found.is_some()
            && let Some(found) =
                self.refined.blocks(manifest, &subject, &listed, &self.available, self.options)
        {
            blocks = found;
        }
        let mut needed = ids(blocks, ShardId::Block);
        needed.append(&mut ids(sketches, ShardId::Sketches));
        needed.append(&mut read);
        // If the lists show no page with the whole text, those of the next stage are probably
        // needed, too.
        let is_question = meaning::may_be_question(manifest, &subject);
        let next = stage.next(is_question).filter(|_| self.reads_lists(manifest));
        if let Some(next) = next.filter(|_| !listed.has_whole(manifest)) {
            let lists = candidates::shards_to_read(manifest, &subject, next);
            needed.append(&mut ids(lists, ShardId::List));
        }
        // The own block of a page has been read already. Its neighbors there belong to the
        // neighborhood.
        if self.options.around.is_some() {
            needed.extend(subject.page.map(|page| ShardId::Block(page / manifest.block_pages)));
        }
        self.enter(State::Blocks { subject, evidence: Box::new(listed.evidence), stage }, needed);
    }

    /// Ranks the pages of the available blocks. Reads on if that may change the answer.
    fn rank(&mut self, index: &Index, subject: Subject, evidence: &Evidence, stage: Stage) {
        let manifest = index.manifest();
        let wanted = Wanted { options: self.options, refined: &self.refined };
        let mut ranked = ranking::rank(index, &subject, evidence, &self.available, wanted);
        let next = stage.next(ranked.is_question).filter(|_| !ranked.has_whole);
        if let Some(stage) = next.filter(|_| self.reads_lists(manifest)) {
            self.partial = self.found.is_none().then(|| {
                let (language, cost) = (self.language.clone(), self.cost);
                Box::new(Answer { language, cost, ..answer_of(ranked) })
            });
            let read = std::mem::take(&mut self.needed);
            let lists = ids(candidates::shards_to_read(manifest, &subject, stage), ShardId::List);
            self.enter(State::Candidates { subject, stage, read }, lists);
            return;
        }
        if self.found.is_some() {
            self.refined.results = std::mem::take(&mut ranked.pages);
            self.found = Some(self.refined.found(manifest.read_whole));
        }
        self.neighborhood = self.options.around.map(|around| {
            neighborhood::of(index, &subject, &ranked.results, &self.available, around)
        });
        if manifest.read_whole {
            let pages = ranked.results.iter().map(|&(page, _)| page);
            let sketches = near::shards_to_read(manifest, &subject, pages);
            self.enter(State::Sketches { subject, ranked }, ids(sketches, ShardId::Sketches));
            return;
        }
        self.answer_with(manifest, subject, ranked);
    }

    fn reads_lists(&self, manifest: &Manifest) -> bool {
        manifest.lists.shards > 0 && self.options.candidates != Candidates::Tables
    }

    /// Starts the comparison of a subject.
    fn compare(&mut self, index: &Index, mut subject: Subject) {
        let manifest = index.manifest();
        let known = self.language.as_ref().filter(|known| known.by != LanguageBy::Assumed);
        if let Some(known) = known {
            subject.language = manifest.language_number(&known.language);
        }
        let has_lists = self.reads_lists(manifest);
        let is_best = self.options.candidates == Candidates::Best;
        let needs_tables = !has_lists || (is_best && subject.is_long);
        let mut table_shards = Vec::new();
        if manifest.tables.shards > 0 && needs_tables {
            table_shards = tables::shards_to_read(index, &mut subject);
        }
        if manifest.read_whole {
            let all = (0..manifest.blocks.shards).map(ShardId::Block);
            let ListEvidence { evidence, .. } =
                ListEvidence::new(manifest, &subject, &ShardMap::new());
            let evidence = Box::new(evidence);
            self.enter(State::Blocks { subject, evidence, stage: Stage::Full }, all);
            return;
        }
        let stage = if has_lists { Stage::new(manifest, &subject) } else { Stage::Full };
        let mut needed = ids(table_shards, ShardId::Table);
        if has_lists {
            let lists = candidates::shards_to_read(manifest, &subject, stage);
            needed.append(&mut ids(lists, ShardId::List));
        }
        self.enter(State::Candidates { subject, stage, read: Vec::new() }, needed);
    }

    /// Finishes with these results, compared with the query by the available sketches.
    fn answer_with(&mut self, manifest: &Manifest, subject: Subject, mut ranked: Ranked) {
        near::compare(
            manifest,
            subject,
            [&mut ranked.results, &mut ranked.other_results],
            &self.available,
        );
        self.finish(manifest, answer_of(ranked));
    }

    fn finish(&mut self, manifest: &Manifest, mut answer: Answer) {
        self.partial = None;
        answer.language = self.language.take();
        answer.neighborhood = self.neighborhood.take();
        answer.found = self.found.take();
        answer.cost = self.cost;
        match self.refined.counts {
            true => self.begin_to_count(manifest, answer),
            false => self.enter(State::Done(answer), []),
        }
    }

    /// Chooses what to read next, by the available lists and table shards.
    fn promising(
        &self,
        index: &Index,
        subject: &Subject,
        listed: &ListEvidence,
        stage: Stage,
    ) -> Promising {
        let manifest = index.manifest();
        let by_tables = match &subject.signature {
            Some(signature) => {
                let finds = |page| self.refined.finds(page);
                tables::most_promising(index, signature, &self.available, finds)
            }
            None => Vec::new(),
        };
        if self.options.candidates == Candidates::Tables || manifest.lists.shards == 0 {
            let near = by_tables.iter().map(|block| block * manifest.block_pages);
            let sketches = near::shards_to_read(manifest, subject, near);
            return Promising { blocks: by_tables, sketches };
        }
        let sketches = near::shards_to_read(manifest, subject, listed.pages_that_repeat());
        candidates::promising(manifest, subject, listed, &by_tables, sketches, stage)
    }

    /// Returns the record of a page whose block is available.
    fn record(&self, index: &Index, page: u32) -> Option<&PageRecord> {
        let block_pages = index.manifest().block_pages;
        match self.available.get(&ShardId::Block(page / block_pages)) {
            Some(Shard::Block(block)) => block.page(page % block_pages),
            _ => None,
        }
    }
}

/// Returns the answer of ranked pages, without what the lookup knows.
#[inline(never)] // Called from two places.
fn answer_of(ranked: Ranked) -> Answer {
    let Ranked { results, other_results, by: ranked_by, unmatched, corrections, .. } = ranked;
    let [results, other_results] =
        [results, other_results].map(|list| list.into_iter().map(|(_, result)| result).collect());
    Answer { results, ranked_by, other_results, unmatched, corrections, ..Answer::default() }
}

/// Returns a page that a filter lists, without a text.
fn listed(page: &PageRecord) -> SearchResult {
    SearchResult {
        url: page.url.clone(),
        title: page.title.clone(),
        metadata: page.metadata.clone(),
        score: 0.0,
        similarity: 0.0,
        coverage: 0.0,
        copies: Vec::new(),
        confidence: Confidence::Low,
        shared_terms: Vec::new(),
        missing_terms: Vec::new(),
        near: None,
    }
}

/// Returns the ids of these shards of a kind.
fn ids(numbers: Vec<u32>, kind: fn(u32) -> ShardId) -> Vec<ShardId> {
    numbers.into_iter().map(kind).collect()
}
