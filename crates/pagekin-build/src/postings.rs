//! Records into the lists of their terms.
//!
//! Shards are made a few at a time, each time from all pages: so memory holds the postings of a part of the terms.

use pagekin_core::bm25::{IN_TITLE, level, saturation};
use pagekin_core::shard::{ListCounts, ListShard, Manifest, Model, Posting, TermList};
use pagekin_core::vocabulary::{IDENTIFIER_BITS, TERM_BITS, TermId, is_identifier};
use rayon::prelude::*;

use crate::records;
use crate::weighing::WeighedPage;

/// The fewest terms of a shard: who sees which shard a visitor asks for knows no more than that one of so many is meant.
const LEAST_TERMS: u32 = 64;
/// What a new index has, so that some may go before there are fewer.
const ROOM_FOR_LEAVING: u32 = 4;
/// Shards that are made at a time have about so many postings.
const POSTINGS_AT_A_TIME: usize = 8 << 20;

/// Pages with their numbers, of which lists are made.
pub(crate) struct Listed<'a> {
    pub(crate) pages: &'a [WeighedPage],
    pub(crate) numbers: &'a [u32],
}

/// The terms of a site, by their ids.
pub(crate) struct Terms(Vec<TermId>);

impl Terms {
    /// Those of the records of pages and of their titles.
    pub(crate) fn of(pages: &[WeighedPage], texts: bool) -> Self {
        let mut words = vec![0u64; 1 << (TERM_BITS - 6)];
        let mut identifiers = vec![0u64; 1 << (IDENTIFIER_BITS - 6)];
        for page in pages {
            for term in
                terms_of(page, texts).map(|(term, _)| term).chain(page.title_terms.iter().copied())
            {
                let (bits, id) = match is_identifier(term) {
                    true => (&mut identifiers, term - (1 << IDENTIFIER_BITS)),
                    false => (&mut words, term),
                };
                bits[(id / 64) as usize] |= 1 << (id % 64);
            }
        }
        let ids = |bits: Vec<u64>, kind: TermId| {
            let ids = (0u32..).zip(bits).flat_map(|(word, bits)| {
                (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
            });
            ids.map(move |id| id | kind).collect::<Vec<_>>()
        };
        Self([ids(words, 0), ids(identifiers, 1 << IDENTIFIER_BITS)].concat())
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// The fewest terms of a shard, if there are so many shards.
    fn fewest(&self, shards: u32) -> u32 {
        let mut terms = vec![0; shards as usize];
        for &term in &self.0 {
            terms[ListShard::number(term, shards) as usize] += 1;
        }
        terms.into_iter().min().unwrap_or(0)
    }

    /// The most shards, up to `most`, that have at least 64 terms each; at least one.
    pub(crate) fn shards(&self, most: u32) -> u32 {
        let mut shards = most.min(self.len() / LEAST_TERMS).max(1);
        while shards > 1 && self.fewest(shards) < LEAST_TERMS + ROOM_FOR_LEAVING {
            shards -= shards.div_ceil(32);
        }
        shards.max(1)
    }

    /// Whether each of so many shards has at least 64 terms.
    pub(crate) fn fill(&self, shards: u32) -> bool {
        shards <= 1 || self.fewest(shards) >= LEAST_TERMS
    }
}

/// The terms of a page's record, with the classes of their frequencies.
fn terms_of(page: &WeighedPage, texts: bool) -> impl Iterator<Item = (TermId, u8)> + '_ {
    let bag = page.bag.entries().iter().filter(move |_| !texts).map(|&(term, _)| (term, 0));
    page.terms.iter().filter(move |_| texts).copied().chain(bag)
}

impl Listed<'_> {
    /// Calls `take` with each shard of the index of `manifest`, on all threads; its answers in the order of the shards.
    fn each<T: Send>(&self, manifest: &Manifest, take: impl Fn(&ListShard) -> T + Sync) -> Vec<T> {
        let shards = manifest.lists.shards;
        let all: usize = self
            .pages
            .iter()
            .map(|page| terms_of(page, manifest.texts).count() + page.title_terms.len())
            .sum();
        let parts = (all / POSTINGS_AT_A_TIME + 1) as u32;
        let mut taken = Vec::with_capacity(shards as usize);
        for part in 0..parts {
            let at = |part: u32| (u64::from(shards) * u64::from(part) / u64::from(parts)) as u32;
            let lists = self.lists(manifest, at(part)..at(part + 1));
            taken.par_extend(lists.par_iter().map(&take));
        }
        taken
    }

    /// The shards of some numbers.
    fn lists(&self, manifest: &Manifest, range: std::ops::Range<u32>) -> Vec<ListShard> {
        let shards = manifest.lists.shards;
        let postings = |(page, &number): (&WeighedPage, &u32)| {
            let length = records::record_length(page, manifest.texts);
            let mut titles = page.title_terms.iter().copied().peekable();
            let mut found = Vec::new();
            let mut add = |term: TermId, level: u8, copies: u16| {
                let shard = ListShard::number(term, shards);
                if range.contains(&shard) {
                    found.push((shard, term, Posting::new(number, level, copies)));
                }
            };
            for (term, class) in terms_of(page, manifest.texts) {
                while let Some(title) = titles.next_if(|&title| title < term) {
                    add(title, IN_TITLE, 0);
                }
                let in_title = titles.next_if_eq(&term).is_some();
                let weight = level(saturation(class, length, manifest.mean_length));
                add(term, if in_title { IN_TITLE } else { weight }, page.bag.copies(term));
            }
            titles.for_each(|title| add(title, IN_TITLE, 0));
            found
        };
        let mut found: Vec<(u32, TermId, Posting)> =
            self.pages.par_iter().zip(self.numbers).flat_map_iter(postings).collect();
        found.par_sort_unstable();
        let mut lists = vec![ListShard::default(); range.len()];
        for run in found.chunk_by(|a, b| a.1 == b.1) {
            let (shard, term, _) = run[0];
            let postings = run.iter().map(|&(_, _, posting)| posting).collect();
            lists[(shard - range.start) as usize].0.push(TermList::new(term, postings));
        }
        lists
    }

    /// How likely bits are in the lists.
    pub(crate) fn model(&self, manifest: &Manifest) -> Model {
        let counts = self.each(manifest, |shard| {
            let mut counts = ListCounts::default();
            counts.add(shard, manifest.block_pages);
            counts
        });
        let mut all = ListCounts::default();
        counts.iter().for_each(|counts| all.add_all(counts));
        all.model()
    }

    /// The payloads of the shards.
    pub(crate) fn encode(&self, manifest: &Manifest) -> Vec<Vec<u8>> {
        self.each(manifest, |shard| shard.encode(manifest))
    }
}
