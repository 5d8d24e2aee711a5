//! The arguments of `pagekin crawl`.

pub(crate) mod cluster;
mod clusters;
mod feedback;
mod pairs;
mod rank;
mod related;
mod stream;
pub(crate) mod values;

pub(crate) use cluster::ClusterArgs;
pub(crate) use clusters::{ClusterFormat, ClustersArgs};
pub(crate) use feedback::FeedbackArgs;
pub(crate) use pairs::{PairsArgs, PairsFormat};
pub(crate) use rank::{RankArgs, RankFormat};
pub(crate) use related::RelatedArgs;
pub(crate) use stream::StreamArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct CrawlArgs {
    #[command(subcommand)]
    pub(crate) command: CrawlCommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum CrawlCommand {
    /// Find all pairs of similar URLs and group the URLs into clusters
    Cluster(ClusterArgs),
    /// Find the URLs that are similar to a URL of the crawl or to a text
    Related(RelatedArgs),
    /// List the clusters
    Clusters(ClustersArgs),
    /// Write all pairs of similar URLs
    Pairs(PairsArgs),
    /// Learn the threshold and the weights of terms from pairs that people judged
    Feedback(FeedbackArgs),
    /// Rank the URLs of a crawl or the pages of a site by their links (PageRank)
    Rank(RankArgs),
    /// Report pages that repeat an earlier page, while they are published
    Stream(StreamArgs),
}
