//! Sets of tokens into pairs: pagekin's part of `cargo xtask bench peers`, and the making of the
//! sets and the grading of pairs for all who take part.
//!
//! Sets and pairs are flat files, so that programs in any language can be given the one and asked
//! for the other: [`TokenSets`] and [`pairs`]. A program that pairs prints what it took as JSON, as
//! [`ours`] does.

mod grading;
mod ours;
mod pairs;

use std::path::PathBuf;

use clap::Parser;
use pagekin_pairs::Threshold;
use pagekin_tests::measuring::Failure;
use pagekin_tests::tokens::TokenSets;
use serde_json::json;

/// The seed of what is generated or drawn.
const SEED: u64 = 1;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Cargo says so to every bench
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
        /// Take only so many of its pages
        #[arg(long)]
        most: Option<u32>,
    },
    /// Find pairs, print what that took, and write them if asked to
    Pair(ours::Arguments),
    /// Print how many of the pairs in some files are true, and how many of the true ones are there
    Grade {
        sets: PathBuf,
        #[arg(long)]
        threshold: u16,
        /// Find the true pairs of so many documents only
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
