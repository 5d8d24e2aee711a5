//! `pagekin config`.

use std::fmt::Write as _;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};

use crate::args::{Args, ConfigArgs, is_disabled};
use crate::failure::Failure;
use crate::output::{Reader, print_for};
use crate::settings::layers::{Layers, warn_of_unknown_variables};
use crate::settings::schema::schema;
use crate::settings::sections::{
    SECTIONS, is_list, is_switch, is_text, key, settable, with_negations, without_requirements,
};

pub(crate) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    if args.schema {
        return print_for(Reader::Programs, &(serde_json::to_string_pretty(&schema())? + "\n"));
    }
    let lenient = without_requirements(with_negations(Args::command()));
    // This command accepts the options that select the file, too.
    let given = lenient.clone().try_get_matches()?;
    let Some((_, given)) = given.subcommand() else { return Ok(()) };
    let mut out = String::new();
    for section in SECTIONS.into_iter().filter(|section| !is_disabled(section)) {
        describe(section, &lenient, given, &mut out)?;
    }
    warn_of_unknown_variables(&lenient);
    print_for(Reader::Programs, &out)
}

/// Writes the options of a command with their sources.
fn describe(
    section: &str,
    lenient: &Command,
    given: &ArgMatches,
    out: &mut String,
) -> Result<(), Failure> {
    let layers = Layers::find(lenient, section, given)?;
    let line = [lenient.get_name().to_owned(), section.to_owned()];
    let line = line.into_iter().map(Into::into).chain(layers.arguments());
    let matches = lenient.clone().try_get_matches_from(line)?;
    let (Some((_, matches)), Some(command)) =
        (matches.subcommand(), lenient.find_subcommand(section))
    else {
        return Ok(());
    };
    let lead = if out.is_empty() { "" } else { "\n" };
    writeln!(out, "{lead}[{section}]")?;
    for arg in settable(command) {
        let key = key(arg);
        let source = layers.source(&key).map_or_else(|| "default".to_owned(), ToString::to_string);
        match value(arg, matches) {
            Some(value) => writeln!(out, "{:<36} # {source}", format!("{key} = {value}"))?,
            None => writeln!(out, "# {key} =")?,
        }
    }
    Ok(())
}

/// Formats the value of an option as in the file; `None` if it is not set.
fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    if is_switch(arg) {
        return Some(matches.get_flag(id).to_string());
    }
    matches.value_source(id).filter(|source| *source != ValueSource::EnvVariable)?;
    let texts: Vec<String> =
        matches.get_raw(id)?.map(|value| literal(arg, &value.to_string_lossy())).collect();
    if is_list(arg) { Some(format!("[{}]", texts.join(", "))) } else { texts.into_iter().next() }
}

/// Formats a value as in the file, without quotes if it is a number.
fn literal(arg: &Arg, text: &str) -> String {
    let number = !is_text(arg)
        && (text.parse::<i64>().is_ok() || text.parse::<f64>().is_ok_and(f64::is_finite));
    if number {
        text.to_owned()
    } else {
        toml_edit::Value::from(text).to_string().trim().to_owned()
    }
}
