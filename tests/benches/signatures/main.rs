//! How fast bags are signed, beside what the processor can do at all.
//!
//! `cargo xtask bench signatures` runs it. Bags of the paper's rules and of the web preset's, drawn
//! by a fixed seed, are signed in every way there is: by each level of instructions of this
//! processor, down to those that every processor of its kind has, and by the plain definition. All
//! ways are run in turns, on one thread, of which the processor's time counts, and on all, by the
//! clock on the wall; the medians are told. Before anything is timed, all ways must give the same
//! values. [`limit`] says what a step is, and how many there can be.

mod bags;
mod limit;
mod report;

use std::hint::black_box;

use clap::Parser;
use pagekin_core::Preset;
use pagekin_core::bag::Bag;
use pagekin_core::minhash::{Family, SignatureParams};
use pagekin_pairs::minhash::{Algorithm, Level, Signer};
use pagekin_pairs::signatures::columns as signatures;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::timing::{median, processor_seconds, seconds};
use rayon::prelude::*;
use report::{Case, Measured, Report};

const SEED: u64 = 2_000;

#[derive(Parser)]
struct Arguments {
    /// How many bags of each kind
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    bags: u32,
    /// How often each way is run
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// A way to sign.
enum Way {
    /// By the definition, a signature after another.
    Plain(Family),
    By(Signer),
}

impl Way {
    fn rows(&self, bags: &[Bag]) -> Vec<u16> {
        match self {
            Self::Plain(family) => {
                let sign = |bag| family.sign(bag).expect("no bag is empty");
                let signed: Vec<_> = bags.par_iter().map(sign).collect();
                signatures::rows(&signed)
            }
            Self::By(signer) => signer.rows(bags),
        }
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let threads = rayon::current_num_threads();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let levels = levels();
    // The last is the baseline, which on x86-64 has no such instructions, and elsewhere is the
    // best.
    let limited = &levels[..levels.len() - 1];
    let mut limits: Vec<_> =
        limited.iter().map(|&(name, level)| (name, limit::steps(level))).collect();
    let clock = limit::clock();
    let mut cases = Vec::new();
    for (preset, algorithm) in [
        (Preset::Paper, Algorithm::Affine32),
        (Preset::Web, Algorithm::Affine32),
        (Preset::Paper, Algorithm::Prime31),
    ] {
        let params = preset.params(SEED);
        let bags = bags::draw(arguments.bags as usize, &params.bag, SEED);
        let ways = ways(&levels, algorithm, params.signature);
        let expected = ways[0].1.rows(&bags);
        if let Some((name, _)) = ways.iter().find(|(_, way)| way.rows(&bags) != expected) {
            return Err(format!("{name} does not give the same values as {}", ways[0].0).into());
        }
        drop(expected);
        let mut times = vec![(Vec::new(), Vec::new()); ways.len()];
        for _ in 0..arguments.runs {
            for ((_, way), (single, all)) in ways.iter().zip(&mut times) {
                single.push(one.install(|| processor_seconds(|| drop(black_box(way.rows(&bags))))));
                all.push(seconds(|| drop(black_box(way.rows(&bags)))));
            }
        }
        let copies: u64 = bags.iter().map(|bag| u64::from(bag.size())).sum();
        let measured = ways.iter().zip(times).map(|((name, _), (single, all))| Measured {
            way: name,
            seconds: median(single),
            seconds_on_all: median(all),
        });
        cases.push(Case {
            bags: preset.name(),
            algorithm: algorithm.name(),
            documents: arguments.bags,
            copies,
            steps: copies * u64::from(params.signature.m),
            measured: measured.collect(),
        });
    }
    // Once more: what disturbed the machine at first may be over.
    for (&(_, level), (_, steps)) in limited.iter().zip(&mut limits) {
        *steps = steps.max(limit::steps(level));
    }
    let report = Report { threads, clock, limits, cases };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table()?);
    }
    Ok(())
}

/// The levels of this processor by their names, the best first and the baseline last.
fn levels() -> Vec<(&'static str, Level)> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let levels = [
        ("AVX-512", best.as_avx512().map(Level::Avx512)),
        ("AVX2", best.as_avx2().map(Level::Avx2)),
        ("SSE4.2", best.as_sse4_2().map(Level::Sse4_2)),
        ("baseline, SSE2", Some(Level::baseline())),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let levels = [("best", Some(best)), ("baseline", Some(Level::baseline()))];
    levels.into_iter().filter_map(|(name, level)| Some((name, level?))).collect()
}

fn ways(
    levels: &[(&'static str, Level)],
    algorithm: Algorithm,
    params: SignatureParams,
) -> Vec<(&'static str, Way)> {
    let by = |&(name, level)| (name, Way::By(Signer::at(level, algorithm, params)));
    let mut ways: Vec<_> = levels.iter().map(by).collect();
    if algorithm == Algorithm::Affine32 {
        ways.push(("plain definition", Way::Plain(Family::new(params))));
    }
    ways
}
