//! Texts into what their pairs are found and compared by.

use pagekin_core::near::megashingles::{SuperParams, Supershingler};
use pagekin_core::near::projection::{ProjectionParams, Projector};
use pagekin_core::near::shingles::{ShingleSet, Shingler};
use rayon::prelude::*;

use super::texts::Text;
use crate::error::BuildError;
use crate::observer::Observer;

/// The sketches of texts.
pub(super) struct Sketches {
    shingles: Vec<ShingleSet>,
    minvalues: Vec<Vec<u64>>,
    projections: Vec<Vec<u64>>,
    supershingler: Supershingler,
    projector: Projector,
}

impl Sketches {
    /// Of texts with shingles of `k` tokens, by these parameters; and which pages have each text.
    pub(super) fn of(
        texts: Vec<Text>,
        k: u32,
        (supers, projections): (SuperParams, ProjectionParams),
        observer: &dyn Observer,
    ) -> Result<(Self, Vec<Vec<u32>>), BuildError> {
        let shingler = Shingler::new(k)?;
        let supershingler = Supershingler::new(supers)?;
        let projector = Projector::new(projections)?;
        let sketched = texts.into_par_iter().map(|Text { tokens, pages }| {
            if observer.cancelled() {
                return Err(BuildError::Interrupted);
            }
            let shingles = shingler.set(&tokens);
            let minvalues = supershingler.minvalues(&shingles).unwrap_or_default();
            observer.advance(1);
            Ok(((shingles, minvalues), (projector.sketch(&tokens), pages)))
        });
        let sketched: Vec<_> = sketched.collect::<Result<_, _>>()?;
        let ((shingles, minvalues), (projections, pages)) = sketched.into_iter().unzip();
        Ok((Self { shingles, minvalues, projections, supershingler, projector }, pages))
    }

    pub(super) fn len(&self) -> u32 {
        self.shingles.len() as u32
    }

    pub(super) fn shingles(&self, text: u32) -> &ShingleSet {
        &self.shingles[text as usize]
    }

    /// The shingles of all texts.
    pub(super) fn sets(&self) -> Vec<&[u64]> {
        self.shingles.iter().map(ShingleSet::as_slice).collect()
    }

    /// How many shingles it has.
    pub(super) fn size(&self, text: u32) -> u32 {
        self.shingles(text).as_slice().len() as u32
    }

    pub(super) fn minvalues(&self, text: u32) -> &[u64] {
        &self.minvalues[text as usize]
    }

    pub(super) fn supershingles(&self, text: u32) -> Vec<u64> {
        self.supershingler.supershingles(self.minvalues(text))
    }

    pub(super) fn projection(&self, text: u32) -> &[u64] {
        &self.projections[text as usize]
    }

    pub(super) fn supershingler(&self) -> &Supershingler {
        &self.supershingler
    }

    pub(super) fn projector(&self) -> &Projector {
        &self.projector
    }
}
