//! Resolves the values of options: from the command line, the environment, `pagekin.toml` or the
//! default, in this order.
//!
//! ```text
//! sections       the commands with a section, and the names of options there
//! file           reads pagekin.toml, with line numbers
//! trust          restricts files that were not named on the command line
//! layers         values from the environment and the file
//! schema         the JSON Schema of pagekin.toml
//! ```
//!
//! Values from the environment and the file become arguments and are parsed together with the
//! command line. So there is one parser, with the same errors and defaults for every source.

pub(crate) mod file;
pub(crate) mod layers;
pub(crate) mod schema;
pub(crate) mod sections;
pub(crate) mod trust;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::args::{Args, grouped};
use crate::settings::layers::{Layers, warn_of_unknown_variables};

/// Parses a command line that starts with the program's name, and adds the values of the
/// environment and `pagekin.toml`.
pub(crate) fn parse(given: Vec<OsString>) -> Result<Args, clap::Error> {
    let mut matches = matches(given)?;
    Args::from_arg_matches_mut(&mut matches)
}

fn matches(given: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let strict = sections::with_negations(grouped(Args::command()));
    let lenient = sections::without_requirements(strict.clone());
    let typed = lenient.clone().try_get_matches_from(&given)?;
    let Some((section, of_command)) = typed.subcommand() else {
        return strict.try_get_matches_from(given);
    };
    if !sections::has(section) {
        return strict.try_get_matches_from(given);
    }
    let layers = Layers::find(&lenient, section, of_command)?;
    warn_of_unknown_variables(&lenient);
    let added: Vec<OsString> = layers.arguments().collect();
    let at = command_at(&given, section);
    let mut all = given;
    all.splice(at..at, added);
    strict.try_get_matches_from(all).map_err(with_tip)
}

/// Returns the index after the command's name. Only global options can precede the name.
fn command_at(given: &[OsString], section: &str) -> usize {
    let of_option = |at: usize| given[at - 1] == "--config";
    let place = (1..given.len()).find(|&at| given[at] == section && !of_option(at));
    place.map_or(given.len(), |at| at + 1)
}

/// Adds a tip on where else a missing argument can be set.
fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let tip = format!("you can also set options in {}; see `pagekin config`", file::NAME);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
