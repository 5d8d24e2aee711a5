//! Shards from which models are learned.

use super::Manifest;
use super::coder::Counts;

/// Shards whose bits go through the range coder.
pub trait Coded {
    /// The number of contexts.
    const CONTEXTS: usize;

    /// Counts the bits of the shard in the index of `manifest`.
    fn count(&self, counts: &mut Counts, manifest: &Manifest);
}

impl Counts {
    /// Returns empty counts, with which all bits are equally likely.
    #[must_use]
    pub fn for_coded<T: Coded>() -> Self {
        Self::new(T::CONTEXTS)
    }
}
