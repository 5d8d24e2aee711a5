//! The inner step of signing: the minimum of `a x + b`, for several functions at the same time.
//!
//! Each implementation is generic over the instruction set or written for one. All are always
//! inlined, so that they are compiled to the instructions of the level whose `vectorize` calls
//! them.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

/// Maximum number of functions per register. The number of functions is padded to a multiple of it.
pub(super) const MAX_LANES: usize = 16;

/// An implementation of the step.
pub(super) trait Steps: Copy {
    /// Number of functions per step, at most [`MAX_LANES`].
    const LANES: usize;
    /// The functions of a register, prepared for steps.
    type Functions: Copy;
    /// An element, prepared for steps.
    type Element: Copy;
    /// The minimum of each function so far.
    type Min: Copy;

    /// Loads [`LANES`](Self::LANES) functions.
    fn functions(self, a: &[u32], b: &[u32]) -> Self::Functions;
    /// Loads an element.
    fn element(self, x: u32) -> Self::Element;
    /// Returns the minimum of no elements.
    fn start(self) -> Self::Min;
    /// Returns the minimum of `min` and the functions of `x`.
    fn step(self, functions: Self::Functions, x: Self::Element, min: Self::Min) -> Self::Min;
    /// Stores the minima. A minimum that is not known may be stored as [`u32::MAX`].
    fn write(self, min: Self::Min, minima: &mut [u32]);
}

/// Computes the minimum of each function over `elements`. The slices of functions and minima have
/// the same length, a multiple of [`MAX_LANES`]. `TILE` is the number of groups of [`Steps::LANES`]
/// functions, or at least of their minima, that fit into the registers. They stay there for all
/// elements.
#[inline(always)]
pub(super) fn minima<S: Steps, const TILE: usize>(
    steps: S,
    (a, b): (&[u32], &[u32]),
    elements: &[u32],
    minima: &mut [u32],
) {
    let whole = a.len() - a.len() % (TILE * S::LANES);
    let (whole_minima, rest) = minima.split_at_mut(whole);
    tiles::<S, TILE>(steps, (&a[..whole], &b[..whole]), elements, whole_minima);
    tiles::<S, 1>(steps, (&a[whole..], &b[whole..]), elements, rest);
}

#[inline(always)]
fn tiles<S: Steps, const T: usize>(
    steps: S,
    (a, b): (&[u32], &[u32]),
    elements: &[u32],
    minima: &mut [u32],
) {
    let width = T * S::LANES;
    let tiles = a.chunks_exact(width).zip(b.chunks_exact(width));
    for ((a, b), minima) in tiles.zip(minima.chunks_exact_mut(width)) {
        let register = |at: usize| at * S::LANES..(at + 1) * S::LANES;
        let functions: [S::Functions; T] =
            std::array::from_fn(|at| steps.functions(&a[register(at)], &b[register(at)]));
        let mut min = [steps.start(); T];
        for &x in elements {
            let x = steps.element(x);
            for at in 0..T {
                min[at] = steps.step(functions[at], x, min[at]);
            }
        }
        for at in 0..T {
            steps.write(min[at], &mut minima[register(at)]);
        }
    }
}

/// Modulo 2^32, directly: for levels that can multiply and compare 32-bit lanes.
#[derive(Clone, Copy)]
pub(super) struct Affine<S>(pub(super) S);

impl<S: Simd> Steps for Affine<S> {
    const LANES: usize = S::u32s::LEN;
    type Functions = (S::u32s, S::u32s);
    type Element = S::u32s;
    type Min = S::u32s;

    #[inline(always)]
    fn functions(self, a: &[u32], b: &[u32]) -> Self::Functions {
        (S::u32s::from_slice(self.0, a), S::u32s::from_slice(self.0, b))
    }

    #[inline(always)]
    fn element(self, x: u32) -> S::u32s {
        S::u32s::splat(self.0, x)
    }

    #[inline(always)]
    fn start(self) -> S::u32s {
        S::u32s::splat(self.0, u32::MAX)
    }

    #[inline(always)]
    fn step(self, (a, b): Self::Functions, x: S::u32s, min: S::u32s) -> S::u32s {
        min.min(a * x + b)
    }

    #[inline(always)]
    fn write(self, min: S::u32s, minima: &mut [u32]) {
        min.store_slice(minima);
    }
}

/// Modulo the prime 2^31 - 1, written so that the compiler vectorizes it.
#[derive(Clone, Copy)]
pub(super) struct Prime;

/// 2^31 - 1.
pub(super) const PRIME: u32 = (1 << 31) - 1;

impl Steps for Prime {
    const LANES: usize = MAX_LANES;
    type Functions = ([u64; MAX_LANES], [u64; MAX_LANES]);
    type Element = u64;
    type Min = [i32; MAX_LANES];

    #[inline(always)]
    fn functions(self, a: &[u32], b: &[u32]) -> Self::Functions {
        let widen = |of: &[u32]| std::array::from_fn(|at| u64::from(of[at]));
        (widen(a), widen(b))
    }

    #[inline(always)]
    fn element(self, x: u32) -> u64 {
        u64::from(x >> 1)
    }

    #[inline(always)]
    fn start(self) -> Self::Min {
        [i32::MAX; MAX_LANES]
    }

    #[inline(always)]
    fn step(self, (a, b): Self::Functions, x: u64, mut min: Self::Min) -> Self::Min {
        for lane in 0..MAX_LANES {
            let y = a[lane] * x + b[lane];
            // 2^31 is 1 modulo P, so the bits above and below bit 31 can be added. The sum is below
            // 2 P.
            let folded = (y as u32 & PRIME) + (y >> 31) as u32;
            let reduced = folded.min(folded.wrapping_sub(PRIME));
            min[lane] = min[lane].min(reduced as i32);
        }
        min
    }

    #[inline(always)]
    fn write(self, min: Self::Min, minima: &mut [u32]) {
        for (minimum, min) in minima.iter_mut().zip(min) {
            *minimum = min as u32;
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use sse2::Reversed;

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::*;

    use fearless_simd::{Sse2, f32x4, kernel, prelude::*, u32x4};

    use crate::minhash::kernels::Steps;

    /// Modulo 2^32 with SSE2, which all x86-64 processors support. SSE2 can neither multiply 32-bit
    /// lanes nor compare them as unsigned. A direct step on four functions would take 12
    /// instructions; this one takes 5.
    ///
    /// Two products of two lanes each are combined by one shuffle. The minimum is computed as the
    /// maximum of floating point numbers, in one instruction: positive floating point numbers, up
    /// to infinity, have the order of their bits. So instead of a value `h`, `q = INFINITY - h` is
    /// used, which has the form `a x + b` with other constants. If `h` is below `INFINITY`, `q` is
    /// a positive number. Otherwise `q` is zero, negative or NaN, and never exceeds the initial
    /// zero. If no element exceeds it, the minimum is unknown, with a probability of 2^-n for n
    /// elements.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Reversed(pub(in super::super) Sse2);

    /// The bits of infinity.
    const INFINITY: u32 = f32::INFINITY.to_bits();

    impl Reversed {
        /// Converts functions to the form that [`Steps::functions`] expects. Store the result: if
        /// the compiler sees the conversion, it repeats the subtraction in each step.
        pub(in super::super) fn reverse(a: &mut [u32], b: &mut [u32]) {
            for (a, b) in a.iter_mut().zip(b) {
                (*a, *b) = (a.wrapping_neg(), INFINITY.wrapping_sub(*b));
            }
        }
    }

    impl Steps for Reversed {
        const LANES: usize = 4;
        type Functions = ([__m128i; 2], __m128i);
        type Element = __m128i;
        type Min = __m128;

        #[inline(always)]
        fn functions(self, a: &[u32], b: &[u32]) -> Self::Functions {
            let a = halves(self.0, u32x4::from_slice(self.0, a).into());
            (a, u32x4::from_slice(self.0, b).into())
        }

        #[inline(always)]
        fn element(self, x: u32) -> __m128i {
            u32x4::splat(self.0, x).into()
        }

        #[inline(always)]
        fn start(self) -> __m128 {
            f32x4::splat(self.0, 0.0).into()
        }

        #[inline(always)]
        fn step(self, ([low, high], b): Self::Functions, x: __m128i, max: __m128) -> __m128 {
            step(self.0, low, high, b, x, max)
        }

        #[inline(always)]
        fn write(self, max: __m128, minima: &mut [u32]) {
            let max: f32x4<Sse2> = max.simd_into(self.0);
            for (minimum, max) in minima.iter_mut().zip(*max) {
                *minimum = if max > 0.0 { INFINITY - max.to_bits() } else { u32::MAX };
            }
        }
    }

    kernel!(
        #[inline(always)]
        fn step(
            _token: Sse2,
            low: __m128i,
            high: __m128i,
            b: __m128i,
            x: __m128i,
            max: __m128,
        ) -> __m128 {
            let low = _mm_castsi128_ps(_mm_mul_epu32(low, x));
            let high = _mm_castsi128_ps(_mm_mul_epu32(high, x));
            let product = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high));
            // If one operand is NaN, or both are zero, this returns the second.
            _mm_max_ps(_mm_castsi128_ps(_mm_add_epi32(product, b)), max)
        }
    );

    kernel!(
        /// Extends the lower and the upper two lanes to 64-bit lanes.
        #[inline(always)]
        fn halves(_token: Sse2, lanes: __m128i) -> [__m128i; 2] {
            let zero = _mm_setzero_si128();
            [_mm_unpacklo_epi32(lanes, zero), _mm_unpackhi_epi32(lanes, zero)]
        }
    );
}
