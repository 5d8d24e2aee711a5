//! Pages into signatures.

use pagekin_core::minhash::{Family, Signature, SignatureParams};
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
