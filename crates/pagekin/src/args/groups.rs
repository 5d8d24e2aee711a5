//! Groups the commands in the help. clap has headings for options only.

use std::fmt::Write as _;

use clap::Command;

/// Headings with their commands, in the order of the help. `help` is clap's own command.
const GROUPS: [(&str, &[&str]); 3] = [
    (
        "Commands for a site",
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
            "mcp",
        ],
    ),
    ("Commands for a crawl and for research", &["crawl", "evaluate"]),
    ("This program", &["config", "completions", "help"]),
];

/// The help text of clap's own command.
const OF_HELP: &str = "Print this message or the help of a command";

/// Returns the command line with a help template that lists the commands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}:\n{{options}}{{after-help}}",
        listed(&command),
        heading(&command, "Options"),
    );
    without_global_options(command.help_template(template))
}

/// Hides the global options in the help of subcommands.
fn without_global_options(command: Command) -> Command {
    let global: Vec<_> = command.get_arguments().filter(|arg| arg.is_global_set()).collect();
    let hidden: Vec<_> = global.into_iter().map(|arg| arg.clone().hide(true)).collect();
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |sub| sub.args(&hidden)))
}

/// Lists the commands of this build in their groups.
fn listed(command: &Command) -> String {
    let about = |name: &str| match name {
        "help" => Some(OF_HELP.to_owned()),
        _ => command.find_subcommand(name)?.get_about().map(ToString::to_string),
    };
    let all = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = all.map(|name| name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, commands) in GROUPS {
        let here: Vec<_> = commands.iter().filter_map(|name| Some((name, about(name)?))).collect();
        if here.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}:", heading(command, name));
        let literal = command.get_styles().get_literal();
        for (name, about) in here {
            let _ = writeln!(out, "  {literal}{name:width$}{literal:#}  {about}");
        }
        out.push('\n');
    }
    out
}

fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn each_command_is_in_one_group_and_in_the_help() {
        let mut command = grouped(Args::command());
        let help = command.render_help().to_string();
        let seen = command.get_subcommands().filter(|command| !command.is_hide_set());
        for name in seen.map(Command::get_name) {
            let of = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(of, 1, "{name}");
            let line = |line: &&str| line.split_whitespace().next() == Some(name);
            assert_eq!(help.lines().filter(line).count(), 1, "{name}: {help}");
        }
        assert!(help.contains("\nOptions:\n"), "{help}");
        assert!(help.contains("\nThis program:\n"), "{help}");
    }
}
