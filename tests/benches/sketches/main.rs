//! Sketches of bags whose terms have weights, beside each other and beside MinHash of copies.
//!
//! `cargo xtask bench sketches SITE_DIR…` runs it:
//!
//! | | |
//! | --- | --- |
//! | [`drawn`] | pairs of bags by size, skew of the weights and similarity: errors against the exact measure that each sketch estimates |
//! | [`times`] | what a bag takes in each way, beside the definitions |
//! | [`site`] | the pairs of real pages, likewise |
//!
//! All ways have as many values of 16 bits, so that they take the same room.

mod drawn;
mod errors;
mod report;
mod site;
mod times;
mod ways;

use std::path::PathBuf;

use clap::Parser;
use pagekin_tests::measuring::Failure;

use report::Report;

/// Values of a sketch whose error or time is measured.
const VALUES: u16 = 256;

#[derive(Parser)]
struct Arguments {
    /// Folders of HTML pages
    sites: Vec<PathBuf>,
    /// How often each way is timed
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let mut report = Report::default();
    for terms in drawn::SIZES {
        for skew in drawn::Skew::ALL {
            eprintln!("{terms} terms, {} weights", skew.name());
            report.drawn.push(drawn::measure(terms, skew));
            report.times.push(times::measure(terms, skew, arguments.runs)?);
        }
    }
    for folder in &arguments.sites {
        eprintln!("{}", folder.display());
        report.sites.push(site::measure(folder)?);
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.tables()?);
    }
    Ok(())
}
