//! What models are learnt from.

use super::Manifest;
use super::coder::Counts;

/// Shards whose bits go through the range coder.
pub trait Coded {
    /// The number of their contexts.
    const CONTEXTS: usize;

    /// Counts the bits that the shard has in the index of `manifest`.
    fn count(&self, counts: &mut Counts, manifest: &Manifest);
}

impl Counts {
    /// Of no shards yet: then all bits are as likely.
    #[must_use]
    pub fn for_coded<T: Coded>() -> Self {
        Self::new(T::CONTEXTS)
    }
}
