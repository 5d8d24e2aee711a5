//! The command-line arguments, with one module for each command.

mod completions;
mod config;
#[cfg(feature = "crawl")]
pub(crate) mod crawl;
#[cfg(feature = "research")]
mod evaluate;
mod features;
mod files;
mod groups;
mod man;
pub(crate) mod renamed;
pub(crate) mod running;
#[cfg(feature = "site")]
pub(crate) mod site;
#[cfg(feature = "stage")]
mod stage;
mod text;
mod values;

pub(crate) use completions::CompletionsArgs;
pub(crate) use config::ConfigArgs;
#[cfg(feature = "research")]
pub(crate) use evaluate::{EvaluateArgs, EvaluateFormat};
pub(crate) use features::is_disabled;
pub(crate) use groups::grouped;
pub(crate) use man::ManArgs;
#[cfg(feature = "stage")]
pub(crate) use stage::{StageArgs, StageCommand, defaults as stage_defaults};
pub(crate) use text::TextArgs;

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use running::EXIT_CODES;

/// Finds the pages of a static web site that contain or resemble a text or another page.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Read options from this file instead of the nearest pagekin.toml, in the current folder or
    /// above it
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no options from pagekin.toml
    #[arg(long, global = true)]
    no_config: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the index of a site: a folder that any static host can serve
    #[cfg(feature = "site")]
    Build(site::BuildArgs),
    /// Preview an index in a browser on this machine
    #[cfg(feature = "site")]
    Serve(site::ServeArgs),
    /// Search the pages of a site for words, as its search box does
    #[cfg(feature = "site")]
    Search(site::SearchArgs),
    /// Find the pages that contain or resemble a text, or resemble a page of the site
    #[cfg(feature = "site")]
    Similar(site::SimilarArgs),
    /// Print the related pages that an index stores for a page
    #[cfg(feature = "site")]
    Related(site::RelatedArgs),
    /// Print what pagekin reads from HTML files: main text, other text, and what it omits
    #[cfg(feature = "site")]
    Read(site::ReadArgs),
    /// Find near-duplicate pages of a site, of several sites, or of an index
    #[cfg(feature = "site")]
    Duplicates(site::DuplicatesArgs),
    /// Find where the pages of an earlier version of a site went, and write redirects
    #[cfg(feature = "site")]
    Redirects(site::RedirectsArgs),
    /// Describe an index, and verify it
    #[cfg(feature = "site")]
    Inspect(site::InspectArgs),
    /// Offer a site to AI agents, through the Model Context Protocol on standard input and output
    #[cfg(feature = "mcp")]
    Mcp(site::McpArgs),
    /// Cluster, rank and follow the pages of a crawl
    #[cfg(feature = "crawl")]
    Crawl(crawl::CrawlArgs),
    /// Run one stage of `crawl cluster` on rows, for engines such as Spark
    #[cfg(feature = "stage")]
    #[command(hide = true)]
    Stage(StageArgs),
    /// Evaluate measures of similarity on a site by its folders and links
    #[cfg(feature = "research")]
    Evaluate(EvaluateArgs),
    /// Print the options that pagekin.toml and the environment set, as a pagekin.toml
    Config(ConfigArgs),
    /// Print the completions of this command line for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder, for packages
    #[command(hide = true)]
    Man(ManArgs),
}

/// Adds a remedy to a usage error where clap has none.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    renamed::explain(&mut error);
    features::explain(&mut error);
    let from_crawl = |of: &ContextValue| of.to_string().starts_with("--from");
    if error.kind() == ErrorKind::ArgumentConflict
        && error.get(ContextKind::InvalidArg).is_some_and(from_crawl)
    {
        let tip = "these options belong to `pagekin crawl cluster`; omit them here, or cluster the crawl \
                   again with them";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
