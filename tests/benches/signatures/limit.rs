//! How many steps a core can take at all: a multiplication, an addition and a minimum of 32-bit
//! lanes.
//!
//! Measured by a loop that does nothing else. Functions and minima stay in registers, and of the
//! elements, 4 kB that stay in the nearest cache, each is loaded into all lanes at once, which
//! takes no arithmetic. The best of several numbers of registers counts.
//!
//! Known by counting too, where the processor is known. On Intel's from Ice Lake to Sapphire Rapids
//! (Agner Fog's tables, uops.info) `vpmulld` is two micro-operations, `vpaddd` and `vpminud` are
//! one each. With 512 bits all four go to ports 0 and 5: 2 cycles for 16 lanes, 8 steps a cycle.
//! With 256 bits three of them go to ports 0 and 1 only: 1.5 cycles for 8 lanes, 5.33 steps a
//! cycle; with 128 bits half of that. The latency of `vpmulld`, 10 cycles, does not count, as only
//! the minimum waits for the step before. The clock is measured by a chain of 64-bit
//! multiplications, each of which waits 3 cycles for the last on all of these and on AMD's since
//! Zen.

use std::hint::black_box;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use pagekin_tests::measuring::timing::fastest;

const ELEMENTS: usize = 1_024;
const REPEATS: usize = 200;
/// Cycles of a multiplication that waits for another.
const LATENCY: f64 = 3.0;
const CHAIN: u64 = 2_000_000;

/// Steps a second of one core.
pub(crate) fn steps(level: Level) -> f64 {
    let elements: Vec<u32> = (0..ELEMENTS as u32).map(|at| at.wrapping_mul(0x9e37_79b1)).collect();
    let rate = |registers: usize, run: &dyn Fn(&[u32]) -> u32| {
        let seconds = fastest(|| {
            for _ in 0..REPEATS {
                black_box(run(black_box(&elements)));
            }
        });
        (ELEMENTS * REPEATS * registers * lanes(level)) as f64 / seconds
    };
    [
        rate(2, &|elements| dispatch!(level, simd => least::<_, 2>(simd, elements))),
        rate(4, &|elements| dispatch!(level, simd => least::<_, 4>(simd, elements))),
        rate(5, &|elements| dispatch!(level, simd => least::<_, 5>(simd, elements))),
        rate(8, &|elements| dispatch!(level, simd => least::<_, 8>(simd, elements))),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// Cycles a second of a core.
pub(crate) fn clock() -> f64 {
    let seconds = fastest(|| {
        let squared = |x: u64, _| x.wrapping_mul(x);
        black_box((0..CHAIN).fold(black_box(3), squared));
    });
    LATENCY * CHAIN as f64 / seconds
}

fn lanes(level: Level) -> usize {
    #[inline(always)]
    fn of<S: Simd>(_: S) -> usize {
        S::u32s::LEN
    }
    dispatch!(level, simd => of(simd))
}

#[inline(always)]
fn least<S: Simd, const REGISTERS: usize>(simd: S, elements: &[u32]) -> u32 {
    let a: [S::u32s; REGISTERS] =
        std::array::from_fn(|at| S::u32s::splat(simd, black_box(2 * at as u32 + 1)));
    let b: [S::u32s; REGISTERS] =
        std::array::from_fn(|at| S::u32s::splat(simd, black_box(at as u32)));
    let mut least = [S::u32s::splat(simd, u32::MAX); REGISTERS];
    for &x in elements {
        let x = S::u32s::splat(simd, x);
        for at in 0..REGISTERS {
            least[at] = least[at].min(a[at] * x + b[at]);
        }
    }
    least.iter().map(|least| least.as_slice()[0]).fold(0, u32::wrapping_add)
}
