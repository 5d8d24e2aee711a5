//! Headers as FORMAT.md describes them, with a sound checksum, of whatever payload.

use pagekin_core::shard::{FORMAT_VERSION, Kind};
use xxhash_rust::xxh64::Xxh64;

/// The bytes of a header.
pub const HEADER: usize = 24;
/// Where the generation and the length and checksum stand in it.
const GENERATION: usize = 8;
const LENGTH: usize = 16;
const CHECKSUM: usize = 20;

/// Puts a payload as it is behind a header, into `shard`, which is emptied. Unlike
/// [`seal`](pagekin_core::shard::seal) it deflates nothing, which would take most of the time.
pub fn seal_plain(kind: Kind, generation: u64, payload: &[u8], shard: &mut Vec<u8>) {
    shard.clear();
    shard.extend_from_slice(b"PGKN");
    shard.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    shard.extend_from_slice(&[kind as u8, 0]);
    shard.extend_from_slice(&generation.to_le_bytes());
    shard.extend_from_slice(&[0; HEADER - LENGTH]);
    shard.extend_from_slice(payload);
    reseal(shard);
}

/// Makes the length and the checksum in a header those of what stands behind it.
pub fn reseal(shard: &mut [u8]) {
    let Some(stored) = shard.len().checked_sub(HEADER) else { return };
    shard[LENGTH..CHECKSUM].copy_from_slice(&(stored as u32).to_le_bytes());
    let mut hasher = Xxh64::new(0);
    hasher.update(&shard[..CHECKSUM]);
    hasher.update(&shard[HEADER..]);
    let checksum = hasher.digest() as u32;
    shard[CHECKSUM..HEADER].copy_from_slice(&checksum.to_le_bytes());
}

/// Sets the generation in a header.
pub fn set_generation(shard: &mut [u8], generation: u64) {
    if let Some(place) = shard.get_mut(GENERATION..LENGTH) {
        place.copy_from_slice(&generation.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::shard::seal;

    #[test]
    fn a_payload_that_does_not_deflate_is_sealed_as_by_the_core() {
        let mut shard = Vec::new();
        for payload in [&b""[..], b"a", b"abcdefgh"] {
            seal_plain(Kind::Tables, 7, payload, &mut shard);
            assert_eq!(shard, seal(Kind::Tables, 7, payload));
        }
        set_generation(&mut shard, 8);
        reseal(&mut shard);
        assert_eq!(shard, seal(Kind::Tables, 8, b"abcdefgh"));
    }
}
