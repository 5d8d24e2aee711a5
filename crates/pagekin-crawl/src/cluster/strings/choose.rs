//! Chooses the length of q-grams and the minimum similarity of copies from the number, length and
//! error rate of strings.
//!
//! # Similarity of copies
//!
//! Two copies with errors in a share `e` of their letters differ in about `x = 2 e` of their
//! positions and share a fraction `p = (1 - x)^q` of their q-grams, which is a similarity of `p /
//! (2 - p)`. Longer q-grams are shared by fewer copies, and by even fewer unrelated strings. Errors
//! vary between copies: in two copies of length `L` they are binomially distributed, with a mean of
//! `2 L e`. The threshold is the similarity of copies with [`DEVIATIONS`] standard deviations more
//! errors than the mean.
//!
//! # Similarity of unrelated strings
//!
//! Two random reads of length `L` share `L^2 / 4^q` q-grams by chance. In a table of one value,
//! each of `n` reads therefore meets `n L / (4^q 4)` others, on average half of them after it. `q`
//! is the minimum for which all tables take at most [`MEETINGS`] comparisons a read.
//!
//! Matches by chance come in runs: a shared q-gram is followed by another with probability 1/4. So
//! their number is a sum of geometric variables, whose count follows Poisson's law (the law of
//! Polya and Aeppli). The threshold is above the expected maximum of any two reads. If copies with
//! [`SURE`] deviations more errors would be below it, as with high error rates, shorter q-grams are
//! more informative. They are used as long as they cost at most [`MAX_MEETINGS`] comparisons.

use pagekin_core::qgrams::Alphabet;
use pagekin_pairs::Threshold;

use crate::cluster::strings::options::StringOptions;

/// Maximum number of errors of two copies, in standard deviations above the mean.
const DEVIATIONS: f64 = 3.0;
/// Number of errors, in these deviations, with which copies should still be found reliably.
const SURE: f64 = 2.0;
/// Maximum comparisons of a read with random others, in all tables together.
const MEETINGS: f64 = 1_500.0;
/// Maximum comparisons with high error rates.
const MAX_MEETINGS: f64 = 10_000.0;
/// Number of tables of one value, as many as a signature has values.
const TABLES: f64 = 80.0;
/// Length of q-grams of text.
const TEXT_Q: u8 = 3;
/// Minimum and maximum length of q-grams of DNA.
const DNA_Q: [u8; 2] = [6, 14];

/// Statistics of the strings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) strings: u64,
    pub(crate) letters: u64,
    pub(crate) error_rate: f64,
}

impl Measured {
    /// Returns the mean length, at least 1.
    fn length(self) -> f64 {
        (self.letters as f64 / self.strings.max(1) as f64).max(1.0)
    }
}

/// Returns the length of q-grams.
pub(crate) fn q(options: &StringOptions, measured: Measured) -> u8 {
    options.q.unwrap_or_else(|| match options.alphabet {
        Alphabet::Text => TEXT_Q,
        Alphabet::Dna => {
            let meetings = |q: u8| {
                measured.strings as f64 * measured.length() * TABLES / 4.0 / 4f64.powi(q.into())
            };
            let [min, max] = DNA_Q;
            let mut q = (min..max).find(|&q| meetings(q) <= MEETINGS).unwrap_or(max);
            let is_lost = |q| copies(q, measured, SURE) < by_chance(q, measured);
            while q > min && meetings(q - 1) <= MAX_MEETINGS && is_lost(q) {
                q -= 1;
            }
            q
        }
    })
}

/// Returns the minimum similarity of a pair.
pub(crate) fn threshold(options: &StringOptions, q: u8, measured: Measured) -> Threshold {
    if let Some(threshold) = options.threshold {
        return threshold;
    }
    let mut min = copies(q, measured, DEVIATIONS);
    if options.alphabet == Alphabet::Dna {
        min = min.max(by_chance(q, measured));
    }
    Threshold::from_thousandths((min * 1_000.0).round().clamp(1.0, 1_000.0) as u16)
        .unwrap_or(Threshold::PAPER)
}

/// Returns the similarity of two copies with `deviations` deviations more errors than the mean.
fn copies(q: u8, measured: Measured, deviations: f64) -> f64 {
    let (e, length) = (measured.error_rate, measured.length());
    let differing = 2.0 * e + deviations * (2.0 * e * (1.0 - e) / length).sqrt();
    let shared = libm::pow((1.0 - differing).max(0.0), q.into());
    shared / (2.0 - shared)
}

/// Returns the similarity that less than one pair of random reads is expected to reach.
fn by_chance(q: u8, measured: Measured) -> f64 {
    let (n, length) = (measured.strings as f64, measured.length());
    // Runs of at least one q-gram, and the probabilities that 0, 1, ... are shared, by Panjer's
    // recursion.
    let runs = 0.75 * length * length / 4f64.powi(q.into());
    let mut shared = vec![libm::exp(-runs)];
    let mut beyond = 1.0 - shared[0];
    let pairs = n * n / 2.0;
    while pairs * beyond >= 1.0 && (shared.len() as f64) < length {
        let s = shared.len();
        let of_run = |k: usize| k as f64 * 0.75 * 0.25f64.powi(k as i32 - 1);
        let sum: f64 = (1..=s).map(|k| of_run(k) * shared[s - k]).sum();
        shared.push(runs / s as f64 * sum);
        // Sums the tail from the following terms, because the difference from 1 would lose
        // precision: terms fall like a geometric series of the last two, or of continuing runs.
        let (before, last) = (shared[s - 1], shared[s]);
        let part = (last / before).max(0.25);
        beyond = if part < 1.0 { last * part / (1.0 - part) } else { 1.0 };
    }
    let shared = shared.len() as f64;
    shared / (2.0 * length - shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::bag::Bag;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::qgrams::QGrams;
    use pagekin_core::similarity::Overlap;

    fn measured(strings: u64, length: u64) -> Measured {
        Measured { strings, letters: strings * length, error_rate: StringOptions::ERROR_RATE }
    }

    #[test]
    fn more_reads_need_longer_q_grams() {
        let options = StringOptions::new(Alphabet::Dna);
        let of = |strings| q(&options, measured(strings, 130));
        assert_eq!([10, 1_000, 10_000, 100_000, 1_000_000].map(of), [6, 6, 8, 9, 11]);
        // If a fifth of the letters differ, copies share little more than unrelated reads.
        let many = Measured { error_rate: 0.1, ..measured(100_000, 130) };
        assert_eq!(q(&options, many), 8);
        assert_eq!(q(&options, measured(u64::MAX >> 20, 1 << 15)), 14);
        assert_eq!(q(&options.with(|o| o.q = Some(5)), measured(1_000_000, 130)), 5);
        assert_eq!(q(&StringOptions::new(Alphabet::Text), measured(1_000_000, 130)), 3);
        assert_eq!(q(&options, measured(0, 0)), 6);
    }

    #[test]
    fn more_errors_lower_the_threshold_down_to_chance() {
        let of = |error_rate: f64| {
            let measured = Measured { error_rate, ..measured(1_000_000, 130) };
            threshold(&StringOptions::new(Alphabet::Dna), 10, measured).thousandths()
        };
        assert_eq!(of(0.0), 1_000);
        assert!(of(0.01) > of(0.03) && of(0.03) > of(0.1));
        // Both reads of 10^12 / 2 pairs share a run of r letters about 8 10^15 / 4^r times: none of
        // 28 letters, which contains 19 10-grams, and some of 25.
        assert!(
            (16..=21).any(|shared| of(0.3)
                == (f64::from(shared) / f64::from(260 - shared) * 1_000.0).round() as u16),
            "{}",
            of(0.3)
        );
    }

    #[test]
    fn random_reads_share_less_than_expected_by_chance() {
        let mut stream = SplitMix64::new(8);
        let rules =
            QGrams { alphabet: Alphabet::Dna, q: 6, both_strands: false, common: Vec::new() };
        let mut bag = || {
            let read: String =
                (0..130).map(|_| char::from(b"ACGT"[stream.below(4) as usize])).collect();
            rules.bag(&read)
        };
        let bags: Vec<Bag> = (0..300).map(|_| bag()).collect();
        let pairs = (0..bags.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let max =
            pairs.map(|(a, b)| Overlap::between(&bags[a], &bags[b]).jaccard()).fold(0.0, f64::max);
        let expected = by_chance(6, measured(300, 130));
        assert!((0.75 * expected..1.1 * expected).contains(&max), "{max} for {expected}");
    }
}
