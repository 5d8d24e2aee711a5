//! The command line of pagekin: arguments, progress, reports and a preview server over
//! `pagekin-build`.

mod args;
mod build;
mod bundle;
mod cluster;
mod clusters;
mod completions;
mod config;
mod duplicates;
mod evaluate;
mod feedback;
mod inspect;
mod man;
mod moves;
mod nouns;
mod output;
mod pairs;
mod parquet;
mod progress;
mod rank;
mod related;
mod serve;
mod settings;
mod similar;
mod skipped;
mod stage;
mod stream;
mod watch;

use std::process::ExitCode;

use args::Command;

/// The allocator of musl makes a build take twice as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command failed with, for people.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    // A usage error ends here, with exit code 2.
    let given = std::env::args_os().collect();
    let args = settings::parse(given).unwrap_or_else(|error| args::explained(error).exit());
    let done = match args.command {
        Command::Build(args) => build::run(args),
        Command::Serve(args) => serve::run(&args),
        Command::Similar(args) => similar::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Cluster(args) => cluster::run(args),
        Command::Related(args) => related::run(&args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Feedback(args) => feedback::run(&args),
        Command::Rank(args) => rank::run(&args),
        Command::Stream(args) => stream::run(&args),
        Command::Stage(args) => stage::run(args),
        Command::Duplicates(args) => duplicates::run(args),
        Command::Moves(args) => moves::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::say(&format!("error: {error}"));
            if error.is::<duplicates::TooMany>() {
                ExitCode::from(duplicates::TooMany::CODE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
