//! `cargo xtask bench`: what building and asking cost, beside other programs where there are any.

mod build;
mod cancel;
mod changes;
mod dna;
mod duplicates;
mod mirrors;
mod page;
mod paste;
mod peers;
mod query;
mod rank;
mod retrieval;
mod signatures;
mod sketches;
mod spark;
mod strategies;
mod stream;
mod table1;

use std::path::PathBuf;
use std::process;

use anyhow::Result;

use crate::repo::Repo;
use crate::site::Site;

#[derive(clap::Args)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    /// Without one: all except `peers`, on the site of the demo
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Index sites with pagekin and with Pagefind, and compare time, memory and output
    Build(build::Arguments),
    /// Interrupt build, cluster and duplicates, and measure how long they take to exit
    Cancel(cancel::Arguments),
    /// Query pagekin and Pagefind in a browser, and compare what is transferred
    Query(query::Arguments),
    /// Change pages of sites, and measure what each incremental build has to publish
    Changes(changes::Arguments),
    /// Cluster made-up reads of DNA of known strands, and compare with other programs
    Dna(dna::Arguments),
    /// Find near-duplicates with the paper's algorithms and ours, and compare them with the truth
    Duplicates(duplicates::Arguments),
    /// Send the requests of lookups to mirrors, spread in several ways, and compare the busiest
    /// with the mean
    Mirrors(mirrors::Arguments),
    /// Index pages that are made to cost much, and compare with a page of ordinary words
    Page(page::Arguments),
    /// Paste passages of sites and questions about them, and compare the ranks of their pages with
    /// those of BM25 over the whole text
    Paste(paste::Arguments),
    /// Find similar pairs of token sets with pagekin and other libraries, and compare time, memory,
    /// recall and precision
    Peers(peers::Arguments),
    /// Rank the URLs of a generated crawl by its links, and compare with other libraries
    Rank(rank::Arguments),
    /// Look up pages in an index of sites or generated pages, and compare with brute force
    Retrieval(retrieval::Arguments),
    /// Sign bags with each instruction set, and compare with the processor's limit
    Signatures(signatures::Arguments),
    /// Sketch bags of weights in each way, and compare errors, time and what `cluster` finds by
    /// them
    Sketches(sketches::Arguments),
    /// Cluster generated crawls on one machine and on two workers of Spark, and compare time,
    /// memory and what is shuffled
    Spark(spark::Arguments),
    /// Find the pages like a text by lists, by LSH tables and by all signatures, and compare with
    /// brute force
    Strategies(strategies::Arguments),
    /// Join streams of pages with themselves as they come, in batches, anew and by brute force, and
    /// compare pages a second and what is found
    Stream(stream::Arguments),
    /// Cluster generated crawls, stage by stage, and compare with the paper's table
    Table1(table1::Arguments),
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Some(Command::Build(arguments)) => build::run(repo, arguments),
        Some(Command::Cancel(arguments)) => cancel::run(repo, arguments),
        Some(Command::Query(arguments)) => query::run(repo, arguments),
        Some(Command::Changes(arguments)) => changes::run(repo, arguments),
        Some(Command::Dna(arguments)) => dna::run(repo, arguments),
        Some(Command::Duplicates(arguments)) => duplicates::run(repo, arguments),
        Some(Command::Mirrors(arguments)) => mirrors::run(repo, arguments),
        Some(Command::Page(arguments)) => page::run(repo, arguments),
        Some(Command::Paste(arguments)) => paste::run(repo, arguments),
        Some(Command::Peers(arguments)) => peers::run(repo, arguments),
        Some(Command::Rank(arguments)) => rank::run(repo, arguments),
        Some(Command::Retrieval(arguments)) => retrieval::run(repo, arguments),
        Some(Command::Signatures(arguments)) => signatures::run(repo, arguments),
        Some(Command::Sketches(arguments)) => sketches::run(repo, arguments),
        Some(Command::Spark(arguments)) => spark::run(repo, arguments),
        Some(Command::Strategies(arguments)) => strategies::run(repo, arguments),
        Some(Command::Stream(arguments)) => stream::run(repo, arguments),
        Some(Command::Table1(arguments)) => table1::run(repo, arguments),
        None => {
            let site = Site::of_this_machine(repo)?;
            build::run(repo, &build::Arguments::of(&site))?;
            query::run(repo, &query::Arguments::of(&site))?;
            retrieval::run(repo, &retrieval::Arguments::of(&site))?;
            strategies::run(repo, &strategies::Arguments::of(&site))?;
            paste::run(repo, &paste::Arguments::of(&site))?;
            mirrors::run(repo, &mirrors::Arguments::of(&site))?;
            changes::run(repo, &changes::Arguments::of(&site))?;
            duplicates::run(repo, &duplicates::Arguments::of(&site))?;
            page::run(repo, &page::Arguments::default())?;
            cancel::run(repo, &cancel::Arguments::of(&site))?;
            signatures::run(repo, &signatures::Arguments::default())?;
            sketches::run(repo, &sketches::Arguments::of(&site))?;
            stream::run(repo, &stream::Arguments::of(100_000))?;
            rank::run(repo, &rank::Arguments::of(1_000_000))?;
            dna::run(repo, &dna::Arguments::of(1_000_000))?;
            spark::run(repo, &spark::Arguments::of(1_000_000))?;
            table1::run(repo, &table1::Arguments::of(1_000_000))
        }
    }
}

/// What a bench of `tests/` runs on.
#[derive(clap::Args)]
struct Pages {
    /// The folders of HTML pages
    #[arg(
        required_unless_present = "generated",
        conflicts_with = "generated",
        value_name = "SITE_DIR"
    )]
    sites: Vec<PathBuf>,
    /// Take N generated pages instead, some of them planted to be kin
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    generated: Option<u64>,
}

impl Pages {
    fn of(site: &Site) -> Self {
        Self { sites: vec![site.folder.clone()], generated: None }
    }
}

/// The command that runs a bench of `tests/`, whose arguments may follow.
fn bench_of_tests(repo: &Repo, bench: &str) -> process::Command {
    let mut command = repo.cargo(&["bench", "--quiet", "--package", "pagekin-tests"]);
    command.args(["--bench", bench, "--"]);
    command
}

/// The command that runs a bench of `tests/` on pages.
fn of_tests(repo: &Repo, bench: &str, pages: &Pages) -> Result<process::Command> {
    let mut command = bench_of_tests(repo, bench);
    // Cargo runs a bench in the folder of its package, so paths are made absolute.
    for site in &pages.sites {
        command.arg(std::path::absolute(site)?);
    }
    if let Some(generated) = pages.generated {
        command.args(["--generated", &generated.to_string()]);
    }
    Ok(command)
}
