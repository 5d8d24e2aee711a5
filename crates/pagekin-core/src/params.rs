//! Parameters of an index, and their presets.

use crate::bag::{BagRules, Frequency, Rounding};
use crate::lsh::{TableRules, Tables, TablesError};
use crate::minhash::SignatureParams;

/// Parameters of bags, signatures and tables. The manifest stores them, so that a query uses the
/// parameters of its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexParams {
    /// Rules for building bags from pages.
    pub bag: BagRules,
    /// Parameters of signatures.
    pub signature: SignatureParams,
    /// Rules for deriving keys from signatures.
    pub tables: TableRules,
}

/// A named set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// For static sites: the 64 heaviest terms by the square root of their frequency, dithered to a
    /// sum of 400; m = 80.
    #[default]
    Web,
    /// The bags and signatures of Haveliwala, Gionis and Indyk (2000, section 4): sum 100, m = 80
    /// values of 3 bytes. For crawls.
    Paper,
}

/// The default seed: the year and month of the paper.
pub const DEFAULT_SEED: u64 = 200_005;

impl Preset {
    /// Returns the name on the command line: `web` or `paper`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Paper => "paper",
        }
    }

    /// Returns the parameters with `seed`. An index has 8 tables with 8 partners each, which use 72
    /// values, so that a lookup reads 8 table shards.
    #[must_use]
    pub fn params(self, seed: u64) -> IndexParams {
        let (bag, bits) = match self {
            Self::Web => {
                let (rounding, frequency) = (Rounding::Dithered, Frequency::SquareRoot);
                (BagRules { sum: 400, rounding, frequency, max_terms: 64 }, 16)
            }
            Self::Paper => {
                let (rounding, frequency) = (Rounding::LargestRemainder, Frequency::Linear);
                (BagRules { sum: 100, rounding, frequency, max_terms: u16::MAX }, 24)
            }
        };
        IndexParams {
            bag,
            signature: SignatureParams { m: 80, bits, seed },
            tables: TableRules::Anchored { anchors: 8, partners: 8 },
        }
    }
}

impl IndexParams {
    /// Returns the preset with these parameters, ignoring the seed.
    #[must_use]
    pub fn preset(&self) -> Option<Preset> {
        [Preset::Web, Preset::Paper]
            .into_iter()
            .find(|preset| preset.params(self.signature.seed) == *self)
    }

    /// Creates the tables of these parameters.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Tables::new`].
    pub fn make_tables(&self) -> Result<Tables, TablesError> {
        Tables::new(self.tables, self.signature.m, self.signature.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_command_line_names() {
        assert_eq!([Preset::Web, Preset::Paper].map(Preset::name), ["web", "paper"]);
    }
}
