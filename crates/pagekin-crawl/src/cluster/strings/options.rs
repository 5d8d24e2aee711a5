//! Which strings, and how alike copies of one are.

use pagekin_core::qgrams::Alphabet;
use pagekin_pages::OptionError;
use pagekin_pairs::Threshold;

/// Which strings are clustered, and how alike copies of one are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StringOptions {
    /// What strings are made of.
    pub alphabet: Alphabet,
    /// The letters of a q-gram, 1 to 16; by default 3 of text, and of DNA by the number and the
    /// length of reads.
    pub q: Option<u8>,
    /// The part of the letters of a copy that are wrong, missing or too many: 0 to 0.3; by default
    /// 0.05, or of DNA what a sample of the reads says, if that is more. The threshold follows from
    /// it.
    pub error_rate: Option<f64>,
    /// The minimum similarity of a pair, in place of the one that follows. That of
    /// [`ClusterOptions`](crate::cluster::options::ClusterOptions) does not count.
    pub threshold: Option<Threshold>,
    /// Whether a read of DNA and its reverse complement are the same.
    pub both_strands: bool,
}

impl StringOptions {
    /// The error rate, if neither it was given nor reads tell it.
    pub const ERROR_RATE: f64 = 0.05;
    /// The largest error rate: copies that have more in common by chance cannot be told apart.
    pub const MAX_ERRORS: f64 = 0.3;

    /// The part of the pairs between two clusters of reads from which on they should be
    /// [joined](crate::cluster::options::ClusterOptions::join).
    pub const JOIN_DNA: Threshold = Threshold::PAPER;

    /// The defaults for an alphabet.
    #[must_use]
    pub fn new(alphabet: Alphabet) -> Self {
        Self { alphabet, q: None, error_rate: None, threshold: None, both_strands: false }
    }

    /// Whether the reads are to tell their error rate.
    pub(crate) fn asks_reads(&self) -> bool {
        self.error_rate.is_none() && self.alphabet == Alphabet::Dna
    }

    /// Fails if a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), OptionError> {
        let most = self.alphabet.most_q();
        if let Some(q) = self.q.filter(|q| !(1..=most).contains(q)) {
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

    /// These options with some of them changed.
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
    fn reads_of_dna_tell_their_error_rate_unless_it_is_given() {
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
