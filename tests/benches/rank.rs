//! PageRank at the scale of the paper's crawl.
//!
//! `cargo xtask bench rank --urls 20000000` generates a crawl of that many URLs with five links per
//! URL, sorts the links on disk, ranks the URLs, and prints the cost of each step.
//!
//! Three of five URLs were crawled, as in the paper of 2000 (12 million of 20). One link leads to
//! each URL. Half of the other links stay within the site of their page (a hundred URLs), as most
//! links on the web do, so that ranks spread slowly; half follow a power law, like those of
//! [`pagekin_tests::anchors`].
//!
//! Peak memory is the maximum of the process in a step. The system's file cache is not counted.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Parser;
use pagekin_core::hash;
use pagekin_crawl::rank::{LinkBuckets, LinkFolder, RankOptions, UrlLinks, assemble, rank};
use pagekin_pages::{Observer, Stage};
use pagekin_tests::anchors::AnchorCrawl;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::numbers::grouped;
use rayon::prelude::*;

const SEED: u64 = 1;
/// URLs per site.
const SITE: u64 = 100;

#[derive(Parser)]
struct Arguments {
    /// Number of URLs
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: u64,
    /// Working folder
    #[arg(long, hide = true)]
    folder: PathBuf,
    /// Memory for sorting links, in MiB
    #[arg(long, default_value_t = 512)]
    memory: u64,
    /// Number of threads; by default one per processor
    #[arg(long)]
    threads: Option<usize>,
    /// Also rank the same links with igraph and networkx, which keep them in memory
    #[arg(long, requires = "python")]
    peers: bool,
    /// The Python in which these are installed
    #[arg(long, hide = true)]
    python: Option<PathBuf>,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// The cost of a step.
struct Step {
    name: &'static str,
    seconds: f64,
    peak: Option<u64>,
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

/// A generated crawl.
struct GeneratedCrawl {
    urls: u64,
    crawl: AnchorCrawl,
}

impl GeneratedCrawl {
    /// Returns the number of crawled pages: three of five URLs.
    fn pages(&self) -> u64 {
        self.urls * 3 / 5
    }

    /// Returns the number of a page's URL.
    fn url_of(page: u64) -> u64 {
        page / 3 * 5 + page % 3
    }

    /// Returns the numbers of the URLs that a page links to.
    fn targets(&self, page: u64) -> Vec<u64> {
        let own = Self::url_of(page);
        let links = (page..self.crawl.fragments()).step_by(self.pages() as usize);
        let target = |link: u64| {
            let random = hash::mix(SEED ^ hash::mix(link));
            if link.is_multiple_of(5) || random & 1 == 0 {
                return self.crawl.target(link);
            }
            (own / SITE * SITE + (random >> 1) % SITE).min(self.urls - 1)
        };
        links.map(target).collect()
    }

    fn page_links(&self, page: u64) -> UrlLinks {
        let targets = self.targets(page).into_iter().map(|url| self.crawl.url(url)).collect();
        UrlLinks { url: self.crawl.url(Self::url_of(page)), title: String::new(), targets }
    }

    /// Returns ranges of some thousand pages.
    fn batches(&self) -> impl Iterator<Item = std::ops::Range<u64>> {
        let pages = self.pages();
        (0..pages).step_by(1 << 16).map(move |first| first..pages.min(first + (1 << 16)))
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let generated =
        GeneratedCrawl { urls: arguments.urls, crawl: AnchorCrawl::new(arguments.urls, SEED) };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build()?;
    fs::create_dir_all(&arguments.folder)?;
    let folder = tempfile::tempdir_in(&arguments.folder)?;
    let from = folder.path().join("buckets");
    fs::create_dir(&from)?;
    let progress = Progress(Instant::now());
    let mut steps = Vec::new();
    let mut step = |name, start: Instant| {
        steps.push(Step { name, seconds: start.elapsed().as_secs_f64(), peak: peak() });
        forget_peak();
    };

    forget_peak();
    let start = Instant::now();
    progress.stage(Stage::Reading, 0);
    let mut buckets = LinkBuckets::create(&from)?;
    for batch in generated.batches() {
        let pages: Vec<UrlLinks> =
            pool.install(|| batch.into_par_iter().map(|page| generated.page_links(page)).collect());
        pages.iter().try_for_each(|page| buckets.push(page))?;
    }
    buckets.finish()?;
    step("links into buckets, including generation", start);

    let start = Instant::now();
    let counts =
        pool.install(|| assemble(&from, folder.path(), arguments.memory << 20, &progress))?;
    step("buckets into the graph", start);
    fs::remove_dir_all(&from)?;

    let mut links = LinkFolder::open(folder.path())?;
    let options = RankOptions::default().with(|options| options.threads = arguments.threads);
    let start = Instant::now();
    let ranking = rank(&mut links, &options, &progress)?;
    let ranking_seconds = start.elapsed().as_secs_f64();
    step("PageRank", start);

    let start = Instant::now();
    let first = ranking.first(10, &links)?;
    step("the top ten", start);

    let convergence = ranking.convergence();
    let bytes = fs::metadata(folder.path().join("links"))?.len();
    println!(
        "{} URLs, {} links: {} MB of links, {:.2} bytes each; {} threads",
        grouped(counts.urls),
        grouped(counts.links),
        grouped(bytes / 1_000_000),
        bytes as f64 / counts.links as f64,
        pool.current_num_threads(),
    );
    println!(
        "{} iterations of {:.2} s, the last changed {:.1e}; {} URLs without links; all ranks add up to 1 {:+.1e}; the first has {:.3} \
         times the average\n",
        convergence.iterations,
        ranking_seconds / f64::from(convergence.iterations),
        convergence.change,
        grouped(convergence.dangling),
        ranking.ranks().iter().sum::<f64>() - 1.0,
        first[0].rank * counts.urls as f64,
    );
    println!("| step | seconds | peak MB |\n| --- | ---: | ---: |");
    for Step { name, seconds, peak } in steps {
        let peak = peak.map_or_else(|| "?".to_owned(), |bytes| grouped(bytes / 1_000_000));
        println!("| {name} | {seconds:.1} | {peak} |");
    }
    match &arguments.python {
        Some(python) => rank_by_peers(python, &generated, folder.path()),
        None => Ok(()),
    }
}

/// Ranks the same links with other libraries, which print their cost.
fn rank_by_peers(python: &Path, generated: &GeneratedCrawl, folder: &Path) -> Result<(), Failure> {
    let path = folder.join("edges");
    let mut edges = BufWriter::new(fs::File::create(&path)?);
    for page in 0..generated.pages() {
        for target in generated.targets(page) {
            writeln!(edges, "{} {target}", GeneratedCrawl::url_of(page))?;
        }
    }
    edges.flush()?;
    for library in ["igraph", "networkx"] {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/pagerank.py");
        let mut command = Command::new(python);
        command.arg(script).arg(library).arg(&path).arg(generated.urls.to_string());
        if !command.status()?.success() {
            return Err(format!("{library} failed").into());
        }
    }
    Ok(())
}

/// Returns the peak memory since [`forget_peak`], if the system reports it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}
