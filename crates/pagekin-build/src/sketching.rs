//! Pages into signatures: those of their bags, by which they are compared, and those that their keys are made of.

use pagekin_core::minhash::{Family, Signature, SignatureParams};
use pagekin_core::vocabulary::Vocabulary;
use rayon::prelude::*;

use crate::observer::Observer;
use crate::weighing::WeighedPage;

/// The signature of each page.
pub(crate) fn sign(
    pages: &[WeighedPage],
    params: SignatureParams,
    observer: &dyn Observer,
) -> Vec<Signature> {
    let family = Family::new(params);
    pages
        .par_iter()
        .map(|page| {
            observer.advance(1);
            family.sign(&page.bag).expect("pages with empty bags were left out")
        })
        .collect()
}

/// The signature that the keys of each page are made of.
pub(crate) fn sign_for_keys(
    pages: &[WeighedPage],
    vocabulary: &Vocabulary,
    params: SignatureParams,
) -> Vec<Signature> {
    let family = Family::new(params);
    let sign = |page: &WeighedPage| {
        let part = page.bag.key_part(vocabulary);
        family.sign(&part).expect("pages with empty bags were left out")
    };
    pages.par_iter().map(sign).collect()
}
