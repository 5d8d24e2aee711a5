//! Where the values of options come from: the command line, the environment, `pagekin.toml` or the
//! default, the first of these that has one.
//!
//! ```text
//! sections       which commands have options elsewhere, and how options are named there
//! file           pagekin.toml into its values, with their lines
//! trust          how far a file is obeyed that nobody named
//! layers         what was not given on the command line, from the environment and the file
//! schema         all options as a JSON Schema
//! ```
//!
//! What is found elsewhere becomes arguments, and these are parsed with those of the command line:
//! so there is one parser, and the same errors and defaults wherever a value comes from.

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

/// The arguments of a command line that begins with the program's name, with what the environment
/// and `pagekin.toml` add.
pub(crate) fn parse(given: Vec<OsString>) -> Result<Args, clap::Error> {
    let mut matches = matches(given)?;
    Args::from_arg_matches_mut(&mut matches)
}

/// The same, before they are read.
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

/// The place behind the name of the command: before it only options of all commands can stand.
fn command_at(given: &[OsString], section: &str) -> usize {
    let of_option = |at: usize| given[at - 1] == "--config";
    let place = (1..given.len()).find(|&at| given[at] == section && !of_option(at));
    place.map_or(given.len(), |at| at + 1)
}

/// Says where else a missing argument can be.
fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let tip = format!("options can also be set in {}: see `pagekin config`", file::NAME);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
