//! The whole pipeline at the scale of the paper, compared with its table.
//!
//! `cargo xtask bench table1 --urls 100000 --urls 1000000` generates the link texts of crawls of
//! these sizes (see [`pagekin_tests::anchors`]), clusters each, and prints the time of each stage
//! next to the times of Haveliwala, Gionis and Indyk (2000, Table 1), who had 20 million URLs, two
//! Pentium II of 300 to 450 MHz and 0.5 to 1 GB of memory.
//!
//! Reading includes generating the fragments, which a real crawl does not cost. The time of
//! generating alone is reported too, extrapolated from a twentieth of the fragments. The paper's
//! bags came from 12 million pages.
//!
//! Peak memory is the maximum of the process in a stage. Bytes read and written count all its reads
//! and writes, whether or not they reached a disk. Disk usage is the maximum, sampled each second.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Parser;
use pagekin_core::Preset;
use pagekin_crawl::cluster::{
    ClassSource, ClusterOptions, Pairing, Recall, StageCost, TableOptions, cluster_fragments,
};
use pagekin_pages::{Observer, Stage};
use pagekin_tests::anchors::AnchorCrawl;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::numbers::grouped;
use serde::Serialize;
use walkdir::WalkDir;

const SEED: u64 = 1;
/// Share of the URLs that a planted classifier puts into any class.
const WRONG: f64 = 0.05;
/// Share of the fragments that is generated to measure the cost of generating.
const TRIAL: u64 = 20;

/// The rows of the paper's table with their hours, and the corresponding stages.
const ROWS: [(&str, Option<f64>, &[Stage]); 9] = [
    ("bag generation", Some(23.0), &[Stage::Reading]),
    ("bag sorting", Some(4.7), &[Stage::Bagging, Stage::Weighing]),
    ("MH-signature generation", Some(26.0), &[Stage::Sketching]),
    ("classes", None, &[Stage::Classifying]),
    ("pair generation and filtering", Some(16.0 + 83.0), &[Stage::Pairing]),
    ("verifying on the bags", None, &[Stage::Verifying]),
    ("sorting", Some(107.0), &[Stage::Sorting]),
    ("CENTER", Some(18.0), &[Stage::Centering]),
    ("measuring recall", None, &[Stage::Measuring]),
];

#[derive(Parser)]
struct Arguments {
    /// Number of URLs; may be repeated for several runs
    #[arg(long, required = true, value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: Vec<u64>,
    /// Working folder
    #[arg(long, hide = true)]
    folder: PathBuf,
    /// Memory for stages that work in parts, in MiB
    #[arg(long, default_value_t = 4_096)]
    memory: u64,
    /// Preset of parameters: `web`, or `paper` with its k and l
    #[arg(long, default_value = "web")]
    preset: String,
    /// Values per key
    #[arg(long)]
    values: Option<u8>,
    /// Number of tables
    #[arg(long)]
    tables: Option<u16>,
    /// Pair only URLs of one class: `planted=N`, with a classifier that errs for 5% of the URLs
    #[arg(long)]
    classes: Option<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// The results for a number of URLs.
#[derive(Serialize)]
struct Run {
    urls: u64,
    fragments: u64,
    fragment_bytes: u64,
    /// Time of generating the fragments alone.
    making_seconds: f64,
    seconds: f64,
    disk: u64,
    with_bag: u32,
    twins: u64,
    k: u8,
    l: u16,
    tried: u64,
    passed: u64,
    not_tried: u64,
    cut_pages: u64,
    pairs: u64,
    stored_pairs: u64,
    clusters: u64,
    clustered: u64,
    recall: Vec<Recall>,
    stages: Vec<StageCost>,
}

/// Reports progress on standard error.
struct Progress(Instant);

impl Observer for Progress {
    fn stage(&self, stage: Stage, _: u64) {
        eprintln!("{:>7.1} s  {}", self.0.elapsed().as_secs_f64(), stage.describe());
    }
    fn warn(&self, message: &str) {
        eprintln!("warning: {message}");
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let preset = match arguments.preset.as_str() {
        "web" => Preset::Web,
        "paper" => Preset::Paper,
        other => return Err(format!("expected --preset web or paper, found {other}").into()),
    };
    let mut runs: Vec<Run> = Vec::new();
    for &urls in &arguments.urls {
        let run = run(urls, preset, &arguments)?;
        if !arguments.json {
            print(&run);
            if let Some(before) = runs.last() {
                let exponent = libm::log(run.seconds / before.seconds)
                    / libm::log(run.urls as f64 / before.urls as f64);
                println!(
                    "From {} to {} URLs, the time grew with the number to the power of {exponent:.2}.\n",
                    grouped(before.urls),
                    grouped(run.urls)
                );
            }
        }
        runs.push(run);
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&runs)?);
    }
    Ok(())
}

fn run(urls: u64, preset: Preset, arguments: &Arguments) -> Result<Run, Failure> {
    let crawl = AnchorCrawl::new(urls, SEED);
    fs::create_dir_all(&arguments.folder)?;
    let folder = tempfile::tempdir_in(&arguments.folder)?;
    let start = Instant::now();
    crawl.make(0..crawl.fragments() / TRIAL, |fragments| {
        std::hint::black_box(fragments);
        Ok::<(), Failure>(())
    })?;
    let making_seconds = start.elapsed().as_secs_f64() * TRIAL as f64;
    let tables = TableOptions::default().with(|options| {
        options.k = arguments.values;
        options.l = arguments.tables;
    });
    let options = ClusterOptions::new(folder.path().join("out")).with(|options| {
        options.preset = preset;
        options.pairing = Pairing::Tables(tables);
        options.memory = arguments.memory << 20;
    });
    let classes = arguments.classes.as_deref();
    let classes = classes.map(|text| class_source(text, &crawl, folder.path())).transpose()?;
    let options = options.with(|options| options.classes = classes);
    let start = Instant::now();
    let (summary, disk) =
        watching(folder.path(), || cluster_fragments(&crawl, &options, &Progress(start)));
    let seconds = start.elapsed().as_secs_f64();
    let summary = summary?;
    let tables = summary.tables.as_ref().ok_or("expected tables")?;
    Ok(Run {
        urls,
        fragments: summary.fragments.fragments,
        fragment_bytes: summary.fragments.bytes,
        making_seconds,
        seconds,
        disk,
        with_bag: summary.urls,
        twins: summary.twins,
        k: tables.choice.k,
        l: tables.choice.l,
        tried: tables.pairing.tried,
        passed: tables.pairing.made,
        not_tried: tables.pairing.not_tried,
        cut_pages: tables.pairing.cut_pages,
        pairs: summary.pairs,
        stored_pairs: summary.stored_pairs,
        clusters: summary.clusters,
        clustered: summary.clustered,
        recall: summary.recall,
        stages: summary.stages,
    })
}

/// Returns the requested classes. Those of a classifier are written into a file.
fn class_source(text: &str, crawl: &AnchorCrawl, folder: &Path) -> Result<ClassSource, Failure> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|&n| n > 1);
    match text.split_once('=').map(|(name, text)| (name, number(text))) {
        Some(("planted", Some(classes))) => {
            let path = folder.join("classes.csv");
            let mut file = BufWriter::new(fs::File::create(&path)?);
            crawl.write_classes(classes.into(), WRONG, &mut file)?;
            file.flush()?;
            Ok(ClassSource::File(path))
        }
        _ => Err(format!("expected --classes planted=N, found {text}").into()),
    }
}

/// Runs `work`, and returns the maximum number of bytes in a folder meanwhile.
fn watching<T>(folder: &Path, work: impl FnOnce() -> T) -> (T, u64) {
    let (most, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let done_work = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(bytes_in(folder), Ordering::Relaxed);
                thread::park_timeout(Duration::from_secs(1));
            }
        });
        let worked = work();
        done.store(true, Ordering::Relaxed);
        watch.thread().unpark();
        worked
    });
    (done_work, most.into_inner())
}

fn bytes_in(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten();
    files.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn print(run: &Run) {
    println!("{} URLs, {} links\n", grouped(run.urls), grouped(run.fragments));
    println!("| stage | the paper | here | all processors | memory | read | written |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, hours, stages) in ROWS {
        let costs = || run.stages.iter().filter(|cost| stages.contains(&cost.stage));
        print_row(name, hours, &costs().copied().collect::<Vec<_>>());
    }
    print_row("**all**", Some(277.7), &run.stages);
    println!();
    println!(
        "Generating {1} of fragments took about {2:.0} s of the first {0:.0} s. At most {3} on disk.",
        run.stages.first().map_or(0.0, |cost| cost.seconds),
        size(run.fragment_bytes),
        run.making_seconds,
        size(run.disk),
    );
    println!(
        "{} tables of {} values: {} pairs tried, {} passed the signatures, {} are similar ({:.1}% of those that passed); {} in \
         truncated buckets were not tried. {} URLs have the same bag as another; with them, {} pairs. {} clusters of {} URLs.",
        run.l,
        run.k,
        grouped(run.tried),
        grouped(run.passed),
        grouped(run.stored_pairs),
        100.0 * run.stored_pairs as f64 / run.passed.max(1) as f64,
        grouped(run.not_tried),
        grouped(run.twins),
        grouped(run.pairs),
        grouped(run.clusters),
        grouped(run.clustered),
    );
    println!(
        "\n| similarity | pairs of a sample | found | predicted | of two classes |\n| --- | ---: | ---: | ---: | ---: |"
    );
    let rows =
        run.recall.iter().map(|bin| (format!("{:.1} to {:.1}", bin.from, bin.to), vec![bin]));
    let similar = run.recall.iter().filter(|bin| bin.from >= 0.3).collect();
    for (name, bins) in rows.chain([("0.3 and more".to_owned(), similar)]) {
        let pairs: u64 = bins.iter().map(|bin| bin.pairs).sum();
        let found: u64 = bins.iter().map(|bin| bin.found).sum();
        let predicted: f64 = bins.iter().map(|bin| bin.predicted).sum();
        let across: u64 = bins.iter().map(|bin| bin.across).sum();
        let part = |of: f64| of / pairs.max(1) as f64;
        println!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} |",
            grouped(pairs),
            part(found as f64),
            part(predicted),
            part(across as f64)
        );
    }
    println!();
}

fn print_row(name: &str, hours: Option<f64>, costs: &[StageCost]) {
    let sum =
        |of: fn(&StageCost) -> Option<u64>| costs.iter().map(|cost| of(cost).unwrap_or(0)).sum();
    println!(
        "| {name} | {} | {:.1} s | {:.1} s | {} | {} | {} |",
        hours.map_or_else(String::new, |hours| format!("{hours:.1} h")),
        costs.iter().map(|cost| cost.seconds).sum::<f64>() + 0.0,
        costs.iter().filter_map(|cost| cost.cpu_seconds).sum::<f64>() + 0.0,
        size(costs.iter().filter_map(|cost| cost.peak_memory).max().unwrap_or(0)),
        size(sum(|cost| cost.read)),
        size(sum(|cost| cost.written)),
    );
}

/// Formats a number of bytes for people.
fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= 1e9 { format!("{:.2} GB", bytes / 1e9) } else { format!("{:.0} MB", bytes / 1e6) }
}
