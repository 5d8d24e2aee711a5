//! Earlier names of commands and options, and what replaces them.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Earlier names of commands, with the current ones.
const COMMANDS: [(&str, &str); 7] = [
    ("cluster", "crawl cluster"),
    ("clusters", "crawl clusters"),
    ("feedback", "crawl feedback"),
    ("moves", "redirects"),
    ("pairs", "crawl pairs"),
    ("rank", "crawl rank"),
    ("stream", "crawl stream"),
];

/// Earlier names of options, with their replacements. The replacement of a removed option is empty.
const OPTIONS: [(&str, &str); 32] = [
    ("--algorithm", ""),
    ("--demo", "`--pages demo`"),
    ("--follow-links", "`--follow-symlinks` of `pagekin serve`"),
    ("--host", "`pagekin serve`"),
    ("--json", "`--format json`"),
    ("--keep-title-suffix", "`--keep-repeated`"),
    ("--lab", "`--pages lab`"),
    ("--late", "`--allowed-lateness`"),
    ("--max-df", ""),
    ("--max-files", "`--layout packs`"),
    ("--max-iterations", ""),
    ("--max-page-bytes", ""),
    ("--min", "`--threshold`"),
    ("--min-df", ""),
    ("--min-in-links", ""),
    ("--no-sketches", ""),
    ("--offline", "`--pages offline`"),
    ("--own", ""),
    ("--port", "`pagekin serve`"),
    ("--related", "`--related-json`"),
    ("--related-vectors", "`--embeddings`"),
    ("--reset-cluster", "`--reset FILE.csv`"),
    ("--reset-csv", "`--reset FILE.csv`"),
    ("--reset-folder", "`--reset FILE.csv`"),
    ("--reset-url", "`--reset FILE.csv`"),
    ("--same-url", ""),
    ("--seed", ""),
    ("--skip-unreadable", "`--exclude GLOB`"),
    ("--tolerance", ""),
    ("--tree", "`--pages browse`"),
    ("--url", "`pagekin related OUT URL`, or `pagekin crawl related` for a crawl"),
    ("-m", "`--threshold`"),
];

/// Describes the replacement of an earlier option, given as `--name`.
pub(crate) fn option_tip(name: &str) -> Option<String> {
    let (_, new) = OPTIONS.iter().find(|(old, _)| *old == name)?;
    Some(match *new {
        "" => format!("{name} was removed; the default always applies"),
        new => format!("{name} was replaced by {new}"),
    })
}

/// Adds a tip that names the replacement of an earlier command or option.
pub(super) fn explain(error: &mut clap::Error) {
    let unknown = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => name.as_str(),
        _ => "",
    };
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = unknown(ContextKind::InvalidSubcommand);
            let renamed = COMMANDS.iter().find(|(old, _)| *old == name);
            renamed.map(|(old, new)| format!("`pagekin {old}` is now `pagekin {new}`"))
        }
        ErrorKind::UnknownArgument => option_tip(unknown(ContextKind::InvalidArg)),
        _ => None,
    };
    let Some(tip) = tip else { return };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    // A similar spelling is not what was meant.
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::SuggestedArg);
}

#[cfg(all(feature = "site", feature = "crawl"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, explained};
    use clap::CommandFactory;

    fn message(line: &[&str]) -> String {
        let line = [&["pagekin"], line].concat();
        explained(Args::command().try_get_matches_from(line).unwrap_err()).to_string()
    }

    #[test]
    fn an_earlier_command_names_its_replacement() {
        for (old, new) in COMMANDS {
            let message = message(&[old, "x"]);
            assert!(message.contains(&format!("is now `pagekin {new}`")), "{message}");
            let mut path = new.split(' ');
            let command = path
                .try_fold(Args::command(), |command, name| command.find_subcommand(name).cloned());
            assert!(command.is_some(), "{new}");
        }
        assert!(!message(&["clutser"]).contains("is now"));
    }

    #[test]
    fn an_earlier_option_names_its_replacement() {
        for (line, expected) in [
            (&["build", "x", "--demo"][..], "replaced by `--pages demo`"),
            (&["build", "x", "--related", "json"], "replaced by `--related-json`"),
            (&["build", "x", "--seed=3"], "--seed was removed"),
            (&["build", "x", "--max-files", "500"], "replaced by `--layout packs`"),
            (&["build", "x", "--max-page-bytes=1M"], "--max-page-bytes was removed"),
            (&["build", "x", "--skip-unreadable"], "replaced by `--exclude GLOB`"),
            (&["duplicates", "x", "--json"], "replaced by `--format json`"),
            (&["similar", "x", "word", "--min", "0.1"], "replaced by `--threshold`"),
            (&["similar", "x", "word", "-m", "0.1"], "replaced by `--threshold`"),
            (&["related", "x", "--url", "/"], "`pagekin crawl related`"),
            (&["crawl", "rank", "x", "--reset-url", "/"], "`--reset FILE.csv`"),
            (&["crawl", "stream", "--late", "1d"], "`--allowed-lateness`"),
        ] {
            let message = message(line);
            assert!(message.contains(expected), "{line:?}: {message}");
        }
        assert!(!message(&["build", "x", "--blue"]).contains("replaced"));
    }

    /// Otherwise the tip would name an option that does not exist.
    #[test]
    fn replacements_exist() {
        fn options(command: &clap::Command, all: &mut Vec<String>) {
            all.extend(command.get_arguments().filter_map(clap::Arg::get_long).map(str::to_owned));
            command.get_subcommands().for_each(|command| options(command, all));
        }
        let mut all = Vec::new();
        options(&Args::command(), &mut all);
        for (_, new) in OPTIONS {
            let named = new.split(['`', ' ']).filter_map(|word| word.strip_prefix("--"));
            named.for_each(|name| assert!(all.iter().any(|one| one == name), "{name}"));
        }
    }
}
