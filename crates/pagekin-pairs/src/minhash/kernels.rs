//! The step of signing, `a x + b` and the least of that, on several functions at once.
//!
//! Each way to do it is generic over the instruction set or made for one, and is always inlined: it
//! becomes the instructions of the level in whose `vectorize` it stands.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

/// The most functions of a register. The number of functions is filled up to a multiple of it.
pub(super) const MAX_LANES: usize = 16;

/// A way to take steps.
pub(super) trait Steps: Copy {
    /// The functions that a step is taken of at once, at most [`MAX_LANES`].
    const LANES: usize;
    /// The functions of a register, ready for steps.
    type Functions: Copy;
    /// An element, ready for steps.
    type Element: Copy;
    /// The least of each function so far.
    type Least: Copy;

    /// Reads [`LANES`](Self::LANES) functions.
    fn functions(self, a: &[u32], b: &[u32]) -> Self::Functions;
    /// Reads an element.
    fn element(self, x: u32) -> Self::Element;
    /// The least of no elements.
    fn start(self) -> Self::Least;
    /// The least of `least` and of the functions of `x`.
    fn step(self, functions: Self::Functions, x: Self::Element, least: Self::Least) -> Self::Least;
    /// Writes the minima. One may be told as [`u32::MAX`] if it is not known.
    fn write(self, least: Self::Least, minima: &mut [u32]);
}

/// The least of each function over `elements`. The slices of functions and minima are of the same
/// length, a multiple of [`MAX_LANES`]. `TILE` is how many times [`Steps::LANES`] functions, or at
/// least their minima, fit into the registers: there they stay while the elements pass by.
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
        let mut least = [steps.start(); T];
        for &x in elements {
            let x = steps.element(x);
            for at in 0..T {
                least[at] = steps.step(functions[at], x, least[at]);
            }
        }
        for at in 0..T {
            steps.write(least[at], &mut minima[register(at)]);
        }
    }
}

/// Modulo 2^32, as it stands: for levels that multiply and compare 32-bit lanes.
#[derive(Clone, Copy)]
pub(super) struct Affine<S>(pub(super) S);

impl<S: Simd> Steps for Affine<S> {
    const LANES: usize = S::u32s::LEN;
    type Functions = (S::u32s, S::u32s);
    type Element = S::u32s;
    type Least = S::u32s;

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
    fn step(self, (a, b): Self::Functions, x: S::u32s, least: S::u32s) -> S::u32s {
        least.min(a * x + b)
    }

    #[inline(always)]
    fn write(self, least: S::u32s, minima: &mut [u32]) {
        least.store_slice(minima);
    }
}

/// Modulo the prime 2^31 - 1, written for the compiler to make vectors of.
#[derive(Clone, Copy)]
pub(super) struct Prime;

/// 2^31 - 1.
pub(super) const PRIME: u32 = (1 << 31) - 1;

impl Steps for Prime {
    const LANES: usize = MAX_LANES;
    type Functions = ([u64; MAX_LANES], [u64; MAX_LANES]);
    type Element = u64;
    type Least = [i32; MAX_LANES];

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
    fn start(self) -> Self::Least {
        [i32::MAX; MAX_LANES]
    }

    #[inline(always)]
    fn step(self, (a, b): Self::Functions, x: u64, mut least: Self::Least) -> Self::Least {
        for lane in 0..MAX_LANES {
            let y = a[lane] * x + b[lane];
            // 2^31 is 1, so the parts above and below bit 31 may be added: that is below 2 P.
            let folded = (y as u32 & PRIME) + (y >> 31) as u32;
            let reduced = folded.min(folded.wrapping_sub(PRIME));
            least[lane] = least[lane].min(reduced as i32);
        }
        least
    }

    #[inline(always)]
    fn write(self, least: Self::Least, minima: &mut [u32]) {
        for (minimum, least) in minima.iter_mut().zip(least) {
            *minimum = least as u32;
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

    /// Modulo 2^32 by SSE2, which all x86-64 processors have. It can neither multiply 32-bit lanes
    /// nor compare them unsigned: as it stands a step on four functions takes 12 instructions, this
    /// way 5.
    ///
    /// The products of two lanes and two are put together by one shuffle. The least is taken as the
    /// greatest of floating point numbers, in one instruction: numbers above zero are in the order
    /// of their bits, up to infinity. So instead of a value `h` there is `q = INFINITY - h`, again
    /// of the form `a x + b`, with other constants. Of `h` up to `INFINITY` that is a number above
    /// zero; of all others it is zero, below zero, or no number, and never wins against the zero
    /// that is there from the start. If nothing wins, the minimum stays unknown: once in two to the
    /// power of the number of elements.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Reversed(pub(in super::super) Sse2);

    /// The bits of infinity.
    const INFINITY: u32 = f32::INFINITY.to_bits();

    impl Reversed {
        /// The functions that [`Steps::functions`] expects instead of some functions. They must be
        /// kept so: a compiler that sees where they come from subtracts anew in each step.
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
        type Least = __m128;

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
        fn step(self, ([low, high], b): Self::Functions, x: __m128i, most: __m128) -> __m128 {
            step(self.0, low, high, b, x, most)
        }

        #[inline(always)]
        fn write(self, most: __m128, minima: &mut [u32]) {
            let most: f32x4<Sse2> = most.simd_into(self.0);
            for (minimum, most) in minima.iter_mut().zip(*most) {
                *minimum = if most > 0.0 { INFINITY - most.to_bits() } else { u32::MAX };
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
            most: __m128,
        ) -> __m128 {
            let low = _mm_castsi128_ps(_mm_mul_epu32(low, x));
            let high = _mm_castsi128_ps(_mm_mul_epu32(high, x));
            let product = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high));
            // If one is no number, or both are zero, this is the second.
            _mm_max_ps(_mm_castsi128_ps(_mm_add_epi32(product, b)), most)
        }
    );

    kernel!(
        /// The lower and the upper two lanes, as 64-bit lanes.
        #[inline(always)]
        fn halves(_token: Sse2, lanes: __m128i) -> [__m128i; 2] {
            let zero = _mm_setzero_si128();
            [_mm_unpacklo_epi32(lanes, zero), _mm_unpackhi_epi32(lanes, zero)]
        }
    );
}
