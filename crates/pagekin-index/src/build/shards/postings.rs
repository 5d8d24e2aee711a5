//! Builds the lists of terms from the records of pages.
//!
//! Shards are built a few at a time, each time from all pages, so that memory only holds the
//! postings of some of the terms.

use std::ops::Range;

use pagekin_core::fit::TITLE_LEVEL;
use pagekin_core::shard::{
    Manifest, Model, PageTerm, Posting, PostingsShard, TermList, shard_of_list,
};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::build::error::BuildError;
use crate::build::pages::embeddings::SiteEmbeddings;
use crate::build::pages::vocabulary::{WeightedPage, record_length};
use crate::build::shards::models;

/// Minimum number of terms in a shard. A request for a shard reveals only that one of them is
/// meant.
const MIN_TERMS: u32 = 64;
/// Additional terms of each shard in a new index, so that some terms can disappear later.
const ROOM_FOR_LEAVING: u32 = 4;
/// Approximate number of postings of the shards built at a time.
const POSTINGS_AT_A_TIME: usize = 24 << 20;

/// Pages with their numbers.
pub(crate) struct NumberedPages<'a> {
    pub(crate) pages: &'a [WeightedPage],
    pub(crate) numbers: &'a [u32],
    pub(crate) embeddings: Option<&'a SiteEmbeddings>,
    pub(crate) observer: &'a dyn Observer,
}

/// Terms of a site.
pub(crate) struct Terms(FxHashSet<TermId>);

impl Terms {
    /// Collects the terms of records and titles.
    pub(crate) fn new(pages: &[WeightedPage], texts: bool) -> Self {
        let mut terms = FxHashSet::default();
        for page in pages.iter().filter(|page| !page.repeats) {
            terms.extend(terms_of(page, texts).map(|term| term.id));
            terms.extend(&page.title_terms);
        }
        Self(terms)
    }

    /// Collects the words that have embeddings.
    pub(crate) fn embedded(embeddings: Option<&SiteEmbeddings>) -> Self {
        Self(embeddings.iter().flat_map(|all| all.words.keys().copied()).collect())
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// The number of terms in the smallest of `shards` shards.
    fn min_per_shard(&self, shards: u32) -> u32 {
        let mut terms = vec![0; shards as usize];
        for &term in &self.0 {
            terms[shard_of_list(term, shards) as usize] += 1;
        }
        terms.into_iter().min().unwrap_or(0)
    }

    /// The maximum number of shards, up to `max`, with at least 64 terms each; at least one.
    pub(crate) fn shards(&self, max: u32) -> u32 {
        let mut shards = max.min(self.len() / MIN_TERMS).max(1);
        while shards > 1 && self.min_per_shard(shards) < MIN_TERMS + ROOM_FOR_LEAVING {
            shards -= shards.div_ceil(32);
        }
        shards.max(1)
    }

    /// Whether each of `shards` shards has at least 64 terms.
    pub(crate) fn fill(&self, shards: u32) -> bool {
        shards <= 1 || self.min_per_shard(shards) >= MIN_TERMS
    }
}

/// The terms of a page's record.
fn terms_of(page: &WeightedPage, texts: bool) -> impl Iterator<Item = PageTerm> + '_ {
    let bag = page.bag.entries().iter().filter(move |_| !texts);
    let bag = bag.map(|&(term, _)| PageTerm::from_text(term, 0));
    page.terms.iter().filter(move |_| texts).copied().chain(bag)
}

/// Calls `each` with the terms whose lists contain a page, ascending, and the page's posting in
/// each.
fn each_posting(
    page: &WeightedPage,
    number: u32,
    manifest: &Manifest,
    mut each: impl FnMut(TermId, Posting),
) {
    if page.repeats {
        return;
    }
    let length = record_length(page, manifest.texts);
    // The terms of a text already include those of its title.
    let titles = if manifest.texts { &[][..] } else { &page.title_terms };
    let mut titles = titles.iter().copied().peekable();
    let mut add = |term: TermId, level: u8| {
        each(term, Posting::new(number, level, page.bag.count(term)));
    };
    for term in terms_of(page, manifest.texts) {
        while let Some(title) = titles.next_if(|&title| title < term.id) {
            add(title, TITLE_LEVEL);
        }
        let _ = titles.next_if_eq(&term.id);
        add(term.id, term.level(length, manifest.mean_length));
    }
    titles.for_each(|title| add(title, TITLE_LEVEL));
}

impl NumberedPages<'_> {
    /// Divides the shard numbers of `manifest` into ranges that are built at a time.
    fn parts(&self, manifest: &Manifest) -> Vec<Range<u32>> {
        let of_page = |page: &WeightedPage| {
            let bag = if manifest.texts { 0 } else { page.bag.entries().len() };
            page.terms.len() + bag + page.title_terms.len()
        };
        let postings: usize = self.pages.iter().map(of_page).sum();
        let (shards, parts) = (manifest.lists.shards, (postings / POSTINGS_AT_A_TIME + 1) as u32);
        let at = |part: u32| (u64::from(shards) * u64::from(part) / u64::from(parts)) as u32;
        (0..parts).map(|part| at(part)..at(part + 1)).collect()
    }

    /// Builds a range of the shards.
    fn lists(
        &self,
        manifest: &Manifest,
        range: Range<u32>,
    ) -> Result<Vec<PostingsShard>, BuildError> {
        if manifest.read_whole {
            return Ok(self.lists_without_postings(manifest, range));
        }
        let shards = manifest.lists.shards;
        let postings = |(page, &number): (&WeightedPage, &u32)| {
            let mut found = Vec::new();
            each_posting(page, number, manifest, |term, posting| {
                let shard = shard_of_list(term, shards);
                if range.contains(&shard) {
                    found.push((shard, term, posting));
                }
            });
            found
        };
        check(self.observer)?;
        let mut found: Vec<(u32, TermId, Posting)> =
            self.pages.par_iter().zip(self.numbers).flat_map_iter(postings).collect();
        check(self.observer)?;
        found.par_sort_unstable();
        let mut lists = vec![PostingsShard::default(); range.len()];
        for run in found.chunk_by(|a, b| a.1 == b.1) {
            let (shard, term, _) = run[0];
            let postings = run.iter().map(|&(_, _, posting)| posting).collect();
            let embedding = self.embeddings.and_then(|all| all.words.get(&term)).copied();
            let list =
                TermList { embedding: embedding.map(Box::new), ..TermList::new(term, postings) };
            lists[(shard - range.start) as usize].0.push(list);
        }
        Ok(lists)
    }

    /// Builds a range of the shards of an index that is read whole: the words that have embeddings.
    fn lists_without_postings(&self, manifest: &Manifest, range: Range<u32>) -> Vec<PostingsShard> {
        let mut lists = vec![PostingsShard::default(); range.len()];
        for (&term, &embedding) in self.embeddings.iter().flat_map(|all| &all.words) {
            let shard = shard_of_list(term, manifest.lists.shards);
            if range.contains(&shard) {
                let embedding = Some(Box::new(embedding));
                let list = TermList { embedding, ..TermList::new(term, Vec::new()) };
                lists[(shard - range.start) as usize].0.push(list);
            }
        }
        lists.iter_mut().for_each(|shard| shard.0.sort_unstable_by_key(|list| list.term));
        lists
    }

    /// Learns the model of the lists. Terms are assigned to shards by a hash, so the first range is
    /// representative of all.
    pub(crate) fn model(&self, manifest: &Manifest) -> Result<Model, BuildError> {
        let first = self.parts(manifest).into_iter().next().unwrap_or_default();
        Ok(models::count(&self.lists(manifest, first)?, manifest, self.observer)?.model())
    }

    /// Encodes all shards.
    pub(crate) fn encode(&self, manifest: &Manifest) -> Result<Vec<Vec<u8>>, BuildError> {
        let mut payloads = Vec::with_capacity(manifest.lists.shards as usize);
        for part in self.parts(manifest) {
            let encode = |shard: &PostingsShard| {
                check(self.observer)?;
                Ok(shard.encode(manifest))
            };
            let lists = self.lists(manifest, part)?;
            let encoded: Result<Vec<_>, BuildError> = lists.par_iter().map(encode).collect();
            payloads.extend(encoded?);
        }
        Ok(payloads)
    }
}
