//! How evenly lookups load the hosts of a mirrored index, and how much each host must store.
//!
//! `cargo xtask bench mirrors SITE_DIR…` runs the queries of the benches `retrieval` and `paste`,
//! records which files each fetches, in an order drawn with a fixed seed, and distributes these
//! requests to 4 to 64 hosts in the ways of [`ways::WAYS`]. The load of a request is the size of
//! the file in bytes.

mod plot;
mod ways;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Parser;
use pagekin_core::QueryError;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_index::{BuildOptions, LocalIndex};
use pagekin_tests::measuring::asking::{By, Shards};
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::measuring::pages::Pages;
use pagekin_tests::measuring::passages::{LENGTHS, SEED, Texts, thinned};
use pagekin_tests::measuring::quality::TOP;
use pagekin_tests::measuring::queries::Query;
use pagekin_tests::measuring::{Failure, On};
use serde::Serialize;
use walkdir::WalkDir;
use ways::{File, Log, WAYS};

/// Numbers of hosts.
const HOSTS: [u32; 5] = [4, 8, 16, 32, 64];
/// Number of passages of each length.
const PASSAGES: usize = 150;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// Folder for the index; an existing index is reused
    #[arg(long)]
    index: Option<PathBuf>,
    /// Output file for the figure
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// The results.
#[derive(Serialize)]
struct Report {
    pages: u64,
    files: usize,
    bytes: u64,
    queries: usize,
    requests: usize,
    requested_bytes: u64,
    /// How well the assumptions of the layout hold, by number of hosts.
    groups: BTreeMap<u32, Groups>,
    ways: Vec<WayReport>,
}

/// The index loads of the groups of files.
#[derive(Serialize)]
struct Groups {
    n: u32,
    /// `1 + α`: maximum / minimum; `None` if no query fetched a file of some group.
    one_and_alpha: Option<f64>,
    /// Maximum / mean.
    most_by_mean: f64,
    /// `β` / mean.
    largest_request_by_mean: f64,
}

#[derive(Serialize)]
struct WayReport {
    name: &'static str,
    by_hosts: BTreeMap<u32, Balance>,
}

/// The load of the busiest and the storage of the fullest host.
#[derive(Debug, Clone, Copy, Serialize)]
struct Balance {
    /// Maximum load / mean load.
    busiest_by_mean: f64,
    /// Bytes stored on all hosts / bytes of the index.
    stored: f64,
    /// Share of the index that the fullest host stores.
    fullest: f64,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let place = tempfile::tempdir()?;
    let pages = match arguments.on.generated {
        Some(pages) => Pages::generated(pages),
        None => Pages::from_sites(&arguments.on.sites, place.path())?,
    };
    let folder = arguments.index.clone().unwrap_or_else(|| place.path().join("index"));
    if !folder.join(MANIFEST_NAME).is_file() {
        pages.build(&BuildOptions::new("", &folder))?;
    }
    let log = Log::new(files(&folder)?, &asked(&pages, &folder)?);
    let report = measure(&log, u64::from(LocalIndex::open(&folder)?.index().manifest().pages));
    if let Some(file) = &arguments.plot {
        plot::draw(file, &report.ways)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", table(&report)?);
    }
    Ok(())
}

/// Lists the files that mirrors store, with their sizes.
fn files(folder: &Path) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder.join("index")).sort_by_file_name() {
        let entry = entry?;
        let name = entry.path().strip_prefix(folder)?.to_string_lossy().into_owned();
        if entry.file_type().is_file() && !name.contains("/related/") {
            files.push(File { name, bytes: entry.metadata()?.len() });
        }
    }
    Ok(files)
}

/// Returns the names and sizes of the files that each query fetches, in random query order.
fn asked(pages: &Pages, folder: &Path) -> Result<Vec<Vec<(String, u64)>>, Failure> {
    let records = LocalIndex::open(folder)?.records()?;
    let mut shards = Shards::open(folder)?;
    let mut queries = pages.queries(&records, &shards.index.manifest().stop)?;
    drop(records);
    let texts = Texts::from_index(pages, folder)?;
    let pasted = |text| Query { title: String::new(), lang: String::new(), text, page_terms: 0 };
    for (seed, words) in (SEED..).zip(&LENGTHS) {
        let mut random = SplitMix64::new(seed);
        for passage in texts.draw(PASSAGES, words, seed) {
            queries.push(pasted(thinned(&passage.text, &mut random)));
            queries.push(pasted(passage.text));
        }
    }
    SplitMix64::new(SEED).shuffle(&mut queries);
    let mut asked = Vec::new();
    for query in &queries {
        match shards.ask(query, By::Best.options(TOP)) {
            Ok(answered) => asked.push(answered.reads.files),
            // A thinned-out passage may contain only stop words.
            Err(error) if matches!(error.downcast_ref(), Some(QueryError::EmptyQuery { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(asked)
}

fn measure(log: &Log, pages: u64) -> Report {
    let balance = |way: &ways::Way, hosts| {
        let spread = (way.spread)(log, hosts);
        let most = |of: &[u64]| of.iter().copied().max().unwrap_or(0) as f64;
        let sum = |of: &[u64]| of.iter().sum::<u64>() as f64;
        let bytes = log.bytes() as f64;
        Balance {
            busiest_by_mean: most(&spread.loads) * spread.loads.len() as f64 / sum(&spread.loads),
            stored: sum(&spread.stored) / bytes,
            fullest: most(&spread.stored) / bytes,
        }
    };
    let of_way = |way: &ways::Way| WayReport {
        name: way.name,
        by_hosts: HOSTS.iter().map(|&hosts| (hosts, balance(way, hosts))).collect(),
    };
    let groups = |hosts| {
        let loads = log.index_loads(hosts);
        let (most, least) = (loads.iter().max().copied(), loads.iter().min().copied());
        let (most, least) = (most.unwrap_or(0) as f64, least.unwrap_or(0) as f64);
        let mean = loads.iter().sum::<u64>() as f64 / loads.len() as f64;
        Groups {
            n: loads.len() as u32,
            one_and_alpha: (least > 0.0).then_some(most / least),
            most_by_mean: most / mean,
            largest_request_by_mean: log.largest_request() as f64 / mean,
        }
    };
    Report {
        pages,
        files: log.files.len(),
        bytes: log.bytes(),
        queries: log.queries.len(),
        requests: log.queries.iter().map(Vec::len).sum(),
        requested_bytes: log.requests().map(|(_, bytes)| bytes).sum(),
        groups: HOSTS.iter().map(|&hosts| (hosts, groups(hosts))).collect(),
        ways: WAYS.iter().map(of_way).collect(),
    }
}

fn table(report: &Report) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(
        out,
        "{} pages, {} files of {:.1} MB; {} queries, {} requests for {:.1} MB. Load of the busiest host / mean load:\n",
        grouped(report.pages),
        grouped(report.files as u64),
        report.bytes as f64 / 1e6,
        grouped(report.queries as u64),
        grouped(report.requests as u64),
        report.requested_bytes as f64 / 1e6,
    )?;
    let hosts = HOSTS.map(|hosts| hosts.to_string()).join(" | ");
    writeln!(out, "| hosts | {hosts} | stored on 16 hosts: all, the fullest |")?;
    writeln!(out, "| --- |{} ---: |", " ---: |".repeat(HOSTS.len()))?;
    for way in &report.ways {
        let cells: Vec<_> = way
            .by_hosts
            .values()
            .map(|balance| format!("{:.2}", balance.busiest_by_mean))
            .collect();
        let at_16 = way.by_hosts[&16];
        writeln!(
            out,
            "| {} | {} | {:.2}×, {:.0}% |",
            way.name,
            cells.join(" | "),
            at_16.stored,
            100.0 * at_16.fullest
        )?;
    }
    let cells = |of: &dyn Fn(&Groups) -> String| {
        report.groups.values().map(of).collect::<Vec<_>>().join(" | ")
    };
    writeln!(out, "| groups, n | {} | |", cells(&|of| of.n.to_string()))?;
    writeln!(
        out,
        "| busiest group / mean | {} | |",
        cells(&|of| format!("{:.2}", of.most_by_mean))
    )?;
    let alpha = |of: &Groups| of.one_and_alpha.map_or("—".to_owned(), |of| format!("{of:.1}"));
    writeln!(out, "| busiest / idlest group, 1 + α | {} | |", cells(&alpha))?;
    Ok(out)
}
