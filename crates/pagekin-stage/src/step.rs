//! The steps of the job and their functions.

use std::io::{Read, Write};

use pagekin_core::{DEFAULT_SEED, Preset};
use pagekin_pages::pool::in_pool;
use pagekin_pairs::Threshold;

use crate::bags::{BagOptions, FragmentOptions, TextCounts};
use crate::centers::CenterStep;
use crate::error::StageError;
use crate::joins::JoinStep;
use crate::plan::{Plan, PlanOptions, SampleOptions};
use crate::rows::Out;
use crate::signatures::SignOptions;
use crate::unpack::Unpacked;
use crate::{bags, centers, joins, pairs, plan, signatures, unpack};

/// A step of the job with its options.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum JobStep {
    /// Splits pages into fragments.
    Fragments(FragmentOptions),
    /// Merges fragments into URLs with their terms.
    Collapse,
    /// Finds URLs with the text of another.
    Copies,
    /// Counts the URLs and texts with each term.
    Terms,
    /// Adds up frequencies and keeps those within the limits.
    Frequencies(TextCounts),
    /// Builds bags from URLs with their terms.
    Bags(BagOptions),
    /// Signs bags.
    Sign(SignOptions),
    /// Groups equal signatures.
    Twins(Preset),
    /// Samples signatures.
    Sample(SampleOptions),
    /// Chooses tables from a sample.
    Plan(PlanOptions),
    /// Assigns signatures to the buckets of tables.
    Keys {
        /// Output of [`JobStep::Plan`].
        plan: String,
    },
    /// Finds candidates in these buckets.
    Pairs {
        /// Output of [`JobStep::Plan`].
        plan: String,
    },
    /// Adds the bags of one URL to candidates.
    Meet(Threshold),
    /// Keeps similar candidates.
    Verify(Threshold),
    /// Returns pairs in both directions, and centers that are known in advance.
    Edges,
    /// Runs a step of CENTER.
    Center(CenterStep),
    /// Runs a step of joining clusters with all pairs between them.
    Join(JoinStep),
    /// Adds the centers of twins.
    Clusters,
    /// Unpacks rows into columns.
    Unpack(Unpacked),
}

impl JobStep {
    /// Returns the name in `pagekin stage`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fragments(_) => "fragments",
            Self::Collapse => "collapse",
            Self::Copies => "copies",
            Self::Terms => "terms",
            Self::Frequencies(_) => "frequencies",
            Self::Bags(_) => "bags",
            Self::Sign(_) => "sign",
            Self::Twins(_) => "twins",
            Self::Sample(_) => "sample",
            Self::Plan(_) => "plan",
            Self::Keys { .. } => "keys",
            Self::Pairs { .. } => "pairs",
            Self::Meet(_) => "meet",
            Self::Verify(_) => "verify",
            Self::Edges => "edges",
            Self::Center(_) => "center",
            Self::Join(_) => "join",
            Self::Clusters => "clusters",
            Self::Unpack(_) => "unpack",
        }
    }

    /// Reads an Arrow IPC stream from `input` and writes one to `output`, on `threads` threads.
    ///
    /// # Errors
    ///
    /// A [`StageError`]. Output that is already written must then not be used.
    pub fn run(
        &self,
        input: impl Read + Send,
        output: impl Write + Send,
        threads: usize,
    ) -> Result<(), StageError> {
        in_pool(Some(threads), || {
            if let Self::Unpack(what) = self {
                return unpack::unpack(input, output, *what);
            }
            let out = Out::new(output, self.name())?;
            match self {
                Self::Fragments(options) => bags::fragments(input, out, options),
                Self::Collapse => bags::collapse(input, out),
                Self::Copies => bags::copies(input, out),
                Self::Terms => bags::terms(input, out),
                Self::Frequencies(counts) => bags::frequencies(input, out, *counts),
                Self::Bags(options) => bags::bags(input, out, options),
                Self::Sign(options) => signatures::sign(input, out, options),
                Self::Twins(preset) => {
                    let m = preset.params(DEFAULT_SEED).signature.m;
                    signatures::twins(input, out, m)
                }
                Self::Sample(options) => plan::sample(input, out, options),
                Self::Plan(options) => plan::plan(input, out, options),
                Self::Keys { plan } => pairs::keys(input, out, &Plan::read(plan)?),
                Self::Pairs { plan } => pairs::pairs(input, out, &Plan::read(plan)?),
                Self::Meet(threshold) => pairs::meet(input, out, *threshold),
                Self::Verify(threshold) => pairs::verify(input, out, *threshold),
                Self::Edges => centers::edges(input, out),
                Self::Center(step) => centers::center(input, out, *step),
                Self::Join(step) => joins::join(input, out, *step),
                Self::Clusters => centers::clusters(input, out),
                Self::Unpack(_) => unreachable!("it is run above"),
            }
        })
    }
}
