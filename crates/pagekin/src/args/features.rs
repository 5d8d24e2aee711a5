//! What this build has not: commands and options of features that it was built without.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands of each feature, and whether this build has it.
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

/// Whether a command is one of another build.
pub(crate) fn is_elsewhere(command: &str) -> bool {
    feature_of(command).is_some()
}

/// The feature that a command needs, if this build has it not.
fn feature_of(command: &str) -> Option<&'static str> {
    let missing = COMMANDS.iter().filter(|(_, is_here, _)| !is_here);
    let mut missing = missing.filter(|(_, _, commands)| commands.contains(&command));
    missing.next().map(|&(feature, ..)| feature)
}

/// Says of which feature a command, an option or a value is that this build does not know.
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
        "this pagekin was built without {what}: `cargo install pagekin --features {feature}` has it"
    );
    if feature == "stage" {
        tip += ", and the program in the wheel of pagekin-spark";
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    // What is spelled alike is not what was meant.
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
    fn what_this_build_has_not_is_named_with_its_feature() {
        let told = |line: &[&str]| {
            let error = Args::command().try_get_matches_from(line).unwrap_err();
            explained(error).to_string()
        };
        for (feature, _, commands) in COMMANDS.iter().filter(|(_, is_here, _)| !is_here) {
            for name in *commands {
                let told = told(&["pagekin", name]);
                assert!(told.contains(&format!("--features {feature}")), "{told}");
            }
        }
        let unknown = told(&["pagekin", "clutser"]);
        assert!(!unknown.contains("--features"), "{unknown}");
    }
}
