//! The contexts in which completions are coded.

/// Number of bits of a shared length. The byte after the maximum is written even if it is shared.
pub(super) const SHARED_BITS: u32 = 5;
pub(super) const MAX_SHARED: usize = (1 << SHARED_BITS) - 1;
/// Shared lengths by the previous shared length, up to the seventh.
const SHARED_CONTEXTS: usize = 1 << SHARED_BITS;
const LENGTHS_BEFORE: usize = 8;
/// The first byte that is not shared, by the class of the byte that the previous word has there.
/// Words are ordered, so it is a later one.
const FIRST_AT: usize = LENGTHS_BEFORE * SHARED_CONTEXTS;
const FIRST_CLASSES: usize = 8;
/// Another byte, by the class of the one before.
const NEXT_AT: usize = FIRST_AT + FIRST_CLASSES * BYTE_CONTEXTS;
const NEXT_CLASSES: usize = 12;
pub(super) const BYTE_BITS: u32 = 8;
const BYTE_CONTEXTS: usize = 1 << BYTE_BITS;
pub(super) const WEIGHT_AT: usize = NEXT_AT + NEXT_CLASSES * BYTE_CONTEXTS;
pub(super) const WEIGHT_BITS: u32 = 4;
/// The number of all contexts.
pub(super) const CONTEXTS: usize = WEIGHT_AT + (1 << WEIGHT_BITS);

/// Returns the contexts of the first byte after `same` shared ones.
pub(super) fn first_at(before: &[u8], same: usize) -> usize {
    let class = match before.get(same).copied().unwrap_or(0) {
        b'0'..=b'9' => 6,
        1..b'@' => 7,
        byte => byte >> 2 & 7,
    };
    FIRST_AT + usize::from(class) * BYTE_CONTEXTS
}

/// Returns the contexts of the byte after another one. Letters that are followed by similar ones
/// share theirs.
pub(super) fn next_at(byte: u8) -> usize {
    let class = match byte {
        b'0'..=b'9' => 0,
        0..b'@' => 1,
        0x80..0xc0 => 2,
        0xc0.. => 3,
        b'a' => 4,
        b'e' => 5,
        b'i' => 6,
        b'o' | b'u' | b'y' => 7,
        b'l' | b'm' | b'n' | b'r' => 8,
        b'd' | b'k' | b's' | b't' => 9,
        b'_' => 10,
        _ => 11,
    };
    NEXT_AT + class * BYTE_CONTEXTS
}

pub(super) fn shared_at(before: usize) -> usize {
    before.min(LENGTHS_BEFORE - 1) * SHARED_CONTEXTS
}
