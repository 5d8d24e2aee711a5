//! Values from the environment and `pagekin.toml` for options that the command line does not set.

use std::any::TypeId;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::args::is_disabled;
use crate::args::renamed::option_tip;
use crate::output::eprint_line;
use crate::settings::file::{self, FileEntry, FileValue, Settings};
use crate::settings::sections::{
    self, SECTIONS, is_list, is_switch, is_text, key, negation, settable, variable,
};
use crate::settings::trust::Trust;

/// Variables that other programs of this project read.
const OTHER_VARIABLES: [&str; 3] = ["PAGEKIN_BINARY", "PAGEKIN_RELEASES", "PAGEKIN_DIR"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LayerSource {
    /// The variable with this name.
    Environment(String),
    /// The file with this path, and the line.
    File(PathBuf, usize),
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    key: String,
    source: LayerSource,
    /// The value as command-line arguments.
    arguments: Vec<OsString>,
}

/// The values that are added to a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layers(Vec<Layer>);

impl Layers {
    /// Finds the values for a command whose arguments were parsed as `given`. `lenient` is the
    /// command line without required arguments.
    pub(crate) fn find(
        lenient: &Command,
        section: &str,
        given: &ArgMatches,
    ) -> Result<Self, clap::Error> {
        let refuse = |why: String| lenient.clone().error(ErrorKind::InvalidValue, why);
        let command = lenient.find_subcommand(section).ok_or_else(|| refuse(String::new()))?;
        let settings = settings(given).map_err(|error| refuse(error.0))?;
        let mut entries: &[FileEntry] = &[];
        if let Some((settings, _)) = &settings {
            check_sections(lenient, settings).map_err(refuse)?;
            let own = settings.sections.iter().find(|(name, ..)| name == section);
            entries = own.map_or(&[], |(_, _, entries)| entries);
        }
        let mut layers = Vec::new();
        for arg in settable(command) {
            if is_on_command_line(command, arg, given) {
                continue;
            }
            let layer = match from_environment(section, arg).map_err(refuse)? {
                Some(layer) => Some(layer),
                None => match &settings {
                    Some((settings, trust)) => {
                        from_file(settings, *trust, entries, arg).map_err(refuse)?
                    }
                    None => None,
                },
            };
            let Some(layer) = layer else { continue };
            layer.check(lenient, section)?;
            layers.push(layer);
        }
        Ok(Self(layers))
    }

    /// Returns the values as command-line arguments.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().flat_map(|layer| layer.arguments.clone())
    }

    /// Returns the source of an option's value.
    pub(crate) fn source(&self, key: &str) -> Option<&LayerSource> {
        self.0.iter().find(|layer| layer.key == key).map(|layer| &layer.source)
    }
}

impl Layer {
    /// Checks that the option accepts the value.
    fn check(&self, lenient: &Command, section: &str) -> Result<(), clap::Error> {
        let name = lenient.get_name().to_owned();
        let line = [name.into(), section.into()].into_iter().chain(self.arguments.clone());
        lenient.clone().try_get_matches_from(line).map(drop).map_err(|error| {
            let why = error.to_string();
            let why = why.strip_prefix("error: ").unwrap_or(&why);
            let why = why.split("\n\nFor more").next().unwrap_or(why).trim_end();
            lenient.clone().error(ErrorKind::InvalidValue, format!("{}: {why}", self.source))
        })
    }
}

impl std::fmt::Display for LayerSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Environment(name) => f.write_str(name),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
        }
    }
}

/// Reads the named file, or the nearest one, and returns it with its trust.
fn settings(given: &ArgMatches) -> Result<Option<(Settings, Trust)>, file::Unreadable> {
    if given.get_flag("no_config") {
        return Ok(None);
    }
    let named = given.get_one::<PathBuf>("config").cloned().map(|path| (path, Trust::Named));
    let nearest = || {
        let path = file::nearest(&env::current_dir().ok()?)?;
        Some((path, Trust::Found))
    };
    let Some((path, trust)) = named.or_else(nearest) else { return Ok(None) };
    let settings = Settings::read(&path, trust.open(&path)?)?;
    Ok(Some((settings, trust)))
}

/// Returns whether the command line sets the option, its negation, or a conflicting option.
fn is_on_command_line(command: &Command, arg: &Arg, given: &ArgMatches) -> bool {
    let typed = |id: &str| {
        given.try_contains_id(id).is_ok()
            && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let typed_arg = |arg: &Arg| typed(arg.get_id().as_str());
    let negated = is_switch(arg) && typed(&negation(&key(arg)).replace('-', "_"));
    negated
        || typed_arg(arg)
        || command.get_arg_conflicts_with(arg).into_iter().any(typed_arg)
        || command.get_arguments().any(|other| {
            typed_arg(other)
                && command
                    .get_arg_conflicts_with(other)
                    .iter()
                    .any(|of| of.get_id() == arg.get_id())
        })
}

/// Reads the value of an option from the environment.
fn from_environment(section: &str, arg: &Arg) -> Result<Option<Layer>, String> {
    let key = key(arg);
    let name = variable(section, &key);
    let Some(value) = env::var_os(&name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let source = LayerSource::Environment(name.clone());
    let arguments = if is_switch(arg) {
        match value.to_str() {
            Some("1" | "true") => vec![format!("--{key}").into()],
            Some("0" | "false") => Vec::new(),
            _ => {
                let found = value.to_string_lossy();
                return Err(format!("{name}: expected 1, true, 0 or false, found {found:?}"));
            }
        }
    } else if is_list(arg) {
        let texts = value.to_string_lossy();
        texts.split(',').map(|text| argument(arg, text.trim().into())).collect()
    } else {
        vec![argument(arg, value)]
    };
    Ok(Some(Layer { key, source, arguments }))
}

/// Reads the value of an option from the file.
fn from_file(
    settings: &Settings,
    trust: Trust,
    entries: &[FileEntry],
    arg: &Arg,
) -> Result<Option<Layer>, String> {
    let key = key(arg);
    let negated = is_switch(arg).then(|| negation(&key));
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let (entry, as_is) = match (find(&key), negated.as_deref().and_then(find)) {
        (Some(entry), _) => (entry, true),
        (None, Some(entry)) => (entry, false),
        (None, None) => return Ok(None),
    };
    let source = LayerSource::File(settings.path.clone(), entry.line);
    let folder = settings.path.parent().unwrap_or(Path::new(""));
    let is_path = |text: &str| {
        arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() && !is_keyword(arg, text)
    };
    let placed = |text: &String| {
        argument(arg, if is_path(text) { folder.join(text).into() } else { text.into() })
    };
    let arguments = match &entry.found {
        FileValue::Switch(on) if is_switch(arg) => match on == &as_is {
            true => vec![format!("--{key}").into()],
            false => Vec::new(),
        },
        FileValue::One(text) if !is_switch(arg) => vec![placed(text)],
        FileValue::Number(number) if !is_switch(arg) && !is_text(arg) => vec![placed(number)],
        FileValue::List(texts) if is_list(arg) => texts.iter().map(placed).collect(),
        found => {
            let expected = match arg {
                arg if is_switch(arg) => "true or false",
                arg if is_list(arg) => "a list",
                arg if is_text(arg) => "a string",
                _ => "one value",
            };
            let found = match found {
                FileValue::Switch(on) => on.to_string(),
                FileValue::One(text) => format!("{text:?}"),
                FileValue::Number(number) => number.clone(),
                FileValue::List(_) => "a list".to_owned(),
            };
            return Err(format!("{source}: {}: expected {expected}, found {found}", entry.key));
        }
    };
    // A switch that is off needs no trust.
    let checked = if arguments.is_empty() { Ok(()) } else { trust.check_option(&key) };
    let texts = match &entry.found {
        FileValue::One(text) => std::slice::from_ref(text),
        FileValue::List(texts) => texts,
        FileValue::Switch(_) | FileValue::Number(_) => &[],
    };
    let mut paths = texts.iter().filter(|text| is_path(text));
    checked
        .and_then(|()| paths.try_for_each(|text| trust.check_path(&entry.key, folder, text)))
        .map_err(|why| format!("{source}: {why}"))?;
    Ok(Some(Layer { key, source, arguments }))
}

/// Returns whether a value is a keyword of the option instead of a path, such as `path` for
/// `path|FILE`.
fn is_keyword(arg: &Arg, value: &str) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    let alternatives = names.iter().flat_map(|name| name.split('|'));
    alternatives.filter(|name| name.contains(char::is_lowercase)).any(|name| name == value)
}

/// Formats a value as a command-line argument.
fn argument(arg: &Arg, value: OsString) -> OsString {
    if arg.is_positional() {
        return value;
    }
    let mut argument = OsString::from(format!("--{}=", key(arg)));
    argument.push(value);
    argument
}

/// Refuses unknown sections and keys, which would otherwise have no effect.
fn check_sections(lenient: &Command, settings: &Settings) -> Result<(), String> {
    let path = settings.path.display();
    for (name, line, entries) in &settings.sections {
        if is_disabled(name) && sections::has(name) {
            continue;
        }
        let command = lenient.find_subcommand(name).filter(|_| sections::has(name));
        let Some(command) = command else {
            let expected = SECTIONS.join("], [");
            return Err(format!(
                "{path}:{line}: unknown section [{name}]. The sections are [{expected}]"
            ));
        };
        let known: Vec<String> = settable(command).map(key).collect();
        let switches = settable(command).filter(|arg| is_switch(arg));
        let negations: Vec<String> = switches.map(|arg| negation(&key(arg))).collect();
        for FileEntry { key, line, .. } in entries {
            if !known.contains(key) && !negations.contains(key) {
                let expected = known.join(", ");
                let tip = option_tip(&format!("--{key}")).map(|tip| format!("; {tip}"));
                return Err(format!(
                    "{path}:{line}: unknown option {key:?} in [{name}]. The options are {expected}{}",
                    tip.unwrap_or_default()
                ));
            }
        }
    }
    Ok(())
}

/// Warns about unknown variables that start with `PAGEKIN_`.
pub(crate) fn warn_of_unknown_variables(lenient: &Command) {
    let known: Vec<String> = SECTIONS
        .iter()
        .filter_map(|section| Some((section, lenient.find_subcommand(section)?)))
        .flat_map(|(section, command)| {
            settable(command).map(|arg| variable(section, &key(arg))).collect::<Vec<_>>()
        })
        .collect();
    // The options of disabled commands are not known.
    let disabled: Vec<String> = SECTIONS
        .into_iter()
        .filter(|section| is_disabled(section))
        .map(|section| variable(section, ""))
        .collect();
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| name.starts_with("PAGEKIN_")) {
        let is_known = known.contains(&name) || OTHER_VARIABLES.contains(&name.as_str());
        if !is_known && !disabled.iter().any(|prefix| name.starts_with(prefix)) {
            eprint_line(&format!("warning: unknown environment variable {name}"));
        }
    }
}
