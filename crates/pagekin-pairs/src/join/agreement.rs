//! In how many bytes rows agree: what nearly all of the time of pairing goes into, so it is done by
//! the widest instructions that the processor has. All ways count the same.

use fearless_simd::{Level, Simd, SimdBase, dispatch, u8x16, u8x64};

/// Rows are filled up to a multiple of so many bytes, which any processor compares at once.
pub(crate) const LANES: usize = 16;
/// Bytes that the widest instructions compare at once.
const WIDE: usize = 64;

/// Bytes of a row of signatures of the usual length.
const USUAL: usize = 80;
/// Rows that another is compared with while it is loaded.
const TOGETHER: usize = 4;

/// Two rows that agree enough: their places, the lower one second, and in how many bytes.
pub(crate) type Agreeing = (u32, u32, u32);

/// Compares each two of `count` rows, all of the same length, which `row` gives by their places,
/// and adds those that agree in at least `least` bytes to `found`.
pub(crate) fn compare_all<'a>(
    level: Level,
    count: u32,
    row: impl Fn(u32) -> &'a [u8],
    least: u32,
    found: &mut Vec<Agreeing>,
) {
    match level {
        // It has no instruction that counts bits.
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(_) => each_two(count, row, least, found, agreeing),
        _ => dispatch!(level, simd => {
            if count > TOGETHER as u32 && row(0).len() == USUAL {
                // Side by side, and of a length that is known beforehand.
                let row = |at| -> [u8; USUAL] { *row(at).first_chunk().expect("all are as long") };
                let rows: Vec<[u8; USUAL]> = (0..count).map(row).collect();
                each_two_together(simd, &rows, least, found);
            } else {
                each_two(count, &row, least, found, |a, b| by_masks(simd, a, b));
            }
        }),
    }
}

/// [`each_two`] of rows that lie side by side: what is loaded of a row is compared with several.
#[inline(always)]
fn each_two_together<S: Simd>(
    simd: S,
    rows: &[[u8; USUAL]],
    least: u32,
    found: &mut Vec<Agreeing>,
) {
    let (blocks, rest) = rows.as_chunks::<TOGETHER>();
    for (at, block) in blocks.iter().enumerate() {
        let (first, begin) = (at * TOGETHER, found.len());
        let loaded = block.each_ref().map(|row| Loaded::new(simd, row));
        for (u, row) in rows[..first].iter().enumerate() {
            let row = Loaded::new(simd, row);
            for (v, this) in (first..).zip(&loaded) {
                let equal = this.agreeing(simd, &row);
                if equal >= least {
                    found.push((v as u32, u as u32, equal));
                }
            }
        }
        for v in first..first + TOGETHER {
            one_with_others(simd, rows, v, first, least, found);
        }
        found[begin..].sort_unstable();
    }
    for v in rows.len() - rest.len()..rows.len() {
        one_with_others(simd, rows, v, 0, least, found);
    }
}

/// Compares row `v` with those from `first` up to it.
#[inline(always)]
fn one_with_others<S: Simd>(
    simd: S,
    rows: &[[u8; USUAL]],
    v: usize,
    first: usize,
    least: u32,
    found: &mut Vec<Agreeing>,
) {
    let this = Loaded::new(simd, &rows[v]);
    for (u, row) in (first..).zip(&rows[first..v]) {
        let equal = this.agreeing(simd, &Loaded::new(simd, row));
        if equal >= least {
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
    least: u32,
    found: &mut Vec<Agreeing>,
    agreeing: impl Fn(&[u8], &[u8]) -> u32,
) {
    for v in 1..count {
        let this = row(v);
        for u in 0..v {
            let equal = agreeing(this, row(u));
            if equal >= least {
                found.push((v, u, equal));
            }
        }
    }
}

/// [`agreeing`] by a bit for each byte.
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

/// How many bytes of `a` and `b` are equal in their place. Both are of the same length, a multiple
/// of 16: written so that compilers make one comparison of each 16 bytes.
pub(crate) fn agreeing(a: &[u8], b: &[u8]) -> u32 {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let mut total = 0;
    // A lane counts in a byte: it is emptied before it can overflow.
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

/// How many of the bytes of two rows [`agreeing_bits`] tells of.
pub(crate) const BITS: usize = 128;

/// A bit for each of the first [`BITS`] bytes of `a` and `b`, the lowest first: whether they are
/// equal in it. Both are of the same length, a multiple of 16.
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
        // The highest bit of each byte that is 0, and no other.
        let equal = !(((differ & LOWER) + LOWER) | differ | LOWER);
        // Bit 8 i goes to bit 56 + i.
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

    /// All levels that this processor has.
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
        fn rows_are_compared_as_one_by_one(
            values in prop::collection::vec(0u8..3, 0..1_200), lanes in 1usize..12, least in 0u32..150,
        ) {
            let length = lanes * LANES;
            let rows = &values[..values.len() / length * length];
            let mut expected = Vec::new();
            for (v, row) in (0..).zip(rows.chunks(length)) {
                for (u, other) in (0..v).zip(rows.chunks(length)) {
                    let equal = row.iter().zip(other).filter(|(a, b)| a == b).count() as u32;
                    if equal >= least {
                        expected.push((v, u, equal));
                    }
                }
            }
            for level in levels() {
                let mut found = Vec::new();
                let row = |at: u32| &rows[at as usize * length..][..length];
                compare_all(level, (rows.len() / length) as u32, row, least, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", level);
            }
        }

        #[test]
        fn bytes_are_compared_as_one_by_one(pairs in prop::collection::vec((0u8..3, 0u8..3), 0..40), times in 1usize..600) {
            let (mut a, mut b): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
            let length = a.len().next_multiple_of(LANES);
            a.resize(length, 7);
            b.resize(length, 9);
            let (a, b) = (a.repeat(times), b.repeat(times));
            let plainly = a.iter().zip(&b).filter(|(a, b)| a == b).count();
            prop_assert_eq!(agreeing(&a, &b) as usize, plainly);
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
