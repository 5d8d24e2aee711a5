//! Computes the signatures of pages: those of their bags, for comparisons, and those from which
//! their keys are computed.

use std::borrow::Cow;

use pagekin_core::bag::Bag;
use pagekin_core::minhash::{Signature, SignatureParams};
use pagekin_core::vocabulary::Vocabulary;
use pagekin_pages::Observer;
use pagekin_pairs::minhash::{Algorithm, Signer, SigningBuffers};
use rayon::prelude::*;

use crate::build::pages::vocabulary::WeightedPage;

/// Computes the signature of each page's bag.
pub(crate) fn sign(
    pages: &[WeightedPage],
    params: SignatureParams,
    observer: &dyn Observer,
) -> Vec<Signature> {
    sign_each(pages, params, |page| {
        observer.advance(1);
        Cow::Borrowed(&page.bag)
    })
}

/// Computes the signature for the keys of each page.
pub(crate) fn sign_for_keys(
    pages: &[WeightedPage],
    vocabulary: &Vocabulary,
    params: SignatureParams,
) -> Vec<Signature> {
    sign_each(pages, params, |page| Cow::Owned(page.bag.key_part(vocabulary)))
}

fn sign_each<'a>(
    pages: &'a [WeightedPage],
    params: SignatureParams,
    bag: impl Fn(&'a WeightedPage) -> Cow<'a, Bag> + Sync,
) -> Vec<Signature> {
    let signer = Signer::new(Algorithm::Affine32, params);
    let sign = |desk: &mut SigningBuffers<'_>, page| {
        let values = desk.sign(&bag(page)).expect("pages with empty bags were left out");
        Signature::from(values.to_vec())
    };
    pages.par_iter().map_init(|| signer.desk(), sign).collect()
}
