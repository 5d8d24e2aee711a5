//! `pagekin crawl`.

mod cluster;
mod clusters;
mod feedback;
#[cfg(feature = "site")]
pub(crate) mod inspect;
mod nouns;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod rank;
mod related;
mod rows;
mod stream;

use crate::args::crawl::{CrawlArgs, CrawlCommand};
use crate::failure::Failure;

pub(crate) fn run(args: CrawlArgs) -> Result<(), Failure> {
    match args.command {
        CrawlCommand::Cluster(args) => cluster::run(args),
        CrawlCommand::Related(args) => related::run(&args),
        CrawlCommand::Clusters(args) => clusters::run(&args),
        CrawlCommand::Pairs(args) => pairs::run(&args),
        CrawlCommand::Feedback(args) => feedback::run(&args),
        CrawlCommand::Rank(args) => rank::run(&args),
        CrawlCommand::Stream(args) => stream::run(&args),
    }
}
