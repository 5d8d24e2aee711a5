//! Texts into what their pairs are found and compared by.

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

/// The tokens of a shingle for texts of at most this many tokens. A text of ten times as many
/// tokens as a shingle keeps a resemblance of 0.8 if one word changes.
pub(crate) const SHORT: [(u32, usize); 2] = [(2, 48), (5, 98)];

/// How texts are compared if one of them is short.
pub(crate) struct Short {
    /// The tokens of a short text.
    pub(crate) max_tokens: usize,
    pub(crate) shingler: Shingler,
}

/// The features of texts. Those that nothing was found by are made when they are asked for, as few
/// texts are in pairs.
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
    /// Of texts with shingles of `k` tokens, by these parameters; and which pages have each text.
    pub(crate) fn new(
        texts: Vec<Text>,
        k: u32,
        (supers, projections): (SuperParams, ProjectionParams),
    ) -> Result<(Self, Vec<Vec<u32>>), DuplicatesError> {
        let shingler = Shingler::new(k)?;
        let words = texts.iter().map(|text| text.words).collect();
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

    /// Makes those that an algorithm looks at of all texts.
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

    /// The shingles of all texts.
    pub(crate) fn sets(&self) -> Vec<&[u64]> {
        self.shingles.iter().map(ShingleSet::as_slice).collect()
    }

    /// Its tokens.
    pub(crate) fn tokens(&self, text: u32) -> &[u64] {
        &self.tokens[text as usize]
    }

    /// A hash of its tokens without numbers; 0 if all are numbers.
    pub(crate) fn words(&self, text: u32) -> u64 {
        self.words[text as usize]
    }

    /// Whether two texts have the same words in the same order, numbers left aside.
    pub(crate) fn are_same_but_numbers(&self, x: u32, y: u32) -> bool {
        self.words(x) != 0 && self.words(x) == self.words(y)
    }

    /// What two different texts share: of shingles of ten tokens, and where one of
    /// the texts is [short](SHORT), of those by which they are most alike. So one word that
    /// is another does not make a text of two dozen another text.
    ///
    /// Texts that differ never share all: if they have the same shingles, as a text and itself
    /// twice over may, one of them has one more.
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

    /// How short texts are compared.
    pub(crate) fn short(&self) -> &[Short] {
        &self.short
    }

    /// The instructions that this machine has.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// How many shingles it has.
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
/// What two texts share that differ: one shingle fewer than all.
fn of_different(shared: Shared) -> Shared {
    let is_all = shared.both == shared.a && shared.both == shared.b;
    Shared { b: shared.b + u64::from(is_all), ..shared }
}
