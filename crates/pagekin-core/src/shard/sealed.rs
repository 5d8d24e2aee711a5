//! A shard as it is stored: a header before a payload, which may be deflated.

use std::borrow::Cow;

use super::ReadError;
use super::inflate::inflate;
use super::wire::{Damaged, Reader};

/// The version of the format that is written.
pub const FORMAT_VERSION: u16 = 1;

/// Maximum number of bytes of a stored shard. Shards of real sites have a few thousand; a build
/// with too few files has longer ones.
pub const MAX_SHARD_BYTES: usize = 1 << 20;
/// Maximum number of bytes of a manifest. In packs it has one or two bytes for each shard.
pub const MAX_MANIFEST_BYTES: usize = 2 << 20;
/// Maximum number of bytes of an inflated payload.
pub const MAX_PAYLOAD_BYTES: usize = 2 << 20;

const MAGIC: [u8; 4] = *b"PGKN";
pub(super) const HEADER_BYTES: usize = 24;

/// The kind of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The manifest.
    Manifest = 0,
    /// A part of the LSH tables.
    Tables = 1,
    /// A block of page records.
    Pages = 2,
    /// A part of the map from addresses to pages.
    Addresses = 3,
    /// A sample of pages.
    Sample = 4,
    /// Sketches of pages.
    Sketches = 5,
    /// A part of the lists of terms.
    Lists = 6,
    /// The words to show for terms.
    Words = 7,
    /// A part of the words that typed words are completed or corrected to.
    Completions = 8,
    /// A part of the filters and sort keys.
    Filters = 9,
}

impl Kind {
    /// All kinds but the manifest, of which there is one.
    pub const NUMBERED: [Self; 9] = [
        Self::Tables,
        Self::Lists,
        Self::Pages,
        Self::Addresses,
        Self::Sample,
        Self::Sketches,
        Self::Words,
        Self::Completions,
        Self::Filters,
    ];

    /// Returns the maximum number of bytes of a stored shard, without padding. A reader does not
    /// need to read more from a host or a disk.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Manifest => MAX_MANIFEST_BYTES,
            _ => MAX_SHARD_BYTES,
        }
    }

    /// Returns the name of the folder of its files.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Manifest => "",
            Self::Tables => "tables",
            Self::Pages => "pages",
            Self::Addresses => "addresses",
            Self::Sample => "sample",
            Self::Sketches => "sketches",
            Self::Lists => "lists",
            Self::Words => "words",
            Self::Completions => "completions",
            Self::Filters => "filters",
        }
    }
}

/// Stored as it is, deflated, or with a deflated head.
const PLAIN: u8 = 0;
const DEFLATED: u8 = 1;
const HEAD_DEFLATED: u8 = 2;
/// The compression level, of 10. Higher levels save some bytes of a site, and take five times as
/// long for long words of few letters.
const DEFLATE_LEVEL: u8 = 6;
/// Maximum number of inflated bytes for each deflated byte, after some that are free. A payload
/// that deflates to less is stored plain, so a reader can refuse what would fill its memory.
const DEFLATE_FACTOR: usize = 32;
const DEFLATE_FREE: usize = 64 << 10;

/// Returns the maximum number of bytes that a number of deflated bytes may inflate to.
fn max_inflated(deflated: usize) -> usize {
    deflated.saturating_mul(DEFLATE_FACTOR).saturating_add(DEFLATE_FREE)
}

/// Returns the number of bytes at the start of a payload that are worth deflating. The rest is
/// coded in another way.
fn head_bytes(kind: Kind, payload: &[u8]) -> usize {
    match kind {
        // These begin with their length.
        Kind::Pages | Kind::Manifest => {
            let head = payload.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes));
            payload.len().min(4 + head as usize)
        }
        Kind::Lists | Kind::Completions => 0,
        _ => payload.len(),
    }
}

/// Seals a payload: adds the header, and deflates the payload if that makes it smaller.
///
/// # Panics
///
/// If the payload has 4 GiB or more, which a shard never has.
#[must_use]
pub fn seal(kind: Kind, generation: u64, payload: &[u8]) -> Vec<u8> {
    assert!(u32::try_from(payload.len()).is_ok(), "a shard is below 4 GiB");
    let (head, rest) = payload.split_at(head_bytes(kind, payload));
    let deflated = miniz_oxide::deflate::compress_to_vec(head, DEFLATE_LEVEL);
    let (coding, coded) = match rest {
        [] => (DEFLATED, [&(head.len() as u32).to_le_bytes()[..], &deflated].concat()),
        _ => {
            let lengths = [head.len() as u32, deflated.len() as u32].map(u32::to_le_bytes);
            (HEAD_DEFLATED, [&lengths.concat()[..], &deflated, rest].concat())
        }
    };
    let worth = coded.len() < payload.len() && head.len() <= max_inflated(deflated.len());
    let (coding, stored) = if worth { (coding, &coded[..]) } else { (PLAIN, payload) };
    let mut bytes = Vec::with_capacity(HEADER_BYTES + stored.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&[kind as u8, coding]);
    bytes.extend_from_slice(&generation.to_le_bytes());
    bytes.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    let checksum = checksum(&bytes, stored);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(stored);
    bytes
}

fn checksum(head: &[u8], stored: &[u8]) -> u32 {
    let mut hasher = xxhash_rust::xxh64::Xxh64::new(0);
    hasher.update(head);
    hasher.update(stored);
    hasher.digest() as u32
}

/// Returns a shard without the zeros that fill its slot of a pack. Other bytes are returned
/// unchanged.
pub(super) fn unpadded(bytes: &[u8]) -> &[u8] {
    let stored =
        bytes.get(16..20).and_then(|stored| stored.try_into().ok()).map(u32::from_le_bytes);
    let end = stored.and_then(|stored| HEADER_BYTES.checked_add(stored as usize));
    match end.and_then(|end| bytes.split_at_checked(end)) {
        Some((shard, padding)) if padding.iter().all(|&byte| byte == 0) => shard,
        _ => bytes,
    }
}

/// The header of a payload, after the magic.
struct Header {
    version: u16,
    kind: u8,
    coding: u8,
    generation: u64,
    stored_bytes: u32,
    checksum: u32,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut reader = Reader::new(bytes);
        Ok(Self {
            version: reader.u16("a version")?,
            kind: reader.u8("a kind")?,
            coding: reader.u8("a coding")?,
            generation: reader.u64("a generation")?,
            stored_bytes: reader.u32("a length")?,
            checksum: reader.u32("a checksum")?,
        })
    }
}

/// Returns the generation and payload of a shard. If `generation` is given, the shard must have it.
///
/// # Errors
///
/// A [`ReadError`] of any kind.
pub fn open<'a>(
    shard: &str,
    kind: Kind,
    generation: Option<u64>,
    bytes: &'a [u8],
) -> Result<(u64, Cow<'a, [u8]>), ReadError> {
    let name = || shard.to_owned();
    if !bytes.starts_with(&MAGIC) {
        return Err(ReadError::NotPagekin { shard: name(), found: beginning(bytes) });
    }
    if bytes.len() > kind.max_bytes() {
        return Err(Damaged("no more bytes than a file of its kind has").in_shard(shard));
    }
    let Some((head, stored)) = bytes.split_at_checked(HEADER_BYTES) else {
        let (expected, found) = (HEADER_BYTES as u64, bytes.len() as u64);
        return Err(ReadError::Truncated { shard: name(), expected, found });
    };
    let header = Header::read(&head[MAGIC.len()..]).map_err(|error| error.in_shard(shard))?;
    let Header { version, kind: found_kind, coding, generation: found_generation, .. } = header;
    if version > FORMAT_VERSION {
        let supported = FORMAT_VERSION;
        return Err(ReadError::VersionTooNew { shard: name(), found: version, supported });
    }
    if version < FORMAT_VERSION {
        let supported = FORMAT_VERSION;
        return Err(ReadError::VersionTooOld { shard: name(), found: version, supported });
    }
    let (n, expected) = (u64::from(header.stored_bytes), header.checksum);
    if n != stored.len() as u64 {
        let head = HEADER_BYTES as u64;
        let (expected, found) = (head + n, head + stored.len() as u64);
        return Err(ReadError::Truncated { shard: name(), expected, found });
    }
    let found = checksum(&head[..HEADER_BYTES - 4], stored);
    if expected != found {
        return Err(ReadError::Checksum { shard: name(), expected, found });
    }
    if let Some(expected) = generation
        && expected != found_generation
    {
        return Err(ReadError::WrongGeneration {
            shard: name(),
            expected,
            found: found_generation,
        });
    }
    if found_kind != kind as u8 {
        return Err(Damaged("another kind of shard").in_shard(shard));
    }
    let payload = match coding {
        PLAIN => Cow::Borrowed(stored),
        DEFLATED | HEAD_DEFLATED => {
            let payload = payload_of(stored, coding == HEAD_DEFLATED);
            Cow::Owned(payload.map_err(|error| error.in_shard(shard))?)
        }
        _ => return Err(Damaged("a known coding").in_shard(shard)),
    };
    Ok((found_generation, payload))
}

/// Inflates a payload that was deflated as a whole, or its head alone.
fn payload_of(stored: &[u8], head_alone: bool) -> Result<Vec<u8>, Damaged> {
    let mut reader = Reader::new(stored);
    let n = reader.u32("the length of the inflated payload")? as usize;
    let deflated = match head_alone {
        true => {
            let deflated = reader.u32("the length of the deflated head")? as usize;
            reader.bytes(deflated, "a deflated head")?
        }
        false => reader.bytes(reader.rest().len(), "a deflated payload")?,
    };
    let rest = reader.rest();
    if n > max_inflated(deflated.len()).min(MAX_PAYLOAD_BYTES.saturating_sub(rest.len())) {
        return Err(Damaged("32 times the deflated bytes and 64 KiB, and 2 MiB at most"));
    }
    let mut payload =
        inflate(deflated, n).ok_or(Damaged("a payload that inflates to its length"))?;
    payload.extend_from_slice(rest);
    Ok(payload)
}

/// Returns the first bytes for display, with a dot for each that is not a printable ASCII
/// character.
fn beginning(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let shown = |&byte| if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' };
    let first = bytes.iter().take(24).map(shown);
    std::iter::once('"').chain(first).chain(std::iter::once('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use proptest::prelude::*;

    fn sealed() -> Vec<u8> {
        seal(Kind::Tables, 7, b"payload")
    }

    #[track_caller]
    fn check(bytes: &[u8], code: &str) {
        let error = open("x.shard", Kind::Tables, Some(7), bytes).expect_err("it is damaged");
        assert_eq!(error.code(), code, "{error}");
    }

    #[test]
    fn a_sealed_payload_is_opened() {
        let payload = Cow::Borrowed(&b"payload"[..]);
        assert_eq!(open("x", Kind::Tables, Some(7), &sealed()), Ok((7, payload.clone())));
        assert_eq!(open("x", Kind::Tables, None, &sealed()), Ok((7, payload)));
    }

    #[test]
    fn padding_is_taken_off() {
        let padded = [&sealed()[..], &[0; 9]].concat();
        check(&padded, "Truncated");
        assert_eq!(unpadded(&padded), sealed());
        assert_eq!(unpadded(&sealed()), sealed());
        for odd in [&b"PGKN"[..], &[&sealed()[..], b"x"].concat(), &sealed()[..25]] {
            assert_eq!(unpadded(odd), odd);
        }
    }

    /// Returns a shard with any stored bytes under a valid header.
    fn forged(coding: u8, stored: &[u8]) -> Vec<u8> {
        let mut bytes = seal(Kind::Tables, 7, b"");
        bytes.truncate(HEADER_BYTES - 8);
        bytes[7] = coding;
        bytes.extend((stored.len() as u32).to_le_bytes());
        let checksum = checksum(&bytes, stored);
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(stored);
        bytes
    }

    #[test]
    fn repetitive_payloads_are_deflated() {
        let payload = b"pagekin ".repeat(100);
        let bytes = seal(Kind::Tables, 7, &payload);
        assert!(bytes.len() < 100);
        assert_eq!(open("x", Kind::Tables, Some(7), &bytes), Ok((7, Cow::Owned(payload))));
        let absurd = vec![0; 1 << 19];
        let bytes = seal(Kind::Tables, 7, &absurd);
        assert!(bytes.len() > 1 << 19);
        assert_eq!(open("x", Kind::Tables, Some(7), &bytes), Ok((7, Cow::Owned(absurd))));
    }

    #[test]
    fn oversized_shards_are_refused() {
        for kind in [Kind::Tables, Kind::Manifest] {
            let fits = seal(kind, 7, &vec![0; kind.max_bytes() - HEADER_BYTES]);
            assert_eq!(fits.len(), kind.max_bytes());
            assert!(open("x", kind, Some(7), &fits).is_ok());
            let long = seal(kind, 7, &vec![0; kind.max_bytes() - HEADER_BYTES + 1]);
            assert_eq!(open("x", kind, Some(7), &long).unwrap_err().code(), "Damaged");
        }
        // There are enough deflated bytes for the payload, so only the length is wrong.
        let line: Vec<u8> = (0..70u8).collect();
        for (repeats, is_read) in [(29_000, true), (30_000, false)] {
            let payload = line.repeat(repeats);
            let deflated = miniz_oxide::deflate::compress_to_vec(&payload, 1);
            let padded = deflated.len().max(payload.len() / DEFLATE_FACTOR);
            let deflated = [&deflated[..], &vec![0; padded - deflated.len()]].concat();
            let length = (payload.len() as u32).to_le_bytes();
            let bytes = forged(DEFLATED, &[&length[..], &deflated].concat());
            assert_eq!(open("x", Kind::Tables, Some(7), &bytes).is_ok(), is_read);
        }
    }

    #[test]
    fn only_the_head_of_a_block_is_deflated() {
        let coded: Vec<u8> = (0..300u32).map(|at| (hash::mix(at.into()) >> 9) as u8).collect();
        let payload = [&800u32.to_le_bytes()[..], &b"pagekin ".repeat(100), &coded].concat();
        let bytes = seal(Kind::Pages, 7, &payload);
        assert!(bytes.len() < coded.len() + 100);
        assert_eq!(open("x", Kind::Pages, Some(7), &bytes), Ok((7, Cow::Owned(payload))));
    }

    #[test]
    fn a_payload_that_inflates_to_another_length_is_refused() {
        let deflated = miniz_oxide::deflate::compress_to_vec(&[0; 1_000], 9);
        for n in [0u32, 999, 1_001, u32::MAX] {
            check(&forged(DEFLATED, &[&n.to_le_bytes()[..], &deflated].concat()), "Damaged");
        }
        check(&forged(DEFLATED, b"xyz"), "Damaged");
        check(&forged(3, b"payload"), "Damaged");
    }

    #[test]
    fn each_kind_of_damage_has_its_name() {
        check(b"<!doctype html>", "NotPagekin");
        check(b"", "NotPagekin");
        check(&sealed()[..10], "Truncated");
        check(&sealed()[..30], "Truncated");
        check(&[&sealed()[..], b"x"].concat(), "Truncated");
        let mut flipped = sealed();
        flipped[26] ^= 1;
        check(&flipped, "Checksum");
        let mut newer = sealed();
        newer[4] = FORMAT_VERSION as u8 + 1;
        check(&newer, "VersionTooNew");
        newer[4] = FORMAT_VERSION as u8 - 1;
        check(&newer, "VersionTooOld");
        check(&seal(Kind::Tables, 8, b"payload"), "WrongGeneration");
        check(&seal(Kind::Pages, 7, b"payload"), "Damaged");
    }

    proptest! {
        #[test]
        fn any_stored_bytes_are_read_or_refused(stored: Vec<u8>) {
            for coding in [PLAIN, DEFLATED, HEAD_DEFLATED] {
                let _ = open("x", Kind::Tables, Some(7), &forged(coding, &stored));
            }
        }

        #[test]
        fn one_changed_byte_is_noticed(at in 0usize..31, change in 1u8..) {
            let mut bytes = sealed();
            bytes[at] ^= change;
            prop_assert!(open("x", Kind::Tables, Some(7), &bytes).is_err());
        }
    }
}
