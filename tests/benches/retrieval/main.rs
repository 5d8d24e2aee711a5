//! What a lookup finds, and what it costs: the real lookup through the real shards of an index,
//! against the exact truth by brute force.
//!
//! `cargo xtask bench retrieval SITE_DIR…` runs it on sites, `cargo xtask bench retrieval
//! --generated N` on a collection of N pages that [`pagekin_tests::collection`] makes up. Queries
//! are pages of the index, drawn by a fixed seed, with a random 30 % of their distinct terms taken
//! out of their text; so no query is a page of the index. The truth of a query is the bag Jaccard
//! with every page of the index, and [`pagekin_tests::measuring::quality`] says what is told of it.
//!
//! Each query is asked with nothing at hand but the opened index. With `--client`, the same queries
//! are then asked of the WebAssembly in `www/pkg`, by `client.mjs`, where shards are kept from
//! query to query as in a browser.

mod report;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{LookupOptions, RankedBy};
use pagekin_index::{BuildOptions, Layout, LocalIndex};
use pagekin_tests::checkout;
use pagekin_tests::measuring::asking::{self, Asked, By, Reads, Shards};
use pagekin_tests::measuring::pages::Pages;
use pagekin_tests::measuring::quality::{Quality, TOP};
use pagekin_tests::measuring::queries::Query;
use pagekin_tests::measuring::spread::Spread;
use pagekin_tests::measuring::{Failure, On, exact};
use report::{Client, Report};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// Put the shards into packs, which are read by ranges of bytes
    #[arg(long)]
    packs: bool,
    /// What pages are found by
    #[arg(long, default_value = "best")]
    by: By,
    /// Write LSH tables, whatever the number of pages
    #[arg(long)]
    tables: bool,
    /// The most files of the index
    #[arg(long, default_value_t = BuildOptions::MAX_FILES)]
    max_files: u32,
    /// Where to keep the index; one that is there is taken as it is
    #[arg(long)]
    index: Option<PathBuf>,
    /// Measure the time in the WebAssembly too
    #[arg(long, requires = "node")]
    client: bool,
    /// The Node.js to measure it with
    #[arg(long, hide = true)]
    node: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

impl Arguments {
    /// How the index is built.
    fn build_options(&self, output: &Path) -> BuildOptions {
        let layout = if self.packs { Layout::Packs } else { Layout::Files };
        BuildOptions::new("", output).with(|options| {
            options.layout = layout;
            options.max_files = self.max_files;
            options.tables = self.tables.then_some(true);
        })
    }
}

/// What building took, if there was something to build.
#[derive(Default)]
struct Built {
    seconds: Option<f64>,
    peak_bytes: Option<u64>,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let place = tempfile::tempdir()?;
    let pages = match arguments.on.generated {
        Some(pages) => Pages::generated(pages),
        None => Pages::from_sites(&arguments.on.sites, place.path())?,
    };
    let folder = arguments.index.clone().unwrap_or_else(|| place.path().join("index"));
    let mut built = Built::default();
    if !folder.join(MANIFEST_NAME).is_file() {
        let summary = pages.build(&arguments.build_options(&folder))?;
        built = Built { seconds: Some(summary.seconds), peak_bytes: peak_memory() };
    }
    let records = LocalIndex::open(&folder)?.records()?;
    let mut shards = Shards::open(&folder)?;
    let queries = pages.queries(&records, &shards.index.manifest().stop)?;
    let truths = exact::best(&shards.bags(&queries)?, &records, TOP);
    let (bag_terms, background) = exact::background(&records);
    drop(records);
    // The truth has each copy of a page too.
    let options = LookupOptions { copies: true, ..arguments.by.options(TOP) };
    let asked: Vec<Asked> =
        queries.iter().map(|query| shards.ask(query, options)).collect::<Result<_, _>>()?;
    let client = match &arguments.node {
        Some(node) => Some(ask_client(node, &folder, &queries, place.path())?),
        None => None,
    };

    let quality = Quality::new(&truths, asked.iter().map(Asked::similarities));
    let list = |by| Quality::new(&truths, asked.iter().map(|asked| asked.similarities_by(by)));
    let lists = [RankedBy::Similarity, RankedBy::Coverage].map(|by| (by.name(), list(by)));
    let both = asked.iter().filter(|asked| !asked.answer.other_results.is_empty()).count();
    let parts = asking::parts(&folder)?;
    let manifest = shards.index.manifest();
    let kinds: BTreeSet<_> = asked.iter().flat_map(|asked| asked.reads.by_kind.keys()).collect();
    let reads = |of: fn(&Reads) -> u64| asked.iter().map(move |asked| of(&asked.reads));
    let by_kind = |of: fn(&(u64, u64)) -> u64| {
        let spread = |kind| {
            Spread::new(asked.iter().map(|asked| asked.reads.by_kind.get(kind).map_or(0, of)))
        };
        kinds.iter().map(|&kind| (kind.clone(), spread(kind))).collect()
    };
    let opening = &shards.opening;
    let report = Report {
        pages: u64::from(manifest.pages),
        terms: u64::from(manifest.vocabulary.len()),
        build_seconds: built.seconds,
        build_peak_bytes: built.peak_bytes,
        index_files: parts.values().map(|(files, _)| files).sum(),
        index_bytes: parts.values().map(|(_, bytes)| bytes).sum(),
        parts,
        page_terms: queries.iter().map(|query| query.page_terms as f64).sum::<f64>()
            / queries.len().max(1) as f64,
        bag_terms,
        background,
        queries: queries.len(),
        with_kin: quality.with_kin,
        with_ten_kin: quality.with_ten_kin,
        recall_at_10: quality.recall_at_10,
        best_first: quality.best_first,
        bands: quality.bands,
        lists: lists.into(),
        with_both_lists: both,
        first_bytes: Spread::new(reads(Reads::bytes).map(|bytes| bytes + opening.bytes())),
        first_requests: Spread::new(
            reads(Reads::requests).map(|requests| requests + opening.requests()),
        ),
        later_bytes: Spread::new(reads(Reads::bytes)),
        later_requests: Spread::new(reads(Reads::requests)),
        later_rounds: Spread::new(asked.iter().map(|asked| asked.rounds)),
        later_bytes_by_kind: by_kind(|(bytes, _)| *bytes),
        later_requests_by_kind: by_kind(|(_, requests)| *requests),
        opening: opening.by_kind.clone(),
        opening_micros: shards.opening_time.as_micros() as u64,
        query_micros: Spread::new(asked.iter().map(|asked| asked.time.as_micros() as u64)),
        client,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table()?);
    }
    Ok(())
}

/// Asks the WebAssembly.
fn ask_client(
    node: &Path,
    folder: &Path,
    queries: &[Query],
    place: &Path,
) -> Result<Client, Failure> {
    let file = place.join("queries.json");
    fs::write(&file, serde_json::to_vec(queries)?)?;
    let script = checkout::of_tests("benches/client.mjs");
    let mut command = Command::new(node);
    command.arg(script).arg(folder).arg(file).stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("client.mjs failed ({})", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The most memory this process ever had, where Linux tells it.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1_024)
}
