//! How long q-grams are, and from what similarity on two strings are copies of one: by how many
//! strings there are, how long they are, and how many of their letters are wrong.
//!
//! # What copies share
//!
//! Two copies with an error in the part `e` of their letters differ in about `x = 2 e` of their
//! places, and share the part `(1 - x)^q` of their q-grams: a similarity of `p / (2 - p)` of the
//! part `p`. Longer q-grams are shared by fewer copies, and by still fewer strings that have
//! nothing to do with each other. Errors are not the same in all copies: in two of length `L` they
//! are binomially distributed, `2 L e` of them on average. The threshold is the similarity of
//! copies with [`DEVIATIONS`] standard deviations more errors than the mean.
//!
//! # What others share
//!
//! Two random reads of length `L` share `L^2 / 4^q` q-grams by chance, so in a table of one value
//! each meets `n L / (4^q 4)` of `n` others, on average half of them behind it. `q` is the least
//! for which all tables take at most [`MEETINGS`] comparisons a read.
//!
//! What is shared by chance comes in runs: behind one q-gram that both have stands another with
//! probability 1/4. So their number is a sum of geometric ones, as many as Poisson's law gives (the
//! law of Polya and Aeppli), and the threshold is above what any two of all reads are expected to
//! share. Where copies with [`SURE`] deviations more errors would be below that, as at high error
//! rates, shorter q-grams tell more, and are taken as long as they cost at most [`MAX_MEETINGS`]
//! comparisons.

use pagekin_core::qgrams::Alphabet;
use pagekin_pairs::Threshold;

use crate::cluster::strings::options::StringOptions;

/// How many standard deviations more errors than the mean two copies may have.
const DEVIATIONS: f64 = 3.0;
/// How many of these copies should have and still be found surely.
const SURE: f64 = 2.0;
/// The comparisons of a read with random others, in all tables together.
const MEETINGS: f64 = 1_500.0;
/// The same, where errors are many.
const MAX_MEETINGS: f64 = 10_000.0;
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
    pub(crate) error_rate: f64,
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
            let mut q = (least..most).find(|&q| meetings(q) <= MEETINGS).unwrap_or(most);
            let is_lost = |q| copies(q, measured, SURE) < by_chance(q, measured);
            while q > least && meetings(q - 1) <= MAX_MEETINGS && is_lost(q) {
                q -= 1;
            }
            q
        }
    })
}

/// The similarity from which on two strings are a pair.
pub(crate) fn threshold(options: &StringOptions, q: u8, measured: Measured) -> Threshold {
    if let Some(threshold) = options.threshold {
        return threshold;
    }
    let mut least = copies(q, measured, DEVIATIONS);
    if options.alphabet == Alphabet::Dna {
        least = least.max(by_chance(q, measured));
    }
    Threshold::from_thousandths((least * 1_000.0).round().clamp(1.0, 1_000.0) as u16)
        .unwrap_or(Threshold::PAPER)
}

/// The similarity of two copies with so many deviations more errors than the mean.
fn copies(q: u8, measured: Measured, deviations: f64) -> f64 {
    let (e, length) = (measured.error_rate, measured.length());
    let differing = 2.0 * e + deviations * (2.0 * e * (1.0 - e) / length).sqrt();
    let shared = libm::pow((1.0 - differing).max(0.0), q.into());
    shared / (2.0 - shared)
}

/// The similarity that less than one pair of random reads is expected to reach.
fn by_chance(q: u8, measured: Measured) -> f64 {
    let (n, length) = (measured.strings as f64, measured.length());
    // Runs of one q-gram or more, and the probabilities that 0, 1, ... are shared, by Panjer's
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
        // The tail is summed up from what follows, as the difference from 1 would lose its digits:
        // terms fall as a geometric series of the last two, or of runs that go on.
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
    fn more_reads_take_longer_q_grams() {
        let options = StringOptions::new(Alphabet::Dna);
        let of = |strings| q(&options, measured(strings, 130));
        assert_eq!([10, 1_000, 10_000, 100_000, 1_000_000].map(of), [6, 6, 8, 9, 11]);
        // Where a fifth of the letters differ, copies share little more than others do.
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
        // A run of r letters stands in both of 10^12 / 2 pairs of reads about 8 10^15 / 4^r times:
        // none of 28, which has 19 10-grams, and some of 25.
        assert!(
            (16..=21).any(|shared| of(0.3)
                == (f64::from(shared) / f64::from(260 - shared) * 1_000.0).round() as u16),
            "{}",
            of(0.3)
        );
    }

    #[test]
    fn random_reads_share_less_than_is_expected_by_chance() {
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
        let most =
            pairs.map(|(a, b)| Overlap::between(&bags[a], &bags[b]).jaccard()).fold(0.0, f64::max);
        let expected = by_chance(6, measured(300, 130));
        assert!((0.75 * expected..1.1 * expected).contains(&most), "{most} for {expected}");
    }
}
