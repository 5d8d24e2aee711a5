//! Counts the bits of shards, from which the models are made with which they are coded.

use pagekin_core::shard::{Coded, Counts, Manifest};
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use rayon::prelude::*;

use crate::build::error::BuildError;

/// Counts the bits of shards of the index of `manifest`.
pub(crate) fn count<T: Coded + Sync>(
    shards: &[T],
    manifest: &Manifest,
    observer: &dyn Observer,
) -> Result<Counts, BuildError> {
    let count = |mut counts: Counts, shard: &T| {
        check(observer)?;
        shard.count(&mut counts, manifest);
        Ok::<_, BuildError>(counts)
    };
    let both = |mut a: Counts, b: Counts| {
        a.add(&b);
        Ok(a)
    };
    let counts = shards.par_iter().try_fold(Counts::for_coded::<T>, count);
    counts.try_reduce(Counts::for_coded::<T>, both)
}
