//! Options of clustering.

use std::path::PathBuf;

use pagekin_core::Preset;
use pagekin_core::qgrams::Alphabet;
use pagekin_pages::InputOptions;
use pagekin_pairs::{ExtractOptions, Threshold};

use crate::cluster::classes::ClassSource;
use crate::cluster::learned::LearnedWeights;
use crate::cluster::strings::options::StringOptions;
use crate::folder::format::BagSource;

/// Options of clustering.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClusterOptions {
    /// The output folder: new, empty or an earlier crawl.
    pub output: PathBuf,
    /// Options for reading inputs.
    pub inputs: InputOptions,
    /// Language tag of pages that declare none.
    pub lang: String,
    /// Source of the terms in bags.
    pub bags: BagSource,
    /// Parameters of bags and signatures. The paper's preset also sets k = 3, l = 125 and its
    /// family of functions modulo a prime.
    pub preset: Preset,
    /// Seed of the hash family.
    pub seed: u64,
    /// Minimum similarity of a pair.
    pub threshold: Threshold,
    /// Classes of URLs, to compare only URLs of the same class.
    pub classes: Option<ClassSource>,
    /// How pairs are found.
    pub pairing: Pairing,
    /// Weights of terms learned from judgments of another crawl of these pages.
    pub learned: Option<LearnedWeights>,
    /// How to read the inputs as strings instead of pages. Options for pages are then ignored.
    pub strings: Option<StringOptions>,
    /// Which clusters are joined.
    pub join: Join,
    /// Whether to keep the links of pages, for [`rank`](mod@crate::rank).
    pub links: bool,
    /// Whether to keep signatures, for [`CrawlFolder::similar_to_url`](crate::CrawlFolder).
    pub signatures: bool,
    /// Bytes of memory for work that is done in parts: on fragments, bags and pairs, but not on
    /// signatures.
    pub memory: u64,
    /// Maximum number of pages in a bucket before it is cut. Tests lower it.
    #[doc(hidden)]
    pub max_in_bucket: u32,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

/// Which clusters are joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// Joins clusters if all pairs between them are similar, so that members remain similar to
    /// their center. For DNA reads, joins clusters with [a fifth of all
    /// pairs](StringOptions::JOIN_DNA). With the paper's preset, joins none.
    #[default]
    Usual,
    /// Joins none.
    Never,
    /// Joins clusters if at least this share of all pairs between them is similar. Below 1, members
    /// may not be similar to their center.
    From(Threshold),
}

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// By signature keys in tables.
    Tables(TableOptions),
    /// Compares all pairs by an exact join of the bags, for up to about 50,000 URLs.
    Exact,
}

/// Options of tables. By default, tables are chosen from a sample of the URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableOptions {
    /// Values per key, 1 to 8.
    pub k: Option<u8>,
    /// Number of tables, 1 to 1,024.
    pub l: Option<u16>,
}

impl TableOptions {
    /// Returns these options after `change`:
    /// `TableOptions::default().with(|options| options.k = Some(2))`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl ClusterOptions {
    /// The default of `memory`: 2 GiB.
    pub const MEMORY: u64 = 2 << 30;

    /// Returns the defaults for an output folder.
    #[must_use]
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            output: output.into(),
            inputs: InputOptions::default(),
            lang: "en".to_owned(),
            bags: BagSource::default(),
            preset: Preset::Web,
            seed: pagekin_core::DEFAULT_SEED,
            threshold: Threshold::PAPER,
            classes: None,
            pairing: Pairing::Tables(TableOptions::default()),
            learned: None,
            strings: None,
            join: Join::default(),
            links: false,
            signatures: false,
            memory: Self::MEMORY,
            max_in_bucket: ExtractOptions::MAX_IN_BUCKET,
            threads: None,
        }
    }

    /// Returns the minimum share of all pairs between two clusters to join them, if any are joined.
    pub(crate) fn joined_from(&self) -> Option<Threshold> {
        let alphabet = self.strings.as_ref().map(|strings| strings.alphabet);
        match (self.join, alphabet, self.preset) {
            (Join::Never, ..) => None,
            (Join::From(part), ..) => Some(part),
            (Join::Usual, Some(Alphabet::Dna), _) => Some(StringOptions::JOIN_DNA),
            (Join::Usual, _, Preset::Paper) => None,
            (Join::Usual, ..) => Some(Threshold::ALL),
        }
    }

    /// Returns these options after `change`:
    /// `ClusterOptions::new(output).with(|options| options.memory = 4 << 30)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
