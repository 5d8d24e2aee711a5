//! What lookups in an index find and what they cost, for the benches and for `tests/site/costs.rs`.
//!
//! | module | has |
//! | --- | --- |
//! | [`pages`] | a site or generated pages: their index, their texts |
//! | [`queries`] | texts of pages of an index, without a part of their terms |
//! | [`passages`] | passages of pages as a visitor would paste them, and the pages they stand on |
//! | [`asking`] | an index that is asked, and a tally of what was read |
//! | [`exact`] | the exact truth about the queries, by brute force |
//! | [`quality`] | how good answers are beside the truth |
//! | [`signatures`] | all signatures, compared with one |
//! | [`spread`] | how many at the middle, at nine tenths and at most |
//! | [`written`] | queries that people wrote, with the pages that they wanted |
//! | [`numbers`] | numbers as people read them |

use std::path::PathBuf;

pub mod asking;
pub mod exact;
pub mod numbers;
pub mod pages;
pub mod passages;
pub mod quality;
pub mod queries;
pub mod signatures;
pub mod spread;
pub mod written;

/// The pages that a bench is run on.
#[derive(Debug, clap::Args)]
pub struct On {
    /// The folders of HTML pages
    #[arg(
        required_unless_present = "generated",
        conflicts_with = "generated",
        value_name = "SITE_DIR"
    )]
    pub sites: Vec<PathBuf>,
    /// Take N generated pages instead, some of them planted to be kin
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub generated: Option<u64>,
}

/// Whatever went wrong: it ends the measuring.
pub type Failure = Box<dyn std::error::Error>;
