//! Commands and options that are missing from this build because their Cargo feature is disabled.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Each feature, whether it is enabled, and its commands.
const COMMANDS: [(&str, bool, &[&str]); 5] = [
    (
        "site",
        cfg!(feature = "site"),
        &[
            "build",
            "serve",
            "search",
            "similar",
            "related",
            "read",
            "duplicates",
            "redirects",
            "inspect",
        ],
    ),
    ("crawl", cfg!(feature = "crawl"), &["crawl"]),
    ("mcp", cfg!(feature = "mcp"), &["mcp"]),
    ("stage", cfg!(feature = "stage"), &["stage"]),
    ("research", cfg!(feature = "research"), &["evaluate"]),
];

/// Returns whether a command needs a feature that is disabled.
pub(crate) fn is_disabled(command: &str) -> bool {
    feature_of(command).is_some()
}

/// Returns the disabled feature that a command needs.
fn feature_of(command: &str) -> Option<&'static str> {
    let missing = COMMANDS.iter().filter(|(_, is_here, _)| !is_here);
    let mut missing = missing.filter(|(_, _, commands)| commands.contains(&command));
    missing.next().map(|&(feature, ..)| feature)
}

/// Names the disabled feature that provides an unknown command, option or value.
pub(super) fn explain(error: &mut clap::Error) {
    let found = |kind| match error.get(kind) {
        Some(ContextValue::String(found)) => found.as_str(),
        _ => "",
    };
    let (what, feature) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let command = found(ContextKind::InvalidSubcommand);
            let Some(feature) = feature_of(command) else { return };
            (format!("the command {command}"), feature)
        }
        ErrorKind::UnknownArgument
            if !cfg!(feature = "crawl") && found(ContextKind::InvalidArg).starts_with("--from") =>
        {
            ("--from".to_owned(), "crawl")
        }
        ErrorKind::InvalidValue
            if !cfg!(feature = "parquet") && found(ContextKind::InvalidValue) == "parquet" =>
        {
            ("the format parquet".to_owned(), "parquet")
        }
        _ => return,
    };
    let mut tip = format!(
        "this pagekin was built without {what}. Run `cargo install pagekin --features {feature}`"
    );
    if feature == "stage" {
        tip += ", or use the program in the pagekin-spark wheel";
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    // A similar spelling is not what was meant.
    error.remove(ContextKind::SuggestedSubcommand);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, explained};
    use clap::CommandFactory;

    #[test]
    fn every_command_of_a_feature_is_listed_with_it() {
        let command = Args::command();
        let here = |name: &&str| command.find_subcommand(name).is_some();
        for (feature, is_here, commands) in COMMANDS {
            let all = if is_here { commands.len() } else { 0 };
            assert_eq!(commands.iter().filter(|name| here(name)).count(), all, "{feature}");
        }
        let of_features: Vec<&str> =
            COMMANDS.iter().flat_map(|(_, _, names)| *names).copied().collect();
        for name in command.get_subcommands().map(clap::Command::get_name) {
            let is_ours = ["config", "completions", "man"].contains(&name);
            assert!(is_ours != of_features.contains(&name), "{name}");
        }
    }

    #[test]
    fn a_missing_command_is_reported_with_its_feature() {
        let message = |line: &[&str]| {
            let error = Args::command().try_get_matches_from(line).unwrap_err();
            explained(error).to_string()
        };
        for (feature, _, commands) in COMMANDS.iter().filter(|(_, is_here, _)| !is_here) {
            for name in *commands {
                let message = message(&["pagekin", name]);
                assert!(message.contains(&format!("--features {feature}")), "{message}");
            }
        }
        let unknown = message(&["pagekin", "clutser"]);
        assert!(!unknown.contains("--features"), "{unknown}");
    }
}
