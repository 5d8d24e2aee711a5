//! The arguments of the commands of whoever has a crawl.

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
pub(crate) use rank::{RankArgs, RankFormat, ResetArgs};
pub(crate) use related::RelatedArgs;
pub(crate) use stream::StreamArgs;
