//! Computes the features by which pairs of texts are found and compared.

use std::sync::OnceLock;

use fearless_simd::{Level, dispatch};
use pagekin_core::near::megashingles::{SuperParams, Supershingler};
use pagekin_core::near::projection::{ProjectionParams, Projector};
use pagekin_core::near::shingles::{Shared, ShingleSet, Shingler};
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::error::DuplicatesError;
use crate::options::Algorithm;
use crate::texts::Text;

/// Shingle lengths for short texts: (tokens per shingle, maximum tokens of the text). A text ten
/// times as long as its shingles keeps a resemblance of 0.8 if one word changes.
pub(crate) const SHORT: [(u32, usize); 2] = [(2, 48), (5, 98)];

/// How a pair with a short text is compared.
pub(crate) struct Short {
    /// Maximum number of tokens of a short text.
    pub(crate) max_tokens: usize,
    pub(crate) shingler: Shingler,
}

/// The features of texts. Features that the algorithm does not use are computed on demand, since
/// few texts are in pairs.
pub(crate) struct Features {
    tokens: Vec<Vec<u64>>,
    words: Vec<u64>,
    shingles: Vec<ShingleSet>,
    minvalues: Vec<OnceLock<Vec<u64>>>,
    projections: Vec<OnceLock<Vec<u64>>>,
    supershingler: Supershingler,
    projector: Projector,
    short: Vec<Short>,
    level: Level,
}

impl Features {
    /// Computes the shingles of `k` tokens of all texts. Also returns the pages of each text.
    pub(crate) fn new(
        texts: Vec<Text>,
        k: u32,
        (supers, projections): (SuperParams, ProjectionParams),
    ) -> Result<(Self, Vec<Vec<u32>>), DuplicatesError> {
        let shingler = Shingler::new(k)?;
        let words = texts.iter().map(|text| text.words[0]).collect();
        let (tokens, pages): (Vec<_>, Vec<_>) =
            texts.into_iter().map(|Text { tokens, pages, .. }| (tokens, pages)).unzip();
        let short = SHORT.into_iter().map(|(k, max_tokens)| {
            let shingler = Shingler::new(k)?;
            Ok(Short { max_tokens, shingler })
        });
        let features = Self {
            short: short.collect::<Result<_, DuplicatesError>>()?,
            shingles: tokens.par_iter().map(|tokens| shingler.set(tokens)).collect(),
            minvalues: tokens.iter().map(|_| OnceLock::new()).collect(),
            projections: tokens.iter().map(|_| OnceLock::new()).collect(),
            tokens,
            words,
            supershingler: Supershingler::new(supers)?,
            projector: Projector::new(projections)?,
            level: Level::new(),
        };
        Ok((features, pages))
    }

    /// Computes the other features that an algorithm needs for all texts.
    pub(crate) fn prepare(
        &self,
        algorithm: Algorithm,
        observer: &dyn Observer,
    ) -> Result<(), DuplicatesError> {
        use Algorithm::{B, C, Combined, Copies, Shingles};
        (0..self.len()).into_par_iter().try_for_each(|text| {
            check(observer)?;
            if matches!(algorithm, Copies | Shingles | B | Combined) {
                self.minvalues(text);
            }
            if algorithm == C {
                self.projection(text);
            }
            observer.advance(1);
            Ok(())
        })
    }

    pub(crate) fn len(&self) -> u32 {
        self.shingles.len() as u32
    }

    pub(crate) fn shingles(&self, text: u32) -> &ShingleSet {
        &self.shingles[text as usize]
    }

    pub(crate) fn sets(&self) -> Vec<&[u64]> {
        self.shingles.iter().map(ShingleSet::as_slice).collect()
    }

    pub(crate) fn tokens(&self, text: u32) -> &[u64] {
        &self.tokens[text as usize]
    }

    /// Returns a hash of the tokens without numbers; 0 if all are numbers.
    pub(crate) fn words(&self, text: u32) -> u64 {
        self.words[text as usize]
    }

    /// Returns whether two texts have the same words in the same order, ignoring numbers.
    pub(crate) fn are_same_but_numbers(&self, x: u32, y: u32) -> bool {
        self.words(x) != 0 && self.words(x) == self.words(y)
    }

    /// Returns the shared shingles of two different texts.
    ///
    /// Shingles have ten tokens. If one of the texts is [short](SHORT), shorter shingles are used
    /// where they give a higher resemblance, so one changed word does not make two texts of two
    /// dozen words dissimilar.
    ///
    /// Different texts never share everything: if their shingles are equal, as for a text and the
    /// same text repeated twice, one more is added to the second.
    pub(crate) fn shared(&self, x: u32, y: u32) -> Shared {
        let tokens = [x, y].map(|text| self.tokens(text));
        let shortest = tokens[0].len().min(tokens[1].len());
        let mut shared = of_different(Shared::between(self.shingles(x), self.shingles(y)));
        for Short { shingler, .. } in self.short.iter().filter(|short| shortest <= short.max_tokens)
        {
            let [a, b] = tokens.map(|tokens| shingler.set(tokens));
            let shorter = of_different(Shared::between(&a, &b));
            if shorter.resemblance() > shared.resemblance() {
                shared = shorter;
            }
        }
        shared
    }

    pub(crate) fn short(&self) -> &[Short] {
        &self.short
    }

    /// Returns the SIMD level of this machine.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// Returns the number of shingles of a text.
    pub(crate) fn size(&self, text: u32) -> u32 {
        self.shingles(text).as_slice().len() as u32
    }

    pub(crate) fn minvalues(&self, text: u32) -> &[u64] {
        self.minvalues[text as usize].get_or_init(|| {
            let shingles = self.shingles(text);
            dispatch!(self.level, _ => self.supershingler.minvalues(shingles)).unwrap_or_default()
        })
    }

    pub(crate) fn supershingles(&self, text: u32) -> Vec<u64> {
        self.supershingler.supershingles(self.minvalues(text))
    }

    pub(crate) fn projection(&self, text: u32) -> &[u64] {
        let at = text as usize;
        self.projections[at].get_or_init(|| self.projector.sketch(&self.tokens[at]))
    }

    pub(crate) fn supershingler(&self) -> &Supershingler {
        &self.supershingler
    }

    pub(crate) fn projector(&self) -> &Projector {
        &self.projector
    }
}
/// Ensures that two different texts do not share all shingles.
fn of_different(shared: Shared) -> Shared {
    let is_all = shared.both == shared.a && shared.both == shared.b;
    Shared { b: shared.b + u64::from(is_all), ..shared }
}
