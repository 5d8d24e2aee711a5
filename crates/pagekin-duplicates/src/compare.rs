//! The texts of pages into near-duplicates: features, pairs by an algorithm, compared by their
//! shingles, in groups.

use std::time::Instant;

use pagekin_core::near::megashingles::{SuperParams, b_similarity};
use pagekin_core::near::projection::{ProjectionParams, c_similarity};
use pagekin_core::near::shingles::{SHINGLE_TOKENS, Shared};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::join::by_key::Pairs;
use rayon::prelude::*;

use crate::error::DuplicatesError;
use crate::features::Features;
use crate::found::{Duplicates, DuplicatesSeconds};
use crate::options::{Algorithm, DuplicateOptions};
use crate::pair::{PagePair, PairKind, Similarities};
use crate::pairs::{candidates, quotations};
use crate::{groups, texts};

/// Times one stage after the other.
pub(crate) struct Laps(Instant);

impl Laps {
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    /// The seconds since the last.
    pub(crate) fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - before).as_secs_f64()
    }
}

/// The near-duplicates among pages whose reading took so many seconds.
pub(crate) fn compare(
    read: texts::Read,
    options: &DuplicateOptions,
    reading: f64,
    observer: &dyn Observer,
) -> Result<Duplicates, DuplicatesError> {
    let mut laps = Laps::begin();
    observer.stage(Stage::Sketching, read.texts.len() as u64);
    let texts = read.texts.len() as u64;
    let seed = options.seed;
    let paper = (
        SuperParams { seed, ..SuperParams::default() },
        ProjectionParams { seed, ..ProjectionParams::default() },
    );
    let (features, copies) = Features::of(read.texts, SHINGLE_TOKENS, paper)?;
    features.prepare(options.algorithm, observer)?;
    let sketching = laps.lap();

    let (compared, passed_over) = to_compare(&features, options, observer)?;
    let pairing = laps.lap();

    observer.stage(Stage::Verifying, compared.len() as u64);
    let near = compared.par_iter().filter_map(|&(texts, quoted)| {
        observer.advance(1);
        near(&features, &copies, texts, quoted, options.min)
    });
    let pairs: Vec<PagePair> = near.collect();
    check(observer)?;
    let all = Similarities { b: paper.0.supershingles, c: paper.1.bits };
    let alike = |text| {
        let n = u64::from(features.size(text));
        (Shared { both: n, a: n, b: n }, Some(all))
    };
    let n = read.pages.len() as u32;
    let (pairs, groups) = groups::with_copies(pairs, &copies, alike, n);
    let comparing = laps.lap();
    Ok(Duplicates {
        base_url: options.reading.base_url.clone(),
        sites: options.sites.clone(),
        pages: read.pages,
        pairs,
        groups,
        html_files: read.html_files,
        ledger: read.ledger,
        repeated: read.repeated,
        left_out: read.left_out,
        texts,
        compared: compared.len() as u64,
        passed_over,
        seconds: DuplicatesSeconds { reading, sketching, pairing, comparing },
        ..Duplicates::default()
    })
}

/// Two texts, and whether one may quote the other.
type Candidate = ((u32, u32), bool);

/// The pairs of texts that are to be compared, and how many were passed over.
fn to_compare(
    features: &Features,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<(Vec<Candidate>, u64), DuplicatesError> {
    let Pairs { pairs: found, passed_over } = candidates::find(features, options, observer)?;
    let quoted = match options.algorithm {
        Algorithm::Copies => quotations::find(&features.sets(), quotations::RULE, observer)?,
        _ => Vec::new(),
    };
    let mut compared: Vec<_> = found.into_iter().map(|pair| (pair, false)).collect();
    // Of two that are the same pair the quotation comes first, and is kept.
    compared.extend(quoted.into_iter().map(|pair| (pair, true)));
    compared.par_sort_unstable_by_key(|&(pair, quoted)| (pair, !quoted));
    compared.dedup_by_key(|pair| pair.0);
    Ok((compared, passed_over))
}

/// What two texts are to one another by their shingles, if anything.
fn near(
    features: &Features,
    copies: &[Vec<u32>],
    (x, y): (u32, u32),
    quoted: bool,
    min: f64,
) -> Option<PagePair> {
    let shared = Shared::of(features.shingles(x), features.shingles(y));
    let kind = match shared.resemblance() >= min {
        true => PairKind::NearDuplicate,
        false if quoted => PairKind::Quotation,
        false => return None,
    };
    let similarities = Similarities {
        b: b_similarity(&features.supershingles(x), &features.supershingles(y)),
        c: c_similarity(features.projection(x), features.projection(y)),
    };
    let [a, b] = [x, y].map(|text| copies[text as usize][0]);
    Some(PagePair { a, b, kind, shared, similarities: Some(similarities) })
}
