//! The pages of the blocks that were read into the kin: each is compared with the query by its whole bag, so the
//! similarity that is told is exact.

use std::cmp::Reverse;

use super::query::Subject;
use super::{LookupOptions, Shards};
use crate::index::{Index, Shard, ShardId};
use crate::minhash::agreement;
use crate::near::sketch::Sample;
use crate::similarity::{Overlap, shared};
use crate::sort;

/// The most shared terms that are told of a result.
pub const MAX_SHARED_TERMS: usize = 10;

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

/// Compares the subject with every page of the blocks that are there: the kin, with their numbers.
pub(super) fn rank(
    index: &Index,
    subject: &Subject,
    blocks: &Shards,
    options: LookupOptions,
) -> Vec<(u32, Kin)> {
    let manifest = index.manifest();
    let filtered_by =
        if manifest.params.filter_percent == 0 { None } else { index.family().sign(&subject.bag) };
    let low_bytes = filtered_by.map_or_else(Vec::new, |signature| signature.low_bytes());
    let least_agreement = f64::from(manifest.params.filter_percent) / 100.0;
    let mut ranked = Vec::new();
    for (&id, shard) in blocks.iter() {
        let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
        for (slot, record) in &block.0 {
            let page = number * manifest.block_pages + slot;
            let similarity = Overlap::of(&subject.bag, &record.bag).jaccard();
            let filtered =
                !low_bytes.is_empty() && agreement(&low_bytes, &record.signature) < least_agreement;
            if Some(page) != subject.page
                && similarity > 0.0
                && similarity >= options.min
                && !filtered
            {
                ranked.push((similarity, page, record));
            }
        }
    }
    // The bits of numbers that are not negative have the order of the numbers.
    sort::by_key(&mut ranked, |&(similarity, page, _)| (Reverse(similarity.to_bits()), page));
    ranked.truncate(options.limit as usize);
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
