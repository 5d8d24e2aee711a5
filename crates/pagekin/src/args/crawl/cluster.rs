//! The arguments of `pagekin crawl cluster`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_core::Preset;
use pagekin_core::qgrams::Alphabet;
use pagekin_crawl::cluster::{BagSource, ClassSource, Join, Pairing, StringOptions, TableOptions};
use pagekin_pairs::Threshold;

use crate::args::crawl::values::{BaseArg, MemoryArg, class_source, error_rate, join, threshold};
use crate::args::files::FilesArgs;
use crate::args::running::{LangArg, RunningArgs};
use crate::args::values::PageBytesArg;

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// Folders of HTML; WARC, ARC, WACZ or JSONL files (objects with `url` and `text`, `html` or
    /// `links`), plain, gzip or zstd; - is standard input. With --alphabet: FASTA, FASTQ or lines
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<std::ffi::OsString>,
    /// Output folder: new, empty, or an earlier crawl, which is replaced when done
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) bags: BagsOption,
    /// Minimum similarity of a pair, above 0 and up to 1 [default: 0.2, or from --feedback; for
    /// strings, from --error-rate]
    #[arg(long, value_name = "S", value_parser = threshold)]
    pub(crate) threshold: Option<Threshold>,
    /// Use the term weights in this output of `pagekin crawl feedback`
    #[arg(long, value_name = "FILE")]
    pub(crate) feedback: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preset: PresetOption,
    #[command(flatten)]
    pub(crate) seed: SeedArg,
    #[command(flatten)]
    pub(crate) base: BaseArg,
    #[command(flatten)]
    pub(crate) lang: LangArg,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) page_bytes: PageBytesArg,
    /// Pair only URLs of the same class, to save time and memory: `host`; `folder` or `folder=N`,
    /// the host and the first N folders; `language`; or a CSV file with `url` and `class`
    #[arg(long, value_name = "CLASSES", value_parser = class_source)]
    pub(crate) classes: Option<ClassSource>,
    #[command(flatten)]
    pub(crate) strings: StringArgs,
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    /// Keep the links of pages, for `pagekin crawl rank`
    #[arg(long)]
    pub(crate) links: bool,
    /// Keep signatures (about 200 bytes per URL), so that `pagekin crawl related` can search for a
    /// text and find URLs below the threshold
    #[arg(long)]
    pub(crate) signatures: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// Options for clustering strings instead of pages.
#[derive(Debug, clap::Args)]
pub(crate) struct StringArgs {
    /// Cluster strings instead of pages: `dna`, reads from FASTA or FASTQ files, or one per line;
    /// `text`, lines such as names, addresses or log messages
    #[arg(long, value_enum, value_name = "ALPHABET", conflicts_with_all = ["bags", "feedback", "base_url", "lang", "exclude", "classes", "links"])]
    pub(crate) alphabet: Option<AlphabetArg>,
    /// Expected share of wrong, missing or extra letters, 0 to 0.3; it determines the threshold
    /// [default: 0.05; for DNA, estimated from a sample of the reads if that is higher]
    #[arg(long, value_name = "RATE", value_parser = error_rate, requires = "alphabet")]
    pub(crate) error_rate: Option<f64>,
    /// Letters per q-gram, 1 to 16 [default: 3 for text; for DNA, from the number and length of
    /// reads]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=16), requires = "alphabet")]
    pub(crate) q: Option<u8>,
    /// Treat a read and its reverse complement as equal, for DNA reads from either strand
    #[arg(long, requires = "alphabet")]
    pub(crate) both_strands: bool,
    /// Join clusters if at least this share of the pairs between them is similar, above 0 and up to
    /// 1, or `none` [default: 1; 0.2 for DNA; none with the paper's preset]
    #[arg(long, value_name = "PART", value_parser = join)]
    pub(crate) join: Option<Join>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlphabetArg {
    /// Reads of DNA
    Dna,
    /// Lines of text
    Text,
}

impl StringArgs {
    /// Returns the string options with the given threshold; `None` for pages.
    pub(crate) fn options(&self, threshold: Option<Threshold>) -> Option<StringOptions> {
        let alphabet = match self.alphabet? {
            AlphabetArg::Dna => Alphabet::Dna,
            AlphabetArg::Text => Alphabet::Text,
        };
        Some(StringOptions::new(alphabet).with(|options| {
            options.q = self.q;
            options.error_rate = self.error_rate;
            options.both_strands = self.both_strands;
            options.threshold = threshold;
        }))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct PairingArgs {
    /// Compare all bags exactly: for up to about 50,000 URLs
    #[arg(long, conflicts_with_all = ["values", "tables"])]
    pub(crate) exact: bool,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct TablesArgs {
    /// Values per key, 1 to 8 [default: chosen from a sample of the URLs; 3 for the paper's preset]
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) values: Option<u8>,
    /// Number of tables, 1 to 1024 [default: enough to compare about 81% of the pairs at the
    /// threshold, and more of the more similar ones; 125 for the paper's preset]
    #[arg(short = 'l', long, value_name = "L", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) tables: Option<u16>,
}

impl From<PairingArgs> for Pairing {
    fn from(args: PairingArgs) -> Self {
        if args.exact {
            return Self::Exact;
        }
        let TablesArgs { values: k, tables: l } = args.tables;
        Self::Tables(TableOptions::default().with(|options| {
            options.k = k;
            options.l = l;
        }))
    }
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct PresetOption {
    /// Parameters of bags, signatures and pairs
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SeedArg {
    /// Seed of the hash functions: a number, or `random`
    #[arg(long, value_name = "SEED", default_value_t = pagekin_core::DEFAULT_SEED,
          value_parser = seed)]
    pub(crate) seed: u64,
}

fn seed(text: &str) -> Result<u64, String> {
    match text {
        "random" => getrandom::u64().map_err(|error| error.to_string()),
        _ => text
            .parse()
            .map_err(|_| "expected a number from 0 to 18446744073709551615, or random".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// For static sites
    Web,
    /// As in Haveliwala, Gionis and Indyk (2000)
    Paper,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Web => Self::Web,
            PresetArg::Paper => Self::Paper,
        }
    }
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct BagsOption {
    /// Source of a URL's bag: `content`, the text of its page; `anchor`, its title and the text
    /// around links to it; or `both`
    #[arg(long, value_enum, default_value_t = BagsArg::Anchor)]
    pub(crate) bags: BagsArg,
}

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
