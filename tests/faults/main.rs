//! Fault injection: processes killed at random and at every system call that changes files, full
//! disks, limits, inputs that change during a build, concurrent builds, and damaged files.
//!
//! `cargo xtask faults` runs it and prints the table of
//! [BENCHMARKS.md](../../crates/BENCHMARKS.md). `cargo xtask test` runs a few faults of each kind.
//! Every fault is injected into a real run of `pagekin`. Afterwards the output must be the previous
//! or the new one, byte for byte, and the next run must succeed and leave no other files.

mod flips;
mod hindrances;
mod interruptions;
mod sites;
mod subject;

use std::time::Instant;

use clap::Parser;
use pagekin_core::hash::SplitMix64;

use subject::Subject;

/// The number of faults of each kind.
#[derive(Parser)]
struct Arguments {
    /// Processes killed after a random time, in all
    #[arg(long, default_value_t = 1_000)]
    kills: u64,
    /// System calls at which each command is killed, and which fail with a full disk
    #[arg(long, default_value_t = 200)]
    calls: u64,
    /// Bits flipped in the files of an index
    #[arg(long, default_value_t = 10_000)]
    flips: u64,
    /// Random sites whose index is verified and queried
    #[arg(long, default_value_t = 1_000)]
    sites: u64,
    /// Builds of a folder that changes meanwhile, and pairs of builds into one folder
    #[arg(long, default_value_t = 20)]
    races: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The faults of one kind, with their number and outcome.
pub(crate) struct Row {
    fault: String,
    tried: u64,
    outcome: String,
}

impl Row {
    pub(crate) fn new(fault: impl Into<String>, tried: u64, outcome: impl Into<String>) -> Self {
        Self { fault: fault.into(), tried, outcome: outcome.into() }
    }
}

fn main() {
    let arguments = Arguments::parse();
    let mut random = SplitMix64::new(arguments.seed);
    let start = Instant::now();
    println!("| fault | tried | outcome |\n| --- | ---: | --- |");
    let subjects = Subject::all();
    let kills = arguments.kills.div_ceil(subjects.len() as u64);
    for subject in subjects {
        print([interruptions::at_random(&subject, kills, &mut random)]);
        print(interruptions::at_calls(&subject, arguments.calls, &mut random));
        print(hindrances::limits(&subject));
    }
    print([hindrances::changing_site(arguments.races)]);
    print([hindrances::two_builds(arguments.races)]);
    print(flips::flip(arguments.flips, &mut random));
    print([sites::verify(arguments.sites, &mut random)]);
    let (seed, seconds) = (arguments.seed, start.elapsed().as_secs());
    println!("\nSeed {seed}, {seconds} s. Every output was the one before or the new one, whole.");
}

/// Prints rows immediately, because the next fault may end the program.
fn print(rows: impl IntoIterator<Item = Row>) {
    for Row { fault, tried, outcome } in rows {
        println!("| {fault} | {tried} | {outcome} |");
    }
}
