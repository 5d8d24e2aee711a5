//! Builds the records of pages, and blocks of about the same number of bytes.
//!
//! A lookup reads whole blocks: if all have the same number of bytes, the block of a long page
//! costs no more than that of short ones. The bytes of a record depend on its neighbors. So trial
//! blocks with equal numbers of pages come first, and the bytes of each are divided among its
//! pages.

use pagekin_core::embedding::Embedding;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::{Kind, Manifest, WrittenBlock, WrittenPage, seal};
use pagekin_core::similarity::Overlap;
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::build::error::BuildError;
use crate::build::pages::vocabulary::{WeightedPage, record_length};

/// A slot of a block, and the index of its page in the list of all pages.
pub(crate) type Correction = (u32, u32);

/// Pages per trial block.
pub(crate) const TRIAL_PAGES: usize = 24;
/// Estimated bytes of a record without its terms, and of a term.
const BYTES: f64 = 12.0;
const TERM_BYTES: f64 = 0.8;
/// Number of page pairs that are sampled for the mean similarity.
const PAIRS: u32 = 4_000;

/// The record of a page, before it is encoded.
pub(crate) fn record<'a>(
    page: &'a WeightedPage,
    embedding: Option<&'a Embedding>,
    texts: bool,
) -> WrittenPage<'a> {
    let WeightedPage { url, title, copies, language_number, is_listing, .. } = page;
    let WeightedPage { values, terms, bag, .. } = page;
    let (length, copies) = (record_length(page, texts), *copies);
    let (language, is_listing) = (*language_number, *is_listing);
    let metadata = &values.metadata;
    WrittenPage {
        url,
        title,
        length,
        copies,
        language,
        is_listing,
        metadata,
        terms,
        bag,
        embedding,
    }
}

/// The mean similarity of two random pages, in 65,536ths.
pub(crate) fn background(pages: &[WeightedPage]) -> u16 {
    let bag = |page: u32| &pages[page as usize].bag;
    let mut random = SplitMix64::new(1);
    let mut any = || random.below((pages.len() as u32).max(1));
    let pairs: Vec<_> = (0..PAIRS).map(|_| (any(), any())).filter(|(a, b)| a != b).collect();
    let total: f64 = pairs.iter().map(|&(a, b)| Overlap::between(bag(a), bag(b)).jaccard()).sum();
    (total / pairs.len().max(1) as f64 * 65_536.0) as u16
}

/// Divides pages into blocks with equal numbers of pages, in the given order.
pub(crate) fn trial_blocks<'a>(
    order: &[u32],
    record: impl Fn(u32) -> WrittenPage<'a> + Sync,
) -> Vec<WrittenBlock<'a>> {
    let block =
        |pages: &[u32]| WrittenBlock((0..).zip(pages.iter().map(|&page| record(page))).collect());
    order.par_chunks(TRIAL_PAGES).map(block).collect()
}

/// Estimates the bytes of each page's record from trial blocks in the given order. Also returns the
/// bytes of all blocks.
pub(crate) fn record_bytes(
    order: &[u32],
    blocks: &[WrittenBlock<'_>],
    manifest: &Manifest,
    observer: &dyn Observer,
) -> Result<(Vec<f64>, u64), BuildError> {
    let measured: Vec<(Vec<f64>, u64)> = blocks
        .par_iter()
        .map(|block| {
            check(observer)?;
            Ok(shares(block, manifest))
        })
        .collect::<Result<_, BuildError>>()?;
    let mut bytes = vec![0.0; order.len()];
    for (&page, &share) in order.iter().zip(measured.iter().flat_map(|(shares, _)| shares)) {
        bytes[page as usize] = share;
    }
    Ok((bytes, measured.iter().map(|(_, all)| all).sum()))
}

/// Estimates the bytes of each record of a block. Also returns the bytes of the block.
fn shares(block: &WrittenBlock<'_>, manifest: &Manifest) -> (Vec<f64>, u64) {
    let sealed = seal(Kind::Pages, 0, &block.encode(manifest)).len();
    let weight = |record: &WrittenPage<'_>| {
        let bag = record.bag.entries();
        let terms = if manifest.texts { record.terms.len() } else { bag.len() };
        BYTES
            + record.url.len() as f64 / 4.0
            + record.title.len() as f64 / 2.0
            + record.metadata.lines().len() as f64 / 3.0
            + TERM_BYTES * terms as f64
    };
    let weights: Vec<f64> = block.0.iter().map(|(_, record)| weight(record)).collect();
    let total: f64 = weights.iter().sum();
    let shares = weights.into_iter().map(|weight| weight * sealed as f64 / total).collect();
    (shares, sealed as u64)
}

/// The block of these slots and pages.
pub(crate) fn block<'a>(
    pages: &[Correction],
    record: impl Fn(u32) -> WrittenPage<'a>,
) -> WrittenBlock<'a> {
    WrittenBlock(pages.iter().map(|&(slot, page)| (slot, record(page))).collect())
}
