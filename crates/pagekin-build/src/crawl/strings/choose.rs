//! How long q-grams are, and from what similarity on two strings are copies of one: by how many
//! strings there are, how long they are, and how many of their letters are wrong.
//!
//! # What copies share
//!
//! Two copies with an error in the part `e` of their letters differ in about `x = 2 e` of their
//! places, and share the part `(1 - x)^q` of their q-grams: a similarity of `p / (2 - p)` of the
//! part `p`. Longer q-grams are shared by fewer copies, and by still fewer strings that have
//! nothing to do with each other. Errors are not the same in all copies: in two of length `L` they
//! are binomially distributed, `2 L e` of them on average. The threshold is the similarity of copies
//! with [`DEVIATIONS`] standard deviations more errors than the mean.
//!
//! # What others share
//!
//! Two random reads of length `L` share `L^2 / 4^q` q-grams by chance, so in a table of one value
//! each meets `n L / (4^q 4)` of `n` others, on average half of them behind it. `q` is the least for
//! which all tables take at most [`MEETINGS`] comparisons a read. And what two of all pairs share by
//! chance, by Poisson's law, is below the threshold.

use pagekin_core::qgrams::Alphabet;

use crate::crawl::strings::options::StringOptions;
use crate::crawl::threshold::Threshold;

/// How many standard deviations more errors than the mean two copies may have.
pub(crate) const DEVIATIONS: f64 = 2.5;
/// The comparisons of a read with random others, in all tables together.
const MEETINGS: f64 = 4_000.0;
/// The tables of one value: as many as a signature has values.
const TABLES: f64 = 80.0;
/// The q-grams of text, and the fewest and the most letters of those of DNA.
const TEXT_Q: u8 = 3;
const DNA_Q: [u8; 2] = [6, 14];

/// Strings, as far as it counts here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) strings: u64,
    pub(crate) letters: u64,
}

impl Measured {
    /// The mean length, at least 1.
    fn length(self) -> f64 {
        (self.letters as f64 / self.strings.max(1) as f64).max(1.0)
    }
}

/// The letters of a q-gram.
pub(crate) fn q(options: &StringOptions, measured: Measured) -> u8 {
    options.q.unwrap_or_else(|| match options.alphabet {
        Alphabet::Text => TEXT_Q,
        Alphabet::Dna => {
            let meetings = |q: u8| {
                measured.strings as f64 * measured.length() * TABLES / 4.0 / 4f64.powi(q.into())
            };
            let [least, most] = DNA_Q;
            (least..most).find(|&q| meetings(q) <= MEETINGS).unwrap_or(most)
        }
    })
}

/// The similarity from which on two strings are a pair.
pub(crate) fn threshold(options: &StringOptions, q: u8, measured: Measured) -> Threshold {
    if let Some(threshold) = options.threshold {
        return threshold;
    }
    let (e, length) = (options.error_rate, measured.length());
    let differing = 2.0 * e + DEVIATIONS * (2.0 * e * (1.0 - e) / length).sqrt();
    let shared = libm::pow((1.0 - differing).max(0.0), q.into());
    let mut least = shared / (2.0 - shared);
    if options.alphabet == Alphabet::Dna {
        least = least.max(by_chance(q, measured));
    }
    Threshold::of_thousandths((least * 1_000.0).round().clamp(1.0, 1_000.0) as u16)
        .unwrap_or(Threshold::PAPER)
}

/// The similarity that less than one pair of random reads is expected to reach.
fn by_chance(q: u8, measured: Measured) -> f64 {
    let (n, length) = (measured.strings as f64, measured.length());
    let mean = length * length / 4f64.powi(q.into());
    let pairs = n * n / 2.0;
    // The tail of Poisson's law is below its first term times the sum of a geometric series.
    let (mut shared, mut term) = (0.0, libm::exp(-mean));
    while shared < length && (shared <= mean || pairs * term / (1.0 - mean / (shared + 1.0)) >= 1.0)
    {
        shared += 1.0;
        term *= mean / shared;
    }
    shared / (2.0 * length - shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(strings: u64, length: u64) -> Measured {
        Measured { strings, letters: strings * length }
    }

    #[test]
    fn more_reads_take_longer_q_grams() {
        let options = StringOptions::new(Alphabet::Dna);
        let of = |strings| q(&options, measured(strings, 130));
        assert_eq!([10, 1_000, 10_000, 100_000, 1_000_000].map(of), [6, 6, 7, 8, 10]);
        assert_eq!(q(&options, measured(u64::MAX >> 20, 1 << 15)), 14);
        assert_eq!(q(&options.with(|o| o.q = Some(5)), measured(1_000_000, 130)), 5);
        assert_eq!(q(&StringOptions::new(Alphabet::Text), measured(1_000_000, 130)), 3);
        assert_eq!(q(&options, Measured { strings: 0, letters: 0 }), 6);
    }

    #[test]
    fn more_errors_lower_the_threshold_down_to_chance() {
        let of = |error_rate: f64| {
            let options = StringOptions::new(Alphabet::Dna).with(|o| o.error_rate = error_rate);
            threshold(&options, 10, measured(1_000_000, 130)).thousandths()
        };
        assert_eq!(of(0.0), 1_000);
        assert!(of(0.01) > of(0.05) && of(0.05) > of(0.1));
        // Of 10^12 / 2 pairs that share 0.016 on average none shares 6 or more.
        assert_eq!(of(0.3), 24);
        assert_eq!(of(0.3), (6.0 / 254.0 * 1_000.0f64).round() as u16);
    }
}
