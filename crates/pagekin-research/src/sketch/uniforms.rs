//! What is random in sketches: numbers between 0 and 1 that are hashes of a term, a register and
//! what they are for.

use pagekin_core::hash::{SplitMix64, mix};
use pagekin_core::vocabulary::TermId;

/// The number that draws for a term begin with.
#[inline]
pub(super) fn of_term(term: TermId) -> u64 {
    // Its constant keeps it apart from the dithering and the signatures, which hash the same term.
    mix(u64::from(term) ^ 0x5ce7_c400_0000_0000)
}

/// The keys of some registers, `N` of each.
pub(super) fn keys<const N: usize>(registers: u16, seed: u64) -> Vec<[u64; N]> {
    let mut stream = SplitMix64::new(seed);
    (0..registers).map(|_| std::array::from_fn(|_| stream.next_u64())).collect()
}

/// A number between 0 and 1 out of 64 random bits; neither comes out.
#[inline]
pub(super) fn unit(bits: u64) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 52) as f64;
    ((bits >> 12) as f64 + 0.5) * STEP
}

/// The product of two such numbers of 32 bits each. Its logarithm is minus a number of the
/// distribution Gamma(2, 1).
#[inline]
pub(super) fn product(bits: u64) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 32) as f64;
    (((bits >> 32) as f64 + 0.5) * STEP) * (((bits & 0xffff_ffff) as f64 + 0.5) * STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_between_0_and_1() {
        for bits in [0, u64::MAX] {
            for drawn in [unit(bits), product(bits)] {
                assert!(drawn > 0.0 && drawn < 1.0, "{drawn}");
            }
        }
    }

    /// Over terms and over registers: the mean of a uniform is 1/2, of the logarithm of a product
    /// -2, of which the variance is 2.
    #[test]
    fn draws_have_their_distributions() {
        let keys = keys::<2>(300, 7);
        let (mut units, mut logs, mut squares) = (0.0, 0.0, 0.0);
        for term in 0..300 {
            for [a, b] in &keys {
                units += unit(mix(of_term(term) ^ a));
                let log = libm::log(product(mix(of_term(term) ^ b)));
                logs += log;
                squares += (log + 2.0) * (log + 2.0);
            }
        }
        let n = 90_000.0_f64;
        // Five standard errors each.
        assert!((units / n - 0.5).abs() < 5.0 * (1.0 / 12.0 / n).sqrt(), "{}", units / n);
        assert!((logs / n + 2.0).abs() < 5.0 * (2.0 / n).sqrt(), "{}", logs / n);
        // The fourth central moment is 24.
        assert!((squares / n - 2.0).abs() < 5.0 * ((24.0 - 4.0) / n).sqrt(), "{}", squares / n);
    }
}
