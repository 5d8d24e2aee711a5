//! The arguments.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand, ValueEnum};
use pagekin_build::BuildOptions;
use pagekin_build::crawl::BagSource;
use pagekin_build::crawl::Threshold;
use pagekin_build::crawl::{Pairing, TableOptions, Verification};
use pagekin_build::duplicates::{Algorithm, DuplicateOptions, PairKind};
use serde::Serialize;

use crate::Failure;
use crate::output::{print, print_json};

/// How a command ends.
const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure
  2  usage error
  3  more near-duplicates than --fail-on and --fail-over of `pagekin duplicates` allow";

/// Finds the pages of a static web site that contain or resemble a text or another page.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index a site: write a folder that any static host can serve
    Build(BuildArgs),
    /// Preview an index in a browser (local only)
    Serve(ServeArgs),
    /// Find the pages that contain or resemble a text, or resemble a page of the site
    Similar(SimilarArgs),
    /// Describe an index, and verify it
    Inspect(InspectArgs),
    /// Cluster a crawl: find all pairs of similar URLs and group them
    Cluster(ClusterArgs),
    /// List the URLs related to a URL of a clustered crawl
    Related(RelatedArgs),
    /// List the clusters of a clustered crawl
    Clusters(ClustersArgs),
    /// Write all pairs of similar URLs of a clustered crawl
    Pairs(PairsArgs),
    /// Find near-duplicate pages of a site, of several sites, or of an index
    Duplicates(DuplicatesArgs),
    /// Print the completions of this command line for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder: for whoever makes packages
    #[command(hide = true)]
    Man(ManArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads them
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The folder, which is made if it is not there
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DuplicatesArgs {
    /// Folder of the built site, or an index of it (only candidate pages are then read); several
    /// sites are compared as one collection, with each folder's name prepended to its pages' paths
    #[arg(required = true, value_name = "SITE_OR_INDEX")]
    pub(crate) sites: Vec<PathBuf>,
    /// Folder of the pages of an index [default: the folder that contains the index; if the pages
    /// are not there, results are estimated from the index's sketches]
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<PathBuf>,
    /// How pairs are found: `shingles`, by enough minvalues that few pairs at the minimum
    /// resemblance are missed; `copies`, the same, plus pages that share long passages few other
    /// pages have, whatever their resemblance; `b` or `c`, the paper's algorithms; `either`, pairs
    /// found by b or by c; `combined`, pairs found by b and nearly by c; `exact`, a join that misses
    /// none
    #[arg(long, value_enum, default_value_t = AlgorithmArg::Copies)]
    pub(crate) algorithm: AlgorithmArg,
    /// Minimum resemblance of a pair, 0 to 1: the share of the two pages' ten-word runs that are on
    /// both
    #[arg(long, value_name = "R", default_value_t = DuplicateOptions::MIN, value_parser = part)]
    pub(crate) min: f64,
    /// Seed of the hash functions: a number, or `random`. Algorithms other than `exact` may miss a few
    /// pairs, and miss others with another seed
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// Output format: `table`, the largest groups; `json`, everything; `csv`, one pair per line;
    /// `html`, a page of all groups to sort and filter, with the texts of pairs side by side;
    /// `junit` or `sarif`, one test or result per pair, for a forge to show
    #[arg(long, value_enum, default_value_t = DuplicatesFormat::Table)]
    pub(crate) format: DuplicatesFormat,
    /// Print JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    /// Write to this file instead of standard output; an existing file is replaced when done
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Maximum size of the texts in the HTML report before compression, such as 500k or 256M, or 0.
    /// Each group's most similar pair is included first, then the next; the remaining pairs are
    /// links
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size_or_none)]
    pub(crate) texts: u64,
    /// Maximum number of groups in the table
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// URL the site is published at, which page URLs start with. An index has its own
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// Skip files that match this glob, such as `drafts/**` or `**/print.html`: their paths below the
    /// site's folder. Repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Skip files larger than this, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    /// Skip files that cannot be read instead of failing
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print only errors and results: no progress, no summary above the table
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What near-duplicates fail the command.
#[derive(Debug, clap::Args)]
pub(crate) struct GateArgs {
    /// Exit with code 3 if there are such pairs, after the report: `copies`, `near` (near-duplicates),
    /// `passages` (shared passages), separated by commas [default: all, if --fail-over is given]
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Option<Vec<FailOn>>,
    /// Exit with code 3 if there are more than this many such pairs [default: 0, if --fail-on is
    /// given]
    #[arg(long, value_name = "N")]
    pub(crate) fail_over: Option<u64>,
    /// File of known groups: their pairs are reported as known, and neither fail nor count
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all groups to this file, as a baseline for later runs; an existing file is replaced
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fail_on", "fail_over", "baseline"])]
    pub(crate) write_baseline: Option<PathBuf>,
}

/// Kinds of pairs that fail the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The same words in the same order
    Copies,
    /// At least the minimum resemblance
    Near,
    /// Shared passages
    Passages,
}

impl From<FailOn> for PairKind {
    fn from(kind: FailOn) -> Self {
        match kind {
            FailOn::Copies => Self::Copy,
            FailOn::Near => Self::NearDuplicate,
            FailOn::Passages => Self::Quotation,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// Folders of HTML, JSONL files (one object per line, with `url` and `text` or `html`) and WARC
    /// files, plain or gzipped; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<std::ffi::OsString>,
    /// Output folder: new, empty, or an earlier crawl, which is replaced when done
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What the bag of a URL is made from: `content`, the text of its page; `anchor`, its title and
    /// the text around links to it; or `both`
    #[arg(long, value_enum, default_value_t = BagsArg::Anchor)]
    pub(crate) bags: BagsArg,
    /// Minimum similarity of a pair, above 0 and up to 1
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = threshold)]
    pub(crate) threshold: Threshold,
    /// Parameters of bags, signatures and pairs
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
    /// Seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// URL the folders of HTML are published at
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Language of pages that declare none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
    /// Skip pages larger than this, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    /// Memory for work that is done in parts, such as comparing bags and sorting pairs; pairing
    /// needs about 250 bytes per URL in addition
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// How the pairs of a crawl are found.
#[derive(Debug, clap::Args)]
pub(crate) struct PairingArgs {
    /// Compare all bags exactly: for up to about 50,000 URLs
    #[arg(long, conflicts_with_all = ["values", "tables", "compare", "verify"])]
    pub(crate) exact: bool,
    /// Values per key, 1 to 8 [default: chosen from a sample of the URLs; 3 for the paper's preset]
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) values: Option<u8>,
    /// Number of tables, 1 to 1024 [default: enough to find 95 % of the pairs at the threshold; 125
    /// for the paper's preset]
    #[arg(short = 'l', long, value_name = "L", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) tables: Option<u16>,
    /// Compare only this many values of two signatures, one byte of each [default: all 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=80))]
    pub(crate) compare: Option<u16>,
    /// How pairs are verified: exactly, by their `bags`, or by their `signature`s, as in the paper,
    /// with errors of a few hundredths
    #[arg(long, value_enum, default_value_t = VerifyArg::Bags)]
    pub(crate) verify: VerifyArg,
}

/// What says that a pair is similar.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum VerifyArg {
    Bags,
    Signature,
}

impl From<PairingArgs> for Pairing {
    fn from(args: PairingArgs) -> Self {
        if args.exact {
            return Self::Exact;
        }
        let verification = match args.verify {
            VerifyArg::Bags => Verification::Bags,
            VerifyArg::Signature => Verification::Signatures,
        };
        let PairingArgs { values: k, tables: l, compare: compared, .. } = args;
        Self::Tables(TableOptions::default().with(|options| {
            options.k = k;
            options.l = l;
            options.compared = compared;
            options.verification = verification;
        }))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct RelatedArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// The URL
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: String,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ClustersArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// Output format: `table`, the largest clusters; `json`, one object; `jsonl`, one cluster per
    /// line; `csv`, one URL per line, with its title and its similarity to the center
    #[arg(long, value_enum, default_value_t = ClusterFormat::Table)]
    pub(crate) format: ClusterFormat,
    /// Print JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Maximum number of clusters [default: 20 as a table, otherwise all]
    #[arg(short, long)]
    pub(crate) limit: Option<usize>,
    /// Skip clusters of fewer URLs
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) min_size: usize,
    /// Use connected components as clusters; the table compares them with the CENTER clusters
    #[arg(long)]
    pub(crate) components: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PairsArgs {
    /// Folder of the clustered crawl
    pub(crate) crawl: PathBuf,
    /// Output format, one pair per line or row: both URLs, their similarity, and their titles if
    /// the crawl has them
    #[arg(long, value_enum)]
    pub(crate) format: PairsFormat,
    /// Minimum similarity, 0.001 to 1 [default: the crawl's threshold]
    #[arg(long, value_name = "S", value_parser = threshold)]
    pub(crate) min: Option<Threshold>,
    /// Write to this file instead of standard output; an existing file is replaced when done.
    /// Required for Parquet
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BuildArgs {
    /// Folder of the built site
    #[arg(required_unless_present = "from")]
    pub(crate) site: Option<PathBuf>,
    /// Index a crawl instead of a site: the output of `pagekin cluster`. Every URL with a bag
    /// becomes a page; no page is read again
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["site", "base_url", "lang", "preset",
          "seed", "min_df", "max_df", "exclude", "max_page_bytes", "skip_unreadable"])]
    pub(crate) from: Option<PathBuf>,
    /// Output folder: new, empty, or an earlier index, which is replaced when done
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Pages per block; a lookup reads up to 10 blocks, and an index of up to 16 blocks is read
    /// whole [default: about
    /// 2.3 kB of pages, more on a large site]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) block_pages: Option<u32>,
    /// File layout: `files`, many small files for any host; `packs`, a few large files for hosts
    /// that answer range requests, which makes lookups on large sites cheaper
    #[arg(long, value_enum, default_value_t = LayoutArg::Files)]
    pub(crate) layout: LayoutArg,
    /// Maximum number of files; never more than a tenth of the pages or 1,000, whichever is larger
    #[arg(long, value_name = "N", default_value_t = BuildOptions::MAX_FILES)]
    pub(crate) max_files: u32,
    /// Reuse the index at OUT, which may be the output folder itself: unchanged files are kept, so
    /// that little has to be uploaded, and words keep their weights. If there is none, the index is
    /// built from scratch
    #[arg(long, value_name = "OUT")]
    pub(crate) previous: Option<PathBuf>,
    /// Number of related pages stored for each page; 0 disables them
    #[arg(long, value_name = "N", default_value_t = BuildOptions::RELATED_COUNT,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(BuildOptions::MOST_RELATED)))]
    pub(crate) related_count: u32,
    /// Keep text that is on many pages. By default, blocks of text that at least 20 % of the pages
    /// have, such as menus that are not marked as such, are left out
    #[arg(long, conflicts_with = "from")]
    pub(crate) keep_repeated: bool,
    /// Keep the name of the site in titles. By default, what nearly all titles begin or end with,
    /// such as " | My docs", is left out
    #[arg(long)]
    pub(crate) keep_title_suffix: bool,
    /// Omit the text sketches, which tell how much of a long text is on a page: less to publish,
    /// and up to two requests fewer per query
    #[arg(long)]
    pub(crate) no_sketches: bool,
    /// Also write the related pages of all pages to one file, for a site generator
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) related: Option<RelatedArg>,
    /// Also report which repeated text was left out of pages, and what of titles
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// How pages are read and weighed: what a crawl has done already.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    /// URL the site is published at, which page URLs start with
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// Language of pages that declare none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
    /// Parameters of bags, signatures and tables
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
    /// Seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// Ignore words on fewer pages than this when computing similarity; they can still be searched
    /// for [default: 2, or 1 below 50 pages]
    #[arg(long, value_name = "PAGES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_df: Option<u32>,
    /// Ignore words on more than this percentage of the pages when computing similarity; they can
    /// still be searched for [default: 20; words on up to 10 pages are never ignored]
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) max_df: Option<f64>,
    /// Skip files that match this glob, such as `drafts/**` or `**/print.html`: their paths below the
    /// site's folder. `*` matches within a folder, `**` any folders. Repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Skip files larger than this, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    /// Skip files that cannot be read instead of failing
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Folder of the site, served at / so that links to results work
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Port; 0 for any free one [default: 4747, or any free one if it is taken]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Print the URL as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also answer requests for this host name, such as that of a tunnel or a container. Requests
    /// for names other than `localhost`, `127.0.0.1` and `[::1]` are refused, because any web site
    /// can point its name at this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Also serve files outside of the folders that links in them lead to
    #[arg(long)]
    pub(crate) follow_links: bool,
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "stdin"])))]
pub(crate) struct SimilarArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Look for the text of this file, which is read as HTML if its name says so or it starts with
    /// a tag, otherwise as plain text
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Find the pages similar to this page of the site
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Read the text from standard input: a sentence, an error message or a whole page
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) stdin: Option<String>,
    /// Read the file or standard input as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// Language of the text [default: the one it declares, otherwise guessed among the site's]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: u32,
    /// Minimum score of a result, 0 to 1: its similarity, or the part of the text found on it
    #[arg(short, long, value_name = "S", default_value_t = 0.0, value_parser = part)]
    pub(crate) min: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Read every file and check the index for consistency
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show what the index stores for this page
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of every command that runs long.
#[derive(Debug, clap::Args)]
pub(crate) struct RunningArgs {
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print only errors, and the summary if --json is given
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunningArgs {
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }

    /// Prints the summary as JSON or as text, unless `quiet`.
    pub(crate) fn report(
        &self,
        json: &impl Serialize,
        text: impl FnOnce() -> Result<String, std::fmt::Error>,
    ) -> Result<(), Failure> {
        if self.json {
            print_json(json)
        } else if self.quiet {
            Ok(())
        } else {
            print(&text()?)
        }
    }
}

/// A usage error that says what to do, if clap does not know.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    let from_crawl = |of: &ContextValue| of.to_string().starts_with("--from");
    if error.kind() == ErrorKind::ArgumentConflict
        && error.get(ContextKind::InvalidArg).is_some_and(from_crawl)
    {
        let tip = "these options belong to `pagekin cluster`; omit them here, or cluster the crawl \
                   again with them";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The named parameters.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// For static sites
    Web,
    /// As in Haveliwala, Gionis and Indyk (2000)
    Paper,
}

/// What bags are made of.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BagsArg {
    /// The text of the page
    Content,
    /// Its title and the text around links to it
    Anchor,
    /// Both
    Both,
}

impl From<BagsArg> for BagSource {
    fn from(bags: BagsArg) -> Self {
        match bags {
            BagsArg::Content => Self::Content,
            BagsArg::Anchor => Self::Anchor,
            BagsArg::Both => Self::Both,
        }
    }
}

/// What finds near-duplicates.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AlgorithmArg {
    Copies,
    Shingles,
    B,
    C,
    Either,
    Combined,
    Exact,
}

impl From<AlgorithmArg> for Algorithm {
    fn from(algorithm: AlgorithmArg) -> Self {
        match algorithm {
            AlgorithmArg::Copies => Self::Copies,
            AlgorithmArg::Shingles => Self::Shingles,
            AlgorithmArg::B => Self::B,
            AlgorithmArg::C => Self::C,
            AlgorithmArg::Either => Self::Either,
            AlgorithmArg::Combined => Self::Combined,
            AlgorithmArg::Exact => Self::Exact,
        }
    }
}

/// How near-duplicates are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicatesFormat {
    /// For reading
    Table,
    /// One object
    Json,
    /// One pair per line
    Csv,
    /// A self-contained page
    Html,
    /// One test per pair
    Junit,
    /// One result per pair
    Sarif,
}

/// How clusters are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterFormat {
    /// For reading
    Table,
    /// One object
    Json,
    /// One object per cluster
    Jsonl,
    /// One URL per line
    Csv,
}

/// How the pairs of a crawl are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairsFormat {
    /// With a line of column names
    Csv,
    /// One object per line
    Jsonl,
    /// For DuckDB, Spark and the like
    Parquet,
}

/// The files for site generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RelatedArg {
    /// OUT/related.json
    Json,
}

impl From<PresetArg> for pagekin_core::Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Web => Self::Web,
            PresetArg::Paper => Self::Paper,
        }
    }
}

/// How an index lies in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Many small files: any host will do
    Files,
    /// Few large files, read by ranges of bytes
    Packs,
}

impl From<LayoutArg> for pagekin_build::Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Files => Self::Files,
            LayoutArg::Packs => Self::Packs,
        }
    }
}

/// A given seed, or a random one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeedArg {
    Number(u64),
    Random,
}

impl std::str::FromStr for SeedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Self::Random),
            _ => text.parse().map(Self::Number).map_err(|_| {
                "expected a number from 0 to 18446744073709551615, or random".to_owned()
            }),
        }
    }
}

impl SeedArg {
    /// The given number, or a random one.
    pub(crate) fn number(self) -> Result<u64, getrandom::Error> {
        match self {
            Self::Number(seed) => Ok(seed),
            Self::Random => getrandom::u64(),
        }
    }
}

impl std::fmt::Display for SeedArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(seed) => write!(f, "{seed}"),
            Self::Random => f.write_str("random"),
        }
    }
}

fn base_url(text: &str) -> Result<String, String> {
    let usable =
        text.starts_with('/') || text.starts_with("http://") || text.starts_with("https://");
    if usable && !text.contains(['?', '#']) && !text.chars().any(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("expected a path such as /docs/, or a URL such as https://example.org/docs/".to_owned())
    }
}

fn percentage(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| *n > 0.0 && *n <= 100.0)
        .ok_or_else(|| "expected a number above 0 and at most 100".to_owned())
}

fn language(text: &str) -> Result<String, String> {
    let known = pagekin_core::terms::Language::from_tag(text).map(|_| text.to_owned());
    known.ok_or_else(|| "expected a language tag such as en or pt-BR".to_owned())
}

fn part(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| (0.0..=1.0).contains(n))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn threshold(text: &str) -> Result<Threshold, String> {
    let similarity: Option<f64> = text.parse().ok();
    similarity
        .filter(|s| (0.0..=1.0).contains(s))
        .and_then(|s| Threshold::of_thousandths((s * 1_000.0).round() as u16))
        .ok_or_else(|| "expected a number from 0.001 to 1".to_owned())
}

fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().trim_end_matches("ib") {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => 0,
    };
    let size = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).unwrap_or(0);
    if size == 0 { Err("expected a size such as 500000, 500k or 16M".to_owned()) } else { Ok(size) }
}

/// A size, or 0.
fn size_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { size(text) }
}
