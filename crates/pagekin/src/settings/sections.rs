//! The commands with options in the environment and in `pagekin.toml`, and the names of options
//! there.
//!
//! | | option | argument |
//! | --- | --- | --- |
//! | command line | `--base-url /docs/` | `public` |
//! | `pagekin.toml` | `base-url = "/docs/"` in `[build]` | `site = "public"` |
//! | environment | `PAGEKIN_BASE_URL`, `PAGEKIN_SERVE_PORT` | `PAGEKIN_SITE` |
//!
//! Each switch `--x` has a negation `--no-x`, and `--no-x` has the negation `--x`, so that the
//! command line can override the file.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

/// The commands with a section, including those missing from this build: one file works for all
/// builds.
pub(crate) const SECTIONS: [&str; 4] = ["build", "serve", "duplicates", "evaluate"];

/// Options that apply to a single run and cannot be set elsewhere.
const PER_RUN: [&str; 5] = ["from", "json", "quiet", "config", "no_config"];

/// Returns the commands with a section in this build.
fn present(command: &Command) -> Vec<&'static str> {
    SECTIONS.into_iter().filter(|section| command.find_subcommand(section).is_some()).collect()
}

pub(crate) fn has(command: &str) -> bool {
    SECTIONS.contains(&command)
}

/// Returns the options and arguments of a command that can be set elsewhere.
pub(crate) fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_settable = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        let is_negation = arg.is_hide_set() || matches!(id, "help" | "version");
        !is_negation && !PER_RUN.contains(&id)
    };
    command.get_arguments().filter(is_settable)
}

/// Returns the name of an option in the file.
pub(crate) fn key(arg: &Arg) -> String {
    arg.get_long().map_or_else(|| arg.get_id().as_str().replace('_', "-"), str::to_owned)
}

/// Returns the name of an option in the environment.
pub(crate) fn variable(section: &str, key: &str) -> String {
    let key = key.replace('-', "_").to_ascii_uppercase();
    match section {
        "build" => format!("PAGEKIN_{key}"),
        _ => format!("PAGEKIN_{}_{key}", section.to_ascii_uppercase()),
    }
}

/// Returns whether an option is a switch, without a value.
pub(crate) fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Returns whether an option takes several values.
pub(crate) fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
        || arg.get_value_delimiter().is_some()
        || arg.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// Returns whether a value is a string even if it consists of digits: a path, a URL, a glob.
pub(crate) fn is_text(arg: &Arg) -> bool {
    let id = arg.get_value_parser().type_id();
    id == TypeId::of::<PathBuf>() || id == TypeId::of::<String>()
}

/// Returns the name of a switch's negation: `no-x` for `x`, and `x` for `no-x`.
pub(crate) fn negation(key: &str) -> String {
    key.strip_prefix("no-").map_or_else(|| format!("no-{key}"), str::to_owned)
}

/// Adds the negation of each switch to the command line.
pub(crate) fn with_negations(command: Command) -> Command {
    present(&command).into_iter().fold(command, |command, section| {
        command.mut_subcommand(section, |command| {
            let switches: Vec<String> =
                settable(&command).filter(|arg| is_switch(arg)).map(key).collect();
            switches.into_iter().fold(command, |command, key| {
                let id = key.replace('-', "_");
                let negation = negation(&key);
                command.arg(
                    Arg::new(negation.replace('-', "_"))
                        .long(negation)
                        .action(ArgAction::SetTrue)
                        .overrides_with(id)
                        .hide(true),
                )
            })
        })
    })
}

/// Makes all arguments optional, because they may be set elsewhere.
pub(crate) fn without_requirements(command: Command) -> Command {
    present(&command).into_iter().fold(command, |command, section| {
        command.mut_subcommand(section, |command| {
            let groups: Vec<_> = command.get_groups().map(|group| group.get_id().clone()).collect();
            let command = command.mut_args(|arg| arg.required(false));
            groups.into_iter().fold(command, |command, group| {
                command.mut_group(group, |group| group.required(false))
            })
        })
    })
}
