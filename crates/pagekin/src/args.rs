//! The arguments.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand, ValueEnum};
use pagekin_build::BuildOptions;
use pagekin_build::crawl::BagSource;
use pagekin_build::crawl::clustering::{Pairing, TableOptions, Verification};
use pagekin_build::crawl::threshold::Threshold;
use pagekin_build::duplicates::{Algorithm, DuplicateOptions};
use serde::Serialize;

use crate::Failure;
use crate::output::{print, print_json};

/// Finds the pages of a static web site that have a text, or are like it or like a page.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index a site: write a folder that any static host serves as it is
    Build(BuildArgs),
    /// Preview an index in a browser, on this machine only
    Serve(ServeArgs),
    /// Find the pages that have a text, or are like it or like a page of the site
    Similar(SimilarArgs),
    /// Say what is in an index, and whether it is sound
    Inspect(InspectArgs),
    /// Cluster a crawl: find all pairs of similar URLs, and clusters of them
    Cluster(ClusterArgs),
    /// Say what is related to a URL of a clustered crawl
    Related(RelatedArgs),
    /// List the clusters of a crawl
    Clusters(ClustersArgs),
    /// Find the pages of a site, of several together, or of an index that nearly copy one another
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
pub(crate) struct DuplicatesArgs {
    /// The folder of the built site, or an index of it, by which only those pages are read that may be near-duplicates;
    /// several sites are taken as one collection, in which each page has the name of its folder in front of its path
    #[arg(required = true, value_name = "SITE_OR_INDEX")]
    pub(crate) sites: Vec<PathBuf>,
    /// Where the pages of an index lie [default: the folder that holds it, if they are there; if not, what its sketches say
    /// is reported]
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<PathBuf>,
    /// What finds pairs: `copies`, what shingles finds, and pages of which much that hardly any other has stands on one
    /// other, however little these resemble each other; `shingles`, so many minvalues that few pairs of the least
    /// resemblance are missed; the paper's Alg. `b` or `c`; what `both` find; `combined`, what b finds and c nearly does;
    /// or an `exact` join, which misses none
    #[arg(long, value_enum, default_value_t = AlgorithmArg::Copies)]
    pub(crate) algorithm: AlgorithmArg,
    /// The least resemblance of a pair, 0 to 1: the part of all runs of ten words on two pages that are on both
    #[arg(long, value_name = "R", default_value_t = DuplicateOptions::MIN, value_parser = part)]
    pub(crate) min: f64,
    /// How to report them: `table` for people, the largest groups first; `json`, all; `csv`, a pair a line; `html`, a page with
    /// all groups, to sort and filter, that shows the texts of pairs side by side
    #[arg(long, value_enum, default_value_t = DuplicatesFormat::Table)]
    pub(crate) format: DuplicatesFormat,
    /// The file to write, instead of printing. An earlier one is replaced at the end
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The most text in the HTML page, before it is packed to a fraction: a number of bytes, or such as 500k or 256M; or 0.
    /// The likest pair of every group goes first, then the next; other pairs are links
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size_or_none)]
    pub(crate) texts: u64,
    /// The most groups of the table
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// What addresses begin with: where the site is published. An index has its own
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// Leave out files larger than this: a number of bytes, or such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    /// Leave out files that cannot be read, instead of failing
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
    /// The number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print nothing but errors and what was found: neither progress nor the table's summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// Folders of HTML, JSONL files (an object with url, and text or html, a line) and WARC files, plain or gzip; - is
    /// standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<std::ffi::OsString>,
    /// The folder to write: nothing, an empty folder or an earlier crawl, which is replaced at the end
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What the bag of a URL is made of: `content`, the text of its page; `anchor`, its title and what is said beside the
    /// links to it; or `both`
    #[arg(long, value_enum, default_value_t = BagsArg::Anchor)]
    pub(crate) bags: BagsArg,
    /// The least similarity of a pair, above 0 to 1
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = threshold)]
    pub(crate) threshold: Threshold,
    /// The parameters of bags, signatures and pairs
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
    /// The seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// Where the folders of HTML are published
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The language of pages that name none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
    /// Leave out pages larger than this: a number of bytes, or such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    /// The memory for what is worked on in parts, such as bags that are compared and pairs that are sorted; pairing takes
    /// about 250 bytes a URL, however many there are
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// How the pairs of a crawl are found.
#[derive(Debug, clap::Args)]
pub(crate) struct PairingArgs {
    /// Compare all bags, exactly: for up to some 50,000 URLs
    #[arg(long, conflicts_with_all = ["values", "tables", "compare", "verify"])]
    pub(crate) exact: bool,
    /// The values of a key, 1 to 8 [default: chosen by what URLs have in common; 3 for the paper's preset]
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) values: Option<u8>,
    /// The tables of keys, 1 to 1024 [default: as many as find 95 % of the pairs at the threshold; 125 for the paper's preset]
    #[arg(short = 'l', long, value_name = "L", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) tables: Option<u16>,
    /// Compare only so many values of two signatures, a byte of each [default: all 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=80))]
    pub(crate) compare: Option<u16>,
    /// What says that a pair is similar: the `bags` of both, or the `signature` of each, as in the paper, which err by
    /// hundredths
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
        Self::Tables(TableOptions { k, l, compared, verification })
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct RelatedArgs {
    /// The folder of the crawl
    pub(crate) crawl: PathBuf,
    /// The URL
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: String,
    /// The most results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ClustersArgs {
    /// The folder of the crawl
    pub(crate) crawl: PathBuf,
    /// How to print them: `table` for people, the largest first; `jsonl`, a cluster a line; `csv`, a URL a line
    #[arg(long, value_enum, default_value_t = ClusterFormat::Table)]
    pub(crate) format: ClusterFormat,
    /// The most clusters [default: 20 as a table, or else all]
    #[arg(short, long)]
    pub(crate) limit: Option<usize>,
    /// Leave out clusters of fewer URLs
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) min_size: usize,
    /// Take connected components for clusters: whatever a chain of pairs leads to. A table reports what that costs
    #[arg(long)]
    pub(crate) components: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BuildArgs {
    /// The folder of the built site
    #[arg(required_unless_present = "from")]
    pub(crate) site: Option<PathBuf>,
    /// Index a crawl instead of a site: the output of `pagekin cluster`. All URLs that have a bag become pages, as they
    /// are; no page is read again
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["site", "base_url", "lang", "preset",
          "seed", "min_df", "max_df", "max_page_bytes", "skip_unreadable"])]
    pub(crate) from: Option<PathBuf>,
    /// The folder to write: nothing, an empty folder or an earlier index, which is replaced at the end
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Pages that are stored together; a lookup reads up to 10 such blocks, and a site of up to 16 is read whole
    /// [default: as many as take about 2.3 kB, or more on a large site]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) block_pages: Option<u32>,
    /// How the index lies in files: `files`, many small ones for any host, or `packs`, few large ones for hosts that
    /// answer requests for ranges of bytes, where a large site costs a visitor less
    #[arg(long, value_enum, default_value_t = LayoutArg::Files)]
    pub(crate) layout: LayoutArg,
    /// The most files to write; there are never more than a tenth of the pages, or 1,000 if that is more
    #[arg(long, value_name = "N", default_value_t = BuildOptions::MAX_FILES)]
    pub(crate) max_files: u32,
    /// The output of the last build, which may be OUT itself: what has not changed keeps its files, so that little
    /// need be published again. Words keep the weights they had. If it is not there, all is built anew
    #[arg(long, value_name = "OUT")]
    pub(crate) previous: Option<PathBuf>,
    /// How many related pages are written down for each page; 0 for none at all
    #[arg(long, value_name = "N", default_value_t = BuildOptions::RELATED_COUNT,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(BuildOptions::MOST_RELATED)))]
    pub(crate) related_count: u32,
    /// Leave out the sketches of texts, by which a query reports how much of a long text stands in a page: less to
    /// publish, and up to two requests fewer
    #[arg(long)]
    pub(crate) no_sketches: bool,
    /// Write the related pages of all pages also into one file, for a site generator
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) related: Option<RelatedArg>,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// How pages are read and weighed: what a crawl has done already.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingArgs {
    /// What addresses begin with: where the site is published
    #[arg(long, value_name = "URL", default_value = "/", value_parser = base_url)]
    pub(crate) base_url: String,
    /// The language of pages that name none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    pub(crate) lang: String,
    /// The parameters of bags, signatures and tables
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
    /// The seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = SeedArg::Number(pagekin_core::DEFAULT_SEED))]
    pub(crate) seed: SeedArg,
    /// Take no words on fewer pages than this for similarity; a text is found by them all the same [default: 2, or 1
    /// below 50 pages]
    #[arg(long, value_name = "PAGES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_df: Option<u32>,
    /// Take no words on more than this part of the pages for similarity; a text is found by them all the same
    /// [default: 20, and never words on up to 10 pages]
    #[arg(long, value_name = "PER CENT", value_parser = per_cent)]
    pub(crate) max_df: Option<f64>,
    /// Leave out files larger than this: a number of bytes, or such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size)]
    pub(crate) max_page_bytes: u64,
    /// Leave out files that cannot be read, instead of failing
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// The folder of the index
    pub(crate) out: PathBuf,
    /// The folder of the site, served at / so that the results' links work
    #[arg(long, value_name = "SITE_DIR")]
    pub(crate) site: Option<PathBuf>,
    /// The port; 0 for any that is free [default: 4747, or any if that is taken]
    #[arg(long)]
    pub(crate) port: Option<u16>,
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "stdin"])))]
pub(crate) struct SimilarArgs {
    /// The folder of the index
    pub(crate) out: PathBuf,
    /// Look for the text of this file, of any length: HTML by its name or if it begins with a tag, otherwise plain text
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Find the pages like this page of the site
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Look for the text of standard input, such as a sentence, an error message or a whole page: `-`
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) stdin: Option<String>,
    /// Read the file or standard input as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// The language of the text [default: what it declares, or else it is guessed among the site's]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
    /// The most results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: u32,
    /// The least of a result, 0 to 1: of its similarity to a page, of what is found of a passage
    #[arg(short, long, value_name = "S", default_value_t = 0.0, value_parser = part)]
    pub(crate) min: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// The folder of the index
    pub(crate) out: PathBuf,
    /// Read every file and check that all fits together
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show what the index knows of this page
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How long work runs, and what it tells.
#[derive(Debug, clap::Args)]
pub(crate) struct RunningArgs {
    /// The number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Print nothing but errors, and the summary if --json asks for it
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

    /// Prints the summary of what was done, for programs or for people, as was asked.
    pub(crate) fn tell(
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
        let tip = "how a crawl is read is told to `pagekin cluster`; leave these out, or cluster it anew with them";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The named parameters.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// For static sites
    Web,
    /// Those of Haveliwala, Gionis and Indyk (2000)
    Paper,
}

/// What bags are made of.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BagsArg {
    /// The text of the page
    Content,
    /// Its title and what is said beside links to it
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
    Both,
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
            AlgorithmArg::Both => Self::Both,
            AlgorithmArg::Combined => Self::Combined,
            AlgorithmArg::Exact => Self::Exact,
        }
    }
}

/// How near-duplicates are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicatesFormat {
    /// For people
    Table,
    /// One object
    Json,
    /// A line a pair
    Csv,
    /// A page for people
    Html,
}

/// How clusters are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterFormat {
    /// For people
    Table,
    /// An object a cluster
    Jsonl,
    /// A line a URL
    Csv,
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

/// A seed that is given, or to be drawn.
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
    /// The number that is given, or one that is drawn.
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
        Err("expected a path such as /docs/, or an address such as https://example.org/docs/"
            .to_owned())
    }
}

fn per_cent(text: &str) -> Result<f64, String> {
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
