//! What to cluster, and how.

use std::path::PathBuf;

use pagekin_core::Preset;
use pagekin_core::qgrams::Alphabet;
use pagekin_pages::InputOptions;
use pagekin_pairs::{ExtractOptions, Threshold};

use crate::cluster::classes::ClassSource;
use crate::cluster::learnt::LearntWeights;
use crate::cluster::strings::options::StringOptions;
use crate::folder::format::BagSource;

/// What to cluster, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClusterOptions {
    /// The output folder: new, empty or an earlier crawl.
    pub output: PathBuf,
    /// How inputs are read.
    pub inputs: InputOptions,
    /// The language tag of pages that declare none.
    pub lang: String,
    /// What bags are made of.
    pub bags: BagSource,
    /// The parameters of bags and signatures; the paper's has its k = 3 and l = 125 too, and its
    /// family of functions modulo a prime.
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// The minimum similarity of a pair.
    pub threshold: Threshold,
    /// The classes of URLs, if only those of one class are to be paired.
    pub classes: Option<ClassSource>,
    /// How pairs are found.
    pub pairing: Pairing,
    /// What was learnt from judgments of another crawl of these pages: what terms weigh.
    pub learnt: Option<LearntWeights>,
    /// What strings inputs are of, if they are no pages. Options about pages are then ignored.
    pub strings: Option<StringOptions>,
    /// Which clusters become one.
    pub join: Join,
    /// Whether the links of pages are kept, for [`rank`](mod@crate::rank).
    pub links: bool,
    /// Whether signatures are kept, for [`CrawlFolder::similar_to_url`](crate::CrawlFolder).
    pub signatures: bool,
    /// Bytes of memory for work that is done in parts: on fragments, bags and pairs, not on
    /// signatures.
    pub memory: u64,
    /// From how many pages on a bucket is cut: a limit that tests lower.
    #[doc(hidden)]
    pub most_in_bucket: u32,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

/// Which clusters become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// Those between which all pairs were found similar, so that members are still similar to their
    /// center; of reads of DNA [those between which a fifth was](StringOptions::JOIN_DNA); with the
    /// paper's preset none.
    #[default]
    Usual,
    /// None.
    Never,
    /// Those between which at least this part of all pairs was found similar. Below 1, their
    /// members need not be similar to the center.
    From(Threshold),
}

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// By the keys of signatures.
    Tables(TableOptions),
    /// All pairs, by an exact join of the bags: for up to about 50,000 URLs.
    Exact,
}

/// Tables of keys. By default they are chosen from a sample of the URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableOptions {
    /// Values per key, 1 to 8.
    pub k: Option<u8>,
    /// Tables, 1 to 1,024.
    pub l: Option<u16>,
}

impl TableOptions {
    /// These options with some of them changed:
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

    /// The defaults for an output.
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
            learnt: None,
            strings: None,
            join: Join::default(),
            links: false,
            signatures: false,
            memory: Self::MEMORY,
            most_in_bucket: ExtractOptions::MAX_IN_BUCKET,
            threads: None,
        }
    }

    /// The part of all pairs between two clusters from which on they become one, if any do.
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

    /// These options with some of them changed:
    /// `ClusterOptions::new(output).with(|options| options.memory = 4 << 30)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
