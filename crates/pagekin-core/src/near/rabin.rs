//! Rabin fingerprints of 64 bits: the remainder of a string divided by an irreducible polynomial.
//! Alg. B uses them for its supershingles.
//!
//! A string is read as a polynomial over the field of two elements. Its first bit is the highest
//! power, after a leading 1, so that leading zeros count. Its fingerprint is this polynomial modulo
//! x^64 + [`POLYNOMIAL`]. Equal strings have equal fingerprints. Two strings of n bits that were
//! chosen independently of the polynomial have the same fingerprint with a probability of about n /
//! 2^63. Strings of fewer than 8 bytes always differ.
//!
//! Fingerprints are linear, so they are not hash values: if you need random bits, mix them first.
//!
//! # Source
//!
//! Rabin, *Fingerprinting by random polynomials* (Harvard TR-15-81, 1981); the leading 1 is
//! Broder's (*Some applications of Rabin's fingerprinting method*, 1993).

/// The polynomial without x^64, with the coefficient of x^0 in the lowest bit. It is the 28th
/// number of [`SplitMix64`](crate::hash::SplitMix64) with seed 1981, made odd, and the first of
/// them that is irreducible.
const POLYNOMIAL: u64 = 0x4fa9_9861_5f73_41f3;

/// `value` times x.
const fn times_x(value: u64) -> u64 {
    (value << 1) ^ (POLYNOMIAL & (value >> 63).wrapping_neg())
}

/// Multiplies by a constant polynomial with eight lookups.
#[derive(Debug, Clone)]
struct Times {
    /// The products of each byte at each position.
    products: [[u64; 256]; 8],
}

impl Times {
    const fn new(factor: u64) -> Self {
        let mut products = [[0; 256]; 8];
        let mut power = factor;
        let mut place = 0;
        while place < 8 {
            let mut bit = 1;
            while bit < 256 {
                // For all bytes whose highest bit is this one.
                let mut rest = 0;
                while rest < bit {
                    products[place][bit + rest] = products[place][rest] ^ power;
                    rest += 1;
                }
                power = times_x(power);
                bit *= 2;
            }
            place += 1;
        }
        Self { products }
    }

    /// Multiplies by x^64, which makes room for the next word.
    const fn by_word() -> Self {
        // x^64 modulo the polynomial.
        Self::new(POLYNOMIAL)
    }

    #[inline]
    fn apply(&self, value: u64) -> u64 {
        let bytes = value.to_le_bytes();
        self.products
            .iter()
            .zip(bytes)
            .fold(0, |sum, (products, byte)| sum ^ products[usize::from(byte)])
    }
}

/// [`Times::by_word`].
static TIMES_WORD: Times = Times::by_word();

/// Returns the fingerprint of words of 64 bits: that of their bytes, the highest byte of each
/// first.
#[must_use]
pub(super) fn of_words(words: &[u64]) -> u64 {
    words.iter().fold(1, |value, &word| TIMES_WORD.apply(value) ^ word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::SplitMix64;
    use proptest::prelude::*;

    /// Returns the product modulo the polynomial, bit by bit.
    fn product(a: u64, b: u64) -> u64 {
        (0..64).rev().fold(0, |sum, bit| times_x(sum) ^ if b >> bit & 1 == 1 { a } else { 0 })
    }

    /// Returns the remainder of a polynomial of any degree, from its bits, highest first.
    fn remainder(bits: impl IntoIterator<Item = bool>) -> u64 {
        bits.into_iter().fold(0, |value, bit| times_x(value) ^ u64::from(bit))
    }

    /// Returns the greatest common divisor of x^64 + `low` and `b`.
    fn gcd(low: u64, b: u64) -> u128 {
        let (mut a, mut b) = (1 << 64 | u128::from(low), u128::from(b));
        while b != 0 {
            while a != 0 && a.leading_zeros() <= b.leading_zeros() {
                a ^= b << (b.leading_zeros() - a.leading_zeros());
            }
            (a, b) = (b, a);
        }
        a
    }

    /// Rabin's test of x^64 + `low`: x^(2^64) is x, and x^(2^32) - x has no common factor with it.
    /// 2 is the only prime that divides 64.
    fn is_irreducible(low: u64) -> bool {
        let by_x = |value: u64| (value << 1) ^ (low & (value >> 63).wrapping_neg());
        let square = |a: u64| {
            (0..64).rev().fold(0, |sum, bit| by_x(sum) ^ if a >> bit & 1 == 1 { a } else { 0 })
        };
        let powers = |n: u32| (0..n).fold(2, |power, _| square(power));
        powers(64) == 2 && gcd(low, powers(32) ^ 2) == 1
    }

    #[test]
    fn the_polynomial_is_the_first_irreducible_of_its_stream() {
        let mut stream = SplitMix64::new(1981);
        let drawn: Vec<u64> = (0..28).map(|_| stream.next_u64() | 1).collect();
        let irreducible: Vec<u64> =
            drawn.iter().copied().filter(|&low| is_irreducible(low)).collect();
        assert_eq!(irreducible, [POLYNOMIAL]);
        assert_eq!(drawn[27], POLYNOMIAL);
        // The test is right for known polynomials: one of finite-field arithmetic, and x^64 + x^2 +
        // 1, which is a square.
        assert!(is_irreducible(0b11011));
        assert!(!is_irreducible(0b101));
    }

    #[test]
    fn known_answers() {
        assert_eq!(of_words(&[]), 1);
        assert_eq!(of_words(&[5]), POLYNOMIAL ^ 5);
        // Computed independently, by long division.
        assert_eq!(of_words(&[0x7368_696e_676c_6573, 0x6120_726f_7365]), 0x8bc7_ae50_4253_f64f);
    }

    proptest! {
        #[test]
        fn a_fingerprint_is_the_remainder(words: Vec<u64>) {
            let bits = words.iter().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1 == 1));
            prop_assert_eq!(of_words(&words), remainder([true].into_iter().chain(bits)));
        }

        #[test]
        fn look_ups_multiply(a: u64, b: u64) {
            prop_assert_eq!(Times::new(a).apply(b), product(a, b));
        }
    }
}
