//! `cargo xtask bench`: the costs and the quality of builds and queries, compared with other
//! programs.

mod build;
mod measurements;
mod page;
mod peers;
mod published;
mod query;
mod spark;
mod words;

use anyhow::Result;

use crate::repo::Repo;
use crate::site::Site;

#[derive(clap::Args)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    /// Without one: all except `main-text`, `peers` and `words`, on the site of the demo
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Index sites with pagekin and with Pagefind, and compare time, memory and output
    Build(build::Arguments),
    /// Query pagekin and Pagefind in a browser, and compare the transferred bytes
    Query(query::Arguments),
    /// Change pages of sites, and measure the files that each incremental build publishes
    Changes(measurements::Arguments),
    /// Cluster made-up reads of DNA of known strands, and compare with other programs
    Dna(measurements::Arguments),
    /// Find near-duplicates with several algorithms, and compare them with the truth
    Duplicates(measurements::Arguments),
    /// Read the pages of the article extraction benchmark, and compare their main text with the
    /// truth and with the text of other programs
    MainText(measurements::Arguments),
    /// Send the requests of lookups to mirrors, spread in several ways, and compare the busiest
    /// with the mean
    Mirrors(measurements::Arguments),
    /// Index pages that make a build slow, and compare with a page of ordinary words
    Page(page::Arguments),
    /// Paste passages of sites and questions about them, and compare the ranks of their pages with
    /// BM25 over the whole text
    Paste(measurements::Arguments),
    /// Find similar pairs of token sets with pagekin and other libraries, and compare time, memory,
    /// recall and precision
    Peers(peers::Arguments),
    /// Measure the numbers in the documents again, and fail if they differ: before a release
    Published(published::Arguments),
    /// Rank the URLs of a generated crawl by its links, and compare with other libraries
    Rank(measurements::Arguments),
    /// Query a clustered crawl for pages similar to its URLs and to texts, and compare with a scan
    /// of all signatures
    Related(measurements::Arguments),
    /// Look up pages in an index of sites or generated pages, and compare with brute force
    Retrieval(measurements::Arguments),
    /// Cluster generated crawls on one machine and on two workers of Spark, and compare time,
    /// memory and shuffled bytes
    Spark(spark::Arguments),
    /// Join streams of pages with themselves incrementally, from scratch and by brute force, and
    /// compare pages per second and pairs
    Stream(measurements::Arguments),
    /// Cluster generated crawls, stage by stage, and compare with the paper's table
    Table1(measurements::Arguments),
    /// Query pagekin and Pagefind with words that people type, and compare the results and the
    /// transferred bytes
    Words(words::Arguments),
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let (bench, arguments) = match &arguments.command {
        None => return run_all(repo),
        Some(Command::Build(arguments)) => return build::run(repo, arguments),
        Some(Command::Query(arguments)) => return query::run(repo, arguments),
        Some(Command::Page(arguments)) => return page::run(repo, arguments),
        Some(Command::Peers(arguments)) => return peers::run(repo, arguments),
        Some(Command::Published(arguments)) => return published::run(repo, arguments),
        Some(Command::Spark(arguments)) => return spark::run(repo, arguments),
        Some(Command::Words(arguments)) => return words::run(repo, arguments),
        Some(Command::Changes(arguments)) => ("changes", arguments),
        Some(Command::Dna(arguments)) => ("dna", arguments),
        Some(Command::Duplicates(arguments)) => ("duplicates", arguments),
        Some(Command::MainText(arguments)) => ("main_text", arguments),
        Some(Command::Mirrors(arguments)) => ("mirrors", arguments),
        Some(Command::Paste(arguments)) => ("paste", arguments),
        Some(Command::Rank(arguments)) => ("rank", arguments),
        Some(Command::Related(arguments)) => ("related", arguments),
        Some(Command::Retrieval(arguments)) => ("retrieval", arguments),
        Some(Command::Stream(arguments)) => ("stream", arguments),
        Some(Command::Table1(arguments)) => ("table1", arguments),
    };
    measurements::run(repo, bench, &arguments.given)
}

fn run_all(repo: &Repo) -> Result<()> {
    let site = Site::local_rust_docs(repo)?;
    build::run(repo, &build::Arguments::new(&site))?;
    query::run(repo, &query::Arguments::new(&site))?;
    measurements::run(repo, "retrieval", &["--client".as_ref(), site.folder.as_os_str()])?;
    for bench in ["related", "paste", "mirrors", "changes", "duplicates"] {
        measurements::run(repo, bench, &[&site.folder])?;
    }
    page::run(repo, &page::Arguments::default())?;
    spark::run(repo, &spark::Arguments::new(1_000_000))?;
    for (bench, given) in [
        ("stream", &["--pages", "100000"][..]),
        ("rank", &["--urls", "1000000"]),
        ("dna", &["--reads", "1000000", "--error-rates", "0.05", "--coverages", "10"]),
        ("table1", &["--urls", "1000000"]),
    ] {
        measurements::run(repo, bench, given)?;
    }
    Ok(())
}
