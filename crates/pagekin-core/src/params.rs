//! The parameters of an index, and the two sets of them that have names.

use crate::bag::{BagRules, Frequency, Rounding};
use crate::lsh::{TableRules, Tables, TablesError};
use crate::minhash::SignatureParams;

/// Everything that a bag, a signature and a table depend on besides the site. It is in the
/// manifest: a query is made with the parameters of the index it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexParams {
    /// How pages become bags.
    pub bag: BagRules,
    /// How bags become signatures.
    pub signature: SignatureParams,
    /// How signatures become keys.
    pub tables: TableRules,
    /// The paper's filter, in per cent (0 to 100): a candidate stays if its signature agrees with the
    /// query's in at least this part of the values. It needs the signatures in the page records. At 0 there
    /// is no filter and no signature is stored: the record holds the whole bag, of which the signature is
    /// a function, and candidates are compared by their bags.
    pub filter_percent: u8,
}

/// The named sets of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// For static sites: the 64 heaviest terms by the square root of their frequency, dithered to a sum of
    /// 400; m = 80, of which 8 tables with 8 partners each take 72, so that a lookup reads 8 table shards.
    #[default]
    Web,
    /// The parameters of Haveliwala, Gionis and Indyk (2000, section 4): sum 100, m = 80 values of 3 bytes,
    /// k = 3, l = 125, filter at 20 %.
    Paper,
}

/// The seed of a build that names none: the year and month of the paper.
pub const DEFAULT_SEED: u64 = 200_005;

impl Preset {
    /// The name on the command line: `web` or `paper`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Paper => "paper",
        }
    }

    /// The parameters with a seed.
    #[must_use]
    pub fn params(self, seed: u64) -> IndexParams {
        match self {
            Self::Web => IndexParams {
                bag: BagRules {
                    sum: 400,
                    rounding: Rounding::Dithered,
                    frequency: Frequency::SquareRoot,
                    max_terms: 64,
                },
                signature: SignatureParams { m: 80, bits: 16, seed },
                tables: TableRules::Anchored { anchors: 8, partners: 8 },
                filter_percent: 0,
            },
            Self::Paper => IndexParams {
                bag: BagRules {
                    sum: 100,
                    rounding: Rounding::LargestRemainder,
                    frequency: Frequency::Linear,
                    max_terms: u16::MAX,
                },
                signature: SignatureParams { m: 80, bits: 24, seed },
                tables: TableRules::Independent { k: 3, l: 125 },
                filter_percent: 20,
            },
        }
    }
}

impl IndexParams {
    /// The preset these are, whatever the seed.
    #[must_use]
    pub fn preset(&self) -> Option<Preset> {
        [Preset::Web, Preset::Paper]
            .into_iter()
            .find(|preset| preset.params(self.signature.seed) == *self)
    }

    /// The tables of these parameters.
    ///
    /// # Errors
    ///
    /// As [`Tables::new`].
    pub fn make_tables(&self) -> Result<Tables, TablesError> {
        Tables::new(self.tables, self.signature.m, self.signature.seed)
    }

    /// The bytes of the signature in a page record.
    #[must_use]
    pub fn stored_signature_bytes(&self) -> usize {
        if self.filter_percent == 0 { 0 } else { usize::from(self.signature.m) }
    }
}
