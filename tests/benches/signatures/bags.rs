//! Bags such as those of a crawl, drawn by a seed.

use std::collections::BTreeMap;

use pagekin_core::bag::{Bag, BagRules};
use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::vocabulary::{TERM_BITS, TermId, quantized_idf};

/// The URLs that terms are weighed for.
const URLS: u32 = 1_000_000;
/// The commonest term is on one URL in so many, and the term of rank `r` on one in `r` times as
/// many.
const COMMONEST: u32 = 4;
/// Words that are said of a URL.
const WORDS: std::ops::Range<u32> = 40..160;
/// The bits of the rarest term's rank.
const RANK_BITS: u32 = 20;

/// So many bags by some rules. None is empty.
pub(crate) fn draw(count: usize, rules: &BagRules, seed: u64) -> Vec<Bag> {
    let mut stream = SplitMix64::new(seed);
    (0..count).map(|_| bag(&mut stream, rules)).collect()
}

fn bag(stream: &mut SplitMix64, rules: &BagRules) -> Bag {
    let words = WORDS.start + stream.below(WORDS.end - WORDS.start);
    // Of each term its frequency and its rank.
    let mut said: BTreeMap<TermId, (u32, u32)> = BTreeMap::new();
    for _ in 0..words {
        let rank = rank(stream);
        said.entry(term(rank)).or_insert((0, rank)).0 += 1;
    }
    let counts: Vec<(TermId, u32)> = said.iter().map(|(&id, &(count, _))| (id, count)).collect();
    Bag::weigh_by(&counts, |id| quantized_idf(URLS / COMMONEST / said[&id].1, URLS), rules)
}

/// Zipf: each octave of ranks is as likely as any other.
fn rank(stream: &mut SplitMix64) -> u32 {
    let octave = 1 << stream.below(RANK_BITS);
    octave + stream.below(octave)
}

fn term(rank: u32) -> TermId {
    mix(u64::from(rank)) as u32 & ((1 << TERM_BITS) - 1)
}
