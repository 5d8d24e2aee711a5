//! Pages into signatures.

use pagekin_core::minhash::{Family, Signature, SignatureParams};
use pagekin_core::vocabulary::Vocabulary;
use rayon::prelude::*;

use crate::observer::Observer;
use crate::weighing::WeighedPage;

/// The signature of each page.
pub(crate) fn sign(
    pages: &[WeighedPage],
    vocabulary: &Vocabulary,
    params: SignatureParams,
    observer: &dyn Observer,
) -> Vec<Signature> {
    let family = Family::new(params);
    pages
        .par_iter()
        .map(|page| {
            observer.advance(1);
            family.sign(&page.bag, vocabulary).expect("pages with empty bags were left out")
        })
        .collect()
}
