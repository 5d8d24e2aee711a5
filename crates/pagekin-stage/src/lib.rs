//! The job of [`cluster`](pagekin_crawl::cluster::cluster()) as functions of rows to rows, for
//! engines that spread rows over many machines.
//!
//! One machine keeps buckets as files; here a bucket is the rows that have its number. Whoever runs
//! the stages brings the rows of each bucket together and sorts them; a stage takes one bucket at a
//! time, so its memory is that of a bucket, and refuses what is out of order. What a stage does
//! with a bucket is done by the functions that one machine calls, so both find the same pairs and
//! clusters. URLs have the same numbers: their places in the order of
//! [`url_key`](pagekin_crawl::folder::format::url_key).
//!
//! | stage | takes | gives |
//! | --- | --- | --- |
//! | [`fragments`](Stage::Fragments) | pages, or a file of them | what they say of URLs, by these |
//! | [`collapse`](Stage::Collapse) | fragments by bucket | URLs with their terms; on how many each term is |
//! | [`frequencies`](Stage::Frequencies) | these by bucket | document frequencies within the limits |
//! | [`bags`](Stage::Bags) | URLs with their terms | those that have a bag |
//! | [`sign`](Stage::Sign) | bags with numbers | signatures |
//! | [`twins`](Stage::Twins) | these by bucket | different signatures, and who has the same bag |
//! | [`sample`](Stage::Sample), [`plan`](Stage::Plan) | different signatures | the tables |
//! | [`keys`](Stage::Keys) | different signatures | the same in the buckets of tables |
//! | [`pairs`](Stage::Pairs) | these by bucket | who meets and agrees enough |
//! | [`meet`](Stage::Meet) | these and bags by bucket | the bags of the lower of two, by the other |
//! | [`verify`](Stage::Verify) | these and bags by bucket | similar pairs |
//! | [`edges`](Stage::Edges) | pairs and twins | the same by URL |
//! | [`center`](Stage::Center) | these by bucket, then what a round gave | centers; what is undecided, and messages to other buckets |
//! | [`clusters`](Stage::Clusters) | centers and twins by bucket | centers, of twins too |
//! | [`unpack`](Stage::Unpack) | any of some kinds | columns of a table |
//!
//! The columns of rows, the records of each kind and the order of the steps are in the
//! documentation of `pagekin stage`.

mod bags;
mod centers;
mod error;
mod pages;
mod pairs;
mod plan;
mod rows;
mod signatures;
mod trials;
mod unpack;

#[doc(hidden)]
pub mod fuzzing;
#[cfg(test)]
mod tests;

use std::io::{Read, Write};

pub use crate::bags::{BagOptions, FragmentOptions, PageForm};
pub use crate::centers::CenterStep;
pub use crate::error::StageError;
pub use crate::plan::{PlanOptions, SampleOptions};
pub use crate::signatures::SignOptions;
pub use crate::unpack::Unpacked;

use pagekin_core::{DEFAULT_SEED, Preset};

use crate::plan::Plan;
use crate::rows::Out;
use pagekin_pages::pool::in_pool;
use pagekin_pairs::Threshold;

/// A stage with what it is told.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Stage {
    /// Pages into fragments.
    Fragments(FragmentOptions),
    /// Fragments into URLs with their terms.
    Collapse,
    /// Frequencies of parts of the URLs into those of all.
    Frequencies {
        /// URLs of which something is said.
        spoken_of: u32,
    },
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
        /// What [`Stage::Plan`] wrote.
        plan: String,
    },
    /// What is in these into candidates.
    Pairs {
        /// What [`Stage::Plan`] wrote.
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
    /// Centers into those of twins too.
    Clusters,
    /// Packed rows into columns.
    Unpack(Unpacked),
}

impl Stage {
    /// Its name, as `pagekin stage` has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fragments(_) => "fragments",
            Self::Collapse => "collapse",
            Self::Frequencies { .. } => "frequencies",
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
                Self::Frequencies { spoken_of } => bags::frequencies(input, out, *spoken_of),
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
                Self::Clusters => centers::clusters(input, out),
                Self::Unpack(_) => unreachable!("it is run above"),
            }
        })
    }
}
