//! The arguments: those of each command in a room of its own.

mod build;
mod cluster;
mod clusters;
mod completions;
mod config;
mod duplicates;
mod evaluate;
mod feedback;
mod inspect;
mod man;
mod moves;
mod pairs;
mod rank;
mod related;
mod running;
mod serve;
mod similar;
mod site;
mod stage;
mod stream;
mod values;

pub(crate) use build::{BuildArgs, NO_COMPONENTS, RelatedArg};
pub(crate) use cluster::ClusterArgs;
pub(crate) use clusters::{ClusterFormat, ClustersArgs};
pub(crate) use completions::CompletionsArgs;
pub(crate) use config::ConfigArgs;
pub(crate) use duplicates::{DuplicatesArgs, DuplicatesFormat, GateArgs};
pub(crate) use evaluate::{EvaluateArgs, EvaluateFormat};
pub(crate) use feedback::FeedbackArgs;
pub(crate) use inspect::InspectArgs;
pub(crate) use man::ManArgs;
pub(crate) use moves::{MovesArgs, MovesFormat};
pub(crate) use pairs::{PairsArgs, PairsFormat};
pub(crate) use rank::{RankArgs, RankFormat, ResetArgs};
pub(crate) use related::RelatedArgs;
pub(crate) use serve::{PreviewArgs, ServeArgs};
pub(crate) use similar::SimilarArgs;
pub(crate) use stage::StageArgs;
pub(crate) use stream::StreamArgs;

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
    /// Index a site: write a folder that any static host can serve
    Build(BuildArgs),
    /// Preview an index in a browser (local only)
    Serve(ServeArgs),
    /// Find the pages that contain or resemble a text, or resemble a page of the site
    Similar(SimilarArgs),
    /// Describe an index, and verify it
    Inspect(InspectArgs),
    /// Cluster a crawl: find all pairs of similar URLs and group them
    Cluster(ClusterArgs),
    /// List the URLs related to a URL of a clustered crawl
    Related(RelatedArgs),
    /// List the clusters of a clustered crawl
    Clusters(ClustersArgs),
    /// Write all pairs of similar URLs of a clustered crawl
    Pairs(PairsArgs),
    /// Learn from judgements of pairs of a clustered crawl: threshold and weights of terms
    Feedback(FeedbackArgs),
    /// Rank the URLs of a crawl or the pages of a site by their links: PageRank
    Rank(RankArgs),
    /// Report pages that repeat an earlier one, as they are published
    Stream(StreamArgs),
    /// Run a stage of `cluster` on rows: for Spark and the like
    Stage(StageArgs),
    /// Find near-duplicate pages of a site, of several sites, or of an index
    Duplicates(DuplicatesArgs),
    /// Find where the pages of an earlier version of a site went, and write redirects
    Moves(MovesArgs),
    /// Evaluate measures of similarity on a site: do they agree with its folders and links?
    Evaluate(EvaluateArgs),
    /// Print the options that pagekin.toml and the environment set, as a pagekin.toml
    Config(ConfigArgs),
    /// Print the completions of this command line for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder: for whoever makes packages
    #[command(hide = true)]
    Man(ManArgs),
}

/// A usage error that says what to do, if clap does not know.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    let from_crawl = |of: &ContextValue| of.to_string().starts_with("--from");
    if error.kind() == ErrorKind::ArgumentConflict
        && error.get(ContextKind::InvalidArg).is_some_and(from_crawl)
    {
        let tip = "these options belong to `pagekin cluster`; omit them here, or cluster the crawl \
                   again with them";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
