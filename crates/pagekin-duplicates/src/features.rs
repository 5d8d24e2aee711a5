//! Texts into what their pairs are found and compared by.

use std::sync::OnceLock;

use fearless_simd::{Level, dispatch};
use pagekin_core::near::megashingles::{SuperParams, Supershingler};
use pagekin_core::near::projection::{ProjectionParams, Projector};
use pagekin_core::near::shingles::{ShingleSet, Shingler};
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::error::DuplicatesError;
use crate::options::Algorithm;
use crate::texts::Text;

/// The features of texts. Those that nothing was found by are made when they are asked for, as few
/// texts are in pairs.
pub(crate) struct Features {
    tokens: Vec<Vec<u64>>,
    shingles: Vec<ShingleSet>,
    minvalues: Vec<OnceLock<Vec<u64>>>,
    projections: Vec<OnceLock<Vec<u64>>>,
    supershingler: Supershingler,
    projector: Projector,
    level: Level,
}

impl Features {
    /// Of texts with shingles of `k` tokens, by these parameters; and which pages have each text.
    pub(crate) fn of(
        texts: Vec<Text>,
        k: u32,
        (supers, projections): (SuperParams, ProjectionParams),
    ) -> Result<(Self, Vec<Vec<u32>>), DuplicatesError> {
        let shingler = Shingler::new(k)?;
        let (tokens, pages): (Vec<_>, Vec<_>) =
            texts.into_iter().map(|Text { tokens, pages }| (tokens, pages)).unzip();
        let features = Self {
            shingles: tokens.par_iter().map(|tokens| shingler.set(tokens)).collect(),
            minvalues: tokens.iter().map(|_| OnceLock::new()).collect(),
            projections: tokens.iter().map(|_| OnceLock::new()).collect(),
            tokens,
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
