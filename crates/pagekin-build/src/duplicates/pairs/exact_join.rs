//! All pairs of texts that resemble each other at least so much, with none missed.
//!
//! A text is a set, of its shingles or of what stands for some of them. Shingles are put in one order, the rarest first. Two sets of n and more shingles whose resemblance is at least r share
//! at least r n of them, so they share one of the first n - r n + 1 of each: its prefix. Only these are looked up, and
//! whoever is found is compared whole. Most prefixes are of shingles that no other text has.
//!
//! Time grows with the pairs that share a shingle of their prefixes: without a least resemblance, all that share any.
//!
//! # Source
//!
//! Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins* (2006); Bayardo, Ma and Srikant, *Scaling up
//! all pairs similarity search* (2007).

use pagekin_core::hash::mix;
use rayon::prelude::*;

use crate::error::BuildError;
use crate::progress::{Observer, Stage};

/// The counters of shingles are this many bits of a hash. Shingles that share one only seem commoner than they are.
const COUNTER_BITS: u32 = 22;

/// The pairs of these sets, each ascending, whose `resemblance`, the lower number first, is at least `min`. It may be more
/// than that of the sets only if it is that of parts of them, of which one is the whole set.
pub(crate) fn find(
    sets: &[&[u64]],
    min: f64,
    resemblance: impl Fn(u32, u32) -> f64 + Sync,
    observer: &dyn Observer,
) -> Result<Vec<(u32, u32)>, BuildError> {
    observer.stage(Stage::Pairing, sets.len() as u64);
    // By length, so that whoever is too short to be like a text comes first among the texts that share a shingle.
    let mut texts: Vec<u32> = (0..sets.len() as u32).collect();
    texts.sort_by_key(|&text| sets[text as usize].len());
    let prefixes = prefixes(sets, &texts, min);
    let prefixed = (0u32..).zip(&prefixes);
    let mut places: Vec<(u64, u32)> = prefixed
        .flat_map(|(at, prefix)| prefix.iter().map(move |&shingle| (shingle, at)))
        .collect();
    places.par_sort_unstable();
    let near = (0u32..).zip(&prefixes).collect::<Vec<_>>().into_par_iter().map_init(
        || vec![u32::MAX; texts.len()],
        |met, (at, prefix)| {
            if observer.cancelled() {
                return Err(BuildError::Interrupted);
            }
            let text = texts[at as usize];
            let mut found = Vec::new();
            for &shingle in prefix {
                let first = places.partition_point(|&(other, _)| other < shingle);
                let same = places[first..].iter().take_while(|place| place.0 == shingle);
                for other in same.map(|place| place.1).take_while(|&other| other < at) {
                    let with = texts[other as usize];
                    let met = std::mem::replace(&mut met[other as usize], at) == at;
                    let pair = (text.min(with), text.max(with));
                    if !met && resemblance(pair.0, pair.1) >= min {
                        found.push(pair);
                    }
                }
            }
            observer.advance(1);
            Ok(found)
        },
    );
    let near: Vec<Vec<_>> = near.collect::<Result<_, _>>()?;
    let mut pairs = near.concat();
    pairs.par_sort_unstable();
    Ok(pairs)
}

/// The prefix of each text.
fn prefixes(sets: &[&[u64]], texts: &[u32], min: f64) -> Vec<Vec<u64>> {
    let counter = |shingle: u64| (mix(shingle) >> (64 - COUNTER_BITS)) as usize;
    let mut counts = vec![0u32; 1 << COUNTER_BITS];
    for &shingle in sets.iter().copied().flatten() {
        counts[counter(shingle)] += 1;
    }
    let prefix = |&text: &u32| {
        let mut shingles = sets[text as usize].to_vec();
        shingles.sort_unstable_by_key(|&shingle| (counts[counter(shingle)], shingle));
        let n = shingles.len();
        // Rounding must not make it too short.
        let shared = (min * n as f64 - 1e-6).ceil().max(1.0) as usize;
        shingles.truncate(n + 1 - shared);
        shingles
    };
    texts.par_iter().map(prefix).collect()
}
