//! From sets of tokens to pairs: pagekin's part of `cargo xtask bench peers`, which also generates
//! the sets and grades the pairs of all programs.
//!
//! Sets and pairs are flat files, which programs in any language can read and write:
//! [`TokenSets`] and [`pairs`]. A program that finds pairs prints its costs as JSON, as [`ours`]
//! does.

mod grading;
mod ours;
mod pairs;

use std::path::PathBuf;

use clap::Parser;
use pagekin_pairs::Threshold;
use pagekin_tests::measuring::Failure;
use pagekin_tests::tokens::TokenSets;
use serde_json::json;

/// Seed for generated and drawn documents.
const SEED: u64 = 1;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true, global = true)]
    bench: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Write generated sets
    Generate { documents: u32, sets: PathBuf },
    /// Write the bags of a site
    Site {
        site: PathBuf,
        sets: PathBuf,
        /// Maximum number of pages
        #[arg(long)]
        most: Option<u32>,
    },
    /// Find pairs, print the costs, and optionally write the pairs
    Pair(ours::Arguments),
    /// Print how many pairs in some files are true, and how many true pairs they contain
    Grade {
        sets: PathBuf,
        #[arg(long)]
        threshold: u16,
        /// Find the true pairs of this number of documents only
        #[arg(long)]
        sample: Option<u32>,
        files: Vec<PathBuf>,
    },
}

fn main() -> Result<(), Failure> {
    match Arguments::parse().command {
        Command::Generate { documents, sets } => {
            written(&TokenSets::generated(documents, SEED), &sets)
        }
        Command::Site { site, sets, most } => {
            let all = TokenSets::from_site(&site)?;
            let taken = most.map(|most| all.sample(most, SEED));
            written(&taken.unwrap_or(all), &sets)
        }
        Command::Pair(arguments) => ours::pair(&arguments),
        Command::Grade { sets, threshold, sample, files } => {
            let sets = TokenSets::read(&sets)?;
            let truth = grading::Truth::new(&sets, Threshold::from_thousandths(threshold)?, sample);
            let grades: Result<Vec<_>, Failure> =
                files.iter().map(|file| Ok(truth.grade(&pairs::read(file)?))).collect();
            let grades: Vec<_> = grades?.iter().map(grading::Grade::to_json).collect();
            println!("{}", json!({ "true_pairs": truth.pairs(), "grades": grades }));
            Ok(())
        }
    }
}

fn written(sets: &TokenSets, path: &std::path::Path) -> Result<(), Failure> {
    sets.write(path)?;
    println!("{}", json!({ "documents": sets.len(), "tokens": sets.all_tokens() }));
    Ok(())
}
