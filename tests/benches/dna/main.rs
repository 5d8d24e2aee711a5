//! Clusters DNA reads of known strands: pagekin compared with programs that cluster greedily.
//!
//! `cargo xtask bench dna` generates reads ([`pagekin_tests::strands`]) at several error rates and
//! coverages, runs each program on them, and prints the share of reads in their own strand's
//! cluster, and the time, CPU time and memory.
//!
//! Installed programs are included: `vsearch`, `cd-hit-est`, `mmseqs`. Their identity threshold is
//! the identity of two reads at that error rate minus two standard deviations.

mod peers;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use pagekin_core::qgrams::Alphabet;
use pagekin_crawl::cluster::{ClusterOptions, Join, Pairing, StringOptions, TableOptions, cluster};
use pagekin_crawl::folder::CrawlFolder;
use pagekin_pages::{Input, Silent};
use pagekin_pairs::Threshold;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::strands::{Grade, Read, Strands, strand_of, write_fasta};

#[derive(Parser)]
struct Arguments {
    /// Approximate number of reads
    #[arg(long, default_value_t = 100_000)]
    reads: u32,
    /// Error rates
    #[arg(long, value_delimiter = ',', default_value = "0.01,0.03,0.05,0.1")]
    error_rates: Vec<f64>,
    /// Mean numbers of copies of a strand
    #[arg(long, value_delimiter = ',', default_value = "3,5,10,20")]
    coverages: Vec<f64>,
    /// Share of the strands that differ from another in a fifth of their letters
    #[arg(long, default_value_t = 0.0)]
    near: f64,
    /// Add a primer of 20 letters to both ends of all strands
    #[arg(long)]
    primers: bool,
    /// Take half of the reads from the complementary strand
    #[arg(long)]
    both_strands: bool,
    /// Also run the other programs that are installed
    #[arg(long)]
    peers: bool,
    /// Also cluster with these settings of pagekin
    #[arg(long, value_delimiter = ',')]
    q: Vec<u8>,
    /// Minimum share of pairs, in thousandths, at which clusters are joined; 0 joins none
    #[arg(long, value_delimiter = ',', default_value = "200")]
    join: Vec<u16>,
    /// Give pagekin this error rate, instead of letting it estimate the rate
    #[arg(long)]
    known_rate: Option<f64>,
    /// Similarity threshold, in thousandths
    #[arg(long, value_delimiter = ',')]
    threshold: Vec<u16>,
    /// Number of tables, instead of the automatic choice
    #[arg(long)]
    tables: Option<u16>,
    /// Number of threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print the cost of each stage
    #[arg(long)]
    stages: bool,
    /// Working folder
    #[arg(long, hide = true)]
    folder: PathBuf,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// The cost of a program.
struct Cost {
    seconds: f64,
    work: f64,
    /// `None` for other programs: the system's peak of a child includes that of its parent.
    memory: Option<u64>,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    fs::create_dir_all(&arguments.folder)?;
    println!(
        "| errors | coverage | reads | program | own cluster | accuracy .9 | 1.0 | clusters | time | work | memory |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for &error_rate in &arguments.error_rates {
        for &coverage in &arguments.coverages {
            compare(&arguments, error_rate, coverage)?;
        }
    }
    Ok(())
}

fn compare(arguments: &Arguments, error_rate: f64, coverage: f64) -> Result<(), Failure> {
    let strands = (f64::from(arguments.reads) / coverage) as u32;
    let strands = Strands {
        near: arguments.near,
        primers: arguments.primers,
        both_strands: arguments.both_strands,
        ..Strands::new(strands, coverage, error_rate)
    };
    let reads = strands.reads();
    let file = arguments.folder.join("reads.fasta");
    write_fasta(&reads, BufWriter::new(File::create(&file)?))?;
    let row = |program: &str, clusters: &BTreeMap<String, u32>, cost: &Cost| {
        let Grade { clusters, own, accuracy, exact, .. } = grade(&reads, clusters);
        println!(
            "| {:.0}% | {coverage} | {} | {program} | {:.2}% | {:.2}% | {:.2}% | {} | {:.1} s | {:.1} s | {} |",
            100.0 * error_rate,
            grouped(reads.len() as u64),
            100.0 * own,
            100.0 * accuracy,
            100.0 * exact,
            grouped(clusters),
            cost.seconds,
            cost.work,
            cost.memory.map_or_else(String::new, |bytes| grouped(bytes >> 20) + " MB"),
        );
    };
    let qs: Vec<Option<u8>> = if arguments.q.is_empty() {
        vec![None]
    } else {
        arguments.q.iter().copied().map(Some).collect()
    };
    let thresholds: Vec<Option<u16>> = if arguments.threshold.is_empty() {
        vec![None]
    } else {
        arguments.threshold.iter().copied().map(Some).collect()
    };
    for q in qs {
        for &threshold in &thresholds {
            for &join in &arguments.join {
                let strings = StringOptions::new(Alphabet::Dna).with(|options| {
                    options.q = q;
                    options.error_rate = arguments.known_rate;
                    options.both_strands = arguments.both_strands;
                    options.threshold = threshold.and_then(|t| Threshold::from_thousandths(t).ok());
                });
                let (clusters, cost, name) = ours(arguments, &file, strings, join)?;
                row(&name, &clusters, &cost);
            }
        }
    }
    if arguments.peers {
        for peer in peers::ALL {
            let folder = arguments.folder.join(peer.program);
            fs::create_dir_all(&folder)?;
            if let Some((clusters, cost)) = peer.cluster(&file, &folder, error_rate, arguments)? {
                row(peer.name, &clusters, &cost);
            }
            fs::remove_dir_all(&folder)?;
        }
    }
    fs::remove_file(&file)?;
    Ok(())
}

fn grade(reads: &[Read], clusters: &BTreeMap<String, u32>) -> Grade {
    // Reads that a program leaves out count as clusters of one.
    let mut alone = u32::MAX;
    let of = |(number, read): (usize, &Read)| {
        let cluster = clusters.get(&format!("s{}r{number}", read.strand));
        let cluster = cluster.copied().unwrap_or_else(|| {
            alone -= 1;
            alone
        });
        (read.strand, cluster)
    };
    Grade::new(&reads.iter().enumerate().map(of).collect::<Vec<_>>())
}

fn ours(
    arguments: &Arguments,
    file: &Path,
    strings: StringOptions,
    join: u16,
) -> Result<(BTreeMap<String, u32>, Cost, String), Failure> {
    let output = arguments.folder.join("pagekin.out");
    let options = ClusterOptions::new(&output).with(|options| {
        options.strings = Some(strings);
        options.join = Threshold::from_thousandths(join).map_or(Join::Never, Join::From);
        options.threads = Some(arguments.threads);
        options.pairing = Pairing::Tables(TableOptions::default().with(|tables| {
            tables.l = arguments.tables;
            tables.k = arguments.tables.map(|_| 1);
        }));
    });
    let start = Instant::now();
    let summary = cluster(&[Input::Path(file.to_owned())], &options, &Silent)?;
    let seconds = start.elapsed().as_secs_f64();
    let work = summary.stages.iter().filter_map(|stage| stage.cpu_seconds).sum();
    let memory = summary.stages.iter().filter_map(|stage| stage.peak_memory).max();
    if arguments.stages {
        for stage in &summary.stages {
            let (of, cpu) = (stage.stage.describe(), stage.cpu_seconds.unwrap_or(0.0));
            let memory = stage.peak_memory.unwrap_or(0) >> 20;
            eprintln!("{of:22} {:>6.1} s {cpu:>6.1} s {memory:>6} MB", stage.seconds);
        }
        eprintln!("{:?}\n{:?}", summary.tables, summary.recall);
    }
    let mut crawl = CrawlFolder::open(&output)?;
    let centers = crawl.centers()?;
    let mut clusters = BTreeMap::new();
    for (url, center) in crawl.urls()?.zip(centers) {
        clusters.insert(url?.url, center);
    }
    fs::remove_dir_all(&output)?;
    let q = summary.strings.map_or(0, |rules| rules.q);
    let tables = summary.tables.map_or_else(String::new, |tables| {
        format!(", {} tables of {}", tables.choice.l, tables.choice.k)
    });
    let errors =
        summary.errors.map_or_else(String::new, |errors| format!(", errors {:.3}", errors.rate));
    let name = format!(
        "pagekin, q {q}, threshold {}{tables}, join {join}{errors}",
        summary.threshold.value()
    );
    Ok((clusters, Cost { seconds, work, memory }, name))
}

/// Returns the name of a read, which all programs keep.
fn checked(name: &str) -> String {
    let _ = strand_of(name);
    name.to_owned()
}
