//! The identity of a build of an index.

use crate::hash;

/// The generation of an index: a hash of its payloads in the order in which they are written.
#[derive(Debug, Clone, Copy, Default)]
pub struct GenerationHasher(u64);

impl GenerationHasher {
    /// Adds a payload, by its hash.
    pub fn update(&mut self, payload: &[u8]) {
        self.0 = hash::mix(self.0 ^ hash::of_bytes(payload)).wrapping_add(hash::GOLDEN);
    }

    /// Returns the generation.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.0
    }
}
