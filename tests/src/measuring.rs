//! Measures the results and costs of lookups in an index, for the benchmarks and for
//! `tests/site/costs.rs`.
//!
//! | module | contents |
//! | --- | --- |
//! | [`pages`] | a site or generated pages: their index, their texts |
//! | [`queries`] | texts of pages of an index, without a part of their terms |
//! | [`passages`] | passages as a visitor would paste them, and the pages that contain them |
//! | [`asking`] | an index to query, with a count of reads |
//! | [`exact`] | the exact results of the queries, by brute force |
//! | [`quality`] | the quality of answers compared with the exact results |
//! | [`signatures`] | the comparison of one signature with all others |
//! | [`spread`] | the median, the ninth decile and the maximum |
//! | [`written`] | queries that people wrote, with the expected pages |
//! | [`numbers`] | readable numbers |

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

/// The pages that a benchmark runs on.
#[derive(Debug, clap::Args)]
pub struct On {
    /// The folders of HTML pages
    #[arg(
        required_unless_present = "generated",
        conflicts_with = "generated",
        value_name = "SITE_DIR"
    )]
    pub sites: Vec<PathBuf>,
    /// Use N generated pages instead, some of them planted as related
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub generated: Option<u64>,
}

/// Any error that ends the measurement.
pub type Failure = Box<dyn std::error::Error>;
