//! The command line of pagekin. It converts arguments, calls a library, and prints the result.
//!
//! The modules, each of which needs only those above it:
//!
//! ```text
//! failure          the error type of commands
//! bundle           the embedded client, WebAssembly, demo and lab
//! output           printing, and formatting of texts and numbers for people
//! skipped          reports of inputs that did not become pages
//! args             the arguments of each command, and tips for missing and renamed ones
//! settings         options from the environment and pagekin.toml
//! progress         progress bars or lines
//! query_text       the text of a query
//! completions, man, config    commands about the command line itself
//! site             the commands for a site
//! crawl            the commands for a crawl
//! stage            single stages of `crawl cluster`, for engines such as Spark
//! evaluate         evaluation of similarity measures on a site
//! ```

mod args;
#[cfg(feature = "site")]
mod bundle;
mod completions;
mod config;
#[cfg(feature = "crawl")]
mod crawl;
#[cfg(feature = "research")]
mod evaluate;
mod failure;
mod man;
mod output;
mod progress;
mod query_text;
mod settings;
#[cfg(feature = "site")]
mod site;
mod skipped;
#[cfg(feature = "stage")]
mod stage;

#[cfg(not(any(feature = "site", feature = "crawl")))]
compile_error!("enable at least one of the features `site` and `crawl`");

use std::borrow::Cow;
use std::error::Error;
use std::process::ExitCode;

use args::Command;
use failure::Failure;
use pagekin_pages::OptionError;

/// The exit code of a usage error.
const USAGE: u8 = 2;

/// musl's allocator doubles the time of a build. Other targets keep their system allocator: glibc's
/// costs a twelfth of a build, but it grows large allocations in place, without a copy, so that the
/// cost of a page stays bounded.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    make_outputs_readable();
    let given = std::env::args_os().collect();
    let args = match settings::parse(given) {
        Ok(args) => args,
        Err(error) => return exit_with_usage(error),
    };
    let done = match args.command {
        #[cfg(feature = "site")]
        Command::Build(args) => site::build::run(args),
        #[cfg(feature = "site")]
        Command::Serve(args) => site::serve::run(&args),
        #[cfg(feature = "site")]
        Command::Search(args) => site::search::run(&args),
        #[cfg(feature = "site")]
        Command::Similar(args) => site::similar::run(&args),
        #[cfg(feature = "site")]
        Command::Related(args) => site::related::run(&args),
        #[cfg(feature = "site")]
        Command::Read(args) => site::read::run(&args),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => site::mcp::run(&args),
        #[cfg(all(feature = "site", feature = "crawl"))]
        Command::Inspect(args) if crawl::inspect::is_crawl(&args) => crawl::inspect::run(&args),
        #[cfg(feature = "site")]
        Command::Inspect(args) => site::inspect::run(&args),
        #[cfg(feature = "crawl")]
        Command::Crawl(args) => crawl::run(args),
        #[cfg(feature = "stage")]
        Command::Stage(args) => stage::run(args),
        #[cfg(feature = "site")]
        Command::Duplicates(args) => site::duplicates::run(args),
        #[cfg(feature = "site")]
        Command::Redirects(args) => site::redirects::run(args),
        #[cfg(feature = "research")]
        Command::Evaluate(args) => evaluate::run(args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(error),
    }
}

/// Removes the owner's permissions from the umask, so that users can read what they write.
fn make_outputs_readable() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        use rustix::process::umask;
        umask(umask(Mode::empty()) - Mode::RWXU);
    }
}

/// Prints a usage error, or the requested help.
fn exit_with_usage(error: clap::Error) -> ExitCode {
    let error = args::explained(error);
    let text = error.render().to_string();
    match output::lines(&text) {
        // Prints with colors.
        Cow::Borrowed(_) => error.exit(),
        Cow::Owned(shown) => {
            shown.lines().for_each(output::eprint_line);
            ExitCode::from(USAGE)
        }
    }
}

fn failed(error: Failure) -> ExitCode {
    let error = match error.downcast::<clap::Error>() {
        Ok(error) => return exit_with_usage(*error),
        Err(error) => error,
    };
    output::eprint_line(&format!("error: {error}"));
    #[cfg(feature = "site")]
    if error.is::<site::duplicates::TooMany>() {
        return ExitCode::from(site::duplicates::TooMany::CODE);
    }
    if is_usage_error(&*error) { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
}

/// Returns whether a library rejected the value of an option.
fn is_usage_error(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<OptionError>() {
            return true;
        }
        next = error.source();
    }
    false
}
