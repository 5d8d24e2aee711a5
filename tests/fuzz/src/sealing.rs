//! Creates headers as FORMAT.md describes them, with valid checksums for any payload, and gzip
//! members.

use flate2::Crc;
use pagekin_core::shard::{FORMAT_VERSION, Kind};
use xxhash_rust::xxh64::Xxh64;

/// Size of a header in bytes.
pub const HEADER: usize = 24;
/// Offsets in the header of the generation, and of the length and checksum.
const GENERATION: usize = 8;
const LENGTH: usize = 16;
const CHECKSUM: usize = 20;

/// Writes a header and an uncompressed payload into `shard`, which is cleared first. Unlike
/// [`seal`](pagekin_core::shard::seal), it does not deflate, which would take most of the time.
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

/// Updates the length and the checksum in a header for the bytes after it.
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

/// Returns a gzip member (RFC 1952) that stores its content uncompressed. Creating an encoder with
/// its tables takes longer than most targets.
#[must_use]
pub fn gzip_plain(content: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff];
    let mut blocks = content.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        member.push(u8::from(blocks.peek().is_none()));
        member.extend(length.to_le_bytes());
        member.extend((!length).to_le_bytes());
        member.extend(block);
    }
    if content.is_empty() {
        member.extend([1, 0, 0, 0xff, 0xff]);
    }
    let mut checksum = Crc::new();
    checksum.update(content);
    member.extend(checksum.sum().to_le_bytes());
    member.extend(checksum.amount().to_le_bytes());
    member
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::MultiGzDecoder;
    use pagekin_core::shard::seal;
    use std::io::Read;

    #[test]
    fn a_member_is_unpacked() {
        for bytes in [0, 1, 0xffff, 0x10000, 0x20000] {
            let content: Vec<u8> = (0..bytes).map(|at| (at / 3) as u8).collect();
            let packed = [gzip_plain(&content), gzip_plain(b"behind")].concat();
            let mut unpacked = Vec::new();
            MultiGzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == [&content[..], b"behind"].concat(), "{bytes}");
        }
    }

    #[test]
    fn an_incompressible_payload_is_sealed_like_in_the_core() {
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
