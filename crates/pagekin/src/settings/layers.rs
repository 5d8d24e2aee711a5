//! What was not given on the command line, from the environment and `pagekin.toml`.

use std::any::TypeId;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::args::is_elsewhere;
use crate::args::renamed::option_tip;
use crate::output::say;
use crate::settings::file::{self, FileEntry, Found, Settings};
use crate::settings::sections::{
    self, SECTIONS, is_list, is_switch, is_text, key, negation, settable, variable,
};
use crate::settings::trust::Trust;

/// Variables that other programs of this project read.
const OTHER_VARIABLES: [&str; 3] = ["PAGEKIN_BINARY", "PAGEKIN_RELEASES", "PAGEKIN_DIR"];

/// Where a value is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LayerSource {
    /// The variable of this name.
    Environment(String),
    /// The file at this path, in this line.
    File(PathBuf, usize),
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    key: String,
    source: LayerSource,
    /// As on a command line.
    arguments: Vec<OsString>,
}

/// What a command line is completed by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layers(Vec<Layer>);

impl Layers {
    /// Finds them for a command whose arguments were parsed as `given`; `lenient` requires none.
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
            if is_typed(command, arg, given) {
                continue;
            }
            let layer = match of_environment(section, arg).map_err(refuse)? {
                Some(layer) => Some(layer),
                None => match &settings {
                    Some((settings, trust)) => {
                        of_file(settings, *trust, entries, arg).map_err(refuse)?
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

    /// As arguments of a command.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().flat_map(|layer| layer.arguments.clone())
    }

    /// Where the value of an option is from, if it is from here.
    pub(crate) fn source(&self, key: &str) -> Option<&LayerSource> {
        self.0.iter().find(|layer| layer.key == key).map(|layer| &layer.source)
    }
}

impl Layer {
    /// Whether the value is one that the option can have.
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

/// The file that is named, or the nearest one, and how far it is obeyed.
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

/// Whether the command line has the option, its counterpart, or one that it cannot stand beside.
fn is_typed(command: &Command, arg: &Arg, given: &ArgMatches) -> bool {
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

/// Of the environment.
fn of_environment(section: &str, arg: &Arg) -> Result<Option<Layer>, String> {
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

/// Of the file.
fn of_file(
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
        arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() && !is_word(arg, text)
    };
    let placed = |text: &String| {
        argument(arg, if is_path(text) { folder.join(text).into() } else { text.into() })
    };
    let arguments = match &entry.found {
        Found::Switch(on) if is_switch(arg) => match on == &as_is {
            true => vec![format!("--{key}").into()],
            false => Vec::new(),
        },
        Found::One(text) if !is_switch(arg) => vec![placed(text)],
        Found::Number(number) if !is_switch(arg) && !is_text(arg) => vec![placed(number)],
        Found::List(texts) if is_list(arg) => texts.iter().map(placed).collect(),
        found => {
            let expected = match arg {
                arg if is_switch(arg) => "true or false",
                arg if is_list(arg) => "a list",
                arg if is_text(arg) => "a text",
                _ => "one value",
            };
            let found = match found {
                Found::Switch(on) => on.to_string(),
                Found::One(text) => format!("{text:?}"),
                Found::Number(number) => number.clone(),
                Found::List(_) => "a list".to_owned(),
            };
            return Err(format!("{source}: {}: expected {expected}, found {found}", entry.key));
        }
    };
    // A switch that stays off asks for nothing.
    let checked = if arguments.is_empty() { Ok(()) } else { trust.check_option(&key) };
    let texts = match &entry.found {
        Found::One(text) => std::slice::from_ref(text),
        Found::List(texts) => texts,
        Found::Switch(_) | Found::Number(_) => &[],
    };
    let mut paths = texts.iter().filter(|text| is_path(text));
    checked
        .and_then(|()| paths.try_for_each(|text| trust.check_path(&entry.key, folder, text)))
        .map_err(|why| format!("{source}: {why}"))?;
    Ok(Some(Layer { key, source, arguments }))
}

/// Whether a value is no path but one of the words that the option has beside: of `path|FILE`,
/// `path`.
fn is_word(arg: &Arg, value: &str) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    let alternatives = names.iter().flat_map(|name| name.split('|'));
    alternatives.filter(|name| name.contains(char::is_lowercase)).any(|name| name == value)
}

/// A value as it is written on a command line.
fn argument(arg: &Arg, value: OsString) -> OsString {
    if arg.is_positional() {
        return value;
    }
    let mut argument = OsString::from(format!("--{}=", key(arg)));
    argument.push(value);
    argument
}

/// Refuses names of sections and keys that mean nothing: they would be thought to do something.
fn check_sections(lenient: &Command, settings: &Settings) -> Result<(), String> {
    let path = settings.path.display();
    for (name, line, entries) in &settings.sections {
        if is_elsewhere(name) && sections::has(name) {
            continue;
        }
        let command = lenient.find_subcommand(name).filter(|_| sections::has(name));
        let Some(command) = command else {
            let expected = SECTIONS.join("], [");
            return Err(format!("{path}:{line}: no section [{name}]: expected [{expected}]"));
        };
        let known: Vec<String> = settable(command).map(key).collect();
        let switches = settable(command).filter(|arg| is_switch(arg));
        let negations: Vec<String> = switches.map(|arg| negation(&key(arg))).collect();
        for FileEntry { key, line, .. } in entries {
            if !known.contains(key) && !negations.contains(key) {
                let expected = known.join(", ");
                let tip = option_tip(&format!("--{key}")).map(|tip| format!("; {tip}"));
                return Err(format!(
                    "{path}:{line}: [{name}] has no option {key:?}: expected one of {expected}{}",
                    tip.unwrap_or_default()
                ));
            }
        }
    }
    Ok(())
}

/// Warns of variables that are named as if they set an option.
pub(crate) fn warn_of_unknown_variables(lenient: &Command) {
    let known: Vec<String> = SECTIONS
        .iter()
        .filter_map(|section| Some((section, lenient.find_subcommand(section)?)))
        .flat_map(|(section, command)| {
            settable(command).map(|arg| variable(section, &key(arg))).collect::<Vec<_>>()
        })
        .collect();
    // Of a command that this build has not, its options are not known.
    let elsewhere: Vec<String> = SECTIONS
        .into_iter()
        .filter(|section| is_elsewhere(section))
        .map(|section| variable(section, ""))
        .collect();
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| name.starts_with("PAGEKIN_")) {
        let is_known = known.contains(&name) || OTHER_VARIABLES.contains(&name.as_str());
        if !is_known && !elsewhere.iter().any(|prefix| name.starts_with(prefix)) {
            say(&format!("warning: the variable {name} sets no option of pagekin"));
        }
    }
}
