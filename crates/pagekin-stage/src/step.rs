//! The steps of the job: their names, and which function does each.

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

/// A step of the job with what it is told.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum JobStep {
    /// Pages into fragments.
    Fragments(FragmentOptions),
    /// Fragments into URLs with their terms.
    Collapse,
    /// Texts into the URLs that have that of another.
    Copies,
    /// URLs with their terms into on how much each term is.
    Terms,
    /// Frequencies of parts of the URLs into those of all.
    Frequencies(TextCounts),
    /// URLs with their terms into bags.
    Bags(BagOptions),
    /// Bags into signatures.
    Sign(SignOptions),
    /// Signatures into different ones.
    Twins(Preset),
    /// Some of the signatures.
    Sample(SampleOptions),
    /// These into the tables.
    Plan(PlanOptions),
    /// Signatures into the buckets of tables.
    Keys {
        /// What [`JobStep::Plan`] wrote.
        plan: String,
    },
    /// What is in these into candidates.
    Pairs {
        /// What [`JobStep::Plan`] wrote.
        plan: String,
    },
    /// Candidates with the bags of one of two.
    Meet(Threshold),
    /// Candidates into similar pairs.
    Verify(Threshold),
    /// Pairs both ways, and centers that are known beforehand.
    Edges,
    /// A step of CENTER.
    Center(CenterStep),
    /// A step of joining clusters between which all pairs are similar.
    Join(JoinStep),
    /// Centers into those of twins too.
    Clusters,
    /// Packed rows into columns.
    Unpack(Unpacked),
}

impl JobStep {
    /// Its name, as `pagekin stage` has it.
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

    /// Reads an Arrow IPC stream from `input` and writes one to `output`, on so many threads.
    ///
    /// # Errors
    ///
    /// A [`StageError`]: then what was written is not to be used.
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
                Self::Frequencies(said) => bags::frequencies(input, out, *said),
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
