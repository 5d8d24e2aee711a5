//! The hash function of pagekin, and pseudorandom numbers from a seed.
//!
//! Everything is hashed with [`of_bytes`]: XXH64 with seed 0, as its public specification defines
//! it (little-endian, 64-bit). Derived values use the 64-bit finalizer [`mix`] and the counter
//! generator [`SplitMix64`], both from Steele, Lea and Flood, *Fast Splittable Pseudorandom Number
//! Generators* (OOPSLA 2014). Any change would make existing indexes unreadable, so tests pin known
//! outputs.

/// Returns the XXH64 of `bytes` with seed 0.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, 0)
}

/// Hashes bytes that arrive in parts, with the result of [`of_bytes`].
#[derive(Clone, Default)]
pub struct StreamHasher(xxhash_rust::xxh64::Xxh64);

impl StreamHasher {
    /// Appends `bytes` to the hashed bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes.
    #[must_use]
    pub fn finish(&self) -> u64 {
        self.0.digest()
    }
}

/// Maps 64-bit numbers bijectively so that each output bit depends on every input bit (the
/// finalizer of SplitMix64).
#[must_use]
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The odd number nearest to 2^64 divided by the golden ratio: the increment of [`SplitMix64`].
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of 64-bit numbers that depends only on its seed.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates the stream of `seed`. The seed is mixed first, so that small seeds give dissimilar
    /// streams.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed ^ GOLDEN))
    }

    /// Returns the next number.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Returns the next number below `bound`: the high half of its product with `bound` (Lemire
    /// 2019; the bias is below `bound / 2^64`).
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub const fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0");
        ((self.next_u64() as u128 * bound as u128) >> 64) as u32
    }

    /// Shuffles `all`, which must have fewer than 2^32 entries (Fisher and Yates).
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hash_to_the_published_values() {
        assert_eq!(of_bytes(b""), 0xef46_db37_51d8_e999);
        assert_eq!(of_bytes(b"a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(of_bytes(b"abc"), 0x44bc_2cf5_ad77_0999);
    }

    #[test]
    fn split_mix_gives_the_published_stream() {
        // The reference generator seeded with 1234567 (Vigna's splitmix64.c). Ours mixes its seed
        // first.
        let mut stream = SplitMix64(1_234_567);
        assert_eq!(stream.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(stream.next_u64(), 3_203_168_211_198_807_973);
        assert_eq!(stream.next_u64(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn numbers_below_a_bound_reach_every_value() {
        let mut stream = SplitMix64::new(7);
        let mut seen = [0u32; 5];
        for _ in 0..5_000 {
            seen[stream.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1_150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn all_orders_are_equally_likely() {
        let mut stream = SplitMix64::new(7);
        let mut seen = std::collections::BTreeMap::<[u8; 3], u32>::new();
        for _ in 0..6_000 {
            let mut all = [1, 2, 3];
            stream.shuffle(&mut all);
            *seen.entry(all).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&n| (850..1_150).contains(&n)), "{seen:?}");
        stream.shuffle::<u8>(&mut []);
    }
}
