//! Shards into the model by which those of their kind are coded.

use pagekin_core::shard::{Coded, Counts, Manifest, Model};
use rayon::prelude::*;

/// How likely bits are in shards of the index of `manifest`.
pub(crate) fn learn<T: Coded + Sync>(shards: &[T], manifest: &Manifest) -> Model {
    let count = |mut counts: Counts, shard: &T| {
        shard.count(&mut counts, manifest);
        counts
    };
    let both = |mut a: Counts, b: Counts| {
        a.add(&b);
        a
    };
    let counts = shards.par_iter().fold(Counts::of::<T>, count);
    counts.reduce(Counts::of::<T>, both).model()
}
