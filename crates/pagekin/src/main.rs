//! The command line of pagekin: it converts arguments, calls a library, and prints what that
//! returns.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! failure          what a command failed with
//! bundle           the demo, the client and the wasm, embedded: what an index is published with
//! output           printing, and texts and numbers for people
//! skipped          what came in and is no page of its own
//! args             the arguments of each command, and what this build has not
//! settings         what the environment and pagekin.toml add to them
//! progress         bars or lines while work is done
//! asked_text       the text that pages are to be like
//! completions, man, config    about the command line itself
//! site             the commands of whoever has a site
//! crawl            those of whoever has a crawl
//! stage            the stages of a crawl, for engines such as Spark
//! evaluate         measures of similarity, compared on a site
//! ```

mod args;
mod asked_text;
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
mod settings;
#[cfg(feature = "site")]
mod site;
mod skipped;
#[cfg(feature = "stage")]
mod stage;

#[cfg(not(any(feature = "site", feature = "crawl")))]
compile_error!("pagekin is built with one of the features site and crawl at least");

use std::borrow::Cow;
use std::error::Error;
use std::process::ExitCode;

use args::Command;
use failure::Failure;
use pagekin_pages::OptionError;

/// The exit code of a usage error.
const USAGE: u8 = 2;

/// The allocator of musl makes a build take twice as long. That of glibc costs a twelfth of a build
/// but grows what is large where it is, without a copy: what a page can cost stays bounded.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    make_outputs_readable();
    let given = std::env::args_os().collect();
    let args = match settings::parse(given) {
        Ok(args) => args,
        Err(error) => return misused(error),
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

/// Whatever the umask, who runs the program may read what it writes.
fn make_outputs_readable() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        use rustix::process::umask;
        umask(umask(Mode::empty()) - Mode::RWXU);
    }
}

/// Says how the command line is to be used, or the help that was asked for.
fn misused(error: clap::Error) -> ExitCode {
    let error = args::explained(error);
    let text = error.render().to_string();
    match output::lines(&text) {
        // In colors.
        Cow::Borrowed(_) => error.exit(),
        Cow::Owned(shown) => {
            shown.lines().for_each(output::say);
            ExitCode::from(USAGE)
        }
    }
}

fn failed(error: Failure) -> ExitCode {
    let error = match error.downcast::<clap::Error>() {
        Ok(error) => return misused(*error),
        Err(error) => error,
    };
    output::say(&format!("error: {error}"));
    #[cfg(feature = "site")]
    if error.is::<site::duplicates::TooMany>() {
        return ExitCode::from(site::duplicates::TooMany::CODE);
    }
    if is_misuse(&*error) { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
}

/// Whether an option has a value that it cannot have, whichever library found that.
fn is_misuse(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<OptionError>() {
            return true;
        }
        next = error.source();
    }
    false
}
