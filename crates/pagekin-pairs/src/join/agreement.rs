//! Counts the bytes in which rows agree. Nearly all of the time of pairing is spent here, so it
//! uses the widest instructions of the processor. All implementations give the same counts.

use fearless_simd::{Level, Simd, SimdBase, dispatch, u8x16, u8x64};

/// Rows are padded to a multiple of this many bytes, which any processor can compare in one step.
pub(crate) const LANES: usize = 16;
/// Number of bytes that the widest instructions compare in one step.
const WIDE: usize = 64;

/// Length of a row of signatures of the usual length, in bytes.
const USUAL: usize = 80;
/// Number of rows that another row is compared with while it is in registers.
const BLOCK: usize = 4;

/// Two rows that agree enough: their positions, the lower one second, and the number of equal
/// bytes.
pub(crate) type Agreeing = (u32, u32, u32);

/// Compares all pairs of `count` rows of the same length, which `row` returns by position. Appends
/// those that agree in at least `min` bytes to `found`.
pub(crate) fn compare_all<'a>(
    level: Level,
    count: u32,
    row: impl Fn(u32) -> &'a [u8],
    min: u32,
    found: &mut Vec<Agreeing>,
) {
    match level {
        // SSE2 has no instruction that counts bits.
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(_) => each_two(count, row, min, found, agreeing),
        _ => dispatch!(level, simd => {
            if count > BLOCK as u32 && row(0).len() == USUAL {
                // Copy the rows next to one another, with a length known at compile time.
                let row = |at| -> [u8; USUAL] { *row(at).first_chunk().expect("all are as long") };
                let rows: Vec<[u8; USUAL]> = (0..count).map(row).collect();
                each_two_together(simd, &rows, min, found);
            } else {
                each_two(count, &row, min, found, |a, b| by_masks(simd, a, b));
            }
        }),
    }
}

/// [`each_two`] for rows in consecutive memory: a loaded row is compared with several others.
#[inline(always)]
fn each_two_together<S: Simd>(simd: S, rows: &[[u8; USUAL]], min: u32, found: &mut Vec<Agreeing>) {
    let (blocks, rest) = rows.as_chunks::<BLOCK>();
    for (at, block) in blocks.iter().enumerate() {
        let (first, begin) = (at * BLOCK, found.len());
        let loaded = block.each_ref().map(|row| Loaded::new(simd, row));
        for (u, row) in rows[..first].iter().enumerate() {
            let row = Loaded::new(simd, row);
            for (v, this) in (first..).zip(&loaded) {
                let equal = this.agreeing(simd, &row);
                if equal >= min {
                    found.push((v as u32, u as u32, equal));
                }
            }
        }
        for v in first..first + BLOCK {
            one_with_others(simd, rows, v, first, min, found);
        }
        found[begin..].sort_unstable();
    }
    for v in rows.len() - rest.len()..rows.len() {
        one_with_others(simd, rows, v, 0, min, found);
    }
}

/// Compares row `v` with the rows from `first` up to it.
#[inline(always)]
fn one_with_others<S: Simd>(
    simd: S,
    rows: &[[u8; USUAL]],
    v: usize,
    first: usize,
    min: u32,
    found: &mut Vec<Agreeing>,
) {
    let this = Loaded::new(simd, &rows[v]);
    for (u, row) in (first..).zip(&rows[first..v]) {
        let equal = this.agreeing(simd, &Loaded::new(simd, row));
        if equal >= min {
            found.push((v as u32, u as u32, equal));
        }
    }
}

/// A row of the usual length in registers.
#[derive(Clone, Copy)]
struct Loaded<S: Simd> {
    wide: u8x64<S>,
    rest: u8x16<S>,
}

impl<S: Simd> Loaded<S> {
    #[inline(always)]
    fn new(simd: S, row: &[u8; USUAL]) -> Self {
        let (wide, rest) = row.split_at(WIDE);
        Self { wide: u8x64::from_slice(simd, wide), rest: u8x16::from_slice(simd, rest) }
    }

    #[inline(always)]
    fn agreeing(&self, simd: S, other: &Self) -> u32 {
        let wide = simd.to_bitmask_mask8x64(simd.simd_eq_u8x64(self.wide, other.wide));
        let rest = simd.to_bitmask_mask8x16(simd.simd_eq_u8x16(self.rest, other.rest));
        wide.count_ones() + rest.count_ones()
    }
}

#[inline(always)]
fn each_two<'a>(
    count: u32,
    row: impl Fn(u32) -> &'a [u8],
    min: u32,
    found: &mut Vec<Agreeing>,
    agreeing: impl Fn(&[u8], &[u8]) -> u32,
) {
    for v in 1..count {
        let this = row(v);
        for u in 0..v {
            let equal = agreeing(this, row(u));
            if equal >= min {
                found.push((v, u, equal));
            }
        }
    }
}

/// [`agreeing`] with one bit per byte.
#[inline(always)]
fn by_masks<S: Simd>(simd: S, a: &[u8], b: &[u8]) -> u32 {
    let (wide_a, a) = a.as_chunks::<WIDE>();
    let (wide_b, b) = b.as_chunks::<WIDE>();
    let mut total = 0;
    for (a, b) in wide_a.iter().zip(wide_b) {
        let (a, b) = (u8x64::from_slice(simd, a), u8x64::from_slice(simd, b));
        total += simd.to_bitmask_mask8x64(simd.simd_eq_u8x64(a, b)).count_ones();
    }
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        let (a, b) = (u8x16::from_slice(simd, a), u8x16::from_slice(simd, b));
        total += simd.to_bitmask_mask8x16(simd.simd_eq_u8x16(a, b)).count_ones();
    }
    total
}

/// Returns the number of equal bytes of `a` and `b`, which have the same length, a multiple of 16.
/// Written so that compilers compare 16 bytes in one step.
pub(crate) fn agreeing(a: &[u8], b: &[u8]) -> u32 {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let mut total = 0;
    // Each lane counts in one byte, and is emptied before it overflows.
    for (a, b) in a.chunks(255).zip(b.chunks(255)) {
        let mut lanes = [0u8; LANES];
        for (a, b) in a.iter().zip(b) {
            for lane in 0..LANES {
                lanes[lane] += u8::from(a[lane] == b[lane]);
            }
        }
        total += lanes.iter().map(|&lane| u32::from(lane)).sum::<u32>();
    }
    total
}

/// Number of bytes of two rows that [`agreeing_bits`] compares.
pub(crate) const BITS: usize = 128;

/// Returns a bit for each of the first [`BITS`] bytes of `a` and `b`, lowest first: whether they
/// are equal. Both have the same length, a multiple of 16.
pub(crate) fn agreeing_bits(level: Level, a: &[u8], b: &[u8]) -> u128 {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(_) => bits_by_words(a, b),
        _ => dispatch!(level, simd => bits_by_masks(simd, a, b)),
    }
}

#[inline(always)]
fn bits_by_masks<S: Simd>(simd: S, a: &[u8], b: &[u8]) -> u128 {
    let chunks = a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0);
    let mut bits = 0;
    for (at, (a, b)) in chunks.take(BITS / LANES).enumerate() {
        let (a, b) = (u8x16::from_slice(simd, a), u8x16::from_slice(simd, b));
        let equal = simd.to_bitmask_mask8x16(simd.simd_eq_u8x16(a, b));
        bits |= u128::from(equal & 0xffff) << (LANES * at);
    }
    bits
}

fn bits_by_words(a: &[u8], b: &[u8]) -> u128 {
    const LOWER: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut bits = 0;
    for (at, (a, b)) in words.take(BITS / 8).enumerate() {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        // Set the highest bit of each byte that is 0, and no other bit.
        let equal = !(((differ & LOWER) + LOWER) | differ | LOWER);
        // Move bit 8 i to bit 56 + i.
        let gathered = (equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= u128::from(gathered) << (8 * at);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::Level;
    use proptest::prelude::*;

    /// Returns all levels of this processor.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        let mut levels = vec![best, Level::baseline()];
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(best.as_sse4_2().map(Level::Sse4_2));
            levels.extend(best.as_avx2().map(Level::Avx2));
        }
        levels
    }

    proptest! {
        #[test]
        fn rows_are_compared_as_byte_by_byte(
            values in prop::collection::vec(0u8..3, 0..1_200), lanes in 1usize..12, min in 0u32..150,
        ) {
            let length = lanes * LANES;
            let rows = &values[..values.len() / length * length];
            let mut expected = Vec::new();
            for (v, row) in (0..).zip(rows.chunks(length)) {
                for (u, other) in (0..v).zip(rows.chunks(length)) {
                    let equal = row.iter().zip(other).filter(|(a, b)| a == b).count() as u32;
                    if equal >= min {
                        expected.push((v, u, equal));
                    }
                }
            }
            for level in levels() {
                let mut found = Vec::new();
                let row = |at: u32| &rows[at as usize * length..][..length];
                compare_all(level, (rows.len() / length) as u32, row, min, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", level);
            }
        }

        #[test]
        fn bytes_are_compared_as_byte_by_byte(pairs in prop::collection::vec((0u8..3, 0u8..3), 0..40), times in 1usize..600) {
            let (mut a, mut b): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
            let length = a.len().next_multiple_of(LANES);
            a.resize(length, 7);
            b.resize(length, 9);
            let (a, b) = (a.repeat(times), b.repeat(times));
            let expected = a.iter().zip(&b).filter(|(a, b)| a == b).count();
            prop_assert_eq!(agreeing(&a, &b) as usize, expected);
            for level in levels() {
                let bits = agreeing_bits(level, &a, &b);
                for (at, (a, b)) in a.iter().zip(&b).enumerate().take(BITS) {
                    prop_assert_eq!(bits >> at & 1 == 1, a == b, "{:?}", level);
                }
                prop_assert!(a.len() >= BITS || bits >> a.len() == 0);
            }
        }
    }
}
