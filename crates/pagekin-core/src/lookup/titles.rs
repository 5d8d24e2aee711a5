//! Words into the pages whose titles or headings have them.
//!
//! The lists of terms say of which pages a term is in the title or a heading. The blocks of the
//! pages that have most of the words there are read, and their titles looked at.

use std::cmp::Reverse;

use super::candidates::{Candidate, Listed, best_blocks, shards_to_read, unknown_idf};
use super::pairs::Pairs;
use super::query::{QueryError, Subject, terms_of_title};
use super::ranking::{Kin, Strength};
use super::tables::MAX_BLOCKS;
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::shard::Manifest;
use crate::sort;
use crate::vocabulary::TermId;

/// The most blocks that are read.
const MOST_BLOCKS: usize = 10;

/// What a title is looked for by.
#[derive(Debug)]
pub(super) struct Title(Subject);

/// The blocks of an index without lists that are looked through: all, as far as a lookup reads.
pub(super) fn blocks_without_lists(manifest: &Manifest) -> std::ops::Range<u32> {
    0..manifest.blocks.shards.min(MAX_BLOCKS as u32)
}

impl Title {
    pub(super) fn new(index: &Index, words: &str) -> Result<Self, QueryError> {
        let terms = terms_of_title(index, words)?;
        Ok(Self(Subject::of_text(index, terms, Pairs::default(), None)))
    }

    /// The shards of the lists of its terms.
    pub(super) fn lists(&self, manifest: &Manifest) -> Vec<u32> {
        shards_to_read(manifest, &self.0)
    }

    /// The pages whose titles or headings may have it, by their lists, and the blocks that are
    /// worth reading.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn candidates(&self, index: &Index, lists: &ShardMap) -> (Vec<Candidate>, Vec<u32>) {
        let manifest = index.manifest();
        let mut pages = Listed::of(manifest, &self.0, lists).pages;
        pages.retain(|page| page.in_title > 0);
        let score = |page: &Candidate| (page.in_title, page.copies);
        let blocks = best_blocks(manifest, &pages, MOST_BLOCKS, score);
        (pages, blocks)
    }

    /// The pages of the blocks that are there whose titles have its words, or of which `pages` says
    /// that their headings do.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn rank(
        &self,
        index: &Index,
        pages: &[Candidate],
        blocks: &ShardMap,
        limit: u32,
    ) -> Vec<Kin> {
        let manifest = index.manifest();
        let unknown = unknown_idf(manifest);
        let weights: Vec<(TermId, u64)> = self
            .0
            .terms
            .iter()
            .map(|term| (term.id, u64::from(manifest.vocabulary.idf(term.id).unwrap_or(unknown))))
            .collect();
        let total: u64 = weights.iter().map(|&(_, weight)| weight).sum();
        let mut ranked = Vec::new();
        for (&id, shard) in blocks.iter() {
            let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
            for (slot, record) in &block.0 {
                let page = number * manifest.block_pages + slot;
                let in_title = terms_of_title(index, &record.title).unwrap_or_default();
                let has = |id| in_title.binary_search_by_key(&id, |term| term.id).is_ok();
                let found: u64 =
                    weights.iter().filter(|&&(id, _)| has(id)).map(|&(_, weight)| weight).sum();
                let listed = pages.binary_search_by_key(&page, |page| page.page).ok();
                let listed = listed.map_or(0, |at| pages[at].in_title);
                if found > 0 || listed > 0 {
                    ranked.push((Reverse((found, listed)), in_title.len(), page, record));
                }
            }
        }
        sort::by_key(&mut ranked, |&(found, others, page, _)| (found, others, page));
        ranked.truncate(limit as usize);
        let kin = ranked.into_iter().map(|(Reverse((found, _)), _, _, record)| Kin {
            url: record.url.clone(),
            title: record.title.clone(),
            score: found as f64 / total.max(1) as f64,
            similarity: 0.0,
            found: found as f64 / total.max(1) as f64,
            copies: Vec::new(),
            strength: if found == 0 { Strength::Weak } else { Strength::Some },
            shared_terms: Vec::new(),
            missing_terms: Vec::new(),
            near: None,
        });
        kin.collect()
    }
}
