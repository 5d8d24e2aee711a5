//! Options of clustering strings.

use pagekin_core::qgrams::Alphabet;
use pagekin_pages::OptionError;
use pagekin_pairs::Threshold;

/// Options of clustering strings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StringOptions {
    /// Alphabet of the strings.
    pub alphabet: Alphabet,
    /// Length of q-grams, 1 to 16. By default 3 for text; for DNA, it depends on the number and
    /// length of reads.
    pub q: Option<u8>,
    /// Share of the letters of a copy that are wrong, missing or inserted, 0 to 0.3. By default
    /// 0.05 or, for DNA, the estimate from a sample of the reads if that is higher. The threshold
    /// follows from it.
    pub error_rate: Option<f64>,
    /// Minimum similarity of a pair, instead of the one that follows from the error rate. The
    /// threshold of [`ClusterOptions`](crate::cluster::options::ClusterOptions) is ignored.
    pub threshold: Option<Threshold>,
    /// Whether a DNA read and its reverse complement are equal.
    pub both_strands: bool,
}

impl StringOptions {
    /// Error rate if it is neither given nor estimated.
    pub const ERROR_RATE: f64 = 0.05;
    /// Maximum error rate. With more errors, copies cannot be distinguished from matches by chance.
    pub const MAX_ERRORS: f64 = 0.3;

    /// Minimum share of the pairs between two clusters of reads to
    /// [join](crate::cluster::options::ClusterOptions::join) them.
    pub const JOIN_DNA: Threshold = Threshold::PAPER;

    /// Returns the defaults for an alphabet.
    #[must_use]
    pub fn new(alphabet: Alphabet) -> Self {
        Self { alphabet, q: None, error_rate: None, threshold: None, both_strands: false }
    }

    /// Returns whether the error rate is estimated from the reads.
    pub(crate) fn asks_reads(&self) -> bool {
        self.error_rate.is_none() && self.alphabet == Alphabet::Dna
    }

    /// Checks that all numbers are in range.
    pub(crate) fn check(&self) -> Result<(), OptionError> {
        let max = self.alphabet.max_q();
        if let Some(q) = self.q.filter(|q| !(1..=max).contains(q)) {
            let (option, expected) = ("q", "1 to 16");
            return Err(OptionError { option, expected, found: q.to_string() });
        }
        let is_rate = |rate: &f64| (0.0..=Self::MAX_ERRORS).contains(rate);
        if let Some(rate) = self.error_rate.filter(|rate| !is_rate(rate)) {
            let (option, expected) = ("error-rate", "0 to 0.3");
            return Err(OptionError { option, expected, found: rate.to_string() });
        }
        if self.both_strands && self.alphabet != Alphabet::Dna {
            let (option, expected) = ("both-strands", "reads of DNA (--alphabet dna)");
            return Err(OptionError { option, expected, found: "text".to_owned() });
        }
        Ok(())
    }

    /// Returns these options after `change`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_rates_of_dna_reads_are_estimated_unless_given() {
        let of = |alphabet, error_rate| {
            StringOptions::new(alphabet).with(|options| options.error_rate = error_rate)
        };
        assert!(of(Alphabet::Dna, None).asks_reads());
        assert!(!of(Alphabet::Dna, Some(0.0)).asks_reads());
        assert!(!of(Alphabet::Text, None).asks_reads());
    }

    #[test]
    fn options_out_of_their_ranges_are_refused() {
        let check = |alphabet, change: &dyn Fn(&mut StringOptions)| {
            StringOptions::new(alphabet).with(change).check().map_err(|error| error.option)
        };
        for q in [1, 16] {
            assert_eq!(check(Alphabet::Dna, &|options| options.q = Some(q)), Ok(()));
        }
        for q in [0, 17] {
            assert_eq!(check(Alphabet::Dna, &|options| options.q = Some(q)), Err("q"));
        }
        for rate in [0.0, 0.3] {
            assert_eq!(check(Alphabet::Text, &|options| options.error_rate = Some(rate)), Ok(()));
        }
        for rate in [-0.01, 0.31, f64::NAN] {
            let error = check(Alphabet::Text, &|options| options.error_rate = Some(rate));
            assert_eq!(error, Err("error-rate"));
        }
        assert_eq!(check(Alphabet::Dna, &|options| options.both_strands = true), Ok(()));
        let error = check(Alphabet::Text, &|options| options.both_strands = true);
        assert_eq!(error, Err("both-strands"));
    }
}
