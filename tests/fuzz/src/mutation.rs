//! Mutates inputs with the usual steps of a mutating fuzzer, such as AFL's *havoc*.

use fastrand::Rng;

/// Boundary values for readers.
const NUMBERS: [u32; 20] = [
    0,
    1,
    2,
    7,
    16,
    31,
    63,
    64,
    127,
    128,
    255,
    256,
    4_095,
    4_096,
    32_767,
    65_535,
    65_536,
    1 << 24,
    i32::MAX as u32,
    u32::MAX,
];

/// Maximum number of steps from one input to the next.
const MAX_STEPS: u32 = 8;
/// Usual maximum number of bytes that are moved or copied.
const PIECE: usize = 64;

/// Changes `input` in a few places and may insert pieces of `other`, any other input. The result
/// has at most `max` bytes.
pub fn mutate(input: &mut Vec<u8>, other: &[u8], max: usize, rng: &mut Rng) {
    let steps = 1 << rng.u32(0..=MAX_STEPS.ilog2());
    for _ in 0..steps {
        step(input, other, rng);
    }
    input.truncate(max);
}

/// Returns an offset in data of `n` bytes, or its end.
fn place(n: usize, rng: &mut Rng) -> usize {
    rng.usize(0..=n)
}

/// Returns a range in data of `n` bytes.
fn piece(n: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let max = if rng.u8(0..16) == 0 { n } else { n.min(PIECE) };
    let bytes = rng.usize(0..=max);
    let start = rng.usize(0..=n - bytes);
    start..start + bytes
}

fn step(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let n = input.len();
    if n == 0 {
        input.extend_from_slice(&other[piece(other.len(), rng)]);
        input.push(rng.u8(..));
        return;
    }
    let at = rng.usize(0..n);
    match rng.u8(0..14) {
        0..3 => input[at] ^= 1 << rng.u8(0..8),
        3..5 => input[at] = rng.u8(..),
        5 => {
            let step = rng.u8(1..=16);
            input[at] = if rng.bool() {
                input[at].wrapping_add(step)
            } else {
                input[at].wrapping_sub(step)
            };
        }
        6 => {
            let number = NUMBERS[rng.usize(0..NUMBERS.len())].wrapping_sub(rng.u32(0..3));
            let (bytes, width) = (number.to_le_bytes(), [1, 2, 4][rng.usize(0..3)]);
            let end = n.min(at + width);
            input[at..end].copy_from_slice(&bytes[..end - at]);
        }
        7 => {
            // As LEB128.
            let mut number = NUMBERS[rng.usize(0..NUMBERS.len())].wrapping_sub(rng.u32(0..3));
            let mut bytes = Vec::with_capacity(5);
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
            let end = n.min(at + if rng.bool() { 0 } else { bytes.len() });
            input.splice(at..end, bytes);
        }
        8 => {
            input.drain(piece(n, rng));
        }
        9 => {
            let own = input[piece(n, rng)].to_vec();
            let at = place(n, rng);
            input.splice(at..at, own);
        }
        10 => {
            let at = place(n, rng);
            let (byte, times) = (rng.u8(..), rng.usize(1..=16));
            input.splice(at..at, std::iter::repeat_n(byte, times));
        }
        11 => {
            let theirs = piece(other.len(), rng);
            let own = if rng.bool() { at..n.min(at + theirs.len()) } else { at..at };
            input.splice(own, other[theirs].iter().copied());
        }
        12 => {
            let piece = piece(n, rng);
            input[piece].fill(rng.u8(..));
        }
        _ => input.truncate(if rng.u8(0..4) == 0 { at } else { n.max(PIECE) - rng.usize(0..16) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_a_function_of_the_seed() {
        let draw = |seed| {
            let mut rng = Rng::with_seed(seed);
            let mut input = b"a shard of some bytes".to_vec();
            for _ in 0..1_000 {
                mutate(&mut input, b"others", 300, &mut rng);
                assert!(input.len() <= 300);
            }
            input
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
